load helper

L=$T/launch

# stream FILE ARG...: records into FILE
stream() {
	local to=$1
	shift
	warpcap "$@" -o "$to"
}

@test "warpcap: -l lists every workload with one line, and each describes itself" {
	run -0 --separate-stderr warpcap -l
	[ "${#lines[@]}" -eq "$(ls "$ROOT"/share/workload/*/*.cu | wc -l)" ]
	for l in "${lines[@]}"; do
		name=${l%% *}
		run -0 --separate-stderr warpcap -l "$name"
		[ "${lines[0]%%:*}" = "$name" ]
		[[ $output == *"footprint"*"MB as it stands"* ]]
		run -0 --separate-stderr warpcap -l -w "$name"
	done
}

@test "warpcap: usage errors say what is wrong, with status 2" {
	while IFS='|' read -r args message; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr warpcap $args
		[ -z "$output" ]
		[[ $stderr == *"$message"* ]] || { echo "$args: $stderr"; false; }
	done <<'EOF'
|one of -w NAME, --ptx FILE and a program wanted
-w atax --ptx x.ptx --launch y|one of -w NAME, --ptx FILE and a program wanted
-w nosuch -n|there is no workload 'nosuch'
-l nosuch|there is no workload 'nosuch'
-l atax bfs|-l takes one workload
--ptx x.ptx|--ptx and --launch go together
-w atax --launch y|--ptx and --launch go together
--size small bfs|'bfs': a workload is recorded with -w bfs
-w atax ./program|a program goes alone, without -w, -D, --size, --ptx
-n -o x -- ./program|-n and -o contradict each other
./program args|./program: No such file or directory
no-such-program args|there is no program 'no-such-program'
-- / -w|/: Is a directory
-w atax -n -D M|-D M: NAME=VALUE wanted
-w atax -n -D =3|-D =3: NAME=VALUE wanted
-w atax -n -D Q=3|workload atax has no parameter 'Q'
-w atax -n -D M=x|-D M=x: the value is no number
-w atax -n -D M=|-D M=: the value is no number
-w atax -n -D M=1.5|the value is no integer
-w atax -n -D M=0|not between 1 and 65536
-w atax -n -D M=1Q|the value is no number
-w bfs -n -D GRAPH=tree|one of rmat, uniform, citation, dense wanted
-w bfs -n -D V=10 -D SOURCE=10|SOURCE 10 is no vertex of 10
-w bfs -n -D V=134217728 -D DEGREE=16|V times DEGREE is not below 2^31
-w bfs -n -D V=134217728 -D DEGREE=1024|bfs: 551.8 GB do not fit the device, which has 17.2 GB
-w atax --cta 5-3 -n|--cta
-w atax --limit 0 -n|--limit
-w atax -n -o x|-n and -o contradict each other
--print-ptx|--print-ptx wants a workload
-w atax -n --size big|--size big: small or paper wanted
--ptx x --launch y --size small|--size is for workloads
EOF
}

@test "warpcap: a stream is not written to a terminal" {
	command -v script >/dev/null || skip "no script(1)"
	run script -qec "warpcap -w vectoradd -D N=10" /dev/null
	[[ $output == *"standard output is a terminal"* ]]
}

# verify ARG...: results are right, and for any number of threads the same bytes as with one
verify() {
	warpcap -w "$@" --verify -j 1 >one
	warpcap -w "$@" --verify -j 8 >eight
	cmp one eight
}

@test "warpcap: vectoradd is right at any size and the same for any -j" {
	for n in 1 31 32 33 255 257 100000; do verify vectoradd -D N=$n; done
}

@test "warpcap: atax is right at any size and the same for any -j" {
	verify atax -D M=1 -D N=1
	verify atax -D M=100 -D N=300
	verify atax -D M=257 -D N=63
}

@test "warpcap: gesummv is right at any size and the same for any -j" {
	for n in 1 33 300; do verify gesummv -D N=$n; done
	verify gesummv -D N=65 -D ALPHA=-0.5 -D BETA=0
}

@test "warpcap: syrk is right at any size and the same for any -j" {
	verify syrk -D N=1 -D M=1
	verify syrk -D N=67 -D M=33
	verify syrk -D N=32 -D M=100 -D BETA=3
}

@test "warpcap: 2dconv is right at any size and the same for any -j" {
	verify 2dconv -D NI=1 -D NJ=1
	verify 2dconv -D NI=3 -D NJ=3
	verify 2dconv -D NI=131 -D NJ=77
}

@test "warpcap: gemm is right at any size and the same for any -j" {
	verify gemm -D M=1 -D N=1 -D K=1
	verify gemm -D M=33 -D N=17 -D K=50
	verify gemm -D M=64 -D N=64 -D K=64
}

@test "warpcap: bfs is right on both kinds of graph and the same for any -j" {
	verify bfs -D V=1
	verify bfs -D V=1000
	verify bfs -D V=1023 -D DEGREE=3 -D GRAPH=uniform
	verify bfs -D V=5000 -D SOURCE=7 --seed 5
}

