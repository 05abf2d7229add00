/*
 * CTAs that wait for kernels that they launched. The kernels need room, which the CTAs that wait
 * for them may hold: a CTA whose warps all wait, for kernels or for each other, is saved. It gives
 * back what it holds of the SM, and comes to the same SM again when one of its warps may go on and
 * there is room. CUDA's device runtime keeps memory for the state of parents that synchronize,
 * which it may swap out (CUDA C++ Programming Guide 11, CDP1, "Synchronization Depth").
 */
#include "gpu/gpu.h"

#include <stdlib.h>

struct saved_warp {
	struct warp warp;
	struct wcp_policy_warp seen;
	uint8_t barrier; /* where it waits; BARRIERS: nowhere */
	bool awaits;
};

struct saved_cta {
	struct saved_cta *next;
	struct cta cta;
	uint32_t n;
	struct saved_warp warp[];
};

enum { BARRIERS = sizeof((struct cta *)0)->arrived / sizeof((struct cta *)0)->arrived[0] };

/* ---- waiting -------------------------------------------------------------------------------- */

void
sm_await(struct sm *sm, uint32_t slot)
{
	if (!brood_wait(sm->warp[slot].cta->brood, sm->seen[slot].warp))
		return;
	sm->awaits |= bit(slot);
	sm->gpu->waits++;
	sm->gpu->launcher.changed = true;
	sm_hold_back(sm, sm->view.barrier | bit(slot));
}

static uint8_t
barrier_of(const struct cta *c, uint32_t slot)
{
	uint8_t id = 0;
	while (id < BARRIERS && !(c->waiting[id] >> slot & 1))
		id++;
	return id;
}

/* Kernels that warps of a resident CTA waited for are done with. */
static void
end_waits(struct sm *sm, struct cta *c)
{
	uint64_t over = 0;
	for (uint64_t s = c->slots & sm->awaits; s; s &= s - 1) {
		uint32_t slot = (uint32_t)__builtin_ctzll(s);
		if (sm->warp[slot].cta == c && !c->brood->wait[sm->seen[slot].warp].left)
			over |= bit(slot);
	}
	c->brood->over = 0;
	sm->awaits &= ~over;
	uint64_t held = sm->view.barrier & ~over;
	for (uint64_t s = over; s; s &= s - 1) {
		uint32_t slot = (uint32_t)__builtin_ctzll(s);
		sm->gpu->waits--;
		held |= barrier_of(c, slot) < BARRIERS ? bit(slot) : 0;
	}
	sm_hold_back(sm, held);
	for (; over; over &= over - 1) /* it was its last instruction */
		sm_check_end(sm, (uint32_t)__builtin_ctzll(over));
}

/* ---- saving --------------------------------------------------------------------------------- */

/* Does every warp wait, with nothing under way? */
static bool
can_save(const struct sm *sm, const struct cta *c)
{
	if (c->brood->over)
		return false;
	for (uint64_t s = c->slots & sm->view.resident; s; s &= s - 1) {
		uint32_t slot = (uint32_t)__builtin_ctzll(s);
		const struct warp *w = &sm->warp[slot];
		if (w->cta != c)
			continue;
		if (!(sm->view.barrier >> slot & 1) || w->in_flight || w->stores ||
		    sm->awaited >> slot & 1 || sm->fetched_slot == slot)
			return false;
	}
	return true;
}

static void
save_warp(struct sm *sm, struct saved_warp *to, uint32_t slot)
{
	const struct wcp_policy *policy = sm->gpu->policy;
	struct warp *w = &sm->warp[slot];
	*to = (struct saved_warp){.warp = *w,
	    .seen = sm->seen[slot],
	    .barrier = barrier_of(w->cta, slot),
	    .awaits = sm->awaits >> slot & 1};
	tap_state(sm->gpu->tap, sm, slot, WCP_STATE_WARP_END);
	w->cta = NULL;
	sm_refresh(sm, slot);
	sm->awaits &= ~bit(slot);
	sm->view.resident &= ~bit(slot);
	sm_hold_back(sm, sm->view.barrier & ~bit(slot));
	if (policy->warp_end)
		policy->warp_end(sm->policy_state, &sm->view, slot);
}

static bool
save(struct sm *sm, struct cta *c)
{
	struct saved_cta *to = calloc(1, sizeof *to + c->warps_left * sizeof to->warp[0]);
	if (!to)
		return false;
	for (uint64_t s = c->slots; s; s &= s - 1) {
		uint32_t slot = (uint32_t)__builtin_ctzll(s);
		if (sm->warp[slot].cta == c)
			save_warp(sm, &to->warp[to->n++], slot);
	}
	to->cta = *c;
	struct saved_cta **end = &sm->saved;
	while (*end)
		end = &(*end)->next;
	*end = to;
	c->run->saved++;
	sm->gpu->saved++;
	sm->gpu->launcher.changed = true;
	sm_leave(sm, c);
	return true;
}

/* ---- coming again --------------------------------------------------------------------------- */

static void
restore(struct sm *sm, const struct saved_cta *from)
{
	struct cta *c = sm_take_room(sm, &from->cta);
	for (unsigned id = 0; id < BARRIERS; id++)
		c->waiting[id] = 0;
	uint32_t slot = 0;
	uint64_t held = sm->view.barrier;
	for (uint32_t i = 0; i < from->n; i++, slot++) {
		const struct saved_warp *s = &from->warp[i];
		slot = sm_begin_warp(sm, c, slot, s->seen.warp);
		struct warp *w = &sm->warp[slot];
		w->insn = s->warp.insn;
		w->pc = w->fetch_pc = s->warp.pc;
		w->mask = s->warp.mask;
		w->plain = s->warp.plain;
		w->run_mask = s->warp.run_mask;
		sm->seen[slot].insns = s->seen.insns;
		sm_refresh(sm, slot);
		if (s->barrier < BARRIERS)
			c->waiting[s->barrier] |= bit(slot);
		if (s->awaits)
			sm->awaits |= bit(slot);
		if (s->awaits || s->barrier < BARRIERS)
			held |= bit(slot);
	}
	sm_hold_back(sm, held);
	c->run->saved--;
	sm->gpu->saved--;
	end_waits(sm, c);
}

/* The SM is to be played from now on. */
static void
touch(struct sm *sm)
{
	sm_skip_to(sm, sm->gpu->now);
	sm->quiet = false;
	sm->wake = sm->now;
}

static bool
settle(struct sm *sm, struct cta *c)
{
	bool over = c->brood->over;
	if (!over && !can_save(sm, c))
		return true;
	touch(sm);
	if (!over)
		return save(sm, c);
	end_waits(sm, c);
	return true;
}

bool
sm_settle_waits(struct sm *sm)
{
	bool ok = true;
	for (uint64_t left = sm->awaits; left; left &= (left - 1) & sm->awaits)
		ok = settle(sm, sm->warp[__builtin_ctzll(left)].cta) && ok;
	for (struct saved_cta **p = &sm->saved; *p;) {
		struct saved_cta *s = *p;
		if (!s->cta.brood->over || !sm_fits(sm, s->cta.run->kernel)) {
			p = &s->next;
			continue;
		}
		touch(sm);
		*p = s->next;
		restore(sm, s);
		free(s);
	}
	return ok;
}

void
sm_drop_saved(struct sm *sm)
{
	for (struct saved_cta *s = sm->saved, *next; s; s = next) {
		next = s->next;
		brood_drop(s->cta.brood);
		feed_cta_done(sm->gpu->feed, s->cta.feed);
		free(s);
	}
}
