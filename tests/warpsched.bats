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
	warpcap -w spmv -D ROWS=2000 -o s.wcp 2>/dev/null || warpcap -w spmv -o s.wcp
	want=$(warpinfo --tsv s.wcp | value warp_instructions)
	for p in lrr gto oldest two-level swl swl:n=4 two-level:active=2; do
		run -0 --separate-stderr warpsched --tsv -p "$p" s.wcp
		[ "$(value warp_instructions <<<"$output")" = "$want" ]
		[ "$(value slots_issued <<<"$output")" = "$want" ]
	done
}

@test "warpsched: swl without a limit is gto" {
	warpcap -w gesummv -D N=128 -o g.wcp
	warpsched --tsv -p gto g.wcp | grep -v ^policy >gto
	warpsched --tsv -p swl:n=64 g.wcp | grep -v ^policy >swl
	diff gto swl
}

@test "warpsched: a dependent chain and its latencies take the cycles another simulator gives, within 2 %" {
	while read -r name cycles; do
		calib "$name"
		got=$(warpsched --tsv -m gpgpusim-gtx480 "$name.wcp" | value cycles)
		awk -v a="$got" -v b="$cycles" 'BEGIN { exit !(a > 0.98 * b && a < 1.02 * b) }' ||
		    { echo "$name: $got, not $cycles"; false; }
	done <<'END'
alu_chain_fma 46037
alu_chain_mad 58019
alu_chain_mul 55013
alu_chain_imad 45007
END
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
