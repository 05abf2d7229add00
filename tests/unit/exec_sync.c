/* Barriers, locks and waiting: between lanes, warps and CTAs. Every test ends, or the wait is
 * reported. */
#include "exec_kit.h"

static uint32_t out[4096];
static char text[480];

static int
words(const char *ptx, uint32_t grid, uint32_t block)
{
	memset(out, 0, sizeof out);
	return kit_words(ptx, grid, block, out, text);
}

static void
expect_all(const char *name, int status, uint32_t n, uint32_t value)
{
	CHECK(status == 0, "%s: %d %s", name, status, text);
	for (uint32_t i = 0; status == 0 && i < n; i++)
		CHECK(out[i] == value, "%s: thread %u: got %u, want %u", name, i, out[i], value);
}

/* reverse through shared memory, the last warp not whole */
static void
reverse(void)
{
	static const char ptx[] = HEAD KERNEL(
	    "k") ".shared .align 4 .b8 s[4096];\nmov.u32 %r4, s;\nmov.u32 %r5, %tid.x;\n"
		 "shl.b32 %r6, %r5, 2;\nadd.u32 %r6, %r4, %r6;\nst.shared.u32 [%r6], %r1;\n"
		 "bar.sync 0;\nsub.u32 %r7, %r3, %r5;\nsub.u32 %r7, %r7, 1;\n"
		 "shl.b32 %r7, %r7, 2;\nadd.u32 %r7, %r4, %r7;\nld.shared.u32 %r8, [%r7];\n" PUT(
		     "%r8") END;
	int r = words(ptx, 2, 200);
	CHECK(r == 0, "%s", text);
	for (uint32_t i = 0; i < 400; i++)
		CHECK(out[i] == i / 200 * 200 + 199 - i % 200, "thread %u: %u", i, out[i]);
}

/* half of the warps produce and arrive, the others wait at a barrier with a count; twice */
static void
partial(void)
{
	static const char ptx[] = HEAD KERNEL(
	    "k") ".shared .align 4 .u32 s;\nmov.u32 %r4, %tid.x;\nsetp.ge.u32 %p1, %r4, 64;\n@%p1 "
		 "bra WAIT;\n"
		 "setp.eq.u32 %p2, %r4, 0;\n@%p2 st.shared.u32 [s], 41;\nbar.arrive 3, 128;\n" PUT(
		     "7") "bra OUT;\n"
			  "WAIT:\nbar.sync 3, 128;\nld.shared.u32 %r5, [s];\nadd.u32 %r5, %r5, "
			  "1;\n" PUT("%r5") "OUT:\n" END;
	int r = words(ptx, 1, 128);
	CHECK(r == 0, "%s", text);
	for (uint32_t i = 0; i < 128; i++)
		CHECK(out[i] == (i < 64 ? 7 : 42), "thread %u: %u", i, out[i]);
}

static void
reductions(void)
{
	static const char ptx[] = HEAD KERNEL(
	    "k") "and.b32 %r4, %r1, 1;\nsetp.eq.u32 %p1, %r4, 1;\n"
		 "bar.red.popc.u32 %r5, 0, %p1;\nbar.red.and.pred %p2, 0, %p1;\n"
		 "bar.red.or.pred %p3, 1, %p1;\nbarrier.sync 2;\nselp.u32 %r6, 1000, 0, %p2;\n"
		 "selp.u32 %r7, 10000, 0, %p3;\nadd.u32 %r5, %r5, %r6;\nadd.u32 %r5, %r5, "
		 "%r7;\n" PUT("%r5") END;
	expect_all("reductions", words(ptx, 1, 96), 96, 10048);
}

/* each arm of a divergent branch has its own bar.sync: threads arrive one path after the other */
static void
divergent(void)
{
	static const char ptx[] =
	    HEAD KERNEL("k") "and.b32 %r4, %r1, 1;\nsetp.eq.u32 %p1, %r4, 1;\n@%p1 bra A;\n"
			     "barrier.sync 0;\nbra OUT;\nA:\nbarrier.sync 0;\nOUT:\n" PUT("5") END;
	expect_all("divergent", words(ptx, 1, 64), 64, 5);
	/* half the lanes go past it: they end, and are then not waited for */
	static const char half[] =
	    HEAD KERNEL("k") "mov.u32 %r4, %tid.x;\nsetp.lt.u32 %p1, %r4, 16;\n@%p1 bra A;\n"
			     "barrier.sync 0;\nA:\n" PUT("6") END;
	expect_all("half", words(half, 1, 64), 64, 6);
}

