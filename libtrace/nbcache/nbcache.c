#include <stdlib.h>
#include <string.h>
#include "nbcache/model.h"

const char *
wcp_nb_fail_name(enum wcp_nb_fail fail)
{
	static const char *const name[] = {
	    "none", "port", "line", "miss_queue", "mshr_merge", "mshr_entry"};
	return (unsigned)fail < WCP_NB_FAIL_COUNT ? name[fail] : "?";
}

/* ---- what each access does ------------------------------------------------------------------ */

static struct nb_action
kept(const struct wcp_nb_options *o, enum wcp_access_kind kind, enum wcp_write_policy write)
{
	bool fetches = kind != WCP_WRITEBACK && (kind != WCP_STORE || write == WCP_WRITE_BACK);
	return (struct nb_action){.op = fetches ? OP_FETCH : OP_KEEP,
	    .dirties = true,
	    .around = kind == WCP_STORE && o->store_around,
	    .places = true};
}

static struct nb_action
looked_up(const struct wcp_nb_options *o, enum wcp_access_kind kind, enum wcp_write_policy write)
{
	bool keeps = write == WCP_WRITE_BACK || write == WCP_WRITE_VALIDATE;
	switch (kind) {
	case WCP_LOAD:
	case WCP_PREFETCH: return (struct nb_action){.op = OP_FETCH, .places = true};
	case WCP_STORE:
		if (keeps)
			return kept(o, kind, write);
		return (struct nb_action){.op = OP_FORWARD, .drops = write == WCP_WRITE_EVICT};
	case WCP_ATOMIC:
	case WCP_REDUCE:
		return keeps ? kept(o, kind, write)
			     : (struct nb_action){.op = OP_FORWARD, .drops = true};
	case WCP_WRITEBACK:
		return keeps ? kept(o, kind, write) : (struct nb_action){.op = OP_FORWARD};
	case WCP_FILL:
	case WCP_KIND_COUNT: break;
	}
	return (struct nb_action){.op = OP_NONE};
}

static struct nb_action
routed(enum wcp_nb_route route, enum wcp_access_kind kind, struct nb_action a)
{
	bool reads = kind == WCP_LOAD || kind == WCP_PREFETCH;
	if (a.op == OP_NONE || route == WCP_NB_LOOKUP)
		return a;
	if (route == WCP_NB_NO_PLACE) {
		a.around = a.dirties;
		a.places = false;
		return a;
	}
	a = (struct nb_action){.op = OP_BYPASS};
	if (reads && route == WCP_NB_TAGS)
		a.op = OP_TAGS;
	if (reads && route == WCP_NB_REDIRECT)
		a.op = OP_REDIRECT;
	return a;
}

static void
fill_actions(struct wcp_nbcache *c)
{
	for (unsigned i = 0; i < ACTIONS; i++) {
		enum wcp_access_kind kind = (enum wcp_access_kind)(i & 7);
		bool bypass =
		    i & WCP_NBPLAY_UNCACHED && c->o.bypass_uncached && kind < WCP_WRITEBACK;
		struct nb_action a = looked_up(
		    &c->o, kind, i & WCP_NBPLAY_LOCAL ? c->o.local_write : c->o.global_write);
		for (unsigned route = 0; route < WCP_NB_ROUTE_COUNT; route++) {
			struct nb_action *to = &c->action[route][i];
			*to = routed((enum wcp_nb_route)route, kind, a);
			if (bypass && route != WCP_NB_REDIRECT)
				*to = (struct nb_action){.op = OP_BYPASS};
		}
	}
}

/* ---- a new one ------------------------------------------------------------------------------ */

static bool
writes_back(enum wcp_write_policy w)
{
	return w == WCP_WRITE_BACK || w == WCP_WRITE_VALIDATE;
}

static int
check(const struct wcp_nb_options *o, struct wcp_error *e)
{
	uint32_t line = o->index.line_bytes, sector = o->sector_bytes ? o->sector_bytes : line;
	bool dirty = writes_back(o->global_write) || writes_back(o->local_write);
	if (o->ways > 1u << 24)
		return wcp_fail(e, WCP_EUSAGE, "a set cannot have %u ways", o->ways);
	if (sector & (sector - 1) || sector > line || line / sector > 32)
		return wcp_fail(e, WCP_EUSAGE,
		    "sectors of %u bytes do not divide a line of %u bytes into 1 to 32", sector,
		    line);
	if (o->replacement == WCP_OPT)
		return wcp_fail(e, WCP_EUSAGE, "replacement opt is not known with time");
	if (o->replacement == WCP_PLRU && (o->ways & (o->ways - 1) || o->ways > TAGS_SMALL_WAYS))
		return wcp_fail(e, WCP_EUSAGE,
		    "replacement plru needs a power of two of ways up to %d, not %u",
		    TAGS_SMALL_WAYS, o->ways);
	if ((unsigned)o->replacement >= WCP_REPLACEMENT_COUNT ||
	    (unsigned)o->global_write >= WCP_WRITE_COUNT ||
	    (unsigned)o->local_write >= WCP_WRITE_COUNT || (unsigned)o->allocate > WCP_NB_ON_FILL)
		return wcp_fail(
		    e, WCP_EUSAGE, "replacement, write or allocation policy does not exist");
	if (o->miss_queue == 1 && (dirty || o->worst_case_room))
		return wcp_fail(
		    e, WCP_EUSAGE, "a miss queue of 1 cannot take the two messages of one access");
	return 0;
}

