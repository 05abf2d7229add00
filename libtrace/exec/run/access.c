#include "access.h"
#include "exec/access.h"

static bool
aligned(struct warp *w, const struct insn *in, const struct place *p, uint32_t mask, unsigned bytes,
    uint64_t bits)
{
	if (LIKELY(!(bits & (bytes - 1))))
		return true;
	EACH_SET(l, mask)
	if (p->list[l] & (bytes - 1)) {
		exec_fault(w, FAULT_MISALIGNED, in, l, p->list[l], w->code->mem[in->e].space);
		return false;
	}
	return true; /* the step would be misaligned, the lanes that are there are not */
}

/* Lane by lane: several allocations, several spaces, or a fault. */
static bool
spread_each(struct warp *w, const struct insn *in, uint32_t mask, struct place *p)
{
	uint32_t in_space[WCP_SPACE_COUNT] = {0};
	uint64_t bias[WCP_SPACE_COUNT] = {0}, list[WCP_LANES];
	memcpy(list, p->list, sizeof list);
	EACH_SET(l, mask)
	{
		uint8_t space;
		uint64_t less;
		if (!exec_lane(w, in, l, list[l], &w->at[l], &space, &less))
			return false;
		in_space[space] |= 1u << l;
		bias[space] = less;
	}
	for (unsigned s = 0; s < WCP_SPACE_COUNT; s++) {
		if (!in_space[s])
			continue;
		mask &= ~in_space[s];
		if (in_space[s] == WCP_FULL_MASK)
			run_shape_all(list, p);
		else
			run_shape_some(list, in_space[s], p);
		p->space = (uint8_t)s;
		run_record(w, in, in_space[s], p, bias[s], mask ? WCP_MEM_MORE : 0);
	}
	return true;
}

/* The lanes' host addresses are in w->at, as a list of numbers. */
static bool
find_each(struct warp *w, const struct insn *in, uint32_t mask, struct place *p, struct spot *s)
{
	*s = (struct spot){.list = (const uint64_t *)(const void *)w->at};
	return spread_each(w, in, mask, p);
}

bool
LEVELED(run_find)(
    const struct insn *in, char *file, uint32_t mask, const uint64_t *a, struct spot *s)
{
	struct warp *w = run_warp(file);
	const struct mem_op *op = &w->code->mem[in->e];
	const unsigned bytes = (unsigned)op->size * op->n;
	struct place p = {.space = op->space};
	uint64_t lo, hi, bits, bias = 0;
	if (mask == WCP_FULL_MASK)
		run_shape_all(a, &p);
	else
		run_shape_some(a, mask, &p);
	run_bounds(&p, mask, bytes, &lo, &hi, &bits);
	if (!aligned(w, in, &p, mask, bytes, bits))
		return false;
	*s = (struct spot){.list = p.list};
	if (op->space == WCP_SPACE_LOCAL) {
		if (lo >= hi || hi > w->code->local_bytes)
			return find_each(w, in, mask, &p, s);
		s->host = (uint64_t)(uintptr_t)w->local;
		s->step = exec_local_step(w->code);
		if (hi > w->local_used)
			w->local_used = (uint32_t)hi;
	} else if (op->space == WCP_SPACE_SHARED) {
		if (lo >= hi || hi > w->cta->run->shared_bytes)
			return find_each(w, in, mask, &p, s);
		s->host = (uint64_t)(uintptr_t)w->cta->shared;
	} else if (op->space == WCP_SPACE_PARAM) {
		return find_each(w, in, mask, &p, s);
	} else {
		struct window win = w->cache[in->e];
		p.space = op->space == WCP_SPACE_CONST ? WCP_SPACE_CONST : WCP_SPACE_GLOBAL;
		if ((lo >= hi || lo < win.lo || hi > win.hi) &&
		    !exec_window(w, in, lo, hi, &win, &p.space))
			return find_each(w, in, mask, &p, s);
		s->host = win.host;
		bias = p.space == WCP_SPACE_SHARED  ? EXEC_SHARED_WINDOW
		       : p.space == WCP_SPACE_PARAM ? EXEC_PARAM_WINDOW
						    : 0;
	}
	if (p.shape == WCP_MEM_AFFINE) {
		s->straight = true;
		s->host += p.base;
		s->step += p.stride;
	}
	run_record(w, in, mask, &p, bias, 0);
	return true;
}

/* Fills w->at for the lanes of mask and records the access. False: w->fault. */
bool
LEVELED(run_spread)(const struct insn *in, char *file, uint32_t mask)
{
	struct warp *w = run_warp(file);
	const struct mem_op *op = &w->code->mem[in->e];
	return LEVELED(run_reach)(in, file, mask, run_addresses(in, file, op->addr_bytes, w->addr));
}

bool
LEVELED(run_reach)(const struct insn *in, char *file, uint32_t mask, const uint64_t *a)
{
	struct spot s;
	if (!LEVELED(run_find)(in, file, mask, a, &s))
		return false;
	run_list_spot(&s, run_warp(file)->at);
	return true;
}
