#include "exec/builtin.h"
#include <stdio.h>
#include <stdlib.h>
#include "exec/access.h"
#include "exec/device.h"

static char *
from(char *base, uint64_t bytes, uint64_t offset, uint64_t *left)
{
	*left = offset < bytes ? bytes - offset : 0;
	return offset < bytes ? base + offset : NULL;
}

char *
exec_generic(struct warp *w, uint32_t lane, uint64_t address, uint64_t *left)
{
	const struct exec_run *run = w->cta->run;
	if (address - EXEC_SHARED_WINDOW < EXEC_WINDOW_BYTES)
		return from(w->cta->shared, run->shared_bytes, address - EXEC_SHARED_WINDOW, left);
	if (address - EXEC_LOCAL_WINDOW < EXEC_WINDOW_BYTES)
		return from(w->local + (size_t)lane * exec_local_step(w->code),
		    w->code->local_bytes, address - EXEC_LOCAL_WINDOW, left);
	const struct exec_alloc *a = exec_memory_find(run->memory, address, 1);
	*left = 0;
	return a ? from(exec_alloc_at(a, a->base), a->bytes, address - a->base, left) : NULL;
}

void
builtin_string(struct warp *w, uint32_t lane, uint64_t address, char *to, size_t cap)
{
	uint64_t left;
	const char *s = exec_generic(w, lane, address, &left);
	size_t n = s ? strnlen(s, left) : 0;
	n = n < cap ? n : cap - 1;
	if (n)
		memcpy(to, s, n);
	to[n] = 0;
}

/* ---- memory ---- */

uint64_t
exec_heap_take(struct warp *w, const struct insn *in, uint32_t lane, uint64_t bytes)
{
	struct wcp_device *d = w->cta->run->device;
	char label[240] = "malloc in a kernel";
	uint64_t at = 0;
	if (!bytes || bytes > d->heap_bytes || d->heap_used > d->heap_bytes - bytes)
		return 0;
	if (d->options.check_memory)
		exec_describe_malloc(w, in, lane, label, sizeof label);
	at = exec_memory_alloc_heap(&d->memory, bytes, label);
	if (at)
		d->heap_used += bytes;
	return at;
}

bool
exec_heap_give(struct wcp_device *d, uint64_t address)
{
	uint64_t bytes;
	if (!exec_memory_free_heap(&d->memory, address, &bytes))
		return false;
	d->heap_used -= bytes;
	return true;
}

static enum builtin_end
heap_malloc(struct warp *w, const struct insn *in, const struct builtin_call *call, uint32_t mask)
{
	for (uint32_t l = 0; l < WCP_LANES; l++) {
		const uint64_t bytes = builtin_u64(w, call, 0, l);
		if (mask >> l & 1)
			builtin_return(w, call, l, exec_heap_take(w, in, l, bytes));
	}
	w->progress++;
	return BUILTIN_DONE;
}

static enum builtin_end
heap_free(struct warp *w, const struct insn *in, const struct builtin_call *call, uint32_t mask)
{
	struct wcp_device *d = w->cta->run->device;
	for (uint32_t l = 0; l < WCP_LANES; l++) {
		const uint64_t at = builtin_u64(w, call, 0, l);
		if (!(mask >> l & 1) || !at)
			continue;
		if (!exec_heap_give(d, at)) {
			exec_fault(w, FAULT_FREE, in, l, at, 0);
			return BUILTIN_FAULT;
		}
	}
	/* Where memory instructions went last may have been there. */
	memset(w->cache, 0, (w->code->n_mem + 1) * sizeof *w->cache);
	w->progress++;
	return BUILTIN_DONE;
}

/* ---- assertions ---- */

/* __assertfail(message, file, line, function, character size) */
static enum builtin_end
assert_fail(struct warp *w, const struct insn *in, const struct builtin_call *call, uint32_t mask)
{
	char message[256], file[256], function[256], line[1024];
	for (uint32_t l = 0; l < WCP_LANES; l++) {
		const struct cta *c = w->cta;
		const uint32_t *b = c->run->block, t = w->index * WCP_LANES + l;
		if (!(mask >> l & 1))
			continue;
		builtin_string(w, l, builtin_u64(w, call, 0, l), message, sizeof message);
		builtin_string(w, l, builtin_u64(w, call, 1, l), file, sizeof file);
		builtin_string(w, l, builtin_u64(w, call, 3, l), function, sizeof function);
		const int n = snprintf(line, sizeof line,
		    "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
		    file, (unsigned)builtin_u64(w, call, 2, l), function, c->id[0], c->id[1],
		    c->id[2], t % b[0], t / b[0] % b[1], t / b[0] / b[1], message);
		exec_text_add(&c->out->text[1], line, (size_t)n);
	}
	exec_fault(w, FAULT_ASSERT, in, (uint32_t)__builtin_ctz(mask), 0, 0);
	return BUILTIN_FAULT;
}

/* ---- conditions of graphs ---- */

/* cudaGraphSetConditional(handle, value): the handle is the address of the value */
static enum builtin_end
set_conditional(
    struct warp *w, const struct insn *in, const struct builtin_call *call, uint32_t mask)
{
	for (uint32_t l = 0; l < WCP_LANES; l++) {
		const uint64_t at = builtin_u64(w, call, 0, l);
		const uint32_t value = (uint32_t)builtin_u64(w, call, 1, l);
		if (!(mask >> l & 1))
			continue;
		const struct exec_alloc *a = exec_memory_find(w->cta->run->memory, at, 4);
		if (!a) {
			exec_fault(w, FAULT_BAD_CALL, in, l, at, 0);
			return BUILTIN_FAULT;
		}
		memcpy(exec_alloc_at(a, at), &value, 4);
	}
	w->progress++;
	return BUILTIN_DONE;
}

/* ---- the table ---- */

static const struct exec_builtin table[] = {
    {"vprintf", {8, 8}, 4, false, WCP_OP_CALL, builtin_vprintf},
    {"malloc", {8}, 8, true, WCP_OP_CALL, heap_malloc},
    {"free", {8}, 0, true, WCP_OP_CALL, heap_free},
    {"cudaGraphSetConditional", {8, 4}, 0, true, WCP_OP_CALL, set_conditional},
    {"__assertfail", {8, 8, 4, 8, 8}, 0, false, WCP_OP_CALL, assert_fail},
};

const struct exec_builtin *
exec_builtin_named(const char *name)
{
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		if (!strcmp(table[i].name, name))
			return &table[i];
	return exec_child_builtin(name);
}

enum builtin_end
exec_builtin(struct warp *w, const struct insn *in, uint32_t mask)
{
	const struct builtin_call *call = &w->code->builtin[in->imm];
	return call->what->run(w, in, call, mask);
}
