load helper

# random N LINES SEED: a description of random accesses on four SMs at rising times
random() {
	awk -v n="$1" -v lines="$2" -v seed="$3" 'BEGIN {
		srand(seed)
		print "link access\nprogram k\ninsn ld.global.u32\ninsn st.global.u32"
		print "kernel k grid=2,1,1 block=64,1,1"
		for (i = 0; i < n; i++) {
			t += rand() < 0.5 ? int(rand() * 4) : 0
			if (rand() < 0.002) t += 300
			r = rand()
			kind = r < 0.6 ? "load" : r < 0.8 ? "store" : r < 0.9 ? "atomic" : r < 0.95 ? "prefetch" : "reduce"
			printf "access cycle=%d id=%d sm=%d slot=%d warp=%d line=%d sectors=%d kind=%s space=%s first\n", t, i + 1000000,
			    int(rand() * 4), int(rand() * 8), int(rand() * 2), 128 * int(rand() * lines), 1 + int(rand() * 15), kind,
			    rand() < 0.8 ? "global" : "local"
		}
		print "end_kernel 0"
	}' | "$B/tests/mkstream"
}

# spread N LINES SEED: the same far apart, so that nothing waits for anything
spread() {
	awk -v n="$1" -v lines="$2" -v seed="$3" 'BEGIN {
		srand(seed)
		print "link access\nprogram k\ninsn ld.global.u32\nkernel k grid=2,1,1 block=64,1,1"
		for (i = 0; i < n; i++)
			printf "access cycle=%d id=%d sm=%d slot=%d line=%d kind=%s\n", 100 + 5 * i, i, int(rand() * 3), int(rand() * 8),
			    128 * int(rand() * lines), rand() < 0.8 ? "load" : "store"
		print "end_kernel 0"
	}' | "$B/tests/mkstream"
}

setup_file() {
	load helper
	random 3000 300 1 >random.acc
	spread 3000 200 2 >spread.acc
	"$B/bin/warpcap" -w atax -D M=96 -D N=80 -o atax.wcp
	"$B/bin/warpflat" -o atax.acc atax.wcp
}

setup() {
	D=$BATS_FILE_TMPDIR
}

value() { awk -F'\t' -v name="$1" '$1 == name {print $2; exit}'; }

# what_goes_on: a stream's records as timed_slow prints them
what_goes_on() {
	warpdump - | awk '/ lanes /{
		sm = "-"
		for (i = 1; i <= NF; i++) {
			if ($i == "sm") sm = $(i + 1)
			if ($i == "sectors") { kind = $(i - 3); line = $(i - 1); sectors = $(i + 1) }
		}
		print $1, sm, kind, line, sectors
	}'
}

# compare OPTIONS-OF-WARPCACHE -- KEYS-OF-TIMED_SLOW
compare() {
	local options=() slow
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	warpcache --tsv --keep -r report -o - "${options[@]}" "$D/random.acc" | what_goes_on >fast.txt
	slow=$("$B/tests/timed_slow" "$D/random.acc" "$@" | sed 's/ 65535 / - /')
	sed '$d' <<<"$slow" | diff - fast.txt >different || { head -5 different; return 1; }
	# shellcheck disable=SC2046
	set -- $(tail -n 1 <<<"$slow")
	for i in 5 7 9 11; do
		local n=$((i + 1))
		awk -F'\t' -v c="${!i}" '/^#table fails/{on = 1} on && $1 == c {print $2}' report | grep -qx "${!n}" ||
			{ echo "${!i}: ${!n}"; cat report; return 1; }
	done
}

@test "warpcache: with time it agrees with caches played cycle by cycle: MSHRs, merges, miss queue" {
	compare --mshr 4x2 --miss-queue 3 --fill-latency 40 --sets 8 --ways 2 -- \
	    sets=8 ways=2 entries=4 merges=2 queue=3 latency=40
	compare --mshr 64x8 --miss-queue 8 --worst-case-room --fill-latency 200 --sets 8 --ways 4 --write evict --store-around -- \
	    sets=8 ways=4 entries=64 merges=8 queue=8 worst=1 latency=200 write=1 around=1
	compare --mshr 2x8 --fill-latency 100 --sets 4 --ways 4 --write back -- \
	    sets=4 ways=4 entries=2 merges=8 latency=100 write=2
	compare --fill-latency 0 --sets 8 --ways 4 -- sets=8 ways=4 latency=0
}

