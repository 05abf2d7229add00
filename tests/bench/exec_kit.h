/* Runs a kernel from PTX, recorded and compressed or not, and tells its thread instructions a
 * second. */
#ifndef BENCH_EXEC_KIT_H
#define BENCH_EXEC_KIT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "warpcap/exec.h"
#include "warpcap/stream.h"
#include "warpcap/texture.h"

#define HEAD ".version 6.0\n.target sm_70\n.address_size 64\n"
#define KERNEL                                                                                 \
	".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n)\n{\n.reg .b32 "        \
	"%r<40>;\n.reg .b64 %rd<40>;\n"                                                        \
	".reg .f32 %f<40>;\n.reg .pred %p<10>;\nld.param.u64 %rd1, [a];\nld.param.u64 %rd2, "  \
	"[b];\n"                                                                               \
	"ld.param.u32 %r10, [n];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, " \
	"%ntid.x;\n"                                                                           \
	"mad.lo.s32 %r4, %r2, %r3, %r1;\n"

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

/* Memory as an image of 1024 rows of 1024 f32, filtered, beyond its edges as at them. */
static uint64_t
image_of(struct wcp_device *d, uint64_t memory, struct wcp_error *e)
{
	struct wcp_texture t = {.image = {.dim = WCP_IMAGE_2D,
				    .channels = 1,
				    .channel_bits = 32,
				    .kind = WCP_CHANNEL_FLOAT,
				    .n_level = 1,
				    .level = {{.width = 1024, .height = 1024, .depth = 1}}},
	    .address = {WCP_ADDRESS_CLAMP, WCP_ADDRESS_CLAMP, WCP_ADDRESS_CLAMP},
	    .filter = WCP_FILTER_LINEAR};
	wcp_image_layout(&t.image, memory);
	return wcp_texture_new(d, &t, e);
}

/* A kernel of two buffers of 4 MiB, the first of them an image or not. */
struct bench_kernel {
	const char *name, *ptx;
	uint32_t grid, n;
	double floor;
	double bytes; /* a warp instruction on disk at most; 0: not told */
	bool image;
};

static double
once(const struct bench_kernel *k, bool record, double *bytes_per_insn)
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
	struct wcp_module *m = wcp_device_load(d, k->ptx, strlen(k->ptx), "bench", &e);
	must(m, &e);
	uint64_t a = wcp_device_alloc(d, bytes, "a", &e), b = wcp_device_alloc(d, bytes, "b", &e);
	memset(wcp_device_host(d, a, bytes), 0, bytes);
	memset(wcp_device_host(d, b, bytes), 0, bytes);
	if (k->image)
		a = image_of(d, a, &e);
	must(a, &e);
	const void *arg[] = {&a, &b, &k->n};
	const struct wcp_launch l = {.module = m,
	    .kernel = "k",
	    .grid = {k->grid, 1, 1},
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

/* Prints the best of so many runs of each kernel, or of the one that is named. */
static void
rate_kernels(const struct bench_kernel *kernel, size_t n, const char *only, unsigned runs)
{
	for (const struct bench_kernel *k = kernel; k < kernel + n; k++) {
		double best = 0, off = 0, bytes = 0, ignored;
		if (only && strcmp(only, k->name) != 0)
			continue;
		for (unsigned i = 0; i < runs; i++) {
			double v = once(k, true, &bytes);
			best = v > best ? v : best;
			v = once(k, false, &ignored);
			off = v > off ? v : off;
		}
		printf("exec-%s %.0f M-thread-instr/s %.0f\n", k->name, best / 1e6, k->floor);
		printf("exec-%s-unrecorded %.0f M-thread-instr/s 0\n", k->name, off / 1e6);
		if (k->bytes > 0)
			printf("exec-%s-size %.3f B/warp-instr %g\n", k->name, bytes, k->bytes);
		fflush(stdout);
	}
}

#endif
