/*
 * The chain: what is read goes through level after level, and what the last one passes on to the
 * stream that is written, if one is. Kernels, their ends and everything else go through in their
 * place.
 *
 * Report: with one level its pairs are in the table "summary" and its tables have their plain
 * names; with several, the pairs of level l1 are in the table "l1" and its table "by" is "l1_by".
 */
#ifndef CHAIN_H
#define CHAIN_H

#include "ahead.h"
#include "level.h"
#include "sink.h"

struct chain {
	struct tool *tool;
	const struct plan *plan;
	struct wcp_reader *reader;
	struct wcp_filter *filter;
	struct sink sink;
	struct level *level[LEVELS_MAX];
	struct ahead *ahead[LEVELS_MAX];	 /* of a level that foresees, until it plays */
	struct wcp_access_batch out[LEVELS_MAX]; /* of level i */
	struct wcp_access_batch matched;	 /* what a filter leaves */
	uint32_t *match;			 /* [cap_match] */
	uint32_t n, cap_match;
	struct names kernels, programs;
	uint64_t done; /* records read */
	uint32_t end_flags;
	struct wcp_error error;
};

/* Exit status. */
int chain_run(struct tool *t, const struct plan *p);

#endif
