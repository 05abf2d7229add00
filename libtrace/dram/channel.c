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
	ch->decided = false;
}

/* Step 2, and batches: at the cycle about to be played. */
static void
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

static inline bool
is_before(uint64_t time, uint64_t key, const struct dram_pick *p)
{
	return time < p->time || (time == p->time && key < p->key);
}

static inline void
consider(struct dram_channel *ch, uint32_t b, bool dual)
{
	uint64_t t = ch->ready[b] > *ch->gate[b] ? ch->ready[b] : *ch->gate[b];
	struct dram_pick *p = &ch->pick[dual && ch->step[b] >= S_ACT];
	if (t < ch->now)
		t = ch->now;
	if (is_before(t, ch->key[b], p))
		*p = (struct dram_pick){t, ch->key[b], b};
}

static void
decide(struct dram_channel *ch)
{
	ch->decided = true;
	ch->pick[0] = ch->pick[1] = (struct dram_pick){DRAM_NEVER, UINT64_MAX, 0};
	for (uint32_t w = 0; w < ch->words; w++)
		for (uint64_t m = ch->active[w] & ~ch->blocked[w]; m; m &= m - 1)
			consider(ch, w * 64 + (uint32_t)__builtin_ctzll(m), ch->dual);
	if (ch->due_time != DRAM_NEVER)
		dram_refresh_decide(ch);
}

/* Of the commands that are legal now. */
static void
issue(struct dram_channel *ch)
{
	struct dram_pick p[2] = {ch->pick[0], ch->pick[1]};
	bool refreshes = ch->ref_time == ch->now;
	ch->decided = false;
	dram_retire(ch, ch->now);
	if (refreshes)
		dram_refresh_issue(ch);
	if (p[0].time == ch->now && (ch->dual || !refreshes))
		dram_issue(ch, p[0].bank);
	if (p[1].time == ch->now && !refreshes)
		dram_issue(ch, p[1].bank);
}

static uint64_t
next_event(const struct dram_channel *ch)
{
	uint64_t t = ch->pick[0].time < ch->pick[1].time ? ch->pick[0].time : ch->pick[1].time;
	if (ch->ref_time < t)
		t = ch->ref_time;
	return t < ch->due_time ? t : ch->due_time;
}

static void
tick(struct dram_channel *ch)
{
	ch->d->scheduler->tick(ch);
	find_all(ch);
}

/* Plays one event, or up to until if that comes first. */
static void
step(struct dram_channel *ch, uint64_t until)
{
	if (ch->look)
		look(ch);
	if (!ch->decided)
		decide(ch);
	uint64_t t = next_event(ch), stop = until < ch->wake ? until : ch->wake;
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
	issue(ch);
	ch->now++;
	if (ch->now == ch->wake)
		tick(ch);
}

static inline void
play(struct dram_channel *ch, uint64_t until)
{
	while (ch->now < until)
		step(ch, until);
	if (until >= ch->m.hand_at && until == ch->now)
		dram_measures_hand_in(ch);
}

void
wcp_dram_advance(struct wcp_dram *d, uint32_t channel, uint64_t until)
{
	play(&d->channel[channel], until);
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
	while (ch->now < until && !has_room(ch, write))
		step(ch, until);
	return ch->now;
}

