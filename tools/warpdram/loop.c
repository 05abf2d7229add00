/*
 * Loops: what is served decides what comes next. Every core has a line of records; the first of it
 * is issued when its time has come, its core's window has room and its queues have. Times are gone
 * through in order: of the cores' next times, of ends, and of the channels' next changes. At equal
 * times channels go before cores, for what they free counts from then on, and among cores the one
 * whose record was due first.
 */
#include <stdlib.h>
#include <string.h>
#include "part.h"

enum {
	AHEAD = 1 << 16, /* records that are read before the first of them is issued */
	TOGETHER = 128,	 /* of them are looked up together */
};

enum state { EMPTY, TIMED, WAITS_END, WAITS_ROOM };

struct core {
	struct record *head, **tail;
	enum state state;
	bool begun; /* the first record's parts are being pushed */
	struct parts parts;
	struct wcp_dram_request part; /* that found no room */
	bool part_waits;
	uint32_t slot;
	uint32_t outstanding;
	uint64_t due;	/* of the first record */
	uint64_t start; /* the time before which nothing is issued */
	uint64_t shift; /* what full queues have cost so far */
	uint32_t next_waiting;
};

struct event { /* a core is to be looked at */
	uint64_t time, since;
	uint32_t core;
};

struct end { /* of a record of the core's */
	uint64_t time;
	uint32_t core;
};

struct waiting { /* of a channel: cores that found no room, 1 + number, 0: none */
	uint32_t first, last;
};

struct loop {
	struct core *core; /* [n_core] */
	uint32_t n_core;
	struct event *heap; /* [n_heap] */
	uint32_t n_heap, cap_heap;
	struct end *end; /* [end_mask + 1] ring, in order of time, then core */
	uint32_t end_mask, end_head, end_tail;
	uint64_t *next;	 /* [channels] time of the channel's next change */
	uint32_t *place; /* [channels] heap of channels by next: place in order, its inverse */
	uint32_t *order; /* [channels] */
	struct waiting *waiting; /* [channels] */
	uint64_t buffered, now;
	uint64_t gap;	      /* memory cycles */
	bool drained, writes; /* writes: lines for idle time too */
};

/* ---- the cores' heap ------------------------------------------------------------------------- */

static bool
before(const struct event *a, const struct event *b)
{
	if (a->time != b->time)
		return a->time < b->time;
	return a->since != b->since ? a->since < b->since : a->core < b->core;
}

static void
add_event(struct loop *l, struct event e)
{
	if (l->n_heap == l->cap_heap) {
		l->cap_heap = l->cap_heap ? 2 * l->cap_heap : 256;
		l->heap = must_alloc(l->heap, l->cap_heap * sizeof *l->heap);
	}
	uint32_t i = l->n_heap++;
	for (; i && before(&e, &l->heap[(i - 1) / 2]); i = (i - 1) / 2)
		l->heap[i] = l->heap[(i - 1) / 2];
	l->heap[i] = e;
}

static struct event
take_event(struct loop *l)
{
	struct event first = l->heap[0], e = l->heap[--l->n_heap];
	uint32_t i = 0;
	for (;;) {
		uint32_t k = 2 * i + 1;
		if (k >= l->n_heap)
			break;
		if (k + 1 < l->n_heap && before(&l->heap[k + 1], &l->heap[k]))
			k++;
		if (!before(&l->heap[k], &e))
			break;
		l->heap[i] = l->heap[k];
		i = k;
	}
	l->heap[i] = e;
	return first;
}

/* ---- ends ------------------------------------------------------------------------------------ */

static bool
no_ends(const struct loop *l)
{
	return l->end_head == l->end_tail;
}

static void
grow_ends(struct loop *l)
{
	uint32_t n = l->end_tail - l->end_head, mask = 2 * l->end_mask + 1;
	struct end *ring = must_alloc(NULL, (mask + 1ull) * sizeof *ring);
	for (uint32_t i = 0; i < n; i++)
		ring[i] = l->end[(l->end_head + i) & l->end_mask];
	free(l->end);
	l->end = ring;
	l->end_mask = mask;
	l->end_head = 0;
	l->end_tail = n;
}

