/*
 * Sets of many ways, up to fully associative caches of any size: a line is found by a hash table a
 * set, the victim by a list in order of use or coming (LRU, FIFO), by a heap of next uses (OPT), or
 * by chance; empty ways are bits of a map. Whatever is chosen is what the scanning loops choose.
 */
#include <stdlib.h>
#include <string.h>
#include "cache/policy.h"

enum { FRONT, BACK };
#define NOBODY UINT32_MAX

/* ---- finding -------------------------------------------------------------------------------- */

static inline uint32_t
slot_of(const struct cache_wide_state *w, uint64_t number)
{
	return (uint32_t)(number * 0x9e3779b97f4a7c15u >> 32) & (w->slots - 1);
}

static inline uint32_t
loop_find(const struct wcp_cache *c, uint64_t set, uint32_t ways, uint64_t number)
{
	const struct cache_wide_state *w = &c->wide;
	const uint32_t *slot = w->slot + set * w->slots;
	const uint64_t *tag = c->tag + set * c->stride;
	uint32_t at = slot_of(w, number);
	while (slot[at] && tag[slot[at] - 1] != number)
		at = (at + 1) & (w->slots - 1);
	return slot[at] ? slot[at] - 1 : ways;
}

static void
hash_add(struct wcp_cache *c, uint64_t set, uint32_t way)
{
	struct cache_wide_state *w = &c->wide;
	uint32_t *slot = w->slot + set * w->slots, at = slot_of(w, c->tag[set * c->stride + way]);
	while (slot[at])
		at = (at + 1) & (w->slots - 1);
	slot[at] = way + 1;
}

/* Takes a way out and moves back what stood behind it only because it was there. */
static void
hash_remove(struct wcp_cache *c, uint64_t set, uint32_t way)
{
	struct cache_wide_state *w = &c->wide;
	const uint64_t *tag = c->tag + set * c->stride;
	uint32_t *slot = w->slot + set * w->slots, mask = w->slots - 1, hole = slot_of(w, tag[way]);
	while (slot[hole] != way + 1)
		hole = (hole + 1) & mask;
	for (uint32_t at = (hole + 1) & mask; slot[at]; at = (at + 1) & mask) {
		uint32_t home = slot_of(w, tag[slot[at] - 1]);
		if (((at - home) & mask) >= ((at - hole) & mask)) {
			slot[hole] = slot[at];
			hole = at;
		}
	}
	slot[hole] = 0;
}

/* ---- the list: most recent in front --------------------------------------------------------- */

static void
list_remove(struct wcp_cache *c, uint64_t set, uint32_t way)
{
	struct cache_wide_state *w = &c->wide;
	uint32_t *front = w->link[FRONT] + set * c->stride, *back = w->link[BACK] + set * c->stride;
	if (front[way] == NOBODY)
		w->end[FRONT][set] = back[way];
	else
		back[front[way]] = back[way];
	if (back[way] == NOBODY)
		w->end[BACK][set] = front[way];
	else
		front[back[way]] = front[way];
}

static void
list_add(struct wcp_cache *c, uint64_t set, uint32_t way)
{
	struct cache_wide_state *w = &c->wide;
	uint32_t *front = w->link[FRONT] + set * c->stride, *back = w->link[BACK] + set * c->stride;
	uint32_t first = w->end[FRONT][set];
	front[way] = NOBODY;
	back[way] = first;
	if (first == NOBODY)
		w->end[BACK][set] = way;
	else
		front[first] = way;
	w->end[FRONT][set] = way;
}

/* ---- the heap: the latest next use on top --------------------------------------------------- */

struct heap {		 /* of one set */
	uint32_t *way;	 /* [size] by place in the heap */
	uint32_t *place; /* [ways] the inverse */
	uint32_t *size;
	const uint64_t *when; /* [ways] */
};

static struct heap
heap_of(struct wcp_cache *c, uint64_t set)
{
	struct cache_wide_state *w = &c->wide;
	return (struct heap){w->link[0] + set * c->stride, w->link[1] + set * c->stride,
	    &w->end[0][set], c->stamp + set * c->stride};
}

static void
heap_put(struct heap *h, uint32_t place, uint32_t way)
{
	h->way[place] = way;
	h->place[way] = place;
}

/* Way stands at place, or above or below it, wherever its time belongs. */
static void
heap_settle(struct heap *h, uint32_t place, uint32_t way)
{
	uint64_t when = h->when[way];
	while (place && h->when[h->way[(place - 1) / 2]] < when) {
		heap_put(h, place, h->way[(place - 1) / 2]);
		place = (place - 1) / 2;
	}
	for (;;) {
		uint32_t child = 2 * place + 1;
		if (child >= *h->size)
			break;
		if (child + 1 < *h->size && h->when[h->way[child]] < h->when[h->way[child + 1]])
			child++;
		if (h->when[h->way[child]] <= when)
			break;
		heap_put(h, place, h->way[child]);
		place = child;
	}
	heap_put(h, place, way);
}

static void
heap_remove(struct heap *h, uint32_t way)
{
	uint32_t place = h->place[way], last = h->way[--*h->size];
	if (place < *h->size)
		heap_settle(h, place, last);
}

