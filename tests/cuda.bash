# What tests of CUDA programs share; after helper.
# bats sets what run leaves behind.
# shellcheck disable=SC2154
# Under a sanitizer the library wants the sanitizer's runtime before it.
plain() { ! { sanitized asan || sanitized tsan; } || skip "built with a sanitizer"; }

built() {
	plain
	[ -x "$B/cuda/$1" ] || skip "no nvcc of CUDA 13"
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

# passes_warned N NAME: the same of one that tries N things that cannot be, each of which is told
passes_warned() {
	built "$2"
	run -0 --separate-stderr warpcap -o "$2.wcp" -- "$B/cuda/$2"
	[ "${lines[-1]}" = passed ]
	[ "${#stderr_lines[@]}" -eq "$1" ]
	for line in "${stderr_lines[@]}"; do
		[[ $line == "warpcap: warning: cu"*": "* ]]
	done
}
