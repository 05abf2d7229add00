#include <math.h>
#include "workload/reference.h"
#include "workload/workload.h"

WORKLOAD_PTX(gemm, "sdk/gemm.ptx");

static const struct parameter parameter[] = {
    {"M", "rows of A and C", PARAMETER_INTEGER, 384, 1, 32767, NULL},
    {"N", "columns of B and C", PARAMETER_INTEGER, 384, 1, 32767, NULL},
    {"K", "columns of A, rows of B", PARAMETER_INTEGER, 384, 1, 32767, NULL},
    {"ALPHA", "factor of AB", PARAMETER_REAL, 1.5, -1e6, 1e6, NULL},
    {"BETA", "factor of C", PARAMETER_REAL, 1.25, -1e6, 1e6, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	uint64_t m = (uint64_t)host_integer(h, "M"), n = (uint64_t)host_integer(h, "N"),
		 k = (uint64_t)host_integer(h, "K");
	return 4 * (m * k + k * n + m * n);
}

static void
verify(struct host *h, const float *A, const float *B, const float *C, uint64_t dC)
{
	int32_t m = (int32_t)host_integer(h, "M"), n = (int32_t)host_integer(h, "N"),
		k = (int32_t)host_integer(h, "K");
	float alpha = (float)host_real(h, "ALPHA"), beta = (float)host_real(h, "BETA");
	uint64_t elements = (uint64_t)m * (uint64_t)n;
	float *wanted = host_memory(h, elements, sizeof *wanted);
	if (host_failed(h))
		return;
	reference_product(A, B, wanted, m, n, k);
	for (uint64_t e = 0; e < elements; e++)
		wanted[e] = fmaf(alpha, wanted[e], beta * C[e]);
	host_expect_f32(h, "C", dC, wanted, elements, 0);
}

static void
run(struct host *h)
{
	int32_t m = (int32_t)host_integer(h, "M"), n = (int32_t)host_integer(h, "N"),
		k = (int32_t)host_integer(h, "K");
	float alpha = (float)host_real(h, "ALPHA"), beta = (float)host_real(h, "BETA");
	uint64_t a = (uint64_t)m * (uint64_t)k, b = (uint64_t)k * (uint64_t)n,
		 c = (uint64_t)m * (uint64_t)n;
	float *A = host_uniform(h, a, 0, 0, 1), *B = host_uniform(h, b, 1, 0, 1),
	      *C = host_uniform(h, c, 2, 0, 1);
	float *out = host_memory(h, c, sizeof *out);
	uint64_t dA = host_input(h, "A", A, 4 * a), dB = host_input(h, "B", B, 4 * b),
		 dC = host_input(h, "C", C, 4 * c);

	host_launch(
	    h, "gemm", SHAPE_2D(n, m, 16, 16), ARGUMENTS(&dA, &dB, &dC, &m, &n, &k, &alpha, &beta));
	host_read(h, out, dC, 4 * c);
	if (host_verifies(h))
		verify(h, A, B, C, dC);
}

const struct workload workload_gemm = {
    .name = "gemm",
    .summary = "C = alpha A B + beta C: 16 x 16 tiles in shared memory",
    .origin = "CUDA C Programming Guide, matrix multiplication with shared memory",
    .parameter = parameter,
    .small = "M=33 N=17 K=50",
    .paper = "M=512 N=512 K=512",
    .footprint = "4 (M K + K N + M N)",
    .check = "bit for bit",
    .ptx = gemm_ptx,
    .ptx_end = gemm_ptx_end,
    .footprint_bytes = footprint,
    .run = run,
};
