#include "workload/workload.h"

WORKLOAD_PTX(reduction, "sdk/reduction.ptx");

static const char *const finishes[] = {"pass", "atomic", NULL};

static const struct parameter parameter[] = {
    {"N", "elements", PARAMETER_INTEGER, 4 << 20, 1, 1 << 30, NULL},
    {"CTAS", "CTAs that share the input", PARAMETER_INTEGER, 240, 1, 65535, NULL},
    {"FINISH", "CTAs' sums: a second launch, or atomic reductions", PARAMETER_CHOICE, 0, 0, 0,
	finishes},
    {NULL},
};

enum { BLOCK = 256, WARPS = BLOCK / 32 };

static uint64_t
footprint(const struct host *h)
{
	return 4 * ((uint64_t)host_integer(h, "N") + (uint64_t)host_integer(h, "CTAS") + 1);
}

/* ---- the kernel's sums, in its order -------------------------------------------------------- */

static float
fold(float lane[32])
{
	for (int half = 16; half > 0; half /= 2)
		for (int l = 0; l < half; l++)
			lane[l] += lane[l + half];
	return lane[0];
}

static float
cta_sum(const float *in, int64_t n, int64_t cta, int64_t ctas)
{
	float thread[BLOCK] = {0}, warp[32] = {0};
	for (int64_t from = cta * BLOCK; from < n; from += ctas * BLOCK)
		for (int64_t t = 0; t < BLOCK && from + t < n; t++)
			thread[t] += in[from + t];
	for (int w = 0; w < WARPS; w++)
		warp[w] = fold(thread + 32 * w);
	return fold(warp);
}

static void
verify(struct host *h, const float *in, int32_t n, uint32_t ctas, uint64_t dpart, uint64_t dout)
{
	float *part = host_memory(h, ctas, sizeof *part), sum = 0;
	bool atomic = host_chosen(h, "FINISH", "atomic");
	if (host_failed(h))
		return;
	for (uint32_t c = 0; c < ctas; c++) {
		part[c] = cta_sum(in, n, c, ctas);
		sum += part[c];
	}
	if (!atomic) {
		host_expect_f32(h, "parts", dpart, part, ctas, 0);
		sum = cta_sum(part, ctas, 0, 1);
	}
	/* CTAs may add in any order with --relaxed. */
	host_expect_f32(h, "sum", dout, &sum, 1, atomic ? 1e-5 : 0);
}

static void
run(struct host *h)
{
	int32_t n = (int32_t)host_integer(h, "N"), ctas = (int32_t)host_integer(h, "CTAS");
	struct host_shape shape = {{(uint32_t)ctas, 1, 1}, {BLOCK, 1, 1}, 0};
	float *in = host_uniform(h, n, 0, 0, 1), sum = 0;
	uint64_t din = host_input(h, "in", in, 4 * (uint64_t)n);
	uint64_t dpart = host_device(h, "parts", 4 * (uint64_t)ctas),
		 dout = host_input(h, "sum", &sum, 4);

	if (host_chosen(h, "FINISH", "atomic")) {
		host_launch(h, "reduce_atomic", shape, ARGUMENTS(&din, &dout, &n));
	} else {
		host_launch(h, "reduce_pass", shape, ARGUMENTS(&din, &dpart, &n));
		host_launch(h, "reduce_pass", SHAPE(1, BLOCK), ARGUMENTS(&dpart, &dout, &ctas));
	}
	host_read(h, &sum, dout, 4);
	if (host_verifies(h))
		verify(h, in, n, (uint32_t)ctas, dpart, dout);
}

const struct workload workload_reduction = {
    .name = "reduction",
    .summary = "sum of floats: strided loads, shuffles, shared memory, a second launch or atomics",
    .origin = "CUDA samples, reduction",
    .parameter = parameter,
    .small = "N=10000 CTAS=33",
    .paper = "N=16Mi",
    .footprint = "4 (N + CTAS + 1)",
    .check = "bit for bit; FINISH=atomic within 1e-5 of the sum",
    .ptx = reduction_ptx,
    .ptx_end = reduction_ptx_end,
    .footprint_bytes = footprint,
    .run = run,
};
