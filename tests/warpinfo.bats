load helper

mk() { "$B/tests/mkstream" "$@"; }
vec() { mk -p 'first step' -p 'second step' -o v.wcp "$T/streams/vec.txt"; }
two() { mk -o a.wcp "$T/streams/two.txt"; }
# The value of a row of the summary.
value() { awk -F'\t' -v name="$1" '$1 == name {print $2}'; }

@test "warpinfo: the summary of a WARP stream, by hand" {
	vec
	warpinfo --summary --tsv v.wcp >s
	[ "$(value kind <s)" = WARP ]
	[ "$(value whole <s)" = yes ]
	[ "$(value kernels <s)" = 1 ]
	# 4 warps of 5 instructions; lanes: 32+32+32+8+32 and 32+32+4+2+32, twice
	[ "$(value warp_instructions <s)" = 20 ]
	[ "$(value thread_instructions <s)" = 476 ]
	[ "$(value lanes_per_instruction <s)" = 23.8 ]
	[ "$(value memory_instructions <s)" = 12 ]
	# lines: each CTA 1 + 1 for warp 0, 4 + 1 for warp 1
	[ "$(value accesses <s)" = 14 ]
	[ "$(value lines_per_request <s)" = 1.75 ]
	[ "$(value divergent_loads <s)" = 50 ]
	# lines at 0x2000000000: 00, 80, 100, 200, 300; at 0x200000001000: 000, 080
	[ "$(value footprint <s)" = 7 ]
	[ "$(value footprint_bytes <s)" = 896 ]
	[ "$(value apki <s)" = "$(awk 'BEGIN {printf "%.17g", 1000 * (14 / 476)}')" ] || value apki <s | grep -q '^29\.41176'
}

@test "warpinfo: sections of a WARP stream" {
	vec
	run -0 --separate-stderr warpinfo --provenance --kernels --classes --accesses --coalescing --footprint --host v.wcp
	[ "$stderr" = "" ]
	diff - <(echo "$output") <<'END'
Provenance
step  command
   1  first step
   2  second step

Kernels
id  name  grid   block   regs  shared  ctas  warp_insns  thread_insns  mem_insns  accesses   apki
                                    B                                                lines
 0  vec   2,1,1  64,1,1    16       0     2          20           476         12        14  29.41

Executed instructions by class
class  warp_insns  share  thread_insns     lanes
                       %                per insn
move            4   20.0           128     32.00
load            8   40.0           200     25.00
store           4   20.0            20      5.00
exit            4   20.0           128     32.00

Memory accesses by space and kind
space   kind   requests        lanes  requested  accesses  sectors  divergent
                         per request          B     lines
global  load          4        18.00        288        10       16          2
global  store         4         5.00         80         4        4          0
param   load          4        32.00       1024         -        -          -

Coalescing into 128-byte lines
space   kind         lines      sectors  ideal  useful  sector_efficiency  line_efficiency  divergent
               per request  per request  lines       B                  %                %          %
global  load         2.500        4.000  0.562     288               56.2             22.5       50.0
global  store        1.000        1.000  0.156      80               62.5             15.6        0.0

Distinct 128-byte lines and 32-byte sectors touched
space   lines  line_bytes  sectors  sector_bytes
                        B                      B
global      7         896       13           416

What the host did
operation  count  bytes
                      B
alloc          1   4096
END
}

