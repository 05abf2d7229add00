#include <math.h>
#include "workload/workload.h"

WORKLOAD_PTX(srad1, "rodinia/srad1.ptx");

static const struct parameter parameter[] = {
    {"ROWS", "of the image", PARAMETER_INTEGER, 256, 2, 16384, NULL},
    {"COLUMNS", "of the image", PARAMETER_INTEGER, 256, 2, 16384, NULL},
    {"ITERATIONS", "of diffusion", PARAMETER_INTEGER, 5, 1, 10000, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	uint64_t rows = (uint64_t)host_integer(h, "ROWS"),
		 columns = (uint64_t)host_integer(h, "COLUMNS");
	return 32 * rows * columns + 8 * (rows + columns);
}

enum { NORTH, SOUTH, WEST, EAST, SIDES, BLOCK = 512 };

struct image {
	float *pixel;
	int32_t *side[SIDES]; /* rows above and below, columns before and behind */
	uint64_t dpixel, dside[SIDES], dstep[SIDES], dc, dsum, dsquare;
	int32_t rows, columns, n;
};

static void
make_sides(struct host *h, struct image *m)
{
	static const char *const side[SIDES] = {
	    "rows above", "rows below", "columns before", "columns behind"};
	static const char *const step[SIDES] = {"north", "south", "west", "east"};
	for (int s = 0; s < SIDES; s++) {
		int32_t count = s < WEST ? m->rows : m->columns, by = s % 2 ? 1 : -1;
		m->side[s] = host_memory(h, (uint64_t)count, sizeof *m->side[s]);
		for (int32_t k = 0; m->side[s] && k < count; k++)
			m->side[s][k] = k + by < 0 || k + by == count ? k : k + by;
		m->dside[s] = host_input(h, side[s], m->side[s], 4 * (uint64_t)count);
		m->dstep[s] = host_device(h, step[s], 4 * (uint64_t)m->n);
	}
}

/* The speckle's measure, from sum and sum of squares. */
static float
measure(float sum, float square, int32_t n)
{
	float mean = sum / (float)n, variance = square / (float)n - mean * mean;
	return variance / (mean * mean);
}

static float
device_measure(struct host *h, const struct image *m)
{
	float sum = 0, square = 0;
	int32_t left = m->n, spacing = 1;
	host_launch(h, "srad1_prepare", SHAPE(m->n, BLOCK),
	    ARGUMENTS(&m->dpixel, &m->dsum, &m->dsquare, &m->n));
	do {
		host_launch(h, "srad1_reduce", SHAPE(left, BLOCK),
		    ARGUMENTS(&m->dsum, &m->dsquare, &left, &spacing));
		left = (int32_t)host_blocks(left, BLOCK);
		spacing *= BLOCK;
	} while (left > 1);
	host_read(h, &sum, m->dsum, 4);
	host_read(h, &square, m->dsquare, 4);
	return measure(sum, square, m->n);
}

static float
reference_measure(const struct image *m)
{
	double sum = 0, square = 0;
	for (int32_t i = 0; i < m->n; i++) {
		sum += (double)m->pixel[i];
		square += (double)(m->pixel[i] * m->pixel[i]);
	}
	return measure((float)sum, (float)square, m->n);
}

/* Differences to the four sides; the coefficient of diffusion. */
static float
coefficient(const struct image *m, int32_t i, float q0, float d[SIDES])
{
	int32_t row = i % m->rows, first = i - row, column = i / m->rows;
	float here = m->pixel[i];
	d[NORTH] = m->pixel[first + m->side[NORTH][row]] - here;
	d[SOUTH] = m->pixel[first + m->side[SOUTH][row]] - here;
	d[WEST] = m->pixel[row + m->rows * m->side[WEST][column]] - here;
	d[EAST] = m->pixel[row + m->rows * m->side[EAST][column]] - here;
	float g2 = 0, l = 0;
	for (int s = 0; s < SIDES; s++) {
		g2 += d[s] * d[s];
		l += d[s];
	}
	g2 /= here * here;
	l /= here;
	float below = 1 + 0.25f * l, q = (0.5f * g2 - 0.0625f * (l * l)) / (below * below);
	float c = 1 / (1 + (q - q0) / (q0 * (1 + q0)));
	return c < 0 ? 0 : c > 1 ? 1 : c;
}

static void
reference_step(struct image *m, float *c, float (*d)[SIDES])
{
	float q0 = reference_measure(m);
	for (int32_t i = 0; i < m->n; i++)
		c[i] = coefficient(m, i, q0, d[i]);
	for (int32_t i = 0; i < m->n; i++) {
		int32_t row = i % m->rows, column = i / m->rows;
		float cs = c[i - row + m->side[SOUTH][row]],
		      ce = c[row + m->rows * m->side[EAST][column]];
		m->pixel[i] +=
		    0.25f * 0.5f *
		    (c[i] * d[i][NORTH] + cs * d[i][SOUTH] + c[i] * d[i][WEST] + ce * d[i][EAST]);
	}
}

static void
verify(struct host *h, struct image *m)
{
	float *c = host_memory(h, (uint64_t)m->n, sizeof *c);
	float(*d)[SIDES] = host_memory(h, (uint64_t)m->n, sizeof *d);
	if (host_failed(h))
		return;
	for (int32_t i = 0; i < m->n; i++)
		m->pixel[i] = expf(m->pixel[i] / 255);
	for (int64_t t = host_integer(h, "ITERATIONS"); t > 0; t--)
		reference_step(m, c, d);
	for (int32_t i = 0; i < m->n; i++)
		m->pixel[i] = logf(m->pixel[i]) * 255;
	host_expect_near(h, "pixel", m->dpixel, m->pixel, (uint64_t)m->n, 1e-3, 1e-2);
}

static void
run(struct host *h)
{
	struct image m = {.rows = (int32_t)host_integer(h, "ROWS"),
	    .columns = (int32_t)host_integer(h, "COLUMNS")};
	m.n = m.rows * m.columns;
	uint64_t bytes = 4 * (uint64_t)m.n;
	float lambda = 0.5f;
	m.pixel = host_uniform(h, (uint64_t)m.n, 0, 0, 255);
	m.dpixel = host_input(h, "image", m.pixel, bytes);
	make_sides(h, &m);
	m.dc = host_device(h, "c", bytes);
	m.dsum = host_device(h, "sums", bytes);
	m.dsquare = host_device(h, "sums of squares", bytes);
	struct host_shape shape = SHAPE(m.n, BLOCK);
	const uint64_t *s = m.dside, *d = m.dstep;
	host_launch(h, "srad1_extract", shape, ARGUMENTS(&m.dpixel, &m.n));
	for (int64_t t = host_integer(h, "ITERATIONS"); t > 0 && !host_failed(h); t--) {
		float q0 = device_measure(h, &m);
		host_launch(h, "srad1_coefficients", shape,
		    ARGUMENTS(&m.dpixel, &s[NORTH], &s[SOUTH], &s[WEST], &s[EAST], &d[NORTH],
			&d[SOUTH], &d[WEST], &d[EAST], &m.dc, &m.rows, &m.n, &q0));
		host_launch(h, "srad1_diffuse", shape,
		    ARGUMENTS(&m.dpixel, &s[SOUTH], &s[EAST], &d[NORTH], &d[SOUTH], &d[WEST],
			&d[EAST], &m.dc, &m.rows, &m.n, &lambda));
	}
	host_launch(h, "srad1_compress", shape, ARGUMENTS(&m.dpixel, &m.n));
	host_download(h, m.dpixel, bytes);
	if (host_verifies(h))
		verify(h, &m);
}

const struct workload workload_srad1 = {
    .name = "srad1",
    .summary = "diffusion of an image: neighbours through index tables, sums in shared memory",
    .origin = "Rodinia, srad_v1",
    .parameter = parameter,
    .small = "ROWS=50 COLUMNS=37 ITERATIONS=3",
    .paper = "ROWS=502 COLUMNS=458 ITERATIONS=20",
    .footprint = "32 ROWS COLUMNS + 8 (ROWS + COLUMNS)",
    .check = "within 1e-3",
    .ptx = srad1_ptx,
    .ptx_end = srad1_ptx_end,
    .footprint_bytes = footprint,
    .run = run,
};
