# Kernels at once, in order, and launched by others: cycles by hand.
load helper

setup() { cd "$BATS_TEST_TMPDIR"; }

value() { awk -F'\t' -v n="$1" '$1 == n { print $2; exit }'; }

# kernel NAME STREAM...: one warp of 20 dependent additions
kernel() {
	echo "kernel $1 grid=1,1,1 block=32 regs=8 stream=$2 ${3:-}"
	printf 'seg cta=0 warp=0 cta_begin cta_end warp_begin warp_end\nrun 0 20\n'
	[ -z "${4:-}" ] || echo "$4"
	echo end_kernel
}

stream() { # lines of commands on standard input: writes s.wcp
	{
		echo link warp
		for name in a b c d; do
			echo "program $name"
			for i in {1..20}; do echo "insn add.s32 dst=1 src=1"; done
			echo "insn exit class=exit"
		done
		cat
	} | "$B/tests/mkstream" -o s.wcp
}

play() { warpsched --tsv --set sm.fetch=0 "$@" s.wcp; }

# begin KERNEL: its cycle, from a report on standard input
begin() { awk -F'\t' -v k="$1" '/^#table kernels/ { on = 1 } on && $1 == k { print $5; exit }'; }

# An addition is issued in cycle t, waits in t + 1 for a collector, reads in t + 2, leaves it in t + 3, enters the unit
# in t + 4; its result is there latency + 2 cycles later, before the next one is issued: 4 + latency + 2 = 10 cycles.
@test "warpsched: a chain of dependent additions takes 10 cycles each" {
	kernel a 1 | stream
	[ "$(play | value cycles)" = 201 ]
	[ "$(play --set "latency.int_opcodes=add*=9/1@sp" | value cycles)" = 301 ]
}

@test "warpsched: kernels of two streams run at once; of one stream, the default one, or behind a wait, one after the other" {
	{ kernel a 1 && kernel b 2; } | stream
	[ "$(play | value cycles)" = 201 ]
	[ "$(play | begin 1)" = 0 ]
	[ "$(play --set sm.kernels=1 | value cycles)" = 402 ]
	{ kernel a 1 && kernel b 1; } | stream
	[ "$(play | value cycles)" = 402 ]
	{ kernel a 0 && kernel b 1; } | stream
	[ "$(play | value cycles)" = 402 ]
	{ kernel a 1 && kernel b 0; } | stream
	[ "$(play | value cycles)" = 402 ]
	{ kernel a 1 && echo "host sync value=1" && kernel b 2; } | stream
	[ "$(play | value cycles)" = 402 ]
	{ kernel a 1 && echo "host sync value=3" && kernel b 2; } | stream
	[ "$(play | value cycles)" = 201 ]
	{ kernel a 1 && echo "host event address=7 value=1" && echo "host wait address=7 value=2" && kernel b 2; } | stream
	[ "$(play | value cycles)" = 402 ]
	[ "$(play --set sm.queues=8 | value cycles)" = 402 ]
}

@test "warpsched: behind a command that waits nothing starts from one queue, what need not wait starts from several" {
	{ kernel a 1 && kernel b 1 && kernel c 2; } | stream
	[ "$(play | value cycles)" = 402 ]
	play | begin 2 >one
	play --set sm.queues=4 | begin 2 >four
	[ "$(cat one)" -gt 200 ]
	[ "$(cat four)" = 0 ]
}

@test "warpsched: a kernel that another one launches begins after the launch, and the parent's stream waits for it" {
	# the parent's 5th addition launches kernel 1: it is issued in cycle 40
	{ kernel a 0 "" "event launch at=4 arg=1 lane=0" && kernel b 0 "parent=0 depth=1" && kernel c 0; } | stream
	play >r
	[ "$(value kernels <r)" = 3 ]
	[ "$(begin 1 <r)" -gt 40 ]
	[ "$(begin 1 <r)" -le 45 ]
	[ "$(begin 2 <r)" -ge "$(($(begin 1 <r) + 201))" ]
	# a launch that the stream does not tell
	{ kernel a 0 && kernel b 0 "parent=0 depth=1" && kernel c 0; } | stream
	run -0 play
	[ "$(value kernels <<<"$output")" = 3 ]
}

@test "warpsched: launches to be forgotten run side by side, a tail launch after its parent and all that came of it" {
	launches=$'event launch at=4 arg=1 lane=0\nevent launch at=4 arg=2 lane=0'
	for s in 0 4; do
		{ kernel a 0 "" "$launches" && kernel b $s "parent=0 depth=1" && kernel c $s "parent=0 depth=1"; } | stream
		play | begin 2 >"$s"
	done
	[ "$(cat 0)" -ge 241 ] # each takes 201 cycles
	[ "$(cat 4)" -le 50 ]
	{ kernel a 0 "" "$launches" && kernel b 3 "parent=0 depth=1" && kernel c 0 "parent=0 depth=1" "event launch at=4 arg=3 lane=0" &&
		kernel d 4 "parent=2 depth=2"; } | stream
	play >r
	[ "$(begin 1 <r)" -ge "$(($(begin 3 <r) + 201))" ]
	[ "$(begin 3 <r)" -gt "$(begin 2 <r)" ]
}

