/* What went wrong, said as a debugger would. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "exec/builtin.h"
#include "exec/device.h"

struct text {
	char *at, *end;
};

static void WCP_PRINTF(2, 3) say(struct text *t, const char *format, ...);

static void
say(struct text *t, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	int n = vsnprintf(t->at, (size_t)(t->end - t->at), format, ap);
	va_end(ap);
	if (n > 0)
		t->at += n < t->end - t->at ? n : t->end - t->at - 1;
}

static void
say_thread(struct text *t, const struct cta *c, const struct warp *w, uint32_t lane)
{
	const uint32_t *b = c->run->block, i = w->index * WCP_LANES + lane;
	say(t, " CTA (%u,%u,%u) thread (%u,%u,%u)", c->id[0], c->id[1], c->id[2], i % b[0],
	    i / b[0] % b[1], i / b[0] / b[1]);
}

/* The call that the compiler has replaced by its function's body. */
static void
say_inlined(struct text *t, const struct exec_code *code, uint32_t pc, uint32_t ptx_line)
{
	const struct exec_func *f = code->func;
	for (uint32_t i = 1; i < code->n_func; i++)
		if (code->func[i].pc <= pc && code->func[i].pc > f->pc)
			f = &code->func[i];
	for (uint32_t i = 0; i < f->ptx->n_insn; i++) {
		const struct ptx_insn *in = &f->ptx->insn[i];
		if (in->line != ptx_line || !in->inlined_line ||
		    in->inlined_file >= code->ptx->n_file)
			continue;
		say(t, ", inlined at %s:%u", code->ptx->file[in->inlined_file], in->inlined_line);
		return;
	}
}

static void
say_line(struct text *t, const struct exec_code *code, const struct insn *in)
{
	const struct wcp_program *p = &code->program;
	const uint32_t pc = in->pc < p->n_insn ? in->pc : p->n_insn - 1;
	const struct wcp_insn *s = &p->insn[pc];
	if (s->file != WCP_NONE32) {
		say(t, " %s:%u", p->strings + s->file, s->line);
		say_inlined(t, code, pc, s->ptx_line);
		say(t, ",");
	}
	say(t, " PTX line %u", s->ptx_line);
}

static void
say_place(struct text *t, const struct exec_code *code, const struct insn *in)
{
	say(t, ";");
	say_line(t, code, in);
}

static bool
is_full(const struct text *t)
{
	return t->at == t->end - 1;
}

static uint32_t
depth_of(const struct warp *w, uint32_t frame)
{
	uint32_t n = 0;
	for (; frame; frame = w->frame[frame].parent)
		n++;
	return n;
}

/* The functions that were being called, innermost first; those for which there is no room are
 * counted. */
static void
say_callers(struct text *t, const struct warp *w)
{
	enum { COUNT_BYTES = 24 };
	const struct path *p = w->n_path ? &w->path[w->n_path - 1] : NULL;
	for (uint32_t i = p ? p->frame : 0; i; i = w->frame[i].parent) {
		const bool last = !w->frame[i].parent;
		struct text more = {t->at, last ? t->end : t->end - COUNT_BYTES};
		if (more.at < more.end) {
			say(&more, "; in %s called at", w->frame[i].func->ptx->name);
			say_line(&more, w->code, w->frame[i].back - 1);
		}
		if (more.at >= more.end || is_full(&more)) {
			*t->at = 0;
			say(t, "; ... %u more", depth_of(w, i));
			return;
		}
		t->at = more.at;
	}
}

static void
say_assertion(struct text *t, struct warp *w, const struct fault *f)
{
	const struct builtin_call *call = &w->code->builtin[f->in->imm];
	char message[96], file[96];
	builtin_string(w, f->lane, builtin_u64(w, call, 0, f->lane), message, sizeof message);
	builtin_string(w, f->lane, builtin_u64(w, call, 1, f->lane), file, sizeof file);
	say(t, " assertion '%s' failed at %s:%u", message, file,
	    (unsigned)builtin_u64(w, call, 2, f->lane));
}

static const char *
verb(const struct mem_op *m)
{
	if (m->kind == WCP_STORE)
		return "store";
	return m->kind == WCP_LOAD ? "load" : m->kind == WCP_PREFETCH ? "prefetch" : "atomic";
}

