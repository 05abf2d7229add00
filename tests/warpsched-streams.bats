# What warpsched writes: streams of accesses, and series.
load helper

setup() { cd "$BATS_TEST_TMPDIR"; }

value() { awk -F'\t' -v n="$1" '$1 == n { print $2; exit }'; }

# outcome LEVEL WHAT FILE: records
outcome() { warpdump "$3" | grep -c " $1:$2\\b" || true; }

@test "warpsched: the stream of a level holds what its counters count, in order of cycles and SMs" {
	warpcap -w spmv -D N=600 -o s.wcp
	for level in l1 l2 dram; do
		warpsched --tsv -o "$level.wcp" --tap "$level" -r r.tsv s.wcp
		warpdump "$level.wcp" | awk '$2 == "sm" && !/ state / { sm = $3 == "-" ? 1e9 : $3
			if ($1 < c || ($1 == c && sm < s)) exit 1; c = $1; s = sm }'
	done
	for l in "l1 l1d" "l2 l2"; do
		read -r tap name <<<"$l"
		[ "$(outcome "$tap" hit "$tap.wcp")" = "$(value "${name}_hits" <r.tsv)" ]
		[ "$(outcome "$tap" miss "$tap.wcp")" = "$(value "${name}_misses" <r.tsv)" ]
		[ "$(outcome "$tap" pending "$tap.wcp")" = "$(value "${name}_merges" <r.tsv)" ]
	done
	[ "$(warpdump dram.wcp | grep -v " state " | grep -c " sm ")" = "$(($(value dram_reads <r.tsv) + $(value dram_writes <r.tsv)))" ]
	warpsched --tsv s.wcp >plain
	diff plain r.tsv
}

@test "warpsched: other tools read what it writes, lines that L1 evicts are marked, and DRAM gets the same places" {
	warpcap -w gesummv -D N=128 -o g.wcp
	warpsched -q -o l1.wcp g.wcp
	run -0 --separate-stderr warpcache --tsv -m gpgpusim-gtx480 l1.wcp
	run -0 --separate-stderr warpreuse --tsv l1.wcp
	# every line that leaves L1 had come in before
	warpdump --tsv --records --columns line,victim l1.wcp | awk -F'\t' 'NR > 1 {
		if ($2 != "") { n++; if (!($2 in came)) exit 1 } came[$1] = 1 } END { exit n < 1000 }'
	warpsched --tsv -r r.tsv -o dram.wcp --tap dram g.wcp
	[ "$(warpdram --tsv -m gpgpusim-gtx480 dram.wcp | value reads)" = "$(value dram_reads <r.tsv)" ]
	# the addresses are those of the instructions' lines
	warpdump dram.wcp | grep -o "load global 0x2[0-9a-f]*" | sort -u >below
	warpdump l1.wcp | grep -o "load global 0x2[0-9a-f]*" | sort -u >above
	[ -z "$(comm -23 below above)" ]
}

@test "warpsched: kernels, their programs and what the host did go into the stream, with any number of them at once" {
	(cd "$T/child" && warpcap -q --ptx fallback.ptx --launch fallback.launch -o "$BATS_TEST_TMPDIR/s.wcp")
	warpsched -q -o a.wcp s.wcp
	[ "$(warpinfo --tsv a.wcp | value kernels)" = "$(warpinfo --tsv s.wcp | value kernels)" ]
	diff <(warpdump a.wcp | grep ^host) <(warpdump s.wcp | grep ^host)
	warpsched -q -o - s.wcp | warpdump - | diff - <(warpdump a.wcp)
	warpsched -q -j 4 -Z 0 -o - s.wcp | warpcut -o b.wcp -
	diff <(warpdump a.wcp) <(warpdump b.wcp)
}

