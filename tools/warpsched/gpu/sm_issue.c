/* Issue: which warps are ready, whom the policy chooses, and what an instruction takes with it. */
#include "gpu/gpu.h"

#include <string.h>

static void
put_bit(uint64_t *mask, uint32_t slot, bool on)
{
	*mask = (*mask & ~bit(slot)) | (uint64_t)on << slot;
}

/* What the slot's next instruction waits in line for; WCP_UNIT_COUNT: it has none. */
static void
put_unit(struct sm *sm, uint32_t slot, uint8_t unit)
{
	uint8_t *was = &sm->unit_of[slot];
	if (*was == unit)
		return;
	if (*was != WCP_UNIT_COUNT)
		sm->next_unit[*was] &= ~bit(slot);
	if (unit != WCP_UNIT_COUNT)
		sm->next_unit[unit] |= bit(slot);
	*was = unit;
}

void
sm_refresh_buffer(struct sm *sm, uint32_t slot)
{
	const struct warp *w = &sm->warp[slot];
	bool fetched = sm->set->fetch_insns;
	bool buffered = w->cta && w->insn && (!fetched || w->buffered);
	bool other = fetched && w->buffer_pc != w->pc;
	put_bit(&sm->valid, slot, buffered && !other);
	put_bit(&sm->hazard, slot, buffered && other);
}

void
sm_refresh(struct sm *sm, uint32_t slot)
{
	const struct warp *w = &sm->warp[slot];
	const struct insn *in = w->insn;
	bool has = w->cta && in;
	sm_refresh_buffer(sm, slot);
	put_bit(&sm->live, slot, has);
	put_bit(&sm->clear, slot, has && registers_clear(w));
	put_unit(sm, slot, has ? in->unit : WCP_UNIT_COUNT);
	put_bit(&sm->view.next_load, slot, has && in->flags & INSN_LOAD);
}

/* Slots whose next instruction finds no room before its unit. */
static uint64_t
crowded_out(const struct sm *sm)
{
	uint64_t slots = 0;
	for (unsigned left = sm->crowded; left; left &= left - 1)
		slots |= sm->next_unit[__builtin_ctz(left)];
	return slots;
}

static uint64_t
held_back(const struct sm *sm)
{
	return sm->view.stalled | (sm->view.no_load & sm->view.next_load);
}

static void
take_memory(struct sm *sm, struct op *op, const struct warp *w)
{
	op->n_mem = (uint16_t)w->feed->walk.n_mem;
	op->mem_first = w->feed->walk.mem_first;
	op->piece = op->n_mem ? feed_hold(w->feed) : NULL;
	op->left = 1;
	sm->counts.mem_insns++;
}

static void
barrier(struct sm *sm, uint32_t slot, const struct warp *w)
{
	uint32_t id = w->insn->bar_id, warps = w->insn->bar_warps;
	const struct wcp_walk *walk = &w->feed->walk;
	for (uint32_t i = walk->event_first; i < walk->event_first + walk->n_event; i++) {
		if (walk->batch->event_kind[i] == WCP_EVENT_BARRIER) {
			id = (uint32_t)walk->batch->event_arg[i];
			warps = (uint32_t)((walk->batch->event_arg[i] >> 32) + WCP_LANES - 1) /
				WCP_LANES;
		}
	}
	sm_barrier(sm, slot, id % 16, warps, !(w->insn->flags & INSN_ARRIVE));
}

/* The instruction launches a kernel, unless the stream says nothing of it, or something else. */
static bool
launch(struct sm *sm, struct cta *c, uint64_t child)
{
	struct gpu *g = sm->gpu;
	const struct wcp_kernel *k = feed_described(g->feed, child);
	if (!k || k->parent != c->run->kernel->id)
		return true;
	if (!c->brood && !(c->brood = brood_new(c->feed->n_warp)))
		return false;
	int told = launcher_child(&g->launcher, k, c->brood);
	c->run->children += told > 0;
	return told >= 0;
}

