load helper

fatbin=$B/tests/fatbin
D=$T/fatbin

# A container of version 1 without entries.
empty() { printf '\x50\xed\x55\xba\x01\x00\x10\x00\x00\x00\x00\x00\x00\x00\x00\x00'; }

@test "fatbin: every way to pack PTX gives the same text" {
	run -0 "$fatbin" text "$D/raw.fatbin" 75
	raw=$output
	[ "${lines[0]}" = "0: 675 bytes for 75" ]
	[[ "$output" == *".const .align 4 .f32 factor = 0f40000000;"* ]]
	run -0 "$fatbin" text "$D/lz4.fatbin" 75
	[ "$output" = "$raw" ]
	run -0 "$fatbin" text "$D/archs.fatbin" 75
	[ "$output" = "$raw" ]
}

@test "fatbin: entries say what they are" {
	run -0 "$fatbin" list "$D/archs.fatbin"
	diff - <(echo "$output") <<'END'
0 ptx 75 zstd isa 9.0 bytes 676 packed name '' options ''
0 ptx 90 zstd isa 9.0 bytes 676 packed name '' options ''
0 ptx 90a zstd isa 9.0 bytes 677 packed name '' options ''
0 ptx 100 zstd isa 9.0 bytes 687 packed name '' options ''
0 ptx 120f zstd isa 9.0 bytes 688 packed name '' options ''
1 containers
END
	run -0 "$fatbin" list "$D/debug.fatbin"
	diff - <(echo "$output") <<'END'
0 cubin 75 zstd isa 1.8 bytes 9896 packed debug name 'scale.cu' options ''
0 ptx 75 zstd isa 9.0 bytes 2918 packed debug name 'scale.cu' options ' -g --dont-merge-basicblocks --return-at-end'
1 containers
END
}

@test "fatbin: containers lie one after the other, empty ones among them" {
	cat "$D/raw.fatbin" <(empty) "$D/lz4.fatbin" <(empty) <(printf '\0\0\0\0\0\0\0\0') >all
	run -0 "$fatbin" list all
	diff - <(echo "$output") <<'END'
0 ptx 75 raw isa 9.0 bytes 680 name '' options ''
2 ptx 75 lz4 isa 9.0 bytes 676 packed name '' options ''
4 containers
END
	empty >none
	run -0 "$fatbin" text none 75
	[ "$output" = "0: empty" ]
}

@test "fatbin: the PTX chosen is the highest not above the capability, and sm_90a's only where it is its own" {
	while read -r sm chosen target; do
		run -0 "$fatbin" text "$D/archs.fatbin" "$sm"
		[[ "${lines[0]}" == *" for $chosen" ]]
		[[ "$output" == *".target $target"$'\n'* ]]
	done <<'END'
75 75 sm_75
89 75 sm_75
90 90 sm_90
99 90 sm_90
100 100 sm_100
103 100 sm_100
120 120 sm_120f
121 120 sm_120f
130 100 sm_100
END
}

@test "fatbin: code without PTX that suits names what is there and how to build it" {
	run -3 "$fatbin" text "$D/cubin.fatbin" 90
	[ "$output" = "0: the program's device code has no PTX; it is for: sm_75, sm_90; build it with -gencode arch=compute_75,code=compute_75" ]
	run -3 "$fatbin" text "$D/archs.fatbin" 70
	[ "$output" = "0: the program's device code has no PTX for compute capability 7.0; it is for: compute_75, compute_90, compute_90a, compute_100, compute_120f; take --capability 120" ]
	run -3 "$fatbin" text "$D/cubin.fatbin" 50
	[ "$output" = "0: the program's device code has no PTX; it is for: sm_75, sm_90; build it with -gencode arch=compute_75,code=compute_75 and take --capability 75 or more" ]
}

@test "fatbin: a wrapper leads to one container, or to those that were linked" {
	run -0 "$fatbin" wrapper 1 75 "$D/raw.fatbin"
	[[ "${lines[0]}" == "0: 675 bytes for 75" ]]
	run -0 "$fatbin" wrapper 2 75 "$D/left.fatbin" "$D/right.fatbin"
	[[ "$output" == "0: 1995 bytes"*".visible .entry left("*"1: "*".visible .entry right("* ]]
	run -0 "$fatbin" wrapper 2 75
	[ "$output" = "0: empty" ]
	run -3 "$fatbin" wrapper 3 75 "$D/raw.fatbin"
	[ "$output" = "0: fat binary: wrapper version 3 is not known" ]
	echo "no container here" >text
	run -3 "$fatbin" wrapper 1 75 text
	[ "$output" = "0: fat binary: a container begins with 0x63206f6e, not with 0xba55ed50" ]
}

