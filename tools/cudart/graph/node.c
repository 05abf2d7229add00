/* Calls that make nodes, and those that ask for and change what nodes do. */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "graph/graph.h"
#include "memory.h"
#include "graph/node.h"

/* ---- operations from parameters ------------------------------------------------------------- */

int
op_of_kernel(struct op *op, const struct cu_kernel_params *p)
{
	if (!p)
		return CU_INVALID_VALUE;
	if (!p->args && p->extra)
		return CU_NOT_SUPPORTED;
	*op = (struct op){.type = CU_NODE_KERNEL,
	    .of.kernel = {
		{.grid = p->grid, .block = p->block, .dynamic_shared_bytes = p->shared_bytes},
		p->args}};
	const int s = module_kernel(p->func, &op->of.kernel.launch.kernel);
	return s ? s : op_check(op);
}

int
op_of_copy(struct op *op, const struct cu_memcpy_3d *p)
{
	if (!p)
		return CU_INVALID_VALUE;
	*op = (struct op){.type = CU_NODE_MEMCPY, .of.copy = *p};
	return op_check(op);
}

int
op_of_set(struct op *op, const struct cu_memset_params *p)
{
	if (!p)
		return CU_INVALID_VALUE;
	*op = (struct op){.type = CU_NODE_MEMSET, .of.set = *p};
	return op_check(op);
}

int
op_of_host(struct op *op, const struct cu_host_params *p)
{
	if (!p || !p->fn)
		return CU_INVALID_VALUE;
	*op = (struct op){.type = CU_NODE_HOST, .of.host = {.fn = p->fn, .arg = p->arg}};
	return CU_OK;
}

int
op_of_graph(struct op *op, void *graph)
{
	struct graph *g = handle_get(graph, HANDLE_GRAPH);
	*op = (struct op){.type = CU_NODE_GRAPH, .of.graph = g};
	return g ? CU_OK : CU_INVALID_VALUE;
}

int
op_of_event(struct op *op, enum cu_node_type type, void *event)
{
	struct event *e = handle_get(event, HANDLE_EVENT);
	*op = (struct op){.type = type, .of.event = e};
	return e ? CU_OK : CU_INVALID_RESOURCE_HANDLE;
}

int
op_of_alloc(struct op *op, struct cu_mem_alloc_params *p)
{
	if (!p || !p->bytes)
		return CU_INVALID_VALUE;
	const int s = graph_memory_new(&p->pointer, p->bytes);
	*op = (struct op){.type = CU_NODE_MEM_ALLOC, .of.alloc = *p};
	return s;
}

int
op_of_symbol(struct op *op, const void *symbol, void *host, const void *from, size_t bytes,
    size_t offset, int kind)
{
	struct variable *v;
	const int s = module_variable(symbol, &v);
	if (s || offset > v->bytes || bytes > v->bytes - offset)
		return s ? s : CU_INVALID_VALUE;
	union {
		uint64_t number;
		char *pointer;
	} at = {v->address + offset};
	*op =
	    from ? op_copy(at.pointer, from, bytes, kind) : op_copy(host, at.pointer, bytes, kind);
	return op_check(op);
}

/* ---- adding --------------------------------------------------------------------------------- */

int
node_enter(void *graph, struct graph **g)
{
	const int s = rt_enter();
	*g = handle_get(graph, HANDLE_GRAPH);
	return s ? s : *g ? CU_OK : CU_INVALID_VALUE;
}

/* status is that of making the operation. Memory that it allocates is held by the node, if any. */
static int
add(void **out, struct graph *g, void *const *before, size_t n, const struct op *op, int status)
{
	struct node *made;
	void *memory = !status && op->type == CU_NODE_MEM_ALLOC ? op->of.alloc.pointer : NULL;
	if (!status && (!out || (n && !before)))
		status = CU_INVALID_VALUE;
	if (!status)
		status = graph_add(g, op, (struct node *const *)before, (uint32_t)n, &made);
	if (!status)
		*out = made;
	if (memory)
		graph_memory_let_go(memory);
	return rt_leave(status);
}

API int
cudaGraphAddKernelNode(
    void **out, void *graph, void *const *before, size_t n, const struct cu_kernel_params *p)
{
	struct graph *g;
	struct op op;
	const int s = node_enter(graph, &g);
	return add(out, g, before, n, &op, s ? s : op_of_kernel(&op, p));
}

API int
cudaGraphAddMemcpyNode(
    void **out, void *graph, void *const *before, size_t n, const struct cu_memcpy_3d *p)
{
	struct graph *g;
	struct op op;
	const int s = node_enter(graph, &g);
	return add(out, g, before, n, &op, s ? s : op_of_copy(&op, p));
}

