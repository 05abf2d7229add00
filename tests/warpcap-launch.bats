load helper

L=$T/launch

# run_launch PTX LAUNCH ARG...
run_launch() {
	warpcap --ptx "$L/$1.ptx" --launch "$2" -n "${@:3}"
}

# refused STATUS TEXT MESSAGE: a launch file of TEXT ends with STATUS and one line that has MESSAGE
refused() {
	printf '%b\n' "$2" >e.launch
	run "-$1" --separate-stderr run_launch params e.launch
	[ -z "$output" ]
	[ "${#stderr_lines[@]}" -eq 1 ] && [[ $stderr == "warpcap: e.launch: "*"$3"* ]] || {
		printf '%s\n' "$2" "wanted: $3" "got: $stderr"
		return 1
	}
}

@test "launch: every kind of argument arrives as it was given" {
	run_launch params "$L/params.launch"
}

@test "launch: variables, fills, copies, loops and checks do what they say" {
	run_launch params "$L/scale.launch"
	run_launch params "$L/scale.launch" -D N=64
	run_launch params "$L/scale.launch" -D 'N=64*(1+2)' -j 3
}

@test "launch: expressions have C's values" {
	run -0 "$B/tests/launch_eval" '1+2*3' '7/2' '-7/2' '-7%3' '7/2.0' '1<<3|1' '5>3 && 2>1' '!0' '~0' '1?2:3' \
		'0?2:1?4:5' 'b[2]' 'b.initial[0]+i' '&b[1]' 'sum(k,0,4,b[k]*k)' 'sqrt(2)' 'min(3,2.5)' 'max(-3,2)' 'u8(300)' \
		's8(200)' 'f32(0.1)' 'f16(0.1)' 'bf16(3.14159)' 'fma(2,3,4)' '0x10' '1e3' '9223372036854775807+1' '1.0/0' \
		'abs(-3)' 'floor(-1.5)' 'ceil(-1.5)' '1-1-1' '2*3%4' '-2-3' '2- -3' '1<2<3' 'u64(-1)' '1==2||3' '0&&1/0' \
		'7.5%2' '1 ^ 3 & 2' 'pow(2,10)' '-9223372036854775807-1' '(-9223372036854775807-1)/-1' '1>>1' '-8>>1'
	diff - <(echo "$output") <<'EOF'
7
3
-3
-1
3.5
9
1
1
-1
2
4
12
13
4100
74
1.4142135623730951
2.5
2
44
-56
0.10000000149011612
0.0999755859375
3.140625
10
16
1000
-9223372036854775808
inf
3
-2
-1
-1
2
-5
5
1
-1
1
0
1.5
3
1024
-9223372036854775808
-9223372036854775808
0
-4
EOF
}

@test "launch: 16-bit floats round to nearest even in all cases" {
	"$B/tests/launch_eval" --halves
}

@test "launch: a syntax error names its line and what stands there" {
	refused 3 'foo' "no statement begins like this, at 'foo'"
	refused 3 'let x = 1\n\nlet y = @' "line 3: no launch file has this character, at '@'"
	refused 3 'buffer a f33[1]' "a type wanted"
	refused 3 'buffer a f32[1' "a bracket opened here is never closed"
	refused 3 'buffer a f32 1' "'[' wanted before the buffer's length"
	refused 3 'buffer i f32[1]' "the name is a word of the language, at 'i'"
	refused 3 'buffer a u8[3]\nlet a = 3' "the name is taken, at 'a'"
	refused 3 'let x = 1 +' "a number, a name or '(' wanted, at the end of the line"
	refused 3 'let x = (1 2)' "')' wanted to close '(', at '2'"
	refused 3 'let x = 1 2' "the line should end here, at '2'"
	refused 3 'let x = 12ab' "no number, at '12ab'"
	refused 3 'let x = "abc' "the string has no end"
	refused 3 'let x = y' "unknown name 'y'"
	refused 3 'let x = i' "there is no element number 'i' here"
	refused 3 'let x = min(1)' "min takes 2 arguments"
	refused 3 'let x = uniform(0, 1)' "random numbers stand only in a buffer's initial contents"
	refused 3 'buffer a u8[3]\nlet x = a' "'a' is a buffer"
	refused 3 'buffer a u8[3]\nlet x = a.last[0]' "only '.initial' can follow"
	refused 3 'repeat 3\nlet x = 1' "the 'repeat' of line 1 has no 'end'"
	refused 3 'repeat 3\nbuffer a u8[1]\nend' "cannot stand inside a block, at 'buffer'"
	refused 3 'end' "no statement begins like this, at 'end'"
	refused 3 'buffer a f32[1] = raw x' "a file name in quotes wanted"
	refused 3 'launch scale(1, 2) grid 1' "the launch has no 'block'"
	refused 3 'launch scale(1, 2) grid 1,1,1,1 block 1' "more than three sizes"
	refused 3 'launch scale(1, 2) grid 1 block 1 fast' "no part of a launch, at 'fast'"
	refused 3 'launch scale(1, 2' "a bracket opened here is never closed"
	refused 3 'expect a = 1' "no buffer has this name, at 'a'"
	refused 3 'buffer a u8[1]\nexpect a = 1 about 2' "no part of a check, at 'about'"
	refused 3 'buffer a u8[1]\ndump a hex "x"' "'raw' wanted or 'text'"
	refused 3 "let x = 1$(printf '+1%.0s' {1..2000})" "the expression has more than 1000 levels"
	refused 3 "let x = $(printf -- '-%.0s' {1..300})1" "nested more than 200 deep"
	refused 3 "$(printf 'repeat 1\\n%.0s' {1..300})" "nested more than 200 deep"
}

