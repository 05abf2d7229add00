/*
 * Thread cluster memory scheduling: light requesters go before heavy ones; the heavy ones take
 * turns, the nice ones (many banks, few row hits) oftener at the top. Kim et al., MICRO 2010.
 */
#include <stdlib.h>
#include <string.h>
#include "dram/sched.h"

struct ratio {
	uint64_t n, of;
};

struct requester {
	uint64_t arrived, bandwidth, row_hits;
	struct ratio blp; /* banks summed over the cycles that have one; settled */
	uint64_t settled; /* up to here */
	uint32_t banks;	  /* with a queued request */
	uint32_t id;
	struct ratio last_blp, last_rbl; /* of the quantum before */
	int32_t niceness;
};

struct tcm {
	uint64_t quantum_at, shuffle_at; /* next */
	uint64_t random;
	uint32_t phase;	  /* of insertion shuffle */
	uint32_t n_light; /* latency cluster */
	bool inserts;	  /* insertion shuffle, else random */
	struct requester *who;
	struct requester **order; /* [requesters] lightest first; heavy: the last ranks highest */
	int32_t *row;		  /* [requesters][banks] of the last arrival */
	uint16_t *queued;	  /* [requesters][banks] */
	uint16_t *rank;		  /* [requesters] 0: first */
};

static int
check(const struct wcp_dram_controller *c, struct wcp_error *e)
{
	if (!c->tcm_quantum_ck)
		return wcp_fail(e, WCP_EUSAGE, "tcm_quantum = 0 is no time");
	if (!c->tcm_shuffle_ck)
		return wcp_fail(e, WCP_EUSAGE, "tcm_shuffle = 0 is no time");
	if (!(c->tcm_cluster >= 0 && c->tcm_cluster <= 1))
		return wcp_fail(
		    e, WCP_EUSAGE, "tcm_cluster = %g is no share from 0 to 1", c->tcm_cluster);
	return 0;
}

static size_t
state_bytes(const struct wcp_dram_config *c, uint32_t banks)
{
	size_t n = c->controller.requesters;
	return sizeof(struct tcm) + n * (sizeof(struct requester) + sizeof(struct requester *)) +
	       n * banks * (sizeof(int32_t) + sizeof(uint16_t)) + n * sizeof(uint16_t);
}

static void
set_wake(struct dram_channel *ch)
{
	const struct tcm *s = ch->sched;
	ch->wake = s->quantum_at < s->shuffle_at ? s->quantum_at : s->shuffle_at;
}

static void
init(struct dram_channel *ch)
{
	struct tcm *s = ch->sched;
	const struct wcp_dram_controller *c = &ch->d->config.controller;
	size_t n = c->requesters;
	s->who = (struct requester *)(s + 1);
	s->order = (struct requester **)(s->who + n);
	s->row = (int32_t *)(s->order + n);
	s->queued = (uint16_t *)(s->row + n * ch->n_bank);
	s->rank = s->queued + n * ch->n_bank;
	s->random = c->seed + ch->number;
	s->quantum_at = c->tcm_quantum_ck;
	s->shuffle_at = DRAM_NEVER;
	memset(s->row, 0xff, n * ch->n_bank * sizeof *s->row);
	for (uint32_t i = 0; i < n; i++)
		s->who[i].id = i;
	set_wake(ch);
}

static uint64_t
key(const struct dram_channel *ch, const struct dram_entry *r)
{
	const struct tcm *s = ch->sched;
	uint64_t hit = ch->bank[r->bank].open_row == r->row ? 0 : 1;
	return (uint64_t)s->rank[r->requester] << (DRAM_RANK + 1) | hit << DRAM_RANK | r->seq;
}

static uint16_t
pick(const struct dram_channel *ch, uint32_t bank, uint64_t *k)
{
	return dram_pick_smallest(ch, bank, k, key);
}

/* ---- what is seen of a requester ---- */

static void
settle(struct requester *w, uint64_t t)
{
	w->blp.n += w->banks * (t - w->settled);
	w->blp.of += w->banks ? t - w->settled : 0;
	w->settled = t;
}

