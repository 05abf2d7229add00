/*
 * A cache played alone. Nobody sees its messages, so that they are only counted: one leaves each
 * cycle from p->leaves on, which tells when the last one sent will, and when what it fetches comes.
 * Fills are the only events. The common cases go their shortest way (see quick.c, whose rules are
 * these); all else is left to access.c and fill.c.
 */
#include <stdlib.h>
#include "nbcache/model.h"

#define NEVER UINT64_MAX

enum {
	AHEAD = 8, /* accesses whose sets are looked for before their turn */
	NEAR_BYTES = 1 << 17,
	/* What tags.h keeps of a line: itself, its space, its MSHR, its mark in two halves, its
	   stamp. */
	LINE_STATE_BYTES = sizeof(struct tags_line) + 1 + 3 * sizeof(uint32_t) + sizeof(uint64_t),
	NOT_QUICK = -100, /* beside enum wcp_nb_fail and enum wcp_status */
};

struct flight {
	uint64_t due, number;
	uint32_t sectors;
	uint32_t entry; /* MSHR_NONE: to be found */
};

struct wcp_nbplay {
	struct wcp_nbcache *cache;
	uint64_t latency;
	uint64_t now, last;
	int status;	       /* of a fill that could not be; 0 */
	uint64_t leaves;       /* when the head of the miss queue goes, or the next message could */
	uint64_t comes;	       /* when the first flight does; NEVER */
	struct flight *flight; /* [flight_mask + 1] a ring, by due */
	uint32_t flight_mask, first, n;
	bool is_far; /* the cache's state is more than the processor has at hand */
	uint8_t traits[WCP_NB_ROUTE_COUNT][ACTIONS];
	struct wcp_nbplay_counts counts;
};

/* ---- messages and flights ------------------------------------------------------------------- */

static int
grow(struct wcp_nbplay *p)
{
	enum { START = 64 };
	uint32_t n = p->flight ? (p->flight_mask + 1) * 2 : START;
	struct flight *f = n > 1u << 30 ? NULL : malloc(n * sizeof *f);
	if (!f)
		return WCP_ESYS;
	for (uint32_t i = 0; p->flight && i < p->n; i++)
		f[i] = p->flight[(p->first + i) & p->flight_mask];
	free(p->flight);
	p->flight = f;
	p->flight_mask = n - 1;
	p->first = 0;
	return 0;
}

static inline void
leave_until(struct wcp_nbplay *p, uint64_t cycle)
{
	struct nb_queue *q = &p->cache->queue;
	if (!q->n || p->leaves > cycle)
		return;
	uint64_t n = cycle - p->leaves + 1;
	n = n < q->n ? n : q->n;
	q->first += (uint32_t)n;
	q->n -= (uint32_t)n;
	p->leaves += n;
}

/* A message is put into a queue that had so many. */
static inline void
plan_to_leave(struct wcp_nbplay *p, uint32_t had, uint64_t cycle)
{
	if (!had && p->leaves <= cycle)
		p->leaves = cycle + 1;
}

/* There is room for it. */
static inline void
fly(struct wcp_nbplay *p, uint64_t leaves, uint64_t number, uint32_t sectors, uint32_t entry)
{
	struct flight *f = &p->flight[(p->first + p->n++) & p->flight_mask];
	*f = (struct flight){leaves + p->latency, number, sectors, entry};
	if (p->n == 1)
		p->comes = f->due;
}

/* ---- fills ----------------------------------------------------------------------------------- */

/* The requests of an MSHR, which lack nothing more, are answered. */
static inline void
answer_all(struct wcp_nbplay *p, uint32_t entry)
{
	struct wcp_nbcache *c = p->cache;
	struct mshrs *m = &c->mshrs;
	struct mshr *e = &m->entry[entry];
	e->asked = 0;
	m->request[e->last].next = m->free_request;
	m->free_request = e->first;
	c->counts.fills++;
	c->counts.answers += e->n;
	p->counts.answered += e->n;
	p->counts.latency_cycles += e->n * p->comes;
	p->counts.mshr_cycles += p->comes;
	mshrs_release_entry(m, entry);
}

