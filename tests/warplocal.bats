load helper

S=$B/tests/local_slow

# table NAME <REPORT.tsv: its rows
table() {
	awk -v name="#table $1" '/^#table /{on=$0==name;head=on;next} head{head=0;next} on&&NF&&!/^# /'
}

# The rows of a TSV report as local_slow prints them.
rows() {
	table locality <"$1" | cut -f 1-3,5-
	table lost <"$1" | cut -f 1,2,4-
}

# The machine of L1SETS L1WAYS L1WRITE L2SETS L2WAYS.
machine() {
	cat <<END
[l1]
sets = $1
ways = $2
line = 128
write = $3
write_local = back
[l2]
sets = $4
ways = $5
line = 128
shared = yes
write = back
write_local = back
END
}

@test "warplocal: the five classes of Fig. 3, one after the other, each hit in exactly one" {
	"$B/tests/mkstream" >s.wcp <<'END'
link access
kernel a grid=4 block=64
access sm=0 cta=0 warp=0 lanes=0x3 line=0x1000
access sm=0 cta=0 warp=0 lanes=0x6 line=0x1000
access sm=0 cta=0 warp=0 lanes=0x8 line=0x1000
access sm=0 cta=0 warp=1 lanes=0x8 line=0x1000
access sm=0 cta=1 warp=1 lanes=0x8 line=0x1000
access sm=1 cta=2 warp=1 lanes=0x8 line=0x1000
flush
end_kernel
kernel a grid=4 block=64
access sm=1 cta=2 warp=1 lanes=0x8 line=0x1000
flush
end_kernel
END
	run -0 --separate-stderr warplocal --tsv s.wcp
	[ -z "$stderr" ]
	diff - <(table locality <<<"$output" | cut -f 1-3,5-) <<END
$(printf 'reuse\t7\t6\t1\t1\t1\t1\t1\t1\n')
$(printf 'l1_unbounded\t7\t4\t1\t1\t1\t1\t0\t0\n')
$(printf 'l1_bounded\t7\t4\t1\t1\t1\t1\t0\t0\n')
$(printf 'l2_unbounded\t3\t2\t0\t0\t0\t0\t1\t1\n')
$(printf 'l2_bounded\t3\t2\t0\t0\t0\t0\t1\t1\n')
END
	# an L1 that is kept has the line of kernel 0, too
	warplocal --tsv --keep-l1 s.wcp | table locality | grep "^l1_bounded.7.5.*.1$"
}

@test "warplocal: counts are those of looking for every line in every cache, whatever stores do" {
	for seed in 1 2; do
		"$S" make $seed >s.wcp
		for m in "4 2 evict 16 4" "8 4 through 8 2" "1 7 back 3 16" "16 1 validate 64 8"; do
			# shellcheck disable=SC2086
			machine $m >m.conf
			# shellcheck disable=SC2086
			"$S" $m <s.wcp >want
			warplocal --tsv -m ./m.conf s.wcp >got.tsv
			diff -u want <(rows got.tsv) || { echo "seed $seed machine $m"; return 1; }
		done
	done
}

@test "warplocal: classes add up to hits, hits to what warpcache counts" {
	"$S" make 3 >s.wcp
	machine 8 2 evict 16 4 >m.conf
	warplocal --tsv -m ./m.conf s.wcp >r.tsv
	table locality <r.tsv | awk -F'\t' '{n = 0; for (i = 5; i <= 10; i++) n += $i; if (n != $3) exit 1}'
	table share <r.tsv | awk -F'\t' '{n = 0; for (i = 2; i <= 8; i++) n += $i; if (n < 99.99 || n > 100.01) exit 1}'
	warpcache --tsv -m ./m.conf --scenarios s.wcp >c.tsv
	diff <(table l1_scenarios <c.tsv | awk -F'\t' '/bounded/ {print $3}' | sort) \
	    <(table locality <r.tsv | awk -F'\t' '/^l1/ {print $3}' | sort)
	# sectors, slices, other sets
	warpflat -q --sms 4 <(warpcap -q -w spmv -D N=3000) -o f.acc
	for more in "l1.sector=32" "l2.slices=2" "l1.index=xor" "l1.replacement=fifo"; do
		warplocal --tsv -m ./m.conf --set $more f.acc >r.tsv
		warpcache --tsv -m ./m.conf --set $more --scenarios f.acc >c.tsv
		diff <(table l1_scenarios <c.tsv | awk -F'\t' '/bounded/ {print $3}' | sort) \
		    <(table locality <r.tsv | awk -F'\t' '/^l1/ {print $3}' | sort)
		diff <(table l2_scenarios <c.tsv | awk -F'\t' '/bounded/ {print $3}' | sort) \
		    <(table locality <r.tsv | awk -F'\t' '/^l2/ {print $3}' | sort)
	done
}

