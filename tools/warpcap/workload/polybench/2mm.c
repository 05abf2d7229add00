#include "workload/reference.h"
#include "workload/workload.h"

WORKLOAD_PTX(mm2, "polybench/2mm.ptx");

static const struct parameter parameter[] = {
    {"N", "rows and columns", PARAMETER_INTEGER, 256, 1, 32767, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	uint64_t n = (uint64_t)host_integer(h, "N");
	return 20 * n * n;
}

/* One product on the device. */
static void
multiply(struct host *h, uint64_t a, uint64_t b, uint64_t c, int32_t n)
{
	host_launch(h, "mm2_product", SHAPE_2D(n, n, 32, 8), ARGUMENTS(&a, &b, &c, &n, &n, &n));
}

static void
run(struct host *h)
{
	int32_t n = (int32_t)host_integer(h, "N");
	uint64_t elements = (uint64_t)n * (uint64_t)n, bytes = 4 * elements;
	float *A = host_uniform(h, elements, 0, 0, 1), *B = host_uniform(h, elements, 1, 0, 1),
	      *D = host_uniform(h, elements, 2, 0, 1);
	float *C = host_memory(h, elements, sizeof *C), *E = host_memory(h, elements, sizeof *E);
	uint64_t dA = host_input(h, "A", A, bytes), dB = host_input(h, "B", B, bytes),
		 dD = host_input(h, "D", D, bytes);
	uint64_t dC = host_device(h, "C", bytes), dE = host_device(h, "E", bytes);

	multiply(h, dA, dB, dC, n);
	multiply(h, dC, dD, dE, n);
	host_download(h, dE, bytes);
	if (!host_verifies(h))
		return;
	reference_product(A, B, C, n, n, n);
	reference_product(C, D, E, n, n, n);
	host_expect_f32(h, "C", dC, C, elements, 0);
	host_expect_f32(h, "E", dE, E, elements, 0);
}

const struct workload workload_2mm = {
    .name = "2mm",
    .summary = "E = (A B) D: a thread an element, sums in memory, no tiles",
    .origin = "PolyBench/GPU, 2MM",
    .parameter = parameter,
    .small = "N=70",
    .paper = "N=512",
    .footprint = "20 N N",
    .check = "bit for bit",
    .ptx = mm2_ptx,
    .ptx_end = mm2_ptx_end,
    .footprint_bytes = footprint,
    .run = run,
};
