/*
 * Tree-PLRU: a binary tree over a set's ways, a bit at each inner node that says in which half the
 * victim is. An access sets the bits on its way from the root to point away from it. The set's
 * first stamp holds the bits: node 1 is the root, 2n and 2n + 1 are the halves of n. A line that
 * leaves otherwise changes no bit; an empty way is filled first.
 */
#include "cache/policy.h"

static inline void
policy_touch(uint64_t *stamp, uint32_t way, uint32_t ways, uint64_t when)
{
	(void)when;
	uint64_t bits = *stamp;
	uint32_t node = 1;
	for (uint32_t half = ways / 2; half; half /= 2) {
		uint32_t upper = (way & half) != 0;
		bits = (bits & ~(1ull << node)) | (uint64_t)!upper << node;
		node = node * 2 + upper;
	}
	*stamp = bits;
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
	uint32_t node = 1;
	while (node < ways)
		node = node * 2 + (*stamp >> node & 1);
	return node - ways;
}

#include "cache/scan.h"

const struct cache_policy cache_plru = {"plru", run};
