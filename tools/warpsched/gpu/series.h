/* Figures by intervals of time. SMs and channels hand in what they counted when they pass an
 * interval's end, each at its own pace. */
#ifndef WARPSCHED_SERIES_H
#define WARPSCHED_SERIES_H

#include <stdint.h>
#include <stdbool.h>

struct sm;
struct memory;
struct channel;

/* All uint64_t. Summed over SMs, slices and channels. */
struct series_row {
	uint64_t warp_insns, thread_insns;
	uint64_t sm_cycles, resident, active, isolated; /* with a warp; warps, summed over them */
	uint64_t l1_accesses, l1_hits, l1_misses, vta_hits;
	uint64_t ldst_stalls, ctas;
	uint64_t l2_accesses, l2_misses, dram_reads, dram_writes;
};

struct series {
	uint64_t interval;	/* cycles; 0: none are kept */
	struct series_row *row; /* [n] */
	uint64_t n, cap;
	bool failed; /* no memory */
};

void series_release(struct series *s);
/* The SM, the channel has come to the end of its interval, or at to the end of all. */
void series_sm(struct series *s, struct sm *sm);
void series_channel(struct series *s, const struct memory *m, struct channel *c, uint64_t now);

#endif