@test "warpcache: with time it agrees with caches played cycle by cycle: allocate-on-fill, dirty victims" {
	compare --mshr 4x2 --miss-queue 3 --fill-latency 40 --sets 8 --ways 2 --allocate fill --write back -- \
	    sets=8 ways=2 entries=4 merges=2 queue=3 latency=40 fill=1 write=2
	compare --miss-queue 2 --fill-latency 10 --sets 1 --ways 2 --allocate fill --write back -- \
	    sets=1 ways=2 queue=2 latency=10 fill=1 write=2
}

@test "warpcache: with time it agrees with caches played cycle by cycle: sectors, shared, ports" {
	compare --mshr 8 --miss-queue 4 --fill-latency 7 --sets 2 --ways 1 --sector 32 --write validate -- \
	    sets=2 ways=1 entries=8 queue=4 latency=7 write=3 sector=32
	compare --mshr 8 --miss-queue 4 --fill-latency 7 --sets 2 --ways 1 --sector 32 --write validate --shared -- \
	    sets=2 ways=1 entries=8 queue=4 latency=7 write=3 sector=32 shared=1
	compare --fill-latency 30 --port 32 --sets 8 --ways 4 --write back -- \
	    sets=8 ways=4 latency=30 port=32 write=2
	compare --fill-latency 30 --port 32 --miss-queue 2 --sets 1 --ways 4 --write back --allocate fill -- \
	    sets=1 ways=4 latency=30 port=32 write=2 fill=1 queue=2
}

@test "warpcache: an MSHR with two requests, then a second line, by hand" {
	"$B/tests/mkstream" >hand.acc <<'END'
link access
program k
insn ld.global.u32 line=a.cu:3
kernel k grid=2,1,1 block=32,1,1
access line=0x1000 slot=3 first
access line=0x1000 slot=3 first
access line=0x1000 slot=4 first
access line=0x2000 slot=4 first
access line=0x3000 slot=4 first
end_kernel 0
END
	# cycle 0 miss (leaves 1, comes 11); 1 merge; 2 to 10 no merge, 11 hit; 12 miss (leaves 13, comes 23);
	# 13 to 22 no MSHR, 23 miss (leaves 24, comes 34)
	run -0 warpcache --tsv --mshr 1x2 --fill-latency 10 --ages --series series.tsv --interval 10 hand.acc
	for want in cycles:35 accesses:5 hits:1 misses:4 merges:1 fetches:3 fills:3 miss_latency:10.75 delay:7.4 \
	    stall_cycles:19 stalled_accesses:2 mshrs_max:1 miss_queue_max:1; do
		[ "$(value "${want%:*}" <<<"$output")" = "${want#*:}" ] || { echo "$want"; return 1; }
	done
	[[ $(value mshrs_mean <<<"$output") == 0.942857* ]]
	diff - <(sed -n '/^#table fails/,$p' <<<"$output") <<'END'
#table fails
cause	cycles	accesses	per_kilocycle
line	0	0	0
miss_queue	0	0	0
mshr_merge	9	1	257.14285714285717
mshr_entry	10	1	285.7142857142857
# title: Reservation fails by cause

#table ages
program	pc	source	age	insns	accesses	mshrs	merges	mshrs_per_insn	mshr_cycles	stall_cycles
k	0	a.cu:3	0	2	2	1	1	0.5	11	0
k	0	a.cu:3	1	3	3	2	0	0.6666666666666666	22	19
# title: MSHRs by instruction and age of the warp
# report: warpcache
END
	diff - series.tsv <<'END'
cycle	accesses	hits	merges	misses	fail_port	fail_line	fail_miss_queue	fail_mshr_merge	fail_mshr_entry	mshr_mean	mshr_max
0	2	0	1	1	0	0	0	8	0	1.000	1
10	2	1	0	1	0	0	0	1	7	0.900	1
20	1	0	0	1	0	0	0	0	3	1.000	1
30	0	0	0	0	0	0	0	0	0	0.400	1
END
}

