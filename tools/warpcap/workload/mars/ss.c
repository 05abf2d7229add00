#include <math.h>
#include "workload/workload.h"

WORKLOAD_PTX(ss, "mars/ss.ptx");

static const struct parameter parameter[] = {
    {"N", "documents", PARAMETER_INTEGER, 512, 1, 32767, NULL},
    {"FEATURES", "of a document", PARAMETER_INTEGER, 128, 1, 4096, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	uint64_t n = (uint64_t)host_integer(h, "N"),
		 features = (uint64_t)host_integer(h, "FEATURES");
	return 4 * (n * features + n * n);
}

static float
product(const float *a, const float *b, int32_t features)
{
	float sum = 0;
	for (int32_t f = 0; f < features; f++)
		sum = fmaf(a[f], b[f], sum);
	return sum;
}

static void
reference(const float *vector, float *norm, float *score, int32_t n, int32_t features)
{
	for (int32_t i = 0; i < n; i++) {
		const float *v = vector + (size_t)i * features;
		norm[i] = sqrtf(product(v, v, features));
	}
	/* CTAs of 16 x 16 below the diagonal have nothing to do. */
	for (int32_t i = 0; i < n; i++)
		for (int32_t j = i / 16 * 16; j < n; j++) {
			float sum = product(
			    vector + (size_t)i * features, vector + (size_t)j * features, features);
			score[(size_t)i * n + j] = sum / (norm[i] * norm[j]);
		}
}

static void
run(struct host *h)
{
	int32_t n = (int32_t)host_integer(h, "N"), features = (int32_t)host_integer(h, "FEATURES");
	uint64_t values = (uint64_t)n * (uint64_t)features, pairs = (uint64_t)n * (uint64_t)n;
	float *vector = host_uniform(h, values, 0, 0, 1), *norm = host_memory(h, n, sizeof *norm),
	      *score = host_memory(h, pairs, sizeof *score);
	uint64_t dvector = host_input(h, "documents", vector, 4 * values),
		 dscore = host_device(h, "scores", 4 * pairs);
	host_launch(
	    h, "ss_scores", SHAPE_2D(n, n, 16, 16), ARGUMENTS(&dvector, &dscore, &n, &features));
	host_download(h, dscore, 4 * pairs);
	if (!host_verifies(h))
		return;
	reference(vector, norm, score, n, features);
	host_expect_f32(h, "score", dscore, score, pairs, 0);
}

const struct workload workload_ss = {
    .name = "ss",
    .summary =
	"similarity of all pairs of documents: rows in shared memory, columns a document apart",
    .origin = "Mars, SS",
    .parameter = parameter,
    .small = "N=70 FEATURES=90",
    .paper = "N=2304 FEATURES=128",
    .footprint = "4 (N FEATURES + N N)",
    .check = "bit for bit",
    .ptx = ss_ptx,
    .ptx_end = ss_ptx_end,
    .footprint_bytes = footprint,
    .run = run,
};
