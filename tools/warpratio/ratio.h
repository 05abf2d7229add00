/*
 * What the parts of warpratio share.
 *
 * A footprint is what one unit (kernel, CTA or warp) touched: each line with how often. Footprints
 * of warps are filled as records come; when a kernel ends, those of its CTAs and its own are made
 * of them (kernels.c), pairs within it are counted (pairs.c), and what later pairs need is kept:
 * parents and children, and children of one parent CTA, meet when the stream has ended (relate.c).
 */
#ifndef WARPRATIO_H
#define WARPRATIO_H

#include "tap.h"
#include "unit.h"
#include "warpcap/numbers.h"

enum level { LEVEL_KERNEL, LEVEL_CTA, LEVEL_WARP, LEVELS };
enum relation { SELF, WITHIN, PARENT_CHILD, SIBLING, RELATIONS };
enum { BINS = 10 };

extern const char *const level_name[LEVELS];
/* What a relation is called at a level, NULL where it has none. */
extern const char *const relation_name[LEVELS][RELATIONS];

struct settings {
	uint32_t levels;     /* bit per enum level */
	uint32_t kinds;	     /* bit per enum wcp_access_kind */
	uint32_t line_bytes; /* a power of two */
	uint32_t threshold;  /* a ratio above it is high; in millionths */
	uint32_t sketch;     /* lines a sketch keeps; 0: exact */
	enum level list;     /* list the pairs of that level; LEVELS: none */
	double above;	     /* only those with ratios above */
	uint64_t seed;
};

/* ---- footprints ---------------------------------------------------------------------------- */

/* key: the line's number in order of appearance; in a sketch, 32 bits of its hash. */
struct posting {
	uint32_t key, count;
};

#define NO_LIMIT (1ull << 32)

/* A sketch holds the lines with the least keys, those below limit, with all their accesses. */
struct footprint {
	uint32_t n, cap, sorted; /* postings; the first of them are in order of key, once each */
	struct posting *p;	 /* [cap] */
	uint64_t size;		 /* accesses: size(M) of Eq. 3.1 */
	uint64_t limit;
};

struct sorter { /* room to sort in */
	struct posting *p;
	uint32_t cap;
	uint32_t keep;	/* lines a sketch keeps, 0: all */
	bool overflows; /* a count did not fit */
};

void footprint_init(struct footprint *f);
void footprint_release(struct footprint *f);
/* Makes room for one more posting. */
void footprint_grow(struct footprint *f, struct sorter *s);
/* All postings in order of key, once each. */
void footprint_settle(struct footprint *f, struct sorter *s);
/* into, which is empty, becomes the sum of n settled ones. */
void
footprint_sum(struct footprint *into, struct footprint *const *from, uint32_t n, struct sorter *s);
/* Distinct lines of a settled one: uniq(M); a sketch estimates. */
double footprint_lines(const struct footprint *f);

static inline void
footprint_add(struct footprint *f, uint32_t key, struct sorter *s)
{
	f->size++;
	if (key >= f->limit)
		return;
	struct posting *last = f->p + f->n;
	if (f->n && last[-1].key == key && last[-1].count < UINT32_MAX) {
		last[-1].count++;
		return;
	}
	if (f->n == f->cap) {
		footprint_grow(f, s);
		last = f->p + f->n;
	}
	*last = (struct posting){key, 1};
	f->n++;
}

/* ---- lines --------------------------------------------------------------------------------- */

/* 32 bits of a hash that sketches order lines by. */
uint32_t line_hash(uint64_t line, uint64_t seed);

/* ---- what pairs add up to -------------------------------------------------------------------- */

struct tally {
	uint64_t pairs; /* of self: units */
	uint64_t zero;	/* that share nothing */
	uint64_t bin[BINS], high;
	double sum;	 /* of ratios */
	double reused;	 /* accesses, Fig. 3.4 */
	double variance; /* of estimated ratios, summed */
	uint64_t estimated;
};

