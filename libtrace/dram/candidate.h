/*
 * What each bank wants next, and the best of each step: of the banks whose next command is the same
 * kind, the one that can go first. A best holds until a gate of its step moves, its bank wants
 * something else, or its time passes without it (then another may have become legal too).
 */
#ifndef DRAM_CANDIDATE_H
#define DRAM_CANDIDATE_H

#include "dram/dram.h"

/* Before this no bank of the rank can go. */
static inline uint64_t
dram_floor(const struct dram_channel *ch, unsigned step, uint32_t rank)
{
	uint64_t gate = ch->rank_gate[step * ch->n_rank + rank];
	return gate > ch->now ? gate : ch->now;
}

/* The better of p and what the bank wants. Without branches: which it is cannot be foreseen. */
static inline struct dram_pick
dram_better(const struct dram_want *w, uint32_t b, uint64_t floor, struct dram_pick p)
{
	uint64_t t = w->ready > *w->gate ? w->ready : *w->gate;
	t = t > floor ? t : floor;
	bool is = ((unsigned __int128)t << 64 | w->key) < ((unsigned __int128)p.time << 64 | p.key);
	p.time = is ? t : p.time;
	p.key = is ? w->key : p.key;
	p.bank = is ? b : p.bank;
	return p;
}

static inline bool
dram_is_blocked(const struct dram_channel *ch, uint32_t b)
{
	return ch->blocked[b / 64] >> (b & 63) & 1;
}

/* Time 0 stands for a best that is not known; in cycle 0 none is. */
static inline bool
dram_is_stale(const struct dram_channel *ch, unsigned step)
{
	return !ch->best[step].time || ch->best[step].time < ch->now;
}

/* A gate of the step moved; of no banks none is still the best. */
static inline void
dram_gate_moved(struct dram_channel *ch, unsigned step)
{
	if (ch->best[step].time != DRAM_NEVER)
		ch->best[step].time = 0;
}

static inline void
dram_stale(struct dram_channel *ch, unsigned step)
{
	ch->best[step].time = 0;
}

static inline void
dram_want_none(struct dram_channel *ch, uint32_t b)
{
	struct dram_want *w = &ch->want[b];
	if (w->step == DRAM_STEPS)
		return;
	ch->wanting[w->step * ch->words + b / 64] &= ~(1ull << (b & 63));
	if (ch->best[w->step].bank == b)
		dram_stale(ch, w->step);
	w->step = DRAM_STEPS;
}

static inline void
dram_want_set(struct dram_channel *ch, uint32_t b, unsigned step, uint64_t key, uint64_t ready)
{
	struct dram_want *w = &ch->want[b];
	struct dram_pick *best = &ch->best[step];
	w->key = key;
	w->ready = ready;
	if (w->step != step) {
		dram_want_none(ch, b);
		w->step = (uint8_t)step;
		w->gate = &ch->group_gate[step * ch->n_group + ch->bank[b].group];
		ch->wanting[step * ch->words + b / 64] |= 1ull << (b & 63);
	} else if (best->bank == b) {
		dram_stale(ch, step);
	}
	if (!dram_is_stale(ch, step) && !dram_is_blocked(ch, b))
		*best = dram_better(w, b, dram_floor(ch, step, w->rank), *best);
}

static inline void
dram_candidate_set(struct dram_channel *ch, uint32_t b, uint16_t i, uint64_t key)
{
	const struct dram_bank *bank = &ch->bank[b];
	const struct dram_entry *r = &ch->entry[i];
	unsigned step = r->write ? S_WR : S_RD;
	if (bank->open_row != r->row)
		step = bank->open_row == DRAM_CLOSED ? S_ACT : S_PRE;
	ch->want[b].candidate = i;
	dram_want_set(ch, b, step, key, bank->ok[step]);
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
		dram_want_none(ch, b);
		return;
	}
	uint64_t idle = bank->last_use + c->page_timeout_ck;
	ch->want[b].candidate = DRAM_NONE;
	dram_want_set(
	    ch, b, S_PRE, 1ull << 63 | b, idle > bank->ok[S_PRE] ? idle : bank->ok[S_PRE]);
}

/* Whom a row was opened for is next, of whatever direction and rank. */
static inline void
dram_candidate_find(struct dram_channel *ch, uint32_t b)
{
	uint64_t key;
	uint16_t i = ch->bank[b].opener;
	if (i != DRAM_NONE) {
		dram_candidate_set(ch, b, i, ch->d->scheduler->key(ch, &ch->entry[i]));
	} else if (ch->bank[b].head[ch->dir] == DRAM_NONE) {
		dram_candidate_none(ch, b);
	} else {
		i = ch->d->scheduler->pick(ch, b, &key);
		dram_candidate_set(ch, b, i, key);
	}
}

#endif
