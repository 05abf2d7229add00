load helper

M=$B/tests/mkstream
SLOW=$B/tests/flat_slow

# Two CTAs of two warps; a barrier stands between a load and a store.
small() {
	"$M" -o small.wcp <<'EOF'
link warp
program k
insn ld.global.u32 bytes=4
insn bar.sync bar=0 class=barrier
insn st.global.u32 bytes=4
insn exit
kernel k grid=2 block=64 regs=8
host alloc address=0x1000 bytes=64 label=buffer
repeat 2
seg cta=0+1 warp=0 cta_begin warp_begin warp_end
run 0 4
mem global affine 0x1000 4
mem global affine 0x2000 64
seg cta=0+1 warp=1 warp_begin warp_end cta_end
run 0 4 mask=0xff
mem global affine 0x1084 4
mem global list 0x8000 0x8004 0x9000 0x9004 0x8008 0x9008 0x8000 0x9060
done
end_kernel
EOF
}

# Everything at once: 37 CTAs, odd masks, all shapes, vectors, local memory, barriers, warps that end early.
mixed() {
	"$M" -o mixed.wcp <<'EOF'
link warp
program k
insn ld.global.u32 bytes=4
insn bar.sync bar=0 class=barrier
insn st.global.v4.u32 bytes=16
insn ld.local.u64 bytes=8
insn ld.global.cg.u8 bytes=1 uncached
insn st.global.u32 bytes=4
insn bar.sync bar=1 class=barrier
insn ld.shared.u32 bytes=4
insn exit
kernel k grid=37 block=96 regs=8 local=16
repeat 37
seg cta=0+1 warp=0 cta_begin warp_begin warp_end
run 0 9 mask=0x1~0xffffffff*17
mem global affine 0x1000~4096*4 4
mem global affine 0x2000~999*16 128
mem local affine 0~2*8 0
mem global tile16 0x3000~99*64 1 128
mem global affine 0x9000~99*64 -4
mem shared affine 0 4
seg cta=0+1 warp=1 warp_begin
run 0 5 mask=0xff
mem global affine 0x1080 4
mem global list 0x8000 0x8010 0x9000 0x9010 0x8020 0x9020 0xa000 0xa010
mem local list 0 8 0 0 8 0 0 8
mem global affine 0x1080 0
flush
seg cta=0+1 warp=1 warp_end
run 0 9
mem global affine 0x1080 4
mem global affine 0x10808 16
mem local affine 8 0
mem global tile4 0x1080 1 64
mem global affine 0x10800 4
mem shared affine 0 4
seg cta=0+1 warp=2 warp_begin warp_end cta_end
run 4 2
mem global tile4 0x1080 1 64
mem global affine 0x1080 4
done
end_kernel
EOF
}

events() { warpdump "$@" | grep -v '^kernel\|^host\|^end\|^program'; }

@test "warpflat: rr deals CTAs to SMs, lets warps take turns and minds barriers" {
	small
	run -0 --separate-stderr bash -c "warpflat --sms 2 small.wcp | '$SLOW' -p -"
	want=$(
		cat <<'EOF'
0 sm 0 slot 0 cta 0 warp 0 pc 0 line 1000 sectors f lanes ffffffff bytes 128 kind 0 space 1 flags 2
1 sm 1 slot 0 cta 1 warp 0 pc 0 line 1000 sectors f lanes ffffffff bytes 128 kind 0 space 1 flags 2
2 sm 0 slot 1 cta 0 warp 1 pc 0 line 1080 sectors 3 lanes 000000ff bytes 32 kind 0 space 1 flags 2
3 sm 1 slot 1 cta 1 warp 1 pc 0 line 1080 sectors 3 lanes 000000ff bytes 32 kind 0 space 1 flags 2
EOF
	)
	[ "$(head -n 4 <<<"$output")" = "$want" ]
	# Both warps of CTA 0 come to the barrier; it opens with the second, and the first is next: 16 lines of two lanes.
	[ "${lines[4]}" = "4 sm 0 slot 0 cta 0 warp 0 pc 2 line 2000 sectors 5 lanes 00000003 bytes 8 kind 1 space 1 flags 3" ]
	[ "${lines[5]}" = "5 sm 0 slot 0 cta 0 warp 0 pc 2 line 2080 sectors 5 lanes 0000000c bytes 8 kind 1 space 1 flags 1" ]
	[[ ${lines[20]} == "20 sm 1 slot 0 cta 1 warp 0 pc 2 line 2000 "* ]]
	[ "${lines[36]}" = "36 sm 0 slot 1 cta 0 warp 1 pc 2 line 8000 sectors 1 lanes 00000053 bytes 12 kind 1 space 1 flags 2" ]
	[ "${lines[37]}" = "37 sm 0 slot 1 cta 0 warp 1 pc 2 line 9000 sectors 9 lanes 000000ac bytes 16 kind 1 space 1 flags 0" ]
	[ "${#lines[@]}" -eq 40 ]
}

