/*
 * Streams, events, copies, memory and errors of the device runtime. Work runs in the order it was
 * given, whatever its stream, so that events have nothing to do; handles are checked.
 */
#include <stdlib.h>
#include "base/buf.h"
#include "exec/access.h"
#include "exec/child/child.h"

bool
child_is_stream(const struct child_grid *g, uint64_t stream)
{
	const uint64_t i = stream - CHILD_HANDLE_FIRST;
	return stream <= CHILD_STREAM_FORGET || (i < g->n_stream && g->stream[i]);
}

static bool
is_event(const struct child_grid *g, uint64_t event)
{
	const uint64_t i = event - CHILD_HANDLE_FIRST;
	return i < g->n_event && g->event[i];
}

/* 0: no memory */
static uint64_t
new_handle(uint8_t **list, uint32_t *n, uint32_t *cap)
{
	if (base_grow(list, cap, *n + 1ull, 1))
		return 0;
	(*list)[*n] = 1;
	return CHILD_HANDLE_FIRST + (uint64_t)(*n)++;
}

/* StreamCreateWithFlags(stream *, flags): cudaStreamNonBlocking is the only kind there is */
static uint64_t
stream_create(struct child_call *t)
{
	struct child_grid *g = t->grid;
	if (child_arg(t, 1) != 1)
		return child_fail(t, CHILD_INVALID_VALUE);
	const uint64_t handle = new_handle(&g->stream, &g->n_stream, &g->cap_stream);
	if (!handle)
		return child_fail(t, CHILD_OUT_OF_MEMORY);
	child_write(t, child_arg(t, 0), &handle, 8);
	return CHILD_SUCCESS;
}

static uint64_t
stream_destroy(struct child_call *t)
{
	const uint64_t i = child_arg(t, 0) - CHILD_HANDLE_FIRST;
	if (i >= t->grid->n_stream || !t->grid->stream[i])
		return child_fail(t, CHILD_INVALID_HANDLE);
	if (!t->w->cta->alternative)
		t->grid->stream[i] = 0;
	return CHILD_SUCCESS;
}

/* EventCreateWithFlags(event *, flags): cudaEventDisableTiming is asked for, and IPC is not there
 */
static uint64_t
event_create(struct child_call *t)
{
	struct child_grid *g = t->grid;
	if (child_arg(t, 1) != 2)
		return child_fail(t, CHILD_INVALID_VALUE);
	const uint64_t handle = new_handle(&g->event, &g->n_event, &g->cap_event);
	if (!handle)
		return child_fail(t, CHILD_OUT_OF_MEMORY);
	child_write(t, child_arg(t, 0), &handle, 8);
	return CHILD_SUCCESS;
}

static uint64_t
event_destroy(struct child_call *t)
{
	const uint64_t i = child_arg(t, 0) - CHILD_HANDLE_FIRST;
	if (!is_event(t->grid, child_arg(t, 0)))
		return child_fail(t, CHILD_INVALID_HANDLE);
	if (!t->w->cta->alternative)
		t->grid->event[i] = 0;
	return CHILD_SUCCESS;
}

/* EventRecord(event, stream), EventRecordWithFlags(event, stream, flags) */
static uint64_t
event_record(struct child_call *t)
{
	if (!is_event(t->grid, child_arg(t, 0)) || !child_is_stream(t->grid, child_arg(t, 1)))
		return child_fail(t, CHILD_INVALID_HANDLE);
	return CHILD_SUCCESS;
}

/* StreamWaitEvent(stream, event, flags) */
static uint64_t
stream_wait(struct child_call *t)
{
	if (!is_event(t->grid, child_arg(t, 1)) || !child_is_stream(t->grid, child_arg(t, 0)))
		return child_fail(t, CHILD_INVALID_HANDLE);
	return CHILD_SUCCESS;
}

/* ---- copies ---- */

