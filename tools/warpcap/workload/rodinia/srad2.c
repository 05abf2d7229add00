#include "workload/workload.h"

WORKLOAD_PTX(srad2, "rodinia/srad2.ptx");

static const struct parameter parameter[] = {
    {"N", "rows and columns, a multiple of 16", PARAMETER_INTEGER, 512, 16, 16384, NULL},
    {"ITERATIONS", "of diffusion", PARAMETER_INTEGER, 2, 1, 10000, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	uint64_t n = (uint64_t)host_integer(h, "N");
	return 24 * n * n;
}

enum { NORTH, SOUTH, WEST, EAST, SIDES, TILE = 16, CORNER = 128 };

struct image {
	float *pixel, *c, (*d)[SIDES];
	int32_t n;
};

static void *
prepare(struct host *h)
{
	if (host_integer(h, "N") % TILE)
		host_fail(h, WCP_EUSAGE, "srad2: N is no multiple of %d", TILE);
	return NULL;
}

/* The speckle's measure, of the image's corner. */
static float
measure(const float *pixel, int32_t n)
{
	int32_t side = n < CORNER ? n : CORNER;
	float sum = 0, square = 0, size = (float)(side * side);
	for (int32_t i = 0; i < side; i++)
		for (int32_t j = 0; j < side; j++) {
			float p = pixel[(size_t)i * n + j];
			sum += p;
			square += p * p;
		}
	float mean = sum / size, variance = square / size - mean * mean;
	return variance / (mean * mean);
}

static float
coefficient(const struct image *m, int32_t i, int32_t j, float q0, float *d)
{
	int32_t n = m->n;
	const float *at = m->pixel + (size_t)i * n + j;
	d[NORTH] = (i ? at[-n] : *at) - *at;
	d[SOUTH] = (i < n - 1 ? at[n] : *at) - *at;
	d[WEST] = (j ? at[-1] : *at) - *at;
	d[EAST] = (j < n - 1 ? at[1] : *at) - *at;
	float g2 = 0, l = 0;
	for (int s = 0; s < SIDES; s++) {
		g2 += d[s] * d[s];
		l += d[s];
	}
	g2 /= *at * *at;
	l /= *at;
	float below = 1 + 0.25f * l, q = (0.5f * g2 - 0.0625f * (l * l)) / (below * below);
	float c = 1 / (1 + (q - q0) / (q0 * (1 + q0)));
	return c < 0 ? 0 : c > 1 ? 1 : c;
}

static void
reference_step(const struct image *m)
{
	int32_t n = m->n;
	float q0 = measure(m->pixel, n);
	for (int32_t k = 0; k < n * n; k++)
		m->c[k] = coefficient(m, k / n, k % n, q0, m->d[k]);
	for (int32_t k = 0; k < n * n; k++) {
		float cs = m->c[k / n < n - 1 ? k + n : k], ce = m->c[k % n < n - 1 ? k + 1 : k];
		m->pixel[k] += 0.25f * 0.5f *
			       (m->c[k] * m->d[k][NORTH] + cs * m->d[k][SOUTH] +
				   m->c[k] * m->d[k][WEST] + ce * m->d[k][EAST]);
	}
}

static void
verify(struct host *h, struct image *m, uint64_t dpixel)
{
	uint64_t pixels = (uint64_t)m->n * (uint64_t)m->n;
	m->c = host_memory(h, pixels, sizeof *m->c);
	m->d = host_memory(h, pixels, sizeof *m->d);
	if (host_failed(h))
		return;
	for (int64_t t = host_integer(h, "ITERATIONS"); t > 0; t--)
		reference_step(m);
	host_expect_f32(h, "pixel", dpixel, m->pixel, pixels, 0);
}

static void
run(struct host *h)
{
	struct image m = {.n = (int32_t)host_integer(h, "N")};
	uint64_t pixels = (uint64_t)m.n * (uint64_t)m.n, bytes = 4 * pixels, d[SIDES], dc;
	static const char *const label[SIDES] = {"north", "south", "west", "east"};
	m.pixel = host_uniform(h, pixels, 0, 1, 2.718281828);
	float *now = host_memory(h, pixels, sizeof *now), lambda = 0.5f;
	uint64_t dpixel = host_input(h, "image", m.pixel, bytes);
	for (int s = 0; s < SIDES; s++)
		d[s] = host_device(h, label[s], bytes);
	dc = host_device(h, "c", bytes);
	struct host_shape shape = SHAPE_2D(m.n, m.n, TILE, TILE);
	for (int64_t t = host_integer(h, "ITERATIONS"); t > 0 && !host_failed(h); t--) {
		host_read(h, now, dpixel, bytes);
		if (host_failed(h))
			return;
		float q0 = measure(now, m.n);
		host_launch(h, "srad2_coefficients", shape,
		    ARGUMENTS(
			&d[EAST], &d[WEST], &d[NORTH], &d[SOUTH], &dpixel, &dc, &m.n, &m.n, &q0));
		host_launch(h, "srad2_diffuse", shape,
		    ARGUMENTS(&d[EAST], &d[WEST], &d[NORTH], &d[SOUTH], &dpixel, &dc, &m.n, &m.n,
			&lambda));
	}
	host_download(h, dpixel, bytes);
	if (host_verifies(h))
		verify(h, &m, dpixel);
}

const struct workload workload_srad2 = {
    .name = "srad2",
    .summary = "diffusion of an image: tiles and their sides in shared memory",
    .origin = "Rodinia, srad_v2",
    .parameter = parameter,
    .small = "N=64 ITERATIONS=3",
    .paper = "N=2048 ITERATIONS=2",
    .footprint = "24 N N",
    .check = "bit for bit",
    .ptx = srad2_ptx,
    .ptx_end = srad2_ptx_end,
    .footprint_bytes = footprint,
    .prepare = prepare,
    .run = run,
};
