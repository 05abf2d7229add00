/*
 * Memory of graphs. Its address is known when the node is made and it is there as long as a node or
 * the program holds it; launches and frees only say whether it is in use.
 */
#include <stdlib.h>
#include <string.h>
#include "graph/graph.h"
#include "memory.h"

struct piece {
	uint64_t bytes;
	uint32_t nodes; /* that allocate it, clones too, and who makes one */
	bool in_use;
};

enum { USED, USED_HIGH, RESERVED, RESERVED_HIGH, ATTRIBUTES };
static uint64_t value[ATTRIBUTES];
static struct table pieces;

static void
account(uint64_t more, uint64_t less)
{
	value[USED] += more - less;
	if (value[USED] > value[RESERVED])
		value[RESERVED] = value[USED];
	for (int k = USED; k <= RESERVED; k += 2)
		if (value[k] > value[k + 1])
			value[k + 1] = value[k];
}

int
graph_memory_new(void **p, size_t bytes)
{
	struct piece *g = calloc(1, sizeof *g);
	const int s = g ? device_new(p, bytes) : CU_MEMORY_ALLOCATION;
	if (s || !table_set(&pieces, *p, g)) {
		free(g);
		return s ? s : (device_release(*p), CU_MEMORY_ALLOCATION);
	}
	g->bytes = bytes;
	g->nodes = 1;
	return CU_OK;
}

bool
graph_memory_is(const void *p)
{
	return table_get(&pieces, p) != NULL;
}

void
graph_memory_hold(const void *p)
{
	struct piece *g = table_get(&pieces, p);
	if (g)
		g->nodes++;
}

static void
drop(struct piece *g, void *p)
{
	if (g->nodes || g->in_use)
		return;
	table_remove(&pieces, p);
	free(g);
	device_release(p);
}

void
graph_memory_let_go(void *p)
{
	struct piece *g = table_get(&pieces, p);
	if (!g)
		return;
	g->nodes--;
	drop(g, p);
}

int
graph_memory_free(void *p)
{
	struct piece *g = table_get(&pieces, p);
	if (!g->in_use)
		return CU_INVALID_VALUE;
	g->in_use = false;
	account(0, g->bytes);
	drop(g, p);
	return CU_OK;
}

void
graph_memory_use(const void *p)
{
	struct piece *g = table_get(&pieces, p);
	if (!g || g->in_use)
		return;
	g->in_use = true;
	account(g->bytes, 0);
}

int
graph_memory_launch(const struct graph *graph, bool frees)
{
	for (uint32_t i = 0; i < graph->n; i++) {
		const struct op *op = &graph->node[i]->op;
		const struct piece *g =
		    op->type == CU_NODE_MEM_ALLOC ? table_get(&pieces, op->of.alloc.pointer) : NULL;
		if (!g || !g->in_use)
			continue;
		if (!frees)
			return CU_INVALID_VALUE;
		graph_memory_free(op->of.alloc.pointer);
	}
	return CU_OK;
}

API int
cudaDeviceGraphMemTrim(int device)
{
	const int s = rt_enter();
	if (!s && !device)
		value[RESERVED] = value[USED];
	return rt_leave(s ? s : device ? CU_INVALID_DEVICE : CU_OK);
}

API int
cudaDeviceGetGraphMemAttribute(int device, int attribute, void *out)
{
	const int s = rt_enter();
	if (s || device || !out || (unsigned)attribute >= ATTRIBUTES)
		return rt_leave(s ? s : device ? CU_INVALID_DEVICE : CU_INVALID_VALUE);
	memcpy(out, &value[attribute], sizeof value[attribute]);
	return rt_leave(CU_OK);
}

/* High-water marks can begin anew, no more. */
API int
cudaDeviceSetGraphMemAttribute(int device, int attribute, const void *in)
{
	const int s = rt_enter();
	uint64_t v = 0;
	if (in)
		memcpy(&v, in, sizeof v);
	if (s || device || !in || v || (attribute != USED_HIGH && attribute != RESERVED_HIGH))
		return rt_leave(s ? s : device ? CU_INVALID_DEVICE : CU_INVALID_VALUE);
	value[attribute] = value[attribute - 1];
	return rt_leave(CU_OK);
}
