# Experiments from share/recipe, in a tiny form.
load helper

recipe() { make -s -f "$ROOT/share/recipe/$1.mk" "${@:2}"; }

tiny=(SIZE=small SWL="1..1 4..4" WORKLOADS="atax gesummv corr" O=out)

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	recipe ciao fig8 "${tiny[@]}" >first
}

setup() { cd "$BATS_FILE_TMPDIR"; }

@test "recipe: CIAO's Fig. 8 comes out as a table by workload and class, beside the paper's values, and as a picture" {
	output=$(cat first)
	[[ $output == *"CIAO Fig. 8a"*"size small"* ]]
	[ "$(grep -cE '^(LWS|SWS|CI) ' <<<"$output")" = 6 ]
	grep -qE '^all +geomean +1.000' <<<"$output"
	grep -qE '^all +paper +1.00 +1.02 +1.16 +1.24 +1.34 +1.34 +1.56' <<<"$output"
	grep -q "<svg" out/fig8.svg
	# the mean of the class is that of its workload, the mean over all is geometric
	awk -F'\t' '$3 == "ccws" { v[$2] = $4 } END {
		d = v["gm-sws"] - v["gesummv"]; e = v["geomean"]^3 / (v["atax"] * v["gesummv"] * v["corr"]) - 1
		exit !(d * d < 1e-10 && e * e < 1e-10) }' out/fig8.tsv
}

@test "recipe: what was recorded and replayed is not done again; each step goes through RUN" {
	run -0 --separate-stderr recipe ciao fig8 "${tiny[@]}" RUN=false
	diff <(echo "$output") first
	cat >step <<'END2'
#!/bin/sh
echo "$1" >>steps
exec "$@"
END2
	chmod +x step
	touch out/atax.wcp
	recipe ciao fig8 "${tiny[@]}" RUN=./step | diff - first
	[ "$(cat steps)" = "$(printf 'warpsched\nwarpsched')" ]
	run -2 recipe ciao fig8 "${tiny[@]}" O=other RUN=false
}

@test "recipe: Best-SWL is the fastest limit of all ranges; medium has sizes of its own, other workloads stay as they stand" {
	awk -F'\t' '$1 ~ /wcp$/ && NF == 7 { if ($5 > ipc) { ipc = $5; n = $3 } } END { print "swl:n=" n }' out/atax.swl.tsv >best
	cut -f2 out/atax.fig8.tsv | grep -xF "$(cat best)"
	run -0 recipe ciao -n SIZE=medium WORKLOADS="atax nn" fig8
	[[ $output == *"-w atax -D M=3840 -D N=1024 -o ciao-medium/atax.wcp"* ]]
	[[ $output == *"-w nn  -o ciao-medium/nn.wcp"* ]]
}

@test "recipe: -j makes the same figure" {
	for o in one four; do
		recipe ciao fig8 "${tiny[@]}" WORKLOADS="atax corr" O=$o $([ $o = one ] || echo -j4 THREADS=2) >$o.txt
	done
	diff one.txt four.txt
	diff one/fig8.tsv four/fig8.tsv
}