static unsigned
bytes_of(const struct mem_op *m, const struct fault *f)
{
	return f->bytes ? f->bytes : (unsigned)m->size * m->n;
}

enum { NULL_BYTES = 4096 };

/* Where a global address lies relative to what is allocated. */
static void
say_nearest(struct text *t, const struct exec_memory *m, uint64_t address, uint64_t bytes)
{
	const struct exec_alloc *below = exec_memory_near(m, address), *above;
	if (!below) {
		above = m->n ? m->alloc : NULL;
		if (above && above->base - address < 1ull << 32)
			say(t, "%llu bytes before the start of '%s' (%llu bytes at 0x%llx)",
			    (unsigned long long)(above->base - address), above->label,
			    (unsigned long long)above->bytes, (unsigned long long)above->base);
		else
			say(t, address < NULL_BYTES ? "a null pointer" : "no device address");
		return;
	}
	const uint64_t end = below->base + below->bytes;
	if (!below->live && address < end)
		say(t, "in '%s' (%llu bytes at 0x%llx), which was freed", below->label,
		    (unsigned long long)below->bytes, (unsigned long long)below->base);
	else if (address - below->base >= 1ull << 44)
		say(t, "no device address");
	else
		say(t, "%llu bytes past the end of '%s' (%llu bytes at 0x%llx)",
		    (unsigned long long)(address + bytes - end), below->label,
		    (unsigned long long)below->bytes, (unsigned long long)below->base);
}

static bool
is_host_memory(const struct wcp_device *d, uint64_t address)
{
	const struct wcp_device_options *o = &d->options;
	return address >= NULL_BYTES && o->host_memory &&
	       o->host_memory(o->host_memory_arg, address);
}

void
wcp_device_describe(
    const struct wcp_device *d, uint64_t address, uint64_t bytes, char *out, size_t room)
{
	struct text t = {out, out + room};
	say_nearest(&t, &d->memory, address, bytes);
}

static void
say_bounds(struct text *t, const struct cta *c, const struct warp *w, const struct fault *f)
{
	const struct mem_op *m = &c->code->mem[f->in->e];
	const unsigned bytes = bytes_of(m, f);
	say(t, " %s of %u byte%s at ", verb(m), bytes, bytes == 1 ? "" : "s");
	if (f->space == WCP_SPACE_SHARED) {
		say(t, "shared address 0x%llx out of bounds: the CTA has %u bytes",
		    (unsigned long long)f->address, c->run->shared_bytes);
	} else if (f->space == WCP_SPACE_LOCAL) {
		say(t, "local address 0x%llx out of bounds: the thread has %u bytes",
		    (unsigned long long)f->address, w->code->local_bytes);
	} else if (f->space == WCP_SPACE_PARAM) {
		say(t, "parameter address 0x%llx out of bounds: there are %u bytes",
		    (unsigned long long)f->address, w->code->param_bytes);
	} else {
		say(t, "0x%llx out of bounds: ", (unsigned long long)f->address);
		say_nearest(t, c->run->memory, f->address, bytes);
		if (is_host_memory(c->run->device, f->address))
			say(t, ", but memory of the host that the device was not given");
	}
}

static uint32_t
waiting_at(const struct cta *c, uint8_t id)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < c->n_warps; i++)
		for (uint32_t k = 0; k < c->warp[i]->n_path; k++)
			if (c->warp[i]->path[k].state == PATH_BARRIER &&
			    c->warp[i]->path[k].barrier == id)
				n += (uint32_t)__builtin_popcount(c->warp[i]->path[k].mask);
	return n;
}

static void
say_deadlock(struct text *t, const struct cta *c)
{
	uint32_t live = 0;
	const char *separator = "";
	for (uint32_t i = 0; i < c->n_warps; i++)
		live += (uint32_t)__builtin_popcount(c->warp[i]->live);
	say(t, " barrier deadlock: of %u threads left ", live);
	for (unsigned id = 0; id < EXEC_BARRIERS; id++) {
		uint32_t n = waiting_at(c, (uint8_t)id);
		if (!n)
			continue;
		say(t, "%s%u wait at barrier %u", separator, n, id);
		if (c->barrier[id].threads)
			say(t, " for %u", c->barrier[id].threads);
		separator = ", ";
	}
}

