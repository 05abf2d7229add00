load helper

mk() { "$B/tests/mkstream" "$@"; }
checked() { "$T/trace-check" "$1"; }
# slices FILE PROCESS: "from time track: name", in order
slices() {
	python3 - "$@" <<'END'
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
process = {e["pid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
track = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
for e in sorted((e for e in events if e["ph"] == "X"), key=lambda e: (e["tid"], e["ts"], -e["dur"])):
    if process[e["pid"]] == sys.argv[2]:
        print(f"{e['ts']} {e['dur']} {track[e['pid'], e['tid']]}: {e['name']}")
END
}

setup() {
	command -v python3 >/dev/null || skip "no python3"
}

@test "warpexport: a timed stream, by hand: kernels, CTAs, warps in their slots and what state they were in" {
	mk -o a.acc <<'END'
link access
program k
insn ld.global.u32 bytes=4
kernel k grid=2 block=64
state cta_begin cycle=10 sm=1 cta=0
state warp_begin cycle=10 sm=1 cta=0 warp=0 slot=2
state warp_begin cycle=10 sm=1 cta=0 warp=1 slot=3
access cycle=12 sm=1 warp=0 slot=2 line=0x1000 l1=miss
state stalled cycle=20 sm=1 cta=0 warp=0 slot=2
access cycle=25 sm=1 warp=1 slot=3 line=0x1000 l1=hit
state active cycle=30 sm=1 cta=0 warp=0 slot=2
state isolated cycle=35 sm=1 cta=0 warp=0 slot=2
state warp_end cycle=40 sm=1 cta=0 warp=0 slot=2
access cycle=45 sm=1 cta=1 warp=0 slot=2 line=0x2000 l1=miss
state barrier cycle=50 sm=1 cta=0 warp=1 slot=3
state warp_end cycle=60 sm=1 cta=0 warp=1 slot=3
state cta_end cycle=60 sm=1 cta=0
access cycle=70 sm=1 cta=1 warp=0 slot=2 line=0x3000 l1=miss
end_kernel
END
	warpexport --perfetto --interval 20 -o a.json a.acc
	[ "$(checked a.json)" = "M=14 X=9 i=0 C=5" ]
	diff - <(slices a.json "SM 1") <<'END'
10 50 CTAs 0: CTA 0 of kernel 0
45 26 CTAs 1: CTA 1 of kernel 0
10 30 warp slot 2: CTA 0 warp 0
20 10 warp slot 2: stalled
35 5 warp slot 2: isolated
45 26 warp slot 2: CTA 1 warp 0
10 50 warp slot 3: CTA 0 warp 1
50 10 warp slot 3: barrier
END
	diff - <(slices a.json GPU) <<'END'
10 61 kernels 0: k
END
	[ "$(grep '"ph":"C"' a.json | grep -o '"ts":[0-9]*\|"accesses":[0-9]*\|"l1_misses":[0-9]*' | tr '\n' ' ')" = \
	    '"ts":0 "accesses":1 "l1_misses":1 "ts":20 "accesses":1 "l1_misses":0 "ts":40 "accesses":1 "l1_misses":1 "ts":60 "accesses":1 "l1_misses":1 "ts":80 "accesses":0 "l1_misses":0 ' ]
	warpexport --perfetto --clock 2 --accesses a.acc >b.json
	[ "$(checked b.json)" = "M=16 X=9 i=4 C=2" ]
	grep -q '"ts":12.500,"name":"load".*"line":"0x1000","l1":"hit"' b.json
}

@test "warpexport: a kernel holds its CTAs whenever their states are told, slices do not overlap at any clock, names are UTF-8" {
	mk -o a.acc <<'END'
link access
program größe
insn ld.global.u32 bytes=4
kernel größe grid=2 block=32
access cycle=12 sm=1 warp=0 slot=2 line=0x1000 l1=miss
access cycle=25 sm=1 warp=0 slot=2 line=0x1000 l1=hit
state cta_begin cycle=3 sm=1 cta=0
state warp_begin cycle=5 sm=1 cta=0 warp=0 slot=2
state stalled cycle=13 sm=1 cta=0 warp=0 slot=2
state isolated cycle=14 sm=1 cta=0 warp=0 slot=2
state stalled cycle=15 sm=1 cta=0 warp=0 slot=2
state warp_end cycle=38 sm=1 cta=0 warp=0 slot=2
state cta_end cycle=40 sm=1 cta=0
end_kernel
END
	warpexport --perfetto -o a.json a.acc
	[ "$(slices a.json GPU)" = "3 37 kernels 0: größe" ]
	diff - <(slices a.json "SM 1") <<'END'
3 37 CTAs 0: CTA 0 of kernel 0
5 33 warp slot 2: CTA 0 warp 0
13 1 warp slot 2: stalled
14 1 warp slot 2: isolated
15 23 warp slot 2: stalled
END
	for clock in 1.5 700 999 1400 3333.3; do
		warpexport --perfetto --clock $clock -o c.json a.acc
		checked c.json
		# to the last digit
		slices c.json "SM 1" | awk '/stalled|isolated/ {if ($1 + 0 < end - 1e-9) bad = 1; end = $1 + $2} END {exit bad}'
	done
}

@test "warpexport: a WARP stream in the order recorded, by hand" {
	mk -o v.wcp "$T/streams/vec.txt"
	warpexport --perfetto -o v.json v.wcp
	[ "$(checked v.json)" = "M=14 X=7 i=1 C=0" ]
	# two CTAs of two warps of five instructions
	diff - <(slices v.json "CTAs and warps as recorded") <<'END'
0 10 CTAs 0: CTA 0 of kernel 0
10 10 CTAs 0: CTA 1 of kernel 0
0 5 warp slot 0: CTA 0 warp 0
10 5 warp slot 0: CTA 1 warp 0
5 5 warp slot 1: CTA 0 warp 1
15 5 warp slot 1: CTA 1 warp 1
END
	[ "$(slices v.json GPU)" = "0 20 kernels 0: vec" ]
}

@test "warpexport: real streams give valid traces, slices are as many as kernels, CTAs and warps" {
	warpcap -q -w spmv -D N=512 -o s.wcp
	warpcap -q -w reduction -D N=20000 -o r.wcp
	for w in s r; do
		warpexport --perfetto -o w.json $w.wcp
		warpflat -q $w.wcp | warpexport --perfetto -o a.json
		warpflat -q $w.wcp | warpcache -q --size 4KiB --pass all -o - | warpexport --perfetto --clock 700 --accesses -o c.json
		checked w.json
		checked a.json
		checked c.json
		[ "$(grep -c '"ph":"X".*CTA [0-9]* of kernel' w.json)" = "$(warpinfo --tsv --kernels $w.wcp | awk -F'\t' '$1 ~ /^[0-9]/ {n += $7} END {print n}')" ]
	done
}

@test "warpexport: nothing depends on how the stream is packed, piped or read; -F takes a part" {
	warpcap -q -w spmv -D N=1024 -o s.wcp
	warpflat -q -Z 0 s.wcp -o raw.acc
	warpflat -q s.wcp -o s.acc
	tail -n +3 <(warpexport --perfetto s.acc) >want
	for how in "raw.acc" "-j 3 s.acc" "-"; do
		# shellcheck disable=SC2086
		cmp want <(warpexport --perfetto $how <s.acc | tail -n +3)
	done
	warpexport --perfetto -F 'cta 3' s.acc >f.json
	checked f.json
	[ "$(grep -c '"name":"CTA 3 warp' f.json)" = "$(grep -c '"name":"CTA 3 warp' want)" ]
	run ! grep -q '"name":"CTA 4 warp' f.json
}

@test "warpexport: however a stream ends, the trace is whole and the status tells" {
	mk -o v.wcp "$T/streams/vec.txt"
	size=$(stat -c %s v.wcp)
	for ((n = 60; n < size; n += 161)); do
		head -c "$n" v.wcp >t.wcp
		run --separate-stderr warpexport --perfetto -o t.json t.wcp
		[ "$status" = 3 ]
		[[ $stderr == "warpexport: t.wcp: "* ]]
		[ ! -e t.json ] || checked t.json
	done
	run -2 --separate-stderr warpexport v.wcp
	[ "$stderr" = "warpexport: which format? --perfetto (try 'warpexport -h')" ]
	run -3 warpexport --perfetto /dev/null
	run -4 --separate-stderr bash -c "warpexport --perfetto v.wcp >/dev/full"
	[ "$stderr" = "warpexport: standard output: No space left on device" ]
	run -4 --separate-stderr warpexport --perfetto -o no/t.json v.wcp
	[ "$stderr" = "warpexport: no/t.json: No such file or directory" ]
}
