#include <string.h>
#include "exec/access.h"

void
exec_fault(struct warp *w, enum fault_kind kind, const struct insn *in, uint32_t lane,
    uint64_t address, uint8_t space)
{
	w->fault = (struct fault){kind, in, lane, address, space};
}

static bool
inside(uint64_t lo, uint64_t hi, uint64_t first, uint64_t bytes)
{
	return lo <= hi && lo >= first && hi <= first + bytes;
}

static uint64_t
host_of(const char *p, uint64_t address)
{
	return (uint64_t)(uintptr_t)p - address;
}

bool
exec_window(struct warp *w, const struct insn *in, uint64_t lo, uint64_t hi, struct window *out,
    uint8_t *space)
{
	const struct exec_run *run = w->cta->run;
	const struct mem_op *op = &w->code->mem[in->e];
	if (lo >= hi)
		return false;
	if (op->space == WCP_SPACE_GENERIC) {
		if (inside(lo, hi, EXEC_SHARED_WINDOW, run->shared_bytes)) {
			*out = (struct window){EXEC_SHARED_WINDOW,
			    EXEC_SHARED_WINDOW + run->shared_bytes,
			    host_of(w->cta->shared, EXEC_SHARED_WINDOW)};
			*space = WCP_SPACE_SHARED;
			return true;
		}
		if (op->kind == WCP_LOAD &&
		    inside(lo, hi, EXEC_PARAM_WINDOW, w->code->param_bytes)) {
			*out = (struct window){EXEC_PARAM_WINDOW,
			    EXEC_PARAM_WINDOW + w->code->param_bytes,
			    host_of(run->param, EXEC_PARAM_WINDOW)};
			*space = WCP_SPACE_PARAM;
			return true;
		}
	}
	const struct exec_alloc *a = exec_memory_find(run->memory, lo, hi - lo);
	if (!a)
		return false;
	*out = (struct window){a->base, a->base + a->bytes, a->bias};
	*space = op->space == WCP_SPACE_CONST ? WCP_SPACE_CONST : WCP_SPACE_GLOBAL;
	w->cache[in->e] = *out;
	return true;
}

static bool
lane_in_local(struct warp *w, uint32_t lane, uint64_t offset, uint64_t bytes, char **at)
{
	if (!inside(offset, offset + bytes, 0, w->code->local_bytes))
		return false;
	*at = w->local + (uint64_t)lane * exec_local_step(w->code) + offset;
	if (offset + bytes > w->local_used)
		w->local_used = (uint32_t)(offset + bytes);
	return true;
}

char *
exec_shared_at(const struct cta *c, uint64_t address, uint64_t n)
{
	const uint64_t rank = address >> EXEC_RANK_SHIFT;
	const uint64_t offset = address & ((1ull << EXEC_RANK_SHIFT) - 1);
	if (rank > c->cluster->n || !inside(offset, offset + n, 0, c->run->shared_bytes))
		return NULL;
	return (rank ? c->cluster->cta[rank - 1]->shared : c->shared) + offset;
}

/* The marks of what was written, from host address at on; NULL if that is no shared memory. */
static uint8_t *
marks_at(const struct cta *c, const char *at)
{
	const struct cta *of = c;
	for (uint32_t r = 0;; of = c->cluster->cta[r++]) {
		const uint64_t offset = (uint64_t)(uintptr_t)at - (uint64_t)(uintptr_t)of->shared;
		if (offset < of->run->shared_bytes)
			return of->shared_written + offset;
		if (r == c->cluster->n)
			return NULL;
	}
}

void
exec_shared_wrote(const struct cta *c, const char *at, uint64_t n)
{
	if (c->shared_written)
		memset(marks_at(c, at), 1, n);
}

bool
exec_lane(struct warp *w, const struct insn *in, uint32_t lane, uint64_t address, char **at,
    uint8_t *space, uint64_t *bias)
{
	const struct exec_run *run = w->cta->run;
	const struct mem_op *op = &w->code->mem[in->e];
	const uint64_t bytes = (uint64_t)op->size * op->n;
	const struct exec_alloc *a;
	bool generic = op->space == WCP_SPACE_GENERIC, found = false;
	*space = op->space;
	*bias = 0;
	if (generic) {
		*space = WCP_SPACE_GLOBAL;
		if (address - EXEC_SHARED_WINDOW < EXEC_WINDOW_BYTES)
			*space = WCP_SPACE_SHARED, *bias = EXEC_SHARED_WINDOW;
		else if (address - EXEC_LOCAL_WINDOW < EXEC_WINDOW_BYTES)
			*space = WCP_SPACE_LOCAL, *bias = EXEC_LOCAL_WINDOW;
		else if (address - EXEC_PARAM_WINDOW < EXEC_WINDOW_BYTES)
			*space = WCP_SPACE_PARAM, *bias = EXEC_PARAM_WINDOW;
	}
	const uint64_t offset = address - *bias;
	if (*space == WCP_SPACE_LOCAL) {
		found = lane_in_local(w, lane, offset, bytes, at);
	} else if (*space == WCP_SPACE_SHARED) {
		*at = exec_shared_at(w->cta, offset, bytes);
		found = *at != NULL;
	} else if (*space == WCP_SPACE_PARAM) {
		union {
			const char *from;
			char *to;
		} param = {run->param};
		found =
		    op->kind == WCP_LOAD && inside(offset, offset + bytes, 0, w->code->param_bytes);
		*at = param.to + offset;
	} else if ((a = exec_memory_find(run->memory, address, bytes))) {
		found = true;
		*at = exec_alloc_at(a, address);
		w->cache[in->e] = (struct window){a->base, a->base + a->bytes, a->bias};
	}
	if (!found)
		exec_fault(w, FAULT_BOUNDS, in, lane, offset, *space);
	return found;
}

/* The access was recorded before its bytes were looked at: an instruction that fails leaves no
 * record. */
static void
take_back_record(struct warp *w, const struct insn *in)
{
	struct wcp_warp_batch *b = w->rec;
	while (b && b->n_mem > b->seg_mem[b->n_seg - 1] && b->mem_pc[b->n_mem - 1] == in->pc) {
		const uint32_t i = --b->n_mem;
		b->n_addr = b->mem_addr[i];
		if (i == b->seg_mem[b->n_seg - 1] || !(b->mem_flags[i - 1] & WCP_MEM_MORE))
			break;
	}
}

bool
exec_check_shared(struct warp *w, const struct insn *in, uint32_t mask, bool store)
{
	const struct mem_op *op = &w->code->mem[in->e];
	const size_t bytes = (size_t)op->size * op->n;
	for (uint32_t l = 0; l < WCP_LANES; l++) {
		uint8_t *written = mask >> l & 1 ? marks_at(w->cta, w->at[l]) : NULL;
		if (!written)
			continue;
		if (store) {
			memset(written, 1, bytes);
		} else if (memchr(written, 0, bytes)) {
			exec_fault(w, FAULT_UNINITIALISED, in, l,
			    (uint64_t)(written - w->cta->shared_written), WCP_SPACE_SHARED);
			take_back_record(w, in);
			return false;
		}
	}
	return true;
}
