/*
 * A non-blocking cache written from warpcap/nbcache.h for being read: lists that are searched from
 * end to end, nothing remembered that can be counted again. It says what the model under test must
 * say; the benchmark runs it beside the model.
 */
#ifndef NBCACHE_NAIVE_H
#define NBCACHE_NAIVE_H

#include <stdlib.h>
#include <string.h>
#include "cache_naive.h"
#include "warpcap/nbcache.h"

struct naive_way {
	bool used;
	uint64_t line, last_use, came; /* address of its first byte */
	uint32_t valid, dirty, reserved, owner;
	uint8_t space;
	uint64_t tree_use; /* PLRU: of the way, whatever line it held */
};

struct naive_waiting {
	uint32_t handle, lacks, dirties;
	bool done; /* lacks nothing more, not collected */
	uint64_t done_at;
};

struct naive_mshr {
	bool used, places;
	uint64_t line;
	uint32_t sector; /* mshr_by_sector: its bit */
	uint32_t asked, owner, handle;
	uint8_t space;
	uint32_t n;
	struct naive_waiting *waiting; /* [n] */
};

struct naive_nb {
	struct wcp_nb_options o;
	uint64_t time, accepted, done_count, data_free, fill_free;
	uint64_t n_way, ways; /* of all; of a set */
	struct naive_way *way;
	uint32_t n_mshr;
	struct naive_mshr *mshr; /* [n_mshr] */
	uint32_t n_queue;
	struct wcp_nb_message *queue; /* [n_queue] oldest first */
	uint64_t refused[WCP_NB_FAIL_COUNT];
};

static struct naive_nb
naive_nb_new(const struct wcp_nb_options *o)
{
	struct naive_nb n = {.o = *o, .ways = o->ways, .n_way = o->index.sets * o->ways};
	n.way = calloc(n.n_way + 1, sizeof *n.way);
	return n;
}

static void
naive_nb_free(struct naive_nb *n)
{
	for (uint32_t i = 0; i < n->n_mshr; i++)
		free(n->mshr[i].waiting);
	free(n->mshr);
	free(n->way);
	free(n->queue);
}

static uint32_t
naive_nb_all(const struct naive_nb *n)
{
	uint32_t bytes = n->o.sector_bytes ? n->o.sector_bytes : n->o.index.line_bytes;
	return (uint32_t)((1ull << n->o.index.line_bytes / bytes) - 1);
}

static uint64_t
naive_nb_cycles(const struct naive_nb *n, uint32_t sectors)
{
	uint64_t bytes = n->o.sector_bytes ? n->o.sector_bytes : n->o.index.line_bytes;
	bytes *= (uint64_t)__builtin_popcount(sectors);
	return bytes / n->o.port_bytes + (bytes % n->o.port_bytes != 0);
}

static struct naive_way *
naive_nb_set(struct naive_nb *n, uint64_t line, uint64_t *ways)
{
	*ways = n->ways ? n->ways : n->n_way;
	return n->ways ? n->way + naive_set(&n->o.index, line) * n->ways : n->way;
}

static struct naive_way *
naive_nb_find(struct naive_nb *n, uint64_t line)
{
	uint64_t ways;
	struct naive_way *set = naive_nb_set(n, line, &ways);
	for (uint64_t w = 0; w < ways; w++)
		if (set[w].used && set[w].line == line)
			return &set[w];
	return NULL;
}

static struct naive_mshr *
naive_nb_mshr(struct naive_nb *n, uint64_t line, uint32_t want)
{
	for (uint32_t i = 0; i < n->n_mshr; i++)
		if (n->mshr[i].used && n->mshr[i].line == line &&
		    (!n->o.mshr_by_sector || n->mshr[i].sector == want))
			return &n->mshr[i];
	return NULL;
}

static inline uint32_t
naive_nb_mshrs(const struct naive_nb *n)
{
	uint32_t used = 0;
	for (uint32_t i = 0; i < n->n_mshr; i++)
		used += n->mshr[i].used;
	return used;
}

/* Tree-PLRU told without a tree's bits: of two halves of a block the victim is in the one that was
 * touched longer ago, were it touched at all (the lower if neither was), unless all of it is
 * reserved. A touch is told by the way's tree_use, which a line that leaves does not take along. */
