#!/usr/bin/env bash
# Replay on the simulated GPU of the calibration kernels: warp instructions a CPU second.
set -eu
cd "$(dirname "$0")/../.."
B=$(realpath "${B:-build}")
cd tests/calib
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# row NAME CASE FLOOR
row() {
	local ptx insns cpu
	ptx=$(awk -v c="$2" '$1 == c { print $2 }' expected.tsv)
	"$B/bin/warpcap" -q --ptx "$ptx" --launch "$2.launch" -o "$work/w.wcp"
	TIMEFORMAT=%U
	cpu=$( { time "$B/bin/warpsched" --tsv "$work/w.wcp" >"$work/r.tsv"; } 2>&1)
	insns=$(awk -F'\t' '$1 == "warp_instructions" { print $2; exit }' "$work/r.tsv")
	awk -v n="$1" -v i="$insns" -v t="$cpu" -v f="$3" 'BEGIN { printf "%s %.0f warp-instr/s %s\n", n, i / t, f }'
}
row warpsched_divergent row_per_thread 80000
row warpsched_streaming stream_copy 600000
row warpsched_alu alu_ilp_fma 5000000
row warpsched_shared smem_conflict_full_2 2000000