static void
say_memory_fault(struct text *t, const struct cta *c, const struct warp *w, const struct fault *f)
{
	const struct mem_op *m = &c->code->mem[f->in->e];
	const unsigned bytes = bytes_of(m, f);
	if (f->kind == FAULT_BOUNDS)
		say_bounds(t, c, w, f);
	else if (f->kind == FAULT_MISALIGNED)
		say(t, " misaligned %s of %u bytes at %s0x%llx", verb(m), bytes,
		    f->space == WCP_SPACE_SHARED ? "shared address " : "",
		    (unsigned long long)f->address);
	else
		say(t, " %s of %u bytes at shared address 0x%llx that nothing has written", verb(m),
		    bytes, (unsigned long long)f->address);
}

static void
say_other_fault(struct text *t, const struct cta *c, struct warp *w, const struct fault *f)
{
	switch (f->kind) {
	case FAULT_TRAP: say(t, " trap"); break;
	case FAULT_CALL_DEPTH: say(t, " call stack overflow"); break;
	case FAULT_LOCAL_STACK: say(t, " local memory of the call stack overflows"); break;
	case FAULT_BAD_CALL:
		say(t, " call of 0x%llx, which is no function that can be called here",
		    (unsigned long long)f->address);
		break;
	case FAULT_BARRIER:
		if (f->space)
			say(t, " barrier for %llu threads: the number must be a multiple of 32",
			    (unsigned long long)f->address);
		else
			say(t, " barrier %llu: there are %d", (unsigned long long)f->address,
			    EXEC_USER_BARRIERS);
		break;
	case FAULT_BRANCH_INDEX:
		say(t, " branch index %llu is beyond the table", (unsigned long long)f->address);
		break;
	case FAULT_DEADLOCK: say_deadlock(t, c); break;
	case FAULT_LIVELOCK:
		say(t, " all threads wait for memory that nobody writes any more");
		break;
	case FAULT_MEMORY: say(t, " out of memory"); break;
	case FAULT_STOPPED: say(t, " stopped"); break;
	case FAULT_ASSERT: say_assertion(t, w, f); break;
	case FAULT_FREE:
		say(t, " free of 0x%llx, which malloc did not return or which was freed before",
		    (unsigned long long)f->address);
		break;
	case FAULT_HANDLE:
		say(t, " 0x%llx is no texture or surface", (unsigned long long)f->address);
		break;
	case FAULT_SURFACE:
		say(t, " access outside of the surface: x %d, y %d", (int)(uint32_t)f->address,
		    (int)(f->address >> 32));
		break;
	case FAULT_DIVERGENT:
		say(t,
		    " barrier that only some threads of the warp come to (lanes 0x%08x of 0x%08x)",
		    (unsigned)f->address, w->live);
		break;
	case FAULT_MATRIX:
		say(t,
		    " matrix instruction that only some threads of the warp come to (lanes 0x%08x)",
		    (unsigned)f->address);
		break;
	case FAULT_MEMBERS:
		say(t, " member mask 0x%08x without the thread's own lane %u", (unsigned)f->address,
		    f->lane);
		break;
	case FAULT_BULK_SIZE:
		say(t, " bulk copy of %llu bytes: the number must be a multiple of 16",
		    (unsigned long long)f->address);
		break;
	case FAULT_TENSOR:
		say(t, " 0x%llx is no map of a tensor of so many dimensions",
		    (unsigned long long)f->address);
		break;
	case FAULT_NONE:
	case FAULT_CHILD:
	case FAULT_BOUNDS:
	case FAULT_MISALIGNED:
	case FAULT_READONLY:
	case FAULT_UNINITIALISED:
	case FAULT_LIMIT: break;
	}
}

void
exec_describe_malloc(
    const struct warp *w, const struct insn *in, uint32_t lane, char *out, size_t room)
{
	struct text t = {out, out + room};
	say(&t, "malloc in %.100s", w->code->name);
	say_thread(&t, w->cta, w, lane);
	say(&t, ",");
	say_line(&t, w->code, in);
}

