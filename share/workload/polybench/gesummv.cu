/*
 * y = alpha A x + beta B x, as PolyBench/GPU does it: a thread a row of both matrices, lanes a row apart, sums in memory.
 */
#include "../device.h"

KERNEL
gesummv(const float *A, const float *B, const float *x, float *tmp, float *y, int n, float alpha, float beta)
{
	int i = GLOBAL_X;

	if (i >= n)
		return;
	ROLLED
	for (int j = 0; j < n; j++) {
		tmp[i] = FMA(A[i * n + j], x[j], tmp[i]);
		y[i] = FMA(B[i * n + j], x[j], y[i]);
	}
	y[i] = FMA(alpha, tmp[i], beta * y[i]);
}
