/*
 * What is wider than a lane's word or waits in memory: atomics of 128 bits and of vectors, copies
 * beside the thread, barriers in shared memory, clusters of one CTA; numbers of eight bits; misuse
 * of barriers that is only looked for when asked.
 */
#include <math.h>
#include "exec_kit.h"

#define WIDE_HEAD ".version 8.4\n.target sm_90\n.address_size 64\n"

static uint32_t out[8192];
static char text[480];

static int
words(const char *ptx, uint32_t grid, uint32_t block)
{
	memset(out, 0, sizeof out);
	return kit_words(ptx, grid, block, out, text);
}

/* Every thread adds 1 to a 128-bit counter by compare and swap, then they exchange. */
static void
wide_atomics(void)
{
	static const char ptx[] = WIDE_HEAD ".global .align 16 .b8 n[16];\n" KERNEL(
	    "k") ".reg .b128 %q<5>;\nmov.u64 %rd5, n;\nld.global.b128 %q1, [%rd5];\n"
		 "AGAIN:\nmov.b128 {%rd6, %rd7}, %q1;\nadd.cc.u64 %rd8, %rd6, -1;\naddc.u64 %rd9, "
		 "%rd7, "
		 "7;\nmov.b128 %q2, {%rd8, %rd9};\natom.global.cas.b128 %q3, [%rd5], %q1, %q2;\n"
		 "mov.b128 {%rd10, %rd11}, %q3;\nsetp.ne.u64 %p1, %rd10, %rd6;\nsetp.ne.u64 %p2, "
		 "%rd11, "
		 "%rd7;\nor.pred %p1, %p1, %p2;\nmov.b128 %q1, %q3;\n@%p1 bra AGAIN;\n"
		 "cvt.u32.u64 %r4, %rd10;\n" PUT("%r4") END;
	const int r = words(ptx, 2, 96);
	CHECK(r == 0, "%s", text);
	/* low half counts down from 0: each old value once */
	bool seen[192] = {false};
	for (unsigned i = 0; i < 192; i++) {
		const uint32_t k = 0u - out[i];
		CHECK(k < 192 && !seen[k], "thread %u: %x", i, out[i]);
		seen[k % 192] = true;
	}
	static const char exchange[] = WIDE_HEAD ".global .align 16 .b8 n[16];\n" KERNEL(
	    "k") ".reg .b128 %q<5>;\nmov.u64 %rd5, n;\ncvt.u64.u32 %rd6, %r1;\nmov.b128 %q1, "
		 "{%rd6, "
		 "%rd6};\natom.global.exch.b128 %q2, [%rd5], %q1;\nmov.b128 {%rd7, %rd8}, "
		 "%q2;\nadd.u64 %rd7, %rd7, %rd8;\ncvt.u32.u64 %r4, %rd7;\n" PUT("%r4") END;
	CHECK(words(exchange, 1, 64) == 0, "%s", text);
	for (unsigned i = 0; i < 64; i++)
		CHECK(out[i] == (i ? 2 * (i - 1) : 0), "exchange %u: %u", i, out[i]);
}

static void
vector_atomics(void)
{
	static const char ptx[] =
	    WIDE_HEAD ".global .align 16 .f32 v[4];\n.global .align 8 .b8 h[8];\n" KERNEL(
		"k") "mov.u64 %rd5, v;\nmov.f32 %f1, 0f3f800000;\nmov.f32 %f2, 0f40000000;\n"
		     "atom.global.v4.f32.add {%f4, %f5, %f6, _}, [%rd5], {%f1, %f2, %f1, %f2};\n"
		     "mov.u64 %rd6, h;\nmov.b32 %r5, 0x3c004000;\nred.global.v2.f16x2.add.noftz "
		     "[%rd6], "
		     "{%r5, %r5};\ncvt.rzi.u32.f32 %r6, %f5;\n" PUT(
			 "%r6") "bar.sync 0;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra "
				"OUT;\nld.global.u32 %r7, [%rd6];\n"
				"ld.global.u32 %r8, [%rd6+4];\nsetp.eq.u32 %p2, %r7, "
				"%r8;\nselp.u32 %r9, %r7, 0, "
				"%p2;\nld.global.f32 %f7, [%rd5+12];\ncvt.rzi.u32.f32 %r10, "
				"%f7;\nadd.u32 %r9, %r9, "
				"%r10;\n" PUT("%r9") "OUT:\n" END;
	CHECK(words(ptx, 1, 32) == 0, "%s", text);
	for (unsigned i = 1; i < 32; i++)
		CHECK(out[i] == 2 * i, "vector %u: %u", i, out[i]);
	/* 32 and 64 as halves, and 64 */
	CHECK(out[0] == 0x50005400 + 64, "vector 0: %x", out[0]);
}

