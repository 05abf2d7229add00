/* Submitting, and waiting for what was submitted. */
#include <stdlib.h>
#include <string.h>
#include "graph/graph.h"
#include "queue/parts.h"

static _Thread_local uint64_t mine; /* number of the last that this thread had queued */

/* ---- submitting ----------------------------------------------------------------------------- */

static bool graph_has(const struct graph *g, bool (*is)(const struct op *op));

/* Is it such an operation, or is there one in its graphs? */
static bool
op_has(const struct op *op, bool (*is)(const struct op *op))
{
	bool has = is(op);
	if (op->type == CU_NODE_GRAPH)
		has = graph_has(op->of.graph, is);
	for (uint32_t i = 0; op->type == CU_NODE_CONDITIONAL && i < op->of.choice.n && !has; i++)
		has = graph_has(op->of.choice.body[i], is);
	return has;
}

static bool
graph_has(const struct graph *g, bool (*is)(const struct op *op))
{
	bool has = false;
	for (uint32_t i = 0; i < g->n && !has; i++)
		has = op_has(&g->node[i]->op, is);
	return has;
}

static bool
may_wait(const struct op *op)
{
	return op->type == CU_NODE_KERNEL && op->of.kernel.launch.kernel->info.may_wait;
}

static bool
is_host(const struct op *op)
{
	return op->type == CU_NODE_HOST;
}

bool
queue_takes(const struct op *op)
{
	return queue.first || op_has(op, may_wait);
}

bool
queue_lets_go_within(const struct op *op)
{
	return op->type == CU_NODE_GRAPH && op_has(op, is_host);
}

static void
append(struct queued *q, const struct stream *s)
{
	q->number = mine = ++queue.number;
	q->as = (struct stream){.handle = s->handle, .id = s->id, .flags = s->flags};
	q->call = rt_call_under_way();
	q->recording = rt.recording;
	if (queue.last)
		queue.last->next = q;
	else
		queue.first = q;
	queue.last = q;
}

static int
settle(void)
{
	if (this_player)
		return CU_OK;
	turn_await_lock();
	const int s = queue.status;
	queue.status = CU_OK;
	return s;
}

static int
take_status(void)
{
	const int s = rt.fault ? rt.fault : queue.status;
	queue.status = CU_OK;
	return s;
}

/* Waits while something of a kind is left, and then for the lock. */
static int
wait_for(bool (*is_left)(const void *arg), const void *arg)
{
	if (this_player)
		return is_left(arg) ? CU_NOT_PERMITTED : CU_OK;
	uint64_t counted = UINT64_MAX;
	turn_pass(NULL);
	while (is_left(arg)) {
		queue.blocked += counted != queue.removed;
		counted = queue.removed;
		pthread_cond_wait(&queue.host, &rt.lock);
	}
	turn_await_lock();
	return take_status();
}

static bool
number_left(const void *arg)
{
	const uint64_t *n = arg;
	return item_is_left(*n);
}

static bool
stream_left(const void *arg)
{
	return queue_holds(arg);
}

/* Records of events in an operation, graphs and all: number is that of the last one or, where it is
 * 0, those of e are taken out. */
static void
each_record(struct op *op, uint64_t number, const struct event *e)
{
	const struct graph *g = op->type == CU_NODE_GRAPH ? op->of.graph : NULL;
	struct event *recorded = op->type == CU_NODE_EVENT_RECORD && number
				     ? handle_get(op->of.event, HANDLE_EVENT)
				     : NULL;
	if (recorded)
		recorded->queued = number;
	else if (op->type == CU_NODE_EVENT_RECORD && op->of.event == e)
		op->type = CU_NODE_EMPTY;
	for (uint32_t i = 0; g && i < g->n; i++)
		each_record(&g->node[i]->op, number, e);
	for (uint32_t k = 0; op->type == CU_NODE_CONDITIONAL && k < op->of.choice.n; k++)
		for (uint32_t i = 0; i < op->of.choice.body[k]->n; i++)
			each_record(&op->of.choice.body[k]->node[i]->op, number, e);
}

int
queue_add(const struct stream *s, const struct op *op)
{
	struct queued *q = calloc(1, sizeof *q);
	bool waits = op->type == CU_NODE_KERNEL && rt.blocking;
	int status = q ? op_keep(&q->op, op) : CU_MEMORY_ALLOCATION;
	if (!status && op->type == CU_NODE_MEMCPY)
		status = copy_keep(&q->op.of.copy, &q->bytes, &waits);
	if (status) {
		if (q)
			free(q->bytes);
		free(q);
		return status;
	}
	append(q, s);
	const uint64_t number = q->number;
	each_record(&q->op, number, NULL);
	status = settle();
	return status || !waits ? status : wait_for(number_left, &number);
}

int
queue_add_wait(const struct stream *s, struct event *e)
{
	struct queued *q = calloc(1, sizeof *q);
	if (!q)
		return CU_MEMORY_ALLOCATION;
	q->op.type = CU_NODE_WAIT_EVENT;
	q->behind = queue_holds_event(e) ? e->queued : 0;
	q->event = e->number;
	append(q, s);
	return settle();
}

/* ---- waiting -------------------------------------------------------------------------------- */

/* Another thread may destroy what this one waits for. */
int
queue_wait(const struct stream *s)
{
	struct stream as = {.id = 0};
	if (s)
		as = (struct stream){.id = s->id, .flags = s->flags};
	return queue.first || queue.status ? wait_for(stream_left, s ? &as : NULL) : CU_OK;
}

int
queue_wait_event(const struct event *e)
{
	const uint64_t number = e->queued;
	return queue.first || queue.status ? wait_for(number_left, &number) : CU_OK;
}

int
queue_enter(void)
{
	const int s = rt_enter();
	return s ? s : queue_wait(NULL);
}

int
queue_finish(int status)
{
	if (status)
		return status;
	const int s = rt_enter();
	if (s || (!queue.first && !queue.status))
		return rt_leave(s);
	return rt_leave(wait_for(number_left, &mine));
}

/* ---- ends ----------------------------------------------------------------------------------- */

void
queue_forget_event(const struct event *e)
{
	for (struct queued *q = queue.first; q; q = q->next)
		each_record(&q->op, 0, e);
}

void
queue_end(void)
{
	if (this_player)
		return;
	turn_lock();
	queue.done++;
	queue.spent = 0;
	queue.loose = false;
	turn_await_lock();
	turn_drop_all();
	turn_pass(NULL);
	queue.callers++; /* told when nobody has the turn */
	while (queue.turn || (queue.first && !player_next(NULL, player_is_away)))
		pthread_cond_wait(&queue.host, &rt.lock);
	queue.callers--;
	queue.status = CU_OK;
	turn_unlock();
}

void
queue_forget(void)
{
	const pthread_cond_t fresh = PTHREAD_COND_INITIALIZER;
	memset(&queue, 0, sizeof queue);
	queue.host = queue.players = fresh;
	this_player = NULL;
}