static struct naive_way *
naive_nb_tree(struct naive_way *set, uint64_t ways)
{
	while (ways > 1) {
		uint64_t half = ways / 2, use[2] = {0, 0};
		bool open[2] = {false, false};
		for (uint64_t w = 0; w < ways; w++) {
			use[w / half] =
			    set[w].tree_use > use[w / half] ? set[w].tree_use : use[w / half];
			open[w / half] |= !set[w].reserved;
		}
		bool upper = use[1] < use[0];
		upper = open[upper] ? upper : !upper;
		set += upper ? half : 0;
		ways = half;
	}
	return set->reserved ? NULL : set;
}

static struct naive_way *
naive_nb_choose(struct naive_nb *n, uint64_t line, uint64_t number)
{
	uint64_t ways;
	struct naive_way *set = naive_nb_set(n, line, &ways), *v = NULL;
	for (uint64_t w = 0; w < ways; w++)
		if (!set[w].used)
			return &set[w];
	if (!n->ways) {
		n->way = realloc(n->way, (n->n_way + 1) * sizeof *n->way);
		memset(&n->way[n->n_way], 0, sizeof *n->way);
		return &n->way[n->n_way++];
	}
	if (n->o.replacement == WCP_RANDOM) {
		uint64_t first = (naive_random(n->o.seed, number) >> 32) * ways >> 32;
		for (uint64_t k = 0; k < ways; k++)
			if (!set[(first + k) % ways].reserved)
				return &set[(first + k) % ways];
		return NULL;
	}
	if (n->o.replacement == WCP_PLRU)
		return naive_nb_tree(set, ways);
	for (uint64_t w = 0; w < ways; w++) {
		if (set[w].reserved)
			continue;
		bool older = v && (n->o.replacement == WCP_LRU ? set[w].last_use < v->last_use
							       : set[w].came < v->came);
		if (!v || older)
			v = &set[w];
	}
	return v;
}

static bool
naive_nb_room(const struct naive_nb *n, uint32_t messages)
{
	return !n->o.miss_queue || n->n_queue + messages <= n->o.miss_queue;
}

static void
naive_nb_send(struct naive_nb *n, struct wcp_nb_message m)
{
	n->queue = realloc(n->queue, (n->n_queue + 1) * sizeof m);
	n->queue[n->n_queue++] = m;
}

static bool
naive_nb_pop(struct naive_nb *n, struct wcp_nb_message *m)
{
	if (!n->n_queue)
		return false;
	*m = n->queue[0];
	memmove(n->queue, n->queue + 1, --n->n_queue * sizeof *m);
	return true;
}

/* Puts a line in a way; what it held is written back after what was sent before. */
static void
naive_nb_place(struct naive_nb *n, struct naive_way *w, uint64_t line, uint32_t owner,
    uint8_t space, uint32_t handle, uint8_t *bits, struct wcp_nb_victim *victim)
{
	if (w->used) {
		*bits |= WCP_NB_VICTIM;
		*victim = (struct wcp_nb_victim){w->line, w->dirty, w->owner, owner};
		if (w->dirty) {
			*bits |= WCP_NB_DIRTY;
			naive_nb_send(n, (struct wcp_nb_message){w->line, w->dirty, handle,
					     w->owner, WCP_NB_WRITE_BACK, WCP_WRITEBACK, w->space});
		}
	}
	*w = (struct naive_way){true, line, n->time, n->time, 0, 0, 0, owner, space, n->time};
}

/* What the access does at this cache: 'n'othing, 'b'ypass, 't'ags, 'r'edirect, 'f'orward,
 * 'l'oad, 'w'rite that fetches, 'k'ept at once. */
static char
naive_nb_does(const struct naive_nb *n, const struct wcp_nb_access *a)
{
	const struct wcp_nb_options *o = &n->o;
	enum wcp_write_policy write =
	    a->space == WCP_SPACE_LOCAL ? o->local_write : o->global_write;
	bool keeps = write == WCP_WRITE_BACK || write == WCP_WRITE_VALIDATE;
	bool reads = a->kind == WCP_LOAD || a->kind == WCP_PREFETCH;
	if (a->kind == WCP_FILL)
		return 'n';
	if (a->flags & WCP_ACCESS_UNCACHED && o->bypass_uncached && a->kind != WCP_WRITEBACK &&
	    !(a->route == WCP_NB_REDIRECT))
		return 'b';
	if (a->route == WCP_NB_AROUND || (!reads && a->route == WCP_NB_TAGS))
		return 'b';
	if (a->route == WCP_NB_REDIRECT)
		return reads ? 'r' : 'b';
	if (a->route == WCP_NB_TAGS)
		return 't';
	if (reads)
		return 'l';
	if (!keeps)
		return 'f';
	if (a->kind == WCP_WRITEBACK || (a->kind == WCP_STORE && write == WCP_WRITE_VALIDATE))
		return 'k';
	return 'w';
}

