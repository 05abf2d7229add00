/*
 * Two-level scheduling: each scheduler issues round robin from a small active set. When none of the
 * set is ready, pending warps that are, round robin, take the places of its members, the oldest
 * first; the place of one that has ended goes to the next pending warp that is ready.
 */
#include "policy/policy.h"

enum { ACTIVE };

struct state {
	uint64_t active[WCP_SCHEDULERS_MAX]; /* [schedulers] slots */
	uint32_t size;
	uint8_t next[WCP_SCHEDULERS_MAX], next_pending[WCP_SCHEDULERS_MAX];
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
	(void)sm, (void)m;
	st->size = (uint32_t)parameter[ACTIVE];
}

/* A set of which nobody can issue makes room for pending warps that can. */
static void
exchange(struct state *st, const struct wcp_policy_sm *sm, unsigned scheduler, uint64_t ready)
{
	uint64_t *active = &st->active[scheduler];
	uint64_t leaving = ready & *active ? 0 : *active, pending = ready & ~*active;
	while (pending) {
		if ((uint32_t)__builtin_popcountll(*active) >= st->size) {
			if (!leaving)
				return;
			uint64_t out = 1ull << oldest_of(sm, leaving);
			*active &= ~out;
			leaving &= ~out;
		}
		unsigned slot = next_from(pending, st->next_pending[scheduler]);
		*active |= 1ull << slot;
		pending &= ~(1ull << slot);
		st->next_pending[scheduler] = (uint8_t)((slot + 1) % WCP_SLOTS_MAX);
	}
}

static void
warp_end(void *state, struct wcp_policy_sm *sm, unsigned slot)
{
	struct state *st = state;
	(void)sm;
	for (unsigned s = 0; s < WCP_SCHEDULERS_MAX; s++)
		st->active[s] &= ~(1ull << slot);
}

static unsigned
pick(void *state, struct wcp_policy_sm *sm, unsigned scheduler, uint64_t ready)
{
	struct state *st = state;
	exchange(st, sm, scheduler, ready);
	unsigned slot = next_from(ready & st->active[scheduler], st->next[scheduler]);
	st->next[scheduler] = (uint8_t)((slot + 1) % WCP_SLOTS_MAX);
	return slot;
}

static unsigned
cost(const struct wcp_policy_machine *m, const double *parameter, struct wcp_policy_cost *row)
{
	(void)parameter;
	row[0] = (struct wcp_policy_cost){"active flags", m->slots, 1};
	row[1] = (struct wcp_policy_cost){"next warps of a scheduler", 2 * m->schedulers, 6};
	return 2;
}

static const struct wcp_policy_parameter parameter[] = {
    [ACTIVE] = {"active", "warps in each scheduler's active set", 8, 1, WCP_SLOTS_MAX},
    {0},
};

const struct wcp_policy policy_two_level = {
    .version = WCP_POLICY_VERSION,
    .name = "two-level",
    .summary = "round robin within a small active set of each scheduler",
    .source = "Narasiman et al., MICRO 2011, sec. 4.2; Gebhart et al., ISCA 2011",
    .parameter = parameter,
    .state_bytes = state_bytes,
    .begin = begin,
    .pick = pick,
    .warp_end = warp_end,
    .cost = cost,
};
