/*
 * Sets whose tags are looked at one after the other, and whose policy has a stamp a way. The
 *policy's file defines, before it includes this, static inline void policy_touch(uint64_t *stamp,
 *uint32_t way, uint32_t ways, uint64_t when); static inline void policy_fill(uint64_t *stamp,
 *uint32_t way, uint32_t ways, uint64_t when); static inline uint32_t policy_victim(const uint64_t
 **stamp, uint32_t ways, uint64_t random); for a line that was hit, a line that has come, and a full
 *set; stamp is the set's, [ways].
 */
#ifndef CACHE_SCAN_H
#define CACHE_SCAN_H

#include "cache/policy.h"

static inline uint32_t
loop_find(const struct wcp_cache *c, uint64_t set, uint32_t ways, uint64_t number)
{
	const uint64_t *tag = c->tag + set * c->stride;
	uint32_t way = 0;
	while (way < ways && tag[way] != number)
		way++;
	return way;
}

static inline uint32_t
loop_vacant(struct wcp_cache *c, uint64_t set, uint32_t ways)
{
	return loop_find(c, set, ways, CACHE_NO_LINE);
}

static inline uint32_t
loop_victim(const struct wcp_cache *c, uint64_t set, uint32_t ways, uint64_t random)
{
	return policy_victim(c->stamp + set * c->stride, ways, random);
}

static inline void
loop_touch(struct wcp_cache *c, uint64_t set, uint32_t ways, uint32_t way, uint64_t when)
{
	policy_touch(c->stamp + set * c->stride, way, ways, when);
}

static inline void
loop_came(struct wcp_cache *c, uint64_t set, uint32_t ways, uint32_t way, uint64_t when)
{
	policy_fill(c->stamp + set * c->stride, way, ways, when);
}

static inline void
loop_went(struct wcp_cache *c, uint64_t set, uint32_t ways, uint32_t way)
{
	(void)c;
	(void)set;
	(void)ways;
	(void)way;
}

#include "cache/loop.h"

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
