#!/usr/bin/env bash
# What warpcap costs a program: a launch of almost nothing, executed only and recorded, and what recording adds to the
# time of a program that computes. The program registers a fat binary kept as data, so that no nvcc is needed.
set -eu
B=${B:-build}
face() { "$B/bin/warpcap" "$@" -- "$B/tests/cudart_face" tests/fatbin/raw.fatbin scale; }
# microseconds a launch of N numbers, LAUNCHES times
us() { FACE_LAUNCHES=$2 "$B/bin/warpcap" "${@:3}" -- "$B/tests/cudart_face" tests/fatbin/raw.fatbin scale "$1" | sed -n 's/^launch //p'; }
out=$(mktemp)
trap 'rm -f "$out"' EXIT
echo "program.launch $(us 32 10000 -n) us 20"
echo "program.launch.recorded $(us 32 10000 -o "$out") us 20"
plain=$(us 4000000 20 -n) recorded=$(us 4000000 20 -o "$out")
awk -v p="$plain" -v r="$recorded" 'BEGIN { printf "program.recording_share %.2f of_run 0.5\n", r > p ? 1 - p / r : 0 }'
