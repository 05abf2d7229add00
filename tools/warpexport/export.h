/*
 * A stream as a trace in the JSON trace event format, which ui.perfetto.dev and chrome://tracing
 * open. Events are written as they come; only slices whose end is not known yet are kept, and laid
 * on tracks when nothing is open any more, so that slices of a track are disjoint.
 */
#ifndef EXPORT_H
#define EXPORT_H

#include "tool.h"

/* Processes, and their tracks from the top: what the host did above kernels, CTAs above warps. */
enum { PID_GPU = 1, PID_SM = 100 };
enum { TID_HOST = 1, TID_KERNEL = 2, TID_CTA = 1, TID_WARP = 10001, TID_ACCESS = 20001 };

/* ---- writing events ----------------------------------------------------------------------- */

struct track_name {
	uint64_t pid, tid;
};

struct trace {
	FILE *out;
	double scale; /* microseconds of a unit of time */
	bool begun;
	struct track_name *named; /* [named_mask + 1] tracks and processes that have a name */
	uint64_t named_mask, n_named;
	uint64_t events;
};

void trace_begin(struct trace *t, FILE *out, double scale, const char *command, const char *unit);
void trace_end(struct trace *t);
void trace_release(struct trace *t);
/* Names a process, or with tid one of its tracks, the first time. Names are formats of one number.
 */
void trace_name(struct trace *t, uint64_t pid, uint64_t tid, const char *name, uint64_t number);
void trace_process(struct trace *t, uint64_t pid, const char *name, uint64_t order);

/* Arguments: pairs of a name and a number or a text. */
struct argument {
	const char *name;
	const char *text; /* NULL: number */
	uint64_t number;
};

/* A slice from time "from" as long as "time"; an instant; a counter's value from now on. */
void trace_slice(struct trace *t, uint64_t pid, uint64_t tid, const char *name, uint64_t from,
    uint64_t time, const struct argument *arg, unsigned n);
void trace_instant(struct trace *t, uint64_t pid, uint64_t tid, const char *name, uint64_t at,
    const struct argument *arg, unsigned n);
void trace_counter(struct trace *t, uint64_t pid, const char *name, uint64_t at,
    const struct argument *arg, unsigned n);

/* ---- slices that wait for their track ------------------------------------------------------- */

enum span_kind { SPAN_KERNEL, SPAN_CTA, SPAN_WARP, SPAN_STATE };

struct span {
	uint64_t from, to; /* one past the last unit */
	uint64_t records;
	uint64_t misses;
	uint32_t kernel, cta;
	uint16_t sm, warp, slot;
	uint8_t kind;  /* enum span_kind */
	uint8_t state; /* SPAN_STATE: enum wcp_state_kind */
};

struct spans {
	struct span *span; /* [n] */
	uint64_t n, cap;
};

struct span *spans_add(struct spans *s);
void spans_release(struct spans *s);

/* When each track of each process and kind is free again. */
struct lane {
	uint64_t key; /* process, kind */
	uint64_t *free_at;
	uint32_t n;
};

struct lanes {
	struct lane *lane;
	size_t n;
};

void lanes_release(struct lanes *l);

struct exporter {
	struct tool *tool;
	struct wcp_reader *reader;
	struct wcp_filter *filter;
	struct trace trace;
	struct wcp_warp_batch matching; /* what the filter leaves */
	uint32_t *index;
	bool warp_stream, accesses;
	uint64_t interval;  /* of counters, 0: none */
	uint64_t now;	    /* the latest time that was seen */
	uint32_t open;	    /* kernels that have not ended */
	uint32_t open_ctas; /* of a WARP stream */
	struct spans spans; /* of kernels that may go on */
	struct lanes lanes;
	uint64_t *open_span; /* [open_mask + 1] 1 + number in spans, by what the span is of */
	uint64_t open_mask, n_open;
	/* counters of the interval begun */
	uint64_t interval_end, count, misses;
	uint64_t done;
};

/* The process of an SM, which gets its name. */
uint64_t process_of_sm(struct exporter *x, uint16_t sm);
/* Lays the spans on tracks, writes and forgets them; those of kernels stay open if they are to. */
void place_spans(struct exporter *x, bool keep_kernels);
/* The open span of that kind for these, made if there is none; from: where a new one begins. */
struct span *span_of(struct exporter *x, struct span like, uint64_t from);
/* Forgets that a span is open, so that the next of its like is another; NULL if none was. */
struct span *span_close(struct exporter *x, struct span like);

void export_access(struct exporter *x, const struct wcp_access_batch *b);
void export_states(struct exporter *x, const struct wcp_state *s, uint32_t n);
int export_warp(struct exporter *x, const struct wcp_warp_batch *b, struct wcp_error *e);
void export_kernel(struct exporter *x, const struct wcp_kernel *k);
void export_kernel_end(struct exporter *x, const struct wcp_kernel_end *k);
void export_host(struct exporter *x, const struct wcp_host_op *op);
void export_finish(struct exporter *x);

#endif
