/* Any way of a full set, all equally likely. */
#include "cache/policy.h"

static inline void
policy_touch(uint64_t *stamp, uint64_t now)
{
	(void)stamp;
	(void)now;
}

static inline uint32_t
policy_victim(const uint64_t *stamp, uint32_t ways, uint64_t random)
{
	(void)stamp;
	return (uint32_t)((random >> 32) * ways >> 32);
}

#include "cache/loop.h"

const struct cache_policy cache_random = {"random", run};
