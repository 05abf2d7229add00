load helper

steps=$B/tests/ciao_steps

# value NAME: from a report as tab-separated values on standard input
value() { awk -F'\t' -v n="$1" '$1 == n { print $2; exit }'; }

calib() { # CASE: records it
	local ptx
	ptx=$(awk -v c="$1" '$1 == c { print $2 }' "$T/calib/expected.tsv")
	(cd "$T/calib" && warpcap --ptx "$ptx" --launch "$1.launch" -o "$BATS_TEST_TMPDIR/$1.wcp")
}

# plain POLICY FILE [OPTION...]: what was counted, without what only some policies count
plain() { warpsched --tsv -m gtx480 -p "$@" | grep -vE '^(policy|vta_hits|smem_|double_copies|#)'; }

@test "warpsched: CIAO Fig. 4c, the interferer's counter goes 11, 10, 11, and at 00 another takes the place" {
	run -0 "$steps" fig4c
	diff - <(echo "$output") <<'END'
stored: W32 00
1: W32 11
2: W32 10
3: W32 11
down: W32 00
replaced: W42 00
END
}

@test "warpsched: CIAO Fig. 6, W1 is isolated for W0 and stalled for W3, and comes back in steps" {
	run -0 "$steps" fig6
	diff - <(echo "$output") <<'END'
begin: W1 V=1 I=0 [-1 -1]
isolated: W1 V=1 I=1 [W0 -1]
stalled: W1 V=0 I=1 [W0 W3]
at 950: W1 V=0 I=1 [W0 W3]
at 960: W1 V=1 I=1 [W0 -1]
at 5110: W1 V=1 I=1 [W0 -1]
at 5120: W1 V=1 I=0 [-1 -1]
END
}

@test "warpsched: CIAO Algorithm 1, what each of the three policies does to a warp that disturbs another" {
	run -0 "$steps" algorithm
	diff - <(echo "$output") <<'END'
ciao-p: W2 V=1 I=0 [-1 -1]
  one epoch: W2 V=1 I=1 [W0 -1]
  by itself: W1 V=1 I=0 [-1 -1]
  two epochs: W2 V=1 I=1 [W0 -1]
  W0 has ended: W2 V=1 I=0 [-1 -1]
  later: W2 V=1 I=0 [-1 -1]
ciao-t: W2 V=1 I=0 [-1 -1]
  one epoch: W2 V=0 I=0 [-1 W0]
  by itself: W1 V=1 I=0 [-1 -1]
  two epochs: W2 V=0 I=0 [-1 W0]
  W0 has ended: W2 V=1 I=0 [-1 -1]
  later: W2 V=1 I=0 [-1 -1]
ciao-c: W2 V=1 I=0 [-1 -1]
  one epoch: W2 V=1 I=1 [W0 -1]
  by itself: W1 V=1 I=0 [-1 -1]
  two epochs: W2 V=0 I=1 [W0 W0]
  W0 has ended: W2 V=1 I=1 [-1 -1]
  later: W2 V=1 I=0 [-1 -1]
END
}

@test "warpsched: CIAO sec. III-C, of two stalled warps the last stalled goes on first, and may keep the other stalled" {
	run -0 "$steps" order
	diff - <(echo "$output") <<'END'
at 100: W2 V=0 I=0 [-1 W0]
at 200: W3 V=0 I=0 [-1 W1]
at 800: W2 V=0 I=0 [-1 W0]
at 800: W3 V=0 I=0 [-1 W1]
at 850: W2 V=0 I=0 [-1 W0]
at 850: W3 V=1 I=0 [-1 -1]
at 950: W2 V=0 I=0 [-1 W0]
at 1000: W2 V=1 I=0 [-1 -1]
END
}

@test "warpsched: CIAO sec. III-C, what two warps say of a third at the end of one epoch isolates it, and does not stall it" {
	run -0 "$steps" both
	[ "${lines[0]}" = "one epoch: W2 V=1 I=1 [W0 -1]" ]
	[ "${lines[1]}" = "two epochs: W2 V=0 I=1 [W0 W1]" ]
}

@test "warpsched: CIAO's window is the kernel or the epoch; a slot that is used again begins active" {
	run -0 "$steps" epoch
	[ "${lines[1]}" = "by kernel: W2 V=0 I=0 [-1 W0]" ]
	[ "${lines[3]}" = "by epoch: W2 V=1 I=0 [-1 -1]" ]
	run -0 "$steps" slots
	[ "${lines[1]}" = "another: W2 V=1 I=0 [-1 -1]" ]
	[ "${lines[2]}" = "W0's list: W2 11" ]
	[ "${lines[3]}" = "an epoch later: W2 V=1 I=1 [W0 -1]" ]
}

