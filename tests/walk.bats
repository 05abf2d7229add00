load helper

@test "walk: what is walked past has lanes and nothing else, what follows is found as if it had not been" {
	for seed in 1 2 3; do
		run -0 "$B/tests/walk" $seed
		[[ $output == *": the same" ]]
		read -r n _ past _ <<<"$output"
		[ "$past" -gt $((n / 20)) ]
	done
}
