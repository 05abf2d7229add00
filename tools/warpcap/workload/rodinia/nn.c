#include <math.h>
#include "workload/workload.h"

WORKLOAD_PTX(nn, "rodinia/nn.ptx");

static const struct parameter parameter[] = {
    {"N", "records", PARAMETER_INTEGER, 42764, 1, 1 << 28, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	uint64_t n = (uint64_t)host_integer(h, "N");
	return 12 * n;
}

static void
run(struct host *h)
{
	int32_t n = (int32_t)host_integer(h, "N");
	float latitude = 30, longitude = 90;
	float *place = host_uniform(h, 2 * (uint64_t)n, 0, 0, 180),
	      *distance = host_memory(h, n, sizeof *distance);
	uint64_t dplace = host_input(h, "places", place, 8 * (uint64_t)n),
		 ddistance = host_device(h, "distances", 4 * (uint64_t)n);
	host_launch(h, "nn_distance", SHAPE(n, 256),
	    ARGUMENTS(&dplace, &ddistance, &n, &latitude, &longitude));
	host_read(h, distance, ddistance, 4 * (uint64_t)n);
	if (!host_verifies(h))
		return;
	for (int32_t i = 0; i < n; i++) {
		float a = latitude - place[2 * i], b = longitude - place[2 * i + 1];
		distance[i] = sqrtf(fmaf(a, a, b * b));
	}
	host_expect_f32(h, "distance", ddistance, distance, n, 0);
}

const struct workload workload_nn = {
    .name = "nn",
    .summary = "distances of all records from one place: a thread a record, coalesced",
    .origin = "Rodinia, nn",
    .parameter = parameter,
    .small = "N=1000",
    .paper = "N=42764",
    .footprint = "12 N",
    .check = "bit for bit",
    .ptx = nn_ptx,
    .ptx_end = nn_ptx_end,
    .footprint_bytes = footprint,
    .run = run,
};
