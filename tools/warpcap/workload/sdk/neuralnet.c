#include <math.h>
#include "workload/workload.h"

WORKLOAD_PTX(neuralnet, "sdk/neuralnet.ptx");

static const struct parameter parameter[] = {
    {"IMAGES", "to read", PARAMETER_INTEGER, 28, 1, 10000, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	return 4 * (156 + 7550 + 125100 + 1010 +
		       (uint64_t)host_integer(h, "IMAGES") * (841 + 1014 + 1250 + 110));
}

enum { LAYERS = 4 };

struct layer {
	const char *kernel;
	uint32_t maps, side; /* threads of a CTA: side x side */
	uint32_t inputs;     /* of a unit */
	uint64_t out;	     /* values of an image */
};

static const struct layer layer[LAYERS] = {
    {"neuralnet_first", 6, 13, 25, 1014},
    {"neuralnet_second", 50, 5, 150, 1250},
    {"neuralnet_third", 100, 1, 1250, 100},
    {"neuralnet_fourth", 10, 1, 100, 10},
};

/* The input of unit u of a layer, in the order of its weights. */
static float
input_of(int l, const float *in, uint32_t u, uint32_t i)
{
	uint32_t x, y;
	switch (l) {
	case 0: x = u % 13, y = u / 13 % 13; return in[(2 * y + i / 5) * 29 + 2 * x + i % 5];
	case 1:
		x = u % 5, y = u / 5 % 5;
		return in[i % 6 * 169 + (2 * y + i / 6 / 5) * 13 + 2 * x + i / 6 % 5];
	default: return in[i];
	}
}

static void
reference(int l, const float *in, const float *weight, float *out)
{
	const struct layer *y = &layer[l];
	for (uint32_t u = 0; u < y->out; u++) {
		const float *w = weight + (uint64_t)u / (y->side * y->side) * (y->inputs + 1);
		double sum = (double)w[0];
		for (uint32_t i = 0; i < y->inputs; i++)
			sum += (double)input_of(l, in, u, i) * (double)w[i + 1];
		out[u] = (float)(1.7159 * tanh(2 * sum / 3));
	}
}

static void
run(struct host *h)
{
	uint64_t images = (uint64_t)host_integer(h, "IMAGES"), d[LAYERS + 1], values = 841;
	float *value[LAYERS + 1], *weight[LAYERS];
	static const char *const label[LAYERS] = {"first", "second", "third", "fourth"};
	value[0] = host_uniform(h, images * values, 0, -1, 1);
	d[0] = host_input(h, "images", value[0], 4 * images * values);
	for (int l = 0; l < LAYERS; l++) {
		const struct layer *y = &layer[l];
		uint64_t weights = (uint64_t)y->maps * (y->inputs + 1);
		double range = l < 2 ? 0.2 : 0.05;
		weight[l] = host_uniform(h, weights, (uint64_t)l + 1, -range, range);
		value[l + 1] = host_memory(h, images * y->out, 4);
		uint64_t dweight = host_input(h, "weights", weight[l], 4 * weights);
		d[l + 1] = host_device(h, label[l], 4 * images * y->out);
		host_launch(h, y->kernel,
		    (struct host_shape){{y->maps, (uint32_t)images, 1}, {y->side, y->side, 1}, 0},
		    ARGUMENTS(&d[l], &dweight, &d[l + 1]));
	}
	host_download(h, d[LAYERS], 40 * images);
	if (!host_verifies(h))
		return;
	for (int l = 0; l < LAYERS; l++) {
		for (uint64_t k = 0; k < images; k++)
			reference(
			    l, value[l] + k * values, weight[l], value[l + 1] + k * layer[l].out);
		values = layer[l].out;
		host_expect_near(h, label[l], d[l + 1], value[l + 1], images * values, 1e-3, 1e-4);
	}
}

const struct workload workload_neuralnet = {
    .name = "neuralnet",
    .summary = "a network that reads digits: small CTAs, the last layers one thread each",
    .origin = "GPGPU-Sim ISPASS 2009 programs, NN",
    .parameter = parameter,
    .small = "IMAGES=2",
    .paper = "IMAGES=28",
    .footprint = "534 864 + 12 816 IMAGES",
    .check = "within 1e-3 of double precision",
    .ptx = neuralnet_ptx,
    .ptx_end = neuralnet_ptx_end,
    .footprint_bytes = footprint,
    .run = run,
};