/* What the instruction does that does not follow from the program. */
static void
events(struct sm *sm, uint32_t slot, const struct warp *w)
{
	const struct wcp_walk *walk = &w->feed->walk;
	bool waits = false;
	for (uint32_t i = walk->event_first; i < walk->event_first + walk->n_event; i++) {
		waits |= walk->batch->event_kind[i] == WCP_EVENT_WAIT;
		if (walk->batch->event_kind[i] == WCP_EVENT_LAUNCH)
			sm->failed |= !launch(sm, w->cta, walk->batch->event_arg[i]);
	}
	if (waits)
		sm_await(sm, slot);
}

static void
count_issue(struct sm *sm, uint32_t slot, const struct op *op)
{
	struct cta *c = sm->warp[slot].cta;
	unsigned threads =
	    op->mask == WCP_FULL_MASK ? WCP_LANES : (unsigned)__builtin_popcount(op->mask);
	sm->counts.warp_insns++;
	sm->counts.thread_insns += threads;
	c->warp_insns++;
	c->thread_insns += threads;
	sm->view.issued++;
	sm->seen[slot].insns++;
}

/* On to an instruction that was walked past with the one before it. */
static void
go_on(struct sm *sm, uint32_t slot, struct warp *w)
{
	w->plain--;
	w->pc++;
	w->insn++;
	w->mask = w->run_mask;
	if (sm->set->fetch_insns && !w->buffered)
		sm->valid &= ~bit(slot);
	put_bit(&sm->clear, slot, registers_clear(w));
	put_unit(sm, slot, w->insn->unit);
	sm->view.next_load &= ~bit(slot);
}

static void
issue(struct sm *sm, uint32_t slot)
{
	const struct wcp_policy *policy = sm->gpu->policy;
	struct warp *w = &sm->warp[slot];
	uint32_t n = sm_op_new(sm);
	if (n == NONE)
		return;
	struct op *op = &sm->op[n];
	*op = (struct op){
	    .insn = w->insn,
	    .issued = sm->now,
	    .pc = w->pc,
	    .mask = w->mask,
	    .slot = (uint8_t)slot,
	    .next = NONE,
	    .n_read = w->insn->n_read,
	};
	memcpy(op->read, w->insn->read, sizeof op->read);
	if (!w->insn->scattered)
		w->pending[w->insn->dst_word] |= w->insn->dst_mask;
	for (unsigned i = 0; w->insn->scattered && i < w->insn->n_dst; i++)
		w->pending[w->insn->reg[i] / 64] |= 1ull << w->insn->reg[i] % 64;
	if (w->insn->unit == UNIT_MEM)
		take_memory(sm, op, w);
	w->in_flight++;
	count_issue(sm, slot, op);
	struct stage *s = &sm->lane[w->insn->unit].issued;
	s->op[s->n++] = n;
	if (s->n >= sm->set->unit[w->insn->unit].width)
		sm->crowded |= (uint8_t)(1u << w->insn->unit);
	sm->n_staged++;
	sm->lanes |= (uint8_t)(1u << w->insn->unit);
	sm->lanes_still = false;
	if (policy->issued)
		policy->issued(sm->policy_state, &sm->view, slot, w->pc);
	if (w->insn->flags & INSN_BARRIER && w->mask)
		barrier(sm, slot, w);
	if (w->feed->walk.n_event) {
		events(sm, slot, w);
		w->feed->walk.n_event = 0; /* they are this instruction's alone */
	}
	if (w->buffered) {
		w->buffered--;
		w->buffer_pc++;
	}
	if (w->plain)
		go_on(sm, slot, w);
	else
		sm_next_insn(sm, slot);
}

/* Slots as the schedulers find them. */
struct choice_of {
	uint64_t able, ready; /* has an instruction; and its registers are free */
	uint64_t held;	      /* by the policy */
	uint64_t go;	      /* ready, not held, and its unit has room */
};

