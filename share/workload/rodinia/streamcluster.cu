/*
 * What opening a new centre would gain, as Rodinia's streamcluster asks: a thread a point, the candidate's coordinates in
 * shared memory, those of the points transposed and coalesced.  Points are records of 32 bytes, and each thread has a row
 * of sums of its own, a gain for each open centre, so that those loads and stores diverge.
 */
#include "../device.h"

struct point {
	float weight;
	int pad;
	long coordinates;
	long assigned;
	float cost;
	int pad2;
};

#define DIMENSIONS_MAX 1024

SHARED float candidate[DIMENSIONS_MAX];

KERNEL
streamcluster_gain(int n, int dimensions, int x, const struct point *point, int centres, int stride, const float *coordinate,
    float *work, const int *slot, char *moves)
{
	int i = GLOBAL_X;

	ROLLED
	for (int d = TID_X; d < dimensions; d += BLOCK_X)
		candidate[d] = coordinate[d * n + x];
	BARRIER;
	if (i >= n)
		return;
	float distance = 0;
	ROLLED
	for (int d = 0; d < dimensions; d++) {
		float difference = coordinate[d * n + i] - candidate[d];
		distance = FMA(difference, difference, distance);
	}
	float cost = distance * point[i].weight, now = point[i].cost;
	float *sum = work + (long)i * stride;
	if (cost < now) {
		moves[i] = 1;
		sum[centres] += cost - now;
	} else {
		sum[slot[point[i].assigned]] += now - cost;
	}
}
