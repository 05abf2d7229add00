/* Making, growing and emptying caches. */
#include <stdlib.h>
#include <string.h>
#include "cache/policy.h"

static const struct cache_policy *const policies[WCP_REPLACEMENT_COUNT] = {
    [WCP_LRU] = &cache_lru,
    [WCP_FIFO] = &cache_fifo,
    [WCP_RANDOM] = &cache_random,
    [WCP_PLRU] = &cache_plru,
    [WCP_OPT] = &cache_opt,
};

#define BYTES_MAX (1ull << 40) /* of all arrays of a model */

const char *
wcp_replacement_name(enum wcp_replacement r)
{
	return (unsigned)r < WCP_REPLACEMENT_COUNT ? policies[r]->name : "?";
}

static int
check(const struct wcp_cache_options *o, struct wcp_error *e)
{
	uint32_t line = o->index.line_bytes, sector = o->sector_bytes ? o->sector_bytes : line;
	if (o->ways > 1u << 24)
		return wcp_fail(e, WCP_EUSAGE, "a set cannot have %u ways", o->ways);
	if (!o->ways && o->index.sets != 1)
		return wcp_fail(e, WCP_EUSAGE, "a cache without bound has one set");
	if (o->replacement == WCP_PLRU && (o->ways > 64 || o->ways & (o->ways - 1)))
		return wcp_fail(e, WCP_EUSAGE,
		    "replacement plru needs a power of two of ways up to 64, not %u", o->ways);
	if (sector & (sector - 1) || sector > line || line / sector > 32)
		return wcp_fail(e, WCP_EUSAGE,
		    "sectors of %u bytes do not divide a line of %u bytes into 1 to 32", sector,
		    line);
	if ((unsigned)o->replacement >= WCP_REPLACEMENT_COUNT ||
	    (unsigned)o->global_write >= WCP_WRITE_COUNT ||
	    (unsigned)o->local_write >= WCP_WRITE_COUNT)
		return wcp_fail(e, WCP_EUSAGE, "replacement or write policy does not exist");
	if (!o->copies)
		return wcp_fail(e, WCP_EUSAGE, "a model of no caches");
	return 0;
}

void *
cache_grown(void *old, size_t item_bytes, uint64_t had, uint64_t n, int *status)
{
	void *p = aligned_alloc(64, (n * item_bytes + 63) & ~(size_t)63);
	if (!p) {
		*status = WCP_ESYS;
		return old;
	}
	if (had)
		memcpy(p, old, had * item_bytes);
	free(old);
	return p;
}

void
cache_empty(struct wcp_cache *c, uint64_t first, uint64_t n)
{
	for (uint64_t i = first; i < n; i++)
		c->tag[i] = CACHE_NO_LINE;
	if (c->is_ordered)
		return;
	for (uint64_t i = first; i < n; i++) {
		c->stamp[i] = 0;
		c->valid[i] = c->dirty[i] = c->owner[i] = 0;
	}
}

static bool
is_ranked(const struct wcp_cache *c)
{
	return c->is_ordered && !c->o.track_owner && (c->stride == 8 || c->stride == 16);
}

static int
resize(struct wcp_cache *c, uint32_t had_copies, uint32_t copies, struct wcp_error *e)
{
	if (!c->o.ways) {
		c->o.copies = copies;
		return 0;
	}
	uint64_t per_copy, n, had = cache_places(c, had_copies);
	int status = 0;
	if (__builtin_mul_overflow(c->index.options.sets, c->stride, &per_copy) ||
	    __builtin_mul_overflow(per_copy, copies, &n) || n > BYTES_MAX / 32)
		return wcp_fail(e, WCP_EUSAGE, "%u caches of %llu sets and %u ways are too many",
		    copies, (unsigned long long)c->index.options.sets, c->o.ways);
	c->tag = cache_grown(c->tag, sizeof *c->tag, had, n, &status);
	if (!c->is_ordered) {
		c->stamp = cache_grown(c->stamp, sizeof *c->stamp, had, n, &status);
		c->valid = cache_grown(c->valid, sizeof *c->valid, had, n, &status);
		c->dirty = cache_grown(c->dirty, sizeof *c->dirty, had, n, &status);
	}
	if (!c->is_ordered || c->o.track_owner)
		c->owner = cache_grown(c->owner, sizeof *c->owner, had, n, &status);
	if (is_ranked(c))
		c->order = cache_grown(c->order, 1, had, n, &status);
	if (c->policy == &cache_wide && !status)
		status = cache_wide_resize(
		    c, had_copies * c->index.options.sets, copies * c->index.options.sets);
	if (status)
		return wcp_fail(e, WCP_ESYS, "no memory for %u caches", copies);
	c->o.copies = copies;
	cache_empty(c, had, n);
	if (is_ranked(c))
		cache_ranked_empty(c, had / c->stride, n / c->stride);
	if (c->policy == &cache_wide)
		cache_wide_empty(
		    c, had_copies * c->index.options.sets, copies * c->index.options.sets);
	return 0;
}

static void
choose_policy(struct wcp_cache *c, uint32_t sectors)
{
	const struct wcp_cache_options *o = &c->o;
	c->stride = o->ways <= 4 ? 4 : (o->ways + 7) & ~7u;
	c->policy = policies[o->replacement];
	if (!o->ways) {
		c->policy = &cache_unbounded;
		c->stride = 0;
	} else if (o->ways > CACHE_WIDE_WAYS) {
		c->policy = &cache_wide;
	} else if (o->replacement == WCP_LRU && sectors == 1) {
		c->is_ordered = true;
		c->policy = is_ranked(c) && cache_ranked_runs() ? &cache_ranked : &cache_ordered;
		if (o->track_owner) /* AVX-512's and the ranked one move no owners */
			c->policy = &cache_ordered_avx2;
	}
}

struct wcp_cache *
wcp_cache_new(const struct wcp_cache_options *o, struct wcp_error *e)
{
	struct wcp_cache *c = calloc(1, sizeof *c);
	if (!c) {
		wcp_fail(e, WCP_ESYS, "no memory for a cache");
		return NULL;
	}
	c->o = *o;
	if (wcp_setindex_init(&c->index, &o->index, e) || check(o, e)) {
		free(c);
		return NULL;
	}
	uint32_t line = o->index.line_bytes, sectors = o->sector_bytes ? line / o->sector_bytes : 1;
	c->all_sectors = UINT32_MAX >> (32 - sectors);
	choose_policy(c, sectors);
	cache_fill_actions(c);
	if (resize(c, 0, o->copies, e)) {
		wcp_cache_free(c);
		return NULL;
	}
	return c;
}

void
wcp_cache_free(struct wcp_cache *c)
{
	if (!c)
		return;
	cache_wide_release(c);
	cache_unbounded_release(c);
	free(c->tag);
	free(c->order);
	free(c->stamp);
	free(c->valid);
	free(c->dirty);
	free(c->owner);
	free(c);
}

int
wcp_cache_grow(struct wcp_cache *c, uint32_t copies, struct wcp_error *e)
{
	return copies <= c->o.copies ? 0 : resize(c, c->o.copies, copies, e);
}

int
wcp_cache_reserve(struct wcp_cache *c, uint64_t n, struct wcp_error *e)
{
	return c->o.ways ? 0 : cache_unbounded_reserve(c, n, e);
}
