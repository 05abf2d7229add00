/*
 * CIAO-T: warps that disturb others are throttled. CIAO sec. III-A, IV-A, Algorithm 1, without its
 * redirection. A miss that finds its line among the victims of warp i, evicted by warp j, counts
 * for i and for j in i's interference list: one (WID, 2-bit saturating counter). At the end of each
 * high epoch a warp i whose IRS = F * active warps / instructions is above the high cutoff has the
 * warp that disturbs it most stalled; at the end of each low epoch a stalled warp goes on when the
 * IRS of the warp on whose account it was stalled is at most the low cutoff, or that warp has
 * ended. F and instructions count from the kernel's beginning; of several warps that may go on, the
 * last stalled is the first.
 */
#include "policy/policy.h"

enum { HIGH_CUTOFF, LOW_CUTOFF, HIGH_EPOCH, LOW_EPOCH };

struct state {
	struct greedy greedy;
	double high_cutoff, low_cutoff;
	uint64_t high_epoch, low_epoch; /* instructions */
	uint64_t hits[WCP_SLOTS_MAX];	/* F */
	uint8_t interferer[WCP_SLOTS_MAX];
	uint8_t counter[WCP_SLOTS_MAX];
	uint8_t cause[WCP_SLOTS_MAX]; /* pair list: on whose account a warp is stalled */
	uint8_t order[WCP_SLOTS_MAX]; /* [stalled] slots, the last stalled last */
	uint32_t stalled;
};

static size_t
state_bytes(const struct wcp_policy_machine *m, const double *parameter)
{
	(void)m, (void)parameter;
	return sizeof(struct state);
}

static void
forget(struct state *st, unsigned slot)
{
	st->hits[slot] = 0;
	st->interferer[slot] = WCP_NO_SLOT;
	st->counter[slot] = 0;
	st->cause[slot] = WCP_NO_SLOT;
}

static void
begin(void *state, struct wcp_policy_sm *sm, const struct wcp_policy_machine *m,
    const double *parameter)
{
	struct state *st = state;
	(void)sm, (void)m;
	st->high_cutoff = parameter[HIGH_CUTOFF];
	st->low_cutoff = parameter[LOW_CUTOFF];
	st->high_epoch = (uint64_t)parameter[HIGH_EPOCH];
	st->low_epoch = (uint64_t)parameter[LOW_EPOCH];
	for (unsigned s = 0; s < WCP_SLOTS_MAX; s++)
		forget(st, s);
}

/* CIAO Fig. 4c: the same interferer counts up to 3, another down; at 0 it takes the place. */
static void
note_interferer(struct state *st, unsigned slot, unsigned evictor)
{
	if (st->interferer[slot] == WCP_NO_SLOT) {
		st->interferer[slot] = (uint8_t)evictor;
		st->counter[slot] = 0;
	} else if (st->interferer[slot] == evictor) {
		if (st->counter[slot] < 3)
			st->counter[slot]++;
	} else if (st->counter[slot]) {
		st->counter[slot]--;
	} else {
		st->interferer[slot] = (uint8_t)evictor;
	}
}

static void
accessed(void *state, struct wcp_policy_sm *sm, const struct wcp_policy_access *a)
{
	struct state *st = state;
	(void)sm;
	if (!a->vta_hit)
		return;
	st->hits[a->slot]++;
	note_interferer(st, a->slot, a->evictor);
}

/* Eq. 1. */
static double
irs(const struct state *st, const struct wcp_policy_sm *sm, unsigned slot)
{
	double active = __builtin_popcountll(sm->resident & ~sm->stalled);
	return sm->issued ? (double)st->hits[slot] * active / (double)sm->issued : 0;
}

static void
go_on(struct state *st, struct wcp_policy_sm *sm, uint32_t i)
{
	unsigned slot = st->order[i];
	sm->stalled &= ~(1ull << slot);
	st->cause[slot] = WCP_NO_SLOT;
	for (st->stalled--; i < st->stalled; i++)
		st->order[i] = st->order[i + 1];
}

