/*
 * A level of the chain of caches: it takes what the level above passes on, a batch at a time, and
 * yields what the one below is asked, in its order. A level type is a file with one const table;
 *the chain (chain.h) calls it as follows.
 *
 *	make          once, before anything is read
 *	run           accesses in the stream's order, of several kernels or SMs in one batch, cut
 *	              anywhere: what a level does and counts must not depend on the cuts
 *	kernel_end    all accesses of that kernel have come. Other kernels' may go on. Dirty lines
 *that leave now, and whatever is in flight, go to out finish        the stream has ended; what is
 *still in flight goes to out report        figures: pairs, tables and notes; see chain.h on their
 *names release       also after a failure anywhere
 *
 * What a level must provide:
 * - out is NULL where nobody takes what goes on; else records are appended to it, all columns of
 *each filled, in the order that the next level is to see them: with time that is (cycle, sm). It is
 *   handed on and cleared after each call, so that nothing appended may be wanted later. pass.h
 *makes the records: fetches, stores passed on, write-backs.
 * - in has the columns that the type asks for (others may be NULL); all of them when out is not
 *NULL. in->cycle is the clock, or the record's number where the stream has no time. Kinds are any:
 *a level above passes WCP_WRITEBACK.
 * - Figures that every level has (accesses, hits, misses by unit, instructions) are kept by the
 *   tally (tally.h): tell it of each access once.
 * - One chain in one process and one process a level give the same figures and the same stream: a
 *   level knows of others only what the records say. Ids it gives to records of its own come from
 *   level_new_id().
 * - A run returns 0, or negative with e filled: WCP_EUSAGE and WCP_EDATA are the input's fault.
 */
#ifndef LEVEL_H
#define LEVEL_H

#include "settings.h"
#include "tally.h"
#include "warpcap/batch.h"

struct level;

struct level_type {
	/* Columns of the accesses that it reads, WCP_COL(). */
	uint32_t (*columns)(const struct settings *s);
	/* NULL on failure, e filled. s stays as long as the level. */
	struct level *(*make)(const struct settings *s, struct wcp_error *e);
	int (*run)(struct level *l, const struct wcp_access_batch *in, struct wcp_access_batch *out,
	    struct wcp_error *e);
	int (*kernel_end)(struct level *l, const struct wcp_kernel_end *end,
	    struct wcp_access_batch *out, struct wcp_error *e);
	int (*finish)(struct level *l, struct wcp_access_batch *out, struct wcp_error *e);
	void (*report)(const struct level *l, struct report *out);
	void (*release)(struct level *l);
	/* Only for levels with settings.foresees, which are given nothing before the stream has
	 * ended: all batches from the last to the first, number first on, whose next uses go to
	 * next[in->n]; and the kernel ends between them. Then run sees the same batches from the
	 * first on, with l->next. */
	int (*foresee)(struct level *l, const struct wcp_access_batch *in, uint64_t first,
	    uint64_t *next, struct wcp_error *e);
	void (*foresee_kernel_end)(struct level *l);
};

/* What every level has; a type's own struct begins with it. make sets type and set, calls
 * level_init and leaves the rest to the chain. */
struct level {
	const struct level_type *type;
	const struct settings *set;
	struct tally tally;
	bool alone;	      /* the only level of its chain; set by the chain */
	uint64_t new_ids;     /* given so far */
	uint64_t last_cycle;  /* of the accesses so far, where out was wanted */
	const uint64_t *next; /* by record of the batch that runs; with settings.foresees */
};

extern const struct level_type level_untimed, level_timed;

/* The type that the settings ask for. */
const struct level_type *level_type_of(const struct settings *s);

void level_init(struct level *l, const struct level_type *type, const struct settings *s);
/* The tally's memory; the struct is the type's to free. */
void level_release(struct level *l);
/* Ids of records that a level makes: no stream's own, and no other level's. */
uint64_t level_new_id(struct level *l);
/* Begins a table of the report; where there are several levels, name and title say whose it is. */
void level_table(const struct level *l, struct report *out, const char *name, const char *title,
    const struct report_column *columns);
/* The tally's table of units. */
void level_print_units(const struct level *l, struct report *out);
/* Pairs that say what the level's caches are, and notes on what happened there. */
void level_print_cache(const struct level *l, struct report *out, uint32_t caches);
void level_print_notes(const struct level *l, struct report *out, uint64_t other_spaces);

#endif
