/* Keys of requests, from the top: DRAM_NO_MARK, DRAM_NO_HIT, then 48 bits order of arrival with 12
 * of a requester's rank above. */
#ifndef DRAM_SCHED_H
#define DRAM_SCHED_H

#include "dram/queue.h"

enum { DRAM_RANK = 48 };
#define DRAM_NO_HIT  (1ull << 61)
#define DRAM_NO_MARK (1ull << 62)

/* The request of the bank with the smallest key, for orders that its lists do not follow. */
static inline uint16_t
dram_pick_smallest(const struct dram_channel *ch, uint32_t bank, uint64_t *key,
    uint64_t (*key_of)(const struct dram_channel *ch, const struct dram_entry *r))
{
	uint16_t best = DRAM_NONE;
	*key = UINT64_MAX;
	uint16_t i = dram_oldest(ch, bank, ch->dir);
	for (; !dram_is_end(ch, i); i = ch->bank_link[i].next) {
		uint64_t k = key_of(ch, &ch->entry[i]);
		if (k >= *key)
			continue;
		*key = k;
		best = i;
	}
	return best;
}

#endif