/* What is found out about an access before anything is done. */
struct naive_plan {
	char does;
	uint64_t line;
	uint32_t want, missing, ask; /* ask: of the missing, those nobody asked for yet */
	struct naive_way *w, *room;  /* where the line is; what is to be emptied for it */
	struct naive_mshr *m;
	bool drops, joins, places, waits;
};

static void
naive_nb_look(struct naive_nb *n, const struct wcp_nb_access *a, struct naive_plan *p)
{
	const struct wcp_nb_options *o = &n->o;
	bool atomic = a->kind == WCP_ATOMIC || a->kind == WCP_REDUCE;
	enum wcp_write_policy write =
	    a->space == WCP_SPACE_LOCAL ? o->local_write : o->global_write;
	p->w = p->does == 'b' || p->does == 'r' ? NULL : naive_nb_find(n, p->line);
	p->missing = p->does == 'b' ? 0 : p->w ? p->want & ~p->w->valid : p->want;
	p->drops = p->does == 'f' && (atomic || (a->kind == WCP_STORE && write == WCP_WRITE_EVICT));
	p->places = a->route == WCP_NB_LOOKUP;
	bool stays = p->does == 'k' || p->does == 'w';
	if (stays && p->missing && (!p->places || (a->kind == WCP_STORE && o->store_around)))
		p->does = 'f';
}

static void
naive_nb_look_for_mshr(struct naive_nb *n, struct naive_plan *p)
{
	bool on_miss = n->o.allocate == WCP_NB_ON_MISS;
	if (p->missing && strchr("lwrk", p->does))
		p->m = naive_nb_mshr(n, p->line, p->want);
	p->joins = p->m && p->m->asked;
	p->ask = p->missing & ~(p->m ? p->m->asked : 0);
	if (p->joins)
		p->places = on_miss ? p->m->places : p->m->places || p->places;
	if (p->does == 'r' && on_miss && p->places)
		p->w = naive_nb_find(n, p->line);
	if (p->does == 'w' && p->missing && !p->places)
		p->does = 'f';
	p->waits = p->missing && strchr("lwr", p->does);
}

static uint32_t
naive_nb_messages(const struct naive_nb *n, const struct naive_plan *p)
{
	uint32_t dirty_victim = p->room && p->room->used && p->room->dirty;
	if (p->does == 'b' || p->does == 'f')
		return 1;
	if (n->o.worst_case_room)
		return p->does == 't' || p->waits ? 2 : p->does == 'k' && p->missing;
	return dirty_victim + (p->does == 't' || (p->waits && p->ask));
}

static int
naive_nb_plan(struct naive_nb *n, const struct wcp_nb_access *a, struct naive_plan *p)
{
	const struct wcp_nb_options *o = &n->o;
	naive_nb_look(n, a, p);
	naive_nb_look_for_mshr(n, p);
	bool reserves = p->waits && o->allocate == WCP_NB_ON_MISS && p->places && p->ask;
	if (!p->w && (reserves || p->does == 'k' || p->does == 't')) {
		p->room = naive_nb_choose(n, p->line, n->accepted);
		if (!p->room && p->does != 't')
			return WCP_NB_LINE;
	}
	if (!a->migrates && !naive_nb_room(n, naive_nb_messages(n, p)))
		return WCP_NB_QUEUE;
	if (p->waits && p->m && o->mshr_merges && p->m->n >= o->mshr_merges)
		return WCP_NB_MERGE;
	if (p->waits && !p->m && o->mshr_entries && naive_nb_mshrs(n) >= o->mshr_entries)
		return WCP_NB_ENTRY;
	return 0;
}

static uint8_t
naive_nb_outcome(const struct naive_plan *p)
{
	switch (p->does) {
	case 'b':
	case 't': return WCP_OUT_BYPASS;
	case 'r': return WCP_OUT_REDIRECT_MISS;
	case 'f': return WCP_OUT_FORWARD;
	default: break;
	}
	if (!p->missing)
		return WCP_OUT_HIT;
	if (!p->ask)
		return WCP_OUT_PENDING;
	return p->w || p->joins ? WCP_OUT_SECTOR : WCP_OUT_MISS;
}

