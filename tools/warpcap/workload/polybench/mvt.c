#include "workload/reference.h"
#include "workload/workload.h"

WORKLOAD_PTX(mvt, "polybench/mvt.ptx");

static const struct parameter parameter[] = {
    {"N", "rows and columns", PARAMETER_INTEGER, 1024, 1, 32767, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	uint64_t n = (uint64_t)host_integer(h, "N");
	return 4 * (n * n + 4 * n);
}

static void
run(struct host *h)
{
	int32_t n = (int32_t)host_integer(h, "N");
	uint64_t elements = (uint64_t)n * (uint64_t)n, row = 4 * (uint64_t)n;
	float *A = host_uniform(h, elements, 0, 0, 1);
	float *x1 = host_uniform(h, n, 1, 0, 1), *y1 = host_uniform(h, n, 2, 0, 1);
	float *x2 = host_uniform(h, n, 3, 0, 1), *y2 = host_uniform(h, n, 4, 0, 1);
	uint64_t dA = host_input(h, "A", A, 4 * elements);
	uint64_t dx1 = host_input(h, "x1", x1, row), dy1 = host_input(h, "y1", y1, row);
	uint64_t dx2 = host_input(h, "x2", x2, row), dy2 = host_input(h, "y2", y2, row);

	host_launch(h, "mvt_kernel1", SHAPE(n, 256), ARGUMENTS(&dA, &dx1, &dy1, &n));
	host_launch(h, "mvt_kernel2", SHAPE(n, 256), ARGUMENTS(&dA, &dx2, &dy2, &n));
	host_download(h, dx1, row);
	host_download(h, dx2, row);
	if (!host_verifies(h))
		return;
	reference_rows(A, y1, x1, n, n);
	reference_columns(A, y2, x2, n, n);
	host_expect_f32(h, "x1", dx1, x1, n, 0);
	host_expect_f32(h, "x2", dx2, x2, n, 0);
}

const struct workload workload_mvt = {
    .name = "mvt",
    .summary = "x1 += A y1, a thread a row, uncoalesced, and x2 += A'y2, a thread a column",
    .origin = "PolyBench/GPU, MVT",
    .parameter = parameter,
    .small = "N=100",
    .paper = "N=4096",
    .footprint = "4 (N N + 4 N)",
    .check = "bit for bit",
    .ptx = mvt_ptx,
    .ptx_end = mvt_ptx_end,
    .footprint_bytes = footprint,
    .run = run,
};
