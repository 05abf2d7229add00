/*
 * Clusters of CTAs, which reach each other's shared memory and wait for each other, and bulk
 * copies, whose bytes a barrier in memory counts.
 */
#include "exec_kit.h"

#define CLUSTER_HEAD ".version 8.4\n.target sm_90\n.address_size 64\n"

static uint32_t out[8192];
static char text[480];

/* words of kernel "k" in clusters; cluster {0}: as the kernel says */
static int
words(const char *ptx, const uint32_t grid[3], uint32_t block, const uint32_t cluster[3],
    unsigned threads)
{
	struct kit k;
	const uint64_t bytes = 4ull * grid[0] * grid[1] * grid[2] * block;
	kit_open(&k, ptx,
	    (struct wcp_device_options){
		.max_insns = 1u << 24, .threads = threads, .check_shared = true});
	const uint64_t a = kit_buffer(&k, bytes, "out");
	const void *arg = &a;
	const struct wcp_launch l = {.module = k.module,
	    .kernel = "k",
	    .grid = {grid[0], grid[1], grid[2]},
	    .block = {block, 1, 1},
	    .cluster = {cluster[0], cluster[1], cluster[2]},
	    .arg = &arg,
	    .n_arg = 1,
	    .record = true};
	const int r = wcp_device_launch(k.device, &l, &k.error);
	memcpy(out, wcp_device_host(k.device, a, bytes), bytes);
	memcpy(text, k.error.text, sizeof text);
	for (uint32_t i = 1; i < k.all.n_seg; i++)
		CHECK(k.all.seg_run[i] >= k.all.seg_run[i - 1], "segment %u", i);
	kit_close(&k);
	return r;
}

/* What a thread puts: what thread 31 - t of the next CTA of its cluster left, and the count that
 * every thread of the cluster raised in the CTA of rank 0. */
#define NEIGHBOURS                                                                               \
	".shared .align 8 .b8 s[256];\nmov.u32 %r4, %tid.x;\nmov.u32 %r5, %cluster_ctarank;\n"   \
	"mov.u32 %r6, %cluster_nctarank;\nmov.u32 %r7, s;\nmad.lo.u32 %r8, %r4, 4, %r7;\n"       \
	"mad.lo.u32 %r9, %r5, 1000, %r4;\nst.shared.u32 [%r8], %r9;\n"                           \
	"st.shared.u32 [%r7+128], 0;\nbarrier.cluster.arrive.release;\n"                         \
	"barrier.cluster.wait.acquire;\nadd.u32 %r10, %r5, 1;\nrem.u32 %r10, %r10, %r6;\n"       \
	"mapa.shared::cluster.u32 %r11, %r7, %r10;\nsub.u32 %r12, 31, %r4;\n"                    \
	"mad.lo.u32 %r13, %r12, 4, %r11;\nld.shared::cluster.u32 %r14, [%r13];\n"                \
	"cvt.u64.u32 %rd5, %r7;\ncvta.shared.u64 %rd6, %rd5;\nmapa.u64 %rd7, %rd6, 0;\n"         \
	"getctarank.u64 %r15, %rd7;\ngetctarank.shared::cluster.u32 %r16, %r11;\n"               \
	"red.add.u32 [%rd7+128], 1;\nsetp.ne.u32 %p1, %r15, 0;\n@%p1 trap;\n"                    \
	"setp.ne.u32 %p1, %r16, %r10;\n@%p1 trap;\nbarrier.cluster.arrive;\n"                    \
	"barrier.cluster.wait;\nld.u32 %r17, [%rd7+128];\nmad.lo.u32 %r18, %r17, 10000, %r14;\n" \
	"barrier.cluster.arrive;\nbarrier.cluster.wait;\n"

