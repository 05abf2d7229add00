/*
 * What the parts of warplocal share.
 *
 * Lines and the places that they have in the SMs' L1s are numbered; what is known of them is kept
 * in arrays by number: who touched them last, in the program, in an L1, in L2, and what a cache
 * without bound would hold of them. The model (model.c) runs the bounded caches beside them: L1s
 * and L2 of the machine, and L1s of the same size that are fully associative (full.c).
 */
#ifndef WARPLOCAL_H
#define WARPLOCAL_H

#include "levels.h"
#include "tap.h"
#include "unit.h"
#include "warpcap/numbers.h"
#include "warpcap/slice.h"
#include "zeroed.h"

/* How an access is related to the one before it to the same line: DWT-PRIC sec. 3.1, Fig. 3. */
enum class {
	INTRA_THREAD, /* the same warp, a lane of which touched the line before */
	INTER_THREAD, /* the same warp, other lanes */
	INTRA_BLOCK,  /* another warp of the CTA */
	INTRA_CORE,   /* another CTA on the same SM */
	INTER_CORE,   /* on another SM */
	INTER_KERNEL,
	CLASSES
};
extern const char *const class_name[CLASSES];

/* Where hits and reuses are looked for. */
enum scope { REUSE, L1_UNBOUNDED, L1_BOUNDED, L2_UNBOUNDED, L2_BOUNDED, SCOPES };
extern const char *const scope_name[SCOPES];

struct count {
	uint64_t accesses, hits, loads, load_hits;
	uint64_t class[CLASSES]; /* of hits */
};

/* What became of an access in one place, in a byte: its class, meant where it hit, and these. */
enum code {
	CODE_CLASS = 7,
	CODE_LOAD = 8,
	CODE_EVER = 16, /* without bound it hits; of the program: it is a reuse */
	CODE_HIT = 32,	/* bounded it hits */
	CODE_FULL = 64, /* and fully associative */
	CODES = 128,
	CODE_NONE = 255 /* it was not looked up */
};
enum place { PROGRAM, L1, L2, PLACES };

struct unit_count { /* of a unit, at one scope */
	uint64_t accesses, hits[CLASSES];
};

/* Who took a line that an L1 without bound would have kept. */
enum culprit { SAME_WARP, SAME_BLOCK, OTHER_BLOCK, OTHER_KERNEL, NOBODY, CULPRITS };
enum loss { CONFLICT, CAPACITY, LOSSES };

/* What a cache without bound does with an access. */
enum action { PASSES_BY, READS, KEEPS, GOES_ON, DROPS };
enum { ACTION_IS_LOAD = CODE_LOAD, ACTIONS = 32 };

/* Of ACTIONS, by kind, space and flags. */
static inline unsigned
action_number(uint8_t kind, uint8_t space, uint16_t flags)
{
	return (kind & 7u) | (space == WCP_SPACE_LOCAL ? 8u : 0) |
	       (flags & WCP_ACCESS_UNCACHED ? 16u : 0);
}

struct settings {
	struct wcp_level_config l1, l2;
	bool invalidate; /* L1 when a kernel ends */
	enum unit by;
};

/* ---- who and where --------------------------------------------------------------------------- */

struct who {
	uint32_t cta; /* 1 + the number of its CTA in the stream; 0: nobody */
	uint32_t lanes;
	uint16_t warp, sm;
};

/* DWT-PRIC sec. 3.1; where nobody was before, any. By what two have in common: a bit for the CTA,
 * the warp's number, a lane; then for the kernel and the SM. */
static inline unsigned
class_of(const uint32_t *kernel_of, const struct who *before, const struct who *now)
{
	static const uint8_t class[4][8] = {
	    {INTER_KERNEL, INTER_KERNEL, INTER_KERNEL, INTER_KERNEL, INTER_KERNEL, INTER_KERNEL,
		INTER_KERNEL, INTER_KERNEL},
	    {INTER_CORE, INTRA_BLOCK, INTER_CORE, INTER_THREAD, INTER_CORE, INTRA_BLOCK, INTER_CORE,
		INTRA_THREAD},
	    {INTER_KERNEL, INTER_KERNEL, INTER_KERNEL, INTER_KERNEL, INTER_KERNEL, INTER_KERNEL,
		INTER_KERNEL, INTER_KERNEL},
	    {INTRA_CORE, INTRA_BLOCK, INTRA_CORE, INTER_THREAD, INTRA_CORE, INTRA_BLOCK, INTRA_CORE,
		INTRA_THREAD},
	};
	unsigned unit = (before->cta == now->cta) | (before->warp == now->warp) << 1 |
			((before->lanes & now->lanes) != 0) << 2;
	unsigned place = (kernel_of[before->cta] == kernel_of[now->cta]) | (before->sm == now->sm)
									       << 1;
	return class[place][unit];
}

/* A line in an SM's L1. All zero but for its number: it has not been there. Half a line of the
 * processor's cache. */
