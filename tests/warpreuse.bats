load helper

S=$B/tests/reuse_stream
P=$B/tests/reuse

setup_file() {
	load helper
	"$B/tests/reuse_stream" make 20000 700 1 >stream.wcp
}

setup() {
	W=$BATS_FILE_TMPDIR/stream.wcp
}

# table NAME <REPORT.tsv: its rows
table() {
	awk -v name="#table $1" '/^#table /{on=$0==name;head=on;next} head{head=0;next} on&&NF&&!/^# /'
}

# What a TSV report made with --by and --bins exact says of each key: "count key<tab>distance", sorted.
# usage: counts KEYCOLUMNS (to print) SKIP (key columns there are) <REPORT.tsv
counts() {
	awk -F'\t' -v keys="$1" -v skip="$2" '
		/^#table /{on=$0=="#table by"?1:$0=="#table by_histogram"?2:0;head=1;next}
		head{head=0;next} !on||!NF||/^# /{next}
		{k=$1;for(i=2;i<=keys;i++)k=k" "$i;gsub(/\\\\/,"\\",k)}
		on==1&&$(skip+3){print $(skip+3),k"\tcold"} on==2{print $(skip+3),k"\t"$(skip+1)}' | sort
}

@test "reuse: abcbaacdbe has the distances that counting by hand gives" { "$P" known; }
@test "reuse: distances and stack order are those of a list of lines, in pieces of any size" { "$P" list; }
@test "reuse: large working sets agree with a tree over all references, within 40 bytes a line" { "$P" tree; }
@test "reuse: stacks by owner are as many separate stacks" { "$P" set; }
@test "reuse: misses by distance are those of an LRU cache played line by line, and fall with size" { "$P" cache; }
@test "reuse: histograms add up, merge, overflow into carries and know their quantiles" { "$P" hist; }
@test "reuse: vectors select the lines that the scalar hash selects" { "$P" select; }
@test "reuse: the sampling hash is uniform for strides of any power of two" { "$P" uniform; }
@test "reuse: sampling all lines gives the exact curve with error 0" { "$P" whole; }
@test "reuse: nine in ten estimates lie within two standard errors" { "$P" error; }

@test "warpreuse: distances by every unit are those of a slow implementation" {
	for private in none sm kernel cta warp; do
		for by in sm:1:1 kernel:2:2 cta:2:2 warp:3:3 pc:2:3; do
			IFS=: read -r unit keys skip <<<"$by"
			"$S" naive "$unit" "$private" <"$W" | sort | uniq -c | sed 's/^ *//' | sort >want
			warpreuse --by "$unit" --private "$private" --bins exact --tsv "$W" | counts "$keys" "$skip" >got
			diff -u want got || { echo "by $unit private $private"; return 1; }
		done
	done
}

@test "warpreuse: a report by hand, of a b c b a a" {
	"$B/tests/mkstream" >s.wcp <<'END'
link access
kernel k grid=2,1,1 block=32,1,1
access line=0x1000 cta=0 pc=0
access line=0x1080 cta=0 pc=0
access line=0x1100 cta=0 pc=0
access line=0x1080 cta=1 pc=2
access line=0x1000 cta=1 pc=2
access line=0x1000 cta=1 pc=2
END
	run -0 --separate-stderr warpreuse --by cta s.wcp
	[ -z "$stderr" ]
	diff - <(echo "$output") <<'END'
accesses         6
line           128 B
lines            3
footprint      384 B
cold             3
cold_share  50.000 %
mean           1.0 lines
median           1 lines
p90              2 lines
p99              2 lines
max              2 lines

Reuse distance
  low   high  accesses  share     cdf
lines  lines                %       %
    0      0         1  16.67   33.33
    1      1         1  16.67   66.67
    2      3         1  16.67  100.00

Misses of a fully associative LRU cache
lines  bytes  misses  miss_ratio
                               %
    1    128       5      83.333
    2    256       4      66.667
    4    512       3      50.000

Reuse distance by cta
kernel  cta  accesses  share  cold  cold_share   mean  median_within  p90_within
                           %                 %  lines          lines       lines
     0    0         3  50.00     3      100.00      -              -           -
     0    1         3  50.00     0        0.00    1.0              1           3
END
	diff - <(warpreuse --tsv --private cta s.wcp | table summary) <<END
$(printf '%s\t%s\t%s\n' accesses 6 '' line 128 B stack_per cta '' stacks 2 '' lines 5 '' footprint 640 B cold 5 '')
$(printf 'cold_share\t%s\t%%\n' 83.33333333333333)
$(printf '%s\t0\tlines\n' mean median p90 p99 max)
END
}