API int
cudaGraphAddMemcpyNode1D(void **out, void *graph, void *const *before, size_t n, void *to,
    const void *from, size_t bytes, int kind)
{
	struct graph *g;
	struct op op = op_copy(to, from, bytes, kind);
	const int s = node_enter(graph, &g);
	return add(out, g, before, n, &op, s ? s : op_check(&op));
}

API int
cudaGraphAddMemcpyNodeToSymbol(void **out, void *graph, void *const *before, size_t n,
    const void *symbol, const void *from, size_t bytes, size_t offset, int kind)
{
	struct graph *g;
	struct op op;
	const int s = node_enter(graph, &g);
	return add(out, g, before, n, &op,
	    s ? s : op_of_symbol(&op, symbol, NULL, from, bytes, offset, kind));
}

API int
cudaGraphAddMemcpyNodeFromSymbol(void **out, void *graph, void *const *before, size_t n, void *to,
    const void *symbol, size_t bytes, size_t offset, int kind)
{
	struct graph *g;
	struct op op;
	const int s = node_enter(graph, &g);
	return add(out, g, before, n, &op,
	    s ? s : op_of_symbol(&op, symbol, to, NULL, bytes, offset, kind));
}

API int
cudaGraphAddMemsetNode(
    void **out, void *graph, void *const *before, size_t n, const struct cu_memset_params *p)
{
	struct graph *g;
	struct op op;
	const int s = node_enter(graph, &g);
	return add(out, g, before, n, &op, s ? s : op_of_set(&op, p));
}

API int
cudaGraphAddHostNode(
    void **out, void *graph, void *const *before, size_t n, const struct cu_host_params *p)
{
	struct graph *g;
	struct op op;
	const int s = node_enter(graph, &g);
	return add(out, g, before, n, &op, s ? s : op_of_host(&op, p));
}

API int
cudaGraphAddChildGraphNode(void **out, void *graph, void *const *before, size_t n, void *child)
{
	struct graph *g;
	struct op op;
	const int s = node_enter(graph, &g);
	return add(out, g, before, n, &op, s ? s : op_of_graph(&op, child));
}

API int
cudaGraphAddEmptyNode(void **out, void *graph, void *const *before, size_t n)
{
	struct graph *g;
	const struct op op = {.type = CU_NODE_EMPTY};
	const int s = node_enter(graph, &g);
	return add(out, g, before, n, &op, s);
}

API int
cudaGraphAddEventRecordNode(void **out, void *graph, void *const *before, size_t n, void *event)
{
	struct graph *g;
	struct op op;
	const int s = node_enter(graph, &g);
	return add(out, g, before, n, &op, s ? s : op_of_event(&op, CU_NODE_EVENT_RECORD, event));
}

API int
cudaGraphAddEventWaitNode(void **out, void *graph, void *const *before, size_t n, void *event)
{
	struct graph *g;
	struct op op;
	const int s = node_enter(graph, &g);
	return add(out, g, before, n, &op, s ? s : op_of_event(&op, CU_NODE_WAIT_EVENT, event));
}

API int
cudaGraphAddMemAllocNode(
    void **out, void *graph, void *const *before, size_t n, struct cu_mem_alloc_params *p)
{
	struct graph *g;
	struct op op;
	const int s = node_enter(graph, &g);
	return add(out, g, before, n, &op, s ? s : op_of_alloc(&op, p));
}

API int
cudaGraphAddMemFreeNode(void **out, void *graph, void *const *before, size_t n, void *p)
{
	struct graph *g;
	const struct op op = {.type = CU_NODE_MEM_FREE, .of.released = p};
	const int s = node_enter(graph, &g);
	return add(out, g, before, n, &op, s ? s : memory_is_device(p) ? CU_OK : CU_INVALID_VALUE);
}

int
op_of_params(struct op *op, struct cu_graph_node_params *p)
{
	switch ((enum cu_node_type)p->type) {
	case CU_NODE_KERNEL: return op_of_kernel(op, &p->of.kernel);
	case CU_NODE_MEMCPY: return op_of_copy(op, &p->of.memcpy.copy);
	case CU_NODE_MEMSET: return op_of_set(op, &p->of.memset);
	case CU_NODE_HOST: return op_of_host(op, &p->of.host);
	case CU_NODE_GRAPH: return op_of_graph(op, p->of.graph.graph);
	case CU_NODE_EMPTY: *op = (struct op){.type = CU_NODE_EMPTY}; return CU_OK;
	case CU_NODE_WAIT_EVENT:
	case CU_NODE_EVENT_RECORD: return op_of_event(op, p->type, p->of.event);
	case CU_NODE_MEM_ALLOC: return op_of_alloc(op, &p->of.alloc);
	case CU_NODE_MEM_FREE:
		*op = (struct op){.type = CU_NODE_MEM_FREE, .of.released = p->of.free_pointer};
		return CU_OK;
	case CU_NODE_CONDITIONAL: return op_of_condition(op, &p->of.conditional);
	}
	return CU_NOT_SUPPORTED;
}

