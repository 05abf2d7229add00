#include <math.h>
#include "workload/workload.h"

WORKLOAD_PTX(gesummv, "polybench/gesummv.ptx");

static const struct parameter parameter[] = {
    {"N", "rows and columns of A and B", PARAMETER_INTEGER, 1024, 1, 46340, NULL},
    {"ALPHA", "factor of A", PARAMETER_REAL, 1.5, -1e6, 1e6, NULL},
    {"BETA", "factor of B", PARAMETER_REAL, 1.25, -1e6, 1e6, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	uint64_t n = (uint64_t)host_integer(h, "N");
	return 4 * (2 * n * n + 3 * n);
}

static void
reference(
    const float *A, const float *B, const float *x, float *y, int32_t n, float alpha, float beta)
{
	for (int32_t i = 0; i < n; i++) {
		float a = 0, b = 0;
		for (int32_t j = 0; j < n; j++) {
			a = fmaf(A[(size_t)i * n + j], x[j], a);
			b = fmaf(B[(size_t)i * n + j], x[j], b);
		}
		y[i] = fmaf(alpha, a, beta * b);
	}
}

static void
run(struct host *h)
{
	int32_t n = (int32_t)host_integer(h, "N");
	float alpha = (float)host_real(h, "ALPHA"), beta = (float)host_real(h, "BETA");
	uint64_t elements = (uint64_t)n * (uint64_t)n, row = 4 * (uint64_t)n;
	float *A = host_uniform(h, elements, 0, 0, 1), *B = host_uniform(h, elements, 1, 0, 1);
	float *x = host_uniform(h, n, 2, 0, 1), *y = host_memory(h, n, sizeof *y);
	uint64_t dA = host_input(h, "A", A, 4 * elements), dB = host_input(h, "B", B, 4 * elements);
	uint64_t dx = host_input(h, "x", x, row);
	uint64_t dtmp = host_input(h, "tmp", y, row), dy = host_input(h, "y", y, row);

	host_launch(
	    h, "gesummv", SHAPE(n, 256), ARGUMENTS(&dA, &dB, &dx, &dtmp, &dy, &n, &alpha, &beta));
	host_read(h, y, dy, row);
	if (!host_verifies(h))
		return;
	reference(A, B, x, y, n, alpha, beta);
	host_expect_f32(h, "y", dy, y, n, 0);
}

const struct workload workload_gesummv = {
    .name = "gesummv",
    .summary = "y = alpha A x + beta B x: a thread a row of two matrices, uncoalesced",
    .origin = "PolyBench/GPU, GESUMMV",
    .parameter = parameter,
    .small = "N=100",
    .paper = "N=4096",
    .footprint = "4 (2 N N + 3 N)",
    .check = "bit for bit",
    .ptx = gesummv_ptx,
    .ptx_end = gesummv_ptx_end,
    .footprint_bytes = footprint,
    .run = run,
};
