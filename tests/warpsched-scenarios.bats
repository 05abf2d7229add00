# Other L1 data caches, and machines and inputs that cannot be.
load helper

setup() { cd "$BATS_TEST_TMPDIR"; }

value() { awk -F'\t' -v n="$1" '$1 == n { print $2; exit }'; }

@test "warpsched: with an L1 for each warp hits never fall; bypassed or without bound the same instructions retire" {
	for w in "gesummv -D N=64" "spmv -D N=400"; do
		# shellcheck disable=SC2086
		warpcap -w $w -o w.wcp
		warpsched --tsv w.wcp >plain
		for o in "--no-interference" "--run-as bounded" "--run-as unbounded" "--run-as bypass-all" \
		    "--run-as unbounded --no-interference"; do
			# shellcheck disable=SC2086
			warpsched --tsv $o w.wcp >other
			for n in warp_instructions thread_instructions accesses_coherent accesses_divergent; do
				[ "$(value $n <other)" = "$(value $n <plain)" ]
			done
			hits=$(($(value l1d_hits <other) + $(value l1d_merges <other)))
			case $o in
			*bypass*)
				[ "$hits" = 0 ]
				[ "$(value l1d_bypassed <other)" = "$(value l1d_accesses <plain)" ]
				;;
			*bounded) diff <(value l1d_accesses <plain) <(value l1d_accesses <other) ;;
			esac
			case $o in
			--no-interference | "--run-as unbounded") [ "$hits" -ge "$(($(value l1d_hits <plain) + $(value l1d_merges <plain)))" ] ;;
			esac
			[ "$o" != "--run-as bounded" ] || diff plain other
		done
	done
}

@test "warpsched: without interference no line is lost to another warp" {
	warpcap -w gesummv -D N=96 -o g.wcp
	warpsched --tsv --no-interference --interference --series s.tsv -p ccws g.wcp >r
	[ "$(awk -F'\t' '/^#table/ { on = $0 == "#table interference" } on && NF == 3 && $1 != $2 && $1 != "slot"' r | wc -l)" = 0 ]
	[ "$(awk -F'\t' 'NR > 1 { n += $11 } END { print n }' s.tsv)" = "$(value l1d_accesses <r)" ]
}

@test "warpsched: scenarios and machines that cannot be are refused in one line" {
	warpcap -w gesummv -D N=64 -o g.wcp
	while read -r arguments; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr warpsched $arguments g.wcp
		[ "${#stderr_lines[@]}" = 1 ] || { echo "$arguments"; false; }
	done <<'END2'
--run-as nothing
-p ciao-c --no-interference
--set l2.slices=7
--set icnt.latency=1
--set icnt.flit=1
--set memory.request=64
--set memory.request=128
--set l2.line=256
--set dram.banks=2
--set l1.nonesuch=1
END2
	run -1 --separate-stderr warpsched --set sm.threads=32 g.wcp
	[[ $stderr == *"fits no SM"* ]]
}

@test "warpsched: a full disk and a closed pipe are noticed, a report is whole or not there" {
	warpcap -w gesummv -D N=64 -o g.wcp
	run -4 --separate-stderr bash -c "warpsched g.wcp >/dev/full"
	run -4 --separate-stderr warpsched -r none/r.tsv g.wcp
	run -4 --separate-stderr warpsched --series /dev/full g.wcp
	run bash -c "warpsched --tsv g.wcp | head -n 1"
	[[ $output == "#table summary" ]]
}
