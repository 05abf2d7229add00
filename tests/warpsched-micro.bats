load helper

# Streams so small that their cycles are counted by hand. The machine has one SM with one scheduler; DRAM runs at
# the core's clock.
setup() {
	cd "$BATS_TEST_TMPDIR"
	cat >one.conf <<'END'
about = one SM, one scheduler
base = gtx480
[sm]
sms = 1
schedulers = 1
register_banks = 0
[latency]
fadd = 4
[interval]
fadd = 1
[dram]
tCK = 700 MHz
END
}

A=0x200000000000

value() { awk -F'\t' -v n="$1" '$1 == n { print $2; exit }'; }

# stream WARPS: from a program and the warps' segments on standard input, lines "warp" between them
stream() {
	awk -v warps="$1" 'BEGIN { n = 0; print "link warp\nprogram p" }
		/^warp$/ {
			if (!n) printf "kernel p grid=1,1,1 block=%d,1,1 shared=8192\n", 32 * warps
			print "seg cta=0 warp=" n (n ? "" : " cta_begin") " warp_begin warp_end" (++n == warps ? " cta_end" : "")
			next
		}
		{ print }
		END { print "end_kernel" }' | "$B/tests/mkstream" -o s.wcp
}

cycles() { warpsched --tsv -m ./one.conf "$@" s.wcp | value cycles; }
is() { [ "$1" = "$2" ] || { echo "$1, not $2" && false; }; }

# accepted LEVEL [OPTION...]: cycles in which a level took its accesses
accepted() {
	local level=$1
	shift
	warpsched -q -m ./one.conf "$@" --tap "$level" -o t.wcp s.wcp
	warpdump t.wcp | awk '/ sm [0-9]+ kernel / && !/ state / { printf "%s ", $1 }'
}

# at BYTES...: addresses behind A
at() { for o; do printf '0x%x ' $((A + o)); done; }

