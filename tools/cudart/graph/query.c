/* Graphs as the program sees them: made, destroyed, cloned, walked, drawn; objects they keep. */
#include <stdio.h>
#include <stdlib.h>
#include "graph/node.h"

API int
cudaGraphCreate(void **out, unsigned flags)
{
	const int s = rt_enter();
	if (s || !out || flags)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	*out = graph_new();
	return rt_leave(*out ? CU_OK : CU_MEMORY_ALLOCATION);
}

API int
cudaGraphDestroy(void *graph)
{
	struct graph *g;
	int s = node_enter(graph, &g);
	if (!s && g->owned)
		s = CU_INVALID_VALUE;
	if (!s)
		graph_free(g);
	return rt_leave(s);
}

API int
cudaGraphClone(void **out, void *graph)
{
	struct graph *g;
	int s = node_enter(graph, &g);
	if (!s && !out)
		s = CU_INVALID_VALUE;
	if (!s && !(*out = graph_clone(g)))
		s = CU_MEMORY_ALLOCATION;
	return rt_leave(s);
}

API int
cudaGraphNodeFindInClone(void **out, void *original, void *clone)
{
	struct graph *g;
	int s = node_enter(clone, &g);
	if (!s && (!out || !handle_get(original, HANDLE_NODE) ||
		      !(*out = graph_counterpart(g, original))))
		s = CU_INVALID_VALUE;
	return rt_leave(s);
}

API int
cudaGraphNodeGetType(void *node, int *type)
{
	int s = rt_enter();
	const struct node *n = handle_get(node, HANDLE_NODE);
	if (!s && (!n || !type))
		s = CU_INVALID_VALUE;
	if (!s)
		*type = n->op.type;
	return rt_leave(s);
}

API int
cudaGraphDestroyNode(void *node)
{
	int s = rt_enter();
	struct node *n = handle_get(node, HANDLE_NODE);
	if (!s && (!n || n->graph->owned))
		s = CU_INVALID_VALUE;
	if (!s)
		node_remove(n);
	return rt_leave(s);
}

/* Lists as CUDA hands them over: *n is the room, then how many were written; what is beyond is
 * NULL. Without a list, how many there are. */
struct list {
	void **to, **to2;
	size_t room, n;
};

static void
put(struct list *l, void *a, void *b)
{
	if (l->to && l->n < l->room) {
		l->to[l->n] = a;
		if (l->to2)
			l->to2[l->n] = b;
	}
	l->n++;
}

static void
end_list(struct list *l, size_t *n)
{
	for (size_t i = l->n; l->to && i < l->room; i++) {
		l->to[i] = NULL;
		if (l->to2)
			l->to2[i] = NULL;
	}
	*n = l->to && l->n > l->room ? l->room : l->n;
}

API int
cudaGraphGetNodes(void *graph, void **nodes, size_t *n)
{
	struct graph *g;
	const int s = node_enter(graph, &g);
	if (s || !n)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	struct list l = {nodes, NULL, *n, 0};
	for (uint32_t i = 0; i < g->n; i++)
		put(&l, g->node[i], NULL);
	end_list(&l, n);
	return rt_leave(CU_OK);
}

API int
cudaGraphGetRootNodes(void *graph, void **nodes, size_t *n)
{
	struct graph *g;
	const int s = node_enter(graph, &g);
	if (s || !n)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	struct list l = {nodes, NULL, *n, 0};
	for (uint32_t i = 0; i < g->n; i++)
		if (!g->node[i]->n_before)
			put(&l, g->node[i], NULL);
	end_list(&l, n);
	return rt_leave(CU_OK);
}

API int
cudaGraphGetEdges(void *graph, void **from, void **to, void *edges, size_t *n)
{
	struct graph *g;
	const int s = node_enter(graph, &g);
	(void)edges;
	if (s || !n || !from != !to)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	struct list l = {from, to, *n, 0};
	for (uint32_t i = 0; i < g->n; i++)
		for (uint32_t k = 0; k < g->node[i]->n_before; k++)
			put(&l, g->node[i]->before[k], g->node[i]);
	end_list(&l, n);
	return rt_leave(CU_OK);
}

API int
cudaGraphNodeGetDependencies(void *node, void **out, void *edges, size_t *n)
{
	const int s = rt_enter();
	const struct node *m = handle_get(node, HANDLE_NODE);
	(void)edges;
	if (s || !m || !n)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	struct list l = {out, NULL, *n, 0};
	for (uint32_t i = 0; i < m->n_before; i++)
		put(&l, m->before[i], NULL);
	end_list(&l, n);
	return rt_leave(CU_OK);
}

API int
cudaGraphNodeGetDependentNodes(void *node, void **out, void *edges, size_t *n)
{
	const int s = rt_enter();
	const struct node *m = handle_get(node, HANDLE_NODE);
	(void)edges;
	if (s || !m || !n)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	struct list l = {out, NULL, *n, 0};
	for (uint32_t i = 0; i < m->graph->n; i++)
		for (uint32_t k = 0; k < m->graph->node[i]->n_before; k++)
			if (m->graph->node[i]->before[k] == m)
				put(&l, m->graph->node[i], NULL);
	end_list(&l, n);
	return rt_leave(CU_OK);
}

static bool
is_circular(const struct graph *g)
{
	struct node **order = graph_order(g);
	free(order);
	return !order;
}

