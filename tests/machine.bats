load helper

machine=$B/tests/machine

# What is said where tools look for machines that these tests bring.
own() { export WARPCAP_MACHINE_PATH=$PWD; }

@test "machine: each preset can be read, says what it is, and each of its values has a source" {
	for f in "$ROOT"/share/machine/*.conf; do
		run -0 "$machine" -m "$(basename "$f" .conf)" --given
		[ "${#lines[@]}" -gt 20 ]
		run ! grep -E ' = [^#]* # [^ ]*conf:[0-9]+$' <<<"$output"
		run -0 "$machine" -m "$f"
		[[ ${lines[1]} == about* ]]
	done
}

@test "machine: presets hold what the papers' tables print" {
	value() { "$machine" -m "$1" --tsv | awk -F'\t' -v key="$2" '$1 == key {print $2}'; }
	while read -r name key want; do
		[ "$(value "$name" "$key")" = "$want" ] || { echo "$name $key: $(value "$name" "$key"), not $want"; false; }
	done <<'END'
gtx480 l1.size 16384
gtx480 l1.ways 4
gtx480 l1.line 128
gtx480 l1.hit_latency 1
gtx480 l2.size 786432
gtx480 l2.ways 8
gtx480 dram.banks 16
gtx480 dram.tCL 12
gtx480 dram.tRCD 12
gtx480 dram.tRAS 28
gtx480 sm.sms 15
gtx480 sm.threads 1536
gtx480 sm.shared 49152
gtx480 sm.shared_latency 1
gtx480 sm.shared_banks 32
gtx480-cap sm.shared 16384
gtx480-dwt sm.registers 32684
gtx480-dwt icnt.flit 64
oaws sm.sms 30
oaws sm.schedulers 2
oaws icnt.flit 32
oaws memory.dram_latency 100
k20-dp sm.sms 13
k20-dp sm.warps 64
k20-dp sm.ctas 16
k20-dp sm.queues 32
k20-laser sm.shared 32768
k20-laser sm.sms 13
gtx480-cap l1.size 49152
gtx480-cap dram.tCL 12
gtx480-8way l1.size 16384
gtx480-8way l1.ways 8
gtx480-2x dram.channels 12
gtx480-2x l1.ways 4
oaws clock.core 1400
oaws l1.size 32768
oaws l1.ways 8
oaws l1.mshr_entries 32
oaws l1.allocate fill
oaws l2.ways 16
oaws l2.hit_latency 120
oaws dram.channels 6
oaws dram.tRP 12
oaws dram.tRC 40
oaws dram.tRRD_S 6
oaws dram.tWTR_S 5
oaws dram.tWR 12
oaws dram.read_queue 32
gtx480-dwt clock.core 700
gtx480-dwt l1.write evict
gtx480-dwt l1.allocate miss
gtx480-dwt l1.mshr_entries 32
gtx480-dwt l2.size 786432
gtx480-dwt l2.slices 6
gtx480-dwt l2.ways 16
gtx480-dwt l2.mshr_entries 32
gtx480-dwt dram.tRC 40
k20-dp clock.core 1400
k20-dp l1.size 16384
k20-dp l2.size 1572864
k20-dp l2.slices 12
k20-dp dram.read_queue 128
k20-laser l1.size 32768
k20-laser l1.ways 8
k20-laser l2.size 1572864
gpgpusim-gtx480 l1.mshr_entries 64
gpgpusim-gtx480 l1.mshr_merges 8
gpgpusim-gtx480 l2.sector 32
gpgpusim-gtx480 l2.mshr_entries 256
gpgpusim-gtx480 dram.tRCDWR 7
gpgpusim-gtx480 dram.tRTW 12
gpgpusim-gtx480 dram.read_queue 64
xeon12 clock.core 3400
xeon12 l1.hit_latency 4
xeon12 l2.hit_latency 12
xeon12 l3.size 10485760
xeon12 l3.ways 32
xeon12 dram.channels 4
xeon12 dram.ranks 8
xeon12 dram.banks 2
xeon12 dram.row_bytes 2048
xeon12 dram.tCL 20
xeon12 dram.tRCD 20
xeon12 dram.tRP 20
xeon12 dram.read_queue 64
mesh36 l1.line 32
mesh36 l2.ways 16
mesh36 l2.slices 36
mesh36 dram.channels 4
mesh36 dram.banks 8
mesh36 dram.row_bytes 2048
ddr3-2133 dram.tCL 14
ddr3-2133 dram.tRCD 14
ddr3-2133 dram.tRP 14
ddr4-2400 dram.tRAS 39
ddr4-2400 dram.tFAW 26
ddr4-2400 dram.tRFC 420
END
}

@test "machine: a value has its source, file and line; a later file overrides its base" {
	own
	cat >low.conf <<'END'
about = the base
[dram]
tCL = 10   # the data sheet, "p. 3" ; and more
tRP = 9
END
	printf 'about = the top\r\nbase = low\r\n\r\n[dram]\r\n\ttCL = 0x0b \t # measured\r\n[l1]\nsize = 16 KiB\n' >top.conf
	run -0 "$machine" -m top --given
	diff - <(echo "$output") <<'END'
l1.size = 16 KiB #  top.conf:7
dram.tCL = 0x0b # measured top.conf:5
dram.tRP = 9 #  low.conf:4
END
	run -0 "$machine" -m ./top.conf --set dram.tRP=7 --set dram.tRP=8 --tsv
	grep -P '^about\tthe top\t' <<<"$output"
	grep -P '^dram.tCL\t11\tck\tmeasured\ttop.conf\t5$' <<<"$output"
	grep -P '^dram.tRP\t8\tck\t\t--set\t$' <<<"$output"
	grep -P '^dram.tRAS\t0\tck\t\tdefault\t$' <<<"$output"
	grep -P '^l1.size\t16384\tB\t\ttop.conf\t7$' <<<"$output"
	run -0 "$machine" -m low.conf --given
	[ "${lines[0]}" = 'dram.tCL = 10 # the data sheet, "p. 3" ; and more low.conf:3' ]
}

@test "machine: values of every type and unit" {
	own
	cat >all.conf <<'END'
[clock]
core = 1.4e3MHz
[l1]
size = 1.
END
	run -3 --separate-stderr "$machine" -m all
	[ "$stderr" = "machine: $PWD/all.conf:4: l1.size: '1.' is not a number of bytes (KiB: 1024)" ]
	cat >all.conf <<'END'
; a comment
# another
[clock]
core : 1.4e3 MHz
[l1]
size=2 MiB
line = 128 B
sector = 1Ki
shared = true
write = back
[dram]
tCK = 1250 MHz
dual_command = no
tcm_cluster = .15
mapping = gpgpusim dramid@8;0000.RRRR|BBCC
refresh = per-bank
END
	run -0 "$machine" -m all --tsv
	for want in 'clock.core\t1400' 'l1.size\t2097152' 'l1.line\t128' 'l1.sector\t1024' 'l1.shared\tyes' 'l1.write\tback' 'dram.tCK\t0.8' \
	    'dram.dual_command\tno' 'dram.tcm_cluster\t0.15' 'dram.mapping\tgpgpusim dramid@8;0000.RRRR\|BBCC' 'dram.refresh\tper-bank'; do
		grep -P "^$want\t" <<<"$output"
	done
}

# wrong LINE MESSAGE <file
wrong() {
	cat >bad.conf
	run -3 --separate-stderr "$machine" -m bad
	[ "$stderr" = "machine: $PWD/bad.conf:$1: $2" ] || { echo "$stderr"; false; }
	[ -z "$output" ]
}

@test "machine: what is wrong in a file is said with file and line" {
	own
	wrong 2 "section [dram] has no key 'tRDC'; did you mean 'tRCD'?" <<<$'[dram]\ntRDC = 3'
	wrong 2 "section [dram] has no key 'trcdwr'; did you mean 'tRCDWR'?" <<<$'[dram]\ntrcdwr = 3'
	wrong 2 "section [dram] has no key 'mshr_entries', but [l1] has one" <<<$'[dram]\nmshr_entries = 3'
	wrong 2 "section [dram] has no key 'TCM_QUANTUM'; did you mean 'tcm_quantum'?" <<<$'[dram]\nTCM_QUANTUM = 3'
	wrong 2 "section [dram] has no key 'READ_QUEU'; did you mean 'read_queue'?" <<<$'[dram]\nREAD_QUEU = 3'
	wrong 2 "section [clock] has no key 'tRAS', but [dram] has one" <<<$'[clock]\ntRAS = 3'
	wrong 2 "section [clock] has no key 'TRSA'; did you mean 'tRAS' of [dram]?" <<<$'[clock]\nTRSA = 3'
	wrong 2 "section [dram] has no key 'mshr_entrys'; did you mean 'mshr_entries' of [l1]?" <<<$'[dram]\nmshr_entrys = 3'
	wrong 2 "there is no section [DARM]; did you mean [dram]?" <<<$'[DARM]\ntRCD = 3'
	wrong 2 "section [dram] has no key 'colour of the board'" <<<$'[dram]\ncolour of the board = 3'
	wrong 2 "there is no section [drum]; did you mean [dram]?" <<<$'[drum]\ntRCD = 3'
	wrong 2 "there is no section [something else]" <<<$'[something else]\ntRCD = 3'
	wrong 3 "dram.tRCD: '3.5' is not a number of ck without fraction" <<<$'\n[dram]\ntRCD = 3.5'
	wrong 2 "dram.tRCD: '-3' is not a number of ck without fraction" <<<$'[dram]\ntRCD = -3'
	wrong 2 "dram.tRCD: '3 ns' is not a number of ck without fraction" <<<$'[dram]\ntRCD = 3 ns'
	wrong 2 "dram.tRCD: 99999999999999999999999 is not in 0..1000000000" <<<$'[dram]\ntRCD = 99999999999999999999999'
	wrong 2 "dram.channels: 0 is not in 1..65536" <<<$'[dram]\nchannels = 0'
	wrong 2 "dram.tcm_cluster: 'nan' is not a number" <<<$'[dram]\ntcm_cluster = nan'
	wrong 2 "dram.tcm_cluster: '0x1' is not a number" <<<$'[dram]\ntcm_cluster = 0x1'
	wrong 2 "dram.tCK: '3 GHz' is not a number of ns" <<<$'[dram]\ntCK = 3 GHz'
	wrong 2 "dram.tCK: 0 MHz is not in 0.001..1000000" <<<$'[dram]\ntCK = 0 MHz'
	wrong 2 "dram.page: 'half' is none of open, closed, timeout" <<<$'[dram]\npage = half'
	wrong 2 "dram.dual_command: 'maybe' is neither yes nor no" <<<$'[dram]\ndual_command = maybe'
	wrong 4 "dram.tRCD stands in line 2 already" <<<$'[dram]\ntRCD = 3\n[dram]\ntRCD = 3'
	wrong 2 "dram.tRCD has no value" <<<$'[dram]\ntRCD ='
	wrong 3 "neither a [section] nor a 'key = value'" <<<$'[dram]\ntRCD = 3\nhello'
	wrong 1 "neither a [section] nor a 'key = value'" <<<$'[dram\ntRCD = x'
	wrong 1 "'tRCD' stands above the first section, where only base and about may" <<<$'tRCD = 3'
	wrong 1 "'dram' is a section: [dram]" <<<$'dram = 3'
	wrong 2 "'key = value' is longer than 190 characters" <<<$'[dram]\nmapping = '"$(printf '%0200d' 1)"
	wrong 2 "the line is longer than 1000 characters" <<<$'[dram]\n# '"$(printf '%01000d' 1)"
	wrong 2 "a zero byte: this is no machine file" < <(printf '[dram]\ntRCD = 3\0\n')
}

@test "machine: bases that are wrong" {
	own
	echo 'base = nearby' >bad.conf
	touch near_by.conf
	run -3 --separate-stderr "$machine" -m bad
	[[ $stderr == "machine: $PWD/bad.conf:1: base: there is no machine 'nearby'; did you mean 'near_by'? There are: bad "*" mesh36 near_by oaws "* ]]
	wrong 1 "base: $PWD/bad.conf is based on itself" <<<'base = bad'
	echo 'base = bad' >b.conf
	cat >bad.conf <<<'base = b'
	run -3 --separate-stderr "$machine" -m bad
	[ "$stderr" = "machine: $PWD/b.conf:1: base: $PWD/bad.conf is based on itself" ]
	printf '[dram]\n\ntRP = x' >b.conf
	run -3 --separate-stderr "$machine" -m bad
	[ "$stderr" = "machine: $PWD/b.conf:3: dram.tRP: 'x' is not a number of ck without fraction" ]
	for i in 1 2 3 4 5 6 7 8; do echo "base = d$((i + 1))" >"d$i.conf"; done
	echo >d9.conf
	run -3 --separate-stderr "$machine" -m d1
	[ "$stderr" = "machine: $PWD/d8.conf:1: base: more than 8 files are based on one another" ]
	run -0 "$machine" -m d2
	mkdir sub
	printf 'base = ../d9.conf\nbase = sibling\n' >sub/top.conf
	printf '[dram]\ntRP = 3\n' >sub/sibling.conf
	run -0 "$machine" -m sub/top.conf --given
	[ "$output" = "dram.tRP = 3 #  sibling.conf:2" ]
}

@test "machine: a name that is not known lists those that are; a file that cannot be read says why" {
	run -2 --separate-stderr "$machine" -m gtx460
	[[ $stderr == "machine: -m: there is no machine 'gtx460'; did you mean 'gtx480'? There are: ddr3-2133 ddr4-2400 "*" xeon12 (try 'machine -h')" ]]
	run -2 --separate-stderr "$machine" -m ''
	[ "$stderr" = "machine: -m: the name of the machine is empty (try 'machine -h')" ]
	run -4 --separate-stderr "$machine" -m ./none.conf
	[ "$stderr" = "machine: ./none.conf: No such file or directory" ]
	mkdir d.conf
	run -4 --separate-stderr "$machine" -m ./d.conf
	[ "$stderr" = "machine: ./d.conf: Is a directory" ]
	run -3 --separate-stderr timeout 5 "$machine" -m /dev/zero
	[ "$stderr" = "machine: /dev/zero:1: a zero byte: this is no machine file" ]
	: >empty.conf
	run -0 "$machine" -m ./empty.conf --given
	[ -z "$output" ]
}

@test "machine: --set says what is wrong" {
	run -2 --separate-stderr "$machine" --set dram=1
	[ "$stderr" = "machine: --set: 'dram=1' is not SECTION.KEY=VALUE (try 'machine -h')" ]
	run -2 --separate-stderr "$machine" --set dram.tCl=1
	[ "$stderr" = "machine: --set: section [dram] has no key 'tCl'; did you mean 'tCL'? (try 'machine -h')" ]
	run -2 --separate-stderr "$machine" --set dram.tCL=
	[ "$stderr" = "machine: --set: dram.tCL: '' is not a number of ck without fraction (try 'machine -h')" ]
	run -2 --separate-stderr "$machine" --set "$(printf '%0100d' 0).tCL=1"
	[[ $stderr == *"is not SECTION.KEY=VALUE (try 'machine -h')" ]]
	run -0 "$machine" --set l1.size=1KiB --given
	[ "$output" = "l1.size = 1KiB #  --set:0" ]
}

@test "machine: what a model refuses is placed at the key it names first" {
	own
	printf '[dram]\ntRAS = 28\ntRP = 12\ntRC = 30\n' >x.conf
	run -3 --separate-stderr "$machine" -m x --blame dram 't_rc 30 is less than t_ras 28 + t_rp 12'
	[ "$stderr" = "machine: $PWD/x.conf:4: [dram] t_rc 30 is less than t_ras 28 + t_rp 12 (tRAS line 2, tRP line 3)" ]
	run -2 --separate-stderr "$machine" -m x --set dram.tRC=30 --blame dram 'tRC 30 is less than tRAS + tRP'
	[ "$stderr" = "machine: --set: [dram] tRC 30 is less than tRAS + tRP (tRAS $PWD/x.conf:2, tRP $PWD/x.conf:3) (try 'machine -h')" ]
	# of files the one that was asked for comes before its bases
	printf 'base = x\n[dram]\ntRP = 13\n' >y.conf
	run -3 --separate-stderr "$machine" -m y --blame dram 'tRAS + tRP is more than tRC'
	[ "$stderr" = "machine: $PWD/y.conf:3: [dram] tRAS + tRP is more than tRC (tRAS $PWD/x.conf:2, tRC $PWD/x.conf:4)" ]
	run -2 --separate-stderr "$machine" -m y --set dram.tRC=2 --set dram.tRAS=3 --blame dram 'tRAS + tRP is more than tRC'
	[ "$stderr" = "machine: --set: [dram] tRAS + tRP is more than tRC (tRP $PWD/y.conf:3, tRC --set) (try 'machine -h')" ]
	run -2 --separate-stderr "$machine" -m x --blame dram 'tRCD 30 is less than that'
	[ "$stderr" = "machine: tRCD 30 is less than that (try 'machine -h')" ]
}

@test "machine: distance is twice what was changed, added, taken out or swapped, and one more for letters in another case" {
	while read -r a b want; do
		run -0 "$machine" --distance "$a" "$b"
		[ "$output" = "$want" ]
	done <<'END'
tRCD tRCD 0
tRCD tRDC 2
tRCD tRC 2
tRC tRCD 2
tRP tRC 2
tCl tCL 1
TCM_QUANTUM tcm_quantum 1
TARS tRAS 3
tARS tRAS 2
kitten sitting 6
ways lines 8
END
}

@test "machine: the manual lists the keys that there are, section by section" {
	run -0 "$machine" --keys
	awk '/^\.Ss \[/{n = split($0, part, /[][ ,]+/)} /^\.Bl .*mshr_by_sector/{on = 1} /^\.El/{on = 0}
		on && /^\.It Li /{for (i = 2; i < n; i++) print part[i] "." $3}' "$ROOT/man/warpcap-machine.5" | sort >page
	diff -u <(sort <<<"$output") page
}
