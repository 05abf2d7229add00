/* Kernels that launch kernels: the oldest entry points, limits, what fails in a child, who waits.
 */
#include "exec_kit.h"

#define RUNTIME                                                                                  \
	".extern .func (.param .b64 r) cudaGetParameterBuffer(.param .b64 a, .param .b64 n);\n"  \
	".extern .func (.param .b32 r) cudaLaunchDevice(.param .b64 f, .param .b64 b, "          \
	".param .align 4 .b8 g[12], .param .align 4 .b8 k[12], .param .b32 s, .param .b64 t);\n" \
	".extern .func (.param .b32 r) cudaGetLastError();\n"                                    \
	".extern .func (.param .b32 r) cudaDeviceGetAttribute(.param .b64 p, .param .b32 a, "    \
	".param .b32 d);\n"

/* One launch of child(out) with a grid of grid and blocks of 32 by every thread: %r20 the buffer's
 * low half, %r21 the launch's result. */
#define LAUNCH(child, grid)                                                                        \
	"{\n.param .b64 pa; .param .b64 pn; .param .b64 pr;\nst.param.b64 [pa], 8;\n"              \
	"st.param.b64 [pn], 8;\ncall (pr), cudaGetParameterBuffer, (pa, pn);\n"                    \
	"ld.param.b64 %rd20, [pr];\n}\ncvt.u32.u64 %r20, %rd20;\nmov.u32 %r21, 999;\n"             \
	"setp.eq.u64 %p20, %rd20, 0;\n@%p20 bra NO" grid ";\nst.u64 [%rd20], %rd1;\n"              \
	"mov.u64 %rd21, " child ";\n{\n.param .b64 f; .param .b64 b; .param .align 4 .b8 g[12];\n" \
	".param .align 4 .b8 k[12]; .param .b32 s; .param .b64 t; .param .b32 rr;\n"               \
	"st.param.b64 [f], %rd21;\nst.param.b64 [b], %rd20;\nst.param.b32 [g], " grid ";\n"        \
	"st.param.b32 [g+4], 1;\nst.param.b32 [g+8], 1;\nst.param.b32 [k], 32;\n"                  \
	"st.param.b32 [k+4], 1;\nst.param.b32 [k+8], 1;\nst.param.b32 [s], 0;\n"                   \
	"st.param.b64 [t], 0;\ncall (rr), cudaLaunchDevice, (f, b, g, k, s, t);\n"                 \
	"ld.param.b32 %r21, [rr];\n}\nNO" grid ":\n"

#define ERROR "{\n.param .b32 pe;\ncall (pe), cudaGetLastError, ();\nld.param.b32 %r22, [pe];\n}\n"

/* every thread of every child adds 1 to word 100 */
#define ADD KERNEL("add") "red.global.add.u32 [%rd1+400], 1;\n" END

static uint32_t out[1024];
static struct kit kit;

/* Runs kernel "k" with a buffer of 1024 words. */
static int
run(const char *ptx, struct wcp_device_options o, uint32_t grid, uint32_t block)
{
	o.max_insns = o.max_insns ? o.max_insns : 1u << 24;
	kit_open(&kit, ptx, o);
	const uint64_t a = kit_buffer(&kit, sizeof out, "out");
	const int r = kit_launch(&kit, "k", grid, block, 0, &a, 1);
	memcpy(out, wcp_device_host(kit.device, a, sizeof out), sizeof out);
	return r;
}

static void
close_kit(void)
{
	kit_close(&kit);
}

static void
oldest(void)
{
	static const char ptx[] = HEAD RUNTIME ADD KERNEL("k") LAUNCH("add", "3") PUT("%r21") END;
	CHECK(!run(ptx, (struct wcp_device_options){0}, 2, 5), "%s", kit.error.text);
	CHECK(out[100] == 10 * 3 * 32, "%u", out[100]);
	CHECK(out[0] == 0 && out[9] == 0, "%u %u", out[0], out[9]);
	CHECK(kit.ends == 11, "%u kernels ended", kit.ends);
	CHECK(kit.kernel.parent == 0 && kit.kernel.parent_cta == 1 && kit.kernel.parent_lane == 4,
	    "%u %u %u", kit.kernel.parent, kit.kernel.parent_cta, kit.kernel.parent_lane);
	CHECK(kit.kernel.id == 10 && kit.kernel.depth == 1 && kit.kernel.site == 1, "%u %u %u",
	    kit.kernel.id, kit.kernel.depth, kit.kernel.site);
	close_kit();
}