/* Each thread copies 16 bytes, of which the last threads read less or none. */
static void
copies(void)
{
	static const char ptx[] = WIDE_HEAD KERNEL(
	    "k") ".shared .align 16 .b8 s[1024];\ncreatepolicy.fractional.L2::evict_last.b64 %rd9, "
		 "1.0;\nst.global.L2::cache_hint.u32 [%rd2], %r1, %rd9;\nbar.sync 0;\n"
		 "mov.u32 %r4, s;\nand.b32 %r5, %r1, 15;\nshl.b32 %r6, %r5, 4;\nadd.u32 %r7, %r4, "
		 "%r6;\n"
		 "cvt.u64.u32 %rd5, %r6;\nadd.u64 %rd6, %rd1, %rd5;\nsetp.gt.u32 %p1, %r5, 13;\n"
		 "selp.u32 %r8, 4, 16, %p1;\nsetp.eq.u32 %p2, %r5, 15;\nselp.u32 %r8, 0, %r8, "
		 "%p2;\n"
		 "selp.u64 %rd6, 0, %rd6, %p2;\ncp.async.cg.shared.global [%r7+256], [%rd6], 16, "
		 "%r8;\n"
		 "cp.async.ca.shared.global [%r7], [%rd1], 8;\ncp.async.commit_group;\n"
		 "cp.async.wait_group 0;\nbar.sync 0;\nshl.b32 %r9, %r1, 2;\nadd.u32 %r10, %r4, "
		 "%r9;\n"
		 "ld.shared.u32 %r11, [%r10+256];\n" PUT("%r11") END;
	CHECK(words(ptx, 1, 64) == 0, "%s", text);
	for (unsigned i = 0; i < 64; i++)
		CHECK(
		    out[i] == (i >= 60 || (i >= 56 && i != 56) ? 0 : i), "copy %u: %u", i, out[i]);
}

/* A predicate says which copies read nothing; the counters that nobody set up read 0. */
static void
ignored_copies(void)
{
	static const char ptx[] = WIDE_HEAD KERNEL(
	    "k") ".shared .align 16 .b8 s[1024];\nst.global.u32 [%rd2], 77;\nbar.sync 0;\n"
		 "mov.u32 %r4, s;\nshl.b32 %r6, %r1, 2;\nadd.u32 %r7, %r4, %r6;\n"
		 "st.shared.u32 [%r7], 5;\nst.shared.u32 [%r7+512], 5;\nand.b32 %r5, %r1, 1;\n"
		 "setp.eq.u32 %p1, %r5, 1;\ncp.async.ca.shared.global [%r7], [%rd2], 4, %p1;\n"
		 "cp.async.ca.shared.global [%r7+512], [%rd2], 4, !%p1;\ncp.async.wait_all;\n"
		 "ld.shared.u32 %r8, [%r7];\nld.shared.u32 %r9, [%r7+512];\n"
		 "shl.b32 %r9, %r9, 8;\nor.b32 %r8, %r8, %r9;\nmov.u32 %r9, %pm3;\n"
		 "add.u32 %r8, %r8, %r9;\nmov.u64 %rd5, %pm5_64;\ncvt.u32.u64 %r9, %rd5;\n"
		 "add.u32 %r8, %r8, %r9;\n" PUT("%r8") END;
	CHECK(words(ptx, 1, 64) == 0, "%s", text);
	for (unsigned i = 0; i < 64; i++)
		CHECK(out[i] == (i & 1 ? 77u << 8 : 77), "ignored %u: %x", i, out[i]);
}

