/* Any way of a full set, all equally likely. */
#include "cache/policy.h"

static inline void
policy_touch(uint64_t *stamp, uint32_t way, uint32_t ways, uint64_t when)
{
	(void)stamp;
	(void)way;
	(void)ways;
	(void)when;
}

static inline void
policy_fill(uint64_t *stamp, uint32_t way, uint32_t ways, uint64_t when)
{
	(void)stamp;
	(void)way;
	(void)ways;
	(void)when;
}

static inline uint32_t
policy_victim(const uint64_t *stamp, uint32_t ways, uint64_t random)
{
	(void)stamp;
	return (uint32_t)((random >> 32) * ways >> 32);
}

#include "cache/scan.h"

const struct cache_policy cache_random = {"random", run};
