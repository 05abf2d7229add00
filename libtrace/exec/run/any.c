/* Loads and stores of every width, vector and space, and the prefetch that only leaves a record. */
#include "access.h"
#include "exec/access.h"

static bool
shared_is_checked(struct warp *w, const struct insn *in, uint32_t mask, bool store)
{
	return !w->cta->shared_written || exec_check_shared(w, in, mask, store);
}

static void
load_element(const struct insn *in, char *file, uint32_t mask, const struct mem_op *op, unsigned k)
{
	char *const *at = run_warp(file)->at;
	const unsigned offset = k * op->size, wide = op->reg_bytes[k];
	uint32_t to = op->reg[k];
	(void)in;
	if (mask == WCP_FULL_MASK && op->size == 4 && wide == 4) {
		uint32_t *d = run_32(file, to);
		EACH_LANE memcpy(&d[l], at[l] + offset, 4);
		return;
	}
	if (mask == WCP_FULL_MASK && op->size == 8 && wide == 8) {
		uint64_t *d = run_64(file, to);
		EACH_LANE memcpy(&d[l], at[l] + offset, 8);
		return;
	}
	EACH_SET(l, mask)
	{
		uint64_t v = 0;
		memcpy(&v, at[l] + offset, op->size);
		run_put(file, to, wide, l, run_extend(v, op->size, op->is_signed));
	}
}

void
LEVELED(run_load_some)(RUN_ARGS)
{
	struct warp *w = run_warp(file);
	const struct mem_op *op = &w->code->mem[in->e];
	if (!LEVELED(run_spread)(in, file, mask) || !shared_is_checked(w, in, mask, false))
		return;
	w->polls += op->flags & MEM_POLL;
	for (unsigned k = 0; k < op->n; k++)
		if (op->reg_bytes[k])
			load_element(in, file, mask, op, k);
}

void
LEVELED(run_load_all)(RUN_ARGS)
{
	LEVELED(run_load_some)(in, file, mask);
}

/* Lane by lane and element by element, so that where lanes overlap the highest lane's value stays.
 */
void
LEVELED(run_store_some)(RUN_ARGS)
{
	struct warp *w = run_warp(file);
	const struct mem_op *op = &w->code->mem[in->e];
	if (!LEVELED(run_spread)(in, file, mask) || !shared_is_checked(w, in, mask, true))
		return;
	w->progress++;
	EACH_SET(l, mask)
	for (unsigned k = 0; k < op->n; k++) {
		uint64_t v = run_get(file, op->reg[k], op->reg_bytes[k], l);
		memcpy(w->at[l] + k * op->size, &v, op->size);
	}
}

void
LEVELED(run_store_all)(RUN_ARGS)
{
	LEVELED(run_store_some)(in, file, mask);
}

lane_fn LEVELED(run_prefetch), LEVELED(run_load_param);

/* A prefetch never faults: what it names may lie anywhere. */
void
LEVELED(run_prefetch)(RUN_ARGS)
{
	struct warp *w = run_warp(file);
	const struct mem_op *op = &w->code->mem[in->e];
	struct place p = {.space = op->space == WCP_SPACE_GENERIC ? WCP_SPACE_GLOBAL : op->space};
	run_shape_some(run_addresses(in, file, op->addr_bytes, w->addr), mask, &p);
	run_record(w, in, mask, &p, 0, 0);
}

/* A kernel parameter at a fixed offset, checked at decode: the same for all lanes. */
void
LEVELED(run_load_param)(RUN_ARGS)
{
	struct warp *w = run_warp(file);
	const struct mem_op *op = &w->code->mem[in->e];
	const struct place p = {
	    .shape = WCP_MEM_AFFINE, .space = WCP_SPACE_PARAM, .base = (uint64_t)in->imm};
	const char *from = w->cta->run->param + in->imm;
	run_record(w, in, mask, &p, 0, 0);
	for (unsigned k = 0; k < op->n; k++, from += op->size) {
		const uint32_t to = op->reg[k];
		const unsigned wide = op->reg_bytes[k], size = op->size;
		uint64_t v = 0;
		if (!wide)
			continue;
		if (size == 8)
			memcpy(&v, from, 8);
		else if (size == 4)
			memcpy(&v, from, 4);
		else
			memcpy(&v, from, size);
		v = run_extend(v, size, op->is_signed);
		uint64_t *d64 = run_64(file, to);
		uint32_t *d32 = run_32(file, to);
		if (mask == WCP_FULL_MASK && wide == 8)
			EACH_LANE d64[l] = v;
		else if (mask == WCP_FULL_MASK && wide == 4)
			EACH_LANE d32[l] = (uint32_t)v;
		else
			EACH_SET(l, mask) run_put(file, to, wide, l, v);
	}
}