@test "launch: what does not fit the PTX is found before anything runs" {
	refused 3 'launch nix() grid 1 block 1' "the PTX has no kernel 'nix'; it has params, scale"
	refused 3 'expect 0\nrepeat 1\nlaunch scale(1) grid 1 block 1\nend' "line 3: kernel 'scale' takes 2 arguments, 1 are given"
	refused 3 'variable nix f32' "the PTX has no .global or .const variable 'nix'"
	refused 3 'variable params f32' "the PTX has no .global or .const variable 'params'"
}

@test "launch: values out of range name the line" {
	refused 3 'let x = 1 / 0' "an integer division by zero"
	refused 3 'let x = 1.5 & 2' "a bit operation wants integers"
	refused 3 'buffer a u8[0]' "the buffer's length is 0, not between 1 and"
	refused 3 'buffer a u8[2.5]' "the buffer's length is 2.5, an integer wanted"
	refused 4 'buffer a u8[1 << 40]' "line 1: "
	refused 3 'buffer a u8[3]\nlet x = a[3]' "a[3] is not one of its 3 elements"
	refused 3 'buffer a u8[3]\nlet x = a[-1]' "a[-1] is not one of its 3 elements"
	refused 3 'buffer a u8[3] = a[0]' "unknown name 'a'"
	refused 3 'buffer a u8[3] = random(2, 1)' "random(A, B) wants integers, A not above B"
	refused 3 'buffer a u8[2]\ncopy a[1] = a' "2 elements do not fit into 'a', which has 1 there"
	refused 3 'buffer a u8[2]\nbuffer b f32[2]\ncopy a = b' "elements of 'a' and 'b' differ in size"
	refused 3 'buffer a u8[2]\ncopy a = a count 3' "the count is 3, not between 1 and 2"
	refused 3 'param a = 3 from 5 to 6' "param a is 3, not between 5 and 6"
	refused 3 'launch scale(1.5, 2) grid 1 block 1' "argument 1 is 1.5, but the parameter is .u64"
	refused 3 'launch params(0, 256, 0, 0, 0, 0, {u64 0, u8 0, f64 0}) grid 1 block 1' "argument 2 is 256, too large for the .u8 parameter"
	refused 3 'launch params(0, 0, 0, 0, 0, f64 0, {u64 0, u8 0, f64 0}) grid 1 block 1' "argument 6 is .f64, but the parameter has 4 bytes"
	refused 3 'launch params(0, 0, 0, 0, 0, 0, {u64 0, u8 0}) grid 1 block 1' "argument 7 does not have the parameter's 24 bytes"
	refused 3 'launch params(0, 0, 0, 0, 0, 0, 7) grid 1 block 1' "argument 7: the parameter is a structure of 24 bytes"
	refused 3 'launch scale(0, 0) grid 0 block 1' "a size of the grid is 0"
	refused 2 'launch scale(0, 0) grid 1 block 2000' "line 1: "
}