/* The line takes the place of one that is clean. Apart, for the sake of the other way below. */
static __attribute__((noinline)) bool
come_to_place(struct wcp_nbplay *p, const struct flight *f)
{
	struct wcp_nbcache *c = p->cache;
	struct tags *t = &c->tags;
	const struct mshr *e = &c->mshrs.entry[f->entry];
	uint64_t set = nb_set(c, f->number);
	if (!e->places || tags_find_small(t, set, f->number) != TAGS_NONE)
		return false;
	uint32_t room = tags_choose(t, set, c->n - 1);
	if (t->line[room].dirty)
		return false;
	c->counts.evictions += t->line[room].number != TAGS_NO_NUMBER;
	tags_take_over(t, set, room, f->number, 0, WCP_SPACE_GLOBAL);
	tags_set_valid(t, set, room, f->sectors);
	t->line[room].dirty = e->dirty & f->sectors;
	answer_all(p, f->entry);
	return true;
}

/* All that was asked of a line comes. */
static bool
come_whole(struct wcp_nbplay *p, const struct flight *f)
{
	struct wcp_nbcache *c = p->cache;
	const struct mshrs *m = &c->mshrs;
	if (f->entry == MSHR_NONE || m->done_first != MSHR_NONE)
		return false;
	const struct mshr *e = &m->entry[f->entry];
	if (e->asked != f->sectors)
		return false;
	if (!c->on_miss)
		return come_to_place(p, f);
	struct tags_line *l = &c->tags.line[e->place];
	if (l->reserved != f->sectors || e->is_hashed)
		return false;
	tags_add_valid(&c->tags, e->set, e->place, f->sectors);
	l->reserved = 0;
	c->tags.set[e->set].reserved &= ~(1ull << (e->place - (uint32_t)e->set * c->tags.stride));
	l->dirty |= e->dirty & l->valid;
	answer_all(p, f->entry);
	return true;
}

static void
answer(struct wcp_nbplay *p, uint64_t cycle)
{
	uint32_t handle[32], n;
	while ((n = wcp_nbcache_answers(p->cache, handle, 32)) > 0) {
		p->counts.answered += n;
		p->counts.latency_cycles += n * cycle;
	}
}

/* The next try's cycle; NEVER: it came. */
static uint64_t
come_somehow(struct wcp_nbplay *p, const struct flight *f, uint64_t cycle)
{
	struct wcp_nbcache *c = p->cache;
	uint32_t had = c->queue.n, used = c->mshrs.used;
	uint8_t bits;
	int refused =
	    wcp_nbcache_fill(c, f->number << c->index.line_shift, f->sectors, cycle, &bits, NULL);
	if (refused > 0)
		return refused == WCP_NB_QUEUE ? p->leaves : cycle + 1;
	if (refused < 0)
		p->status = refused;
	if (bits & WCP_NB_DIRTY) {
		plan_to_leave(p, had, cycle);
		p->counts.fill_write_backs++;
	}
	answer(p, cycle);
	p->counts.mshr_cycles += (used - c->mshrs.used) * cycle;
	return NEVER;
}

/* Time passes up to a cycle: lines come. */
static inline void
advance(struct wcp_nbplay *p, uint64_t cycle)
{
	while (p->comes <= cycle) {
		const struct flight *f = &p->flight[p->first & p->flight_mask];
		uint64_t again = NEVER;
		leave_until(p, p->comes);
		if (!come_whole(p, f))
			again = come_somehow(p, f, p->comes);
		if (again != NEVER) {
			p->comes = again;
			continue;
		}
		p->last = p->comes > p->last ? p->comes : p->last;
		p->first++;
		uint64_t due = --p->n ? p->flight[p->first & p->flight_mask].due : NEVER;
		p->comes = due > p->comes ? due : p->comes;
	}
}

