#include "policy/ciao.h"

static const struct ciao_means means = {.isolates = true, .throttles = true};

static void
begin(void *state, struct wcp_policy_sm *sm, const struct wcp_policy_machine *m,
    const double *parameter)
{
	(void)sm, (void)m;
	ciao_begin(state, means, parameter);
}

static unsigned
cost(const struct wcp_policy_machine *m, const double *parameter, struct wcp_policy_cost *row)
{
	(void)parameter;
	return ciao_cost(means, m, row);
}

const struct wcp_policy policy_ciao_c = {
    .version = WCP_POLICY_VERSION,
    .name = "ciao-c",
    .summary = "both: to shared memory first, stalled if they still disturb",
    .source = "CIAO, sec. III and IV, Algorithm 1",
    .parameter = ciao_parameter,
    .vta_entries = CIAO_TAGS,
    .shared_cache = true,
    .state_bytes = ciao_state_bytes,
    .begin = begin,
    .pick = ciao_pick,
    .warp_end = ciao_warp_end,
    .issued = ciao_issued,
    .accessed = ciao_accessed,
    .released = ciao_released,
    .cost = cost,
};
