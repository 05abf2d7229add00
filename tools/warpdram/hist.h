/* Histograms of latencies, as they are added to. */
#ifndef HIST_H
#define HIST_H

#include "warpdram.h"

void hist_open(struct hist *h); /* count.c */

/* Exact below HIST_EXACT; above, buckets of a HIST_EXACT / 2th of a power of two. */
static inline uint32_t
bucket_of(uint64_t value)
{
	if (value < HIST_EXACT)
		return (uint32_t)value;
	unsigned shift = 63u - (unsigned)__builtin_clzll(value) - 13;
	return HIST_EXACT + (shift - 1) * (HIST_EXACT / 2) +
	       (uint32_t)((value >> shift) - HIST_EXACT / 2);
}

static inline void
hist_add(struct hist *h, uint64_t value)
{
	if (!h->bucket)
		hist_open(h);
	h->n++;
	h->sum += value;
	h->max = value > h->max ? value : h->max;
	h->bucket[bucket_of(value)]++;
}

#endif