@test "launch: data files must have what is asked for" {
	printf '1 2 3' >three.txt
	printf '1 x' >bad.txt
	refused 4 'buffer a u8[2] = raw "nix"' "nix: No such file or directory"
	refused 3 'buffer a u8[2] = text "three.txt"' "three.txt has more than the 2 numbers wanted"
	refused 3 'buffer a u8[4] = text "three.txt"' "three.txt has 3 numbers, 4 wanted"
	refused 3 'buffer a u8[2] = text "bad.txt"' "bad.txt: line 1: 'x' is no number"
	refused 3 'buffer a u8[6] = raw "three.txt"' "three.txt has 5 bytes, 6 wanted"
	refused 3 'buffer a u8[4] = raw "three.txt"' "three.txt has more than the 4 bytes wanted"
	refused 4 'buffer a u8[4]\ndump a raw "no/where"' "no/where: No such file or directory"
	refused 4 'buffer a u8[4]\ndump a raw "/dev/full"' "No space left"
}

@test "launch: buffers go to files and come back" {
	for type in u8 s8 u16 s16 u32 s32 u64 s64 f16 bf16 f32 f64; do
		cat >write.launch <<EOF
buffer a $type[1000] = uniform(-100, 100)
dump a raw "a.raw"
dump a text "a.txt"
EOF
		cat >read.launch <<EOF
buffer a $type[1000] = raw "a.raw"
buffer b $type[1000] = text "a.txt"
expect a = b[i]
expect b = raw "a.raw"
expect a = text "a.txt"
EOF
		run_launch params write.launch
		run_launch params read.launch
	done
	printf '# numbers\n0x10, -2\n3 # three\n' >n.txt
	printf 'buffer a s32[3] = text "n.txt"\nexpect a[0] == 16 && a[1] == -2 && a[2] == 3\n' >n.launch
	run_launch params n.launch
}

@test "launch: random contents follow from the seed" {
	printf 'buffer a u32[100] = random(0, 1 << 31)\nbuffer b u32[100] = random(0, 1 << 31)\ndump a text "-"\ndump b text "-"\n' >r.launch
	run_launch params r.launch --seed 1 >a
	run_launch params r.launch --seed 1 >b
	run_launch params r.launch --seed 2 >c
	cmp a b
	run ! cmp -s a c
	[ "$(sort -u a | wc -l)" -eq 200 ]
	printf 'buffer a u32[100] = random(3, 5) seed 9\nbuffer b u32[100] = random(3, 5) seed 9\nexpect b = a[i]\nexpect sum(k, 0, 100, a[k] == 3) > 20\nexpect sum(k, 0, 100, a[k] < 3 || a[k] > 5) == 0\n' >s.launch
	run_launch params s.launch
	printf 'buffer a f64[10000] = normal(5, 2)\nlet m = sum(k, 0, 10000, a[k]) / 10000\nexpect abs(m - 5) < 0.1\nlet v = sum(k, 0, 10000, (a[k] - m) * (a[k] - m)) / 10000\nexpect abs(v - 4) < 0.3\n' >n.launch
	run_launch params n.launch
}

@test "launch: -D replaces a param within its limits" {
	printf 'param N = 4 from 1 to 10\nlet M = N * 2\nexpect M == 6\n' >d.launch
	run_launch params d.launch -D N=3
	run -1 --separate-stderr run_launch params d.launch
	[[ $stderr == "warpcap: d.launch: line 3: what was expected is not so" ]]
	while IFS='|' read -r define message; do
		run -2 --separate-stderr run_launch params d.launch -D "$define"
		[[ $stderr == *"$message"* ]]
	done <<'EOF'
M=3|the launch file has no param 'M'
N|NAME=VALUE wanted
N=x|the value is no constant expression
N=|the value is no constant expression
N=1 2|the value is no constant expression
N=sum(k, 0, 3, k)|the value is no constant expression
N=11|param N is 11, not between 1 and 10
EOF
}

@test "launch: expectations that are not met are told one by one, and the rest still runs" {
	cat >x.launch <<'EOF'
buffer a f32[10] = i
expect a = i == 3 ? 4 : i
expect a = i + 0.25 within 0.25
expect a = i * 1.01 relative 0.001 for 5
expect a = i == 9 ? 8.5 : i within 0.25
dump a text "-" for 1
EOF
	run -1 --separate-stderr run_launch params x.launch
	[ "$output" = 0 ]
	[ "${#stderr_lines[@]}" -eq 3 ]
	[ "${stderr_lines[0]}" = "warpcap: x.launch: line 2: a[3] is 3, expected 4 (1 of 10 elements differ)" ]
	[ "${stderr_lines[1]}" = "warpcap: x.launch: line 4: a[1] is 1, expected 1.00999999 (4 of 5 elements differ)" ]
	[ "${stderr_lines[2]}" = "warpcap: x.launch: line 5: a[9] is 9, expected 8.5 (1 of 10 elements differ)" ]
}

