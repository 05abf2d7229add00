load helper

# table NAME <REPORT.tsv: its rows
table() {
	awk -v name="#table $1" '/^#table /{on=$0==name;head=on;next} head{head=0;next} on&&NF&&!/^# /'
}

# value NAME <REPORT.tsv
value() {
	table summary | awk -F'\t' -v name="$1" '$1 == name {print $2}'
}

# An L1D of SETS WAYS that evicts what is stored to.
machine() {
	printf '[l1]\nsets = %d\nways = %d\nline = 128\nwrite = %s\nwrite_local = back\n' "$1" "$2" "${3:-evict}"
}

@test "warpintf: CIAO Fig. 3, W0 and W1 take set S0 from each other, and each miss after the first two is a VTA hit" {
	machine 4 1 >m.conf
	"$B/tests/mkstream" >s.wcp <<'END'
link access
kernel k grid=1 block=64
access sm=0 warp=0 slot=0 line=0x0 first
access sm=0 warp=1 slot=1 line=0x200 first
access sm=0 warp=0 slot=0 line=0x0 first
access sm=0 warp=1 slot=1 line=0x200 first
flush
end_kernel
END
	run -0 --separate-stderr warpintf --tsv -m ./m.conf s.wcp
	[ -z "$stderr" ]
	diff - <(table matrix <<<"$output") <<<$'0\t1\t1\t1\n1\t0\t2\t1'
	diff - <(table interfered <<<"$output") <<<$'0\t2\t2\t1\t1\t0\t1\t1\t1\t1\n1\t2\t2\t1\t1\t0\t1\t1\t1\t0'
	[ "$(value hit_rate <<<"$output")" = 0 ]
	# had they not evicted each other, D0 and D4 would have been hit: potential of data locality
	[ "$(value potential <<<"$output")" = 50 ]
	[ "$(value interference_free <<<"$output")" = 50 ]
	[ "$(value own_l1d <<<"$output")" = 50 ]
	# Fig. 3b: the same when the stream itself says what L1D did
	"$B/tests/mkstream" >r.wcp <<'END'
link access
kernel k grid=1 block=64
access sm=0 warp=0 slot=0 line=0x0 first l1=miss
access sm=0 warp=1 slot=1 line=0x200 first l1=miss victim=0x0 owner=0
access sm=0 warp=0 slot=0 line=0x0 first l1=miss victim=0x200 owner=1
access sm=0 warp=1 slot=1 line=0x200 first l1=miss victim=0x0 owner=0
flush
end_kernel
END
	warpintf --tsv r.wcp >r.tsv
	[ "$(value l1d <r.tsv)" = recorded ]
	for t in matrix interfered list; do
		diff <(table $t <<<"$output") <(table $t <r.tsv)
	done
}

# Misses of W34 on lines that the warps given have driven out, one after the other, one an epoch.
interfere() {
	{
		printf 'link access\nkernel k grid=1 block=1536\n'
		printf 'access sm=0 warp=%d slot=%d line=0x%x first l1=miss\n' 34 34 0x10000
		for w; do
			printf 'access sm=0 warp=%d slot=%d line=0x20000 first l1=miss victim=0x10000 owner=34\n' "$w" "$w"
			printf 'access sm=0 warp=34 slot=34 line=0x10000 first l1=miss\n'
		done
		printf 'flush\nend_kernel\n'
	} | "$B/tests/mkstream"
}

