/* An SM as a whole: its cycle, when it has to be played, its life. */
#include "gpu/gpu.h"

#include <stdlib.h>
#include <string.h>

void
sm_settle(struct sm *sm)
{
	uint64_t n = sm->census.cycles;
	sm->census.cycles = 0;
	sm->counts.cycles_active += n;
	sm->counts.occupancy += n * sm->census.n;
	sm->counts.active += n * sm->census.active;
	sm->counts.isolated += n * sm->census.apart;
}

static void
take_census(struct sm *sm)
{
	const struct wcp_policy_sm *v = &sm->view;
	sm_settle(sm);
	sm->census.resident = v->resident;
	sm->census.stalled = v->stalled;
	sm->census.isolated = v->isolated;
	sm->census.n = (uint32_t)__builtin_popcountll(v->resident);
	sm->census.active = (uint32_t)__builtin_popcountll(v->resident & ~v->stalled);
	sm->census.apart = (uint32_t)__builtin_popcountll(v->resident & v->isolated);
}

/* n cycles with the warps that there are. */
static void
count_cycles(struct sm *sm, uint64_t n)
{
	const struct wcp_policy_sm *v = &sm->view;
	if (!v->resident)
		return;
	if (sm->census.resident != v->resident || sm->census.stalled != v->stalled ||
	    sm->census.isolated != v->isolated)
		take_census(sm);
	sm->census.cycles += n;
}

/* When units or buses change that instructions wait for: no later than the next cycle, if any do.
 */
static uint64_t
units_free(const struct sm *sm)
{
	for (unsigned k = 0; k < UNIT_MEM && sm->n_staged; k++) {
		if (sm->lane[k].collected.n)
			return sm->now;
	}
	return UINT64_MAX;
}

/* Ops between issue and their units. Those that wait for an arithmetic unit may go on by
 * themselves; those that wait for the load/store unit wait for its head to leave. */
static void
play_lanes(struct sm *sm)
{
	bool moved = sm->moved;
	sm->moved = false;
	sm_execute(sm);
	sm_collect(sm);
	sm->lanes_still = !sm->moved && units_free(sm) == UINT64_MAX;
	sm->moved |= moved;
}

/* Memory is played after the SMs, a window at a time: the policy knows it as it was before this
 * one. */
static void
advance_policy(struct sm *sm)
{
	const struct gpu *g = sm->gpu;
	sm->view.wake = 0;
	if (!g->policy->advance)
		return;
	memory_busy(&g->memory, &sm->view.l2_busy, &sm->view.dram_busy);
	g->policy->advance(sm->policy_state, &sm->view);
}

static void
cycle(struct sm *sm)
{
	if (sm->view.wake && sm->view.wake <= sm->now)
		advance_policy(sm);
	sm->moved = false;
	sm_complete(sm);
	sm_memory(sm);
	if (sm->n_staged && !sm->lanes_still)
		play_lanes(sm);
	sm_issue(sm);
	sm_fetch(sm);
	sm->quiet = !sm->moved;
	tap_look(sm->gpu->tap, sm);
	count_cycles(sm, 1);
}

static uint64_t
wheel_next(const struct sm *sm)
{
	unsigned at = (unsigned)sm->now % WHEEL;
	uint64_t word = sm->wheel_bits[at / 64] >> at % 64;
	if (word)
		return sm->now + (unsigned)__builtin_ctzll(word);
	for (unsigned i = 1; i <= WHEEL / 64; i++) {
		word = sm->wheel_bits[(at / 64 + i) % (WHEEL / 64)];
		if (word)
			return sm->now - at % 64 + 64 * i + (unsigned)__builtin_ctzll(word);
	}
	return UINT64_MAX;
}

/* Could something issue, now that nothing changes by itself? */
static bool
can_issue(const struct sm *sm)
{
	uint64_t held = sm->view.stalled | (sm->view.no_load & sm->view.next_load);
	return sm->valid & sm->clear & ~sm->view.barrier & ~held;
}

