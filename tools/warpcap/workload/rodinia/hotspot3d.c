#include <math.h>
#include "workload/workload.h"

WORKLOAD_PTX(hotspot3d, "rodinia/hotspot3d.ptx");

static const struct parameter parameter[] = {
    {"N", "rows and columns of a layer", PARAMETER_INTEGER, 256, 1, 16384, NULL},
    {"LAYERS", "on top of each other", PARAMETER_INTEGER, 8, 1, 512, NULL},
    {"ITERATIONS", "steps in time", PARAMETER_INTEGER, 4, 1, 100000, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	uint64_t n = (uint64_t)host_integer(h, "N"), layers = (uint64_t)host_integer(h, "LAYERS");
	return 12 * n * n * layers;
}

struct stack {
	float *power, *from, *to;
	int32_t n, layers;
	float ce, cn, ct, cc, step;
};

static void *
prepare(struct host *h)
{
	int64_t n = host_integer(h, "N");
	if (n * n * host_integer(h, "LAYERS") >= INT32_MAX)
		host_fail(h, WCP_EUSAGE, "hotspot3d: N N LAYERS is not below 2^31");
	return NULL;
}

static float
advance_cell(const struct stack *s, int32_t i, int32_t j, int32_t k)
{
	int32_t n = s->n, layer = n * n, c = i + j * n + k * layer;
	const float *from = s->from;
	float west = from[i ? c - 1 : c], east = from[i < n - 1 ? c + 1 : c];
	float north = from[j ? c - n : c], south = from[j < n - 1 ? c + n : c];
	float below = from[k ? c - layer : c], above = from[k < s->layers - 1 ? c + layer : c];
	float sum = fmaf(s->cc, from[c], fmaf(s->cn, south + north, s->ce * (east + west)));
	sum = fmaf(s->ct, above + below, sum);
	return fmaf(s->ct, 80.0f, fmaf(s->step, s->power[c], sum));
}

static void
reference(struct stack *s, int64_t steps)
{
	for (; steps > 0; steps--) {
		float *to = s->to;
		for (int32_t k = 0; k < s->layers; k++)
			for (int32_t j = 0; j < s->n; j++)
				for (int32_t i = 0; i < s->n; i++)
					*to++ = advance_cell(s, i, j, k);
		float *swap = s->from;
		s->from = s->to;
		s->to = swap;
	}
}

static void
run(struct host *h)
{
	struct stack s = {.n = (int32_t)host_integer(h, "N"),
	    .layers = (int32_t)host_integer(h, "LAYERS"),
	    .ce = 0.03f,
	    .cn = 0.03f,
	    .ct = 0.0002f,
	    .cc = 1 - (4 * 0.03f + 3 * 0.0002f),
	    .step = 0.01f};
	uint64_t cells = (uint64_t)s.n * (uint64_t)s.n * (uint64_t)s.layers, d[2];
	int64_t steps = host_integer(h, "ITERATIONS");
	s.from = host_uniform(h, cells, 0, 320, 340);
	s.power = host_uniform(h, cells, 1, 0, 0.01);
	s.to = host_memory(h, cells, sizeof *s.to);
	d[0] = host_input(h, "temperature", s.from, 4 * cells);
	d[1] = host_device(h, "result", 4 * cells);
	uint64_t dpower = host_input(h, "power", s.power, 4 * cells);
	for (int64_t t = 0; t < steps; t++)
		host_launch(h, "hotspot3d", SHAPE_2D(s.n, s.n, 64, 4),
		    ARGUMENTS(&dpower, &d[t % 2], &d[(t + 1) % 2], &s.n, &s.n, &s.layers, &s.ce,
			&s.cn, &s.ct, &s.cc, &s.step));
	host_download(h, d[steps % 2], 4 * cells);
	if (!host_verifies(h))
		return;
	reference(&s, steps);
	host_expect_f32(h, "temperature", d[steps % 2], s.from, cells, 0);
}

const struct workload workload_hotspot3d = {
    .name = "hotspot3d",
    .summary = "heat in a stack of layers: a thread a column of cells, three layers in registers",
    .origin = "Rodinia, hotspot3D",
    .parameter = parameter,
    .small = "N=50 LAYERS=5 ITERATIONS=3",
    .paper = "N=512 LAYERS=8 ITERATIONS=10",
    .footprint = "12 N N LAYERS",
    .check = "bit for bit",
    .ptx = hotspot3d_ptx,
    .ptx_end = hotspot3d_ptx_end,
    .footprint_bytes = footprint,
    .prepare = prepare,
    .run = run,
};