@test "warplocal: --by puts each access under who made it, and units add up to the whole" {
	"$S" make 4 >s.wcp
	machine 8 2 back 16 4 >m.conf
	warplocal --tsv -m ./m.conf s.wcp | table locality | cut -f 1-3,5- | sort >want
	for by in sm:1 kernel:2 cta:2 warp:3; do
		k=${by#*:}
		warplocal --tsv -m ./m.conf --by "${by%:*}" s.wcp >r.tsv
		diff want <(table by <r.tsv | awk -F'\t' -v k="$k" '
			{for (i = k + 2; i <= NF; i++) if (i != k + 4) n[$(k + 1), i] += $i; where[$(k + 1)]; nf = NF}
			END {for (w in where) {printf "%s", w; for (i = k + 2; i <= nf; i++) if (i != k + 4) printf "\t%d", n[w, i]; print ""}}' | sort)
	done
	[ "$(warplocal --tsv s.wcp -F 'sm 2' | awk -F'\t' '$1 == "sms" {print $2}')" = 1 ]
	# a warp's reuses are those of the classes that it is the second in
	"$B/tests/mkstream" >s.wcp <<'END'
link access
program p
insn ld.global.u32 bytes=4 line=k.cu:1
insn ld.global.u32 bytes=4 line=k.cu:2
kernel p grid=1 block=64
access warp=0 lanes=0x1 line=0x1000 pc=0
access warp=1 lanes=0x1 line=0x1000 pc=1
access warp=1 lanes=0x2 line=0x1000 pc=1
end_kernel
END
	diff - <(warplocal --tsv --by pc s.wcp | table by | awk -F'\t' '$4 == "l1_bounded" {print $3, $5, $6, $8, $9, $10}') <<'END'
k.cu:1 1 0 0 0 0
k.cu:2 2 2 0 1 1
END
	[ "$(warplocal --tsv --by none s.wcp | grep -c '^#table by')" = 0 ]
}

@test "warplocal: an application is streaming, friendly, thrashing, or has conflicts of either kind" {
	machine 8 2 evict 512 16 >m.conf
	class() { # LINES...: a warp for each, walked twice
		{
			printf 'link access\nkernel k block=1024\n'
			cat
		} | "$B/tests/mkstream" >s.wcp
		warplocal --tsv -m ./m.conf s.wcp | awk -F'\t' '$1 == "class" {print $2}'
	}
	[ "$(printf 'repeat 500\naccess line=0x10000+128\ndone\n' | class)" = streaming ]
	[ "$(printf 'repeat 500\naccess line=0x10000~8*128\ndone\n' | class)" = friendly ]
	# 40 lines in a cache of 16, round and round
	[ "$(for i in 1 2 3 4 5; do printf 'repeat 40\naccess line=0x10000+128\ndone\n'; done | class)" = thrashing ]
	# four lines of one set of two ways, of one warp, and of four
	[ "$(for i in 1 2 3 4 5; do printf 'repeat 4\naccess line=0x10000+1024\ndone\n'; done | class)" = "intra-warp conflict" ]
	[ "$(for i in 1 2 3 4 5; do printf 'repeat 4\naccess warp=0+1 line=0x10000+1024\ndone\n'; done | class)" = "inter-warp conflict" ]
	[ "$(printf 'repeat 9\naccess kind=store line=0x10000+128\ndone\n' | class)" = "no loads" ]
}

@test "warplocal: files, pipes and any -j give the same report" {
	"$S" make 5 >s.wcp
	warplocal --tsv s.wcp >want
	diff want <(warplocal --tsv <s.wcp)
	diff want <(warplocal --tsv -j 8 - <s.wcp)
	diff want <(warpcut -q -Z 0 s.wcp | warplocal --tsv -j 2)
	warplocal --json s.wcp | python3 -c 'import json, sys; t = json.load(sys.stdin)["tables"]; assert len(t["locality"]) == 5'
}

@test "warplocal: what cannot be is refused in one line" {
	"$S" make 1 >s.wcp
	machine 4 2 evict 16 4 >m.conf
	for wrong in "-m nosuch" "--set l1.ways=0" "--set l1.ways=0 --set l1.sets=1" "--set l1.size=100" "--set l2.line=64" "--set x.y=1" "--by line" "s.wcp s.wcp"; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr warplocal $wrong s.wcp
		[ -z "$output" ]
		[ "${#stderr_lines[@]}" -eq 1 ]
	done
	run -4 --separate-stderr warplocal nothing.wcp
	warpcap -q -w vectoradd -D N=1024 -o w.wcp
	run -3 --separate-stderr warplocal w.wcp
	[ "${#stderr_lines[@]}" -eq 1 ]
	printf 'link access\nkernel k\naccess line=0x1000 sm=65535\n' | "$B/tests/mkstream" >none.wcp
	run -3 --separate-stderr warplocal none.wcp
	[ "$stderr" = "warplocal: none.wcp: an access of no SM: pipe the stream through warpflat --sms N" ]
	size=$(stat -c %s s.wcp)
	for n in 10 $((size / 2)) $((size - 1)); do
		head -c $n s.wcp >cut.wcp
		run -3 --separate-stderr warplocal cut.wcp
		[ "${#stderr_lines[@]}" -eq 1 ]
		[ -z "$output" ] || [[ $output == *"the input was not whole: this covers what was read"* ]]
	done
}
