/*
 * Tags, replacement and state of the lines of one cache. Up to 64 ways a set is masks and short
 * scans; above that, or without bound, a hash table finds lines and a list keeps their order.
 */
#ifndef NBCACHE_TAGS_H
#define NBCACHE_TAGS_H

#include "warpcap/nbcache.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define TAGS_NO_NUMBER UINT64_MAX /* no line number is that large: lines have at least 4 bytes */
#define TAGS_NONE      UINT32_MAX

enum { TAGS_SMALL_WAYS = 64 };

struct tags_line {
	uint64_t number; /* TAGS_NO_NUMBER: free */
	uint32_t valid;	 /* by tags_set_valid */
	uint32_t dirty, reserved, owner;
};

struct tags_set {		 /* small */
	uint64_t free, reserved; /* ways */
	uint64_t whole;		 /* those whose sectors are all valid */
	uint64_t tree; /* PLRU: bit i is node i, root 1; set: the victim is in its upper half */
};

struct tags_list { /* big: of a set */
	uint32_t newest, oldest;
	uint32_t used, reserved;
	uint32_t lowest_free; /* no way below is free */
};

struct tags_link {
	uint32_t newer, older;
};

struct tags {
	enum wcp_replacement replacement;
	bool is_big, is_bounded;
	uint32_t ways, stride; /* places of a set; unbounded: that there are memory for */
	uint32_t all_sectors;  /* mask */
	uint64_t all_ways;     /* small: mask */
	uint64_t sets, seed;
	uint64_t clock;		/* of stamps; 0 is free */
	struct tags_line *line; /* [sets][stride] */
	uint8_t *space;		/* [sets][stride] */
	uint32_t *mshr;		/* [sets][stride] of a line reserved, where MSHRs are direct */
	/* small */
	uint32_t *mark,
	    *high;	 /* [sets][stride] halves of numbers; of a free way, of what was there */
	uint64_t *stamp; /* [sets][stride] */
	struct tags_set *set;
	/* big */
	struct tags_list *list;
	struct tags_link *link; /* [sets][stride] */
	uint32_t *slot;		/* [slot_mask + 1] 1 + place, 0: free */
	uint32_t slot_mask;
};

int tags_init(struct tags *t, const struct wcp_nb_options *o, struct wcp_error *e);
void tags_release(struct tags *t);
/* Makes sure that tags_choose of an unbounded cache finds a place; 0 or WCP_ESYS. */
int tags_grow(struct tags *t);
static inline int
tags_reserve(struct tags *t)
{
	return t->is_bounded || t->list->used < t->ways ? 0 : tags_grow(t);
}

uint32_t tags_find_big(const struct tags *t, uint64_t number);
void tags_touch_big(struct tags *t, uint32_t place);
/* A free place of the set, else the one to be evicted; TAGS_NONE: all are reserved. n: number of
 * the access, for RANDOM. */
uint32_t tags_choose(const struct tags *t, uint64_t set, uint64_t n);
/* Of a small set: would that find one? */
static inline bool
tags_has_way(const struct tags *t, uint64_t set)
{
	return t->set[set].free || t->set[set].reserved != t->all_ways;
}
/* Puts a line, without sectors yet, where nothing is any more. */
void tags_put(
    struct tags *t, uint64_t set, uint32_t place, uint64_t number, uint32_t owner, uint8_t space);
void tags_drop(struct tags *t, uint64_t set, uint32_t place);
/* Tree-PLRU: the bits on the way from the root point away from it. */
void tags_touch_tree(struct tags *t, uint64_t set, uint32_t way);
/* Sets which sectors of a line are to come. */
void tags_mark_reserved(struct tags *t, uint64_t set, uint32_t place, uint32_t sectors);

static inline uint64_t
tags_hash(uint64_t key)
{
	uint64_t h = key * 0x9e3779b97f4a7c15u;
	return h ^ h >> 32;
}

#ifdef __SSE2__
static inline __m128i
tags_compare(const uint32_t *mark, __m128i key)
{
	return _mm_cmpeq_epi32(_mm_load_si128((const __m128i *)(const void *)mark), key);
}
#endif

