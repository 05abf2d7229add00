/*
 * A cache played alone. Nobody sees its messages, so that they are only counted: one leaves each
 * cycle from p->leaves on, which tells when the last one sent will, and when what it fetches comes.
 * Fills are the only events. The common cases go their shortest way (see quick.c, whose rules are
 * these); all else is left to access.c and fill.c.
 */
#include <stdlib.h>
#include "nbcache/model.h"
#include "warpcap/nbplay.h"

#define NEVER UINT64_MAX

enum { AHEAD = 8 };	   /* accesses whose sets are looked for before their turn */
enum { NOT_QUICK = -100 }; /* beside enum wcp_nb_fail and enum wcp_status */

struct flight {
	uint64_t due, number;
	uint32_t sectors;
	uint32_t entry; /* MSHR_NONE: to be found */
};

struct wcp_nbplay {
	struct wcp_nbcache *cache;
	uint64_t latency;
	uint64_t now, last;
	uint64_t leaves;       /* when the head of the miss queue goes, or the next message could */
	uint64_t comes;	       /* when the first flight does; NEVER */
	struct flight *flight; /* [flight_mask + 1] a ring, by due */
	uint32_t flight_mask, first, n;
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

/* ---- fills ------------------------------------------------------------------------------------
 */

/* All that was asked of a line comes: its requests lack nothing more and are answered. */
static bool
come_whole(struct wcp_nbplay *p, const struct flight *f)
{
	struct wcp_nbcache *c = p->cache;
	struct mshrs *m = &c->mshrs;
	if (f->entry == MSHR_NONE || m->done_first != MSHR_NONE)
		return false;
	struct mshr *e = &m->entry[f->entry];
	struct tags_line *l = &c->tags.line[e->place];
	if (e->asked != f->sectors || l->reserved != f->sectors || e->is_hashed)
		return false;
	l->valid |= f->sectors;
	l->reserved = e->asked = 0;
	c->tags.set[e->set].reserved &= ~(1ull << (e->place - (uint32_t)e->set * c->tags.stride));
	for (uint32_t i = e->first; i != MSHR_NONE; i = m->request[i].next)
		l->dirty |= m->request[i].dirty & l->valid;
	m->request[e->last].next = m->free_request;
	m->free_request = e->first;
	c->counts.fills++;
	c->counts.answers += e->n;
	p->counts.answered += e->n;
	p->counts.latency_cycles += e->n * p->comes;
	p->counts.mshr_cycles += p->comes;
	mshrs_release_entry(m, f->entry);
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

/* ---- accesses that do not hit -----------------------------------------------------------------
 */

/* One that gets no reply goes on. */
static int
forward(
    struct wcp_nbplay *p, const struct wcp_nb_access *a, const struct nb_found *f, uint8_t *result)
{
	struct wcp_nbcache *c = p->cache;
	struct nb_queue *q = &c->queue;
	uint32_t want = a->sectors & c->all_sectors;
	bool present = false;
	if (q->mask + 1 < q->n + 2)
		return NOT_QUICK;
	if (!nb_has_room(q, 1))
		return nb_refuse(c, a, WCP_NB_QUEUE);
	if (f->place != TAGS_NONE) {
		present = !((want ? want : c->all_sectors) & ~c->tags.line[f->place].valid);
		tags_touch(&c->tags, f->set, f->place);
	}
	plan_to_leave(p, q->n, a->cycle);
	nb_push(c);
	c->n++;
	c->counts.passes++;
	c->counts.outcome[WCP_OUT_FORWARD]++;
	c->counts.present += present;
	*result = (uint8_t)(WCP_OUT_FORWARD | WCP_CACHE_PASS | (present ? WCP_CACHE_PRESENT : 0));
	return 0;
}

/* One that lacks what is on its way already joins those that wait for it. */
static int
merge(
    struct wcp_nbplay *p, const struct wcp_nb_access *a, const struct nb_found *f, uint8_t *result)
{
	struct wcp_nbcache *c = p->cache;
	struct tags_line *l = &c->tags.line[f->place];
	uint32_t want = a->sectors & c->all_sectors, missing;
	want = want ? want : c->all_sectors;
	missing = want & ~l->valid;
	if (missing & ~l->reserved)
		return NOT_QUICK;
	uint32_t entry = c->tags.mshr[f->place];
	const struct mshr *e = &c->mshrs.entry[entry];
	if (missing & ~e->asked || !e->places || c->mshrs.free_request == MSHR_NONE)
		return NOT_QUICK;
	if (c->o.worst_case_room && !nb_has_room(&c->queue, 2))
		return nb_refuse(c, a, WCP_NB_QUEUE);
	if (e->n >= c->mshrs.merges)
		return nb_refuse(c, a, WCP_NB_MERGE);
	tags_touch(&c->tags, f->set, f->place);
	mshrs_add(&c->mshrs, entry, 0, missing, nb_action_of(c, a)->dirties ? want : 0);
	p->counts.latency_cycles -= a->cycle;
	c->n++;
	c->counts.outcome[WCP_OUT_PENDING]++;
	*result = WCP_OUT_PENDING;
	return 0;
}

/* One of a line of which nothing is known takes an MSHR, and the place of a line that is clean. */
static int
fetch(
    struct wcp_nbplay *p, const struct wcp_nb_access *a, const struct nb_found *f, uint8_t *result)
{
	struct wcp_nbcache *c = p->cache;
	struct nb_queue *q = &c->queue;
	struct mshrs *m = &c->mshrs;
	if (q->mask + 1 < q->n + 2 || p->n > p->flight_mask || m->hashed ||
	    m->done_first != MSHR_NONE || m->free_request == MSHR_NONE)
		return NOT_QUICK;
	bool full = m->used >= m->limit && nb_has_room(q, 2); /* whatever the victim */
	if (full && tags_has_way(&c->tags, f->set))
		return nb_refuse(c, a, WCP_NB_ENTRY);
	uint32_t room = tags_choose(&c->tags, f->set, c->n);
	if (room == TAGS_NONE)
		return nb_refuse(c, a, WCP_NB_LINE);
	if (c->tags.line[room].dirty)
		return NOT_QUICK;
	if (!nb_has_room(q, c->o.worst_case_room ? 2 : 1))
		return nb_refuse(c, a, WCP_NB_QUEUE);
	if (m->used >= m->limit)
		return nb_refuse(c, a, WCP_NB_ENTRY);
	if (m->free == MSHR_NONE)
		return NOT_QUICK;
	struct wcp_nb_result r = {.bits = 0};
	nb_place(c, a, f, room, &r);
	plan_to_leave(p, q->n, a->cycle);
	fly(p, p->leaves + q->n, a->line >> c->index.line_shift, r.missing, c->tags.mshr[room]);
	nb_push(c);
	nb_count_fetch(c);
	p->counts.latency_cycles -= a->cycle;
	p->counts.mshr_cycles -= a->cycle;
	*result = (uint8_t)(WCP_OUT_MISS | WCP_CACHE_PASS |
			    (r.bits & WCP_NB_VICTIM ? WCP_CACHE_VICTIM : 0));
	return 0;
}

/* Any access. */
static int
offer(struct wcp_nbplay *p, const struct wcp_nb_access *a, uint8_t *result)
{
	struct wcp_nbcache *c = p->cache;
	struct nb_queue *q = &c->queue;
	uint32_t had = q->n, used = c->mshrs.used;
	struct wcp_nb_result r;
	if (p->n > p->flight_mask && grow(p))
		return WCP_ESYS;
	int cause = nb_access(c, a, NULL, &r);
	if (cause)
		return cause;
	if (q->n > had)
		plan_to_leave(p, had, a->cycle);
	for (uint32_t i = had; i < q->n; i++) {
		const struct wcp_nb_message *m = &q->message[(q->first + i) & q->mask];
		if (m->type == WCP_NB_FETCH)
			fly(p, p->leaves + i, m->line >> c->index.line_shift, m->sectors,
			    MSHR_NONE);
	}
	if (r.bits & WCP_NB_WAITS)
		p->counts.latency_cycles -= a->cycle;
	p->counts.mshr_cycles -= (c->mshrs.used - used) * a->cycle;
	*result = (uint8_t)(r.outcome | (r.bits & WCP_NB_PRESENT ? WCP_CACHE_PRESENT : 0) |
			    (r.bits & WCP_NB_SENT ? WCP_CACHE_PASS : 0) |
			    (r.bits & WCP_NB_VICTIM ? WCP_CACHE_VICTIM : 0) |
			    (r.bits & WCP_NB_DIRTY ? WCP_CACHE_DIRTY : 0));
	return 0;
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

/* how: the short way, or NULL. Returns the cycle in which it was accepted; NEVER. */
static uint64_t
insist(struct wcp_nbplay *p, struct wcp_nb_access *a, const struct nb_found *f, uint8_t *result,
    int (*how)(
	struct wcp_nbplay *, const struct wcp_nb_access *, const struct nb_found *, uint8_t *))
{
	for (;;) {
		leave_until(p, a->cycle);
		int cause = how ? how(p, a, f, result) : NOT_QUICK;
		if (cause == NOT_QUICK)
			cause = offer(p, a, result);
		if (cause <= 0)
			return cause < 0 ? NEVER : a->cycle;
		uint64_t next = next_try(p, cause, a->cycle);
		if (next == NEVER)
			return NEVER;
		p->cache->counts.refused[cause] += next - a->cycle - 1;
		p->counts.refused_cycles += next - a->cycle;
		a->again = true;
		a->cycle = next;
		advance(p, next);
		/* what it waits for may have come; a line not on its way has not */
		if (f && f->place != TAGS_NONE)
			how = NULL;
	}
}

/* Access i, that does not simply hit, at a cycle. */
static uint64_t
take(struct wcp_nbplay *p, const struct wcp_nbplay_batch *b, uint32_t i, uint64_t cycle,
    const struct nb_found *f)
{
	const struct wcp_nbcache *c = p->cache;
	struct wcp_nb_access a = {.line = b->line[i],
	    .cycle = cycle,
	    .sectors = b->sectors ? b->sectors[i] : 0,
	    .flags = b->flags[i],
	    .kind = b->kind[i],
	    .space = b->space[i],
	    .route = (uint8_t)b->route};
	const struct nb_action *action = nb_action_of(c, &a);
	if (!f)
		return insist(p, &a, f, &b->result[i], NULL);
	if (action->op == OP_FORWARD)
		return insist(p, &a, f, &b->result[i], action->drops ? NULL : forward);
	if (!c->direct || action->around)
		return insist(p, &a, f, &b->result[i], NULL);
	return insist(p, &a, f, &b->result[i], f->place == TAGS_NONE ? fetch : merge);
}

/* ---- all ------------------------------------------------------------------------------------- */

enum { PLAIN = 1, READS = 2, DIRTIES = 4 }; /* looked up here; done if all is there; then also */

static void
find_ways(const struct wcp_nbcache *c, enum wcp_nb_route route, uint8_t way[ACTIONS])
{
	for (unsigned i = 0; i < ACTIONS; i++) {
		const struct nb_action *a = &c->action[route][i];
		bool reads = a->op == OP_FETCH && a->places;
		way[i] = 0;
		if (c->is_plain && !c->o.port_bytes && (reads || a->op == OP_FORWARD))
			way[i] = (uint8_t)(PLAIN | (reads ? READS : 0) |
					   (reads && a->dirties ? DIRTIES : 0));
	}
}

/* True if access i hits, and all is done. */
static inline bool
hits(struct wcp_nbcache *c, const struct wcp_nbplay_batch *b, uint32_t i, unsigned way,
    struct nb_found *f)
{
	uint64_t number = b->line[i] >> c->index.line_shift;
	uint32_t want = (b->sectors ? b->sectors[i] : 0) & c->all_sectors;
	want = want ? want : c->all_sectors;
	f->set = nb_set(c, number);
	f->place = tags_find_small(&c->tags, f->set, number);
	if (f->place == TAGS_NONE || want & ~c->tags.line[f->place].valid || !(way & READS))
		return false;
	if (c->o.replacement == WCP_LRU)
		c->tags.stamp[f->place] = ++c->tags.clock;
	if (way & DIRTIES)
		c->tags.line[f->place].dirty |= want;
	b->result[i] = WCP_OUT_HIT | WCP_CACHE_PRESENT;
	return true;
}

int
wcp_nbplay_run(struct wcp_nbplay *p, const struct wcp_nbplay_batch *b)
{
	struct wcp_nbcache *c = p->cache;
	uint64_t now = p->now, n_hits = 0;
	uint8_t way_of[ACTIONS];
	find_ways(c, b->route, way_of);
	for (uint32_t k = 0; k < b->n; k++) {
		uint32_t i = b->at[k];
		if (k + AHEAD < b->n)
			wcp_nbcache_expect(c, b->line[b->at[k + AHEAD]]);
		struct nb_found f;
		unsigned way = way_of[nb_action_number(b->kind[i], b->space[i], b->flags[i])];
		uint64_t t = b->due[i] > now ? b->due[i] : now;
		if (p->comes <= t)
			advance(p, t);
		if (way && hits(c, b, i, way, &f)) {
			c->n++;
			n_hits++;
		} else if ((t = take(p, b, i, t, way ? &f : NULL)) == NEVER) {
			return WCP_ESYS;
		}
		b->cycle[i] = t;
		now = t + 1;
	}
	c->counts.outcome[WCP_OUT_HIT] += n_hits;
	c->counts.present += n_hits;
	p->now = now;
	if (b->n && now - 1 > p->last)
		p->last = now - 1;
	return 0;
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

uint64_t
wcp_nbplay_longest_wait(const struct wcp_nbplay *p, uint32_t n)
{
	const struct wcp_nbcache *c = p->cache;
	uint64_t queue = c->o.miss_queue ? c->o.miss_queue : c->queue.n + 2ull * n;
	if (c->o.port_bytes || p->latency > UINT32_MAX)
		return NEVER;
	/* Until what is queued has left and come; a dirty victim each may hold up those behind. */
	uint64_t home = queue + p->latency + 2;
	return c->on_miss ? home : 2 * home + queue;
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
