/* CTAs and warps: coming, waiting for each other, going. */
#include "gpu/gpu.h"

#include <string.h>

static uint32_t
warps_of(const struct wcp_kernel *k)
{
	uint64_t threads = (uint64_t)k->block[0] * k->block[1] * k->block[2];
	return (uint32_t)((threads + WCP_LANES - 1) / WCP_LANES);
}

static uint32_t
registers_of(const struct wcp_sm_config *set, const struct wcp_kernel *k)
{
	uint32_t unit = set->register_unit ? set->register_unit : 1;
	return (k->regs_per_thread + unit - 1) / unit * unit * warps_of(k) * WCP_LANES;
}

static uint32_t
shared_of(const struct wcp_kernel *k)
{
	return k->static_shared_bytes + k->dynamic_shared_bytes;
}

uint32_t
sm_capacity(const struct wcp_sm_config *set, const struct wcp_kernel *k)
{
	uint32_t warps = warps_of(k), regs = registers_of(set, k), n = set->ctas;
	if (set->threads / (warps * WCP_LANES) < n)
		n = set->threads / (warps * WCP_LANES);
	if (set->warps / warps < n)
		n = set->warps / warps;
	if (regs && set->registers / regs < n)
		n = set->registers / regs;
	if (shared_of(k) && set->shared_bytes / shared_of(k) < n)
		n = set->shared_bytes / shared_of(k);
	return n;
}

bool
sm_fits(const struct sm *sm, const struct wcp_kernel *k)
{
	const struct wcp_sm_config *set = sm->set;
	uint32_t warps = warps_of(k);
	return sm->ctas_used < set->ctas && sm->threads_used + warps * WCP_LANES <= set->threads &&
	       sm->registers_used + registers_of(set, k) <= set->registers &&
	       sm->shared_used + shared_of(k) <= set->shared_bytes &&
	       sm->threads_used / WCP_LANES + warps <= set->warps;
}

uint32_t
sm_begin_warp(struct sm *sm, struct cta *c, uint32_t slot, uint32_t index)
{
	const struct wcp_policy *policy = sm->gpu->policy;
	while (sm->view.resident >> slot & 1)
		slot++;
	struct warp *w = &sm->warp[slot];
	uint64_t *pending = w->pending;
	*w = (struct warp){.feed = &c->feed->warp[index], .cta = c, .pending = pending};
	memset(pending, 0, c->run->program.reg_words * sizeof *pending);
	sm->seen[slot] = (struct wcp_policy_warp){.age = sm->age++,
	    .kernel = c->run->kernel->id,
	    .cta = c->feed->linear,
	    .warp = (uint16_t)index};
	if (sm->vta)
		wcp_vta_clear_key(sm->vta, slot);
	if (sm->lost)
		wcp_vta_clear_key(sm->lost, slot);
	c->slots |= bit(slot);
	sm->view.resident |= bit(slot);
	if (policy->warp_begin)
		policy->warp_begin(sm->policy_state, &sm->view, slot);
	if (index == 0 && !c->begun)
		tap_state(sm->gpu->tap, sm, slot, WCP_STATE_CTA_BEGIN);
	tap_state(sm->gpu->tap, sm, slot, WCP_STATE_WARP_BEGIN);
	return slot;
}

struct cta *
sm_take_room(struct sm *sm, const struct cta *cta)
{
	const struct wcp_kernel *k = cta->run->kernel;
	struct cta *c = sm->cta;
	while (c->feed)
		c++;
	*c = *cta;
	c->slots = 0;
	sm->ctas_used++;
	sm->threads_used += c->feed->n_warp * WCP_LANES;
	sm->registers_used += registers_of(sm->set, k);
	sm->shared_used += shared_of(k);
	sm_shared_resize(sm);
	return c;
}

void
sm_begin_cta(struct sm *sm, struct feed_cta *feed, struct running *run)
{
	const struct cta fresh = {
	    .feed = feed, .warps_left = feed->n_warp, .live = feed->n_warp, .run = run};
	struct cta *c = sm_take_room(sm, &fresh);
	sm->counts.ctas++;
	sm->quiet = false;
	sm->wake = sm->now;
	for (uint32_t i = 0, slot = 0; i < feed->n_warp; i++)
		slot = sm_begin_warp(sm, c, slot, i) + 1;
	c->begun = true;
	for (uint64_t s = c->slots; s && c->feed; s &= s - 1) {
		uint32_t at = (uint32_t)__builtin_ctzll(s);
		sm_next_insn(sm, at);
		sm->warp[at].fetch_pc = sm->warp[at].pc;
	}
}