API int
cudaGraphAddDependencies(
    void *graph, void *const *from, void *const *to, const void *edges, size_t n)
{
	struct graph *g;
	int s = node_enter(graph, &g);
	(void)edges;
	if (!s && n && (!from || !to))
		s = CU_INVALID_VALUE;
	for (size_t i = 0; !s && i < n; i++) {
		struct node *after = handle_get(to[i], HANDLE_NODE);
		struct node *before = handle_get(from[i], HANDLE_NODE);
		if (!after || !before || after->graph != g)
			s = CU_INVALID_VALUE;
		else if (!(s = node_depend(after, &before, 1)) && is_circular(g)) {
			after->n_before--;
			s = CU_INVALID_VALUE;
		}
	}
	return rt_leave(s);
}

API int
cudaGraphRemoveDependencies(
    void *graph, void *const *from, void *const *to, const void *edges, size_t n)
{
	struct graph *g;
	int s = node_enter(graph, &g);
	(void)edges;
	if (!s && n && (!from || !to))
		s = CU_INVALID_VALUE;
	for (size_t i = 0; !s && i < n; i++) {
		struct node *after = handle_get(to[i], HANDLE_NODE);
		uint32_t kept = 0;
		if (!after || after->graph != g) {
			s = CU_INVALID_VALUE;
			break;
		}
		for (uint32_t k = 0; k < after->n_before; k++)
			if (after->before[k] != from[i])
				after->before[kept++] = after->before[k];
		s = kept == after->n_before ? CU_INVALID_VALUE : CU_OK;
		after->n_before = kept;
	}
	return rt_leave(s);
}

static const char *
type_name(enum cu_node_type type)
{
	switch (type) {
	case CU_NODE_KERNEL: return "kernel";
	case CU_NODE_MEMCPY: return "memcpy";
	case CU_NODE_MEMSET: return "memset";
	case CU_NODE_HOST: return "host";
	case CU_NODE_GRAPH: return "graph";
	case CU_NODE_EMPTY: return "empty";
	case CU_NODE_WAIT_EVENT: return "event wait";
	case CU_NODE_EVENT_RECORD: return "event record";
	case CU_NODE_MEM_ALLOC: return "alloc";
	case CU_NODE_MEM_FREE: return "free";
	case CU_NODE_CONDITIONAL: return "conditional";
	}
	return "?";
}

API int
cudaGraphDebugDotPrint(void *graph, const char *path, unsigned flags)
{
	struct graph *g;
	const int s = node_enter(graph, &g);
	(void)flags;
	if (s || !path)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	FILE *f = fopen(path, "w");
	if (!f)
		return rt_leave(CU_OPERATING_SYSTEM);
	fprintf(f, "digraph graph_ {\n");
	for (uint32_t i = 0; i < g->n; i++) {
		const struct node *n = g->node[i];
		fprintf(f, "\tn%u [label=\"%u: %s%s%s\"];\n", i, i, type_name(n->op.type),
		    n->op.type == CU_NODE_KERNEL ? " " : "",
		    n->op.type == CU_NODE_KERNEL ? n->op.of.kernel.launch.kernel->name : "");
		for (uint32_t k = 0; k < n->n_before; k++)
			fprintf(f, "\tn%u -> n%u;\n", n->before[k]->index, i);
	}
	fprintf(f, "}\n");
	return rt_leave(fclose(f) ? CU_OPERATING_SYSTEM : CU_OK);
}

/* ---- objects that graphs keep alive --------------------------------------------------------- */

API int
cudaUserObjectCreate(void **out, void *arg, cu_host_fn *destroy, unsigned refs, unsigned flags)
{
	const int s = rt_enter();
	if (s || !out || !destroy || !refs || flags != 1)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	struct user_object *u = handle_new(HANDLE_USER_OBJECT, sizeof *u);
	if (!u)
		return rt_leave(CU_MEMORY_ALLOCATION);
	u->arg = arg;
	u->destroy = destroy;
	u->refs = refs;
	*out = u;
	return rt_leave(CU_OK);
}

API int
cudaUserObjectRetain(void *object, unsigned count)
{
	int s = rt_enter();
	struct user_object *u = handle_get(object, HANDLE_USER_OBJECT);
	if (!s && (!u || !count))
		s = CU_INVALID_VALUE;
	if (!s)
		u->refs += count;
	return rt_leave(s);
}

API int
cudaUserObjectRelease(void *object, unsigned count)
{
	const int s = rt_enter();
	struct user_object *u = handle_get(object, HANDLE_USER_OBJECT);
	return rt_leave(s ? s : u && count ? user_release(u, count) : CU_INVALID_VALUE);
}

/* flags 1: the graph takes over references that the caller had. */
API int
cudaGraphRetainUserObject(void *graph, void *object, unsigned count, unsigned flags)
{
	struct graph *g;
	int s = node_enter(graph, &g);
	struct user_object *u = handle_get(object, HANDLE_USER_OBJECT);
	if (!s && (!u || !count || flags > 1 || (flags && count > u->refs)))
		s = CU_INVALID_VALUE;
	struct user_object **p =
	    s ? NULL : realloc(g->user, (g->n_user + (size_t)count) * sizeof *p);
	if (!s && !p)
		s = CU_MEMORY_ALLOCATION;
	if (p) {
		g->user = p;
		for (unsigned i = 0; i < count; i++)
			g->user[g->n_user++] = u;
		u->refs += flags ? 0 : count;
	}
	return rt_leave(s);
}

API int
cudaGraphReleaseUserObject(void *graph, void *object, unsigned count)
{
	struct graph *g;
	int s = node_enter(graph, &g);
	struct user_object *u = handle_get(object, HANDLE_USER_OBJECT);
	uint32_t kept = 0, gone = 0;
	if (s || !u || !count)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	for (uint32_t i = 0; i < g->n_user; i++) {
		if (g->user[i] == u && gone < count)
			gone++;
		else
			g->user[kept++] = g->user[i];
	}
	g->n_user = kept;
	return rt_leave(gone == count ? user_release(u, count) : CU_INVALID_VALUE);
}
