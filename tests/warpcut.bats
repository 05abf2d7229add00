load helper

mk() { "$B/tests/mkstream" "$@"; }
vec() { mk -p 'vec made' -o v.wcp "$T/streams/vec.txt"; }
two() { mk -p 'two made' -o a.wcp "$T/streams/two.txt"; }
records() { warpdump -v --records "$@"; }
# A stream without its END's flags.
all() { warpdump -v "$@" | sed '$s/ partial$//'; }

# Three kernels, two programs, a child; ids and totals to follow.
three() {
	mk -o w.wcp <<'END'
link warp
host alloc address=0x1000 bytes=64 label=buf
program f
insn ld.global.f32 guarded
insn exit
program g
insn st.global.f32
insn exit
kernel f grid=4 block=32
repeat 4
seg cta=0+1 cta_begin cta_end warp_begin warp_end
run 0 2
guard 0xf
mem global affine 0x1000+4096 4
event launch at=1 arg=1 lane=2
done
end_kernel
kernel g grid=2 block=32 parent=0
repeat 2
seg cta=0+1 cta_begin cta_end warp_begin warp_end
run 0 2
mem global affine 0x9000 4
done
end_kernel
kernel f grid=4 block=32
repeat 4
seg cta=0+1 cta_begin cta_end warp_begin warp_end
run 0 2
guard 0
done
end_kernel
END
}

@test "warpcut: without options the same stream comes out, with its history" {
	vec && two && three
	for f in v a w; do
		cmp <(warpdump -v $f.wcp) <(warpcut $f.wcp | warpdump -v)
	done
	warpcut v.wcp -o o.wcp
	run -0 warpinfo --provenance o.wcp
	[[ ${lines[2]} == *"1  vec made" ]]
	[[ ${lines[3]} == *"2  warpcut v.wcp -o o.wcp" ]]
}

@test "warpcut: kernels cut apart and joined again are the original" {
	two
	warpcut --kernel 0 -o 0.wcp a.wcp
	warpcut --kernel 'bi*' -o 1.wcp a.wcp
	[ "$(warpdump 0.wcp | tail -1)" = "end: kernels 1 records 1000 partial" ]
	[ "$(warpdump 1.wcp | head -1)" = "kernel 0 bicg grid 8,1,1 block 64,1,1 regs 16 shared 0" ]
	cmp <(all a.wcp) <(warpcut 0.wcp 1.wcp | all)
	three
	for k in 0 1 2; do warpcut --kernel $k -o $k.wcp w.wcp; done
	# A child whose parent is left out stands alone; all else comes back, programs once.
	warpcut 0.wcp 1.wcp 2.wcp | all | grep -Ev '^(host|program)' >joined
	all w.wcp | grep -Ev '^(host|program)' | sed 's/ from kernel 0 cta 0 warp 0 lane 0 pc 0//; s/ depth 1 launch 0 site 0//; s/launch kernel 1/launch kernel 4294967295/' >want
	sed -i 's/launch kernel [0-9]*/launch kernel 4294967295/' joined
	diff want joined
	cmp <(warpcut --kernel 0 --kernel 1-2 w.wcp | records | sed 's/launch kernel [0-9]*//') <(records w.wcp | sed 's/launch kernel [0-9]*//')
}

@test "warpcut: a filter and its negation part a stream" {
	vec && two
	for x in 'sm 1 and load' 'cycle < 777 or warp 1' 'addr 0x200000000000-0x2000000003ff'; do
		sort <(warpcut -F "$x" a.wcp | records) <(warpcut -F "not ($x)" a.wcp | records) | cmp - <(records a.wcp | sort)
	done
	for x in 'load' 'pc 2-3 and warp 1' 'lanes < 32'; do
		sort <(warpcut -F "$x" v.wcp | records -x | grep -v '[nd]s$') <(warpcut -F "not ($x)" v.wcp | records -x | grep -v '[nd]s$') |
		    cmp - <(records -x v.wcp | grep -v '[nd]s$' | sort)
	done
}

