/*
 * LRU of whole lines: a set's tags stand in order of their last use, most recent first, so that the
 * tags are all the state there is, but for owners, which stand in the same order. An access moves
 * the tags before its own (on a miss, all) one place back and puts its own in front. Here is what
 * the versions by instruction set share.
 */
#ifndef CACHE_ORDERED_H
#define CACHE_ORDERED_H

#include <string.h>
#include "cache/policy.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* What an access leaves in front, and its result. old: its line's tag, or where that is not there
 * (hit false), the tag that leaves for it. */
ALWAYS_INLINE uint64_t
take_for(struct wcp_cache *c, const struct cache_chunk *k, size_t i, uint64_t old, bool hit,
    const struct cache_action *a)
{
	uint64_t front = k->number[i] | (a->dirties ? CACHE_DIRTY : 0);
	uint8_t result = a->miss;
	if (hit) {
		front |= old & CACHE_DIRTY;
		result = a->hit;
	} else if (old != CACHE_NO_LINE) {
		result |= (uint8_t)(WCP_CACHE_VICTIM | (old >> 63) * WCP_CACHE_DIRTY);
		if (k->out.victim)
			k->out.victim[i] = (old & ~CACHE_DIRTY) << c->index.line_shift;
		if (k->out.victim_sectors)
			k->out.victim_sectors[i] = old >> 63 ? c->all_sectors : 0;
	}
	cache_result(c, k, i, result, hit ? 0 : 1);
	return front;
}

/* The same for one at place of its set; ways: not there. */
ALWAYS_INLINE uint64_t
take(struct wcp_cache *c, const struct cache_chunk *k, size_t i, const uint64_t *tag,
    const struct cache_action *a, uint32_t ways, uint32_t place)
{
	bool hit = place < ways;
	return take_for(c, k, i, tag[hit ? place : ways - 1], hit, a);
}

/* Accesses that change no order: those that go past, stores that allocate nothing and find nothing,
 * and those that drop their line. */
static inline void
leave(struct wcp_cache *c, const struct cache_chunk *k, size_t i, uint64_t *tag, uint32_t place)
{
	const struct cache_action *a = &c->action[k->action[i]];
	uint32_t ways = c->o.ways;
	bool hit = a->looks_up && place < ways;
	if (hit) {
		memmove(tag + place, tag + place + 1, (ways - place - 1) * sizeof *tag);
		tag[ways - 1] = CACHE_NO_LINE;
		if (c->owner) {
			uint32_t *owner = c->owner + k->set[i] * c->stride;
			memmove(
			    owner + place, owner + place + 1, (ways - place - 1) * sizeof *owner);
		}
	}
	cache_result(c, k, i, hit ? a->hit : a->miss, hit ? 0 : 1);
}

/* The owner that comes to the front when the line at place, or on a miss the last one, leaves it.
 */
ALWAYS_INLINE uint32_t
front_owner(
    const struct cache_chunk *k, size_t i, const uint32_t *owner, uint32_t ways, uint32_t place)
{
	if (place < ways)
		return owner[place];
	if (k->out.victim_owner)
		k->out.victim_owner[i] = owner[ways - 1];
	return k->owner ? k->owner[i] : 0;
}

/* The same for a set of any size. */
static inline void
move_owners(struct wcp_cache *c, const struct cache_chunk *k, size_t i, uint32_t place)
{
	uint32_t ways = c->o.ways, *owner = c->owner + k->set[i] * c->stride;
	uint32_t front = front_owner(k, i, owner, ways, place);
	memmove(owner + 1, owner, (place < ways ? place : ways - 1) * sizeof *owner);
	owner[0] = front;
}

ALWAYS_INLINE bool
leaves(const struct cache_action *a, bool hit)
{
	return a->leaves[hit];
}

/* Each takes a chunk; the processor must know the instructions. */
void cache_ordered_run_avx2(struct wcp_cache *c, const struct cache_chunk *k);
void cache_ordered_run_avx512(struct wcp_cache *c, const struct cache_chunk *k);

#endif
