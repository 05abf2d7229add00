/*
 * Heat on a chip, as Rodinia does it: CTAs of 16 x 16 threads hold a tile of temperatures and powers in shared memory and
 * advance it several steps at once, each step a ring smaller, so that tiles overlap.
 */
#include "../device.h"

#define SIDE 16

SHARED float temperature[SIDE][SIDE], power[SIDE][SIDE], next[SIDE][SIDE];

DEVICE int
clamp(int value, int low, int high)
{
	return value < low ? low : value > high ? high : value;
}

KERNEL
hotspot(int steps, const float *p, const float *from, float *to, int columns, int rows, int halo, float factor, float rx,
    float ry, float rz)
{
	int x = TID_X, y = TID_Y, inner = SIDE - 2 * halo;
	int left = inner * CTA_X - halo, top = inner * CTA_Y - halo;
	int column = left + x, row = top + y;
	bool inside = row >= 0 && row < rows && column >= 0 && column < columns;

	if (inside) {
		temperature[y][x] = from[row * columns + column];
		power[y][x] = p[row * columns + column];
	}
	BARRIER;
	int x0 = left < 0 ? -left : 0, x1 = left + SIDE > columns ? columns - 1 - left : SIDE - 1;
	int y0 = top < 0 ? -top : 0, y1 = top + SIDE > rows ? rows - 1 - top : SIDE - 1;
	int north = clamp(y - 1, y0, y1), south = clamp(y + 1, y0, y1);
	int west = clamp(x - 1, x0, x1), east = clamp(x + 1, x0, x1);
	bool computed = false;
	ROLLED
	for (int i = 0; i < steps; i++) {
		computed = false;
		if (x >= i + 1 && x <= SIDE - i - 2 && y >= i + 1 && y <= SIDE - i - 2 && inside) {
			computed = true;
			float t = temperature[y][x];
			float vertical = FMA(-2.0f, t, temperature[south][x] + temperature[north][x]);
			float horizontal = FMA(-2.0f, t, temperature[y][east] + temperature[y][west]);
			float sum = FMA(80.0f - t, rz, FMA(horizontal, rx, FMA(vertical, ry, power[y][x])));
			next[y][x] = FMA(factor, sum, t);
		}
		BARRIER;
		if (i == steps - 1)
			break;
		if (computed)
			temperature[y][x] = next[y][x];
		BARRIER;
	}
	if (computed)
		to[row * columns + column] = next[y][x];
}
