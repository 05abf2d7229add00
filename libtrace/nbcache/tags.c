#include <stdlib.h>
#include <string.h>
#include "nbcache/tags.h"

enum { UNBOUNDED_START = 1024 };
#define PLACES_MAX (1u << 30)

static void *
array(uint64_t n, size_t item_bytes)
{
	size_t bytes = (n * item_bytes + 63) & ~(size_t)63;
	void *p = aligned_alloc(64, bytes ? bytes : 64);
	if (p)
		memset(p, 0, bytes);
	return p;
}

static void
free_places(struct tags *t, uint32_t first, uint32_t n)
{
	for (uint32_t i = first; i < n; i++)
		tags_line_set(&t->line[i], TAGS_NO_NUMBER, 0);
}

static bool
make_small(struct tags *t, uint64_t places)
{
	t->mark = array(places, sizeof *t->mark);
	t->high = array(places, sizeof *t->high);
	t->stamp = array(places, sizeof *t->stamp);
	t->set = array(t->sets, sizeof *t->set);
	t->all_ways = UINT64_MAX >> (64 - t->ways);
	for (uint64_t s = 0; t->set && s < t->sets; s++)
		t->set[s].free = t->all_ways;
	return t->mark && t->high && t->stamp && t->set;
}

static uint32_t
slots_for(uint64_t places)
{
	uint64_t n = 16;
	while (n < places * 2)
		n *= 2;
	return (uint32_t)(n - 1);
}

static bool
make_big(struct tags *t, uint64_t places)
{
	t->slot_mask = slots_for(places);
	t->link = array(places, sizeof *t->link);
	t->list = array(t->sets, sizeof *t->list);
	t->slot = array(t->slot_mask + 1ull, sizeof *t->slot);
	for (uint64_t s = 0; t->list && s < t->sets; s++)
		t->list[s] = (struct tags_list){TAGS_NONE, TAGS_NONE, 0, 0, 0};
	return t->link && t->list && t->slot;
}

int
tags_init(struct tags *t, const struct wcp_nb_options *o, struct wcp_error *e)
{
	uint64_t places;
	memset(t, 0, sizeof *t);
	t->replacement = o->replacement;
	t->is_bounded = o->ways != 0;
	t->is_big = !o->ways || o->ways > TAGS_SMALL_WAYS;
	t->ways = o->ways ? o->ways : UNBOUNDED_START;
	t->stride = t->is_big ? t->ways : (t->ways + 3) & ~3u;
	t->sets = o->ways ? o->index.sets : 1;
	t->seed = o->seed;
	if (__builtin_mul_overflow(t->sets, t->stride, &places) || places > PLACES_MAX)
		return wcp_fail(e, WCP_EUSAGE, "a cache of %llu sets and %u ways is too large",
		    (unsigned long long)t->sets, t->ways);
	t->line = array(places, sizeof *t->line);
	t->space = array(places, sizeof *t->space);
	t->mshr = array(places, sizeof *t->mshr);
	bool made = t->is_big ? make_big(t, places) : make_small(t, places);
	if (!t->line || !t->space || !t->mshr || !made)
		return wcp_fail(e, WCP_ESYS, "no memory for a cache");
	free_places(t, 0, (uint32_t)places);
	return 0;
}

void
tags_release(struct tags *t)
{
	void *all[] = {t->line, t->space, t->mshr, t->mark, t->high, t->stamp, t->set, t->list,
	    t->link, t->slot};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		free(all[i]);
}

/* ---- the hash table of big ones: linear probing, no tombstones ----------------------------- */

static uint32_t
slot_of(const struct tags *t, uint64_t number)
{
	uint32_t at = (uint32_t)tags_hash(number) & t->slot_mask;
	while (t->slot[at] && t->line[t->slot[at] - 1].number != number)
		at = (at + 1) & t->slot_mask;
	return at;
}

uint32_t
tags_find_big(const struct tags *t, uint64_t number)
{
	return t->slot[slot_of(t, number)] - 1; /* 0 - 1 is TAGS_NONE */
}

