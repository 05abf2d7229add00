#include "policy/policy.h"

static size_t
state_bytes(const struct wcp_policy_machine *m, const double *parameter)
{
	(void)m, (void)parameter;
	return sizeof(struct greedy);
}

static unsigned
pick(void *state, struct wcp_policy_sm *sm, unsigned scheduler, uint64_t ready)
{
	return greedy_pick(state, sm, scheduler, ready);
}

/* A slot that is used again is another warp. */
static void
warp_end(void *state, struct wcp_policy_sm *sm, unsigned slot)
{
	struct greedy *g = state;
	(void)sm;
	for (unsigned s = 0; s < 4; s++) {
		if (g->last[s] == slot + 1)
			g->last[s] = 0;
	}
}

const struct wcp_policy policy_gto = {
    .version = WCP_POLICY_VERSION,
    .name = "gto",
    .summary = "greedy, then oldest: a warp goes on until it stalls, then the oldest",
    .source = "Rogers et al., MICRO 2012, sec. 2",
    .state_bytes = state_bytes,
    .pick = pick,
    .warp_end = warp_end,
};
