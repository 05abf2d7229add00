# CUDA programs, unmodified, under warpcap. Those in tests/cuda are compiled where nvcc of CUDA 13 is and skipped elsewhere.
load helper
load cuda.bash

@test "cuda: a vector addition" { passes vectoradd; }

@test "cuda: memory of every kind, its attributes, its freeing" {
	built memory
	run -0 --separate-stderr warpcap -o memory.wcp -- "$B/cuda/memory"
	[ "$output" = passed ]
	[[ $stderr == *"cudaFree: 0x200000000004 is not the start of an allocation" ]]
}
@test "cuda: copies and memsets of one to three dimensions; wild ones are named" {
	passes_warned 8 copies
	cat >want <<'END'
cudaMemcpy: the destination, 65 bytes at 0x*: 1 bytes past the end of 'cudaMalloc 3' (64 bytes at 0x*)
cudaMemcpy: the source, 5 bytes at 0x*: 1 bytes past the end of 'cudaMalloc 3' (64 bytes at 0x*)
cudaMemcpy: the destination 0x* is memory of the host that the device was not given
cudaMemcpy: the source 0x* is device memory, where the host's is named
cudaMemcpy: the source, 5 bytes at 0x10: the host has no such memory
cudaMemset: the destination 0x* is memory of the host that the device was not given
cudaMemset: the destination, 65 bytes at 0x*: 1 bytes past the end of 'cudaMalloc 3' (64 bytes at 0x*)
cudaMemcpy: the source, 5 bytes at 0x*: in 'cudaMalloc 3' (64 bytes at 0x*), which was freed
END
	sed -e 's/^warpcap: warning: //' -e 's/0x[0-9a-f]\{3,\}/0x*/g' <<<"$stderr" | diff want -
	# with checks each has its place, and counts
	run -1 --separate-stderr warpcap -n --check=mem -- "$B/cuda/copies"
	[[ ${stderr_lines[0]} == "warpcap: warning: cudaMemcpy of copies+0x"*": the destination, "* ]]
}
@test "cuda: memory and events of one process in another" { passes processes; }
@test "cuda: variables of the device: global, constant, managed" { passes symbols; }
@test "cuda: streams, events, functions of the host" { passes streams; }
@test "cuda: device, functions and occupancy agree with each other" { passes device; }
@test "cuda: launches in every form" { passes_warned 2 launches; }
@test "cuda: printing, the heap and virtual functions in kernels" { passes devprint; }
@test "cuda: a cooperative grid synchronizes" { passes gridsync; }
@test "cuda: products on tensor cores, f16 and u8" { passes tensorcore; }
@test "cuda: halves and pairs of halves give the host's bits" { passes halves; }
@test "cuda: copies beside the thread and barriers in shared memory" { passes pipelines; }
@test "cuda: CUB's scan, reduction, sort, histogram and selection" { passes blockcub; }
@test "cuda: a product of matrices, its tiles doubly buffered" { passes tilegemm; }
@test "cuda: breadth-first search, the host asking after each round" { passes frontier; }
@test "cuda: a list of managed nodes, pointers to functions" { passes managedlist; }
@test "cuda: cooperative groups, smaller and larger than a warp" { passes groups; }
@test "cuda: products on tensor cores of bf16, tf32, f64, s8, four and single bits" { passes tensortypes; }
@test "cuda: conjugate gradients in one cooperative launch, a stencil with halos in three dimensions" { passes gridsolver; }
@test "cuda: radix sort with look-back, a segmented scan" { passes radixscan; }
@test "cuda: kernels that launch themselves: quicksort, quadrature, traversal" { passes childfamily; }
@test "cuda: random numbers of CUDA's headers" { passes montecarlo; }
@test "cuda: integers of 128 and 256 bits" { passes wideint; }
@test "cuda: intrinsic functions, directed rounding" { passes intrinsics; }