@test "warpcut: totals of kernels are those of what is left" {
	vec
	warpcut -F store v.wcp | warpdump | grep -x 'end of kernel 0 warp instructions 4 thread instructions 20 memory instructions 4 ctas 2'
	warpcut --cta 1 v.wcp | warpdump | grep -x 'end of kernel 0 warp instructions 10 thread instructions 238 memory instructions 6 ctas 1'
	two
	warpcut --cycle 100-119 a.wcp | warpdump | grep 'end of kernel 0 .*accesses 10$'
	[ "$(warpcut --cycle 100-119 a.wcp | records | wc -l)" = 10 ]
	[ "$(warpcut --cycle 100- -F 'cycle < 120' a.wcp | records | wc -l)" = 10 ]
}

@test "warpcut: -c takes the first records, or instructions" {
	vec && two
	cmp <(warpcut -c 37 a.wcp | records) <(records a.wcp | head -37)
	cmp <(warpcut -c 37 -F 'sm 2' a.wcp | records) <(records -F 'sm 2' a.wcp | head -37)
	for n in 1 5 7 19 20; do
		cmp <(warpcut -c $n v.wcp | records -x | grep -v '[nd]s$') <(records -x v.wcp | grep -v '[nd]s$' | head -$n)
	done
	warpcut -c 7 v.wcp | warpdump >seven
	grep -x 'end of kernel 0 warp instructions 7 thread instructions 200 memory instructions 4 ctas 1' seven
	! grep 'warp 1 warp ends' seven
	grep 'warp 0 warp ends' seven
	[ "$(warpcut -c 2000 a.wcp | warpdump | tail -1)" = "end: kernels 2 records 2000" ]
}

@test "warpcut: samples are the same every time, and of about the size asked for" {
	two && three
	cmp <(warpcut --sample 1/4 a.wcp | records) <(warpcut --sample 1/4 a.wcp | records)
	! cmp -s <(warpcut --sample 1/4 a.wcp | records) <(warpcut --sample 1/4 --seed 2 a.wcp | records)
	n=$(warpcut --sample 1/4 --sample-by record a.wcp | records | wc -l)
	[ "$n" -gt 400 ] && [ "$n" -lt 600 ]
	# By line: a line is there with all its records, or not at all.
	warpcut --sample 1/4 a.wcp | warpdump --tsv --columns line | sort | uniq -c >kept
	warpdump --tsv --columns line a.wcp | sort | uniq -c >were
	[ -z "$(comm -23 <(sort kept) <(sort were))" ]
	[ "$(wc -l <kept)" -gt 6 ] && [ "$(wc -l <kept)" -lt 30 ]
	warpcut --sample 1/2 --sample-by cta a.wcp | warpdump --tsv --columns kernel,cta | sort | uniq -c >kept
	warpdump --tsv --columns kernel,cta a.wcp | sort | uniq -c >were
	[ -z "$(comm -23 <(sort kept) <(sort were))" ]
	cmp <(warpcut --sample 3/3 w.wcp | all) <(all w.wcp)
	[ "$(warpcut --sample 1/2 w.wcp | warpdump | grep -c 'cta begins')" = "$(warpcut --sample 1/2 w.wcp | warpdump | grep -c 'cta ends')" ]
}

@test "warpcut: split by SM and merged by cycle, the records are the original's" {
	two
	warpcut --split sm -o 'sm%n.wcp' a.wcp
	[ "$(echo sm*.wcp)" = "sm0.wcp sm1.wcp sm2.wcp sm3.wcp" ]
	for i in 0 1 2 3; do
		[ "$(warpdump --tsv --columns sm sm$i.wcp | sed 1d | sort -u)" = $i ]
		warpdump sm$i.wcp | tail -1 | grep -q ' partial$'
	done
	columns=cycle,sm,name,cta,warp,pc,kind,line,id,outcome,flags
	cmp <(warpcut --merge cycle sm?.wcp | warpdump --records --columns $columns) <(warpdump --records --columns $columns a.wcp)
	cmp <(warpcut --merge cycle -j 3 sm?.wcp | warpdump -v) <(warpcut --merge cycle sm?.wcp | warpdump -v)
}