static void
arrive(struct dram_channel *ch, struct dram_entry *r)
{
	struct tcm *s = ch->sched;
	struct requester *w = &s->who[r->requester];
	size_t at = (size_t)r->requester * ch->n_bank + r->bank;
	w->arrived++;
	w->row_hits += s->row[at] == (int32_t)r->row;
	s->row[at] = (int32_t)r->row;
	if (s->queued[at]++)
		return;
	settle(w, r->arrival);
	w->banks++;
}

static void
leave(struct dram_channel *ch, struct dram_entry *r, uint64_t end)
{
	struct tcm *s = ch->sched;
	struct requester *w = &s->who[r->requester];
	w->bandwidth += end - r->first;
	if (--s->queued[(size_t)r->requester * ch->n_bank + r->bank])
		return;
	settle(w, ch->now);
	w->banks--;
}

/* ---- a quantum ends ---- */

/* A ratio of nothing is 0. */
static int
compare(struct ratio a, struct ratio b)
{
	unsigned __int128 x = (unsigned __int128)a.n * (b.of ? b.of : 1);
	unsigned __int128 y = (unsigned __int128)b.n * (a.of ? a.of : 1);
	return (x > y) - (x < y);
}

static int
by_number(const struct requester *a, const struct requester *b)
{
	return a->id < b->id ? -1 : a->id > b->id;
}

static int
by_intensity(const void *a, const void *b)
{
	const struct requester *x = *(struct requester *const *)a;
	const struct requester *y = *(struct requester *const *)b;
	if (x->arrived != y->arrived)
		return x->arrived < y->arrived ? -1 : 1;
	return by_number(x, y);
}

static int
by_blp(const void *a, const void *b)
{
	const struct requester *x = *(struct requester *const *)a;
	const struct requester *y = *(struct requester *const *)b;
	int d = compare(x->last_blp, y->last_blp);
	return d ? d : by_number(x, y);
}

static int
by_rbl(const void *a, const void *b)
{
	const struct requester *x = *(struct requester *const *)a;
	const struct requester *y = *(struct requester *const *)b;
	int d = compare(x->last_rbl, y->last_rbl);
	return d ? d : by_number(x, y);
}

static int
by_niceness(const void *a, const void *b)
{
	const struct requester *x = *(struct requester *const *)a;
	const struct requester *y = *(struct requester *const *)b;
	if (x->niceness != y->niceness)
		return x->niceness < y->niceness ? -1 : 1;
	return by_number(y, x);
}

static int
by_falling_niceness(const void *a, const void *b)
{
	return by_niceness(b, a);
}

/* How many of the order's beginning are the latency cluster. */
static uint32_t
cluster(const struct tcm *s, uint32_t n, double share)
{
	uint64_t total = 0, sum = 0;
	uint32_t light = 0;
	for (uint32_t i = 0; i < n; i++)
		total += s->who[i].bandwidth;
	for (; light < n; light++) {
		sum += s->order[light]->bandwidth;
		if ((double)sum > share * (double)total)
			break;
	}
	return light;
}

/* Do the largest and the smallest, the last and first in order, differ by more than scale / 10? */
static bool
differs(struct ratio least, struct ratio most, uint32_t scale)
{
	uint64_t b = least.of ? least.of : 1, d = most.of ? most.of : 1;
	__int128 difference = (__int128)most.n * b - (__int128)least.n * d;
	return 10 * difference > (__int128)scale * b * d;
}

/* Niceness of the bandwidth cluster, and which way it is shuffled. Leaves it in its first order. */
static void
judge(struct tcm *s, uint32_t n, uint32_t banks)
{
	struct requester **heavy = s->order + s->n_light;
	uint32_t m = n - s->n_light;
	if (!m)
		return;
	qsort(heavy, m, sizeof(*heavy), by_rbl);
	s->inserts = differs(heavy[0]->last_rbl, heavy[m - 1]->last_rbl, 1);
	for (uint32_t i = 0; i < m; i++)
		heavy[i]->niceness = -(int32_t)i;
	qsort(heavy, m, sizeof(*heavy), by_blp);
	s->inserts &= differs(heavy[0]->last_blp, heavy[m - 1]->last_blp, banks);
	for (uint32_t i = 0; i < m; i++)
		heavy[i]->niceness += (int32_t)i;
	qsort(heavy, m, sizeof(*heavy), by_niceness);
}