static uint64_t
queue_box(struct child_call *t, enum child_kind kind, const struct child_box *box, uint64_t stream)
{
	struct child_grid *g = t->grid;
	if (!child_is_stream(g, stream))
		return child_fail(t, CHILD_INVALID_HANDLE);
	if (!child_box_fits(g->device, box, kind == CHILD_COPY))
		return child_fail(t, CHILD_INVALID_VALUE);
	if (t->w->cta->alternative)
		return CHILD_SUCCESS;
	struct child_work *w = calloc(1, sizeof *w);
	if (!w)
		return child_fail(t, CHILD_OUT_OF_MEMORY);
	w->kind = kind;
	w->cta = t->w->cta->linear;
	w->box = *box;
	child_append(stream == CHILD_STREAM_TAIL ? &g->tail : &g->work, w);
	return CHILD_SUCCESS;
}

static bool
is_direction(uint64_t kind)
{
	return kind == 3 || kind == 4; /* device to device, default */
}

/* MemcpyAsync(to, from, bytes, kind, stream) */
static uint64_t
copy(struct child_call *t)
{
	const struct child_box box = {.to = child_arg(t, 0),
	    .from = child_arg(t, 1),
	    .width = child_arg(t, 2),
	    .height = 1,
	    .depth = 1};
	if (!is_direction(child_arg(t, 3)))
		return child_fail(t, CHILD_INVALID_VALUE);
	return queue_box(t, CHILD_COPY, &box, child_arg(t, 4));
}

/* Memcpy2DAsync(to, pitch, from, pitch, width, height, kind, stream) */
static uint64_t
copy_2d(struct child_call *t)
{
	const struct child_box box = {.to = child_arg(t, 0),
	    .to_pitch = child_arg(t, 1),
	    .from = child_arg(t, 2),
	    .from_pitch = child_arg(t, 3),
	    .width = child_arg(t, 4),
	    .height = child_arg(t, 5),
	    .depth = 1};
	if (!is_direction(child_arg(t, 6)) || box.width > box.to_pitch ||
	    box.width > box.from_pitch)
		return child_fail(t, CHILD_INVALID_VALUE);
	return queue_box(t, CHILD_COPY, &box, child_arg(t, 7));
}

struct pitched {
	uint64_t at, pitch, x_bytes, rows;
};
struct position {
	uint64_t x, y, z;
};

/* cudaMemcpy3DParms */
struct copy_3d {
	uint64_t from_array;
	struct position from_position;
	struct pitched from;
	uint64_t to_array;
	struct position to_position;
	struct pitched to;
	struct position extent;
	uint32_t kind, pad;
};

static uint64_t
start_of(const struct pitched *p, const struct position *at)
{
	return p->at + at->z * p->pitch * p->rows + at->y * p->pitch + at->x;
}

/* Memcpy3DAsync(parameters *, stream) */
static uint64_t
copy_3d(struct child_call *t)
{
	struct copy_3d p;
	if (!child_read(t, child_arg(t, 0), &p, sizeof p))
		return 0;
	if (p.from_array || p.to_array)
		return child_fail(t, CHILD_NOT_SUPPORTED);
	if (!is_direction(p.kind))
		return child_fail(t, CHILD_INVALID_VALUE);
	const struct child_box box = {.to = start_of(&p.to, &p.to_position),
	    .from = start_of(&p.from, &p.from_position),
	    .width = p.extent.x,
	    .height = p.extent.y,
	    .depth = p.extent.z,
	    .to_pitch = p.to.pitch,
	    .from_pitch = p.from.pitch,
	    .to_slice = p.to.pitch * p.to.rows,
	    .from_slice = p.from.pitch * p.from.rows};
	return queue_box(t, CHILD_COPY, &box, child_arg(t, 1));
}

/* MemsetAsync(to, value, bytes, stream) */
static uint64_t
set(struct child_call *t)
{
	const struct child_box box = {.to = child_arg(t, 0),
	    .value = (uint8_t)child_arg(t, 1),
	    .width = child_arg(t, 2),
	    .height = 1,
	    .depth = 1};
	return queue_box(t, CHILD_SET, &box, child_arg(t, 3));
}

/* Memset2DAsync(to, pitch, value, width, height, stream) */
static uint64_t
set_2d(struct child_call *t)
{
	const struct child_box box = {.to = child_arg(t, 0),
	    .to_pitch = child_arg(t, 1),
	    .value = (uint8_t)child_arg(t, 2),
	    .width = child_arg(t, 3),
	    .height = child_arg(t, 4),
	    .depth = 1};
	return queue_box(t, CHILD_SET, &box, child_arg(t, 5));
}

