/*
 * LU decomposition in tiles of 16 x 16, as Rodinia does it: for each step along the diagonal the tile on it with 16
 * threads, the tiles beside and below it with 32 threads a pair, then the rest with 256 threads a tile, all in shared
 * memory.
 */
#include "../device.h"

#define SIDE 16

SHARED float diagonal[SIDE][SIDE], side_row[SIDE][SIDE], side_column[SIDE][SIDE];

KERNEL
lud_diagonal(float *m, int n, int offset)
{
	int t = TID_X;
	float *at = m + offset * n + offset;

	ROLLED
	for (int i = 0; i < SIDE; i++)
		diagonal[i][t] = at[i * n + t];
	BARRIER;
	ROLLED
	for (int i = 0; i < SIDE - 1; i++) {
		if (t > i) {
			ROLLED
			for (int j = 0; j < i; j++)
				diagonal[t][i] -= diagonal[t][j] * diagonal[j][i];
			diagonal[t][i] /= diagonal[i][i];
		}
		BARRIER;
		if (t > i) {
			ROLLED
			for (int j = 0; j < i + 1; j++)
				diagonal[i + 1][t] -= diagonal[i + 1][j] * diagonal[j][t];
		}
		BARRIER;
	}
	ROLLED
	for (int i = 1; i < SIDE; i++)
		at[i * n + t] = diagonal[i][t];
}

KERNEL
lud_perimeter(float *m, int n, int offset)
{
	bool row = TID_X < SIDE;
	int t = TID_X % SIDE;
	float *at = m + offset * n + offset;
	float *right = at + (CTA_X + 1) * SIDE, *down = at + (CTA_X + 1) * SIDE * n;

	ROLLED
	for (int i = row ? 0 : SIDE / 2; i < (row ? SIDE / 2 : SIDE); i++)
		diagonal[i][t] = at[i * n + t];
	ROLLED
	for (int i = 0; i < SIDE; i++) {
		if (row)
			side_row[i][t] = right[i * n + t];
		else
			side_column[i][t] = down[i * n + t];
	}
	BARRIER;
	if (row) {
		ROLLED
		for (int i = 1; i < SIDE; i++)
			for (int j = 0; j < i; j++)
				side_row[i][t] -= diagonal[i][j] * side_row[j][t];
	} else {
		ROLLED
		for (int i = 0; i < SIDE; i++) {
			for (int j = 0; j < i; j++)
				side_column[t][i] -= side_column[t][j] * diagonal[j][i];
			side_column[t][i] /= diagonal[i][i];
		}
	}
	BARRIER;
	ROLLED
	for (int i = 0; i < SIDE; i++) {
		if (row)
			right[i * n + t] = side_row[i][t];
		else
			down[i * n + t] = side_column[i][t];
	}
}

KERNEL
lud_internal(float *m, int n, int offset)
{
	int row = offset + (CTA_Y + 1) * SIDE, column = offset + (CTA_X + 1) * SIDE;
	float sum = 0;

	side_row[TID_Y][TID_X] = m[(offset + TID_Y) * n + column + TID_X];
	side_column[TID_Y][TID_X] = m[(row + TID_Y) * n + offset + TID_X];
	BARRIER;
	UNROLLED
	for (int i = 0; i < SIDE; i++)
		sum = FMA(side_column[TID_Y][i], side_row[i][TID_X], sum);
	m[(row + TID_Y) * n + column + TID_X] -= sum;
}