@test "fatbin: damage is told with its place, and nothing damaged is read past its end" {
	for f in raw lz4 archs left; do
		run -0 "$fatbin" damage "$D/$f.fatbin"
		size=$(wc -c <"$D/$f.fatbin")
		[ "$output" = "2 of $((size + 1)) beginnings are whole" ]
	done
	head -c 100 "$D/raw.fatbin" >short
	run -3 "$fatbin" list short
	[ "$output" = "0: fat binary: a container is cut short at byte 0" ]
	cat "$D/raw.fatbin" - <<<"and then something else" >foreign
	run -3 "$fatbin" list foreign
	[ "${lines[1]}" = "776: fat binary: no container's magic number at byte 776" ]
}

# program NAME FATBIN SECTION CC-ARGUMENTS...: a program that carries a fat binary.
program() {
	cat >"$1.c" <<END
__asm__(".section $3,\"a\"\n.incbin \"$2\"\n.previous");
extern int __cudaRegisterFatBinary(void);
int main(void) { return __cudaRegisterFatBinary(); }
END
	cc -o "$1" "$1.c" "${@:4}"
}

runtime() {
	echo 'int __cudaRegisterFatBinary(void) { return 0; }' >runtime.c
	cc -shared -fPIC -Wl,-soname,libcudart.so.13 -o libcudart.so runtime.c
	cc -c -o runtime.o runtime.c
}

@test "fatbin: a program's file says whether its kernels can run here" {
	runtime
	program good "$D/archs.fatbin" .nv_fatbin libcudart.so
	run -0 "$fatbin" program good 90
	[ "$output" = "code 1 relocatable 0 static runtime 0 static 0 driver 0 runtime 13" ]
	program linked "$D/left.fatbin" __nv_relfatbin libcudart.so
	run -0 "$fatbin" program linked 90
	[ "$output" = "code 1 relocatable 1 static runtime 0 static 0 driver 0 runtime 13" ]
	program inside "$D/archs.fatbin" .nv_fatbin runtime.o
	strip inside
	run -3 "$fatbin" program inside 90
	[ "${lines[0]}" = "code 1 relocatable 0 static runtime 1 static 0 driver 0 runtime 0" ]
	[ "${lines[1]}" = "0: CUDA's runtime is linked into it, so that it cannot be replaced; link it again with nvcc -cudart shared" ]
	program machine "$D/cubin.fatbin" .nv_fatbin libcudart.so
	run -3 "$fatbin" program machine 90
	[[ "${lines[1]}" == "0: the program's device code has no PTX; it is for: sm_75, sm_90; build "* ]]
	echo 'int main(void) { return 0; }' >plain.c
	cc -o plain plain.c
	run -0 "$fatbin" program plain 90
	[ "$output" = "code 0 relocatable 0 static runtime 0 static 0 driver 0 runtime 0" ]
}

@test "fatbin: what is no program for this machine is told as what it is" {
	echo 'int main(void) { return 0; }' >plain.c
	cc -c -o plain.o plain.c
	ar rc plain.a plain.o
	cc -o plain plain.c
	printf '#!/bin/sh\nexit\n' >script
	echo text >text
	: >nothing
	head -c 18 plain >stub
	cp plain other
	printf '\xb7' | dd of=other bs=1 seek=18 conv=notrunc status=none
	# without a section table nothing is known of it
	cp plain bare
	printf '\0\0\0\0\0\0\0\0' | dd of=bare bs=1 seek=40 conv=notrunc status=none
	run -0 "$fatbin" program bare 90
	[ "$output" = "code 0 relocatable 0 static runtime 0 static 0 driver 0 runtime 0" ]
	while IFS='|' read -r file status says; do
		run "-$status" "$fatbin" program "$file" 90
		[ "$output" = "0: $says" ] || { echo "$file: $output" && false; }
	done <<'END'
text|2|it is not a program: no ELF file
nothing|2|it is not a program: no ELF file
script|2|it is a script, not a program
plain.a|2|it is an archive, not a program
plain.o|2|it is an object file: link it first
other|2|it is for AArch64, not for this machine (x86-64)
stub|3|its ELF header is cut short
END
}

@test "fatbin: a damaged program file is never read past its end" {
	runtime
	program good "$D/lz4.fatbin" .nv_fatbin libcudart.so
	run -0 "$fatbin" damage good program
}
