/*
 * A 3 x 3 x 3 convolution with 15 of the 27 points, as PolyBench/GPU does it: one launch a plane, a thread a point of it,
 * straight from memory.  Lanes run along k; neighbours in j and the planes before and after share lines.
 */
#include "../device.h"

KERNEL
conv3d(const float *A, float *B, int nj, int nk, int i)
{
	int k = GLOBAL_X, j = GLOBAL_Y;

	if (j < 1 || j >= nj - 1 || k < 1 || k >= nk - 1)
		return;
	const float *at = A + (i * nj + j) * nk + k, *low = at - nj * nk, *high = at + nj * nk;
	float sum = 2.0f * low[-nk - 1];
	sum = FMA(4.0f, high[-nk - 1], sum);
	sum = FMA(5.0f, low[-nk - 1 + 2], sum);
	sum = FMA(7.0f, high[-nk - 1 + 2], sum);
	sum = FMA(-8.0f, low[-1], sum);
	sum = FMA(10.0f, high[-1], sum);
	sum = FMA(-3.0f, at[-nk], sum);
	sum = FMA(6.0f, at[0], sum);
	sum = FMA(-9.0f, at[nk], sum);
	sum = FMA(2.0f, low[nk - 1], sum);
	sum = FMA(4.0f, high[nk - 1], sum);
	sum = FMA(5.0f, low[1], sum);
	sum = FMA(7.0f, high[1], sum);
	sum = FMA(-8.0f, low[nk + 1], sum);
	sum = FMA(10.0f, high[nk + 1], sum);
	B[(i * nj + j) * nk + k] = sum;
}
