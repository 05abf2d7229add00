load helper

mk() { "$B/tests/mkstream" "$@"; }

vec() { mk -o v.wcp "$T/streams/vec.txt"; }
two() { mk -o a.wcp "$T/streams/two.txt"; }

@test "warpdump: a WARP stream as text" {
	vec
	run -0 --separate-stderr warpdump v.wcp
	[ "$stderr" = "" ]
	diff - <(echo "$output" | sed -n '1,18p;$p') <<'END'
host alloc 0x200000000000 bytes 4096 A
kernel 0 vec grid 2,1,1 block 64,1,1 regs 16 shared 0
kernel 0 cta 0 warp 0 cta begins
kernel 0 cta 0 warp 0 warp begins
kernel 0 cta 0 warp 0 pc 0-4 lanes 0xffffffff
kernel 0 cta 0 warp 0 pc 0 lanes 0xffffffff ld.param.u64 param 0x0
kernel 0 cta 0 warp 0 pc 2 lanes 0xffffffff ld.global.f32 global 0x200000000000+4*l
kernel 0 cta 0 warp 0 pc 3 lanes 0xff @p_st global 0x200000001000+4*l
kernel 0 cta 0 warp 0 warp ends
kernel 0 cta 0 warp 1 warp begins
kernel 0 cta 0 warp 1 pc 0-1 lanes 0xffffffff
kernel 0 cta 0 warp 1 pc 0 lanes 0xffffffff ld.param.u64 param 0x0
kernel 0 cta 0 warp 1 pc 2-3 lanes 0xf
kernel 0 cta 0 warp 1 pc 2 lanes 0xf ld.global.f32 global 0x200000000010,0x200000000100,0x200000000204,0x200000000308
kernel 0 cta 0 warp 1 pc 3 lanes 0x3 @p_st global 0x200000001000+4*(l%2)+256*(l/2)
kernel 0 cta 0 warp 1 pc 4 lanes 0xffffffff
kernel 0 cta 0 warp 1 warp ends
kernel 0 cta 0 warp 1 cta ends
end: kernels 1 records 20
END
	[[ $output == *"end of kernel 0 warp instructions 20 thread instructions 476 memory instructions 12 ctas 2"* ]]
}

@test "warpdump: -x prints every instruction" {
	vec
	run -0 warpdump -x --records -F 'cta 0' v.wcp
	diff - <(echo "$output") <<'END'
kernel 0 cta 0 warp 0 pc 0 lanes 0xffffffff ld.param.u64 param 0x0
kernel 0 cta 0 warp 0 pc 1 lanes 0xffffffff mov.u32
kernel 0 cta 0 warp 0 pc 2 lanes 0xffffffff ld.global.f32 global 0x200000000000+4*l
kernel 0 cta 0 warp 0 pc 3 lanes 0xff @p_st global 0x200000001000+4*l
kernel 0 cta 0 warp 0 pc 4 lanes 0xffffffff exit
kernel 0 cta 0 warp 1 pc 0 lanes 0xffffffff ld.param.u64 param 0x0
kernel 0 cta 0 warp 1 pc 1 lanes 0xffffffff mov.u32
kernel 0 cta 0 warp 1 pc 2 lanes 0xf ld.global.f32 global 0x200000000010,0x200000000100,0x200000000204,0x200000000308
kernel 0 cta 0 warp 1 pc 3 lanes 0x3 @p_st global 0x200000001000+4*(l%2)+256*(l/2)
kernel 0 cta 0 warp 1 pc 4 lanes 0xffffffff exit
END
}

@test "warpdump: programs, events, generic accesses and more than four addresses" {
	mk >g.wcp <<'END'
link warp
program k
insn ld.f32 dst=3 src=1,2 line=dir/k.cu:9
insn bar.sync bar=1
insn bra target=0 reconverge=2 src=4
kernel k grid=1 block=32
seg cta=0 cta_begin warp_begin
run 0 3 mask=0x3f
mem global list 0x100 0x200 0x300 0x400 0x500 mask=0x1f more
mem shared affine 0x40 -8 mask=0x20
event barrier at=1 arg=0x4000000003
event spin at=2
end fault
END
	run -0 --separate-stderr warpdump --program g.wcp
	diff - <(echo "$output") <<'END'
program 0 k instructions 3
  0 ld.f32 class load load generic bytes 4 r 3 <- 1,2 dir/k.cu:9
  1 bar.sync class barrier end_run
  2 bra class branch r <- 4 to 0 meets 2 end_run
END
	run -0 --separate-stderr warpdump g.wcp
	diff - <(echo "$output") <<'END'
kernel 0 k grid 1,1,1 block 32,1,1 regs 16 shared 0
kernel 0 cta 0 warp 0 cta begins
kernel 0 cta 0 warp 0 warp begins
kernel 0 cta 0 warp 0 pc 0-2 lanes 0x3f
kernel 0 cta 0 warp 0 pc 0 lanes 0x1f ld.f32 global 0x100,0x200,0x300,0x400 and 1 more
kernel 0 cta 0 warp 0 pc 0 lanes 0x20 ld.f32 shared 0x40-8*l
kernel 0 cta 0 warp 0 pc 1 barrier id 3 threads 64
kernel 0 cta 0 warp 0 pc 2 spin
end: kernels 1 records 3 fault
END
	run -0 --separate-stderr warpdump -v --records -F 'pc 0' g.wcp
	[ "${lines[1]}" = "kernel 0 cta 0 warp 0 pc 0 lanes 0x1f ld.f32 global 0x100,0x200,0x300,0x400,0x500 dir/k.cu:9" ]
}

