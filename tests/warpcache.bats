load helper

M=$B/tests/mkstream

# small: three lines used twice, five that fall on one set, stores to memory, local and shared space
setup_file() {
	load helper
	"$B/tests/mkstream" >small.acc <<'END'
link access
program k
insn ld.global.u32 line=a.cu:3
insn st.global.u32 line=a.cu:4
kernel k grid=2,1,1 block=32,1,1
repeat 3
access line=0x1000+0x80 pc=0 slot=3
done
repeat 5
access line=0x1000+0x1000 warp=1 pc=0 slot=4
done
access line=0x1000 kind=store pc=1
access line=0x1000 sm=1 kind=store pc=1
access line=0x9000 space=local kind=store pc=1 slot=5
access line=0x1000 space=shared kind=store pc=1
end_kernel 0
END
	"$B/tests/reuse_stream" make 20000 700 1 >random.acc
	"$B/tests/reuse_stream" make 200000 9000 2 >long.acc
	"$B/bin/warpcap" -w atax -D M=96 -D N=80 -o atax.wcp
	"$B/bin/warpflat" -o atax.acc atax.wcp
}

setup() {
	D=$BATS_FILE_TMPDIR
}

# value NAME <REPORT.tsv: a figure of the summary
value() { awk -F'\t' -v name="$1" '$1 == name {print $2; exit}'; }

# of NAME OPTIONS...: that figure of a run over a file
of() {
	local name=$1
	shift
	warpcache --tsv "$@" | value "$name"
}

# rows <REPORT.tsv: the rows of the table "by"
rows() { awk '/^#table by$/{on = 1; head = 1; next} /^#table/{on = 0} head{head = 0; next} on && NF && !/^# /'; }

@test "warpcache: a stream counted by hand" {
	run -0 warpcache --tsv "$D/small.acc"
	for want in caches:2 accesses:11 loads:8 stores:3 hits:1 load_hits:1 store_hits:0 misses:10 cold_misses:9 writebacks:1; do
		[ "$(value "${want%:*}" <<<"$output")" = "${want#*:}" ] || { echo "$want"; return 1; }
	done
	[[ $output == *"1 accesses to other spaces were not looked up"* ]]
	[[ $output == *"1 write-backs come from emptying the caches when kernels end"* ]]
}

@test "warpcache: what goes on is fetches, stores passed on and write-backs, in order" {
	warpcache -q -r report -o on.acc "$D/small.acc"
	run -0 warpdump on.acc
	[ "$(grep -c 'load global.* l1:miss$' <<<"$output")" -eq 7 ]
	[ "$(grep -c 'store global.* l1:forward$' <<<"$output")" -eq 2 ]
	[ "$(grep -c 'load local 0x9000.* l1:miss' <<<"$output")" -eq 1 ]
	[ "$(grep -c 'writeback local 0x9000 sectors 0xf' <<<"$output")" -eq 1 ]
	[[ ${lines[-3]} == *writeback* ]]
	[[ ${lines[-2]} == "end of kernel 0 "*" accesses 11" ]]
}

@test "warpcache: --pass all notes outcome, victim and owner in every record and leaves the rest" {
	warpcache -q -r report --pass all --ways 1 --cache-level 2 --private -o all.acc "$D/small.acc"
	run -0 warpdump --records --columns line,space,victim,owner,outcome all.acc
	diff - <(echo "$output") <<'END'
0x1000 global l2:miss
0x1080 global l2:miss
0x1100 global l2:miss
0x1000 global l2:hit
0x2000 global victim 0x1000 owner 3 l2:miss
0x3000 global victim 0x2000 owner 4 l2:miss
0x4000 global victim 0x3000 owner 4 l2:miss
0x5000 global victim 0x4000 owner 4 l2:miss
0x1000 global l2:forward
0x1000 global l2:forward
0x9000 local victim 0x5000 owner 4 l2:miss
0x1000 shared
END
}

