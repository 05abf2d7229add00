/*
 * From the host's commands, and from launches by kernels, to kernels that run. Commands of one CUDA
 * stream follow each other; those of the default stream wait for all before them and hold up all
 * behind them, as in CUDA's legacy mode. A kernel may begin while others run when all their CTAs
 * have been handed out: an SM takes what is left. The machine looks so many commands ahead as it
 * has hardware queues.
 *
 * A kernel launched by another one begins when the launching instruction has been issued, after
 * those that the same CTA launched into the same stream before; one that is to be forgotten waits
 * for none, and a tail launch for its parent and all that came of it. Its parent's stream goes on
 * when it has ended, too, and so do warps of its parent that wait for it (brood.h).
 */
#ifndef WARPSCHED_LAUNCH_H
#define WARPSCHED_LAUNCH_H

#include "feed.h"

struct brood;
struct gpu;
struct pending; /* a command that was read and not done */

struct child {
	struct brood *brood; /* that it is in as number; NULL: in none */
	uint32_t number;
	uint32_t parent; /* of one that was launched */
	bool launched, started;
};

struct launcher {
	struct pending *first, **last; /* in the order of the stream */
	uint32_t n;		       /* that the host gave */
	bool ended;		       /* nothing more to read */
	bool changed;		       /* what commands wait for may have */
	bool held_up;		       /* more is read when less is held */
	struct child *child;	       /* [cap] by kernel id: kernels that kernels launch */
	uint32_t cap;
};

void launcher_init(struct launcher *l);
void launcher_release(struct launcher *l);

/* Does what can be done now: starts kernels, applies copies. 0, or e filled. */
int launcher_run(struct gpu *g, struct wcp_error *e);
/* The instruction by which k's parent launches it has been issued, by a CTA whose brood that is.
 * 1; 0: it had been launched before, or runs already; negative: no memory. */
int launcher_child(struct launcher *l, const struct wcp_kernel *k, struct brood *brood);
/* k, a child, and all that it launched are done with. True: its parent's CTA knew of it. */
bool launcher_child_done(struct launcher *l, const struct wcp_kernel *k);

#endif
