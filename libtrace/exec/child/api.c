/* Parameter buffers, launches, synchronization; what all functions of the device runtime share. */
#include <stdlib.h>
#include "exec/access.h"
#include "exec/child/child.h"

uint64_t
child_fail(struct child_call *t, enum child_status status)
{
	if (status)
		t->cta->error[t->thread] = (uint32_t)status;
	return (uint64_t)status;
}

uint64_t
child_arg(const struct child_call *t, unsigned i)
{
	return builtin_u64(t->w, t->call, i, t->lane);
}

static char *
reach(struct child_call *t, uint64_t address, unsigned bytes)
{
	uint64_t left;
	char *at = exec_generic(t->w, t->lane, address, &left);
	if (at && left >= bytes)
		return at;
	exec_fault(t->w, FAULT_BOUNDS, t->in, t->lane, address, WCP_SPACE_GLOBAL);
	t->faulted = true;
	return NULL;
}

bool
child_read(struct child_call *t, uint64_t address, void *to, unsigned bytes)
{
	const char *at = reach(t, address, bytes);
	if (at)
		memcpy(to, at, bytes);
	return at != NULL;
}

bool
child_write(struct child_call *t, uint64_t address, const void *from, unsigned bytes)
{
	struct warp *w = t->w;
	char *at = reach(t, address, bytes);
	if (!at)
		return false;
	if (w->cta->alternative && address >= WCP_DEVICE_BASE)
		child_log(w->cta->alternative, at, bytes);
	memcpy(at, from, bytes);
	const uint64_t local = address - EXEC_LOCAL_WINDOW + bytes;
	if (address - EXEC_LOCAL_WINDOW < EXEC_WINDOW_BYTES && local > w->local_used)
		w->local_used = (uint32_t)local;
	if (w->cta->shared_written && address - EXEC_SHARED_WINDOW < EXEC_WINDOW_BYTES)
		memset(w->cta->shared_written + (address - EXEC_SHARED_WINDOW), 1, bytes);
	w->progress++;
	return true;
}

/* What went wrong is no thread's own fault: the error says it all. */
static uint64_t
broken(struct child_call *t)
{
	exec_fault(t->w, FAULT_CHILD, t->in, t->lane, 0, 0);
	t->faulted = true;
	return 0;
}

/* ---- children in the midst of their parent ---- */

/* What the parent printed so far comes first. */
static void
before_children(struct child_call *t)
{
	const struct wcp_device_options *o = &t->grid->device->options;
	struct exec_output *out = t->w->cta->out;
	for (unsigned i = 0; i < 2; i++) {
		if (o->print && out->text[i].n)
			o->print(o->print_arg, i == 1, out->text[i].at, out->text[i].n);
		out->text[i].n = 0;
	}
}

/* They may have freed what memory instructions were at last. */
static uint64_t
after_children(struct child_call *t, int r)
{
	struct warp *w = t->w;
	memset(w->cache, 0, (w->code->n_mem + 1) * sizeof *w->cache);
	w->progress++;
	return r ? broken(t) : CHILD_SUCCESS;
}

/* ---- one call of a warp ---- */

static struct child_cta *
cta_state(struct cta *c)
{
	const uint32_t threads = c->n_warps * WCP_LANES;
	if (c->child)
		return c->child;
	struct child_cta *s = calloc(1, sizeof *s);
	if (s) {
		s->order = calloc(threads, sizeof *s->order);
		s->error = calloc(threads, sizeof *s->error);
		wcp_warp_batch_init(&s->alternatives);
	}
	if (s && (!s->order || !s->error)) {
		exec_child_cta_free(s);
		s = NULL;
	}
	return c->child = s;
}

void
exec_child_cta_free(struct child_cta *s)
{
	if (s) {
		free(s->order);
		free(s->error);
		wcp_warp_batch_release(&s->alternatives);
	}
	free(s);
}

void
exec_child_cta_begin(struct cta *c)
{
	const uint32_t threads = c->n_warps * WCP_LANES;
	if (!c->child)
		return;
	memset(c->child->order, 0, threads * sizeof *c->child->order);
	memset(c->child->error, 0, threads * sizeof *c->child->error);
	wcp_warp_batch_clear(&c->child->alternatives);
}

