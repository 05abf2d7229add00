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
