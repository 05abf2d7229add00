/* The whole machine, and how it is played: window after window of as many cycles as a message
 * takes at least. */
#ifndef WARPSCHED_GPU_H
#define WARPSCHED_GPU_H

#include "gpu/memory.h"
#include "gpu/program.h"
#include "gpu/sm.h"

struct gpu {
	const struct gpu_config *set;
	const struct wcp_policy *policy;
	const double *parameter;
	struct wcp_policy_machine machine; /* as policies see it */
	struct feed *feed;
	const struct feed_kernel *kernel; /* that runs */
	struct program program;
	struct op_exceptions exceptions;
	struct sm *sm; /* [set->sm.sms] */
	struct memory memory;
	struct crossbar requests, replies;
	uint32_t window; /* cycles */
	uint64_t now;
	uint32_t turn;	   /* SM that is offered a CTA first */
	uint64_t running;  /* CTAs resident */
	bool no_more;	   /* CTAs */
	uint64_t kernels;  /* run */
	uint64_t last_end; /* cycle after the last CTA's end */
};

struct kernel_result {
	char *name; /* who keeps it sets it */
	uint32_t id;
	uint64_t cycles, begin;
};

/* NULL: e says what of the machine cannot be. */
struct gpu *gpu_new(const struct gpu_config *set, const struct wcp_policy *policy,
    const double *parameter, struct feed *feed, struct wcp_error *e);
void gpu_free(struct gpu *g);
/* A packet goes to the crossbar; its node is the receiver. */
void gpu_send_request(struct gpu *g, uint32_t sm, uint64_t now, struct packet *p);
void gpu_send_reply(struct gpu *g, uint32_t slice, uint64_t now, struct packet *p);
/* A receiver has taken p->flits out of its buffer. */
void gpu_request_taken(struct gpu *g, uint32_t slice, uint64_t now, struct packet *p);
void gpu_reply_taken(struct gpu *g, uint32_t sm, uint64_t now, struct packet *p);

/* Nothing can happen any more and CTAs are left: says in e which warps wait for what. WCP_ENO. */
int gpu_deadlock(const struct gpu *g, struct wcp_error *e);

/* Runs the next kernel of the feed; 1, 0: there is none; negative: e filled. */
int gpu_kernel(struct gpu *g, struct kernel_result *result, struct wcp_error *e);

#endif