/* Mostly the last: ends become known a latency before, nearly in order. */
static void
add_end(struct loop *l, struct end e)
{
	if (l->end_tail - l->end_head > l->end_mask)
		grow_ends(l);
	uint32_t i = l->end_tail++, mask = l->end_mask;
	for (; i != l->end_head; i--) {
		const struct end *p = &l->end[(i - 1) & mask];
		if (p->time < e.time || (p->time == e.time && p->core <= e.core))
			break;
		l->end[i & mask] = *p;
	}
	l->end[i & mask] = e;
}

/* Would it be the next thing that happens? At equal times ends make room for what is issued. */
static bool
is_next(const struct loop *l, const struct event *e)
{
	if (e->time >= l->next[l->order[0]] || (l->n_heap && !before(e, &l->heap[0])))
		return false;
	return no_ends(l) || e->time < l->end[l->end_head & l->end_mask].time;
}

/* ---- the channels' heap ---------------------------------------------------------------------- */

static bool
channel_before(const struct loop *l, uint32_t a, uint32_t b)
{
	return l->next[a] != l->next[b] ? l->next[a] < l->next[b] : a < b;
}

static void
put_channel(struct loop *l, uint32_t at, uint32_t channel)
{
	l->order[at] = channel;
	l->place[channel] = at;
}

/* Finds the channel its place anew after its next time has changed. */
static void
move_channel(struct loop *l, uint32_t channel, uint32_t n)
{
	uint32_t i = l->place[channel];
	for (; i && channel_before(l, channel, l->order[(i - 1) / 2]); i = (i - 1) / 2)
		put_channel(l, i, l->order[(i - 1) / 2]);
	for (;;) {
		uint32_t k = 2 * i + 1;
		if (k >= n)
			break;
		if (k + 1 < n && channel_before(l, l->order[k + 1], l->order[k]))
			k++;
		if (!channel_before(l, l->order[k], channel))
			break;
		put_channel(l, i, l->order[k]);
		i = k;
	}
	put_channel(l, i, channel);
}

/* Who waits for room wants to know of each slot that gets free; else it is ends that count, and
 * those of what is issued now come later. */
static void
renew_channel(struct run *r, uint32_t channel)
{
	struct loop *l = r->play.loop;
	l->next[channel] = l->waiting[channel].first ? wcp_dram_next(r->play.dram, channel)
						     : wcp_dram_next_end(r->play.dram, channel);
	move_channel(l, channel, r->play.channels);
}

/* ---- records come ---------------------------------------------------------------------------- */

/* When the first record of a core's line is to be issued. */
static void
schedule(struct run *r, struct core *c, uint32_t number)
{
	struct loop *l = r->play.loop;
	c->due = c->start;
	if (r->set->mode == MODE_STALL) {
		uint64_t recorded = play_to_memory(&r->play, c->head->cycle) + c->shift;
		c->due = recorded > c->due ? recorded : c->due;
	} else if (c->head->gap) {
		c->due += play_to_memory(&r->play, c->head->gap);
	}
	c->due = c->due > l->now ? c->due : l->now;
	c->state = TIMED;
	add_event(l, (struct event){c->due, c->due, number});
}

static void
add_core(struct loop *l)
{
	l->core = must_alloc(l->core, (l->n_core + 1) * sizeof *l->core);
	l->core[l->n_core++] = (struct core){0};
}

static void
add_record(struct run *r, struct record *record)
{
	struct loop *l = r->play.loop;
	while (record->core >= l->n_core)
		add_core(l);
	struct core *c = &l->core[record->core];
	record->next = NULL;
	if (c->head)
		*c->tail = record;
	else
		c->head = record;
	c->tail = &record->next;
	l->buffered++;
	if (c->state == EMPTY)
		schedule(r, c, record->core);
}

/* Where records' first atoms lie. Addresses that are past the capacity are left to parts_next,
 * which finds the first. */
static void
locate(const struct run *r, struct record *record, uint32_t n)
{
	uint64_t address[TOGETHER] = {0};
	struct wcp_dram_place place[TOGETHER];
	struct parts parts;
	size_t which;
	for (uint32_t i = 0; i < n; i++) {
		parts_start(r, &parts, &record[i]);
		address[i] = parts.address;
	}
	bool all = !wcp_dram_locate(r->play.dram, address, n, place, &which);
	for (uint32_t i = 0; i < n; i++) {
		record[i].located = all && !record[i].placed;
		if (record[i].located)
			record[i].place = place[i];
	}
}