static void
reactivate(struct state *st, struct wcp_policy_sm *sm)
{
	for (uint32_t i = st->stalled; i-- > 0;) {
		unsigned cause = st->cause[st->order[i]];
		bool works = sm->resident >> cause & 1;
		if (!works || irs(st, sm, cause) <= st->low_cutoff)
			go_on(st, sm, i);
	}
}

static void
stall_interferers(struct state *st, struct wcp_policy_sm *sm)
{
	uint64_t left = sm->resident;
	while (left) {
		unsigned slot = oldest_of(sm, left), other = st->interferer[slot];
		left &= ~(1ull << slot);
		if (irs(st, sm, slot) <= st->high_cutoff || other == WCP_NO_SLOT || other == slot ||
		    !(sm->resident >> other & 1) || sm->stalled >> other & 1)
			continue;
		sm->stalled |= 1ull << other;
		st->cause[other] = (uint8_t)slot;
		st->order[st->stalled++] = (uint8_t)other;
	}
}

/* Somebody has to go on: when all are stalled or wait for those that are, the last stalled is. */
static void
keep_going(struct state *st, struct wcp_policy_sm *sm)
{
	while (st->stalled && !(sm->resident & ~sm->stalled & ~sm->barrier))
		go_on(st, sm, st->stalled - 1);
}

static void
issued(void *state, struct wcp_policy_sm *sm, unsigned slot, uint32_t pc)
{
	struct state *st = state;
	(void)slot, (void)pc;
	if (sm->issued % st->low_epoch == 0)
		reactivate(st, sm);
	if (sm->issued % st->high_epoch == 0)
		stall_interferers(st, sm);
	keep_going(st, sm);
}

static void
warp_begin(void *state, struct wcp_policy_sm *sm, unsigned slot)
{
	(void)sm;
	forget(state, slot);
}

static void
warp_end(void *state, struct wcp_policy_sm *sm, unsigned slot)
{
	struct state *st = state;
	for (uint32_t i = st->stalled; i-- > 0;) {
		if (st->order[i] == slot || st->cause[st->order[i]] == slot)
			go_on(st, sm, i);
	}
	for (unsigned s = 0; s < WCP_SLOTS_MAX; s++) {
		if (st->interferer[s] == slot) {
			st->interferer[s] = WCP_NO_SLOT;
			st->counter[s] = 0;
		}
	}
	forget(st, slot);
	keep_going(st, sm);
}

static void
released(void *state, struct wcp_policy_sm *sm, unsigned slot)
{
	struct state *st = state;
	for (uint32_t i = 0; i < st->stalled; i++) {
		if (st->order[i] == slot) {
			go_on(st, sm, i);
			return;
		}
	}
}

static unsigned
pick(void *state, struct wcp_policy_sm *sm, unsigned scheduler, uint64_t ready)
{
	struct state *st = state;
	return greedy_pick(&st->greedy, sm, scheduler, ready);
}

static const struct wcp_policy_parameter parameter[] = {
    [HIGH_CUTOFF] = {"high", "IRS above which an interferer is stalled", 0.01, 0, 1e9},
    [LOW_CUTOFF] = {"low", "IRS at which it goes on", 0.005, 0, 1e9},
    [HIGH_EPOCH] = {"high_epoch", "instructions between looks for interferers", 5000, 1, 1e9},
    [LOW_EPOCH] = {"low_epoch", "instructions between looks at the stalled", 100, 1, 1e9},
    {0},
};

const struct wcp_policy policy_ciao_t = {
    .version = WCP_POLICY_VERSION,
    .name = "ciao-t",
    .summary = "warps that disturb others most are stalled, greedy then oldest",
    .source = "CIAO, sec. III and IV, Algorithm 1",
    .parameter = parameter,
    .vta_entries = 8,
    .state_bytes = state_bytes,
    .begin = begin,
    .pick = pick,
    .warp_begin = warp_begin,
    .warp_end = warp_end,
    .issued = issued,
    .accessed = accessed,
    .released = released,
};
