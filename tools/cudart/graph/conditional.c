/*
 * Conditional nodes of graphs: bodies that run as a value says which kernels of the graph set. The
 * value lies in device memory, and its handle is its address.
 */
#include <stdlib.h>
#include <string.h>
#include "graph/node.h"

enum { FLAG_ASSIGN_DEFAULT = 1 };
enum { CONDITION_IF, CONDITION_WHILE, CONDITION_SWITCH };

/* Of a graph and of every copy of it. */
struct condition {
	uint64_t handle;
	uint32_t *graphs; /* how many those are: the last one frees the value */
	uint32_t at_launch;
	bool assigned; /* at_launch, at each launch */
};

static uint32_t *
value_of(uint64_t handle)
{
	return wcp_device_host(rt.device, handle, sizeof(uint32_t));
}

API int
cudaGraphConditionalHandleCreate(
    unsigned long long *out, void *graph, unsigned at_launch, unsigned flags)
{
	struct graph *g;
	struct wcp_error e;
	const int s = node_enter(graph, &g);
	if (s || !out || flags > FLAG_ASSIGN_DEFAULT)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	struct condition *p = realloc(g->condition, (g->n_condition + 1ul) * sizeof *p);
	if (!p)
		return rt_leave(CU_MEMORY_ALLOCATION);
	g->condition = p;
	uint32_t *graphs = malloc(sizeof *graphs);
	const uint64_t at =
	    graphs ? wcp_device_alloc(rt.device, sizeof(uint32_t), "graph condition", &e) : 0;
	if (!at) {
		free(graphs);
		return rt_leave(CU_MEMORY_ALLOCATION);
	}
	memset(value_of(at), 0, sizeof(uint32_t));
	*graphs = 1;
	p[g->n_condition++] =
	    (struct condition){at, graphs, at_launch, flags & FLAG_ASSIGN_DEFAULT};
	*out = at;
	return rt_leave(CU_OK);
}

int
conditions_copy(struct graph *to, const struct graph *from)
{
	to->condition = malloc((from->n_condition + 1ul) * sizeof *to->condition);
	if (!to->condition)
		return CU_MEMORY_ALLOCATION;
	if (from->n_condition)
		memcpy(to->condition, from->condition, from->n_condition * sizeof *to->condition);
	to->n_condition = from->n_condition;
	for (uint32_t i = 0; i < to->n_condition; i++)
		++*to->condition[i].graphs;
	return CU_OK;
}

void
conditions_free(struct graph *g)
{
	struct wcp_error e;
	for (uint32_t i = 0; i < g->n_condition; i++)
		if (!--*g->condition[i].graphs) {
			wcp_device_release(rt.device, g->condition[i].handle, &e);
			free(g->condition[i].graphs);
		}
	free(g->condition);
}

void
conditions_begin(const struct graph *g)
{
	for (uint32_t i = 0; i < g->n_condition; i++)
		if (g->condition[i].assigned)
			*value_of(g->condition[i].handle) = g->condition[i].at_launch;
	for (uint32_t i = 0; i < g->n; i++) {
		const struct op *op = &g->node[i]->op;
		for (uint32_t k = 0; op->type == CU_NODE_CONDITIONAL && k < op->of.choice.n; k++)
			conditions_begin(op->of.choice.body[k]);
	}
}

/* ---- the node ------------------------------------------------------------------------------- */

static void
free_bodies(struct graph **body, uint32_t n)
{
	for (uint32_t i = 0; i < n && body; i++)
		if (body[i])
			graph_free(body[i]);
	free(body);
}

/* The bodies are there, empty, for the program to fill. */
int
op_of_condition(struct op *op, struct cu_conditional_params *p)
{
	const bool size_fits = p->type == CONDITION_WHILE ? p->n == 1
			       : p->type == CONDITION_IF  ? p->n == 1 || p->n == 2
							  : p->n > 0;
	if (p->type < CONDITION_IF || p->type > CONDITION_SWITCH || !size_fits ||
	    !value_of(p->handle))
		return CU_INVALID_VALUE;
	struct graph **body = calloc(p->n, sizeof *body);
	bool ok = body != NULL;
	for (uint32_t i = 0; ok && i < p->n; i++) {
		body[i] = graph_new();
		ok = body[i] != NULL;
		if (ok)
			body[i]->owned = true;
	}
	if (!ok) {
		free_bodies(body, p->n);
		return CU_MEMORY_ALLOCATION;
	}
	*op = (struct op){.type = CU_NODE_CONDITIONAL,
	    .of.choice = {.handle = p->handle, .kind = p->type, .n = p->n, .body = body}};
	p->body = (void **)body;
	return CU_OK;
}

int
condition_keep(struct op *to, const struct op *from)
{
	const uint32_t n = from->of.choice.n;
	struct graph **body = calloc(n, sizeof *body);
	bool ok = body != NULL;
	for (uint32_t i = 0; ok && i < n; i++) {
		body[i] = graph_clone(from->of.choice.body[i]);
		ok = body[i] != NULL;
		if (ok)
			body[i]->owned = true;
	}
	if (!ok) {
		free_bodies(body, n);
		return CU_MEMORY_ALLOCATION;
	}
	to->of.choice.body = body;
	return CU_OK;
}

void
condition_release(struct op *op)
{
	free_bodies(op->of.choice.body, op->of.choice.n);
}

static struct graph *
chosen(const struct op *op)
{
	const uint32_t *at = value_of(op->of.choice.handle);
	const uint32_t n = op->of.choice.n;
	const uint32_t value = at ? *at : 0; /* a handle of another graph, which is gone */
	uint32_t i = value;
	if (op->of.choice.kind != CONDITION_SWITCH)
		i = value ? 0 : op->of.choice.kind == CONDITION_IF ? 1 : n;
	return i < n ? op->of.choice.body[i] : NULL;
}

int
condition_run(const struct op *op, struct stream *stream)
{
	int status = CU_OK;
	struct graph *g = chosen(op);
	do {
		if (g)
			status = graph_run(g, stream);
	} while (!status && !rt.fault && op->of.choice.kind == CONDITION_WHILE && (g = chosen(op)));
	return status;
}
