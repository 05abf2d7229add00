#include <math.h>
#include "workload/workload.h"

WORKLOAD_PTX(syr2k, "polybench/syr2k.ptx");

static const struct parameter parameter[] = {
    {"N", "rows of A, B and C", PARAMETER_INTEGER, 256, 1, 32767, NULL},
    {"M", "columns of A and B", PARAMETER_INTEGER, 256, 1, 32767, NULL},
    {"ALPHA", "factor of the products", PARAMETER_REAL, 1, -1e6, 1e6, NULL},
    {"BETA", "factor of C", PARAMETER_REAL, 1, -1e6, 1e6, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	uint64_t n = (uint64_t)host_integer(h, "N"), m = (uint64_t)host_integer(h, "M");
	return 4 * (2 * n * m + n * n);
}

/* Element e of C, in the kernel's order. */
static float
element(const float *A, const float *B, float c, int32_t i, int32_t j, int32_t m, float alpha)
{
	const float *ai = A + (size_t)i * m, *aj = A + (size_t)j * m, *bi = B + (size_t)i * m,
		    *bj = B + (size_t)j * m;
	for (int32_t k = 0; k < m; k++) {
		c = fmaf(alpha * ai[k], bj[k], c);
		c = fmaf(alpha * bi[k], aj[k], c);
	}
	return c;
}

/* All of C, or, where that is too much, some rows of it. */
static void
verify(struct host *h, const float *A, const float *B, float *C, uint64_t dC)
{
	int32_t n = (int32_t)host_integer(h, "N"), m = (int32_t)host_integer(h, "M");
	float alpha = (float)host_real(h, "ALPHA"), beta = (float)host_real(h, "BETA");
	int32_t step = 1 + (int32_t)((double)n * n * m / 1e9);
	for (int32_t i = 0; i < n; i += step) {
		float *row = C + (size_t)i * n;
		for (int32_t j = 0; j < n; j++)
			row[j] = element(A, B, row[j] * beta, i, j, m, alpha);
		host_expect_f32(h, "C", dC + 4 * (uint64_t)i * n, row, n, 0);
	}
}

static void
run(struct host *h)
{
	int32_t n = (int32_t)host_integer(h, "N"), m = (int32_t)host_integer(h, "M");
	float alpha = (float)host_real(h, "ALPHA"), beta = (float)host_real(h, "BETA");
	uint64_t in = (uint64_t)n * (uint64_t)m, out = (uint64_t)n * (uint64_t)n;
	float *A = host_uniform(h, in, 0, 0, 1), *B = host_uniform(h, in, 1, 0, 1),
	      *C = host_uniform(h, out, 2, 0, 1);
	uint64_t dA = host_input(h, "A", A, 4 * in), dB = host_input(h, "B", B, 4 * in),
		 dC = host_input(h, "C", C, 4 * out);

	host_launch(
	    h, "syr2k", SHAPE_2D(n, n, 32, 8), ARGUMENTS(&dA, &dB, &dC, &n, &m, &alpha, &beta));
	host_download(h, dC, 4 * out);
	if (host_verifies(h))
		verify(h, A, B, C, dC);
}

const struct workload workload_syr2k = {
    .name = "syr2k",
    .summary =
	"C = alpha (A B' + B A') + beta C: two loads the same for all lanes, two a row apart",
    .origin = "PolyBench/GPU, SYR2K",
    .parameter = parameter,
    .small = "N=67 M=33",
    .paper = "N=2048 M=2048",
    .footprint = "4 (2 N M + N N)",
    .check = "bit for bit; above 1e9 products every few rows",
    .ptx = syr2k_ptx,
    .ptx_end = syr2k_ptx_end,
    .footprint_bytes = footprint,
    .run = run,
};
