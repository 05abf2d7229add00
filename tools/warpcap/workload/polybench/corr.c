#include <math.h>
#include "workload/workload.h"

WORKLOAD_PTX(corr, "polybench/corr.ptx");

static const struct parameter parameter[] = {
    {"M", "variables: columns of the data", PARAMETER_INTEGER, 256, 1, 32767, NULL},
    {"N", "observations: rows of the data", PARAMETER_INTEGER, 256, 1, 32767, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	uint64_t m = (uint64_t)host_integer(h, "M"), n = (uint64_t)host_integer(h, "N");
	return 4 * (m * n + m * m + 2 * m);
}

static void
centre(float *data, float *mean, float *deviation, int32_t m, int32_t n)
{
	for (int32_t j = 0; j < m; j++) {
		float sum = 0, square = 0;
		for (int32_t i = 0; i < n; i++)
			sum += data[(size_t)i * m + j];
		mean[j] = sum / (float)n;
		for (int32_t i = 0; i < n; i++) {
			float d = data[(size_t)i * m + j] - mean[j];
			square = fmaf(d, d, square);
		}
		float root = sqrtf(square / (float)n);
		deviation[j] = root <= 0.005f ? 1.0f : root;
		for (int32_t i = 0; i < n; i++) {
			float *at = &data[(size_t)i * m + j];
			*at = (*at - mean[j]) / (sqrtf((float)n) * deviation[j]);
		}
	}
}

static void
correlate(const float *data, float *matrix, int32_t m, int32_t n)
{
	for (int32_t j = 0; j < m; j++)
		for (int32_t k = j + 1; k < m; k++) {
			float sum = 0;
			for (int32_t i = 0; i < n; i++)
				sum = fmaf(data[(size_t)i * m + j], data[(size_t)i * m + k], sum);
			matrix[(size_t)j * m + k] = matrix[(size_t)k * m + j] = sum;
		}
	for (int32_t j = 0; j < m; j++)
		matrix[(size_t)j * m + j] = 1;
}

static void
run(struct host *h)
{
	int32_t m = (int32_t)host_integer(h, "M"), n = (int32_t)host_integer(h, "N");
	uint64_t in = (uint64_t)m * (uint64_t)n, out = (uint64_t)m * (uint64_t)m;
	float *data = host_uniform(h, in, 0, 0, 1), *matrix = host_memory(h, out, sizeof *matrix);
	float *mean = host_memory(h, m, 4), *deviation = host_memory(h, m, 4);
	uint64_t ddata = host_input(h, "data", data, 4 * in);
	uint64_t dmean = host_device(h, "mean", 4 * (uint64_t)m),
		 ddeviation = host_device(h, "deviation", 4 * (uint64_t)m),
		 dmatrix = host_device(h, "matrix", 4 * out);

	host_launch(h, "corr_mean", SHAPE(m, 256), ARGUMENTS(&ddata, &dmean, &m, &n));
	host_launch(
	    h, "corr_deviation", SHAPE(m, 256), ARGUMENTS(&ddata, &dmean, &ddeviation, &m, &n));
	host_launch(h, "corr_centre", SHAPE_2D(m, n, 32, 8),
	    ARGUMENTS(&ddata, &dmean, &ddeviation, &m, &n));
	host_launch(h, "corr_correlate", SHAPE(m, 256), ARGUMENTS(&ddata, &dmatrix, &m, &n));
	host_download(h, dmatrix, 4 * out);
	if (!host_verifies(h))
		return;
	centre(data, mean, deviation, m, n);
	correlate(data, matrix, m, n);
	host_expect_f32(h, "data", ddata, data, in, 0);
	host_expect_f32(h, "matrix", dmatrix, matrix, out, 0);
}

const struct workload workload_corr = {
    .name = "corr",
    .summary = "correlations between columns: a thread a row of the matrix, coalesced",
    .origin = "PolyBench/GPU, CORR",
    .parameter = parameter,
    .small = "M=70 N=50",
    .paper = "M=512 N=512",
    .footprint = "4 (M N + M M + 2 M)",
    .check = "bit for bit",
    .ptx = corr_ptx,
    .ptx_end = corr_ptx_end,
    .footprint_bytes = footprint,
    .run = run,
};
