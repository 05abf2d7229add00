#include "dram/queue.h"

static uint64_t
key(const struct dram_channel *ch, const struct dram_entry *r)
{
	(void)ch;
	return r->seq;
}

static uint16_t
pick(const struct dram_channel *ch, uint32_t bank, uint64_t *k)
{
	uint16_t i = dram_oldest(ch, bank, ch->dir);
	*k = ch->entry[i].seq;
	return i;
}

const struct dram_scheduler dram_fcfs = {
    .pick = pick,
    .key = key,
};
