#include "workload/workload.h"

WORKLOAD_PTX(fwt, "sdk/fwt.ptx");

static const struct parameter parameter[] = {
    {"LOG2N", "elements, as a power of two", PARAMETER_INTEGER, 18, 4, 28, NULL},
    {"LOG2K", "elements of the kernel that are not zero, as a power of two", PARAMETER_INTEGER, 7,
	0, 28, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	return (uint64_t)8 << host_integer(h, "LOG2N");
}

enum { PIECE = 2048 };

static void *
prepare(struct host *h)
{
	if (host_integer(h, "LOG2K") > host_integer(h, "LOG2N"))
		host_fail(h, WCP_EUSAGE, "fwt: the kernel is longer than the data");
	return NULL;
}

static void
transform(struct host *h, uint64_t d, int32_t n)
{
	int32_t m = n;
	for (; m > PIECE; m /= 4) {
		int32_t stride = m / 4;
		host_launch(h, "fwt_step", SHAPE(n / 4, (uint32_t)(n / 4 < 256 ? n / 4 : 256)),
		    ARGUMENTS(&d, &stride));
	}
	host_launch(h, "fwt_piece",
	    (struct host_shape){{(uint32_t)(n / m), 1, 1}, {(uint32_t)(m / 4), 1, 1}, 0},
	    ARGUMENTS(&d, &m));
}

/* out[i] = sum over j of data[i ^ j] kernel[j] */
static void
verify(struct host *h, const float *data, const float *kernel, uint64_t ddata, int32_t n)
{
	int32_t taps = 1 << host_integer(h, "LOG2K");
	float *wanted = host_memory(h, (uint64_t)n, sizeof *wanted);
	for (int32_t i = 0; wanted && i < n; i++) {
		double sum = 0;
		for (int32_t j = 0; j < taps; j++)
			sum += (double)data[i ^ j] * (double)kernel[j];
		wanted[i] = (float)sum;
	}
	if (wanted)
		host_expect_near(h, "data", ddata, wanted, (uint64_t)n, 1e-3, 1e-3);
}

static void
run(struct host *h)
{
	int32_t n = 1 << host_integer(h, "LOG2N"), taps = 1 << host_integer(h, "LOG2K");
	uint64_t bytes = 4 * (uint64_t)n;
	float *data = host_uniform(h, (uint64_t)n, 0, 0, 1),
	      *kernel = host_uniform(h, (uint64_t)n, 1, 0, 1);
	if (host_failed(h))
		return;
	for (int32_t k = taps; k < n; k++)
		kernel[k] = 0;
	uint64_t ddata = host_input(h, "data", data, bytes),
		 dkernel = host_input(h, "kernel", kernel, bytes);
	transform(h, ddata, n);
	transform(h, dkernel, n);
	host_launch(h, "fwt_multiply", (struct host_shape){{128, 1, 1}, {256, 1, 1}, 0},
	    ARGUMENTS(&ddata, &dkernel, &n));
	transform(h, ddata, n);
	host_download(h, ddata, bytes);
	if (host_verifies(h))
		verify(h, data, kernel, ddata, n);
}

const struct workload workload_fwt = {
    .name = "fwt",
    .summary =
	"convolution by fast Walsh transforms: strides of all powers of two, then shared memory",
    .origin = "CUDA samples, fastWalshTransform",
    .parameter = parameter,
    .small = "LOG2N=13 LOG2K=5",
    .paper = "LOG2N=23 LOG2K=7",
    .footprint = "8 * 2^LOG2N",
    .check = "within 1e-3 of the sum over the taps",
    .ptx = fwt_ptx,
    .ptx_end = fwt_ptx_end,
    .footprint_bytes = footprint,
    .prepare = prepare,
    .run = run,
};