static void
early_exit(void)
{
	static const char ptx[] = HEAD KERNEL("k") "mov.u32 %r4, %tid.x;\n" PUT(
	    "9") "setp.ge.u32 %p1, %r4, 40;\n@%p1 exit;\nbar.sync 0;\n" END;
	expect_all("early_exit", words(ptx, 1, 128), 128, 9);
}

static void
deadlock(void)
{
	static const char ptx[] =
	    HEAD KERNEL("k") "mov.u32 %r4, %tid.x;\nsetp.ge.u32 %p1, %r4, 32;\n@%p1 bra "
			     "A;\nbar.sync 1;\n" PUT("1") "ret;\nA:\nbar.sync 2;\n" END;
	int r = words(ptx, 1, 64);
	CHECK(r == WCP_ENO, "status %d", r);
	CHECK(strstr(text, "kernel 'k': CTA (0,0,0) thread (0,0,0): barrier deadlock: of 64 "
			   "threads left 32 wait at "
			   "barrier 1, 32 wait at barrier 2; PTX line 22"),
	    "%s", text);
}

/* a lock taken by every lane of every warp of every CTA; the counter is not atomic */
static void
locks(void)
{
	static const char ptx[] =
	    HEAD ".global .align 4 .u32 lock;\n.global .align 4 .u32 count;\n" KERNEL(
		"k") "mov.u64 %rd5, lock;\nmov.u64 %rd6, count;\n"
		     "SPIN:\natom.global.cas.b32 %r4, [%rd5], 0, 1;\nsetp.ne.u32 %p1, %r4, "
		     "0;\n@%p1 bra SPIN;\n"
		     "ld.volatile.global.u32 %r5, [%rd6];\nadd.u32 %r5, %r5, "
		     "1;\nst.volatile.global.u32 [%rd6], %r5;\n"
		     "membar.gl;\natom.global.exch.b32 %r6, [%rd5], 0;\n" PUT("%r5") END;
	int r = words(ptx, 3, 96);
	uint64_t seen[5] = {0};
	CHECK(r == 0, "%s", text);
	for (uint32_t i = 0; r == 0 && i < 288; i++)
		if (out[i] >= 1 && out[i] <= 288)
			seen[(out[i] - 1) / 64] |= 1ull << (out[i] - 1) % 64;
	for (uint32_t i = 0; i < 288; i++)
		CHECK(seen[i / 64] >> i % 64 & 1, "nobody was number %u", i + 1);
}

/* warp 1 waits for a flag of warp 0, which waits for one of warp 1 */
static void
ping_pong(void)
{
	static const char ptx[] = HEAD KERNEL(
	    "k") ".shared .align 4 .u32 ball;\nmov.u32 %r4, %tid.x;\nshr.u32 %r5, %r4, 5;\n"
		 "setp.eq.u32 %p1, %r4, 0;\n@%p1 st.shared.u32 [ball], 0;\nbar.sync 0;\nmov.u32 "
		 "%r6, 0;\n"
		 "LOOP:\nld.volatile.shared.u32 %r7, [ball];\nand.b32 %r8, %r7, 1;\nsetp.ne.u32 "
		 "%p2, %r8, %r5;\n"
		 "@%p2 bra LOOP;\nbar.warp.sync 0xffffffff;\nand.b32 %r9, %r4, 31;\nsetp.eq.u32 "
		 "%p3, %r9, 0;\n"
		 "add.u32 %r10, %r7, 1;\n@%p3 st.volatile.shared.u32 [ball], %r10;\nbar.warp.sync "
		 "0xffffffff;\n"
		 "add.u32 %r6, %r6, 1;\nsetp.lt.u32 %p4, %r6, 10;\n@%p4 bra LOOP;\nbar.sync 0;\n"
		 "ld.volatile.shared.u32 %r7, [ball];\n" PUT("%r7") END;
	expect_all("ping_pong", words(ptx, 1, 64), 64, 20);
}

/* a barrier of the whole grid, as cooperative launches have it: a counter and a volatile read;
 * three times */
