/*
 * E = (A B) D, as PolyBench/GPU does it: two products one after the other, a thread an element, no tiles.  The load of the
 * left matrix is the same for the whole warp, that of the right one is coalesced; the sum lives in memory.
 */
#include "../device.h"

KERNEL
mm2_product(const float *A, const float *B, float *C, int m, int n, int k)
{
	int j = GLOBAL_X, i = GLOBAL_Y;

	if (i >= m || j >= n)
		return;
	C[i * n + j] = 0;
	ROLLED
	for (int l = 0; l < k; l++)
		C[i * n + j] = FMA(A[i * k + l], B[l * n + j], C[i * n + j]);
}
