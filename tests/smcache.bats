load helper

smcache=$B/tests/smcache

@test "smcache: CIAO Fig. 7c, an address of F, B, G and R leads to data and to a tag in the other bank group" {
	run -0 "$smcache" fig7c
	diff - <(echo "$output") <<'END'
data: F=5 B=9 G=1 R=179
tag: F=4 B=9 G=0 R=261
data from 8192: F=5 B=9 G=1 R=211
tag from 8192: F=4 B=9 G=0 R=293
data of 64 lines: F=5 B=9 G=1 R=19
tag of 64 lines: F=4 B=9 G=0 R=32
END
}

@test "smcache: as many lines as a power of two of 132 bytes each fit" {
	run -0 "$smcache" sizes
	diff - <(echo "$output") <<'END'
0 bytes: 0 lines
131 bytes: 0 lines
132 bytes: 1 lines
263 bytes: 1 lines
264 bytes: 2 lines
16384 bytes: 64 lines
33792 bytes: 256 lines
49152 bytes: 256 lines
67584 bytes: 512 lines
END
}

@test "smcache: no data and no tags of any size and place lie on each other or outside" {
	run -0 "$smcache" places
	[ "$output" = "27 sizes and places" ]
}

@test "smcache: hits, owners and victims are those of a list that is searched" {
	run -0 "$smcache" random
	[ "$output" = "17 sizes agree" ]
}
