/*
 * y = A x with A in compressed rows, in SHOC's two forms.  Scalar: a thread a row, lanes far apart in values and columns,
 * trip counts are row lengths.  Vector: a warp a row, values and columns coalesced, lanes' sums folded by shuffles.  Both
 * gather x.
 */
#include "../device.h"

KERNEL
spmv_scalar(const int *row, const int *column, const float *value, const float *x, float *y, int rows)
{
	int r = GLOBAL_X;

	if (r >= rows)
		return;
	float sum = 0;
	int end = row[r + 1];
	ROLLED
	for (int e = row[r]; e < end; e++)
		sum = FMA(value[e], x[column[e]], sum);
	y[r] = sum;
}

KERNEL
spmv_vector(const int *row, const int *column, const float *value, const float *x, float *y, int rows)
{
	int r = GLOBAL_X / 32, lane = TID_X % 32;

	if (r >= rows)
		return;
	float sum = 0;
	int end = row[r + 1];
	ROLLED
	for (int e = row[r] + lane; e < end; e += 32)
		sum = FMA(value[e], x[column[e]], sum);
	UNROLLED
	for (int half = 16; half > 0; half /= 2)
		sum += SHUFFLE_DOWN(sum, half);
	if (lane == 0)
		y[r] = sum;
}