@test "warpflat: cta and warp orders" {
	small
	run -0 bash -c "warpflat --order cta small.wcp | '$SLOW' -p - | awk '{print \$3, \$7, \$9, \$11}' | uniq | tr '\n' ';'"
	[ "$output" = "0 0 0 0;0 0 1 0;0 0 0 2;0 0 1 2;1 1 0 0;1 1 1 0;1 1 0 2;1 1 1 2;" ]
	run -0 bash -c "warpflat --order warp --sms 1 small.wcp | '$SLOW' -p - | awk '{print \$3, \$7, \$9, \$11}' | uniq | tr '\n' ';'"
	[ "$output" = "0 0 0 0;0 0 0 2;0 0 1 0;0 0 1 2;0 1 0 0;0 1 0 2;0 1 1 0;0 1 1 2;" ]
}

@test "warpflat: equals a slow implementation of its manual in every order and geometry" {
	mixed
	for order in rr cta warp; do
		for sms in 1 3 15; do
			for ctas in 1 2 5; do
				for sizes in "128 32" "32 32" "4096 128"; do
					read -r line sector <<<"$sizes"
					warpflat --order $order --sms $sms --ctas-per-sm $ctas --line "$line" --sector "$sector" mixed.wcp |
					    "$SLOW" -p - >got
					"$SLOW" $order $sms $ctas "$line" "$sector" mixed.wcp >want
					diff got want
				done
			done
		done
	done
	[ -s want ]
}

@test "warpflat: -j, --memory and -Z change nothing that is read back" {
	mixed
	warpflat --progress mixed.wcp -o a.wcp 2>/dev/null
	run -0 --separate-stderr warpflat -v --memory 0 mixed.wcp -o b.wcp
	[[ $stderr == *" bytes in a temporary file"* ]]
	warpflat -j 8 - <mixed.wcp >c.wcp
	warpdump a.wcp >a.txt
	warpdump b.wcp | diff - a.txt
	warpdump c.wcp | diff - a.txt
	warpflat -Z 0 mixed.wcp | warpdump | diff - a.txt
	# the same bytes but for the command line that made them
	warpflat -q -j1 mixed.wcp | "$B/tests/stream_dump" - >a.dump 2>/dev/null || skip
	warpflat -q -j8 mixed.wcp | "$B/tests/stream_dump" - | diff - a.dump
}

@test "warpflat: large CTAs go through the temporary file unharmed" {
	"$M" -o big.wcp <<'EOF'
link warp
program k
insn ld.global.u32 bytes=4
insn ld.global.u32 bytes=4
kernel k grid=2 block=64
repeat 2
seg cta=0+1 warp=0 cta_begin warp_begin warp_end
repeat 3000
run 0 2
mem global affine 0x1000+128 4
mem global list 0~999*4 0~999*8 4 8 12 16 20 24 28 32 36 40 44 48 52 56 60 64 68 72 76 80 84 88 92 96 100 104 108 112 116 120 124 128
done
seg cta=0+1 warp=1 warp_begin warp_end cta_end
repeat 3000
run 0 1
mem global affine 0x1000+128 4
done
done
end_kernel
EOF
	run -0 --separate-stderr warpflat -v --memory 1Ki big.wcp -o a.wcp
	[[ $stderr != *" 0 bytes in a temporary file"* ]]
	"$SLOW" -p a.wcp >got
	"$SLOW" rr 15 8 128 32 big.wcp >want
	cmp got want
	run -4 env TMPDIR=/nowhere "$B/bin/warpflat" --memory 0 big.wcp -o b.wcp
	[[ $output == "warpflat: "*"/nowhere/warpcap."*": No such file or directory" ]]
	[ ! -e b.wcp ]
}

@test "warpflat: --space chooses, and shared memory is refused" {
	mixed
	run -0 bash -c "warpflat --space local mixed.wcp | warpdump -F 'not local' | grep -c ' sm ' || true"
	[ "$output" = 0 ]
	warpflat --space all mixed.wcp | warpdump >all
	warpflat mixed.wcp | warpdump | diff - all
	run -2 warpflat --space global,shared mixed.wcp
	[ "$output" = "warpflat: --space: shared memory has banks, not lines: it makes no transactions (try 'warpflat -h')" ]
	run -2 warpflat --space moon mixed.wcp
	[[ $output == "warpflat: --space: 'moon' is not "* ]]
}

