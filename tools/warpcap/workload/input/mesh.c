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

static double
temperature(uint64_t seed, uint32_t kernels, double x, double y)
{
	double cold = 1;
	for (uint64_t k = 0; k < kernels; k++) {
		double dx = x - random_unit(seed, 3 * k), dy = y - random_unit(seed, 3 * k + 1);
		double radius = 0.03 + 0.12 * random_unit(seed, 3 * k + 2);
		cold *= 1 - front(dx * dx + dy * dy, radius);
	}
	return 1 - cold;
}

float *
mesh_combustion(struct host *h, uint32_t side, uint32_t kernels)
{
	float *field = host_memory(h, (uint64_t)side * side, sizeof *field);
	uint64_t seed = random_at(host_seed(h), STREAM_MESH);
	for (uint32_t y = 0; field && y < side; y++)
		for (uint32_t x = 0; x < side; x++)
			field[(uint64_t)y * side + x] =
			    (float)temperature(seed, kernels, (x + 0.5) / side, (y + 0.5) / side);
	return field;
}