@test "warpreuse: WARP is coalesced in the order in which it is recorded" {
	"$B/tests/mkstream" >w.wcp <<'END'
link warp
program k
  insn ld.global.u32 bytes=4 line=k.cu:7
  insn ld.local.u32 bytes=4
  insn st.shared.u32 bytes=4
  insn exit
kernel k grid=2,1,1 block=64,1,1 local=16
seg cta=0 warp=0 cta_begin warp_begin warp_end
  run 0 4
  mem global affine 0x10000 4
  mem local affine 0 0
  mem shared affine 0 4
seg cta=0 warp=1 cta_end warp_begin warp_end
  run 0 4
  mem global affine 0x10000 8
  mem local affine 0 0
  mem shared affine 0 4
seg cta=1 warp=0 cta_begin warp_begin warp_end
  run 0 4
  mem global affine 0x10080 4
  mem local affine 4 0
  mem shared affine 0 4
seg cta=1 warp=1 cta_end warp_begin warp_end
  run 0 4
  mem global affine 0x10000 4
  mem local affine 0 0
  mem shared affine 0 4
END
	run -0 --separate-stderr warpreuse --tsv --by pc --bins exact w.wcp
	[ -z "$stderr" ]
	# a l0; a b l1; b l2; a l3: four lines of local memory, two of global memory
	diff - <(table by_histogram <<<"$output" | cut -f 1-6) <<END
$(printf 'k\t0\tk.cu:7\t1\t1\t2\n')
$(printf 'k\t0\tk.cu:7\t3\t3\t1\n')
END
	diff <(printf '%s\n' 9 6) <(table summary <<<"$output" | awk '$1=="accesses"||$1=="cold"{print $2}')
	grep '^# order assumed: as recorded, CTA after CTA and in it warp after warp; coalesced into 128-byte lines$' <<<"$output"
	# the same as flattened in that order, whole, filtered and by kind
	for how in "--by pc" "--by warp --private cta" "-F load --by kernel" "-F cta=1" "--kinds store"; do
		# shellcheck disable=SC2086
		diff <(warpreuse --tsv $how w.wcp | grep -v '^#') \
		    <(warpflat -q --order warp w.wcp | warpreuse --tsv $how | grep -v '^#')
	done
	run -2 --separate-stderr warpreuse --by sm w.wcp
	[ "$stderr" = "warpreuse: a WARP stream has no SMs: pipe it through warpflat --sms N (try 'warpreuse -h')" ]
	run -2 --separate-stderr warpreuse --line 16 w.wcp
	[ "$stderr" = "warpreuse: a WARP stream is coalesced into lines of 32 to 4096 bytes (try 'warpreuse -h')" ]
}

@test "warpreuse: every histogram adds up to the references that are not cold" {
	for bins in log2 exact 1 7 100 100000; do
		warpreuse --tsv --bins $bins --by warp "$W" >r.tsv
		table summary <r.tsv | awk -F'\t' '$1=="accesses"{a=$2} $1=="cold"{print a-$2}' >warm
		diff warm <(table histogram <r.tsv | awk -F'\t' '{n+=$3} END{print n}')
		diff warm <(table by_histogram <r.tsv | awk -F'\t' '{n+=$6} END{print n}')
		diff <(table by <r.tsv | awk -F'\t' '{a+=$4;c+=$6} END{print a-c}') warm
	done
}

