#!/usr/bin/env bash
# How long warpdump takes to print the first record of a stream that comes through a pipe and goes on: the best of 20.
set -eu
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
mkstream -o "$directory/a.wcp" <<'EOF'
link access
program k
insn ld.global.u32 bytes=4
kernel k grid=1000 block=32
repeat 300000
access line=0x1000+128 cta=0+1
done
end_kernel
EOF
best=1000000
for _ in $(seq 20); do
	start=$(date +%s%N)
	warpdump -c 1 < <(cat "$directory/a.wcp"; sleep 0.2) >/dev/null
	now=$((($(date +%s%N) - start) / 1000))
	best=$((now < best ? now : best))
done
echo "start-up-warpdump-c-1 $(awk "BEGIN{print $best / 1000}") ms 30"
