/*
 * A cache that every line fits into: what is left are first touches, sectors and what policies
 * drop. All copies share one hash table; a line's place is where it came, so that growing moves
 * nothing.
 */
#include <stdlib.h>
#include <string.h>
#include "cache/policy.h"

static inline uint64_t
slot_of(const struct cache_unbounded_state *u, uint64_t number, uint64_t copy)
{
	uint64_t h = (number ^ copy << 44) * 0x9e3779b97f4a7c15u;
	return (h ^ h >> 32) & (u->slots - 1);
}

/* Sets are copies here. */
static inline uint32_t
loop_find(const struct wcp_cache *c, uint64_t set, uint32_t ways, uint64_t number)
{
	const struct cache_unbounded_state *u = &c->unbounded;
	uint64_t at = slot_of(u, number, set);
	while (
	    u->slot[at] && (c->tag[u->slot[at] - 1] != number || u->copy[u->slot[at] - 1] != set))
		at = (at + 1) & (u->slots - 1);
	return u->slot[at] ? u->slot[at] - 1 : ways;
}

static inline uint32_t
loop_vacant(struct wcp_cache *c, uint64_t set, uint32_t ways)
{
	struct cache_unbounded_state *u = &c->unbounded;
	(void)set;
	(void)ways;
	return u->n_spare ? u->spare[--u->n_spare] : u->used++;
}

static inline uint32_t
loop_victim(const struct wcp_cache *c, uint64_t set, uint32_t ways, uint64_t random)
{
	(void)c;
	(void)set;
	(void)ways;
	(void)random;
	return 0; /* never asked: there is a vacant place */
}

static inline void
loop_touch(struct wcp_cache *c, uint64_t set, uint32_t ways, uint32_t way, uint64_t when)
{
	(void)c;
	(void)set;
	(void)ways;
	(void)way;
	(void)when;
}

static void
hash_add(struct wcp_cache *c, uint32_t place)
{
	struct cache_unbounded_state *u = &c->unbounded;
	uint64_t at = slot_of(u, c->tag[place], u->copy[place]);
	while (u->slot[at])
		at = (at + 1) & (u->slots - 1);
	u->slot[at] = place + 1;
}

static inline void
loop_came(struct wcp_cache *c, uint64_t set, uint32_t ways, uint32_t way, uint64_t when)
{
	(void)ways;
	(void)when;
	c->unbounded.copy[way] = (uint32_t)set;
	hash_add(c, way);
}

/* Takes a line out of the table and moves back what stood behind it only because it was there. */
static inline void
loop_went(struct wcp_cache *c, uint64_t set, uint32_t ways, uint32_t way)
{
	struct cache_unbounded_state *u = &c->unbounded;
	uint64_t mask = u->slots - 1, hole = slot_of(u, c->tag[way], set);
	(void)ways;
	while (u->slot[hole] != way + 1)
		hole = (hole + 1) & mask;
	for (uint64_t at = (hole + 1) & mask; u->slot[at]; at = (at + 1) & mask) {
		uint32_t place = u->slot[at] - 1;
		uint64_t home = slot_of(u, c->tag[place], u->copy[place]);
		if (((at - home) & mask) >= ((at - hole) & mask)) {
			u->slot[hole] = u->slot[at];
			hole = at;
		}
	}
	u->slot[hole] = 0;
	u->spare[u->n_spare++] = way;
}

#include "cache/loop.h"

static void
run(struct wcp_cache *c, const struct cache_chunk *k)
{
	run_ways(c, k, UINT32_MAX);
}

const struct cache_policy cache_unbounded = {"unbounded", run};

/* ---- storage -------------------------------------------------------------------------------- */

static int
resize(struct wcp_cache *c, uint32_t capacity)
{
	struct cache_unbounded_state *u = &c->unbounded;
	uint64_t had = u->capacity;
	int status = 0;
	u->copy = cache_grown(u->copy, sizeof *u->copy, had, capacity, &status);
	u->spare = cache_grown(u->spare, sizeof *u->spare, had, capacity, &status);
	c->tag = cache_grown(c->tag, sizeof *c->tag, had, capacity, &status);
	c->stamp = cache_grown(c->stamp, sizeof *c->stamp, had, capacity, &status);
	c->valid = cache_grown(c->valid, sizeof *c->valid, had, capacity, &status);
	c->dirty = cache_grown(c->dirty, sizeof *c->dirty, had, capacity, &status);
	c->owner = cache_grown(c->owner, sizeof *c->owner, had, capacity, &status);
	u->slot = cache_grown(u->slot, sizeof *u->slot, 0, 2ull * capacity, &status);
	if (status)
		return status;
	u->slots = 2ull * capacity;
	u->capacity = capacity;
	memset(u->slot, 0, u->slots * sizeof *u->slot);
	cache_empty(c, had, capacity);
	for (uint32_t i = 0; i < u->used; i++)
		if (c->tag[i] != CACHE_NO_LINE)
			hash_add(c, i);
	return 0;
}

int
cache_unbounded_reserve(struct wcp_cache *c, uint64_t n, struct wcp_error *e)
{
	struct cache_unbounded_state *u = &c->unbounded;
	uint64_t need = u->used + n, capacity = u->capacity ? u->capacity : 4096;
	while (capacity < need)
		capacity *= 2;
	if (capacity == u->capacity)
		return 0;
	if (capacity > 1u << 31 || resize(c, (uint32_t)capacity))
		return wcp_fail(
		    e, WCP_ESYS, "no memory for a cache of %llu lines", (unsigned long long)need);
	return 0;
}

void
cache_unbounded_empty(struct wcp_cache *c)
{
	struct cache_unbounded_state *u = &c->unbounded;
	if (u->slots)
		memset(u->slot, 0, u->slots * sizeof *u->slot);
	u->used = u->n_spare = 0;
}

void
cache_unbounded_release(struct wcp_cache *c)
{
	free(c->unbounded.slot);
	free(c->unbounded.copy);
	free(c->unbounded.spare);
}