@test "warpcap: spmv is right in both forms and the same for any -j" {
	verify spmv -D N=1 -D NNZ=1
	verify spmv -D N=1001 -D NNZ=7
	verify spmv -D N=1001 -D NNZ=40 -D FORM=vector -D EXPONENT=2
	verify spmv -D N=500 -D MATRIX=rmat -D FORM=vector
	verify spmv -D N=500 -D MATRIX=rmat
}

@test "warpcap: histogram is right at any size and the same for any -j" {
	verify histogram -D N=1
	verify histogram -D N=100003 -D CTAS=7
	verify histogram -D N=100000 -D SKEW=0.9
}

@test "warpcap: reduction is right with both finishes and the same for any -j" {
	verify reduction -D N=1 -D CTAS=1
	verify reduction -D N=100003 -D CTAS=300
	verify reduction -D N=100003 -D CTAS=33 -D FINISH=atomic
	warpcap -w reduction -D N=100003 -D FINISH=atomic --verify --relaxed -j 8 -n
}

@test "warpcap: an uncompressed stream says the same as a compressed one" {
	warpcap -w bfs -D V=2000 >packed
	warpcap -w bfs -D V=2000 -Z 0 -j 3 >plain
	diff <("$B/tests/warp_counts" packed) <("$B/tests/warp_counts" plain)
	[ "$(stat -c %s plain)" -gt "$(stat -c %s packed)" ]
}

@test "warpcap: another seed gives another input, the same seed the same stream" {
	warpcap -w bfs -D V=2000 --seed 1 >a
	warpcap -w bfs -D V=2000 --seed 1 >b
	warpcap -w bfs -D V=2000 --seed 2 >c
	cmp a b
	run ! cmp -s a c
}

# By hand, from share/workload/sdk/vectoradd.ptx: 22 instructions a warp; a thread executes all but the branch that it does not take,
# or, past N, 8 with the branch; 1000 threads in 32 warps, of which the last has 8 threads below N; each warp loads two
# lines and stores one.
@test "warpcap: vectoradd's record has the instructions and lines counted by hand" {
	warpcap -w vectoradd -D N=1000 -o v.wcp
	run -0 "$B/tests/warp_counts" v.wcp
	[[ $output == *"vectoradd ctas 4 warp 704 thread $((21 * 1000 + 8 * 24)) global 96/96"* ]]
	[[ $output == *"end flags 0"* ]]
	[[ $output == *"host 0 0x200000000000 4000 a"* ]]
}

# From share/workload/sdk/gemm.ptx: 16 + 21 before the loop, 76 an iteration, one branch out, 14 after; 2 loads an iteration and
# 2 lines each, C loaded and stored; 2 stores and 32 loads of shared memory an iteration. Branches that a thread does not take:
# one before the loop, two an iteration, the last iteration's back.
@test "warpcap: gemm's record has the instructions and lines counted by hand" {
	warpcap -w gemm -D M=32 -D N=32 -D K=32 -o g.wcp
	run -0 "$B/tests/warp_counts" g.wcp
	warp=$((32 * (16 + 21 + 2 * 76 + 1 + 14)))
	[[ $output == *"gemm ctas 4 warp $warp thread $((32 * (warp - 32 * (1 + 2 * 2 + 1)))) global 192/384 shared 2176/"* ]]
}

@test "warpcap: --kernel records only launches that match, and says so" {
	warpcap -w atax -D M=64 -D N=64 --kernel '*2' -o k.wcp --verify
	run -0 "$B/tests/warp_counts" k.wcp
	[[ $output != *atax_kernel1* ]]
	[[ $output == *"atax_kernel2 ctas 1"* ]]
	[[ $output == *"end flags 4"* ]]
}

@test "warpcap: --cta records only CTAs of the range, while all are executed" {
	for range in 0:1 3:1 1-2:2 2-:2 -1:2 0-3:4; do
		warpcap -w vectoradd -D N=1000 --cta "${range%:*}" -o c.wcp --verify
		run -0 "$B/tests/warp_counts" c.wcp
		[[ $output == *"vectoradd ctas ${range#*:} "* ]] || { echo "$range: $output"; false; }
		[[ $output == *"end flags 4"* ]]
	done
}

@test "warpcap: --skip and --max-insn record a part of a launch that is executed whole" {
	warpcap -w vectoradd -D N=100000 --max-insn 10000 -o m.wcp --verify
	run -0 "$B/tests/warp_counts" m.wcp
	[[ $output =~ thread\ ([0-9]+) ]]
	[ "${BASH_REMATCH[1]}" -le 20000 ]
	[ "${BASH_REMATCH[1]}" -gt 0 ]
	[[ $output == *"end flags 4"* ]]
	warpcap -w vectoradd -D N=100000 --skip 1000000 -o s.wcp --verify
	run -0 "$B/tests/warp_counts" s.wcp
	[[ $output =~ thread\ ([0-9]+) ]]
	[ "${BASH_REMATCH[1]}" -lt 1300000 ]
	[ "${BASH_REMATCH[1]}" -gt 1000000 ]
}