static bool
busy(const struct sm *sm)
{
	const struct ldst *u = &sm->ldst;
	if (sm->n_staged || u->op != NONE || can_issue(sm) || u->answered != NONE ||
	    receiver_waits(&sm->in, sm->now) || sm->out.n || sm->shared.moving != NONE ||
	    u->unfilled != NONE)
		return true;
	if (sm->set->fetch_insns &&
	    (sm->fetched_slot != NONE || sm->live & ~sm->valid & ~sm->awaited))
		return true;
	if (sm->l1_sends)
		return true;
	for (unsigned s = 0; sm->own && s < SLOTS_MAX; s++) {
		if (wcp_nbcache_queued(sm->own[s]))
			return true;
	}
	return u->line_n && u->line_ready[u->line_head] <= sm->now;
}

static uint64_t
least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Has a warp something under way that will end by itself? */
static bool
in_flight(const struct sm *sm)
{
	for (uint64_t r = sm->view.resident; r; r &= r - 1) {
		const struct warp *w = &sm->warp[__builtin_ctzll(r)];
		if (w->in_flight || w->stores)
			return true;
	}
	return sm->awaited != 0;
}

/* Warps that could issue if the policy let them, when nothing else can happen on this SM. */
static uint64_t
held_for_ever(const struct sm *sm)
{
	uint64_t held = (sm->view.stalled | (sm->view.no_load & sm->view.next_load)) & sm->valid &
			sm->clear & ~sm->view.barrier;
	return held && (sm->quiet || !busy(sm)) && !in_flight(sm) ? held : 0;
}

/* The first cycle from now on in which something may happen; UINT64_MAX: none. */
static uint64_t
next_cycle(const struct sm *sm)
{
	const struct ldst *u = &sm->ldst;
	if (!sm->quiet && busy(sm))
		return sm->now;
	if (held_for_ever(sm))
		return sm->now;
	uint64_t wake = least(wheel_next(sm), way_next(&sm->in.way));
	if (sm->out.n)
		wake = least(wake, refunds_next(&sm->out.back));
	if (u->line_n && u->line_ready[u->line_head] >= sm->now)
		wake = least(wake, u->line_ready[u->line_head]);
	if (sm->shared.hit != NONE)
		wake = least(wake, sm->request[sm->shared.hit].ready);
	if (u->shared_until >= sm->now)
		wake = least(wake, u->shared_until);
	if (sm->out.n && sm->out.busy_until >= sm->now)
		wake = least(wake, sm->out.busy_until);
	if (sm->quiet)
		wake = least(wake, units_free(sm));
	/* What a policy waits for is of no use to an SM that waits for nothing. */
	if (sm->view.wake && sm->view.wake < wake && in_flight(sm))
		wake = sm->view.wake;
	return wake < sm->now ? sm->now : wake;
}

/* Cycles in which nothing happens count as the last one did. */
static void
skip_some(struct sm *sm, uint64_t n)
{
	const struct ldst *u = &sm->ldst;
	sm_count_idle(sm, n);
	if (sm->quiet && u->stall)
		sm->counts.ldst[u->stall - 1] += n;
	if (sm->quiet && u->refusal)
		wcp_nbcache_refused(u->refusing_l1, (enum wcp_nb_fail)u->refusal, n);
	if (sm->quiet && u->refused && u->refuser != L1D)
		wcp_nbcache_refused(u->refusing, (enum wcp_nb_fail)u->refused, n);
	count_cycles(sm, n);
}

/* The SM has come to a cycle. */
static void
come_to(struct sm *sm, uint64_t cycle)
{
	sm->now = sm->view.now = cycle;
	if (cycle >= sm->sample_at)
		series_sm(&sm->gpu->series, sm);
}

static void
skip(struct sm *sm, uint64_t n)
{
	while (n) {
		uint64_t left = sm->sample_at - sm->now, some = n < left ? n : left;
		skip_some(sm, some);
		come_to(sm, sm->now + some);
		n -= some;
	}
}

/* A policy that holds back again what was let go, before it has issued anything, does so for ever.
 */
static void
note_release(struct sm *sm, unsigned slot)
{
	if (sm->view.issued != sm->released_at)
		sm->releases_since = 0;
	sm->released_at = sm->view.issued;
	if (++sm->releases_since <= SLOTS_MAX)
		return;
	sm->wrong = WRONG_HOLD;
	sm->wrong_slot = slot;
}