static void
set_ranks(struct tcm *s, uint32_t n)
{
	for (uint32_t i = 0; i < s->n_light; i++)
		s->rank[s->order[i]->id] = (uint16_t)i;
	for (uint32_t i = s->n_light; i < n; i++)
		s->rank[s->order[i]->id] = (uint16_t)(s->n_light + n - 1 - i);
}

static void
quantum(struct dram_channel *ch, struct tcm *s)
{
	const struct wcp_dram_controller *c = &ch->d->config.controller;
	uint32_t n = c->requesters;
	for (uint32_t i = 0; i < n; i++) {
		struct requester *w = s->order[i] = &s->who[i];
		settle(w, ch->now);
		w->last_blp = w->blp;
		w->last_rbl = (struct ratio){w->row_hits, w->arrived};
		w->blp = (struct ratio){0, 0};
	}
	qsort(s->order, n, sizeof(*s->order), by_intensity);
	s->n_light = cluster(s, n, c->tcm_cluster);
	judge(s, n, ch->n_bank);
	set_ranks(s, n);
	for (uint32_t i = 0; i < n; i++)
		s->who[i].arrived = s->who[i].bandwidth = s->who[i].row_hits = 0;
	s->phase = 0;
	s->quantum_at += c->tcm_quantum_ck;
	s->shuffle_at = n - s->n_light > 1 ? ch->now + c->tcm_shuffle_ck : DRAM_NEVER;
}

/* ---- shuffling ---- */

static uint64_t
splitmix64(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static void
shuffle_randomly(struct tcm *s, struct requester **heavy, uint32_t m)
{
	for (uint32_t i = m; i > 1; i--) {
		uint32_t j = (uint32_t)(splitmix64(&s->random) % i);
		struct requester *w = heavy[i - 1];
		heavy[i - 1] = heavy[j];
		heavy[j] = w;
	}
}

/* Algorithm 2: one iteration of either loop. */
static void
shuffle_by_insertion(struct tcm *s, struct requester **heavy, uint32_t m)
{
	uint32_t i = s->phase;
	if (i < m)
		qsort(heavy + m - 1 - i, i + 1, sizeof(*heavy), by_falling_niceness);
	else
		qsort(heavy, i - m + 1, sizeof(*heavy), by_niceness);
	s->phase = (i + 1) % (2 * m);
}

static void
tick(struct dram_channel *ch)
{
	struct tcm *s = ch->sched;
	uint32_t n = ch->d->config.controller.requesters;
	if (ch->now == s->quantum_at) {
		quantum(ch, s);
	} else {
		uint32_t m = n - s->n_light;
		if (s->inserts)
			shuffle_by_insertion(s, s->order + s->n_light, m);
		else
			shuffle_randomly(s, s->order + s->n_light, m);
		s->shuffle_at += ch->d->config.controller.tcm_shuffle_ck;
		set_ranks(s, n);
	}
	set_wake(ch);
}

/* Quanta in which nothing was seen rank by number and shuffle nothing, whatever was before. */
static void
idle(struct dram_channel *ch, uint64_t until)
{
	struct tcm *s = ch->sched;
	const struct wcp_dram_controller *c = &ch->d->config.controller;
	if (s->shuffle_at < s->quantum_at || until < s->quantum_at)
		return;
	for (uint32_t i = 0; i < c->requesters; i++)
		if (s->who[i].arrived || s->who[i].bandwidth)
			return;
	s->quantum_at += (until - s->quantum_at) / c->tcm_quantum_ck * c->tcm_quantum_ck;
	s->shuffle_at = DRAM_NEVER;
	set_wake(ch);
}

const struct dram_scheduler dram_tcm = {
    .check = check,
    .state_bytes = state_bytes,
    .init = init,
    .pick = pick,
    .key = key,
    .arrive = arrive,
    .leave = leave,
    .tick = tick,
    .idle = idle,
};
