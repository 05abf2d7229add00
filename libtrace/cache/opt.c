/*
 * Belady's MIN: the line that is used again last leaves. Stamps are times of next use; lines that
 * are never used again come after all others, the longest unused first. Belady, IBM Systems Journal
 * 5(2), 1966.
 */
#include "cache/policy.h"

static inline void
policy_touch(uint64_t *stamp, uint32_t way, uint32_t ways, uint64_t when)
{
	(void)ways;
	stamp[way] = when;
}

static inline void
policy_fill(uint64_t *stamp, uint32_t way, uint32_t ways, uint64_t when)
{
	policy_touch(stamp, way, ways, when);
}

static inline uint32_t
policy_victim(const uint64_t *stamp, uint32_t ways, uint64_t random)
{
	(void)random;
	uint32_t last = 0;
	for (uint32_t way = 1; way < ways; way++)
		last = stamp[way] > stamp[last] ? way : last;
	return last;
}

#include "cache/scan.h"

const struct cache_policy cache_opt = {"opt", run};
