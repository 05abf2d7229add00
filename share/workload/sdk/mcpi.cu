/*
 * Pi from random points, as the CUDA samples estimate it: one kernel draws the points, another counts those in the circle,
 * threads striding over the points, and folds a CTA's counts in shared memory.
 */
#include "../device.h"

#define BLOCK 128

SHARED unsigned count_cell[BLOCK];

DEVICE unsigned
mix(unsigned x)
{
	x = (x ^ x >> 16) * 0x7feb352du;
	x = (x ^ x >> 15) * 0x846ca68bu;
	return x ^ x >> 16;
}

KERNEL
mcpi_draw(unsigned *x, unsigned *y, unsigned seed, int n)
{
	ROLLED
	for (int i = GLOBAL_X; i < n; i += GRID_X * BLOCK_X) {
		x[i] = mix(seed + 2 * i) >> 8;
		y[i] = mix(seed + 2 * i + 1) >> 8;
	}
}

KERNEL
mcpi_count(const unsigned *x, const unsigned *y, unsigned *result, int n)
{
	unsigned count = 0;

	ROLLED
	for (int i = GLOBAL_X; i < n; i += GRID_X * BLOCK_X) {
		float a = (float)x[i] * 5.9604645e-8f, b = (float)y[i] * 5.9604645e-8f;
		if (FMA(a, a, b * b) < 1.0f)
			count++;
	}
	count_cell[TID_X] = count;
	BARRIER;
	ROLLED
	for (int width = BLOCK / 2; width > 0; width /= 2) {
		if (TID_X < width)
			count_cell[TID_X] += count_cell[TID_X + width];
		BARRIER;
	}
	if (TID_X == 0)
		result[CTA_X] = count_cell[0];
}
