load helper

# pair NAME: a value of the report on standard input
pair() { awk -v name="$1" '$1 == name {print $2; exit}'; }

# Command-level scenarios, worked out from JEDEC's DDR4-2400 timings by hand: each line is the command log's cycle and command.
# commands FLAG... <trace
commands() {
	cat >trace.txt
	warpdram -m ddr4-2400 --set dram.write_queue=0 --commands log.tsv -r report.txt "$@" trace.txt
	awk -F'\t' 'NR > 1 {printf "%s%s %s", sep, $3, $1; sep = " "}' log.tsv
}

@test "warpdram: two reads of a row, of two bank groups, of two banks of a group" {
	run -0 commands <<<$'0x0 READ 0\n0x40 READ 0'
	[ "$output" = "ACT 0 RD 17 RD 23" ]
	[ "$(pair cycles <report.txt)" = 44 ]
	run -0 commands --set "dram.mapping=row rank bank column group channel" <<<$'0x0 READ 0\n0x40 READ 0'
	[ "$output" = "ACT 0 ACT 4 RD 17 RD 21" ]
	run -0 commands --set "dram.mapping=row rank group column bank channel" <<<$'0x0 READ 0\n0x40 READ 0'
	[ "$output" = "ACT 0 ACT 6 RD 17 RD 23" ]
}

@test "warpdram: a row conflict, a read before a write, a write before a read and before a conflict" {
	run -0 commands <<<$'0x0 READ 0\n0x20000 READ 0'
	[ "$output" = "ACT 0 RD 17 PRE 39 ACT 56 RD 73" ]
	[ "$(pair cycles <report.txt)" = 94 ]
	run -0 commands <<<$'0x0 READ 0\n0x40 WRITE 0'
	[ "$output" = "ACT 0 RD 17 WR 28" ]
	run -0 commands <<<$'0x0 WRITE 0\n0x40 READ 0'
	[ "$output" = "ACT 0 WR 17 RD 42" ]
	run -0 commands <<<$'0x0 WRITE 0\n0x20000 READ 0'
	[ "$output" = "ACT 0 WR 17 PRE 51 ACT 68 RD 85" ]
}

@test "warpdram: five activates, the fifth outside of the window of four" {
	run -0 commands --set "dram.mapping=row rank bank column group channel" \
	    <<<$'0x0 READ 0\n0x40 READ 0\n0x80 READ 0\n0xc0 READ 0\n0x8000 READ 0'
	[ "$output" = "ACT 0 ACT 4 ACT 8 ACT 12 RD 17 RD 21 RD 25 ACT 26 RD 29 RD 43" ]
}

@test "warpdram: GDDR5 of the papers: same row, conflict, read before write" {
	log() { warpdram -m gtx480 --commands log.tsv -r report.txt trace.txt && awk -F'\t' 'NR > 1 {printf "%s %s ", $3, $1}' log.tsv; }
	printf '0x0 READ 0\n0x40 READ 0\n' >trace.txt
	run -0 log
	[ "$output" = "ACT 0 RD 12 RD 15 " ]
	# bits 16 and up of the rest are the row: 6 channels x 64 KiB further
	printf '0x0 READ 0\n0x60000 READ 0\n' >trace.txt
	run -0 log
	[ "$output" = "ACT 0 RD 12 PRE 28 ACT 40 RD 52 " ]
	printf '0x0 READ 0\n0x40 WRITE 0\n' >trace.txt
	run -0 log
	[ "$output" = "ACT 0 RD 12 WR 24 " ]
}