struct spot {
	struct who last;
	uint32_t number;      /* of the line */
	uint32_t evictor_cta; /* who drove it out of the bounded L1, as in struct who */
	uint16_t evictor_warp;
	uint16_t node;	     /* in the fully associative L1 */
	uint32_t valid;	     /* sectors that a cache without bound holds, */
	uint32_t epoch : 31; /* unless it has been emptied since then */
	uint32_t local : 1;  /* its address is */
};

struct l2_line {
	struct who last;
	uint32_t valid; /* sectors that an L2 without bound holds */
};

/* ---- fully associative L1s ------------------------------------------------------------------ */

struct full; /* one of ways lines for each SM, LRU */

struct full *full_new(uint32_t ways);
void full_free(struct full *f);
void full_grow(struct full *f, uint32_t copies);
void full_empty(struct full *f);

/* ---- slices of batches ----------------------------------------------------------------------- */

enum { SLICE = 512 };

/* Records of a batch that L1 is asked for, in columns; those of which there is a copy only where it
 * differs are the batch's. */
struct l1_slice {
	uint32_t n;
	const uint8_t *kind, *space;
	const uint16_t *flags, *sm;
	uint64_t line[SLICE]; /* the cache's */
	uint32_t sectors[SLICE];
	struct who who[SLICE];
	uint32_t number[SLICE]; /* of the line */
	uint32_t spot[SLICE];
	uint32_t unit[SLICE];
	uint8_t action[SLICE]; /* as in struct model */
	/* results */
	uint8_t result[SLICE], code[SLICE];
	uint64_t victim[SLICE];
	uint32_t missing[SLICE], victim_sectors[SLICE];
	uint32_t victim_spot[SLICE];
};

/* What goes on to L2: each access may, and drive a dirty line before it. */
struct l2_slice {
	uint32_t n;
	uint64_t line[2 * SLICE];
	uint32_t sectors[2 * SLICE];
	uint8_t kind[2 * SLICE], space[2 * SLICE];
	uint16_t flags[2 * SLICE];
	struct who who[2 * SLICE];
	uint32_t number[2 * SLICE];
	uint32_t unit[2 * SLICE];
	/* results */
	uint8_t result[2 * SLICE], code[2 * SLICE];
	uint16_t copy[2 * SLICE];
	uint64_t within[2 * SLICE];
};

/* Plays a slice; in each code it sets CODE_FULL or not. spot: by number. */
void full_run(struct full *f, struct l1_slice *c, struct spot *spot);

struct work {
	struct l1_slice l1;
	struct l2_slice l2;
	uint64_t key[2 * SLICE]; /* of spots, or lines of L2 */
	uint64_t fresh[SLICE];	 /* lines of new spots */
	uint32_t fresh_number[SLICE];
};

/* ---- model ---------------------------------------------------------------------------------- */

struct model {
	struct tool *tool;
	const struct settings *set;
	const struct wcp_reader *reader;
	struct keys ctas;
	uint32_t *kernel_of; /* [cap_kernel_of] by struct who's cta */
	uint32_t cap_kernel_of;
	struct wcp_numbers *lines, *spots, *l2_lines; /* l2_lines NULL: they are lines */
	/* by number; cap_...: how many there is room for */
	struct who *last;
	struct spot *spot;
	struct l2_line *l2;
	uint64_t cap_last, cap_spot, cap_l2;
	struct wcp_cache *cache_l1, *cache_l2;
	struct full *full;
	struct wcp_slice slice;
	uint8_t action[2][ACTIONS]; /* of L1 and L2: enum action, or-ed ACTION_IS_LOAD */
	struct wcp_cache_options l1_options, l2_options;
	bool whole_lines;	 /* neither level has sectors */
	uint32_t l1_all, l2_all; /* sectors of a line */
	uint32_t epoch : 31;	 /* 1 + kernels that have ended */
	uint16_t sms;		 /* all that are seen are below */
	bool sm_seen[WCP_NONE16];
	uint64_t seen[PLACES][CODES]; /* what is counted; from it follow at the end: */
	struct count count[SCOPES];
	uint64_t full_hits; /* loads */
	struct keys units;
	struct names kernel_name, program_name;
	struct unit_count *by; /* [cap_by][SCOPES] by number of unit */
	uint32_t cap_by;
	uint64_t lost[LOSSES][CULPRITS];
	uint64_t write_backs, thread_insns;
	uint32_t kernels;
	bool whole;
	struct level_pick pick;
	struct work *work;
};

int model_init(
    struct model *m, struct tool *t, const struct settings *s, const struct wcp_machine *machine);
void model_release(struct model *m);
/* Reads operand 0; exit status. */
int model_read(struct model *m);

/* Fills m->work->l1 from records first to first + n. */
int slice_fill(struct model *m, const struct wcp_access_batch *b, uint32_t first, uint32_t n,
    struct wcp_error *e);

/* The same, through all caches, and counted; those before a fault in any case. */
int run_slice(struct model *m, const struct wcp_access_batch *b, uint32_t first, uint32_t n,
    struct wcp_error *e);
int run_kernel_end(struct model *m, const struct wcp_kernel_end *end, struct wcp_error *e);

int local_print(const struct model *m);

#endif