@test "warpcache: with time, what goes on stands in the order of cycle and SM; fills come if asked for" {
	warpcache -q -r report --mshr 4x2 --fill-latency 20 --pass fills -o on.acc "$D/random.acc"
	what_goes_on <on.acc >on.txt
	sort -s -k1,1n -k2,2n on.txt | cmp - on.txt
	[ "$(grep -c ' fill ' on.txt)" -eq "$(value fills < <(warpcache --tsv --mshr 4x2 --fill-latency 20 "$D/random.acc"))" ]
	# all accesses, when they were accepted, with what became of them
	warpcache -q -r report --mshr 4x2 --fill-latency 20 --pass all -o all.acc "$D/random.acc"
	run -0 bash -c 'warpdump all.acc | grep -c " lanes "'
	[ "$output" -eq 3000 ]
	warpdump all.acc | grep -q 'l1:pending'
	warpdump all.acc | awk '/ lanes /{print $1}' | sort -n -c
}

@test "warpcache: with time, several levels in one process and one process a level say the same" {
	one=(--mshr 8x4 --miss-queue 4 --fill-latency 60 --sets 8 --ways 2)
	two=(--mshr 16x4 --miss-queue 8 --fill-latency 150 --sets 16 --ways 4 --slices 3 --sector 32 --allocate fill --classes --vta 4)
	for input in random atax; do
		warpcache --tsv -r both.tsv -o both.acc -L 1 "${one[@]}" -L 2 "${two[@]}" "$D/$input.acc"
		warpcache --tsv -r l1.tsv -o - -L 1 "${one[@]}" "$D/$input.acc" |
		    warpcache --tsv -r l2.tsv -o pipe.acc -L 2 "${two[@]}"
		diff <(warpdump both.acc) <(warpdump pipe.acc)
		diff <(sed -n '/^#table l2$/,/^$/p' both.tsv | sed 1d) <(sed -n '/^#table summary$/,/^$/p' l2.tsv | sed 1d)
		[ "$(grep -c . l1.tsv)" -gt 30 ]
	done
}

# apart N: SMs that take long turns, most of them SM 0's, so that others fall far behind it
apart() {
	awk -v n="$1" 'BEGIN {
		srand(3)
		print "link access\nprogram k\ninsn ld.global.u32\nkernel k grid=2,1,1 block=64,1,1"
		for (i = 0; i < n; i++)
			printf "access cycle=%d id=%d sm=%d slot=%d line=%d kind=%s\n", i + (i > n / 2 ? 60000 : 0), i + 1000000,
			    int(i / 300) % 4 || rand() < 0.01 ? int(rand() * 5) : 0, int(rand() * 8), 128 * int(rand() * 4000),
			    rand() < 0.8 ? "load" : "store"
		print "end_kernel 0"
	}' | "$B/tests/mkstream"
}

# watched OPTION...: the figures are the same whether or not a series looks on
watched() {
	warpcache --tsv --by sm "$@" >alone
	warpcache --tsv --by sm --series /dev/null "$@" | diff alone -
}

@test "warpcache: figures in time are the same whether or not anyone watches single accesses" {
	watched --mshr 4x2 --miss-queue 3 --fill-latency 40 --sets 8 --ways 2 "$D/random.acc"
	watched --mshr 16x4 --miss-queue 4 --sector 32 --write evict --classes "$D/random.acc"
	watched --mshr 8x4 --miss-queue 4 --write back --worst-case-room --bypass-uncached "$D/random.acc"
	watched --mshr 16x4 --miss-queue 2 --allocate fill --write validate --write-local evict --invalidate "$D/random.acc"
	watched --mshr 8x3 --miss-queue 2 --allocate fill --write back --store-around --sets 4 "$D/random.acc"
	watched --mshr 16x2 --miss-queue 3 --write evict --write-local evict --worst-case-room --fill-latency 7 "$D/random.acc"
	watched --port 32 --mshr 16x4 --write back --allocate fill "$D/random.acc"
	watched --shared --slices 3 --mshr 8x2 --miss-queue 2 --fill-latency 20 "$D/random.acc"
	watched --ways 65 --sets 2 --mshr 8x8 --replacement fifo "$D/random.acc"
	watched --replacement plru --run-as unbounded "$D/random.acc"
}

