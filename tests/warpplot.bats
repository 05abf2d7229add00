load helper

setup() {
	command -v gnuplot >/dev/null || skip "no gnuplot"
}

tsv() { printf '%b' "$1"; }

# A report of each kind that tools write, small enough to know.
mrc() {
	tsv '#table summary\nname\tvalue\tunit\naccesses\t1000\t\nline\t128\tB\ncold_share\t12.5\t%\n\n'
	tsv '#table histogram\nlow\thigh\taccesses\tshare\tcdf\n0\t0\t10\t1\t1\n1\t1\t90\t9\t10\n2\t3\t775\t77.5\t100\n'
	tsv '# title: Reuse distance\n# units: lines\tlines\t\t%\t%\n\n'
	tsv '#table mrc\nlines\tbytes\tmisses\tmiss_ratio\n1\t128\t990\t99\n2\t256\t500\t50\n4\t512\t125\t12.5\n'
	tsv '# title: Misses of a cache\n# units: \t\t\t%\n# report: warpreuse\n'
}
policies() {
	tsv '#table comparison\ninput\tpolicy\tcycles\tipc\n'
	tsv 'a.wcp\tlrr\t10\t2\na.wcp\tgto\t10\t4\nb.wcp\tlrr\t10\t8\nb.wcp\tgto\t10\t9\n# report: warpsched\n'
}
banks() {
	tsv '#table banks\nchannel\trank\tbank\tbusy\n0\t0\t0\t10\n0\t0\t1\t20\n1\t0\t0\t30\n1\t0\t1\t45\n'
	tsv '# title: Banks\n# units: \t\t\t%\n# report: warpdram\n'
}
cycles() {
	tsv '#table cycles\ncycles\tnumber\tshare\ntransferring\t30\t30\nwaiting_row\t50\t50\nidle\t20\t20\n# title: Cycles of all channels\n# units: \tck\t%\n# report: warpdram\n'
}
series() { tsv 'cycle\taccesses\thits\tmerges\tmisses\n0\t9\t1\t2\t6\n100\t9\t4\t2\t3\n200\t9\t7\t1\t1\n'; }

# texts FILE: those of an SVG, a line each
texts() { sed -nE 's/.*<text>(.*)<\/text>.*/\1/p' "$1" | sed 's/^ *//; s/ *$//' | sort -u; }
has() { texts "$1" | grep -qxF -- "$2" || { echo "$1: no '$2' in"; texts "$1"; return 1; }; }

@test "warpplot: a miss-ratio curve has title, axes with units, sizes and legend; the data lie beside it" {
	mrc >atax.tsv
	run -0 --separate-stderr warpplot -o out.svg atax.tsv
	[ "$output$stderr" = "" ]
	has out.svg "atax: Misses of a cache"
	has out.svg "cache size (bytes, lines of 128 B)"
	has out.svg "miss ratio (%)"
	has out.svg "first references (12.5 %)"
	has out.svg 256
	diff - out.dat <<END
# miss ratio
$(printf '# cache size (bytes, lines of 128 B)\tmiss ratio (%%)')
$(printf '128\t99')
$(printf '256\t50')
$(printf '512\t12.5')


# first references (12.5 %)
$(printf '# cache size (bytes, lines of 128 B)\tmiss ratio (%%)')
$(printf '128\t12.5')
$(printf '256\t12.5')
$(printf '512\t12.5')
END
	[ "$(ls -- *.* | tr "\n" " ")" = "atax.tsv out.dat out.svg " ]
}

@test "warpplot: a distribution says what is below a distance; several reports are told apart" {
	mrc >a.tsv
	mrc >b.x.tsv
	warpplot --table histogram -o one.svg a.tsv
	has one.svg "a: Reuse distance (12.5 % of 1000 accesses are first references)"
	has one.svg "distance below (lines)"
	has one.svg "references that reuse a line (%)"
	warpplot --table histogram --labels first,second -o two.svg a.tsv b.x.tsv
	has two.svg "Reuse distance"
	has two.svg first
	has two.svg second
	[ "$(sed -n 3,5p two.dat)" = "$(printf '1\t1\n2\t10\n4\t100')" ]
}

