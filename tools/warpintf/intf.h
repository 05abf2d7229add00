/*
 * What the parts of warpintf share.
 *
 * A stream (model.c) comes in slices of columns (slice.c); each access is of a warp in a slot of an
 * SM (who.c). What became of it in L1D is what the stream says, or what a cache of the machine
 * does. A line that leaves is remembered with who drove it out, by victim tags of a given shape and
 * without bound (lost.c); a miss that finds it is counted for both (judge.c), in the matrix
 * (pairs.c) and for the epochs of each SM (epoch.c).
 */
#ifndef WARPINTF_H
#define WARPINTF_H

#include "levels.h"
#include "outfile.h"
#include "tap.h"
#include "unit.h"
#include "warpcap/vta.h"
#include "zeroed.h"

enum by { BY_SLOT, BY_WARP, BY_CTA, BY_KERNEL, BY_PC, BY_COUNT };
extern const char *const by_name[BY_COUNT];

enum source { SOURCE_UNKNOWN, SOURCE_RECORDED, SOURCE_MODEL };

struct settings {
	struct wcp_level_config l1;
	bool machine;  /* one was asked for */
	bool recorded; /* what the stream says, whatever the machine */
	bool keep_l1;
	enum by by;
	bool per_sm;
	struct wcp_vta_options vta;
	bool exact;	    /* victim tags without bound, instead of vta */
	uint32_t epoch;	    /* memory instructions of an SM */
	bool by_epoch;	    /* hits and instructions count within an epoch */
	const char *series; /* NULL: none */
};

#define NONE UINT32_MAX

enum { AHEAD = 20 }; /* lines that are fetched before they are looked at */

/* ---- pairs ---------------------------------------------------------------------------------- */

struct pair {
	uint32_t by, of; /* who did it to whom */
	uint64_t evictions, hits;
};

enum { PAIRS_GRID = 64 }; /* a power of two */

/* Pairs that occur, numbered as they come. */
struct pairs {
	struct pair *pair;
	uint32_t n, cap;
	uint32_t *slot; /* [mask + 1] 1 + number, 0: free */
	uint32_t mask;
	uint32_t grid[PAIRS_GRID][PAIRS_GRID]; /* [by][of] 1 + number, 0: not known: of the first */
};

struct pair *pairs_make(struct pairs *p, uint32_t by, uint32_t of);

/* Made if need be; stays where it is until another is made. */
static inline struct pair *
pairs_at(struct pairs *p, uint32_t by, uint32_t of)
{
	uint32_t n = (by | of) < PAIRS_GRID ? p->grid[by][of] : 0;
	return n ? &p->pair[n - 1] : pairs_make(p, by, of);
}

/* NULL: it has not occurred. */
const struct pair *pairs_find(const struct pairs *p, uint32_t by, uint32_t of);
void pairs_clear(struct pairs *p);
void pairs_release(struct pairs *p);

/* ---- who ------------------------------------------------------------------------------------ */

enum { FROM_SLOTS = 64 };

/* A slot of an SM; of a stream without slots, a warp's own. What each access looks at comes first.
 */
struct place {
	uint16_t sm, slot;
	uint32_t warp;	 /* that has it; NONE: none yet */
	struct key key;	 /* the warp's */
	uint32_t agent;	 /* of its last access */
	uint32_t copy;	 /* of the L1s of warps' own, in this life; NONE: none yet */
	uint32_t life;	 /* of the caches, that copy is of */
	uint32_t pushed; /* tags that came to its victim tags and pushed others on */
	/* Since its kernel began, or the epoch: */
	uint32_t active; /* number of the SM's epoch in which it last accessed anything, + 1 */
	uint32_t hits;	 /* F of CIAO Eq. 1 */
	/* Since its kernel began: */
	struct wcp_interferer list;
	uint32_t most, most_hits; /* place that caused most hits */
	uint32_t *from; /* [FROM_SLOTS] hits that slots caused; NULL: none. Others: struct pairs */
	double raw;	/* the highest F * active / memory instructions; below 0: none */
	/* of the whole stream: */
	double irs; /* the highest; below 0: none */
	uint64_t all_hits, looks, agrees, names_self;
	uint32_t last_most, last_hits, last_list, last_count; /* of the last kernel with hits */
};

