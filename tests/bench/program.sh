#!/usr/bin/env bash
# What warpcap costs a program: a launch of almost nothing, executed only and recorded, and the part of the time of a
# program that computes which recording takes. The program registers a fat binary that is kept as data.
set -eu
stream=$(mktemp)
trap 'rm -f "$stream"' EXIT
# launch_us NUMBERS LAUNCHES OPTION...: microseconds a launch
launch_us() {
	FACE_LAUNCHES=$2 warpcap "${@:3}" -- cudart_face tests/fatbin/raw.fatbin scale "$1" | sed -n 's/^launch //p'
}
row() { awk -v name="$1" -v us="$2" 'BEGIN { printf "%s %.4f ms 0.020\n", name, us / 1000 }'; }
row program-launch "$(launch_us 32 10000 -n)"
row program-launch-recorded "$(launch_us 32 10000 -o "$stream")"
plain=$(launch_us 2000000 10 -n) recorded=$(launch_us 2000000 10 -o "$stream")
awk -v p="$plain" -v r="$recorded" 'BEGIN { printf "program-recording %.1f %% 50\n", (r > p ? 100 * (1 - p / r) : 0.1) }'