@test "warpdram: each format is found out and means the same" {
	printf '# comment\n\n0x40 R\n0x1234580 W\n' >a.ramulator1
	printf 'LD 64\nST 0x1234580\n' >a.loadstore
	printf '0x40 READ 0\n0x1234580 WRITE 0\n' >a.dramsim3
	printf '0:\tread\t0x40\n0:\t(64) write\t0x1234580\n' >a.stl
	printf '0 R 0x40 0x400\n0 W 0x1234580\n' >a.usimm
	printf '0 40\n1 1234580\n' >a.din
	printf '==12== lackey\n L 40,8\n S 1234580,4\n' >a.lackey
	for f in ramulator1 loadstore dramsim3 stl usimm din lackey; do
		run -0 warpdram -m ddr4-2400 --window 8 --gap 0 --commands "$f.log" a.$f
		[ "$(pair format <<<"$output")" = $f ]
		[ "$(pair reads <<<"$output") $(pair writes <<<"$output")" = "1 1" ]
		cut -f 1-7 "$f.log" >"$f.cut"
		cmp ramulator1.cut "$f.cut"
		run -0 bash -c "cat a.$f | warpdram -m ddr4-2400 --window 8 --gap 0 --format $f | grep '^format'"
		[[ $output == *$f ]]
	done
	printf 'R 0,0,2,1,5,3\r\nW 0,0,2,1,5,4\n' >a.rw
	run -0 warpdram -m ddr4-2400 --commands rw.log a.rw
	[ "$(pair format <<<"$output")" = readwrite ]
	# bank 1 of group 2 is the rank's tenth, from 0
	[ "$(awk -F'\t' 'NR > 1 && $3 ~ /ACT|RD|WR/ {printf "%s %s %s %s;", $3, $5, $6, $7}' rw.log)" = "ACT 9 5 0;RD 9 5 3;WR 9 5 4;" ]
	printf 'I  400,4\n M 40,8\n' >m.lackey
	run -0 warpdram m.lackey
	[ "$(pair reads <<<"$output") $(pair writes <<<"$output")" = "2 1" ]
}

@test "warpdram: a line that spans bursts and rows asks for each" {
	printf ' L 30,32\n L 1ff0,32\n' >span.lackey # 0x30..0x4f: two bursts of a row; 0x1ff0..0x200f: two rows
	run -0 warpdram -m ddr4-2400 span.lackey
	[ "$(pair records <<<"$output") $(pair requests <<<"$output") $(pair read_bytes <<<"$output")" = "2 3 256" ]
}

# bad MESSAGE [FLAG...] <trace
bad() {
	local message=$1
	shift
	cat >bad.txt
	run -3 --separate-stderr warpdram "$@" bad.txt
	[ "$stderr" = "warpdram: $message" ] || { echo "$stderr"; false; }
}

@test "warpdram: bad lines are told by file and line, and what came before them is reported" {
	bad "bad.txt:3: '0x80 X' is no line of format ramulator1" <<<$'0x40 R\n\n0x80 X\n0xc0 R'
	[ "$(pair reads <<<"$output")" = 1 ]
	bad "bad.txt:2: '0x40 READ' is no line of format dramsim3" --format dramsim3 <<<$'0x40 READ 5\n0x40 READ'
	bad "bad.txt:2: time runs backwards: cycle 4 comes after 5" <<<$'0x40 READ 5\n0x40 READ 4'
	[ "$(pair records <<<"$output")" = 1 ]
	bad "bad.txt:1: '0x99999999999999999 R' is no line of format ramulator1" --format ramulator1 <<<'0x99999999999999999 R'
	bad "bad.txt:1: the memory has no group 4, 3 is its last" -m ddr4-2400 <<<'R 0,0,4,0,0,0'
	bad "bad.txt:1: the memory has no row 65536, 65535 is its last" -m ddr4-2400 <<<'R 0,0,0,0,65536,0'
	bad "bad.txt:1: 'R 0,0,4294967295,0,0,0' is no line of format readwrite" --format readwrite <<<'R 0,0,4294967295,0,0,0'
	bad "bad.txt:1: the memory has no bank 4, 3 is its last" -m ddr4-2400 <<<'R 0,0,0,4,0,0'
	bad "bad.txt:2: address 0x200000000 is beyond the memory's 8589934592 bytes" -m ddr4-2400 --beyond fail <<<$'0x1ffffffc0 R\n0x200000000 R'
	[ "$(pair records <<<"$output") $(pair requests <<<"$output")" = "1 1" ] # what failed is no record
	bad "bad.txt: neither a stream nor, by its first line, a trace of a known format: 'hello'" <<<'hello'
	bad "bad.txt: there is nothing in it" <<<'# nothing'
	printf '0x40 R\n%05000d R\n' 1 >bad.txt
	run -3 --separate-stderr warpdram bad.txt
	[ "$stderr" = "warpdram: bad.txt:2: the line is longer than 4096 bytes" ]
	printf '0x40 R\n\0\n' >bad.txt
	run -3 --separate-stderr warpdram --format ramulator1 bad.txt
	[ "$stderr" = "warpdram: bad.txt:2: a zero byte: this is no text" ]
	: >empty.txt
	run -3 --separate-stderr warpdram empty.txt
	run -4 --separate-stderr warpdram none.txt
}

