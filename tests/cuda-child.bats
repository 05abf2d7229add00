# CUDA programs whose kernels launch kernels, unmodified. They are compiled where nvcc of CUDA 13 is and skipped elsewhere.
load helper

# passes NAME [OPTION...]: the program finds nothing wrong with what it computes; the stream is whole
passes() {
	! { sanitized asan || sanitized tsan; } || skip "built with a sanitizer"
	[ -x "$B/cuda/$1" ] || skip "no nvcc of CUDA 13"
	run -0 --separate-stderr warpcap "${@:2}" -o "$1.wcp" -- "$B/cuda/$1"
	[ "${lines[-1]}" = passed ]
	run -0 --separate-stderr warpinfo --tsv "$1.wcp"
}

# Every child of NAME.wcp names a parent before it and a launch of that parent's names it.
consistent() {
	warpdump --tsv "$1.wcp" >/dev/null
	warpdump -v "$1.wcp" | awk '
	    /^kernel [0-9]+ [^ ]+ grid / { parent[$2] = -1; for (i = 1; i < NF; i++) if ($i == "from") parent[$2] = $(i + 2) }
	    / launch kernel [0-9]+ lane / { for (i = 1; i < NF; i++) if ($i == "launch") { by[$(i + 2)] = $2; n++ } }
	    END { for (k in parent) { children += parent[k] >= 0
	        if (parent[k] >= 0 && (parent[k] + 0 >= k + 0 || by[k] != parent[k])) { print "kernel", k; exit 1 } }
	        exit children != n || !n }'
}

@test "cuda: breadth-first search with grids for vertices of many neighbours" {
	passes childbfs
	consistent childbfs
}

@test "cuda: quicksort, each part a grid in a stream of its own" {
	passes childsort
	consistent childsort
}

@test "cuda: Mandelbrot set by squares that divide themselves, the same for any number of threads" {
	passes childmandel -j 1
	consistent childmandel
	warpdump childmandel.wcp >one.txt
	passes childmandel -j 8
	cmp one.txt <(warpdump childmandel.wcp)
}

@test "cuda: grids nest to depth 24, tail launches follow one another, refusals and failures reach the program" {
	passes childlimits
	consistent childlimits
}

@test "cuda: alternatives to a program's launches change nothing that it computes" {
	passes childbfs --alternatives
	run -0 bash -c 'warpdump childbfs.wcp | grep -c " alternative of launch site "'
	[ "$output" -gt 50 ]
}
