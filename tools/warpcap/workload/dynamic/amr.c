#include "dynamic.h"
#include "workload/input/mesh.h"
#include <math.h>

WORKLOAD_PTX(amr, "dynamic/amr.ptx");

static const struct parameter parameter[] = {
    {"N", "points a side of the finest mesh, a multiple of SQUARE", PARAMETER_INTEGER, 2048, 1,
	16384, NULL},
    {"SQUARE", "points a side of a cell of the coarsest mesh, a power of two", PARAMETER_INTEGER,
	256, 1, 16384, NULL},
    {"LEAF", "points a side of a cell that is not divided, a power of two", PARAMETER_INTEGER, 1, 1,
	16384, NULL},
    {"SAMPLES", "points a side of a cell that are looked at, a power of two", PARAMETER_INTEGER, 8,
	1, 64, NULL},
    {"STEEP", "span of temperatures above which a cell is divided", PARAMETER_REAL, 0.05, 0, 1,
	NULL},
    {"KERNELS", "circles of burnt gas, with fronts", PARAMETER_INTEGER, 12, 0, 64, NULL},
    {"STEPS", "that gas burns in the coarsest mesh; twice as many with each level down",
	PARAMETER_INTEGER, 1, 0, 64, NULL},
    {"PACE", "length of a step in the coarsest mesh", PARAMETER_REAL, 0.5, 0, 1, NULL},
    FORM_PARAMETERS(16, "points a side of a cell above which it is a child kernel's"),
    {NULL},
};

/* The kernels' struct mesh. */
struct mesh {
	uint64_t before, after, size;
	int32_t side, square, leaf, samples, steps;
	float steep, pace;
};

/* Of the CPU: what the kernels leave on the device. */
struct cells {
	const struct mesh *mesh;
	const float *before;
	float *after;
	int32_t *size;
};

static uint64_t
footprint(const struct host *h)
{
	const uint64_t n = (uint64_t)host_integer(h, "N"),
		       row = n / (uint64_t)host_integer(h, "LEAF");
	return 4 * n * n + 8 * row * row;
}

static void *
prepare(struct host *h)
{
	const int64_t samples = host_integer(h, "SAMPLES");
	if (samples & (samples - 1))
		host_fail(h, WCP_EUSAGE, "amr: SAMPLES is no power of two");
	return dynamic_squares(h);
}

/* Temperatures at the middles of a cell's parts: the mean, and how far they differ. */
static float
mean(const struct cells *c, int32_t x, int32_t y, int32_t side, float *span)
{
	const struct mesh *m = c->mesh;
	const int32_t part = side > m->samples ? side / m->samples : 1, n = side / part;
	float sum = 0, low = INFINITY, high = -INFINITY;
	for (int32_t v = y + part / 2; v < y + side; v += part) {
		for (int32_t u = x + part / 2; u < x + side; u += part) {
			const float t = c->before[(int64_t)v * m->side + u];
			sum += t;
			low = fminf(low, t);
			high = fmaxf(high, t);
		}
	}
	*span = high - low;
	return sum / (float)(n * n);
}

/* By recursion; level: times that the coarsest cell was divided. */
static void
reference(const struct cells *c, int32_t x, int32_t y, int32_t level)
{
	const struct mesh *m = c->mesh;
	const int32_t side = m->square >> level, half = side / 2;
	float span = 0, t = mean(c, x, y, side, &span);
	if (span > m->steep && side > m->leaf) {
		for (int32_t k = 0; k < 4; k++)
			reference(c, x + k % 2 * half, y + k / 2 * half, level + 1);
		return;
	}
	for (int32_t k = 0; k < m->steps << level; k++)
		t += ldexpf(m->pace, -level) * (t * t * (1.0f - t));
	const int64_t at = (int64_t)(y / m->leaf) * (m->side / m->leaf) + x / m->leaf;
	c->after[at] = t;
	c->size[at] = side;
}

static void
verify(struct host *h, const struct mesh *m, const float *before)
{
	const int32_t row = m->side / m->square;
	const uint64_t leaves = (uint64_t)(m->side / m->leaf) * (uint64_t)(m->side / m->leaf);
	struct cells c = {.mesh = m,
	    .before = before,
	    .after = host_memory(h, leaves, sizeof *c.after),
	    .size = host_memory(h, leaves, sizeof *c.size)};
	if (host_failed(h))
		return;
	for (int32_t k = 0; k < row * row; k++)
		reference(&c, k % row * m->square, k / row * m->square, 0);
	host_expect_s32(h, "size", m->size, c.size, leaves);
	host_expect_f32(h, "after", m->after, c.after, leaves, 0);
}

static void
run(struct host *h)
{
	const int32_t side = (int32_t)host_integer(h, "N"),
		      threshold = (int32_t)host_integer(h, "THRESHOLD");
	struct mesh m = {.side = side,
	    .square = (int32_t)host_integer(h, "SQUARE"),
	    .leaf = (int32_t)host_integer(h, "LEAF"),
	    .samples = (int32_t)host_integer(h, "SAMPLES"),
	    .steps = (int32_t)host_integer(h, "STEPS"),
	    .steep = (float)host_real(h, "STEEP"),
	    .pace = (float)host_real(h, "PACE")};
	const uint64_t points = (uint64_t)side * (uint64_t)side,
		       leaves = points / ((uint64_t)m.leaf * (uint64_t)m.leaf);
	const int32_t row = side / m.square;
	const float *before =
	    mesh_combustion(h, (uint32_t)side, (uint32_t)host_integer(h, "KERNELS"));
	m.before = host_input(h, "before", before, 4 * points);
	m.after = host_device(h, "after", 4 * leaves);
	m.size = host_device(h, "size", 4 * leaves);
	dynamic_launch(h, "amr", SHAPE(row * row, 64), ARGUMENTS(&m, &threshold));
	host_download(h, m.after, 4 * leaves);
	host_download(h, m.size, 4 * leaves);
	if (host_verifies(h))
		verify(h, &m, before);
}

const struct workload workload_amr = {
    .name = "amr",
    .summary = "adaptive mesh refinement of burning gas, cells in cells are child kernels",
    .origin = "Tang, Adaptive Mesh Refinement (AMR); steps as in Berger and Oliger",
    .parameter = parameter,
    .small = "N=128 SQUARE=64 THRESHOLD=8",
    .paper = "N=12288 SQUARE=4096 THRESHOLD=64",
    .footprint = "4 N^2 + 8 (N / LEAF)^2",
    .check = "equal",
    .ptx = amr_ptx,
    .ptx_end = amr_ptx_end,
    .footprint_bytes = footprint,
    .prepare = prepare,
    .run = run,
};
