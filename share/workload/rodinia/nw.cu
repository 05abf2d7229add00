/*
 * Alignment of two sequences (Needleman and Wunsch), as Rodinia does it: the table of scores in tiles of 16 x 16, a launch
 * an anti-diagonal of tiles, CTAs of 16 threads that run over the tile's own anti-diagonals in shared memory.
 */
#include "../device.h"

#define SIDE 16

SHARED int score[SIDE + 1][SIDE + 1], match[SIDE][SIDE];

DEVICE int
maximum(int a, int b, int c)
{
	int d = a > b ? a : b;
	return d > c ? d : c;
}

KERNEL
nw_diagonal(const int *reference, int *table, int columns, int penalty, int x0, int y0)
{
	int t = TID_X, bx = x0 + CTA_X, by = y0 - CTA_X;
	int corner = columns * SIDE * by + SIDE * bx;

	if (t == 0)
		score[0][0] = table[corner];
	ROLLED
	for (int i = 0; i < SIDE; i++)
		match[i][t] = reference[corner + columns * (i + 1) + t + 1];
	BARRIER;
	score[t + 1][0] = table[corner + columns * (t + 1)];
	BARRIER;
	score[0][t + 1] = table[corner + t + 1];
	BARRIER;
	ROLLED
	for (int i = 0; i < SIDE; i++) {
		if (t <= i) {
			int x = t + 1, y = i - t + 1;
			score[y][x] = maximum(
			    score[y - 1][x - 1] + match[y - 1][x - 1], score[y][x - 1] - penalty, score[y - 1][x] - penalty);
		}
		BARRIER;
	}
	ROLLED
	for (int i = SIDE - 2; i >= 0; i--) {
		if (t <= i) {
			int x = t + SIDE - i, y = SIDE - t;
			score[y][x] = maximum(
			    score[y - 1][x - 1] + match[y - 1][x - 1], score[y][x - 1] - penalty, score[y - 1][x] - penalty);
		}
		BARRIER;
	}
	ROLLED
	for (int i = 0; i < SIDE; i++)
		table[corner + columns * (i + 1) + t + 1] = score[i + 1][t + 1];
}