@test "warpdram: usage" {
	while IFS='|' read -r flags message; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr warpdram $flags /dev/null
		# shellcheck disable=SC2053
		[[ $stderr == "warpdram: "$message" (try 'warpdram -h')" ]] || { echo "$stderr"; false; }
	done <<'END'
--format foo|--format: 'foo' is none of stream, ramulator1, loadstore, readwrite, dramsim3, stl, usimm, din, lackey
--by foo|--by: 'foo' is none of none, sm, kernel, cta, warp, pc
--beyond foo|--beyond: 'foo' is neither wrap nor fail
--gap 3|--gap goes with --window
--interval 3|--interval goes with --series
--series x --commands x|--series and --commands both name x
--series x -o x|-o and --series both name x
--set dram.tRC=30|--set: [[]dram] tRAS + tRP = 28 + 12 is more than tRC = 30 (tRAS */gtx480.conf:*, tRP */gddr5.conf:18)
--set dram.scheduler=best|--set: [[]dram] scheduler = best is none of fcfs, frfcfs, parbs, tcm
--set dram.mapping=|--set: [[]dram] mapping is empty
END
	echo '0x40 R' >a.txt
	run -2 --separate-stderr warpdram -F load a.txt
	[ "$stderr" = "warpdram: -F: a trace in text has nothing to filter by (try 'warpdram -h')" ]
	run -2 --separate-stderr warpdram --by warp a.txt
	[ "$stderr" = "warpdram: --by: a trace in text knows no warp (try 'warpdram -h')" ]
	cp "$ROOT/share/machine/gddr5.conf" my.conf
	sed -i 's/^tRC = 40/tRC = 39/' my.conf
	run -3 --separate-stderr warpdram -m ./my.conf a.txt
	[[ $stderr == "warpdram: ./my.conf:"*": [dram] tRAS + tRP = 28 + 12 is more than tRC = 39 (tRP line 18, tRC line 20)" ]]
}

# A stream of 4000 lines by four SMs, one a core cycle.
traffic() {
	"$B/tests/mkstream" -o "$1" < <(
		echo link access
		echo program k
		echo insn ld.global.u32 bytes=4
		echo kernel k grid=1 block=128
		awk -v seed="${2:-1}" 'BEGIN {
			x = seed
			for (i = 0; i < 4000; i++) {
				x = (x * 16807) % 2147483647
				printf "access cycle=%d sm=%d line=0x%x sectors=0x%x kind=%s\n", i * 3 + 7, x % 4, int(x / 8) * 128 % 268435456,
				    x % 3 ? 15 : 1 + x % 14, x % 5 ? "load" : "store"
			}
		}'
		echo end_kernel
	)
}

@test "warpdram: what goes in comes out: bursts, records, times, commands, for each scheduler and mode" {
	traffic in.acc
	for scheduler in fcfs frfcfs parbs tcm; do
		for mode in "" --stall "--window 1" "--window 8 --gap 0" "--window 64" "--stall --window 3"; do
			# shellcheck disable=SC2086
			run -0 warpdram $mode --set dram.scheduler=$scheduler --by sm --commands c.tsv --series s.tsv --interval 500 -o out.acc -r report.tsv --tsv in.acc
			[ "$(pair records <report.tsv)" = 4000 ]
			[ "$(awk -F'\t' '$3 ~ /^(RD|WR)A?$/' c.tsv | wc -l)" -eq $((($(pair read_bytes <report.tsv) + $(pair write_bytes <report.tsv)) / 64)) ]
			# the series adds up to the report, and each line's channels to its whole
			[ "$(awk -F'\t' '$2 == "all" {r += $3; w += $4; h += $8} END {print r, w, h}' s.tsv)" = \
			    "$(pair reads <report.tsv) $(pair writes <report.tsv) $(pair row_hits <report.tsv)" ]
			[ "$(awk -F'\t' 'NR > 1 && $2 != "all" {r += $3; w += $4; h += $8} END {print r, w, h}' s.tsv)" = \
			    "$(pair reads <report.tsv) $(pair writes <report.tsv) $(pair row_hits <report.tsv)" ]
			run -0 warpinfo out.acc
			[[ $output == *"accesses "*" 4000 lines"* ]]
		done
	done
}

