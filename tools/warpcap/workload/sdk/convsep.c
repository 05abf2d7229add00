#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include "workload/workload.h"

WORKLOAD_PTX(convsep, "sdk/convsep.ptx");

static const struct parameter parameter[] = {
    {"WIDTH", "of the image, a multiple of 128", PARAMETER_INTEGER, 512, 128, 32640, NULL},
    {"HEIGHT", "of the image, a multiple of 64", PARAMETER_INTEGER, 512, 64, 32704, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	uint64_t width = (uint64_t)host_integer(h, "WIDTH"),
		 height = (uint64_t)host_integer(h, "HEIGHT");
	return 12 * width * height;
}

enum { RADIUS = 8 };

static void *
prepare(struct host *h)
{
	if (host_integer(h, "WIDTH") % 128)
		host_fail(h, WCP_EUSAGE, "convsep: WIDTH is no multiple of 128");
	else if (host_integer(h, "HEIGHT") % 64)
		host_fail(h, WCP_EUSAGE, "convsep: HEIGHT is no multiple of 64");
	return NULL;
}

/* Lines of n elements a step apart, count of them a pitch apart. */
static void
convolve(float *to, const float *from, int32_t n, ptrdiff_t step, int32_t count, ptrdiff_t pitch)
{
	for (int32_t line = 0; line < count; line++)
		for (int32_t k = 0; k < n; k++) {
			float sum = 0;
			for (int32_t j = -RADIUS; j <= RADIUS; j++) {
				float tap = (float)(9 - abs(j)) / 81;
				bool inside = k + j >= 0 && k + j < n;
				sum = fmaf(
				    tap, inside ? from[line * pitch + (k + j) * step] : 0, sum);
			}
			to[line * pitch + k * step] = sum;
		}
}

static void
run(struct host *h)
{
	int32_t width = (int32_t)host_integer(h, "WIDTH"),
		height = (int32_t)host_integer(h, "HEIGHT");
	uint64_t pixels = (uint64_t)width * (uint64_t)height, bytes = 4 * pixels;
	float *image = host_uniform(h, pixels, 0, 0, 16), *rows = host_memory(h, pixels, 4),
	      *result = host_memory(h, pixels, 4);
	uint64_t dimage = host_input(h, "image", image, bytes),
		 drows = host_device(h, "rows", bytes), dresult = host_device(h, "result", bytes);
	host_launch(h, "convsep_rows",
	    (struct host_shape){{(uint32_t)width / 128, (uint32_t)height / 4, 1}, {16, 4, 1}, 0},
	    ARGUMENTS(&drows, &dimage, &width));
	host_launch(h, "convsep_columns",
	    (struct host_shape){{(uint32_t)width / 16, (uint32_t)height / 64, 1}, {16, 8, 1}, 0},
	    ARGUMENTS(&dresult, &drows, &width, &height));
	host_download(h, dresult, bytes);
	if (!host_verifies(h))
		return;
	convolve(rows, image, width, 1, height, width);
	convolve(result, rows, height, width, width, 1);
	host_expect_f32(h, "rows", drows, rows, pixels, 0);
	host_expect_f32(h, "result", dresult, result, pixels, 0);
}

const struct workload workload_convsep = {
    .name = "convsep",
    .summary = "separable convolution of 17 taps: tiles with halos in shared memory",
    .origin = "CUDA samples, convolutionSeparable",
    .parameter = parameter,
    .small = "WIDTH=128 HEIGHT=64",
    .paper = "WIDTH=3072 HEIGHT=3072",
    .footprint = "12 WIDTH HEIGHT",
    .check = "bit for bit",
    .ptx = convsep_ptx,
    .ptx_end = convsep_ptx_end,
    .footprint_bytes = footprint,
    .prepare = prepare,
    .run = run,
};
