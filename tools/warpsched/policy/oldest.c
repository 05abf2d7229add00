#include "policy/policy.h"

static unsigned
pick(void *state, struct wcp_policy_sm *sm, unsigned scheduler, uint64_t ready)
{
	(void)state, (void)scheduler;
	return oldest_of(sm, ready);
}

static unsigned
cost(const struct wcp_policy_machine *m, const double *parameter, struct wcp_policy_cost *row)
{
	(void)m, (void)parameter, (void)row;
	return 0;
}

const struct wcp_policy policy_oldest = {
    .version = WCP_POLICY_VERSION,
    .name = "oldest",
    .summary = "the oldest ready warp",
    .source = "Rogers et al., MICRO 2012, sec. 2",
    .pick = pick,
    .cost = cost,
};
