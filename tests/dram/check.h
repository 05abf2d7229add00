/*
 * A checker of DRAM command logs, written apart from the models: what one command forbids the next
 * is a table, each line a rule of the JEDEC standards with its formula.
 *
 *	k = check_new(&organisation, &timing);
 *	check_command(k, &command);	     each, in order
 *	check_end(k);			     what was due and never came
 *	check_report(k, stdout);
 */
#ifndef DRAM_CHECK_H
#define DRAM_CHECK_H

#include <stdio.h>
#include "warpcap/dram.h"

/* What happens to a bank. Auto-precharge happens later than its command. */
enum check_event {
	EV_ACT,
	EV_PRE,	   /* PRE, and PREA of an open bank */
	EV_AUTO_R, /* precharge of a RDA, of a WRA */
	EV_AUTO_W,
	EV_RD, /* with or without auto-precharge */
	EV_WR,
	EV_REF,
	EV_REFPB,
	EV_COUNT
};

enum check_scope {
	SAME_BANK,
	OTHER_BANK, /* of the rank */
	SAME_GROUP, /* the bank's own and the others of its group */
	OTHER_GROUP,
	SAME_RANK,
	OTHER_RANK,
	FOURTH, /* the rank's fourth last */
};

struct check_rule {
	const char *name;
	enum check_event before, after;
	enum check_scope scope;
	/* Sum of fields of wcp_dram_timing and of B, the cycles of a burst; "a|b": b if a is 0;
	 * "sum or sum": the second if the first is 0. With a difference in it at least 1. */
	const char *formula;
};
extern const struct check_rule check_rules[]; /* ends with a NULL name */
enum { CHECK_RULES_MAX = 64 };

struct check_tally {
	int64_t value;	 /* cycles; 0 constrains nothing */
	uint64_t pairs;	 /* met in order */
	uint64_t bound;	 /* no other rule allowed the command later */
	uint64_t exact;	 /* at the first cycle allowed */
	int64_t closest; /* smallest distance beyond the minimum */
};

struct check;
/* NULL: there is no such memory. */
struct check *check_new(const struct wcp_dram_organisation *o, const struct wcp_dram_timing *t);
/* The controller frees_at_act: a refresh waits for columns. */
void check_columns_first(struct check *k);
void check_free(struct check *k);
void check_command(struct check *k, const struct wcp_dram_command *c);
void check_end(struct check *k);
uint64_t check_commands(const struct check *k);
uint64_t check_violations(const struct check *k);
uint64_t check_latest_refresh(const struct check *k); /* most cycles after it was due */
const struct check_tally *check_tally(const struct check *k, size_t rule);
const char *check_first(const struct check *k); /* the first violation in words, or NULL */
void check_report(const struct check *k, FILE *f);

int64_t check_value(
    const struct check_rule *r, const struct wcp_dram_timing *t, uint32_t burst); /* cycles */

/* check_read.c: the field of that name, NULL if there is none. */
const uint32_t *check_field(const struct wcp_dram_timing *t, const char *name, size_t length);
/* Sets the field named key; false if there is none or the value is not for it. */
bool check_set(
    struct wcp_dram_organisation *o, struct wcp_dram_timing *t, const char *key, const char *value);
/* Is it a key of a config that says nothing about commands? */
bool check_ignored(const char *key);
/* A command from a line of a log: cycle, kind and channel in either order, rank, bank, row, column,
 * handle; tabs between. */
bool check_parse(const char *line, struct wcp_dram_command *c);
void check_write(FILE *f, const struct wcp_dram_command *c);
void
check_write_head(FILE *f, const struct wcp_dram_organisation *o, const struct wcp_dram_timing *t);

#endif