void
exec_describe_fault(const struct cta *c, struct warp *w, struct wcp_error *e)
{
	const struct fault *f = &w->fault;
	const bool memory = f->kind == FAULT_BOUNDS || f->kind == FAULT_MISALIGNED ||
			    f->kind == FAULT_UNINITIALISED;
	char buffer[sizeof e->text];
	const int before = snprintf(NULL, 0, "kernel '%s':", c->code->name);
	const size_t room =
	    before < (int)sizeof buffer / 2 ? sizeof buffer - (size_t)before : sizeof buffer;
	struct text t = {buffer, buffer + room};
	buffer[0] = 0;
	if (f->kind == FAULT_CHILD) {
		*e = *exec_child_error(c->run);
		return;
	}
	if (f->kind == FAULT_LIMIT && exec_warp_over_limit(c, w)) {
		wcp_fail(e, WCP_ENO,
		    "kernel '%s': more than %llu instructions of one warp: it seems never to end",
		    c->code->name, (unsigned long long)c->run->max_warp_insns);
		return;
	}
	if (f->kind == FAULT_LIMIT) {
		wcp_fail(e, WCP_ENO, "kernel '%s': more than %llu thread instructions",
		    c->code->name, (unsigned long long)c->run->max_insns);
		return;
	}
	say_thread(&t, c, w, f->lane);
	say(&t, ":");
	if (memory)
		say_memory_fault(&t, c, w, f);
	else
		say_other_fault(&t, c, w, f);
	say_place(&t, c->code, f->in);
	say_callers(&t, w);
	wcp_fail(e, f->kind == FAULT_MEMORY ? WCP_ESYS : WCP_ENO, "kernel '%s':%s", c->code->name,
	    buffer);
}

enum wcp_fault
exec_fault_class(const struct warp *w)
{
	static const uint8_t class[] = {[FAULT_NONE] = WCP_FAULT_OTHER,
	    [FAULT_BOUNDS] = WCP_FAULT_ADDRESS,
	    [FAULT_MISALIGNED] = WCP_FAULT_MISALIGNED,
	    [FAULT_READONLY] = WCP_FAULT_ADDRESS,
	    [FAULT_UNINITIALISED] = WCP_FAULT_CHECK,
	    [FAULT_TRAP] = WCP_FAULT_TRAP,
	    [FAULT_CALL_DEPTH] = WCP_FAULT_STACK,
	    [FAULT_LOCAL_STACK] = WCP_FAULT_STACK,
	    [FAULT_BAD_CALL] = WCP_FAULT_CALL,
	    [FAULT_BARRIER] = WCP_FAULT_DEADLOCK,
	    [FAULT_DEADLOCK] = WCP_FAULT_DEADLOCK,
	    [FAULT_LIVELOCK] = WCP_FAULT_DEADLOCK,
	    [FAULT_LIMIT] = WCP_FAULT_LIMIT,
	    [FAULT_STOPPED] = WCP_FAULT_OTHER,
	    [FAULT_MEMORY] = WCP_FAULT_OTHER,
	    [FAULT_BRANCH_INDEX] = WCP_FAULT_CALL,
	    [FAULT_ASSERT] = WCP_FAULT_ASSERT,
	    [FAULT_FREE] = WCP_FAULT_ADDRESS,
	    [FAULT_HANDLE] = WCP_FAULT_ADDRESS,
	    [FAULT_SURFACE] = WCP_FAULT_ADDRESS,
	    [FAULT_CHILD] = WCP_FAULT_OTHER,
	    [FAULT_DIVERGENT] = WCP_FAULT_CHECK,
	    [FAULT_MATRIX] = WCP_FAULT_CALL,
	    [FAULT_MEMBERS] = WCP_FAULT_CHECK,
	    [FAULT_BULK_SIZE] = WCP_FAULT_MISALIGNED,
	    [FAULT_TENSOR] = WCP_FAULT_ADDRESS};
	const enum wcp_fault child = w->cta->run->device->fault;
	return w->fault.kind == FAULT_CHILD && child != WCP_FAULT_NONE
		   ? child
		   : (enum wcp_fault) class[w->fault.kind];
}