/* ---- accesses that do not hit ---------------------------------------------------------------- */

struct turn {
	uint64_t cycle, line;
	uint64_t number;
	struct nb_found found; /* where the way is not OTHER_WAY */
	uint32_t sectors, want;
	uint8_t sort, route;
	bool dirties, drops;
	bool again; /* it was refused before */
	uint8_t result;
};

/* One that gets no reply goes on; it may take its line with it. */
static int
forward(struct wcp_nbplay *p, struct turn *t)
{
	struct wcp_nbcache *c = p->cache;
	struct nb_queue *q = &c->queue;
	bool present = false;
	if (q->mask + 1 < q->n + 2)
		return NOT_QUICK;
	if (!nb_has_room(q, 1))
		return nb_refuse(c, t->again, WCP_NB_QUEUE);
	if (t->found.place != TAGS_NONE) {
		const struct tags_line *l = &c->tags.line[t->found.place];
		present = !(t->want & ~l->valid);
		if (t->drops)
			nb_drop(c, t->found.set, t->found.place);
		if (!t->drops || l->reserved)
			tags_touch(&c->tags, t->found.set, t->found.place);
	}
	plan_to_leave(p, q->n, t->cycle);
	nb_push(c);
	c->n++;
	c->counts.passes++;
	c->counts.outcome[WCP_OUT_FORWARD]++;
	c->counts.present += present;
	t->result = (uint8_t)(WCP_OUT_FORWARD | WCP_CACHE_PASS | (present ? WCP_CACHE_PRESENT : 0));
	return 0;
}

/* One that lacks what an MSHR awaits already joins those that wait for it. */
static inline int
join(struct wcp_nbplay *p, struct turn *t, uint32_t entry, uint32_t missing)
{
	struct wcp_nbcache *c = p->cache;
	const struct mshr *e = &c->mshrs.entry[entry];
	if (missing & ~e->asked || !e->places || c->mshrs.free_request == MSHR_NONE)
		return NOT_QUICK;
	if (c->o.worst_case_room && !nb_has_room(&c->queue, 2))
		return nb_refuse(c, t->again, WCP_NB_QUEUE);
	if (e->n >= c->mshrs.merges)
		return nb_refuse(c, t->again, WCP_NB_MERGE);
	mshrs_add(&c->mshrs, entry, 0, missing, t->dirties ? t->want : 0);
	p->counts.latency_cycles -= t->cycle;
	c->n++;
	c->counts.outcome[WCP_OUT_PENDING]++;
	t->result = WCP_OUT_PENDING;
	return 0;
}

/* Its line's place is reserved. */
static int
merge(struct wcp_nbplay *p, struct turn *t)
{
	struct tags *tags = &p->cache->tags;
	const struct tags_line *l = &tags->line[t->found.place];
	uint32_t missing = t->want & ~l->valid;
	if (missing & ~l->reserved)
		return NOT_QUICK;
	int cause = join(p, t, tags->mshr[t->found.place], missing);
	if (!cause)
		tags_touch(tags, t->found.set, t->found.place);
	return cause;
}

/* A fetch was sent for it. */
static inline void
sent(struct wcp_nbplay *p, struct turn *t, uint32_t entry, uint8_t result)
{
	struct wcp_nbcache *c = p->cache;
	plan_to_leave(p, c->queue.n, t->cycle);
	fly(p, p->leaves + c->queue.n, t->number, t->want, entry);
	nb_push(c);
	nb_count_fetch(c);
	p->counts.latency_cycles -= t->cycle;
	p->counts.mshr_cycles -= t->cycle;
	t->result = WCP_OUT_MISS | WCP_CACHE_PASS | result;
}

