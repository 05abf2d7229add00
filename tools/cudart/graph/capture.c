/* Capture: what streams are given becomes nodes, events carry the order from stream to stream. */
#include <stdlib.h>
#include <string.h>
#include "graph/graph.h"

struct capture {
	struct capture *next;
	struct graph *graph;
	struct stream *origin;
	struct stream **stream; /* [n] all that take part */
	uint32_t n;
	unsigned long long id;
	int mode; /* 0 global, 1 thread local, 2 relaxed */
	pthread_t thread;
	bool broken;
	bool to_graph; /* the graph was the program's before */
};

static struct capture *captures;
static unsigned long long n_captures;
static _Thread_local int thread_mode;

static int
set_tips(struct stream *s, struct node *const *tip, uint32_t n, bool add)
{
	const uint32_t had = add ? s->n_tip : 0;
	struct node **p = malloc((had + n + 1ul) * sizeof *p);
	if (!p)
		return CU_MEMORY_ALLOCATION;
	if (had)
		memcpy(p, s->tip, had * sizeof *p);
	uint32_t to = had;
	for (uint32_t i = 0; i < n; i++) {
		bool there = false;
		for (uint32_t k = 0; k < to; k++)
			there |= p[k] == tip[i];
		if (!there)
			p[to++] = tip[i];
	}
	free(s->tip);
	s->tip = p;
	s->n_tip = to;
	return CU_OK;
}

static int
join(struct capture *c, struct stream *s)
{
	struct stream **p = realloc(c->stream, (c->n + 1ul) * sizeof *p);
	if (!p)
		return CU_MEMORY_ALLOCATION;
	c->stream = p;
	c->stream[c->n++] = s;
	s->capture = c;
	return CU_OK;
}

int
capture_add(struct stream *s, const struct op *op)
{
	struct node *made;
	struct capture *c = s->capture;
	if (c->broken)
		return CU_STREAM_CAPTURE_INVALIDATED;
	const int status = graph_add(c->graph, op, s->tip, s->n_tip, &made);
	return status ? status : set_tips(s, &made, 1, false);
}

int
capture_record(struct stream *s, struct event *e, unsigned flags)
{
	if (flags & 1) {
		const struct op op = {.type = CU_NODE_EVENT_RECORD, .of.event = e};
		return capture_add(s, &op);
	}
	if (s->capture->broken)
		return CU_STREAM_CAPTURE_INVALIDATED;
	struct node **p = malloc((s->n_tip + 1ul) * sizeof *p);
	if (!p)
		return CU_MEMORY_ALLOCATION;
	if (s->n_tip)
		memcpy(p, s->tip, s->n_tip * sizeof *p);
	free(e->tip);
	e->tip = p;
	e->n_tip = s->n_tip;
	e->capture = s->capture;
	return CU_OK;
}

int
capture_wait(struct stream *s, struct event *e, unsigned flags)
{
	if (s->capture && s->capture->broken)
		return CU_STREAM_CAPTURE_INVALIDATED;
	if (s->capture && (flags & 1)) {
		const struct op op = {.type = CU_NODE_WAIT_EVENT, .of.event = e};
		return capture_add(s, &op);
	}
	if (!e->capture) {
		if (!e->recorded)
			return CU_OK;
		if (s->capture)
			s->capture->broken = true;
		return CU_STREAM_CAPTURE_ISOLATION;
	}
	if (s->capture && s->capture != e->capture) {
		s->capture->broken = e->capture->broken = true;
		return CU_STREAM_CAPTURE_MERGE;
	}
	const int status = s->capture ? CU_OK : join(e->capture, s);
	return status ? status : set_tips(s, e->tip, e->n_tip, true);
}

void
capture_invalidate(const struct stream *s)
{
	for (struct capture *c = captures; c; c = c->next)
		if (!s || s->capture == c)
			c->broken = true;
}

bool
capture_any(void)
{
	return captures != NULL;
}