/* ---- the loop's hooks ----------------------------------------------------------------------- */

static inline uint32_t
loop_vacant(struct wcp_cache *c, uint64_t set, uint32_t ways)
{
	const uint64_t *empty = c->wide.empty + set * c->wide.words;
	if (c->wide.vacant[set] == 0)
		return ways;
	uint32_t word = c->wide.hint[set];
	while (!empty[word])
		word++;
	c->wide.hint[set] = word;
	return word * 64 + (uint32_t)__builtin_ctzll(empty[word]);
}

static inline uint32_t
loop_victim(const struct wcp_cache *c, uint64_t set, uint32_t ways, uint64_t random)
{
	const struct cache_wide_state *w = &c->wide;
	if (c->o.replacement == WCP_RANDOM)
		return (uint32_t)((random >> 32) * ways >> 32);
	return c->o.replacement == WCP_OPT ? w->link[0][set * c->stride] : w->end[BACK][set];
}

static inline void
loop_touch(struct wcp_cache *c, uint64_t set, uint32_t ways, uint32_t way, uint64_t when)
{
	(void)ways;
	if (c->o.replacement == WCP_LRU && c->wide.end[FRONT][set] != way) {
		list_remove(c, set, way);
		list_add(c, set, way);
	} else if (c->o.replacement == WCP_OPT) {
		struct heap h = heap_of(c, set);
		c->stamp[set * c->stride + way] = when;
		heap_settle(&h, h.place[way], way);
	}
}

static inline void
loop_came(struct wcp_cache *c, uint64_t set, uint32_t ways, uint32_t way, uint64_t when)
{
	(void)ways;
	struct cache_wide_state *w = &c->wide;
	hash_add(c, set, way);
	w->empty[set * w->words + way / 64] &= ~(1ull << way % 64);
	w->vacant[set]--;
	if (c->o.replacement == WCP_OPT) {
		struct heap h = heap_of(c, set);
		c->stamp[set * c->stride + way] = when;
		heap_settle(&h, (*h.size)++, way);
	} else if (c->o.replacement != WCP_RANDOM) {
		list_add(c, set, way);
	}
}

static inline void
loop_went(struct wcp_cache *c, uint64_t set, uint32_t ways, uint32_t way)
{
	(void)ways;
	struct cache_wide_state *w = &c->wide;
	hash_remove(c, set, way);
	w->empty[set * w->words + way / 64] |= 1ull << way % 64;
	w->vacant[set]++;
	if (way / 64 < w->hint[set])
		w->hint[set] = way / 64;
	if (c->o.replacement == WCP_OPT) {
		struct heap h = heap_of(c, set);
		heap_remove(&h, way);
	} else if (c->o.replacement != WCP_RANDOM) {
		list_remove(c, set, way);
	}
}

#include "cache/loop.h"

static void
run(struct wcp_cache *c, const struct cache_chunk *k)
{
	run_ways(c, k, c->o.ways);
}

const struct cache_policy cache_wide = {"wide", run};

/* ---- storage -------------------------------------------------------------------------------- */

int
cache_wide_resize(struct wcp_cache *c, uint64_t had, uint64_t sets)
{
	struct cache_wide_state *w = &c->wide;
	int status = 0;
	w->words = (c->o.ways + 63) / 64;
	for (w->slots = 4; w->slots < 2 * c->o.ways;)
		w->slots *= 2;
	w->slot = cache_grown(w->slot, sizeof *w->slot, had * w->slots, sets * w->slots, &status);
	w->empty =
	    cache_grown(w->empty, sizeof *w->empty, had * w->words, sets * w->words, &status);
	w->vacant = cache_grown(w->vacant, sizeof *w->vacant, had, sets, &status);
	w->hint = cache_grown(w->hint, sizeof *w->hint, had, sets, &status);
	for (int i = 0; i < 2; i++) {
		w->link[i] = cache_grown(
		    w->link[i], sizeof *w->link[i], had * c->stride, sets * c->stride, &status);
		w->end[i] = cache_grown(w->end[i], sizeof *w->end[i], had, sets, &status);
	}
	return status;
}

void
cache_wide_empty(struct wcp_cache *c, uint64_t first, uint64_t sets)
{
	struct cache_wide_state *w = &c->wide;
	uint32_t nobody = c->o.replacement == WCP_OPT ? 0 : NOBODY;
	memset(w->slot + first * w->slots, 0, (sets - first) * w->slots * sizeof *w->slot);
	for (uint64_t set = first; set < sets; set++) {
		uint64_t *empty = w->empty + set * w->words;
		memset(empty, 255, w->words * sizeof *empty);
		if (c->o.ways % 64)
			empty[w->words - 1] = (1ull << c->o.ways % 64) - 1;
		w->vacant[set] = c->o.ways;
		w->hint[set] = 0;
		w->end[0][set] = w->end[1][set] = nobody;
	}
}

void
cache_wide_release(struct wcp_cache *c)
{
	struct cache_wide_state *w = &c->wide;
	void *array[] = {
	    w->slot, w->empty, w->vacant, w->hint, w->link[0], w->link[1], w->end[0], w->end[1]};
	for (size_t i = 0; i < sizeof array / sizeof *array; i++)
		free(array[i]);
}
