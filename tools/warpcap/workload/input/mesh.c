#include "mesh.h"
#include <math.h>

enum { STREAM_MESH = 400 };

/* From 1 within a radius to 0 outside of it, over a thirtieth of it. Only operations that round the
 * same everywhere. */
static double
front(double distance_squared, double radius)
{
	double s = (distance_squared / (radius * radius) - 1) * 30;
	return 0.5 - 0.5 * s / sqrt(1 + s * s);
}

struct burnt {
	double x, y, radius;
};

static double
temperature(const struct burnt *b, uint32_t kernels, double x, double y)
{
	double cold = 1;
	for (uint32_t k = 0; k < kernels; k++) {
		double dx = x - b[k].x, dy = y - b[k].y;
		cold *= 1 - front(dx * dx + dy * dy, b[k].radius);
	}
	return 1 - cold;
}

float *
mesh_combustion(struct host *h, uint32_t side, uint32_t kernels)
{
	float *field = host_memory(h, (uint64_t)side * side, sizeof *field);
	struct burnt *b = host_memory(h, kernels, sizeof *b);
	uint64_t seed = random_at(host_seed(h), STREAM_MESH);
	if (!field || !b)
		return NULL;
	for (uint64_t k = 0; k < kernels; k++)
		b[k] = (struct burnt){random_unit(seed, 3 * k), random_unit(seed, 3 * k + 1),
		    0.03 + 0.12 * random_unit(seed, 3 * k + 2)};
	for (uint32_t y = 0; y < side; y++)
		for (uint32_t x = 0; x < side; x++)
			field[(uint64_t)y * side + x] =
			    (float)temperature(b, kernels, (x + 0.5) / side, (y + 0.5) / side);
	return field;
}
