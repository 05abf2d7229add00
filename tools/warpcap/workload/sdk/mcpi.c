#include <math.h>
#include "workload/workload.h"

WORKLOAD_PTX(mcpi, "sdk/mcpi.ptx");

static const struct parameter parameter[] = {
    {"N", "points", PARAMETER_INTEGER, 262144, 1, 1 << 28, NULL},
    {"CTAS", "that share them", PARAMETER_INTEGER, 195, 1, 65535, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	uint64_t n = (uint64_t)host_integer(h, "N"), ctas = (uint64_t)host_integer(h, "CTAS");
	return 8 * n + 4 * ctas;
}

enum { BLOCK = 128 };

static uint32_t
mix(uint32_t x)
{
	x = (x ^ x >> 16) * 0x7feb352du;
	x = (x ^ x >> 15) * 0x846ca68bu;
	return x ^ x >> 16;
}

static void
verify(struct host *h, uint32_t seed, uint64_t dresult, int32_t n, uint32_t ctas)
{
	int32_t *count = host_memory(h, ctas, sizeof *count);
	for (int32_t i = 0; count && i < n; i++) {
		float x = (float)(mix(seed + 2 * (uint32_t)i) >> 8) * 5.9604645e-8f,
		      y = (float)(mix(seed + 2 * (uint32_t)i + 1) >> 8) * 5.9604645e-8f;
		count[(uint32_t)i / BLOCK % ctas] += fmaf(x, x, y * y) < 1.0f;
	}
	host_expect_s32(h, "count", dresult, count, ctas);
}

static void
run(struct host *h)
{
	int32_t n = (int32_t)host_integer(h, "N");
	uint32_t ctas = (uint32_t)host_integer(h, "CTAS"),
		 seed = (uint32_t)random_at(host_seed(h), 0);
	struct host_shape shape = {{ctas, 1, 1}, {BLOCK, 1, 1}, 0};
	uint64_t dx = host_device(h, "x", 4 * (uint64_t)n),
		 dy = host_device(h, "y", 4 * (uint64_t)n),
		 dresult = host_device(h, "counts", 4 * (uint64_t)ctas);
	host_launch(h, "mcpi_draw", shape, ARGUMENTS(&dx, &dy, &seed, &n));
	host_launch(h, "mcpi_count", shape, ARGUMENTS(&dx, &dy, &dresult, &n));
	host_download(h, dresult, 4 * (uint64_t)ctas);
	if (host_verifies(h))
		verify(h, seed, dresult, n, ctas);
}

const struct workload workload_mcpi = {
    .name = "mcpi",
    .summary =
	"pi from random points: drawn to memory, read back coalesced, counted in shared memory",
    .origin = "CUDA samples, MC_EstimatePi",
    .parameter = parameter,
    .small = "N=5000 CTAS=5",
    .paper = "N=10000000 CTAS=195",
    .footprint = "8 N + 4 CTAS",
    .check = "equal",
    .ptx = mcpi_ptx,
    .ptx_end = mcpi_ptx_end,
    .footprint_bytes = footprint,
    .run = run,
};
