#include "reference.h"
#include <math.h>
#include <stddef.h>

void
reference_rows(const float *A, const float *x, float *y, int32_t m, int32_t n)
{
	for (int32_t i = 0; i < m; i++)
		for (int32_t j = 0; j < n; j++)
			y[i] = fmaf(A[(size_t)i * n + j], x[j], y[i]);
}

/* Row by row, so that the inner loop runs along memory; each sum has the kernel's order all the
 * same.
 */
void
reference_columns(const float *A, const float *x, float *y, int32_t m, int32_t n)
{
	for (int32_t i = 0; i < m; i++)
		for (int32_t j = 0; j < n; j++)
			y[j] = fmaf(A[(size_t)i * n + j], x[i], y[j]);
}

void
reference_product(const float *A, const float *B, float *C, int32_t m, int32_t n, int32_t k)
{
	for (int32_t i = 0; i < m; i++)
		for (int32_t l = 0; l < k; l++)
			for (int32_t j = 0; j < n; j++)
				C[(size_t)i * n + j] = fmaf(A[(size_t)i * k + l],
				    B[(size_t)l * n + j], C[(size_t)i * n + j]);
}

int32_t
reference_nearest(const float *point, const float *centre, int32_t features, int32_t clusters)
{
	float nearest = 3.0e38f;
	int32_t best = 0;
	for (int32_t c = 0; c < clusters; c++) {
		float distance = 0;
		for (int32_t f = 0; f < features; f++) {
			float d = point[f] - centre[c * features + f];
			distance = fmaf(d, d, distance);
		}
		if (distance < nearest) {
			nearest = distance;
			best = c;
		}
	}
	return best;
}
