#!/usr/bin/env bash
# The whole of warpdram, input and report included: requests a second of processor time, beside a replay cycle by cycle of the first of
# them. Floors are those of DRAM replay.
set -eu
machines=$(cd "$(dirname "$0")/../../share/machine" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

stream() { # NAME AWK: a million loads, and the first of them for the naive one
	awk "BEGIN {for (i = 0; i < 1000000; i++) {$2; printf \"%d 0 0x%x load\\n\", cycle, line}}" >"$1.txt"
	head -n 4000 "$1.txt" >"$1.few"
	{
		printf 'link access\nprogram k\ninsn ld.global.u32 bytes=4\nkernel k grid=1 block=32\n'
		awk '{printf "access cycle=%d line=%s sectors=3\n", $1, $3}' "$1.txt"
		echo end_kernel
	} | mkstream -o "$1.acc"
	awk '{printf "%s READ %d\n", $3, $1}' "$1.txt" >"$1.trc"
	rm "$1.txt"
}
TIMEFORMAT='%U %S'
seconds() { # COMMAND...: its processor time
	{ time "$@" >/dev/null 2>&1; } 2>&1 | awk '{t = $1 + $2; print (t > 0.001 ? t : 0.001)}'
}
row() { # NAME FLOOR STREAM MODE... -- FLAG...: MODE as warpdram_slow has it
	local name=$1 floor=$2 input=$3 mode=() ours slow
	shift 3
	while [ "$1" != -- ]; do mode+=("$1"); shift; done
	shift
	ours=$(seconds warpdram -m ddr4-2400 "$@" "$input")
	slow=$(seconds warpdram_slow "$machines/ddr4-2400.conf" "${mode[@]}" <"${input%.*}.few")
	awk -v n="$name" -v f="$floor" -v t="$ours" -v u="$slow" 'BEGIN {printf "%s %.2f M/s %s naive %.4f\n", n, 1 / t, f, 0.004 / u}'
}

stream sequential 'cycle = i * 4; line = i * 64'
stream random 'x = (x * 16807 + 1) % 2147483647; cycle = i * 40; line = int(x / 64) * 64'
row warpdram/sequential 8 sequential.acc stall 0 0 -- --clock dram
row warpdram/random 3 random.acc stall 0 0 -- --clock dram
row warpdram/sequential-text - sequential.trc stall 0 0 --
row warpdram/sequential-window-64 - sequential.acc window 64 1 -- --window 64
row warpdram/random-window-64 3 random.acc window 64 1 -- --window 64
