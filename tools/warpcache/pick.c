#include <stdlib.h>
#include <string.h>
#include "levels.h"
#include "pass.h"
#include "pick.h"

enum { AT, LINE, PLACE, SECTORS, SM, COPY, KIND, SPACE, FLAGS, OTHER };

void
pick_init(struct pick *p, bool takes_fills)
{
	memset(p, 0, sizeof *p);
	p->takes_fills = takes_fills;
}

void
pick_release(struct pick *p)
{
	for (size_t i = 0; i < sizeof p->own / sizeof *p->own; i++)
		free(p->own[i]);
}

static void
reserve(struct pick *p, uint32_t n)
{
	static const uint8_t bytes[] = {[AT] = 4,
	    [LINE] = 8,
	    [PLACE] = 8,
	    [SECTORS] = 4,
	    [SM] = 2,
	    [COPY] = 2,
	    [KIND] = 1,
	    [SPACE] = 1,
	    [FLAGS] = 2,
	    [OTHER] = 4};
	if (n > p->cap) {
		p->cap = n + n / 2;
		for (unsigned i = 0; i < sizeof bytes; i++)
			p->own[i] = must_alloc(p->own[i], (size_t)p->cap * bytes[i]);
		for (uint32_t i = 0; i < p->cap; i++)
			((uint32_t *)p->own[AT])[i] = i; /* as most batches have it */
		p->is_counted = true;
	}
	p->at = p->own[AT];
	p->line = p->own[LINE];
	p->sm = p->own[SM];
	p->other = p->own[OTHER];
	p->n = p->n_other = 0;
}

static inline bool
is_picked(const struct pick *p, uint32_t spaces, const struct wcp_access_batch *b, uint32_t at)
{
	return spaces >> (b->space[at] & 31) & 1 && (p->takes_fills || b->kind[at] != WCP_FILL);
}

/* Are all of one space that is looked up, or do they go by one? Likewise with kinds.
 */
static bool
are_picked(const struct pick *p, uint32_t spaces, const struct wcp_access_batch *b)
{
	uint8_t other_spaces = 0, fills = 0;
	uint32_t left_out = 0;
	for (uint32_t i = 0; i < b->n; i++) {
		other_spaces |= b->space[i] ^ b->space[0];
		fills |= b->kind[i] == WCP_FILL;
	}
	if (!other_spaces && (!fills || p->takes_fills))
		return !b->n || is_picked(p, spaces, b, 0);
	for (uint32_t i = 0; i < b->n; i++)
		left_out |= !is_picked(p, spaces, b, i);
	return !left_out;
}

/* Are all records picked, and beyond doubt sound: lines that begin where the level's do, no sectors
 * past their ends, an SM each? */
static bool
is_simple(const struct pick *p, const struct level *l, const struct wcp_access_batch *b)
{
	uint32_t line_bytes = l->set->cache.index.line_bytes, sectors = 0;
	uint16_t no_sm = 0;
	uint64_t lines = 0;
	for (uint32_t i = 0; i < b->n; i++) {
		lines |= b->line[i];
		sectors |= b->sectors[i];
		no_sm |= b->sm[i] == WCP_NONE16;
	}
	return !(lines & (line_bytes - 1)) &&
	       !((uint64_t)sectors >> line_bytes / WCP_SECTOR_BYTES) &&
	       (l->set->shared || !no_sm) && are_picked(p, l->set->spaces, b);
}

/* The columns are the batch's own. */
static void
pick_all(struct pick *p, const struct level *l, const struct wcp_access_batch *b)
{
	for (uint32_t i = 0; !p->is_counted && i < p->cap; i++)
		p->at[i] = i;
	p->is_counted = true;
	p->n = b->n;
	p->line = b->line;
	if (!l->set->shared)
		p->sm = b->sm;
	p->kind = b->kind;
	p->space = b->space;
	p->flags = b->flags;
}

static int
pick_some(
    struct pick *p, const struct level *l, const struct wcp_access_batch *b, struct wcp_error *e)
{
	p->is_counted = false;
	p->kind = p->own[KIND];
	p->space = p->own[SPACE];
	p->flags = p->own[FLAGS];
	for (uint32_t at = 0; at < b->n; at++) {
		if (!is_picked(p, l->set->spaces, b, at)) {
			p->other[p->n_other++] = at;
			continue;
		}
		int status = pass_check(l, b, at, e);
		if (status)
			return status;
		uint32_t i = p->n++;
		p->at[i] = at;
		p->kind[i] = b->kind[at];
		p->space[i] = b->space[at];
		p->flags[i] = b->flags[at];
	}
	return 0;
}

static void
find_lines(struct pick *p, const struct level *l, const struct wcp_access_batch *b)
{
	const struct wcp_cache_options *o = &l->set->cache;
	unsigned shift = (unsigned)__builtin_ctz(o->index.line_bytes);
	bool by_sector = o->sector_bytes && o->sector_bytes != o->index.line_bytes;
	p->sectors = by_sector ? p->own[SECTORS] : NULL;
	for (uint32_t i = 0; by_sector && i < p->n; i++)
		p->sectors[i] = level_sectors(o, b->line[p->at[i]], b->sectors[p->at[i]]);
	for (uint32_t i = 0; p->line != b->line && i < p->n; i++)
		p->line[i] = b->line[p->at[i]] >> shift << shift;
}

static void
find_caches(struct pick *p, const struct level *l, const struct wcp_slice *slice,
    const struct wcp_access_batch *b)
{
	const struct settings *s = l->set;
	p->place = p->line;
	p->copy = p->sm;
	if (s->slice.slices > 1) {
		p->place = p->own[PLACE];
		p->copy = p->own[COPY];
		wcp_slice_run(slice, p->line, p->n, p->copy, p->place);
	}
	if (s->shared) {
		memset(p->sm, 0, p->n * sizeof *p->sm);
		p->copies = s->slice.slices;
		return;
	}
	for (uint32_t i = 0; p->sm != b->sm && i < p->n; i++)
		p->sm[i] = b->sm[p->at[i]];
	uint16_t last = 0;
	for (uint32_t i = 0; i < p->n; i++)
		last = p->sm[i] > last ? p->sm[i] : last;
	if (p->n && last >= p->copies)
		p->copies = last + 1u;
}

int
pick_run(struct pick *p, const struct level *l, const struct wcp_slice *slice,
    const struct wcp_access_batch *b, struct wcp_error *e)
{
	int status = 0;
	reserve(p, b->n);
	if (is_simple(p, l, b))
		pick_all(p, l, b);
	else
		status = pick_some(p, l, b, e);
	find_lines(p, l, b);
	find_caches(p, l, slice, b);
	return status;
}
