/*
 * Parallelism-aware batch scheduling: the oldest requests of each requester and bank make a batch
 * that goes before all others, and within it the requester that is done soonest goes first in every
 * bank. Mutlu and Moscibroda, ISCA 2008, sec. 4.
 */
#include <stdlib.h>
#include <string.h>
#include "dram/sched.h"

struct load {
	uint32_t max, total, id; /* marked requests: in the fullest bank, in all; requester */
};

struct parbs {
	uint32_t marked;
	uint16_t *rank; /* [requesters] 0: first */
	struct load *load;
	uint32_t *in_bank, *seen; /* [requesters] in the bank looked at, and which that was */
};

static int
check(const struct wcp_dram_controller *c, struct wcp_error *e)
{
	return c->parbs_cap ? 0 : wcp_fail(e, WCP_EUSAGE, "parbs_cap = 0 marks nothing");
}

static size_t
state_bytes(const struct wcp_dram_config *c, uint32_t banks)
{
	(void)banks;
	return sizeof(struct parbs) + c->controller.requesters * (sizeof(struct load) + 3 * 4);
}

static void
init(struct dram_channel *ch)
{
	struct parbs *p = ch->sched;
	uint32_t n = ch->d->config.controller.requesters;
	p->load = (struct load *)(p + 1);
	p->in_bank = (uint32_t *)(p->load + n);
	p->seen = p->in_bank + n;
	p->rank = (uint16_t *)(p->seen + n);
}

static uint64_t
key(const struct dram_channel *ch, const struct dram_entry *r)
{
	const struct parbs *p = ch->sched;
	uint64_t hit = ch->bank[r->bank].open_row == r->row ? 0 : DRAM_NO_HIT;
	if (ch->splits && r->write)
		return DRAM_NO_MARK | hit | r->seq;
	return (r->marked ? 0 : DRAM_NO_MARK) | hit | (uint64_t)p->rank[r->requester] << DRAM_RANK |
	       r->seq;
}

static uint16_t
pick(const struct dram_channel *ch, uint32_t bank, uint64_t *k)
{
	return dram_pick_smallest(ch, bank, k, key);
}

static int
by_load(const void *a, const void *b)
{
	const struct load *x = a, *y = b;
	if (x->max != y->max)
		return x->max < y->max ? -1 : 1;
	if (x->total != y->total)
		return x->total < y->total ? -1 : 1;
	return x->id < y->id ? -1 : 1;
}

/* Marks up to the cap of each requester in a bank, oldest first. */
static void
mark_bank(struct dram_channel *ch, struct parbs *p, uint32_t bank)
{
	uint32_t cap = ch->d->config.controller.parbs_cap;
	uint16_t i = dram_oldest(ch, bank, 0);
	for (; !dram_is_end(ch, i); i = ch->bank_link[i].next) {
		struct dram_entry *r = &ch->entry[i];
		uint32_t who = r->requester;
		struct load *l = &p->load[who];
		if (p->seen[who] != bank + 1) {
			p->seen[who] = bank + 1;
			p->in_bank[who] = 0;
		}
		if (p->in_bank[who] == cap)
			continue;
		r->marked = true;
		p->marked++;
		l->total++;
		if (++p->in_bank[who] > l->max)
			l->max = p->in_bank[who];
	}
}

/* A new batch when the last one is done. */
static bool
prepare(struct dram_channel *ch)
{
	struct parbs *p = ch->sched;
	uint32_t n = ch->d->config.controller.requesters;
	if (p->marked || ch->dir || !ch->n[0])
		return false;
	for (uint32_t i = 0; i < n; i++)
		p->load[i] = (struct load){0, 0, i};
	memset(p->seen, 0, n * sizeof *p->seen);
	for (uint32_t b = 0; b < ch->n_bank; b++)
		mark_bank(ch, p, b);
	qsort(p->load, n, sizeof *p->load, by_load);
	for (uint32_t i = 0; i < n; i++)
		p->rank[p->load[i].id] = (uint16_t)i;
	return true;
}

static void
leave(struct dram_channel *ch, struct dram_entry *r, uint64_t end)
{
	(void)end;
	((struct parbs *)ch->sched)->marked -= r->marked;
}

const struct dram_scheduler dram_parbs = {
    .check = check,
    .state_bytes = state_bytes,
    .init = init,
    .pick = pick,
    .key = key,
    .leave = leave,
    .prepare = prepare,
};