@test "warpcache: hits and misses are all accesses, and units add up to the whole" {
	for file in random.acc atax.acc; do
		for unit in sm kernel cta warp pc; do
			warpcache --tsv --by "$unit" --ways 2 "$D/$file" >report
			a=$(value accesses <report) h=$(value hits <report) m=$(value misses <report) c=$(value cold_misses <report)
			[ $((h + m)) -eq "$a" ]
			skip=$(case $unit in sm) echo 1 ;; kernel | cta) echo 2 ;; *) echo 3 ;; esac)
			sums=$(rows <report | awk -F'\t' -v s="$skip" '{a += $(s + 1); h += $(s + 2); m += $(s + 3); c += $(s + 5)} END {print a, h, m, c}')
			[ "$sums" = "$a $h $m $c" ] || { echo "$file $unit: $sums"; return 1; }
		done
	done
}

@test "warpcache: one set of LRU misses what the stack distances of warpreuse say" {
	for ways in 1 2 5 16 60 333; do
		m=$(of misses --shared --sets 1 --ways "$ways" --space global,local,const,texture,surface "$D/random.acc")
		r=$(warpreuse --tsv --mrc "$ways" "$D/random.acc" | awk -F'\t' -v w="$ways" '/^#table mrc/{on = 1} on && $1 == w {print $3}')
		[ "$m" = "$r" ] || { echo "$ways ways: $m, warpreuse $r"; return 1; }
	done
}

# din_misses SETS WAYS: demand misses of reads and writes, as Dinero IV counts them, of the din text
# on standard input in a cache of 128-byte blocks that writes back and allocates on writes
din_misses() {
	awk -v sets="$1" -v ways="$2" '{
		rest = 0 # addresses are those of lines, and may be more than a number holds
		for (i = 1; i <= length($2); i++)
			rest = (rest * 16 + index("0123456789abcdef", substr($2, i, 1)) - 1) % (sets * 128)
		set = int(rest / 128)
		if (!((set, $2) in when)) {
			if ($1 == 1) writes++; else reads++
			if (++used[set] > ways) {
				oldest = NR
				for (one in when) {
					split(one, part, SUBSEP)
					if (part[1] == set && when[one] < oldest) {
						oldest = when[one]
						out = one
					}
				}
				delete when[out]
			}
		}
		when[set, $2] = NR
	}
	END { print reads + 0, writes + 0 }'
}

@test "warpcache: a cache that Dinero IV describes, too, has its misses, to the last one" {
	local which='global and (load or store)'
	for file in random atax; do
		warpdump -F "$which" --records --columns kind,line "$D/$file.acc" |
		    awk '{sub(/^0x/, "", $2); print $1 == "store", $2}' >$file.din
		for shape in "1 8" "8 4" "12 3" "32 4"; do
			# shellcheck disable=SC2086
			set -- $shape
			warpcache --tsv --shared --keep --sets "$1" --ways "$2" --write back -F "$which" "$D/$file.acc" >report
			ours="$(($(value loads <report) - $(value load_hits <report))) $(($(value stores <report) - $(value store_hits <report)))"
			[ "$ours" = "$(din_misses "$1" "$2" <$file.din)" ] || { echo "$file $shape: $ours"; return 1; }
			# Dinero itself, where it is installed, knows powers of two
			if command -v dineroIV >/dev/null && [ "$1" != 12 ]; then
				theirs=$(dineroIV -informat d -l1-dsize $(($1 * $2 * 128)) -l1-dassoc "$2" -l1-dbsize 128 -l1-drepl l \
				    -l1-dwalloc a -l1-dwback a <$file.din | awk '/Demand Misses/ {print int($6), int($7); exit}')
				[ "$ours" = "$theirs" ]
			fi
		done
	done
}

@test "warpcache: private caches are as many separate ones" {
	sum=0
	for sm in $(warpcache --tsv --by sm "$D/atax.acc" | rows | cut -f 1); do
		sum=$((sum + $(of misses --shared --invalidate --write through --write-local back -F "sm $sm" "$D/atax.acc")))
	done
	[ "$sum" = "$(of misses "$D/atax.acc")" ]
}

@test "warpcache: more ways never miss more, a longer life never either" {
	before=$(of misses --ways 1 "$D/atax.acc")
	for ways in 2 3 4 6 8 16 32; do
		now=$(of misses --ways "$ways" "$D/atax.acc")
		[ "$now" -le "$before" ]
		before=$now
	done
	[ "$(of misses --keep "$D/atax.acc")" -le "$(of misses --invalidate "$D/atax.acc")" ]
}

