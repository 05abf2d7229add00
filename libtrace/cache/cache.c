#include <stdlib.h>
#include <string.h>
#include "cache/policy.h"

static const struct cache_policy *const policies[WCP_REPLACEMENT_COUNT] = {
    [WCP_LRU] = &cache_lru,
    [WCP_FIFO] = &cache_fifo,
    [WCP_RANDOM] = &cache_random,
};

#define BYTES_MAX (1ull << 40) /* of all arrays of a model */

const char *
wcp_replacement_name(enum wcp_replacement r)
{
	return (unsigned)r < WCP_REPLACEMENT_COUNT ? policies[r]->name : "?";
}

const char *
wcp_write_name(enum wcp_write_policy w)
{
	static const char *const name[] = {"through", "evict", "back", "validate"};
	return (unsigned)w < WCP_WRITE_COUNT ? name[w] : "?";
}

enum { PASS = WCP_CACHE_PASS, HIT = WCP_OUT_HIT | WCP_CACHE_PRESENT };

static struct cache_action
read_action(void)
{
	return (struct cache_action){.hit = HIT,
	    .sector = WCP_OUT_SECTOR | PASS,
	    .miss = WCP_OUT_MISS | PASS,
	    .looks_up = true,
	    .allocates = true};
}

/* A store or atomic that goes on whatever is here. */
static struct cache_action
forward_action(bool drops)
{
	return (struct cache_action){.hit = WCP_OUT_FORWARD | PASS | WCP_CACHE_PRESENT,
	    .sector = WCP_OUT_FORWARD | PASS,
	    .miss = WCP_OUT_FORWARD | PASS,
	    .looks_up = true,
	    .drops = drops};
}

/* A store that stays here until its line is evicted. */
static struct cache_action
keep_action(bool fetches)
{
	struct cache_action a = read_action();
	a.dirties = true;
	if (!fetches) {
		a.sector = WCP_OUT_SECTOR;
		a.miss = WCP_OUT_MISS;
	}
	return a;
}

static struct cache_action
action_of(enum wcp_access_kind kind, enum wcp_write_policy write)
{
	bool keeps = write == WCP_WRITE_BACK || write == WCP_WRITE_VALIDATE;
	switch (kind) {
	case WCP_LOAD:
	case WCP_PREFETCH: return read_action();
	case WCP_STORE:
		return keeps ? keep_action(write == WCP_WRITE_BACK)
			     : forward_action(write == WCP_WRITE_EVICT);
	case WCP_ATOMIC:
	case WCP_REDUCE: return keeps ? keep_action(true) : forward_action(true);
	case WCP_WRITEBACK: return keeps ? keep_action(false) : forward_action(false);
	case WCP_FILL:
	case WCP_KIND_COUNT: break;
	}
	return (struct cache_action){.miss = WCP_OUT_NONE};
}

static void
fill_actions(struct wcp_cache *c)
{
	static const struct cache_action bypass = {.miss = WCP_OUT_BYPASS | PASS};
	for (unsigned i = 0; i < CACHE_ACTIONS; i++) {
		unsigned kind = i & 7;
		enum wcp_write_policy write =
		    i & CACHE_LOCAL ? c->o.local_write : c->o.global_write;
		c->action[i] = action_of((enum wcp_access_kind)kind, write);
		if (i & CACHE_UNCACHED && c->o.bypass_uncached && kind < WCP_WRITEBACK)
			c->action[i] = bypass;
	}
}

static int
check(const struct wcp_cache_options *o, struct wcp_error *e)
{
	uint32_t line = o->index.line_bytes, sector = o->sector_bytes ? o->sector_bytes : line;
	if (!o->ways || o->ways > 1u << 24)
		return wcp_fail(e, WCP_EUSAGE, "a set cannot have %u ways", o->ways);
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

static void *
grown(void *old, size_t item_bytes, uint64_t had, uint64_t n, int *status)
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

static void
empty(struct wcp_cache *c, uint64_t first, uint64_t n)
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

static uint64_t
places(const struct wcp_cache *c, uint32_t copies)
{
	return copies * c->index.options.sets * c->stride;
}

static int
resize(struct wcp_cache *c, uint32_t had_copies, uint32_t copies, struct wcp_error *e)
{
	uint64_t per_copy, n, had = places(c, had_copies);
	int status = 0;
	if (__builtin_mul_overflow(c->index.options.sets, c->stride, &per_copy) ||
	    __builtin_mul_overflow(per_copy, copies, &n) || n > BYTES_MAX / 32)
		return wcp_fail(e, WCP_EUSAGE, "%u caches of %llu sets and %u ways are too many",
		    copies, (unsigned long long)c->index.options.sets, c->o.ways);
	c->tag = grown(c->tag, sizeof *c->tag, had, n, &status);
	if (!c->is_ordered) {
		c->stamp = grown(c->stamp, sizeof *c->stamp, had, n, &status);
		c->valid = grown(c->valid, sizeof *c->valid, had, n, &status);
		c->dirty = grown(c->dirty, sizeof *c->dirty, had, n, &status);
		c->owner = grown(c->owner, sizeof *c->owner, had, n, &status);
	}
	if (status)
		return wcp_fail(e, WCP_ESYS, "no memory for %u caches", copies);
	c->o.copies = copies;
	empty(c, had, n);
	return 0;
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
	c->is_ordered = o->replacement == WCP_LRU && sectors == 1 && !o->track_owner;
	c->policy = c->is_ordered ? &cache_ordered : policies[o->replacement];
	c->stride = o->ways <= 4 ? 4 : (o->ways + 7) & ~7u;
	fill_actions(c);
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
	free(c->tag);
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
	if (places(c, c->o.copies) * sizeof *c->tag > 1 << 17)
		for (size_t i = 0; i < k->n; i++)
			__builtin_prefetch(c->tag + k->set[i] * c->stride, 1);
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
	uint64_t n = places(c, c->o.copies), per_copy = n / c->o.copies;
	int status = 0;
	for (uint64_t at = 0; write_back && at < n && status >= 0; at++) {
		uint32_t sectors = dirty_at(c, at);
		if (!sectors)
			continue;
		struct wcp_cache_line line = {
		    .line = (c->tag[at] & ~CACHE_DIRTY) << c->index.line_shift,
		    .sectors = sectors,
		    .owner = c->owner ? c->owner[at] : 0,
		    .copy = (uint32_t)(at / per_copy)};
		status = write_back(arg, &line);
	}
	empty(c, 0, n);
	return status < 0 ? status : 0;
}
