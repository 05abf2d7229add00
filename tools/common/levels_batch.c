/* From batches of records to what an L1D is asked for. */
#include <stdlib.h>
#include "levels.h"

enum { SPACES = 1u << WCP_SPACE_GLOBAL | 1u << WCP_SPACE_LOCAL };

void
level_pick_init(struct level_pick *p, uint32_t kinds)
{
	*p = (struct level_pick){.kinds = kinds};
	wcp_access_batch_init(&p->batch);
}

void
level_pick_release(struct level_pick *p)
{
	wcp_access_batch_release(&p->batch);
	free(p->index);
}

static inline bool
is_wanted(const struct level_pick *p, const struct wcp_access_batch *b, uint32_t i)
{
	return (SPACES >> (b->space[i] & 31)) & (p->kinds >> (b->kind[i] & 31)) & 1;
}

const struct wcp_access_batch *
level_pick(struct level_pick *p, const struct wcp_access_batch *b, struct wcp_error *e)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < b->n; i++)
		n += is_wanted(p, b, i);
	if (n == b->n)
		return b;
	if (b->n > p->cap_index) {
		p->cap_index = b->n;
		p->index = must_alloc(p->index, b->n * sizeof *p->index);
	}
	n = 0;
	for (uint32_t i = 0; i < b->n; i++) {
		p->index[n] = i;
		n += is_wanted(p, b, i);
	}
	p->others += b->n - n;
	wcp_access_batch_clear(&p->batch);
	if (wcp_access_batch_gather(&p->batch, b, p->index, n) < 0) {
		wcp_fail(e, WCP_ESYS, "out of memory");
		return NULL;
	}
	return &p->batch;
}

/* Do all begin where the cache's lines do, and end there? */
static bool
all_hold(
    const struct wcp_cache_options *o, const struct wcp_access_batch *b, uint32_t first, uint32_t n)
{
	uint64_t low = 0;
	uint32_t sectors = 0;
	bool nowhere = false;
	for (uint32_t at = first; at < first + n; at++) {
		low |= b->line[at];
		sectors |= b->sectors[at];
		nowhere |= b->sm[at] == WCP_NONE16;
	}
	return !nowhere && !(low & (o->index.line_bytes - 1)) && level_holds(o, 0, sectors);
}

uint32_t
level_check(const struct wcp_cache_options *o, const struct wcp_access_batch *b, uint32_t first,
    uint32_t n, struct wcp_error *e)
{
	if (all_hold(o, b, first, n))
		return n;
	for (uint32_t i = 0; i < n; i++) {
		if (b->sm[first + i] == WCP_NONE16) {
			wcp_fail(e, WCP_EDATA,
			    "an access of no SM: pipe the stream through warpflat --sms N");
			return i;
		}
		if (!level_holds(o, b->line[first + i], b->sectors[first + i])) {
			wcp_fail(e, WCP_EUSAGE,
			    "the stream's lines are longer than %u bytes: give warpflat the same "
			    "--line",
			    o->index.line_bytes);
			return i;
		}
	}
	return n;
}

uint32_t
level_all_sectors(const struct wcp_cache_options *o)
{
	uint32_t bytes = o->sector_bytes ? o->sector_bytes : o->index.line_bytes;
	return UINT32_MAX >> (32 - o->index.line_bytes / bytes);
}

void
level_lines(const struct wcp_cache_options *o, const struct wcp_access_batch *b, uint32_t first,
    uint32_t n, uint64_t *line, uint32_t *sectors)
{
	uint64_t mask = ~(uint64_t)(o->index.line_bytes - 1);
	uint32_t all = level_all_sectors(o);
	for (uint32_t i = 0; i < n; i++)
		line[i] = b->line[first + i] & mask;
	for (uint32_t i = 0; all != 1 && i < n; i++) {
		uint32_t wanted = level_sectors(o, b->line[first + i], b->sectors[first + i]);
		sectors[i] = wanted ? wanted : all;
	}
}
