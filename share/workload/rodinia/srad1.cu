/*
 * Speckle-reducing anisotropic diffusion of an image, as Rodinia's first version does it: 512 threads a CTA, a thread a
 * pixel of the image by columns, neighbours found through tables of indices; the image's sum and sum of squares by a tree
 * in shared memory, several launches a sum.
 */
#include "../device.h"

#define BLOCK 512

SHARED float sum_cell[BLOCK], square_cell[BLOCK];

KERNEL
srad1_extract(float *image, int n)
{
	int i = GLOBAL_X;

	if (i < n)
		image[i] = EXP(image[i] / 255);
}

KERNEL
srad1_prepare(const float *image, float *sum, float *square, int n)
{
	int i = GLOBAL_X;

	if (i < n) {
		sum[i] = image[i];
		square[i] = image[i] * image[i];
	}
}

/* Sums of BLOCK values each, which lie a spacing apart; the sum takes the place of the first. */
KERNEL
srad1_reduce(float *sum, float *square, int n, int spacing)
{
	int i = GLOBAL_X;

	sum_cell[TID_X] = i < n ? sum[i * spacing] : 0;
	square_cell[TID_X] = i < n ? square[i * spacing] : 0;
	BARRIER;
	ROLLED
	for (int step = 2; step <= BLOCK; step *= 2) {
		if ((TID_X + 1) % step == 0) {
			sum_cell[TID_X] += sum_cell[TID_X - step / 2];
			square_cell[TID_X] += square_cell[TID_X - step / 2];
		}
		BARRIER;
	}
	if (TID_X == BLOCK - 1) {
		sum[CTA_X * spacing * BLOCK] = sum_cell[TID_X];
		square[CTA_X * spacing * BLOCK] = square_cell[TID_X];
	}
}

KERNEL
srad1_coefficients(const float *image, const int *north, const int *south, const int *west, const int *east, float *dn, float *ds,
    float *dw, float *de, float *c, int rows, int n, float q0)
{
	int i = GLOBAL_X;

	if (i >= n)
		return;
	int row = i % rows, column = i / rows;
	float here = image[i];
	float n1 = image[north[row] + rows * column] - here, s1 = image[south[row] + rows * column] - here;
	float w1 = image[row + rows * west[column]] - here, e1 = image[row + rows * east[column]] - here;
	float g2 = (n1 * n1 + s1 * s1 + w1 * w1 + e1 * e1) / (here * here);
	float l = (n1 + s1 + w1 + e1) / here;
	float numerator = 0.5f * g2 - 0.0625f * (l * l), denominator = 1 + 0.25f * l;
	float q = numerator / (denominator * denominator);
	float value = 1.0f / (1.0f + (q - q0) / (q0 * (1 + q0)));
	value = value < 0 ? 0 : value > 1 ? 1 : value;
	dn[i] = n1;
	ds[i] = s1;
	dw[i] = w1;
	de[i] = e1;
	c[i] = value;
}

KERNEL
srad1_diffuse(float *image, const int *south, const int *east, const float *dn, const float *ds, const float *dw, const float *de,
    const float *c, int rows, int n, float lambda)
{
	int i = GLOBAL_X;

	if (i >= n)
		return;
	int row = i % rows, column = i / rows;
	float cn = c[i], cs = c[south[row] + rows * column], cw = cn, ce = c[row + rows * east[column]];
	float d = cn * dn[i] + cs * ds[i] + cw * dw[i] + ce * de[i];
	image[i] += 0.25f * lambda * d;
}

KERNEL
srad1_compress(float *image, int n)
{
	int i = GLOBAL_X;

	if (i < n)
		image[i] = LOG(image[i]) * 255;
}
