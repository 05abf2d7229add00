/* Runs of accesses, in chunks, and what is counted. */
#include <string.h>
#include "cache/policy.h"

uint32_t
wcp_cache_copies(const struct wcp_cache *c)
{
	return c->o.copies;
}

const struct wcp_setindex *
wcp_cache_index(const struct wcp_cache *c)
{
	return &c->index;
}

/* A set's tags, as far as they are looked at often. */
static inline void
prefetch(const uint64_t *tag, uint32_t stride)
{
	__builtin_prefetch(tag, 1);
	if (stride > 8)
		__builtin_prefetch(tag + 8, 1);
}

/* Sets count through all copies; the sets' tags are fetched ahead where they are more than a cache
 * holds. */
static void
find_sets(const struct wcp_cache *c, const struct wcp_cache_batch *in, size_t first,
    struct cache_chunk *k)
{
	for (size_t i = 0; i < k->n; i++)
		k->number[i] = in->line[first + i] >> c->index.line_shift;
	if (in->place) {
		for (size_t i = 0; i < k->n; i++)
			k->set[i] = in->place[first + i] >> c->index.line_shift;
		wcp_setindex_run(&c->index, k->set, k->n, k->set);
	} else {
		wcp_setindex_run(&c->index, k->number, k->n, k->set);
	}
	if (in->copy)
		for (size_t i = 0; i < k->n; i++)
			k->set[i] += in->copy[first + i] * c->index.options.sets;
	if (cache_places(c, c->o.copies) * sizeof *c->tag > 1 << 17)
		for (size_t i = 0; i < k->n; i++)
			prefetch(c->tag + k->set[i] * c->stride, c->stride);
}

static void
find_actions(const struct wcp_cache_batch *in, size_t first, struct cache_chunk *k)
{
	memset(k->action, WCP_LOAD, k->n);
	for (size_t i = 0; in->kind && i < k->n; i++)
		k->action[i] = in->kind[first + i] & 7;
	for (size_t i = 0; in->space && i < k->n; i++)
		k->action[i] |= in->space[first + i] == WCP_SPACE_LOCAL ? CACHE_LOCAL : 0;
	for (size_t i = 0; in->flags && i < k->n; i++)
		k->action[i] |= in->flags[first + i] & WCP_ACCESS_UNCACHED ? CACHE_UNCACHED : 0;
}

void
wcp_cache_run(
    struct wcp_cache *c, const struct wcp_cache_batch *in, const struct wcp_cache_result *out)
{
	static const struct wcp_cache_result nowhere;
	struct cache_chunk k;
	out = out ? out : &nowhere;
	for (size_t first = 0; first < in->n; first += k.n) {
		k.n = in->n - first < CACHE_CHUNK ? in->n - first : CACHE_CHUNK;
		k.sectors = in->sectors ? in->sectors + first : NULL;
		k.owner = in->owner ? in->owner + first : NULL;
		k.next = c->o.replacement == WCP_OPT ? in->next + first : NULL;
		k.out.result = out->result ? out->result + first : NULL;
		k.out.victim = out->victim ? out->victim + first : NULL;
		k.out.missing = out->missing ? out->missing + first : NULL;
		k.out.victim_sectors = out->victim_sectors ? out->victim_sectors + first : NULL;
		k.out.victim_owner = out->victim_owner ? out->victim_owner + first : NULL;
		find_sets(c, in, first, &k);
		find_actions(in, first, &k);
		c->policy->run(c, &k);
	}
}

const struct wcp_cache_counts *
wcp_cache_counts(const struct wcp_cache *c)
{
	return &c->counts;
}

uint64_t
wcp_cache_hits(const struct wcp_cache_counts *counts)
{
	uint64_t n = 0;
	for (unsigned r = 0; r < 256; r++)
		n += r & WCP_CACHE_PRESENT ? counts->result[r] : 0;
	return n;
}

uint64_t
wcp_cache_accesses(const struct wcp_cache_counts *counts)
{
	uint64_t n = 0;
	for (unsigned r = 0; r < 256; r++) {
		unsigned outcome = r & WCP_CACHE_OUTCOME;
		n += outcome != WCP_OUT_NONE && outcome != WCP_OUT_BYPASS ? counts->result[r] : 0;
	}
	return n;
}

/* The dirty sectors of the line at a place, taken off. */
static uint32_t
dirty_at(const struct wcp_cache *c, uint64_t at)
{
	if (c->is_ordered)
		return c->tag[at] >> 63 ? c->all_sectors : 0;
	return c->tag[at] != CACHE_NO_LINE ? c->dirty[at] : 0;
}

int
wcp_cache_invalidate(
    struct wcp_cache *c, int (*write_back)(void *arg, const struct wcp_cache_line *line), void *arg)
{
	uint64_t n = cache_places(c, c->o.copies), per_copy = n / c->o.copies;
	if (!c->o.ways)
		n = c->unbounded.used;
	int status = 0;
	if (c->policy == &cache_ranked)
		cache_ranked_sort(c, n / c->stride);
	for (uint64_t at = 0; write_back && at < n && status >= 0; at++) {
		uint32_t sectors = dirty_at(c, at);
		if (!sectors)
			continue;
		struct wcp_cache_line line = {
		    .line = (c->tag[at] & ~CACHE_DIRTY) << c->index.line_shift,
		    .sectors = sectors,
		    .owner = c->owner ? c->owner[at] : 0,
		    .copy = c->o.ways ? (uint32_t)(at / per_copy) : c->unbounded.copy[at]};
		status = write_back(arg, &line);
	}
	cache_empty(c, 0, n);
	if (c->policy == &cache_wide)
		cache_wide_empty(c, 0, c->o.copies * c->index.options.sets);
	if (!c->o.ways)
		cache_unbounded_empty(c);
	return status < 0 ? status : 0;
}