/* times pairs of ratio part / whole, whole > 0; true if that is high. */
bool
tally_add(struct tally *t, const struct settings *s, uint64_t part, uint64_t whole, uint64_t times);

/* Units joined by high ratios. */
struct chains {
	uint32_t *up; /* [n] */
	uint32_t n, cap;
	/* those of units that are forgotten */
	uint64_t count, longest, units, linked, linked_units;
};

uint32_t chains_node(struct chains *c); /* a new unit, alone */
void chains_join(struct chains *c, uint32_t a, uint32_t b);
/* Counts the chains of all units, and forgets these. */
void chains_fold(struct chains *c);
void chains_release(struct chains *c);

struct pair { /* listed */
	struct key x, y;
	enum relation relation;
	uint64_t shared, accesses;
	double ratio;
};

/* ---- kernels --------------------------------------------------------------------------------- */

struct cta {
	uint32_t number; /* in its grid */
	uint32_t node;	 /* in chains */
	struct footprint lines;
};

struct kernel {
	bool known, closed, keeps, dropped;
	uint32_t id, parent, parent_cta; /* parent WCP_NONE32: none */
	uint32_t node;
	/* open */
	struct keys key;	/* cta and warp to number in warp */
	struct footprint *warp; /* [cap_warp] */
	uint32_t cap_warp;
	/* closed, where kept */
	struct footprint lines;
	struct cta *cta; /* [n_cta] in order of number */
	uint32_t n_cta;
};

struct engine;

struct ratio {
	struct tool *tool;
	struct settings set;
	struct wcp_numbers *table; /* of lines; with sketches, of keys, once the stream has ended */
	struct sorter sorter;
	struct kernel **kernel; /* [n_kernel] by id, NULL unknown */
	uint32_t n_kernel;
	struct tally tally[LEVELS][RELATIONS];
	struct chains chains[LEVELS];
	struct engine *engine;
	struct pair *pair; /* [n_pair] */
	size_t n_pair, cap_pair;
	uint64_t accesses, units[LEVELS];
	uint64_t children, orphans, late_parents;
	uint64_t nobodys; /* accesses of no kernel or CTA */
	bool warp, whole;
	uint64_t finer;
};

void ratio_init(struct ratio *r, struct tool *t, const struct settings *s);
void ratio_release(struct ratio *r);
/* Reads operand 0; exit status. What came before a fault has been added, and kernels are closed. */
int ratio_read(struct ratio *r);
/* A kernel has ended, unless it had before. */
void kernel_close(struct ratio *r, struct kernel *k);
/* Parents with children, children with each other. */
void ratio_relate(struct ratio *r);
void ratio_list(struct ratio *r, const struct pair *p);
int ratio_print(struct ratio *r);

/* ---- pairs ----------------------------------------------------------------------------------- */

/* All ordered pairs of n units that are not of one family. */
struct pair_task {
	uint32_t n;
	struct footprint *const *lines; /* [n] settled */
	const uint32_t *family;		/* [n] ascending; NULL: every unit has its own */
	const struct key *key;		/* [n] what a list calls them; NULL: not listed */
	enum level level;
	enum relation relation;
};

struct engine *engine_new(struct ratio *r);
void engine_free(struct engine *e);
/* Counts into r->tally. *root is [n], which unit stands for the chain each is in; it is valid until
 * the next call. */
void engine_run(struct engine *e, const struct pair_task *t, const uint32_t **root);
/* Eq. 3.2 for one parent and many children: marks the lines of p, asks, and unmarks. */
void engine_mark(struct engine *e, const struct footprint *p, bool marked);
/* Accesses of c to marked lines, and all that can be told of: with sketches, those of lines below
 * both limits. variance is the estimate's. */
void engine_marked(struct engine *e, const struct footprint *p, const struct footprint *c,
    uint64_t *part, uint64_t *whole, double *variance);

#endif
