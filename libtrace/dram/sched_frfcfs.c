#include "dram/sched.h"

static bool
is_capped(const struct dram_channel *ch, const struct dram_bank *b)
{
	uint32_t cap = ch->d->config.controller.frfcfs_cap;
	return cap && b->columns >= cap && b->head[ch->dir] != DRAM_NONE &&
	       ch->entry[b->head[ch->dir]].row != b->open_row;
}

static uint64_t
key(const struct dram_channel *ch, const struct dram_entry *r)
{
	const struct dram_bank *b = &ch->bank[r->bank];
	bool hit = b->open_row == r->row && !is_capped(ch, b);
	return hit ? r->seq : DRAM_NO_HIT | r->seq;
}

static uint16_t
pick(const struct dram_channel *ch, uint32_t bank, uint64_t *k)
{
	const struct dram_bank *b = &ch->bank[bank];
	uint16_t i = b->open_list == DRAM_NONE ? DRAM_NONE : ch->row[b->open_list].head[ch->dir];
	bool hit = i != DRAM_NONE && !is_capped(ch, b);
	if (!hit)
		i = b->head[ch->dir];
	*k = ch->entry[i].seq | (hit ? 0 : DRAM_NO_HIT);
	return i;
}

const struct dram_scheduler dram_frfcfs = {
    .pick = pick,
    .key = key,
};