@test "warpcache: cold misses do not depend on the cache" {
	cold=$(of cold_misses --keep "$D/random.acc")
	for options in "--ways 1" "--sets 7 --ways 3" "--replacement random" "--index poly:41" "--size 1Mi --invalidate"; do
		# shellcheck disable=SC2086
		[ "$(of cold_misses $options "$D/random.acc")" = "$cold" ]
	done
}

@test "warpcache: every policy and set function runs and is said in the report" {
	for replacement in lru fifo random plru opt; do
		for index in modulo xor fermi poly poly:47; do
			for write in through evict back validate; do
				run -0 warpcache --tsv --replacement "$replacement" --index "$index" --write "$write" --write-local "$write" --sector 32 "$D/random.acc"
				[ "$(value replacement <<<"$output")" = "$replacement" ]
				[ "$(value index <<<"$output")" = "${index%:*}" ]
				[ "$(value write_local <<<"$output")" = "$write" ]
				[ $(($(value hits <<<"$output") + $(value misses <<<"$output"))) -eq "$(value accesses <<<"$output")" ]
			done
		done
	done
	[ "$(of polynomial --index poly "$D/small.acc")" = 37 ]
	[ "$(of polynomial --index poly --sets 64 "$D/small.acc")" = 67 ]
	run -0 warpcache --index poly:33 "$D/small.acc"
	[[ $output == *"polynomial 33 is reducible"* ]]
}

@test "warpcache: sectors are fetched one by one, and only those that are missing go on" {
	"$M" >s.acc <<'END'
link access
kernel k
access line=0x1000 sectors=1
access line=0x1000 sectors=3
access line=0x1000 sectors=3
access line=0x1080 sectors=8 kind=store
access line=0x1080 sectors=12
end_kernel 0
END
	run -0 warpcache --tsv --sector 32 --write validate s.acc
	[ "$(value hits <<<"$output")" = 1 ]
	[ "$(value sector_misses <<<"$output")" = 2 ]
	[ "$(value cold_misses <<<"$output")" = 2 ]
	warpcache -q -r r --sector 32 --write validate -o on.acc s.acc
	run -0 bash -c "warpdump on.acc | grep -oE '(load|writeback) global 0x[0-9a-f]+ sectors 0x[0-9a-f]+'"
	diff - <(echo "$output") <<'END'
load global 0x1000 sectors 0x1
load global 0x1000 sectors 0x2
load global 0x1080 sectors 0x4
writeback global 0x1080 sectors 0x8
END
	run -0 warpcache --tsv --line 256 --sector 64 s.acc # the second line is the upper half of a longer one
	[ "$(value sector_misses <<<"$output")" = 1 ]
	[ "$(value hits <<<"$output")" = 2 ]
}

@test "warpcache: accesses whose operator passes L1 go past on request" {
	"$M" >u.acc <<'END'
link access
kernel k
access line=0x1000 uncached
access line=0x1000
access line=0x1000 uncached
end_kernel 0
END
	[ "$(of hits u.acc)" = 2 ]
	[ "$(of hits --bypass-uncached u.acc)" = 0 ]
	[ "$(of bypassed --bypass-uncached u.acc)" = 2 ]
	warpcache -q -r r --bypass-uncached -o on.acc u.acc
	[ "$(warpdump on.acc | grep -c l1:bypass)" -eq 2 ]
}

@test "warpcache: an L2 behind L1s sees what they pass, and its stream carries both outcomes" {
	warpcache -r l1 --tsv -o - "$D/atax.acc" | warpcache --shared --size 64Ki --ways 8 -r l2 --tsv --pass all -o l2.acc
	passed=$(warpcache -q -r /dev/null -o - "$D/atax.acc" | warpdump - | grep -c ' sm ')
	[ "$(value accesses <l2)" -eq "$passed" ]
	warpdump l2.acc | grep -q 'l1:miss l2:hit'
	[ "$(value accesses <l1)" -gt "$passed" ]
}

# pairs TABLE <REPORT.tsv: the rows of that table
pairs() { awk -v t="#table $1" '/^#table /{on = $0 == t; next} on && NF && !/^# /'; }

