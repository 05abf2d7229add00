/*
 * A channel in time. It is played from event to event: the earliest next command of any bank, found
 * once and kept until a command or an arrival changes it; a refresh that falls due; a change of the
 * scheduler's mind. Between two events nothing happens but that time passes.
 */
#include <stdlib.h>
#include <string.h>
#include "dram/candidate.h"
#include "dram/measure.h"
#include "dram/queue.h"

static void
find_all(struct dram_channel *ch)
{
	for (uint32_t b = 0; b < ch->n_bank; b++)
		dram_candidate_find(ch, b);
}

/* Step 2, and batches: at the cycle about to be played. */
static inline void
look(struct dram_channel *ch)
{
	const struct wcp_dram_controller *c = &ch->d->config.controller;
	ch->look = false;
	if (ch->splits) {
		if (ch->n[1] >= c->write_high)
			ch->draining = true;
		else if (ch->n[1] <= c->write_low)
			ch->draining = false;
		uint8_t dir = ch->draining || !ch->n[0];
		if (dir != ch->dir && ch->n[dir]) {
			ch->dir = dir;
			find_all(ch);
		}
	}
	if (ch->d->scheduler->prepare && ch->d->scheduler->prepare(ch))
		find_all(ch);
}

/* One rank of few banks. */
static inline struct dram_pick
best_of_few(const struct dram_channel *ch, unsigned step)
{
	const struct dram_want *want = ch->want;
	struct dram_pick p = {DRAM_NEVER, UINT64_MAX, 0};
	uint64_t floor = dram_floor(ch, step, 0);
	for (uint64_t m = ch->wanting[step] & ~ch->blocked[0]; m; m &= m - 1) {
		unsigned b = (unsigned)__builtin_ctzll(m);
		p = dram_better(&want[b], b, floor, p);
	}
	return p;
}

static inline struct dram_pick
best_of_many(const struct dram_channel *ch, unsigned step)
{
	const uint64_t *wanting = ch->wanting + step * ch->words;
	struct dram_pick p = {DRAM_NEVER, UINT64_MAX, 0};
	for (uint32_t w = 0; w < ch->words; w++)
		for (uint64_t m = wanting[w] & ~ch->blocked[w]; m; m &= m - 1) {
			uint32_t b = w * 64 + (uint32_t)__builtin_ctzll(m);
			uint64_t floor = dram_floor(ch, step, ch->want[b].rank);
			p = dram_better(&ch->want[b], b, floor, p);
		}
	return p;
}

__attribute__((noinline)) static void
find_best_of_many(struct dram_channel *ch, unsigned step)
{
	ch->best[step] = best_of_many(ch, step);
}

__attribute__((noinline)) static void
find_best(struct dram_channel *ch, unsigned step)
{
	if (ch->words == 1 && ch->n_rank == 1)
		ch->best[step] = best_of_few(ch, step);
	else
		find_best_of_many(ch, step);
}

static inline const struct dram_pick *
first_of(const struct dram_pick *a, const struct dram_pick *b)
{
	unsigned __int128 x = (unsigned __int128)a->time << 64 | a->key;
	unsigned __int128 y = (unsigned __int128)b->time << 64 | b->key;
	return y < x ? b : a;
}

static inline void
find_stale(struct dram_channel *ch)
{
	uint64_t known = dram_known_from(ch);
	if (ch->best[S_RD].time < known)
		find_best(ch, S_RD);
	if (ch->best[S_WR].time < known)
		find_best(ch, S_WR);
	if (ch->best[S_ACT].time < known)
		find_best(ch, S_ACT);
	if (ch->best[S_PRE].time < known)
		find_best(ch, S_PRE);
}

/* The next command; with two buses the next column and the next row command. */
static inline void
decide(struct dram_channel *ch, const struct dram_pick *next[2])
{
	find_stale(ch);
	next[0] = first_of(&ch->best[S_RD], &ch->best[S_WR]);
	next[1] = first_of(&ch->best[S_ACT], &ch->best[S_PRE]);
	if (!ch->dual)
		next[0] = next[1] = first_of(next[0], next[1]);
	if (ch->ranks_owed)
		dram_refresh_decide(ch);
}

