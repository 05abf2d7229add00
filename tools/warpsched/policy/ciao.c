/*
 * Cache interference-aware scheduling: CIAO sec. III and IV, Algorithm 1. A miss that finds its
 * line among the victims of warp i, evicted by warp j, counts for i (F) and for j in i's entry of
 * the interference list: one (WID, 2-bit saturating counter). IRS_i = F_i * active warps /
 * instructions (Eq. 1). At the end of a high epoch each active warp whose IRS is above the high
 * cutoff has its interferer isolated, or stalled if it is isolated already. At the end of a low
 * epoch a warp that is stalled or isolated is so no longer if the IRS of the warp on whose account
 * it is has come down to the low cutoff, or that warp has ended.
 *
 * All resident warps are looked at when an epoch ends, oldest first, where the paper looks at the
 * warp that is next; of several that may go on, the last stalled is the first (sec. III-C). A WID
 * is a slot: F and the interference list go on when another warp takes it, V, I and the pair list
 * begin anew. F and instructions count from the kernel's beginning (sec. V-F).
 */
#include "policy/ciao.h"
#include "policy/policy.h"
#include "warpcap/vta.h"

enum { HIGH_CUTOFF, LOW_CUTOFF, HIGH_EPOCH, LOW_EPOCH, WINDOW };

enum reason { ISOLATED, STALLED, REASONS };

struct state {
	struct greedy greedy;
	struct ciao_means means;
	double high_cutoff, low_cutoff;
	uint64_t high_epoch, low_epoch; /* instructions */
	uint64_t high_left, low_left;	/* of them */
	bool by_epoch;
	uint64_t insns_before; /* of the window */
	uint64_t hits[WCP_SLOTS_MAX];
	struct wcp_interferer list[WCP_SLOTS_MAX]; /* the interference list */
	uint8_t pair[WCP_SLOTS_MAX][REASONS];	   /* the pair list: on whose account */
	uint8_t order[WCP_SLOTS_MAX];		   /* [stalled] slots, the last stalled last */
	uint32_t stalled;
};

size_t
ciao_state_bytes(const struct wcp_policy_machine *m, const double *parameter)
{
	(void)m, (void)parameter;
	return sizeof(struct state);
}

void
ciao_begin(void *state, struct ciao_means means, const double *parameter)
{
	struct state *st = state;
	st->means = means;
	st->high_cutoff = parameter[HIGH_CUTOFF];
	st->low_cutoff = parameter[LOW_CUTOFF];
	st->high_epoch = st->high_left = (uint64_t)parameter[HIGH_EPOCH];
	st->low_epoch = st->low_left = (uint64_t)parameter[LOW_EPOCH];
	st->by_epoch = parameter[WINDOW] != 0;
	for (unsigned s = 0; s < WCP_SLOTS_MAX; s++) {
		st->list[s] = WCP_NO_INTERFERER;
		st->pair[s][ISOLATED] = st->pair[s][STALLED] = WCP_NO_SLOT;
	}
}

/* ---- detection ------------------------------------------------------------------------------ */

void
ciao_accessed(void *state, struct wcp_policy_sm *sm, const struct wcp_policy_access *a)
{
	struct state *st = state;
	(void)sm;
	if (!a->vta_hit)
		return;
	st->hits[a->slot]++;
	wcp_interferer_note(&st->list[a->slot], a->evictor);
}

/* Eq. 1, as it stands, and not as Algorithm 1 prints it without brackets. */
static double
irs(const struct state *st, const struct wcp_policy_sm *sm, unsigned slot)
{
	uint64_t insns = sm->issued - st->insns_before;
	double active = __builtin_popcountll(sm->resident & ~sm->stalled);
	return insns ? (double)st->hits[slot] * active / (double)insns : 0;
}

/* ---- a low epoch ends ----------------------------------------------------------------------- */

/* The i-th stalled warp goes on. */
static void
reactivate(struct state *st, struct wcp_policy_sm *sm, uint32_t i)
{
	unsigned slot = st->order[i];
	sm->stalled &= ~(1ull << slot);
	st->pair[slot][STALLED] = WCP_NO_SLOT;
	for (st->stalled--; i < st->stalled; i++)
		st->order[i] = st->order[i + 1];
}

static void
take_back(struct state *st, struct wcp_policy_sm *sm, unsigned slot)
{
	sm->isolated &= ~(1ull << slot);
	st->pair[slot][ISOLATED] = WCP_NO_SLOT;
}

/* Is the warp on whose account another is stalled or isolated still disturbed? */
static bool
suffers(const struct state *st, const struct wcp_policy_sm *sm, unsigned slot)
{
	return slot != WCP_NO_SLOT && irs(st, sm, slot) > st->low_cutoff;
}

static void
end_low_epoch(struct state *st, struct wcp_policy_sm *sm)
{
	uint64_t isolated = sm->isolated & ~sm->stalled;
	st->low_left = st->low_epoch;
	for (uint32_t i = st->stalled; i-- > 0;) {
		if (!suffers(st, sm, st->pair[st->order[i]][STALLED]))
			reactivate(st, sm, i);
	}
	for (; isolated; isolated &= isolated - 1) {
		unsigned slot = (unsigned)__builtin_ctzll(isolated);
		if (!suffers(st, sm, st->pair[slot][ISOLATED]))
			take_back(st, sm, slot);
	}
}

/* ---- a high epoch ends ---------------------------------------------------------------------- */