@test "warpcache: levels in one call and levels in a pipe give the same figures and the same stream" {
	l1="--ways 2 --sector 32 --write back --by pc"
	l2="--size 24Ki --ways 8 --slices 3 --by kernel"
	l3="--size 256Ki --index poly --slices 4 --slice-index xor --write validate"
	for file in random.acc atax.acc small.acc; do
		# shellcheck disable=SC2086
		warpcache -L1 $l1 -L2 $l2 -L3 $l3 --tsv -r chain -o chain.acc "$D/$file"
		# shellcheck disable=SC2086
		warpcache -L1 $l1 --tsv -r l1 -o - "$D/$file" | warpcache -L2 $l2 --tsv -r l2 -Z 0 -o - |
			warpcache -L3 $l3 --tsv -r l3 -o pipe.acc
		# shellcheck disable=SC2086
		warpcache -L1 $l1 -L2 $l2 -L3 $l3 --tsv "$D/$file" >only # nobody takes what goes on
		diff chain only
		for n in 1 2 3; do
			diff <(pairs "l$n" <chain) <(pairs summary <"l$n")
			diff <(pairs "l${n}_by" <chain) <(pairs by <"l$n")
		done
		cmp <(warpdump --records chain.acc) <(warpdump --records pipe.acc)
	done
	[ -n "$(pairs l1_by <chain)" ]
}

@test "warpcache: options before the first level hold for all, those behind one for that one" {
	run -0 warpcache --tsv --ways 8 -L1 --sets 16 -L l2 --ways 2 --size 64Ki "$D/small.acc"
	[ "$(pairs l1 <<<"$output" | awk -F'\t' '/^(sets|ways|size)/ {print $2}' | xargs)" = "16384 16 8" ]
	[ "$(pairs l2 <<<"$output" | awk -F'\t' '/^(sets|ways|size)/ {print $2}' | xargs)" = "65536 256 2" ]
	run -0 warpcache -L3 --pass all -o on.acc "$D/small.acc"
	warpdump on.acc | grep -q 'l3:miss'
	for options in "-L0" "-L9" "-L L" "-L 12"; do
		# shellcheck disable=SC2086
		run -2 warpcache $options "$D/small.acc"
		[[ $output == "warpcache: -L: '"*"' is no level from 1 to 8 "* ]]
	done
	run -2 warpcache -L2 -L1 "$D/small.acc"
	[[ $output == "warpcache: -L: level 1 cannot come behind level 2 "* ]]
	run -2 warpcache -L1 -L2 --ways 3 --sets 3 --index xor "$D/small.acc"
	[[ $output == "warpcache: l2: index xor needs a power of two of sets, "* ]]
}

@test "warpcache: slices are caches of their own, chosen by the address alone" {
	"$M" >lines.acc < <(echo "link access"; echo "kernel k"; awk 'BEGIN {for (i = 0; i < 4000; i++) {
		line = (i * 7919 % 613) * 128; printf "access line=%d\n", line}}'; echo "end_kernel 0")
	[ "$(of slices -L2 --size 96Ki --slices 3 lines.acc)" = 3 ]
	[ "$(of accesses -L2 --size 96Ki --slices 3 lines.acc)" = 4000 ]
	# as sets are found by an address without gaps, 613 lines fit into 768
	[ "$(of misses -L2 --size 96Ki --slices 3 lines.acc)" = 613 ]
	[ "$(of misses -L2 --size 128Ki --slices 4 --slice-index xor lines.acc)" = 613 ]
	[ "$(of misses -L2 --size 128Ki --slices 4 --slice-index poly:7 lines.acc)" = 613 ]
	while IFS='|' read -r options message; do
		# shellcheck disable=SC2086
		run -2 warpcache $options "$D/small.acc"
		[ "${lines[0]}" = "warpcache: $message (try 'warpcache -h')" ] || { echo "$options: $output"; return 1; }
	done <<'END'
-L1 --slices 2|--slices: a private cache has none
-L2 --slices 3 --slice-index xor|index xor needs a power of two of sets, 2 to 65536, not 3
-L2 --slices 32 --slice-index fermi|index fermi does not choose slices
-L2 --slices 2 --slice-bytes 64|--slice-bytes: chunks of 64 bytes are shorter than a line
-L2 --slices 2 --slice-bytes 384|a line of 384 bytes is no power of two from 4
-L2 --slices 5 --size 768Ki|--size: 786432 bytes are no whole number of sets of 4 lines of 128 bytes in all slices
END
}

