#include <math.h>
#include "workload/workload.h"

WORKLOAD_PTX(syrk, "polybench/syrk.ptx");

static const struct parameter parameter[] = {
    {"N", "rows of A, rows and columns of C", PARAMETER_INTEGER, 256, 1, 32767, NULL},
    {"M", "columns of A", PARAMETER_INTEGER, 256, 1, 32767, NULL},
    {"ALPHA", "factor of AA'", PARAMETER_REAL, 1.5, -1e6, 1e6, NULL},
    {"BETA", "factor of C", PARAMETER_REAL, 1.25, -1e6, 1e6, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	uint64_t n = (uint64_t)host_integer(h, "N"), m = (uint64_t)host_integer(h, "M");
	return 4 * (n * m + n * n);
}

static void
reference(const float *A, float *C, int32_t n, int32_t m, float alpha, float beta)
{
	for (int32_t i = 0; i < n; i++)
		for (int32_t j = 0; j < n; j++) {
			float c = C[(size_t)i * n + j] * beta;
			for (int32_t k = 0; k < m; k++)
				c = fmaf(alpha * A[(size_t)i * m + k], A[(size_t)j * m + k], c);
			C[(size_t)i * n + j] = c;
		}
}

static void
run(struct host *h)
{
	int32_t n = (int32_t)host_integer(h, "N"), m = (int32_t)host_integer(h, "M");
	float alpha = (float)host_real(h, "ALPHA"), beta = (float)host_real(h, "BETA");
	uint64_t a = (uint64_t)n * (uint64_t)m, c = (uint64_t)n * (uint64_t)n;
	float *A = host_uniform(h, a, 0, 0, 1), *C = host_uniform(h, c, 1, 0, 1);
	float *out = host_memory(h, c, sizeof *out);
	uint64_t dA = host_input(h, "A", A, 4 * a), dC = host_input(h, "C", C, 4 * c);

	host_launch(h, "syrk", SHAPE_2D(n, n, 32, 8), ARGUMENTS(&dA, &dC, &n, &m, &alpha, &beta));
	host_read(h, out, dC, 4 * c);
	if (!host_verifies(h))
		return;
	reference(A, C, n, m, alpha, beta);
	host_expect_f32(h, "C", dC, C, c, 0);
}

const struct workload workload_syrk = {
    .name = "syrk",
    .summary = "C = alpha A A' + beta C: one load the same for all lanes, one a row apart",
    .origin = "PolyBench/GPU, SYRK",
    .parameter = parameter,
    .small = "N=67 M=33",
    .paper = "N=256 M=256",
    .footprint = "4 (N M + N N)",
    .check = "bit for bit",
    .ptx = syrk_ptx,
    .ptx_end = syrk_ptx_end,
    .footprint_bytes = footprint,
    .run = run,
};
