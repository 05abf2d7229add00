# What warpsched measures: by hand, and laws.
load helper

setup() { cd "$BATS_TEST_TMPDIR"; }

value() { awk -F'\t' -v n="$1" '$1 == n { print $2; exit }'; }

# loads N LINES...: a stream of a warp that executes N loads; each operand is the address list of one
loads() {
	echo link warp
	echo program k
	for _ in "$@"; do echo "insn ld.global.u32 dst=1 src=1 bytes=4"; done
	echo "insn exit class=exit"
	echo "kernel k grid=1,1,1 block=32 regs=8"
	printf 'seg cta=0 warp=0 cta_begin cta_end warp_begin warp_end\nrun 0 %d\n' $#
	printf 'mem global %s\n' "$@"
	echo end_kernel
}

play() { warpsched --tsv --set sm.fetch=0 "$@"; }

# A load is offered to the unit in cycle 5: issued in 0, collected in 1, read in 2, collected in 3, at the head in 4. L1 takes
# 35 cycles; it is sent in the next one; a flit needs 1 + 4 cycles to L2. That looks up four sectors, 120 cycles later, one a
# cycle; each needs 100 cycles and DRAM's time. Answered, it is sent a cycle later, and comes 1 + 4 cycles after that.
@test "warpsched: one miss from end to end, each stage by hand" {
	loads "affine 0x200000000000 4" | "$B/tests/mkstream" -o m.wcp
	play m.wcp >r
	[ "$(value stage_l1 <r)" = 35 ]
	[ "$(value stage_port <r)" = 1 ]
	[ "$(value stage_request <r)" = 5 ]
	[ "$(value stage_l2 <r)" = 123 ]
	[ "$(value stage_reply <r)" = 6 ]
	[ "$(value stage_write_back <r)" = 1 ]
	# ACT, RD and the burst of the last of four reads take 12 + 12 + 2 cycles of DRAM and what the reads before it do
	dram=$(value stage_dram <r)
	[ "$dram" -ge $((101 + 26 * 700 / 924)) ]
	[ "$dram" -le $((101 + (26 + 3 * 3) * 700 / 924 + 3)) ]
	[ "$(value latency_coherent <r)" = $((35 + 1 + 5 + 123 + dram + 6 + 1)) ]
	[ "$(value cycles <r)" = $((5 + 171 + dram + 1)) ]
	[ "$(play --set memory.dram_latency=50 m.wcp | value stage_dram)" = $((dram - 50)) ]
}

@test "warpsched: loads are fully cached when all their lines are there or on their way; more than two lines are divergent" {
	# two lines, three lines, the three again, two of them and one more
	loads "affine 0x200000000000 8" "affine 0x200000001000 12" "affine 0x200000001000 12" "affine 0x200000001080 12" |
	    "$B/tests/mkstream" -o m.wcp
	play m.wcp >r
	[ "$(value loads_coherent <r)" = 1 ]
	[ "$(value loads_divergent <r)" = 3 ]
	[ "$(value fully_cached_coherent <r)" = 0 ]
	awk -v x="$(value fully_cached_divergent <r)" 'BEGIN { exit !(x > 33.3 && x < 33.4) }'
	[ "$(value accesses_divergent <r)" = 9 ]
	[ "$(value misses_staged <r)" = 6 ]
}

@test "warpsched: without MSHRs the head waits for them, and that is occlusion" {
	loads "affine 0x200000000000 128" | "$B/tests/mkstream" -o m.wcp
	play m.wcp >many
	play --set l1.mshr_entries=4 m.wcp >few
	[ "$(value occlusion_divergent <many)" = 0 ]
	[ "$(value ldst_mshr <many)" = 0 ]
	[ "$(value ldst_coal <many)" = 31 ]
	[ "$(value l1d_mshrs_peak <few)" = 4 ]
	awk -v o="$(value occlusion_divergent <few)" 'BEGIN { exit !(o > 50) }'
	# the shift line before L1 takes most of the load: make it short
	play --set l1.mshr_entries=4 --set l1.hit_latency=1 m.wcp >short
	[ "$(value ldst_mshr <short)" -gt 500 ]
	[ "$(value ldst_icnt <short)" = 0 ]
	[ "$(value latency_divergent <few | cut -d. -f1)" -gt "$(value latency_divergent <many | cut -d. -f1)" ]
}

@test "warpsched: MSHRs by load and age, and interference, add up to the counters" {
	warpcap -w gesummv -D N=96 -o g.wcp
	warpsched --tsv --ages --interference -p gto g.wcp >r
	plain=$(warpsched --tsv g.wcp)
	diff <(grep -v '^#' <<<"$plain" | grep .) <(sed '/^#table ages/,$d' r | grep -v '^#' | grep .)
	misses=$(awk -F'\t' '/^#table/ { on = $0 == "#table ages" } on && $1 == "gesummv" { n += $7 } END { print n }' r)
	[ "$misses" = "$(value l1d_misses <r)" ]
	loads=$(awk -F'\t' '/^#table/ { on = $0 == "#table ages" } on && $1 == "gesummv" { n += $5 } END { print n }' r)
	[ "$loads" = "$(($(value loads_coherent <r) + $(value loads_divergent <r)))" ]
	# 8 tags a warp, as CIAO has them
	warpsched --tsv --interference -p ciao-t:high=1e9 g.wcp >r
	lost=$(awk -F'\t' '/^#table/ { on = $0 == "#table interference" } on && NF == 3 { n += $3 } END { print n + 0 }' r)
	[ "$lost" = "$(value vta_hits <r)" ]
	[ "$lost" -gt 0 ]
}

@test "warpsched: every scheduler cycle is one thing, every load is answered, no more MSHRs are taken than there are" {
	warpcap -w spmv -D N=800 -o s.wcp
	for p in gto lrr ccws ciao-c statpcal swl:n=3; do
		warpsched --tsv -p "$p" --set l1.mshr_entries=6 -o l1.wcp -r r s.wcp
		slots=$(awk -F'\t' '/^slots_/ { n += $2 } END { print n }' r)
		cycles=$(value cycles <r)
		[ "$slots" = $((cycles * 30)) ]
		[ "$(value l1d_mshrs_peak <r)" -le 6 ]
		[ "$(warpdump --tsv --records --columns kind l1.wcp | grep -c load)" = \
		    "$(($(value accesses_coherent <r) + $(value accesses_divergent <r)))" ]
		awk -v i="$(value ipc_warp <r)" 'BEGIN { exit !(i <= 30) }'
	done
}
