/* What CIAO's three policies share: detection of interference, epochs, both lists (ciao.c). */
#ifndef WARPSCHED_CIAO_H
#define WARPSCHED_CIAO_H

#include "warpcap/policy.h"

/* What Algorithm 1 may do to a warp that disturbs another. */
struct ciao_means {
	bool isolates;	/* its loads go to shared memory */
	bool throttles; /* it is stalled; where it can be isolated, only once it is */
};

size_t ciao_state_bytes(const struct wcp_policy_machine *m, const double *parameter);
void ciao_begin(void *state, struct ciao_means means, const double *parameter);
unsigned ciao_pick(void *state, struct wcp_policy_sm *sm, unsigned scheduler, uint64_t ready);
void ciao_warp_end(void *state, struct wcp_policy_sm *sm, unsigned slot);
void ciao_issued(void *state, struct wcp_policy_sm *sm, unsigned slot, uint32_t pc);
void ciao_accessed(void *state, struct wcp_policy_sm *sm, const struct wcp_policy_access *a);
void ciao_released(void *state, struct wcp_policy_sm *sm, unsigned slot);
unsigned
ciao_cost(struct ciao_means means, const struct wcp_policy_machine *m, struct wcp_policy_cost *row);

/* A warp's entries in both lists. */
struct ciao_entry {
	unsigned interferer, counter;
	unsigned isolated_for, stalled_for; /* WCP_NO_SLOT: nobody */
};
struct ciao_entry ciao_entry(const void *state, unsigned slot);

enum { CIAO_TAGS = 8 }; /* of a warp's victims: Table I */

extern const struct wcp_policy_parameter ciao_parameter[];

#endif
