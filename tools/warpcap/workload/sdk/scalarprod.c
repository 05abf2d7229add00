#include <math.h>
#include "workload/workload.h"

WORKLOAD_PTX(scalarprod, "sdk/scalarprod.ptx");

static const struct parameter parameter[] = {
    {"VECTORS", "pairs of them", PARAMETER_INTEGER, 64, 1, 65535, NULL},
    {"N", "elements of a vector", PARAMETER_INTEGER, 4096, 1, 1 << 20, NULL},
    {"CTAS", "that share them", PARAMETER_INTEGER, 128, 1, 65535, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	uint64_t vectors = (uint64_t)host_integer(h, "VECTORS"), n = (uint64_t)host_integer(h, "N");
	return 8 * vectors * n + 4 * vectors;
}

enum { SUMS = 1024 };

static void *
prepare(struct host *h)
{
	if (host_integer(h, "VECTORS") * host_integer(h, "N") >= INT32_MAX)
		host_fail(h, WCP_EUSAGE, "scalarprod: VECTORS times N is not below 2^31");
	return NULL;
}

static float
product(const float *a, const float *b, int32_t n)
{
	float partial[SUMS] = {0};
	for (int32_t k = 0; k < n; k++)
		partial[k % SUMS] = fmaf(a[k], b[k], partial[k % SUMS]);
	for (int width = SUMS / 2; width > 0; width /= 2)
		for (int s = 0; s < width; s++)
			partial[s] += partial[width + s];
	return partial[0];
}

static void
run(struct host *h)
{
	int32_t vectors = (int32_t)host_integer(h, "VECTORS"), n = (int32_t)host_integer(h, "N");
	uint64_t elements = (uint64_t)vectors * (uint64_t)n;
	float *a = host_uniform(h, elements, 0, 0, 1), *b = host_uniform(h, elements, 1, 0, 1),
	      *result = host_memory(h, vectors, sizeof *result);
	uint64_t da = host_input(h, "a", a, 4 * elements), db = host_input(h, "b", b, 4 * elements),
		 dresult = host_device(h, "results", 4 * (uint64_t)vectors);
	host_launch(h, "scalarprod",
	    (struct host_shape){{(uint32_t)host_integer(h, "CTAS"), 1, 1}, {256, 1, 1}, 0},
	    ARGUMENTS(&dresult, &da, &db, &vectors, &n));
	host_download(h, dresult, 4 * (uint64_t)vectors);
	if (!host_verifies(h))
		return;
	for (int32_t v = 0; v < vectors; v++)
		result[v] = product(a + (size_t)v * n, b + (size_t)v * n, n);
	host_expect_f32(h, "result", dresult, result, vectors, 0);
}

const struct workload workload_scalarprod = {
    .name = "scalarprod",
    .summary = "scalar products of pairs of vectors: coalesced streams, sums in shared memory",
    .origin = "CUDA samples, scalarProd",
    .parameter = parameter,
    .small = "VECTORS=9 N=1500 CTAS=4",
    .paper = "VECTORS=256 N=4096 CTAS=128",
    .footprint = "8 VECTORS N + 4 VECTORS",
    .check = "bit for bit",
    .ptx = scalarprod_ptx,
    .ptx_end = scalarprod_ptx_end,
    .footprint_bytes = footprint,
    .prepare = prepare,
    .run = run,
};
