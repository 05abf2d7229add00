/* Least recently used, with sectors. Whole lines: ordered.c. */
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
	(void)ways;
	stamp[way] = when;
}

static inline uint32_t
policy_victim(const uint64_t *stamp, uint32_t ways, uint64_t random)
{
	(void)random;
	uint32_t oldest = 0;
	for (uint32_t way = 1; way < ways; way++)
		oldest = stamp[way] < stamp[oldest] ? way : oldest;
	return oldest;
}

#include "cache/scan.h"

const struct cache_policy cache_lru = {"lru", run};
