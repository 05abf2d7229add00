/* A set's tags stand in order, the last to leave in front. */
#include <stdlib.h>
#include <string.h>
#include "warpcap/vta.h"

struct tag {
	uint64_t line; /* NO_LINE: none, and none behind it in its set */
	uint32_t evictor;
};
#define NO_LINE UINT64_MAX

struct wcp_vta {
	struct wcp_vta_options o;
	uint32_t sets; /* of a key */
	uint32_t line_shift;
	struct tag *tag; /* [keys][sets][ways] */
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
	if (v)
		free(v->tag);
	free(v);
}

static void
empty(struct wcp_vta *v, uint64_t first, uint64_t n)
{
	for (uint64_t i = first; i < n; i++)
		v->tag[i].line = NO_LINE;
}

int
wcp_vta_grow(struct wcp_vta *v, uint32_t keys, struct wcp_error *e)
{
	uint64_t had = (uint64_t)v->o.keys * v->o.entries, n = (uint64_t)keys * v->o.entries;
	if (keys <= v->o.keys)
		return 0;
	struct tag *tag = realloc(v->tag, n * sizeof *tag);
	if (!tag)
		return wcp_fail(e, WCP_ESYS, "no memory for %u victim tag arrays", keys);
	v->tag = tag;
	v->o.keys = keys;
	empty(v, had, n);
	return 0;
}

static struct tag *
set_of(const struct wcp_vta *v, uint32_t key, uint64_t line)
{
	uint64_t set = v->sets > 1 ? (line >> v->line_shift) % v->sets : 0;
	return v->tag + ((uint64_t)key * v->sets + set) * v->o.ways;
}

/* Where the line stands in its set, or where the set's tags end. */
static uint32_t
find(const struct wcp_vta *v, const struct tag *set, uint64_t line)
{
	uint32_t at = 0;
	while (at < v->o.ways && set[at].line != line && set[at].line != NO_LINE)
		at++;
	return at;
}

static void
to_front(struct tag *set, uint32_t at, struct tag tag)
{
	memmove(set + 1, set, at * sizeof *set);
	set[0] = tag;
}

void
wcp_vta_insert(struct wcp_vta *v, uint32_t key, uint64_t line, uint32_t evictor)
{
	struct tag *set = set_of(v, key, line);
	uint32_t at = find(v, set, line);
	to_front(set, at < v->o.ways ? at : v->o.ways - 1, (struct tag){line, evictor});
}

bool
wcp_vta_probe(struct wcp_vta *v, uint32_t key, uint64_t line, uint32_t *evictor)
{
	struct tag *set = set_of(v, key, line);
	uint32_t at = find(v, set, line);
	if (at == v->o.ways || set[at].line == NO_LINE)
		return false;
	if (evictor)
		*evictor = set[at].evictor;
	if (v->o.removes_hit) {
		memmove(set + at, set + at + 1, (v->o.ways - at - 1) * sizeof *set);
		set[v->o.ways - 1].line = NO_LINE;
	} else if (v->o.order == WCP_VTA_LRU) {
		to_front(set, at, set[at]);
	}
	return true;
}

void
wcp_vta_clear_key(struct wcp_vta *v, uint32_t key)
{
	uint64_t first = (uint64_t)key * v->o.entries;
	empty(v, first, first + v->o.entries);
}

void
wcp_vta_clear(struct wcp_vta *v)
{
	empty(v, 0, (uint64_t)v->o.keys * v->o.entries);
}