@test "warpcache: in time, lines that differ only far up are different lines" {
	awk 'BEGIN {
		print "link access\nprogram k\ninsn ld.global.u32\nkernel k grid=1,1,1 block=32,1,1"
		for (i = 0; i < 8; i++)
			printf "access cycle=%d id=%d sm=0 line=%s\n", 1000 * i, 1000000 + i, i % 2 ? "0x7f8000001000" : "0x1000"
		print "end_kernel 0"
	}' | "$B/tests/mkstream" >up.acc
	for options in "" "--allocate fill" "--series /dev/null"; do
		# shellcheck disable=SC2086
		run -0 warpcache --tsv --mshr 4 --sets 4 --ways 2 $options up.acc
		[ "$(value hits <<<"$output") $(value misses <<<"$output")" = "6 2" ]
		# shellcheck disable=SC2086
		run -0 warpcache --tsv --mshr 4 --sets 4 --ways 1 $options up.acc
		[ "$(value hits <<<"$output") $(value misses <<<"$output")" = "0 8" ]
	done
}

@test "warpcache: so they are where SMs are far apart, and where accesses wait long" {
	apart 20000 >apart.acc
	watched --mshr 1x1 --miss-queue 2 --fill-latency 300 --sets 4 apart.acc
	watched --mshr 4x2 --miss-queue 1 --write-local through --fill-latency 9000 apart.acc
	watched --mshr 2x2 --port 4 apart.acc
}

@test "warpcache: how a stream is cut into batches changes nothing in time, nor do threads" {
	for j in 1 4; do
		warpcache -j $j --tsv -r r$j --mshr 4x2 --fill-latency 20 --ages --series s$j --interval 50 -o o$j "$D/random.acc"
	done
	cmp r1 r4
	cmp s1 s4
	cmp <(warpdump o1) <(warpdump o4)
	# where nobody watches, and no SM gets far ahead, SMs are played beside each other
	awk 'BEGIN {
		print "link access\nprogram k\ninsn ld.global.u32\nkernel k grid=15,1,1 block=64,1,1"
		for (i = 0; i < 6000; i++)
			printf "access cycle=%d id=%d sm=%d slot=%d line=%d kind=load\n", i, i + 9, i % 15, i % 8,
			    128 * (i % 15 * 8 + int(i / 90) % 8)
		print "end_kernel 0"
	}' | "$B/tests/mkstream" >"$D/together.acc"
	for name in random together; do
		warpcache -j 1 --tsv --by sm --mshr 32x8 --fill-latency 20 "$D/$name.acc" >want
		for j in 2 8; do
			warpcache -j $j --tsv --by sm --mshr 32x8 --fill-latency 20 "$D/$name.acc" | cmp - want
		done
	done
}

@test "warpcache: accesses far apart with time are those without" {
	for write in through evict back validate; do
		for allocate in miss fill; do
			options=(--tsv --sets 8 --ways 2 --write $write --by pc "$D/spread.acc")
			warpcache "${options[@]}" | sed -n '/^accesses/,/^writebacks/p' >without
			warpcache --fill-latency 0 --allocate $allocate "${options[@]}" | sed -n '/^accesses/,/^writebacks/p' >with
			diff without with
		done
	done
}

# noted FILE: classes, victim tag hits, and scenarios without what only time has
noted() {
	grep -E '^(compulsory|capacity|conflict|emptied|vta_hits|vta_self_hits)' "$1"
	sed -n '/^#table scenarios/,/^$/p' "$1" | grep -v '^#' | cut -f 1-7
}

