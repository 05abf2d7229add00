/* Inside the cache model: what the batch side (cache.c) and the policies (lru.c ...) share.
 */
#ifndef CACHE_POLICY_H
#define CACHE_POLICY_H

#include "warpcap/cache.h"

#define CACHE_NO_LINE \
	(UINT64_MAX >> 1)	 /* no line number is that large: lines have at least 4 bytes */
#define CACHE_DIRTY (1ull << 63) /* on a tag, in ordered caches only */

enum { CACHE_CHUNK = 256 };

/* What an access does, by kind, space and flags: looked up, not decided again for each. */
struct cache_action {
	uint8_t hit, sector, miss; /* result if all, some, none of it is there */
	bool looks_up;		   /* false: result is always miss */
	bool allocates, dirties, drops;
};
enum {
	CACHE_LOCAL = 8,
	CACHE_UNCACHED = 16,
	CACHE_ACTIONS = 32
}; /* added to enum wcp_access_kind */

/* Up to CACHE_CHUNK accesses, prepared. */
struct cache_chunk {
	size_t n;
	uint64_t number[CACHE_CHUNK]; /* of the line */
	uint64_t set[CACHE_CHUNK];    /* counted through all copies */
	uint8_t action[CACHE_CHUNK];
	const uint32_t *sectors, *owner; /* may be NULL */
	struct wcp_cache_result out;	 /* columns may be NULL */
};

/* A replacement policy: its one hook takes a chunk, so that policy and loop are compiled as one. */
struct cache_policy {
	const char *name;
	void (*run)(struct wcp_cache *c, const struct cache_chunk *k);
};
extern const struct cache_policy cache_lru, cache_fifo, cache_random;
/* LRU of whole lines, see ordered.c: by the best instructions there are, or by none but C's.
 */
extern const struct cache_policy cache_ordered, cache_ordered_portable;

struct wcp_cache {
	struct wcp_cache_options o;
	struct wcp_setindex index;
	const struct cache_policy *policy;
	bool is_ordered;
	uint32_t stride;      /* ways, padded */
	uint32_t all_sectors; /* mask */
	uint64_t now;	      /* accesses so far: the policies' clock */
	struct cache_action action[CACHE_ACTIONS];
	struct wcp_cache_counts counts;
	uint64_t *tag;	 /* [copies][sets][stride] line numbers or CACHE_NO_LINE */
	uint64_t *stamp; /* the same shape; these four are NULL in an ordered cache */
	uint32_t *valid, *dirty, *owner; /* sectors; who brought the line */
};

/* Writes the victim of access i; cache_result its result. */
static inline void
cache_victim(const struct wcp_cache *c, const struct cache_chunk *k, size_t i, uint64_t number,
    uint32_t sectors, uint32_t owner)
{
	if (k->out.victim)
		k->out.victim[i] = number << c->index.line_shift;
	if (k->out.victim_sectors)
		k->out.victim_sectors[i] = sectors;
	if (k->out.victim_owner)
		k->out.victim_owner[i] = owner;
}

static inline void
cache_result(
    struct wcp_cache *c, const struct cache_chunk *k, size_t i, uint8_t result, uint32_t missing)
{
	c->counts.result[result]++;
	if (k->out.result)
		k->out.result[i] = result;
	if (k->out.missing)
		k->out.missing[i] = missing;
}

#endif