@test "warpdram: open loop with room for all takes each request as long as it takes alone" {
	# one access in 1000 cycles: closed rows, then conflicts; no refresh
	for i in $(seq 0 9); do printf '0x%x READ %d\n' $((i * 0x20000)) $((i * 1000)); done >slow.txt
	run -0 warpdram -m ddr4-2400 --set dram.refresh=none --by sm --tsv slow.txt
	[ "$(pair slowdown <<<"$output")" = "" ]
	grep -P '^reads\t10\t' <<<"$output"
	[ "$(awk -F'\t' '$1 == 0 && NF > 9 {print $NF}' <<<"$output" | tail -n 1)" = 1 ]
	[ "$(pair row_conflicts <<<"$output")" = 9 ]
	[ "$(pair blp <<<"$output")" = 1 ]
	[ "$(pair waited_for_room <<<"$output")" = 0 ]
}

@test "warpdram: all cores on one bank against one bank each" {
	for i in $(seq 0 199); do
		echo "access cycle=$i sm=$((i % 4)) line=$((i * 0x20000))"
	done >one
	for i in $(seq 0 199); do
		echo "access cycle=$i sm=$((i % 4)) line=$((i / 4 * 0x20000 + i % 4 * 0x2000))"
	done >each
	for f in one each; do
		{ printf 'link access\nprogram k\ninsn ld.global.u32 bytes=4\nkernel k grid=1 block=128\n'; cat $f; echo end_kernel; } |
		    "$B/tests/mkstream" -o $f.acc
		warpdram -m ddr4-2400 --window 1 $f.acc >$f.txt
	done
	awk -v one="$(pair blp <one.txt)" -v each="$(pair blp <each.txt)" 'BEGIN {exit !(one == 1 && each > 3.5)}'
}

@test "warpdram: -o writes served records with their time, which the next tool reads" {
	printf '0x0 READ 0\n0x40 READ 0\n0x20000 WRITE 0\n' >t.txt
	run -0 bash -c "warpdram -m ddr4-2400 --set dram.write_queue=0 -q -o - t.txt | warpdump"
	[[ ${lines[0]} == "38 "*" load global 0x0 sectors 0x3"* ]]
	[[ ${lines[1]} == "44 "*" load global 0x0 sectors 0xc"* ]]
	[[ ${lines[2]} == *" store global 0x20000 sectors 0x3"* ]]
	traffic in.acc
	warpdram -q -o out.acc in.acc
	mkdir eight
	(cd eight && cp ../in.acc . && warpdram -q -j8 -o out.acc in.acc)
	cmp out.acc eight/out.acc
	run -0 bash -c "warpdram -q -Z0 -o - in.acc | warpinfo"
	[[ $output == *"whole "*"yes"*"kernels "*"1"*"accesses "*" 4000 lines"* ]]
	run -0 bash -c "warpdump out.acc | awk '/^[0-9]/ {if (\$1 < last) exit 1; last = \$1}'"
}

@test "warpdram: -F, outcomes and spaces choose what is replayed" {
	traffic in.acc
	run -0 warpdram -F 'sm 1' in.acc
	one=$(pair records <<<"$output")
	run -0 warpdram --by sm --tsv in.acc
	[ "$(awk -F'\t' '$1 == 1 && NF > 9 {print $2}' <<<"$output" | tail -n 1)" = "$one" ]
	warpcache -q --pass all --shared --size 1Mi --ways 16 -o all.acc in.acc
	warpcache -q -r cache.txt --shared --size 1Mi --ways 16 --write through -o l2.acc in.acc
	run -0 warpdram all.acc
	[[ $output == *" accesses that a cache had answered were not replayed" ]] || grep -q '^hits *0$' cache.txt
	run -0 warpdram --all all.acc
	[ "$(pair records <<<"$output")" = 4000 ]
}