@test "warpreuse: wider bins are sums of exact ones, the CDF ends at 100" {
	warpreuse --tsv --bins exact "$W" | table histogram |
	    awk -F'\t' '{n[int($1/50)]+=$3} END{for(i=0;i<14;i++)print i*50,n[i]}' >want
	diff want <(warpreuse --tsv --bins 50 "$W" | table histogram | awk -F'\t' '{print $1,$3}')
	diff <(echo 100) <(warpreuse --tsv --bins 50 "$W" | table histogram | tail -n 1 | cut -f 5)
}

@test "warpreuse: the curve of all sizes holds that of chosen ones, sizes in lines and bytes" {
	warpreuse --tsv --mrc all "$W" | table mrc >all
	awk -F'\t' '$3>last&&NR>1{exit 1} {last=$3}' all
	diff <(awk -F'\t' '$1==100||$1==256||$1==512' all) \
	    <(warpreuse --tsv --mrc 64KiB,100,32768B "$W" | table mrc)
	diff <(cut -f 3 all | tail -n 1) <(warpreuse --tsv "$W" | table summary | awk '$1=="cold"{print $2}')
}

@test "warpreuse: misses by unit add up to those of the whole" {
	for by in sm kernel cta warp pc; do
		warpreuse --tsv --by $by --mrc 10,300 "$W" >r.tsv
		for size in 10 300; do
			diff <(table mrc <r.tsv | awk -F'\t' -v s=$size '$1==s{print $3}') \
			    <(table by_mrc <r.tsv | awk -F'\t' -v s=$size '$(NF-3)==s{n+=$(NF-1)} END{print n}')
		done
	done
}

@test "warpreuse: partial reports of pieces merge into the report of one run" {
	for seed in 1 2 3 4; do
		RANDOM=$seed
		a=$((RANDOM * 3 % 12000)) b=$((12000 + RANDOM % 8000))
		"$S" make 20000 700 $seed >whole
		"$S" make 20000 700 $seed 0 $a >p1
		"$S" make 20000 700 $seed $a $b >p2
		"$S" make 20000 700 $seed $b 20000 >p3
		for how in "" "--by sm" "--by pc --private kernel" "--by warp --private cta" "--by kernel --private sm -F load"; do
			for p in p1 p2 p3; do
				# shellcheck disable=SC2086
				warpreuse $how --partial -r $p.part $p
			done
			for report in "" "--bins exact --mrc all" "--bins 9 --mrc 5,8KiB"; do
				# shellcheck disable=SC2086
				warpreuse $how $report --tsv whole >want
				# shellcheck disable=SC2086
				warpreuse $report --tsv --merge p1.part p2.part p3.part >got
				diff want got || { echo "seed $seed at $a $b: $how $report"; return 1; }
			done
			warpreuse --merge --partial p1.part p2.part | warpreuse --tsv --bins 9 --mrc 5,8KiB --merge - p3.part >got
			diff want got || { echo "seed $seed at $a $b, in two steps: $how"; return 1; }
		done
	done
}

@test "warpreuse: pieces by SM merge in any order when each SM has its own stack" {
	for sm in 0 1 2 3; do
		warpcut -q -F "sm $sm" "$W" | warpreuse --private sm --by sm --partial >p$sm
	done
	diff <(warpreuse --tsv --private sm --by sm --bins 5 "$W") \
	    <(warpreuse --tsv --bins 5 --merge p2 p0 p3 p1)
	for sm in 0 1 2 3; do
		warpreuse -F "sm $sm" --private sm --by kernel --partial "$W" >p$sm
	done
	diff <(warpreuse --tsv --private sm --by kernel --bins 5 "$W") \
	    <(warpreuse --tsv --bins 5 --merge p0 p3 p1 p2)
}