@test "warpcut: merging by cycle orders ties by SM, then operand" {
	one() { { echo link access; echo "kernel $1"; shift; for r; do echo "access $r"; done; echo end_kernel; } | mk; }
	one x 'cycle=1 sm=1' 'cycle=4 sm=0' 'cycle=4 sm=2' 'cycle=9' >x.wcp
	one y 'cycle=0' 'cycle=4 sm=1' 'cycle=4 sm=2' >y.wcp
	run -0 bash -c 'warpcut --merge cycle x.wcp y.wcp | warpdump --records --columns cycle,sm,name,id'
	diff - <(echo "$output") <<'END'
0 sm 0 y id 0
1 sm 1 x id 1
4 sm 0 x id 2
4 sm 1 y id 3
4 sm 2 x id 4
4 sm 2 y id 5
9 sm 0 x id 6
END
	run -0 bash -c 'warpcut --merge cycle -c 3 x.wcp y.wcp | warpdump | tail -1'
	[ "$output" = "end: kernels 2 records 3 partial" ]
	run -0 bash -c 'warpcut --merge cycle -c 3 x.wcp y.wcp | warpdump | grep "^end of kernel" | sed "s/.*accesses/accesses/"'
	[ "$output" = "$(printf 'accesses 2\naccesses 1')" ]
}

@test "warpcut: split by kernel" {
	three
	warpcut --split kernel -o 'k%n%%.wcp' w.wcp
	[ "$(echo k*.wcp)" = "k0%.wcp k1%.wcp k2%.wcp" ]
	cmp <(warpcut k?%.wcp | records | sed 's/launch kernel [0-9]*//') <(records w.wcp | sed 's/launch kernel [0-9]*//')
	[ "$(warpcut k?%.wcp | warpdump --program | grep -c ^program)" = 2 ]
}

@test "warpcut: several inputs get kernels and ids of their own" {
	two && three
	warpcut a.wcp a.wcp -o aa.wcp
	[ "$(warpdump --tsv --columns id aa.wcp | sed 1d | sort -n | uniq | wc -l)" = 4000 ]
	[ "$(warpdump aa.wcp | grep -c '^kernel')" = 4 ]
	cmp <(warpcut w.wcp w.wcp | records | sed 's/launch.*//') <(cat w.wcp w.wcp | records | sed 's/launch.*//')
	warpcut w.wcp w.wcp | warpdump | grep -x 'kernel 3 cta 0 warp 0 pc 1 launch kernel 4 lane 2'
	run -3 bash -c 'warpcut a.wcp w.wcp | cat; exit ${PIPESTATUS[0]}'
	[[ $output == *"warpcut: w.wcp: "*ACCESS* ]]
}

@test "warpcut: -j and -Z do not change what the stream says" {
	two
	for o in "-F load" "--sample 1/3" "--kernel 1"; do
		# shellcheck disable=SC2086
		for z in 0 1; do
			warpcut $o -Z $z -o x a.wcp
			for j in 2 5; do
				warpcut $o -Z $z -j $j -o y a.wcp
				cmp <(warpdump -v x) <(warpdump -v y)
			done
		done
	done
}

