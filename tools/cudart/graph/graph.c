/* Graphs as data: nodes, edges, clones, the order in which they run. */
#include <stdlib.h>
#include <string.h>
#include "graph/graph.h"

struct graph *
graph_new(void)
{
	return handle_new(HANDLE_GRAPH, sizeof(struct graph));
}

static void
node_free(struct node *n)
{
	op_release(&n->op);
	free(n->before);
	handle_free(n);
}

int
user_release(struct user_object *u, unsigned count)
{
	if (count > u->refs)
		return CU_INVALID_VALUE;
	u->refs -= count;
	if (u->refs)
		return CU_OK;
	cu_host_fn *destroy = u->destroy;
	void *arg = u->arg;
	handle_free(u);
	const bool held = rt_let_go();
	destroy(arg);
	rt_take_back(held);
	return CU_OK;
}

/* The program's objects come last, as it is asked to end them with the lock let go. */
void
graph_free(struct graph *g)
{
	struct user_object **user = g->user;
	const uint32_t n_user = g->n_user;
	for (uint32_t i = 0; i < g->n; i++)
		node_free(g->node[i]);
	conditions_free(g);
	free(g->node);
	handle_free(g);
	for (uint32_t i = 0; i < n_user; i++)
		user_release(user[i], 1);
	free(user);
}

int
node_depend(struct node *n, struct node *const *before, uint32_t n_before)
{
	struct node **p =
	    realloc(n->before, (n->n_before + (size_t)n_before + 1) * sizeof *n->before);
	if (!p)
		return CU_MEMORY_ALLOCATION;
	n->before = p;
	for (uint32_t i = 0; i < n_before; i++) {
		struct node *b = handle_get(before[i], HANDLE_NODE);
		bool there = false;
		if (!b || b->graph != n->graph || b == n)
			return CU_INVALID_VALUE;
		for (uint32_t k = 0; k < n->n_before; k++)
			there |= n->before[k] == b;
		if (!there)
			n->before[n->n_before++] = b;
	}
	return CU_OK;
}

int
graph_add(struct graph *g, const struct op *op, struct node *const *before, uint32_t n_before,
    struct node **made)
{
	if (g->n == g->cap) {
		const uint32_t cap = g->cap ? 2 * g->cap : 16;
		struct node **p = realloc(g->node, cap * sizeof *p);
		if (!p)
			return CU_MEMORY_ALLOCATION;
		g->node = p;
		g->cap = cap;
	}
	struct node *n = handle_new(HANDLE_NODE, sizeof *n);
	if (!n)
		return CU_MEMORY_ALLOCATION;
	n->graph = g;
	n->op.type = CU_NODE_EMPTY;
	int status = node_depend(n, before, n_before);
	if (!status)
		status = op_keep(&n->op, op);
	if (status) {
		n->op.type = CU_NODE_EMPTY;
		node_free(n);
		return status;
	}
	n->index = g->n;
	g->node[g->n++] = n;
	*made = n;
	return CU_OK;
}

void
node_remove(struct node *n)
{
	struct graph *g = n->graph;
	memmove(
	    g->node + n->index, g->node + n->index + 1, (g->n - n->index - 1) * sizeof *g->node);
	g->n--;
	for (uint32_t i = 0; i < g->n; i++) {
		struct node *m = g->node[i];
		uint32_t kept = 0;
		m->index = i;
		for (uint32_t k = 0; k < m->n_before; k++)
			if (m->before[k] != n)
				m->before[kept++] = m->before[k];
		m->n_before = kept;
	}
	node_free(n);
}

struct graph *
graph_clone(const struct graph *g)
{
	struct graph *to = graph_new();
	if (to && conditions_copy(to, g)) {
		graph_free(to);
		return NULL;
	}
	for (uint32_t i = 0; to && i < g->n; i++) {
		struct node *made;
		if (graph_add(to, &g->node[i]->op, NULL, 0, &made)) {
			graph_free(to);
			return NULL;
		}
		made->original = g->node[i];
		made->disabled = g->node[i]->disabled;
	}
	for (uint32_t i = 0; to && i < g->n; i++) {
		const struct node *from = g->node[i];
		for (uint32_t k = 0; k < from->n_before; k++)
			if (node_depend(to->node[i], &to->node[from->before[k]->index], 1)) {
				graph_free(to);
				return NULL;
			}
	}
	return to;
}

struct node *
graph_counterpart(const struct graph *clone, const struct node *original)
{
	for (uint32_t i = 0; i < clone->n; i++)
		if (clone->node[i]->original == original)
			return clone->node[i];
	return NULL;
}

struct node **
graph_order(const struct graph *g)
{
	struct node **order = malloc((g->n + 1ul) * sizeof *order);
	bool *done = calloc(g->n + 1ul, sizeof *done);
	uint32_t n = 0, before = UINT32_MAX;
	while (order && done && n < g->n && n != before) {
		before = n;
		for (uint32_t i = 0; i < g->n; i++) {
			const struct node *m = g->node[i];
			bool ready = !done[i];
			for (uint32_t k = 0; ready && k < m->n_before; k++)
				ready = done[m->before[k]->index];
			if (ready) {
				done[i] = true;
				order[n++] = g->node[i];
			}
		}
	}
	free(done);
	if (n == g->n)
		return order;
	free(order);
	return NULL;
}

int
graph_run(const struct graph *g, struct stream *stream)
{
	struct node **order = graph_order(g);
	const uint32_t n = g->n;
	int status = order ? CU_OK : CU_INVALID_VALUE;
	for (uint32_t i = 0; i < n && !status && !rt.fault; i++)
		if (!order[i]->disabled)
			status = op_run(&order[i]->op, stream);
	free(order);
	return status;
}
