/* What the files of the machine reader share. */
#ifndef MACHINE_MACHINE_H
#define MACHINE_MACHINE_H

#include "warpcap/machine.h"

enum {
	MACHINE_DEPTH = 8,   /* files that are based on one another */
	MACHINE_LINE = 1000, /* bytes of a line */
	MACHINE_VALUE = 190, /* bytes of "key = value" */
	MACHINE_REASON = 256,
};

struct slot {				/* one for every key of every section */
	struct wcp_machine_value value; /* text NULL: not given */
	char *text, *source;
};

struct wcp_machine {
	char *name, *about;
	char **file; /* [n_file] paths, in the order of opening */
	unsigned n_file;
	size_t n_slot;
	struct slot slot[]; /* [n_slot] by section and key */
};

/* read.c: 0, or e filled. */
struct search {
	const char *const *directory; /* [n] */
	size_t n;
};
int machine_read(
    struct wcp_machine *m, const char *name, const struct search *where, struct wcp_error *e);

/* find.c: the path of a named machine, to be freed. beside: the file that asks for it, or NULL. */
char *
machine_path(const char *name, const char *beside, const struct search *where, struct wcp_error *e);

/* machine.c: gives a key a value; e is filled without a place. */
int machine_give(struct wcp_machine *m, const char *section, const char *key, const char *text,
    const char *source, const char *file, unsigned line, struct wcp_error *e);

/* value.c: reads text into the field (nowhere if it is NULL); false with the reason. */
bool value_read(
    const struct wcp_machine_key *key, const char *text, void *field, char reason[MACHINE_REASON]);

/* near.c: twice the number of letters to be changed, added, taken out or swapped with the next,
 * whatever their case; letters in another case count 1, all of them together. */
unsigned near_distance(const char *a, const char *b);
struct near { /* the best of the names offered */
	const char *word, *best;
	unsigned distance;
};
void near_offer(struct near *n, const char *name);
/* The best one if it is close enough to be what was meant, else NULL. */
const char *near_found(const struct near *n);

/* keys_*.c */
extern const struct wcp_machine_section keys_clock, keys_dram, keys_l1, keys_l2, keys_l3;
extern const struct wcp_machine_section keys_l1c, keys_l1t, keys_l1i;
extern const struct wcp_machine_section keys_sm, keys_icnt, keys_memory, keys_latency,
    keys_interval;

#endif