@test "warpsched: trees of launches retire every kernel's instructions once, children after their parents" {
	(cd "$T/child" && warpcap -q --ptx fallback.ptx --launch fallback.launch -o "$BATS_TEST_TMPDIR/s.wcp")
	warpsched --tsv s.wcp >r
	[ "$(value warp_instructions <r)" = "$(warpinfo --tsv s.wcp | value warp_instructions)" ]
	[ "$(value kernels <r)" = "$(warpinfo --tsv s.wcp | value kernels)" ]
	awk -F'\t' '/^#table kernels/ { on = 1; next } on && NF > 3 && $1 != "kernel" {
		begin[$1] = $5; if ($3 != "") parent[$1] = $3; if ($1 in seen) exit 1; seen[$1] = 1; n += $8 }
		END { for (k in parent) if (begin[k] <= begin[parent[k]]) exit 1 }' r
}

# described NAME [PARENT [STREAM]]: a kernel of one warp; body KERNEL [EVENT...]: what it executes
described() { echo "kernel $1 grid=1,1,1 block=32 regs=8 stream=${3:-0} ${2:+parent=$2 depth=1}"; }
body() {
	echo "seg kernel=$1 cta=0 warp=0 cta_begin cta_end warp_begin warp_end"
	echo "run 0 20"
	[ $# = 1 ] || printf 'event %s\n' "${@:2}"
	echo "end_kernel $1"
}

# The parent's additions are issued in cycles 0, 10 ... 190. The 5th launches, which is seen at the end of its window of
# 4 cycles: the child runs from 44 to 245. The 10th, issued in 90, waits: from 248, the next window, 10 are left.
@test "warpsched: a warp that waits for what its CTA launched goes on in the window after its end" {
	{ described a && described b 0 && body 1 && body 0 "launch at=4 arg=1" "wait at=9"; } | stream
	play >r
	[ "$(begin 1 <r)" = 44 ]
	[ "$(value cycles <r)" = $((248 + 9 * 10 + 1 + 10)) ]
	[ "$(value warp_instructions <r)" = 40 ]
	# a child of the child, launched by its 20th addition, is waited for: 44 + 190 = 234, from 236 to 437
	{ described a && described b 0 && described c 1 && body 2 && body 1 "launch at=19 arg=2" &&
		body 0 "launch at=4 arg=1" "wait at=9"; } | stream
	[ "$(play | value cycles)" = $((440 + 101)) ]
	# what was launched later is not, nor a tail launch; without any a wait is none
	{ described a && described b 0 && body 1 && body 0 "wait at=9" "launch at=9 arg=1"; } | stream
	[ "$(play | begin 1)" = 92 ]
	{ described a && described b 0 && body 1 && body 0 "wait at=4" "launch at=9 arg=1"; } | stream
	play | awk -F'\t' '$2 == "a" { exit $6 != 201 }'
	{ described a && described b 0 3 && body 1 && body 0 "launch at=4 arg=1" "wait at=9"; } | stream
	play >r
	[ "$(begin 1 <r)" -ge 201 ]
	awk -F'\t' '$2 == "a" { exit $6 != 201 }' r
	# a wait that is the last thing a warp does
	{ described a && described b 0 && body 1 && body 0 "launch at=4 arg=1" "wait at=19"; } | stream
	play | awk -F'\t' '$2 == "a" { exit $6 != 249 }'
}

# The 10th addition's result is there in 100, and the parent is saved from 104, the next window, on. Its child then has its
# place: 104 + 201 = 305.
@test "warpsched: a CTA all of whose warps wait is saved, so that what it waits for finds room" {
	{ described a && described b 0 && body 1 && body 0 "launch at=4 arg=1" "wait at=9"; } | stream
	for small in sm.ctas=1 sm.warps=1 sm.threads=32 sm.registers=256; do
		play --set sm.sms=1 --set "$small" --set sm.kernels=1 >r
		[ "$(begin 1 <r)" = 104 ]
		[ "$(value cycles <r)" = $((308 + 101)) ]
	done
	# both warps of a CTA: one waits, the other at the barrier for it
	{
		printf 'link warp\nprogram p\ninsn bar.sync bar=0\n'
		for i in {1..20}; do echo 'insn op.f32 class=fadd dst=1 src=1'; done
		printf 'kernel p block=64\nkernel p block=64 parent=0\n'
		printf 'seg cta=0 warp=%d %s\nrun 1 20\n' 0 'cta_begin warp_begin warp_end' 1 'cta_end warp_begin warp_end'
		echo end_kernel 1
		printf 'seg kernel=0 cta=0 warp=0 cta_begin warp_begin warp_end\n'
		echo run 1 1
		printf 'event %s\n' 'launch at=0 arg=1' 'wait at=0'
		printf 'run 0 2\nseg kernel=0 cta=0 warp=1 cta_end warp_begin warp_end\nrun 0 2\nend_kernel 0\n'
	} | "$B/tests/mkstream" -o s.wcp
	for o in sm.ctas=8 sm.ctas=1; do
		run -0 play --set sm.sms=1 --set $o
		[ "$(value warp_instructions <<<"$output")" = 45 ]
		[ "$(value kernels <<<"$output")" = 2 ]
	done
}

@test "warpsched: parents that synchronize, seven deep, retire all on one SM with one place, under any policy" {
	(cd "$T/child" && warpcap -q --ptx sync-v1.ptx --launch sync-v1.launch -o "$BATS_TEST_TMPDIR/s.wcp")
	[ "$(warpdump s.wcp | grep -c ' wait$')" = 131 ]
	all=$(warpinfo --tsv s.wcp | value warp_instructions)
	warpsched --tsv --set sm.sms=1 --set sm.ctas=1 --set sm.kernels=1 -p gto,ciao-c,swl:n=1 s.wcp >r
	[ "$(grep -c "^warp_instructions	$all	" r)" = 3 ]
	# every warp that came has gone, on the SM it was on
	warpsched -q -o t.wcp s.wcp
	warpdump t.wcp | awk '/warp_begin/ { n++ } /warp_end/ { n-- } n < 0 { exit 1 } END { exit n != 0 }'
}

@test "warpsched: launches of kernels that there are not, of one twice, of itself, and circles of parents do no harm" {
	for arg in 1 4294967295 4294967296 4000000000 0; do
		{ described a && body 0 "launch at=4 arg=$arg" "wait at=9"; } | stream
		[ "$(play | value cycles)" = 201 ]
	done
	{ described a && described b 0 && body 1 && body 0 "launch at=4 arg=1" "launch at=4 arg=1" "wait at=9"; } | stream
	[ "$(play | value cycles)" = 349 ]
	# each is the other's child: one begins when nothing runs
	{ described a 1 && described b 0 && body 1 "launch at=4 arg=0" "wait at=9" && body 0 "launch at=4 arg=1" "wait at=9"; } | stream
	run -0 timeout 20 warpsched --tsv --set sm.fetch=0 s.wcp
	[ "$(value kernels <<<"$output")" = 2 ]
	# a child that is its own parent
	{ described a && described b 1 && described c 0 && body 2 && body 1 "launch at=4 arg=1" && body 0 "launch at=4 arg=1" "launch at=4 arg=2"; } | stream
	run -0 timeout 20 warpsched --tsv --set sm.fetch=0 s.wcp
	[ "$(value kernels <<<"$output")" = 3 ]
}

@test "warpsched: a policy that lets nothing issue is a deadlock, and which warps wait for what is said" {
	cat >never.c <<'END2'
#include "warpcap/policy.h"
static unsigned
pick(void *state, struct wcp_policy_sm *sm, unsigned scheduler, uint64_t ready)
{
	(void)state, (void)scheduler, (void)ready;
	return sm->issued < 7 ? (unsigned)__builtin_ctzll(ready) : WCP_NO_SLOT;
}
const struct wcp_policy warpcap_policy = {
    .version = WCP_POLICY_VERSION, .name = "never", .summary = "none", .source = "none", .pick = pick};
END2
	cc -shared -fPIC -I"$ROOT/libtrace/include" -o never.so never.c
	{ kernel a 1 && kernel b 2; } | stream
	run -1 --separate-stderr play -p gto,./never.so
	[[ $stderr == *"deadlock in kernel 0 at cycle"*"under policy never"*"SM 0 slot 0 is not chosen by the policy"* ]]
	[[ $output == *"	gto	201	"* ]]
}

@test "warpsched: a CTA gives back what it holds when it ends, warps that have ended before included" {
	{
		printf 'link warp\nprogram p\ninsn op.f32 class=fadd dst=1 src=1\ninsn exit\nkernel p grid=3,1,1 block=128,1,1\n'
		for cta in 0 1 2; do
			for warp in 0 1 2 3; do
				printf 'seg cta=%d warp=%d warp_begin warp_end%s%s\n' "$cta" "$warp" \
				    "$([ $warp = 0 ] && echo ' cta_begin')" "$([ $warp = 3 ] && echo ' cta_end')"
				[ $warp = 0 ] && for i in $(seq 20); do echo 'run 0 1'; done
				echo 'run 1 1'
			done
		done
		echo end_kernel
	} | "$B/tests/mkstream" -o s.wcp
	warpsched -q --set sm.sms=1 --set sm.warps=8 -o t.wcp s.wcp
	warpdump t.wcp | awk '/cta_begin/ { begin[$0 ~ /cta 2/] = $1 } /cta_end/ && !end { end = $1 } END { exit !(end && begin[1] >= end) }'
}
