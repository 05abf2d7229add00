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
	for p in lrr gto oldest two-level swl swl:n=1 two-level:active=2 ccws statpcal:n=2 statpcal:n=1:looks=1:period=10 ciao-t ciao-t:high=0:high_epoch=20; do
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
	run -0 --separate-stderr warpsched -v -m k20-laser g.wcp
	grep -qE '^sm.shared +32768 +B +Tang Table 3.1' <<<"$output"
	grep -qE '^icnt.flit +32 +B +GPGPU-Sim 3.2.2' <<<"$output"
	run -2 --separate-stderr warpsched --set l1.hit_latency=65 g.wcp
	[[ $stderr == *"l1.hit_latency = 65"* ]]
}

@test "warpsched: swl without a limit is gto" {
	warpcap -w gesummv -D N=128 -o g.wcp
	warpsched --tsv -p gto g.wcp | grep -v ^policy >gto
	warpsched --tsv -p swl g.wcp | grep -v ^policy >swl
	diff gto swl
}

@test "warpsched: statpcal with a token for every warp is gto; where bandwidth is never left it is swl" {
	calib row_per_thread_256
	replay() { warpsched --tsv -m gtx480 -p "$1" row_per_thread_256.wcp | grep -v ^policy; }
	replay gto >gto
	replay swl:n=2 >swl
	diff gto <(replay statpcal:n=64)
	diff swl <(replay statpcal:n=2:busy=0)
	replay statpcal:n=2 >some
	[ "$(value l1d_bypassed <some)" -gt 0 ]
	[ "$(value cycles <some)" -lt "$(value cycles <swl)" ]
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
	for p in gto swl:n=1 statpcal:n=1:busy=0 two-level:active=1 ciao-t:high=0:low=0:high_epoch=10; do
		run -0 --separate-stderr warpsched --tsv -p "$p" r.wcp
		[ "$(value warp_instructions <<<"$output")" = "$want" ]
		[[ $p == ciao* ]] || [ "$(value releases <<<"$output")" = 0 ]
	done
}

@test "warpsched: two-level with a place for every warp is lrr" {
	warpcap -w reduction -D N=20000 -o r.wcp
	diff <(warpsched --tsv -p lrr r.wcp | grep -v ^policy) <(warpsched --tsv -p two-level:active=64 r.wcp | grep -v ^policy)
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

# cell TABLE COLUMN KEY...: of a TSV report on standard input, the row whose first cells are the keys
cell() {
	local table=$1 column=$2
	shift 2
	awk -F'\t' -v t="#table $table" -v c="$column" -v keys="$*" '
		BEGIN { n = split(keys, key, " ") }
		/^#table/ { in_table = $0 == t; header = 1; next }
		!in_table || !NF { next }
		header { for (i = 1; i <= NF; i++) if ($i == c) at = i; header = 0; next }
		{ for (i = 1; i <= n; i++) if ($i != key[i]) next; print $at; exit }'
}

@test "warpsched: several policies, inputs and a sweep make one comparison, the same for any -j and from a pipe" {
	warpcap -w gesummv -D N=128 -o g.wcp
	warpcap -w spmv -D N=500 -o s.wcp
	warpsched --tsv -p lrr,gto --sweep swl:n=1..9..4 g.wcp s.wcp >one
	warpsched --tsv -j 4 -p lrr,gto --sweep swl:n=1..9..4 g.wcp s.wcp >four
	diff one four
	for p in gto swl:n=5; do
		warpsched --tsv -p "$p" s.wcp >single
		[ "$(value cycles <single)" = "$( (cell sweep cycles s.wcp "swl:n=best" 5 && cell comparison cycles s.wcp gto) <one | grep -x "$(value cycles <single)" | head -n 1)" ]
	done
	warpsched --tsv -p lrr,gto g.wcp | sed 's/g.wcp/standard input/' >file
	cat g.wcp | warpsched --tsv -p lrr,gto >pipe
	diff file pipe
	warpsched --json -p lrr,gto --sweep swl:n=1..2 g.wcp | python3 -m json.tool >/dev/null
}

@test "warpsched: a comparison is relative to the first policy, its means are those of the ratios, the best of a sweep has the highest IPC" {
	warpcap -w gesummv -D N=128 -o g.wcp
	warpcap -w atax -D N=64 -o a.wcp
	warpsched --tsv -p lrr,swl:n=1 --sweep swl:n=1..4 g.wcp a.wcp >r
	[ "$(cell comparison relative g.wcp lrr <r)" = 1 ]
	awk -v a="$(cell comparison cycles g.wcp lrr <r)" -v b="$(cell comparison cycles g.wcp swl:n=1 <r)" \
	    -v c="$(cell comparison cycles a.wcp lrr <r)" -v d="$(cell comparison cycles a.wcp swl:n=1 <r)" \
	    -v g="$(cell means geometric swl:n=1 <r)" -v h="$(cell means harmonic swl:n=1 <r)" 'BEGIN {
		x = sqrt(a / b * c / d) - g; y = 2 / (b / a + d / c) - h
		exit !(x * x < 1e-12 && y * y < 1e-12) }'
	best=$(awk -F'\t' '/^#table/ { t = $2 } $2 == "swl:n=best" && NF == 7 && $1 == "g.wcp" && (!m || $4 < m) { m = $4 } END { print m }' r)
	[ "$(cell comparison cycles g.wcp swl:n=best <r)" = "$best" ]
	[ "$(grep "swl:n=best" r | grep -c "	best$")" = 2 ]
}

@test "warpsched: sweeps that cannot be are refused" {
	for s in swl swl:n=3 swl:n=5..1 swl:n=1.. swl:n=1..2..0 swl:n=1..9..x swl:n=1..2x swl:m=1..2 none:n=1..2 swl:n=0..3 \
	    ciao-t:high=0..1:low=0..1 swl:n=1..1e9; do
		run -2 --separate-stderr warpsched --sweep "$s" x.wcp
		[ "${#stderr_lines[@]}" = 1 ]
	done
}

@test "warpsched: of several inputs the whole ones are reported, the broken one is named once" {
	warpcap -w gesummv -D N=128 -o g.wcp
	echo nothing >bad.wcp
	run -3 --separate-stderr warpsched --tsv -p lrr,gto bad.wcp g.wcp
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == *"bad.wcp: not a warpcap stream"* ]]
	[ "$(cell means inputs gto <<<"$output")" = 1 ]
	run -2 --separate-stderr warpsched - - <g.wcp
	[[ $stderr == *"given twice"* ]]
}