@test "warpreuse: pieces by kernel merge, and those that number kernels anew are refused" {
	for kernel in 0 1 2; do
		for unit in kernel pc; do
			warpreuse -F "kernel $kernel" --by $unit --partial "$W" >$unit$kernel
			warpcut -q --kernel $kernel "$W" | warpreuse --by $unit --partial >cut$unit$kernel
		done
	done
	for unit in kernel pc; do
		warpreuse --tsv --by $unit --bins 50 "$W" >want
		diff want <(warpreuse --tsv --bins 50 --merge ${unit}0 ${unit}1 ${unit}2)
	done
	# programs are known by their names
	diff want <(warpreuse --tsv --bins 50 --merge cutpc0 cutpc1 cutpc2)
	diff want <(warpreuse --merge --partial cutpc0 cutpc1 | warpreuse --tsv --bins 50 --merge - cutpc2)
	run -3 --separate-stderr warpreuse --merge cutkernel0 cutkernel1
	[ -z "$output" ]
	[ "$stderr" = "warpreuse: cutkernel1: another stream than the files before it, which may number kernels otherwise; cut pieces by -F" ]
}

@test "warpreuse: a damaged partial report is refused at its line" {
	warpreuse --by sm --partial "$W" >part
	lines=$(wc -l <part)
	for n in 0 1 5 9 20 100 1000 $((lines - 1)); do
		head -n $n part >cut
		run -3 --separate-stderr warpreuse --merge cut
		[ -z "$output" ]
		[ "${#stderr_lines[@]}" -eq 1 ]
		[[ $stderr == "warpreuse: cut: line $((n + 1)): "* ]]
	done
	head -c -1 part >cut
	run -3 --separate-stderr warpreuse --merge cut
	sed '0,/^hist all/s/^hist all.*/&1/' part >bad
	run -3 --separate-stderr warpreuse --merge bad
	sed '50s/^./f/' part >bad
	run -3 --separate-stderr warpreuse --merge bad
	[[ $stderr == *"checksum mismatch" ]]
	run -3 --separate-stderr warpreuse --merge "$W"
	[[ $stderr == "warpreuse: $W: line 1: no partial report of warpreuse"* ]]
	(cat part; echo) >bad
	run -3 --separate-stderr warpreuse --merge bad
	[[ $stderr == *"something after the end line" ]]
	run -4 --separate-stderr warpreuse --merge nothing
	[ "$stderr" = "warpreuse: nothing: No such file or directory" ]
	warpreuse --partial "$W" >other
	run -3 --separate-stderr warpreuse --merge part other
	[ "$stderr" = "warpreuse: other: its --by is not that of the files before it" ]
}

@test "warpreuse: files, pipes and threads give the same report" {
	warpreuse --by cta --private sm --json "$W" | sed 's/"command":.*//' >want
	for j in 0 1 3 8; do
		diff want <(warpreuse --by cta --private sm --json -j $j "$W" | sed 's/"command":.*//')
		diff want <(cat "$W" | warpreuse --by cta --private sm --json -j $j | sed 's/"command":.*//')
		diff want <(warpreuse --by cta --private sm --json -j $j - <"$W" | sed 's/"command":.*//')
	done
}

@test "warpreuse: kinds split the references" {
	loads=$(warpreuse --tsv --kinds load "$W" | table summary | awk '$1=="accesses"{print $2}')
	stores=$(warpreuse --tsv --kinds store,atomic "$W" | table summary | awk '$1=="accesses"{print $2}')
	all=$(warpreuse --tsv "$W" | table summary | awk '$1=="accesses"{print $2}')
	[ "$loads" -gt "$stores" ] && [ "$stores" -gt 0 ] && [ $((loads + stores)) -eq "$all" ]
}

@test "warpreuse: longer lines join neighbours, shorter ones change nothing" {
	warpreuse --tsv "$W" >a
	warpreuse --tsv --line 64 "$W" >b
	diff <(table mrc <a | cut -f 1,3) <(table mrc <b | cut -f 1,3)
	diff <(echo 350) <(warpreuse --tsv --line 256 "$W" | table summary | awk '$1=="lines"{print $2}')
	grep -q '^# .* accesses to shorter lines were counted by the 256-byte line' <(warpreuse --line 256 --tsv "$W")
	grep -q '^# all line addresses are multiples of 128 bytes: .* say --line 128$' b
	! grep '^# all line\|^# .* accesses' a
}

