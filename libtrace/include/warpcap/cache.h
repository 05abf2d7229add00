/*
 * A set-associative cache without time: tags, replacement, sectors and write policies. Accesses
 * come in batches, in order; what became of each goes to an array. One model may stand for several
 * equal caches side by side (copies: the L1s of all SMs), each with sets of its own.
 */
#ifndef WARPCAP_CACHE_H
#define WARPCAP_CACHE_H

#include "warpcap/batch.h"
#include "warpcap/setindex.h"

/*
 * PLRU is the tree of Intel's and IBM's caches, a bit a node; ways are a power of two up to 64. OPT
 * is Belady's MIN, which must be told when lines are used next (future.h): it brings in the fewest
 * lines that a cache can which takes every line it fetches. Sectors are no business of its choice.
 */
enum wcp_replacement { WCP_LRU, WCP_FIFO, WCP_RANDOM, WCP_PLRU, WCP_OPT, WCP_REPLACEMENT_COUNT };
const char *wcp_replacement_name(enum wcp_replacement r); /* "?" past the end */

/*
 * What a store does. Atomics are done here under the last two, which mark the line dirty; under the
 * first two they drop the line and go on. A write-back from the level above allocates under the
 * last two, without a fetch.
 */
enum wcp_write_policy {
	WCP_WRITE_THROUGH,  /* updates the line if it is there, goes on always; allocates nothing */
	WCP_WRITE_EVICT,    /* drops the line if it is there, goes on always */
	WCP_WRITE_BACK,	    /* a miss fetches the line; stores stay here until eviction */
	WCP_WRITE_VALIDATE, /* like BACK, but a miss fetches nothing: what was stored is valid */
	WCP_WRITE_COUNT
};
const char *wcp_write_name(enum wcp_write_policy w); /* "?" past the end */

struct wcp_cache_options {
	struct wcp_index_options index; /* number of sets, line size and set function */
	uint32_t ways; /* up to 2^24; 0: as many as there are lines, see wcp_cache_reserve() */
	uint32_t sector_bytes; /* 0 or line_bytes: whole lines; else line_bytes / sector_bytes is at
				  most 32 */
	enum wcp_replacement replacement;
	enum wcp_write_policy global_write,
	    local_write;      /* local: space WCP_SPACE_LOCAL; global: the others */
	bool bypass_uncached; /* WCP_ACCESS_UNCACHED ones go past */
	bool store_around;    /* a store that misses goes on and allocates nothing, under BACK and
				 VALIDATE as well; one that hits stays */
	bool keeps_dropped;   /* for comparison: accesses that would drop a line leave it there */
	bool track_owner;     /* remember who brought each line */
	uint32_t copies;      /* equal caches side by side, at least 1 */
	uint64_t seed;	      /* RANDOM */
};

/* An access's result: an enum wcp_outcome, with these or-ed on. */
enum wcp_cache_result_bits {
	WCP_CACHE_PRESENT =
	    1 << 4, /* line and sectors were there: a hit, also where the outcome is FORWARD */
	WCP_CACHE_PASS =
	    1 << 5, /* goes on to the next level: a fetch, a store passed on, a bypass */
	WCP_CACHE_VICTIM = 1 << 6, /* a line was evicted for it */
	WCP_CACHE_DIRTY = 1 << 7,  /* which was dirty: a write-back */
	WCP_CACHE_OUTCOME = 15,
};

#define WCP_NEVER UINT64_MAX /* no next use */

/* Columns of n accesses, as in struct wcp_access_batch; only line must be there. */
struct wcp_cache_batch {
	size_t n;
	const uint64_t *line;	 /* byte addresses */
	const uint32_t *sectors; /* NULL: all of the line. An empty mask means all, too */
	const uint8_t *
	    kind; /* NULL: loads. FILL is none of the cache's business: outcome NONE, not counted */
	const uint8_t *space;  /* NULL: global */
	const uint16_t *flags; /* NULL: 0 */
	const uint16_t *copy;  /* NULL: 0; below copies */
	const uint32_t *owner; /* NULL: 0; with track_owner */
	const uint64_t *next;  /* OPT: number of the next use, WCP_NEVER if none, see future.h */
	const uint64_t *place; /* byte addresses that sets are found by, NULL: line; see slice.h */
};

/* Where results go; each may be NULL. */
struct wcp_cache_result {
	uint8_t *result;  /* [n] */
	uint64_t *victim; /* [n] byte address of the evicted line; unset without WCP_CACHE_VICTIM */
	uint32_t
	    *missing; /* [n] sectors wanted that were not there; unset for what is not looked up */
	uint32_t *victim_sectors; /* [n] its dirty sectors */
	uint32_t *victim_owner;	  /* [n] with track_owner */
};

/* Accesses by what became of them: result[r] of them had result r. */
struct wcp_cache_counts {
	uint64_t result[256];
};

struct wcp_cache;

/* WCP_EUSAGE says which part of the geometry cannot be; WCP_ESYS: no memory. */
struct wcp_cache *wcp_cache_new(const struct wcp_cache_options *o, struct wcp_error *e);
void wcp_cache_free(struct wcp_cache *c);
/* More copies, empty ones; the others keep what they hold. */
int wcp_cache_grow(struct wcp_cache *c, uint32_t copies, struct wcp_error *e);
uint32_t wcp_cache_copies(const struct wcp_cache *c);
/* A cache without bound (ways 0, one set): makes room for n more lines than it holds. Call it
 * before each run with the accesses of that run. */
int wcp_cache_reserve(struct wcp_cache *c, uint64_t n, struct wcp_error *e);
const struct wcp_setindex *wcp_cache_index(const struct wcp_cache *c);

/* out may be NULL. Columns that copy and owner stand for are checked by the caller. */
void wcp_cache_run(
    struct wcp_cache *c, const struct wcp_cache_batch *in, const struct wcp_cache_result *out);

/* Since the start. */
const struct wcp_cache_counts *wcp_cache_counts(const struct wcp_cache *c);
uint64_t
wcp_cache_accesses(const struct wcp_cache_counts *counts); /* hits + misses + sector misses */
uint64_t wcp_cache_hits(const struct wcp_cache_counts *counts);

struct wcp_cache_line {	  /* a line that leaves on invalidation */
	uint64_t line;	  /* byte address */
	uint32_t sectors; /* dirty ones */
	uint32_t owner;
	uint32_t copy;
};

/* Empties all copies. Each dirty line is told to write_back (which may be NULL) in order of copy
 * and set; a negative return ends that and is returned, the caches are empty all the same. */
int wcp_cache_invalidate(struct wcp_cache *c,
    int (*write_back)(void *arg, const struct wcp_cache_line *line), void *arg);

#endif