# fault STATUS LAUNCH MESSAGE...: a launch of faults.ptx stops with STATUS; the message has each MESSAGE; the stream is whole
fault() {
	printf '%b\n' "$2" >f.launch
	run "-$1" --separate-stderr warpcap --ptx "$L/faults.ptx" --launch f.launch --limit 1M --check -o f.wcp
	[ "${#stderr_lines[@]}" -eq 1 ] || { echo "$stderr"; return 1; }
	local message
	for message in "${@:3}"; do
		[[ $stderr == *"$message"* ]] || { echo "wanted: $message got: $stderr"; return 1; }
	done
	run -0 "$B/tests/warp_counts" f.wcp
	[[ $output == *"end flags 2" ]]
}

@test "launch: a kernel that misbehaves is told like a debugger would, and the stream up to it is whole" {
	fault 1 'buffer a u32[64]\nlaunch writes(&a[0]) grid 2 block 64\nlaunch writes(&a[32]) grid 2 block 64' \
		'f.launch: line 3: ' writes faults.cu:42 0x200000000100
	fault 1 'buffer a u32[64]\nlaunch writes(a + 2) grid 1 block 32' 'line 2: ' writes
	fault 1 'launch writes(0) grid 1 block 32' 'line 1: ' writes
	fault 1 'launch endless() grid 1 block 32' 'line 1: ' endless
	fault 1 'launch half_barrier() grid 1 block 64' 'line 1: ' half_barrier
	fault 1 'launch traps() grid 1 block 1' 'line 1: ' traps
	fault 1 'buffer a u32[1]\nlaunch unwritten(a) grid 1 block 1' 'line 2: ' unwritten
}

@test "launch: an instruction that is not there stops the launch with its name, kernel and line, status 3" {
	fault 3 'buffer a u32[64]\nlaunch writes(a) grid 1 block 64\nlaunch unknown() grid 1 block 1' \
		'line 3: ' unknown frobnicate "line 43"
	printf 'buffer a u32[64]\nlaunch writes(a) grid 1 block 64\nexpect a = i\n' >ok.launch
	warpcap --ptx "$L/faults.ptx" --launch ok.launch -n
}

@test "launch: PTX that is none is told with its file and line, status 3" {
	printf '.version 6.3\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n\tadd.u32 %%r1, %%r2;\n' >x.ptx
	echo 'let x = 1' >x.launch
	run -3 --separate-stderr warpcap --ptx x.ptx --launch x.launch -n
	[[ $stderr == "warpcap: x.ptx: "*"line 6: "* ]]
	[ "${#stderr_lines[@]}" -eq 1 ]
	head -c 100 /dev/zero >x.ptx
	run -3 --separate-stderr warpcap --ptx x.ptx --launch x.launch -n
	[[ $stderr == "warpcap: x.ptx: "* ]]
}

@test "launch: standard output is not given to two" {
	printf 'buffer a u8[2] = 65\ndump a raw "-"\n' >o.launch
	run -2 --separate-stderr bash -c "warpcap --ptx '$L/faults.ptx' --launch o.launch | cat >/dev/null; exit \${PIPESTATUS[0]}"
	[[ $stderr == *"standard output is taken by the stream: use -o FILE" ]]
	run -0 --separate-stderr warpcap --ptx "$L/faults.ptx" --launch o.launch -o o.wcp
	[ "$output" = AA ]
}

@test "warpcap-launch: local variables of the module are the same in a kernel and in its functions" {
	run -0 warpcap --ptx "$L/module-local.ptx" --launch "$L/module-local.launch" -n
}

@test "warpcap: a function's parameter read through a register is refused, with its line" {
	sed 's/ld.local.u32 %a2, \[modl+8\]/ld.param.u32 %a2, [%a1]/' "$L/module-local.ptx" >reg.ptx
	run -3 --separate-stderr warpcap --ptx reg.ptx --launch "$L/module-local.launch" -n
	[[ $stderr == *"kernel 'k': PTX line 11: instruction 'ld.param.u32' is not supported" ]]
}