@test "warpsched: lrr, gto and oldest choose as they are described; a slot that is used again is another warp" {
	run -0 "$B/tests/policies" order
	diff - <(echo "$output") <<'END'
lrr
8000000000000031: 0 4 5 63 0
8000000000000020: 5 63
8000000000000031: 0
31: 4 5
31: 0 4
gto
8000000000000031: 0 0 0 0 0
8000000000000020: 63 63
8000000000000031: 63
31: 0 0
31: 4 4
oldest
8000000000000031: 0 0 0 0 0
8000000000000020: 63 63
8000000000000031: 0
31: 0 0
31: 4 4
END
}

@test "warpsched: two-level exchanges its set when nobody in it is ready, and fills places that are free" {
	run -0 "$B/tests/policies" two-level
	diff - <(echo "$output") <<'END'
3f: 0 1 0
3e: 1 1
3c: 2 3 2
3f: 3 2
31: 4 5 4
1f: 0 4 0
3f: 4 0
END
}

@test "warpsched: swl lets the oldest go on that do not wait at a barrier" {
	run -0 "$B/tests/policies" swl
	diff - <(echo "$output") <<'END'
stalled: 2 3 4
0 at a barrier: 3 4
0 to 2 at a barrier:
passed: 2 3 4
1 is another, the youngest: 1 3 4
of each scheduler: 4 5 6
END
}

@test "warpsched: statpcal looks at the bandwidth of the last period, and loads without a token go around L1D" {
	run -0 "$B/tests/policies" statpcal
	diff - <(echo "$output") <<'END'
begin: 2 3
half used:
0 at a barrier: 0 0, 3 2, its local loads 1, its stores 0
DRAM used: 2 3
L2 used: 2 3
neither:
2 tokens: 0 0, 3 2, its local loads 1, its stores 0
may look: 0 0, 3 1, its local loads 1, its stores 0
period 1: 2 3
then:
END
}

@test "warpsched: MICRO 2012 sec. 3, lost locality cuts ccws's warps off, and they come back as scores fall" {
	run -0 "$B/tests/policies" ccws
	diff - <(echo "$output") <<'END'
base, cycle 0:
240, cycle 0: 1 3
243 and 240, cycle 0: 0 1 2
still 323, cycle 80: 0 1
100 more fit after 92 cycles, looked at after 96, cycle 95: 0 1
now, cycle 96: 1
all fit after 142, looked at after 144, cycle 143: 1
now, cycle 144:
one has more than all, cycle 160: 0 2 3
it has ended, cycle 160:
another begins, cycle 160:
wake 0
END
}

@test "warpsched: CIAO with infinite cutoffs is gto" {
	calib row_per_thread_256
	plain gto row_per_thread_256.wcp >gto
	for p in ciao-p ciao-t ciao-c; do
		diff gto <(plain "$p:high=1e9" row_per_thread_256.wcp)
	done
}

@test "warpsched: no line is in L1D and in shared memory at once, whatever is redirected; every instruction retires" {
	calib row_per_thread_256
	warpcap -q -w gesummv -D N=64 -o g.wcp
	warpcap -q -w reduction -D N=5000 -o r.wcp
	for f in row_per_thread_256 g r; do
		want=$(warpinfo --tsv $f.wcp | value warp_instructions)
		for o in l1.port=32 l1.write=evict "l1.allocate=fill --set l1.mshr_entries=2"; do
			warpsched --tsv -m gtx480 --set $o -p ciao-c:high=0:low=0:high_epoch=50:low_epoch=10 $f.wcp >c
			[ "$(value warp_instructions <c)" = "$want" ]
			[ "$(value double_copies <c)" = 0 ]
		done
	done
	warpsched --tsv -m gtx480 -p ciao-p:high=0:low=0:high_epoch=50 row_per_thread_256.wcp >p
	[ "$(value smem_hits <p)" -gt 100 ]
	[ "$(value smem_migrations <p)" -gt 0 ]
	[ "$(value smem_evictions <p)" -gt 0 ]
	[ "$(value double_copies <p)" = 0 ]
}

