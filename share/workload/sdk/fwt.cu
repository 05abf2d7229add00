/*
 * Dyadic convolution by fast Walsh transforms, as the CUDA samples do it: steps of radix 4 in global memory while a
 * transform is longer than what fits shared memory, then whole transforms of 2048 there; a product in between.
 */
#include "../device.h"

#define PIECE 2048

SHARED float piece[PIECE];

/* Four elements a stride apart; a thread four of them. */
KERNEL
fwt_step(float *data, int stride)
{
	int i = GLOBAL_X, low = i & (stride - 1);
	float *at = data + (i - low) * 4 + low;

	float a = at[0], b = at[stride], c = at[2 * stride], d = at[3 * stride];
	float ac = a + c, a_c = a - c, bd = b + d, b_d = b - d;
	at[0] = ac + bd;
	at[stride] = ac - bd;
	at[2 * stride] = a_c + b_d;
	at[3 * stride] = a_c - b_d;
}

/* A CTA a transform of n <= PIECE elements, n / 4 threads. */
KERNEL
fwt_piece(float *data, int n)
{
	float *from = data + CTA_X * n;
	int stride = n / 4;

	ROLLED
	for (int i = TID_X; i < n; i += BLOCK_X)
		piece[i] = from[i];
	ROLLED
	for (; stride > 0; stride /= 4) {
		int low = TID_X & (stride - 1), at = (TID_X - low) * 4 + low;
		BARRIER;
		float a = piece[at], b = piece[at + stride], c = piece[at + 2 * stride], d = piece[at + 3 * stride];
		float ac = a + c, a_c = a - c, bd = b + d, b_d = b - d;
		piece[at] = ac + bd;
		piece[at + stride] = ac - bd;
		piece[at + 2 * stride] = a_c + b_d;
		piece[at + 3 * stride] = a_c - b_d;
	}
	/* An odd number of halvings: one of radix 2 is left. */
	bool odd = false;
	for (int left = n; left > 1; left /= 2)
		odd = !odd;
	if (odd) {
		BARRIER;
		ROLLED
		for (int i = TID_X; i < n / 2; i += BLOCK_X) {
			float a = piece[2 * i], b = piece[2 * i + 1];
			piece[2 * i] = a + b;
			piece[2 * i + 1] = a - b;
		}
	}
	BARRIER;
	ROLLED
	for (int i = TID_X; i < n; i += BLOCK_X)
		from[i] = piece[i];
}

KERNEL
fwt_multiply(float *data, const float *by, int n)
{
	float scale = 1.0f / (float)n;

	ROLLED
	for (int i = GLOBAL_X; i < n; i += GRID_X * BLOCK_X)
		data[i] *= by[i] * scale;
}