@test "warpcap: a reference that disagrees is found out with the first element, status 1" {
	"$B/tests/workload_wrong" OFF=-1
	run -1 --separate-stderr "$B/tests/workload_wrong" OFF=17
	[[ ${stderr_lines[0]} =~ ^wrong:\ wrong:\ c\[17\]\ is\ .*,\ the\ reference\ says\ .*\(1\ of\ 100\ differ\)$ ]]
	[ "${#stderr_lines[@]}" -eq 2 ]
}

@test "warpcap: a full disk is told, with status 4" {
	run -4 --separate-stderr bash -c 'warpcap -w vectoradd -D N=1M -Z 0 >/dev/full'
	[[ $stderr == *"No space left"* ]]
	[ "${#stderr_lines[@]}" -eq 1 ]
}

@test "warpcap: a closed pipe ends it quietly" {
	run -0 bash -c 'warpcap -w vectoradd -D N=4M -Z 0 | head -c 10 >/dev/null; echo "${PIPESTATUS[0]}"'
	[ "$output" = 141 ]
}

@test "warpcap: what cannot be opened is told, with status 4" {
	run -4 --separate-stderr warpcap -w vectoradd -D N=10 -o nowhere/x.wcp
	[[ $stderr == *"nowhere/x.wcp"*"No such file"* ]]
	run -4 --separate-stderr warpcap --ptx nix.ptx --launch nix.launch -n
	[[ $stderr == "warpcap: nix.ptx: "*"No such file"* ]]
	run -4 --separate-stderr warpcap --ptx "$L/faults.ptx" --launch nix.launch -n
	[[ $stderr == "warpcap: nix.launch: "*"No such file"* ]]
}

@test "warpcap: an interrupted recording can be read, and the process dies of the signal" {
	warpcap -w gemm -D M=2048 -D N=2048 -D K=2048 -o i.wcp 2>err &
	pid=$!
	sleep 1
	kill -TERM "$pid" # a shell without job control has its background jobs ignore SIGINT
	rc=0
	wait "$pid" || rc=$?
	[ "$rc" -eq 143 ]
	[[ $(cat err) == *interrupted* ]]
	run -0 "$B/tests/warp_counts" i.wcp
	[[ $output == *"end flags 1" ]]
}

@test "warpcap: a kernel without an end that is not recorded can be stopped" {
	printf '%s\n' '.version 7.0' '.target sm_70' '.address_size 64' '.visible .entry spin(.param .u64 p)' '{' \
	    '	.reg .b32 %i;' '	.reg .pred %q;' '	mov.u32 %i, 0;' 'L:	add.u32 %i, %i, 2;' '	setp.ne.u32 %q, %i, 1;' \
	    '	@%q bra L;' '	ret;' '}' >spin.ptx
	printf 'buffer x f32[32] = i\nlaunch spin(&x) grid 2 block 32\n' >spin.launch
	run -143 --separate-stderr bash -c 'warpcap -n --ptx spin.ptx --launch spin.launch & sleep 1; kill -TERM $!; wait $!'
	[[ $stderr == *interrupted* ]]
}

@test "warpcap: a stream that outgrows ulimit -f is told, with status 4, and leaves nothing" {
	run -4 --separate-stderr bash -c 'ulimit -f 1; warpcap -w vectoradd -D N=100000 -Z 0 -o big.wcp'
	[[ $stderr == "warpcap: big.wcp: write failed after "*": File too large" ]]
	[ -z "$(ls | grep big)" ]
}

@test "warpcap: -v tells each launch" {
	run -0 --separate-stderr warpcap -w reduction -D N=1000 -n -v
	[ "${#stderr_lines[@]}" -eq 2 ]
	[[ ${stderr_lines[0]} == "warpcap: reduce_pass<<<(240,1,1), (256,1,1)>>>: "*" thread instructions, "*" M/s" ]]
}

@test "warpcap: make ptx gives the committed PTX again" {
	command -v clang >/dev/null || skip "no clang"
	[[ $(clang --version) == *"clang version 14."* ]] || skip "the committed PTX is clang 14's"
	clang --print-targets | grep -q nvptx64 || skip "clang has no NVPTX backend"
	make -s -C "$ROOT" ptx PTX_OUT="$PWD/ptx" >/dev/null
	for f in "$ROOT"/share/workload/*/*.ptx; do cmp "$f" "ptx/${f#"$ROOT"/share/workload/}"; done
	[ "$(find ptx -type f | wc -l)" -eq "$(ls "$ROOT"/share/workload/*/*.ptx | wc -l)" ]
}