/* A warp, or with BY_PC one at an instruction. */
struct agent {
	uint32_t warp, unit;
	uint64_t accesses, misses, lost;
};

struct sm {
	uint32_t *place; /* [n] by slot, or without slots as they came; NONE: none */
	uint32_t n;
	uint32_t insns, epoch_insns; /* memory instructions of the kernel, of the epoch */
	uint32_t epoch;		     /* its number */
	uint32_t active;	     /* places that accessed anything in it */
	bool seen;
};

struct who {
	enum by by;
	bool per_sm;
	struct keys warp;     /* places are of warps: */
	uint32_t *warp_place; /* [warp.cap] where it was last */
	struct keys at;	      /* BY_PC: warps at instructions */
	struct agent *agent;  /* [cap_agent] */
	uint32_t cap_agent;
	struct keys unit;    /* what figures are attributed to */
	struct place *place; /* [n_place] */
	uint32_t n_place, cap_place;
	struct sm *sm; /* [n_sm] of which those seen are in use */
	uint32_t n_sm;
	bool slotless;
	struct names kernels, programs;
	uint32_t *program; /* [n_program] of kernels */
	uint32_t n_program;
};

void who_init(struct who *w, const struct settings *s);
void who_release(struct who *w);
void who_kernel(struct who *w, const struct wcp_reader *r, const struct wcp_kernel *k);
/* The place of record i and, in *agent, who it is. A new warp in a place is told by *came. NONE
 * with e filled where the stream does not say enough. */
uint32_t who_of(struct who *w, const struct wcp_access_batch *b, uint32_t i, uint32_t *agent,
    bool *came, struct wcp_error *e);
/* The place of a slot that a victim's owner is said to be; NONE: nobody has been there. */
uint32_t who_owner(const struct who *w, uint16_t sm, uint32_t slot);
/* The name of a unit, as a report's cell. */
void who_label(struct report *r, const struct who *w, uint32_t unit);
uint16_t who_sm(const struct who *w, uint32_t unit);

/* ---- what was lost --------------------------------------------------------------------------- */

/* A line that a place has brought. */
struct line {
	uint64_t line; /* address + 1, 0: free */
	uint32_t place, agent;
	uint32_t evictor;     /* agent that drove it out since; NONE: nobody */
	uint32_t life : 20;   /* of the caches; others' are forgotten */
	uint32_t pushed : 12; /* the place's when it was driven out last, as far as these bits go */
};
enum { PUSHED = (1 << 12) - 1, LIVES = 1 << 20 };

struct lost {
	struct line *line; /* [1 << (64 - shift)] */
	unsigned shift;
	uint64_t n;
	uint32_t life : 20;
};

void lost_init(struct lost *t);
void lost_reserve(struct lost *t, uint64_t n); /* room for n more, so that lines stay in place */
/* All are forgotten. */
void lost_forget(struct lost *t);
void lost_release(struct lost *t);

/* Where the search for a line begins: in order of a hash, so that a larger table is filled from one
 * end to the other. */
static inline uint64_t
lost_home(const struct lost *t, uint64_t line, uint32_t place)
{
	uint64_t h = (line + place * 0xd6e8feb86659fd93u) * 0x9e3779b97f4a7c15u;
	return (h ^ h >> 32) * 0xd6e8feb86659fd93u >> t->shift;
}

/* Made if need be: brought by nobody known, agent NONE; pushed is then what it begins with. */
static inline struct line *
lost_at(struct lost *t, uint64_t home, uint64_t line, uint32_t place, uint32_t pushed)
{
	uint64_t at = home, mask = UINT64_MAX >> t->shift;
	while (t->line[at].line && (t->line[at].line != line + 1 || t->line[at].place != place))
		at = (at + 1) & mask;
	struct line *l = &t->line[at];
	t->n += !l->line;
	if (!l->line || l->life != t->life)
		*l = (struct line){line + 1, place, NONE, NONE, t->life, pushed & PUSHED};
	return l;
}

/* ---- what it adds up to ---------------------------------------------------------------------- */

