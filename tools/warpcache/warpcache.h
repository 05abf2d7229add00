/* What the parts of warpcache share. */
#ifndef WARPCACHE_H
#define WARPCACHE_H

#include "unit.h"
#include "warpcap/cache.h"

struct settings {
	struct wcp_cache_options cache;
	uint64_t size_bytes; /* 0: not given */
	bool sets_given, global_write_given;
	bool shared;	/* one cache for all SMs */
	int invalidate; /* at kernel end: 1 yes, 0 no, -1 by shared */
	enum unit by;
	uint32_t spaces; /* bit s: enum wcp_space s is looked up */
	uint32_t level;	 /* outcome nibble, from 0 */
	bool level_given, pass_all;
};

/* Options to settings; 0 or an exit status. */
int settings_index(struct tool *t, struct settings *s, const char *value);
int settings_replacement(struct tool *t, struct settings *s, const char *value);
int
settings_write(struct tool *t, const char *option, enum wcp_write_policy *write, const char *value);
int settings_by(struct tool *t, struct settings *s, const char *value);
int settings_spaces(struct tool *t, struct settings *s, const char *value);
int settings_number(
    struct tool *t, const char *option, const char *value, uint64_t max, uint32_t *number);
/* Sets from size, defaults that depend on one another. */
int settings_finish(struct tool *t, struct settings *s);

/* ---- lines that a cache has seen (lines.c) ------------------------------------------------- */

struct lines {
	uint64_t *number; /* [mask + 1] 1 + line number, 0: free */
	uint16_t *copy;
	uint64_t n, mask;
};
/* Was this line new to that cache? Remembers it. Ends the program when memory runs out. */
bool lines_add(struct lines *l, uint64_t number, uint16_t copy);
void lines_release(struct lines *l);
void *must_have(void *old, size_t bytes);

/* ---- what is counted (count.c) --------------------------------------------------------------- */

struct row {
	uint64_t accesses; /* looked up: hits + misses */
	uint64_t loads, stores, atomics;
	uint64_t hits, load_hits, store_hits;
	uint64_t cold;	   /* misses on a line the cache never had touched before */
	uint64_t sector;   /* misses on a line that was there */
	uint64_t bypassed; /* not looked up */
	uint64_t writebacks;
};

struct instructions { /* of one kernel, from its end; known is false before */
	uint64_t threads, warps;
	bool known;
};

/* ---- one run -----------------------------------------------------------------------------------
 */

struct work { /* the records of a batch that are looked up, in the model's columns */
	uint32_t n, cap;
	uint32_t *at; /* record in the batch */
	uint64_t *line;
	uint32_t *sectors, *owner, *unit;
	uint8_t *kind, *space;
	uint16_t *flags, *copy;
	/* results */
	uint8_t *result;
	uint64_t *victim;
	uint32_t *missing, *victim_sectors, *victim_owner;
};

struct run {
	struct tool *tool;
	const struct settings *set;
	struct wcp_reader *reader;
	struct wcp_filter *filter;
	struct wcp_writer *writer; /* NULL: report only */
	struct wcp_cache *cache;
	struct work work;
	uint32_t *match; /* [cap_match] records that match; then [n_other] those not looked up */
	uint32_t cap_match, n_other;
	struct lines seen;
	struct row all;
	struct row *row; /* [cap_row] by key number */
	uint32_t cap_row;
	struct keys by;
	struct names kernels, programs;
	struct instructions *insns; /* [n_insns] by kernel */
	uint32_t n_insns;
	uint32_t caches;	/* that were used */
	uint64_t other_spaces;	/* records not looked up for their space */
	uint64_t done, flushed; /* records; write-backs of invalidation */
	struct wcp_access_batch out;
	uint64_t *passed; /* [n_passed] records passed on, by kernel */
	uint32_t n_passed;
	uint64_t new_id;     /* of a write-back */
	uint64_t last_cycle; /* of the accesses so far */
	uint32_t end_flags;
	int status;
	struct wcp_error error;
};

int run_stream(struct run *r); /* exit status */

/* count.c */
void count_results(struct run *r, const struct wcp_access_batch *b);
void count_kernel_end(struct run *r, const struct wcp_kernel_end *end);

/* pass.c: the stream that goes on; 0 or negative, r->error filled */
int pass_results(struct run *r, const struct wcp_access_batch *b);
int pass_invalidate(struct run *r, uint32_t kernel);
int pass_kernel_end(struct run *r, const struct wcp_kernel_end *end);
int pass_flush(struct run *r);

int print_report(struct run *r, struct report *report); /* exit status */

#endif
