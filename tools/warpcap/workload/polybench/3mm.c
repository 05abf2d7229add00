#include "workload/reference.h"
#include "workload/workload.h"

WORKLOAD_PTX(mm3, "polybench/3mm.ptx");

static const struct parameter parameter[] = {
    {"N", "rows and columns", PARAMETER_INTEGER, 256, 1, 32767, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	uint64_t n = (uint64_t)host_integer(h, "N");
	return 28 * n * n;
}

/* One product on the device. */
static void
multiply(struct host *h, uint64_t a, uint64_t b, uint64_t c, int32_t n)
{
	host_launch(h, "mm3_product", SHAPE_2D(n, n, 32, 8), ARGUMENTS(&a, &b, &c, &n, &n, &n));
}

static void
verify(struct host *h, float *const in[4], const uint64_t d[7], int32_t n)
{
	uint64_t elements = (uint64_t)n * (uint64_t)n;
	float *E = host_memory(h, elements, sizeof *E), *F = host_memory(h, elements, sizeof *F),
	      *G = host_memory(h, elements, sizeof *G);
	if (host_failed(h))
		return;
	reference_product(in[0], in[1], E, n, n, n);
	reference_product(in[2], in[3], F, n, n, n);
	reference_product(E, F, G, n, n, n);
	host_expect_f32(h, "E", d[4], E, elements, 0);
	host_expect_f32(h, "F", d[5], F, elements, 0);
	host_expect_f32(h, "G", d[6], G, elements, 0);
}

static void
run(struct host *h)
{
	static const char *const name[7] = {"A", "B", "C", "D", "E", "F", "G"};
	int32_t n = (int32_t)host_integer(h, "N");
	uint64_t elements = (uint64_t)n * (uint64_t)n, bytes = 4 * elements, d[7];
	float *in[4];
	for (uint64_t k = 0; k < 4; k++) {
		in[k] = host_uniform(h, elements, k, 0, 1);
		d[k] = host_input(h, name[k], in[k], bytes);
	}
	for (int k = 4; k < 7; k++)
		d[k] = host_device(h, name[k], bytes);

	multiply(h, d[0], d[1], d[4], n);
	multiply(h, d[2], d[3], d[5], n);
	multiply(h, d[4], d[5], d[6], n);
	host_download(h, d[6], bytes);
	if (host_verifies(h))
		verify(h, in, d, n);
}

const struct workload workload_3mm = {
    .name = "3mm",
    .summary = "G = (A B) (C D): a thread an element, sums in memory, no tiles",
    .origin = "PolyBench/GPU, 3MM",
    .parameter = parameter,
    .small = "N=70",
    .paper = "N=512",
    .footprint = "28 N N",
    .check = "bit for bit",
    .ptx = mm3_ptx,
    .ptx_end = mm3_ptx_end,
    .footprint_bytes = footprint,
    .run = run,
};