static void
read_ahead(struct run *r)
{
	struct loop *l = r->play.loop;
	struct chunk *c;
	while (l->buffered < AHEAD && (c = input_next(r))) {
		uint32_t n = c->n;
		for (uint32_t i = 0; i < n; i += TOGETHER)
			locate(r, &c->record[i], n - i < TOGETHER ? n - i : TOGETHER);
		for (uint32_t i = 0; i < n; i++)
			add_record(r, &c->record[i]);
	}
}

/* ---- records go ------------------------------------------------------------------------------ */

static void
wait_for_room(struct loop *l, struct core *c, uint32_t number)
{
	struct waiting *w = &l->waiting[c->part.place.channel];
	c->state = WAITS_ROOM;
	c->next_waiting = 0;
	if (w->first)
		l->core[w->last - 1].next_waiting = number + 1;
	else
		w->first = number + 1;
	w->last = number + 1;
}

/* Pushes the first record's parts as far as there is room. 1: all are in; 0: waits; negative: past
 * the capacity. */
static int
push_parts(struct run *r, struct core *c, uint64_t time)
{
	for (;;) {
		if (!c->part_waits) {
			int more = parts_next(r, &c->parts, c->head, &c->part);
			if (more <= 0)
				return more ? more : 1;
		}
		uint32_t channel = c->part.place.channel;
		c->part_waits = !play_push(r, &c->part, time);
		play_collect(r, channel);
		if (c->part_waits)
			return 0;
		renew_channel(r, channel);
	}
}

/* The record is in: on to the core's next one. */
static void
issued(struct run *r, struct core *c, uint32_t number, uint64_t time)
{
	struct loop *l = r->play.loop;
	c->begun = false;
	c->head = c->head->next;
	l->buffered--;
	r->counts.waited += time - c->due;
	c->shift += time - c->due;
	c->start = r->set->mode == MODE_STALL ? time : time + l->gap;
	c->state = EMPTY;
	if (c->head)
		schedule(r, c, number);
}

static int
issue(struct run *r, uint32_t number, uint64_t time)
{
	struct loop *l = r->play.loop;
	struct core *c = &l->core[number];
	if (!c->begun && r->set->window && c->outstanding >= r->set->window) {
		c->state = WAITS_END;
		return 0;
	}
	if (!c->begun) {
		/* A window that was full is the core's own affair: latency begins here. */
		c->due = r->set->mode == MODE_STALL ? c->due : time;
		c->begun = true;
		c->slot = play_begin(r, c->head, c->due);
		c->part = (struct wcp_dram_request){.handle = c->slot};
		c->part_waits = false;
		c->outstanding++;
		parts_start(r, &c->parts, c->head);
		c->parts.first = c->head->located ? &c->head->place : NULL;
	}
	int done = push_parts(r, c, time);
	if (done < 0)
		return play_refused(r, c->head, done);
	if (!done) {
		wait_for_room(l, c, number);
		renew_channel(r, c->part.place.channel);
		return 0;
	}
	uint32_t slot = c->slot;
	issued(r, c, number, time);
	play_begun(r, slot);
	return 0;
}

void
loop_done(struct run *r, const struct record *record, uint64_t end)
{
	if (r->set->window)
		add_end(r->play.loop, (struct end){end, record->core});
}

static int
core_event(struct run *r)
{
	struct loop *l = r->play.loop;
	struct event e = take_event(l);
	struct core *c = &l->core[e.core];
	if (e.time > WCP_DRAM_CYCLE_MAX)
		return play_past(r, c->head, e.time);
	int status = l->writes ? play_gap(r, c->head, l->now, e.time) : 0;
	if (status)
		return status;
	l->now = e.time;
	return issue(r, e.core, e.time);
}

static int
end_event(struct run *r)
{
	struct loop *l = r->play.loop;
	struct end e = l->end[l->end_head++ & l->end_mask];
	struct core *c = &l->core[e.core];
	l->now = e.time;
	c->outstanding--;
	if (c->state != WAITS_END)
		return 0;
	c->state = TIMED;
	struct event again = {e.time, c->due, e.core};
	if (is_next(l, &again) && e.time <= WCP_DRAM_CYCLE_MAX)
		return issue(r, e.core, e.time);
	add_event(l, again);
	return 0;
}

