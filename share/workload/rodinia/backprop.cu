/*
 * One training step of a network with a hidden layer of 16 units, as Rodinia does it: CTAs of 16 x 16 threads, a row of
 * them an input, a column a hidden unit.  Forward: the tile of weights times the inputs, summed over rows by a tree in
 * shared memory.  Then the weights are adjusted, a thread a weight; rows of weights are 17 long, so lanes cross lines.
 */
#include "../device.h"

#define SIDE 16

SHARED float node[SIDE], product[SIDE][SIDE];

KERNEL
backprop_forward(const float *input, float *weight, float *partial, int hidden)
{
	int x = TID_X, y = TID_Y;
	int at = (hidden + 1) * SIDE * CTA_Y + (hidden + 1) * y + x + 1 + (hidden + 1);

	if (x == 0)
		node[y] = input[SIDE * CTA_Y + y + 1];
	BARRIER;
	product[y][x] = weight[at];
	BARRIER;
	product[y][x] *= node[y];
	BARRIER;
	ROLLED
	for (int step = 2; step <= SIDE; step *= 2) {
		if (y % step == 0)
			product[y][x] += product[y + step / 2][x];
		BARRIER;
	}
	weight[at] = product[y][x];
	BARRIER;
	if (x == 0)
		partial[CTA_Y * hidden + y] = product[x][y];
}

KERNEL
backprop_adjust(const float *delta, const float *input, float *weight, float *change, int hidden)
{
	int x = TID_X, y = TID_Y;
	int at = (hidden + 1) * SIDE * CTA_Y + (hidden + 1) * y + x + 1 + (hidden + 1);
	int unit = x + 1, in = SIDE * CTA_Y + y + 1;

	float step = FMA(0.3f, change[at], 0.3f * delta[unit] * input[in]);
	weight[at] += step;
	change[at] = step;
	BARRIER;
	if (y == 0 && CTA_Y == 0) {
		step = FMA(0.3f, change[unit], 0.3f * delta[unit]);
		weight[unit] += step;
		change[unit] = step;
	}
}
