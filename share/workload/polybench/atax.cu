/*
 * y = A'(Ax), as PolyBench/GPU does it.  Kernel 1: a thread a row, lanes a row apart, so each load of A touches 32
 * lines and each line is wanted again by the same thread in the next iteration.  Kernel 2: a thread a column, coalesced.
 * Both sums live in memory: A and x may alias them, and each iteration stores.
 */
#include "../device.h"

KERNEL
atax_kernel1(const float *A, const float *x, float *tmp, int m, int n)
{
	int i = GLOBAL_X;

	if (i >= m)
		return;
	ROLLED
	for (int j = 0; j < n; j++)
		tmp[i] = FMA(A[i * n + j], x[j], tmp[i]);
}

KERNEL
atax_kernel2(const float *A, const float *tmp, float *y, int m, int n)
{
	int j = GLOBAL_X;

	if (j >= n)
		return;
	ROLLED
	for (int i = 0; i < m; i++)
		y[j] = FMA(A[i * n + j], tmp[i], y[j]);
}
