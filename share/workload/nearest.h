/* The centre nearest to a point, as both k-means clusterings look for it. */
#ifndef NEAREST_H
#define NEAREST_H

#include "device.h"

/* The point's features are feature[0], feature[step], ... */
DEVICE int
nearest_centre(const float *feature, int step, const float *centre, int features, int clusters)
{
	float nearest = 3.0e38f;
	int best = 0;

	ROLLED
	for (int c = 0; c < clusters; c++) {
		float distance = 0;
		ROLLED
		for (int f = 0; f < features; f++) {
			float d = feature[f * step] - centre[c * features + f];
			distance = FMA(d, d, distance);
		}
		if (distance < nearest) {
			nearest = distance;
			best = c;
		}
	}
	return best;
}

#endif