/* One of a line that is not there, on a cache that finds a place when it comes. */
static int
fetch_later(struct wcp_nbplay *p, struct turn *t)
{
	struct wcp_nbcache *c = p->cache;
	const struct nb_queue *q = &c->queue;
	struct mshrs *m = &c->mshrs;
	if (q->mask + 1 < q->n + 2 || p->n > p->flight_mask || m->done_first != MSHR_NONE ||
	    m->free_request == MSHR_NONE)
		return NOT_QUICK;
	uint32_t entry = mshrs_find(m, t->number);
	if (entry != MSHR_NONE)
		return join(p, t, entry, t->want);
	if (!nb_has_room(q, c->o.worst_case_room ? 2 : 1))
		return nb_refuse(c, t->again, WCP_NB_QUEUE);
	if (m->used >= m->limit)
		return nb_refuse(c, t->again, WCP_NB_ENTRY);
	if (m->free == MSHR_NONE)
		return NOT_QUICK;
	entry = mshrs_take(m, t->number, false);
	struct mshr *e = &m->entry[entry];
	e->asked = t->want;
	e->owner = e->handle = 0;
	e->space = WCP_SPACE_GLOBAL;
	e->places = true;
	mshrs_add(m, entry, 0, t->want, t->dirties ? t->want : 0);
	sent(p, t, entry, 0);
	return 0;
}

/* One of a line of which nothing is known takes an MSHR, and the place of a line that is clean. */
static int
fetch(struct wcp_nbplay *p, struct turn *t)
{
	struct wcp_nbcache *c = p->cache;
	struct nb_queue *q = &c->queue;
	struct mshrs *m = &c->mshrs;
	if (q->mask + 1 < q->n + 2 || p->n > p->flight_mask || m->hashed ||
	    m->done_first != MSHR_NONE || m->free_request == MSHR_NONE)
		return NOT_QUICK;
	bool full = m->used >= m->limit && nb_has_room(q, 2); /* whatever the victim */
	if (full && tags_has_way(&c->tags, t->found.set))
		return nb_refuse(c, t->again, WCP_NB_ENTRY);
	uint32_t room = tags_choose(&c->tags, t->found.set, c->n);
	if (room == TAGS_NONE)
		return nb_refuse(c, t->again, WCP_NB_LINE);
	if (c->tags.line[room].dirty)
		return NOT_QUICK;
	if (!nb_has_room(q, c->o.worst_case_room ? 2 : 1))
		return nb_refuse(c, t->again, WCP_NB_QUEUE);
	if (m->used >= m->limit)
		return nb_refuse(c, t->again, WCP_NB_ENTRY);
	if (m->free == MSHR_NONE)
		return NOT_QUICK;
	struct wcp_nb_result r = {.bits = 0};
	nb_place(c, &(struct wcp_nb_access){.line = t->line, .sectors = t->want}, &t->found, room,
	    t->dirties, &r);
	sent(p, t, c->tags.mshr[room], r.bits & WCP_NB_VICTIM ? WCP_CACHE_VICTIM : 0);
	return 0;
}