/* What stands behind a freed slot moves up if that is nearer to where it belongs. */
static void
slot_free(struct tags *t, uint32_t hole)
{
	uint32_t mask = t->slot_mask;
	for (uint32_t at = (hole + 1) & mask; t->slot[at]; at = (at + 1) & mask) {
		uint32_t home = (uint32_t)tags_hash(t->line[t->slot[at] - 1].number) & mask;
		if (((at - home) & mask) >= ((at - hole) & mask)) {
			t->slot[hole] = t->slot[at];
			hole = at;
		}
	}
	t->slot[hole] = 0;
}

static void
unlink_place(struct tags *t, struct tags_list *l, uint32_t place)
{
	struct tags_link k = t->link[place];
	*(k.newer == TAGS_NONE ? &l->newest : &t->link[k.newer].older) = k.older;
	*(k.older == TAGS_NONE ? &l->oldest : &t->link[k.older].newer) = k.newer;
}

static void
link_newest(struct tags *t, struct tags_list *l, uint32_t place)
{
	t->link[place] = (struct tags_link){TAGS_NONE, l->newest};
	*(l->newest == TAGS_NONE ? &l->oldest : &t->link[l->newest].newer) = place;
	l->newest = place;
}

void
tags_touch_big(struct tags *t, uint32_t place)
{
	struct tags_list *l = &t->list[place / t->stride];
	if (t->replacement != WCP_LRU || l->newest == place)
		return;
	unlink_place(t, l, place);
	link_newest(t, l, place);
}

static void *
longer(void *old, uint64_t had, uint64_t n, size_t item_bytes)
{
	void *p = array(n, item_bytes);
	if (p)
		memcpy(p, old, had * item_bytes);
	return p;
}

int
tags_grow(struct tags *t)
{
	uint32_t had = t->ways, n = had * 2;
	struct tags g = *t;
	if (n > PLACES_MAX)
		return WCP_ESYS;
	g.slot_mask = slots_for(n);
	g.line = longer(t->line, had, n, sizeof *t->line);
	g.space = longer(t->space, had, n, sizeof *t->space);
	g.mshr = longer(t->mshr, had, n, sizeof *t->mshr);
	g.link = longer(t->link, had, n, sizeof *t->link);
	g.slot = array(g.slot_mask + 1ull, sizeof *t->slot);
	bool ok = g.line && g.space && g.mshr && g.link && g.slot;
	const struct tags *old = ok ? t : &g;
	void *gone[] = {old->line, old->space, old->mshr, old->link, old->slot};
	for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
		free(gone[i]);
	if (!ok)
		return WCP_ESYS;
	g.ways = g.stride = n;
	*t = g;
	free_places(t, had, n);
	for (uint32_t i = 0; i < had; i++)
		t->slot[slot_of(t, t->line[i].number)] = i + 1;
	return 0;
}

/* ---- replacement ---------------------------------------------------------------------------- */

/* By the number of the access, as in the functional cache. splitmix64. */
static uint32_t
random_way(const struct tags *t, uint64_t n)
{
	uint64_t x = t->seed + (n + 1) * 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	x ^= x >> 31;
	return (uint32_t)((x >> 32) * t->ways >> 32);
}

static uint32_t
choose_big(const struct tags *t, uint64_t set, uint64_t n)
{
	const struct tags_list *l = &t->list[set];
	uint32_t base = (uint32_t)set * t->stride;
	if (l->used < t->ways) {
		uint32_t way = l->lowest_free;
		while (t->line[base + way].number != TAGS_NO_NUMBER)
			way++;
		return base + way;
	}
	if (!t->is_bounded || l->reserved == t->ways)
		return TAGS_NONE;
	if (t->replacement == WCP_RANDOM) {
		uint32_t way = random_way(t, n);
		while (t->line[base + way].reserved)
			way = way + 1 == t->ways ? 0 : way + 1;
		return base + way;
	}
	uint32_t place = l->oldest;
	while (t->line[place].reserved)
		place = t->link[place].newer;
	return place;
}