void
sm_leave(struct sm *sm, struct cta *c)
{
	const struct wcp_kernel *k = c->run->kernel;
	sm->ctas_used--;
	sm->threads_used -= warps_of(k) * WCP_LANES;
	sm->registers_used -= registers_of(sm->set, k);
	sm->shared_used -= shared_of(k);
	sm_shared_resize(sm);
	c->feed = NULL;
	sm->gpu->room = true;
	if (!sm->ctas_used && sm->set->invalidate_l1)
		wcp_nbcache_invalidate(sm->l1[L1D], NULL, NULL);
	sm->ldst.stuck = 0;
	for (unsigned s = 0; sm->own && !sm->ctas_used && sm->set->invalidate_l1 && s < SLOTS_MAX;
	     s++)
		wcp_nbcache_invalidate(sm->own[s], NULL, NULL);
}

static void
end_cta(struct sm *sm, struct cta *c)
{
	struct gpu *g = sm->gpu;
	struct running *run = c->run;
	brood_drop(c->brood);
	feed_cta_done(g->feed, c->feed);
	run->result.warp_insns += c->warp_insns;
	run->result.thread_insns += c->thread_insns;
	g->ending |= !--run->ctas;
	g->launcher.changed |= run->saved && run->saved == run->ctas;
	if (sm->now + 1 > run->result.end)
		run->result.end = sm->now + 1;
	sm_leave(sm, c);
}

/* ---- barriers ------------------------------------------------------------------------------- */

void
sm_hold_back(struct sm *sm, uint64_t slots)
{
	const struct wcp_policy *policy = sm->gpu->policy;
	if (sm->view.barrier == slots)
		return;
	sm->view.barrier = slots;
	if (policy->barrier)
		policy->barrier(sm->policy_state, &sm->view);
}

static void
release_barrier(struct sm *sm, struct cta *c, uint32_t id)
{
	sm_hold_back(sm, (sm->view.barrier & ~c->waiting[id]) | sm->awaits);
	c->waiting[id] = 0;
	c->arrived[id] = 0;
}

void
sm_barrier(struct sm *sm, uint32_t slot, uint32_t id, uint32_t warps, bool wait)
{
	struct cta *c = sm->warp[slot].cta;
	c->arrived[id]++;
	bool last = c->arrived[id] >= (warps ? warps : c->live);
	if (wait && !last) {
		c->waiting[id] |= bit(slot);
		sm_hold_back(sm, sm->view.barrier | bit(slot));
	}
	if (last)
		release_barrier(sm, c, id);
}

/* A warp that has no instruction left is not waited for. */
static void
leave_barriers(struct sm *sm, struct cta *c)
{
	for (uint32_t id = 0; id < 16; id++) {
		if (c->waiting[id] && c->arrived[id] >= c->live)
			release_barrier(sm, c, id);
	}
}

/* ---- warps ---------------------------------------------------------------------------------- */

void
sm_next_insn(struct sm *sm, uint32_t slot)
{
	struct warp *w = &sm->warp[slot];
	const struct program *p = &w->cta->run->program;
	w->insn = NULL;
	if (feed_next(sm->gpu->feed, w->feed)) {
		struct wcp_walk *walk = &w->feed->walk;
		w->pc = walk->pc;
		w->mask = walk->mask;
		w->insn = w->pc < p->n_insn ? &p->insn[w->pc] : &p->insn[p->n_insn];
		w->run_mask = walk->batch->run_mask[walk->run];
		w->plain = w->insn->plain ? wcp_walk_past(walk, w->insn->plain) : 0;
	} else {
		w->cta->live--;
		leave_barriers(sm, w->cta);
	}
	sm_refresh(sm, slot);
	if (!w->insn)
		sm_check_end(sm, slot);
}

void
sm_check_end(struct sm *sm, uint32_t slot)
{
	const struct wcp_policy *policy = sm->gpu->policy;
	struct warp *w = &sm->warp[slot];
	if (w->insn || w->in_flight || w->stores || !w->cta || sm->awaits >> slot & 1)
		return;
	struct cta *c = w->cta;
	tap_state(sm->gpu->tap, sm, slot, WCP_STATE_WARP_END);
	if (c->warps_left == 1)
		tap_state(sm->gpu->tap, sm, slot, WCP_STATE_CTA_END);
	w->cta = NULL;
	sm_refresh(sm, slot);
	sm->view.resident &= ~bit(slot);
	if (policy->warp_end)
		policy->warp_end(sm->policy_state, &sm->view, slot);
	if (--c->warps_left == 0)
		end_cta(sm, c);
}
