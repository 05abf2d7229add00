/* The host's side of MapReduce as Mars does it; the kernels are in share/workload/mars/mars.h. */
#ifndef MARS_H
#define MARS_H

#include "workload/input/text.h"

/* A text on the device, and what its map emits. */
struct mars {
	const struct text *text;
	uint64_t byte, first, count, position, pair, group; /* on the device */
	int32_t records, emitted;
	uint32_t room; /* pairs, a power of two: what the sort needs */
};

/* A record of the result: key in the high half, value in the low. */
static inline uint64_t
mars_pair(uint32_t key, uint32_t value)
{
	return (uint64_t)key << 32 | value;
}

void mars_upload(struct host *h, struct mars *m, const struct text *t);
/* Positions from counts; the number of pairs, for which memory is taken: bytes each. */
void mars_scan(struct host *h, struct mars *m, uint64_t bytes);
/* Room for n pairs of which all are the largest there is. */
void mars_take_pairs(struct host *h, struct mars *m, uint32_t n);
/* Sorts by steps in global memory; runs shorter than or as long as sorted are there already. */
void mars_sort(struct host *h, const struct mars *m, uint32_t sorted);
/* Compares sorted pairs with those wanted, in any order; wanted is sorted. */
void mars_expect_pairs(struct host *h, const struct mars *m, uint64_t *wanted, uint64_t count);
/* The length of each group of equal keys at its first pair. */
void mars_count_groups(struct host *h, struct mars *m);
/* Compares it with that of sorted pairs. */
void mars_expect_groups(struct host *h, const struct mars *m, const uint64_t *sorted);

#endif
