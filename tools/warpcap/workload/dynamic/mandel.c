#include "dynamic.h"

WORKLOAD_PTX(mandel, "dynamic/mandel.ptx");

static const struct parameter parameter[] = {
    {"N", "points a side, a multiple of SQUARE", PARAMETER_INTEGER, 2048, 2, 16384, NULL},
    {"SQUARE", "points a side of a thread's square at first, a power of two", PARAMETER_INTEGER, 64,
	2, 4096, NULL},
    {"LEAF", "points a side of a square that is not divided, a power of two", PARAMETER_INTEGER, 4,
	2, 4096, NULL},
    {"ITERATIONS", "steps after which a point is taken to be in the set", PARAMETER_INTEGER, 256, 1,
	65536, NULL},
    {"X", "the picture's centre", PARAMETER_REAL, -0.5, -2, 2, NULL},
    {"Y", "the picture's centre", PARAMETER_REAL, 0, -2, 2, NULL},
    {"WIDTH", "of the picture", PARAMETER_REAL, 3, 1e-4, 4, NULL},
    FORM_PARAMETERS(8, "points a side of a square above which it is a child kernel's"),
    {NULL},
};

/* The kernels' struct picture. */
struct picture {
	uint64_t count;
	float left, top, pitch;
	int32_t side, leaf, iterations;
};

static uint64_t
footprint(const struct host *h)
{
	const uint64_t n = (uint64_t)host_integer(h, "N");
	return 4 * n * n;
}

static int32_t
count_at(const struct picture *p, int32_t x, int32_t y)
{
	const float re = p->left + (float)x * p->pitch, im = p->top + (float)y * p->pitch;
	float a = re, b = im;
	int32_t n = 0;
	for (; n < p->iterations && a * a + b * b <= 4.0f; n++) {
		const float real = a * a - b * b + re;
		b = 2.0f * a * b + im;
		a = real;
	}
	return n;
}

/* Do all points on the border of a square take as many iterations as its first? */
static bool
is_alike(const struct picture *p, int32_t x, int32_t y, int32_t side)
{
	const int32_t n = count_at(p, x, y), far = side - 1;
	for (int32_t k = 0; k < side; k++)
		if (count_at(p, x + k, y) != n || count_at(p, x + k, y + far) != n ||
		    count_at(p, x, y + k) != n || count_at(p, x + far, y + k) != n)
			return false;
	return true;
}

/* By recursion. */
static void
reference(const struct picture *p, int32_t x, int32_t y, int32_t side, int32_t *count)
{
	const bool alike = is_alike(p, x, y, side);
	const int32_t half = side / 2, n = alike ? count_at(p, x, y) : 0;
	if (!alike && side > p->leaf) {
		for (int32_t k = 0; k < 4; k++)
			reference(p, x + k % 2 * half, y + k / 2 * half, half, count);
		return;
	}
	for (int32_t v = y; v < y + side; v++)
		for (int32_t u = x; u < x + side; u++)
			count[(int64_t)v * p->side + u] = alike ? n : count_at(p, u, v);
}

static void
run(struct host *h)
{
	const int32_t side = (int32_t)host_integer(h, "N"),
		      square = (int32_t)host_integer(h, "SQUARE"), row = side / square,
		      threshold = (int32_t)host_integer(h, "THRESHOLD");
	const double width = host_real(h, "WIDTH");
	struct picture p = {.left = (float)(host_real(h, "X") - width / 2),
	    .top = (float)(host_real(h, "Y") - width / 2),
	    .pitch = (float)(width / side),
	    .side = side,
	    .leaf = (int32_t)host_integer(h, "LEAF"),
	    .iterations = (int32_t)host_integer(h, "ITERATIONS")};
	const uint64_t points = (uint64_t)side * (uint64_t)side;
	p.count = host_device(h, "counts", 4 * points);
	dynamic_launch(h, "mandel", SHAPE(row * row, 64), ARGUMENTS(&p, &square, &threshold));
	host_download(h, p.count, 4 * points);
	int32_t *count = host_verifies(h) ? host_memory(h, points, sizeof *count) : NULL;
	if (!count)
		return;
	for (int32_t k = 0; k < row * row; k++)
		reference(&p, k % row * square, k / row * square, square, count);
	host_expect_s32(h, "count", p.count, count, points);
}

const struct workload workload_mandel = {
    .name = "mandel",
    .summary = "Mandelbrot set by squares in squares, which are child kernels",
    .origin = "Tang, Mandelbrot Set; the subdivision of Mariani and Silver",
    .parameter = parameter,
    .small = "N=128 ITERATIONS=64",
    .paper = "N=2048 THRESHOLD=16",
    .footprint = "4 N^2",
    .check = "equal",
    .ptx = mandel_ptx,
    .ptx_end = mandel_ptx_end,
    .footprint_bytes = footprint,
    .prepare = dynamic_squares,
    .run = run,
};