@test "warpcache: opt brings in the fewest lines, from a file and from a pipe" {
	for options in "--ways 2" "--size 4Ki --sector 32 --write back" "--sets 1 --ways 200 --write evict" "--shared --size 6Ki --slices 3"; do
		for file in atax.acc random.acc; do
			# shellcheck disable=SC2086
			opt=$(of fills --replacement opt $options "$D/$file")
			# shellcheck disable=SC2086
			warpcache --replacement opt $options --tsv "$D/$file" >from_file
			# shellcheck disable=SC2086
			warpcache --replacement opt $options --tsv - <"$D/$file" | diff from_file -
			for other in lru fifo random plru; do
				[[ $other != plru || $options != *200* ]] || continue
				# shellcheck disable=SC2086
				fills=$(of fills --replacement "$other" $options "$D/$file")
				[ "$opt" -le "$fills" ] || { echo "$options $file: opt $opt, $other $fills"; return 1; }
			done
		done
	done
	[ "$opt" -gt 0 ]
}

@test "warpcache: levels of opt look ahead each in what reaches it, in one call as in a pipe" {
	for file in random.acc atax.acc small.acc long.acc; do
		warpcache -L1 --ways 2 --replacement opt -L2 --size 8Ki --replacement opt --by kernel --tsv -r chain -o chain.acc "$D/$file"
		warpcache -L1 --ways 2 --replacement opt --tsv -r l1 -o - "$D/$file" |
			warpcache -L2 --size 8Ki --replacement opt --by kernel --tsv -r l2 -o pipe.acc
		diff <(pairs l1 <chain) <(pairs summary <l1)
		diff <(pairs l2 <chain) <(pairs summary <l2)
		cmp <(warpdump chain.acc | tail -n +3) <(warpdump pipe.acc | tail -n +3)
	done
	mkdir here
	TMPDIR=$PWD/here warpcache --replacement opt -r r "$D/atax.acc"
	[ -z "$(ls here)" ]
	TMPDIR=$PWD/nowhere run -4 warpcache --replacement opt "$D/atax.acc"
	[[ $output == "warpcache: $PWD/nowhere/warpcap."*": No such file or directory" ]]
	head -c $(($(stat -c %s "$D/long.acc") * 2 / 3)) "$D/long.acc" >cut.acc
	run -3 --separate-stderr warpcache --tsv --replacement opt cut.acc
	[ "$(value accesses <<<"$output")" = "$(warpcache --tsv cut.acc 2>/dev/null | value accesses)" ]
}

@test "warpcache: CIAO Fig. 3a, D0 and D4 evict each other: misses at a, b, e, f, the last two find their victim tags" {
	"$M" >fig3.acc <<'END'
link access
kernel k
access line=0 warp=0 slot=0
access line=0x200 warp=1 slot=1
access line=0x200 warp=1 slot=1
access line=0x200 warp=1 slot=1
access line=0 warp=0 slot=0
access line=0x200 warp=1 slot=1
end_kernel 0
END
	run -0 warpcache --tsv --sets 4 --ways 1 --classes --vta 8 --by warp fig3.acc
	for want in misses:4 hits:2 compulsory:2 conflict:2 capacity:0 emptied:0 vta_hits:2 vta_self_hits:0; do
		[ "$(value "${want%:*}" <<<"$output")" = "${want#*:}" ] || { echo "$want"; return 1; }
	done
	[ "$(rows <<<"$output" | awk -F'\t' '{print $(NF - 1)}' | xargs)" = "1 1" ]
	[ "$(of vta_hits --sets 4 --ways 1 --vta 8 --vta-key set fig3.acc)" = 2 ]
	warpcache -q -r /dev/null --sets 4 --ways 1 --pass all -o all.acc fig3.acc
	[ "$(warpdump --columns outcome --records all.acc | xargs)" = "l1:miss l1:miss l1:hit l1:hit l1:miss l1:miss" ]
}