/* The node owns a copy of the bodies, as of all that an operation has; those are the program's to
 * fill. */
static int
add_condition(void **out, struct graph *g, void *const *before, size_t n, struct op *op,
    struct cu_conditional_params *p)
{
	struct node *made = NULL;
	int s = out && (before || !n) ? CU_OK : CU_INVALID_VALUE;
	if (!s)
		s = graph_add(g, op, (struct node *const *)before, (uint32_t)n, &made);
	op_release(op);
	p->body = s ? NULL : (void **)made->op.of.choice.body;
	if (!s)
		*out = made;
	return rt_leave(s);
}

API int
cudaGraphAddNode(void **out, void *graph, void *const *before, const void *edges, size_t n,
    struct cu_graph_node_params *p)
{
	struct graph *g;
	struct op op;
	const int s = node_enter(graph, &g);
	(void)edges;
	const int made = s ? s : p ? op_of_params(&op, p) : CU_INVALID_VALUE;
	if (made || p->type != CU_NODE_CONDITIONAL)
		return add(out, g, before, n, &op, made);
	return add_condition(out, g, before, n, &op, &p->of.conditional);
}

/* ---- asking --------------------------------------------------------------------------------- */

/* Begins a question about a node of a type; *n is it if the answer is CU_OK. */
static int
enter_node(const void *node, enum cu_node_type type, const void *out, struct node **n)
{
	const int s = rt_enter();
	*n = handle_get(node, HANDLE_NODE);
	return s ? s : *n && (*n)->op.type == type && out ? CU_OK : CU_INVALID_VALUE;
}

static void *
function_of(const struct kernel *k)
{
	union {
		const void *from;
		void *to;
	} u = {k->host ? k->host : (const void *)k};
	return u.to;
}

API int
cudaGraphKernelNodeGetParams(void *node, struct cu_kernel_params *out)
{
	struct node *n;
	const int s = enter_node(node, CU_NODE_KERNEL, out, &n);
	if (!s) {
		const struct launch *l = &n->op.of.kernel.launch;
		*out = (struct cu_kernel_params){.func = function_of(l->kernel),
		    .grid = l->grid,
		    .block = l->block,
		    .shared_bytes = (unsigned)l->dynamic_shared_bytes,
		    .args = n->op.of.kernel.args};
	}
	return rt_leave(s);
}

API int
cudaGraphMemcpyNodeGetParams(void *node, struct cu_memcpy_3d *out)
{
	struct node *n;
	const int s = enter_node(node, CU_NODE_MEMCPY, out, &n);
	if (!s)
		*out = n->op.of.copy;
	return rt_leave(s);
}

API int
cudaGraphMemsetNodeGetParams(void *node, struct cu_memset_params *out)
{
	struct node *n;
	const int s = enter_node(node, CU_NODE_MEMSET, out, &n);
	if (!s)
		*out = n->op.of.set;
	return rt_leave(s);
}

API int
cudaGraphHostNodeGetParams(void *node, struct cu_host_params *out)
{
	struct node *n;
	const int s = enter_node(node, CU_NODE_HOST, out, &n);
	if (!s)
		*out = (struct cu_host_params){n->op.of.host.fn, n->op.of.host.arg};
	return rt_leave(s);
}

API int
cudaGraphChildGraphNodeGetGraph(void *node, void **out)
{
	struct node *n;
	const int s = enter_node(node, CU_NODE_GRAPH, out, &n);
	if (!s)
		*out = n->op.of.graph;
	return rt_leave(s);
}

API int
cudaGraphEventRecordNodeGetEvent(void *node, void **out)
{
	struct node *n;
	const int s = enter_node(node, CU_NODE_EVENT_RECORD, out, &n);
	if (!s)
		*out = n->op.of.event;
	return rt_leave(s);
}

API int
cudaGraphEventWaitNodeGetEvent(void *node, void **out)
{
	struct node *n;
	const int s = enter_node(node, CU_NODE_WAIT_EVENT, out, &n);
	if (!s)
		*out = n->op.of.event;
	return rt_leave(s);
}

API int
cudaGraphMemAllocNodeGetParams(void *node, struct cu_mem_alloc_params *out)
{
	struct node *n;
	const int s = enter_node(node, CU_NODE_MEM_ALLOC, out, &n);
	if (!s)
		*out = n->op.of.alloc;
	return rt_leave(s);
}

API int
cudaGraphMemFreeNodeGetParams(void *node, void *out)
{
	struct node *n;
	const int s = enter_node(node, CU_NODE_MEM_FREE, out, &n);
	if (!s)
		memcpy(out, &n->op.of.released, sizeof(void *));
	return rt_leave(s);
}