static void
pending(void)
{
	static const char ptx[] = HEAD RUNTIME ADD KERNEL("k") LAUNCH("add", "1") ERROR
	    "shl.b32 %r22, %r22, 16;\nadd.u32 %r22, %r22, %r21;\n" PUT("%r22") END;
	/* the 33rd and the 64th: refused, with the error latched once */
	CHECK(!run(ptx, (struct wcp_device_options){.pending_launches = 32}, 1, 64), "%s",
	    kit.error.text);
	CHECK(out[100] == 32 * 32, "%u", out[100]);
	for (uint32_t i = 0; i < 64; i++)
		CHECK(out[i] == (i < 32 ? 0 : 69u << 16 | 999), "%u: %x", i, out[i]);
	uint32_t refused = 0;
	for (uint32_t i = 0; i < kit.all.n_event; i++)
		refused += kit.all.event_kind[i] == WCP_EVENT_REFUSED;
	CHECK(refused == 32, "%u refused", refused);
	close_kit();
	/* a limit within a warp */
	CHECK(!run(ptx, (struct wcp_device_options){.pending_launches = 20}, 1, 64), "%s",
	    kit.error.text);
	CHECK(out[100] == 20 * 32, "%u", out[100]);
	for (uint32_t i = 0; i < 64; i++)
		CHECK(out[i] == (i < 20 ? 0 : 69u << 16 | 999), "%u: %x", i, out[i]);
	close_kit();
	/* without a limit the oldest make room: all 5120 run */
	CHECK(!run(ptx, (struct wcp_device_options){0}, 5, 1024), "%s", kit.error.text);
	CHECK(out[100] == 5120 * 32, "%u", out[100]);
	CHECK(kit.ends == 5121, "%u kernels ended", kit.ends);
	close_kit();
}

static void
failures(void)
{
	static const char wild[] = HEAD RUNTIME KERNEL(
	    "bad") "st.global.u32 [%rd1+1073741824], %r1;\n" END KERNEL("k") LAUNCH("bad", "1") END;
	CHECK(run(wild, (struct wcp_device_options){0}, 1, 1) == WCP_ENO, "wild");
	CHECK(!strncmp(kit.error.text, "kernel 'bad': CTA (0,0,0) thread (0,0,0):", 41), "%s",
	    kit.error.text);
	CHECK(wcp_device_fault(kit.device) == WCP_FAULT_ADDRESS, "%d",
	    (int)wcp_device_fault(kit.device));
	CHECK(kit.ends == 2, "%u kernels ended", kit.ends);
	close_kit();
	static const char foreign[] = HEAD RUNTIME KERNEL(
	    "strange") "frobnicate.u32 %r1;\n" END KERNEL("k") LAUNCH("strange", "1") END;
	CHECK(run(foreign, (struct wcp_device_options){0}, 1, 1) == WCP_EDATA, "foreign");
	CHECK(!strncmp(kit.error.text, "kernel 'strange': PTX line ", 27), "%s", kit.error.text);
	close_kit();
	/* no kernel: a function's address, and none at all */
	static const char none[] = HEAD RUNTIME ".func f() { ret; }\n" KERNEL("k") LAUNCH("f", "1")
	    PUT("%r21") LAUNCH("12345", "2") "st.global.u32 [%rd1+4], %r21;\n" END;
	CHECK(!run(none, (struct wcp_device_options){0}, 1, 1), "%s", kit.error.text);
	CHECK(out[0] == 98 && out[1] == 98, "%u %u", out[0], out[1]);
	close_kit();
	/* a child of endless work is stopped, and all with it */
	static const char endless[] = HEAD RUNTIME KERNEL(
	    "loop") "L: add.u32 %r4, %r4, 1;\nsetp.ne.u32 %p1, %r1, 77;\n@%p1 bra L;\n" END
	    KERNEL("k") LAUNCH("loop", "1") END;
	CHECK(run(endless, (struct wcp_device_options){.max_insns = 100000}, 1, 1) == WCP_ENO,
	    "endless");
	CHECK(!strcmp(kit.error.text, "kernel 'loop': more than 100000 thread instructions"), "%s",
	    kit.error.text);
	close_kit();
}

/* A parent that waits for what its child writes, though CUDA promises nothing. */
static void
waiting(void)
{
	static const char ptx[] = HEAD RUNTIME ADD KERNEL("k")
	    LAUNCH("add", "1") "L: ld.volatile.global.u32 %r4, [%rd1+400];\n"
			       "setp.eq.u32 %p1, %r4, 0;\n@%p1 bra L;\n" PUT("%r4") END;
	CHECK(!run(ptx, (struct wcp_device_options){0}, 1, 1), "%s", kit.error.text);
	CHECK(out[0] == 32, "%u", out[0]);
	close_kit();
}

static bool
attribute(void *arg, uint32_t which, int32_t *value)
{
	*value = *(const int32_t *)arg;
	return which == 16;
}

static void
attributes(void)
{
	static const char ptx[] = HEAD RUNTIME KERNEL(
	    "k") "{\n.param .b64 p; .param .b32 a; .param .b32 d; .param .b32 r;\nst.param.b64 "
		 "[p], %rd1;\n"
		 "st.param.b32 [a], 16;\nst.param.b32 [d], 0;\ncall (r), cudaDeviceGetAttribute, "
		 "(p, a, d);\n}\n"
		 "{\n.param .b64 p; .param .b32 a; .param .b32 d; .param .b32 r;\nadd.u64 %rd3, "
		 "%rd1, 4;\n"
		 "st.param.b64 [p], %rd3;\nst.param.b32 [a], 10;\nst.param.b32 [d], 0;\n"
		 "call (r), cudaDeviceGetAttribute, (p, a, d);\n}\n" END;
	int32_t sms = 123;
	CHECK(!run(ptx, (struct wcp_device_options){.attribute = attribute, .attribute_arg = &sms},
		  1, 1),
	    "%s", kit.error.text);
	CHECK(out[0] == 123 && out[1] == 32, "%u %u", out[0], out[1]);
	close_kit();
}

int
main(void)
{
	oldest();
	pending();
	failures();
	waiting();
	attributes();
	if (!kit_failures)
		puts("ok");
	return kit_failures != 0;
}
