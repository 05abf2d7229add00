load helper

# table NAME <REPORT.tsv: its rows
table() {
	awk -v name="#table $1" '/^#table /{on=$0==name;head=on;next} head{head=0;next} on&&NF&&!/^# /'
}

# value NAME <REPORT.tsv
value() {
	table summary | awk -F'\t' -v name="$1" '$1 == name {print $2}'
}

# An L1D of SETS WAYS that evicts what is stored to.
machine() {
	printf '[l1]\nsets = %d\nways = %d\nline = 128\nwrite = %s\nwrite_local = back\n' "$1" "$2" "${3:-evict}"
}

@test "warpintf: CIAO Fig. 3, W0 and W1 take set S0 from each other, and each miss after the first two is a VTA hit" {
	machine 4 1 >m.conf
	"$B/tests/mkstream" >s.wcp <<'END'
link access
kernel k grid=1 block=64
access sm=0 warp=0 slot=0 line=0x0 first
access sm=0 warp=1 slot=1 line=0x200 first
access sm=0 warp=0 slot=0 line=0x0 first
access sm=0 warp=1 slot=1 line=0x200 first
flush
end_kernel
END
	run -0 --separate-stderr warpintf --tsv -m ./m.conf s.wcp
	[ -z "$stderr" ]
	diff - <(table matrix <<<"$output") <<<$'0\t1\t1\t1\n1\t0\t2\t1'
	diff - <(table interfered <<<"$output") <<<$'0\t2\t2\t1\t1\t0\t1\t1\t1\t1\n1\t2\t2\t1\t1\t0\t1\t1\t1\t0'
	[ "$(value hit_rate <<<"$output")" = 0 ]
	# had they not evicted each other, D0 and D4 would have been hit: potential of data locality
	[ "$(value potential <<<"$output")" = 50 ]
	[ "$(value interference_free <<<"$output")" = 50 ]
	[ "$(value own_l1d <<<"$output")" = 50 ]
	# Fig. 3b: the same when the stream itself says what L1D did
	"$B/tests/mkstream" >r.wcp <<'END'
link access
kernel k grid=1 block=64
access sm=0 warp=0 slot=0 line=0x0 first l1=miss
access sm=0 warp=1 slot=1 line=0x200 first l1=miss victim=0x0 owner=0
access sm=0 warp=0 slot=0 line=0x0 first l1=miss victim=0x200 owner=1
access sm=0 warp=1 slot=1 line=0x200 first l1=miss victim=0x0 owner=0
flush
end_kernel
END
	warpintf --tsv r.wcp >r.tsv
	[ "$(value l1d <r.tsv)" = recorded ]
	for t in matrix interfered list; do
		diff <(table $t <<<"$output") <(table $t <r.tsv)
	done
}

# Misses of W34 on lines that the warps given have driven out, one after the other, one an epoch.
interfere() {
	{
		printf 'link access\nkernel k grid=1 block=1536\n'
		printf 'access sm=0 warp=%d slot=%d line=0x%x first l1=miss\n' 34 34 0x10000
		for w; do
			printf 'access sm=0 warp=%d slot=%d line=0x20000 first l1=miss victim=0x10000 owner=34\n' "$w" "$w"
			printf 'access sm=0 warp=34 slot=34 line=0x10000 first l1=miss\n'
		done
		printf 'flush\nend_kernel\n'
	} | "$B/tests/mkstream"
}

@test "warpintf: CIAO Fig. 4c, the list's counter of W34 goes 11, 10, 11, and at 00 another takes the place" {
	last() { # WARPS...: list and counter at the end
		interfere "$@" | warpintf --tsv | table list | awk -F'\t' '$2 == 34 {print $9, $10}'
	}
	[ "$(last 32)" = "32 0" ]
	[ "$(last 32 32 32 32)" = "32 3" ]
	[ "$(last 32 32 32 32 32)" = "32 3" ]
	[ "$(last 32 32 32 32 32 42)" = "32 2" ]
	[ "$(last 32 32 32 32 32 42 32)" = "32 3" ]
	[ "$(last 32 32 42)" = "32 0" ]
	[ "$(last 32 32 42 42)" = "42 0" ]
	# beside the truth: after 42 came last W32 has still done most
	interfere 32 32 42 42 | warpintf --tsv --epoch 1 >r
	[ "$(table list <r | awk -F'\t' '$2 == 34 {print $3, $7, $8}')" = "4 32 2" ]
	# looked at from its first hit on, at the end of every epoch: 32 until 42 takes the place, and then both did as much
	[ "$(value list_agrees <r)" = 100 ]
	interfere 32 32 32 42 42 42 42 | warpintf --tsv --epoch 1 >r
	[ "$(table list <r | awk -F'\t' '$2 == 34 {print $7, $8, $9}')" = "42 4 42" ]
	interfere 32 32 42 32 42 42 | warpintf --tsv --epoch 1 >r
	[ "$(table matrix <r | awk -F'\t' '$2 == 34 {print $1, $3, $4}')" = $'32 3 3\n42 3 3' ]
}

@test "warpintf: in true order VTA hits are those that warpsched counts, pair by pair" {
	warpcap -q -w atax -D M=256 -D N=256 -o s.wcp
	for p in gto lrr; do
		warpsched -q --tsv --interference -p $p -m gtx480 -r s.tsv -o s.acc s.wcp
		table interference <s.tsv | awk -F'\t' '{print $2, $1, $3}' | sort >want
		[ -s want ]
		warpintf --tsv s.acc >r.tsv
		diff want <(table matrix <r.tsv | awk -F'\t' '$4 {print $1, $2, $4}' | sort)
	done
}
