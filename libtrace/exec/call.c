/* Calls: parameters are copied between register areas; what is recursive saves the area it is about
 * to reuse. */
#include <stdlib.h>
#include <string.h>
#include "exec/access.h"

#define UNIT_BYTES    256u
#define CALL_OPERANDS 256u

const struct exec_func *
exec_func_at(const struct exec_code *code, uint64_t address)
{
	for (uint32_t i = 1; i < code->n_func; i++)
		if (code->func[i].address == address)
			return &code->func[i];
	return NULL;
}

static void
blend(char *to, const char *from, uint32_t bytes, uint32_t mask, unsigned lane_bytes)
{
	if (mask == WCP_FULL_MASK) {
		memcpy(to, from, bytes);
		return;
	}
	for (uint32_t at = 0; at < bytes; at += 32 * lane_bytes)
		for (unsigned l = 0; l < WCP_LANES; l++)
			if (mask >> l & 1)
				memcpy(to + at + l * lane_bytes, from + at + l * lane_bytes,
				    lane_bytes);
}

/* A whole area: the sections by width, then the predicates. */
static void
restore(char *to, const struct exec_func *f, const char *saved, uint32_t mask)
{
	const uint32_t at32 = f->bytes64, at16 = at32 + f->bytes32, at_pred = at16 + f->bytes16;
	blend(to, saved, f->bytes64, mask, 8);
	blend(to + at32, saved + at32, f->bytes32, mask, 4);
	blend(to + at16, saved + at16, f->bytes16, mask, 2);
	for (uint32_t at = at_pred; at < at_pred + f->bytes_pred; at += 4) {
		uint32_t old, now;
		memcpy(&old, saved + at, 4);
		memcpy(&now, to + at, 4);
		now = (now & ~mask) | (old & mask);
		memcpy(to + at, &now, 4);
	}
}

/*
 * Units from area to area. Recursion may make source and destination the same place in another
 * life, so there they go through a buffer: collect first, then put.
 */
static void
copy_units(
    char *file, const struct call_copy *copy, uint32_t n, uint32_t mask, char *buffer, bool collect)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t bytes = copy[i].units * UNIT_BYTES;
		if (collect)
			memcpy(buffer, file + copy[i].from, bytes);
		else
			blend(file + copy[i].to, buffer ? buffer : file + copy[i].from, bytes, mask,
			    8);
		if (buffer)
			buffer += bytes;
	}
}

static uint32_t
total_units(const struct call_copy *copy, uint32_t n)
{
	uint32_t units = 0;
	for (uint32_t i = 0; i < n; i++)
		units += copy[i].units;
	return units;
}

static uint32_t
new_frame(struct warp *w)
{
	uint32_t i = w->free_frame;
	if (i) {
		w->free_frame = w->frame[i].parent;
		return i;
	}
	if (w->n_frame == w->cap_frame) {
		uint32_t cap = w->cap_frame ? 2 * w->cap_frame : 16;
		struct frame *f = cap <= EXEC_FRAME_MAX ? realloc(w->frame, cap * sizeof *f) : NULL;
		if (!f)
			return 0;
		w->frame = f;
		w->cap_frame = cap;
	}
	if (!w->n_frame)
		w->n_frame = 1; /* 0 is the entry's */
	return w->n_frame++;
}

static void
free_frame(struct warp *w, uint32_t i)
{
	struct frame *f = &w->frame[i];
	if (f->saved)
		w->frame_bytes -= f->func->area_bytes;
	free(f->saved);
	free(f->dynamic);
	f->saved = NULL;
	f->dynamic = NULL;
	f->parent = w->free_frame;
	w->free_frame = i;
}

void
exec_leave_frames(struct warp *w, uint32_t frame, uint32_t lanes)
{
	while (frame) {
		struct frame *f = &w->frame[frame];
		uint32_t parent = f->parent;
		f->refs -= (uint32_t)__builtin_popcount(lanes);
		if (!f->refs)
			free_frame(w, frame);
		frame = parent;
	}
}

bool
exec_same_frames(const struct warp *w, uint32_t a, uint32_t b)
{
	while (a != b) {
		const struct frame *f = &w->frame[a], *g = &w->frame[b];
		if (!a || !b || f->call != g->call || f->func != g->func ||
		    f->local_top != g->local_top)
			return false;
		a = f->parent;
		b = g->parent;
	}
	return true;
}

void
exec_merge_frames(struct warp *w, uint32_t from, uint32_t to, uint32_t lanes)
{
	const uint32_t n = (uint32_t)__builtin_popcount(lanes);
	while (from != to) {
		struct frame *f = &w->frame[from], *t = &w->frame[to];
		const uint32_t parent = f->parent;
		if (f->saved)
			restore(t->saved, f->func, f->saved, lanes);
		if (f->dynamic && t->dynamic)
			blend((char *)t->dynamic, (const char *)f->dynamic, sizeof w->dynamic,
			    lanes, 4);
		t->refs += n;
		f->refs -= n;
		if (!f->refs)
			free_frame(w, from);
		from = parent;
		to = t->parent;
	}
}

/* The copies of this call with the callee's side filled in. False: the callee takes something else.
 */