static void
neighbours(const char *what, const char *ptx, const uint32_t cluster[3], unsigned threads)
{
	static const uint32_t grid[3] = {12, 1, 1};
	CHECK(words(ptx, grid, 32, cluster, threads) == 0, "%s: %s", what, text);
	for (unsigned i = 0; i < 12 * 32; i++) {
		const unsigned rank = i / 32 % 4, t = i % 32;
		const uint32_t want = 4 * 32 * 10000 + (rank + 1) % 4 * 1000 + 31 - t;
		CHECK(out[i] == want, "%s, thread %u: %u, not %u", what, i, out[i], want);
	}
}

static void
rows(void)
{
	static const char side[] = CLUSTER_HEAD KERNEL("k") NEIGHBOURS PUT("%r18") END;
	static const char order[] = CLUSTER_HEAD ".global .u32 n;\n" KERNEL("k") NEIGHBOURS
	    "atom.global.add.u32 %r20, [n], 1;\n" PUT("%r18") END;
	static const char named[] = CLUSTER_HEAD
	    ".visible .entry k(.param .u64 out)\n.explicitcluster\n.reqnctapercluster 4, 1, 1\n{\n"
	    ".reg .b32 %r<40>;\n.reg .b64 %rd<40>;\n.reg .pred %p<40>;\nld.param.u64 %rd1, [out];\n"
	    "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmad.lo.u32 %r1, %r2, 32, %r1;\n"
	    "mad.wide.u32 %rd2, %r1, 4, %rd1;\nmov.pred %p2, %is_explicit_cluster;\n@!%p2 "
	    "trap;\n" NEIGHBOURS PUT("%r18") END;
	static const uint32_t four[3] = {4, 1, 1}, none[3] = {0};
	neighbours("side by side", side, four, 1);
	neighbours("two threads", side, four, 2);
	neighbours("in order", order, four, 2);
	neighbours("as the kernel says", named, none, 1);
	static const uint32_t grid[3] = {12, 1, 1}, five[3] = {5, 1, 1}, two[3] = {2, 1, 1};
	CHECK(words(side, grid, 32, five, 1) == WCP_EUSAGE, "12 in fives: %s", text);
	CHECK(words(named, grid, 32, two, 1) == WCP_EUSAGE, "not its own: %s", text);
}

/* In two dimensions: each thread puts where its CTA is, in the cluster and with it. */
static void
plane(void)
{
	static const char ptx[] = CLUSTER_HEAD KERNEL(
	    "k") "mov.u32 %r4, %ctaid.y;\nmov.u32 %r5, %nctaid.x;\nmad.lo.u32 %r6, %r4, %r5, %r2;\n"
		 "mul.lo.u32 %r7, %r6, 4;\ncvt.u64.u32 %rd5, %r7;\nadd.u64 %rd6, %rd1, %rd5;\n"
		 "mov.u32 %r8, %cluster_ctaid.x;\nmov.u32 %r9, %cluster_ctaid.y;\n"
		 "mov.u32 %r10, %cluster_ctarank;\nmov.u32 %r11, %clusterid.x;\n"
		 "mov.u32 %r12, %clusterid.y;\nmov.u32 %r13, %nclusterid.x;\n"
		 "mov.u32 %r14, %cluster_nctaid.y;\nmov.u32 %r15, 0;\n"
		 "mad.lo.u32 %r15, %r8, 1, %r15;\nmad.lo.u32 %r15, %r9, 10, %r15;\n"
		 "mad.lo.u32 %r15, %r10, 100, %r15;\nmad.lo.u32 %r15, %r11, 1000, %r15;\n"
		 "mad.lo.u32 %r15, %r12, 10000, %r15;\nmad.lo.u32 %r15, %r13, 100000, %r15;\n"
		 "mad.lo.u32 %r15, %r14, 1000000, %r15;\nst.global.u32 [%rd6], %r15;\n" END;
	static const uint32_t grid[3] = {6, 4, 1}, cluster[3] = {3, 2, 1};
	CHECK(words(ptx, grid, 1, cluster, 1) == 0, "%s", text);
	for (unsigned y = 0; y < 4; y++)
		for (unsigned x = 0; x < 6; x++) {
			const uint32_t want = x % 3 + y % 2 * 10 + (x % 3 + y % 2 * 3) * 100 +
					      x / 3 * 1000 + y / 2 * 10000 + 2 * 100000 +
					      2 * 1000000;
			CHECK(out[6 * y + x] == want, "%u, %u: %u", x, y, out[6 * y + x]);
		}
}