static inline uint64_t
sooner(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t
after(uint64_t t, uint64_t gap)
{
	return t == DRAM_NEVER ? t : t + gap;
}

static inline uint64_t
next_event(const struct dram_channel *ch, const struct dram_pick *const next[2])
{
	uint64_t t = sooner(next[0]->time, next[1]->time);
	return sooner(t, sooner(ch->ref_time, ch->due_time));
}

/* What is legal now, as the cycle found it. */
static inline void
issue(struct dram_channel *ch, const struct dram_pick *const next[2])
{
	uint32_t bank = next[0]->bank, row_bank = next[1]->bank;
	bool refreshes = ch->ref_time == ch->now;
	bool first = next[0]->time == ch->now && (ch->dual || !refreshes);
	bool row = ch->dual && next[1]->time == ch->now && !refreshes;
	dram_retire(ch, ch->now);
	if (refreshes)
		dram_refresh_issue(ch);
	if (refreshes && first) {
		/* It may be the turn of the bank that had the column. */
		find_stale(ch);
		const struct dram_pick *p = first_of(&ch->best[S_RD], &ch->best[S_WR]);
		first = p->time == ch->now;
		bank = p->bank;
	}
	if (first)
		dram_issue(ch, bank);
	if (row)
		dram_issue(ch, row_bank);
}

static void
tick(struct dram_channel *ch)
{
	ch->d->scheduler->tick(ch);
	find_all(ch);
}

/* Of one event, or up to until if that comes first. */
static void
step_of_any(struct dram_channel *ch, uint64_t until)
{
	const struct dram_pick *next[2];
	decide(ch, next);
	uint64_t t = next_event(ch, next), stop = sooner(until, ch->wake);
	if (t >= stop) {
		ch->now = stop;
		if (stop == ch->wake)
			tick(ch);
		return;
	}
	ch->now = t;
	if (t == ch->due_time) {
		dram_refresh_due(ch);
		return;
	}
	issue(ch, next);
	ch->now++;
	if (ch->now == ch->wake)
		tick(ch);
}

/* Most events are a request's command that has nothing beside it. */
static inline void
step(struct dram_channel *ch, uint64_t until)
{
	if (ch->look)
		look(ch);
	if (!ch->dual && !ch->ranks_owed) {
		find_stale(ch);
		const struct dram_pick *a = first_of(&ch->best[S_RD], &ch->best[S_WR]);
		a = first_of(a, first_of(&ch->best[S_ACT], &ch->best[S_PRE]));
		uint64_t t = a->time;
		if (t < until && t < ch->wake && t < ch->due_time) {
			ch->now = t;
			dram_retire(ch, t);
			dram_issue(ch, a->bank);
			if (++ch->now == ch->wake)
				tick(ch);
			return;
		}
	}
	step_of_any(ch, until);
}

/* Plays events up to until, while n is room or more. */
static void
run(struct dram_channel *ch, uint64_t until, const uint32_t *n, uint32_t room)
{
	while (ch->now < until && *n >= room)
		step(ch, until);
}

/* A long time in which nothing is queued: one interval, and at once all that are like it. */
static void
idle(struct dram_channel *ch, uint64_t until)
{
	uint64_t from = ch->now, stop = from + ch->idle_period;
	if (ch->d->scheduler->idle)
		ch->d->scheduler->idle(ch, until);
	bool quiet = dram_idle_begin(ch);
	run(ch, stop, ch->n, 0);
	if (quiet)
		dram_idle_skip(ch, from, until);
}

/* Something that is queued, as long as any is. */
static const uint32_t *
any_queued(const struct dram_channel *ch)
{
	if (ch->n[0])
		return &ch->n[0];
	return ch->n[1] ? &ch->n[1] : &ch->n_opened;
}

static inline void
play(struct dram_channel *ch, uint64_t until)
{
	while (ch->now < until)
		if (until - ch->now > ch->idle_least && !dram_queued(ch))
			idle(ch, until);
		else if (until - ch->now > ch->idle_least)
			run(ch, until, any_queued(ch), 1);
		else
			run(ch, until, ch->n, 0);
	if (until >= ch->m.hand_at && until == ch->now)
		dram_measures_hand_in(ch);
}

void
wcp_dram_advance(struct wcp_dram *d, uint32_t channel, uint64_t until)
{
	play(&d->channel[channel], sooner(until, WCP_DRAM_CYCLE_MAX));
}

static bool
has_room(const struct dram_channel *ch, bool write)
{
	unsigned dir = write && ch->splits;
	return ch->n[dir] < ch->room[dir];
}

bool
wcp_dram_room(const struct wcp_dram *d, uint32_t channel, bool write)
{
	return has_room(&d->channel[channel], write);
}

uint64_t
wcp_dram_advance_to_room(struct wcp_dram *d, uint32_t channel, bool write, uint64_t until)
{
	struct dram_channel *ch = &d->channel[channel];
	unsigned dir = write && ch->splits;
	run(ch, until, &ch->n[dir], ch->room[dir]);
	return ch->now;
}

uint64_t
wcp_dram_drain(struct wcp_dram *d, uint32_t channel)
{
	struct dram_channel *ch = &d->channel[channel];
	while (dram_queued(ch))
		run(ch, DRAM_NEVER, any_queued(ch), 1);
	if (ch->tail) {
		uint64_t end = ch->done[(ch->tail - 1) & ch->done_mask].s.end;
		play(ch, end);
	}
	return ch->now;
}

uint64_t
wcp_dram_next(const struct wcp_dram *d, uint32_t channel)
{
	struct dram_channel *ch = &d->channel[channel];
	dram_retire(ch, ch->now);
	uint64_t next = ch->retire_at;
	if (!dram_queued(ch))
		return next;
	if (ch->look)
		return ch->now + 1;
	const struct dram_pick *pick[2];
	decide(ch, pick);
	uint64_t t = sooner(next_event(ch, pick), ch->wake);
	return sooner(t + 1, next);
}

/* A column command comes at once, or behind the ACT, or the PRE and the ACT, that its bank wants
 * first; who wants what changes with arrivals, columns and ticks alone. */
uint64_t
wcp_dram_next_end(const struct wcp_dram *d, uint32_t channel)
{
	struct dram_channel *ch = &d->channel[channel];
	const struct dram_gaps *g = &d->gaps;
	uint64_t least = sooner(g->end[0], g->end[1]);
	uint64_t act = sooner(g->bank[S_ACT][S_RD], g->bank[S_ACT][S_WR]);
	if (!dram_queued(ch))
		return DRAM_NEVER;
	if (ch->look)
		return ch->now + least;
	const struct dram_pick *pick[2];
	decide(ch, pick);
	uint64_t t = sooner(ch->best[S_RD].time, ch->best[S_WR].time);
	t = sooner(t, after(ch->best[S_ACT].time, act));
	t = sooner(t, after(ch->best[S_PRE].time, g->rp + act));
	t = sooner(t, sooner(ch->wake, ch->due_time));
	return after(sooner(t, ch->ref_time), least);
}

size_t
wcp_dram_done(
    struct wcp_dram *d, uint32_t channel, struct wcp_dram_served *done, size_t max, bool ahead)
{
	struct dram_channel *ch = &d->channel[channel];
	size_t n = 0;
	for (; n < max && ch->taken != ch->tail; n++) {
		const struct wcp_dram_served *s = &ch->done[ch->taken & ch->done_mask].s;
		if (!ahead && s->end > ch->now)
			break;
		done[n] = *s;
		ch->taken++;
	}
	return n;
}

/* ---- arrivals ---- */

static bool
grow_ring(struct dram_channel *ch, uint64_t from)
{
	uint64_t mask = ch->done_mask;
	struct dram_done *ring = malloc(2 * (mask + 1) * sizeof *ring);
	if (!ring)
		return false;
	/* The last one served stays readable: it tells when the last beat passes. */
	for (uint64_t i = from - (from > 0); i != ch->tail; i++)
		ring[i & (2 * mask + 1)] = ch->done[i & mask];
	free(ch->done);
	ch->done = ring;
	ch->done_mask = 2 * mask + 1;
	return true;
}

/* Room in the ring for all that are queued and one more, so that serving never allocates. */
static inline bool
reserve(struct dram_channel *ch)
{
	uint64_t from = ch->taken < ch->retired ? ch->taken : ch->retired;
	return ch->tail - from + dram_queued(ch) + 2 <= ch->done_mask || grow_ring(ch, from);
}

static inline bool
exists(const struct dram_channel *ch, const struct wcp_dram_request *r)
{
	const struct wcp_dram_place *p = &r->place;
	return p->rank < ch->n_rank && p->bank < ch->rank_banks && p->row < ch->n_row &&
	       (uint16_t)(r->bursts - 1) < (1 << 15) - 1 && r->requester <= ch->requester_max;
}

static uint16_t
enter(struct dram_channel *ch, const struct wcp_dram_request *r)
{
	uint16_t i = ch->free_entry;
	struct dram_entry *q = &ch->entry[i];
	uint32_t bank = r->place.rank * ch->rank_banks + r->place.bank;
	struct dram_bank *b = &ch->bank[bank];
	bool open = b->open_row == r->place.row;
	uint16_t list = open ? b->open_list : dram_row_find(ch, bank, r->place.row);
	ch->free_entry = ch->bank_link[i].next;
	if (list == DRAM_NONE) {
		list = dram_row_new(ch, bank, r->place.row);
		if (open) {
			b->open_list = list;
			ch->open_wanted++;
		}
	}
	q->handle = r->handle;
	q->arrival = r->arrival;
	q->seq = ch->seq++;
	q->row = r->place.row;
	q->column = r->place.column;
	q->requester = r->requester;
	q->bursts = q->left = r->bursts;
	q->bank = (uint16_t)bank;
	q->list = list;
	q->write = r->write;
	q->marks = r->marks;
	q->row_class = DRAM_NOT_BEGUN;
	q->marked = q->opened = false;
	dram_queue_insert(ch, i);
	dram_bank_queued(ch, b, r->arrival);
	return i;
}

/* A newcomer is the youngest: it is its bank's candidate only by being better than the one that is.
 */
static void
compete(struct dram_channel *ch, uint16_t i)
{
	struct dram_entry *r = &ch->entry[i];
	const struct dram_want *w = &ch->want[r->bank];
	if (ch->bank[r->bank].opener != DRAM_NONE) {
		/* One of several bursts may now be past the cap. */
		if (ch->frees_at_act)
			dram_candidate_find(ch, r->bank);
		return;
	}
	if ((ch->splits && r->write) != ch->dir) {
		/* An idle row may have become wanted. */
		if (w->step != DRAM_STEPS && w->candidate == DRAM_NONE)
			dram_candidate_find(ch, r->bank);
		return;
	}
	uint64_t key = dram_key(ch, r);
	if (w->step == DRAM_STEPS || key < w->key)
		dram_candidate_set(ch, r->bank, i, key);
}

bool
wcp_dram_push(struct wcp_dram *d, const struct wcp_dram_request *r)
{
	if (r->arrival > WCP_DRAM_CYCLE_MAX || r->place.channel >= d->n_channel)
		return false;
	struct dram_channel *ch = &d->channel[r->place.channel];
	if (ch->now > r->arrival)
		return false;
	if (ch->now < r->arrival || r->arrival >= ch->m.hand_at)
		play(ch, r->arrival);
	if (!has_room(ch, r->write) || !exists(ch, r) || !reserve(ch))
		return false;
	dram_retire(ch, r->arrival);
	uint16_t i = enter(ch, r);
	dram_meter_up(ch, M_REQUESTS, r->arrival);
	dram_measures_look(ch, r->arrival);
	if (d->scheduler->arrive)
		d->scheduler->arrive(ch, &ch->entry[i]);
	compete(ch, i);
	ch->look = ch->looks;
	return true;
}

/* ---- making ---- */

static bool
arrays(struct dram_channel *ch)
{
	uint32_t entries = ch->n_entry, buckets = 64;
	while (buckets < 2 * entries)
		buckets *= 2;
	ch->row_shift = 32 - (uint32_t)__builtin_ctz(buckets);
	ch->want = calloc(ch->n_bank, sizeof *ch->want);
	ch->wanting = calloc((size_t)DRAM_STEPS * ch->words, sizeof *ch->wanting);
	ch->blocked = calloc(ch->words, sizeof *ch->blocked);
	ch->group_gate = calloc(ch->n_group, sizeof *ch->group_gate);
	ch->rank_gate = calloc(ch->n_rank, sizeof *ch->rank_gate);
	ch->bank = calloc(ch->n_bank, sizeof *ch->bank);
	ch->rank = calloc(ch->n_rank, sizeof *ch->rank);
	ch->entry = calloc(entries, sizeof *ch->entry);
	ch->bank_link = calloc(entries + 2 * ch->n_bank, sizeof *ch->bank_link);
	ch->row_link = calloc(3 * entries, sizeof *ch->row_link);
	ch->row = calloc(entries, sizeof *ch->row);
	ch->bucket = malloc(buckets * sizeof *ch->bucket);
	ch->bank_counts = calloc(ch->n_bank, sizeof *ch->bank_counts);
	ch->idle = calloc(dram_idle_room(ch), sizeof *ch->idle);
	ch->done_mask = 63;
	ch->done = calloc(ch->done_mask + 1, sizeof *ch->done);
	if (ch->bucket)
		memset(ch->bucket, 0xff, buckets * sizeof *ch->bucket);
	return ch->want && ch->wanting && ch->blocked && ch->group_gate && ch->rank_gate &&
	       ch->bank && ch->rank && ch->entry && ch->bank_link && ch->row_link && ch->row &&
	       ch->bucket && ch->bank_counts && ch->idle && ch->done;
}

static void
empty(struct dram_channel *ch)
{
	uint32_t banks = ch->rank_banks, groups = ch->rank_groups, n = ch->n_entry;
	for (uint32_t i = 0; i < n; i++)
		ch->bank_link[i].next = ch->row[i].chain = (uint16_t)(i + 1);
	for (uint32_t i = n; i < 3 * n; i++)
		ch->row_link[i] = (struct dram_link){(uint16_t)i, (uint16_t)i};
	for (uint32_t i = n; i < n + 2 * ch->n_bank; i++)
		ch->bank_link[i] = (struct dram_link){(uint16_t)i, (uint16_t)i};
	for (uint32_t i = 0; i < ch->n_bank; i++) {
		struct dram_bank *b = &ch->bank[i];
		ch->want[i].step = DRAM_STEPS;
		ch->want[i].rank = (uint16_t)(i / banks);
		b->open_row = DRAM_CLOSED;
		b->open_list = b->opener = DRAM_NONE;
		b->rank = (uint16_t)(i / banks);
		b->group = (uint16_t)(b->rank * groups + i % banks / (banks / groups));
	}
}

int
dram_channel_init(struct dram_channel *ch, const struct wcp_dram *d, uint32_t number)
{
	const struct wcp_dram_organisation *o = &d->config.organisation;
	const struct wcp_dram_controller *c = &d->config.controller;
	ch->d = d;
	ch->number = number;
	ch->dual = d->config.timing.dual_command;
	ch->splits = c->write_queue;
	ch->room[0] = c->read_queue;
	ch->room[1] = c->write_queue;
	ch->n_entry = c->read_queue + c->write_queue;
	ch->frees_at_act = c->frees_at_act;
	if (ch->frees_at_act)
		ch->n_entry += o->ranks * o->banks;
	ch->looks = ch->splits || d->scheduler->prepare;
	ch->hits_first = d->scheduler == &dram_frfcfs;
	ch->n_rank = o->ranks;
	ch->n_bank = o->ranks * o->banks;
	ch->n_group = o->ranks * o->bank_groups;
	ch->n_row = o->rows;
	ch->requester_max = d->scheduler->check ? c->requesters - 1 : UINT32_MAX;
	ch->rank_banks = o->banks;
	ch->rank_groups = o->bank_groups;
	ch->words = (ch->n_bank + 63) / 64;
	ch->wake = ch->retire_at = DRAM_NEVER;
	if (!arrays(ch) || dram_measures_init(&ch->m, &d->gaps))
		return -1;
	empty(ch);
	dram_refresh_init(ch);
	dram_idle_init(ch);
	if (!d->scheduler->state_bytes)
		return 0;
	ch->sched = calloc(1, d->scheduler->state_bytes(&d->config, ch->n_bank));
	if (!ch->sched)
		return -1;
	d->scheduler->init(ch);
	return 0;
}

void
dram_channel_release(struct dram_channel *ch)
{
	dram_measures_release(&ch->m);
	free(ch->sched);
	free(ch->want);
	free(ch->wanting);
	free(ch->blocked);
	free(ch->group_gate);
	free(ch->rank_gate);
	free(ch->bank);
	free(ch->rank);
	free(ch->entry);
	free(ch->bank_link);
	free(ch->row_link);
	free(ch->row);
	free(ch->bucket);
	free(ch->bank_counts);
	free(ch->idle);
	free(ch->done);
}