@test "warpreuse: a sample of everything is the exact report" {
	for how in "" "--private sm" "--private kernel"; do
		# shellcheck disable=SC2086
		warpreuse --tsv --bins 20 --mrc 1,50,300,701 $how "$W" >exact
		for sample in 1 100k; do
			# shellcheck disable=SC2086
			warpreuse --tsv --bins 20 --mrc 1,50,300,701 $how --sample $sample "$W" >sampled
			diff <(table mrc <exact | cut -f 1-3) <(table mrc <sampled | cut -f 1-3)
			diff <(table histogram <exact | cut -f 1-3) <(table histogram <sampled | awk -F'\t' '$3' | cut -f 1-3)
			table mrc <sampled | awk -F'\t' '$5 != 0 {exit 1}'
		done
	done
}

@test "warpreuse: a bounded sample stays within its bound, another seed samples other lines" {
	warpreuse --tsv --sample 128 "$W" | table summary >a
	awk -F'\t' '$1=="sampled_lines"&&$2>128{exit 1} $1=="rate"&&$2>0.2{exit 1}' a
	! diff <(warpreuse --tsv --sample 0.2 --seed 1 "$W" | table mrc) <(warpreuse --tsv --sample 0.2 --seed 2 "$W" | table mrc) >/dev/null
	diff <(warpreuse --tsv --sample 0.2 --seed 2 "$W" | table mrc) <(warpreuse --tsv --sample 0.2 --seed 2 -j 4 "$W" | table mrc)
}

@test "warpreuse: a stream without references has an empty report" {
	"$S" make 10 10 1 0 0 >empty
	for how in "" "--by warp --private sm" "--bins exact --mrc all" "--sample 0.1"; do
		# shellcheck disable=SC2086
		run -0 --separate-stderr warpreuse --tsv $how empty
		[ "${lines[2]}" = "$(printf 'accesses\t0\t')" ]
	done
	warpreuse --partial empty >e.part
	warpreuse --partial "$W" >w.part
	diff <(warpreuse --tsv "$W") <(warpreuse --tsv --merge e.part w.part e.part)
}

@test "warpreuse: a truncated stream is reported as far as it goes, with status 3" {
	size=$(stat -c %s "$W")
	before=-1
	for n in $((size / 3)) $((size * 2 / 3)) $((size - 1)); do
		head -c $n "$W" >cut
		run -3 --separate-stderr warpreuse --tsv cut
		[[ $stderr == "warpreuse: cut: "* ]]
		[ "${#stderr_lines[@]}" -eq 1 ]
		seen=$(awk '$1=="accesses"{print $2;exit}' <<<"$output")
		[ "${seen:-0}" -ge "$before" ]
		before=${seen:-0}
	done
	[ "$before" -gt 0 ]
	[[ $output == *"# the input was not whole: this covers what was read"* ]]
	# and a partial report of it says so when merged
	run -3 --separate-stderr warpreuse --partial -r cut.part cut
	run -3 --separate-stderr warpreuse --merge cut.part
	[ -n "$output" ]
	[ "$stderr" = "warpreuse: a partial report covers only the start of its input" ]
}

@test "warpreuse: what is no stream is refused in one line" {
	: >nothing
	head -c 5000 /dev/zero >zeros
	for f in nothing zeros "$T/helper.bash"; do
		run -3 --separate-stderr warpreuse "$f"
		[ -z "$output" ]
		[[ $stderr == "warpreuse: $f: "* ]]
		[ "${#stderr_lines[@]}" -eq 1 ]
	done
	run -4 --separate-stderr warpreuse no-such-file
	[[ $stderr == "warpreuse: no-such-file: "*"No such file or directory" ]]
}