uint64_t
wcp_dram_drain(struct wcp_dram *d, uint32_t channel)
{
	struct dram_channel *ch = &d->channel[channel];
	while (dram_queued(ch))
		step(ch, DRAM_NEVER);
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
	uint64_t next = DRAM_NEVER;
	dram_retire(ch, ch->now);
	if (ch->retired != ch->tail)
		next = ch->done[ch->retired & ch->done_mask].s.end;
	if (!dram_queued(ch))
		return next;
	if (ch->look)
		return ch->now + 1;
	if (!ch->decided)
		decide(ch);
	uint64_t t = next_event(ch);
	t = t < ch->wake ? t : ch->wake;
	return t + 1 < next ? t + 1 : next;
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

/* Room in the ring for all that are queued and one more, so that serving never allocates. */
static bool
reserve(struct dram_channel *ch)
{
	uint64_t from = ch->taken < ch->retired ? ch->taken : ch->retired;
	uint64_t used = ch->tail - from, mask = ch->done_mask;
	if (used + dram_queued(ch) + 2 <= mask)
		return true;
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

static bool
exists(const struct dram_channel *ch, const struct wcp_dram_request *r)
{
	const struct wcp_dram_config *c = &ch->d->config;
	const struct wcp_dram_place *p = &r->place;
	return p->rank < ch->n_rank && p->bank < c->organisation.banks &&
	       p->row < c->organisation.rows && r->bursts && !(r->bursts >> 15) &&
	       (!ch->d->scheduler->check || r->requester < c->controller.requesters);
}

static uint16_t
enter(struct dram_channel *ch, const struct wcp_dram_request *r)
{
	uint16_t i = ch->free_entry;
	struct dram_entry *q = &ch->entry[i];
	uint32_t bank = r->place.rank * (ch->n_bank / ch->n_rank) + r->place.bank;
	struct dram_bank *b = &ch->bank[bank];
	bool open = b->open_row == r->place.row;
	uint16_t list = open ? b->open_list : dram_row_find(ch, bank, r->place.row);
	ch->free_entry = q->next;
	if (list == DRAM_NONE) {
		list = dram_row_new(ch, bank, r->place.row);
		if (open) {
			b->open_list = list;
			ch->open_wanted++;
		}
	}
	*q = (struct dram_entry){.handle = r->handle,
	    .arrival = r->arrival,
	    .seq = ch->seq++,
	    .row = r->place.row,
	    .column = r->place.column,
	    .requester = r->requester,
	    .bursts = r->bursts,
	    .left = r->bursts,
	    .bank = (uint16_t)bank,
	    .list = list,
	    .write = r->write,
	    .marks = r->marks};
	dram_queue_insert(ch, i);
	dram_bank_queued(ch, b, r->arrival);
	return i;
}

/* A newcomer is the youngest: it is its bank's candidate only by being better than the one that is.
 * The next command changes only with the bank's candidate. */
static void
compete(struct dram_channel *ch, uint16_t i)
{
	struct dram_entry *r = &ch->entry[i];
	uint32_t b = r->bank;
	bool is_active = ch->active[b / 64] >> (b & 63) & 1;
	if ((ch->splits && r->write) != ch->dir) {
		/* An idle row may have become wanted. */
		if (is_active && ch->candidate[b] == DRAM_NONE) {
			dram_candidate_find(ch, b);
			ch->decided = false;
		}
		return;
	}
	uint64_t key = ch->d->scheduler->key(ch, r);
	if (is_active && ch->key[b] < key)
		return;
	bool was_picked = is_active && (ch->pick[0].bank == b || ch->pick[1].bank == b);
	dram_candidate_set(ch, b, i, key);
	if (was_picked)
		ch->decided = false;
	else if (ch->decided && !(ch->blocked[b / 64] >> (b & 63) & 1))
		consider(ch, b, ch->dual);
}

bool
wcp_dram_push(struct wcp_dram *d, const struct wcp_dram_request *r)
{
	if (r->place.channel >= d->n_channel || r->arrival < d->channel[r->place.channel].now)
		return false;
	struct dram_channel *ch = &d->channel[r->place.channel];
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
	ch->look = true;
	return true;
}

/* ---- making ---- */

static bool
arrays(struct dram_channel *ch)
{
	uint32_t entries = ch->room[0] + ch->room[1], buckets = 64;
	while (buckets < 2 * entries)
		buckets *= 2;
	ch->row_shift = 32 - (uint32_t)__builtin_ctz(buckets);
	ch->ready = calloc(ch->n_bank, sizeof *ch->ready);
	ch->key = calloc(ch->n_bank, sizeof *ch->key);
	ch->gate = calloc(ch->n_bank, sizeof *ch->gate);
	ch->candidate = calloc(ch->n_bank, sizeof *ch->candidate);
	ch->step = calloc(ch->n_bank, sizeof *ch->step);
	ch->active = calloc(ch->words, sizeof *ch->active);
	ch->blocked = calloc(ch->words, sizeof *ch->blocked);
	ch->gates = calloc((size_t)DRAM_STEPS * ch->n_group, sizeof *ch->gates);
	ch->bank = calloc(ch->n_bank, sizeof *ch->bank);
	ch->rank = calloc(ch->n_rank, sizeof *ch->rank);
	ch->entry = calloc(entries, sizeof *ch->entry);
	ch->row = calloc(entries, sizeof *ch->row);
	ch->bucket = malloc(buckets * sizeof *ch->bucket);
	ch->bank_counts = calloc(ch->n_bank, sizeof *ch->bank_counts);
	ch->done_mask = 63;
	ch->done = calloc(ch->done_mask + 1, sizeof *ch->done);
	if (ch->bucket)
		memset(ch->bucket, 0xff, buckets * sizeof *ch->bucket);
	return ch->ready && ch->key && ch->gate && ch->candidate && ch->step && ch->active &&
	       ch->blocked && ch->gates && ch->bank && ch->rank && ch->entry && ch->row &&
	       ch->bucket && ch->bank_counts && ch->done;
}

static void
empty(struct dram_channel *ch)
{
	uint32_t entries = ch->room[0] + ch->room[1];
	uint32_t banks = ch->n_bank / ch->n_rank, groups = ch->n_group / ch->n_rank;
	for (uint32_t i = 0; i < entries; i++)
		ch->entry[i].next = ch->row[i].chain =
		    i + 1 < entries ? (uint16_t)(i + 1) : DRAM_NONE;
	for (uint32_t i = 0; i < ch->n_bank; i++) {
		struct dram_bank *b = &ch->bank[i];
		b->open_row = DRAM_CLOSED;
		b->open_list = DRAM_NONE;
		b->head[0] = b->head[1] = b->tail[0] = b->tail[1] = DRAM_NONE;
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
	ch->n_rank = o->ranks;
	ch->n_bank = o->ranks * o->banks;
	ch->n_group = o->ranks * o->bank_groups;
	ch->words = (ch->n_bank + 63) / 64;
	ch->wake = DRAM_NEVER;
	if (!arrays(ch) || dram_measures_init(&ch->m, &d->gaps))
		return -1;
	empty(ch);
	dram_refresh_init(ch);
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
	free(ch->ready);
	free(ch->key);
	free(ch->gate);
	free(ch->candidate);
	free(ch->step);
	free(ch->active);
	free(ch->blocked);
	free(ch->gates);
	free(ch->bank);
	free(ch->rank);
	free(ch->entry);
	free(ch->row);
	free(ch->bucket);
	free(ch->bank_counts);
	free(ch->done);
}
