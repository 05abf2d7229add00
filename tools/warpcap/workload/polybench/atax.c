#include "workload/reference.h"
#include "workload/workload.h"

WORKLOAD_PTX(atax, "polybench/atax.ptx");

static const struct parameter parameter[] = {
    {"M", "rows of A", PARAMETER_INTEGER, 1024, 1, 65536, NULL},
    {"N", "columns of A", PARAMETER_INTEGER, 1024, 1, 32767, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	uint64_t m = (uint64_t)host_integer(h, "M"), n = (uint64_t)host_integer(h, "N");
	return 4 * (m * n + m + 2 * n);
}

static void
run(struct host *h)
{
	int32_t m = (int32_t)host_integer(h, "M"), n = (int32_t)host_integer(h, "N");
	uint64_t elements = (uint64_t)m * (uint64_t)n, row = 4 * (uint64_t)n,
		 column = 4 * (uint64_t)m;
	float *A = host_uniform(h, elements, 0, 0, 1), *x = host_uniform(h, n, 1, 0, 1);
	float *tmp = host_memory(h, m, sizeof *tmp), *y = host_memory(h, n, sizeof *y);
	uint64_t dA = host_input(h, "A", A, 4 * elements), dx = host_input(h, "x", x, row);
	uint64_t dtmp = host_input(h, "tmp", tmp, column), dy = host_input(h, "y", y, row);

	host_launch(h, "atax_kernel1", SHAPE(m, 256), ARGUMENTS(&dA, &dx, &dtmp, &m, &n));
	host_launch(h, "atax_kernel2", SHAPE(n, 256), ARGUMENTS(&dA, &dtmp, &dy, &m, &n));
	host_read(h, y, dy, row);
	if (!host_verifies(h))
		return;
	for (int32_t j = 0; j < n; j++)
		y[j] = 0;
	reference_rows(A, x, tmp, m, n);
	reference_columns(A, tmp, y, m, n);
	host_expect_f32(h, "tmp", dtmp, tmp, m, 0);
	host_expect_f32(h, "y", dy, y, n, 0);
}

const struct workload workload_atax = {
    .name = "atax",
    .summary = "y = A'(Ax): a thread a row, uncoalesced, then a thread a column",
    .origin = "PolyBench/GPU, ATAX",
    .parameter = parameter,
    .small = "M=100 N=60",
    .paper = "M=4096 N=4096",
    .footprint = "4 (M N + M + 2 N)",
    .check = "bit for bit",
    .ptx = atax_ptx,
    .ptx_end = atax_ptx_end,
    .footprint_bytes = footprint,
    .run = run,
};