static bool
fill_arguments(const struct exec_call *c, const struct exec_func *f, struct call_copy *arg)
{
	if (c->n_arg > CALL_OPERANDS || c->n_arg != f->ptx->sig.n_param ||
	    c->n_ret > CALL_OPERANDS || c->n_ret > f->ptx->sig.n_ret)
		return false;
	for (uint32_t i = 0; i < c->n_arg; i++) {
		arg[i] = c->arg[i];
		arg[i].to = f->param[i];
		if (arg[i].units > f->param_units[i])
			arg[i].units = f->param_units[i];
	}
	return true;
}

static uint32_t
fill_results(const struct exec_call *c, const struct exec_func *f, struct call_copy *ret)
{
	for (uint32_t i = 0; i < c->n_ret; i++) {
		ret[i] = c->ret[i];
		ret[i].from = f->ret[i];
		if (ret[i].units > f->ret_units[i])
			ret[i].units = f->ret_units[i];
	}
	return c->n_ret;
}

static bool
save_area(struct warp *w, struct frame *f)
{
	f->saved = NULL;
	if (!f->func->recursive)
		return true;
	w->frame_bytes += f->func->area_bytes;
	if (w->frame_bytes > EXEC_FRAME_BYTES_MAX ||
	    !(f->saved = malloc(f->func->area_bytes + 1))) {
		w->frame_bytes -= f->func->area_bytes;
		return false;
	}
	memcpy(f->saved, w->file + f->func->area, f->func->area_bytes);
	return true;
}

static bool
save_dynamic(const struct warp *w, struct frame *f)
{
	if (!w->code->has_alloca)
		return true;
	if (!(f->dynamic = malloc(sizeof w->dynamic)))
		return false;
	memcpy(f->dynamic, w->dynamic, sizeof w->dynamic);
	return true;
}

/* Where the lanes' call stack must end: alloca grows towards it. */
static uint32_t
stack_end(const struct warp *w, uint32_t mask)
{
	uint32_t end = w->code->local_bytes;
	for (unsigned l = 0; w->code->has_alloca && l < WCP_LANES; l++)
		if (mask >> l & 1 && w->dynamic[l] < end)
			end = w->dynamic[l];
	return end;
}

static bool
refuse(struct warp *w, const struct insn *in, enum fault_kind kind, uint64_t what)
{
	exec_fault(w, kind, in, (uint32_t)__builtin_ctz(exec_top(w)->mask), what, 0);
	return false;
}

bool
exec_call(struct warp *w, const struct insn *in, const struct exec_func *func)
{
	const struct exec_call *c = &w->code->call[in->imm];
	struct path *p = exec_top(w);
	struct call_copy arg[CALL_OPERANDS];
	const struct exec_func *caller = &w->code->func[c->caller];
	const uint32_t top = (p->frame ? w->frame[p->frame].local_top : 0) + exec_frame_end(caller);
	char *buffer = NULL;
	if (!fill_arguments(c, func, arg))
		return refuse(w, in, FAULT_BAD_CALL, func->address);
	if (top + func->local_bytes > stack_end(w, p->mask))
		return refuse(w, in, FAULT_LOCAL_STACK, top);
	const uint32_t i = new_frame(w);
	if (!i)
		return refuse(w, in, FAULT_CALL_DEPTH, w->n_frame);
	struct frame *f = &w->frame[i];
	*f = (struct frame){.parent = p->frame,
	    .refs = (uint32_t)__builtin_popcount(p->mask),
	    .back = in + 1,
	    .call = c,
	    .func = func,
	    .local_top = top};
	if (func->recursive && !(buffer = malloc(total_units(arg, c->n_arg) * UNIT_BYTES + 1)))
		return refuse(w, in, FAULT_CALL_DEPTH, w->n_frame);
	if (buffer)
		copy_units(w->file, arg, c->n_arg, p->mask, buffer, true);
	if (!save_area(w, f) || !save_dynamic(w, f)) {
		free(buffer);
		free_frame(w, i);
		return refuse(w, in, FAULT_CALL_DEPTH, w->n_frame);
	}
	copy_units(w->file, arg, c->n_arg, p->mask, buffer, false);
	free(buffer);
	p->frame = i;
	p->in = w->code->insn + func->first;
	return true;
}

void
exec_return(struct warp *w)
{
	struct path *p = exec_top(w);
	const uint32_t frame = p->frame;
	struct frame *f = &w->frame[frame];
	struct call_copy ret[CALL_OPERANDS];
	const uint32_t n = fill_results(f->call, f->func, ret);
	char *buffer = NULL;
	if (f->saved) {
		buffer = malloc(total_units(ret, n) * UNIT_BYTES + 1);
		if (!buffer) {
			refuse(w, f->back - 1, FAULT_MEMORY, 0);
			return;
		}
		copy_units(w->file, ret, n, p->mask, buffer, true);
		restore(w->file + f->func->area, f->func, f->saved, p->mask);
	}
	copy_units(w->file, ret, n, p->mask, buffer, false);
	free(buffer);
	if (f->dynamic)
		blend((char *)w->dynamic, (const char *)f->dynamic, sizeof w->dynamic, p->mask, 4);
	p->in = f->back;
	p->frame = f->parent;
	f->refs -= (uint32_t)__builtin_popcount(p->mask);
	if (!f->refs)
		free_frame(w, frame);
}
