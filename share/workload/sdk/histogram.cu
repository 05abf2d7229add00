/*
 * Counts of 256 bins: each CTA counts into shared memory with atomic reductions while it strides over the input, then
 * adds its counts to the result in global memory.  Equal values in a warp collide.
 */
#include "../device.h"

#define BINS 256

SHARED unsigned local[BINS];

KERNEL
histogram(const unsigned char *data, unsigned *bins, int n)
{
	for (int b = TID_X; b < BINS; b += BLOCK_X)
		local[b] = 0;
	BARRIER;
	ROLLED
	for (int i = GLOBAL_X; i < n; i += GRID_X * BLOCK_X)
		reduce_add_shared(&local[data[i]], 1);
	BARRIER;
	for (int b = TID_X; b < BINS; b += BLOCK_X)
		reduce_add_global(&bins[b], local[b]);
}
