#!/usr/bin/env bash
# Built-in workloads recorded and compressed on one core: thread instructions a CPU second of the launches, the best of three, and
# bytes of stream an executed warp instruction.
set -eu
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

# one NAME FLOOR BYTES-FLOOR ARG...
one() {
	local name=$1 floor=$2 bytes_floor=$3
	shift 3
	for _ in 1 2 3; do
		warpcap -w "$@" -v -o "$directory/a.wcp" 2>>"$directory/$name"
		echo end >>"$directory/$name"
	done
	awk -v name="$name" -v floor="$floor" -v bytes_floor="$bytes_floor" -v size="$(stat -c %s "$directory/a.wcp")" '
		/thread instructions/ {
			for (i = 2; i <= NF; i++) {
				if ($i == "CPU,") seconds += $(i - 2)
				if ($i == "warp") warp += $(i - 1)
				if ($i == "thread") thread += $(i - 1)
			}
		}
		/^end/ {
			rate = thread / (seconds + 0.0005) / 1e6
			if (rate > best) best = rate
			insns = warp
			seconds = warp = thread = 0
		}
		END {
			printf "record-%s %.0f Mthread-insn/s %s\n", name, best, floor
			printf "stream-%s %.4f B/warp-insn %s\n", name, size / insns, bytes_floor
		}' "$directory/$name"
}

one vectoradd 400 1.5 vectoradd -D N=8Mi
one atax 400 1.5 atax -D M=2048 -D N=2048
one gesummv 400 1.5 gesummv -D N=2048
one syrk 400 1.5 syrk
one 2dconv 400 1.5 2dconv -D NI=2048 -D NJ=2048
one gemm 400 1.5 gemm
one reduction 400 1.5 reduction -D N=16Mi
one bfs-rmat 80 6 bfs
one bfs-uniform 80 6 bfs -D GRAPH=uniform
one spmv-scalar 80 6 spmv
one spmv-vector 80 6 spmv -D FORM=vector
one histogram 80 6 histogram
