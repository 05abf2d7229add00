/* What is counted at every level: in all, and by unit. */
#ifndef TALLY_H
#define TALLY_H

#include "unit.h"
#include "warpcap/cache.h"

/* ---- lines that a cache has seen (lines.c) ------------------------------------------------- */

struct lines {
	struct lines_of *of; /* [copies] */
	uint32_t copies;
};
/* Was this line new to that cache? Remembers it. Ends the program when memory runs out. */
bool lines_add(struct lines *l, uint64_t number, uint16_t copy);
/* Fetches ahead what lines_add will look at. */
void lines_expect(const struct lines *l, uint64_t number, uint16_t copy);
void lines_release(struct lines *l);

/* ---- rows (tally.c) ------------------------------------------------------------------------- */

/* What is known of an access that brought its line in, or'ed: a class of misses, victim tag hits.
 */
enum note {
	NOTE_COMPULSORY = 1, /* the cache never had had the line */
	NOTE_CAPACITY,	     /* a fully associative LRU cache of its size would have missed, too */
	NOTE_CONFLICT,	     /* that one has it */
	NOTE_EMPTIED,	     /* that one would have it, had lines not been dropped */
	NOTE_CLASS = 7,
	NOTE_VTA = 8,
	NOTE_VTA_SELF = 16, /* its owner had evicted it itself */
};

struct row {		   /* as reported */
	uint64_t accesses; /* looked up: hits + misses */
	uint64_t loads, stores, atomics;
	uint64_t hits, load_hits, store_hits;
	uint64_t cold;	   /* misses on a line the cache never had touched before */
	uint64_t fills;	   /* misses that brought a line in */
	uint64_t sector;   /* misses on a line that was there */
	uint64_t bypassed; /* not looked up */
	uint64_t class[NOTE_CLASS + 1];
	uint64_t vta_hits, vta_self;
	uint64_t writebacks;
};

/* What is kept of a unit: an access is one more of the sort that its kind and result make it (a
 * figure of the row above is a sum of sorts), and what is rare is counted by itself. */
enum { TALLY_SORTS = 20 };
struct count {
	uint64_t n[TALLY_SORTS];
	uint64_t cold, writebacks;
	uint64_t class[NOTE_CLASS + 1];
	uint64_t vta_hits, vta_self;
};

struct instructions { /* of one kernel, from its end; known is false before */
	uint64_t threads, warps;
	bool known;
};

/* Accesses by sort since they were last added to a struct count: small, so that those of many units
 * stay where the processor has them at hand. */
struct recent {
	uint32_t n[TALLY_SORTS];
};
enum { TALLY_LANES = 4 }; /* without units: counters that take turns */

struct tally {
	struct count all;		 /* without what is counted by unit */
	struct count *count;		 /* [cap_count] by key number */
	struct recent *recent;		 /* likewise */
	struct recent lane[TALLY_LANES]; /* of all */
	uint32_t cap_count;
	uint32_t since;	      /* accesses in recent */
	uint8_t sort[8][256]; /* by kind, 7 for all above, and result */
	bool misses[256];     /* by result: looked up in vain, and not on its way */
	struct keys by;
	struct lines seen;
	struct instructions *insns; /* [n_insns] by kernel */
	uint32_t n_insns;
	uint64_t flushed;	 /* write-backs of invalidation; in all.writebacks, too */
	uint32_t *unit, *missed; /* [cap_unit] scratch */
	uint32_t cap_unit;
	/* set by the chain */
	const struct wcp_reader *reader;
	const struct names *kernels, *programs;
	bool classes, vta; /* are noted */
};

/* n accesses that were looked up or went past: records at[n] of b, their lines and caches, kinds,
 * and results as the cache model gives them. */
struct tally_batch {
	uint32_t n;
	const uint32_t *at;
	const uint64_t *line; /* byte addresses of lines of 1 << line_shift bytes */
	unsigned line_shift;
	const uint16_t *copy;
	const uint8_t *kind, *result;
	const uint8_t *note; /* enum note, NULL: none */
};

void tally_init(struct tally *t, enum unit by);
void tally_release(struct tally *t);
void tally_add(struct tally *t, const struct wcp_access_batch *b, const struct tally_batch *w);
struct row tally_all(const struct tally *t);
void tally_kernel_end(struct tally *t, const struct wcp_kernel_end *end);
/* A dirty line left when the caches were emptied. */
void tally_flushed(struct tally *t);

/* Pairs: accesses to mpki_warp. */
void tally_print(const struct tally *t, struct report *out);
/* The columns of its table of units, and the rows into that table, begun. */
enum { TALLY_COLUMNS = UNIT_REPORT_COLUMNS + 19 };
void tally_columns(const struct tally *t, struct report_column column[TALLY_COLUMNS]);
void tally_print_rows(const struct tally *t, struct report *out);

#endif
