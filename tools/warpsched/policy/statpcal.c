/*
 * Static priority-based cache allocation. The n oldest warps of an SM hold tokens: they run and use
 * L1D. The others are held back while L2 or DRAM is busy; while both are underused they run, and
 * their loads go around L1D (Li et al., HPCA 2015, as CIAO sec. V-B has it). Bandwidth is looked at
 * once a period. Warps that wait at a barrier hold no token, as with swl.
 */
#include "policy/policy.h"
#include "warpcap/nbcache.h"

enum { TOKENS, BUSY, PERIOD, LOOKS };

struct state {
	struct greedy greedy;
	uint32_t tokens;
	uint32_t looks; /* warps without token look into L1D */
	double busy;
	uint64_t period;
	uint64_t since; /* of the look before */
	double l2_then, dram_then;
	bool underused;
	uint64_t without; /* slots of warps without a token */
};

static size_t
state_bytes(const struct wcp_policy_machine *m, const double *parameter)
{
	(void)m, (void)parameter;
	return sizeof(struct state);
}

/* The counters as they stand, to be compared with a period later. */
static void
note(struct state *st, struct wcp_policy_sm *sm)
{
	st->since = sm->now;
	st->l2_then = sm->l2_busy;
	st->dram_then = sm->dram_busy;
	sm->wake = sm->now + st->period;
}

static void
begin(void *state, struct wcp_policy_sm *sm, const struct wcp_policy_machine *m,
    const double *parameter)
{
	struct state *st = state;
	(void)m;
	st->tokens = (uint32_t)parameter[TOKENS];
	st->busy = parameter[BUSY];
	st->period = (uint64_t)parameter[PERIOD];
	st->looks = parameter[LOOKS] != 0;
	note(st, sm);
}

static void
share_out(void *state, struct wcp_policy_sm *sm)
{
	struct state *st = state;
	st->without = all_but_oldest(sm, sm->resident & ~sm->barrier, st->tokens);
	sm->stalled = st->underused ? 0 : st->without;
}

static void
changed(void *state, struct wcp_policy_sm *sm, unsigned slot)
{
	struct state *st = state;
	greedy_forget(&st->greedy, slot); /* it is another warp or none */
	share_out(st, sm);
}

static void
advance(void *state, struct wcp_policy_sm *sm)
{
	struct state *st = state;
	double busy = st->busy * (double)(sm->now - st->since);
	st->underused = sm->l2_busy - st->l2_then < busy && sm->dram_busy - st->dram_then < busy;
	note(st, sm);
	share_out(st, sm);
}

static unsigned
route(void *state, struct wcp_policy_sm *sm, const struct wcp_policy_access *a)
{
	const struct state *st = state;
	(void)sm;
	if (a->kind != WCP_LOAD || !(st->without >> a->slot & 1))
		return WCP_NB_LOOKUP;
	/* What L1D alone may hold, unwritten, has to be looked for there. */
	return st->looks || a->space == WCP_SPACE_LOCAL ? WCP_NB_NO_PLACE : WCP_NB_AROUND;
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
	row[n++] = (struct wcp_policy_cost){"token flags", m->slots, 1};
	row[n++] = (struct wcp_policy_cost){"bandwidth counters", 2, 32};
	return n;
}

static const struct wcp_policy_parameter parameter[] = {
    [TOKENS] = {"n", "warps that hold a token", 8, 1, WCP_SLOTS_MAX},
    [BUSY] = {"busy", "share of bandwidth below which L2 and DRAM are underused", 0.7, 0, 1},
    [PERIOD] = {"period", "cycles between looks at the bandwidth", 1000, 1, 1e9},
    [LOOKS] = {"looks", "1: warps without token may hit in L1D", 0, 0, 1},
    {0},
};

const struct wcp_policy policy_statpcal = {
    .version = WCP_POLICY_VERSION,
    .name = "statpcal",
    .summary = "n warps use L1D; others run only while bandwidth is left, and bypass it",
    .source = "Li et al., HPCA 2015, static PCAL, as CIAO sec. V-B has it",
    .parameter = parameter,
    .state_bytes = state_bytes,
    .begin = begin,
    .pick = pick,
    .warp_begin = changed,
    .warp_end = changed,
    .barrier = share_out,
    .route = route,
    .advance = advance,
    .cost = cost,
};