@test "warpcut: an input that breaks off leaves what was whole, marked, and status 3" {
	vec && two
	size=$(stat -c %s a.wcp)
	for ((n = 0; n < size; n += 211)); do
		head -c "$n" a.wcp >t.wcp
		status=0
		rm -f o.wcp
		warpcut -o o.wcp t.wcp 2>err || status=$?
		[ $status = 3 ] || { [ $status = 0 ] && [ "$n" -gt $((size - 300)) ]; }
		[ -e o.wcp ] || continue
		warpdump o.wcp >part
		[ $status = 0 ] || tail -1 part | grep -q ' partial$'
		records o.wcp | cmp -n "$(records o.wcp | wc -c)" - <(records a.wcp)
	done
}

@test "warpcut: an interrupted one ends its stream in order, says so and dies of the signal" {
	two
	half=$(($(stat -c %s a.wcp) / 2))
	mkfifo in go
	{ head -c $half a.wcp && read -r <go && tail -c +$((half + 1)) a.wcp; } >in 3>&- &
	warpcut -o o.wcp - <in 2>err 3>&- &
	pid=$!
	until ls | grep -q 'part$'; do sleep 0.05; done
	kill -TERM $pid
	echo >go
	status=0
	wait $pid || status=$?
	[ $status = 143 ]
	[ "$(cat err)" = "warpcut: warning: interrupted; the output covers what was done until then" ]
	warpdump o.wcp | tail -1 | grep -q interrupted
	[ -z "$(ls | grep 'part$')" ]
}

@test "warpcut: usage errors" {
	vec && two
	run -2 warpcut --split sm -o out a.wcp
	[[ $output == "warpcut: --split needs -o FILE with %n in it"* ]]
	run -2 warpcut --split moon -o %n a.wcp
	run -2 bash -c 'warpcut --split sm -o %n v.wcp'
	run -2 bash -c 'warpcut --merge cycle v.wcp | cat; exit ${PIPESTATUS[0]}'
	run -2 bash -c 'warpcut --cycle 1-2 v.wcp | cat; exit ${PIPESTATUS[0]}'
	run -2 bash -c 'warpcut --sample 2 a.wcp | cat; exit ${PIPESTATUS[0]}'
	run -2 bash -c 'warpcut --sample 3/2 a.wcp | cat; exit ${PIPESTATUS[0]}'
	run -2 bash -c 'warpcut --sample-by line a.wcp | cat; exit ${PIPESTATUS[0]}'
	run -2 bash -c 'warpcut --sample 1/2 --sample-by line v.wcp | cat; exit ${PIPESTATUS[0]}'
	run -2 bash -c 'warpcut -F "sm 3 or (" a.wcp | cat; exit ${PIPESTATUS[0]}'
	[ "${lines[1]}" = "    sm 3 or (" ]
	run -2 bash -c 'warpcut -F "load) or (store" a.wcp | cat; exit ${PIPESTATUS[0]}'
	run -2 bash -c 'warpcut --kernel "a\"b" a.wcp | cat; exit ${PIPESTATUS[0]}'
	[ -z "$(ls | grep -v wcp$)" ]
}

@test "warpcut: a full disk is status 4 and leaves no file; a report says how much was kept" {
	two
	run -4 bash -c 'warpcut a.wcp >/dev/full'
	[[ $output == "warpcut: standard output: "*"No space left on device" ]]
	run -4 warpcut -o nowhere/x.wcp a.wcp
	[ "$output" = "warpcut: nowhere/x.wcp: cannot create: No such file or directory" ]
	run -4 warpcut --split sm -o nowhere/%n a.wcp
	[[ $output == "warpcut: nowhere/"[0-9]*": cannot create: No such file or directory" ]]
	run -4 warpcut -o x.wcp -r nowhere/report a.wcp
	[ "$output" = "warpcut: nowhere/report: No such file or directory" ]
	run -0 warpcut -F load -o x.wcp -r report --tsv a.wcp
	[ "$output" = "" ]
	grep -qx "$(printf 'accesses\t1000\t')" report
	grep -qx "$(printf 'of\t2000\t')" report
	run -0 warpcut -F load -o x.wcp a.wcp
	[ "$output" = "" ]
}