bool
capture_forbids_legacy(void)
{
	bool forbids = false;
	for (struct capture *c = captures; c; c = c->next) {
		const bool ours = c->mode == 0 || pthread_equal(c->thread, pthread_self());
		if (c->mode == 2 || !ours || (c->origin->flags & 1))
			continue;
		c->broken = forbids = true;
	}
	return forbids;
}

static void
leave(struct stream *s)
{
	free(s->tip);
	s->tip = NULL;
	s->n_tip = 0;
	s->capture = NULL;
}

/* Events recorded in it stay behind as events that were never recorded. */
static void
forget_events(void *handle, void *arg)
{
	struct event *e = handle;
	if (e->capture != arg)
		return;
	free(e->tip);
	e->tip = NULL;
	e->n_tip = 0;
	e->capture = NULL;
	e->recorded = false;
}

static struct graph *
end(struct capture *c)
{
	struct capture **p = &captures;
	struct graph *g = c->graph;
	for (uint32_t i = 0; i < c->n; i++)
		leave(c->stream[i]);
	handle_each(HANDLE_EVENT, forget_events, c);
	while (*p != c)
		p = &(*p)->next;
	*p = c->next;
	free(c->stream);
	free(c);
	return g;
}

void
capture_drop(struct stream *s)
{
	struct capture *c = s->capture;
	if (!c)
		return;
	if (s == c->origin) {
		const bool keep = c->to_graph;
		struct graph *g = end(c);
		if (!keep)
			graph_free(g);
		return;
	}
	for (uint32_t i = 0; i < c->n; i++)
		if (c->stream[i] == s)
			c->stream[i] = c->stream[--c->n];
	leave(s);
}

/* ---- the calls ------------------------------------------------------------------------------ */

static int
begin(struct stream *s, struct graph *g, int mode)
{
	if ((unsigned)mode > 2)
		return CU_INVALID_VALUE;
	if (!s->id || s->capture)
		return s->capture ? CU_ILLEGAL_STATE : CU_STREAM_CAPTURE_UNSUPPORTED;
	struct capture *c = calloc(1, sizeof *c);
	if (!c)
		return CU_MEMORY_ALLOCATION;
	*c = (struct capture){.next = captures,
	    .graph = g ? g : graph_new(),
	    .origin = s,
	    .id = ++n_captures,
	    .mode = mode,
	    .thread = pthread_self(),
	    .to_graph = g != NULL};
	if (!c->graph || join(c, s)) {
		free(c);
		return CU_MEMORY_ALLOCATION;
	}
	captures = c;
	return CU_OK;
}

API int
cudaStreamBeginCapture(void *stream, int mode)
{
	int status = rt_enter();
	struct stream *s = stream_get(stream);
	if (!status)
		status = s ? begin(s, NULL, mode) : CU_INVALID_RESOURCE_HANDLE;
	return rt_leave(status);
}

API int
cudaStreamBeginCaptureToGraph(
    void *stream, void *graph, void *const *before, const void *edges, size_t n, int mode)
{
	int status = rt_enter();
	struct stream *s = stream_get(stream);
	struct graph *g = handle_get(graph, HANDLE_GRAPH);
	(void)edges;
	if (!status && (!s || !g))
		status = CU_INVALID_RESOURCE_HANDLE;
	if (!status && !(status = begin(s, g, mode)))
		status = set_tips(s, (struct node *const *)before, (uint32_t)n, false);
	return rt_leave(status);
}

/* Nothing that another stream was given may be left without the origin having waited for it. */
static bool
is_joined(const struct capture *c)
{
	const struct graph *g = c->graph;
	bool *followed = calloc(g->n + 1ul, sizeof *followed), joined = followed != NULL;
	for (uint32_t i = 0; joined && i < g->n; i++)
		for (uint32_t k = 0; k < g->node[i]->n_before; k++)
			followed[g->node[i]->before[k]->index] = true;
	for (uint32_t i = 0; joined && i < c->origin->n_tip; i++)
		followed[c->origin->tip[i]->index] = true;
	for (uint32_t i = 0; joined && i < g->n; i++)
		joined = followed[i] || c->to_graph;
	free(followed);
	return joined;
}

