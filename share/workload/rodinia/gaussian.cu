/*
 * Gaussian elimination, as Rodinia does it: two kernels a column.  Factors of the column, a thread a row, lanes a row apart;
 * then the rest of the matrix with CTAs of 4 x 4 threads, whose lanes lie in four rows.
 */
#include "../device.h"

KERNEL
gaussian_factors(float *factor, const float *a, int n, int t)
{
	int i = GLOBAL_X;

	if (i >= n - 1 - t)
		return;
	factor[n * (i + t + 1) + t] = a[n * (i + t + 1) + t] / a[n * t + t];
}

KERNEL
gaussian_eliminate(const float *factor, float *a, float *b, int n, int t)
{
	int i = GLOBAL_X, j = GLOBAL_Y;

	if (i >= n - 1 - t || j >= n - t)
		return;
	int row = i + 1 + t;
	a[n * row + j + t] = FMA(-factor[n * row + t], a[n * t + j + t], a[n * row + j + t]);
	if (j == 0)
		b[row] = FMA(-factor[n * row + t], b[t], b[row]);
}