@test "warpdram: truncated streams report what was whole" {
	traffic in.acc
	size=$(stat -c %s in.acc)
	for cut in 1 10 100 $((size / 2)) $((size - 1)); do
		head -c $((size - cut)) in.acc >cut.acc
		run -3 --separate-stderr warpdram cut.acc
		[[ $stderr == "warpdram: cut.acc: "* ]]
		[ "${#stderr_lines[@]}" -eq 1 ]
	done
	"$B/tests/mkstream" -o back.acc <<'END'
link access
program k
insn ld.global.u32 bytes=4
kernel k grid=1 block=32
access cycle=5 line=0x1000
access cycle=4 line=0x2000
end_kernel
END
	run -3 --separate-stderr warpdram back.acc
	[ "$stderr" = "warpdram: back.acc: record 1: time runs backwards: cycle 4 comes after 5" ]
	[ "$(pair records <<<"$output")" = 1 ]
	run -0 warpdram --window 1 back.acc
}

@test "warpdram: too many requesters are refused, not mixed up" {
	traffic in.acc
	run -2 --separate-stderr warpdram --set dram.scheduler=parbs --requesters 2 in.acc
	[[ $stderr == "warpdram: in.acc: record "*": the scheduler tells 2 requesters apart and there are more: --requesters (try 'warpdram -h')" ]]
	run -0 warpdram --set dram.scheduler=parbs --requesters 4 in.acc
}

