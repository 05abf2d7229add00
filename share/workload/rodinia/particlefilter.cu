/*
 * A particle filter that follows a bright disk through noisy pictures, as Rodinia does it: a thread
 * a particle, which moves, lists the pixels under the disk in a row of its own, and compares them, so that lanes are a row
 * apart and gather; weights are summed in shared memory, then by one thread; one thread adds up the distribution; each
 * particle looks through it from the start for its successor.
 */
#include "../device.h"

#define BLOCK 256

SHARED float weight_cell[BLOCK];

DEVICE float
uniform(unsigned *seed)
{
	*seed = *seed * 1103515245u + 12345u;
	return (float)(*seed >> 8) * 5.9604645e-8f;
}

/* Nearly normal: four uniform numbers. */
DEVICE float
normal(unsigned *seed)
{
	float sum = uniform(seed);
	sum += uniform(seed);
	sum += uniform(seed);
	sum += uniform(seed);
	return (sum - 2.0f) * 1.7320508f;
}

/* (1 + x / 1024)^1024, which a CPU repeats bit for bit. */
DEVICE float
exponential(float x)
{
	float power = FMA(x, 0.0009765625f, 1.0f);

	UNROLLED
	for (int i = 0; i < 10; i++)
		power *= power;
	return power;
}

KERNEL
particlefilter_likelihood(float *x, float *y, unsigned *seed, const unsigned char *picture, const int *disk, int *index,
    float *weight, float *partial, int n, int points, int side)
{
	int i = GLOBAL_X;
	float own = 0;

	if (i < n) {
		unsigned s = seed[i];
		float px = x[i] + FMA(2.0f, normal(&s), 1.0f), py = y[i] + FMA(2.0f, normal(&s), -1.0f);
		x[i] = px;
		y[i] = py;
		seed[i] = s;
		ROLLED
		for (int k = 0; k < points; k++) {
			int at = ((int)(py + 0.5f) + disk[2 * k + 1]) * side + (int)(px + 0.5f) + disk[2 * k];
			index[i * points + k] = at < 0 || at >= side * side ? 0 : at;
		}
		float likelihood = 0;
		ROLLED
		for (int k = 0; k < points; k++) {
			float pixel = (float)picture[index[i * points + k]];
			float dark = pixel - 100, bright = pixel - 228;
			likelihood += (dark * dark - bright * bright) * 0.0005f;
		}
		own = weight[i] * exponential(likelihood / (float)points);
		weight[i] = own;
	}
	weight_cell[TID_X] = own;
	BARRIER;
	ROLLED
	for (int width = BLOCK / 2; width > 0; width /= 2) {
		if (TID_X < width)
			weight_cell[TID_X] += weight_cell[TID_X + width];
		BARRIER;
	}
	if (TID_X == 0)
		partial[CTA_X] = weight_cell[0];
}

KERNEL
particlefilter_sum(float *partial, int ctas)
{
	float sum = 0;

	if (GLOBAL_X != 0)
		return;
	ROLLED
	for (int k = 0; k < ctas; k++)
		sum += partial[k];
	partial[0] = sum;
}

KERNEL
particlefilter_normalise(float *weight, const float *partial, int n)
{
	int i = GLOBAL_X;

	if (i < n)
		weight[i] /= partial[0];
}

KERNEL
particlefilter_distribution(const float *weight, float *distribution, int n)
{
	float sum = 0;

	if (GLOBAL_X != 0)
		return;
	ROLLED
	for (int k = 0; k < n; k++) {
		sum += weight[k];
		distribution[k] = sum;
	}
}

KERNEL
particlefilter_resample(const float *x, const float *y, const float *distribution, float *next_x, float *next_y, float *weight,
    float offset, int n)
{
	int i = GLOBAL_X;

	if (i >= n)
		return;
	float wanted = offset + (float)i / (float)n;
	int found = n - 1;
	ROLLED
	for (int k = 0; k < n; k++)
		if (distribution[k] >= wanted) {
			found = k;
			break;
		}
	next_x[i] = x[found];
	next_y[i] = y[found];
	weight[i] = 1.0f / (float)n;
}