@test "warpsched: where CTAs leave no shared memory ciao-p is gto, and with ciao-c warps are only stalled" {
	calib row_per_thread_256
	small="--set sm.shared=128"
	plain gto row_per_thread_256.wcp $small >gto
	diff gto <(plain ciao-p:high=0:high_epoch=50 row_per_thread_256.wcp $small)
	warpsched --tsv -m gtx480 $small -p ciao-c:high=0:high_epoch=50 row_per_thread_256.wcp >c
	[ "$(value smem_hits <c)" = 0 ]
	[ "$(value slots_throttled <c)" -gt 0 ]
}

@test "warpsched: CIAO sec. V-F, --cost gives the storage that the paper names" {
	run -0 --separate-stderr warpsched --cost --tsv -m gtx480 -p ciao-c,ccws
	# 8 tags of 25 + 6 bits a warp, half of CCWS's; 48 counters of 32 bits; lists of 64 entries of 6 + 2 and
	# 6 + 6 bits; 64 bytes for the MSHRs
	grep -qxF $'ciao-c\tvictim tags\t384\t31\t11904\t1488' <<<"$output"
	grep -qxF $'ccws\tvictim tags\t768\t25\t19200\t2400' <<<"$output"
	grep -qxF $'ciao-c\tVTA-hit counters\t48\t32\t1536\t192' <<<"$output"
	grep -qxF $'ciao-c\tinterference list\t64\t8\t512\t64' <<<"$output"
	grep -qxF $'ciao-c\tpair list\t64\t12\t768\t96' <<<"$output"
	grep -qxF $'ciao-c\tMSHR shared addresses\t32\t16\t512\t64' <<<"$output"
	for p in lrr gto oldest two-level swl statpcal ciao-p ciao-t; do
		run -0 --separate-stderr warpsched --cost -p $p
	done
}

@test "warpsched: the example of warpcap-policy(7) compiles against the headers alone, takes parameters, bypasses and retires all" {
	[ "$(wc -l <"$ROOT/share/policy/streamers.c")" -lt 100 ]
	cc -std=c17 -Wall -Wextra -Werror -shared -fPIC -I"$ROOT/libtrace/include" -o streamers.so "$ROOT/share/policy/streamers.c"
	calib row_per_thread_256
	want=$(warpinfo --tsv row_per_thread_256.wcp | value warp_instructions)
	warpsched --tsv -m gtx480 -p ./streamers.so row_per_thread_256.wcp >r
	[ "$(value warp_instructions <r)" = "$want" ]
	[ "$(value l1d_bypassed <r)" -gt 0 ]
	warpsched --tsv -m gtx480 -p ./streamers.so:share=0 row_per_thread_256.wcp >r
	[ "$(value l1d_bypassed <r)" = 0 ]
	run -2 --separate-stderr warpsched -p ./streamers.so:share=2 row_per_thread_256.wcp
	run -0 --separate-stderr warpsched -p ./streamers.so:help
	[ "${lines[0]}" = "streamers   warps that hardly hit in L1D go around it, oldest first" ]
	[ "${lines[2]}" = "              share=0.05  of loads that must hit for a warp to stay, 0 to 1" ]
	run -2 --separate-stderr warpsched -p ./streamers.so:n=2 row_per_thread_256.wcp
	[[ $stderr == *"policy streamers has no parameter 'n'; -p ./streamers.so:help lists them"* ]]
	run -2 --separate-stderr warpsched -p streamers.so row_per_thread_256.wcp
	[[ $stderr == *"a file is named with a slash: ./streamers.so"* ]]
	run -0 --separate-stderr warpsched --cost -p ./streamers.so
	[[ $output == *"streamers does not say what it costs"* ]]
}

@test "warpsched: a policy of another version, without a table or without pick is refused by a line that says so" {
	printf '#include "warpcap/policy.h"\nconst struct wcp_policy warpcap_policy = {TABLE};\n' >p.c
	object() { cc -shared -fPIC -I"$ROOT/libtrace/include" "-DTABLE=$1" -o p.so "${2:-p.c}"; }
	object '.version = WCP_POLICY_VERSION - 1, .name = "p"'
	run -2 --separate-stderr warpsched -p ./p.so x.wcp
	[ "$stderr" = "warpsched: ./p.so: it was built for version 2 of the policy interface, this is version 3" ]
	object '.version = WCP_POLICY_VERSION, .name = "p"'
	run -2 --separate-stderr warpsched -p ./p.so x.wcp
	[ "$stderr" = "warpsched: ./p.so: its policy has no name or no pick" ]
	echo 'int nothing;' >n.c
	object '' n.c
	run -2 --separate-stderr warpsched -p ./p.so x.wcp
	[ "$stderr" = "warpsched: ./p.so: it defines no warpcap_policy" ]
	run -2 --separate-stderr warpsched -p ./none.so x.wcp
	[[ $stderr == "warpsched: "*none.so* ]]
}