@test "cuda: a kernel that the program compiles to machine code while it runs" {
	built compiling
	nvrtc=$(dirname "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)")/../lib64/libnvrtc.so.13
	[ -e "$nvrtc" ] || skip "no NVRTC"
	run -0 --separate-stderr warpcap -n -- "$B/cuda/compiling" "$nvrtc"
	[ "$output" = passed ]
	[ -z "$stderr" ]
}
@test "cuda: bulk copies of boxes of tensors" {
	built tensors
	run -0 --separate-stderr warpcap -n -- "$B/cuda/tensors"
	[ "$output" = passed ]
	[[ ${stderr_lines[0]} == "warpcap: kernel "*": misaligned prefetch of 128 bytes at "* ]]
	[ "${#stderr_lines[@]}" -eq 1 ]
}
@test "cuda: clusters of blocks; bulk copies" {
	passes_warned 4 clusters
	[[ ${stderr_lines[0]} == *"a grid of 17 x 1 x 1 in clusters of 2 x 1 x 1 blocks" ]]
}
@test "cuda: graphs whose nodes run if, while and as often as kernels say" { passes conditions; }
@test "cuda: the driver's interface beside the runtime's" {
	built driver
	run -0 --separate-stderr warpcap -o driver.wcp -- "$B/cuda/driver"
	[ "$output" = passed ]
	[ "${#stderr_lines[@]}" -eq 3 ]
	[[ ${stderr_lines[0]} == "warpcap: warning: cuLaunchKernel: kernel 'add' is not launched: "* ]]
	[[ ${stderr_lines[2]} == "warpcap: device code of 'driver': module 'driver': line 4: register %r is not declared" ]]
	# what waits for words of memory is none of the program's kernels
	run -0 --separate-stderr warpinfo driver.wcp
	[[ $output == *"whole "*" yes"* ]]
	[[ $output != *wait_for_word* ]]
}
@test "cuda: graphs and pools in the driver's words" { passes drivergraphs; }
@test "cuda: virtual memory; what is not mapped is out of bounds" {
	passes_warned 3 virtualmemory
	[[ ${stderr_lines[0]} == *" bytes past the end of 'cuMemCreate 1' ("* ]]
	run -1 --separate-stderr warpcap -n --check=mem -- "$B/cuda/virtualmemory" astray
	[ "$output" = passed ]
	[[ $stderr == *"load of 4 bytes at 0x280000200000 out of bounds: "*"past the end of 'cuMemCreate 1 of virtualmemory+"* ]]
}
@test "cuda: code that a program loads while it runs" {
	built libraries
	run -0 --separate-stderr warpcap -n -- "$B/cuda/libraries" "$T/fatbin/raw.fatbin" "$T/fatbin/archs.fatbin"
	[ "$output" = passed ]
	run -0 --separate-stderr warpcap -o libraries.wcp -- "$B/cuda/libraries"
	[ "$output" = passed ]
	grep -q "expected .version" <<<"$stderr"
	grep -q "machine code without PTX" <<<"$stderr"
	run -0 --separate-stderr warpinfo libraries.wcp
	[[ $output == *"whole "*" yes"* ]]
}

