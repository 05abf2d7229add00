#include "policy/policy.h"

struct state {
	uint8_t next[WCP_SCHEDULERS_MAX]; /* [schedulers] slot where the search begins */
};

static size_t
state_bytes(const struct wcp_policy_machine *m, const double *parameter)
{
	(void)m, (void)parameter;
	return sizeof(struct state);
}

static unsigned
pick(void *state, struct wcp_policy_sm *sm, unsigned scheduler, uint64_t ready)
{
	struct state *st = state;
	unsigned slot = next_from(ready, st->next[scheduler]);
	(void)sm;
	st->next[scheduler] = (uint8_t)((slot + 1) % WCP_SLOTS_MAX);
	return slot;
}

static unsigned
cost(const struct wcp_policy_machine *m, const double *parameter, struct wcp_policy_cost *row)
{
	(void)parameter;
	row[0] = (struct wcp_policy_cost){"next warp of a scheduler", m->schedulers, 6};
	return 1;
}

const struct wcp_policy policy_lrr = {
    .version = WCP_POLICY_VERSION,
    .name = "lrr",
    .summary = "loose round robin: the next ready warp after the last",
    .source = "Narasiman et al., MICRO 2011, sec. 2",
    .state_bytes = state_bytes,
    .pick = pick,
    .cost = cost,
};
