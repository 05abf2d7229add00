/* A set's tags stand in a ring, in order: from the first, the last to leave, on, in all used. */
#include <stdlib.h>
#include <string.h>
#include "warpcap/vta.h"

struct ring {
	uint32_t first, used;
};

struct wcp_vta {
	struct wcp_vta_options o;
	uint32_t sets; /* of a key */
	uint32_t line_shift;
	struct ring *ring; /* [keys][sets] */
	uint64_t *line;	   /* [keys][sets][ways] */
	uint32_t *evictor; /* likewise */
};

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
	if (v) {
		free(v->ring);
		free(v->line);
		free(v->evictor);
	}
	free(v);
}

static bool
grow(void *array, uint64_t n, size_t bytes)
{
	void **at = array, *grown = realloc(*at, n * bytes);
	*at = grown ? grown : *at;
	return grown;
}

static void
empty(struct wcp_vta *v, uint64_t first, uint64_t end)
{
	memset(v->ring + first, 0, (end - first) * sizeof *v->ring);
}

int
wcp_vta_grow(struct wcp_vta *v, uint32_t keys, struct wcp_error *e)
{
	uint64_t had = (uint64_t)v->o.keys * v->sets, n = (uint64_t)keys * v->sets;
	if (keys <= v->o.keys)
		return 0;
	if (!grow(&v->ring, n, sizeof *v->ring) ||
	    !grow(&v->line, n * v->o.ways, sizeof *v->line) ||
	    !grow(&v->evictor, n * v->o.ways, sizeof *v->evictor))
		return wcp_fail(e, WCP_ESYS, "no memory for %u victim tag arrays", keys);
	v->o.keys = keys;
	empty(v, had, n);
	return 0;
}

static uint64_t
set_of(const struct wcp_vta *v, uint32_t key, uint64_t line)
{
	uint64_t set = v->sets > 1 ? (line >> v->line_shift) % v->sets : 0;
	return (uint64_t)key * v->sets + set;
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
find(const struct wcp_vta *v, const struct ring *r, const uint64_t *tag, uint64_t line)
{
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
move_on(struct wcp_vta *v, uint64_t set, uint32_t to)
{
	const struct ring *r = &v->ring[set];
	uint64_t *line = v->line + set * v->o.ways;
	uint32_t *evictor = v->evictor + set * v->o.ways;
	for (uint32_t i = to; i > 0; i--) {
		uint32_t at = place(v, r, i), from = place(v, r, i - 1);
		line[at] = line[from];
		evictor[at] = evictor[from];
	}
}

static void
put_first(struct wcp_vta *v, uint64_t set, uint64_t line, uint32_t evictor)
{
	uint64_t at = set * v->o.ways + v->ring[set].first;
	v->line[at] = line;
	v->evictor[at] = evictor;
}

static void
insert_new(struct wcp_vta *v, uint64_t set, uint64_t line, uint32_t evictor)
{
	struct ring *r = &v->ring[set];
	r->first = (r->first ? r->first : v->o.ways) - 1;
	r->used += r->used < v->o.ways;
	put_first(v, set, line, evictor);
}

void
wcp_vta_insert_new(struct wcp_vta *v, uint32_t key, uint64_t line, uint32_t evictor)
{
	insert_new(v, set_of(v, key, line), line, evictor);
}

bool
wcp_vta_insert(struct wcp_vta *v, uint32_t key, uint64_t line, uint32_t evictor)
{
	uint64_t set = set_of(v, key, line);
	const struct ring *r = &v->ring[set];
	uint32_t at = find(v, r, v->line + set * v->o.ways, line);
	if (at == r->used) {
		insert_new(v, set, line, evictor);
		return true;
	}
	move_on(v, set, at);
	put_first(v, set, line, evictor);
	return false;
}

bool
wcp_vta_probe(struct wcp_vta *v, uint32_t key, uint64_t line, uint32_t *evictor)
{
	uint64_t set = set_of(v, key, line), tags = set * v->o.ways;
	struct ring *r = &v->ring[set];
	uint32_t at = find(v, r, v->line + tags, line);
	if (at == r->used)
		return false;
	uint32_t by = v->evictor[tags + place(v, r, at)];
	if (evictor)
		*evictor = by;
	if (v->o.removes_hit) {
		move_on(v, set, at);
		r->first = place(v, r, 1);
		r->used--;
	} else if (v->o.order == WCP_VTA_LRU) {
		move_on(v, set, at);
		put_first(v, set, line, by);
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
