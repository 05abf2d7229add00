#!/usr/bin/env bash
# What warpcap costs a program: a launch of almost nothing, executed only and recorded; the part of the time of a program
# that does little but copy which recording takes, in processor time and on the clock, where program and recorder share
# the processors; how much faster two threads are; the executor's floors, recorded, in thread instructions of the kernel
# a processor second of program and recorder together. The program registers a fat binary that is kept as data. Kinds of
# runs take turns, and the best of each counts.
set -eu
stream=$(mktemp)
trap 'rm -f "$stream"' EXIT
# launch_us NUMBERS LAUNCHES OPTION...: microseconds a launch
launch_us() {
	FACE_LAUNCHES=$2 warpcap "${@:3}" -- cudart_face tests/fatbin/raw.fatbin scale "$1" | sed -n 's/^launch //p'
}
# cpu_s NUMBERS LAUNCHES OPTION...: processor seconds of program and recorder
cpu_s() {
	local TIMEFORMAT='%U %S'
	{ time launch_us "$@" >/dev/null; } 2>&1 | awk '{ print $1 + $2 }'
}
# least A B: the smaller number
least() { awk -v a="$1" -v b="$2" 'BEGIN { print a < b ? a : b }'; }
row() { awk -v name="$1" -v us="$2" 'BEGIN { printf "%s %.4f ms 0.020\n", name, us / 1000 }'; }
share() { awk -v name="$1" -v p="$2" -v r="$3" 'BEGIN { printf "%s %.1f %% 50\n", name, 100 * (1 - p / r) }'; }
row program-launch "$(launch_us 32 10000 -n)"
row program-launch-recorded "$(launch_us 32 10000 -o "$stream")"
plain=9e9 recorded=9e9 plain_cpu=9e9 recorded_cpu=9e9 two=9e9
for _ in 1 2 3 4 5; do
	plain=$(least "$plain" "$(launch_us 2000000 10 -n)")
	two=$(least "$two" "$(launch_us 2000000 10 -n -j 2)")
	recorded=$(least "$recorded" "$(launch_us 2000000 10 -o "$stream")")
	plain_cpu=$(least "$plain_cpu" "$(cpu_s 2000000 10 -n)")
	recorded_cpu=$(least "$recorded_cpu" "$(cpu_s 2000000 10 -o "$stream")")
done
share program-recording "$plain_cpu" "$recorded_cpu"
share program-recording-wall "$plain" "$recorded"
awk -v one="$plain" -v two="$two" 'BEGIN { printf "program-two-threads %.2f times 1.8\n", one / two }'

# rate KERNEL FLOOR: of 2^20 numbers, start-up and what is not the kernel taken off by runs of one launch and of five
rate() {
	local one=9e9 five=9e9 insns
	run() {
		local TIMEFORMAT='%U %S'
		{ time FACE_LAUNCHES=$1 warpcap -o "$stream" -- cudart_face tests/fatbin/rates.fatbin "$2" 1048576 >/dev/null; } 2>&1 |
			awk '{ print $1 + $2 }'
	}
	for _ in 1 2 3; do
		one=$(least "$one" "$(run 1 "$1")")
		five=$(least "$five" "$(run 5 "$1")")
	done
	insns=$(warpinfo "$stream" | awk '$1 == "thread_instructions" { print $2 }')
	awk -v name="program-$1" -v insns="$insns" -v s="$one" -v t="$five" -v floor="$2" \
		'BEGIN { printf "%s %.0f M-thread-instr/s %d\n", name, insns / 5 * 4 / (t - s) / 1e6, floor }'
}
rate coalesced 400
rate alu 800
rate divergent 80
rate gather 120