enum builtin_end
child_run_call(
    struct warp *w, const struct insn *in, const struct builtin_call *call, uint32_t mask)
{
	const struct child_builtin *b = (const struct child_builtin *)(const void *)call->what;
	uint32_t site = WCP_NONE32;
	struct child_call t = {.w = w,
	    .in = in,
	    .call = call,
	    .grid = w->cta->run->child,
	    .cta = cta_state(w->cta),
	    .site = &site};
	if (!t.cta) {
		exec_fault(w, FAULT_MEMORY, in, 0, 0, 0);
		return BUILTIN_FAULT;
	}
	for (; t.lane < WCP_LANES && !t.faulted; t.lane++) {
		t.thread = w->index * WCP_LANES + t.lane;
		if (mask >> t.lane & 1)
			builtin_return(w, call, t.lane, b->fn(&t));
		t.again |= mask >> t.lane & 1;
	}
	return t.faulted ? BUILTIN_FAULT : BUILTIN_DONE;
}

/* ---- buffers ---- */

struct exec_code *
child_code(struct wcp_device *d, uint64_t address, struct wcp_error *e)
{
	const uint64_t i = (address - EXEC_CODE_WINDOW) / 16 - 1;
	e->status = WCP_OK;
	if (address % 16 || i >= d->n_functions)
		return NULL;
	const struct exec_function *f = &d->function[i];
	return f->func->is_entry ? exec_runnable(d, f->module, f->func->name, e) : NULL;
}

static void
event(struct child_call *t, enum wcp_event_kind kind, uint64_t arg)
{
	struct wcp_warp_batch *b = t->w->rec;
	if (!b || wcp_warp_batch_reserve_event(b, 1))
		return;
	const uint32_t i = b->n_event++;
	b->event_kind[i] = (uint8_t)kind;
	b->event_lane[i] = (uint8_t)t->lane;
	b->event_at[i] = t->w->seg_insns;
	b->event_arg[i] = arg;
}

static uint32_t
site(struct child_call *t)
{
	if (*t->site == WCP_NONE32)
		*t->site = t->grid->record ? t->grid->device->n_sites++ : 0;
	return *t->site;
}

/* The launch is not possible now: the program's way without it is the one taken. */
static enum child_status
refuse(struct child_call *t, enum child_status why)
{
	event(t, WCP_EVENT_REFUSED, site(t));
	child_fail(t, why);
	return why;
}

/* A buffer's launch has come. */
static void
redeem(struct wcp_device *d, struct child_buffer *b)
{
	d->n_reserved -= b->reserved && d->n_reserved;
	b->reserved = false;
}

/* May another grid wait, beside those that wait and those that are promised? Without a limit of the
 * program's own the oldest of those that wait makes room. */
static enum child_status
admit(struct child_call *t)
{
	struct child_grid *g = t->grid;
	struct wcp_device *d = g->device;
	const uint32_t limit = d->options.pending_launches;
	if (t->w->cta->alternative) {
		child_fail(t, CHILD_PENDING_COUNT);
		return CHILD_PENDING_COUNT;
	}
	if (g->level >= CHILD_LEVEL_MAX)
		return refuse(t, CHILD_MAX_DEPTH);
	if (limit && d->n_pending + d->n_reserved >= limit)
		return refuse(t, CHILD_PENDING_COUNT);
	if (limit || d->n_pending < CHILD_PENDING_MAX)
		return CHILD_SUCCESS;
	before_children(t);
	return (enum child_status)after_children(t, child_run_oldest(g, &g->error));
}

static void
take_shape(const struct child_call *t, unsigned arg, struct child_buffer *b)
{
	builtin_arg(t->w, t->call, arg, t->lane, 0, b->grid, 12);
	builtin_arg(t->w, t->call, arg + 1, t->lane, 0, b->block, 12);
	b->shared_bytes = (uint32_t)child_arg(t, arg + 2);
}