# own NAME POLICY: builds it; POLICY is what its table has beside version and name
own() {
	printf '#include "warpcap/policy.h"\n%s\nconst struct wcp_policy warpcap_policy = {.version = WCP_POLICY_VERSION, .name = "%s", %s};\n' \
	    "$3" "$1" "$2" >"$1.c"
	cc -std=c17 -shared -fPIC -I"$ROOT/libtrace/include" -o "$1.so" "$1.c"
}

@test "warpsched: a policy that chooses who is not ready, or holds again whom the machine let go, ends the run with a line that says so" {
	warpcap -q -w vectoradd -D N=1000 -o v.wcp
	lowest='static unsigned pick(void *state, struct wcp_policy_sm *sm, unsigned scheduler, uint64_t ready) {
		return (unsigned)__builtin_ctzll(ready); }'
	for n in 9 64 1000; do
		own wrong ".pick = pick" "${lowest/(unsigned)__builtin_ctzll(ready)/$n}"
		run -1 --separate-stderr warpsched -q -p ./wrong.so v.wcp
		[[ $stderr == "warpsched: policy wrong chose slot $n of SM 0 at cycle "*", which was not ready" ]]
	done
	own holds ".pick = pick, .warp_begin = hold, .released = hold" "$lowest
		static void hold(void *state, struct wcp_policy_sm *sm, unsigned slot) { sm->stalled = ~0ull; }"
	run -1 --separate-stderr warpsched -q -p ./holds.so v.wcp
	[[ $stderr == "warpsched: policy holds holds all warps of SM "*" back at cycle "*", and those again that are let go" ]]
	# the other run is not lost
	run -1 --separate-stderr warpsched -q --tsv -p gto,./wrong.so v.wcp
	grep -q $'^cycles\t' <<<"$output"
}

@test "warpsched: a policy with more parameters than the interface has is refused" {
	many=$(for i in $(seq 17); do printf '{"k%d", "", 0, 0, 1}, ' "$i"; done)
	own many ".pick = pick, .parameter = many" "static unsigned pick(void *state, struct wcp_policy_sm *sm, unsigned scheduler, uint64_t ready) {
		return WCP_NO_SLOT; }
		static const struct wcp_policy_parameter many[] = {$many{0}};"
	run -2 --separate-stderr warpsched -p ./many.so x.wcp
	[ "$stderr" = "warpsched: ./many.so: its policy has more than 16 parameters" ]
}

@test "warpsched: the least policy of warpcap-policy(7) compiles as it stands there, and runs" {
	sed -n '/^#include/,/^};/p' "$ROOT/man/warpcap-policy.7" >highest.c
	cc -std=c17 -Wall -Werror -shared -fPIC -I"$ROOT/libtrace/include" -o highest.so highest.c
	warpcap -q -w vectoradd -D N=1000 -o v.wcp
	run -0 --separate-stderr warpsched -q --tsv -p ./highest.so v.wcp
	[ "$(value warp_instructions <<<"$output")" = "$(warpinfo --tsv v.wcp | value warp_instructions)" ]
	run -0 --separate-stderr warpsched -p ./highest.so:help
	[ "$output" = "highest     the ready warp in the highest slot" ]
}

