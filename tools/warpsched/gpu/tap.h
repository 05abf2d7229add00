/*
 * The ACCESS stream of what a level accepts: L1D, L2 or DRAM. A record comes once, when the level
 * takes it, with the outcomes at that level and above, in order of cycles, then of SMs.
 */
#ifndef WARPSCHED_TAP_H
#define WARPSCHED_TAP_H

#include "feed.h"
#include "warpcap/nbcache.h"
#include "warpcap/stream.h"

enum tap_level { TAP_L1, TAP_L2, TAP_DRAM };

struct tap;
struct gpu;
struct sm;
struct slice;
struct piece_request;

struct tap_record {
	uint64_t cycle, line, victim; /* victim: all ones if none */
	uint32_t kernel, cta, pc, sectors, lanes, outcome, victim_owner;
	uint32_t order; /* among records of the cycle: the SM, then as they came */
	uint16_t sm, warp, slot, flags, bytes;
	uint8_t kind, space;
};

/* Writes to w, which stays the caller's; what the kernels' programs are is asked of r. NULL without
 * memory. */
struct tap *tap_new(struct wcp_writer *w, const struct wcp_reader *r, enum tap_level level);
void tap_free(struct tap *t);
void tap_of(struct tap *t, const struct gpu *g); /* the machine that is tapped */

/* t may be NULL in these: nothing happens. */
void tap_host(struct tap *t, const struct wcp_host_op *op);
void tap_kernel(struct tap *t, const struct wcp_kernel *k);
void tap_kernel_end(struct tap *t, const struct wcp_kernel_end *end);
/* A CTA or a warp of the SM's slot, which it still has, begins or ends. */
void tap_state(struct tap *t, struct sm *sm, uint32_t slot, enum wcp_state_kind kind);
/* What holds the SM's warps may have changed. */
void tap_look(struct tap *t, struct sm *sm);
/* L1D has taken a request. */
void tap_l1(struct tap *t, const struct sm *sm, uint32_t request, uint8_t outcome,
    const struct wcp_nb_victim *victim, bool dirty);
/* A line left L1D, or shared memory as a cache, when another one came. */
void tap_l1_fill(struct tap *t, const struct sm *sm, uint32_t request,
    const struct wcp_nb_victim *victim, bool dirty);
/* A slice's L2 has taken the request, DRAM has. */
void tap_l2(struct tap *t, const struct slice *s, const struct piece_request *r,
    const struct wcp_nb_result *result, uint64_t cycle);
void tap_dram(struct tap *t, const struct slice *s, const struct piece_request *r, uint64_t cycle);
/* All records of cycles up to now have come. */
void tap_flush(struct tap *t);
/* 0, or negative with e filled: what could not be written. */
int tap_status(const struct tap *t, struct wcp_error *e);

#endif
