load helper

S=$B/tests/skeleton

@test "common: a text report aligns numbers to the right and puts units under the names" {
	run -0 --separate-stderr "$S" -q
	diff - <(printf '%s\n' "$output" | head -n 9) <<'EOF'
threads       1
seed          1
rate      0.333 1/s
operands  -

Reuse distance
kernel                         distance  delta  share         address
                                  lines             %
atax "1"\x09\\x0a  18446744073709551615     -5   0.10  0x200000000080
EOF
}

@test "common: TSV escapes tabs, keeps all digits and leaves missing values empty" {
	run -0 --separate-stderr "$S" -q --tsv word
	[ "${lines[0]}" = "#table summary" ]
	[ "${lines[4]}" = "$(printf 'rate\t0.3333333333333333\t1/s')" ]
	[ "${lines[5]}" = "$(printf 'operands\tword\t')" ]
	[ "${lines[6]}" = "#table histogram" ]
	[ "${lines[8]}" = "$(printf 'atax "1"\\t\\\\\\n\t18446744073709551615\t-5\t0.1\t0x200000000080')" ]
	[ "${lines[10]}" = "$(printf '\t0\t0\t5e-324\t')" ]
	[ "${lines[11]}" = "# title: Reuse distance" ]
	[ "${lines[12]}" = "$(printf '# units: \tlines\t\t%%\t')" ]
	[ "${lines[13]}" = "# 3 rows" ]
	[ "${lines[14]}" = "# report: skeleton" ]
}

@test "common: JSON is valid, with text escaped and bad UTF-8 replaced" {
	run -0 --separate-stderr "$S" -q --json 'a "b"'
	[[ $output == *'"command": "skeleton -q --json '"'"'a \"b\"'"'"'"'* ]]
	[[ $output == *'"kernel": "atax \"1\"\t\\\n", "distance": 18446744073709551615, "delta": -5, "share": 0.1, "address": "0x200000000080"'* ]]
	[[ $output == *'"kernel": "b\ufffdé", "distance": 7, "delta": null, "share": null, "address": null'* ]]
	[[ $output == *'"share": 5e-324'* ]]
	if command -v jq; then
		jq -e '.tables.histogram | length == 3' <<<"$output"
		jq -e '.titles == {"histogram": "Reuse distance"}' <<<"$output"
		jq -e '.units == {"summary": {}, "histogram": {"distance": "lines", "share": "%"}}' <<<"$output"
	fi
}

@test "common: options may follow operands, and -- ends them" {
	run -0 --separate-stderr "$S" -q a -n 2KiB --real=1.5k --range 3-9 --range 4- --range=-5 --flag -- -x
	[[ $output == *"operands  -x"* ]]
	[ "${stderr_lines[*]}" = "number 2048 real 1500 range 3 9 range 4 18446744073709551615 range 0 5 flag" ]
}

@test "common: a usage error is one line and status 2" {
	while IFS='|' read -r args message; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr "$S" $args
		[ -z "$output" ]
		[ "${#stderr_lines[@]}" -eq 1 ]
		[ "$stderr" = "skeleton: $message (try 'skeleton -h')" ]
	done <<'EOF'
-y|unknown option -y
--nothing|unknown or ambiguous option --nothing
--r 3|unknown or ambiguous option --r
-n|option -n needs an argument: N
--json=1|option --json=1 takes no argument
--json --tsv|--json and --tsv exclude each other
-n x|-n: 'x' is not a number
-n 3BB|-n: '3BB' is not a number
-n 0|-n: 0 is not in 1..1048576
-n 99999999999999999999|-n: 99999999999999999999 is too large
-n 18446744073709551615k|-n: 18446744073709551615k is too large
-n 99999999999999999999x|-n: '99999999999999999999x' is not a number
--real nan|--real: nan is not in 0..1e+06
--real 1x|--real: '1x' is not a number
--range 9-3|--range: range 9-3 ends before it begins
--range -|--range: '-' is not a range A-B
--set x|--set takes KEY=VALUE, not 'x'
-j -1|-j: '-1' is not a number
-Z 23|-Z: 23 is not in 0..22
a b c d|unexpected operand 'd'
-o a -r a|-o and -r both name a
--output= x|-o: the name of a file is empty
--report= x|-r: the name of a file is empty
EOF
}

@test "common: a closed standard stream stays closed: no file takes its place" {
	run -4 --separate-stderr bash -c "'$S' -q >&-"
	[ "$stderr" = "skeleton: standard output: Bad file descriptor" ]
	run -3 bash -c "'$S' -q -r out.txt fail 2>&-"
	run ! grep -s skeleton out.txt
}

@test "common: -h lists every option and -V the version, both with status 0" {
	run -0 "$S" -h
	[ "${lines[0]}" = "usage: skeleton [-xqvhV] [-n N] [--real X] [--range A-B] [-o FILE] [-r FILE]" ]
	[[ $output == *"  -n, --number N       take a number"* ]]
	[[ $output == *"      --no-progress    never show progress"* ]]
	run -0 "$S" -V
	[[ $output == "skeleton (warpcap) "[0-9]* ]]
}

@test "common: an error names tool, file and place once" {
	run -3 --separate-stderr "$S" -q fail
	[ "$stderr" = "skeleton: a.wcp: block 3: checksum mismatch (at byte 77)" ]
}

@test "common: a full disk is status 4, said once" {
	run -4 --separate-stderr bash -c "'$S' -q >/dev/full"
	[ "$stderr" = "skeleton: standard output: No space left on device" ]
	run -4 --separate-stderr bash -c "'$S' -h >/dev/full"
	[ "$stderr" = "skeleton: standard output: No space left on device" ]
	run -4 --separate-stderr "$S" -q -r /dev/full
	[ "$stderr" = "skeleton: /dev/full: No space left on device" ]
}

@test "common: -r writes a file whole or not at all" {
	run -0 "$S" -q -r out.txt
	[ -z "$output" ]
	run -0 grep -c Reuse out.txt
	run -4 "$S" -q -r no/such/dir
	[ "$output" = "skeleton: no/such/dir: No such file or directory" ]
	[ "$(ls)" = out.txt ]
	ln -s out.txt link
	chmod 640 out.txt
	run -0 "$S" -q -r link --tsv
	[ -L link ]
	[ "$(stat -c %a out.txt)" = 640 ]
	run -0 grep -c '^#table' out.txt
}

@test "common: with -o the report goes to standard error, and -q drops it" {
	run -0 --separate-stderr "$S" -o x
	[ -z "$output" ]
	[[ $stderr == *"Reuse distance"* ]]
	run -0 --separate-stderr "$S" -o x -q
	[ -z "$output$stderr" ]
	run -2 --separate-stderr "$S" -q -o - -r -
	[ "$stderr" = "skeleton: -r -: the stream goes to standard output already" ]
}

@test "common: messages appear at their level" {
	run -0 --separate-stderr "$S" -v -r /dev/null
	[ "$stderr" = "$(printf 'skeleton: said at -v\nskeleton: warning: a warning')" ]
	run -0 --separate-stderr "$S" -r /dev/null
	[ "$stderr" = "skeleton: warning: a warning" ]
}
