/* First in, first out: hits change nothing. */
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
	(void)random;
	uint32_t first = 0;
	for (uint32_t way = 1; way < ways; way++)
		first = stamp[way] < stamp[first] ? way : first;
	return first;
}

#include "cache/loop.h"

const struct cache_policy cache_fifo = {"fifo", run};
