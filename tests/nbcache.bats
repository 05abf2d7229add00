load helper

model=$B/tests/nbcache

# play OPTION...: plays a script from standard input; what a command must say stands behind its "->"
play() {
	local script
	script=$(cat)
	diff <(sed 's/.*-> //' <<<"$script") <(sed 's/ *->.*//' <<<"$script" | "$B/tests/nbcache_play" "$@")
}

@test "nbcache: every combination of policies agrees with a cache written for being read, cycle by cycle" {
	run -0 "$model" model
	[ "$output" = "1152 combinations agree over 1500 steps each" ]
}

@test "nbcache: without limits and with fills at once it is the functional cache" {
	run -0 "$model" functional
	[ "$output" = "512 caches agree with the functional one" ]
}

@test "nbcache: without limits nothing is refused, and every request is answered once, in order" {
	run -0 "$model" unlimited
	[ -z "$output" ]
}

@test "nbcache: what cannot be is refused with its reason" {
	run -0 "$model" options
	diff - <(echo "$output") <<'END'
taken
a line of 100 bytes is no power of two from 4
sectors of 48 bytes do not divide a line of 128 bytes into 1 to 32
a set cannot have 33554432 ways
a cache of 2147483648 sets and 4 ways is too large
replacement, write or allocation policy does not exist
taken
a miss queue of 1 cannot take the two messages of one access
a miss queue of 1 cannot take the two messages of one access
END
}

@test "nbcache: requests merge in an MSHR; it is free when its last answer was collected" {
	play ways=4 entries=1 merges=2 queue=4 <<'END'
load 5   -> 0: miss, sent, waits  [1 MSHRs, 1 queued]
load 5   -> 1: pending, waits  [1 MSHRs, 1 queued]
load 5   -> 2: refused: mshr_merge
load 6   -> 2: refused: mshr_entry
pop      -> fetch load 5 sectors 1 for 0
load 5   -> 2: refused: mshr_merge
fill 5   -> filled, 2 to answer
load 6   -> 2: refused: mshr_entry
load 5   -> 2: hit  [1 MSHRs, 0 queued]
answers  -> answers 0 1  [0 MSHRs]
load 6   -> 3: miss, sent, waits  [1 MSHRs, 1 queued]
END
}

@test "nbcache: allocate-on-miss fails for want of a line when all ways are reserved; stores go on" {
	play ways=2 <<'END'
load 1   -> 0: miss, sent, waits  [1 MSHRs, 1 queued]
load 2   -> 1: miss, sent, waits  [2 MSHRs, 2 queued]
load 3   -> 2: refused: line
load 1   -> 2: pending, waits  [2 MSHRs, 2 queued]
store 3  -> 3: forward, sent  [2 MSHRs, 3 queued]
store 1  -> 4: forward, sent  [2 MSHRs, 4 queued]
remove 1 -> not removed
fill 2   -> filled, 1 to answer
load 3   -> 5: miss, sent, waits, evicts 2 of 1 for 5  [3 MSHRs, 5 queued]
load 4   -> 6: refused: line
END
}

@test "nbcache: allocate-on-fill never fails for want of a line; the victim is chosen when the line comes" {
	play ways=2 fill=1 <<'END'
load 1   -> 0: miss, sent, waits  [1 MSHRs, 1 queued]
load 2   -> 1: miss, sent, waits  [2 MSHRs, 2 queued]
load 3   -> 2: miss, sent, waits  [3 MSHRs, 3 queued]
load 3   -> 3: pending, waits  [3 MSHRs, 3 queued]
fill 2   -> filled, 1 to answer
fill 1   -> filled, 2 to answer
load 2   -> 4: hit  [3 MSHRs, 3 queued]
fill 3   -> filled, 4 to answer, evicts 1 of 0 for 2
answers  -> answers 1 0 2 3  [0 MSHRs]
load 1   -> 5: miss, sent, waits  [1 MSHRs, 4 queued]
END
}

@test "nbcache: a full miss queue refuses what would send; a merge and a hit send nothing" {
	play ways=4 queue=2 <<'END'
load 1   -> 0: miss, sent, waits  [1 MSHRs, 1 queued]
load 2   -> 1: miss, sent, waits  [2 MSHRs, 2 queued]
load 3   -> 2: refused: miss_queue
store 3  -> 2: refused: miss_queue
around 3 -> 2: refused: miss_queue
load 1   -> 2: pending, waits  [2 MSHRs, 2 queued]
pop      -> fetch load 1 sectors 1 for 0
around 3 -> 3: bypass, sent  [2 MSHRs, 2 queued]
fill 1   -> filled, 2 to answer
load 1   -> 4: hit  [2 MSHRs, 2 queued]
pop      -> fetch load 2 sectors 1 for 1
pop      -> pass load 3 sectors 1 for 3
pop      -> queue empty
END
}

# GPGPU-Sim's L1D of the GTX 480: of 8 places a read can use 7, and needs two also where it merges
@test "nbcache: with room for the worst case a read needs two places, a store one" {
	play ways=8 queue=8 worst=1 <<'END'
load 1   -> 0: miss, sent, waits  [1 MSHRs, 1 queued]
load 2   -> 1: miss, sent, waits  [2 MSHRs, 2 queued]
load 3   -> 2: miss, sent, waits  [3 MSHRs, 3 queued]
load 4   -> 3: miss, sent, waits  [4 MSHRs, 4 queued]
load 5   -> 4: miss, sent, waits  [5 MSHRs, 5 queued]
load 6   -> 5: miss, sent, waits  [6 MSHRs, 6 queued]
load 7   -> 6: miss, sent, waits  [7 MSHRs, 7 queued]
load 8   -> 7: refused: miss_queue
load 7   -> 7: refused: miss_queue
store 8  -> 7: forward, sent  [7 MSHRs, 8 queued]
store 8  -> 8: refused: miss_queue
END
}

