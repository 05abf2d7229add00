load helper

cache=$B/tests/cache

@test "cache: DWT-PRIC Fig. 7, the printed equations of Poly(37) at 27 address bits" {
	run -0 "$cache" equations 37 32 27
	diff - <(echo "$output") <<'END'
37 irreducible
I0 = A25 + A24 + A23 + A22 + A21 + A18 + A17 + A15 + A12 + A7
I1 = A26 + A25 + A24 + A23 + A22 + A19 + A18 + A16 + A13 + A8
I2 = A26 + A22 + A21 + A20 + A19 + A18 + A15 + A14 + A12 + A9
I3 = A23 + A22 + A21 + A20 + A19 + A16 + A15 + A13 + A10
I4 = A24 + A23 + A22 + A21 + A20 + A17 + A16 + A14 + A11
END
}

@test "cache: Poly(37) over A[31:0] adds the terms above A26" {
	run -0 "$cache" equations 37 32 32
	[[ ${lines[1]} == 'I0 = A30 + A29 + A25 '* ]]
	[[ ${lines[4]} == 'I3 = A31 + A30 + A28 + A27 + A23 '* ]]
	[[ ${lines[5]} == 'I4 = A31 + A29 + A28 + A24 '* ]]
}

@test "cache: DWT-PRIC sec. 4.3, the six irreducible polynomials of degree 5" {
	run -0 "$cache" irreducible 5
	[ "$output" = "37 41 47 55 59 61 smallest 37" ]
	run -0 "$cache" irreducible 3
	[ "$output" = "11 13 smallest 11" ]
	run -0 "$cache" irreducible 8 # 30 of them: the necklace count (2^8 - 2^4) / 8
	[ "$(wc -w <<<"$output")" -eq 32 ]
	run -0 "$cache" equations 33 32 0
	[ "${lines[0]}" = "33 reducible" ]
	run -1 "$cache" equations 67 32 0
	[ "$output" = "polynomial 67 has degree 6, 32 sets need degree 5" ]
}

@test "cache: set functions agree with long-hand arithmetic" {
	run -0 "$cache" index
}

@test "cache: every policy, write policy and set function agrees with a cache written for being read" {
	run -0 "$cache" model
}

@test "cache: LRU never misses more with more ways; fully associative it is the stack distance; conflict degrees of DWT-PRIC" {
	run -0 "$cache" laws
	[ "$output" = "SYRK, K = 32: 1 set by modulo, 32 by Poly(37)" ]
}

@test "cache: how accesses are cut into batches and when copies are added changes nothing" {
	run -0 "$cache" batches
}

@test "cache: a sliced cache is one cache a slice, and an address comes back from its place in one" {
	run -0 "$cache" slices
}

# The first two strings are those of every operating systems textbook; FIFO misses more with 4 ways than with 3 (Belady's
# anomaly). PLRU by hand: in the second, 5 takes the way of 3, 3 that of 4 and 4 that of 1; in the third, the tree points at
# c when e comes, at b when c comes back and at d when b does. LRU takes b for e and finds c.
@test "cache: misses of textbook strings" {
	run -0 "$cache" known
	diff - <(echo "$output") <<'END'
seven, 3 ways: lru 12 fifo 15 opt 9
anomaly, 3 ways: lru 10 fifo 9 opt 7
anomaly, 4 ways: lru 8 fifo 10 plru 7 opt 6
tree, 4 ways: lru 6 fifo 5 plru 7 opt 5
END
}