/* Memset3DAsync(pitched pointer, value, extent, stream), structures by value */
static uint64_t
set_3d(struct child_call *t)
{
	struct pitched to;
	struct position extent;
	builtin_arg(t->w, t->call, 0, t->lane, 0, &to, sizeof to);
	builtin_arg(t->w, t->call, 2, t->lane, 0, &extent, sizeof extent);
	const struct child_box box = {.to = to.at,
	    .to_pitch = to.pitch,
	    .to_slice = to.pitch * to.rows,
	    .value = (uint8_t)child_arg(t, 1),
	    .width = extent.x,
	    .height = extent.y,
	    .depth = extent.z};
	return queue_box(t, CHILD_SET, &box, child_arg(t, 3));
}

/* ---- memory ---- */

/* What an alternative could not take back ends it. */
static bool
ends_alternative(struct child_call *t)
{
	if (!t->w->cta->alternative)
		return false;
	exec_fault(t->w, FAULT_STOPPED, t->in, t->lane, 0, 0);
	t->faulted = true;
	return true;
}

/* Malloc(pointer *, bytes): from the same heap as malloc */
static uint64_t
allocate(struct child_call *t)
{
	const uint64_t bytes = child_arg(t, 1);
	if (ends_alternative(t))
		return 0;
	const uint64_t at = bytes ? exec_heap_take(t->w, t->in, t->lane, bytes) : 0;
	child_write(t, child_arg(t, 0), &at, 8);
	return at || !bytes ? CHILD_SUCCESS : child_fail(t, CHILD_OUT_OF_MEMORY);
}

static uint64_t
release(struct child_call *t)
{
	const uint64_t at = child_arg(t, 0);
	if (ends_alternative(t))
		return 0;
	if (at && !exec_heap_give(t->grid->device, at))
		return child_fail(t, CHILD_INVALID_VALUE);
	memset(t->w->cache, 0, (t->w->code->n_mem + 1) * sizeof *t->w->cache);
	return CHILD_SUCCESS;
}

const struct child_builtin child_stream_table[] = {
    {{"StreamCreateWithFlags", {8, 4}, 4, true, WCP_OP_CALL, child_run_call}, stream_create},
    {{"StreamDestroy", {8}, 4, true, WCP_OP_CALL, child_run_call}, stream_destroy},
    {{"StreamWaitEvent", {8, 8, 4}, 4, true, WCP_OP_CALL, child_run_call}, stream_wait},
    {{"EventCreateWithFlags", {8, 4}, 4, true, WCP_OP_CALL, child_run_call}, event_create},
    {{"EventDestroy", {8}, 4, true, WCP_OP_CALL, child_run_call}, event_destroy},
    {{"EventRecord", {8, 8}, 4, true, WCP_OP_CALL, child_run_call}, event_record},
    {{"EventRecordWithFlags", {8, 8, 4}, 4, true, WCP_OP_CALL, child_run_call}, event_record},
    {{"MemcpyAsync", {8, 8, 8, 4, 8}, 4, true, WCP_OP_CALL, child_run_call}, copy},
    {{"Memcpy2DAsync", {8, 8, 8, 8, 8, 8, 4, 8}, 4, true, WCP_OP_CALL, child_run_call}, copy_2d},
    {{"Memcpy3DAsync", {8, 8}, 4, true, WCP_OP_CALL, child_run_call}, copy_3d},
    {{"MemsetAsync", {8, 4, 8, 8}, 4, true, WCP_OP_CALL, child_run_call}, set},
    {{"Memset2DAsync", {8, 8, 4, 8, 8, 8}, 4, true, WCP_OP_CALL, child_run_call}, set_2d},
    {{"Memset3DAsync", {32, 4, 24, 8}, 4, true, WCP_OP_CALL, child_run_call}, set_3d},
    {{"Malloc", {8, 8}, 4, true, WCP_OP_CALL, child_run_call}, allocate},
    {{"Free", {8}, 4, true, WCP_OP_CALL, child_run_call}, release},
    {{NULL}, NULL},
};