@test "warpinfo: local memory is interleaved, shared memory has no lines, a generic access is two requests" {
	mk >g.wcp <<'END'
link warp
program k
insn ld.local.f32
insn st.shared.f32
insn ld.f32
kernel k grid=2 block=64 local=8
repeat 2
seg cta=0+1 warp=0
run 0 3
mem local affine 4 0
mem shared affine 0 4
mem global affine 0x1000 0 mask=0xffff more
mem shared affine 0 4 mask=0xffff0000
seg cta=0+1 warp=1
run 0 1
mem local affine 0 0
done
END
	run -0 --separate-stderr warpinfo --tsv --accesses --footprint g.wcp
	diff - <(echo "$output") <<END
#table accesses
$(printf 'space\tkind\trequests\tlanes\trequested\taccesses\tsectors\tdivergent')
$(printf 'global\tload\t2\t16\t128\t2\t2\t0')
$(printf 'shared\tload\t2\t16\t128\t\t\t')
$(printf 'shared\tstore\t2\t32\t256\t\t\t')
$(printf 'local\tload\t4\t32\t512\t4\t16\t0')
# title: Memory accesses by space and kind
$(printf '# units: \t\t\tper request\tB\tlines\t\t')

#table footprint
$(printf 'space\tlines\tline_bytes\tsectors\tsector_bytes')
$(printf 'global\t1\t128\t1\t32')
$(printf 'local\t4\t512\t16\t512')
# title: Distinct 128-byte lines and 32-byte sectors touched
$(printf '# units: \t\tB\t\tB')
# report: warpinfo
END
	[ "$(warpinfo --tsv --summary g.wcp | value memory_instructions)" = 8 ]
}

@test "warpinfo: an ACCESS stream" {
	two
	warpinfo --tsv a.wcp >s
	[ "$(value kind <s)" = ACCESS ]
	[ "$(value sms <s)" = 4 ]
	[ "$(value first_cycle <s)" = 0 ]
	[ "$(value last_cycle <s)" = 3998 ]
	[ "$(value accesses <s)" = 2000 ]
	[ "$(value footprint <s)" = 64 ]
	grep -qx "$(printf '1\thit\t1000\t50')" s
	grep -qx "$(printf '2\thit\t1000\t100')" s
	[ "$(warpinfo --tsv --summary -F 'kernel 0 and cycle < 20' a.wcp | value accesses)" = 10 ]
}

@test "warpinfo: footprint and counts agree with what warpflat makes of the stream" {
	command -v warpflat || skip "no warpflat"
	vec
	warpflat v.wcp | warpinfo --tsv --summary >flat
	warpinfo --tsv --summary v.wcp >warp
	for name in thread_instructions accesses apki lines_per_request sector_efficiency line_efficiency divergent_loads footprint; do
		[ "$(value $name <flat)" = "$(value $name <warp)" ]
	done
}

@test "warpinfo: a truncated stream is reported as far as it is whole, with status 3" {
	vec
	size=$(stat -c %s v.wcp)
	for ((n = 60; n < size; n += 37)); do
		head -c "$n" v.wcp >t.wcp
		run --separate-stderr warpinfo --summary t.wcp
		[ "$status" = 3 ] || [ "$status" = 0 ]
		if [ "$status" = 3 ]; then
			[[ $stderr == "warpinfo: t.wcp: "* ]]
			[ "$output" = "" ] || [[ ${lines[1]} == "whole "*"no: "* ]]
		fi
	done
	head -c $((size - 60)) v.wcp >t.wcp
	run -3 --separate-stderr warpinfo --summary t.wcp
	[[ ${lines[1]} == *"no: truncated"* ]]
}

@test "warpinfo: flags of the end are told" {
	{ cat "$T/streams/vec.txt"; echo end partial interrupted; } | mk >p.wcp
	run -0 warpinfo --summary p.wcp
	[[ ${lines[1]} == *"yes, records were left out on purpose, recording was interrupted" ]]
}

@test "warpinfo: -j, pipes and compression change nothing" {
	two
	mk -Z 0 -o raw.wcp "$T/streams/two.txt"
	warpinfo --tsv --accesses --kernels --footprint --outcomes a.wcp >want
	for j in 1 3; do
		cmp want <(warpinfo -j $j --tsv --accesses --kernels --footprint --outcomes raw.wcp)
		cmp want <(warpinfo -j $j --tsv --accesses --kernels --footprint --outcomes <a.wcp)
	done
}

@test "warpinfo: JSON is JSON, -r writes a file, a full disk is status 4" {
	vec
	if command -v python3; then warpinfo --json v.wcp | python3 -m json.tool >/dev/null; fi
	run -0 warpinfo --summary -r report v.wcp
	[ "$output" = "" ]
	grep -q '^kind' report
	run -4 bash -c 'warpinfo v.wcp >/dev/full'
	run -3 warpinfo /dev/null
	run -4 warpinfo nowhere
	echo "not a stream at all, but long enough to look at" >x
	run -3 warpinfo x
}
