/*
 * The loop over a chunk for policies that keep each line in its way. The file that includes this
 * defines, all static inline, how a set of a cache c finds and chooses its ways, and gets run():
 *
 *	uint32_t loop_find(c, set, ways, uint64_t number)    the line's way, or ways
 *	uint32_t loop_vacant(c, set, ways)		     the lowest empty way, or ways
 *	uint32_t loop_victim(c, set, ways, uint64_t random)  where there is no empty one
 *	void loop_touch(c, set, ways, way, uint64_t when)    the way's line was hit
 *	void loop_came(c, set, ways, way, uint64_t when)     has come
 *	void loop_went(c, set, ways, way)		     is about to leave; its tag is there
 *
 * set is a uint64_t and counts through all copies; when is the time, under OPT that of the next
 * use.
 */
#ifndef CACHE_LOOP_H
#define CACHE_LOOP_H

#include "cache/policy.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

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

/* Lines that are never used again come after all that are, the longest unused last. */
ALWAYS_INLINE uint64_t
when_of(const struct wcp_cache *c, const struct cache_chunk *k, size_t i)
{
	if (!k->next)
		return c->now;
	return k->next[i] == WCP_NEVER ? UINT64_MAX - c->now : k->next[i];
}

ALWAYS_INLINE void
present(struct wcp_cache *c, const struct cache_chunk *k, size_t i, uint32_t ways, uint32_t way,
    const struct cache_action *a, uint32_t want)
{
	size_t at = k->set[i] * c->stride + way;
	bool stays = a->allocates || !(want & ~c->valid[at]);
	if (a->drops) {
		loop_went(c, k->set[i], ways, way);
		c->tag[at] = CACHE_NO_LINE;
		return;
	}
	loop_touch(c, k->set[i], ways, way, when_of(c, k, i));
	if (a->allocates)
		c->valid[at] |= want;
	if (a->dirties && stays)
		c->dirty[at] |= want;
}

ALWAYS_INLINE uint8_t
absent(struct wcp_cache *c, const struct cache_chunk *k, size_t i, uint32_t ways,
    const struct cache_action *a, uint32_t want)
{
	uint8_t result = a->miss;
	uint64_t set = k->set[i];
	if (!a->allocates)
		return result;
	size_t base = set * c->stride;
	uint32_t way = loop_vacant(c, set, ways);
	if (way == ways) {
		way = loop_victim(c, set, ways, random_at(c->o.seed, c->now));
		uint32_t dirty = c->dirty[base + way];
		cache_victim(c, k, i, c->tag[base + way], dirty, c->owner[base + way]);
		result |= (uint8_t)(WCP_CACHE_VICTIM | (dirty ? WCP_CACHE_DIRTY : 0));
		loop_went(c, set, ways, way);
	}
	size_t at = base + way;
	c->tag[at] = k->number[i];
	c->valid[at] = want;
	c->dirty[at] = a->dirties ? want : 0;
	c->owner[at] = k->owner ? k->owner[i] : 0;
	loop_came(c, set, ways, way, when_of(c, k, i));
	return result;
}

ALWAYS_INLINE void
run_ways(struct wcp_cache *c, const struct cache_chunk *k, uint32_t ways)
{
	for (size_t i = 0; i < k->n; i++, c->now++) {
		const struct cache_action *a = &c->action[k->action[i]];
		uint32_t want = k->sectors ? k->sectors[i] & c->all_sectors : 0;
		want = want ? want : c->all_sectors;
		uint32_t way = a->looks_up ? loop_find(c, k->set[i], ways, k->number[i]) : ways;
		uint32_t missing =
		    way < ways ? want & ~c->valid[k->set[i] * c->stride + way] : want;
		uint8_t result = missing ? a->sector : a->hit;
		if (way < ways)
			present(c, k, i, ways, way, a, want);
		else
			result = a->looks_up ? absent(c, k, i, ways, a, want) : a->miss;
		cache_result(c, k, i, result, missing);
	}
}

#endif
