/* Streams and events. Operations are done when they are submitted, unless they are queued. */
#include <stdlib.h>
#include <time.h>
#include "graph/graph.h"
#include "memory.h"
#include "queue/queue.h"

#define STREAM_LEGACY	  1
#define STREAM_PER_THREAD 2

static struct stream legacy = {.handle = {HANDLE_STREAM}};
static _Thread_local struct stream per_thread = {.handle = {HANDLE_STREAM}};
static uint64_t n_streams, n_events;

struct stream *
stream_get(void *handle)
{
	if (!handle || (uintptr_t)handle == STREAM_LEGACY)
		return &legacy;
	if ((uintptr_t)handle != STREAM_PER_THREAD)
		return handle_get(handle, HANDLE_STREAM);
	if (!per_thread.id)
		per_thread.id = ++n_streams;
	return &per_thread;
}

/* While a function of the program runs, its other threads may destroy the graph and the stream. */
static int
run_copy(const struct op *op, const struct stream *s)
{
	struct stream as = {.handle = s->handle, .id = s->id, .flags = s->flags};
	struct op own;
	int status = op_keep(&own, op);
	if (status)
		return status;
	status = op_run(&own, &as);
	op_release(&own);
	return status;
}

int
stream_submit(struct stream *s, const struct op *op)
{
	const int status = op_check(op);
	if (status)
		return status;
	if (s->capture)
		return capture_add(s, op);
	if (s == &legacy && capture_forbids_legacy())
		return CU_STREAM_CAPTURE_IMPLICIT;
	if (queue_takes(op))
		return queue_add(s, op);
	return queue_lets_go_within(op) ? run_copy(op, s) : op_run(op, s);
}

int
submit(void *stream, const struct op *op)
{
	struct stream *s = stream_get(stream);
	return s ? stream_submit(s, op) : CU_INVALID_RESOURCE_HANDLE;
}

/* Waiting for a stream that is being captured breaks the capture. */
int
stream_may_wait(const struct stream *s)
{
	if (s ? s->capture != NULL : capture_any()) {
		capture_invalidate(s);
		return CU_STREAM_CAPTURE_UNSUPPORTED;
	}
	return CU_OK;
}

static int
create(void **out, unsigned flags, int priority)
{
	int status = rt_enter();
	if (!status && (!out || flags > 1))
		status = CU_INVALID_VALUE;
	struct stream *s = status ? NULL : handle_new(HANDLE_STREAM, sizeof *s);
	if (!status && !s)
		status = CU_MEMORY_ALLOCATION;
	if (s) {
		s->id = ++n_streams;
		s->flags = flags;
		s->priority = priority > 0 ? 0 : priority < -5 ? -5 : priority;
		*out = s;
	}
	return rt_leave(status);
}

API int
cudaStreamCreate(void **out)
{
	return create(out, 0, 0);
}

API int
cudaStreamCreateWithFlags(void **out, unsigned flags)
{
	return create(out, flags, 0);
}

API int
cudaStreamCreateWithPriority(void **out, unsigned flags, int priority)
{
	return create(out, flags, priority);
}

API int
cudaStreamDestroy(void *stream)
{
	int status = rt_enter();
	struct stream *s = handle_get(stream, HANDLE_STREAM);
	if (!status && !s)
		status = CU_INVALID_RESOURCE_HANDLE;
	if (!status) {
		capture_drop(s);
		handle_free(s);
	}
	return rt_leave(status);
}

/* Begins a call about a stream: the lock is taken, *s is the stream if the answer is CU_OK. */
static int
enter_stream(void *stream, struct stream **s)
{
	const int status = rt_enter();
	*s = stream_get(stream);
	return status ? status : *s ? CU_OK : CU_INVALID_RESOURCE_HANDLE;
}

API int
cudaStreamSynchronize(void *stream)
{
	struct stream *s;
	int status = enter_stream(stream, &s);
	const uint64_t id = status ? 0 : s->id;
	if (!status && !(status = stream_may_wait(s)))
		status = queue_wait(s);
	print_flush();
	if (!status)
		link_host(WCP_HOST_SYNC, 0, 0, id, id, NULL);
	return rt_leave(status);
}

