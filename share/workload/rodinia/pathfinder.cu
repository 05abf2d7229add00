/*
 * The cheapest way down a grid, as Rodinia does it: CTAs of 256 threads keep a piece of a row in shared memory and go down
 * several rows at once, each row two cells narrower, so that pieces overlap.
 */
#include "../device.h"

#define BLOCK 256

SHARED int previous[BLOCK], result[BLOCK];

DEVICE int
minimum(int a, int b)
{
	return a < b ? a : b;
}

KERNEL
pathfinder(int rows, const int *wall, const int *from, int *to, int columns, int first, int halo)
{
	int t = TID_X, left = (BLOCK - 2 * halo) * CTA_X - halo, x = left + t;
	int low = left < 0 ? -left : 0, high = left + BLOCK > columns ? columns - 1 - left : BLOCK - 1;
	int west = t - 1 < low ? low : t - 1, east = t + 1 > high ? high : t + 1;
	bool inside = t >= low && t <= high, computed = false;

	if (inside)
		previous[t] = from[x];
	BARRIER;
	ROLLED
	for (int i = 0; i < rows; i++) {
		computed = false;
		if (t >= i + 1 && t <= BLOCK - i - 2 && inside) {
			computed = true;
			int shortest = minimum(minimum(previous[west], previous[t]), previous[east]);
			result[t] = shortest + wall[columns * (first + i) + x];
		}
		BARRIER;
		if (i == rows - 1)
			break;
		if (computed)
			previous[t] = result[t];
		BARRIER;
	}
	if (computed)
		to[x] = result[t];
}
