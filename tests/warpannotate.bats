load helper

mk() { "$B/tests/mkstream" "$@"; }
value() { awk -F'\t' -v name="$1" '$1 == name {print $2}'; }
# cells FILE LINE COLUMN...: of the table lines
cells() {
	awk -F'\t' -v line="$2" -v want="${*:3}" '
		/^#table /{on = $0 == "#table lines"; head = on; next}
		on && head {for (i = 1; i <= NF; i++) at[$i] = i; head = 0; next}
		on && $3 == line {n = split(want, w, " "); for (i = 1; i <= n; i++) printf "%s%s", $at[w[i]], i < n ? " " : "\n"}' "$1"
}

# Two lines of source, three instructions on the second, one of them guarded; shared memory with conflicts.
kernel() {
	printf '// nothing\nfirst();\nx = y[i];\n\ts[i] = x; // <&>\n' >k.cu
	mk -o k.wcp <<'END'
link warp
program k
insn mov.u32 line=k.cu:2
insn ld.global.f32 bytes=4 line=k.cu:3
insn add.f32 guarded line=k.cu:3
insn st.shared.f32 bytes=4 line=k.cu:4
insn st.shared.v2.f32 bytes=8 line=k.cu:4
insn exit
kernel k grid=2 block=32
repeat 2
seg cta=0+1 warp=0 cta_begin cta_end warp_begin warp_end
run 0 2
run 2 4
guard 0xff
mem global affine 0x1000 128
mem shared affine 0 128
mem shared affine 0 8
done
end_kernel
END
}

@test "warpannotate: executions, lanes, transactions and bank conflicts by line, by hand" {
	kernel
	warpannotate --tsv k.wcp >t
	[ "$(cells t 2 executions insns lanes)" = "2 2 32" ]
	# the guard leaves 8 of 32 lanes: (32 + 8) / 2 an instruction; 32 lines a load
	[ "$(cells t 3 executions insns lanes requests lines sectors)" = "2 4 20 2 32 32" ]
	# 32 words of one bank: 31 passes more than one; 64 words over 32 banks: two passes, the fewest
	[ "$(cells t 4 executions insns shared conflicts source)" = "2 4 4 62     s[i] = x; // <&>" ]
	[ "$(value warp_instructions <t)" = 12 ]
	[ "$(warpannotate --tsv --banks 16 k.wcp | value bank_conflicts)" = 60 ]
	# without the source opcodes stand for it; instructions without a line are told apart
	rm k.cu
	run -0 --separate-stderr warpannotate k.wcp
	[ "$stderr" = "warpannotate: warning: k.cu: not found; --source names its directory" ]
	[[ $output == *"k: instructions without a line"*"exit"*"k: k.cu"*"ld.global.f32; add.f32"* ]]
	run -0 --separate-stderr warpannotate --by pc --tsv k.wcp
	[ -z "$stderr" ]
	[ "$(grep -c '^k	' <<<"$output")" = 6 ]
}

@test "warpannotate: misses, and who drove out whose lines, by hand" {
	mk -o a.acc <<'END'
link access
program k
insn ld.global.u32 bytes=4 line=k.cu:1
insn ld.global.u32 bytes=4 line=k.cu:2
kernel k grid=1 block=64
access sm=0 warp=0 pc=0 line=0x1000 l1=miss
access sm=0 warp=1 pc=1 line=0x2000 l1=miss victim=0x1000
access sm=1 warp=0 pc=0 line=0x1000 l1=miss
access sm=0 warp=0 pc=0 line=0x1000 l1=miss victim=0x2000
access sm=0 warp=0 pc=0 line=0x1000 l1=hit
access sm=0 warp=0 pc=1 line=0x2000 l1=miss victim=0x1000
access sm=0 warp=0 pc=0 line=0x1000 l1=pending
access sm=0 warp=1 pc=0 line=0x1000 l1=miss
access sm=0 warp=1 pc=1 line=0x1000 l1=miss
access kind=writeback line=0x2000 pc=0
end_kernel
END
	warpannotate -q --tsv a.acc >t
	# warp 1 drove out warp 0's line by pc 1; later warp 0, by pc 1, the line that warp 1 misses; what it
	# drove out itself (0x2000) is no interference, and a second miss of a line is the first one's
	[ "$(cells t 1 accesses misses evictions suffered caused)" = "6 4 1 2 0" ]
	[ "$(cells t 2 accesses misses evictions suffered caused)" = "3 3 2 0 2" ]
	[[ "$(cells t 1 miss_ratio)" == 66.6666666666666* ]]
	run -0 warpannotate -q --tsv --level 2 a.acc
	[[ $output != *misses* ]]
}

