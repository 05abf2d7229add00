/*
 * How alike each two documents are, as Mars scores them: norms with a thread a document, then a thread a pair, CTAs of 16 x
 * 16: the documents of the CTA's rows come into shared memory piece by piece, those of its columns straight from memory,
 * lanes a document apart.
 */
#include "../device.h"

#define SIDE  16
#define PIECE 64

SHARED float document[SIDE][PIECE];

KERNEL
ss_norms(const float *vector, float *norm, int documents, int features)
{
	int i = GLOBAL_X;

	if (i >= documents)
		return;
	float sum = 0;
	ROLLED
	for (int f = 0; f < features; f++)
		sum = FMA(vector[i * features + f], vector[i * features + f], sum);
	norm[i] = __nvvm_sqrt_rn_f(sum);
}

KERNEL
ss_scores(const float *vector, const float *norm, float *score, int documents, int features)
{
	int j = GLOBAL_X, i = GLOBAL_Y;
	float sum = 0;

	if (CTA_X < CTA_Y)
		return;
	ROLLED
	for (int from = 0; from < features; from += PIECE) {
		int width = features - from < PIECE ? features - from : PIECE;
		ROLLED
		for (int f = TID_X; f < width; f += SIDE)
			document[TID_Y][f] = i < documents ? vector[i * features + from + f] : 0;
		BARRIER;
		if (i < documents && j < documents) {
			ROLLED
			for (int f = 0; f < width; f++)
				sum = FMA(document[TID_Y][f], vector[j * features + from + f], sum);
		}
		BARRIER;
	}
	if (i < documents && j < documents)
		score[i * documents + j] = sum / (norm[i] * norm[j]);
}
