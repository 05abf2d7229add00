/* Executable graphs: instantiated, launched, updated. */
#include <stdlib.h>
#include "graph/node.h"

enum { FREES_ON_LAUNCH = 1 };

static void
exec_free(struct graph_exec *x)
{
	graph_free(x->graph);
	handle_free(x);
}

static int
instantiate(void **out, void *graph, unsigned long long flags)
{
	const struct graph *g = handle_get(graph, HANDLE_GRAPH);
	if (!g || !out)
		return CU_INVALID_VALUE;
	struct node **order = graph_order(g);
	if (!order)
		return CU_INVALID_VALUE;
	free(order);
	struct graph_exec *x = handle_new(HANDLE_GRAPH_EXEC, sizeof *x);
	struct graph *clone = x ? graph_clone(g) : NULL;
	if (!clone) {
		if (x)
			handle_free(x);
		return CU_MEMORY_ALLOCATION;
	}
	clone->owned = true;
	x->graph = clone;
	x->flags = flags;
	*out = x;
	return CU_OK;
}

API int
cudaGraphInstantiate(void **out, void *graph, unsigned long long flags)
{
	const int s = rt_enter();
	return rt_leave(s ? s : instantiate(out, graph, flags));
}

API int
cudaGraphInstantiateWithFlags(void **out, void *graph, unsigned long long flags)
{
	return cudaGraphInstantiate(out, graph, flags);
}

API int
cudaGraphInstantiateWithParams(void **out, void *graph, struct cu_instantiate_params *p)
{
	int s = rt_enter();
	if (!s)
		s = p ? instantiate(out, graph, p->flags) : CU_INVALID_VALUE;
	if (p)
		p->result = s != CU_OK;
	return rt_leave(s);
}

API int
cudaGraphExecGetFlags(void *exec, unsigned long long *flags)
{
	int s = rt_enter();
	const struct graph_exec *x = handle_get(exec, HANDLE_GRAPH_EXEC);
	if (!s && (!x || !flags))
		s = CU_INVALID_VALUE;
	if (!s)
		*flags = x->flags;
	return rt_leave(s);
}

API int
cudaGraphExecDestroy(void *exec)
{
	int s = rt_enter();
	struct graph_exec *x = handle_get(exec, HANDLE_GRAPH_EXEC);
	if (!s && !x)
		s = CU_INVALID_VALUE;
	if (!s)
		exec_free(x);
	return rt_leave(s);
}

API int
cudaGraphUpload(void *exec, void *stream)
{
	const int s = rt_enter();
	const bool known = handle_get(exec, HANDLE_GRAPH_EXEC) && stream_get(stream);
	return rt_leave(s ? s : known ? CU_OK : CU_INVALID_VALUE);
}

/* In a capture the launch becomes a graph within the graph. */
API int
cudaGraphLaunch(void *exec, void *stream)
{
	int s = rt_enter();
	const struct graph_exec *x = handle_get(exec, HANDLE_GRAPH_EXEC);
	const struct stream *to = stream_get(stream);
	if (!s && !x)
		s = CU_INVALID_VALUE;
	if (!s && to && !to->capture)
		s = graph_memory_launch(x->graph, x->flags & FREES_ON_LAUNCH);
	if (!s) {
		const struct op op = {.type = CU_NODE_GRAPH, .of.graph = x->graph};
		s = submit(stream, &op);
	}
	return rt_leave(s);
}

enum { UPDATE_OK, UPDATE_ERROR, UPDATE_TOPOLOGY, UPDATE_TYPE };

static bool
same_edges(const struct node *a, const struct node *b)
{
	bool same = a->n_before == b->n_before;
	for (uint32_t i = 0; same && i < a->n_before; i++)
		same = a->before[i]->index == b->before[i]->index;
	return same;
}

/* Nodes correspond in the order they were made. */
static int
compare(const struct graph *mine, const struct graph *new, struct node **where)
{
	if (mine->n != new->n)
		return UPDATE_TOPOLOGY;
	for (uint32_t i = 0; i < new->n; i++) {
		*where = new->node[i];
		if (mine->node[i]->op.type != new->node[i]->op.type)
			return UPDATE_TYPE;
		if (!same_edges(mine->node[i], new->node[i]))
			return UPDATE_TOPOLOGY;
	}
	*where = NULL;
	return UPDATE_OK;
}

static int
update(struct graph_exec *x, const struct graph *g)
{
	int s = CU_OK;
	for (uint32_t i = 0; i < g->n && !s; i++) {
		struct op kept;
		s = op_keep(&kept, &g->node[i]->op);
		if (s)
			break;
		op_release(&x->graph->node[i]->op);
		x->graph->node[i]->op = kept;
	}
	return s;
}

API int
cudaGraphExecUpdate(void *exec, void *graph, struct cu_update_result *result)
{
	int s = rt_enter();
	struct node *where = NULL;
	struct graph_exec *x = handle_get(exec, HANDLE_GRAPH_EXEC);
	const struct graph *g = handle_get(graph, HANDLE_GRAPH);
	if (!s && (!x || !g))
		s = CU_INVALID_VALUE;
	const int outcome = s ? UPDATE_ERROR : compare(x->graph, g, &where);
	if (!s)
		s = outcome ? CU_GRAPH_EXEC_UPDATE_FAILURE : update(x, g);
	if (result)
		*result = (struct cu_update_result){.result = outcome, .error_node = where};
	return rt_leave(s);
}