/* A policy that holds back all that could go on would wait for ever: the oldest is let go. */
static void
release_held(struct sm *sm)
{
	uint64_t held = held_for_ever(sm);
	if (!held)
		return;
	unsigned oldest = (unsigned)__builtin_ctzll(held);
	for (uint64_t h = held; h; h &= h - 1) {
		unsigned s = (unsigned)__builtin_ctzll(h);
		oldest = sm->seen[s].age < sm->seen[oldest].age ? s : oldest;
	}
	note_release(sm, oldest);
	sm->view.stalled &= ~bit(oldest);
	sm->view.no_load &= ~bit(oldest);
	sm->quiet = false;
	sm->counts.releases++;
	if (sm->gpu->policy->released)
		sm->gpu->policy->released(sm->policy_state, &sm->view, oldest);
}

void
sm_skip_to(struct sm *sm, uint64_t cycle)
{
	if (cycle <= sm->now)
		return;
	skip(sm, cycle - sm->now);
	sm->wake = cycle;
}

void
sm_pass_to(struct sm *sm, uint64_t cycle)
{
	while (sm->now < cycle)
		come_to(sm, least(cycle, sm->sample_at));
}

void
sm_run(struct sm *sm, uint64_t until)
{
	/* Nothing has happened before, whatever has been sent here meanwhile. */
	sm_skip_to(sm, sm->wake);
	release_held(sm);
	uint64_t wake = next_cycle(sm);
	while (wake < until) {
		if (wake > sm->now)
			skip(sm, wake - sm->now);
		cycle(sm);
		come_to(sm, sm->now + 1);
		release_held(sm);
		wake = next_cycle(sm);
	}
	sm->wake = wake;
}

/* ---- life ----------------------------------------------------------------------------------- */

static bool
caches_init(struct sm *sm, const struct gpu_config *set, struct wcp_error *e)
{
	const struct wcp_nb_options *o[L1_COUNT] = {[L1D] = &set->l1.cache,
	    [L1C] = &set->l1c.cache,
	    [L1T] = &set->l1t.cache,
	    [L1I] = &set->l1i.cache};
	for (unsigned c = 0; c < L1_COUNT; c++) {
		if (c != L1D && !o[c]->index.sets)
			continue;
		if (!(sm->l1[c] = wcp_nbcache_new(o[c], e)))
			return false;
	}
	return true;
}

/* Without interference each warp has its own L1D. */
static bool
own_init(struct sm *sm, const struct gpu_config *set, struct wcp_error *e)
{
	if (!set->l1_apart)
		return true;
	sm->own = calloc(SLOTS_MAX, sizeof *sm->own);
	if (!sm->own)
		wcp_fail(e, WCP_ESYS, "out of memory");
	for (unsigned s = 0; sm->own && s < SLOTS_MAX; s++) {
		if (!(sm->own[s] = wcp_nbcache_new(&set->l1.cache, e)))
			return false;
	}
	return sm->own;
}

static bool
victims_init(struct sm *sm, struct wcp_error *e)
{
	const struct wcp_vta_options o = {
	    .keys = SLOTS_MAX,
	    .entries = sm->gpu->policy->vta_entries,
	    .ways = sm->gpu->policy->vta_ways,
	    .line_bytes = WCP_LINE_BYTES,
	    .order = WCP_VTA_FIFO,
	};
	if (o.entries)
		sm->vta = wcp_vta_new(&o, e);
	return sm->vta || !o.entries;
}

static bool
arrays_init(struct sm *sm, const struct gpu_config *set)
{
	sm->wheel = malloc(WHEEL * sizeof *sm->wheel);
	sm->bus = calloc(set->sm.result_buses, sizeof *sm->bus);
	sm->ldst.transaction = malloc(WCP_COALESCE_MAX * sizeof *sm->ldst.transaction);
	if (!sm->wheel || !sm->bus || !sm->ldst.transaction)
		return false;
	for (unsigned i = 0; i < WHEEL; i++)
		sm->wheel[i] = NONE;
	for (unsigned k = 0; k < WCP_UNIT_COUNT; k++) {
		const struct wcp_unit_config *u = &set->sm.unit[k];
		sm->lane[k].unit = calloc(u->units + 1, sizeof(struct exec_unit));
		if (!sm->lane[k].unit)
			return false;
	}
	return true;
}

