/*
 * C = alpha A A' + beta C, as PolyBench/GPU does it: a thread an element of C, the sum in memory.  Of the two loads of A
 * one is the same for the whole warp, the other walks down the rows: lanes are a row of A apart.
 */
#include "../device.h"

KERNEL
syrk(const float *A, float *C, int n, int m, float alpha, float beta)
{
	int j = GLOBAL_X, i = GLOBAL_Y;

	if (i >= n || j >= n)
		return;
	C[i * n + j] *= beta;
	ROLLED
	for (int k = 0; k < m; k++)
		C[i * n + j] = FMA(alpha * A[i * m + k], A[j * m + k], C[i * n + j]);
}