/* One CTA waits for what never comes, the others at the barrier: told, not waited for. */
static void
never(void)
{
	static const char ptx[] = CLUSTER_HEAD KERNEL(
	    "k") ".shared .align 8 .b64 b;\nmov.u32 %r4, %cluster_ctarank;\n"
		 "setp.ne.u32 %p1, %r4, 0;\n@%p1 bra MEET;\nmbarrier.init.shared.b64 [b], 2;\n"
		 "WAIT:\nmbarrier.try_wait.parity.shared.b64 %p2, [b], 0;\n@!%p2 bra WAIT;\nMEET:\n"
		 "barrier.cluster.arrive;\nbarrier.cluster.wait;\n" PUT("1") END;
	static const uint32_t grid[3] = {2, 1, 1};
	CHECK(words(ptx, grid, 32, grid, 1) == WCP_ENO, "%s", text);
	/* who ended is not waited for */
	static const char ended[] = CLUSTER_HEAD KERNEL(
	    "k") "mov.u32 %r4, %cluster_ctarank;\nsetp.eq.u32 %p1, %r4, 1;\n@%p1 bra OUT;\n"
		 "barrier.cluster.arrive;\nbarrier.cluster.wait;\n" PUT("7") "OUT:\n" END;
	CHECK(words(ended, grid, 32, grid, 1) == 0, "%s", text);
	CHECK(out[0] == 7 && out[31] == 7 && out[32] == 0, "%u %u", out[0], out[32]);
	/* shared memory of a CTA that is not there */
	static const char wild[] =
	    CLUSTER_HEAD KERNEL("k") ".shared .align 4 .u32 s;\nmov.u32 %r4, "
				     "s;\nmapa.shared::cluster.u32 %r5, %r4, 2;\n"
				     "st.shared::cluster.u32 [%r5], 1;\n" END;
	CHECK(
	    words(wild, grid, 32, grid, 1) == WCP_ENO && strstr(text, "out of bounds"), "%s", text);
}

/* Thread 0 fetches 512 bytes, all read them backwards, thread 0 sends them off and adds them once
 * more; rank 0 sends to both CTAs at once. */