@test "nbcache: a dirty victim is written back behind the fetch; on fill it waits for a place" {
	play ways=1 write=2 queue=2 <<'END'
store 1  -> 0: miss, sent, waits  [1 MSHRs, 1 queued]
pop      -> fetch load 1 sectors 1 for 0
fill 1   -> filled, 1 to answer
answers  -> answers 0  [0 MSHRs]
around 7 -> 1: bypass, sent  [0 MSHRs, 1 queued]
load 2   -> 2: refused: miss_queue
pop      -> pass load 7 sectors 1 for 1
load 2   -> 2: miss, sent, waits, evicts 1 dirty of 0 for 2  [1 MSHRs, 2 queued]
pop      -> fetch load 2 sectors 1 for 2
pop      -> write back writeback 1 sectors 1 for 2
END
	play ways=1 write=2 queue=2 fill=1 <<'END'
store 1  -> 0: miss, sent, waits  [1 MSHRs, 1 queued]
pop      -> fetch load 1 sectors 1 for 0
fill 1   -> filled, 1 to answer
load 2   -> 1: miss, sent, waits  [2 MSHRs, 1 queued]
around 8 -> 2: bypass, sent  [2 MSHRs, 2 queued]
fill 2   -> refused: miss_queue
pop      -> fetch load 2 sectors 1 for 1
fill 2   -> filled, 2 to answer, evicts 1 dirty of 0 for 1
END
}

@test "nbcache: sectors come one by one; a request for others joins the line's MSHR" {
	play ways=1 sectors=32 entries=1 <<'END'
load 1 1 -> 0: miss, sent, waits  [1 MSHRs, 1 queued]
load 1 2 -> 1: sector, sent, waits  [1 MSHRs, 2 queued]
load 1 3 -> 2: pending, waits  [1 MSHRs, 2 queued]
fill 1 1 -> filled, 1 to answer
answers  -> answers 0  [1 MSHRs]
load 1 1 -> 3: hit  [1 MSHRs, 2 queued]
load 2   -> 4: refused: line
fill 1 2 -> filled, 2 to answer
answers  -> answers 1 2  [0 MSHRs]
load 1   -> 4: sector, sent, waits  [1 MSHRs, 3 queued]
END
	play ways=1 sectors=32 entries=1 bysector=1 <<'END'
load 1 1 -> 0: miss, sent, waits  [1 MSHRs, 1 queued]
load 1 2 -> 1: refused: mshr_entry
END
}

@test "nbcache: a store that is valid at once; one of part of a sector is fetched when it is read" {
	play ways=1 sectors=32 write=3 <<'END'
store 1 3 1 -> 0: miss  [0 MSHRs, 0 queued]
load 1 2    -> 1: hit  [0 MSHRs, 0 queued]
load 1 1    -> 2: sector, sent, waits  [1 MSHRs, 1 queued]
atomic 1 8  -> 3: sector, sent, waits  [1 MSHRs, 2 queued]
fill 1      -> filled, 2 to answer
answers     -> answers 2 3  [0 MSHRs]
load 2 4    -> 4: miss, sent, waits, evicts 1 dirty of 0 for 4  [1 MSHRs, 4 queued]
pop         -> fetch load 1 sectors 1 for 2
pop         -> fetch load 1 sectors 8 for 3
pop         -> fetch load 2 sectors 4 for 4
pop         -> write back writeback 1 sectors b for 4
END
}

@test "nbcache: the caller's routes: no place, around, tags only, redirected" {
	play ways=1 <<'END'
noplace 1  -> 0: miss, sent, waits  [1 MSHRs, 1 queued]
load 1     -> 1: pending, waits  [1 MSHRs, 1 queued]
fill 1     -> filled, 2 to answer
answers    -> answers 0 1  [0 MSHRs]
load 1     -> 2: miss, sent, waits  [1 MSHRs, 2 queued]
fill 1     -> filled, 1 to answer
answers    -> answers 2  [0 MSHRs]
noplace 1  -> 3: hit  [0 MSHRs, 2 queued]
tags 2     -> 4: bypass, sent, evicts 1 of 2 for 4  [0 MSHRs, 3 queued]
tags 2     -> 5: bypass, present, sent  [0 MSHRs, 4 queued]
redirect 3 -> 6: redirect miss, sent, waits  [1 MSHRs, 5 queued]
redirect 3 -> 7: redirect miss, waits  [1 MSHRs, 5 queued]
fill 3     -> filled, 2 to answer
load 2     -> 8: hit  [1 MSHRs, 5 queued]
remove 2   -> removed
END
}

@test "nbcache: ports of 32 bytes are held by a line's hit, fill and write-back for four cycles" {
	play ways=1 port=32 write=2 <<'END'
load 1  -> 0: miss, sent, waits  [1 MSHRs, 1 queued]
at 10
fill 1  -> filled, 1 to answer
answers -> answers 0  [0 MSHRs]
store 1 -> 1: hit  [0 MSHRs, 1 queued]
at 13
load 2  -> 2: refused: port
at 14
load 2  -> 2: miss, sent, waits, evicts 1 dirty of 0 for 2  [1 MSHRs, 3 queued]
at 17
load 3  -> 3: refused: port
fill 2  -> filled, 1 to answer
at 18
load 3  -> 3: miss, sent, waits, evicts 2 of 2 for 3  [2 MSHRs, 4 queued]
at 20
fill 3  -> refused: port
at 21
fill 3  -> filled, 2 to answer
END
}