static const char grid_sync[] =
    HEAD ".global .align 4 .u32 arrived;\n.global .align 4 .u32 sum[4];\n" KERNEL(
	"k") "mov.u64 %rd5, arrived;\nmov.u64 %rd6, sum;\nmov.u32 %r4, %tid.x;\nmov.u32 %r5, "
	     "%nctaid.x;\nmov.u32 %r10, 0;\n"
	     "mov.u32 %r12, 0;\n"
	     "ROUND:\nmul.wide.u32 %rd7, %r10, 4;\nadd.u64 %rd7, %rd6, %rd7;\nred.global.add.u32 "
	     "[%rd7], 1;\n"
	     "bar.sync 0;\nsetp.ne.u32 %p1, %r4, 0;\n@%p1 bra WAITED;\n"
	     "add.u32 %r10, %r10, 1;\nmul.lo.u32 %r6, %r10, %r5;\nsub.u32 %r10, %r10, 1;\n"
	     "atom.global.add.u32 %r7, [%rd5], 1;\n"
	     "SPIN:\nld.acquire.gpu.global.u32 %r8, [%rd5];\nsetp.lt.u32 %p2, %r8, %r6;\n@%p2 bra "
	     "SPIN;\n"
	     "WAITED:\nbar.sync 0;\nld.volatile.global.u32 %r9, [%rd7];\nadd.u32 %r12, %r12, %r9;\n"
	     "add.u32 %r10, %r10, 1;\nsetp.lt.u32 %p3, %r10, 3;\n@%p3 bra ROUND;\n" PUT("%r12") END;

static void
whole_grid(void)
{
	struct kit k;
	expect_all("grid_sync", words(grid_sync, 20, 64), 1280, 3840);
	for (unsigned threads = 1; threads <= 4; threads += 3) {
		kit_open(&k, grid_sync,
		    (struct wcp_device_options){.threads = threads, .relaxed = true});
		uint64_t a = kit_buffer(&k, 1280 * 4, "out");
		CHECK(kit_launch(&k, "k", 20, 64, 0, &a, 1) == 0, "%s", k.error.text);
		CHECK(k.kernel.flags & WCP_KERNEL_SPINS && k.kernel.flags & WCP_KERNEL_ORDERED,
		    "flags %x", k.kernel.flags);
		uint32_t spins = 0;
		for (uint32_t i = 0; i < k.all.n_event; i++)
			spins += k.all.event_kind[i] == WCP_EVENT_SPIN;
		CHECK(spins > 0, "no warp waited");
		kit_close(&k);
	}
}

/* nobody will ever write the flag */
static void
for_ever(void)
{
	static const char waits[] = HEAD ".global .align 4 .u32 flag;\n" KERNEL(
	    "k") "SPIN:\nld.volatile.global.u32 %r4, [flag];\n"
		 "setp.eq.u32 %p1, %r4, 0;\n@%p1 bra SPIN;\n" PUT("1") END;
	int r = words(waits, 2, 64);
	CHECK(r == WCP_ENO && strstr(text, "wait for memory that nobody writes"), "%d %s", r, text);
	static const char runs[] = HEAD KERNEL(
	    "k") "LOOP:\nadd.u32 %r4, %r4, 1;\nst.global.u32 [%rd2], %r4;\nbra LOOP;\n}\n";
	r = words(runs, 1, 32);
	CHECK(r == WCP_ENO && !strcmp(text, "kernel 'k': more than 16777216 thread instructions"),
	    "%d %s", r, text);
}

/* The last CTA sets a flag that the others read plainly, a fence in every round. */
static void
plain_flag(void)
{
	static const char ptx[] = HEAD ".global .u32 flag;\n" KERNEL(
	    "k") "mov.u32 %r4, %nctaid.x;\nsub.u32 %r4, %r4, 1;\nsetp.eq.u32 %p1, %r2, %r4;\n"
		 "@%p1 st.global.u32 [flag], 7;\n"
		 "LOOP:\nmembar.gl;\nld.global.u32 %r5, [flag];\nsetp.ne.u32 %p2, %r5, 7;\n"
		 "@%p2 bra LOOP;\n" PUT("%r5") END;
	expect_all("plain_flag", words(ptx, 6, 40), 240, 7);
}

/* A CTA waits for the next one, with a barrier in each round of the loop, whose end only a branch
 * that depends on what was read decides. */
static void
wait_with_barrier(void)
{
	static const char ptx[] = HEAD ".global .align 4 .u32 turn;\n" KERNEL(
	    "k") "mov.u32 %r4, %nctaid.x;\nsub.u32 %r5, %r4, %r2;\nsub.u32 %r5, %r5, 1;\n"
		 "mov.u32 %r7, 0;\n"
		 "LOOP:\nld.volatile.global.u32 %r6, [turn];\nsetp.lt.u32 %p1, %r6, %r5;\n"
		 "@%p1 bra LATER;\nmov.u32 %r7, 1;\nLATER:\nbar.sync 0;\n"
		 "setp.eq.u32 %p2, %r7, 0;\n@%p2 bra LOOP;\nmov.u32 %r8, %tid.x;\n"
		 "setp.eq.u32 %p3, %r8, 0;\nadd.u32 %r5, %r5, 1;\n"
		 "@%p3 st.volatile.global.u32 [turn], %r5;\n" PUT("%r7") END;
	expect_all("wait_with_barrier", words(ptx, 12, 96), 12 * 96, 1);
}