@test "warpdram: every preset can be shown, with sources and formulas" {
	for f in "$ROOT"/share/machine/*.conf; do
		run -0 warpdram -m "$(basename "$f" .conf)" --show-machine
		[[ $output == *"dram.tRCD "*"ACT to ACT of the bank"*"tRAS + tRP"* ]]
	done
	echo '0x40 R' >a.txt
	run -0 warpdram -v --json a.txt
	jq -e '.tables.machine | length > 40' <<<"$output"
	jq -e '.tables.timing[] | select(.timing == "WR to PRE of the bank") | .cycles == 18 and .formula == "tCWL + burst + tWR"' <<<"$output"
}

@test "warpdram: every constraint is printed with its formula" {
	# DDR4-2400: CL 17, CWL 12, RCD 17, RP 17, RAS 39, RC 56, RRD 4 and 6, FAW 26, CCD 4 and 6, RTP 9, WR 18, WTR 3 and 9, RTRS 2
	run -0 warpdram -m ddr4-2400 --show-machine --tsv
	diff - <(sed -n '/^burst\t/,/^$/p' <<<"$output" | grep -v -e '^#' -e '^$' | cut -f 1,2,4 | tr '\t' '|') <<'END'
burst|4|burst_length / rate
read, row open|21|tCL + burst
read, bank closed|38|tRCD + tCL + burst
read, another row open|55|tRP + tRCD + tCL + burst
write, row open|16|tCWL + burst
write, bank closed|33|tRCDWR + tCWL + burst
write, another row open|50|tRP + tRCDWR + tCWL + burst
ACT to RD of the bank|17|tRCD
ACT to WR of the bank|17|tRCDWR (tRCD where not given)
ACT to PRE of the bank|39|tRAS
ACT to ACT of the bank|56|tRC (tRAS + tRP where not given)
PRE to ACT of the bank|17|tRP
RD to PRE of the bank|9|tRTP
WR to PRE of the bank|34|tCWL + burst + tWR
RDA to ACT of the bank|26|tRTP + tRP
WRA to ACT of the bank|51|tCWL + burst + tWR + tRP
ACT to ACT, same group|6|tRRD_L (tRRD_S where not given)
ACT to ACT, other group|4|tRRD_S
ACT to fifth ACT of the rank|26|tFAW
PRE to PRE of the rank|0|tPPD
RD to RD, same group|6|max(tCCD_L, burst)
RD to RD, other group|4|max(tCCD_S, burst)
RD to RD, other rank|6|burst + tRTRS
WR to WR, same group|6|max(tCCD_L, burst)
WR to WR, other group|4|max(tCCD_S, burst)
WR to WR, other rank|6|burst + tRTRS
WR to RD, same group|25|tCWL + burst + tWTR_L (tWTR_S where not given)
WR to RD, other group|19|tCWL + burst + tWTR_S
WR to RD, other rank|1|max(1, tCWL + burst + tRTRS - tCL)
RD to WR, same rank|11|tRTW (tCL + burst + 2 - tCWL where not given)
RD to WR, other rank|11|max(1, tCL + burst + tRTRS - tCWL)
refreshes fall due every|9360|tREFI
PRE to REF of the rank|17|tRP
REF to ACT of the rank|420|tRFC
REF to REF of the rank|420|tRFC
END
	# refreshed bank by bank, RCDWR and PPD of its own
	run -0 warpdram -m "$T/dram/machine/per-bank.conf" --show-machine --tsv
	diff - <(grep -E '^(ACT to WR|PRE to PRE|refreshes|(PRE to )?REF)' <<<"$output" | cut -f 1,2,4 | tr '\t' '|') <<'END'
ACT to WR of the bank|10|tRCDWR (tRCD where not given)
PRE to PRE of the rank|3|tPPD
refreshes fall due every|400|tREFI
PRE to REFpb of the bank|14|tRP
REFpb to ACT of the bank|60|tRFCpb
REFpb to REFpb of the bank|60|tRFCpb
REFpb to ACT, another bank|8|tRREFD (tRRD_L where not given)
REFpb to REFpb, another bank|8|tRREFD (tRRD_L where not given)
END
}

@test "warpdram: the clock of the records" {
	printf '0x0 READ 700\n0x20000 READ 1400\n' >t.txt
	run -0 warpdram -m gtx480 --clock 700 --commands c.tsv t.txt
	[ "$(awk -F'\t' '$3 == "ACT" {print $1}' c.tsv | tr '\n' ' ')" = "924 1848 " ]
	run -0 warpdram -m gtx480 --commands c.tsv t.txt # of a memory simulator: the memory's own
	[ "$(awk -F'\t' '$3 == "ACT" {print $1}' c.tsv | tr '\n' ' ')" = "700 1400 " ]
}

@test "warpdram: full disks and files that cannot be written" {
	echo '0x40 R' >a.txt
	run -4 --separate-stderr warpdram --series /dev/full a.txt
	run -4 --separate-stderr warpdram --commands /dev/full a.txt
	run -4 --separate-stderr warpdram --commands none/c.tsv a.txt
	[ "$stderr" = "warpdram: --commands none/c.tsv: No such file or directory" ]
	run -4 bash -c "warpdram a.txt >/dev/full"
}

# loads_stores N SEED SPREAD: lines "CYCLE CORE ADDRESS load|store" of four cores
loads_stores() {
	awk -v n="$1" -v x="$2" -v spread="$3" 'BEGIN {
		for (i = 0; i < n; i++) {
			x = (x * 16807) % 2147483647
			cycle += x % 7
			printf "%d %d 0x%x %s\n", cycle, int(x / 7) % 4, int(x / 32) % spread * 128, x % 3 ? "load" : "store"
		}
	}'
}

@test "warpdram: loops give the commands that a replay cycle by cycle gives" {
	for seed in 1 2 3; do
		for machine in ddr4-2400 gpgpusim-gtx480; do
			loads_stores 600 $seed $((seed * 3000)) >lines
			{ printf 'link access\nprogram k\ninsn ld.global.u32 bytes=4\nkernel k grid=1 block=32\n'
			  awk '{printf "access cycle=%d sm=%d line=%s kind=%s\n", $1, $2, $3, $4}' lines
			  echo end_kernel; } | "$B/tests/mkstream" -o in.acc
			# few places in the queues, so that room is what is waited for
			sed -e 's/^read_queue.*/read_queue = 6/' -e 's/^write_queue = [1-9].*/write_queue = 4/' -e 's/^write_high = [1-9].*/write_high = 3/' \
			    -e 's/^write_low = [1-9].*/write_low = 1/' "$ROOT/share/machine/$machine.conf" >m.conf
			for mode in "window 1 0" "window 4 0" "window 4 9" "window 30 1" "stall 0 0" "stall 2 0"; do
				# shellcheck disable=SC2086
				set -- $mode
				"$B/tests/warpdram_slow" ./m.conf $mode <lines | sort -k 2n -k 1n -s | awk '!/REF|PREA/' >want
				flags="--window $2 --gap $3"
				[ "$1" = window ] || flags="--stall"
				[ "$1$2" != stall2 ] || flags="--stall --window 2"
				# shellcheck disable=SC2086
				warpdram -m ./m.conf $flags --clock dram --commands got.tsv -r report in.acc
				tail -n +2 got.tsv | sort -k 2n -k 1n -s | awk '!/REF|PREA/' >got
				diff -q want got || { echo "$machine $seed $mode"; diff want got | head; false; }
				[ "$(wc -l <got)" -gt 600 ]
			done
		done
	done
}

