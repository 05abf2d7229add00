/*
 * From WARP to ACCESS without time. The input side (input.c) turns what the reader delivers into
 * queues, one for each warp of the CTAs that are resident; the order side (order.c) says whose turn
 * it is and asks for more input when the warp in turn has nothing queued; the output side (emit.c)
 * coalesces and writes.
 */
#ifndef WARPFLAT_FLAT_H
#define WARPFLAT_FLAT_H

#include "queue.h"
#include "report.h"

enum order { ORDER_RR, ORDER_CTA, ORDER_WARP };

struct settings {
	enum order order;
	uint32_t sms;
	uint32_t ctas_per_sm; /* 0: what fits, see residency() */
	struct wcp_coalesce coalesce;
	uint32_t spaces; /* bit s: enum wcp_space s is wanted */
	uint64_t memory_bytes;
};

struct warp {
	struct queue queue;
	bool closed; /* nothing more will be queued */
	bool done;   /* closed, and all of it taken */
	bool waits;  /* at barrier */
	uint8_t barrier;
};

enum { BARRIERS = 16 };

struct cta {
	struct cta *next;	/* of those that wait for an SM */
	struct cta *incomplete; /* next of those whose end has not been read */
	struct launch *reading; /* on whose list of these it is, NULL: none */
	uint32_t linear;	/* index in the grid */
	uint32_t number;	/* n-th CTA of its kernel in the stream */
	uint32_t n_warp, n_done, n_waiting;
	uint32_t arrived[BARRIERS];
	struct warp *warp; /* [n_warp] */
};

/* One launch, from its KERNEL item until its last access is written. */
struct launch {
	struct launch *next;
	const struct wcp_kernel *kernel;
	const struct wcp_program *program;
	struct wcp_kernel_end end;
	bool complete; /* no more input will come */
	uint64_t ctas; /* in the grid */
	uint64_t ctas_read;
	uint32_t warps_per_cta;
	uint32_t ctas_per_sm;
	bool barriers; /* the program has some, and the order minds them */
	struct cta *waiting, **waiting_end;
	struct cta *incomplete;
	/* what came out of it */
	uint64_t insns, divergent, transactions, sectors, bytes;
};

struct flat {
	struct tool *tool;
	struct settings set;
	struct wcp_reader *reader;
	struct wcp_writer *writer;
	struct wcp_filter *filter;
	struct wcp_warp_batch filtered;
	struct pool pool;
	struct launch *first, **last;
	bool ended;	  /* the input is at its end, or broke, or a signal came */
	int input_status; /* negative: it broke; input_error says how */
	struct wcp_error input_error;
	uint32_t end_flags; /* enum wcp_end_flags of the input */
	struct wcp_access_batch out;
	uint64_t written;      /* records */
	struct report *report; /* NULL: none wanted */
};

/* input.c: reads one item; 0, or negative when the output side failed (e filled). Sets f->ended at
 * the end. */
int input_next(struct flat *f, struct wcp_error *e);
void cta_free(struct flat *f, struct cta *c);

/* order.c: takes every access of the launch in turn, reading on as needed. */
int order_run(struct flat *f, struct launch *l, struct wcp_error *e);

/* emit.c: writes the transactions of one record; where says who executes it, more_flags is
 * WCP_ACCESS_FIRST for an instruction's first record. */
struct place {
	uint16_t sm, slot, warp;
	uint32_t cta;
};
int emit(struct flat *f, struct launch *l, const struct place *where, const struct record *r,
    uint16_t more_flags, struct wcp_error *e);
int emit_start(struct flat *f, struct wcp_error *e);
int emit_flush(struct flat *f, struct wcp_error *e);

/* How many CTAs of the kernel an SM of compute capability 2.0 holds: see warpflat(1). */
uint32_t residency(const struct wcp_kernel *k);

#endif
