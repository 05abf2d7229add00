load helper

@test "exec: divergence, loops, recursion and indirect calls give what each thread would compute alone" {
	run -0 "$B/tests/exec_control"
	[ "$output" = ok ]
}

@test "exec: barriers, locks between lanes, warps and CTAs, a grid barrier; deadlocks are reported" {
	run -0 "$B/tests/exec_sync"
	[ "$output" = ok ]
}

@test "exec: every memory space, width and atomic; wrong accesses say where and what is nearest" {
	run -0 "$B/tests/exec_memory"
	[ "$output" = ok ]
}

@test "exec: elements of all types, vectors and widths in every pattern of addresses are what each lane alone would load and store" {
	run -0 "$B/tests/exec_rows"
	[ "$output" = ok ]
}

@test "exec: the recording agrees with brute force and with itself for any threads and instruction set" {
	run -0 "$B/tests/exec_record"
	[ "$output" = ok ]
}

@test "exec: C functions compiled to PTX give what they give on the host, with and without optimisation" {
	run -0 "$B/tests/exec_functions" "$T/exec/functions-O0.ptx"
	[ "$output" = ok ]
	run -0 "$B/tests/exec_functions" "$T/exec/functions-O2.ptx"
	[ "$output" = ok ]
}

@test "exec: modules that refer to each other's names are linked; what cannot be is told by name and module" {
	run -0 "$B/tests/exec_link" "$T/fatbin/left.fatbin" "$T/fatbin/right.fatbin"
	[ "$output" = ok ]
}

@test "exec: kernels print, allocate, assert, synchronize the grid, call through pointers and recurse" {
	run -0 "$B/tests/exec_builtin" "$T/exec/builtin.ptx"
	[ "$output" = ok ]
}

@test "exec: wmma, mma, ldmatrix and their kin in every shape, type and layout" {
	run -0 "$B/tests/exec_matrix"
	[ "$output" = ok ]
}

@test "exec: textures and surfaces of every kind give what the programming guide's formulas give" {
	run -0 "$B/tests/exec_texture"
	[ "$output" = ok ]
}

@test "exec: clusters share memory and wait for each other; bulk copies, counted by their barriers; -j changes nothing" {
	run -0 "$B/tests/exec_cluster"
	[ "$output" = ok ]
}

@test "exec: bulk copies of boxes of tensors: rows, swizzles, what lies outside; maps that are none" {
	run -0 "$B/tests/exec_tensor"
	[ "$output" = ok ]
}

@test "exec: atomics of 128 bits and vectors, cp.async, mbarrier, clusters of one, 8-bit floats; barriers are checked on demand" {
	run -0 "$B/tests/exec_wide"
	[ "$output" = ok ]
}