@test "warpdram: a small stream and a small trace, cut off at every byte" {
	printf 'link access\nprogram k\ninsn ld.global.u32 bytes=4\nkernel k grid=1 block=32\naccess cycle=5 line=0x1000\naccess cycle=9 line=0x2000\nend_kernel\n' |
	    "$B/tests/mkstream" -o in.acc
	size=$(stat -c %s in.acc)
	for ((n = 0; n < size; n += 7)); do
		head -c $n in.acc >cut.acc
		run -3 --separate-stderr warpdram cut.acc
		[[ $stderr == "warpdram: cut.acc: "* ]]
	done
	printf '0x40 READ 5\n0x80 WRITE 77\n' >in.txt
	for ((n = 1; n < 26; n++)); do
		head -c $n in.txt >cut.txt
		run --separate-stderr warpdram cut.txt
		[ "$status" -eq 0 ] || [ "$status" -eq 3 ]
		[ "$status" -eq 0 ] || [ "${#stderr_lines[@]}" -eq 1 ]
	done
}

@test "warpdram: idle time is not played refresh by refresh; times that cannot be are refused, and so is writing it all down" {
	printf '0x0 READ 5\n0x40 READ %s\n' 4611686018427387904 >a.trc
	run -0 --separate-stderr timeout 60 warpdram -m ddr4-2400 a.trc
	# one rank, t_refi 9360
	awk '$1 == "REF" { n = $2 } $1 == "PREA" { p = $2 } END { exit n != "492701497695233" || p != 1 }' <<<"$output"
	for loop in --stall "--window 4"; do
		run -0 --separate-stderr timeout 60 warpdram -m ddr4-2400 $loop a.trc
		grep -q '^requests  *2$' <<<"$output"
	done
	run -3 --separate-stderr timeout 60 warpdram -m ddr4-2400 --commands a.log a.trc
	[[ $stderr == 'warpdram: a.trc:2: time 4611686018427387904 is '*' later than the one before: --commands would write more than 268435456 lines' ]]
	printf '0x0 READ 5\n0x40 READ %s\n' 18446744073709551615 >b.trc
	for stall in "" --stall; do
		run -3 --separate-stderr timeout 60 warpdram -m ddr4-2400 $stall b.trc
		[ "$stderr" = 'warpdram: b.trc:2: time 18446744073709551615 is past memory cycle 4611686018427387904, the last there is' ]
		grep -q '^requests  *1$' <<<"$output"
	done
}

@test "warpdram: a request a cycle as long as there is room: conflicts are tRC apart, hits of four bank groups a burst" {
	local loop=(--window 1048576 --set dram.refresh=none --set dram.read_queue=32)
	awk 'BEGIN {for (i = 0; i < 100; i++) print "R 0,0,0,0," i ",0"}' >conflict.trc
	run -0 --separate-stderr warpdram -m ddr4-2400 "${loop[@]}" conflict.trc
	# 99 * 56, then 17 + 17 + 4
	grep -qx 'cycles *5582 ck' <<<"$output"
	# rows opened at 0, 4, 8 and 12, a column from 17 on each 4 cycles: 17 + 99 * 4 + 17 + 4
	awk 'BEGIN {for (i = 0; i < 100; i++) print "R 0,0," i % 4 ",0,5," int(i / 4)}' >hits.trc
	run -0 --separate-stderr warpdram -m ddr4-2400 "${loop[@]}" hits.trc
	grep -qx 'cycles *434 ck' <<<"$output"
	# writes leave no row open in vain: each read closes a row that was written, 17 + 34 + 17 + 17 + 21 behind its ACT
	printf '%s\n' 'W 0,0,0,0,5,0' 'R 0,0,0,0,6,0' >turn.trc
	run -0 --separate-stderr warpdram -m ddr4-2400 "${loop[@]}" turn.trc
	grep -qx 'cycles *106 ck' <<<"$output"
}
