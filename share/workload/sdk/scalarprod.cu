/*
 * Scalar products of many pairs of vectors, as the CUDA samples do it: a CTA a pair, 1024 partial sums in shared memory,
 * folded by a tree.  Loads are coalesced, nothing is used twice.
 */
#include "../device.h"

#define SUMS 1024

SHARED float partial[SUMS];

KERNEL
scalarprod(float *result, const float *a, const float *b, int vectors, int elements)
{
	ROLLED
	for (int v = CTA_X; v < vectors; v += GRID_X) {
		int from = v * elements, to = from + elements;
		ROLLED
		for (int s = TID_X; s < SUMS; s += BLOCK_X) {
			float sum = 0;
			ROLLED
			for (int at = from + s; at < to; at += SUMS)
				sum = FMA(a[at], b[at], sum);
			partial[s] = sum;
		}
		ROLLED
		for (int width = SUMS / 2; width > 0; width /= 2) {
			BARRIER;
			ROLLED
			for (int s = TID_X; s < width; s += BLOCK_X)
				partial[s] += partial[width + s];
		}
		BARRIER;
		if (TID_X == 0)
			result[v] = partial[0];
	}
}
