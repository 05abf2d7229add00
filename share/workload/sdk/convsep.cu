/*
 * A separable convolution of 17 by 17 taps, as the CUDA samples do it: rows, then columns, each CTA with a tile and its
 * halo in shared memory, each thread with eight results; the taps in constant memory.
 */
#include "../device.h"

#define RADIUS	 8
#define RESULTS	 8
#define ROW_X	 16
#define ROW_Y	 4
#define COLUMN_X 16
#define COLUMN_Y 8

/* Of a hat, whose sum is 1. */
CONSTANT float tap[2 * RADIUS + 1] = {1.0f / 81, 2.0f / 81, 3.0f / 81, 4.0f / 81, 5.0f / 81, 6.0f / 81, 7.0f / 81, 8.0f / 81,
    9.0f / 81, 8.0f / 81, 7.0f / 81, 6.0f / 81, 5.0f / 81, 4.0f / 81, 3.0f / 81, 2.0f / 81, 1.0f / 81};

SHARED float row_tile[ROW_Y][(RESULTS + 2) * ROW_X], column_tile[COLUMN_X][(RESULTS + 2) * COLUMN_Y + 1];

KERNEL
convsep_rows(float *to, const float *from, int width)
{
	int x = (CTA_X * RESULTS - 1) * ROW_X + TID_X, y = CTA_Y * ROW_Y + TID_Y;

	from += y * width;
	UNROLLED
	for (int i = 0; i < RESULTS + 2; i++) {
		int at = x + i * ROW_X;
		row_tile[TID_Y][TID_X + i * ROW_X] = at >= 0 && at < width ? from[at] : 0;
	}
	BARRIER;
	UNROLLED
	for (int i = 1; i <= RESULTS; i++) {
		float sum = 0;
		UNROLLED
		for (int j = -RADIUS; j <= RADIUS; j++)
			sum = FMA(tap[RADIUS - j], row_tile[TID_Y][TID_X + i * ROW_X + j], sum);
		to[y * width + x + i * ROW_X] = sum;
	}
}

KERNEL
convsep_columns(float *to, const float *from, int width, int height)
{
	int x = CTA_X * COLUMN_X + TID_X, y = (CTA_Y * RESULTS - 1) * COLUMN_Y + TID_Y;

	UNROLLED
	for (int i = 0; i < RESULTS + 2; i++) {
		int at = y + i * COLUMN_Y;
		column_tile[TID_X][TID_Y + i * COLUMN_Y] = at >= 0 && at < height ? from[at * width + x] : 0;
	}
	BARRIER;
	UNROLLED
	for (int i = 1; i <= RESULTS; i++) {
		float sum = 0;
		UNROLLED
		for (int j = -RADIUS; j <= RADIUS; j++)
			sum = FMA(tap[RADIUS - j], column_tile[TID_X][TID_Y + i * COLUMN_Y + j], sum);
		to[(y + i * COLUMN_Y) * width + x] = sum;
	}
}