@test "warpcache: accesses far apart have the classes, victim tags and scenarios that they have without time" {
	for options in "--write back" "--allocate fill --write validate" "--sector 32 --vta-key set" "--write evict --slices 3 --shared --vta-order lru" \
	    "--vta-ways 2 --vta-key set --slices 2 --shared --invalidate"; do
		without=${options/--allocate fill/}
		for file in spread.acc random.acc; do
			# without latency and limits nothing ever waits
			# shellcheck disable=SC2086
			warpcache --tsv --sets 4 --ways 2 --classes --vta 8 --scenarios --by warp $without "$D/$file" >without
			# shellcheck disable=SC2086
			warpcache --tsv --sets 4 --ways 2 --classes --vta 8 --scenarios --by warp --fill-latency 0 $options "$D/$file" >with
			[ "$file" = random.acc ] || diff <(noted without) <(noted with) || { echo "$options"; return 1; }
			sum=0
			for class in compulsory capacity conflict emptied; do
				sum=$((sum + $(value $class <with)))
			done
			[ "$sum" = "$(awk -F'\t' '$1 == "fills" {print $2; exit}' with)" ] || { echo "$options $file"; return 1; }
		done
	done
}

@test "warpcache: a victim's tag is there from when it left, by hand" {
	"$B/tests/mkstream" >evict.acc <<'END'
link access
kernel k
access cycle=0 id=100 line=0 slot=0
access cycle=5 id=101 line=0x200 slot=1
access cycle=14 id=102 line=0 slot=0
access cycle=20 id=103 line=0 slot=0
end_kernel 0
END
	options=(--tsv --sets 1 --ways 1 --fill-latency 10 --vta 4)
	# allocated on fill: line 0 comes at 11, is hit at 14, leaves for 0x200 at 16; at 20 its owner finds its tag
	run -0 warpcache "${options[@]}" --allocate fill evict.acc
	for want in hits:1 fills:3 merges:0 vta_hits:1 vta_self_hits:0 stall_cycles:0; do
		[ "$(value "${want%:*}" <<<"$output")" = "${want#*:}" ] || { echo "$want"; return 1; }
	done
	# allocated on miss: 0x200 waits for the way until 11 and takes it, line 0 then until 22; the last merges
	run -0 warpcache "${options[@]}" evict.acc
	for want in hits:0 fills:3 merges:1 vta_hits:1 vta_self_hits:0 stall_cycles:14; do
		[ "$(value "${want%:*}" <<<"$output")" = "${want#*:}" ] || { echo "$want"; return 1; }
	done
}

@test "warpcache: scenarios in time are what each is that is run alone" {
	for options in "--write back" "--sector 32 --allocate fill --write validate --shared --slices 3" "--write evict --port 32"; do
		for file in random.acc atax.acc; do
			# shellcheck disable=SC2206
			time=(--mshr 4x2 --miss-queue 3 --fill-latency 70 --sets 8 --ways 2 $options "$D/$file")
			warpcache --tsv --scenarios "${time[@]}" | sed '1,/^scenario/d; /^#/d; /^$/d' >table
			[ "$(wc -l <table)" -eq 3 ]
			while IFS=$'\t' read -r name accesses hits _ passed _ written cycles stalls; do
				warpcache --tsv --run-as "$name" -r one -o on.acc "${time[@]}"
				[ "$hits $written $cycles $stalls" = \
				    "$(value hits <one) $(value writebacks <one) $(value cycles <one) $(value stall_cycles <one)" ]
				[ "$accesses" -eq $(($(value accesses <one) + $(value bypassed <one))) ]
				[ "$passed" = "$(warpdump --records on.acc | wc -l)" ]
			done <table
		done
	done
}

@test "warpcache: without limits in time nothing is ever refused, and MSHRs are never more than there are" {
	run -0 warpcache --tsv --fill-latency 500 --sets 1 --ways 4096 "$D/random.acc"
	[ "$(value stall_cycles <<<"$output")" -eq 0 ]
	[ "$(value fills <<<"$output")" = "$(value fetches <<<"$output")" ]
	for n in 1 3 9; do
		run -0 warpcache --tsv --mshr $n --fill-latency 500 "$D/random.acc"
		[ "$(value mshrs_max <<<"$output")" -le $n ]
		[ "$(value accesses <<<"$output")" -eq 3000 ]
	done
}