@test "warpreuse: a usage error is one line and status 2" {
	while IFS='|' read -r args message; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr warpreuse $args "$W"
		[ -z "$output" ]
		[ "$stderr" = "warpreuse: $message (try 'warpreuse -h')" ] || { echo "$args: $stderr"; return 1; }
	done <<'END'
--by lane|--by: 'lane' is none of none, sm, kernel, cta, warp, pc, source
--private pc|--private: 'pc' is none of none, sm, kernel, cta, warp
--kinds load,jump|--kinds: 'jump' is none of load, store, atomic, reduce, prefetch, writeback, fill
--line 96|--line: 96 is not a power of two
--mrc 100B|--mrc: 100B is no whole number of 128-byte lines
--sample 0.1 --by sm|--by needs every reference; it does not go with --sample
--sample 0.1 --private cta|--sample goes with --private none, sm or kernel only
--sample 0.1 --partial|--partial is exact; it does not go with --sample
--sample 0.1 --mrc all|a sample has no exact distances: no --bins exact, no --mrc all
--sample 7|--sample: 7 is neither a rate up to 1 nor a number of lines, at least 64
--partial --json|--partial has a form of its own; --mrc, --bins, --tsv and --json belong to --merge
--merge --by sm|--merge takes line size, kinds, filter, --by and --private from its files, and knows no --sample
a b|one input at a time; partial reports are joined by --merge
END
	run -2 --separate-stderr warpreuse --merge
	[[ $stderr == "warpreuse: --merge needs files that --partial wrote"* ]]
}

@test "warpreuse: a full disk is status 4" {
	for how in "" --json --partial; do
		run -4 --separate-stderr bash -c 'warpreuse $1 "$2" >/dev/full' - "$how" "$W"
		[[ $stderr == "warpreuse: standard output: No space left on device" ]]
	done
	run -4 --separate-stderr warpreuse -r no/such/place "$W"
	run -4 --separate-stderr warpreuse --partial -r no/such/place "$W"
	[[ $stderr == "warpreuse: no/such/place: No such file or directory" ]]
}

@test "warpreuse: warpplot draws both tables, in files and in the terminal" {
	command -v gnuplot || skip "no gnuplot"
	for how in "" "--bins exact --mrc all" "--sample 0.5"; do
		# shellcheck disable=SC2086
		warpreuse --tsv $how "$W" >r.tsv
		run -0 --separate-stderr warpplot -o mrc.svg r.tsv
		[ -z "$stderr" ]
		grep -q 'cache size (bytes, lines of 128 B)' mrc.svg
		run -0 --separate-stderr warpplot --table histogram -o cdf.svg r.tsv
		[ -z "$stderr" ]
		grep -q 'Reuse distance.* (.* % of 18039 accesses are first references)' cdf.svg
		run -0 --separate-stderr warpplot r.tsv
		[[ $output == *"miss ratio"* ]] && [ -z "$stderr" ]
	done
}

# Each record of an ACCESS stream, as a slow list of lines has it: relation, tab, distance; first references are left out.
relations() { # LEVEL <STREAM
	warpdump | awk -v level="$1" '
		$1 == "kernel" && $0 ~ / from kernel / { id = $2; for (i = 3; i < NF; i++) if ($i == "from") { parent[id] = $(i + 2); pcta[id] = $(i + 4) } }
		$2 == "sm" {
			k = $5; c = $7; w = $9; line = $14; space = $13
			if (space == "shared") next
			me = level == "kernel" ? k : level == "cta" ? k "," c : k "," c "," w
			at = 0
			for (i = n; i >= 1; i--) if (list[i] == line) { at = i; break }
			if (at) {
				split(who[line], you, ",")
				r = "other"
				up = (k in parent) && parent[k] == you[1] && (level == "kernel" || pcta[k] == you[2])
				down = (you[1] in parent) && parent[you[1]] == k && (level == "kernel" || pcta[you[1]] == c)
				if (me == who[line]) r = level == "warp" ? "intra-warp" : "self"
				else if (k == you[1]) r = level == "cta" ? "intra-kernel" : "inter-warp"
				else if (level != "warp" && (up || down)) r = "parent-child"
				else if (level != "warp" && (k in parent) && (you[1] in parent) && parent[k] == parent[you[1]] && pcta[k] == pcta[you[1]]) r = "sibling"
				print r "\t" n - at
				for (i = at; i < n; i++) list[i] = list[i + 1]
				n--
			}
			list[++n] = line
			who[line] = me
		}'
}