/* The kernel and its shape; NULL and an error if they cannot be launched. */
static struct exec_code *
take_kernel(struct child_call *t, uint64_t function, struct child_buffer *b)
{
	struct wcp_error *e = &t->grid->error, shape;
	struct exec_code *c = child_code(t->grid->device, function, e);
	if (!c && e->status) {
		broken(t);
		return NULL;
	}
	if (!c || exec_check_shape(c, b->grid, b->block, b->shared_bytes, &shape)) {
		child_fail(t, c ? CHILD_INVALID_CONFIGURATION : CHILD_INVALID_FUNCTION);
		return NULL;
	}
	return c;
}

static uint64_t
new_buffer(struct child_call *t, const struct child_buffer *like, uint64_t bytes)
{
	struct child_buffer *b = child_buffer_new(t->grid->device, bytes);
	if (!b)
		return child_fail(t, CHILD_OUT_OF_MEMORY), 0;
	b->code = like->code;
	memcpy(b->grid, like->grid, sizeof b->grid);
	memcpy(b->block, like->block, sizeof b->block);
	b->shared_bytes = like->shared_bytes;
	b->site = site(t);
	b->reserved = true;
	t->grid->device->n_reserved++;
	if (t->grid->device->options.alternatives && t->w->rec)
		child_find_alternative(t, b);
	return b->address;
}

/* GetParameterBufferV2(function, grid, block, shared bytes) */
static uint64_t
get_buffer_v2(struct child_call *t)
{
	struct child_buffer like = {0};
	take_shape(t, 1, &like);
	like.code = take_kernel(t, child_arg(t, 0), &like);
	if (!like.code || admit(t) != CHILD_SUCCESS || t->faulted)
		return 0;
	return new_buffer(t, &like, like.code->param_bytes);
}

/* GetParameterBuffer(alignment, bytes) */
static uint64_t
get_buffer(struct child_call *t)
{
	const struct child_buffer like = {0};
	if (admit(t) != CHILD_SUCCESS || t->faulted)
		return 0;
	return new_buffer(t, &like, child_arg(t, 1));
}

/* ---- launches ---- */

/* The estimate that the thread left for its next launch. */
static uint64_t
take_workload(struct child_call *t)
{
	uint64_t v = 0;
	const uint32_t at = t->w->code->workload;
	if (at) {
		memcpy(&v, t->w->file + at + 8 * t->lane, 8);
		memset(t->w->file + at + 8 * t->lane, 0, 8);
	}
	return v;
}

static int
describe(struct child_call *t, const struct child_buffer *b, uint64_t stream, struct exec_start *s)
{
	struct child_grid *g = t->grid;
	const struct wcp_kernel k = {.id = s->kernel,
	    .stream = stream,
	    .depth = s->level,
	    .flags = b->alternative ? WCP_KERNEL_REFUSED : 0,
	    .parent = g->kernel,
	    .parent_cta = (uint32_t)t->w->cta->linear,
	    .parent_warp = t->w->index,
	    .parent_lane = t->lane,
	    .parent_pc = t->in->pc,
	    .launch_order = t->cta->order[t->thread],
	    .site = b->site,
	    .workload = take_workload(t)};
	return s->record ? exec_describe(g->device, s, &k, &g->error) : 0;
}

static struct child_work *
new_work(const struct child_buffer *b, uint64_t cta)
{
	struct child_work *w = calloc(1, sizeof *w);
	char *param = w ? calloc(1, b->code->param_bytes + 8ul) : NULL;
	if (!param) {
		free(w);
		return NULL;
	}
	w->kind = CHILD_KERNEL;
	w->cta = cta;
	w->buffer = b->address;
	w->start = (struct exec_start){.code = b->code,
	    .grid = {b->grid[0], b->grid[1], b->grid[2]},
	    .block = {b->block[0], b->block[1], b->block[2]},
	    .dynamic_shared_bytes = b->shared_bytes,
	    .param = param};
	return w;
}