static void
naive_nb_wait(struct naive_nb *n, const struct wcp_nb_access *a, struct naive_plan *p)
{
	struct naive_mshr *m = p->m;
	if (!m) {
		n->mshr = realloc(n->mshr, (n->n_mshr + 1) * sizeof *m);
		m = &n->mshr[n->n_mshr++];
		*m = (struct naive_mshr){.used = true, .line = p->line, .sector = p->want};
	}
	m->places = p->places;
	if (!p->joins) {
		m->owner = a->owner;
		m->handle = a->handle;
		m->space = a->space;
	}
	m->waiting = realloc(m->waiting, (m->n + 1) * sizeof *m->waiting);
	m->waiting[m->n++] =
	    (struct naive_waiting){a->handle, p->missing, p->does == 'w' ? p->want : 0, false, 0};
	m->asked |= p->ask;
	if (n->o.allocate == WCP_NB_ON_MISS && p->places && p->ask)
		p->w->reserved |= p->ask;
}

static void
naive_nb_send_for(struct naive_nb *n, const struct wcp_nb_access *a, const struct naive_plan *p,
    struct wcp_nb_result *r)
{
	uint8_t load = a->kind == WCP_PREFETCH ? WCP_PREFETCH : WCP_LOAD;
	if (strchr("bft", p->does))
		naive_nb_send(n, (struct wcp_nb_message){p->line, p->want, a->handle, a->owner,
				     WCP_NB_PASS, a->kind, a->space});
	else if (p->waits && p->ask && !a->migrates)
		naive_nb_send(n, (struct wcp_nb_message){p->line, p->ask, a->handle, a->owner,
				     WCP_NB_FETCH, load, a->space});
	else
		return;
	r->bits |= WCP_NB_SENT;
}

static void
naive_nb_do(struct naive_nb *n, const struct wcp_nb_access *a, struct naive_plan *p,
    struct wcp_nb_result *r)
{
	n->time++;
	r->missing = p->missing;
	r->outcome = naive_nb_outcome(p);
	if (p->does != 'b' && !p->missing)
		r->bits |= WCP_NB_PRESENT;
	if (p->w && p->does != 'r')
		p->w->last_use = p->w->tree_use = n->time;
	naive_nb_send_for(n, a, p, r);
	if (p->drops && p->w) {
		p->w->valid = p->w->dirty = 0;
		p->w->used = p->w->reserved != 0;
	}
	if (p->room) {
		naive_nb_place(
		    n, p->room, p->line, a->owner, a->space, a->handle, &r->bits, &r->victim);
		p->w = p->room;
	}
	if (p->does == 'k')
		p->w->valid |= p->want & ~a->partial;
	if (p->does == 'k' || (p->does == 'w' && !p->missing))
		p->w->dirty |= p->want;
	if (p->does == 't' && p->w)
		p->w->valid |= p->want & ~p->w->reserved;
	if (p->waits) {
		r->bits |= WCP_NB_WAITS;
		naive_nb_wait(n, a, p);
	}
}

static int
naive_nb_access(struct naive_nb *n, const struct wcp_nb_access *a, struct wcp_nb_result *r)
{
	uint64_t line_bytes = n->o.index.line_bytes, cycles = 0;
	uint32_t all = naive_nb_all(n);
	struct naive_plan p = {.does = naive_nb_does(n, a),
	    .line = a->line / line_bytes * line_bytes,
	    .want = a->sectors & all ? a->sectors & all : all};
	*r = (struct wcp_nb_result){.outcome = WCP_OUT_NONE};
	if (p.does == 'n') {
		n->accepted++;
		return 0;
	}
	if (n->o.port_bytes && a->cycle < n->data_free)
		return WCP_NB_PORT;
	int cause = naive_nb_plan(n, a, &p);
	n->refused[cause]++;
	if (cause)
		return cause;
	naive_nb_do(n, a, &p, r);
	if (n->o.port_bytes && r->bits & WCP_NB_PRESENT && r->outcome != WCP_OUT_BYPASS)
		cycles += naive_nb_cycles(n, p.want);
	if (n->o.port_bytes && r->bits & WCP_NB_DIRTY)
		cycles += naive_nb_cycles(n, r->victim.sectors);
	if (cycles)
		n->data_free = a->cycle + cycles;
	n->accepted++;
	return 0;
}

