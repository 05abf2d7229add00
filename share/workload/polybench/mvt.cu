/*
 * x1 += A y1 and x2 += A'y2, as PolyBench/GPU does it: first a thread a row, lanes a row of A apart, then a thread a column,
 * coalesced.  Sums live in memory.
 */
#include "../device.h"

KERNEL
mvt_kernel1(const float *A, float *x1, const float *y1, int n)
{
	int i = GLOBAL_X;

	if (i >= n)
		return;
	ROLLED
	for (int j = 0; j < n; j++)
		x1[i] = FMA(A[i * n + j], y1[j], x1[i]);
}

KERNEL
mvt_kernel2(const float *A, float *x2, const float *y2, int n)
{
	int i = GLOBAL_X;

	if (i >= n)
		return;
	ROLLED
	for (int j = 0; j < n; j++)
		x2[i] = FMA(A[j * n + i], y2[j], x2[i]);
}