API int
cudaStreamQuery(void *stream)
{
	struct stream *s;
	int status = enter_stream(stream, &s);
	if (!status)
		status = stream_may_wait(s);
	return rt_leave(status ? status : queue_holds(s) ? CU_NOT_READY : CU_OK);
}

API int
cudaDeviceSynchronize(void)
{
	int status = rt_enter();
	if (!status && !(status = stream_may_wait(NULL)))
		status = queue_wait(NULL);
	print_flush();
	if (!status)
		link_host(WCP_HOST_SYNC, 0, 0, WCP_NONE32, 0, NULL);
	return rt_leave(status);
}

API int
cudaStreamGetFlags(void *stream, unsigned *flags)
{
	struct stream *s;
	int status = enter_stream(stream, &s);
	if (!status && !flags)
		status = CU_INVALID_VALUE;
	if (!status)
		*flags = s->flags;
	return rt_leave(status);
}

API int
cudaStreamGetPriority(void *stream, int *priority)
{
	struct stream *s;
	int status = enter_stream(stream, &s);
	if (!status && !priority)
		status = CU_INVALID_VALUE;
	if (!status)
		*priority = s->priority;
	return rt_leave(status);
}

API int
cudaStreamGetId(void *stream, unsigned long long *id)
{
	struct stream *s;
	int status = enter_stream(stream, &s);
	if (!status && !id)
		status = CU_INVALID_VALUE;
	if (!status)
		*id = s->id;
	return rt_leave(status);
}

API int
cudaStreamGetDevice(void *stream, int *device)
{
	struct stream *s;
	int status = enter_stream(stream, &s);
	if (!status && !device)
		status = CU_INVALID_VALUE;
	if (!status)
		*device = 0;
	return rt_leave(status);
}

API int
cudaStreamWaitEvent(void *stream, void *event, unsigned flags)
{
	struct stream *s;
	int status = enter_stream(stream, &s);
	struct event *e = handle_get(event, HANDLE_EVENT);
	if (!status && (!e || flags > 1))
		status = e ? CU_INVALID_VALUE : CU_INVALID_RESOURCE_HANDLE;
	if (!status && (e->capture || s->capture))
		status = capture_wait(s, e, flags);
	else if (!status && queue_holds(NULL))
		status = queue_add_wait(s, e);
	else if (!status && e->recorded)
		link_host(WCP_HOST_WAIT, e->number, 0, s->id, s->id, NULL);
	return rt_leave(status);
}

API int
cudaLaunchHostFunc(void *stream, cu_host_fn *fn, void *arg)
{
	const struct op op = {.type = CU_NODE_HOST, .of.host = {.fn = fn, .arg = arg}};
	const int s = rt_enter();
	return rt_leave(s ? s : !fn ? CU_INVALID_VALUE : submit(stream, &op));
}

API int
cudaStreamAddCallback(void *stream, cu_stream_callback *callback, void *arg, unsigned flags)
{
	const struct op op = {
	    .type = CU_NODE_HOST, .of.host = {.callback = callback, .arg = arg, .stream = stream}};
	const int s = rt_enter();
	return rt_leave(s ? s : !callback || flags ? CU_INVALID_VALUE : submit(stream, &op));
}

API int
cudaStreamAttachMemAsync(void *stream, void *p, size_t bytes, unsigned flags)
{
	struct wcp_device_allocation found;
	struct stream *s;
	int status = enter_stream(stream, &s);
	(void)bytes;
	if (!status && (!(flags == 1 || flags == 2 || flags == 4) ||
			   memory_type(p, &found) != CU_MEMORY_MANAGED))
		status = CU_INVALID_VALUE;
	return rt_leave(status);
}

/* ---- events --------------------------------------------------------------------------------- */

static double
now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

