/*
 * A step of k-means clustering in the stages of MapReduce, as Mars does it: a thread a point finds the nearest centre, lanes
 * a point apart, and emits the centre's number as key; a sort brings points of a centre together, and a thread a centre
 * adds them up.
 */
#include "mars.h"
#include "../nearest.h"

KERNEL
kmn_map(const float *point, const float *centre, pair *out, int points, int clusters, int features)
{
	int i = GLOBAL_X;

	if (i < points)
		out[i] = PAIR(nearest_centre(point + i * features, 1, centre, features, clusters), i);
}

KERNEL
kmn_reduce(const float *point, const pair *group, float *centre, int points, int clusters, int features)
{
	int c = GLOBAL_X;

	if (c >= clusters)
		return;
	int low = 0, high = points;
	ROLLED
	while (low < high) {
		int middle = (low + high) / 2;
		if (KEY(group[middle]) < (unsigned)c)
			low = middle + 1;
		else
			high = middle;
	}
	ROLLED
	for (int f = 0; f < features; f++) {
		float sum = 0;
		int k = low;
		ROLLED
		for (; k < points && KEY(group[k]) == (unsigned)c; k++)
			sum += point[(int)(unsigned)group[k] * features + f];
		if (k > low)
			centre[c * features + f] = sum / (float)(k - low);
	}
}