/* A CTA waits for the next one, and in each round stores what it saw where only it looks: into
 * shared memory, into a byte of it, and into local memory, as unoptimised code does. */
static void
wait_with_stores(void)
{
	static const char ptx[] = HEAD ".global .align 4 .u32 turn;\n" KERNEL(
	    "k") ".shared .align 4 .u32 seen[64];\n.shared .align 4 .u8 byte[64];\n"
		 ".local .align 8 .u32 own[2];\n"
		 "mov.u32 %r4, %nctaid.x;\nsub.u32 %r5, %r4, %r2;\nsub.u32 %r5, %r5, 1;\n"
		 "mov.u32 %r8, %tid.x;\nmov.u32 %r9, byte;\nadd.u32 %r9, %r9, %r8;\n"
		 "shl.b32 %r10, %r8, 2;\nmov.u32 %r11, seen;\nadd.u32 %r10, %r11, %r10;\n"
		 "LOOP:\nld.volatile.global.u32 %r6, [turn];\nst.shared.u32 [%r10], %r6;\n"
		 "st.shared.u8 [%r9], %r6;\nst.local.v2.u32 [own], {%r6, %r5};\n"
		 "ld.local.u32 %r7, [own];\nsetp.lt.u32 %p1, %r7, %r5;\n@%p1 bra LOOP;\n"
		 "bar.sync 0;\nsetp.eq.u32 %p3, %r8, 0;\nadd.u32 %r5, %r5, 1;\n"
		 "@%p3 st.volatile.global.u32 [turn], %r5;\n" PUT("1") END;
	expect_all("wait_with_stores", words(ptx, 12, 64), 12 * 64, 1);
}

/* A CTA waits for the next one in a loop that looks at the flag in an inner loop, often, and notes
 * in an arm of a branch what it saw. */
static void
wait_in_loops(void)
{
	static const char ptx[] = HEAD ".global .align 4 .u32 turn;\n" KERNEL(
	    "k") "mov.u32 %r4, %nctaid.x;\nsub.u32 %r5, %r4, %r2;\nsub.u32 %r5, %r5, 1;\n"
		 "OUTER:\nmov.u32 %r7, 0;\nmov.u32 %r8, 0;\n"
		 "INNER:\nld.volatile.global.u32 %r6, [turn];\nsetp.lt.u32 %p1, %r6, %r5;\n"
		 "@%p1 bra NEXT;\nmov.u32 %r7, 1;\nNEXT:\nadd.u32 %r8, %r8, 1;\n"
		 "setp.lt.u32 %p2, %r8, 200;\n@%p2 bra INNER;\nsetp.eq.u32 %p3, %r7, 0;\n"
		 "@%p3 bra OUTER;\nadd.u32 %r5, %r5, 1;\nst.volatile.global.u32 [turn], %r5;\n" PUT(
		     "1") END;
	expect_all("wait_in_loops", words(ptx, 3, 32), 96, 1);
}

/* A CTA waits for the next one in a loop that looks by way of a function, which keeps what it sees
 * in local memory, as unoptimised code does. */
static void
wait_in_calls(void)
{
	static const char ptx[] = HEAD
	    ".global .align 4 .u32 turn;\n"
	    ".func (.param .b32 seen) look(.param .b64 at)\n{\n.local .align 8 .b8 own[8];\n"
	    ".reg .b32 %r<9>;\n.reg .b64 %rd<9>;\nld.param.u64 %rd1, [at];\n"
	    "ld.volatile.u32 %r1, [%rd1];\nst.local.u32 [own], %r1;\nld.local.u32 %r2, [own];\n"
	    "st.param.b32 [seen], %r2;\nret;\n}\n" KERNEL(
		"k") "mov.u32 %r4, %nctaid.x;\nsub.u32 %r5, %r4, %r2;\nsub.u32 %r5, %r5, 1;\n"
		     "mov.u64 %rd5, turn;\ncvta.global.u64 %rd6, %rd5;\n"
		     "LOOP:\n{\n.param .b64 a;\n.param .b32 b;\nst.param.b64 [a], %rd6;\n"
		     "call.uni (b), look, (a);\nld.param.b32 %r7, [b];\n}\n"
		     "setp.lt.u32 %p1, %r7, %r5;\n@%p1 bra LOOP;\nadd.u32 %r5, %r5, 1;\n"
		     "st.volatile.global.u32 [%rd5], %r5;\n" PUT("1") END;
	struct kit k;
	kit_open(&k, ptx, (struct wcp_device_options){.max_warp_insns = 10000000});
	const uint64_t a = kit_buffer(&k, 4 * 96, "out");
	CHECK(kit_launch(&k, "k", 3, 32, 0, &a, 1) == 0, "%s", k.error.text);
	kit_close(&k);
}

