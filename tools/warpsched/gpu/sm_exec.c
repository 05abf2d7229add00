/* Arithmetic units take instructions; what they compute is there a fixed number of cycles later. */
#include "gpu/gpu.h"

#include <stdlib.h>
#include <string.h>

enum { PIPE_OVERHEAD = 2 }; /* a unit's dispatch latch, and the write-back latch */

uint32_t
sm_op_new(struct sm *sm)
{
	if (sm->free_op == NONE) {
		uint32_t cap = sm->cap_op ? 2 * sm->cap_op : 256;
		struct op *grown = realloc(sm->op, cap * sizeof *grown);
		if (!grown) {
			sm->failed = true;
			return NONE;
		}
		sm->op = grown;
		for (uint32_t i = sm->cap_op; i < cap; i++)
			grown[i].next = i + 1 < cap ? i + 1 : NONE;
		sm->free_op = sm->cap_op;
		sm->cap_op = cap;
	}
	uint32_t n = sm->free_op;
	sm->free_op = sm->op[n].next;
	return n;
}

void
sm_op_free(struct sm *sm, uint32_t n)
{
	struct op *op = &sm->op[n];
	if (op->piece)
		feed_drop(sm->gpu->feed, op->piece);
	op->piece = NULL;
	op->next = sm->free_op;
	sm->free_op = n;
}

void
sm_retire(struct sm *sm, uint32_t n)
{
	const struct op *op = &sm->op[n];
	uint32_t slot = op->slot;
	struct warp *w = &sm->warp[slot];
	for (unsigned i = 0; i < op->insn->n_dst; i++)
		w->pending[op->insn->reg[i] / 64] &= ~(1ull << op->insn->reg[i] % 64);
	w->in_flight--;
	sm_op_free(sm, n);
	if (w->insn && registers_clear(w))
		sm->clear |= bit(slot);
	sm_check_end(sm, slot);
}

void
sm_retire_at(struct sm *sm, uint32_t n, uint64_t cycle)
{
	unsigned at = (unsigned)cycle % WHEEL;
	sm->op[n].next = sm->wheel[at];
	sm->wheel[at] = n;
	sm->wheel_bits[at / 64] |= 1ull << at % 64;
}

void
sm_complete(struct sm *sm)
{
	unsigned at = (unsigned)sm->now % WHEEL;
	uint32_t n = sm->wheel[at];
	sm->wheel[at] = NONE;
	sm->wheel_bits[at / 64] &= ~(1ull << at % 64);
	while (n != NONE) {
		uint32_t next = sm->op[n].next;
		sm_retire(sm, n);
		n = next;
	}
}

/* A unit that is free at this cycle, NONE if none is. */
static uint32_t
free_unit(const struct sm *sm, unsigned kind)
{
	for (uint32_t i = 0; i < sm->set->unit[kind].units; i++) {
		if (sm->lane[kind].busy_until[i] <= sm->now)
			return i;
	}
	return NONE;
}

static bool
start(struct sm *sm, unsigned kind, uint32_t n)
{
	const struct insn *in = sm->op[n].insn;
	uint32_t unit = free_unit(sm, kind);
	unsigned bus = (unsigned)(sm->now + in->latency) % WHEEL;
	if (unit == NONE || sm->bus[bus] >= sm->set->result_buses)
		return false;
	sm->bus[bus]++;
	sm->lane[kind].busy_until[unit] = sm->now + in->interval;
	sm_retire_at(sm, n, sm->now + in->latency + PIPE_OVERHEAD);
	return true;
}

void
sm_execute(struct sm *sm)
{
	sm->bus[(sm->now + WHEEL - 1) % WHEEL] = 0;
	for (unsigned k = 0; k < UNIT_MEM; k++) {
		struct stage *s = &sm->lane[k].collected;
		while (s->n && start(sm, k, s->op[0])) {
			s->n--;
			sm->n_staged--;
			memmove(s->op, s->op + 1, s->n * sizeof s->op[0]);
		}
	}
}
