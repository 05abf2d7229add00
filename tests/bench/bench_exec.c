/*
 * Functional execution with recording and compression on, one core: thread instructions a second
 * for four kinds of kernel. Prints "name value unit floor", the best of five runs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "warpcap/exec.h"
#include "warpcap/stream.h"

#define HEAD ".version 6.0\n.target sm_70\n.address_size 64\n"
#define KERNEL                                                                                 \
	".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n)\n{\n.reg .b32 "        \
	"%r<40>;\n.reg .b64 %rd<40>;\n"                                                        \
	".reg .f32 %f<40>;\n.reg .pred %p<10>;\nld.param.u64 %rd1, [a];\nld.param.u64 %rd2, "  \
	"[b];\n"                                                                               \
	"ld.param.u32 %r10, [n];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, " \
	"%ntid.x;\n"                                                                           \
	"mad.lo.s32 %r4, %r2, %r3, %r1;\n"

/* y = 3 x + y over a grid-stride loop: loads and stores of whole lines */
static const char coalesced[] = HEAD KERNEL
    "mov.u32 %r5, %nctaid.x;\nmul.lo.s32 %r5, %r5, %r3;\nmul.wide.s32 %rd3, %r4, 4;\nadd.s64 %rd4, "
    "%rd1, %rd3;\n"
    "add.s64 %rd5, %rd2, %rd3;\nmul.wide.s32 %rd6, %r5, 4;\n"
    "LOOP:\nsetp.ge.s32 %p1, %r4, %r10;\n@%p1 bra DONE;\nld.global.f32 %f1, [%rd4];\nld.global.f32 "
    "%f2, [%rd5];\n"
    "fma.rn.f32 %f2, %f1, 0f40400000, %f2;\nst.global.f32 [%rd5], %f2;\nadd.s64 %rd4, %rd4, %rd6;\n"
    "add.s64 %rd5, %rd5, %rd6;\nadd.s32 %r4, %r4, %r5;\nbra LOOP;\nDONE:\nret;\n}\n";

static const char alu[] =
    HEAD KERNEL "cvt.rn.f32.s32 %f1, %r4;\nmov.f32 %f2, 0f3F000000;\nmov.u32 %r5, 0;\nmov.u32 %r6, "
		"%r4;\nmov.u32 %r7, 1;\n"
		"LOOP:\nfma.rn.f32 %f1, %f1, %f2, %f2;\nadd.f32 %f3, %f1, %f2;\nmul.f32 %f4, %f3, "
		"%f2;\nadd.s32 %r6, %r6, %r5;\n"
		"xor.b32 %r7, %r7, %r6;\nshl.b32 %r8, %r7, 1;\nmad.lo.s32 %r6, %r8, 3, "
		"%r6;\nadd.f32 %f1, %f1, %f4;\n"
		"mul.f32 %f1, %f1, 0f3E800000;\nadd.s32 %r5, %r5, 1;\nsetp.lt.s32 %p1, %r5, "
		"%r10;\n@%p1 bra LOOP;\n"
		"cvt.rn.f32.s32 %f5, %r6;\nadd.f32 %f1, %f1, %f5;\nmul.wide.s32 %rd3, %r4, "
		"4;\nadd.s64 %rd3, %rd1, %rd3;\n"
		"st.global.f32 [%rd3], %f1;\nret;\n}\n";

/* trip counts from data, an if/else in the loop, masked loads */
static const char divergent[] = HEAD KERNEL
    "mul.lo.s32 %r5, %r4, -1640531527;\nshr.u32 %r6, %r5, 26;\nadd.s32 %r6, %r6, 4;\nmov.u32 %r7, "
    "0;\n"
    "LOOP:\nmad.lo.s32 %r5, %r5, 1664525, 1013904223;\nshr.u32 %r8, %r5, 16;\nsetp.gt.u32 %p1, "
    "%r8, 32768;\n@%p1 bra ELSE;\n"
    "and.b32 %r9, %r8, 16383;\nmul.wide.u32 %rd3, %r9, 4;\nadd.s64 %rd3, %rd1, "
    "%rd3;\nld.global.u32 %r11, [%rd3];\n"
    "add.s32 %r7, %r7, %r11;\nbra.uni JOIN;\nELSE:\nxor.b32 %r7, %r7, %r8;\nadd.s32 %r7, %r7, "
    "3;\nshl.b32 %r12, %r7, 3;\n"
    "add.s32 %r7, %r7, %r12;\nJOIN:\nadd.s32 %r6, %r6, -1;\nsetp.ne.s32 %p2, %r6, 0;\n@%p2 bra "
    "LOOP;\n"
    "mul.wide.s32 %rd4, %r4, 4;\nadd.s64 %rd4, %rd2, %rd4;\nst.global.u32 [%rd4], %r7;\nret;\n}\n";