/* Warps pass a token round by round; every phase must complete before the next begins. */
static void
memory_barriers(void)
{
	static const char ptx[] = WIDE_HEAD KERNEL(
	    "k") ".shared .align 8 .b64 b;\n.shared .align 4 .u32 n;\nmov.u32 %r4, %tid.x;\n"
		 "setp.ne.u32 %p1, %r4, 0;\n@%p1 bra READY;\nmbarrier.init.shared.b64 [b], %r3;\n"
		 "st.shared.u32 [n], 0;\nREADY:\nbar.sync 0;\nmov.u32 %r5, 0;\nROUND:\n"
		 "red.shared.add.u32 [n], 1;\nmbarrier.arrive.shared.b64 %rd5, [b];\n"
		 "WAIT:\nmbarrier.test_wait.shared.b64 %p2, [b], %rd5;\n@!%p2 bra WAIT;\n"
		 "ld.shared.u32 %r6, [n];\nadd.u32 %r5, %r5, 1;\nmul.lo.u32 %r7, %r5, %r3;\n"
		 "setp.ne.u32 %p3, %r6, %r7;\n@%p3 trap;\nmbarrier.arrive.shared::cta.b64 _, [b];\n"
		 "PARITY:\nmbarrier.try_wait.parity.shared.b64 %p2, [b], 1;\n@!%p2 bra PARITY;\n"
		 "setp.lt.u32 %p3, %r5, 10;\n@%p3 bra ROUND;\n"
		 "mbarrier.pending_count.b64 %r8, %rd5;\n" PUT("%r6") END;
	CHECK(words(ptx, 2, 96) == 0, "%s", text);
	for (unsigned i = 0; i < 192; i++)
		CHECK(out[i] == 960, "mbarrier %u: %u", i, out[i]);
	/* bytes that are expected hold the phase back */
	static const char bytes[] = WIDE_HEAD KERNEL(
	    "k") ".shared .align 8 .b64 b;\nmbarrier.init.shared.b64 [b], 1;\n"
		 "mbarrier.arrive.expect_tx.shared.b64 %rd5, [b], 128;\n"
		 "mbarrier.test_wait.shared.b64 %p1, [b], %rd5;\n"
		 "mbarrier.complete_tx.shared.b64 [b], 64;\n"
		 "mbarrier.test_wait.shared.b64 %p2, [b], %rd5;\n"
		 "mbarrier.complete_tx.shared.b64 [b], 64;\n"
		 "mbarrier.test_wait.shared.b64 %p3, [b], %rd5;\nselp.u32 %r4, 1, 0, %p1;\n"
		 "selp.u32 %r5, 2, 0, %p2;\nselp.u32 %r6, 4, 0, %p3;\nadd.u32 %r4, %r4, %r5;\n"
		 "add.u32 %r4, %r4, %r6;\n" PUT("%r4") END;
	CHECK(words(bytes, 1, 1) == 0, "%s", text);
	CHECK(out[0] == 4, "bytes: %u", out[0]);
	/* one of two leaves and expects bytes: the phase ends with both, the next needs one alone
	 */
	static const char leaves[] = WIDE_HEAD KERNEL(
	    "k") ".shared .align 8 .b64 b;\nmbarrier.init.shared.b64 [b], 2;\n"
		 "mbarrier.arrive_drop.expect_tx.shared.b64 %rd5, [b], 32;\n"
		 "mbarrier.arrive.shared.b64 _, [b];\nmbarrier.test_wait.shared.b64 %p1, [b], "
		 "%rd5;\n"
		 "mbarrier.complete_tx.shared.b64 [b], 32;\n"
		 "mbarrier.test_wait.shared.b64 %p2, [b], %rd5;\n"
		 "mbarrier.arrive.shared.b64 %rd6, [b];\n"
		 "mbarrier.test_wait.shared.b64 %p3, [b], %rd6;\nselp.u32 %r4, 1, 0, %p1;\n"
		 "selp.u32 %r5, 2, 0, %p2;\nselp.u32 %r6, 4, 0, %p3;\nadd.u32 %r4, %r4, %r5;\n"
		 "add.u32 %r4, %r4, %r6;\n" PUT("%r4") END;
	CHECK(words(leaves, 1, 1) == 0, "%s", text);
	CHECK(out[0] == 6, "leaves: %u", out[0]);
}