@test "warpcache: compulsory, capacity, conflict and emptied are all lines brought in" {
	for options in "" "--ways 1 --write back" "--sector 32 --index poly" "--replacement opt --write validate" "-L2 --slices 2"; do
		for file in random.acc atax.acc small.acc; do
			# shellcheck disable=SC2086
			warpcache --tsv --classes --by kernel $options "$D/$file" >report
			sum=0
			for class in compulsory capacity conflict emptied; do
				sum=$((sum + $(value $class <report)))
			done
			[ "$sum" = "$(value fills <report)" ] || { echo "$options $file"; return 1; }
			# shellcheck disable=SC2086
			diff <(warpcache --tsv $options "$D/$file" | pairs summary) \
				<(pairs summary <report | grep -vE '^(compulsory|capacity|conflict|emptied)')
		done
	done
	# a fully associative LRU cache has no conflicts, one that is never emptied loses nothing by that
	[ "$(of conflict --classes --sets 1 --ways 200 "$D/random.acc")" = 0 ]
	[ "$(of conflict --classes --sets 4 --ways 50 "$D/random.acc")" -gt 0 ]
	[ "$(of emptied --classes --keep --write back "$D/atax.acc")" = 0 ]
	[ "$(of emptied --classes --size 1Mi "$D/atax.acc")" -gt 0 ]
	[ "$(of capacity --classes --size 1Mi "$D/atax.acc")" = 0 ]
	run -2 warpcache --classes --size 8Gi "$D/small.acc"
	[[ $output == "warpcache: --classes: a fully associative cache of 67108864 lines is too large "* ]]
}

@test "warpcache: no cache passes everything, one without bound misses least, this one is between" {
	for options in "" "--write back" "--sector 32 --write evict" "-L2 --size 32Ki --slices 2"; do
		# shellcheck disable=SC2086
		warpcache --tsv --scenarios $options "$D/atax.acc" >report
		pairs scenarios <report | tail -n +2 >table
		a=$(value accesses <report)
		awk -F'\t' -v a="$a" '{n[NR] = $1; hits[NR] = $3; passed[NR] = $5} $2 != a {exit 1}
			END {exit !(n[1] == "bypass-all" && hits[1] == 0 && passed[1] == a && hits[2] <= hits[3] && passed[3] <= passed[2])}' table
		[ "$(awk -F'\t' '$1 == "bounded" {print $3}' table)" = "$(value hits <report)" ]
		[ "$(awk -F'\t' '$1 == "bounded" {print $7}' table)" = "$(value writebacks <report)" ]
		# what goes on by the table is what goes on in the stream
		# shellcheck disable=SC2086
		warpcache -q -r /dev/null $options -o on.acc "$D/atax.acc"
		[ "$(awk -F'\t' '$1 == "bounded" {print $5}' table)" = "$(warpdump --records on.acc | wc -l)" ]
	done
}

@test "warpcache: victim tags without end find every line that was evicted" {
	"$M" >loop.acc < <(echo "link access"; echo "kernel k"; for i in {1..5}; do for j in {0..19}; do
		echo "access line=$((j * 128)) warp=0 slot=0"; done; done; echo "end_kernel 0")
	# 20 lines around a cache of 8: each returns when 12 others have been evicted since
	[ "$(of vta_hits --sets 2 --ways 4 --vta 12 loop.acc)" = 80 ]
	[ "$(of vta_self_hits --sets 2 --ways 4 --vta 12 loop.acc)" = 80 ]
	[ "$(of vta_hits --sets 2 --ways 4 --vta 11 loop.acc)" = 0 ]
	[ "$(of vta_hits --sets 2 --ways 4 --vta 6 --vta-key set loop.acc)" = 80 ]
	[ "$(of vta_hits --sets 2 --ways 4 --vta 12 --vta-ways 6 loop.acc)" = 80 ]
	# under LRU a tag that was found stays longer than one that was not yet
	[ "$(of vta_hits --sets 2 --ways 4 --vta 6 --vta-key set --vta-order lru loop.acc)" -lt 80 ]
	[ "$(of vta_hits --sets 2 --ways 4 --vta 10 --vta-key set --vta-order lru loop.acc)" = 80 ]
	run -2 warpcache --vta 8 --vta-ways 3 loop.acc
	[[ $output == "warpcache: a victim tag array cannot have 8 tags in sets of 3 "* ]]
	run -2 warpcache --vta 8 --vta-key warp loop.acc
	[[ $output == "warpcache: --vta-key: 'warp' is neither owner nor set "* ]]
	run -2 warpcache --vta 8 --vta-order random loop.acc
	[[ $output == "warpcache: --vta-order: 'random' is neither fifo nor lru "* ]]
}

