#include "workload/workload.h"

WORKLOAD_PTX(histogram, "sdk/histogram.ptx");

enum { BINS = 256 };

static const struct parameter parameter[] = {
    {"N", "bytes of input", PARAMETER_INTEGER, 4 << 20, 1, 1 << 30, NULL},
    {"CTAS", "CTAs that share the input", PARAMETER_INTEGER, 240, 1, 65535, NULL},
    {"SKEW", "share of the input that falls into one bin", PARAMETER_REAL, 0, 0, 1, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	return (uint64_t)host_integer(h, "N") + 4 * BINS;
}

static uint8_t *
make_data(struct host *h, uint64_t n)
{
	uint8_t *data = host_memory(h, n, 1);
	double skew = host_real(h, "SKEW");
	uint64_t bytes = random_at(host_seed(h), 0), which = random_at(host_seed(h), 1);
	for (uint64_t k = 0; data && k < n; k++)
		data[k] =
		    skew > 0 && random_unit(which, k) < skew ? 127 : (uint8_t)random_at(bytes, k);
	return data;
}

static void
run(struct host *h)
{
	int32_t n = (int32_t)host_integer(h, "N"), bins[BINS] = {0};
	struct host_shape shape = {{(uint32_t)host_integer(h, "CTAS"), 1, 1}, {256, 1, 1}, 0};
	uint8_t *data = make_data(h, (uint64_t)n);
	uint64_t ddata = host_input(h, "data", data, (uint64_t)n),
		 dbins = host_device(h, "bins", sizeof bins);

	host_set(h, dbins, 0, sizeof bins);
	host_launch(h, "histogram", shape, ARGUMENTS(&ddata, &dbins, &n));
	host_read(h, bins, dbins, sizeof bins);
	if (!host_verifies(h))
		return;
	for (int b = 0; b < BINS; b++)
		bins[b] = 0;
	for (int32_t k = 0; k < n; k++)
		bins[data[k]]++;
	host_expect_s32(h, "bins", dbins, bins, BINS);
}

const struct workload workload_histogram = {
    .name = "histogram",
    .summary = "256 bins: atomic reductions in shared memory, then in global memory",
    .origin = "CUDA samples, histogram256",
    .parameter = parameter,
    .small = "N=10000 CTAS=7",
    .paper = "N=64Mi",
    .footprint = "N + 1024",
    .check = "equal",
    .ptx = histogram_ptx,
    .ptx_end = histogram_ptx_end,
    .footprint_bytes = footprint,
    .run = run,
};
