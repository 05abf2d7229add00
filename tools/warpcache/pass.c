#include <stdio.h>
#include <stdlib.h>
#include "levels.h"
#include "pass.h"

#define OWNER_SPACE_SHIFT 24

static void
must(int status)
{
	if (status)
		out_of_memory();
}

uint32_t
pass_owner(const struct wcp_access_batch *b, uint32_t at)
{
	uint32_t who = b->slot[at] != WCP_NONE16 ? b->slot[at] : b->warp[at];
	return who | (uint32_t)b->space[at] << OWNER_SPACE_SHIFT;
}

void
pass_record(struct wcp_access_batch *out, const struct wcp_access_batch *in, uint32_t at)
{
	must(wcp_access_batch_append(out, in, at, 1));
}

void
pass_outcome(const struct level *l, struct wcp_access_batch *out, const struct wcp_access_batch *in,
    uint32_t at, const struct pass_result *r)
{
	unsigned outcome = r->result & WCP_CACHE_OUTCOME, shift = 4 * l->set->level;
	pass_record(out, in, at);
	uint32_t i = out->n - 1;
	out->outcome[i] = (out->outcome[i] & ~(15u << shift)) | outcome << shift;
	out->flags[i] &= (uint16_t)~WCP_ACCESS_DIRTY;
	out->victim[i] = ~0ull;
	out->victim_owner[i] = WCP_NONE32;
	if (r->result & WCP_CACHE_VICTIM) {
		out->victim[i] = r->victim;
		out->victim_owner[i] = r->victim_owner & PASS_OWNER_WARP;
	}
	if (r->result & WCP_CACHE_DIRTY)
		out->flags[i] |= WCP_ACCESS_DIRTY;
}

void
pass_miss(const struct level *l, struct wcp_access_batch *out, const struct wcp_access_batch *in,
    uint32_t at, uint64_t line, const struct pass_result *r)
{
	unsigned outcome = r->result & WCP_CACHE_OUTCOME;
	pass_outcome(l, out, in, at, r);
	if (outcome != WCP_OUT_MISS && outcome != WCP_OUT_SECTOR)
		return;
	uint32_t i = out->n - 1, sectors = level_stream_sectors(&l->set->cache, r->missing);
	out->line[i] = line;
	out->sectors[i] = sectors;
	out->bytes[i] = (uint16_t)(__builtin_popcount(sectors) * WCP_SECTOR_BYTES);
	if (out->kind[i] != WCP_PREFETCH)
		out->kind[i] = WCP_LOAD;
}

void
pass_fill(struct level *l, struct wcp_access_batch *out, const struct wcp_access_batch *in,
    uint32_t at, uint64_t line, uint32_t sectors)
{
	pass_record(out, in, at);
	uint32_t i = out->n - 1;
	out->line[i] = line;
	out->sectors[i] = level_stream_sectors(&l->set->cache, sectors);
	out->bytes[i] = (uint16_t)(__builtin_popcount(out->sectors[i]) * WCP_SECTOR_BYTES);
	out->kind[i] = WCP_FILL;
	out->flags[i] = WCP_ACCESS_FIRST;
	out->id[i] = level_new_id(l);
	out->outcome[i] = 0;
	out->victim[i] = ~0ull;
	out->victim_owner[i] = WCP_NONE32;
}

void
pass_write_back(struct level *l, struct wcp_access_batch *o, const struct wcp_cache_line *line,
    uint64_t cycle, uint32_t kernel)
{
	must(wcp_access_batch_reserve(o, 1));
	uint32_t i = o->n++, sectors = level_stream_sectors(&l->set->cache, line->sectors);
	o->cycle[i] = cycle;
	o->sm[i] = l->set->shared ? WCP_NONE16 : (uint16_t)line->copy;
	o->kernel[i] = kernel;
	o->cta[i] = o->pc[i] = WCP_NONE32;
	o->warp[i] = o->slot[i] = WCP_NONE16;
	o->line[i] = line->line;
	o->sectors[i] = sectors;
	o->lanes[i] = 0;
	o->kind[i] = WCP_WRITEBACK;
	o->space[i] = (uint8_t)(line->owner >> OWNER_SPACE_SHIFT);
	o->flags[i] = WCP_ACCESS_FIRST;
	o->id[i] = level_new_id(l);
	o->outcome[i] = 0;
	o->tag[i] = 0;
	o->victim[i] = ~0ull;
	o->victim_owner[i] = WCP_NONE32;
	o->bytes[i] = (uint16_t)(__builtin_popcount(sectors) * WCP_SECTOR_BYTES);
}

int
pass_check(
    const struct level *l, const struct wcp_access_batch *b, uint32_t at, struct wcp_error *e)
{
	uint32_t line_bytes = l->set->cache.index.line_bytes;
	if (!level_holds(&l->set->cache, b->line[at], b->sectors[at]))
		return wcp_fail(e, WCP_EUSAGE,
		    "the stream's lines are longer than %u bytes: give warpflat the same --line",
		    line_bytes);
	if (!l->set->shared && b->sm[at] == WCP_NONE16)
		return wcp_fail(
		    e, WCP_EUSAGE, "an access of no SM has no private cache: use --shared");
	return 0;
}
