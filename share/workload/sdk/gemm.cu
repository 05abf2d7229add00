/*
 * C = alpha A B + beta C with 16 x 16 tiles in shared memory: a CTA a tile of C, a thread an element.  A warp is two rows
 * of a tile, so a load of A or B touches two half lines; in the inner loop the load of the A tile is two words a warp
 * and that of the B tile one row.  Sizes need not be multiples of the tile.
 */
#include "../device.h"

#define TILE 16

SHARED float tile_a[TILE][TILE], tile_b[TILE][TILE];

KERNEL
gemm(const float *A, const float *B, float *C, int m, int n, int k, float alpha, float beta)
{
	int column = CTA_X * TILE + TID_X, row = CTA_Y * TILE + TID_Y;
	float sum = 0;

	ROLLED
	for (int t = 0; t < k; t += TILE) {
		int ka = t + TID_X, kb = t + TID_Y;
		tile_a[TID_Y][TID_X] = row < m && ka < k ? A[row * k + ka] : 0;
		tile_b[TID_Y][TID_X] = kb < k && column < n ? B[kb * n + column] : 0;
		BARRIER;
		UNROLLED
		for (int i = 0; i < TILE; i++)
			sum = FMA(tile_a[TID_Y][i], tile_b[i][TID_X], sum);
		BARRIER;
	}
	if (row < m && column < n)
		C[row * n + column] = FMA(alpha, sum, beta * C[row * n + column]);
}
