/*
 * How alike each two documents are, as Mars scores them: a thread a pair, norms on the way, CTAs of 16 x 16: the documents of the CTA's rows come into shared memory piece by piece, those of its columns straight from memory,
 * lanes a document apart.
 */
#include "../device.h"

#define SIDE  16
#define PIECE 64

SHARED float document[SIDE][PIECE];

KERNEL
ss_scores(const float *vector, float *score, int documents, int features)
{
	int j = GLOBAL_X, i = GLOBAL_Y;
	float sum = 0, square_i = 0, square_j = 0;

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
			for (int f = 0; f < width; f++) {
				float a = document[TID_Y][f], b = vector[j * features + from + f];
				sum = FMA(a, b, sum);
				square_i = FMA(a, a, square_i);
				square_j = FMA(b, b, square_j);
			}
		}
		BARRIER;
	}
	if (i < documents && j < documents)
		score[i * documents + j] = sum / (__nvvm_sqrt_rn_f(square_i) * __nvvm_sqrt_rn_f(square_j));
}
