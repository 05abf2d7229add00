/* Inside the cache model: what the batch side (cache.c), storage and the
 * policies (lru.c ...) share.
 */
#ifndef CACHE_POLICY_H
#define CACHE_POLICY_H

#include "warpcap/cache.h"

#define CACHE_NO_LINE \
	(UINT64_MAX >> 1)	 /* no line number is that large: lines have at least 4 bytes */
#define CACHE_DIRTY (1ull << 63) /* on a tag, in ordered caches only */

enum { CACHE_CHUNK = 256 };

/* What an access does, by kind, space and flags: looked up, not decided again for each. */
struct cache_action {
	uint8_t hit, sector, miss; /* result if all, some, none of it is there */
	bool looks_up;		   /* false: result is always miss */
	bool allocates, dirties, drops;
	bool leaves[2]; /* no line comes to the front: on a miss, on a hit */
};
enum {
	CACHE_LOCAL = 8,
	CACHE_UNCACHED = 16,
	CACHE_ACTIONS = 32
}; /* added to enum wcp_access_kind */

/* Up to CACHE_CHUNK accesses, prepared. */
struct cache_chunk {
	size_t n;
	uint64_t number[CACHE_CHUNK]; /* of the line */
	uint64_t set[CACHE_CHUNK];    /* counted through all copies */
	uint8_t action[CACHE_CHUNK];
	const uint32_t *sectors, *owner; /* may be NULL */
	const uint64_t *next;		 /* OPT: not NULL */
	struct wcp_cache_result out;	 /* columns may be NULL */
};

/* A replacement policy: its one hook takes a chunk, so that policy and loop are compiled as one. */
struct cache_policy {
	const char *name;
	void (*run)(struct wcp_cache *c, const struct cache_chunk *k);
};
extern const struct cache_policy cache_lru, cache_fifo, cache_random, cache_plru, cache_opt;
/* LRU of whole lines, see ordered.c: by the best instructions there are, or by fewer. */
extern const struct cache_policy cache_ordered, cache_ordered_avx2, cache_ordered_portable;
/* The same in sets of 8 or 16 places, where order[] is kept; see ranked.c. */
extern const struct cache_policy cache_ranked;
bool cache_ranked_runs(void); /* here, and nothing better does */
void cache_ranked_empty(struct wcp_cache *c, uint64_t first_set, uint64_t sets);
/* Tags come into the order of their use. */
void cache_ranked_sort(struct wcp_cache *c, uint64_t sets);
/* All of them but PLRU in sets of many ways, and no bound at all: wide.c and unbounded.c. */
extern const struct cache_policy cache_wide, cache_unbounded;
enum { CACHE_WIDE_WAYS = 128 }; /* with more, sets are wide */

/* What sets of many ways have beside the lines. */
struct cache_wide_state {
	uint32_t slots; /* of a set's hash table, a power of two */
	uint32_t words; /* of a set's bitmap of empty ways */
	uint32_t *slot; /* [copies][sets][slots] 1 + way, 0: free */
	uint32_t
	    *link[2]; /* [copies][sets][stride] list: towards front and back; heap: way, place */
	uint32_t *end[2]; /* [copies][sets] list: first and last way; heap: [0] its size */
	uint64_t *empty;  /* [copies][sets][words] bits of empty ways */
	uint32_t *vacant; /* [copies][sets] how many there are */
	uint32_t *hint;	  /* [copies][sets] none is in a word before this */
};

struct cache_unbounded_state {
	uint64_t slots;	 /* a power of two */
	uint32_t *slot;	 /* [slots] 1 + place, 0: free */
	uint32_t *copy;	 /* [capacity] */
	uint32_t *spare; /* [n_spare] places of lines that were dropped */
	uint32_t capacity, used, n_spare;
};

struct wcp_cache {
	struct wcp_cache_options o;
	struct wcp_setindex index;
	const struct cache_policy *policy;
	bool is_ordered;
	uint32_t stride;      /* ways, padded; 0 without bound */
	uint32_t all_sectors; /* mask */
	uint64_t now;	      /* accesses so far: the policies' clock */
	struct cache_action action[CACHE_ACTIONS];
	struct wcp_cache_counts counts;
	uint64_t *tag;		 /* [copies][sets][stride] line numbers or CACHE_NO_LINE */
	uint64_t *stamp;	 /* the same shape; these three are NULL in an ordered cache */
	uint32_t *valid, *dirty; /* sectors */
	uint32_t *owner; /* who brought the line; an ordered cache has it with track_owner only */
	uint8_t *order;	 /* [copies][sets][stride] ways, most recent first; ordered caches of 8 or
			    16 places a set */
	bool is_erratic; /* ranked.c: hits and misses take turns of late */
	struct cache_wide_state wide;
	struct cache_unbounded_state unbounded;
};

/* Lines that there is room for in so many copies. */
static inline uint64_t
cache_places(const struct wcp_cache *c, uint32_t copies)
{
	return c->o.ways ? copies * c->index.options.sets * c->stride : c->unbounded.capacity;
}

void cache_fill_actions(struct wcp_cache *c);
/* The action of access i. */
static inline unsigned
cache_action_number(const struct wcp_cache_batch *in, size_t i)
{
	unsigned n = in->kind ? in->kind[i] & 7 : WCP_LOAD;
	n |= in->space && in->space[i] == WCP_SPACE_LOCAL ? CACHE_LOCAL : 0;
	return n | (in->flags && in->flags[i] & WCP_ACCESS_UNCACHED ? CACHE_UNCACHED : 0);
}

/* storage.c: a longer array that begins as old did; on failure old, and status set. */
void *cache_grown(void *old, size_t item_bytes, uint64_t had, uint64_t n, int *status);
void cache_empty(struct wcp_cache *c, uint64_t first_place, uint64_t n);

/* wide.c; 0 or WCP_ESYS. New sets must be emptied. */
int cache_wide_resize(struct wcp_cache *c, uint64_t had_sets, uint64_t sets);
void cache_wide_empty(struct wcp_cache *c, uint64_t first_set, uint64_t sets);
void cache_wide_release(struct wcp_cache *c);
/* unbounded.c */
int cache_unbounded_reserve(struct wcp_cache *c, uint64_t n, struct wcp_error *e);
void cache_unbounded_empty(struct wcp_cache *c);
void cache_unbounded_release(struct wcp_cache *c);

/* Writes the victim of access i; cache_result its result. */
static inline void
cache_victim(const struct wcp_cache *c, const struct cache_chunk *k, size_t i, uint64_t number,
    uint32_t sectors, uint32_t owner)
{
	if (k->out.victim)
		k->out.victim[i] = number << c->index.line_shift;
	if (k->out.victim_sectors)
		k->out.victim_sectors[i] = sectors;
	if (k->out.victim_owner)
		k->out.victim_owner[i] = owner;
}

static inline void
cache_result(
    struct wcp_cache *c, const struct cache_chunk *k, size_t i, uint8_t result, uint32_t missing)
{
	c->counts.result[result]++;
	if (k->out.result)
		k->out.result[i] = result;
	if (k->out.missing)
		k->out.missing[i] = missing;
}

#endif
