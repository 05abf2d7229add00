# Streams: the library against the second decoder, the golden streams and damage of every kind.
load helper

make=$B/tests/stream_make
dump=$B/tests/stream_dump
decoder=$B/tests/decoder
recast=$B/tests/stream_recast

# make_stream FILE OPTIONS...: a random stream; its records as text in FILE.txt.
make_stream() {
	local file=$1
	shift
	"$make" "$@" "$file" >"$file.txt"
}

# same FILE: library and decoder print what was written.
same() {
	"$dump" "$1" >got.txt
	head -n -1 got.txt | cmp - "$1.txt"
	"$decoder" "$1" | cmp - got.txt
}

@test "stream: library and second decoder print the recorded text of every golden stream" {
	for f in "$T"/golden/*.wcp; do
		zstd -dcq "${f%.wcp}.txt.zst" >want.txt
		"$dump" "$f" | cmp - want.txt
		"$dump" -j 3 "$f" | cmp - want.txt
		"$decoder" "$f" | cmp - want.txt
	done
}

@test "stream: the hexdump of warpcap-stream(5) is that of the golden stream" {
	sed -n '/^\.Sh A SMALL STREAM/,/^\.Ed/p' "$ROOT/man/warpcap-stream.5" | grep '^0' >page.txt
	"$decoder" -x "$T/golden/example.wcp" | cmp - page.txt
	# and the bytes themselves, without the decoder's help
	cut -c11-57 page.txt | tr -d ' \n' >page.hex
	od -An -v -tx1 "$T/golden/example.wcp" | tr -d ' \n' | cmp - page.hex
}

@test "stream: random WARP streams come back as they were written, and so says the second decoder" {
	for seed in 101 102 103 104 105 106; do
		make_stream warp.wcp -s $seed
		same warp.wcp
	done
}

@test "stream: random ACCESS streams come back as they were written, and so says the second decoder" {
	for seed in 201 202 203 204 205 206 207 208; do
		make_stream access.wcp -a -s $seed -n 3
		same access.wcp
	done
}

@test "stream: bytes do not depend on the number of threads" {
	for kind in "" -a; do
		make_stream one.wcp $kind -s 12 -n 4
		make_stream eight.wcp $kind -s 12 -n 4 -j 8
		cmp one.wcp eight.wcp
		make_stream one.wcp $kind -s 12 -n 4 -Z 0
		make_stream eight.wcp $kind -s 12 -n 4 -j 8 -Z 0
		cmp one.wcp eight.wcp
	done
}

@test "stream: what is read does not depend on the number of threads, nor on a pipe" {
	for kind in "" -a; do
		make_stream s.wcp $kind -s 12 -n 4
		"$dump" s.wcp >one.txt
		"$dump" -j 8 s.wcp | cmp - one.txt
		cat s.wcp | "$dump" - | cmp - one.txt
		cat s.wcp | "$dump" -j 8 - | cmp - one.txt
	done
}

@test "stream: zstd -d gives the raw stream, at any level" {
	for kind in "" -a; do
		make_stream raw.wcp $kind -s 13 -Z 0
		for level in 1 3 19 -5; do
			make_stream packed.wcp $kind -s 13 -Z $level
			zstd -tq packed.wcp
			zstd -dcq packed.wcp | cmp - raw.wcp
		done
	done
}

@test "stream: a pipe carries the same blocks without a seek table" {
	make_stream file.wcp -s 14
	bash -c '"$0" -s 14 /dev/fd/3 3>&1 >/dev/null | cat >pipe.wcp' "$make"
	cmp -n "$(stat -c %s pipe.wcp)" file.wcp pipe.wcp
	[ "$(stat -c %s pipe.wcp)" -lt "$(stat -c %s file.wcp)" ]
	"$dump" pipe.wcp >pipe.txt
	"$dump" file.wcp | cmp - pipe.txt
}

@test "stream: the other byte order reads the same" {
	for kind in "" -a; do
		make_stream raw.wcp $kind -s 15 -Z 0
		"$recast" swap <raw.wcp >swapped.wcp
		run ! cmp -s raw.wcp swapped.wcp
		"$dump" raw.wcp >want.txt
		"$dump" swapped.wcp | cmp - want.txt
		"$decoder" swapped.wcp | cmp - want.txt
	done
}

@test "stream: blocks and columns of a later minor version are passed over" {
	for kind in "" -a; do
		make_stream raw.wcp $kind -s 16 -Z 0
		"$recast" later <raw.wcp >later.wcp
		"$dump" raw.wcp >want.txt
		"$dump" later.wcp | cmp - want.txt
		"$dump" -j 4 later.wcp | cmp - want.txt
	done
}
@test "stream: events of a kind that nobody knows are passed over" {
	make_stream warp.wcp -u -s 103
	same warp.wcp
	make_stream whole.wcp -s 103
	[ "$(grep -c '^  event' whole.wcp.txt)" -gt "$(grep -c '^  event' warp.wcp.txt)" ]
}

@test "stream: streams in a row read as one, with kernels renumbered" {
	make_stream a.wcp -s 17
	make_stream b.wcp -s 18 -Z 0
	zstd -dcq a.wcp >a.raw
	cat a.raw b.wcp >raw.wcp
	"$dump" raw.wcp >got.txt
	"$decoder" raw.wcp | cmp - got.txt
	make_stream b.wcp -s 18
	cat a.wcp b.wcp a.wcp >three.wcp
	"$dump" -j 4 three.wcp >got.txt
	"$decoder" three.wcp | cmp - got.txt
	n=$(grep -c ^kernel\  a.wcp.txt) m=$(grep -c ^kernel\  b.wcp.txt)
	[ "$(grep ^kernel\  got.txt | awk '{print $2}' | paste -sd' ')" = "$(seq -s' ' 0 $((2 * n + m - 1)))" ]
	[ "$(grep -c '^end ' got.txt)" -eq 1 ]
}

@test "stream: a stream cut short before another is called truncated" {
	make_stream a.wcp -s 17 -Z 0
	head -c -50 a.wcp >short.wcp # END is longer than that
	cat short.wcp a.wcp >both.wcp
	run -3 "$dump" both.wcp
	make_stream c.wcp -s 17
	zstd -dcq c.wcp | cmp - a.wcp
	# compressed: all frames but the last two, END and seek table
	table=$(($(od -An -tu4 -j $(($(stat -c %s c.wcp) - 9)) -N 4 c.wcp) * 8 + 17))
	head -c -$((table + 20)) c.wcp >short.wcp
	cat short.wcp c.wcp >both.wcp
	run -3 "$dump" both.wcp
}

@test "stream: truncated at any byte or with any bit flipped it is an error or reads the same" {
	for f in warp-2 warp-raw access-27 access-swapped example example-1 shared-warp shared-access; do
		"$B/tests/stream_damage" "$T/golden/$f.wcp"
	done
}

@test "stream: damage is found by several threads as by one" {
	"$B/tests/stream_damage" -j 2 "$T/golden/example.wcp"
}

@test "stream: what is whole before a fault is delivered, then one line names block and byte" {
	make_stream s.wcp -s 19 -n 2 -Z 0
	"$dump" s.wcp >want.txt
	size=$(stat -c %s s.wcp)
	printf '\377' | dd of=s.wcp bs=1 seek=$((size * 3 / 4)) conv=notrunc status=none
	run -3 --separate-stderr "$dump" s.wcp
	[[ $stderr =~ ^"stream_dump: s.wcp: block "[0-9]+" at byte "[0-9]+": checksum mismatch"$ ]]
	[ "${#output}" -gt 1000 ]
	printf '%s\n' "$output" | cmp -n ${#output} - want.txt
	head -c $((size / 2)) s.wcp >half.wcp
	run -3 --separate-stderr "$dump" half.wcp
	[[ $stderr == "stream_dump: half.wcp: truncated: the input ends inside a block at byte $((size / 2))" ]]
	printf '%s\n' "$output" | cmp -n ${#output} - want.txt
}

@test "stream: a stream that lost a block is found out by its totals" {
	"$make" -e -Z 0 a.wcp >/dev/null
	# the example's ACCESS block, 16 + 108 bytes at byte 180
	(head -c 180 a.wcp && tail -c +305 a.wcp) >lost.wcp
	run -3 --separate-stderr "$dump" lost.wcp
	[[ $stderr == *"the END block's totals are not those of the stream" ]]
}

@test "stream: empty, foreign, wrong-kind and newer input each have a message of their own" {
	: >empty
	run -3 --separate-stderr "$dump" empty
	[ "$stderr" = "stream_dump: empty: empty input, not a warpcap stream" ]
	echo "hello, world: this is text" >text
	run -3 --separate-stderr "$dump" text
	[ "$stderr" = "stream_dump: text: not a warpcap stream" ]
	zstd -q text
	run -3 --separate-stderr "$dump" text.zst
	[ "$stderr" = "stream_dump: text.zst: not a warpcap stream" ]
	printf ab >two
	run -3 --separate-stderr "$dump" two
	[ "$stderr" = "stream_dump: two: not a warpcap stream" ]
	run -3 --separate-stderr "$dump" -k warp "$T/golden/access-27.wcp"
	[[ $stderr == *": this is an ACCESS stream, where WARP is needed" ]]
	run -3 --separate-stderr "$dump" -k access "$T/golden/warp-1.wcp"
	[[ $stderr == *": this is a WARP stream, where ACCESS is needed" ]]
	"$recast" major <"$T/golden/warp-raw.wcp" >newer
	run -3 --separate-stderr "$dump" newer
	[ "$stderr" = "stream_dump: newer: stream format 3.0, this library reads up to 2.x: a newer warpcap is needed" ]
	run -4 --separate-stderr "$dump" nothing.wcp
	[ "$stderr" = "stream_dump: nothing.wcp: cannot open: No such file or directory" ]
	run -4 --separate-stderr "$dump" .
	[ "$stderr" = "stream_dump: .: cannot read: Is a directory" ]
}

@test "stream: a full disk, a closed pipe and a missing folder are system errors" {
	run -4 --separate-stderr "$make" -s 20 /dev/full
	[[ $stderr == *"No space left on device" ]]
	run -4 --separate-stderr "$make" -s 20 -Z 0 -j 4 /dev/full
	[[ $stderr == *"No space left on device" ]]
	run -4 bash -c 'trap "" PIPE; { sleep 0.3; "$0" -s 20 -Z 0 /dev/fd/3 3>&1 >/dev/null 2>err.txt; } | :; exit ${PIPESTATUS[0]}' "$make"
	grep -q "Broken pipe" err.txt
	run -4 --separate-stderr "$make" -s 20 no/dir.wcp
	[ "$stderr" = "stream_make: cannot create: No such file or directory" ]
	"$make" -s 20 /dev/null >/dev/null
	[ -c /dev/null ]
}

@test "stream: nothing is left beside a file that could not be finished" {
	run -4 bash -c 'ulimit -f 16; trap "" XFSZ; "$0" -s 20 -Z 0 big.wcp >/dev/null' "$make"
	[ -z "$(ls)" ]
}

@test "stream: file(1) knows both forms" {
	command -v file >/dev/null || skip "file(1) is not installed"
	run -0 file -b -m "$ROOT/share/magic" "$T/golden/warp-1.wcp"
	[ "$output" = "warpcap WARP stream, version 1.0, compressed" ]
	run -0 file -b -m "$ROOT/share/magic" "$T/golden/example.wcp"
	[ "$output" = "warpcap ACCESS stream, version 2.0, raw" ]
	run -0 file -b -m "$ROOT/share/magic" "$T/golden/warp-swapped.wcp"
	[ "$output" = "warpcap WARP stream, version 1.0, raw, big-endian" ]
}

@test "stream: a segment larger than any block comes back whole" {
	run -0 "$B/tests/stream" large
	[ -z "$output" ]
}

@test "stream: blocks nobody wants are asked for after their kernel and not decoded" {
	run -0 "$B/tests/stream" want
	[ -z "$output" ]
}

@test "stream: the index of a file spares reading what nobody wants" {
	run -0 "$B/tests/stream" index
	[ -z "$output" ]
}

@test "stream: each ACCESS column alone is what it is among all" {
	run -0 "$B/tests/stream" columns
	[ -z "$output" ]
}

@test "stream: a writer refuses what contradicts itself" {
	run -0 "$B/tests/stream" refusals
	[ -z "$output" ]
}

@test "stream: a name holds the old file or a whole new one" {
	run -0 "$B/tests/stream" names
	[ -z "$output" ]
}
