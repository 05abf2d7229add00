/*
 * The loop over a chunk for policies that keep each line in its way and a stamp beside it. The
 * policy's file defines, before it includes this,
 *	static inline void policy_touch(uint64_t *stamp, uint64_t now);    a line was hit
 *	static inline uint32_t policy_victim(const uint64_t *stamp, uint32_t ways, uint64_t random);
 * and gets run(); a line that comes is stamped with the time.
 */
#ifndef CACHE_LOOP_H
#define CACHE_LOOP_H

#include "cache/policy.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

ALWAYS_INLINE uint32_t
find(const uint64_t *tag, uint32_t ways, uint64_t number)
{
	uint32_t way = 0;
	while (way < ways && tag[way] != number)
		way++;
	return way;
}

/* Randomness by the access's number, so that it does not matter how a stream is cut into batches.
 * splitmix64. */
ALWAYS_INLINE uint64_t
random_at(uint64_t seed, uint64_t now)
{
	uint64_t x = seed + (now + 1) * 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

ALWAYS_INLINE void
present(struct wcp_cache *c, size_t at, const struct cache_action *a, uint32_t want)
{
	if (a->drops) {
		c->tag[at] = CACHE_NO_LINE;
		return;
	}
	policy_touch(&c->stamp[at], c->now);
	if (a->allocates)
		c->valid[at] |= want;
	if (a->dirties)
		c->dirty[at] |= want;
}

ALWAYS_INLINE uint8_t
absent(struct wcp_cache *c, const struct cache_chunk *k, size_t i, uint32_t ways,
    const struct cache_action *a, uint32_t want)
{
	uint8_t result = a->miss;
	if (!a->allocates)
		return result;
	size_t base = k->set[i] * c->stride;
	uint32_t way = find(c->tag + base, ways, CACHE_NO_LINE);
	if (way == ways) {
		way = policy_victim(c->stamp + base, ways, random_at(c->o.seed, c->now));
		uint32_t dirty = c->dirty[base + way];
		cache_victim(c, k, i, c->tag[base + way], dirty, c->owner[base + way]);
		result |= (uint8_t)(WCP_CACHE_VICTIM | (dirty ? WCP_CACHE_DIRTY : 0));
	}
	size_t at = base + way;
	c->tag[at] = k->number[i];
	c->stamp[at] = c->now;
	c->valid[at] = want;
	c->dirty[at] = a->dirties ? want : 0;
	c->owner[at] = k->owner ? k->owner[i] : 0;
	return result;
}

ALWAYS_INLINE void
run_ways(struct wcp_cache *c, const struct cache_chunk *k, uint32_t ways)
{
	for (size_t i = 0; i < k->n; i++, c->now++) {
		const struct cache_action *a = &c->action[k->action[i]];
		uint32_t want = k->sectors ? k->sectors[i] & c->all_sectors : 0;
		want = want ? want : c->all_sectors;
		size_t base = k->set[i] * c->stride;
		uint32_t way = a->looks_up ? find(c->tag + base, ways, k->number[i]) : ways;
		uint32_t missing = way < ways ? want & ~c->valid[base + way] : want;
		uint8_t result = missing ? a->sector : a->hit;
		if (way < ways)
			present(c, base + way, a, want);
		else
			result = a->looks_up ? absent(c, k, i, ways, a, want) : a->miss;
		cache_result(c, k, i, result, missing);
	}
}

static void
run(struct wcp_cache *c, const struct cache_chunk *k)
{
	switch (c->o.ways) {
	case 4: run_ways(c, k, 4); return;
	case 8: run_ways(c, k, 8); return;
	case 16: run_ways(c, k, 16); return;
	default: run_ways(c, k, c->o.ways); return;
	}
}

#endif