static void
look(const struct sm *sm, struct choice_of *c)
{
	c->able = sm->view.resident & sm->valid & ~sm->view.barrier;
	c->ready = c->able & sm->clear;
	c->held = held_back(sm);
	c->go = c->ready & ~c->held & ~crowded_out(sm);
}

/* Why nothing was issued. */
static enum slot_use
idle_cause(const struct sm *sm, const struct choice_of *c, uint64_t mine)
{
	uint64_t waiting = mine & sm->view.resident, no_room = mine & c->ready & ~c->held & ~c->go;
	if (mine & c->go) /* the policy chose none of them */
		return SLOT_THROTTLED;
	if (no_room)
		return mine & c->ready & ~c->held & sm->next_unit[UNIT_MEM] ? SLOT_MEMORY
									    : SLOT_UNIT;
	if (mine & c->ready & c->held)
		return SLOT_THROTTLED;
	if (mine & c->able)
		return SLOT_SCOREBOARD;
	if (waiting & sm->view.barrier)
		return SLOT_BARRIER;
	return waiting & sm->live ? SLOT_FETCH : waiting ? SLOT_SCOREBOARD : SLOT_EMPTY;
}

static void
count_idle(struct sm *sm, const struct choice_of *c, uint64_t n)
{
	for (unsigned i = 0; i < sm->set->schedulers; i++)
		sm->counts.slot[idle_cause(sm, c, sm->of_scheduler[i])] += n;
}

void
sm_count_idle(struct sm *sm, uint64_t n)
{
	struct choice_of c;
	look(sm, &c);
	count_idle(sm, &c, n);
}

/* A buffer that holds what the warp does not execute next is thrown away when it is looked at. */
static void
flush_hazards(struct sm *sm, uint64_t mine)
{
	for (uint64_t h = sm->hazard & mine; h; h &= h - 1) {
		uint32_t slot = (uint32_t)__builtin_ctzll(h);
		struct warp *w = &sm->warp[slot];
		w->buffered = 0;
		sm->moved = true;
		w->fetch_pc = w->pc;
		sm_refresh_buffer(sm, slot);
	}
}

/* Whom the policy chooses. It may come from outside: what it must not answer is told, and taken for
 * nobody. */
static unsigned
pick(struct sm *sm, unsigned scheduler, uint64_t ready)
{
	unsigned slot = sm->gpu->policy->pick(sm->policy_state, &sm->view, scheduler, ready);
	if (slot == WCP_NO_SLOT || (slot < SLOTS_MAX && ready >> slot & 1))
		return slot;
	sm->wrong = WRONG_PICK;
	sm->wrong_slot = slot;
	return WCP_NO_SLOT;
}

/* One issue; c is looked at anew for the next scheduler. */
static void
schedule(struct sm *sm, unsigned scheduler, struct choice_of *c)
{
	uint64_t mine = sm->of_scheduler[scheduler];
	unsigned slot = WCP_NO_SLOT;
	if (c->go & mine)
		slot = pick(sm, scheduler, c->go & mine);
	enum slot_use use = slot == WCP_NO_SLOT ? idle_cause(sm, c, mine) : SLOT_ISSUED;
	sm->counts.slot[use]++;
	if (sm->hazard & mine)
		flush_hazards(sm, mine);
	if (slot == WCP_NO_SLOT)
		return;
	sm->moved = true;
	issue(sm, slot);
	look(sm, c);
}

void
sm_issue(struct sm *sm)
{
	unsigned n = sm->set->schedulers;
	unsigned at = sm->set->alternate ? (unsigned)(sm->now % n) : 0;
	struct choice_of c;
	look(sm, &c);
	if (!c.go && !sm->hazard) {
		count_idle(sm, &c, 1);
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		schedule(sm, at, &c);
		at = at + 1 < n ? at + 1 : 0;
	}
}
