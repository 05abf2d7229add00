/*
 * Reuse distance: how many distinct lines were touched between two references to a line (the LRU
 * stack distance; a fully associative LRU cache of C lines hits exactly when it is below C).
 *
 * Lines are any 64-bit numbers: addresses or line numbers. Everything here works on batches;
 * results never depend on how a stream is cut into batches.
 */
#ifndef WARPCAP_REUSE_H
#define WARPCAP_REUSE_H

#include <stdbool.h>
#include <stddef.h>
#include "warpcap/error.h"

#define WCP_REUSE_COLD	    0xffffffffu /* distance of a line's first reference */
#define WCP_REUSE_MAX_LINES (1u << 29)	/* distinct lines of one stack */

/* ---- one exact stack ---------------------------------------------------------------------- */

struct wcp_reuse;

/* NULL on failure. A stack takes a few hundred bytes when small and at most 40 per distinct line
 * when large. */
struct wcp_reuse *wcp_reuse_new(struct wcp_error *e);
void wcp_reuse_free(struct wcp_reuse *r);

/* References line[n] in order and writes distance[n]. 0, or WCP_ESYS when memory or line numbers
 * run out; the stack is then good for nothing but _free. Calls of 10^3 lines and more are fastest.
 */
int wcp_reuse_batch(
    struct wcp_reuse *r, const uint64_t *line, size_t n, uint32_t *distance, struct wcp_error *e);

uint64_t wcp_reuse_lines(const struct wcp_reuse *r); /* distinct lines so far */
size_t wcp_reuse_bytes(const struct wcp_reuse *r);   /* memory it holds */

/* Writes all lines, least recently used first, to line[wcp_reuse_lines()]. */
void wcp_reuse_stack(const struct wcp_reuse *r, uint64_t *line);

/* ---- a stack for each owner --------------------------------------------------------------- */

/* Owners are numbers dense from 0; a stack comes into being with its owner's first reference. */
struct wcp_reuse_set;

struct wcp_reuse_set *wcp_reuse_set_new(struct wcp_error *e);
void wcp_reuse_set_free(struct wcp_reuse_set *s);
/* owner NULL: all belong to owner 0. Otherwise as wcp_reuse_batch. */
int wcp_reuse_set_batch(struct wcp_reuse_set *s, const uint64_t *line, const uint32_t *owner,
    size_t n, uint32_t *distance, struct wcp_error *e);
uint32_t wcp_reuse_set_owners(const struct wcp_reuse_set *s); /* owners are below this */
/* NULL if the owner has referenced nothing. */
const struct wcp_reuse *wcp_reuse_set_stack(const struct wcp_reuse_set *s, uint32_t owner);
uint64_t wcp_reuse_set_lines(const struct wcp_reuse_set *s); /* summed over stacks */
size_t wcp_reuse_set_bytes(const struct wcp_reuse_set *s);

/* ---- histogram ---------------------------------------------------------------------------- */

#define WCP_REUSE_BINS 33 /* bin 0: distance 0; bin k: 2^(k-1) .. 2^k - 1 */

/* Counts by power of two always, and by single distance where _init was asked to; about 4 bytes for
 * each distance of every 256 in a row that occur. All fields may be read. */
struct wcp_reuse_hist {
	uint64_t accesses, cold;
	uint64_t bin[WCP_REUSE_BINS];
	uint64_t sum; /* of all distances that are not cold */
	bool exact;
	uint32_t n_page;
	uint32_t **page; /* [n_page][256], NULL where nothing occurred */
	uint32_t n_carry;
	uint32_t *carry; /* [n_carry] distances; each adds 2^32 to its count */
};

void wcp_reuse_hist_init(struct wcp_reuse_hist *h, bool exact);
void wcp_reuse_hist_release(struct wcp_reuse_hist *h);
int wcp_reuse_hist_add(
    struct wcp_reuse_hist *h, const uint32_t *distance, size_t n, struct wcp_error *e);
/* count more references at one distance (not cold). */
int wcp_reuse_hist_count(
    struct wcp_reuse_hist *h, uint32_t distance, uint64_t count, struct wcp_error *e);
/* Adds src to dst; both of the same exactness. */
int wcp_reuse_hist_merge(
    struct wcp_reuse_hist *dst, const struct wcp_reuse_hist *src, struct wcp_error *e);

/* Bin of a distance, its first and its last distance. */
unsigned wcp_reuse_bin(uint32_t distance);
uint32_t wcp_reuse_bin_first(unsigned bin);
uint32_t wcp_reuse_bin_last(unsigned bin);

/* The rest asks for an exact histogram. */
uint64_t wcp_reuse_hist_at(const struct wcp_reuse_hist *h, uint32_t distance);
/* The least distance >= from that occurs, WCP_REUSE_COLD if none. */
uint32_t wcp_reuse_hist_next(const struct wcp_reuse_hist *h, uint32_t from);
/* The least distance d such that at least share (0..1) of the references that are not cold lie at
 * or below d; WCP_REUSE_COLD if there are none. */
uint32_t wcp_reuse_hist_quantile(const struct wcp_reuse_hist *h, double share);

/* ---- sampled (SHARDS) --------------------------------------------------------------------- */

/*
 * Spatially hashed sampling, Waldspurger et al., "Efficient MRC Construction with SHARDS", FAST
 * 2015: a line is followed if a hash of it is below a threshold, which stays where it is or, with
 * max_lines, falls so that no more lines are followed (fixed-rate and fixed-size). Counts are
 * corrected as SHARDS_adj does. The followed lines are also split by a second hash into
 * WCP_SHARDS_PARTS samples with stacks of their own; how far these disagree with each other and
 * with the whole gives the standard error.
 */
#define WCP_SHARDS_PARTS 8

struct wcp_shards_options {
	double rate;	    /* 0 < rate <= 1: share of lines to follow, at first with max_lines */
	uint32_t max_lines; /* 0: fixed rate */
	uint64_t seed;
};

struct wcp_shards;

struct wcp_shards *wcp_shards_new(const struct wcp_shards_options *options, struct wcp_error *e);
void wcp_shards_free(struct wcp_shards *s);
int wcp_shards_batch(struct wcp_shards *s, const uint64_t *line, size_t n, struct wcp_error *e);

struct wcp_shards_info {
	uint64_t accesses;	   /* references seen */
	uint64_t sampled_accesses; /* of lines that were followed at the time */
	uint64_t sampled_lines;	   /* followed now */
	double rate;		   /* now */
	double lines;		   /* estimate of distinct lines */
	double cold;		   /* estimate of first references */
	size_t bytes;		   /* memory held */
};
void wcp_shards_info(const struct wcp_shards *s, struct wcp_shards_info *info);

/* Estimated misses of fully associative LRU caches of size[n] lines, ascending, and their standard
 * errors, both as counts of references; error may be NULL. Size 0 misses always. */
int wcp_shards_misses(const struct wcp_shards *s, const uint64_t *size, size_t n, double *misses,
    double *error, struct wcp_error *e);

/* Would a fixed-rate sampler of this rate and seed follow the line? */
bool wcp_shards_follows(uint64_t line, double rate, uint64_t seed);

#endif
