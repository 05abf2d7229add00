/* Calls that change what a node does, in a graph or in an executable one. */
#include "graph/node.h"

/* status is that of making the operation. */
static int
replace(struct node *n, const struct op *op, int status)
{
	struct op kept = {0};
	if (!status && (!n || n->op.type != op->type))
		status = CU_INVALID_VALUE;
	if (!status)
		status = op_keep(&kept, op);
	if (!status) {
		op_release(&n->op);
		n->op = kept;
	}
	return rt_leave(status);
}

static struct node *
node_of(const void *node)
{
	return handle_get(node, HANDLE_NODE);
}

static struct node *
node_in(const void *exec, const void *node)
{
	const struct graph_exec *x = handle_get(exec, HANDLE_GRAPH_EXEC);
	return x ? graph_counterpart(x->graph, node_of(node)) : NULL;
}

API int
cudaGraphKernelNodeSetParams(void *node, const struct cu_kernel_params *p)
{
	struct op op;
	const int s = rt_enter();
	return replace(node_of(node), &op, s ? s : op_of_kernel(&op, p));
}

API int
cudaGraphExecKernelNodeSetParams(void *exec, void *node, const struct cu_kernel_params *p)
{
	struct op op;
	const int s = rt_enter();
	return replace(node_in(exec, node), &op, s ? s : op_of_kernel(&op, p));
}

API int
cudaGraphMemcpyNodeSetParams(void *node, const struct cu_memcpy_3d *p)
{
	struct op op;
	const int s = rt_enter();
	return replace(node_of(node), &op, s ? s : op_of_copy(&op, p));
}

API int
cudaGraphExecMemcpyNodeSetParams(void *exec, void *node, const struct cu_memcpy_3d *p)
{
	struct op op;
	const int s = rt_enter();
	return replace(node_in(exec, node), &op, s ? s : op_of_copy(&op, p));
}

API int
cudaGraphMemcpyNodeSetParams1D(void *node, void *to, const void *from, size_t bytes, int kind)
{
	const struct op op = op_copy(to, from, bytes, kind);
	const int s = rt_enter();
	return replace(node_of(node), &op, s ? s : op_check(&op));
}

API int
cudaGraphExecMemcpyNodeSetParams1D(
    void *exec, void *node, void *to, const void *from, size_t bytes, int kind)
{
	const struct op op = op_copy(to, from, bytes, kind);
	const int s = rt_enter();
	return replace(node_in(exec, node), &op, s ? s : op_check(&op));
}

API int
cudaGraphMemcpyNodeSetParamsToSymbol(
    void *node, const void *symbol, const void *from, size_t bytes, size_t offset, int kind)
{
	struct op op;
	const int s = rt_enter();
	return replace(
	    node_of(node), &op, s ? s : op_of_symbol(&op, symbol, NULL, from, bytes, offset, kind));
}

API int
cudaGraphExecMemcpyNodeSetParamsToSymbol(void *exec, void *node, const void *symbol,
    const void *from, size_t bytes, size_t offset, int kind)
{
	struct op op;
	const int s = rt_enter();
	return replace(node_in(exec, node), &op,
	    s ? s : op_of_symbol(&op, symbol, NULL, from, bytes, offset, kind));
}

API int
cudaGraphMemcpyNodeSetParamsFromSymbol(
    void *node, void *to, const void *symbol, size_t bytes, size_t offset, int kind)
{
	struct op op;
	const int s = rt_enter();
	return replace(
	    node_of(node), &op, s ? s : op_of_symbol(&op, symbol, to, NULL, bytes, offset, kind));
}

API int
cudaGraphExecMemcpyNodeSetParamsFromSymbol(
    void *exec, void *node, void *to, const void *symbol, size_t bytes, size_t offset, int kind)
{
	struct op op;
	const int s = rt_enter();
	return replace(node_in(exec, node), &op,
	    s ? s : op_of_symbol(&op, symbol, to, NULL, bytes, offset, kind));
}

API int
cudaGraphMemsetNodeSetParams(void *node, const struct cu_memset_params *p)
{
	struct op op;
	const int s = rt_enter();
	return replace(node_of(node), &op, s ? s : op_of_set(&op, p));
}

API int
cudaGraphExecMemsetNodeSetParams(void *exec, void *node, const struct cu_memset_params *p)
{
	struct op op;
	const int s = rt_enter();
	return replace(node_in(exec, node), &op, s ? s : op_of_set(&op, p));
}

API int
cudaGraphHostNodeSetParams(void *node, const struct cu_host_params *p)
{
	struct op op;
	const int s = rt_enter();
	return replace(node_of(node), &op, s ? s : op_of_host(&op, p));
}

API int
cudaGraphExecHostNodeSetParams(void *exec, void *node, const struct cu_host_params *p)
{
	struct op op;
	const int s = rt_enter();
	return replace(node_in(exec, node), &op, s ? s : op_of_host(&op, p));
}

API int
cudaGraphExecChildGraphNodeSetParams(void *exec, void *node, void *child)
{
	struct op op;
	const int s = rt_enter();
	return replace(node_in(exec, node), &op, s ? s : op_of_graph(&op, child));
}

API int
cudaGraphEventRecordNodeSetEvent(void *node, void *event)
{
	struct op op;
	const int s = rt_enter();
	return replace(node_of(node), &op, s ? s : op_of_event(&op, CU_NODE_EVENT_RECORD, event));
}

API int
cudaGraphExecEventRecordNodeSetEvent(void *exec, void *node, void *event)
{
	struct op op;
	const int s = rt_enter();
	return replace(
	    node_in(exec, node), &op, s ? s : op_of_event(&op, CU_NODE_EVENT_RECORD, event));
}

API int
cudaGraphEventWaitNodeSetEvent(void *node, void *event)
{
	struct op op;
	const int s = rt_enter();
	return replace(node_of(node), &op, s ? s : op_of_event(&op, CU_NODE_WAIT_EVENT, event));
}

API int
cudaGraphExecEventWaitNodeSetEvent(void *exec, void *node, void *event)
{
	struct op op;
	const int s = rt_enter();
	return replace(
	    node_in(exec, node), &op, s ? s : op_of_event(&op, CU_NODE_WAIT_EVENT, event));
}

/* A node's memory is its own for good. */
static int
op_of_change(struct op *op, struct cu_graph_node_params *p)
{
	return p && p->type != CU_NODE_MEM_ALLOC ? op_of_params(op, p) : CU_INVALID_VALUE;
}

API int
cudaGraphNodeSetParams(void *node, struct cu_graph_node_params *p)
{
	struct op op;
	const int s = rt_enter();
	return replace(node_of(node), &op, s ? s : op_of_change(&op, p));
}

API int
cudaGraphExecNodeSetParams(void *exec, void *node, struct cu_graph_node_params *p)
{
	struct op op;
	const int s = rt_enter();
	return replace(node_in(exec, node), &op, s ? s : op_of_change(&op, p));
}

API int
cudaGraphNodeSetEnabled(void *exec, void *node, unsigned enabled)
{
	int s = rt_enter();
	struct node *n = node_in(exec, node);
	if (!s && (!n || n->op.type > CU_NODE_MEMSET))
		s = CU_INVALID_VALUE;
	if (!s)
		n->disabled = !enabled;
	return rt_leave(s);
}

API int
cudaGraphNodeGetEnabled(void *exec, void *node, unsigned *enabled)
{
	int s = rt_enter();
	const struct node *n = node_in(exec, node);
	if (!s && (!n || !enabled))
		s = CU_INVALID_VALUE;
	if (!s)
		*enabled = !n->disabled;
	return rt_leave(s);
}
