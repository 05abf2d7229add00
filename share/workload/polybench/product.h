/* An element of a product of matrices, as 2MM and 3MM compute it: no tiles, the sum in memory. */
#ifndef PRODUCT_H
#define PRODUCT_H

#include "../device.h"

DEVICE void
product_element(const float *A, const float *B, float *C, int m, int n, int k)
{
	int j = GLOBAL_X, i = GLOBAL_Y;

	if (i >= m || j >= n)
		return;
	C[i * n + j] = 0;
	ROLLED
	for (int l = 0; l < k; l++)
		C[i * n + j] = FMA(A[i * k + l], B[l * n + j], C[i * n + j]);
}

#endif