static void
bulk(void)
{
	static const char ptx[] = CLUSTER_HEAD KERNEL(
	    "k") ".shared .align 128 .b8 s[512];\n.shared .align 8 .b64 b;\n"
		 "mov.u32 %r4, %tid.x;\nst.global.u32 [%rd2], %r1;\nmul.lo.u32 %r5, %r2, 512;\n"
		 "cvt.u64.u32 %rd5, %r5;\nadd.u64 %rd5, %rd1, %rd5;\nsetp.eq.u32 %p1, %r4, 0;\n"
		 "@%p1 mbarrier.init.shared.b64 [b], 1;\nbar.sync 0;\n"
		 "@%p1 mbarrier.arrive.expect_tx.shared.b64 %rd6, [b], 512;\n"
		 "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
		 "[s], [%rd5], 512, [b];\nWAIT:\n"
		 "mbarrier.try_wait.parity.shared.b64 %p2, [b], 0;\n@!%p2 bra WAIT;\n"
		 "mov.u32 %r6, s;\nsub.u32 %r7, 127, %r4;\nmad.lo.u32 %r8, %r7, 4, %r6;\n"
		 "ld.shared.u32 %r9, [%r8];\nbar.sync 0;\nmad.lo.u32 %r10, %r4, 4, %r6;\n"
		 "st.shared.u32 [%r10], %r9;\nbar.sync 0;\n@!%p1 bra OUT;\n"
		 "cp.async.bulk.prefetch.L2.global [%rd5], 512;\n"
		 "cp.async.bulk.global.shared::cta.bulk_group [%rd5], [s], 512;\n"
		 "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd5+16], [s+16], "
		 "32;\n"
		 "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;\nOUT:\n" END;
	struct kit k;
	kit_open(&k, ptx, (struct wcp_device_options){.max_insns = 1u << 24, .check_shared = true});
	const uint64_t a = kit_buffer(&k, 1024, "out");
	CHECK(kit_launch(&k, "k", 2, 128, 0, &a, 1) == 0, "%s", k.error.text);
	memcpy(out, wcp_device_host(k.device, a, 1024), 1024);
	for (unsigned i = 0; i < 256; i++) {
		const unsigned t = i % 128, want = i / 128 * 128 + 127 - t;
		CHECK(out[i] == (t >= 4 && t < 12 ? 2 : 1) * want, "thread %u: %u", i, out[i]);
	}
	/* 4 lines each way and for the prefetch, 1 for the sum, of each CTA's thread 0 */
	unsigned lines = 0;
	for (uint32_t i = 0; i < k.all.n_mem; i++) {
		const char *name = k.program->strings + k.program->insn[k.all.mem_pc[i]].opcode;
		if (!strstr(name, "bulk"))
			continue;
		lines++;
		CHECK(k.all.mem_mask[i] == 1 && k.all.mem_base[i] % 128 == 0 &&
			  k.all.mem_space[i] == WCP_SPACE_GLOBAL,
		    "record %u of %s", i, name);
	}
	CHECK(lines == 2 * (4 + 4 + 4 + 1), "%u lines", lines);
	kit_close(&k);
	static const char many[] = CLUSTER_HEAD KERNEL(
	    "k") ".shared .align 128 .b8 s[128];\n.shared .align 8 .b64 b;\nmov.u32 %r4, %tid.x;\n"
		 "mov.u32 %r5, %cluster_ctarank;\nst.global.u32 [%rd2], %r1;\n"
		 "setp.eq.u32 %p1, %r4, 0;\n@%p1 mbarrier.init.shared.b64 [b], 1;\n"
		 "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [b], 128;\nbarrier.cluster.arrive;\n"
		 "barrier.cluster.wait;\nsetp.eq.and.u32 %p2, %r5, 0, %p1;\nmov.b16 %h1, 3;\n"
		 "@%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes."
		 "multicast::cluster [s], [%rd1], 128, [b], %h1;\nWAIT:\n"
		 "mbarrier.try_wait.parity.shared.b64 %p3, [b], 0;\n@!%p3 bra WAIT;\n"
		 "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
		 "mov.u32 %r6, s;\nmad.lo.u32 %r7, %r4, 4, %r6;\nld.shared.u32 %r8, [%r7];\n"
		 "mad.lo.u32 %r8, %r5, 100, %r8;\n" PUT("%r8") END;
	static const uint32_t two[3] = {2, 1, 1};
	CHECK(words(many, two, 32, two, 1) == 0, "%s", text);
	for (unsigned i = 0; i < 64; i++)
		CHECK(out[i] == i % 32 + i / 32 * 100, "both: %u: %u", i, out[i]);
}

/* Each CTA sends two words to the other and waits for what comes; pairs of floats are added, and
 * multiplied and added, at once. */
