#include "dram/candidate.h"

/* A bank without candidate: nothing, or its idle row is to be closed in time. Any request's command
 * goes before that, then the lowest bank. */
static void
want_closed(struct dram_channel *ch, uint32_t b)
{
	const struct wcp_dram_controller *c = &ch->d->config.controller;
	const struct dram_bank *bank = &ch->bank[b];
	if (c->page != WCP_PAGE_TIMEOUT || bank->open_row == DRAM_CLOSED ||
	    bank->open_list != DRAM_NONE) {
		dram_want_none(ch, b);
		return;
	}
	uint64_t idle = bank->last_use + c->page_timeout_ck;
	ch->want[b].candidate = DRAM_NONE;
	dram_want_set(
	    ch, b, S_PRE, 1ull << 63 | b, idle > bank->ok[S_PRE] ? idle : bank->ok[S_PRE]);
}

/* Whom a row was opened for is next, of whatever direction and rank. */
void
dram_candidate_find(struct dram_channel *ch, uint32_t b)
{
	uint64_t key;
	uint16_t i = ch->bank[b].opener;
	if (i != DRAM_NONE) {
		dram_candidate_set(ch, b, i, dram_key(ch, &ch->entry[i]));
	} else if (dram_is_end(ch, dram_oldest(ch, b, ch->dir))) {
		want_closed(ch, b);
	} else {
		i = ch->hits_first ? dram_frfcfs_pick(ch, b, &key)
				   : ch->d->scheduler->pick(ch, b, &key);
		dram_candidate_set(ch, b, i, key);
	}
}