@test "warpintf: CIAO Fig. 4c, the list's counter of W34 goes 11, 10, 11, and at 00 another takes the place" {
	last() { # WARPS...: list and counter at the end
		interfere "$@" | warpintf --tsv | table list | awk -F'\t' '$2 == 34 {print $9, $10}'
	}
	[ "$(last 32)" = "32 0" ]
	[ "$(last 32 32 32 32)" = "32 3" ]
	[ "$(last 32 32 32 32 32)" = "32 3" ]
	[ "$(last 32 32 32 32 32 42)" = "32 2" ]
	[ "$(last 32 32 32 32 32 42 32)" = "32 3" ]
	[ "$(last 32 32 42)" = "32 0" ]
	[ "$(last 32 32 42 42)" = "42 0" ]
	# beside the truth: after 42 came last W32 has still done most
	interfere 32 32 42 42 | warpintf --tsv --epoch 1 >r
	[ "$(table list <r | awk -F'\t' '$2 == 34 {print $3, $7, $8}')" = "4 32 2" ]
	# looked at from its first hit on, at the end of every epoch: 32 until 42 takes the place, and then both did as much
	[ "$(value list_agrees <r)" = 100 ]
	interfere 32 32 32 42 42 42 42 | warpintf --tsv --epoch 1 >r
	[ "$(table list <r | awk -F'\t' '$2 == 34 {print $7, $8, $9}')" = "42 4 42" ]
	interfere 32 32 42 32 42 42 | warpintf --tsv --epoch 1 >r
	[ "$(table matrix <r | awk -F'\t' '$2 == 34 {print $1, $3, $4}')" = $'32 3 3\n42 3 3' ]
}

@test "warpintf: in true order VTA hits are those that warpsched counts, pair by pair" {
	warpcap -q -w atax -D M=256 -D N=256 -o s.wcp
	for p in gto lrr; do
		warpsched -q --tsv --interference -p $p -m gtx480 -r s.tsv -o s.acc s.wcp
		table interference <s.tsv | awk -F'\t' '{print $2, $1, $3}' | sort >want
		[ -s want ]
		warpintf --tsv s.acc >r.tsv
		diff want <(table matrix <r.tsv | awk -F'\t' '$4 {print $1, $2, $4}' | sort)
	done
}

# The rows of a TSV report as intf_slow prints them.
rows() {
	table matrix <"$1" | sed 's/^/matrix\t/'
	table interfered <"$1" | cut -f 1-4 | sed 's/^/interfered\t/'
	table list <"$1" | awk -F'\t' -v OFS='\t' '{print "list", $1, $2, $3, sprintf("%.6f", $4), $5, sprintf("%.0f", $5 * $6 / 100), $8, $9, $10}'
	printf 'own\t%.0f\n' "$(table summary <"$1" | awk -F'\t' '{v[$1] = $2} END {print v["own_l1d"] * v["accesses"] / 100}')"
}

@test "warpintf: matrix, losses, IRS and lists are those of looking through every cache and tag, slots used again" {
	for seed in 1 2; do
		"$B/tests/intf_slow" make $seed >s.wcp
		for m in "4 2 evict" "2 4 through" "7 1 back"; do
			# shellcheck disable=SC2086
			machine $m >m.conf
			for how in "8 slot 50" "2 warp 7" "64 pc 1000" "0 slot 33" "0 warp 100"; do
				read -r tags by epoch <<<"$how"
				# shellcheck disable=SC2086
				"$B/tests/intf_slow" $m $how <s.wcp | sort >want
				warpintf --tsv -m ./m.conf --vta "${tags/#0/exact}" --by "$by" --epoch "$epoch" s.wcp >got.tsv
				diff -u want <(rows got.tsv | sort) || { echo "seed $seed machine $m: $how"; return 1; }
			done
		done
	done
}

@test "warpintf: what is recorded gives what the same L1D modelled gives; hits are those of warpcache" {
	warpcap -q -w spmv -D N=2000 | warpflat -q --sms 3 -o f.acc
	machine 8 2 through >m.conf
	for more in "l1.sets=8" "l1.sector=32" "l1.index=xor" "l1.replacement=fifo"; do
		# a model in the tool, and what another left in the stream
		warpintf --tsv -m ./m.conf --set $more f.acc >modelled
		warpcache -q -m ./m.conf --set $more --pass all --tsv -r c.tsv -o r.acc f.acc
		warpintf --tsv r.acc >recorded
		[ "$(value l1d <recorded)" = recorded ]
		for t in matrix interfered list; do
			diff <(table $t <modelled) <(table $t <recorded)
		done
		for name in accesses misses evictions vta_hits lost lost_to_others; do
			[ "$(value $name <modelled)" = "$(value $name <recorded)" ]
		done
	done
	# -m models whatever is recorded, unless told
	[ "$(warpintf --tsv -m ./m.conf r.acc | value l1d)" = modelled ]
	diff <(table matrix <recorded) <(warpintf --tsv -m ./m.conf --recorded r.acc | table matrix)
	warpcache --tsv -m ./m.conf --vta 8 f.acc >c.tsv
	warpintf --tsv -m ./m.conf f.acc >r.tsv
	[ "$(value vta_hits <r.tsv)" = "$(value vta_hits <c.tsv)" ]
	[ "$(value self_hits <r.tsv)" = "$(value vta_self_hits <c.tsv)" ]
}