@test "warpsched: the stream has when CTAs and warps began and ended, and what held warps meanwhile" {
	(cd "$T/calib" && warpcap -q --ptx row_per_thread.ptx --launch row_per_thread_256.launch -o "$BATS_TEST_TMPDIR/s.wcp")
	warpsched --tsv -m gtx480 -p ciao-c -o a.wcp -r r.tsv s.wcp
	warpdump a.wcp | grep " state " >states
	count() { grep -c " state $1\$" states || true; }
	[ "$(count cta_begin) $(count cta_end) $(count warp_begin) $(count warp_end)" = "1 1 8 8" ]
	[ "$(count isolated)" -gt 0 ]
	[ "$(count stalled)" -gt 0 ]
	# in order; the last warp's end is the kernel's
	sort -snk1,1 states | diff states -
	[ "$(tail -n 1 states | cut -d" " -f1)" = $(($(value cycles <r.tsv) - 1)) ]
	run -0 warpexport --perfetto a.wcp
	[[ $output == *'"name":"stalled"'* ]]
	[[ $output == *'"name":"isolated"'* ]]
	# lines that left shared memory for others are told like those that left L1D
	[ "$(warpdump a.wcp | grep -c "fill .*l1:redirect_miss")" = "$(value smem_evictions <r.tsv)" ]
}

@test "warpsched: a stream of accesses is of one run; unwritable and broken ones are told" {
	warpcap -w gesummv -D N=64 -o g.wcp
	run -2 --separate-stderr warpsched -p gto,lrr -o a.wcp g.wcp
	run -2 --separate-stderr warpsched --tap l2 g.wcp
	run -2 --separate-stderr warpsched --tap l3 -o a.wcp g.wcp
	[[ $stderr == *"l1, l2 and dram"* ]]
	run -4 --separate-stderr warpsched -o none/a.wcp g.wcp
	run -4 --separate-stderr bash -c "warpsched -o - g.wcp >/dev/full"
	head -c $(($(stat -c %s g.wcp) * 2 / 3)) g.wcp >half.wcp
	run -3 --separate-stderr warpsched -q -o a.wcp half.wcp
	run -0 --separate-stderr warpdump a.wcp
	[[ $output == *partial* ]]
}

# total COLUMN: of a series on standard input
total() { awk -F'\t' -v c="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == c) at = i } NR > 1 { n += $at } END { print n + 0 }'; }

@test "warpsched: a series adds up to the report, whatever the interval" {
	warpcap -w spmv -D N=600 -o s.wcp
	for n in 1 333 1000 1000000; do
		warpsched --tsv -p swl:n=2 --series t.tsv --interval "$n" s.wcp >r.tsv
		for c in warp_instructions thread_instructions l1d_accesses l1d_misses l2_accesses dram_reads dram_writes; do
			[ "$(total "$c" <t.tsv)" = "$(value "$c" <r.tsv)" ] || { echo "$n $c"; false; }
		done
		[ "$(total l1d_hits <t.tsv)" = "$(($(value l1d_hits <r.tsv) + $(value l1d_merges <r.tsv)))" ]
		[ "$(tail -n +2 t.tsv | wc -l)" -ge "$(($(value cycles <r.tsv) / n))" ]
	done
	warpsched --tsv -p swl:n=2 s.wcp | diff - r.tsv
}

@test "warpsched: one series has all runs, the same for any -j; one that cannot be written is told" {
	warpcap -w gesummv -D N=64 -o g.wcp
	warpcap -w spmv -D N=200 -o s.wcp
	warpsched --tsv -p gto,ciao-c --series one.tsv g.wcp s.wcp >/dev/null
	warpsched --tsv -j 3 -p gto,ciao-c --series three.tsv g.wcp s.wcp >/dev/null
	diff one.tsv three.tsv
	[ "$(cut -f 1,2 one.tsv | sort -u | wc -l)" = 5 ]
	run -4 --separate-stderr warpsched --series none/s.tsv g.wcp
	run -2 --separate-stderr warpsched --interval 0 g.wcp
}
