#include "workload/workload.h"

WORKLOAD_PTX(vectoradd, "sdk/vectoradd.ptx");

static const struct parameter parameter[] = {
    {"N", "elements", PARAMETER_INTEGER, 1 << 20, 1, 1 << 30, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	return 12 * (uint64_t)host_integer(h, "N");
}

static void
run(struct host *h)
{
	int32_t n = (int32_t)host_integer(h, "N");
	uint64_t bytes = 4 * (uint64_t)n;
	float *a = host_uniform(h, n, 0, 0, 1), *b = host_uniform(h, n, 1, 0, 1);
	float *c = host_memory(h, n, sizeof *c);
	uint64_t da = host_input(h, "a", a, bytes), db = host_input(h, "b", b, bytes);
	uint64_t dc = host_device(h, "c", bytes);

	host_launch(h, "vectoradd", SHAPE(n, 256), ARGUMENTS(&da, &db, &dc, &n));
	host_read(h, c, dc, bytes);
	if (!host_verifies(h))
		return;
	for (int32_t i = 0; i < n; i++)
		c[i] = a[i] + b[i];
	host_expect_f32(h, "c", dc, c, n, 0);
}

const struct workload workload_vectoradd = {
    .name = "vectoradd",
    .summary = "c = a + b: three coalesced streams, nothing used twice",
    .origin = "CUDA samples, vectorAdd",
    .parameter = parameter,
    .small = "N=1000",
    .paper = "N=10M",
    .footprint = "12 N",
    .check = "bit for bit",
    .ptx = vectoradd_ptx,
    .ptx_end = vectoradd_ptx_end,
    .footprint_bytes = footprint,
    .run = run,
};
