/* LRU of whole lines (ordered.h) in plain C, and which version runs. */
#include "cache/ordered.h"

static void
run_portable(struct wcp_cache *c, const struct cache_chunk *k)
{
	uint32_t ways = c->o.ways;
	for (size_t i = 0; i < k->n; i++) {
		const struct cache_action *a = &c->action[k->action[i]];
		uint64_t *tag = c->tag + k->set[i] * c->stride;
		uint32_t place = 0;
		while (place < ways && (tag[place] & ~CACHE_DIRTY) != k->number[i])
			place++;
		if (leaves(a, place < ways)) {
			leave(c, k, i, tag, place);
			continue;
		}
		uint64_t front = take(c, k, i, tag, a, ways, place);
		memmove(tag + 1, tag, (place < ways ? place : ways - 1) * sizeof *tag);
		tag[0] = front;
		if (c->owner)
			move_owners(c, k, i, place);
	}
	c->now += k->n;
}

static void
run_avx2(struct wcp_cache *c, const struct cache_chunk *k)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx2")) {
		cache_ordered_run_avx2(c, k);
		return;
	}
#endif
	run_portable(c, k);
}

static void
run(struct wcp_cache *c, const struct cache_chunk *k)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
	    __builtin_cpu_supports("avx512vl")) {
		cache_ordered_run_avx512(c, k);
		return;
	}
#endif
	run_avx2(c, k);
}

const struct cache_policy cache_ordered = {"lru", run};
const struct cache_policy cache_ordered_avx2 = {"lru", run_avx2};
const struct cache_policy cache_ordered_portable = {"lru", run_portable};
