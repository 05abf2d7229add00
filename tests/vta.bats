load helper

vta=$B/tests/vta

@test "vta: CIAO Fig. 3, two warps that take a set from each other find their lines and who took them" {
	run -0 "$vta" fig3
	diff - <(echo "$output") <<'END'
W0 finds D0: 0
W1 finds D0: 0
W0 finds D0: 1, evicted by W1
W1 finds D4: 1, evicted by W0
W1 finds D4: 0, W0 D0: 1
END
}

@test "vta: FIFO and LRU, in sets and not, agree with a list that is searched" {
	run -0 "$vta" random
	[ "$output" = "432 arrays agree" ]
}

@test "vta: options that cannot be are refused" {
	run -0 "$vta" wrong
	[ "${lines[2]}" = "a victim tag array cannot have 8 tags in sets of 3" ]
}