@test "warpcache: a machine file gives the levels, in one call as in a pipe, and options override it" {
	run -0 warpcache -m gtx480 --tsv "$D/atax.acc"
	for want in machine:gtx480 size:16384 sets:32 ways:4 index:fermi write_global:through; do
		[ "$(pairs l1 <<<"$output" | awk -F'\t' -v n="${want%:*}" '$1 == n {print $2}')" = "${want#*:}" ] || { echo "$want"; return 1; }
	done
	for want in size:786432 slices:12 sets:64 ways:8 write_global:back; do
		[ "$(pairs l2 <<<"$output" | awk -F'\t' -v n="${want%:*}" '$1 == n {print $2}')" = "${want#*:}" ] || { echo "$want"; return 1; }
	done
	warpcache -m gtx480 -L1 --tsv -r l1 -o - "$D/atax.acc" | warpcache -m gtx480 -L2 --tsv -r l2
	diff <(pairs l1 <<<"$output") <(pairs summary <l1)
	diff <(pairs l2 <<<"$output") <(pairs summary <l2)
	[ "$(of ways -m gtx480 --set l1.ways=8 --set l1.index=modulo -L1 "$D/atax.acc")" = 8 ]
	[ "$(of ways --set l1.ways=8 --set l1.ways=2 "$D/atax.acc")" = 2 ]
	[ "$(of ways -m gtx480 -L1 --ways 2 "$D/atax.acc")" = 2 ] # 64 sets, as fermi has them
	[ "$(of sets -m gtx480 -L1 --ways 2 --index modulo "$D/atax.acc")" = 64 ]
	[ "$(of sets -m gtx480 -L1 --sets 64 "$D/atax.acc")" = 64 ]
	[ "$(of machine --set l1.ways=8 "$D/atax.acc")" = "" ]
	# without a bound only first touches miss, and what was dropped or emptied
	[ "$(of fills --set l1.ways=0 --keep --write back "$D/atax.acc")" = "$(of cold_misses "$D/atax.acc")" ]
	run -0 warpcache -m gtx480 -L1 --time "$D/atax.acc"
	[[ $output == *mshr_entry* ]]
	[ "$(of misses -m gtx480 -L1 --classes "$D/atax.acc")" = "$(pairs l1 <<<"$(warpcache -m gtx480 --tsv "$D/atax.acc")" | awk -F'\t' '$1 == "misses" {print $2}')" ]
	run -2 warpcache -m gtx480 --set l1.way=8 "$D/atax.acc"
	[[ $output == *"section [l1] has no key 'way'; did you mean 'ways'?"* ]]
	run -2 warpcache -m nosuch "$D/atax.acc"
	run -2 warpcache --set l1.sector=48 "$D/atax.acc"
	[[ $output == *"sectors of 48 bytes do not divide a line of 128 bytes into 1 to 32"* ]]
	printf '[l1]\nsets = 48\nindex = xor\n' >bad.conf
	run -3 warpcache -m ./bad.conf "$D/atax.acc"
	[[ $output == "warpcache: "*"bad.conf:3: "*"index xor needs a power of two of sets, 2 to 65536, not 48"* ]]
}

@test "warpcache: stores around go on when they miss and stay when they hit" {
	"$M" >around.acc <<'END'
link access
kernel k
access line=0x1000 kind=store
access line=0x1000
access line=0x1000 kind=store
access line=0x9000
end_kernel 0
END
	warpcache -q -r r --tsv --sets 1 --ways 1 --write back --store-around -o on.acc around.acc
	[ "$(value fills <r)" = 2 ]
	[ "$(value store_hits <r)" = 1 ]
	[ "$(value writebacks <r)" = 1 ]
	run -0 bash -c "warpdump --records --columns kind,line,outcome on.acc"
	diff - <(echo "$output") <<'END'
store 0x1000 l1:forward
load 0x1000 l1:miss
load 0x9000 l1:miss
writeback 0x1000
END
}