static uint64_t
launch(struct child_call *t, struct child_buffer *b, uint64_t stream)
{
	struct child_grid *g = t->grid;
	struct wcp_device *d = g->device;
	redeem(d, b);
	if (!child_is_stream(g, stream))
		return child_fail(t, CHILD_INVALID_HANDLE);
	if (b->code->param_bytes > b->units * CHILD_UNIT_BYTES)
		return child_fail(t, CHILD_INVALID_VALUE);
	struct child_work *w = new_work(b, t->w->cta->linear);
	if (!w)
		return child_fail(t, CHILD_OUT_OF_MEMORY);
	memcpy(w->start.param, exec_memory_at(&d->memory, b->address), b->code->param_bytes);
	/* A tail launch takes its parent's place: a chain of them does not nest. */
	const bool tail = stream == CHILD_STREAM_TAIL;
	w->start.level = tail && g->level ? g->level : g->level + 1;
	w->start.record = g->record;
	w->start.beside = g->beside;
	w->start.kernel = g->record ? d->n_kernels++ : 0;
	if (describe(t, b, stream, &w->start)) {
		free(w->start.param);
		free(w);
		return broken(t);
	}
	event(t, WCP_EVENT_LAUNCH, w->start.kernel);
	t->cta->order[t->thread]++;
	d->n_pending++;
	child_append(tail ? &g->tail : &g->work, w);
	child_keep_alternative(t->w->cta, b);
	return CHILD_SUCCESS;
}

/* In an alternative nothing is launched. */
static uint64_t
pretend(struct child_call *t, uint64_t buffer)
{
	const bool goes = child_goes_through(t->w->cta->alternative, buffer);
	return child_fail(t, goes ? CHILD_SUCCESS : CHILD_INVALID_VALUE);
}

/* LaunchDeviceV2(buffer, stream) */
static uint64_t
launch_v2(struct child_call *t)
{
	if (t->w->cta->alternative)
		return pretend(t, child_arg(t, 0));
	struct child_buffer *b = child_buffer_at(t->grid->device, child_arg(t, 0));
	if (!b || !b->code)
		return child_fail(t, CHILD_INVALID_VALUE);
	return launch(t, b, child_arg(t, 1));
}

/* LaunchDevice(function, buffer, grid, block, shared bytes, stream) */
static uint64_t
launch_v1(struct child_call *t)
{
	if (t->w->cta->alternative)
		return pretend(t, child_arg(t, 1));
	struct child_buffer *b = child_buffer_at(t->grid->device, child_arg(t, 1));
	if (!b)
		return child_fail(t, CHILD_INVALID_VALUE);
	redeem(t->grid->device, b);
	take_shape(t, 2, b);
	b->code = take_kernel(t, child_arg(t, 0), b);
	if (!b->code)
		return t->faulted ? 0 : t->cta->error[t->thread];
	return launch(t, b, child_arg(t, 5));
}

/* Waits for all that the CTA launched; the first lane's call does it for the others. */
static uint64_t
synchronize(struct child_call *t)
{
	if (t->w->cta->alternative)
		return CHILD_SUCCESS;
	if (!t->again)
		event(t, WCP_EVENT_WAIT, 0);
	before_children(t);
	return after_children(t, child_run_cta(t->grid, t->w->cta->linear, &t->grid->error));
}

const struct child_builtin child_launch_table[] = {
    {{"GetParameterBuffer", {8, 8}, 8, true, WCP_OP_CALL, child_run_call}, get_buffer},
    {{"GetParameterBufferV2", {8, 12, 12, 4}, 8, true, WCP_OP_CALL, child_run_call}, get_buffer_v2},
    {{"LaunchDevice", {8, 8, 12, 12, 4, 8}, 4, true, WCP_OP_LAUNCH, child_run_call}, launch_v1},
    {{"LaunchDeviceV2", {8, 8}, 4, true, WCP_OP_LAUNCH, child_run_call}, launch_v2},
    {{"DeviceSynchronize", {0}, 4, true, WCP_OP_CALL, child_run_call}, synchronize},
    {{"DeviceSynchronizeDeprecationAvoidance", {0}, 4, true, WCP_OP_CALL, child_run_call},
	synchronize},
    {{NULL}, NULL},
};
