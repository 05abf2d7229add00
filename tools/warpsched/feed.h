/*
 * The WARP stream as a source of CTAs. Kernels and what the host did come in the order of the
 * stream; a kernel's CTAs are handed out in the order in which they were recorded; what the stream
 * brings of other kernels meanwhile is kept. What a resident warp executes is walked where the
 * reader left it: a decoded batch is kept until the last warp has left it, and more is read when a
 * warp asks for what has not come yet. When the input breaks it ends there, and feed_status says
 * how.
 */
#ifndef WARPSCHED_FEED_H
#define WARPSCHED_FEED_H

#include "tool.h"
#include "warpcap/walk.h"

struct feed;
struct piece; /* a batch in use */

/* A stretch of one warp's instructions. */
struct stretch {
	struct piece *piece;
	uint32_t segment;
};

/* A warp's walk over its stretches. */
struct feed_warp {
	const struct wcp_program *program;
	struct wcp_walk walk;  /* at the current instruction, once feed_next has returned 1 */
	struct piece *piece;   /* of walk; NULL before the first */
	struct stretch *queue; /* [cap] ring of those to come */
	uint32_t head, n, cap;
	bool closed; /* nothing more will come */
};

struct feed_cta {
	struct feed_cta *next, *open; /* lists of the feed's */
	struct feed_kernel *kernel;
	uint32_t linear; /* index in the grid */
	uint32_t n_warp;
	bool closed;
	struct feed_warp warp[];
};

struct feed_kernel {
	const struct wcp_kernel *kernel;
	const struct wcp_program *program;
	uint32_t warps_per_cta;
	uint64_t ctas_taken; /* CTAs handed out */
	bool ended;	     /* its KERNEL_END was read */
	struct wcp_kernel_end end;
};

/* Reads through r, which stays the caller's. NULL without memory. */
struct feed *feed_new(struct wcp_reader *r);
void feed_free(struct feed *f);

/* What the host did: launched a kernel, or something else. */
struct feed_command {
	struct feed_kernel *kernel; /* NULL: something else */
	struct wcp_host_op host;
	char *label; /* host's, the caller's to free; NULL: none */
};

/* The next command of the stream, once. False: there is none, or none was found before more than
 * so many bytes of decoded stream were held. */
bool feed_command(struct feed *f, struct feed_command *command, uint64_t most_bytes);
bool feed_ended(const struct feed *f); /* all of it was read */
/* The kernel of that id, if it has been read of; NULL if not. */
const struct wcp_kernel *feed_described(const struct feed *f, uint64_t id);
/* The next CTA of a kernel, the caller's until feed_cta_done; NULL: it has no more. */
struct feed_cta *feed_cta(struct feed *f, struct feed_kernel *k);
void feed_cta_done(struct feed *f, struct feed_cta *c);
/* All its CTAs were handed out and are done with: k->end is read. */
void feed_kernel_end(struct feed *f, const struct feed_kernel *k);
/* The same; k is gone. */
void feed_kernel_done(struct feed *f, struct feed_kernel *k);

/* Steps a warp of a CTA that is handed out to its next instruction; false at its end. */
bool feed_next(struct feed *f, struct feed_warp *w);

/* The batch of the warp's current instruction stays until it is dropped. */
struct piece *feed_hold(struct feed_warp *w);
void feed_drop(struct feed *f, struct piece *p);
const struct wcp_warp_batch *feed_batch(const struct piece *p);

/* 0, or negative with e filled when the input broke. */
int feed_status(const struct feed *f, struct wcp_error *e);

/* Of the stream's END; 0 before it was read. */
uint32_t feed_end_flags(const struct feed *f);
/* Most bytes of decoded stream held at once so far. */
uint64_t feed_peak_bytes(const struct feed *f);
uint64_t feed_bytes(const struct feed *f); /* now */

#endif
