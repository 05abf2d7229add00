/* A set's tags stand in a ring, in order: from the first, the last to leave, on, in all used. All
 * of a set is in one piece of memory. */
#include <stdlib.h>
#include <string.h>
#include "warpcap/vta.h"

struct ring {
	uint32_t first, used;
	/* evictor[ways], and from an even place on line[ways] follow */
};

struct wcp_vta {
	struct wcp_vta_options o;
	uint32_t sets; /* of a key */
	uint32_t line_shift;
	size_t line_at, set_bytes; /* where line[] begins, and the next set */
	char *set;		   /* [keys][sets] of set_bytes */
};

static inline struct ring *
ring_at(const struct wcp_vta *v, uint64_t set)
{
	return (struct ring *)(void *)(v->set + set * v->set_bytes);
}

static inline uint32_t *
evictors(struct ring *r)
{
	return (uint32_t *)(void *)(r + 1);
}

static inline uint64_t *
lines(const struct wcp_vta *v, struct ring *r)
{
	return (uint64_t *)(void *)((char *)r + v->line_at);
}

static int
check(const struct wcp_vta_options *o, struct wcp_error *e)
{
	uint32_t ways = o->ways ? o->ways : o->entries;
	if (!o->keys)
		return wcp_fail(e, WCP_EUSAGE, "a victim tag array of no keys");
	if (!o->entries || o->entries > 65536 || o->entries % ways)
		return wcp_fail(e, WCP_EUSAGE,
		    "a victim tag array cannot have %u tags in sets of %u", o->entries, ways);
	if (!o->line_bytes || o->line_bytes & (o->line_bytes - 1))
		return wcp_fail(
		    e, WCP_EUSAGE, "a line of %u bytes is no power of two", o->line_bytes);
	return 0;
}

struct wcp_vta *
wcp_vta_new(const struct wcp_vta_options *o, struct wcp_error *e)
{
	if (check(o, e))
		return NULL;
	struct wcp_vta *v = calloc(1, sizeof *v);
	if (!v) {
		wcp_fail(e, WCP_ESYS, "no memory for a victim tag array");
		return NULL;
	}
	v->o = *o;
	v->o.ways = o->ways ? o->ways : o->entries;
	v->sets = o->entries / v->o.ways;
	v->line_shift = (uint32_t)__builtin_ctz(o->line_bytes);
	v->line_at = (sizeof(struct ring) + v->o.ways * sizeof(uint32_t) + 7) & ~(size_t)7;
	v->set_bytes = (v->line_at + v->o.ways * sizeof(uint64_t) + 63) & ~(size_t)63;
	v->o.keys = 0;
	if (wcp_vta_grow(v, o->keys, e)) {
		wcp_vta_free(v);
		return NULL;
	}
	return v;
}

void
wcp_vta_free(struct wcp_vta *v)
{
	if (v)
		free(v->set);
	free(v);
}

static void
empty(struct wcp_vta *v, uint64_t first, uint64_t end)
{
	for (uint64_t set = first; set < end; set++)
		*ring_at(v, set) = (struct ring){0};
}

int
wcp_vta_grow(struct wcp_vta *v, uint32_t keys, struct wcp_error *e)
{
	uint64_t had = (uint64_t)v->o.keys * v->sets, n = (uint64_t)keys * v->sets;
	if (keys <= v->o.keys)
		return 0;
	char *grown = n < SIZE_MAX / v->set_bytes ? aligned_alloc(64, n * v->set_bytes) : NULL;
	if (!grown)
		return wcp_fail(e, WCP_ESYS, "no memory for %u victim tag arrays", keys);
	/* Of a large set without tags the memory stays untouched. */
	for (uint64_t at = 0; at < had * v->set_bytes; at += v->set_bytes)
		if (((const struct ring *)(const void *)(v->set + at))->used)
			memcpy(grown + at, v->set + at, v->set_bytes);
		else
			memset(grown + at, 0, sizeof(struct ring));
	free(v->set);
	v->set = grown;
	v->o.keys = keys;
	empty(v, had, n);
	return 0;
}

static struct ring *
ring_of(const struct wcp_vta *v, uint32_t key, uint64_t line)
{
	uint64_t set = v->sets > 1 ? (line >> v->line_shift) % v->sets : 0;
	return ring_at(v, (uint64_t)key * v->sets + set);
}

/* Where the i-th of a set's tags stands. */
static uint32_t
place(const struct wcp_vta *v, const struct ring *r, uint32_t i)
{
	uint32_t at = r->first + i;
	return at < v->o.ways ? at : at - v->o.ways;
}

/* Which of the set's tags the line is; used: none. */
static inline uint32_t
find(const struct wcp_vta *v, struct ring *r, uint64_t line)
{
	const uint64_t *tag = lines(v, r);
	uint32_t ways = v->o.ways, at = 0;
	if (r->used < ways) { /* only some are tags */
		while (at < r->used && tag[place(v, r, at)] != line)
			at++;
		return at;
	}
	while (at < ways && tag[at] != line)
		at++;
	return at == ways ? ways : at >= r->first ? at - r->first : at + ways - r->first;
}

/* The tags from one to another, which goes, move a place on; the first place is free then. */
static void
move_on(const struct wcp_vta *v, struct ring *r, uint32_t to)
{
	uint64_t *line = lines(v, r);
	uint32_t *evictor = evictors(r);
	for (uint32_t i = to; i > 0; i--) {
		uint32_t at = place(v, r, i), from = place(v, r, i - 1);
		line[at] = line[from];
		evictor[at] = evictor[from];
	}
}

static void
put_first(const struct wcp_vta *v, struct ring *r, uint64_t line, uint32_t evictor)
{
	lines(v, r)[r->first] = line;
	evictors(r)[r->first] = evictor;
}

static void
insert_new(const struct wcp_vta *v, struct ring *r, uint64_t line, uint32_t evictor)
{
	r->first = (r->first ? r->first : v->o.ways) - 1;
	r->used += r->used < v->o.ways;
	put_first(v, r, line, evictor);
}

void
wcp_vta_insert_new(struct wcp_vta *v, uint32_t key, uint64_t line, uint32_t evictor)
{
	insert_new(v, ring_of(v, key, line), line, evictor);
}

bool
wcp_vta_insert(struct wcp_vta *v, uint32_t key, uint64_t line, uint32_t evictor)
{
	struct ring *r = ring_of(v, key, line);
	uint32_t at = find(v, r, line);
	if (at == r->used) {
		insert_new(v, r, line, evictor);
		return true;
	}
	move_on(v, r, at);
	put_first(v, r, line, evictor);
	return false;
}

bool
wcp_vta_probe(struct wcp_vta *v, uint32_t key, uint64_t line, uint32_t *evictor)
{
	struct ring *r = ring_of(v, key, line);
	uint32_t at = find(v, r, line);
	if (at == r->used)
		return false;
	uint32_t by = evictors(r)[place(v, r, at)];
	if (evictor)
		*evictor = by;
	if (v->o.removes_hit) {
		move_on(v, r, at);
		r->first = place(v, r, 1);
		r->used--;
	} else if (v->o.order == WCP_VTA_LRU) {
		move_on(v, r, at);
		put_first(v, r, line, by);
	}
	return true;
}

void
wcp_vta_clear_key(struct wcp_vta *v, uint32_t key)
{
	empty(v, (uint64_t)key * v->sets, (key + 1ull) * v->sets);
}

void
wcp_vta_clear(struct wcp_vta *v)
{
	empty(v, 0, (uint64_t)v->o.keys * v->sets);
}
