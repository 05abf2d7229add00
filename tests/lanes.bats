load helper

@test "lanes: integer operations agree with arithmetic on 128 bits, at every level" {
	run -0 $B/tests/lanes_int
	[[ $output == *" 0 wrong" ]]
}

@test "lanes: float operations agree with floating point on integers, in every rounding" {
	run -0 $B/tests/lanes_float
	[[ $output == *" 0 wrong" ]]
}

@test "lanes: comparisons and selections of every type" {
	run -0 $B/tests/lanes_compare
	[[ $output == *" 0 wrong" ]]
}

@test "lanes: conversions among all types, in every rounding" {
	run -0 $B/tests/lanes_convert
	[[ $output == *" 0 wrong" ]]
}

@test "lanes: shuffles, votes, matches, reductions and video instructions as the manual spells them" {
	run -0 $B/tests/lanes_warp
	[[ $output == "0 wrong" ]]
}

@test "lanes: approximate functions within half a unit in the last place and the same at every level" {
	run -0 $B/tests/lanes_approx
	[[ $output == *"0 wrong" ]]
}
