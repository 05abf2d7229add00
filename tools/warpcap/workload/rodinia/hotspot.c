#include <math.h>
#include "workload/workload.h"

WORKLOAD_PTX(hotspot, "rodinia/hotspot.ptx");

static const struct parameter parameter[] = {
    {"N", "rows and columns", PARAMETER_INTEGER, 512, 1, 16384, NULL},
    {"ITERATIONS", "steps in time", PARAMETER_INTEGER, 20, 1, 100000, NULL},
    {"PYRAMID", "steps of a launch", PARAMETER_INTEGER, 2, 1, 7, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	uint64_t n = (uint64_t)host_integer(h, "N");
	return 12 * n * n;
}

struct chip {
	float *power, *from, *to;
	uint64_t dpower, dtemperature[2];
	int32_t n;
	float factor, rx, ry, rz;
};

/* Constants of the chip: 16 mm a side, 0.5 mm thick, in silicon. */
static void
set_constants(struct chip *c)
{
	double cell = 0.016 / c->n, thick = 0.0005;
	double capacity = 0.5 * 1.75e6 * thick * cell * cell;
	double r_side = cell / (2 * 100 * thick * cell), r_up = thick / (100 * cell * cell);
	double step = 0.001 / (3e6 / (0.5 * thick * 1.75e6));
	c->factor = (float)(step / capacity);
	c->rx = c->ry = (float)(1 / r_side);
	c->rz = (float)(1 / r_up);
}

static float
advance_cell(const struct chip *c, int32_t row, int32_t column)
{
	int32_t n = c->n, north = row ? row - 1 : 0, south = row < n - 1 ? row + 1 : row;
	int32_t west = column ? column - 1 : 0, east = column < n - 1 ? column + 1 : column;
	const float *at = c->from + (size_t)row * n;
	float t = at[column];
	float vertical = fmaf(
	    -2.0f, t, c->from[(size_t)south * n + column] + c->from[(size_t)north * n + column]);
	float horizontal = fmaf(-2.0f, t, at[east] + at[west]);
	float power = c->power[(size_t)row * n + column];
	float sum = fmaf(80.0f - t, c->rz, fmaf(horizontal, c->rx, fmaf(vertical, c->ry, power)));
	return fmaf(c->factor, sum, t);
}

static void
reference(struct chip *c, int64_t steps)
{
	for (; steps > 0; steps--) {
		for (int32_t row = 0; row < c->n; row++)
			for (int32_t column = 0; column < c->n; column++)
				c->to[(size_t)row * c->n + column] = advance_cell(c, row, column);
		float *swap = c->from;
		c->from = c->to;
		c->to = swap;
	}
}

/* Which of the two grids holds the result. */
static int
simulate(struct host *h, struct chip *c, int64_t steps)
{
	int now = 0;
	int32_t halo = (int32_t)host_integer(h, "PYRAMID");
	struct host_shape shape = SHAPE_2D(c->n, c->n, 16, 16);
	shape.grid[0] = shape.grid[1] = host_blocks(c->n, (uint32_t)(16 - 2 * halo));
	for (; steps > 0; steps -= halo, now = !now) {
		int32_t some = steps < halo ? (int32_t)steps : halo;
		host_launch(h, "hotspot", shape,
		    ARGUMENTS(&some, &c->dpower, &c->dtemperature[now], &c->dtemperature[!now],
			&c->n, &c->n, &halo, &c->factor, &c->rx, &c->ry, &c->rz));
	}
	return now;
}

static void
run(struct host *h)
{
	struct chip c = {.n = (int32_t)host_integer(h, "N")};
	uint64_t cells = (uint64_t)c.n * (uint64_t)c.n;
	int64_t steps = host_integer(h, "ITERATIONS");
	c.from = host_uniform(h, cells, 0, 320, 340);
	c.power = host_uniform(h, cells, 1, 0, 0.01);
	c.to = host_memory(h, cells, sizeof *c.to);
	set_constants(&c);
	c.dtemperature[0] = host_input(h, "temperature", c.from, 4 * cells);
	c.dpower = host_input(h, "power", c.power, 4 * cells);
	c.dtemperature[1] = host_device(h, "result", 4 * cells);
	int last = simulate(h, &c, steps);
	host_download(h, c.dtemperature[last], 4 * cells);
	if (!host_verifies(h))
		return;
	reference(&c, steps);
	host_expect_f32(h, "temperature", c.dtemperature[last], c.from, cells, 0);
}

const struct workload workload_hotspot = {
    .name = "hotspot",
    .summary = "heat on a chip: overlapping tiles in shared memory, several steps a launch",
    .origin = "Rodinia, hotspot",
    .parameter = parameter,
    .small = "N=50 ITERATIONS=5",
    .paper = "N=512 ITERATIONS=60",
    .footprint = "12 N N",
    .check = "bit for bit",
    .ptx = hotspot_ptx,
    .ptx_end = hotspot_ptx_end,
    .footprint_bytes = footprint,
    .run = run,
};