@test "warpdump: an ACCESS stream as text, TSV and JSON" {
	mk >a.wcp <<'END'
link access
program atax
insn ld.global.f32 line=atax.cu:4
kernel atax grid=1 block=32
access cycle=7 sm=3 cta=5 warp=2 line=0x200000000080 sectors=0x3 lanes=0xff l1=miss l2=hit first divergent tag=4
access cycle=9 sm=65535 kind=store space=local l1=forward victim=0x80 owner=6 slot=1 uncached dirty
end_kernel
END
	run -0 --separate-stderr warpdump a.wcp
	diff - <(echo "$output") <<'END'
kernel 0 atax grid 1,1,1 block 32,1,1 regs 16 shared 0
7 sm 3 kernel 0 cta 5 warp 2 pc 0 load global 0x200000000080 sectors 0x3 lanes 0xff divergent first l1:miss l2:hit
9 kernel 0 cta 0 warp 0 pc 0 store local 0x0 sectors 0xf lanes 0xffffffff uncached dirty l1:forward
end of kernel 0 warp instructions 0 thread instructions 0 memory instructions 0 ctas 0 accesses 2
end: kernels 1 records 2
END
	run -0 --separate-stderr warpdump --tsv --columns sm,line,flags,victim,owner,bytes,name,opcode,source a.wcp
	diff - <(echo "$output") <<END
$(printf 'sm\tline\tflags\tvictim\towner\tbytes\tname\topcode\tsource')
$(printf '3\t0x200000000080\tdivergent,first\t\t\t64\tatax\tld.global.f32\tatax.cu:4')
$(printf '\t0x0\tuncached,dirty\t0x80\t6\t128\tatax\tld.global.f32\tatax.cu:4')
END
	run -0 --separate-stderr warpdump --json --records --columns cycle,sm,outcome,tag a.wcp
	diff - <(echo "$output") <<'END'
{"type": "access", "cycle": 7, "sm": 3, "outcome": "l1:miss,l2:hit", "tag": 4}
{"type": "access", "cycle": 9, "sm": null, "outcome": "l1:forward", "tag": 0}
END
}

@test "warpdump: JSON lines are JSON" {
	command -v python3 || skip "no python3"
	vec && two
	for o in "v.wcp" "-x v.wcp" "-v v.wcp" "--program v.wcp" "a.wcp" "-v a.wcp"; do
		# shellcheck disable=SC2086
		warpdump --json $o | python3 -c 'import json, sys
for line in sys.stdin: json.loads(line)["type"]'
	done
}

@test "warpdump: TSV of WARP has as many fields in every line" {
	vec
	[ "$(warpdump --tsv v.wcp | awk -F'\t' '{print NF}' | sort -u)" = 15 ]
	[ "$(warpdump --tsv -x v.wcp | awk -F'\t' '{print NF}' | sort -u)" = 15 ]
}

@test "warpdump: -c stops, and does not wait for more than it prints" {
	two
	[ "$(warpdump -c 3 a.wcp | wc -l)" = 3 ]
	[ "$(warpdump -c 3 --tsv a.wcp | wc -l)" = 4 ]
	# The writer keeps the pipe open: an answer must come from what has been sent.
	mkfifo pipe
	bash -c 'cat a.wcp; exec sleep 60' >pipe 3>&- &
	run -0 timeout 20 warpdump -c 2 - <pipe
	kill $!
	[ "${#lines[@]}" = 2 ]
}

@test "warpdump: -j and compression do not change a byte" {
	two
	mk -Z 0 -o raw.wcp "$T/streams/two.txt"
	for j in 1 2 4; do
		cmp <(warpdump a.wcp) <(warpdump -j $j raw.wcp)
		cmp <(warpdump a.wcp) <(warpdump -j $j <a.wcp)
	done
}

@test "warpdump: what is whole of a truncated stream is printed, with status 3" {
	vec
	size=$(stat -c %s v.wcp)
	warpdump v.wcp >all
	for ((n = 0; n < size; n += 29)); do
		head -c "$n" v.wcp >t.wcp
		status=0
		warpdump t.wcp >part 2>err || status=$?
		if [ $status != 0 ]; then
			[ $status = 3 ]
			[ "$(wc -l <err)" = 1 ]
			grep -q '^warpdump: t.wcp: ' err
		fi
		cmp -n "$(stat -c %s part)" part all
	done
}

@test "warpdump: usage errors" {
	vec && two
	run -2 warpdump --columns cycle,moon a.wcp
	[[ $output == "warpdump: --columns: there is no column 'moon'"* ]]
	run -2 warpdump --columns sm,sm a.wcp
	run -2 warpdump --columns '' a.wcp
	run -2 warpdump --columns sm v.wcp
	run -2 warpdump -x a.wcp
	run -2 warpdump --program --tsv a.wcp
	run -2 warpdump -c 0 a.wcp
	run -4 warpdump nowhere.wcp
	[[ $output == "warpdump: nowhere.wcp: "* ]]
}

@test "warpdump: a full disk is status 4, a closed pipe ends it by SIGPIPE" {
	two
	run -4 --separate-stderr bash -c 'warpdump a.wcp >/dev/full'
	[[ $stderr == "warpdump: standard output: "*"No space left on device" ]]
	run -0 bash -c 'mk="$B/tests/mkstream"; { echo link access; echo kernel k; echo repeat 100000; echo access; echo done; } | "$mk" | { warpdump; echo "status $?" >&2; } 2>err | head -1 >/dev/null; cat err'
	[ "$output" = "status 141" ]
}
