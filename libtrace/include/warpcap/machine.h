/*
 * Machine files: what a modelled machine is made of, as warpcap-machine(5) describes them. A file
 * holds sections of "key = value  # source"; every key of every section is known here, so that a
 * misspelt one is found by any tool, also where the tool has no use for its section. A consumer
 * binds a section's values to a plain struct of its own, described by a table of keys.
 */
#ifndef WARPCAP_MACHINE_H
#define WARPCAP_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include "warpcap/dram.h"
#include "warpcap/error.h"
#include "warpcap/nbcache.h"

enum wcp_machine_type {
	WCP_KEY_U32,	/* uint32_t */
	WCP_KEY_U64,	/* uint64_t */
	WCP_KEY_DOUBLE, /* double */
	WCP_KEY_BOOL,	/* bool; yes, no, true, false */
	WCP_KEY_ENUM,	/* an enum of int's size whose values count from 0 */
	WCP_KEY_TEXT,	/* const char *, valid as long as the machine */
};

struct wcp_machine_key {
	const char *name;
	enum wcp_machine_type type;
	size_t offset;	  /* of the field in the consumer's struct */
	const char *unit; /* "ck", "MHz"; may follow the value. "B" takes KiB, MiB, GiB, and "ns"
			     takes MHz, of which it is the period. NULL: none */
	double min, max;  /* of numbers, inclusive; exact up to 2^53 */
	const char *(*choice)(unsigned value); /* names of an ENUM's values, or of the texts that a
						  TEXT may be (NULL: any); "?" past the last */
	const char *help;		       /* one line */
};

struct wcp_machine_section {
	const char *name; /* "dram" */
	const char *help; /* one line */
	const struct wcp_machine_key *key;
	size_t n_key;
	size_t bytes; /* of the struct that it is bound to */
};

/* All sections there are, in the order of reports; NULL past the last. */
const struct wcp_machine_section *wcp_machine_section(size_t i);
const struct wcp_machine_section *wcp_machine_section_named(const char *name); /* NULL: none */

/* A value that a file or a setting gave. Strings live as long as the machine. */
struct wcp_machine_value {
	const struct wcp_machine_section *section;
	const struct wcp_machine_key *key;
	const char *text;   /* as written */
	const char *source; /* the text behind " # ", "" if none */
	const char *file;   /* path, or "--set" */
	unsigned line;	    /* 0: a setting */
};

struct wcp_machine;

/*
 * Reads the machine called name: a path when it holds a '/' or ends in ".conf", else NAME.conf in
 * the first of the directories that has it. A file's "base = NAME" lines, above its first section,
 * are looked up likewise, its own directory first. name NULL gives a machine without values.
 * WCP_EUSAGE: no such machine, with the names that there are; WCP_EDATA: what is wrong, beginning
 * with "FILE:LINE: "; WCP_ESYS: a file that cannot be read.
 */
struct wcp_machine *wcp_machine_open(
    const char *name, const char *const *directory, size_t n_directory, struct wcp_error *e);
void wcp_machine_free(struct wcp_machine *m);

const char *wcp_machine_name(const struct wcp_machine *m);  /* as asked for; "" without */
const char *wcp_machine_about(const struct wcp_machine *m); /* its "about" line; "" without */

/* Overrides one value by "section.key=value". WCP_EUSAGE says what is wrong with it. */
int wcp_machine_set(struct wcp_machine *m, const char *setting, struct wcp_error *e);

/* Writes the section's values to the fields of config; fields without a value stay as they are.
 * Returns how many there were. */
size_t wcp_machine_bind(
    const struct wcp_machine *m, const struct wcp_machine_section *section, void *config);

/* The value of a key; NULL if it has none. */
const struct wcp_machine_value *
wcp_machine_find(const struct wcp_machine *m, const char *section, const char *key);
/* All values, by section and key in the order of their tables; NULL past the last. */
const struct wcp_machine_value *wcp_machine_value(const struct wcp_machine *m, size_t i);

/* A model that refuses its configuration names keys, in any case, with underscores or without, and
 * with their unit at the end or without. Puts before e's text the place of that which was set, else
 * given by the file asked for, else by the first base, the first of several; and behind it the
 * places of the others. Status becomes WCP_EUSAGE or WCP_EDATA. Without such a key e stays as it
 * is. Returns e->status. */
int wcp_machine_blame(
    const struct wcp_machine *m, const struct wcp_machine_section *section, struct wcp_error *e);

/* The field's value as a file would spell it, without unit. */
void
wcp_machine_format(const struct wcp_machine_key *key, const void *config, char *text, size_t bytes);

/* ---- sections that several tools read ------------------------------------------------------- */

/* [clock]: 0 where not given. */
struct wcp_clock_config {
	double core_mhz;
};

/* [l1], [l2], [l3]: one level of cache. */
struct wcp_level_config {
	struct wcp_nb_options cache; /* of one slice; index.sets 0: from size_bytes */
	uint64_t size_bytes;	     /* of all slices; 0: from sets */
	uint32_t slices;	     /* equal parts that share the addresses */
	bool shared;		     /* one for all cores, not one each */
	uint32_t hit_ck, fill_ck;    /* access to hit; from the next level's answer to the fill */
};

/* [dram], with what is not given as warpcap-machine(5) says. requesters and seed are the caller's.
 * Its texts live as long as the machine. */
void wcp_machine_dram(const struct wcp_machine *m, struct wcp_dram_config *config);

#endif
