/*
 * Line transactions of either kind of stream: an ACCESS stream's records in their order, or a WARP
 * stream's memory instructions coalesced in the order in which they are recorded, CTA after CTA and
 * in it warp after warp. The filter (-F) is applied; what no cache sees, shared memory, is left
 * out.
 *
 *	struct tap in;
 *	struct tap_item item;
 *	status = tap_open(&in, t, &options);
 *	while (!status && (more = tap_next(&in, &item)) == 1)
 *		...
 *	status = status ? status : more;
 *	tap_close(&in);
 */
#ifndef COMMON_TAP_H
#define COMMON_TAP_H

#include "tool.h"
#include "warpcap/batch.h"
#include "warpcap/coalesce.h"

struct tap_options {
	enum wcp_link link;  /* ANY, or the only kind that is taken */
	uint32_t columns;    /* WCP_COL() that are asked for; KERNEL, LINE, KIND and SPACE always */
	uint32_t line_bytes; /* of a WARP stream's lines */
	uint32_t kinds;	     /* bit per enum wcp_access_kind; 0: all */
};

struct tap_item {
	const struct wcp_kernel *kernel;	 /* one begins */
	const struct wcp_kernel_end *kernel_end; /* one has ended: nothing of it follows */
	const struct wcp_access_batch *access;	 /* records; n may be 0 */
};

struct tap {
	struct tool *tool;
	struct tap_options options;
	struct wcp_reader *reader;
	struct wcp_filter *filter;
	bool warp;	/* the stream is WARP */
	bool whole;	/* read to its end */
	uint64_t done;	/* records handed out */
	uint64_t finer; /* of them, addresses that are no multiple of the line */
	/* private */
	uint32_t *index; /* [cap_index] */
	uint32_t cap_index;
	struct wcp_access_batch batch;	/* what a filter leaves, or what WARP is coalesced to */
	struct wcp_warp_batch matching; /* WARP with a filter */
};

/* Opens operand 0; 0, or an exit status after saying why. Close it in any case. */
int tap_open(struct tap *in, struct tool *t, const struct tap_options *o);
/* 1: one of item's pointers is set, until the next call; 0: the end, or a signal (whole is false);
 * 2 and above: an exit status, said why, after all that came before was delivered. */
int tap_next(struct tap *in, struct tap_item *item);
void tap_close(struct tap *in);

/* "load,store" to a bit per enum wcp_access_kind; 0, or an exit status after saying why. */
int tap_kinds(const struct tool *t, const char *option, const char *text, uint32_t *kinds);

#endif
