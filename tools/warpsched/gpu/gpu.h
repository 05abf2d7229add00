/* The whole machine, and how it is played: window after window of as many cycles as a message
 * takes at least. */
#ifndef WARPSCHED_GPU_H
#define WARPSCHED_GPU_H

#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/program.h"
#include "gpu/sm.h"
#include "gpu/tap.h"
#include "gpu/watch.h"

/* What is reported of a kernel. */
struct kernel_result {
	char *name; /* who keeps it sets it */
	uint32_t id, parent;
	uint64_t stream;
	uint64_t begin, end; /* cycles */
	uint64_t ctas, warp_insns, thread_insns;
};

/* A kernel that was started. */
struct running {
	struct running *next;
	struct feed_kernel *feed;
	const struct wcp_kernel *kernel;
	struct program program;
	uint64_t ctas;	   /* resident or saved */
	uint64_t saved;	   /* of them */
	bool no_more;	   /* CTAs */
	bool ended;	   /* it was told; children are left */
	uint64_t children; /* launched and not done with, their own children included */
	struct kernel_result result;
};

/* What went through a crossbar. */
struct traffic {
	uint64_t packets, flits;
};

struct gpu {
	const struct gpu_config *set;
	const struct wcp_policy *policy;
	const double *parameter;
	struct wcp_policy_machine machine; /* as policies see it */
	struct feed *feed;
	struct tap *tap; /* NULL: none */
	struct series series;
	struct watch watch;
	struct op_exceptions exceptions;
	struct launcher launcher;
	struct running *running; /* in the order of their start */
	struct sm *sm;		 /* [set->sm.sms] */
	struct memory memory;
	struct crossbar requests, replies;
	struct traffic request_traffic, reply_traffic;
	uint32_t window; /* cycles */
	bool failed;	 /* no memory */
	bool astray;	 /* a line came to an SM that had not asked for it */
	bool misled;	 /* an SM, by its policy */
	/* What windows need not look for: kernels that run, and of those the ones with CTAs left.
	 */
	uint32_t kernels, handing;
	uint64_t waits; /* warps that wait for kernels */
	uint64_t saved; /* CTAs */
	bool room;	/* an SM may take a CTA that it refused */
	bool ending;	/* a kernel may have ended */
	uint64_t now;
	uint64_t windows, seen_done;	 /* played; what had been done at the last look */
	uint32_t turn;			 /* SM that is offered a CTA first */
	uint64_t busy_cycles;		 /* in which a kernel ran, but for the present stretch */
	uint64_t busy_since, busy_until; /* of the present stretch, or of the last */
};

/* The machine as policies see it. */
void gpu_describe(const struct gpu_config *set, struct wcp_policy_machine *m);

/* NULL: e says what of the machine cannot be. */
struct gpu *gpu_new(const struct gpu_config *set, const struct wcp_policy *policy,
    const double *parameter, struct feed *feed, struct wcp_error *e);
void gpu_free(struct gpu *g);
/* Figures for each so many cycles are kept in g->series. */
void gpu_series(struct gpu *g, uint64_t interval);
/* Tables are kept in g->watch. 0, or e filled. */
int gpu_watch(struct gpu *g, bool ages, bool interference, struct wcp_error *e);
/* Nothing more is played: the last interval ends. */
void gpu_finish(struct gpu *g);
/* What a level accepts is told to t from now on. */
void gpu_tap(struct gpu *g, struct tap *t);
/* A packet goes to the crossbar; its node is the receiver. */
void gpu_send_request(struct gpu *g, uint32_t sm, uint64_t now, struct packet *p);
void gpu_send_reply(struct gpu *g, uint32_t slice, uint64_t now, struct packet *p);
/* A receiver has taken p->flits out of its buffer. */
void gpu_request_taken(struct gpu *g, uint32_t slice, uint64_t now, struct packet *p);
void gpu_reply_taken(struct gpu *g, uint32_t sm, uint64_t now, struct packet *p);

/* Nothing can happen any more and CTAs are left: says in e which warps wait for what. WCP_ENO. */
int gpu_deadlock(const struct gpu *g, struct wcp_error *e);
/* The same of a machine that is at work and gets nowhere. */
int gpu_livelock(const struct gpu *g, struct wcp_error *e);

/* The policy did what it must not do: says in e what. WCP_ENO. */
int gpu_misled(const struct gpu *g, struct wcp_error *e);

/* Goes on until a kernel ends; 1: result filled, *kernel is its descriptor; 0: there is none any
 * more, or the tool was interrupted; negative: e filled. */
int gpu_kernel(struct gpu *g, struct kernel_result *result, const struct wcp_kernel **kernel,
    struct wcp_error *e);
/* Cycles with a kernel so far. */
uint64_t gpu_cycles(const struct gpu *g);

/* A kernel begins now. 0, or e filled. */
int gpu_start(struct gpu *g, struct feed_kernel *k, struct wcp_error *e);

#endif