@test "warpintf: sums: matrix is VTA hits and evictions, SMs add up, caused is suffered, fewest and most are the matrix's" {
	"$B/tests/intf_slow" make 5 >s.wcp
	machine 4 4 >m.conf
	for o in "--vta 8" "--vta exact" "--vta 16 --vta-ways 8 --vta-order lru"; do
		for by in slot warp cta kernel pc; do
			# shellcheck disable=SC2086
			warpintf --tsv -m ./m.conf $o --by $by s.wcp >r
			[ "$(value vta_hits <r)" -gt 0 ]
			awk -F'\t' '{e += $3; h += $4} END {print e, h}' <(table matrix <r) >sum
			[ "$(cat sum)" = "$(value evictions <r) $(value vta_hits <r)" ]
			table interfered <r | awk -F'\t' -v hits="$(value vta_hits <r)" -v lost="$(value lost <r)" \
			    '{h += $5; s += $6; c += $7; l += $4} END {if (h != hits || s + c != hits || l != lost) exit 1}'
			# shellcheck disable=SC2086
			warpintf --tsv -m ./m.conf $o --by $by --per-sm s.wcp >p
			diff <(table matrix <r | sort) <(table matrix <p | awk -F'\t' -v OFS='\t' '{e[$2 OFS $3] += $4; h[$2 OFS $3] += $5} END {for (i in e) print i, e[i], h[i]}' | sort)
			# shellcheck disable=SC2086
			diff <(table matrix <p | grep ^1 | cut -f 2-) <(warpintf --tsv -F 'sm 1' -m ./m.conf $o --by $by s.wcp | table matrix)
		done
	done
	# fewest and most by one other, where each pair that does not occur is none
	warpintf --tsv -m ./m.conf s.wcp >r
	table matrix <r | awk -F'\t' -v OFS='\t' '{n[$1]; if ($1 != $2) h[$2, $1] = $4} END {
		for (i in n) { least = 1e9; most = 0
			for (k in n) if (k != i) { x = h[i, k] + 0; least = x < least ? x : least; most = x > most ? x : most }
			print i, least, most } }' | sort >want
	diff want <(table interfered <r | cut -f 1,8,9 | sort)
	[ "$(value pair_min <r) $(value pair_max <r)" = "$(sort -n -k2,2 want | awk 'NR == 1 {print $2}') $(sort -n -k3,3 want | awk 'END {print $3}')" ]
}

@test "warpintf: what an SM does among others is what it does alone" {
	warpcap -q -w spmv -D N=4096 | warpflat -q -o s.acc
	for o in "" "--by pc --vta exact"; do
		# shellcheck disable=SC2086
		warpintf --tsv $o --per-sm s.acc >all
		[ "$(value misses <all)" -gt 50000 ]
		for sm in 0 11; do
			# shellcheck disable=SC2086
			warpintf --tsv $o --per-sm -F "sm $sm" s.acc >alone
			for t in matrix interfered; do
				diff <(table $t <all | grep "^$sm	") <(table $t <alone)
			done
			diff <(table list <all | grep "^$sm	" | cut -f 1-3,5-) <(table list <alone | cut -f 1-3,5-)
		done
	done
}