bool
sm_init(struct sm *sm, struct gpu *g, uint32_t number, struct wcp_error *e)
{
	const struct gpu_config *set = g->set;
	sm->gpu = g;
	sm->set = &set->sm;
	sm->number = number;
	sm->sample_at = UINT64_MAX;
	sm->line_insns = WCP_LINE_BYTES / set->sm.insn_bytes;
	sm->first_insn = set->sm.code_start / set->sm.insn_bytes;
	memset(sm->unit_of, WCP_UNIT_COUNT, sizeof sm->unit_of);
	sm->free_op = sm->free_request = sm->fetched_slot = NONE;
	sm->ldst.op = sm->ldst.answered = sm->ldst.unfilled = NONE;
	sm->view.number = number;
	sm->view.warp = sm->seen;
	for (unsigned s = 0; s < set->sm.schedulers; s++)
		sm->of_scheduler[s] = g->machine.scheduler_slots[s];
	if (!caches_init(sm, set, e) || !own_init(sm, set, e) || !victims_init(sm, e) ||
	    !sm_shared_init(sm, e))
		return false;
	if (!arrays_init(sm, set) ||
	    !sender_init(&sm->out, set->icnt.buffer_flits, set->icnt.inject_flits + 4)) {
		wcp_fail(e, WCP_ESYS, "out of memory");
		return false;
	}
	return true;
}

void
sm_release(struct sm *sm)
{
	for (unsigned c = 0; c < SLOTS_MAX; c++) {
		if (!sm->cta[c].feed)
			continue;
		brood_drop(sm->cta[c].brood);
		feed_cta_done(sm->gpu->feed, sm->cta[c].feed);
	}
	sm_drop_saved(sm);
	for (unsigned c = 0; c < L1_COUNT; c++)
		wcp_nbcache_free(sm->l1[c]);
	for (unsigned s = 0; sm->own && s < SLOTS_MAX; s++)
		wcp_nbcache_free(sm->own[s]);
	free(sm->own);
	for (unsigned k = 0; k < WCP_UNIT_COUNT; k++)
		free(sm->lane[k].unit);
	for (unsigned s = 0; s < SLOTS_MAX; s++)
		free(sm->warp[s].pending);
	wcp_vta_free(sm->vta);
	wcp_vta_free(sm->lost);
	wcp_smcache_free(sm->shared.cache);
	free(sm->wheel);
	free(sm->bus);
	free(sm->ldst.transaction);
	free(sm->op);
	free(sm->request);
	free(sm->policy_state);
	sender_release(&sm->out);
	receiver_release(&sm->in);
}

bool
sm_prepare(struct sm *sm, uint32_t reg_words)
{
	for (unsigned s = 0; s < sm->set->warps && reg_words > sm->reg_words; s++) {
		uint64_t *grown = realloc(sm->warp[s].pending, reg_words * sizeof *grown);
		if (!grown)
			return false;
		sm->warp[s].pending = grown;
	}
	sm->reg_words = reg_words > sm->reg_words ? reg_words : sm->reg_words;
	return true;
}

bool
sm_begin_kernel(struct sm *sm)
{
	const struct gpu *g = sm->gpu;
	size_t bytes = 0;
	if (g->policy->state_bytes)
		bytes = g->policy->state_bytes(&g->machine, g->parameter);
	free(sm->policy_state);
	sm->policy_state = calloc(1, bytes ? bytes : 1);
	if (!sm->policy_state)
		return false;
	if (sm->vta)
		wcp_vta_clear(sm->vta);
	sm->view = (struct wcp_policy_sm){.now = sm->now, .number = sm->number, .warp = sm->seen};
	sm->releases_since = 0;
	sm_shared_resize(sm);
	memory_busy(&g->memory, &sm->view.l2_busy, &sm->view.dram_busy);
	if (g->policy->begin)
		g->policy->begin(sm->policy_state, &sm->view, &g->machine, g->parameter);
	return true;
}
