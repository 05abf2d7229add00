/*
 * Walking the executed instructions of one WARP segment, in order, with what belongs to each: its
 * lanes after the guard, its memory records, its events.
 *
 *	struct wcp_walk w;
 *	wcp_walk_start(&w, batch, program, segment);
 *	while (wcp_walk_next(&w))
 *		... w.pc, w.mask, w.mem_first, w.n_mem ...
 */
#ifndef WARPCAP_WALK_H
#define WARPCAP_WALK_H

#include "warpcap/batch.h"

struct wcp_walk {
	const struct wcp_warp_batch *batch;
	const struct wcp_program *program;
	/* the current instruction */
	uint32_t at; /* its number in the segment, from 0 */
	uint32_t pc;
	uint32_t mask;	      /* lanes left by run and guard, may be 0 */
	uint32_t run;	      /* number of its run in the batch */
	uint32_t mem_first;   /* its records in the batch's mem_ columns */
	uint32_t n_mem;	      /* more than 1 if it hit several spaces */
	uint32_t event_first; /* its events */
	uint32_t n_event;
	const struct wcp_insn *insn; /* NULL if the program does not have pc */
	/* where the next one begins */
	uint32_t next_run, next_in_run, next_guard, next_mem, next_event, next_at;
	uint32_t end_run, end_guard, end_mem, end_event;
};

/* program may be NULL: then guards and memory records are not found. */
void wcp_walk_start(struct wcp_walk *w, const struct wcp_warp_batch *b,
    const struct wcp_program *program, uint32_t segment);
/* False at the end of the segment. Never leaves the segment's lists, whatever they hold. */
bool wcp_walk_next(struct wcp_walk *w);
/* For a caller who knows that n instructions behind the current one follow each other in the
 * program and have neither guard nor memory records: those of them that are of the same run and
 * come before any event are done with, and the next call of wcp_walk_next is for the one behind
 * them. They have the lanes of the run. Returns how many. */
uint32_t wcp_walk_past(struct wcp_walk *w, uint32_t n);

/* Appends to out, of the same kernel, those instructions of in whose bit is set, counted from 0
 * over the whole batch, with their records and events: runs are split where instructions are left
 * out; a segment without any is dropped unless it carries flags. Totals of out are kept. 0 or
 * WCP_ESYS. */
int wcp_warp_batch_select(const struct wcp_program *program, const struct wcp_warp_batch *in,
    const uint64_t *bits, struct wcp_warp_batch *out);
/* Appends segments first .. first + n as they are; unlike wcp_warp_batch_append it keeps totals
 * true for any n. */
int wcp_warp_batch_take(const struct wcp_program *program, const struct wcp_warp_batch *in,
    uint32_t first, uint32_t n, struct wcp_warp_batch *out);

#endif