static void
isolate(struct state *st, struct wcp_policy_sm *sm, unsigned j, unsigned i)
{
	sm->isolated |= 1ull << j;
	st->pair[j][ISOLATED] = (uint8_t)i;
}

static void
stall(struct state *st, struct wcp_policy_sm *sm, unsigned j, unsigned i)
{
	if (!(sm->stalled >> j & 1))
		st->order[st->stalled++] = (uint8_t)j;
	sm->stalled |= 1ull << j;
	st->pair[j][STALLED] = (uint8_t)i;
}

/* Warp j disturbs warp i; it is stalled if that it was isolated before has not helped (sec. III-C):
 * what several say of it at the end of one epoch isolates it once. */
static void
act_on(struct state *st, struct wcp_policy_sm *sm, unsigned j, unsigned i, uint64_t isolated_before)
{
	bool isolated = sm->isolated >> j & 1;
	if (st->means.isolates && !isolated)
		isolate(st, sm, j, i);
	else if (st->means.throttles && (isolated_before >> j & 1 || !st->means.isolates))
		stall(st, sm, j, i);
}

static void
end_high_epoch(struct state *st, struct wcp_policy_sm *sm)
{
	uint64_t isolated = sm->isolated;
	st->high_left = st->high_epoch;
	for (uint64_t left = sm->resident; left;) {
		unsigned i = oldest_of(sm, left), j = st->list[i].who;
		left &= ~(1ull << i);
		if (sm->stalled >> i & 1 || irs(st, sm, i) <= st->high_cutoff)
			continue;
		if (j < WCP_SLOTS_MAX && j != i && sm->resident >> j & 1)
			act_on(st, sm, j, i, isolated);
	}
	if (!st->by_epoch)
		return;
	st->insns_before = sm->issued;
	for (unsigned s = 0; s < WCP_SLOTS_MAX; s++)
		st->hits[s] = 0;
}

void
ciao_issued(void *state, struct wcp_policy_sm *sm, unsigned slot, uint32_t pc)
{
	struct state *st = state;
	(void)slot, (void)pc;
	if (--st->low_left == 0)
		end_low_epoch(st, sm);
	if (--st->high_left == 0)
		end_high_epoch(st, sm);
}

/* ---- warps ---------------------------------------------------------------------------------- */

void
ciao_released(void *state, struct wcp_policy_sm *sm, unsigned slot)
{
	struct state *st = state;
	for (uint32_t i = 0; i < st->stalled; i++) {
		if (st->order[i] == slot) {
			reactivate(st, sm, i);
			return;
		}
	}
}

/* The warp, and what is held against it, is gone. Nothing is held against others on its account any
 * more: they go on when the low epoch ends. */
void
ciao_warp_end(void *state, struct wcp_policy_sm *sm, unsigned slot)
{
	struct state *st = state;
	ciao_released(st, sm, slot);
	take_back(st, sm, slot);
	greedy_forget(&st->greedy, slot);
	for (unsigned s = 0; s < WCP_SLOTS_MAX; s++) {
		for (unsigned r = 0; r < REASONS; r++) {
			if (st->pair[s][r] == slot)
				st->pair[s][r] = WCP_NO_SLOT;
		}
	}
}

unsigned
ciao_pick(void *state, struct wcp_policy_sm *sm, unsigned scheduler, uint64_t ready)
{
	struct state *st = state;
	return greedy_pick(&st->greedy, sm, scheduler, ready);
}

struct ciao_entry
ciao_entry(const void *state, unsigned slot)
{
	const struct state *st = state;
	const struct wcp_interferer *list = &st->list[slot];
	return (struct ciao_entry){list->who < WCP_SLOTS_MAX ? list->who : WCP_NO_SLOT, list->count,
	    st->pair[slot][ISOLATED], st->pair[slot][STALLED]};
}

/* Sec. V-F; a tag is 25 bits of a line's number, a WID 6 (sec. IV-B). A translated address has
 * F, B, G and R of Fig. 7c: 16 bits. */
unsigned
ciao_cost(struct ciao_means means, const struct wcp_policy_machine *m, struct wcp_policy_cost *row)
{
	const struct wcp_policy_cost all[] = {
	    {"victim tags", (uint64_t)CIAO_TAGS * m->slots, 25 + 6},
	    {"VTA-hit counters", m->slots, 32},
	    {"instruction counter", 1, 32},
	    {"interference list", WCP_SLOTS_MAX, 6 + 2},
	    {"pair list", WCP_SLOTS_MAX, 6 + 6},
	    {"active flags V", m->slots, means.throttles},
	    {"isolation flags I", m->slots, means.isolates},
	    {"MSHR shared addresses", m->mshr_entries, means.isolates ? 16 : 0},
	};
	unsigned n = greedy_cost(m, row);
	for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++) {
		if (all[i].bits)
			row[n++] = all[i];
	}
	return n;
}

const struct wcp_policy_parameter ciao_parameter[] = {
    [HIGH_CUTOFF] = {"high", "IRS above which an interferer is acted on", 0.01, 0, 1e9},
    [LOW_CUTOFF] = {"low", "IRS at which it is let go", 0.005, 0, 1e9},
    [HIGH_EPOCH] = {"high_epoch", "instructions between looks for interferers", 5000, 1, 1e9},
    [LOW_EPOCH] = {"low_epoch", "instructions between looks at those acted on", 100, 1, 1e9},
    [WINDOW] = {"epoch", "1: hits and instructions count from the last high epoch on", 0, 0, 1},
    {0},
};
