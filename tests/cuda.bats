# CUDA programs, unmodified, under warpcap. Those in tests/cuda are compiled where nvcc is and skipped elsewhere.
load helper

# Under a sanitizer the library wants the sanitizer's runtime before it.
plain() { [[ $B != */asan && $B != */tsan ]] || skip "built with a sanitizer"; }

built() {
	plain
	[ -x "$B/cuda/$1" ] || skip "no nvcc"
}

# passes NAME [OPTION...]: the program finds nothing wrong with what it computes, and the stream is whole
passes() {
	built "$1"
	run -0 --separate-stderr warpcap "${@:2}" -o "$1.wcp" -- "$B/cuda/$1"
	[ "${lines[-1]}" = passed ]
	[ -z "$stderr" ]
	run -0 --separate-stderr warpinfo "$1.wcp"
	[[ $output == *"whole "*" yes"* ]]
}

@test "cuda: a vector addition" { passes vectoradd; }

@test "cuda: memory of every kind, its attributes, its freeing" {
	built memory
	run -0 --separate-stderr warpcap -o memory.wcp -- "$B/cuda/memory"
	[ "$output" = passed ]
	[[ $stderr == *"cudaFree: 0x200000000004 is not the start of an allocation" ]]
}
@test "cuda: copies and memsets of one to three dimensions" { passes copies; }
@test "cuda: variables of the device: global, constant, managed" { passes symbols; }
@test "cuda: streams, events, functions of the host" { passes streams; }
@test "cuda: device, functions and occupancy agree with each other" { passes device; }
@test "cuda: launches in every form" { passes launches; }
@test "cuda: printing, the heap and virtual functions in kernels" { passes devprint; }
@test "cuda: a cooperative grid synchronizes" { passes gridsync; }
@test "cuda: products on tensor cores, f16 and u8" { passes tensorcore; }
@test "cuda: halves and pairs of halves give the host's bits" { passes halves; }
@test "cuda: copies beside the thread and barriers in shared memory" { passes pipelines; }
@test "cuda: CUB's scan, reduction, sort, histogram and selection" { passes blockcub; }

@test "cuda: errors are returned, kept and forgiven as CUDA does; a wild access is told in full" {
	built errors
	run -0 --separate-stderr warpcap -o errors.wcp -- "$B/cuda/errors"
	[ "$output" = passed ]
	[[ $stderr == "warpcap: kernel '_Z4wildPi': CTA (0,0,0) thread (0,0,0): store of 4 bytes at 0x"*" out of bounds: "*" bytes past the end of 'cudaMalloc 1' (4 bytes at 0x"* ]]
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
	run -0 --separate-stderr warpinfo errors.wcp
	[[ $output == *"fault"* ]]
}

@test "cuda: what kernels print appears where the host waits" {
	passes printing
	run -0 --separate-stderr warpcap -n -- "$B/cuda/printing"
	diff - <(echo "$output") <<'END'
before
not yet
thread 0 of 4:  0.00 word x %
thread 1 of 4:  1.50 word x %
after
passed
END
}

@test "cuda: the stream holds the program's kernels and what its host did" {
	passes vectoradd
	[[ $output == *"_Z3addPKfS0_Pfi  40,1,1  256,1,1 "* ]]
	grep -q '^alloc  *3 ' <<<"$output"
	grep -q '^copy_in  *2 ' <<<"$output"
	grep -q '^copy_out  *1 ' <<<"$output"
	grep -q '^free  *3 ' <<<"$output"
}

@test "cuda: without -o the stream goes to standard output, and the program's output to standard error" {
	built vectoradd
	warpcap -- "$B/cuda/vectoradd" 2>words | warpinfo - >info
	[ "$(cat words)" = passed ]
	grep -q '^kernels  *1$' info
}
