#include <math.h>
#include "workload/workload.h"

WORKLOAD_PTX(conv2d, "polybench/2dconv.ptx");

static const struct parameter parameter[] = {
    {"NI", "rows", PARAMETER_INTEGER, 1024, 1, 32767, NULL},
    {"NJ", "columns", PARAMETER_INTEGER, 1024, 1, 32767, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	return 8 * (uint64_t)host_integer(h, "NI") * (uint64_t)host_integer(h, "NJ");
}

static float
point(const float *at, int32_t columns)
{
	static const float weight[9] = {0.2f, 0.5f, -0.8f, -0.3f, 0.6f, -0.9f, 0.4f, 0.7f, 0.1f};
	float sum = weight[0] * at[-columns - 1];
	for (int k = 1; k < 9; k++)
		sum = fmaf(weight[k], at[(k / 3 - 1) * columns + k % 3 - 1], sum);
	return sum;
}

static void
run(struct host *h)
{
	int32_t rows = (int32_t)host_integer(h, "NI"), columns = (int32_t)host_integer(h, "NJ");
	uint64_t elements = (uint64_t)rows * (uint64_t)columns;
	float *A = host_uniform(h, elements, 0, 0, 1), *B = host_memory(h, elements, sizeof *B);
	uint64_t dA = host_input(h, "A", A, 4 * elements), dB = host_device(h, "B", 4 * elements);

	host_launch(
	    h, "conv2d", SHAPE_2D(columns, rows, 32, 8), ARGUMENTS(&dA, &dB, &rows, &columns));
	host_read(h, B, dB, 4 * elements);
	if (!host_verifies(h))
		return;
	for (uint64_t k = 0; k < elements; k++) {
		uint64_t i = k / (uint64_t)columns, j = k % (uint64_t)columns;
		bool inside = i && j && i + 1 < (uint64_t)rows && j + 1 < (uint64_t)columns;
		B[k] = inside ? point(A + k, columns) : 0;
	}
	host_expect_f32(h, "B", dB, B, elements, 0);
}

const struct workload workload_2dconv = {
    .name = "2dconv",
    .summary = "3 x 3 convolution: nine loads a thread, neighbours share lines",
    .origin = "PolyBench/GPU, 2DCONV",
    .parameter = parameter,
    .small = "NI=131 NJ=77",
    .paper = "NI=4096 NJ=4096",
    .footprint = "8 NI NJ",
    .check = "bit for bit",
    .ptx = conv2d_ptx,
    .ptx_end = conv2d_ptx_end,
    .footprint_bytes = footprint,
    .run = run,
};