@test "warpplot: bars by policy with their geometric mean, absolute and relative" {
	policies >p.tsv
	warpplot -o out.svg p.tsv
	for text in "p: Policies" "IPC (thread instructions per cycle)" a.wcp b.wcp gmean lrr gto; do has out.svg "$text"; done
	# 4 = sqrt(2 8), 6 = sqrt(4 9)
	[ "$(awk -F'\t' '$6 == "gmean" {print $5}' out.dat | tr '\n' ' ')" = "4 6 " ]
	warpplot --relative lrr -o out.svg p.tsv
	has out.svg "IPC (thread instructions per cycle), relative to lrr"
	[ "$(awk -F'\t' '!/^#/ && NF {print $5}' out.dat | tr '\n' ' ')" = "1 1 1 2 1.125 1.5 " ]
	run -2 --separate-stderr warpplot --relative ccws -o out.svg p.tsv
	[[ $stderr == "warpplot: --relative ccws: there are no such bars"* ]]
}

@test "warpplot: parts of a bar stand on each other, a map shows every cell, a series every curve" {
	cycles >dram.tsv
	warpplot -o s.svg dram.tsv
	for text in "dram: Cycles of all channels" "cycles of all channels (%)" transferring waiting_row idle dram; do has s.svg "$text"; done
	[ "$(awk -F'\t' '!/^#/ && NF {print $3, $4}' s.dat | tr '\n' ' ')" = "0 30 30 80 80 100 " ]
	banks >b.tsv
	warpplot -o h.svg b.tsv
	for text in "b: Banks" "rank, bank" channel "busy (%)" "0 1"; do has h.svg "$text"; done
	[ "$(awk -F'\t' '!/^#/ && NF {print $3}' h.dat | tr '\n' ' ')" = "10 20 30 45 " ]
	series >l1.tsv
	warpplot -o t.svg l1.tsv
	for text in cycle "accesses in an interval" hits merges misses; do has t.svg "$text"; done
	warpplot --kind stack -x cycle -y hits,misses --where 'cycle!=0' -o w.svg l1.tsv
	[ "$(awk -F'\t' '!/^#/ && NF {print $6, $5}' w.dat | tr '\n' ' ')" = "100 4 200 7 100 3 200 1 " ]
}

@test "warpplot: warpsched's series are a curve a policy, its interference a map" {
	tsv 'input\tpolicy\tcycle\tipc\na.wcp\tlrr\t0\t1\na.wcp\tlrr\t1000\t2\na.wcp\tgto\t0\t3\na.wcp\tgto\t1000\t4\n' >s.tsv
	warpplot -o t.svg s.tsv
	for text in cycle IPC "a.wcp lrr" "a.wcp gto"; do has t.svg "$text"; done
	[ "$(awk -F'\t' '!/^#/ && NF {print $1, $2}' t.dat | tr '\n' ' ')" = "0 1 1000 2 0 3 1000 4 " ]
	tsv '#table run1_interference\nslot\tinterferer\tmisses\n0\t1\t5\n10\t1\t7\n1\t2\t9\n# report: warpsched\n' >i.tsv
	warpplot -o i.svg i.tsv
	for text in "interfering warp (slot)" "interfered warp (slot)" misses 10; do has i.svg "$text"; done
	# slots in order of number, not of name; what is not there is no zero
	[ "$(awk -F'\t' '!/^#/ && NF {print $3}' i.dat | tr '\n' ' ')" = "5 NaN NaN 9 7 NaN " ]
}

@test "warpplot: a map with holes has its cells where the same map without has them; warpintf's matrix is one" {
	tsv '#table matrix\ninterfering\tinterfered\tevictions\tvta_hits\n0\t0\t7\t1\n2\t1\t8\t9\n1\t2\t7\t1\n# report: warpintf\n' >holes.tsv
	tsv '#table matrix\ninterfering\tinterfered\tevictions\tvta_hits\n0\t0\t7\t1\n1\t0\t0\t0\n2\t0\t0\t0\n0\t1\t0\t0\n1\t1\t0\t0\n2\t1\t8\t9\n0\t2\t0\t0\n1\t2\t7\t1\n2\t2\t0\t0\n# report: warpintf\n' >full.tsv
	for f in holes full; do
		warpplot -o $f.svg $f.tsv
		for text in interfering interfered "VTA hits"; do has $f.svg "$text"; done
		# the darkest cell, of 9 hits
		grep -oE "<polygon fill = 'rgb\( *0, *0, *16\)'[^>]*" $f.svg >$f.cell
		[ -s $f.cell ]
	done
	diff holes.cell full.cell
}

