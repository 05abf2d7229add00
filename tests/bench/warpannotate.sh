#!/usr/bin/env bash
# The whole of warpannotate, input and report included: accesses and warp instructions a second of processor time, on a stream of which
# four of five accesses miss and evict.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

TIMEFORMAT='%U %S'
seconds() { # COMMAND...: its processor time
	{ time "$@" >/dev/null 2>&1; } 2>&1 | awk '{t = $1 + $2; print (t > 0.001 ? t : 0.001)}'
}
row() { # NAME FLOOR FIGURE STREAM
	awk -v n="$1" -v f="$2" -v r="$(warpannotate -q --tsv "$4" | awk -F'\t' -v x="$3" '$1 == x {print $2}')" \
	    -v t="$(seconds warpannotate -q "$4")" 'BEGIN {printf "%s %.2f M/s %s\n", n, r / t / 1e6, f}'
}

warpcap -q -w spmv -o spmv.wcp
warpflat -q spmv.wcp | warpcache -q --size 16KiB --pass all -o spmv.acc
row warpannotate/accesses 10 accesses spmv.acc
row warpannotate/instructions - warp_instructions spmv.wcp
