/*
 * One step of k-means clustering, as Rodinia and those who measured it do it: a thread a point, which runs over all
 * clusters and features.  With points as rows lanes are a row apart, and each load of a feature touches 32 lines that the
 * same threads want again for the next features and clusters; the other layout is coalesced, after a kernel that
 * transposes.
 */
#include "../nearest.h"

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
	int p = GLOBAL_X;

	if (p < points)
		member[p] = nearest_centre(feature + p * features, 1, centre, features, clusters);
}

KERNEL
kmeans_columns(const float *feature, const float *centre, int *member, int points, int features, int clusters)
{
	int p = GLOBAL_X;

	if (p < points)
		member[p] = nearest_centre(feature + p, points, centre, features, clusters);
}
