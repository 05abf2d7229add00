#!/usr/bin/env bash
# The whole of warpdram, input and report included: requests a second of processor time, beside reading the same stream alone.
# Floors are those of DRAM replay.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

stream() { # NAME AWK: a million loads
	{
		printf 'link access\nprogram k\ninsn ld.global.u32 bytes=4\nkernel k grid=1 block=32\n'
		awk "BEGIN {for (i = 0; i < 1000000; i++) {$2; printf \"access cycle=%d line=0x%x sectors=3\\n\", cycle, line}}"
		echo end_kernel
	} | mkstream -o "$1.acc"
}
TIMEFORMAT='%U %S'
seconds() { # COMMAND...: its processor time
	{ time "$@" >/dev/null 2>&1; } 2>&1 | awk '{t = $1 + $2; print (t > 0.001 ? t : 0.001)}'
}
row() { # NAME FLOOR COMMAND...
	local name=$1 floor=$2 ours alone
	shift 2
	ours=$(seconds "$@")
	alone=$(seconds warpinfo --summary "${@: -1}")
	awk -v n="$name" -v f="$floor" -v t="$ours" -v u="$alone" 'BEGIN {printf "%s %.2f M/s %s reading %.2f\n", n, 1 / t, f, 1 / u}'
}

stream sequential 'cycle = i * 4; line = i * 64'
stream random 'x = (x * 16807 + 1) % 2147483647; cycle = i * 40; line = int(x / 64) * 64'
stream sparse 'cycle = i * 4000; line = i * 64'
row warpdram/sequential 8 warpdram -m ddr4-2400 --clock dram sequential.acc
row warpdram/random 3 warpdram -m ddr4-2400 --clock dram random.acc
row warpdram/sparse - warpdram -m ddr4-2400 --clock dram sparse.acc
row warpdram/random-window-64 3 warpdram -m ddr4-2400 --window 64 random.acc