# load LINE...: one warp, a lane for each line, and an addition that waits for them
load_lines() {
	stream 1 <<END
insn ld.global.u32 dst=1 bytes=4
insn op.f32 class=fadd dst=2 src=1
insn exit
warp
run 0 3 mask=$(((1 << $#) - 1))
mem global list $*
END
}

@test "warpsched: a dependent chain takes 10 cycles a link" {
	# issued at 0, in a collector at 1, operands read at 2, dispatched at 3, taken by the unit at 4, 4 cycles, two
	# latches: there at 10, where the next one issues
	for n in 1 2 10; do
		{ for ((i = 0; i < n; i++)); do echo "insn op.f32 class=fadd dst=1 src=1"; done
		  printf 'insn exit\nwarp\nrun 0 %d\n' $((n + 1)); } | stream 1
		is "$(cycles)" $((10 * n + 1))
	done
}

@test "warpsched: independent instructions take a cycle each" {
	for n in 1 2 20; do
		{ for ((i = 0; i < n; i++)); do echo "insn op.f32 class=fadd dst=$i src=99"; done
		  printf 'insn exit\nwarp\nrun 0 %d\n' $((n + 1)); } | stream 1
		is "$(cycles)" $((n + 10))
	done
}

@test "warpsched: warp instructions a cycle are no more than schedulers" {
	{ for ((i = 0; i < 100; i++)); do echo "insn op.f32 class=fadd dst=$i src=200"; done
	  echo "insn exit"; for w in 1 2 3 4; do printf 'warp\nrun 0 101\n'; done; } | stream 4
	# 404 instructions
	[ "$(cycles)" -ge 404 ]
	[ "$(cycles --set sm.schedulers=2)" -ge 202 ]
	[ "$(cycles --set sm.schedulers=2)" -lt 300 ]
}

@test "warpsched: a barrier lets no warp go before the last has come" {
	# W0's bar at 1. W1: 2, its second addition at 12, its bar at 13, exit at 14. W0 goes on at 15, 25, 35: there at 45
	stream 2 <<'END'
insn op.f32 class=fadd dst=1 src=1
insn op.f32 class=fadd dst=1 src=1
insn bar.sync
insn op.f32 class=fadd dst=2 src=2
insn op.f32 class=fadd dst=2 src=2
insn op.f32 class=fadd dst=2 src=2
insn exit
warp
run 0 1
run 2 5
warp
run 0 3
run 6 1
END
	is "$(cycles)" 46
	is "$(warpsched --tsv -m ./one.conf s.wcp | value warp_instructions)" 10
}

@test "warpsched: a shared load waits a cycle for each word more that one bank must give" {
	# issued at 0, at the unit's head at 3, there for as many cycles as its degree from 4 on, 1 cycle of latency, one
	# to the registers, 10 of the addition
	for degree in 1 2 4 8 16 32; do
		stream 1 <<END
insn ld.shared.u32 dst=1 bytes=4
insn op.f32 class=fadd dst=2 src=1
insn exit
warp
run 0 3
mem shared affine 0 $((4 * degree))
END
		is "$(cycles)" $((16 + degree))
		is "$(warpsched --tsv -m ./one.conf s.wcp | value ldst_shared)" $((degree - 1))
	done
}

@test "warpsched: one miss from end to end, each stage by its cycles" {
	load_lines $A
	# 0 issued, 1 collector, 2 dispatched (no operand), 3 at the unit's head, 4 sent into L1's pipeline of 1 cycle
	is "$(accepted l1)" "5 "
	# 6 from the miss queue through the port, 7 in the crossbar, 5 cycles of network less one: 11 at the slice, 120 to L2
	is "$(accepted l2)" "131 "
	# 100 to the controller
	is "$(accepted dram)" "231 "
	# tRCD 12, a second burst tCCD_L 3 later, tCL 12, 2 for its beats: 260. Filled at 261, collected at 262, reply sent at
	# 263, 264 in the crossbar, 268 its first of five flits at the SM, 272 its last: filled; 273 in the registers, where
	# the addition issues; 283 there
	is "$(cycles)" 284
	is "$(cycles --set l1.hit_latency=2)" 285
	is "$(cycles --set l2.hit_latency=130)" 294
	is "$(cycles --set memory.dram_latency=90)" 274
	is "$(cycles --set icnt.latency=6)" 286 # there and back
	is "$(cycles --set icnt.flit=136)" 280	# one flit
	is "$(cycles --set dram.tRCD=13)" 285
}

@test "warpsched: a second load of a line merges with the first; where the MSHR takes no more it waits for the fill and hits" {
	stream 2 <<END
insn ld.global.u32 dst=1 bytes=4
insn op.f32 class=fadd dst=2 src=1
insn exit
warp
run 0 3
mem global affine $A 4
warp
run 0 3
mem global affine $A 4
END
	# answers at 273 and 274; W0's addition at 273, its exit at 274, W1's addition at 275
	warpsched --tsv -m ./one.conf s.wcp >m
	is "$(value cycles <m)" 286
	is "$(value l1d_merges <m) $(value l1d_misses <m) $(value l2_accesses <m)" "1 1 1"
	# W1 is refused from 6 to 271 and hits at 272, before W0's answer is in its registers
	warpsched --tsv -m ./one.conf --set l1.mshr_merges=1 s.wcp >m
	is "$(value cycles <m)" 285
	is "$(value l1d_fail_mshr_merge <m) $(value l1d_hits <m)" "266 1"
}

TEX="class=texture space=texture kind=load bytes=4 memory"

# counters FILE NAME...: their values
counters() { for n in "${@:2}"; do printf '%s ' "$(value "l1t_$n" <"$1")"; done; }

@test "warpsched: a texture miss is a cycle sooner than one of L1D, which has a pipeline before it; a hit takes 5 cycles" {
	stream 1 <<END
insn tex.2d $TEX dst=1
insn op.f32 class=fadd dst=2 src=1
insn exit
warp
run 0 3 mask=1
mem texture list $A
END
	is "$(cycles)" 283
	# the second is issued when the first is in the registers, at 272: 3 cycles to the unit's head, looked up at 276; 277
	# in the registers, 11 cycles of addition
	stream 1 <<END
insn tex.2d $TEX dst=1
insn tex.2d $TEX dst=2 src=1
insn op.f32 class=fadd dst=3 src=2
insn exit
warp
run 0 4 mask=1
mem texture list $A
mem texture list $A
END
	warpsched --tsv -m ./one.conf s.wcp >m
	is "$(value cycles <m)" 288
	is "$(counters m accesses hits misses) $(value l2_accesses <m) $(value l1d_accesses <m)" "2 1 1  1 0"
}

@test "warpsched: texture misses merge four to a line; with all 24 ways of a set reserved one more waits for the first fill; LRU" {
	# the first fetch is sent at 4, the others at 5, 6 and 7; the fifth is refused from 8 to 270 and hits with the sixth
	# when the line is there, at 271
	{
		printf 'insn tex.2d %s dst=1\ninsn op.f32 class=fadd dst=2 src=1\ninsn exit\n' "$TEX"
		for i in {1..6}; do printf 'warp\nrun 0 3 mask=1\nmem texture list 0x%x\n' $A; done
	} | stream 6
	warpsched --tsv -m ./one.conf s.wcp >m
	is "$(counters m accesses misses merges hits fail_mshr_merge mshrs_peak)" "6 1 3 2 263 1 "
	# 25 lines of one set: the 25th is refused from 28 to 270, and takes the place of line 0. Then line 24 is there and 0,
	# which takes the place of 1, is not; then 1 takes that of 2, and 3 is there
	stream 1 <<END
insn tex.2d $TEX dst=1
insn tex.2d $TEX dst=2 src=1
insn tex.2d $TEX dst=3 src=2
insn exit
warp
run 0 1 mask=0x1ffffff
mem texture list $(at $(seq 0 512 12288))
run 1 1 mask=3
mem texture list $(at 12288 0)
run 2 2 mask=3
mem texture list $(at 512 1536)
END
	warpsched --tsv -m ./one.conf s.wcp >m
	is "$(counters m accesses misses merges hits fail_line mshrs_peak)" "29 27 0 2 243 24 "
	is "$(value l2_accesses <m) $(value ldst_coal <m) $(value ldst_line <m)" "27 26 243"
}

@test "warpsched: with one MSHR misses follow each other, 267 cycles from one to the next" {
	# three lines in three channels. From one look-up at 5 to the fill at 272; with enough MSHRs the replies alone are in
	# each other's way, 5 flits each
	load_lines $(at 0 256 512)
	is "$(cycles)" $((284 + 2 * 5))
	is "$(accepted l1)" "5 6 7 "
	is "$(cycles --set l1.mshr_entries=1)" $((284 + 2 * 267))
	is "$(accepted l1 --set l1.mshr_entries=1)" "5 272 539 "
	warpsched --tsv -m ./one.conf --set l1.mshr_entries=1 s.wcp >m
	is "$(value l1d_fail_mshr_entry <m)" $((2 * 266))
}

@test "warpsched: lines of six channels come as fast as their replies' flits" {
	load_lines $(at 0 256 512 768 1024 1280)
	is "$(cycles)" $((284 + 5 * 5))
	is "$(cycles --set icnt.flit=72)" $((281 + 5 * 2)) # two flits a reply
}

@test "warpsched: a fill that L1's port has no time for is offered again, one cycle for each of its widths" {
	# the fills of three lines, 5 cycles apart by their flits, 16 by a port of 8 bytes
	load_lines $(at 0 256 512)
	is "$(cycles --set l1.port=128)" $((284 + 2 * 5))
	is "$(cycles --set l1.port=8)" $((284 + 2 * 16))
}

@test "warpsched: lines of one row come as fast as DRAM gives them, two bursts tCCD_L apart each" {
	load_lines $(at 0 128 3072 3200 6144 6272 9216 9344)
	is "$(cycles)" $((284 + 7 * 6))
	is "$(cycles --set dram.tCCD_L=4)" $((285 + 7 * 8))
}

@test "warpsched: CIAO Fig. 3a, two warps take a set from each other: D0 and D4 miss at a, b, e and f" {
	stream 2 <<END
insn ld.global.u32 dst=1 bytes=4
insn ld.global.u32 dst=1 src=1 bytes=4
insn ld.global.u32 dst=1 src=1 bytes=4
insn exit
warp
run 0 4
mem global affine $A 4
mem global affine $(at 128) 4
mem global affine $A 4
warp
run 0 4
mem global affine $(at 512) 4
mem global affine $(at 128) 4
mem global affine $(at 512) 4
END
	small=(--set l1.size=512 --set l1.ways=1 --set l1.index=modulo)
	warpsched -q -m ./one.conf "${small[@]}" -p ciao-t -o t.wcp s.wcp
	got=$(warpdump t.wcp | sed -nE 's/.* warp ([01]) .* global 0x20000000*([0-9a-f]{3}) .* l1:([a-z]*).*/W\1 \2 \3/p' | tr '\n' ',')
	is "$got" "W0 000 miss,W1 200 miss,W0 080 miss,W0 000 miss,W1 080 hit,W1 200 miss,"
	is "$(warpsched --tsv -m ./one.conf "${small[@]}" -p ciao-t s.wcp | value vta_hits)" 2
	# in two ways both stay
	is "$(warpsched --tsv -m ./one.conf --set l1.size=1024 --set l1.ways=2 --set l1.index=modulo -p ciao-t s.wcp | value vta_hits)" 0
}

@test "warpsched: CIAO sec. IV-B, a line migrates in two cycles, and hits after L1's and shared memory's latency" {
	cat >moves.c <<'END'
#include "warpcap/policy.h"
static unsigned
pick(void *state, struct wcp_policy_sm *sm, unsigned scheduler, uint64_t ready)
{
	(void)state, (void)sm, (void)scheduler;
	return (unsigned)__builtin_ctzll(ready);
}
static unsigned
route(void *state, struct wcp_policy_sm *sm, const struct wcp_policy_access *a)
{
	(void)state, (void)sm;
	return a->pc == 0 || a->pc == 3 ? WCP_NB_LOOKUP : WCP_NB_REDIRECT;
}
const struct wcp_policy warpcap_policy = {.version = WCP_POLICY_VERSION, .name = "moves", .summary = "", .source = "",
    .shared_cache = true, .pick = pick, .route = route};
END
	cc -shared -fPIC -I"$ROOT/libtrace/include" -o moves.so moves.c
	stream 1 <<END
insn ld.global.u32 dst=1 bytes=4
insn ld.global.u32 dst=1 src=1 bytes=4
insn ld.global.u32 dst=1 src=1 bytes=4
insn ld.global.u32 dst=1 src=1 bytes=4
insn op.f32 class=fadd dst=2 src=1
insn exit
warp
run 0 6
mem global affine $A 4
mem global affine $A 4
mem global affine $A 4
mem global affine $A 4
END
	# 273 the first line is there. 279 looked up: it leaves L1D; 280 it is filled from the response queue, 281 in the
	# registers. 287 looked up, a hit of shared memory, 288 there. 294 not redirected, but it is there that the line is:
	# 295, 305
	warpsched --tsv -m ./one.conf -p ./moves.so s.wcp >m
	is "$(value cycles <m)" 306
	is "$(value smem_migrations <m) $(value smem_hits <m) $(value smem_misses <m)" "1 2 0"
	is "$(value l2_accesses <m) $(value double_copies <m)" "1 0"
	is "$(accepted l1 -p ./moves.so)" "5 279 287 294 "
	is "$(cycles -p ./moves.so --set sm.shared_latency=3)" 310
}

@test "warpsched: OAWS Fig. 1, of 4 MSHRs two are taken: a coherent load passes, of a divergent one F and G wait for A and B" {
	load4="insn ld.global.u32 dst=1 bytes=4
insn op.f32 class=fadd dst=2 src=1
insn exit
warp
run 0 3 mask=1
mem global list $A
warp
run 0 3 mask=1
mem global list $(at 256)
warp"
	stream 3 <<<"$load4
run 0 3 mask=1
mem global list $(at 512)"
	is "$(accepted l1 --set l1.mshr_entries=4)" "5 6 7 "
	is "$(warpsched --tsv -m ./one.conf --set l1.mshr_entries=4 s.wcp | value l1d_fail_mshr_entry)" 0
	stream 3 <<<"$load4
run 0 3 mask=0xf
mem global list $(at 512 768 1024 1280)"
	# A's reply is there at 272, B's five flits later
	is "$(accepted l1 --set l1.mshr_entries=4)" "5 6 7 8 272 277 "
	warpsched --tsv -m ./one.conf --set l1.mshr_entries=4 s.wcp >m
	is "$(value l1d_fail_mshr_entry <m)" $((272 - 9 + 277 - 273))
	# G at 544, its answer at 545, the addition's result at 555
	is "$(value cycles <m)" 556
}

@test "warpsched: OAWS Fig. 5, of 8 MSHRs GTO gives B two, B occludes C, and nothing issues between A's end and B's begin" {
	line() { local i; for i; do at $((256 * (i % 6) + 1536 * (i / 6 % 2) + 49152 * (i / 12))); done; }
	stream 3 <<END
insn ld.global.u32 dst=1 bytes=4
insn op.f32 class=fadd dst=1 src=1
insn op.f32 class=fadd dst=1 src=1
insn op.f32 class=fadd dst=1 src=1
insn exit
warp
run 0 5 mask=0x3f
mem global list $(line 0 1 2 3 4 5)
warp
run 0 5 mask=0x3f
mem global list $(line 6 7 8 9 10 11)
warp
run 0 5 mask=0x3
mem global list $(line 12 13)
END
	# A, from T0; B, two at T2 and four as A's replies come from T3 on; C, behind B
	is "$(accepted l1 --set l1.mshr_entries=8)" "5 6 7 8 9 10 11 12 272 277 282 287 292 297 "
	# T5 303, as a line of B's comes before A's last: A's additions at 303, 313, 323, there at T6 333. B's last line is there
	# at 287 + 267: T7 555, 565, 575, exit 576; C's at T8 566, 577, 587, there at 597
	warpsched --tsv -m ./one.conf --set l1.mshr_entries=8 s.wcp >m
	is "$(value cycles <m)" 598
	warpsched -q -m ./one.conf --set l1.mshr_entries=8 --series i --interval 1 s.wcp
	is "$(awk -F'\t' 'NR == 1 { for (c = 1; c <= NF; c++) at[$c] = c; next }
		$at["warp_instructions"] { printf "%d ", $at["cycle"] }' i)" "0 1 2 303 313 323 324 555 565 566 575 576 577 587 588 "
	# with as many as there are requests nobody waits for MSHRs
	is "$(warpsched --tsv -m ./one.conf --set l1.mshr_entries=14 s.wcp | value l1d_fail_mshr_entry)" 0
	[ "$(cycles --set l1.mshr_entries=14)" -lt 400 ]
}