struct totals {
	uint64_t records; /* looked up or not */
	uint64_t accesses, hits, misses;
	uint64_t evictions, self_evictions, unknown_evictions;
	uint64_t vta_hits, self_hits;
	uint64_t lost, self_lost; /* without bound */
	uint64_t own_accesses, own_hits;
	uint64_t passed_by; /* went past L1D */
	uint32_t kernels;
};

/* From when a kernel begins while none runs until none runs again: as CIAO counts, which starts
 * anew with each kernel. */
struct stretch {
	uint32_t open;			  /* kernels that run */
	uint32_t first_place;		  /* of the stretch, where warps have places of their own */
	uint64_t records, insns;	  /* read: records, and memory instructions of L1D */
	uint64_t all_records, warp_insns; /* of the kernels that have ended */
};

struct row;

struct model {
	struct tool *tool;
	const struct settings *set;
	enum source source;
	struct who who;
	struct lost lost;
	struct wcp_vta *vta; /* NULL: exact */
	uint32_t vta_keys;
	bool vta_ordered;    /* tags leave in the order they came */
	struct pairs matrix; /* of units */
	struct pairs hits;   /* of places, since the kernel began, that no place has in from */
	struct wcp_cache *l1, *own;
	struct wcp_cache_options options;
	uint32_t all_sectors;
	uint32_t life;	     /* of the caches */
	uint32_t own_copies; /* handed out in this life */
	uint8_t what[256];   /* by a result of the cache: enum what */
	struct stretch stretch;
	struct totals total;
	struct outfile series;
	struct row *row; /* of the series, until the stretch ends */
	uint64_t n_row, cap_row;
	uint64_t cycle; /* of the last access */
	struct work *work;
	struct level_pick pick;
	bool whole;
};

int model_init(
    struct model *m, struct tool *t, const struct settings *s, const struct wcp_machine *machine);
void model_release(struct model *m);
/* Reads operand 0; exit status. */
int model_read(struct model *m);

enum { SLICE = 512 };

/* What there is to do for an access. */
enum what {
	COUNTS = 1,  /* it hits or misses */
	MISSES = 2,  /* the sectors that it wants */
	BRINGS = 4,  /* the whole line */
	EVICTS = 8,  /* another line */
	BEGINS = 16, /* it is the first of its instruction */
	COMES = 32,  /* its warp is new in the place */
	GOES_BY = 64 /* past L1D */
};

/* Accesses to L1D, in columns. */
struct work {
	uint32_t n;
	const uint64_t *cycle; /* NULL: not asked for */
	uint64_t line[SLICE], victim[SLICE];
	uint8_t same[SLICE]; /* place and agent are those of the access before */
	uint32_t place[SLICE], agent[SLICE];
	uint8_t what[SLICE]; /* enum what, or-ed */
	/* Of what is evicted: the place that had brought it, NONE: not known; and the agent, where
	 * that is not remembered: who was there last. */
	uint32_t owner_place[SLICE], bringer[SLICE];
	/* to and from the caches */
	uint32_t sectors[SLICE];
	uint16_t copy[SLICE];
	uint8_t result[SLICE];
	/* looked for in struct lost, one after the other: lines that are brought, and evicted */
	uint64_t home[2 * SLICE + AHEAD];
};

/* What an access asks for that became this: enum what, or-ed. */
unsigned slice_what(enum wcp_outcome outcome);
/* Takes records first to first + n; those before a fault in any case. */
int slice_run(struct model *m, const struct wcp_access_batch *b, uint32_t first, uint32_t n,
    struct wcp_error *e);

/* The slice's accesses, in order: whose line was it, and who had driven it out. */
void judge(struct model *m);
/* VTA hits of a place that another has caused since the kernel began. */
uint64_t judge_hits(const struct model *m, uint32_t other, uint32_t place);

/* The SM's epoch has come to its end, or its kernel. */
void epoch_end(struct model *m, uint16_t sm);
void epoch_kernel_end(struct model *m, const struct wcp_kernel_end *end);
int epoch_open(struct model *m);
int epoch_close(struct model *m, bool keep);

int intf_print(const struct model *m);

#endif
