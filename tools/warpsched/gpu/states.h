/* What CTAs and warps do, for the STATE blocks of a tapped stream. */
#ifndef WARPSCHED_STATES_H
#define WARPSCHED_STATES_H

#include "warpcap/stream.h"

struct sm;

struct states {
	struct state_event {
		struct wcp_state state;
		uint32_t order; /* as they came */
	} * event;		/* [cap] of cycles that are not over */
	uint32_t n, cap;
	struct wcp_state *out; /* [n_out] over, not written */
	uint32_t n_out, cap_out;
	bool failed; /* no memory */
};

/* A CTA or a warp of the slot, which it still has, begins or ends. */
void states_add(struct states *s, struct sm *sm, uint32_t slot, enum wcp_state_kind kind);
/* What holds the SM's warps may have changed since it was last looked at. */
void states_look(struct states *s, struct sm *sm);
/* All events of cycles up to now have come. */
void states_flush(struct states *s);
void states_release(struct states *s);

#endif