static void
clusters(void)
{
	static const char ptx[] = WIDE_HEAD KERNEL(
	    "k") ".shared .align 4 .b8 s[512];\nmov.u32 %r4, s;\nmov.u32 %r5, %tid.x;\nshl.b32 "
		 "%r6, %r5, "
		 "2;\nadd.u32 %r7, %r4, %r6;\nst.shared.u32 [%r7], "
		 "%r5;\nbarrier.cluster.arrive.aligned;\n"
		 "barrier.cluster.wait.aligned;\nxor.b32 %r7, %r7, 0x40;\nld.shared.u32 %r8, "
		 "[%r7];\n"
		 "mov.u32 %r9, %cluster_nctarank;\nmov.u32 %r10, %cluster_ctarank;\nmov.u32 %r11, "
		 "%clusterid.x;\nmov.u32 %r12, %nclusterid.x;\nmad.lo.u32 %r8, %r9, 1000, %r8;\n"
		 "mad.lo.u32 %r8, %r10, 10000, %r8;\nmad.lo.u32 %r8, %r11, 100000, %r8;\n"
		 "mad.lo.u32 %r8, %r12, 1000000, %r8;\n" PUT("%r8") END;
	CHECK(words(ptx, 2, 128) == 0, "%s", text);
	for (unsigned i = 0; i < 256; i++)
		CHECK(out[i] == 2001000 + i / 128 * 100000 + (i % 128 ^ 16), "cluster %u: %u", i,
		    out[i]);
}

/* ---- eight bits ---- */

static double
eight(unsigned code, bool e4m3)
{
	const unsigned fraction_bits = e4m3 ? 3 : 2, exponent = (code & 0x7f) >> fraction_bits;
	const unsigned fraction = code & ((1u << fraction_bits) - 1);
	const int bias = e4m3 ? 7 : 15;
	const double sign = code & 0x80 ? -1 : 1;
	if (e4m3 ? (code & 0x7f) == 0x7f : exponent == 31)
		return fraction && (e4m3 || exponent == 31) ? NAN : sign * INFINITY;
	if (!exponent)
		return sign * ldexp(fraction, 1 - bias - (int)fraction_bits);
	return sign * ldexp(1 + ldexp(fraction, -(int)fraction_bits), (int)exponent - bias);
}

/* Of all finite numbers the nearest, of two equally near the even one */
static unsigned
nearest(double x, bool e4m3)
{
	unsigned best = 0;
	if (isnan(x))
		return 0x7f;
	x = copysign(fmin(fabs(x), 1e6), x); /* so far off, all would seem equally far */
	for (unsigned c = 0; c < 0x7f; c++) {
		const double v = eight(c, e4m3), d = fabs(fabs(x) - v);
		const double b = fabs(fabs(x) - eight(best, e4m3));
		if (isfinite(v) && (d < b || (d == b && c % 2 == 0)))
			best = c;
	}
	return best | (signbit(x) ? 0x80 : 0);
}

static double
half(uint32_t h)
{
	const double sign = h & 0x8000 ? -1 : 1;
	const uint32_t e = h >> 10 & 31, f = h & 1023;
	if (e == 31)
		return f ? NAN : sign * INFINITY;
	return e ? sign * ldexp(1024 + f, (int)e - 25) : sign * ldexp(f, -24);
}

