/* Bulk copies: a thread's many bytes at once, and the arrival of them at a barrier. */
#include "access.h"
#include "exec/access.h"

#define ALIGN 16u

static bool
fault(struct warp *w, const struct insn *in, enum fault_kind kind, uint32_t lane, uint64_t at,
    uint8_t space, uint64_t bytes)
{
	w->fault = (struct fault){kind, in, lane, at, space, (uint32_t)bytes};
	return false;
}

/* The host address of n bytes at address at; NULL: w->fault. */
static char *
reach(struct warp *w, const struct insn *in, uint32_t lane, uint64_t at, uint64_t n, uint8_t space)
{
	if (at % ALIGN) {
		fault(w, in, FAULT_MISALIGNED, lane, at, space, n);
		return NULL;
	}
	if (space == WCP_SPACE_SHARED) {
		char *p = exec_shared_at(w->cta, at, n);
		if (!p)
			fault(w, in, FAULT_BOUNDS, lane, at, space, n);
		return p;
	}
	const struct exec_alloc *a = exec_memory_find(w->cta->run->memory, at, n);
	if (!a)
		fault(w, in, FAULT_BOUNDS, lane, at, WCP_SPACE_GLOBAL, n);
	return a ? exec_alloc_at(a, at) : NULL;
}

static uint64_t
address(const char *file, const struct bulk_address *a, uint32_t lane)
{
	return run_get(file, a->slot, 8, lane) + (uint64_t)a->offset;
}

void
LEVELED(run_combine_all)(const struct mem_op *m, char *to, const char *from, uint64_t bytes)
{
	for (uint64_t i = 0; i < bytes; i += m->size) {
		uint64_t old = 0, b = 0, new;
		memcpy(&old, to + i, m->size);
		memcpy(&b, from + i, m->size);
		new = LEVELED(run_combine)(m, old, b, 0);
		memcpy(to + i, &new, m->size);
	}
}

static void
move(const struct mem_op *m, const struct exec_bulk *b, char *to, const char *from, uint64_t bytes,
    uint32_t byte_mask)
{
	if (m->kind == WCP_REDUCE) {
		LEVELED(run_combine_all)(m, to, from, bytes);
	} else if (!b->byte_mask) {
		memmove(to, from, bytes);
	} else {
		for (uint64_t i = 0; i < bytes; i++)
			if (byte_mask >> i % 16 & 1)
				to[i] = from[i];
	}
}

/* The barrier is told of the bytes that came; it lies where they do: in the CTA of rank rank,
 * unless that is none. */
bool
LEVELED(run_signal)(
    struct warp *w, const struct insn *in, uint32_t lane, uint64_t at, uint32_t bytes)
{
	char *object = exec_shared_at(w->cta, at, 8);
	if (!object || at % 8)
		return fault(
		    w, in, object ? FAULT_MISALIGNED : FAULT_BOUNDS, lane, at, WCP_SPACE_SHARED, 8);
	LEVELED(run_complete)(object, bytes);
	return true;
}

static bool
deliver(struct warp *w, const struct insn *in, const struct exec_bulk *b, uint32_t lane,
    uint64_t to_address, uint64_t barrier, const char *from, uint64_t bytes)
{
	const struct mem_op *m = &w->code->mem[in->e];
	char *to = reach(w, in, lane, to_address, bytes, b->to_space);
	if (!to)
		return false;
	const uint32_t mask = b->byte_mask ? (uint32_t)run_get(w->file, b->byte_mask, 2, lane) : 0;
	move(m, b, to, from, bytes, mask);
	if (b->to_space == WCP_SPACE_SHARED)
		exec_shared_wrote(w->cta, to, bytes);
	return !b->signals || LEVELED(run_signal)(w, in, lane, barrier, (uint32_t)bytes);
}

struct bulk_lines
LEVELED(run_lines)(uint64_t address, uint64_t bytes, uint8_t space)
{
	return (struct bulk_lines){.first = address / EXEC_BULK_LINE * EXEC_BULK_LINE,
	    .n = bytes ? (address % EXEC_BULK_LINE + bytes + EXEC_BULK_LINE - 1) / EXEC_BULK_LINE
		       : 1,
	    .space = space};
}

/* What lane copies, recorded as a line of the given number; false: w->fault. */
bool
LEVELED(run_bulk)(struct warp *w, const struct insn *in, uint32_t lane, struct bulk_lines *lines)
{
	const struct exec_bulk *b = &w->code->bulk[in->imm];
	const struct mem_op *m = &w->code->mem[in->e];
	const uint64_t bytes = run_get(w->file, b->bytes, 4, lane);
	const uint64_t from_at = address(w->file, &b->from, lane);
	const uint64_t to_at = b->to.slot ? address(w->file, &b->to, lane) : 0;
	const uint64_t barrier = b->signals ? address(w->file, &b->barrier, lane) : 0;
	const uint64_t shown = m->kind == WCP_LOAD || m->kind == WCP_PREFETCH ? from_at : to_at;
	*lines = LEVELED(run_lines)(shown, bytes, m->space);
	if (bytes % ALIGN)
		return fault(w, in, FAULT_BULK_SIZE, lane, bytes, m->space, bytes);
	if (m->kind == WCP_PREFETCH || !bytes)
		return true;
	const char *from = reach(w, in, lane, from_at, bytes, b->from_space);
	if (!from)
		return false;
	w->progress++;
	w->polls += b->signals;
	if (!b->cta_mask)
		return deliver(w, in, b, lane, to_at, barrier, from, bytes);
	const uint32_t ctas = (uint32_t)run_get(w->file, b->cta_mask, 2, lane);
	EACH_SET(rank, ctas & 0xffff)
	if (!deliver(w, in, b, lane, exec_shared_in(to_at, rank), exec_shared_in(barrier, rank),
		from, bytes))
		return false;
	return true;
}

lane_fn LEVELED(run_store_async);

void
LEVELED(run_store_async)(RUN_ARGS)
{
	struct warp *w = run_warp(file);
	const struct mem_op *m = &w->code->mem[in->e];
	const uint32_t bytes = (uint32_t)m->size * m->n;
	if (!LEVELED(run_spread)(in, file, mask))
		return;
	w->progress++;
	w->polls++;
	EACH_SET(l, mask)
	{
		for (unsigned k = 0; k < m->n; k++) {
			const uint64_t v = run_get(file, m->reg[k], m->reg_bytes[k], l);
			char *to = w->at[l] + k * m->size;
			if (m->kind == WCP_REDUCE)
				LEVELED(run_combine_all)(m, to, (const char *)&v, m->size);
			else
				memcpy(to, &v, m->size);
		}
		exec_shared_wrote(w->cta, w->at[l], bytes);
		const uint64_t at = run_64(file, in->b)[l] + (uint64_t)(int64_t)(int32_t)in->d2;
		if (!LEVELED(run_signal)(w, in, l, at, bytes))
			return;
	}
}