/* Who waited for room tries again. */
static void
wake_waiting(struct run *r, uint32_t channel, uint64_t time)
{
	struct loop *l = r->play.loop;
	struct waiting *w = &l->waiting[channel];
	bool room[2] = {wcp_dram_room(r->play.dram, channel, false),
	    wcp_dram_room(r->play.dram, channel, true)};
	uint32_t number = w->first;
	w->first = w->last = 0;
	while (number) {
		struct core *c = &l->core[number - 1];
		uint32_t next = c->next_waiting;
		if (room[c->part.write]) {
			c->state = TIMED;
			add_event(l, (struct event){time, c->due, number - 1});
		} else {
			wait_for_room(l, c, number - 1);
		}
		number = next;
	}
}

/* A channel gets on: what is served is collected. */
static void
channel_event(struct run *r, uint32_t channel)
{
	struct loop *l = r->play.loop;
	uint64_t time = l->next[channel];
	play_advance(r, channel, time);
	play_collect(r, channel);
	if (l->waiting[channel].first)
		wake_waiting(r, channel, time);
	renew_channel(r, channel);
}

/* No time is left for records that wait; what is in the memory is still served. */
static int
end_of_time(struct run *r, uint64_t time)
{
	struct loop *l = r->play.loop;
	l->drained = true;
	for (uint32_t i = 0; i < l->n_core; i++) {
		if (l->core[i].head && time != UINT64_MAX)
			return play_past(r, l->core[i].head, time);
	}
	return 0;
}

static int
step(struct run *r)
{
	struct loop *l = r->play.loop;
	uint32_t channel = l->order[0];
	uint64_t next = l->next[channel], core = l->n_heap ? l->heap[0].time : UINT64_MAX;
	uint64_t end = no_ends(l) ? UINT64_MAX : l->end[l->end_head & l->end_mask].time;
	if (end < next && end <= core)
		return end_event(r);
	if (core < next)
		return core_event(r);
	if (next > WCP_DRAM_CYCLE_MAX)
		return end_of_time(r, next);
	channel_event(r, channel);
	return 0;
}

static struct loop *
loop_new(const struct run *r)
{
	uint32_t n = r->play.channels;
	struct loop *l = must_alloc(NULL, sizeof *l);
	*l = (struct loop){.next = must_alloc(NULL, n * sizeof *l->next),
	    .place = must_alloc(NULL, n * sizeof *l->place),
	    .order = must_alloc(NULL, n * sizeof *l->order),
	    .waiting = must_alloc(NULL, n * sizeof *l->waiting),
	    .end = must_alloc(NULL, sizeof *l->end),
	    .writes = r->commands || r->series.file,
	    .gap = play_to_memory(&r->play, r->set->gap)};
	memset(l->waiting, 0, n * sizeof *l->waiting);
	for (uint32_t i = 0; i < n; i++) {
		l->next[i] = UINT64_MAX;
		l->place[i] = l->order[i] = i;
	}
	return l;
}

static void
loop_free(struct loop *l)
{
	/* After a failure lines may hold records yet. */
	for (uint32_t i = 0; i < l->n_core; i++)
		for (struct record *next, *p = l->core[i].head; p; p = next) {
			next = p->next;
			chunk_release(p->chunk);
		}
	free(l->core);
	free(l->heap);
	free(l->end);
	free(l->next);
	free(l->place);
	free(l->order);
	free(l->waiting);
	free(l);
}

int
loop_run(struct run *r)
{
	struct loop *l = r->play.loop = loop_new(r);
	uint64_t synced = 0, steps = 0;
	int status = 0;
	while (!status && !l->drained) {
		if (l->buffered < AHEAD / 2)
			read_ahead(r);
		status = step(r);
		if (++steps % 65536 == 0 && l->now > synced) {
			play_all(r, l->now);
			for (uint32_t c = 0; c < r->play.channels; c++)
				renew_channel(r, c);
			synced = l->now;
			if (out_flush(r, synced))
				status = tool_error(r->tool, out_name(r), &r->error);
		}
	}
	r->play.loop = NULL;
	play_drain(r);
	if (!status && out_flush(r, UINT64_MAX))
		status = tool_error(r->tool, out_name(r), &r->error);
	loop_free(l);
	return status ? status : r->input.status;
}