/* What @ in the text stands for */
static const char *
with(const char *ptx, const char *word)
{
	static char buffer[2048];
	char *to = buffer;
	for (; *ptx; ptx++)
		if (*ptx == '@')
			to = stpcpy(to, word);
		else
			*to++ = *ptx;
	*to = 0;
	return buffer;
}

static void
eights_one(bool e4m3)
{
	static const char decode[] = WIDE_HEAD KERNEL(
	    "k") "cvt.u16.u32 %h1, %r1;\ncvt.rn.f16x2.@x2 %r4, %h1;\n" PUT("%r4") END;
	static const char from_f32[] = WIDE_HEAD KERNEL(
	    "k") "mul.lo.u32 %r4, %r1, 1048583;\nmov.b32 %f1, %r4;\nneg.f32 %f2, %f1;\n"
		 "cvt.rn.satfinite.@x2.f32 %h1, %f1, %f2;\ncvt.u32.u16 %r5, %h1;\n" PUT("%r5") END;
	static const char from_f16[] =
	    WIDE_HEAD KERNEL("k") "mul.lo.u32 %r4, %r1, 16;\ncvt.rn.satfinite.@x2.f16x2 %h1, %r4;\n"
				  "cvt.u32.u16 %r5, %h1;\n" PUT("%r5") END;
	const char *f = e4m3 ? "e4m3" : "e5m2";
	/* all pairs whose halves are the thread's low byte and the next */
	CHECK(words(with(decode, f), 16, 256) == 0, "%s", text);
	for (unsigned i = 0; i < 4096; i++)
		for (unsigned k = 0; k < 2; k++) {
			const double want = eight(i >> 8 * k & 255, e4m3),
				     got = half(out[i] >> 16 * k);
			CHECK(want == got || (isnan(want) && isnan(got)), "%s %x: %g, want %g", f,
			    i, got, want);
		}
	CHECK(words(with(from_f32, f), 16, 256) == 0, "%s", text);
	for (unsigned i = 0; i < 4096; i++) {
		const uint32_t bits = i * 1048583u;
		float x;
		memcpy(&x, &bits, 4);
		const unsigned want = nearest((double)x, e4m3) << 8 | nearest((double)-x, e4m3);
		CHECK(out[i] == want, "%s of %g: %x, want %x", f, (double)x, out[i], want);
	}
	CHECK(words(with(from_f16, f), 16, 256) == 0, "%s", text);
	for (unsigned i = 0; i < 4096; i++) {
		const unsigned want = nearest(half(i * 16), e4m3);
		CHECK(out[i] == want, "%s of half %x: %x, want %x", f, i * 16, out[i], want);
	}
}

/* ---- what is looked for when asked ---- */

static void
checked(const char *ptx, bool check, const char *want)
{
	struct kit k;
	kit_open(&k, ptx, (struct wcp_device_options){.check_sync = check});
	const uint64_t a = kit_buffer(&k, 4096, "out");
	const int r = kit_launch(&k, "k", 1, 64, 0, &a, 1);
	CHECK(r == (check && want ? WCP_ENO : 0), "%d %s", r, k.error.text);
	if (check && want) {
		CHECK(strstr(k.error.text, want), "%s, not: %s", k.error.text, want);
		CHECK(wcp_device_fault(k.device) == WCP_FAULT_CHECK, "fault");
	}
	kit_close(&k);
}