static uint32_t
oldest_way(const struct tags *t, const uint64_t *stamp, uint64_t reserved)
{
	uint64_t least = UINT64_MAX;
	uint32_t oldest = 0;
	for (uint32_t way = 0; !reserved && way < t->ways; way++) {
		oldest = stamp[way] < least ? way : oldest;
		least = stamp[way] < least ? stamp[way] : least;
	}
	for (uint32_t way = 0; reserved && way < t->ways; way++) {
		uint64_t s = stamp[way] | -(reserved >> way & 1);
		oldest = s < least ? way : oldest;
		least = s < least ? s : least;
	}
	return oldest;
}

/* Where the bits lead, but never into a half whose ways are all reserved. */
static uint32_t
tree_way(const struct tags *t, const struct tags_set *s)
{
	uint32_t node = 1, first = 0;
	for (uint32_t half = t->ways / 2; half; half /= 2) {
		uint64_t ways = UINT64_MAX >> (64 - half);
		uint32_t upper = s->tree >> node & 1;
		if (!(~s->reserved >> (first + upper * half) & ways))
			upper = !upper;
		first += upper * half;
		node = node * 2 + upper;
	}
	return first;
}

uint32_t
tags_choose(const struct tags *t, uint64_t set, uint64_t n)
{
	if (t->is_big)
		return choose_big(t, set, n);
	const struct tags_set *s = &t->set[set];
	uint32_t base = (uint32_t)set * t->stride;
	if (s->free)
		return base + (uint32_t)__builtin_ctzll(s->free);
	if (s->reserved == t->all_ways)
		return TAGS_NONE;
	if (t->replacement == WCP_RANDOM) {
		uint32_t way = random_way(t, n);
		while (s->reserved >> way & 1)
			way = way + 1 == t->ways ? 0 : way + 1;
		return base + way;
	}
	if (t->replacement == WCP_PLRU)
		return base + tree_way(t, s);
	return base + oldest_way(t, t->stamp + base, s->reserved);
}

void
tags_touch_tree(struct tags *t, uint64_t set, uint32_t way)
{
	uint64_t bits = t->set[set].tree;
	uint32_t node = 1;
	for (uint32_t half = t->ways / 2; half; half /= 2) {
		uint32_t upper = (way & half) != 0;
		bits = (bits & ~(1ull << node)) | (uint64_t)!upper << node;
		node = node * 2 + upper;
	}
	t->set[set].tree = bits;
}

void
tags_put(
    struct tags *t, uint64_t set, uint32_t place, uint64_t number, uint32_t owner, uint8_t space)
{
	if (t->is_big) {
		struct tags_list *l = &t->list[set];
		t->slot[slot_of(t, number)] = place + 1;
		l->lowest_free = place - (uint32_t)set * t->stride + 1;
		l->used++;
		link_newest(t, l, place);
	} else {
		uint32_t way = place - (uint32_t)set * t->stride;
		t->set[set].free &= ~(1ull << way);
		t->mark[place] = (uint32_t)number;
		t->high[place] = (uint32_t)(number >> 32);
		t->stamp[place] = ++t->clock;
		if (t->replacement == WCP_PLRU)
			tags_touch_tree(t, set, way);
	}
	tags_line_set(&t->line[place], number, owner);
	t->space[place] = space;
}

void
tags_drop(struct tags *t, uint64_t set, uint32_t place)
{
	uint32_t way = place - (uint32_t)set * t->stride;
	if (t->is_big) {
		struct tags_list *l = &t->list[set];
		slot_free(t, slot_of(t, t->line[place].number));
		unlink_place(t, l, place);
		l->used--;
		l->lowest_free = way < l->lowest_free ? way : l->lowest_free;
	} else {
		t->set[set].free |= 1ull << way;
		t->set[set].whole &= ~(1ull << way);
	}
	tags_line_set(&t->line[place], TAGS_NO_NUMBER, 0);
}

void
tags_mark_reserved(struct tags *t, uint64_t set, uint32_t place, uint32_t sectors)
{
	struct tags_line *l = &t->line[place];
	bool was = l->reserved != 0, is = sectors != 0;
	l->reserved = sectors;
	if (was == is)
		return;
	if (t->is_big)
		t->list[set].reserved += is ? 1u : UINT32_MAX;
	else
		t->set[set].reserved ^= 1ull << (place - (uint32_t)set * t->stride);
}