@test "warpplot: JSON gives the picture that TSV gives, standard input that of a file" {
	command -v warpinfo || skip
	"$B/tests/mkstream" -o v.wcp "$T/streams/vec.txt"
	warpinfo --tsv v.wcp >v.tsv
	warpinfo --json v.wcp >v.json
	for table in classes coalescing kernels; do
		warpplot --table $table -o tsv.svg v.tsv
		warpplot --table $table -o json.svg v.json
		cmp tsv.svg json.svg
		cmp tsv.dat json.dat
	done
	warpplot --labels v -o pipe.svg --table kernels <v.json
	cmp pipe.svg json.svg
	cat v.json v.json >two.json
	warpplot --table kernels -o two.svg two.json
}

@test "warpplot: PNG, PDF, text, and a script that draws the same" {
	mrc >a.tsv
	warpplot -o a.png a.tsv
	[ "$(head -c 4 a.png | tail -c 3)" = PNG ]
	warpplot -o a.pdf a.tsv
	[ "$(head -c 4 a.pdf)" = %PDF ]
	run -0 --separate-stderr warpplot --size 60x16 a.tsv
	[ "${#lines[@]}" -ge 14 ]
	[[ $output == *"miss ratio"* && $output == *"cache size (bytes, lines of 128 B)"* ]]
	warpplot --script a.gp -o a.svg a.tsv
	gnuplot -d a.gp >b.svg
	cmp a.svg b.svg
	run -0 bash -c "warpplot -o - --format svg a.tsv | cmp - a.svg"
	run -2 --separate-stderr warpplot -o a.jpg a.tsv
	[ "$stderr" = "warpplot: -o a.jpg: the name does not end in .svg, .png, .pdf or .txt (or say --format) (try 'warpplot -h')" ]
}

@test "warpplot: what a report says is never run: quotes, backquotes, macros" {
	tsv '#table by\nsm\taccesses\tmean\n`touch t1`\t1\t2\n'"it's @n\t1\t3\n"'$(touch t2)"\\\t1\t1\n# title: `touch t3` '"'; system 'touch t4"'\n# report: warpreuse\n' >evil.tsv
	warpplot --labels "\`touch t5\`'" --script evil.gp -o evil.svg evil.tsv
	gnuplot -d evil.gp >/dev/null
	[ "$(ls t? 2>/dev/null)" = "" ]
	has evil.svg "it's @n"
}

@test "warpplot: a missing gnuplot and a failing one are told in one line, with status 4, and leave nothing" {
	mrc >a.tsv
	mkdir bin
	run -4 --separate-stderr env PATH="$PWD/bin" "$B/bin/warpplot" -o a.svg a.tsv
	[ "$stderr" = "warpplot: gnuplot is not installed (apt-get install gnuplot-nox); --script writes what it would be told" ]
	echo 'plot undefined_thing' >bad.gp
	run -4 --separate-stderr warpplot --style ./bad.gp -o a.svg a.tsv
	[ "$stderr" = "warpplot: gnuplot: undefined variable: undefined_thing" ]
	run -4 --separate-stderr warpplot --style none.gp -o a.svg a.tsv
	[ "$stderr" = "warpplot: style none.gp: No such file or directory" ]
	mkdir tmp
	TMPDIR=$PWD/tmp warpplot -o b.svg a.tsv
	[ "$(ls tmp)" = "" ]
	[ ! -e a.svg ]
	run -4 --separate-stderr bash -c "warpplot a.tsv >/dev/full"
	[ "$stderr" = "warpplot: standard output: No space left on device" ]
	run -4 --separate-stderr warpplot --format svg -o /dev/full a.tsv
	[ "$stderr" = "warpplot: /dev/full: No space left on device" ]
	run -4 --separate-stderr warpplot -o no/such.svg a.tsv
	[ "$stderr" = "warpplot: no/such.svg: No such file or directory" ]
}

