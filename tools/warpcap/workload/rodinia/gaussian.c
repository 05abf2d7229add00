#include <math.h>
#include "workload/workload.h"

WORKLOAD_PTX(gaussian, "rodinia/gaussian.ptx");

static const struct parameter parameter[] = {
    {"N", "unknowns", PARAMETER_INTEGER, 128, 1, 8192, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	uint64_t n = (uint64_t)host_integer(h, "N");
	return 8 * n * n + 4 * n;
}

static void
reference(float *a, float *b, float *factor, int32_t n)
{
	for (int32_t t = 0; t < n - 1; t++)
		for (int32_t i = t + 1; i < n; i++) {
			float f = a[n * i + t] / a[n * t + t];
			factor[n * i + t] = f;
			for (int32_t j = t; j < n; j++)
				a[n * i + j] = fmaf(-f, a[n * t + j], a[n * i + j]);
			b[i] = fmaf(-f, b[t], b[i]);
		}
}

static void
run(struct host *h)
{
	int32_t n = (int32_t)host_integer(h, "N");
	uint64_t elements = (uint64_t)n * (uint64_t)n, bytes = 4 * elements;
	float *a = host_uniform(h, elements, 0, 0, 1), *b = host_uniform(h, n, 1, 0, 1),
	      *factor = host_memory(h, elements, sizeof *factor);
	if (!a)
		return;
	for (int32_t k = 0; k < n; k++)
		a[n * k + k] += (float)n; /* no pivot is small */
	uint64_t dfactor = host_input(h, "factors", factor, bytes),
		 da = host_input(h, "a", a, bytes), db = host_input(h, "b", b, 4 * (uint64_t)n);
	for (int32_t t = 0; t < n - 1; t++) {
		host_launch(h, "gaussian_factors", SHAPE(n, 512), ARGUMENTS(&dfactor, &da, &n, &t));
		host_launch(h, "gaussian_eliminate", SHAPE_2D(n, n, 4, 4),
		    ARGUMENTS(&dfactor, &da, &db, &n, &t));
	}
	host_download(h, da, bytes);
	host_download(h, db, 4 * (uint64_t)n);
	if (!host_verifies(h))
		return;
	reference(a, b, factor, n);
	host_expect_f32(h, "factor", dfactor, factor, elements, 0);
	host_expect_f32(h, "a", da, a, elements, 0);
	host_expect_f32(h, "b", db, b, n, 0);
}

const struct workload workload_gaussian = {
    .name = "gaussian",
    .summary = "Gaussian elimination: two launches a column, CTAs of 4 x 4 threads",
    .origin = "Rodinia, gaussian",
    .parameter = parameter,
    .small = "N=50",
    .paper = "N=208",
    .footprint = "8 N N + 4 N",
    .check = "bit for bit",
    .ptx = gaussian_ptx,
    .ptx_end = gaussian_ptx_end,
    .footprint_bytes = footprint,
    .run = run,
};