@test "warpflat: -F keeps what matches, and the stream says that it is a part" {
	mixed
	warpflat -F 'cta 3 and warp 1 and store' mixed.wcp | "$SLOW" -p - >part
	warpflat mixed.wcp | "$SLOW" -p - | grep -c 'cta 3 warp 1 .* kind 1 ' >n
	[ "$(wc -l <part)" -eq "$(cat n)" ]
	run ! grep -v 'cta 3 warp 1 .* kind 1 ' part
	run -0 bash -c "warpflat -F 'cta 3' mixed.wcp | warpdump | tail -n 1"
	[[ $output == *partial* ]]
}

@test "warpflat: sizes are checked" {
	small
	run -2 warpflat --line 100 small.wcp
	[[ $output == "warpflat: line of 100 bytes: must be a power of two from 32 to 4096"* ]]
	run -2 warpflat --line 4096 --sector 32 small.wcp
	[[ $output == "warpflat: sector of 32 bytes: must be a power of two from 128 to the line's 4096"* ]]
	run -2 warpflat --order zigzag small.wcp
	run -2 warpflat --sms 0 small.wcp
}

@test "warpflat: a kernel's default residency is that of a GTX 480" {
	while read -r want regs block shared; do
		"$M" -o k.wcp <<EOF
link warp
program k
insn exit
kernel k grid=1 block=$block regs=$regs dynamic=$shared
seg cta=0 warp=0 cta_begin cta_end
run 0 1
end_kernel
EOF
		run -0 bash -c "warpflat --tsv k.wcp -r - -o /dev/null | cut -f 4 | sed -n 3p"
		[ "$output" = "$want" ]
	done <<'EOF'
8 8 64 0
6 20 256 0
5 21 256 1
3 16 64 16384
1 63 1024 0
1 8 64 60000
EOF
}

@test "warpflat: kernels, host operations and totals pass through" {
	small
	run -0 bash -c "warpflat small.wcp | warpdump"
	[[ $output == *"kernel 0 k grid 2,1,1 block 64,1,1"* ]]
	[[ $output == *"end of kernel 0 warp instructions 16 "*" accesses 40"* ]]
	[[ $output == *"alloc 0x1000 64 bytes"* || $output == *buffer* ]]
}

@test "warpflat: a stream cut anywhere gives what was whole, one line and status 3" {
	small
	"$M" -Z 0 -o raw.wcp <<'EOF'
link warp
program k
insn ld.global.u32 bytes=4
kernel k grid=2 block=32
repeat 2
seg cta=0+1 warp=0 cta_begin warp_begin warp_end cta_end
run 0 1
mem global affine 0x1000 4
flush
done
end_kernel
EOF
	size=$(stat -c %s raw.wcp)
	for ((n = 0; n < size; n += 3)); do
		head -c $n raw.wcp >cut.wcp
		run -3 --separate-stderr warpflat cut.wcp -o out.wcp
		[ "${#stderr_lines[@]}" -eq 1 ]
		[[ $stderr == "warpflat: cut.wcp: "* ]]
		if [ -e out.wcp ]; then
			warpdump out.wcp >/dev/null
			rm out.wcp
		fi
	done
}

@test "warpflat: the wrong kind, a missing file, a full disk" {
	small
	warpflat small.wcp -o access.wcp
	run -3 warpflat access.wcp -o x.wcp
	[[ $output == "warpflat: access.wcp: "* ]]
	[ ! -e x.wcp ]
	run -4 warpflat nowhere.wcp -o x.wcp
	[ "$output" = "warpflat: nowhere.wcp: cannot open: No such file or directory" ]
	run -4 bash -c "warpflat small.wcp >/dev/full"
	[[ $output == "warpflat: standard output: "*"No space left on device" ]]
	run -4 warpflat small.wcp -o x.wcp -r nowhere/report
	[ "$output" = "warpflat: nowhere/report: No such file or directory" ]
	[ ! -e x.wcp ]
}

@test "warpflat: an empty stream stays one" {
	echo 'link warp' | "$M" -o empty.wcp
	run -0 --separate-stderr bash -c "warpflat empty.wcp | warpdump"
	[ -z "$stderr" ]
}