/* Sectors of one MSHR arrive; 0 or WCP_NB_QUEUE. */
static int
naive_nb_arrive(struct naive_nb *n, uint32_t at, uint32_t sectors, uint64_t cycle, uint8_t *bits,
    struct wcp_nb_victim *victim)
{
	struct naive_mshr *m = &n->mshr[at];
	struct naive_way *w = m->places ? naive_nb_find(n, m->line) : NULL;
	if (m->places && !w) {
		struct naive_way *room = naive_nb_choose(n, m->line, n->accepted - 1);
		uint8_t mine = 0;
		if (room->used && room->dirty && !naive_nb_room(n, 1))
			return WCP_NB_QUEUE;
		n->time++;
		naive_nb_place(n, room, m->line, m->owner, m->space, m->handle, &mine, victim);
		*bits |= mine;
		if (mine & WCP_NB_DIRTY && n->o.port_bytes)
			n->data_free = (n->data_free > cycle ? n->data_free : cycle) +
				       naive_nb_cycles(n, victim->sectors);
		w = room;
	}
	m->asked &= ~sectors;
	if (w) {
		w->valid |= sectors;
		w->reserved &= ~sectors;
	}
	for (uint32_t i = 0; i < m->n; i++) {
		struct naive_waiting *x = &m->waiting[i];
		if (x->done || x->lacks & m->asked)
			continue;
		x->done = true;
		x->done_at = n->done_count++;
		if (w)
			w->dirty |= x->dirties & w->valid;
	}
	return 0;
}

static int
naive_nb_fill(struct naive_nb *n, uint64_t line, uint32_t sectors, uint64_t cycle, uint8_t *bits,
    struct wcp_nb_victim *victim)
{
	uint32_t all = naive_nb_all(n), came = 0;
	int status = 0;
	*bits = 0;
	if (n->o.port_bytes && cycle < n->fill_free)
		return WCP_NB_PORT;
	sectors = sectors & all ? sectors & all : all;
	for (uint32_t s = 1; s <= all && s && !status; s <<= 1)
		for (uint32_t i = 0; i < n->n_mshr && !status; i++) {
			struct naive_mshr *m = &n->mshr[i];
			uint32_t mine = sectors & m->asked & (n->o.mshr_by_sector ? s : all);
			if (!m->used || m->line != line || !mine)
				continue;
			status = naive_nb_arrive(n, i, mine, cycle, bits, victim);
			came |= status ? 0 : mine;
		}
	if (came && n->o.port_bytes)
		n->fill_free = cycle + naive_nb_cycles(n, came);
	return status ? status : came ? 0 : WCP_EUSAGE;
}

static uint32_t
naive_nb_answers(struct naive_nb *n, uint32_t *handle, uint32_t max)
{
	uint32_t got = 0;
	while (got < max) {
		uint32_t entry = 0, at = 0;
		uint64_t first = UINT64_MAX;
		for (uint32_t i = 0; i < n->n_mshr; i++)
			for (uint32_t k = 0; k < n->mshr[i].n; k++)
				if (n->mshr[i].waiting[k].done &&
				    n->mshr[i].waiting[k].done_at < first) {
					first = n->mshr[i].waiting[k].done_at;
					entry = i;
					at = k;
				}
		if (first == UINT64_MAX)
			break;
		struct naive_mshr *m = &n->mshr[entry];
		handle[got++] = m->waiting[at].handle;
		memmove(&m->waiting[at], &m->waiting[at + 1], (--m->n - at) * sizeof *m->waiting);
		if (!m->n && !m->asked) {
			free(m->waiting);
			*m = n->mshr[--n->n_mshr];
		}
	}
	return got;
}

static inline bool
naive_nb_remove(struct naive_nb *n, uint64_t line, struct wcp_nb_victim *victim)
{
	struct naive_way *w = naive_nb_find(n, line);
	if (!w || w->reserved)
		return false;
	*victim = (struct wcp_nb_victim){line, w->dirty, w->owner, w->owner};
	w->used = false;
	return true;
}

static inline void
naive_nb_preload(struct naive_nb *n, uint64_t line, uint32_t owner)
{
	struct naive_way *w = naive_nb_find(n, line);
	n->time++;
	if (w) {
		w->last_use = w->tree_use = n->time;
	} else {
		w = naive_nb_choose(n, line, n->accepted);
		if (!w)
			return;
		*w = (struct naive_way){true, line, n->time, n->time, 0, 0, 0, owner, 0, n->time};
		w->space = WCP_SPACE_GLOBAL;
	}
	w->valid |= naive_nb_all(n) & ~w->reserved;
}

/* The dirty lines' sum of what is told. */
static inline uint64_t
naive_nb_invalidate(struct naive_nb *n)
{
	uint64_t sum = 0;
	for (uint64_t i = 0; i < n->n_way; i++) {
		struct naive_way *w = &n->way[i];
		sum += w->used && w->dirty ? w->line * 3 + w->dirty + w->owner : 0;
		w->used = w->used && w->reserved;
		w->valid = w->dirty = 0;
	}
	return sum;
}

#endif
