/*
 * The sum of n floats: threads stride over the input, a warp folds its lanes by shuffles, the first warp folds the warps'
 * sums from shared memory.  The CTAs' sums are folded by a second launch of the same kernel, or added atomically.
 */
#include "../device.h"

SHARED float warp_sum[32];

DEVICE float
fold(float sum)
{
	UNROLLED
	for (int half = 16; half > 0; half /= 2)
		sum += SHUFFLE_DOWN(sum, half);
	return sum;
}

DEVICE float
cta_sum(const float *in, int n)
{
	int lane = TID_X % 32, warp = TID_X / 32;
	float sum = 0;

	ROLLED
	for (int i = GLOBAL_X; i < n; i += GRID_X * BLOCK_X)
		sum += in[i];
	sum = fold(sum);
	if (lane == 0)
		warp_sum[warp] = sum;
	BARRIER;
	if (warp != 0)
		return 0;
	return fold(lane < BLOCK_X / 32 ? warp_sum[lane] : 0);
}

KERNEL
reduce_pass(const float *in, float *out, int n)
{
	float sum = cta_sum(in, n);

	if (TID_X == 0)
		out[CTA_X] = sum;
}

KERNEL
reduce_atomic(const float *in, float *out, int n)
{
	float sum = cta_sum(in, n);

	if (TID_X == 0)
		reduce_add_global(out, sum);
}