@test "warpcache: with time, bypass all looks nothing up and unbounded misses a line once and never waits" {
	run -0 warpcache --tsv --mshr 2x2 --fill-latency 50 --run-as unbounded "$D/atax.acc"
	[ "$(value stall_cycles <<<"$output")" -eq 0 ]
	run -0 warpcache --tsv --fill-latency 50 --keep --run-as unbounded -F load "$D/atax.acc"
	[ "$(value fetches <<<"$output")" = "$(value cold_misses <<<"$output")" ]
	run -0 warpcache --tsv --mshr 2x2 --miss-queue 2 --fill-latency 50 --run-as bypass-all -o past.acc -r report "$D/random.acc"
	[ "$(value accesses <report)" -eq 0 ]
	[ "$(value bypassed <report)" -eq 3000 ]
	[ "$(value passed_on <report)" -eq 3000 ]
	# one leaves a cycle: order and requests are the input's
	run -0 bash -c 'warpdump past.acc | grep -c l1:bypass'
	[ "$output" -eq 3000 ]
}

@test "warpcache: --pass all without a stream to write is the report alone, records of other spaces and all" {
	run -0 warpcache --tsv --mshr 4x2 --space local --pass all "$D/random.acc"
	[ "$(value accesses <<<"$output")" -gt 0 ]
	[ "$output" = "$(warpcache --tsv --mshr 4x2 --space local "$D/random.acc")" ]
}

@test "warpcache: tree-PLRU in time with accesses far apart is tree-PLRU without" {
	for replacement in fifo random plru; do
		options=(--tsv --sets 8 --ways 4 --shared --replacement $replacement "$D/spread.acc")
		warpcache "${options[@]}" | sed -n '/^accesses/,/^writebacks/p' >without
		warpcache --fill-latency 0 "${options[@]}" | sed -n '/^accesses/,/^writebacks/p' >with
		diff without with
	done
}

@test "warpcache: options of time that cannot be are one line and status 2" {
	while IFS='|' read -r options message; do
		# shellcheck disable=SC2086
		run -2 warpcache $options "$D/random.acc"
		[ "${lines[0]}" = "warpcache: $message (try 'warpcache -h')" ] || { echo "$options: $output"; return 1; }
		[ "${#lines[@]}" -eq 1 ]
	done <<'END'
--mshr 0|--mshr: 0 is not in 1..16777216
--mshr 8x|--mshr: '' is not a number
--run-as asked|--run-as: 'asked' is none of bypass-all, bounded, unbounded
--replacement opt --mshr 4|--replacement: opt is not known with time
--scenarios --run-as unbounded|--scenarios: all are run, --run-as chooses one
--allocate never|--allocate: 'never' is neither miss nor fill
--miss-queue 1 --write back|a miss queue of 1 cannot take the two messages of one access
--mshr 4 --interval 100|--interval: there is no --series
--mshr 4 --vta-ways 2|--vta-ways, --vta-order and --vta-key: there is no --vta
--series /nonexistent/x --interval 0|--interval: 0 is not in 1..1099511627776
-L 1 --series s -L 2 --series s|--series: l1 and l2 cannot write the same file
END
	run -4 warpcache --series /nonexistent/x "$D/random.acc"
	[ "$output" = "warpcache: /nonexistent/x: No such file or directory" ]
	run -4 warpcache --series /dev/full "$D/random.acc"
	[[ $output == *"/dev/full: No space left on device"* ]]
}

@test "warpcache: a truncated stream in time is reported as far as it goes" {
	head -c 9000 "$D/random.acc" >cut.acc
	run -3 --separate-stderr warpcache --tsv --mshr 4 cut.acc
	[[ $stderr == *truncated* ]]
	[ "$(value fills <<<"$output")" = "$(value fetches <<<"$output")" ]
}
