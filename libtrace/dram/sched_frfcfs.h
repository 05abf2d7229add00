/* FR-FCFS, which most memories have, to be played without calls. */
#ifndef DRAM_SCHED_FRFCFS_H
#define DRAM_SCHED_FRFCFS_H

#include "dram/sched.h"

static inline bool
dram_frfcfs_is_capped(const struct dram_channel *ch, uint32_t bank)
{
	uint32_t cap = ch->d->config.controller.frfcfs_cap;
	const struct dram_bank *b = &ch->bank[bank];
	if (!cap || b->columns < cap)
		return false;
	uint16_t oldest = dram_oldest(ch, bank, ch->dir);
	return !dram_is_end(ch, oldest) && ch->entry[oldest].row != b->open_row;
}

static inline uint64_t
dram_frfcfs_key(const struct dram_channel *ch, const struct dram_entry *r)
{
	bool hit = ch->bank[r->bank].open_row == r->row && !dram_frfcfs_is_capped(ch, r->bank);
	return hit ? r->seq : DRAM_NO_HIT | r->seq;
}

static inline uint16_t
dram_frfcfs_pick(const struct dram_channel *ch, uint32_t bank, uint64_t *k)
{
	uint16_t list = ch->bank[bank].open_list, i;
	if (list != DRAM_NONE) {
		i = dram_oldest_of_row(ch, list, ch->dir);
		if (!dram_is_end(ch, i) && !dram_frfcfs_is_capped(ch, bank)) {
			*k = ch->entry[i].seq;
			return i;
		}
	}
	i = dram_oldest(ch, bank, ch->dir);
	*k = ch->entry[i].seq | DRAM_NO_HIT;
	return i;
}

#endif
