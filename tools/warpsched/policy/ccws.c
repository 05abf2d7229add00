/*
 * Cache-conscious wavefront scheduling. A warp whose misses find their lines among its victims has
 * lost locality: its score rises, and warps at the other end of the order may not load. Reading of
 * MICRO 2012, sec. 3: a hit in the victim tags sets the warp's score to LLDS = hits / instructions
 * (of the SM) * K * cutoff, never below the base score, with cutoff = warps * base score; scores
 * fall by 1 a cycle to the base; warps are sorted by score, and those past the cumulative cutoff
 * may not issue loads.
 */
#include "policy/policy.h"

enum { K_THROTTLE, BASE };
enum { TAGS = 16, WAYS = 8 }; /* of a warp's victims */
enum { LOOK = 16 };

struct state {
	struct greedy greedy;
	double k, base;
	double score[WCP_SLOTS_MAX]; /* at cycle since */
	uint64_t since;
	uint64_t hits;
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
	(void)m;
	st->k = parameter[K_THROTTLE];
	st->base = parameter[BASE];
	st->since = sm->now;
	for (unsigned s = 0; s < WCP_SLOTS_MAX; s++)
		st->score[s] = st->base;
}

/* Scores as they are now. */
static void
decay(struct state *st, const struct wcp_policy_sm *sm)
{
	double passed = (double)(sm->now - st->since);
	for (uint64_t r = sm->resident; r; r &= r - 1) {
		unsigned s = (unsigned)__builtin_ctzll(r);
		double left = st->score[s] - passed;
		st->score[s] = left > st->base ? left : st->base;
	}
	st->since = sm->now;
}

/* The highest score; of equal ones the oldest warp's. */
static unsigned
highest(const struct state *st, const struct wcp_policy_sm *sm, uint64_t slots)
{
	unsigned best = WCP_NO_SLOT;
	for (; slots; slots &= slots - 1) {
		unsigned s = (unsigned)__builtin_ctzll(slots);
		if (best == WCP_NO_SLOT || st->score[s] > st->score[best] ||
		    (st->score[s] >= st->score[best] && sm->warp[s].age < sm->warp[best].age))
			best = s;
	}
	return best;
}

/* Warps past the cumulative cutoff may not load. While there are any, scores are looked at again
 * every LOOK cycles: differs: hardware compares them all the time. */
static void
cut_off(struct state *st, struct wcp_policy_sm *sm)
{
	uint64_t left = sm->resident;
	double cutoff = (double)__builtin_popcountll(left) * st->base, sum = 0;
	decay(st, sm);
	while (left) {
		unsigned s = highest(st, sm, left);
		if (sum + st->score[s] > cutoff)
			break;
		sum += st->score[s];
		left &= ~(1ull << s);
	}
	/* The highest score alone may pass the cutoff: somebody has to go on. */
	if (left == sm->resident && left)
		left &= ~(1ull << highest(st, sm, left));
	sm->no_load = left;
	sm->wake = left ? sm->now + LOOK : 0;
}

static void
accessed(void *state, struct wcp_policy_sm *sm, const struct wcp_policy_access *a)
{
	struct state *st = state;
	if (!a->vta_hit)
		return;
	st->hits++;
	decay(st, sm);
	double cutoff = (double)__builtin_popcountll(sm->resident) * st->base;
	double llds = (double)st->hits / (double)(sm->issued ? sm->issued : 1) * st->k * cutoff;
	st->score[a->slot] = llds > st->base ? llds : st->base;
	cut_off(st, sm);
}

static void
warp_begin(void *state, struct wcp_policy_sm *sm, unsigned slot)
{
	struct state *st = state;
	st->score[slot] = st->base;
	cut_off(st, sm);
}

static void
warp_end(void *state, struct wcp_policy_sm *sm, unsigned slot)
{
	struct state *st = state;
	greedy_forget(&st->greedy, slot);
	cut_off(st, sm);
}

static void
advance(void *state, struct wcp_policy_sm *sm)
{
	cut_off(state, sm);
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
	row[n++] = (struct wcp_policy_cost){"victim tags", (uint64_t)TAGS * m->slots, 25};
	row[n++] = (struct wcp_policy_cost){"lost-locality scores", m->slots, 32};
	row[n++] = (struct wcp_policy_cost){"hit and instruction counters", 2, 32};
	row[n++] = (struct wcp_policy_cost){"load flags", m->slots, 1};
	return n;
}

static const struct wcp_policy_parameter parameter[] = {
    [K_THROTTLE] = {"k", "how much lost locality throttles", 8, 0, 1000},
    [BASE] = {"base", "a warp's score without lost locality", 100, 1, 1e6},
    {0},
};

const struct wcp_policy policy_ccws = {
    .version = WCP_POLICY_VERSION,
    .name = "ccws",
    .summary = "warps that lost locality keep others from loading, greedy then oldest",
    .source = "Rogers et al., MICRO 2012, sec. 3",
    .parameter = parameter,
    .vta_entries = TAGS,
    .vta_ways = WAYS,
    .state_bytes = state_bytes,
    .begin = begin,
    .pick = pick,
    .warp_begin = warp_begin,
    .warp_end = warp_end,
    .accessed = accessed,
    .advance = advance,
    .cost = cost,
};