static void
send(void)
{
	static const char ptx[] = CLUSTER_HEAD KERNEL(
	    "k") ".shared .align 8 .b8 s[8];\n.shared .align 8 .b64 b;\nmov.u32 %r4, s;\n"
		 "mov.u32 %r5, b;\nmov.u32 %r6, %cluster_ctarank;\nxor.b32 %r7, %r6, 1;\n"
		 "mapa.shared::cluster.u32 %r8, %r4, %r7;\n"
		 "mapa.shared::cluster.u32 %r9, %r5, %r7;\nmbarrier.init.shared.b64 [b], 1;\n"
		 "mbarrier.arrive.expect_tx.shared.b64 _, [b], 8;\nbarrier.cluster.arrive;\n"
		 "barrier.cluster.wait;\nadd.u32 %r10, %r6, 70;\n"
		 "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 "
		 "[%r8], {%r10, %r7}, [%r9];\nWAIT:\n"
		 "mbarrier.try_wait.parity.shared.b64 %p1, [b], 0;\n@!%p1 bra WAIT;\n"
		 "ld.shared.v2.u32 {%r11, %r12}, [s];\nmad.lo.u32 %r13, %r11, 10, %r12;\n" PUT(
		     "%r13") "barrier.cluster.arrive;\nbarrier.cluster.wait;\n" END;
	static const uint32_t two[3] = {2, 1, 1};
	CHECK(words(ptx, two, 1, two, 1) == 0, "%s", text);
	CHECK(out[0] == 710 && out[1] == 701, "%u %u", out[0], out[1]);
	static const char pairs[] = CLUSTER_HEAD KERNEL(
	    "k") "cvt.rn.f32.u32 %f1, %r1;\nmov.f32 %f2, 0f40400000;\nmov.b64 %rd5, {%f1, %f2};\n"
		 "mov.b64 %rd6, {%f2, %f1};\nadd.rn.f32x2 %rd7, %rd5, %rd6;\n"
		 "mul.rn.f32x2 %rd8, %rd5, %rd6;\nsub.rn.f32x2 %rd8, %rd8, %rd5;\n"
		 "fma.rn.ftz.f32x2 %rd9, %rd7, %rd8, %rd5;\nmov.b64 {%f3, %f4}, %rd9;\n"
		 "mul.f32 %f4, %f4, 0f447a0000;\nadd.f32 %f3, %f3, %f4;\n"
		 "cvt.rzi.u32.f32 %r4, %f3;\n" PUT("%r4") END;
	CHECK(words(pairs, two, 16, two, 1) == 0, "%s", text);
	for (unsigned t = 1; t < 32; t++) {
		/* (t + 3) (3 t - t) + t and (3 + t) (3 t - 3) + 3 */
		const unsigned want = (t + 3) * 2 * t + t + 1000 * ((3 + t) * (3 * t - 3) + 3);
		CHECK(out[t] == want, "pair %u: %u, not %u", t, out[t], want);
	}
}

/* A copy that begins askew or goes too far is told with its size, and a size that cannot be. */
static void
wild_bulk(void)
{
#define COPY(bytes)                                                                           \
	CLUSTER_HEAD KERNEL("k") ".shared .align 128 .b8 s[128];\n.shared .align 8 .b64 b;\n" \
				 "mbarrier.init.shared.b64 [b], 1;\n"                         \
				 "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::"   \
				 "bytes [s], [%rd1], " bytes ", [b];\n" END
	static const char ptx[] = COPY("64"), uneven[] = COPY("56");
	struct kit k;
	kit_open(&k, uneven, (struct wcp_device_options){.max_insns = 1u << 20});
	uint64_t whole = kit_buffer(&k, 64, "whole");
	CHECK(
	    kit_launch(&k, "k", 1, 1, 0, &whole, 1) == WCP_ENO &&
		strstr(k.error.text, "bulk copy of 56 bytes: the number must be a multiple of 16"),
	    "%s", k.error.text);
	kit_close(&k);
	kit_open(&k, ptx, (struct wcp_device_options){.max_insns = 1u << 20});
	uint64_t a = kit_buffer(&k, 48, "short");
	CHECK(kit_launch(&k, "k", 1, 1, 0, &a, 1) == WCP_ENO &&
		  strstr(k.error.text, "load of 64 bytes") &&
		  strstr(k.error.text, "16 bytes past the end of 'short'"),
	    "%s", k.error.text);
	a += 8;
	CHECK(kit_launch(&k, "k", 1, 1, 0, &a, 1) == WCP_ENO &&
		  strstr(k.error.text, "misaligned load of 64 bytes"),
	    "%s", k.error.text);
	kit_close(&k);
}

int
main(void)
{
	rows();
	plane();
	never();
	bulk();
	wild_bulk();
	send();
	printf(kit_failures ? "%d failures\n" : "ok\n", kit_failures);
	return kit_failures != 0;
}