static void
checks(void)
{
	static const char half_warp[] =
	    HEAD KERNEL("k") "mov.u32 %r4, %tid.x;\nand.b32 %r4, %r4, 16;\nsetp.eq.u32 %p1, %r4, "
			     "0;\n@%p1 bra A;\n"
			     "bar.sync 0;\nbra B;\nA:\nbar.sync 0;\nB:\n" PUT("1") END;
	static const char loose[] =
	    HEAD KERNEL("k") "mov.u32 %r4, %tid.x;\nand.b32 %r4, %r4, 16;\nsetp.eq.u32 %p1, %r4, "
			     "0;\n@%p1 bra A;\n"
			     "barrier.sync 0;\nbra B;\nA:\nbarrier.sync 0;\nB:\n" PUT("1") END;
	static const char conditional[] =
	    HEAD KERNEL("k") "mov.u32 %r4, %tid.x;\nand.b32 %r4, %r4, 16;\nsetp.eq.u32 %p1, %r4, "
			     "0;\n@%p1 bra A;\n"
			     "bar.sync 0;\nA:\n" PUT("1") END;
	static const char ended[] = /* half a warp returns: the rest of it may meet */
	    HEAD KERNEL("k") "mov.u32 %r4, %tid.x;\nand.b32 %r4, %r4, 16;\nsetp.eq.u32 %p1, %r4, "
			     "0;\n@%p1 bra A;\n"
			     "bar.sync 0;\n" PUT("1") "bar.sync 0;\nA:\n" END;
	static const char members[] =
	    HEAD KERNEL("k") "shfl.sync.idx.b32 %r4, %r1, 0, 31, 0x7fffffff;\n" PUT("%r4") END;
	for (unsigned check = 0; check < 2; check++) {
		checked(half_warp, check,
		    "barrier that only some threads of the warp come to (lanes 0xffff0000 of "
		    "0xffffffff)");
		checked(conditional, check,
		    "barrier that only some threads of the warp come to (lanes 0xffff0000 of "
		    "0xffffffff)");
		checked(loose, check, NULL);
		checked(ended, check, NULL);
	}
	checked(members, true,
	    "thread (31,0,0): member mask 0x7fffffff without the thread's own lane 31");
}

/* A thread past the end of one buffer is inside the next, unless they lie apart. */
static void
neighbours(bool check)
{
	static const char ptx[] = HEAD KERNEL("k") "st.global.u32 [%rd2+4], 1;\n" END;
	struct kit k;
	kit_open(&k, ptx, (struct wcp_device_options){.check_memory = check});
	const uint64_t a = kit_buffer(&k, 256, "first"), b = kit_buffer(&k, 256, "second");
	CHECK(kit_launch(&k, "k", 1, 64, 0, &a, 1) == (check ? WCP_ENO : 0), "%s", k.error.text);
	CHECK(
	    check == (b - a > 256), "%llx and %llx", (unsigned long long)a, (unsigned long long)b);
	CHECK(!check || strstr(k.error.text, "4 bytes past the end of 'first' (256 bytes"), "%s",
	    k.error.text);
	kit_close(&k);
}

/* The calls that led to a fault are told, innermost first. */
static void
call_stack(void)
{
	static const char ptx[] = HEAD
	    ".func inner(.param .b64 a)\n{\n.reg .b64 %rd<3>;\nld.param.b64 %rd1, [a];\n"
	    "st.global.u32 [%rd1], 1;\nret;\n}\n.func outer(.param .b64 a)\n{\n.reg .b64 %rd<3>;\n"
	    "ld.param.b64 %rd1, [a];\n{\n.param .b64 p;\nst.param.b64 [p], %rd1;\ncall inner, "
	    "(p);\n}\n"
	    "ret;\n}\n" KERNEL("k") "{\n.param .b64 p;\nst.param.b64 [p], 64;\ncall outer, "
				    "(p);\n}\n" END;
	CHECK(words(ptx, 1, 1) == WCP_ENO, "no fault");
	const char *inner = strstr(text, "; in inner called at PTX line "),
		   *outer = strstr(text, "; in outer called at PTX line ");
	CHECK(inner && outer && inner < outer, "%s", text);
}

int
main(void)
{
	wide_atomics();
	vector_atomics();
	copies();
	ignored_copies();
	memory_barriers();
	clusters();
	eights_one(true);
	eights_one(false);
	checks();
	neighbours(false);
	neighbours(true);
	call_stack();
	printf(kit_failures ? "%d failures\n" : "ok\n", kit_failures);
	return kit_failures != 0;
}