static int
start(struct wcp_nbcache *c, const struct wcp_nb_options *o, struct wcp_error *e)
{
	c->o = *o;
	if (!o->ways) /* sets mean nothing: any function and number will do */
		c->o.index = (struct wcp_index_options){
		    .sets = 1, .line_bytes = o->index.line_bytes, .kind = WCP_INDEX_MODULO};
	if (wcp_setindex_init(&c->index, &c->o.index, e) || check(o, e) ||
	    tags_init(&c->tags, &c->o, e))
		return WCP_EUSAGE;
	c->sector_bytes = o->sector_bytes ? o->sector_bytes : o->index.line_bytes;
	c->sectors = o->index.line_bytes / c->sector_bytes;
	c->all_sectors = c->tags.all_sectors = UINT32_MAX >> (32 - c->sectors);
	c->on_miss = o->allocate == WCP_NB_ON_MISS;
	c->is_modulo = c->o.index.kind == WCP_INDEX_MODULO && !(c->tags.sets & (c->tags.sets - 1));
	c->is_plain = !c->tags.is_big && o->replacement != WCP_PLRU;
	c->direct = c->on_miss && !o->mshr_by_sector;
	c->is_unlimited = !o->miss_queue || !o->ways;
	c->queue.limit = o->miss_queue ? o->miss_queue : UINT32_MAX;
	for (uint32_t i = 0; o->port_bytes && i <= c->sectors; i++)
		c->port_cycles[i] =
		    (uint32_t)(((uint64_t)i * c->sector_bytes + o->port_bytes - 1) / o->port_bytes);
	fill_actions(c);
	if (mshrs_init(&c->mshrs, o->mshr_entries, o->mshr_merges) || nb_queue_grow(&c->queue))
		return wcp_fail(e, WCP_ESYS, "no memory for a cache");
	return 0;
}

struct wcp_nbcache *
wcp_nbcache_new(const struct wcp_nb_options *o, struct wcp_error *e)
{
	struct wcp_nbcache *c = calloc(1, sizeof *c);
	if (!c) {
		wcp_fail(e, WCP_ESYS, "no memory for a cache");
		return NULL;
	}
	if (start(c, o, e)) {
		wcp_nbcache_free(c);
		return NULL;
	}
	return c;
}

void
wcp_nbcache_free(struct wcp_nbcache *c)
{
	if (!c)
		return;
	tags_release(&c->tags);
	mshrs_release(&c->mshrs);
	free(c->queue.message);
	free(c);
}

uint64_t
nb_set_slow(const struct wcp_nbcache *c, uint64_t number)
{
	uint64_t set;
	wcp_setindex_run(&c->index, &number, 1, &set);
	return set;
}

/* ---- the miss queue -------------------------------------------------------------------------- */

int
nb_queue_grow(struct nb_queue *q)
{
	enum { START = 16 };
	uint32_t n = q->message ? (q->mask + 1) * 2 : START;
	struct wcp_nb_message *m = n > 1u << 30 ? NULL : malloc(n * sizeof *m);
	if (!m)
		return WCP_ESYS;
	for (uint32_t i = 0; q->message && i < q->n; i++)
		m[i] = q->message[(q->first + i) & q->mask];
	free(q->message);
	q->message = m;
	q->mask = n - 1;
	q->first = 0;
	return 0;
}

bool
wcp_nbcache_pop(struct wcp_nbcache *c, struct wcp_nb_message *m)
{
	struct nb_queue *q = &c->queue;
	if (!q->n)
		return false;
	*m = q->message[q->first & q->mask];
	q->first++;
	q->n--;
	return true;
}

uint32_t
wcp_nbcache_queued(const struct wcp_nbcache *c)
{
	return c->queue.n;
}

/* ---- evictions ------------------------------------------------------------------------------ */

uint8_t
nb_evict(
    struct wcp_nbcache *c, uint64_t set, uint32_t place, uint32_t evictor, struct wcp_nb_victim *v)
{
	const struct tags_line *l = &c->tags.line[place];
	uint8_t space = c->tags.space[place];
	*v = (struct wcp_nb_victim){l->number << c->index.line_shift, l->dirty, l->owner, evictor};
	tags_drop(&c->tags, set, place);
	c->counts.evictions++;
	return space;
}

void
nb_write_back(struct wcp_nbcache *c, const struct wcp_nb_victim *v, uint8_t space, uint32_t handle)
{
	c->counts.write_backs++;
	struct wcp_nb_message *m = nb_push(c);
	m->line = v->line;
	m->sectors = v->sectors;
	m->handle = handle;
	m->owner = v->owner;
	m->type = WCP_NB_WRITE_BACK;
	m->kind = WCP_WRITEBACK;
	m->space = space;
}