/* Bits of the ways from first on whose marks are the number's. */
static inline uint64_t
tags_equal(const struct tags *t, uint32_t first, uint64_t number)
{
	const uint32_t *mark = t->mark + first;
	uint64_t equal = 0;
#ifdef __SSE2__
	__m128i key = _mm_set1_epi32((int)(uint32_t)number);
	if (t->stride == 8) {
		__m128i both =
		    _mm_packs_epi32(tags_compare(mark, key), tags_compare(mark + 4, key));
		return (unsigned)_mm_movemask_epi8(_mm_packs_epi16(both, _mm_setzero_si128()));
	}
	for (uint32_t w = 0; w < t->stride; w += 4) {
		__m128i same = tags_compare(mark + w, key);
		equal |= (uint64_t)(unsigned)_mm_movemask_ps(_mm_castsi128_ps(same)) << w;
	}
#else
	for (uint32_t w = 0; w < t->ways; w++)
		equal |= (uint64_t)(mark[w] == (uint32_t)number) << w;
#endif
	return equal;
}

/* Where a line is; TAGS_NONE. Marks may agree by chance, but numbers are told apart by both halves.
 * All ways are compared before any is looked at: which of them it is cannot be foreseen, how many
 * there are can. */
static inline uint32_t
tags_find_small(const struct tags *t, uint64_t set, uint64_t number)
{
	uint32_t base = (uint32_t)(set * t->stride);
	uint64_t equal = tags_equal(t, base, number) & t->all_ways & ~t->set[set].free;
	for (; equal; equal &= equal - 1) {
		uint32_t place = base + (uint32_t)__builtin_ctzll(equal);
		if (t->high[place] == number >> 32)
			return place;
	}
	return TAGS_NONE;
}

/* Are all sectors of the line there valid? */
static inline bool
tags_is_whole(const struct tags *t, uint64_t set, uint32_t place)
{
	return t->set[set].whole >> (place - (uint32_t)set * t->stride) & 1;
}

/* A line, or TAGS_NO_NUMBER, of which nothing is there. */
static inline void
tags_line_set(struct tags_line *l, uint64_t number, uint32_t owner)
{
	l->number = number;
	l->valid = l->dirty = l->reserved = 0;
	l->owner = owner;
}

/* A line takes a place of a small set without a tree, whatever was there. Only its sectors are to
 * be set then. */
static inline void
tags_take_over(
    struct tags *t, uint64_t set, uint32_t place, uint64_t number, uint32_t owner, uint8_t space)
{
	uint64_t way = 1ull << (place - (uint32_t)set * t->stride);
	tags_line_set(&t->line[place], number, owner);
	t->mark[place] = (uint32_t)number;
	t->high[place] = (uint32_t)(number >> 32);
	t->stamp[place] = ++t->clock;
	t->space[place] = space;
	t->set[set].free &= ~way;
	t->set[set].whole &= ~way;
}

/* Sets which sectors of a line are valid. */
static inline void
tags_set_valid(struct tags *t, uint64_t set, uint32_t place, uint32_t sectors)
{
	t->line[place].valid = sectors;
	if (!t->is_big) {
		uint64_t way = 1ull << (place - (uint32_t)set * t->stride);
		bool whole = sectors == t->all_sectors;
		t->set[set].whole = (t->set[set].whole & ~way) | (whole ? way : 0);
	}
}

static inline void
tags_add_valid(struct tags *t, uint64_t set, uint32_t place, uint32_t sectors)
{
	tags_set_valid(t, set, place, t->line[place].valid | sectors);
}

static inline uint32_t
tags_find(const struct tags *t, uint64_t set, uint64_t number)
{
	if (__builtin_expect(t->is_big, 0))
		return tags_find_big(t, number);
	return tags_find_small(t, set, number);
}

static inline void
tags_touch(struct tags *t, uint64_t set, uint32_t place)
{
	if (__builtin_expect(t->is_big, 0))
		tags_touch_big(t, place);
	else if (t->replacement == WCP_LRU)
		t->stamp[place] = ++t->clock;
	else if (t->replacement == WCP_PLRU)
		tags_touch_tree(t, set, place - (uint32_t)set * t->stride);
}

#endif
