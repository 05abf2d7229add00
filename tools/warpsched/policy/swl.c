/*
 * Static warp limiting: only the N oldest warps of the SM may issue. Warps that wait at a barrier
 * do not count, or a limit below a CTA's warps could never pass one.
 */
#include "policy/policy.h"

enum { LIMIT, PER_SCHEDULER };

struct state {
	struct greedy greedy;
	uint32_t limit;
	bool per_scheduler;
	uint64_t of_scheduler[WCP_SCHEDULERS_MAX];
	uint32_t schedulers;
};

static size_t
state_bytes(const struct wcp_policy_machine *m, const double *parameter)
{
	(void)m, (void)parameter;
	return sizeof(struct state);
}

static void
begin(void *state, struct wcp_policy_sm *sm, const struct wcp_policy_machine *m,
    const double *parameter)
{
	struct state *st = state;
	(void)sm;
	st->limit = (uint32_t)parameter[LIMIT];
	st->per_scheduler = parameter[PER_SCHEDULER] != 0;
	st->schedulers = m->schedulers;
	for (uint32_t s = 0; s < m->schedulers; s++)
		st->of_scheduler[s] = m->scheduler_slots[s];
}

static void
limit(void *state, struct wcp_policy_sm *sm)
{
	const struct state *st = state;
	uint64_t able = sm->resident & ~sm->barrier;
	sm->stalled = 0;
	if (!st->per_scheduler) {
		sm->stalled = all_but_oldest(sm, able, st->limit);
		return;
	}
	for (uint32_t s = 0; s < st->schedulers; s++)
		sm->stalled |= all_but_oldest(sm, able & st->of_scheduler[s], st->limit);
}

static void
changed(void *state, struct wcp_policy_sm *sm, unsigned slot)
{
	struct state *st = state;
	greedy_forget(&st->greedy, slot); /* it is another warp or none */
	limit(st, sm);
}

static unsigned
pick(void *state, struct wcp_policy_sm *sm, unsigned scheduler, uint64_t ready)
{
	struct state *st = state;
	return greedy_pick(&st->greedy, sm, scheduler, ready);
}

static unsigned
cost(const struct wcp_policy_machine *m, const double *parameter, struct wcp_policy_cost *row)
{
	(void)parameter;
	unsigned n = greedy_cost(m, row);
	row[n++] = (struct wcp_policy_cost){"limit", 1, 6};
	return n;
}

static const struct wcp_policy_parameter parameter[] = {
    [LIMIT] = {"n", "warps that may issue", WCP_SLOTS_MAX, 1, WCP_SLOTS_MAX},
    [PER_SCHEDULER] = {"per_scheduler", "1: n is for each scheduler, not for the SM", 0, 0, 1},
    {0},
};

const struct wcp_policy policy_swl = {
    .version = WCP_POLICY_VERSION,
    .name = "swl",
    .summary = "static warp limiting: the n oldest warps of an SM, greedy then oldest",
    .source = "Rogers et al., MICRO 2012, sec. 5",
    .parameter = parameter,
    .state_bytes = state_bytes,
    .begin = begin,
    .pick = pick,
    .warp_begin = changed,
    .warp_end = changed,
    .barrier = limit,
    .cost = cost,
};