static int
end_capture(struct stream *s, void **graph)
{
	struct capture *c = s->capture;
	if (!c)
		return CU_ILLEGAL_STATE;
	if (!graph && !c->to_graph)
		return CU_INVALID_VALUE;
	if (c->mode == 1 && !pthread_equal(c->thread, pthread_self()))
		return CU_STREAM_CAPTURE_WRONG_THREAD;
	if (s != c->origin) {
		c->broken = true;
		return CU_STREAM_CAPTURE_UNMATCHED;
	}
	const int status = c->broken	   ? CU_STREAM_CAPTURE_INVALIDATED
			   : !is_joined(c) ? CU_STREAM_CAPTURE_UNJOINED
					   : CU_OK;
	const bool keep = c->to_graph;
	struct graph *g = end(c);
	if (status && !keep)
		graph_free(g);
	if (graph)
		*graph = status ? NULL : g;
	return status;
}

API int
cudaStreamEndCapture(void *stream, void **graph)
{
	int status = rt_enter();
	struct stream *s = stream_get(stream);
	if (!status)
		status = s ? end_capture(s, graph) : CU_INVALID_RESOURCE_HANDLE;
	return rt_leave(status);
}

static int
state(const struct stream *s)
{
	return !s->capture ? 0 : s->capture->broken ? 2 : 1;
}

API int
cudaStreamIsCapturing(void *stream, int *out)
{
	int status = rt_enter();
	const struct stream *s = stream_get(stream);
	if (!status && (!s || !out))
		status = s ? CU_INVALID_VALUE : CU_INVALID_RESOURCE_HANDLE;
	if (!status)
		*out = state(s);
	return rt_leave(status);
}

API int
cudaStreamGetCaptureInfo(void *stream, int *out, unsigned long long *id, void **graph,
    const void **before, const struct cu_graph_edge **edges, size_t *n)
{
	int status = rt_enter();
	const struct stream *s = stream_get(stream);
	if (!status && (!s || !out))
		status = s ? CU_INVALID_VALUE : CU_INVALID_RESOURCE_HANDLE;
	if (!status)
		*out = state(s);
	if (!status && s->capture) {
		if (id)
			*id = s->capture->id;
		if (graph)
			*graph = s->capture->graph;
		if (before)
			*before = s->tip;
		if (edges)
			*edges = NULL;
		if (n)
			*n = s->n_tip;
	}
	return rt_leave(status);
}

API int
cudaStreamUpdateCaptureDependencies(
    void *stream, void **before, const void *edges, size_t n, unsigned flags)
{
	int status = rt_enter();
	struct stream *s = stream_get(stream);
	(void)edges;
	if (!status && (!s || flags > 1 || (n && !before)))
		status = s ? CU_INVALID_VALUE : CU_INVALID_RESOURCE_HANDLE;
	if (!status && !s->capture)
		status = CU_ILLEGAL_STATE;
	for (size_t i = 0; !status && i < n; i++) {
		const struct node *b = handle_get(before[i], HANDLE_NODE);
		if (!b || b->graph != s->capture->graph)
			status = CU_INVALID_VALUE;
	}
	if (!status)
		status = set_tips(s, (struct node *const *)(void *)before, (uint32_t)n, !flags);
	return rt_leave(status);
}

API int
cudaThreadExchangeStreamCaptureMode(int *mode)
{
	if (!mode || (unsigned)*mode > 2)
		return rt_latch(CU_INVALID_VALUE);
	const int before = thread_mode;
	thread_mode = *mode;
	*mode = before;
	return CU_OK;
}
