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

@test "warpsched: CIAO's window is the kernel or the epoch; a slot that is used again begins active" {
	run -0 "$steps" epoch
	[ "${lines[1]}" = "by kernel: W2 V=0 I=0 [-1 W0]" ]
	[ "${lines[3]}" = "by epoch: W2 V=1 I=0 [-1 -1]" ]
	run -0 "$steps" slots
	[ "${lines[1]}" = "another: W2 V=1 I=0 [-1 -1]" ]
	[ "${lines[2]}" = "W0's list: W2 11" ]
	[ "${lines[3]}" = "an epoch later: W2 V=1 I=1 [W0 -1]" ]
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
	run -0 --separate-stderr warpsched --cost -p ./streamers.so
	[[ $output == *"streamers does not say what it costs"* ]]
}

@test "warpsched: a policy of another version, without a table or without pick is refused by a line that says so" {
	printf '#include "warpcap/policy.h"\nconst struct wcp_policy warpcap_policy = {TABLE};\n' >p.c
	object() { cc -shared -fPIC -I"$ROOT/libtrace/include" "-DTABLE=$1" -o p.so "${2:-p.c}"; }
	object '.version = WCP_POLICY_VERSION - 1, .name = "p"'
	run -2 --separate-stderr warpsched -p ./p.so x.wcp
	[ "$stderr" = "warpsched: ./p.so: it was built for version 1 of the policy interface, this is version 2" ]
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