/* Any access. */
static int
offer(struct wcp_nbplay *p, struct turn *t)
{
	struct wcp_nbcache *c = p->cache;
	struct nb_queue *q = &c->queue;
	uint32_t had = q->n, used = c->mshrs.used;
	struct wcp_nb_access a = {.line = t->line,
	    .cycle = t->cycle,
	    .sectors = t->sectors,
	    .flags = t->sort & WCP_NBPLAY_UNCACHED ? WCP_ACCESS_UNCACHED : 0,
	    .kind = t->sort & 7,
	    .space = t->sort & WCP_NBPLAY_LOCAL ? WCP_SPACE_LOCAL : WCP_SPACE_GLOBAL,
	    .route = t->route,
	    .again = t->again};
	struct wcp_nb_result r;
	if (p->n > p->flight_mask && grow(p))
		return WCP_ESYS;
	int cause = nb_access(c, &a, NULL, &r);
	if (cause)
		return cause;
	if (q->n > had)
		plan_to_leave(p, had, t->cycle);
	for (uint32_t i = had; i < q->n; i++) {
		const struct wcp_nb_message *m = &q->message[(q->first + i) & q->mask];
		if (m->type == WCP_NB_FETCH)
			fly(p, p->leaves + i, m->line >> c->index.line_shift, m->sectors,
			    MSHR_NONE);
	}
	if (r.bits & WCP_NB_WAITS)
		p->counts.latency_cycles -= t->cycle;
	p->counts.mshr_cycles -= (c->mshrs.used - used) * t->cycle;
	t->result = (uint8_t)(r.outcome | (r.bits & WCP_NB_PRESENT ? WCP_CACHE_PRESENT : 0) |
			      (r.bits & WCP_NB_SENT ? WCP_CACHE_PASS : 0) |
			      (r.bits & WCP_NB_VICTIM ? WCP_CACHE_VICTIM : 0) |
			      (r.bits & WCP_NB_DIRTY ? WCP_CACHE_DIRTY : 0));
	return 0;
}

enum way { OTHER_WAY, FORWARDS, MERGES, FETCHES, FETCHES_LATER };

static inline int
attempt(struct wcp_nbplay *p, struct turn *t, enum way way)
{
	int cause = NOT_QUICK;
	leave_until(p, t->cycle);
	switch (way) {
	case FORWARDS: cause = forward(p, t); break;
	case MERGES: cause = merge(p, t); break;
	case FETCHES: cause = fetch(p, t); break;
	case FETCHES_LATER: cause = fetch_later(p, t); break;
	case OTHER_WAY: break;
	}
	return cause == NOT_QUICK ? offer(p, t) : cause;
}

/* When what was lacking may be there. Messages that leave help only where it was the queue. */
static uint64_t
next_try(const struct wcp_nbplay *p, int cause, uint64_t cycle)
{
	if (cause == WCP_NB_PORT)
		return cycle + 1;
	bool leaves = cause == WCP_NB_QUEUE && p->cache->queue.n && p->leaves < p->comes;
	return leaves ? p->leaves : p->comes;
}

/* What it waits for may have come, but no line that is not on its way. */
static enum way
way_on(const struct wcp_nbplay *p, struct turn *t, enum way way)
{
	const struct wcp_nbcache *c = p->cache;
	if (way == OTHER_WAY || way == FETCHES)
		return way;
	if (!c->on_miss) /* no place tells of a line that is */
		t->found.place = tags_find_small(&c->tags, t->found.set, t->number);
	return t->found.place == TAGS_NONE ? way : OTHER_WAY;
}

