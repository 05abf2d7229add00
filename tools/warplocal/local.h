/*
 * What the parts of warplocal share.
 *
 * A touch table remembers of each line who touched it last (touch.c), and what a cache without
 * bound would hold of it. The model (model.c) runs the bounded caches beside them: L1s and L2 of
 * the machine, and L1s of the same size that are fully associative.
 */
#ifndef WARPLOCAL_H
#define WARPLOCAL_H

#include "levels.h"
#include "tap.h"
#include "unit.h"
#include "warpcap/slice.h"

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

struct count {
	uint64_t accesses, hits, loads, load_hits;
	uint64_t class[CLASSES]; /* of hits */
	/* [is a hit][is a load][class]: what is counted; the above follow from it at the end */
	uint64_t n[2][2][CLASSES];
};

/* Who took a line that an L1 without bound would have kept. */
enum culprit { SAME_WARP, SAME_BLOCK, OTHER_BLOCK, OTHER_KERNEL, NOBODY, CULPRITS };
enum loss { CONFLICT, CAPACITY, LOSSES };

/* What a cache without bound does with an access. */
enum action { PASSES_BY, READS, KEEPS, GOES_ON, DROPS };

struct settings {
	struct wcp_level_config l1, l2;
	bool invalidate; /* L1 when a kernel ends */
};

/* ---- warps --------------------------------------------------------------------------------- */

/* The model numbers warps as they come. */
struct warp_of {
	uint32_t kernel, cta;
};

/* ---- touches ------------------------------------------------------------------------------- */

#define NO_WARP UINT32_MAX

/* Of a line: in one SM's L1, in L2, or in the whole program. */
struct place {
	uint64_t line; /* address + 1, 0: free */
	uint32_t warp; /* number of the last to touch it; NO_WARP: none yet */
	uint32_t lanes;
	uint16_t sm; /* where; of L1s, whose */
	/* of caches: */
	uint16_t node;	  /* in the fully associative L1 */
	uint32_t evictor; /* warp that drove it out of the bounded L1; NO_WARP: none */
	uint32_t valid;	  /* sectors that a cache without bound holds, */
	uint32_t epoch;	  /* unless it has been emptied since then */
};

struct touch_table {
	struct place *place; /* [mask + 1] */
	uint64_t mask, n;
	bool by_sm; /* a line has a place for each SM */
};

void touch_table_release(struct touch_table *t);
/* Room for n more, so that places stay where they are. */
void touch_table_reserve(struct touch_table *t, uint64_t n);
/* Spreads a line over the tables; the SM, too, where it matters. */
static inline uint64_t
touch_hash(uint64_t line, uint16_t sm)
{
	uint64_t h = (line + sm * 0xd6e8feb86659fd93u) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 32;
}

/* The line's place, made if need be; hash is touch_hash()'s. */
static inline struct place *
touch_at(struct touch_table *t, uint64_t hash, uint64_t line, uint16_t sm)
{
	uint64_t at = hash & t->mask;
	struct place *p = &t->place[at];
	while (p->line != line + 1 || (t->by_sm && p->sm != sm)) {
		if (!p->line) {
			*p = (struct place){.line = line + 1,
			    .sm = sm,
			    .warp = NO_WARP,
			    .evictor = NO_WARP,
			    .node = UINT16_MAX};
			t->n++;
			break;
		}
		at = (at + 1) & t->mask;
		p = &t->place[at];
	}
	return p;
}

static inline struct place *
touch_place(struct touch_table *t, uint64_t line, uint16_t sm)
{
	return touch_at(t, touch_hash(line, sm), line, sm);
}

static inline void
touch_expect(const struct touch_table *t, uint64_t hash)
{
	__builtin_prefetch(&t->place[hash & t->mask], 1);
}

/* ---- fully associative L1s ------------------------------------------------------------------ */

struct full; /* one of ways lines for each SM, LRU */

struct full *full_new(uint32_t ways);
void full_free(struct full *f);
void full_grow(struct full *f, uint32_t copies);
void full_empty(struct full *f);
/* An access to the line of p, in the L1 of p->sm; true if its sectors were there. */
bool full_access(struct full *f, struct place *p, enum action action, uint32_t sectors);

/* ---- model ---------------------------------------------------------------------------------- */

struct model {
	struct tool *tool;
	const struct settings *set;
	struct keys key; /* warps */
	struct touch_table all, l1, l2;
	struct wcp_cache *cache_l1, *cache_l2;
	struct full *full;
	struct wcp_slice slice;
	uint8_t action[2][8][2][2]; /* [level][kind][local][uncached], enum action */
	struct wcp_cache_options l1_options, l2_options;
	uint32_t l1_all, l2_all; /* sectors of a line */
	uint32_t epoch;		 /* kernels that have ended */
	uint16_t sms;
	struct count count[SCOPES];
	uint64_t lost[LOSSES][CULPRITS];
	uint64_t full_hits; /* loads */
	uint64_t write_backs, other_spaces, thread_insns;
	uint32_t kernels;
	bool whole;
	struct work *work;
};

int model_init(
    struct model *m, struct tool *t, const struct settings *s, const struct wcp_machine *machine);
void model_release(struct model *m);
/* Reads operand 0; exit status. */
int model_read(struct model *m);

int local_print(const struct model *m);

#endif
