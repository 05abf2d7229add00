# The calibration kernels beside what another simulator (GPGPU-Sim 4.0.1) counted and computed for the same PTX and launches.
load helper

@test "warpcap: the calibration kernels leave the words that the other simulator left" {
	cd "$T/calib"
	for launch in *.launch; do
		name=${launch%.launch}
		run -0 warpcap --ptx "$(awk -v c="$name" '$1 == c { print $2 }' expected.tsv)" --launch "$launch" \
		    -o "$BATS_TEST_TMPDIR/$name.wcp"
	done
}

@test "warpinfo: warp instructions, thread instructions and line accesses of the calibration kernels are the other simulator's" {
	cd "$T/calib"
	tail -n +2 expected.tsv | while IFS=$'\t' read -r name ptx warp_insns thread_insns accesses; do
		warpcap --ptx "$ptx" --launch "$name.launch" -o - | warpinfo --tsv >"$BATS_TEST_TMPDIR/$name.tsv"
		for pair in "warp_instructions $warp_insns" "thread_instructions $thread_insns" "accesses $accesses"; do
			set -- $pair
			got=$(awk -F'\t' -v n="$1" '$1 == n { print $2; exit }' "$BATS_TEST_TMPDIR/$name.tsv")
			[ "$got" = "$2" ] || { echo "$name: $1: $got instead of $2"; exit 1; }
		done
	done
}

@test "warpflat: as many line transactions of the calibration kernels as the other simulator's L1 took, in every order" {
	cd "$T/calib"
	for name in row_per_thread_256 mshr_merge smem_conflict_8; do
		ptx=$(awk -v c="$name" '$1 == c { print $2 }' expected.tsv)
		accesses=$(awk -v c="$name" '$1 == c { print $5 }' expected.tsv)
		warpcap --ptx "$ptx" --launch "$name.launch" -o "$BATS_TEST_TMPDIR/w.wcp"
		for order in rr cta warp; do
			got=$(warpflat --order "$order" "$BATS_TEST_TMPDIR/w.wcp" -o - | warpinfo --tsv |
			    awk -F'\t' '$1 == "accesses" { print $2; exit }')
			[ "$got" = "$accesses" ]
		done
	done
}
