/*
 * G = (A B) (C D), as PolyBench/GPU does it: three products one after the other, a thread an element, no tiles.  The load of the
 * left matrix is the same for the whole warp, that of the right one is coalesced; the sum lives in memory.
 */
#include "product.h"

KERNEL
mm3_product(const float *A, const float *B, float *C, int m, int n, int k)
{
	product_element(A, B, C, m, n, k);
}
