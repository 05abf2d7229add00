/* What the options say: one struct settings a level. */
#ifndef SETTINGS_H
#define SETTINGS_H

#include "unit.h"
#include "warpcap/cache.h"
#include "warpcap/nbcache.h"
#include "warpcap/slice.h"
#include "warpcap/vta.h"

enum { LEVELS_MAX = 8 };

enum run_as { RUN_BOUNDED, RUN_BYPASS_ALL, RUN_UNBOUNDED };

struct settings {
	uint32_t level; /* outcome nibble, from 0 */
	bool level_given;
	char name[4]; /* "l1" */
	struct wcp_cache_options cache;
	struct wcp_slice_options slice; /* of a shared cache */
	uint64_t size_bytes;		/* of a cache, all its slices; 0: not given */
	/* Who said it last, as the other then follows from it. */
	enum scope { BY_DEFAULT, BY_MACHINE, FOR_ALL, FOR_LEVEL } scope, size_by, sets_by;
	bool global_write_given;
	int shared;	/* one cache for all SMs: 1 yes, 0 no, -1 by level */
	int invalidate; /* at kernel end: 1 yes, 0 no, -1 by shared */
	enum unit by;
	uint32_t spaces; /* bit s: enum wcp_space s is looked up */
	bool classes, scenarios;
	uint32_t vta_entries, vta_ways; /* 0: no victim tags; 0: all of them */
	enum wcp_vta_order vta_order;
	bool vta_by_set; /* else by owner */
	bool vta_given;	 /* some of this but how many */
	bool pass_all;	 /* of the last level */
	bool passes;	 /* somebody takes what goes on */
	bool foresees;	 /* opt: it must know the future */
	bool pass_fills; /* fills as well; with time */
	/* with time (timed.h) */
	bool timed;
	struct wcp_nb_options time; /* what cache does not say */
	uint64_t fill_latency;	    /* cycles from leaving the miss queue to the fill */
	enum run_as run_as;
	bool ages;
	bool counts_passed; /* what goes on is counted, for scenarios */
	const char *series; /* file; NULL: none */
	uint64_t interval;  /* cycles */
	unsigned threads;   /* to work with, itself included */
	bool interval_given;
};

/* An option to be applied when the machine is known. */
struct given {
	int id;
	const char *value;
	uint32_t level; /* 0: for all; else 1 + place in the plan */
};

/* The levels of a call. Options before the first -L hold for all. */
struct plan {
	struct settings level[LEVELS_MAX];
	uint32_t n;
	struct given *given; /* [n_given] */
	size_t n_given, cap_given;
	struct wcp_machine *machine; /* NULL without -m and --set */
};

void settings_init(struct settings *s);
void plan_keep(struct plan *p, int id, const char *value);
void plan_release(struct plan *p);
/* The levels with their settings: what the machine says, then the options, by apply; 0 or an exit
 * status. */
int plan_finish(struct tool *t, struct plan *p,
    int (*apply)(struct tool *t, struct settings *s, int id, const char *value));

void settings_set_level(struct settings *s, uint32_t level);
/* Sets from size, defaults that depend on one another. */
int settings_finish(struct tool *t, struct settings *s);
/* Options to settings; 0 or an exit status. */
int settings_level(struct tool *t, struct plan *p, const char *value);
int
settings_index(struct tool *t, const char *option, struct wcp_index_options *o, const char *value);
int settings_replacement(struct tool *t, struct settings *s, const char *value);
int
settings_write(struct tool *t, const char *option, enum wcp_write_policy *write, const char *value);
int settings_spaces(struct tool *t, struct settings *s, const char *value);
int settings_pass(struct tool *t, struct settings *s, const char *value);
int settings_choice(struct tool *t, const char *option, const char *value, const char *first,
    const char *second, bool *is_second);
int settings_number(
    struct tool *t, const char *option, const char *value, uint64_t max, uint32_t *number);
/* "32x8" or "32" */
int settings_mshr(struct tool *t, struct settings *s, const char *value);
int settings_allocate(struct tool *t, struct settings *s, const char *value);
int settings_run_as(struct tool *t, struct settings *s, const char *value);

#endif