@test "cuda: errors are returned, kept and forgiven as CUDA does; a wild access is told in full" {
	built errors
	run -0 --separate-stderr warpcap -o errors.wcp -- "$B/cuda/errors"
	[ "$output" = passed ]
	[[ ${stderr_lines[-1]} == "warpcap: kernel '_Z4wildPi': CTA (0,0,0) thread (0,0,0): store of 4 bytes at 0x"*" out of bounds: "*" bytes past the end of 'cudaMalloc 3' (4 bytes at 0x"* ]]
	sed -n "s/^warpcap: warning: cudaLaunchKernel: kernel '\([^']*\)' is not launched: /\1: /p" <<<"$stderr" | diff - <(
		cat <<'END'
_Z7nothingv: a grid of 0 x 1 x 1 blocks: there may be 1 to 2147483647 x 65535 x 65535
_Z7nothingv: a block of 0 x 1 x 1 threads: there may be 1 to 1024 x 1024 x 64, 1024 in all
_Z7nothingv: a block of 1025 x 1 x 1 threads: there may be 1 to 1024 x 1024 x 64, 1024 in all
_Z7nothingv: a block of 1 x 1 x 65 threads: there may be 1 to 1024 x 1024 x 64, 1024 in all
_Z7nothingv: a grid of 1 x 65536 x 1 blocks: there may be 1 to 2147483647 x 65535 x 65535
_Z7boundedPi: a block of 65 threads: the kernel was compiled for 64 at most
_Z13shared_hungryv: 65536 bytes of dynamic shared memory: there are 49152 unless cudaFuncSetAttribute asks for more, 232448 at most
_Z4wildPi: it has parameters, and there are no arguments
END
	)
	[ "${#stderr_lines[@]}" -eq 11 ]
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

@test "cuda: graphs made node by node, cloned, updated" { passes graphs; }
@test "cuda: capture of streams into graphs, and what breaks it" { passes capture; }
@test "cuda: memory in stream order and its pools" { passes pools; }
@test "cuda: texture and surface objects" { passes textures; }
@test "cuda: each fault of a kernel has its error, its place in source and data, and leaves a whole stream" {
	built faulty
	while IFS='|' read -r way error message; do
		run -0 --separate-stderr warpcap --limit 100k -o faulty.wcp -- "$B/cuda/faulty" "$way"
		[ "$output" = "$error" ] || { echo "$way: $output"; false; }
		# shellcheck disable=SC2053
		[[ $stderr == $message ]] || { echo "$way: $stderr"; false; }
		run -0 --separate-stderr warpinfo faulty.wcp
		[[ $output == *"ends where a kernel faulted"* ]]
	done <<'EOF'
beyond|cudaErrorIllegalAddress|*: 4 bytes past the end of 'cudaMalloc 1' (256 bytes at 0x200000000000); *faulty.cu:9, PTX line *
through|cudaErrorIllegalAddress|*faulty.cu:46, inlined at *faulty.cu:52, PTX line *
own|cudaErrorIllegalAddress|*out of bounds: no device address, but memory of the host that the device was not given; *faulty.cu:9*
freed|cudaErrorIllegalAddress|*'cudaMalloc 1'*freed*faulty.cu:9*
skewed|cudaErrorMisalignedAddress|*misaligned store of 4 bytes at 0x200000000002*faulty.cu:15*
forever|cudaErrorLaunchTimeout|*more than 100000 thread instructions
trap|cudaErrorLaunchFailure|*: trap*
null|cudaErrorIllegalAddress|*store of 4 bytes at 0x0 out of bounds: a null pointer; *faulty.cu:9*
EOF
}

@test "cuda: --check=mem reports what was not freed or freed twice, where it was allocated, with status 1" {
	built faulty
	run -1 --separate-stderr warpcap -n --check=mem -- "$B/cuda/faulty" none
	[ "$output" = cudaSuccess ]
	[[ $stderr == "warpcap: 'cudaMalloc 1 of faulty+0x"*"' was never freed: 256 bytes at 0x200000000000" ]]
	run -1 --separate-stderr warpcap -n --check=mem -- "$B/cuda/faulty" twice
	[ "${lines[0]}" = cudaErrorInvalidValue ]
	[[ $stderr == *"cudaFree of faulty+0x"*": 'cudaMalloc 1 of faulty+0x"*"' at 0x200000000000 was freed before" ]]
	run -0 --separate-stderr warpcap -n -- "$B/cuda/faulty" none
	[ -z "$stderr" ]
	run -0 --separate-stderr warpcap -n --check=mem,sync -- "$B/cuda/vectoradd"
	run -2 --separate-stderr warpcap -n --check=luck -- "$B/cuda/vectoradd"
	[[ $stderr == *"--check: mem, sync or shared, not 'luck'"* ]]
}

@test "cuda: --check=mem reports what kernels allocated and never freed: whose, line, total" {
	built faulty
	leaks() { run -1 --separate-stderr warpcap -n --check=mem -- "$B/cuda/faulty" "$1"; }
	leaks kept
	[[ ${stderr_lines[1]} == "warpcap: 'malloc in _Z4keepi CTA (0,0,0) thread (0,0,0), "*"faulty.cu:59, PTX line "*"' was never freed: 16 bytes at 0x2"* ]]
	[[ ${stderr_lines[3]} == *"thread (2,0,0), "* ]]
	[ "${stderr_lines[4]}" = "warpcap: 3 allocations by malloc in kernels were never freed: 48 bytes" ]
	[ ${#stderr_lines[@]} -eq 5 ]
	leaks "kept many"
	[ ${#stderr_lines[@]} -eq 22 ]
	[ "${stderr_lines[21]}" = "warpcap: 128 allocations by malloc in kernels were never freed: 2048 bytes" ]
	run -0 --separate-stderr warpcap -n -- "$B/cuda/faulty" kept
	[ -z "$stderr" ]
}
@test "cuda: --check=mem names leaks in the order of allocation, at a reset too, once, after the program's destructors, and none after a fault" {
	built faulty
	run -1 --separate-stderr warpcap -n --check=mem -- "$B/cuda/faulty" many
	grep -o "'cudaMalloc [0-9]*" <<<"$stderr" | diff - <(seq -f "'cudaMalloc %g" 20)
	[ "${stderr_lines[-1]}" = "warpcap: 30 allocations by the program were never freed: 691 bytes" ]
	run -1 --separate-stderr warpcap -n --check=mem -- "$B/cuda/faulty" reset
	[ "${lines[-1]}" = cudaSuccess ]
	[ "$(grep -c 'was never freed' <<<"$stderr")" -eq 3 ]
	run -1 --separate-stderr warpcap -n --check=mem -- "$B/cuda/faulty" beyond
	[ ${#stderr_lines[@]} -eq 1 ]
}
@test "cuda: wild and repeated frees in kernels and of what kernels allocated, shared memory out of bounds; deep calls are counted" {
	built faulty
	while IFS='|' read -r way status message; do
		run "-$status" --separate-stderr warpcap -n --check=mem -- "$B/cuda/faulty" "$way"
		# shellcheck disable=SC2053
		[[ ${stderr_lines[0]} == $message ]] || { echo "$way: $stderr"; false; }
	done <<'EOF'
wild free|1|*: free of 0x200000001104, which malloc did not return or which was freed before; *faulty.cu:66, PTX line *
free twice|1|*: free of 0x200000001100, which malloc did not return or which was freed before; *faulty.cu:67, PTX line *
free of the host's|1|*: free of 0x200000000000, which malloc did not return*
host free|1|*: cudaFree of faulty+0x*: 'malloc in _Z4makePPv CTA (0,0,0) thread (0,0,0), *faulty.cu:73, PTX line *' at 0x200000001100 is for free in a kernel
shared|1|*: store of 4 bytes at shared address 0x40 out of bounds: the CTA has 64 bytes; *faulty.cu:80, *
shared skewed|1|*: misaligned store of 4 bytes at shared address 0x2; *faulty.cu:87, *
deep|1|*; in _Z4downILi0EEvPi called at *faulty.cu:104, PTX line *; ... [0-9]* more
EOF
	run -1 --separate-stderr warpcap -n --check=shared -- "$B/cuda/faulty" unwritten
	[[ $stderr == *" at shared address 0x4 that nothing has written; "* ]] || { echo "$stderr"; false; }
	run -1 --separate-stderr warpcap -n --check=mem -- "$B/cuda/faulty" unwritten
	[[ ${stderr_lines[0]} == *"was never freed"* ]]
}

@test "cuda: --check=sync reports a barrier that not all threads of a warp reach" {
	built faulty
	run -1 --separate-stderr warpcap -n --check=sync -- "$B/cuda/faulty" apart
	[[ $stderr == *barrier* ]]
}

@test "cuda: a program that touches device memory itself or aborts dies as it would, and what it ran is kept" {
	built faulty
	run -139 --separate-stderr warpcap -o host.wcp -- "$B/cuda/faulty" host
	[[ ${stderr_lines[0]} == "warpcap: the program used device memory itself, not through the runtime: 0x200000000000" ]]
	run -139 --separate-stderr warpcap -n -- "$B/cuda/faulty" raise
	run -134 --separate-stderr warpcap -o abort.wcp -- "$B/cuda/faulty" abort
	run -0 --separate-stderr warpinfo abort.wcp
	[[ $output == *"recording was interrupted"* ]]
	grep -q '^ 0  _Z5reachPii ' <<<"$output"
}

@test "cuda: the layouts this runtime writes down are those of the installed headers" {
	built abi
	run -0 --separate-stderr warpcap -n -- "$B/cuda/abi"
	[ "$output" = passed ]
}
@test "cuda: Thrust and CUB sort, scan and reduce" { passes sorting; }
@test "cuda: each thread's own default stream" { passes perthread; }
@test "cuda: tiles, stencils, histograms, aggregated atomics, persistent threads" { passes patterns; }
@test "cuda: threads of the host share the device" { passes threads; }

@test "cuda: kernels wait for the host while they run, and for what other streams bring" {
	built mailbox
	run -0 --separate-stderr warpcap -o mailbox.wcp -- "$B/cuda/mailbox"
	[ "$output" = passed ]
	[[ $stderr == "warpcap: kernel '_Z10fail_afterPVi': CTA (0,0,0) thread (0,0,0): trap; PTX line "* && ${#stderr_lines[@]} -eq 1 ]]
	run -0 --separate-stderr warpinfo mailbox.wcp
	[[ $output == *"whole "*" yes, ends where a kernel faulted"* ]]
}
@test "cuda: a kernel waits for the host while the program forks; a limit ends it" {
	built mailbox
	run -0 --separate-stderr warpcap -n -- "$B/cuda/mailbox" fork
	[ "$output" = passed ]
	[ -z "$stderr" ]
	run -0 --separate-stderr warpcap -n --limit 100000 -- "$B/cuda/mailbox" limit
	[ "$output" = passed ]
	[ "$stderr" = "warpcap: kernel '_Z8wait_forPViiPi': more than 100000 thread instructions" ]
}
@test "cuda: a kernel that nobody lets go on ends where the program waits for it, or ends" {
	built mailbox
	for where in wait blocking end; do
		[ $where != blocking ] || export CUDA_LAUNCH_BLOCKING=1
		run -0 --separate-stderr warpcap -o $where.wcp -- "$B/cuda/mailbox" $where
		unset CUDA_LAUNCH_BLOCKING
		[ "$output" = passed ]
		[[ $stderr == "warpcap: kernel '_Z8wait_forPViiPi': CTA (0,0,0) thread (0,0,0): all threads wait for memory that nobody writes any more; PTX line "* ]]
		run -0 --separate-stderr warpinfo $where.wcp
		[[ $output == *"whole "*" yes, ends where a kernel faulted"* ]]
	done
}

@test "cuda: programs that spawn others, run a shell, become another, leave threads behind or leave in a callback; their signal handlers are theirs" {
	built manners
	while IFS='|' read -r way said kernels; do
		run -0 --separate-stderr warpcap -o manners.wcp -- "$B/cuda/manners" "$way"
		[ "$(uniq <<<"$output")" = "$said" ] || { echo "$way: $output"; false; }
		[ -z "$stderr" ]
		run -0 --separate-stderr warpinfo manners.wcp
		grep -q "^kernels  *$kernels\$" <<<"$output" || { echo "$way: $output"; false; }
		[[ $output == *"whole "*" yes"$'\n'* ]]
	done <<'END'
others|passed|6
many|passed|1000
threads||8
callback|left|1
late callback|left|2
handler|own handler|1
late handler|own handler|1
END
	for i in 1 2 3; do
		run -0 --separate-stderr warpcap -o manners.wcp -- "$B/cuda/manners" midway
		[ -z "$stderr" ]
		warpinfo manners.wcp | grep -q '^whole  *yes'
	done
}
@test "cuda: a program that forks: parent and child go to one stream, a child of a running one is refused" {
	passes forks
	grep -q '^kernels  *15$' <<<"$output"
}

@test "cuda: -j 8 and -j 1 record the same" {
	built launches
	warpcap -j 1 -o out.wcp -- "$B/cuda/launches"
	mv out.wcp one.wcp
	warpcap -j 8 -o out.wcp -- "$B/cuda/launches"
	cmp one.wcp out.wcp
}
