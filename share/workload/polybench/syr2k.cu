/*
 * C = alpha A B' + alpha B A' + beta C, as PolyBench/GPU does it: a thread an element of C, the sum in memory.  Of the four
 * loads of an iteration two are the same for the whole warp and two walk down the rows, lanes a row apart.
 */
#include "../device.h"

KERNEL
syr2k(const float *A, const float *B, float *C, int n, int m, float alpha, float beta)
{
	int j = GLOBAL_X, i = GLOBAL_Y;

	if (i >= n || j >= n)
		return;
	C[i * n + j] *= beta;
	ROLLED
	for (int k = 0; k < m; k++) {
		float sum = FMA(alpha * A[i * m + k], B[j * m + k], C[i * n + j]);
		C[i * n + j] = FMA(alpha * B[i * m + k], A[j * m + k], sum);
	}
}
