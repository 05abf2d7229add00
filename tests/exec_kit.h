/* What the executor's tests share: a device that keeps all it records, and one call per launch. */
#ifndef TESTS_EXEC_KIT_H
#define TESTS_EXEC_KIT_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "warpcap/exec.h"

#define HEAD ".version 7.8\n.target sm_70\n.address_size 64\n"
/* A kernel of one argument, a buffer of u32: %rd1 its address, %rd2 that of the thread's own
 * element, %r1 the thread's linear number in the grid (one dimension). Registers: %r %rd %f %fd %p
 * %h, 40 each. */
#define KERNEL(name)                                                                          \
	".visible .entry " name "(.param .u64 out)\n{\n"                                      \
	".reg .b32 %r<40>;\n.reg .b64 %rd<40>;\n.reg .f32 %f<40>;\n.reg .f64 %fd<40>;\n"      \
	".reg .pred %p<40>;\n.reg .b16 %h<40>;\n"                                             \
	"ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n"           \
	"mov.u32 %r3, %ntid.x;\nmad.lo.s32 %r1, %r2, %r3, %r1;\nmul.wide.u32 %rd2, %r1, 4;\n" \
	"add.s64 %rd2, %rd1, %rd2;\n"
#define PUT(reg) "st.global.u32 [%rd2], " reg ";\n"
#define END	 "ret;\n}\n"

struct kit {
	struct wcp_device *device;
	struct wcp_module *module;
	struct wcp_warp_batch all; /* of the last launch, or of all since kit_clear */
	struct wcp_kernel kernel;
	struct wcp_kernel_end end;
	const struct wcp_program *program;
	uint32_t batches, ends;
	struct wcp_error error;
};

static int kit_failures;

#define CHECK(ok, ...)                                         \
	do {                                                   \
		if (!(ok) && kit_failures++ < 20) {            \
			printf("%s:%d: ", __func__, __LINE__); \
			printf(__VA_ARGS__);                   \
			putchar('\n');                         \
		}                                              \
	} while (0)

static int
kit_on_program(void *arg, const struct wcp_program *p, struct wcp_error *e)
{
	(void)e;
	((struct kit *)arg)->program = p;
	return 0;
}

static int
kit_on_kernel(void *arg, const struct wcp_kernel *k, struct wcp_error *e)
{
	(void)e;
	((struct kit *)arg)->kernel = *k;
	return 0;
}

static int
kit_on_end(void *arg, const struct wcp_kernel_end *end, struct wcp_error *e)
{
	struct kit *k = arg;
	(void)e;
	k->end = *end;
	k->ends++;
	return 0;
}

static int
kit_on_warp(void *arg, const struct wcp_warp_batch *b, struct wcp_error *e)
{
	struct kit *k = arg;
	k->batches++;
	if (!k->all.n_seg)
		k->all.kernel = b->kernel;
	if (wcp_warp_batch_append(&k->all, b, 0, b->n_seg))
		return wcp_fail(e, WCP_ESYS, "out of memory");
	return 0;
}

static inline void
kit_clear(struct kit *k)
{
	wcp_warp_batch_clear(&k->all);
	k->batches = k->ends = 0;
	memset(&k->end, 0, sizeof k->end);
}

/* Options' sink is the kit's own. Ends the program if the text does not load. */
static inline void
kit_open(struct kit *k, const char *ptx, struct wcp_device_options options)
{
	memset(k, 0, sizeof *k);
	wcp_warp_batch_init(&k->all);
	options.sink = (struct wcp_sink){.arg = k,
	    .program = kit_on_program,
	    .kernel = kit_on_kernel,
	    .warp = kit_on_warp,
	    .kernel_end = kit_on_end};
	k->device = wcp_device_new(&options, &k->error);
	if (k->device)
		k->module = wcp_device_load(k->device, ptx, strlen(ptx), "test", &k->error);
	if (!k->module) {
		printf("%s\n", k->error.text);
		exit(1);
	}
}

static inline void
kit_close(struct kit *k)
{
	wcp_device_free(k->device);
	wcp_warp_batch_release(&k->all);
}

/* One-dimensional launch of a kernel whose arguments are all 64-bit. */
static inline int
kit_launch(struct kit *k, const char *kernel, uint32_t grid, uint32_t block, uint32_t shared,
    const uint64_t *arg, uint32_t n)
{
	const void *list[8];
	for (uint32_t i = 0; i < n; i++)
		list[i] = &arg[i];
	const struct wcp_launch l = {.module = k->module,
	    .kernel = kernel,
	    .grid = {grid, 1, 1},
	    .block = {block, 1, 1},
	    .dynamic_shared_bytes = shared,
	    .arg = list,
	    .n_arg = n,
	    .record = true};
	k->error.text[0] = 0;
	return wcp_device_launch(k->device, &l, &k->error);
}

static inline uint64_t
kit_buffer(struct kit *k, uint64_t bytes, const char *label)
{
	uint64_t a = wcp_device_alloc(k->device, bytes, label, &k->error);
	if (!a) {
		printf("%s\n", k->error.text);
		exit(1);
	}
	return a;
}

/* Loads ptx, runs kernel "k" over grid x block threads with one buffer of that many words; the
 * result in out. */
static inline int
kit_words(const char *ptx, uint32_t grid, uint32_t block, uint32_t *out, char error[480])
{
	struct kit k;
	kit_open(&k, ptx, (struct wcp_device_options){.max_insns = 1u << 24});
	uint64_t a = kit_buffer(&k, 4ull * grid * block, "out");
	int r = kit_launch(&k, "k", grid, block, 0, &a, 1);
	memcpy(out, wcp_device_host(k.device, a, 4ull * grid * block), 4ull * grid * block);
	if (error)
		memcpy(error, k.error.text, 480);
	else if (r)
		printf("%s\n", k.error.text);
	CHECK(k.ends == 1, "KERNEL_END came %u times", k.ends);
	kit_close(&k);
	return r;
}

#endif
