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

static void
warp_end(void *state, struct wcp_policy_sm *sm, unsigned slot)
{
	(void)sm;
	greedy_forget(state, slot);
}

static unsigned
cost(const struct wcp_policy_machine *m, const double *parameter, struct wcp_policy_cost *row)
{
	(void)parameter;
	return greedy_cost(m, row);
}

const struct wcp_policy policy_gto = {
    .version = WCP_POLICY_VERSION,
    .name = "gto",
    .summary = "greedy, then oldest: a warp goes on until it stalls, then the oldest",
    .source = "Rogers et al., MICRO 2012, sec. 2",
    .state_bytes = state_bytes,
    .pick = pick,
    .warp_end = warp_end,
    .cost = cost,
};
