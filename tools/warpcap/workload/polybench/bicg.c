#include "workload/reference.h"
#include "workload/workload.h"

WORKLOAD_PTX(bicg, "polybench/bicg.ptx");

static const struct parameter parameter[] = {
    {"M", "rows of A", PARAMETER_INTEGER, 1024, 1, 65536, NULL},
    {"N", "columns of A", PARAMETER_INTEGER, 1024, 1, 32767, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	uint64_t m = (uint64_t)host_integer(h, "M"), n = (uint64_t)host_integer(h, "N");
	return 4 * (m * n + 2 * m + 2 * n);
}

static void
run(struct host *h)
{
	int32_t m = (int32_t)host_integer(h, "M"), n = (int32_t)host_integer(h, "N");
	uint64_t elements = (uint64_t)m * (uint64_t)n, row = 4 * (uint64_t)n,
		 column = 4 * (uint64_t)m;
	float *A = host_uniform(h, elements, 0, 0, 1), *r = host_uniform(h, m, 1, 0, 1),
	      *p = host_uniform(h, n, 2, 0, 1);
	float *s = host_memory(h, n, sizeof *s), *q = host_memory(h, m, sizeof *q);
	uint64_t dA = host_input(h, "A", A, 4 * elements), dr = host_input(h, "r", r, column),
		 dp = host_input(h, "p", p, row);
	uint64_t ds = host_device(h, "s", row), dq = host_device(h, "q", column);

	host_launch(h, "bicg_kernel1", SHAPE(n, 256), ARGUMENTS(&dA, &dr, &ds, &m, &n));
	host_launch(h, "bicg_kernel2", SHAPE(m, 256), ARGUMENTS(&dA, &dp, &dq, &m, &n));
	host_download(h, ds, row);
	host_download(h, dq, column);
	if (!host_verifies(h))
		return;
	reference_columns(A, r, s, m, n);
	reference_rows(A, p, q, m, n);
	host_expect_f32(h, "s", ds, s, n, 0);
	host_expect_f32(h, "q", dq, q, m, 0);
}

const struct workload workload_bicg = {
    .name = "bicg",
    .summary = "s = A'r, a thread a column, and q = Ap, a thread a row, uncoalesced",
    .origin = "PolyBench/GPU, BICG",
    .parameter = parameter,
    .small = "M=100 N=60",
    .paper = "M=4096 N=4096",
    .footprint = "4 (M N + 2 M + 2 N)",
    .check = "bit for bit",
    .ptx = bicg_ptx,
    .ptx_end = bicg_ptx_end,
    .footprint_bytes = footprint,
    .run = run,
};
