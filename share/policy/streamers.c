/*
 * A scheduling policy for warpsched(1), as an example: warps whose loads hardly ever hit in L1D
 *stop using it for a while, so that the others' lines stay. Among ready warps the oldest goes
 *first.
 *
 *	cc -shared -fPIC $(pkg-config --cflags warpcap) -o streamers.so streamers.c
 *	warpsched -p gto,./streamers.so:share=0.1 trace.wcp
 * warpcap-policy(7) says what each hook is told and may do.
 */
#include <warpcap/policy.h>

enum { SHARE, WINDOW }; /* places in the table of parameters */
/* One for each SM, zeroed when a kernel begins. Nothing may be static: SMs run side by side. */
struct state {
	double share;
	uint32_t window;
	uint32_t loads[WCP_SLOTS_MAX], hits[WCP_SLOTS_MAX];
	uint32_t left[WCP_SLOTS_MAX]; /* loads that still go around L1D */
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
	st->share = parameter[SHARE];
	st->window = (uint32_t)parameter[WINDOW];
}

static unsigned
pick(void *state, struct wcp_policy_sm *sm, unsigned scheduler, uint64_t ready)
{
	unsigned oldest = (unsigned)__builtin_ctzll(ready); /* ready is never empty */
	(void)state, (void)scheduler;
	for (; ready; ready &= ready - 1) {
		unsigned slot = (unsigned)__builtin_ctzll(ready);
		oldest = sm->warp[slot].age < sm->warp[oldest].age ? slot : oldest;
	}
	return oldest;
}

/* A load was looked up: here the policy learns. What it decides it writes into a mask. */
static void
accessed(void *state, struct wcp_policy_sm *sm, const struct wcp_policy_access *a)
{
	struct state *st = state;
	uint64_t bit = 1ull << a->slot;
	if (a->kind != WCP_LOAD)
		return;
	if (a->outcome == WCP_OUT_BYPASS) {
		if (st->left[a->slot] && --st->left[a->slot] == 0)
			sm->bypass &= ~bit;
		return;
	}
	st->hits[a->slot] += a->outcome == WCP_OUT_HIT;
	if (++st->loads[a->slot] < st->window)
		return;
	if (st->hits[a->slot] < st->share * st->window) {
		sm->bypass |= bit;
		st->left[a->slot] = 4 * st->window;
	}
	st->loads[a->slot] = st->hits[a->slot] = 0;
}

static void
warp_begin(void *state, struct wcp_policy_sm *sm, unsigned slot)
{
	struct state *st = state;
	sm->bypass &= ~(1ull << slot);
	st->loads[slot] = st->hits[slot] = st->left[slot] = 0;
}

static const struct wcp_policy_parameter parameter[] = {
    [SHARE] = {"share", "of loads that must hit for a warp to stay", 0.05, 0, 1},
    [WINDOW] = {"window", "loads after which that is asked", 64, 1, 1e6},
    {0},
};

const struct wcp_policy warpcap_policy = {
    .version = WCP_POLICY_VERSION,
    .name = "streamers",
    .summary = "warps that hardly hit in L1D go around it, oldest first",
    .source = "warpcap-policy(7)",
    .parameter = parameter,
    .state_bytes = state_bytes,
    .begin = begin,
    .pick = pick,
    .accessed = accessed,
    .warp_begin = warp_begin,
};