/* every lane its own random word, again and again */
static const char gather[] = HEAD KERNEL
    "mul.lo.s32 %r5, %r4, -1640531527;\nmov.u32 %r6, 64;\nmov.u32 %r7, 0;\n"
    "LOOP:\nmad.lo.s32 %r5, %r5, 1664525, 1013904223;\nshr.u32 %r8, %r5, 12;\nmul.wide.u32 %rd3, "
    "%r8, 4;\n"
    "add.s64 %rd3, %rd1, %rd3;\nld.global.u32 %r9, [%rd3];\nadd.s32 %r7, %r7, %r9;\nadd.s32 %r6, "
    "%r6, -1;\n"
    "setp.ne.s32 %p2, %r6, 0;\n@%p2 bra LOOP;\n"
    "mul.wide.s32 %rd4, %r4, 4;\nadd.s64 %rd4, %rd2, %rd4;\nst.global.u32 [%rd4], %r7;\nret;\n}\n";

static struct wcp_writer *writer;

static int
on_program(void *arg, const struct wcp_program *p, struct wcp_error *e)
{
	(void)arg;
	return wcp_writer_program(writer, p, e);
}

static int
on_kernel(void *arg, const struct wcp_kernel *k, struct wcp_error *e)
{
	(void)arg;
	return wcp_writer_kernel(writer, k, e);
}

static int
on_end(void *arg, const struct wcp_kernel_end *k, struct wcp_error *e)
{
	(void)arg;
	return wcp_writer_kernel_end(writer, k, e);
}

static int
on_warp(void *arg, const struct wcp_warp_batch *b, struct wcp_error *e)
{
	(void)arg;
	return wcp_writer_warp(writer, b, e);
}

static void
must(bool ok, const struct wcp_error *e)
{
	if (ok)
		return;
	fprintf(stderr, "bench_exec: %s\n", e->text);
	exit(1);
}

static double
cpu_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double
once(const char *ptx, uint32_t grid, uint32_t n, bool record, double *bytes_per_insn)
{
	const struct wcp_write_options wo = {.level = 1};
	const struct wcp_sink sink = {
	    .program = on_program, .kernel = on_kernel, .warp = on_warp, .kernel_end = on_end};
	const struct wcp_device_options o = {.sink = sink};
	const uint64_t bytes = 4 << 20;
	struct wcp_error e;
	struct wcp_device_counts c;
	struct wcp_device *d = wcp_device_new(&o, &e);
	must(d, &e);
	struct wcp_module *m = wcp_device_load(d, ptx, strlen(ptx), "bench", &e);
	must(m, &e);
	uint64_t a = wcp_device_alloc(d, bytes, "a", &e), b = wcp_device_alloc(d, bytes, "b", &e);
	memset(wcp_device_host(d, a, bytes), 0, bytes);
	memset(wcp_device_host(d, b, bytes), 0, bytes);
	const void *arg[] = {&a, &b, &n};
	const struct wcp_launch l = {.module = m,
	    .kernel = "k",
	    .grid = {grid, 1, 1},
	    .block = {256, 1, 1},
	    .arg = arg,
	    .n_arg = 3,
	    .record = record};
	writer = wcp_writer_open("/dev/null", WCP_LINK_WARP, &wo, &e);
	must(writer, &e);
	const double from = cpu_seconds();
	must(wcp_device_launch(d, &l, &e) == 0, &e);
	*bytes_per_insn = (double)wcp_writer_bytes(writer);
	must(wcp_writer_close(writer, 0, &e) == 0, &e);
	const double seconds = cpu_seconds() - from;
	wcp_device_counts(d, &c);
	*bytes_per_insn /= (double)c.warp_insns;
	wcp_device_free(d);
	return (double)c.thread_insns / seconds;
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name, *ptx;
		uint32_t grid, n;
		double floor;
	} kind[] = {{"coalesced", coalesced, 64, 1 << 20, 400}, {"alu", alu, 64, 2000, 800},
	    {"branch-divergent", divergent, 512, 0, 80}, {"random-gather", gather, 512, 0, 120}};
	for (size_t i = 0; i < sizeof kind / sizeof kind[0]; i++) {
		double best = 0, off = 0, bytes = 0, ignored;
		if (argc > 1 && strcmp(argv[1], kind[i].name) != 0)
			continue;
		for (unsigned k = 0; k < 5; k++) {
			double v = once(kind[i].ptx, kind[i].grid, kind[i].n, true, &bytes);
			best = v > best ? v : best;
			v = once(kind[i].ptx, kind[i].grid, kind[i].n, false, &ignored);
			off = v > off ? v : off;
		}
		printf("exec-%s %.0f M-thread-instr/s %.0f\n", kind[i].name, best / 1e6,
		    kind[i].floor);
		printf("exec-%s-unrecorded %.0f M-thread-instr/s 0\n", kind[i].name, off / 1e6);
		printf("exec-%s-size %.3f B/warp-instr %s\n", kind[i].name, bytes,
		    i < 2 ? "1.5" : "6");
	}
	return 0;
}
