load helper

# Every workload of a suite at its small size: results are those of the reference, and the stream is the same for any number of threads.
right() {
	local file name
	for file in "$ROOT/share/workload/$1"/*.cu; do
		name=$(basename "$file" .cu)
		warpcap -w "$name" --size small --verify -j 1 >one
		warpcap -w "$name" --size small --verify -j 8 >eight
		cmp one eight
	done
}

@test "workloads: those of PolyBench are right at their small size and the same for any -j" { right polybench; }
@test "workloads: those of Rodinia are right at their small size and the same for any -j" { right rodinia; }
@test "workloads: those of Mars are right at their small size and the same for any -j" { right mars; }
@test "workloads: those of the SDK are right at their small size and the same for any -j" { right sdk; }
@test "workloads: those of SHOC are right at their small size and the same for any -j" { right shoc; }