/* Again and again until it is accepted, at t->cycle then. 0 or negative. */
static int
insist(struct wcp_nbplay *p, struct turn *t, enum way way, int cause)
{
	for (; cause > 0; cause = attempt(p, t, way)) {
		uint64_t next = next_try(p, cause, t->cycle);
		if (next == NEVER)
			return WCP_EDATA;
		p->cache->counts.refused[cause] += next - t->cycle - 1;
		p->counts.refused_cycles += next - t->cycle;
		t->again = true;
		t->cycle = next;
		advance(p, next);
		way = way_on(p, t, way);
	}
	return cause;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* What an access is to the loop below, by its sort: one of these or'ed. */
enum {
	PLAIN = 1,	/* its line is looked for here */
	READS = 2,	/* it is done if all it wants is there */
	DIRTIES = 4,	/* which is dirty then */
	FETCHED = 8,	/* else its line is fetched, and gets a place */
	FORWARDED = 16, /* else it goes on */
	DROPS = 32,	/* and its line goes with it */
};

static void
find_traits(struct wcp_nbplay *p)
{
	const struct wcp_nbcache *c = p->cache;
	for (unsigned route = 0; route < WCP_NB_ROUTE_COUNT; route++)
		for (unsigned i = 0; i < ACTIONS && c->is_plain && !c->o.port_bytes; i++) {
			const struct nb_action *a = &c->action[route][i];
			bool reads = a->op == OP_FETCH && a->places;
			bool forwarded = a->op == OP_FORWARD || (reads && a->around);
			bool fetched = reads && !forwarded && !c->o.mshr_by_sector;
			p->traits[route][i] =
			    (uint8_t)((reads ? PLAIN | READS : 0) |
				      (reads && a->dirties ? DIRTIES : 0) |
				      (fetched ? FETCHED : 0) |
				      (forwarded ? PLAIN | FORWARDED : 0) | (a->drops ? DROPS : 0));
		}
}

/* The line at a place hits. */
static inline void
hit(struct wcp_nbcache *c, uint32_t place, unsigned traits, uint32_t want)
{
	c->n++;
	if (c->o.replacement == WCP_LRU)
		c->tags.stamp[place] = ++c->tags.clock;
	if (traits & DIRTIES)
		c->tags.line[place].dirty |= want;
}

/* Access i, that does not find its whole line, at a cycle; gets that in which it was accepted. */
static int
take(struct wcp_nbplay *p, const struct wcp_nbplay_batch *b, uint32_t i,
    const struct nb_found *found, uint64_t *cycle)
{
	struct wcp_nbcache *c = p->cache;
	unsigned traits = p->traits[b->route][b->sort[i]];
	struct turn t = {.cycle = *cycle,
	    .line = b->line[i],
	    .number = b->line[i] >> c->index.line_shift,
	    .found = *found,
	    .sectors = b->sectors ? b->sectors[i] : 0,
	    .sort = b->sort[i],
	    .route = (uint8_t)b->route,
	    .dirties = traits & DIRTIES,
	    .drops = traits & DROPS};
	enum way way = traits & FORWARDED ? FORWARDS : OTHER_WAY;
	t.want = t.sectors & c->all_sectors ? t.sectors & c->all_sectors : c->all_sectors;
	if (traits & READS && found->place != TAGS_NONE &&
	    !(t.want & ~c->tags.line[found->place].valid)) {
		hit(c, found->place, traits, t.want);
		c->counts.outcome[WCP_OUT_HIT]++;
		c->counts.present++;
		b->result[i] = WCP_OUT_HIT | WCP_CACHE_PRESENT;
		return 0;
	}
	if (traits & FETCHED && found->place == TAGS_NONE)
		way = c->on_miss ? FETCHES : FETCHES_LATER;
	else if (traits & FETCHED && c->on_miss)
		way = MERGES;
	int status = insist(p, &t, way, attempt(p, &t, way));
	b->result[i] = t.result;
	*cycle = t.cycle;
	return status;
}

/* Where access i finds its line, which may be all that is to be done. */
static inline bool
hits(struct wcp_nbcache *c, const struct wcp_nbplay_batch *b, uint32_t i, unsigned traits,
    struct nb_found *f)
{
	uint64_t number = b->line[i] >> c->index.line_shift;
	f->set = nb_set(c, number);
	f->place = tags_find_small(&c->tags, f->set, number);
	if (f->place == TAGS_NONE || !(traits & READS) ||
	    !tags_is_whole(&c->tags, f->set, f->place))
		return false;
	uint32_t want = b->sectors ? b->sectors[i] & c->all_sectors : 0;
	hit(c, f->place, traits, want ? want : c->all_sectors);
	b->result[i] = WCP_OUT_HIT | WCP_CACHE_PRESENT;
	return true;
}

int
wcp_nbplay_run(struct wcp_nbplay *p, const struct wcp_nbplay_batch *b)
{
	struct wcp_nbcache *c = p->cache;
	uint64_t now = p->now, n_hits = 0;
	const uint8_t *traits = p->traits[b->route];
	int status = 0;
	for (uint32_t i = 0; i < b->n && !status; i++) {
		if (p->is_far && i + AHEAD < b->n)
			wcp_nbcache_expect(c, b->line[i + AHEAD]);
		unsigned is = traits[b->sort[i]];
		uint64_t t = b->due[i] > now ? b->due[i] : now;
		if (p->comes <= t)
			advance(p, t);
		struct nb_found f = {0, TAGS_NONE};
		if (is & PLAIN && hits(c, b, i, is, &f))
			n_hits++;
		else
			status = take(p, b, i, &f, &t);
		b->cycle[i] = t;
		now = t + 1;
	}
	c->counts.outcome[WCP_OUT_HIT] += n_hits;
	c->counts.present += n_hits;
	p->now = now;
	if (b->n && now - 1 > p->last)
		p->last = now - 1;
	return status ? status : p->status;
}

uint64_t
wcp_nbplay_drain(struct wcp_nbplay *p)
{
	const struct nb_queue *q = &p->cache->queue;
	uint64_t end = 0;
	while (p->n || q->n) {
		uint64_t leaves = q->n ? p->leaves + q->n - 1 : 0;
		uint64_t to = p->comes == NEVER ? leaves : p->comes;
		advance(p, to);
		leave_until(p, to);
		end = to + 1 > end ? to + 1 : end;
	}
	return end;
}

uint64_t
wcp_nbplay_send(struct wcp_nbplay *p, uint64_t cycle, uint64_t n)
{
	p->leaves = (cycle > p->leaves ? cycle : p->leaves) + n;
	return p->leaves;
}

/* All that is in flight comes within a certain time, whatever is sent meanwhile. After that, what
 * accesses lack can only have been taken by those before them: as long as these are fewer than
 * anything has room for, nothing is lacking but room in the queue, and that only for two cycles. */
uint64_t
wcp_nbplay_longest(const struct wcp_nbplay *p, uint32_t n)
{
	const struct wcp_nbcache *c = p->cache;
	uint64_t queue = c->o.miss_queue ? c->o.miss_queue : c->queue.n + 2ull * n, longest;
	if (c->o.port_bytes || p->latency > UINT32_MAX)
		return NEVER;
	uint64_t home = queue + p->latency + 2;
	if (!c->on_miss) /* each may be held up by a dirty victim of one before it */
		home = 2 * home + queue;
	uint32_t room = c->mshrs.limit < c->mshrs.merges ? c->mshrs.limit : c->mshrs.merges;
	if (c->tags.is_bounded && c->tags.ways < room)
		room = c->tags.ways;
	uint64_t groups = (n + (uint64_t)room - 1) / room;
	if (__builtin_mul_overflow(groups, home, &longest) ||
	    __builtin_add_overflow(longest, 3ull * n, &longest))
		return NEVER;
	return longest;
}

/* ---- making and freeing ---------------------------------------------------------------------- */

struct wcp_nbplay *
wcp_nbplay_new(struct wcp_nbcache *c, uint64_t latency_cycles)
{
	struct wcp_nbplay *p = calloc(1, sizeof *p);
	if (!p)
		return NULL;
	p->cache = c;
	p->latency = latency_cycles;
	p->is_far = (uint64_t)c->tags.sets * c->tags.stride * LINE_STATE_BYTES > NEAR_BYTES;
	find_traits(p);
	p->comes = NEVER;
	if (grow(p)) {
		free(p);
		return NULL;
	}
	return p;
}

void
wcp_nbplay_free(struct wcp_nbplay *p)
{
	if (p)
		free(p->flight);
	free(p);
}

uint64_t
wcp_nbplay_now(const struct wcp_nbplay *p)
{
	return p->now;
}

void
wcp_nbplay_set_now(struct wcp_nbplay *p, uint64_t cycle)
{
	p->now = cycle;
}

uint64_t
wcp_nbplay_last(const struct wcp_nbplay *p)
{
	return p->last;
}

const struct wcp_nbplay_counts *
wcp_nbplay_counts(const struct wcp_nbplay *p)
{
	return &p->counts;
}