@test "warpreuse: distances by relation are those of a slow list, at every level, and add up to all" {
	for seed in 1 2; do
		"$B/tests/ratio_slow" make $seed >s.wcp
		for level in kernel cta warp; do
			relations $level <s.wcp | awk -F'\t' '{b = 0; for (d = $2; d >= 1; d = int(d / 2)) b++; n[$1 "\t" b]++} END {for (k in n) print k "\t" n[k]}' | sort >want
			warpreuse --tsv --relation $level s.wcp >r.tsv
			table relation_histogram <r.tsv | awk -F'\t' '$4 {b = 0; for (d = $2; d >= 1; d = int(d / 2)) b++; print $1 "\t" b "\t" $4}' | sort >got
			diff -u want got || { echo "seed $seed level $level"; return 1; }
			diff <(table relation <r.tsv | awk -F'\t' '{n += $2} END {print n}') \
			    <(table summary <r.tsv | awk -F'\t' '$1 == "accesses" {a = $2} $1 == "cold" {print a - $2}')
		done
	done
}

@test "warpreuse: WARP with launches has the relations of the same flattened" {
	warpcap -q --ptx "$T/child/tree.ptx" --launch "$T/child/tree.launch" -o tree.wcp
	# without barriers and with one warp a CTA, recorded order is that of --order warp
	warpreuse --tsv --relation kernel tree.wcp | table relation >want
	[ "$(awk -F'\t' '$1 == "sibling" {print ($2 > 0)}' want)" = 1 ]
	[ "$(awk -F'\t' '{n += $2} END {print n}' want)" -eq "$(warpreuse --tsv tree.wcp | awk -F'\t' '$1 == "accesses" {a = $2} $1 == "cold" {print a - $2}')" ]
}

@test "warpreuse: the footprint grows to all lines, windows are what a set of lines says" {
	"$B/tests/ratio_slow" make 4 >s.wcp
	run -0 --separate-stderr warpreuse --tsv --footprint 100 --working-set s.wcp
	[ -z "$stderr" ]
	warpdump s.wcp | awk '$2 == "sm" && $13 != "shared" {print $14}' >lines
	awk '{if (!($1 in all)) n++; all[$1]; if (!($1 in w)) m++; w[$1]; if (NR % 100 == 0) {print NR "\t" n "\t" n * 128 "\t" m; m = 0; delete w}}
	     END {if (NR % 100) print NR "\t" n "\t" n * 128 "\t" m}' lines >want
	diff want <(table footprint <<<"$output")
	# every window of 1, 4, 64 and 512
	for size in 1 4 64 512; do
		awk -v s=$size '{l[NR] = $1} END {
			for (i = 1; i <= NR; i++) {
				if (!c[l[i]]++) n++
				if (i > s && !--c[l[i - s]]) n--
				if (i >= s) sum += n
			}
			printf "%.6f\n", sum / (NR - s + 1)
		}' lines >want
		diff want <(table working_set <<<"$output" | awk -F'\t' -v s=$size '$1 == s {printf "%.6f\n", $2}')
	done
}

@test "warpreuse: source lines are their instructions together" {
	warpreuse --tsv --by pc "$W" | table by | awk -F'\t' '{k = $3 ? $3 : $1; a[k] += $4; c[k] += $6} END {for (k in a) print k "\t" a[k] "\t" c[k]}' | sort >want
	warpreuse --tsv --by source "$W" | table source | cut -f 1,2,4 | sort >got
	diff want got
}

@test "warpreuse: relations, footprints and sources are of whole streams" {
	for wrong in "--relation sm" "--relation kernel --sample 0.5" "--footprint 10 --private sm" "--working-set --partial" "--by source --merge" "--footprint 0"; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr warpreuse $wrong "$W"
		[ -z "$output" ]
		[ "${#stderr_lines[@]}" -eq 1 ]
	done
}
