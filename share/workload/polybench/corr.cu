/*
 * The matrix of correlations between M variables of N observations, as PolyBench/GPU does it: means and deviations with a
 * thread a column, the data centred with a thread an element, then a thread a row of the matrix, which walks down the
 * columns of the data: one load coalesced, one the same for the warp.  The sum stays in a register: the papers' figure for
 * accesses is that of such code.
 */
#include "../device.h"

KERNEL
corr_mean(const float *data, float *mean, int m, int n)
{
	int j = GLOBAL_X;

	if (j >= m)
		return;
	float sum = 0;
	ROLLED
	for (int i = 0; i < n; i++)
		sum += data[i * m + j];
	mean[j] = sum / (float)n;
}

KERNEL
corr_deviation(const float *data, const float *mean, float *deviation, int m, int n)
{
	int j = GLOBAL_X;

	if (j >= m)
		return;
	float sum = 0;
	ROLLED
	for (int i = 0; i < n; i++) {
		float d = data[i * m + j] - mean[j];
		sum = FMA(d, d, sum);
	}
	float root = __nvvm_sqrt_rn_f(sum / (float)n);
	deviation[j] = root <= 0.005f ? 1.0f : root;
}

KERNEL
corr_centre(float *data, const float *mean, const float *deviation, int m, int n)
{
	int j = GLOBAL_X, i = GLOBAL_Y;

	if (i >= n || j >= m)
		return;
	data[i * m + j] = (data[i * m + j] - mean[j]) / (__nvvm_sqrt_rn_f((float)n) * deviation[j]);
}

KERNEL
corr_correlate(const float *data, float *matrix, int m, int n)
{
	int j1 = GLOBAL_X;

	if (j1 >= m)
		return;
	matrix[j1 * m + j1] = 1;
	ROLLED
	for (int j2 = j1 + 1; j2 < m; j2++) {
		float sum = 0;
		ROLLED
		for (int i = 0; i < n; i++)
			sum = FMA(data[i * m + j1], data[i * m + j2], sum);
		matrix[j1 * m + j2] = sum;
		matrix[j2 * m + j1] = sum;
	}
}
