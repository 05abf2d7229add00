/* Arithmetic units take instructions; what they compute is there a fixed number of cycles later. */
#include "gpu/gpu.h"

#include <stdlib.h>
#include <string.h>

enum { PIPE_OVERHEAD = 2 }; /* a unit's dispatch latch, and the write-back latch */

static bool
ring_has(const uint64_t *ring, unsigned at)
{
	return ring[at / 64] >> at % 64 & 1;
}

static void
ring_set(uint64_t *ring, unsigned at)
{
	ring[at / 64] |= 1ull << at % 64;
}

bool
sm_more_ops(struct sm *sm)
{
	uint32_t cap = sm->cap_op ? 2 * sm->cap_op : 256;
	struct op *grown = realloc(sm->op, cap * sizeof *grown);
	if (!grown) {
		sm->failed = true;
		return false;
	}
	sm->op = grown;
	for (uint32_t i = sm->cap_op; i < cap; i++)
		grown[i].next = i + 1 < cap ? i + 1 : NONE;
	sm->free_op = sm->cap_op;
	sm->cap_op = cap;
	return true;
}

static void
op_free(struct sm *sm, uint32_t n)
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
	const struct insn *in = sm->op[n].insn;
	uint32_t slot = sm->op[n].slot;
	struct warp *w = &sm->warp[slot];
	if (!in->scattered)
		w->pending[in->dst_word] &= ~in->dst_mask;
	for (unsigned i = 0; in->scattered && i < in->n_dst; i++)
		w->pending[in->reg[i] / 64] &= ~(1ull << in->reg[i] % 64);
	w->in_flight--;
	op_free(sm, n);
	if (!w->insn)
		sm_check_end(sm, slot);
	else if (!(sm->clear >> slot & 1) && registers_clear(w))
		sm->clear |= bit(slot);
}

void
sm_complete(struct sm *sm)
{
	unsigned at = (unsigned)sm->now % WHEEL;
	if (!ring_has(sm->wheel_bits, at))
		return;
	uint32_t n = sm->wheel[at];
	sm->wheel[at] = NONE;
	sm->wheel_bits[at / 64] &= ~(1ull << at % 64);
	sm->moved = true;
	while (n != NONE) {
		uint32_t next = sm->op[n].next;
		sm_retire(sm, n);
		n = next;
	}
}

static void
clear_word(struct sm *sm, unsigned word)
{
	for (uint32_t b = 0; b < sm->set->result_buses; b++)
		sm->bus[b][word] = 0;
	for (unsigned k = 0; k < UNIT_MEM; k++) {
		for (uint32_t i = 0; i < sm->set->unit[k].units; i++)
			sm->lane[k].unit[i].results[word] = 0;
	}
}

/* Words of the rings all of whose results have left are empty again: no latency reaches around to
 * the word of this cycle. */
static void
forget_results(struct sm *sm)
{
	uint64_t word = sm->now / 64, n = word - sm->forgotten;
	_Static_assert(LATENCY_MAX + 64 <= WHEEL, "a ring is longer than any latency");
	n = n < WHEEL / 64 ? n : WHEEL / 64;
	for (uint64_t i = 1; i <= n; i++)
		clear_word(sm, (unsigned)((word - i) % (WHEEL / 64)));
	sm->forgotten = word;
}

/* A unit that can take an instruction now whose result leaves it at that place of the ring, one at
 * a time; NULL if none can. */
static struct exec_unit *
free_unit(const struct sm *sm, unsigned kind, unsigned at)
{
	struct exec_unit *u = sm->lane[kind].unit, *end = u + sm->set->unit[kind].units;
	for (; u < end; u++) {
		if (u->busy_until <= sm->now && !ring_has(u->results, at))
			return u;
	}
	return NULL;
}

static uint64_t *
free_bus(const struct sm *sm, unsigned at)
{
	for (uint32_t b = 0; b < sm->set->result_buses; b++) {
		if (!ring_has(sm->bus[b], at))
			return sm->bus[b];
	}
	return NULL;
}

static bool
start(struct sm *sm, unsigned kind, uint32_t n)
{
	const struct insn *in = sm->op[n].insn;
	unsigned at = (unsigned)(sm->now + in->latency) % WHEEL;
	struct exec_unit *u = free_unit(sm, kind, at);
	uint64_t *bus = u ? free_bus(sm, at) : NULL;
	if (!bus)
		return false;
	ring_set(bus, at);
	ring_set(u->results, at);
	u->busy_until = sm->now + in->interval;
	sm_retire_at(sm, n, sm->now + in->latency + PIPE_OVERHEAD);
	return true;
}

static void
leave_stage(struct sm *sm, struct stage *s, uint32_t n)
{
	s->n -= n;
	sm->n_staged -= n;
	sm->moved = true;
	for (uint32_t i = 0; i < s->n; i++)
		s->op[i] = s->op[i + n];
}

void
sm_execute(struct sm *sm)
{
	if (sm->forgotten != sm->now / 64)
		forget_results(sm);
	for (unsigned left = sm->lanes & ((1u << UNIT_MEM) - 1); left; left &= left - 1) {
		unsigned k = (unsigned)__builtin_ctz(left);
		struct stage *s = &sm->lane[k].collected;
		uint32_t started = 0;
		while (started < s->n && start(sm, k, s->op[started]))
			started++;
		if (started)
			leave_stage(sm, s, started);
	}
}