# The same counted another way: from what warpdump prints, line by line.
slow() {
	warpdump --tsv --records --columns sm,kernel,cta,warp,pc,line,outcome,victim "$1" | awk -F'\t' '
		!head { for (i = 1; i <= NF; i++) at[$i] = i; head = NF > 3; next }
		{
			sm = $at["sm"]; who = $at["kernel"] " " $at["cta"] " " $at["warp"]; pc = $at["pc"]; line = $at["line"]
			n[pc]++
			if ($at["outcome"] ~ /l1:(miss|sector)/) {
				miss[pc]++
				if ((sm, line) in by) {
					if (by[sm, line] != who) { suffered[pc]++; caused[of[sm, line]]++ }
					delete by[sm, line]
				}
			}
			if ($at["victim"] != "") { by[sm, $at["victim"]] = who; of[sm, $at["victim"]] = pc }
		}
		END { for (p in n) print p, n[p], miss[p] + 0, suffered[p] + 0, caused[p] + 0 }' | sort -n
}

@test "warpannotate: interference agrees with a slow count of what warpdump prints" {
	warpcap -q -w spmv -D N=512 -o s.wcp
	warpflat -q --sms 2 s.wcp | warpcache -q --size 1KiB --pass all -o s.acc
	warpannotate --tsv --by pc s.acc | awk -F'\t' '$1 == "spmv_scalar" && $4 > 0 {print $3, $4, $5, $8, $9}' >fast
	[ -s fast ]
	diff fast <(slow s.acc)
}

@test "warpannotate: sums are those of warpinfo, warpflat and warpcache" {
	for w in "spmv -D N=1024" "reduction -D N=20000" "histogram -D N=4096"; do
		# shellcheck disable=SC2086
		warpcap -q -w $w -o s.wcp
		warpflat -q s.wcp | warpcache -q --size 4KiB --pass all -r l1.txt --tsv -o s.acc
		warpannotate -q --tsv s.wcp s.acc >t
		warpinfo --tsv --summary s.wcp >i
		for name in warp_instructions thread_instructions; do [ "$(value $name <t)" = "$(value $name <i)" ]; done
		[ "$(value lines <t)" = "$(value accesses <t)" ]
		for name in accesses hits; do [ "$(value $name <t)" = "$(value $name <l1.txt)" ]; done
		# stores that are passed on are no misses here
		[ "$(value misses <t)" = "$(value fills <l1.txt)" ]
		[ "$(value suffered <t)" = "$(value caused <t)" ]
		# lines are the sum of instructions
		[ "$(awk -F'\t' '$1 !~ /^#/ && NF > 10 {n += $5} END {print n}' t)" = "$(value warp_instructions <t)" ]
		cmp t <(warpannotate -q --tsv -j 3 s.wcp s.acc)
		cmp t <(warpannotate -q --tsv s.acc s.wcp)
		cmp t <(warpannotate -q --tsv - s.acc <s.wcp)
	done
}

@test "warpannotate: the page holds every line of the source from the code on, its figures and no reference elsewhere" {
	kernel
	run -0 --separate-stderr warpannotate --html page.html -r /dev/null k.wcp
	[ "$output$stderr" = "" ]
	grep -q '&lt;&amp;&gt;' page.html
	grep -q '// nothing' page.html
	run ! grep -E '<script|https?://|src=|href="[^#]|@import|url\(' page.html
	if command -v python3; then
		python3 - <<'END'
from html.parser import HTMLParser
class P(HTMLParser):
    open = []
    def handle_starttag(self, tag, attrs):
        if tag not in ("meta",): self.open.append(tag)
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
p = P(); p.feed(open("page.html").read()); assert not p.open
END
	fi
	run -4 --separate-stderr warpannotate --html no/page.html -r /dev/null k.wcp
	[ "$stderr" = "warpannotate: no/page.html: No such file or directory" ]
}

@test "warpannotate: --source, --ptx, --all and -F" {
	kernel
	mkdir -p far/near
	mv k.cu far/near
	warpannotate --source far/near --tsv k.wcp | grep -q 'x = y\[i\];'
	printf 'one\ntwo\n' >k.ptx
	run -0 --separate-stderr warpannotate --ptx k.ptx --tsv k.wcp
	run -4 warpannotate --ptx none.ptx k.wcp
	mv far/near/k.cu .
	run -0 warpannotate --tsv --all -F 'pc 1' k.wcp
	[[ $output == *"first();"* ]]
	[ "$(warpannotate --tsv -F 'cta 0' k.wcp | value warp_instructions)" = 6 ]
	run -2 warpannotate --by file k.wcp
	run -2 warpannotate --banks 65 k.wcp
}

@test "warpannotate: a truncated stream is told as far as it is whole, with status 3" {
	kernel
	size=$(stat -c %s k.wcp)
	for ((n = 10; n < size; n += 41)); do
		head -c "$n" k.wcp >t.wcp
		run -3 --separate-stderr warpannotate -q --tsv t.wcp
		[[ $stderr == "warpannotate: t.wcp: "* ]]
	done
	run -3 warpannotate /dev/null
	run -4 warpannotate nowhere
	run -4 bash -c 'warpannotate k.wcp >/dev/full'
}
