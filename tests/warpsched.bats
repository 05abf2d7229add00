load helper

setup() { cd "$BATS_TEST_TMPDIR"; }

# value NAME: from a report as tab-separated values on standard input
value() { awk -F'\t' -v n="$1" '$1 == n { print $2; exit }'; }

calib() { # CASE: records it
	local ptx
	ptx=$(awk -v c="$1" '$1 == c { print $2 }' "$T/calib/expected.tsv")
	(cd "$T/calib" && warpcap --ptx "$ptx" --launch "$1.launch" -o "$BATS_TEST_TMPDIR/$1.wcp")
}

@test "warpsched: every policy retires every instruction and answers every access" {
	warpcap -w spmv -D N=2000 -o s.wcp
	want=$(warpinfo --tsv s.wcp | value warp_instructions)
	for p in lrr gto oldest two-level swl swl:n=1 two-level:active=2 ccws ciao-t ciao-t:high=0:high_epoch=20; do
		run -0 --separate-stderr warpsched --tsv -p "$p" s.wcp
		[ "$(value warp_instructions <<<"$output")" = "$want" ]
		[ "$(value slots_issued <<<"$output")" = "$want" ]
	done
}

@test "warpsched: every GPU among the presets replays the whole stream; a latency that L1's shift line has no place for is refused" {
	warpcap -w gesummv -D N=128 -o g.wcp
	want=$(warpinfo --tsv g.wcp | value warp_instructions)
	for m in gpgpusim-gtx480 gtx480 gtx480-cap gtx480-8way gtx480-2x gtx480-dwt oaws k20-dp k20-laser; do
		run -0 --separate-stderr warpsched --tsv -m "$m" g.wcp
		[ "$(value warp_instructions <<<"$output")" = "$want" ]
	done
	run -2 --separate-stderr warpsched --set l1.hit_latency=65 g.wcp
	[[ $stderr == *"l1.hit_latency = 65"* ]]
}

@test "warpsched: swl without a limit is gto" {
	warpcap -w gesummv -D N=128 -o g.wcp
	warpsched --tsv -p gto g.wcp | grep -v ^policy >gto
	warpsched --tsv -p swl:n=64 g.wcp | grep -v ^policy >swl
	diff gto swl
}

# within A B PERCENT: are they?
within() { awk -v a="$1" -v b="$2" -v p="$3" 'BEGIN { d = a - b; exit !(d * d <= b * b * p * p / 10000) }'; }

@test "warpsched: the calibration kernels take the cycles of another simulator within 5 %, with its accesses and misses" {
	while IFS=$'\t' read -r name l2 cycles l1d_acc l1d_miss l2_acc _; do
		[ -e "$name.wcp" ] || calib "$name"
		warpsched --tsv -m gpgpusim-gtx480 --set memory.preload="$([ "$l2" = cold ] && echo no || echo yes)" \
		    "$name.wcp" >r.tsv
		misses=$(($(value l1d_misses <r.tsv) + $(value l1d_forwarded <r.tsv)))
		within "$(value cycles <r.tsv)" "$cycles" 5 &&
		    [ "$(value l1d_accesses <r.tsv)" = "$l1d_acc" ] &&
		    within "$misses" "$l1d_miss" 3 &&
		    within "$(value l2_accesses <r.tsv)" "$l2_acc" $((l2_acc > 1000 ? 5 : 50)) ||
		    { echo "$name $l2:" && cat r.tsv && false; }
	done < <(tail -n +2 "$T/calib/timing.tsv")
}

@test "warpsched: ciao-t with infinite cutoffs, and ccws that nothing throttles, are gto" {
	warpcap -w gesummv -D N=128 -o g.wcp
	plain() { warpsched --tsv -p "$1" g.wcp | grep -vE '^(policy|vta_hits)'; }
	plain gto >gto
	diff gto <(plain ciao-t:high=1e9)
	diff gto <(plain ccws:k=0)
}

@test "warpsched: on a kernel whose warps evict each other's lines, ccws and ciao-t save misses and cycles" {
	calib row_per_thread_256
	for p in ccws ciao-t; do
		warpsched --tsv -p gto row_per_thread_256.wcp >gto
		warpsched --tsv -p "$p" row_per_thread_256.wcp >other
		[ "$(value l1d_misses <other)" -lt "$(value l1d_misses <gto)" ]
		[ "$(value cycles <other)" -lt "$(value cycles <gto)" ]
		[ "$(value vta_hits <other)" -gt 0 ]
	done
}

@test "warpsched: barriers are passed however few warps a policy lets go" {
	warpcap -w reduction -D N=20000 -o r.wcp
	want=$(warpinfo --tsv r.wcp | value warp_instructions)
	for p in gto swl:n=1 two-level:active=1 ciao-t:high=0:low=0:high_epoch=10; do
		run -0 --separate-stderr warpsched --tsv -p "$p" r.wcp
		[ "$(value warp_instructions <<<"$output")" = "$want" ]
	done
}

@test "warpsched: a policy from a shared object chooses warps and routes accesses; one of another version is refused" {
	cat >mine.c <<'END'
#include "warpcap/nbcache.h"
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
	return a->kind == WCP_LOAD ? WCP_NB_AROUND : WCP_NB_LOOKUP;
}
const struct wcp_policy warpcap_policy = {
    .version = VERSION, .name = "around", .summary = "no L1", .source = "none", .pick = pick, .route = route};
END
	cc -shared -fPIC -I"$ROOT/libtrace/include" -DVERSION=WCP_POLICY_VERSION -o mine.so mine.c
	cc -shared -fPIC -I"$ROOT/libtrace/include" -DVERSION=99 -o other.so mine.c
	warpcap -w gesummv -D N=128 -o g.wcp
	run -0 --separate-stderr warpsched --tsv -p ./mine.so g.wcp
	[ "$(value warp_instructions <<<"$output")" = "$(warpinfo --tsv g.wcp | value warp_instructions)" ]
	[ "$(value l1d_hits <<<"$output")" = 0 ]
	[ "$(value l1d_bypassed <<<"$output")" -gt 0 ]
	run -2 --separate-stderr warpsched -p ./other.so g.wcp
	[[ $stderr == *"version 99"* ]]
	run -2 --separate-stderr warpsched -p ./none.so g.wcp
}

@test "warpsched: unknown policies, parameters and machines are refused" {
	run -2 --separate-stderr warpsched -p nonesuch x.wcp
	[[ $stderr == *"there is no policy 'nonesuch'"* ]]
	run -2 --separate-stderr warpsched -p gto:n=3 x.wcp
	[[ $stderr == *"policy gto has no parameter 'n'"* ]]
	run -2 --separate-stderr warpsched -p swl:n=0 x.wcp
	run -2 --separate-stderr warpsched -m nonesuch x.wcp
}

@test "warpsched: an ACCESS stream is refused, a truncated one is replayed as far as it goes" {
	warpcap -w gesummv -D N=128 -o g.wcp
	warpflat g.wcp -o a.wcp
	run -3 --separate-stderr warpsched a.wcp
	head -c $(($(stat -c %s g.wcp) / 2)) g.wcp >half.wcp
	run -3 --separate-stderr warpsched half.wcp
	[[ $stderr == *truncated* ]]
}

@test "warpsched: a kernel that fits no SM is named" {
	warpcap -w gesummv -D N=128 -o g.wcp
	run -1 --separate-stderr warpsched --set sm.registers=64 g.wcp
	[[ $stderr == *"fits no SM"* ]]
}