@test "warpintf: laws: more tags find more, enough find all; alone nobody interferes; a large cache evicts nothing" {
	# loads only, no slot used again
	awk 'BEGIN { srand(3); print "link access\nkernel k grid=6 block=128"
		for (i = 0; i < 4000; i++) { c = int(rand() * 6); w = int(rand() * 4)
			printf "access sm=%d cta=%d warp=%d slot=%d line=%d first\n", c % 2, c, w, int(c / 2) * 4 + w, 128 * int(rand() < 0.7 ? (c * 4 + w) * 20 + rand() * 12 : 1000 + rand() * 80) }
		print "flush\nend_kernel" }' | "$B/tests/mkstream" >s.wcp
	machine 8 2 >m.conf
	before=0
	for n in 1 2 4 8 16 64; do
		hits=$(warpintf --tsv -m ./m.conf --vta $n s.wcp | value vta_hits)
		[ "$hits" -ge "$before" ]
		before=$hits
	done
	[ "$before" -gt 0 ]
	warpintf --tsv -m ./m.conf --vta exact s.wcp >exact
	diff <(table matrix <exact) <(warpintf --tsv -m ./m.conf --vta 65536 s.wcp | table matrix)
	[ "$(value vta_hits <exact)" = "$(value lost <exact)" ]
	# each with its own L1D loses lines to itself alone
	warpintf --tsv -m ./m.conf -F 'sm 0 and cta 0 and warp 1' --vta exact s.wcp >alone
	[ "$(value vta_hits <alone)" = "$(value self_hits <alone)" ]
	[ "$(value own_l1d <alone)" = "$(value hit_rate <alone)" ]
	[ "$(value interference_free <alone)" = "$(value hit_rate <alone)" ]
	warpintf --tsv -m ./m.conf --set l1.sets=4096 s.wcp >large
	[ "$(value evictions <large) $(value lost <large)" = "0 0" ]
	[ -z "$(table matrix <large)" ]
}

@test "warpintf: files, pipes and any -j give the same report and series" {
	"$B/tests/intf_slow" make 7 >s.wcp
	warpintf --tsv --series want.series s.wcp >want
	diff want <(warpintf --tsv <s.wcp)
	diff want <(warpintf --tsv -j 8 --series got.series - <s.wcp)
	cmp want.series got.series
	diff want <(warpcut -q -Z 0 s.wcp | warpintf --tsv -j 2)
	warpintf --json --by warp s.wcp | python3 -c 'import json, sys; t = json.load(sys.stdin)["tables"]; assert len(t["matrix"]) > 10 and "/" in t["matrix"][0]["interfering"]'
	# text shows the worst
	run -0 warpintf --by warp s.wcp
	[[ $output == *"; --tsv has all"* ]]
	[ "${#lines[@]}" -lt 200 ]
}

@test "warpintf: the series has IRS by Eq. 1, of the kernel's instructions or the epoch's" {
	# totals without instructions: no IRS
	interfere 32 32 32 >s.wcp
	warpintf --tsv --epoch 2 --series s.tsv s.wcp >r
	[ "$(head -n 1 s.tsv)" = $'cycle\tsm\tslot\tepoch\tactive\tvta_hits\tirs\tlist\tmost' ]
	awk -F'\t' 'NR > 1 && $7 != "" {exit 1}' s.tsv
	"$B/tests/intf_slow" make 9 >t.wcp
	warpintf --tsv --epoch 100 --series k.tsv t.wcp >k
	warpintf --tsv --epoch 100 --window epoch --series e.tsv t.wcp >e
	# hits add up within a kernel, begin anew in an epoch
	awk -F'\t' 'NR > 1 {if ($4 && $6 < had[$2, $3]) exit 1; had[$2, $3] = $6}' k.tsv
	[ "$(awk -F'\t' 'NR > 1 {n += $6} END {print n}' e.tsv)" = "$(value vta_hits <e)" ]
	diff <(awk -F'\t' '$4 == 0 {print $2, $3, $5, $6}' k.tsv) <(awk -F'\t' '$4 == 0 {print $2, $3, $5, $6}' e.tsv)
	awk -F'\t' 'NR > 1 && ($7 < 0 || $7 == "") {exit 1}' k.tsv
	[ "$(value list_agrees <k)" = "$(value list_agrees <e)" ]
}

