#include <math.h>
#include <stddef.h>
#include "workload/workload.h"

WORKLOAD_PTX(conv3d, "polybench/3dconv.ptx");

static const struct parameter parameter[] = {
    {"N", "points a side", PARAMETER_INTEGER, 64, 1, 1290, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	uint64_t n = (uint64_t)host_integer(h, "N");
	return 8 * n * n * n;
}

/* The kernel's sum, in its order: which points, with which weights. */
static float
point(const float *at, ptrdiff_t row, ptrdiff_t plane)
{
	static const struct {
		int8_t i, j, k;
		float weight;
	} term[15] = {{-1, -1, -1, 2}, {1, -1, -1, 4}, {-1, -1, 1, 5}, {1, -1, 1, 7},
	    {-1, 0, -1, -8}, {1, 0, -1, 10}, {0, -1, 0, -3}, {0, 0, 0, 6}, {0, 1, 0, -9},
	    {-1, 1, -1, 2}, {1, 1, -1, 4}, {-1, 0, 1, 5}, {1, 0, 1, 7}, {-1, 1, 1, -8},
	    {1, 1, 1, 10}};
	float sum = 0;
	for (int t = 0; t < 15; t++)
		sum =
		    fmaf(term[t].weight, at[term[t].i * plane + term[t].j * row + term[t].k], sum);
	return sum;
}

static void
reference(const float *A, float *B, int32_t n)
{
	ptrdiff_t row = n, plane = row * n;
	for (int32_t i = 1; i < n - 1; i++)
		for (int32_t j = 1; j < n - 1; j++)
			for (int32_t k = 1; k < n - 1; k++) {
				ptrdiff_t at = i * plane + j * row + k;
				B[at] = point(A + at, row, plane);
			}
}

static void
run(struct host *h)
{
	int32_t n = (int32_t)host_integer(h, "N");
	uint64_t elements = (uint64_t)n * (uint64_t)n * (uint64_t)n;
	float *A = host_uniform(h, elements, 0, 0, 1), *B = host_memory(h, elements, sizeof *B);
	uint64_t dA = host_input(h, "A", A, 4 * elements), dB = host_device(h, "B", 4 * elements);

	for (int32_t i = 1; i < n - 1; i++)
		host_launch(h, "conv3d", SHAPE_2D(n, n, 32, 8), ARGUMENTS(&dA, &dB, &n, &n, &i));
	host_download(h, dB, 4 * elements);
	if (!host_verifies(h))
		return;
	reference(A, B, n);
	host_expect_f32(h, "B", dB, B, elements, 0);
}

const struct workload workload_3dconv = {
    .name = "3dconv",
    .summary = "3 x 3 x 3 convolution of 15 points: a launch a plane, neighbours share lines",
    .origin = "PolyBench/GPU, 3DCONV",
    .parameter = parameter,
    .small = "N=20",
    .paper = "N=256",
    .footprint = "8 N N N",
    .check = "bit for bit",
    .ptx = conv3d_ptx,
    .ptx_end = conv3d_ptx_end,
    .footprint_bytes = footprint,
    .run = run,
};