@test "warpsched: --cost takes no more rows from a policy than it has written; one that waits for a time with nothing in flight is a deadlock" {
	warpcap -q -w vectoradd -D N=1000 -o v.wcp
	own late ".pick = pick, .cost = cost" "static unsigned pick(void *state, struct wcp_policy_sm *sm, unsigned scheduler, uint64_t ready) {
		sm->wake = 500; return sm->now < 500 ? WCP_NO_SLOT : (unsigned)__builtin_ctzll(ready); }
		static unsigned cost(const struct wcp_policy_machine *m, const double *p, struct wcp_policy_cost *row) {
		row[0] = (struct wcp_policy_cost){\"clock\", 1, 64}; return 1000; }"
	run -0 --separate-stderr warpsched --cost --tsv -p ./late.so
	grep -qxF $'./late.so\t64\t8\t120' <<<"$output"
	run -1 --separate-stderr warpsched -q -p ./late.so v.wcp
	[[ $stderr == *"deadlock in kernel 0 at cycle "*" under policy late: SM 0 slot 0 is not chosen by the policy"* ]]
}

@test "warpsched: a policy's pick that chooses nobody counts as throttled" {
	warpcap -q -w gesummv -D N=64 -o g.wcp
	own rests ".pick = pick, .state_bytes = bytes" "#include <stdio.h>
		static unsigned n;
		static size_t bytes(const struct wcp_policy_machine *m, const double *p) { return 4 * sizeof(uint64_t); }
		static unsigned pick(void *state, struct wcp_policy_sm *sm, unsigned scheduler, uint64_t ready) {
			uint64_t *last = state;
			if (last[scheduler] && last[scheduler] + 1 == sm->now) {
				sm->wake = sm->now + 1;
				n++;
				return WCP_NO_SLOT;
			}
			last[scheduler] = sm->now;
			return (unsigned)__builtin_ctzll(ready);
		}
		__attribute__((destructor)) static void tell(void) { fprintf(stderr, \"%u\", n); }"
	run -0 --separate-stderr warpsched -q --tsv -p ./rests.so g.wcp
	[ "$(value slots_throttled <<<"$output")" = "$stderr" ]
	[ "$stderr" -gt 0 ]
}

@test "warpsched: a policy knows the cycle in warp_begin, and how busy memory is in advance whenever it asked for it" {
	warpcap -q -w gesummv -D N=64 -o g.wcp
	oldest='#include <stdio.h>
		static unsigned pick(void *state, struct wcp_policy_sm *sm, unsigned scheduler, uint64_t ready) {
			return (unsigned)__builtin_ctzll(ready); }
		static void tell(const char *what, const struct wcp_policy_sm *sm) {
			fprintf(stderr, "%s %u %u %.3f\n", what, sm->number, (unsigned)sm->now, sm->l2_busy + sm->dram_busy); }'
	own each ".pick = pick, .begin = begin, .advance = advance" "$oldest
		static void begin(void *state, struct wcp_policy_sm *sm, const struct wcp_policy_machine *m, const double *p) {
			sm->wake = sm->now + 1; }
		static void advance(void *state, struct wcp_policy_sm *sm) { tell(\"advance\", sm); sm->wake = sm->now + 1; }"
	own some ".pick = pick, .issued = issued, .advance = advance" "$oldest
		static void issued(void *state, struct wcp_policy_sm *sm, unsigned slot, uint32_t pc) { sm->wake = sm->now + 1; }
		static void advance(void *state, struct wcp_policy_sm *sm) { tell(\"advance\", sm); }"
	warpsched -q -m gtx480 -p ./each.so g.wcp 2>&1 >/dev/null | sort >each
	warpsched -q -m gtx480 -p ./some.so g.wcp 2>&1 >/dev/null | sort >some
	[ -s some ]
	[ "$(comm -13 each some | wc -l)" = 0 ]
	# two kernels' warps: those of the second come when the first has ended
	own late ".pick = pick, .warp_begin = came" "$oldest
		static void came(void *state, struct wcp_policy_sm *sm, unsigned slot) { tell(\"came\", sm); }"
	warpcap -q -w gaussian -D N=8 -o m.wcp
	warpsched -q --tsv -p ./late.so m.wcp 2>came | awk '/^#table kernels/ { on = 1 } on && $1 ~ /^[0-9]+$/ { print $5 }' FS='\t' >begun
	[ "$(wc -l <begun)" -gt 1 ]
	diff <(sort -n begun) <(cut -d ' ' -f 3 came | sort -nu)
}

@test "warpsched: a policy that holds all warps back until one is let go may do so in each of many kernels" {
	warpcap -q -w gaussian -D N=64 -o g.wcp
	own waits ".pick = pick, .begin = begin, .released = released" "
		static unsigned pick(void *state, struct wcp_policy_sm *sm, unsigned scheduler, uint64_t ready) {
			return (unsigned)__builtin_ctzll(ready); }
		static void begin(void *state, struct wcp_policy_sm *sm, const struct wcp_policy_machine *m, const double *p) {
			sm->stalled = ~0ull; }
		static void released(void *state, struct wcp_policy_sm *sm, unsigned slot) { sm->stalled = 0; }"
	run -0 --separate-stderr warpsched -q --tsv -p ./waits.so g.wcp
	[ "$(value kernels <<<"$output")" = 126 ]
	[ "$(value releases <<<"$output")" -ge 126 ]
}