/* The limit counts all CTAs of a launch that runs them in order, not each alone. */
static void
limit(void)
{
	static const char ptx[] =
	    HEAD KERNEL("k") "atom.global.add.u32 %r4, [%rd1], 1;\n" PUT("%r4") END;
	struct kit k;
	kit_open(&k, ptx, (struct wcp_device_options){.max_insns = 100000});
	const uint64_t a = kit_buffer(&k, 4 * 32 * 10000, "out");
	CHECK(kit_launch(&k, "k", 10000, 32, 0, &a, 1) == WCP_ENO, "no limit");
	CHECK(k.end.thread_insns > 100000 && k.end.thread_insns < 101000,
	    "%" PRIu64 " instructions", k.end.thread_insns);
	kit_close(&k);
}

/* So it does where all wait, and count; a warp of the oldest CTA soon comes to its own limit. */
static void
limits_of_waiting(void)
{
	static const char ptx[] =
	    HEAD KERNEL("k") "LOOP:\nadd.u32 %r5, %r5, 1;\nld.volatile.global.u32 %r4, [%rd1];\n"
			     "setp.eq.u32 %p1, %r4, 0;\n@%p1 bra LOOP;\n" PUT("%r5") END;
	const struct wcp_device_options options[2] = {
	    {.max_insns = 8000000}, {.max_warp_insns = 400000}};
	for (unsigned i = 0; i < 2; i++) {
		struct kit k;
		struct wcp_device_counts n;
		kit_open(&k, ptx, options[i]);
		const uint64_t a = kit_buffer(&k, 4 * 32 * 4000, "out");
		const void *arg = &a;
		const struct wcp_launch l = {.module = k.module,
		    .kernel = "k",
		    .grid = {4000, 1, 1},
		    .block = {32, 1, 1},
		    .arg = &arg,
		    .n_arg = 1};
		CHECK(wcp_device_launch(k.device, &l, &k.error) == WCP_ENO, "no limit");
		CHECK(strstr(k.error.text, "more than"), "%s", k.error.text);
		wcp_device_counts(k.device, &n);
		CHECK(n.warp_insns < (i ? 100000000 : 400000), "%" PRIu64 " instructions",
		    n.warp_insns);
		kit_close(&k);
	}
}

/* A warp's own limit lets launches of many short warps through. */
static void
warp_limit(void)
{
	static const char ptx[] = HEAD KERNEL(
	    "k") "setp.ne.u32 %p1, %r2, 70;\n@%p1 bra OUT;\nEVER: add.u32 %r4, %r4, 1;\nbra "
		 "EVER;\nOUT:\n" PUT("%r3") END;
	struct kit k;
	kit_open(&k, ptx, (struct wcp_device_options){.max_warp_insns = 1000});
	const uint64_t a = kit_buffer(&k, 4 * 32 * 100, "out");
	CHECK(kit_launch(&k, "k", 70, 32, 0, &a, 1) == 0, "%s", k.error.text);
	CHECK(kit_launch(&k, "k", 100, 32, 0, &a, 1) == WCP_ENO, "no limit");
	CHECK(strstr(k.error.text, "more than 1000 instructions of one warp"), "%s", k.error.text);
	kit_close(&k);
}

int
main(void)
{
	warp_limit();
	reverse();
	partial();
	reductions();
	divergent();
	early_exit();
	deadlock();
	locks();
	ping_pong();
	whole_grid();
	plain_flag();
	wait_with_barrier();
	wait_with_stores();
	wait_in_loops();
	wait_in_calls();
	for_ever();
	limit();
	limits_of_waiting();
	printf(kit_failures ? "%d failures\n" : "ok\n", kit_failures);
	return kit_failures != 0;
}
