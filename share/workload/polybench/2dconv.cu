/*
 * A 3 x 3 convolution, as PolyBench/GPU does it: a thread a point, nine loads straight from memory, the border left alone.
 * Neighbouring warps and rows of a CTA share lines.
 */
#include "../device.h"

KERNEL
conv2d(const float *A, float *B, int rows, int columns)
{
	int j = GLOBAL_X, i = GLOBAL_Y;

	if (i < 1 || i >= rows - 1 || j < 1 || j >= columns - 1)
		return;
	const float *up = A + (i - 1) * columns + j, *at = up + columns, *down = at + columns;
	float sum = 0.2f * up[-1];
	sum = FMA(0.5f, up[0], sum);
	sum = FMA(-0.8f, up[1], sum);
	sum = FMA(-0.3f, at[-1], sum);
	sum = FMA(0.6f, at[0], sum);
	sum = FMA(-0.9f, at[1], sum);
	sum = FMA(0.4f, down[-1], sum);
	sum = FMA(0.7f, down[0], sum);
	sum = FMA(0.1f, down[1], sum);
	B[i * columns + j] = sum;
}
