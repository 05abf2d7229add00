/* What each bank wants next. */
#ifndef DRAM_CANDIDATE_H
#define DRAM_CANDIDATE_H

#include "dram/dram.h"

static inline void
dram_candidate_set(struct dram_channel *ch, uint32_t b, uint16_t i, uint64_t key)
{
	const struct dram_bank *bank = &ch->bank[b];
	const struct dram_entry *r = &ch->entry[i];
	unsigned step = bank->open_row == r->row	? (r->write ? S_WR : S_RD)
			: bank->open_row == DRAM_CLOSED ? S_ACT
							: S_PRE;
	ch->candidate[b] = i;
	ch->key[b] = key;
	ch->step[b] = (uint8_t)step;
	ch->ready[b] = bank->ok[step];
	ch->gate[b] = &ch->gates[step * ch->n_group + bank->group];
	ch->active[b / 64] |= 1ull << (b & 63);
}

/* A bank without candidate: nothing, or its idle row is to be closed in time. Any request's command
 * goes before that, then the lowest bank. */
static inline void
dram_candidate_none(struct dram_channel *ch, uint32_t b)
{
	const struct wcp_dram_controller *c = &ch->d->config.controller;
	const struct dram_bank *bank = &ch->bank[b];
	if (c->page != WCP_PAGE_TIMEOUT || bank->open_row == DRAM_CLOSED ||
	    bank->open_list != DRAM_NONE) {
		ch->active[b / 64] &= ~(1ull << (b & 63));
		return;
	}
	uint64_t idle = bank->last_use + c->page_timeout_ck;
	ch->candidate[b] = DRAM_NONE;
	ch->key[b] = 1ull << 63 | b;
	ch->step[b] = S_PRE;
	ch->ready[b] = idle > bank->ok[S_PRE] ? idle : bank->ok[S_PRE];
	ch->gate[b] = &ch->gates[S_PRE * ch->n_group + bank->group];
	ch->active[b / 64] |= 1ull << (b & 63);
}

static inline void
dram_candidate_find(struct dram_channel *ch, uint32_t b)
{
	uint64_t key;
	if (ch->bank[b].head[ch->dir] == DRAM_NONE) {
		dram_candidate_none(ch, b);
		return;
	}
	uint16_t i = ch->d->scheduler->pick(ch, b, &key);
	dram_candidate_set(ch, b, i, key);
}

#endif