@test "warpplot: bad input is refused with its place" {
	while IFS='|' read -r text message; do
		tsv "$text" >bad.tsv
		run -3 --separate-stderr warpplot -o a.svg bad.tsv
		[ "$stderr" = "warpplot: $message" ] || { echo "$stderr"; return 1; }
	done <<'EOF'
|bad.tsv: no tables: is it a report with --tsv or --json?
some text\nand more\n|bad.tsv: not tab-separated: is it a report without --tsv or --json?
{"tables": {"a": [1]}}|bad.tsv: JSON: an object is missing (at byte 18)
{"tables": {"a": [{"b": [1]}]}}|bad.tsv: JSON: a cell holds more than a value (at byte 24)
{"tool": "x|bad.tsv: JSON: a text does not end (at byte 11)
{"a": "\\q"}|bad.tsv: JSON: an escape that is none (at byte 8)
#table\0x\n|bad.tsv: not a report: it has NUL bytes (a stream is read by warpinfo and others)
a\tb\nx\ty\n|no table of the report has what that picture shows (see --list; --table, -x, -y choose)
#table mrc\nlines\tbytes\tmiss_ratio\n1\t128\t\n# report: warpreuse\n|table mrc has no numbers in miss_ratio to draw
EOF
	# what is whole of a damaged report is drawn, and the damage told
	mrc | sed -n '1,/^4.512/p' >cut.tsv
	for place in "s/^2\t256\t.*/2\t256/;line 18 has not as many cells as its table has columns" \
	    ";cut short: the report of its last table does not end"; do
		sed "${place%%;*}" cut.tsv >bad.tsv
		rm -f a.svg
		run -3 --separate-stderr warpplot -o a.svg bad.tsv
		[ "$stderr" = "warpplot: bad.tsv: ${place#*;}" ] || { echo "$stderr"; return 1; }
		has a.svg "miss ratio"
	done
	[ "$(sed -n '3,5p' a.dat | cut -f 1 | tr '\n' ' ')" = "128 256 512 " ]
	printf '{%.0s' $(seq 200) >deep.json
	run -3 warpplot deep.json
	printf '{"a": %s' "$(printf '[%.0s' $(seq 200))" >deep.json
	run -3 --separate-stderr warpplot deep.json
	[[ $stderr == "warpplot: deep.json: JSON: too deep"* ]]
	# cut anywhere, a report is drawn or refused
	mrc >a.tsv
	warpinfo --json <("$B/tests/mkstream" "$T/streams/vec.txt") >v.json
	for ((n = 1; n < $(stat -c %s v.json); n += 97)); do
		head -c "$n" v.json >cut.json
		run --separate-stderr warpplot --list cut.json
		[ "$status" = 3 ] || [ "$status" = 0 ]
	done
}

@test "warpplot: too many places are cut to the largest and said so; --list lists" {
	mrc >a.tsv
	run -0 --separate-stderr warpplot --kind series --table mrc -x '*' -y miss_ratio -o out.svg a.tsv
	{ tsv '#table by\nsm\taccesses\tmean\n'; for i in $(seq 99); do printf '%d\t1\t%d\n' "$i" "$((i * 7 % 100))"; done; echo '# report: warpreuse'; } >by.tsv
	run -0 --separate-stderr warpplot --top 3 -o out.svg by.tsv
	[ "$stderr" = "warpplot: warning: 99 places: the 3 of the largest bars are drawn (--top)" ]
	[ "$(awk -F'\t' '!/^#/ && NF {print $5}' out.dat | tr '\n' ' ')" = "99 98 97 " ]
	mrc >a.tsv
	run -0 warpplot --list --tsv a.tsv
	[ "${lines[2]}" = "$(printf 'a\thistogram\tcdf\thigh\tcdf\t\t')" ]
}

@test "warpplot: curves and bars without a number leave their names to no other" {
	tsv '#table cdf\nlevel\trelation\tb0\tb1\nkernel\tself\t0\t100\nkernel\tsibling\t\t\ncta\tself\t40\t100\n# report: warpratio\n' >r.tsv
	run -0 --separate-stderr warpplot --kind lines --table cdf -o out.svg r.tsv
	[ "$output$stderr" = "" ]
	has out.svg "cta self"
	run ! has out.svg "kernel sibling"
	[ "$(grep -c '^# [kc]' out.dat)" = 2 ]
	diff - <(grep -A 4 '^# cta self' out.dat | tail -n 2 | cut -f 2) <<<$'40\n100'
	# a bar that has nothing to be divided by has no value at all; the next is drawn as itself
	tsv '#table comparison\ninput\tpolicy\tcycles\tipc\na\tlrr\t10\t2\nb\tgto\t10\t4\nb\tlrr\t10\t5\n# report: warpsched\n' >p.tsv
	warpplot --relative gto -o bars.svg p.tsv
	diff - <(awk -F'\t' '/^# [lg]/ {name = $1} !/^#/ && NF {print name, $5, $6}' bars.dat) <<<$'# lrr 1.25 b\n# gto 1 b'
	tsv '#table comparison\ninput\tpolicy\tcycles\tipc\na\tlrr\t10\t2\nb\tgto\t10\t4\n# report: warpsched\n' >p.tsv
	warpplot --relative gto -o bars.svg p.tsv
	diff - <(awk -F'\t' '/^# [lg]/ {name = $1} !/^#/ && NF {print name, $5, $6}' bars.dat) <<<$'# lrr NaN \n# gto 1 b'
}

@test "warpplot: names that are long or many do not stand in each other's way, and all are there" {
	{ tsv '#table by_mrc\nprogram\tpc\tsource\tlines\tbytes\tmiss_ratio\n'
	  for i in $(seq 28); do tsv "a_kernel_with_a_name\t$i\tsome/where/file.cu:$i\t1\t128\t90\na_kernel_with_a_name\t$i\tsome/where/file.cu:$i\t2\t256\t$i\n"; done
	  echo '# report: warpreuse'; } >many.tsv
	warpplot --script many.gp -o many.svg many.tsv
	[ "$(texts many.svg | grep -cE '^a_kernel_with_a_name pc ([0-9]+) file.cu:\1$')" = 28 ]
	grep -q "^key_place = 'below'" many.gp
	# room for them is added below: no text lies outside, or on another
	height=$(sed -nE 's/.*<svg.* *height="([0-9]+)".*/\1/p; s/^ *viewBox="0 0 [0-9]+ ([0-9]+)".*/\1/p' many.svg | head -n 1)
	[ "$height" -gt 700 ]
	grep -oE 'translate\([0-9.]+,[0-9.]+\)' many.svg | tr 'a-z(),' ' ' | awk -v h="$height" '$2 + 0 > h {bad++} END {exit bad}'
	{ tsv '#table comparison\ninput\tpolicy\tcycles\tipc\n'
	  for i in $(seq 30); do tsv "a_workload_of_some_length_$i\tlrr\t10\t$i\na_workload_of_some_length_$i\tgto\t10\t2\n"; done
	  echo '# report: warpsched'; } >p.tsv
	run -0 --separate-stderr warpplot --top 20 --script p.gp -o p.svg p.tsv
	[ "$stderr" = "warpplot: warning: 30 places: the 20 of the largest bars are drawn (--top)" ]
	grep -q 'rotate by 90' p.gp
	# the mean is that over all places, not over those drawn: (30!)^(1/30)
	run -0 awk -F'\t' '$6 == "gmean" {printf "%.4f ", $5}' p.dat
	[ "$output" = "$(awk 'BEGIN {for (i = 1; i <= 30; i++) s += log(i); printf "%.4f 2.0000 ", exp(s / 30)}')" ]
	warpplot --script short.gp -o short.svg --labels "$(printf 'x%.0s' $(seq 90)),b" --table by_mrc many.tsv many.tsv --top 2
	grep -q "x\.\.[^x]" short.gp
	run ! grep -q "$(printf 'x%.0s' $(seq 60))" <(sed -n '/^array legend/p' short.gp)
}

@test "warpplot: columns asked for find the plan that shows them, axes are named by their columns" {
	tsv '#table run1\nname\tvalue\tunit\npolicy\tgto\t\nslots_issued\t5\t\nslots_idle\t15\t\nldst_mshr\t7\tck\nldst_coal\t3\tck\n# title: a under gto\n# report: warpsched\n' >s.tsv
	warpplot --table run1 -y 'ldst_*' -o s.svg s.tsv
	for text in "s: Stalls of the LD/ST units" "cycles (ck)" mshr coal; do has s.svg "$text"; done
	[ "$(awk -F'\t' '!/^#/ && NF {print $5}' s.dat | tr '\n' ' ')" = "7 3 " ]
	tsv '#table by\nsm\taccesses\tmean\n0\t1\t2\n1\t1\t3\n# units: \t\tlines\n# report: warpreuse\n' >by.tsv
	warpplot -o by.svg by.tsv
	for text in SM "mean (lines)"; do has by.svg "$text"; done
	# more rows and columns than dots or letters are joined: the mean of what there is
	{ tsv '#table matrix\ninterfering\tinterfered\tevictions\tvta_hits\n'
	  for i in $(seq 0 1 999); do printf '%d\t%d\t1\t%d\n' "$i" "$i" $((i % 2 * 10)); done; echo '# report: warpintf'; } >m.tsv
	warpplot --script m.gp -o m.svg m.tsv
	[ "$(awk -F'\t' '!/^#/ && NF {if ($1 > x) x = $1; if ($2 > y) y = $2} END {print x, y}' m.dat)" = "499 333" ]
	[ "$(awk -F'\t' '!/^#/ && $3 != "NaN" && NF {s += $3; n++} END {print s / n}' m.dat)" = 5 ]
}