@test "warpintf: a stream without slots is told by warps, one that no L1D took is refused" {
	"$B/tests/local_slow" make 1 >s.wcp
	machine 4 2 >m.conf
	run -2 --separate-stderr warpintf -m ./m.conf s.wcp
	[ "${stderr_lines[0]}" = "warpintf: s.wcp: the stream knows no warp slots: ask --by warp" ]
	[ -z "$output" ]
	warpintf --tsv -m ./m.conf --by warp --vta exact s.wcp >r
	# the same lines are lost as where each warp has a slot that it keeps
	[ "$(value vta_hits <r)" -gt 0 ]
	[ "$(value vta_hits <r)" = "$(value lost <r)" ]
	[ "$(table matrix <r | awk -F'\t' '{n += $3} END {print n}')" = "$(value evictions <r)" ]
	diff <(warpintf --tsv -m ./m.conf --by cta --vta exact s.wcp | table matrix) \
	    <(table matrix <r | awk -F'\t' -v OFS='\t' '{sub("/[0-9]*$", "", $1); sub("/[0-9]*$", "", $2); e[$1 OFS $2] += $3; h[$1 OFS $2] += $4} END {for (i in e) print i, e[i], h[i]}' |
		sort -t "$(printf '\t')" -k1,1V -k2,2V)
	warpcap -q -w vectoradd -D N=4096 | warpsched -q --tap l2 -r x -o l2.acc
	run -2 --separate-stderr warpintf l2.acc
	[ "${stderr_lines[0]}" = "warpintf: l2.acc: these are accesses to a level below L1: tap L1, or give -m" ]
}

@test "warpintf: what cannot be is refused in one line" {
	"$B/tests/intf_slow" make 1 >s.wcp
	for wrong in "-m nosuch" "--set l1.ways=0" "--set l1.ways=0 --set l1.sets=1" "--set l1.size=100" "--set x.y=1" "s.wcp s.wcp" "--by thread" \
	    "--vta 0" "--vta some" "--vta 8 --vta-ways 3" "--vta-order random" "--epoch 0" "--window year" \
	    "--series -"; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr warpintf $wrong s.wcp
		[ -z "$output" ]
		[ "${#stderr_lines[@]}" -eq 1 ]
	done
	run -4 --separate-stderr warpintf nothing.wcp
	run -4 --separate-stderr warpintf --series nowhere/s.tsv s.wcp
	[ "${#stderr_lines[@]}" -eq 1 ]
	warpcap -q -w vectoradd -D N=1024 -o w.wcp
	run -3 --separate-stderr warpintf w.wcp
	[ "${#stderr_lines[@]}" -eq 1 ]
	printf 'link access\nkernel k\naccess line=0x1000 sm=65535\n' | "$B/tests/mkstream" >none.wcp
	run -3 --separate-stderr warpintf none.wcp
	[ "$stderr" = "warpintf: none.wcp: an access of no SM: pipe the stream through warpflat --sms N" ]
	printf 'link access\nkernel k\naccess line=0x1000 sm=0 slot=1024\n' | "$B/tests/mkstream" >slot.wcp
	run -3 --separate-stderr warpintf slot.wcp
	[ "$stderr" = "warpintf: slot.wcp: warp slot 1024: an SM has 1024 at most" ]
	size=$(stat -c %s s.wcp)
	for n in 10 $((size / 2)) $((size - 1)); do
		head -c $n s.wcp >cut.wcp
		rm -f s.tsv
		run -3 --separate-stderr warpintf --series s.tsv cut.wcp
		[ "${#stderr_lines[@]}" -eq 1 ]
		[ -z "$output" ] || [[ $output == *"the input was not whole: this covers what was read"* && -s s.tsv ]]
	done
}

@test "warpintf: records that are none of L1D's are passed over, whoever they are of" {
	"$B/tests/mkstream" >s.wcp <<'END'
link access
kernel k block=64
access sm=0 warp=0 slot=0 line=0x0 first
access sm=0 warp=1 slot=1 line=0x80 kind=writeback
access sm=0 warp=1 slot=1 line=0x80
access sm=0 warp=1 slot=1 line=0x80 space=shared
access sm=0 warp=1 slot=1 line=0x80
END
	warpintf --tsv s.wcp >r
	diff <(table interfered <r | cut -f 1-3) - <<<$'0\t1\t1\n1\t2\t1'
	grep -qx '# 1 records of other spaces, and write-backs, are not L1D.s' r
}
