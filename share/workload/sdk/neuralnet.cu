/*
 * A convolutional network that reads digits, as the programs that came with GPGPU-Sim do it: 29 x 29 pixels, six maps of 13 x
 * 13, fifty of 5 x 5, a hundred units, ten.  A CTA a map and an image in the first two layers, one thread a CTA in the
 * last two, whose weights and inputs pass one line at a time.
 */
#include "../device.h"

/* 1.7159 tanh(2 x / 3) */
DEVICE float
squash(float x)
{
	float e = EXP(1.33333334f * x);
	return 1.7159f * (1.0f - 2.0f / (e + 1.0f));
}

KERNEL
neuralnet_first(const float *image, const float *weight, float *out)
{
	int map = CTA_X, picture = CTA_Y;
	const float *from = image + picture * 29 * 29 + 2 * TID_Y * 29 + 2 * TID_X, *w = weight + map * 26;
	float sum = w[0];

	ROLLED
	for (int i = 0; i < 25; i++)
		sum = FMA(from[i / 5 * 29 + i % 5], w[i + 1], sum);
	out[(picture * 6 + map) * 169 + TID_Y * 13 + TID_X] = squash(sum);
}

KERNEL
neuralnet_second(const float *in, const float *weight, float *out)
{
	int map = CTA_X, picture = CTA_Y;
	const float *from = in + picture * 6 * 169 + 2 * TID_Y * 13 + 2 * TID_X, *w = weight + map * 151;
	float sum = w[0];

	ROLLED
	for (int i = 0; i < 25; i++)
		UNROLLED
		for (int m = 0; m < 6; m++)
			sum = FMA(from[m * 169 + i / 5 * 13 + i % 5], w[i * 6 + m + 1], sum);
	out[(picture * 50 + map) * 25 + TID_Y * 5 + TID_X] = squash(sum);
}

DEVICE float
unit(const float *in, const float *w, int inputs)
{
	float sum = w[0];

	ROLLED
	for (int i = 0; i < inputs; i++)
		sum = FMA(in[i], w[i + 1], sum);
	return squash(sum);
}

KERNEL
neuralnet_third(const float *in, const float *weight, float *out)
{
	out[CTA_Y * 100 + CTA_X] = unit(in + CTA_Y * 1250, weight + CTA_X * 1251, 1250);
}

KERNEL
neuralnet_fourth(const float *in, const float *weight, float *out)
{
	out[CTA_Y * 10 + CTA_X] = unit(in + CTA_Y * 100, weight + CTA_X * 101, 100);
}
