/*
 * One step of k-means clustering, as Rodinia and those who measured it do it: a thread a point, which runs over all
 * clusters and features.  With points as rows lanes are a row apart, and each load of a feature touches 32 lines that the
 * same threads want again for the next features and clusters; the other layout is coalesced, after a kernel that
 * transposes.
 */
#include "../device.h"

KERNEL
kmeans_transpose(const float *row, float *column, int points, int features)
{
	int p = GLOBAL_X;

	if (p >= points)
		return;
	ROLLED
	for (int f = 0; f < features; f++)
		column[f * points + p] = row[p * features + f];
}

KERNEL
kmeans_rows(const float *feature, const float *centre, int *member, int points, int features, int clusters)
{
	int p = GLOBAL_X, best = 0;
	float nearest = 3.0e38f;

	if (p >= points)
		return;
	ROLLED
	for (int c = 0; c < clusters; c++) {
		float distance = 0;
		ROLLED
		for (int f = 0; f < features; f++) {
			float d = feature[p * features + f] - centre[c * features + f];
			distance = FMA(d, d, distance);
		}
		if (distance < nearest) {
			nearest = distance;
			best = c;
		}
	}
	member[p] = best;
}

KERNEL
kmeans_columns(const float *feature, const float *centre, int *member, int points, int features, int clusters)
{
	int p = GLOBAL_X, best = 0;
	float nearest = 3.0e38f;

	if (p >= points)
		return;
	ROLLED
	for (int c = 0; c < clusters; c++) {
		float distance = 0;
		ROLLED
		for (int f = 0; f < features; f++) {
			float d = feature[f * points + p] - centre[c * features + f];
			distance = FMA(d, d, distance);
		}
		if (distance < nearest) {
			nearest = distance;
			best = c;
		}
	}
	member[p] = best;
}