@test "warpcache: a filter keeps what matches, in report and stream" {
	all=$(of stores "$D/atax.acc")
	[ "$(of accesses -F store "$D/atax.acc")" = "$all" ]
	warpcache -q -r r -F store -o s.acc "$D/atax.acc"
	run -0 warpdump s.acc
	[[ ${lines[-1]} == *partial* ]]
	run -2 warpcache -F 'stores and' "$D/atax.acc"
}

@test "warpcache: threads, pipes and compression change nothing" {
	warpcache -q --tsv -r r1 -o o1 --sector 32 --write back "$D/random.acc"
	warpcache -q --tsv -r r2 -o o2 --sector 32 --write back -j 4 - <"$D/random.acc"
	cmp r1 r2
	cmp <(warpdump o1) <(warpdump o2)
	zstd -dc "$D/random.acc" 2>/dev/null | warpcache -q --tsv -r r3 -Z 0 -o - --sector 32 --write back >o3 # raw in, raw out
	cmp r1 r3
	cmp <(warpdump o1) <(warpdump o3)
	for seed in 1 2; do
		of misses --replacement random --seed "$seed" "$D/random.acc"
	done | uniq | wc -l | grep -qx 2
}

@test "warpcache: geometry that cannot be is one line and status 2" {
	while IFS='|' read -r options message; do
		# shellcheck disable=SC2086
		run -2 warpcache $options "$D/small.acc"
		[ "${lines[0]}" = "warpcache: $message (try 'warpcache -h')" ] || { echo "$options: $output"; return 1; }
	done <<'END'
--sets 48 --index xor|index xor needs a power of two of sets, 2 to 65536, not 48
--sets 128 --index fermi|index fermi is known for 32 or 64 sets of 128-byte lines, not 128 of 128
--index poly:67|polynomial 67 has degree 6, 32 sets need degree 5
--index prime|--index: 'prime' is none of modulo, xor, fermi, poly, poly:N
--size 1000|--size: 1000 bytes are no whole number of sets of 4 lines of 128 bytes
--size 16Ki --sets 32|--size and --sets: one of them follows from the other
--line 96|a line of 96 bytes is no power of two from 4
--line 2048|--line: a line of 2048 bytes is not 32 to 1024
--sector 48|sectors of 48 bytes do not divide a line of 128 bytes into 1 to 32
--sector 16|--sector: 16 bytes are fewer than the 32 that a stream's sectors have
--sector 256|sectors of 256 bytes do not divide a line of 128 bytes into 1 to 32
--replacement mru|--replacement: 'mru' is none of lru, fifo, random, plru, opt
--write around|--write: 'around' is none of through, evict, back, validate
--by thread|--by: 'thread' is none of none, sm, kernel, cta, warp, pc
--space shared|--space: 'shared' is none of global, local, const, param, texture, surface
--pass hits|--pass: 'hits' is none of misses, fills, all
END
}

@test "warpcache: streams of the wrong kind or with other lines are refused with a hint" {
	run -3 warpcache "$D/atax.wcp"
	[ "$output" = "warpcache: $D/atax.wcp: a WARP stream has no transactions yet: pipe it through warpflat" ]
	run -2 warpcache --line 64 "$D/small.acc"
	[ "${lines[-1]}" = "warpcache: $D/small.acc: the stream's lines are longer than 64 bytes: give warpflat the same --line" ]
	run -3 warpcache /dev/null
	echo text >text
	run -3 warpcache text
	run -4 warpcache nowhere.acc
}

@test "warpcache: a truncated stream is reported as far as it goes, with status 3" {
	head -c $(($(stat -c %s "$D/long.acc") * 2 / 3)) "$D/long.acc" >cut.acc
	run -3 --separate-stderr warpcache --tsv cut.acc
	[ "$(value accesses <<<"$output")" -gt 0 ]
	[[ $stderr == "warpcache: cut.acc: truncated"* ]]
	run -3 warpcache -q -r r -o on.acc cut.acc
	run -0 warpdump on.acc
	[[ ${lines[-1]} == *partial* ]]
}

@test "warpcache: a full disk is status 4" {
	run -4 bash -c "warpcache '$D/small.acc' >/dev/full"
	run -4 bash -c "warpcache -r /dev/null -o - '$D/random.acc' >/dev/full"
}
