load helper

@test "coalesce: hand-computed accesses, and random ones equal a byte-by-byte coalescer" {
	run -0 "$B/tests/coalesce"
	[ -z "$output" ]
}