API int
cudaEventCreateWithFlags(void **out, unsigned flags)
{
	int status = rt_enter();
	if (!status && (!out || flags > 7 || ((flags & 4) && !(flags & 2))))
		status = CU_INVALID_VALUE;
	struct event *e = status ? NULL : handle_new(HANDLE_EVENT, sizeof *e);
	if (!status && !e)
		status = CU_MEMORY_ALLOCATION;
	if (e) {
		e->flags = flags;
		e->number = ++n_events;
		*out = e;
	}
	return rt_leave(status);
}

API int
cudaEventCreate(void **out)
{
	return cudaEventCreateWithFlags(out, 0);
}

static void
forget_capture(struct event *e)
{
	e->capture = NULL;
	free(e->tip);
	e->tip = NULL;
	e->n_tip = 0;
}

int
event_record(struct event *e, struct stream *s)
{
	e->recorded = true;
	if (!queue_holds(NULL)) /* else it was when it was submitted */
		forget_capture(e);
	e->at_ms = now_ms();
	link_host(WCP_HOST_EVENT, e->number, 0, s->id, s->id, NULL);
	return CU_OK;
}

static int
record(struct event *e, struct stream *s)
{
	const struct op op = {.type = CU_NODE_EVENT_RECORD, .of.event = e};
	forget_capture(e);
	return queue_takes(&op) ? queue_add(s, &op) : event_record(e, s);
}

API int
cudaEventRecordWithFlags(void *event, void *stream, unsigned flags)
{
	struct stream *s;
	int status = enter_stream(stream, &s);
	struct event *e = handle_get(event, HANDLE_EVENT);
	if (!status && (!e || flags > 1))
		status = e ? CU_INVALID_VALUE : CU_INVALID_RESOURCE_HANDLE;
	if (!status)
		status = s->capture ? capture_record(s, e, flags) : record(e, s);
	return rt_leave(status);
}

API int
cudaEventRecord(void *event, void *stream)
{
	return cudaEventRecordWithFlags(event, stream, 0);
}

/* Begins a call that asks for an event's outcome. */
static int
enter_event(void *event, struct event **e)
{
	const int status = rt_enter();
	*e = handle_get(event, HANDLE_EVENT);
	if (status)
		return status;
	return !*e ? CU_INVALID_RESOURCE_HANDLE : (*e)->capture ? CU_CAPTURED_EVENT : CU_OK;
}

API int
cudaEventSynchronize(void *event)
{
	struct event *e;
	int s = enter_event(event, &e);
	if (!s)
		s = queue_wait_event(e);
	print_flush();
	return rt_leave(s);
}

API int
cudaEventQuery(void *event)
{
	struct event *e;
	const int s = enter_event(event, &e);
	return rt_leave(s ? s : queue_holds_event(e) ? CU_NOT_READY : CU_OK);
}

API int
cudaEventDestroy(void *event)
{
	int status = rt_enter();
	struct event *e = handle_get(event, HANDLE_EVENT);
	if (!status && !e)
		status = CU_INVALID_RESOURCE_HANDLE;
	if (!status) {
		queue_forget_event(e);
		free(e->tip);
		handle_free(e);
	}
	return rt_leave(status);
}

/* Wall time, at the half microsecond of the hardware's clock; never 0 between two records. */
API int
cudaEventElapsedTime(float *ms, void *start, void *end)
{
	struct event *a, *b;
	int status = enter_event(start, &a);
	b = handle_get(end, HANDLE_EVENT);
	if (!status && (!ms || !b))
		status = ms ? CU_INVALID_RESOURCE_HANDLE : CU_INVALID_VALUE;
	if (!status && ((a->flags | b->flags) & 2))
		status = CU_INVALID_RESOURCE_HANDLE;
	if (!status && (queue_holds_event(a) || queue_holds_event(b)))
		status = CU_NOT_READY;
	if (!status && (!a->recorded || !b->recorded))
		status = CU_INVALID_RESOURCE_HANDLE;
	if (!status) {
		*ms = (float)(b->at_ms - a->at_ms);
		if (a != b && *ms >= 0 && *ms < 0.0005f)
			*ms = 0.0005f;
	}
	return rt_leave(status);
}
