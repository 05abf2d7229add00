/*
 * What each bank wants next, and the best of each step: of the banks whose next command is the same
 * kind, the one that can go first. A best holds until a gate of its step moves, its bank wants
 * something else, or its time passes without it (then another may have become legal too).
 */
#ifndef DRAM_CANDIDATE_H
#define DRAM_CANDIDATE_H

#include "dram/sched_frfcfs.h"

/* Before this no bank of the rank can go. */
static inline uint64_t
dram_floor(const struct dram_channel *ch, unsigned step, uint32_t rank)
{
	uint64_t gate = ch->rank_gate[rank][step];
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

/* Bests of earlier times are not known any more; 0 stands for one that is not, and in cycle 0 none
 * is. */
static inline uint64_t
dram_known_from(const struct dram_channel *ch)
{
	return ch->now ? ch->now : 1;
}

static inline bool
dram_is_stale(const struct dram_channel *ch, unsigned step)
{
	return ch->best[step].time < dram_known_from(ch);
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
		w->gate = &ch->group_gate[ch->bank[b].group][step];
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

static inline uint64_t
dram_key(const struct dram_channel *ch, const struct dram_entry *r)
{
	return ch->hits_first ? dram_frfcfs_key(ch, r) : ch->d->scheduler->key(ch, r);
}

/* Finds what the bank wants. */
void dram_candidate_find(struct dram_channel *ch, uint32_t b);

/* After a column command. Mostly its row has another request, which is the bank's next. */
static inline void
dram_candidate_follows(struct dram_channel *ch, uint32_t b, unsigned step)
{
	const struct dram_bank *bank = &ch->bank[b];
	struct dram_want *w = &ch->want[b];
	if (ch->hits_first && bank->open_list != DRAM_NONE && bank->opener == DRAM_NONE) {
		uint16_t i = dram_oldest_of_row(ch, bank->open_list, ch->dir);
		if (!dram_is_end(ch, i) && ch->entry[i].write == (step == S_WR) &&
		    !dram_frfcfs_is_capped(ch, b)) {
			w->candidate = i;
			w->key = ch->entry[i].seq;
			w->ready = bank->ok[step];
			dram_stale(ch, step);
			return;
		}
	}
	dram_candidate_find(ch, b);
}

#endif
