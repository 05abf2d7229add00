/* Nodes of graphs, in the driver's words. */
#include <stdlib.h>
#include <string.h>
#include "driver/copy.h"
#include "driver/driver.h"

/* ---- kernels -------------------------------------------------------------------------------- */

/* cuda.h's CUDA_KERNEL_NODE_PARAMS from version 2 on. */
struct kernel_node {
	struct cu_kernel_params of;
	void *kernel; /* where of.func is NULL */
	void *context;
};

/* What the runtime knows of it: pointers to arguments, which the caller frees if *apart says so. */
static int
kernel_in(
    struct cu_kernel_params *to, const struct cu_kernel_params *p, void *kernel, void ***apart)
{
	int s = CU_OK;
	*apart = NULL;
	if (!p)
		return CU_INVALID_VALUE;
	*to = *p;
	if (!to->func)
		to->func = kernel;
	if (!p->args && p->extra) {
		*apart = driver_take_apart(to->func, p->extra, &s);
		to->args = *apart;
		to->extra = NULL;
	}
	return s;
}

enum kernel_call { ADD, SET, SET_IN_EXEC };

/* Adds a node to graph or changes the node, in exec if that is what is called for. */
static int
kernel_node(enum kernel_call call, void **out, void *owner, void *node, void *const *before,
    size_t n, const struct cu_kernel_params *p, void *kernel)
{
	struct cu_kernel_params k;
	void **apart;
	int s = kernel_in(&k, p, kernel, &apart);
	if (!s)
		s = call == ADD	  ? cudaGraphAddKernelNode(out, owner, before, n, &k)
		    : call == SET ? cudaGraphKernelNodeSetParams(node, &k)
				  : cudaGraphExecKernelNodeSetParams(owner, node, &k);
	free(apart);
	return s;
}

API int
cuGraphAddKernelNode(
    void **out, void *graph, void *const *before, size_t n, const struct cu_kernel_params *p)
{
	return DRIVER(kernel_node(ADD, out, graph, NULL, before, n, p, NULL));
}

API int
cuGraphAddKernelNode_v2(
    void **out, void *graph, void *const *before, size_t n, const struct kernel_node *p)
{
	return p ? DRIVER(kernel_node(ADD, out, graph, NULL, before, n, &p->of, p->kernel))
		 : CU_INVALID_VALUE;
}

API int
cuGraphKernelNodeSetParams(void *node, const struct cu_kernel_params *p)
{
	return DRIVER(kernel_node(SET, NULL, NULL, node, NULL, 0, p, NULL));
}

API int
cuGraphKernelNodeSetParams_v2(void *node, const struct kernel_node *p)
{
	return p ? DRIVER(kernel_node(SET, NULL, NULL, node, NULL, 0, &p->of, p->kernel))
		 : CU_INVALID_VALUE;
}

API int
cuGraphExecKernelNodeSetParams(void *exec, void *node, const struct cu_kernel_params *p)
{
	return DRIVER(kernel_node(SET_IN_EXEC, NULL, exec, node, NULL, 0, p, NULL));
}

API int
cuGraphExecKernelNodeSetParams_v2(void *exec, void *node, const struct kernel_node *p)
{
	return p ? DRIVER(kernel_node(SET_IN_EXEC, NULL, exec, node, NULL, 0, &p->of, p->kernel))
		 : CU_INVALID_VALUE;
}

API int
cuGraphKernelNodeGetParams(void *node, struct cu_kernel_params *out)
{
	return DRIVER(cudaGraphKernelNodeGetParams(node, out));
}

API int
cuGraphKernelNodeGetParams_v2(void *node, struct kernel_node *out)
{
	if (!out)
		return CU_INVALID_VALUE;
	const int s = DRIVER(cudaGraphKernelNodeGetParams(node, &out->of));
	if (!s) {
		out->kernel = NULL;
		out->context = NULL;
	}
	return s;
}

API int
cuGraphKernelNodeCopyAttributes(void *to, void *from)
{
	return DRIVER(cudaGraphKernelNodeCopyAttributes(to, from));
}

API int
cuGraphKernelNodeGetAttribute(void *node, int id, struct value *value)
{
	return DRIVER(cudaGraphKernelNodeGetAttribute(node, id, value));
}

API int
cuGraphKernelNodeSetAttribute(void *node, int id, const struct cu_launch_attribute *value)
{
	return DRIVER(cudaGraphKernelNodeSetAttribute(node, id, value));
}

/* ---- copies and sets: the context is the device's ----------------------------------------------
 */

API int
cuGraphAddMemcpyNode(
    void **out, void *graph, void *const *before, size_t n, const struct copy_3d *c, void *context)
{
	struct cu_memcpy_3d p;
	(void)context;
	return !c || driver_copy_in(&p, c)
		   ? CU_INVALID_VALUE
		   : DRIVER(cudaGraphAddMemcpyNode(out, graph, before, n, &p));
}

API int
cuGraphMemcpyNodeGetParams(void *node, struct copy_3d *out)
{
	struct cu_memcpy_3d p;
	const int s = out ? DRIVER(cudaGraphMemcpyNodeGetParams(node, &p)) : CU_INVALID_VALUE;
	if (!s)
		driver_copy_out(out, &p);
	return s;
}

API int
cuGraphMemcpyNodeSetParams(void *node, const struct copy_3d *c)
{
	struct cu_memcpy_3d p;
	return !c || driver_copy_in(&p, c) ? CU_INVALID_VALUE
					   : DRIVER(cudaGraphMemcpyNodeSetParams(node, &p));
}

API int
cuGraphExecMemcpyNodeSetParams(void *exec, void *node, const struct copy_3d *c, void *context)
{
	struct cu_memcpy_3d p;
	(void)context;
	return !c || driver_copy_in(&p, c)
		   ? CU_INVALID_VALUE
		   : DRIVER(cudaGraphExecMemcpyNodeSetParams(exec, node, &p));
}

API int
cuGraphAddMemsetNode(void **out, void *graph, void *const *before, size_t n,
    const struct cu_memset_params *p, void *context)
{
	(void)context;
	return DRIVER(cudaGraphAddMemsetNode(out, graph, before, n, p));
}

API int
cuGraphMemsetNodeGetParams(void *node, struct cu_memset_params *out)
{
	return DRIVER(cudaGraphMemsetNodeGetParams(node, out));
}

API int
cuGraphMemsetNodeSetParams(void *node, const struct cu_memset_params *p)
{
	return DRIVER(cudaGraphMemsetNodeSetParams(node, p));
}

API int
cuGraphExecMemsetNodeSetParams(
    void *exec, void *node, const struct cu_memset_params *p, void *context)
{
	(void)context;
	return DRIVER(cudaGraphExecMemsetNodeSetParams(exec, node, p));
}

/* ---- what the runtime says in the same words ------------------------------------------------- */

API int
cuGraphAddHostNode(
    void **out, void *graph, void *const *before, size_t n, const struct cu_host_params *p)
{
	return DRIVER(cudaGraphAddHostNode(out, graph, before, n, p));
}

API int
cuGraphHostNodeGetParams(void *node, struct cu_host_params *out)
{
	return DRIVER(cudaGraphHostNodeGetParams(node, out));
}

API int
cuGraphHostNodeSetParams(void *node, const struct cu_host_params *p)
{
	return DRIVER(cudaGraphHostNodeSetParams(node, p));
}

API int
cuGraphExecHostNodeSetParams(void *exec, void *node, const struct cu_host_params *p)
{
	return DRIVER(cudaGraphExecHostNodeSetParams(exec, node, p));
}

API int
cuGraphAddChildGraphNode(void **out, void *graph, void *const *before, size_t n, void *child)
{
	return DRIVER(cudaGraphAddChildGraphNode(out, graph, before, n, child));
}

API int
cuGraphChildGraphNodeGetGraph(void *node, void **out)
{
	return DRIVER(cudaGraphChildGraphNodeGetGraph(node, out));
}

API int
cuGraphExecChildGraphNodeSetParams(void *exec, void *node, void *child)
{
	return DRIVER(cudaGraphExecChildGraphNodeSetParams(exec, node, child));
}

API int
cuGraphAddEmptyNode(void **out, void *graph, void *const *before, size_t n)
{
	return DRIVER(cudaGraphAddEmptyNode(out, graph, before, n));
}

API int
cuGraphAddEventRecordNode(void **out, void *graph, void *const *before, size_t n, void *event)
{
	return DRIVER(cudaGraphAddEventRecordNode(out, graph, before, n, event));
}

API int
cuGraphEventRecordNodeGetEvent(void *node, void **out)
{
	return DRIVER(cudaGraphEventRecordNodeGetEvent(node, out));
}

API int
cuGraphEventRecordNodeSetEvent(void *node, void *event)
{
	return DRIVER(cudaGraphEventRecordNodeSetEvent(node, event));
}

API int
cuGraphExecEventRecordNodeSetEvent(void *exec, void *node, void *event)
{
	return DRIVER(cudaGraphExecEventRecordNodeSetEvent(exec, node, event));
}

API int
cuGraphAddEventWaitNode(void **out, void *graph, void *const *before, size_t n, void *event)
{
	return DRIVER(cudaGraphAddEventWaitNode(out, graph, before, n, event));
}

API int
cuGraphEventWaitNodeGetEvent(void *node, void **out)
{
	return DRIVER(cudaGraphEventWaitNodeGetEvent(node, out));
}

API int
cuGraphEventWaitNodeSetEvent(void *node, void *event)
{
	return DRIVER(cudaGraphEventWaitNodeSetEvent(node, event));
}

API int
cuGraphExecEventWaitNodeSetEvent(void *exec, void *node, void *event)
{
	return DRIVER(cudaGraphExecEventWaitNodeSetEvent(exec, node, event));
}

API int
cuGraphAddMemAllocNode(
    void **out, void *graph, void *const *before, size_t n, struct cu_mem_alloc_params *p)
{
	return DRIVER(cudaGraphAddMemAllocNode(out, graph, before, n, p));
}

API int
cuGraphMemAllocNodeGetParams(void *node, struct cu_mem_alloc_params *out)
{
	return DRIVER(cudaGraphMemAllocNodeGetParams(node, out));
}

API int
cuGraphAddMemFreeNode(void **out, void *graph, void *const *before, size_t n, void *p)
{
	return DRIVER(cudaGraphAddMemFreeNode(out, graph, before, n, p));
}

API int
cuGraphMemFreeNodeGetParams(void *node, void *out)
{
	return DRIVER(cudaGraphMemFreeNodeGetParams(node, out));
}

/* ---- any kind ------------------------------------------------------------------------------- */

/* cuda.h's CUgraphNodeParams, where it differs from the runtime's. */
struct any_node {
	int type, reserved[3];
	union {
		long long reserved[29];
		struct kernel_node kernel;
		struct {
			int flags, reserved;
			void *context;
			struct copy_3d copy;
		} copy;
	} of;
	long long reserved2;
};
_Static_assert(sizeof(struct any_node) == sizeof(struct cu_graph_node_params), "as large");

static int
node_in(struct cu_graph_node_params *to, const struct any_node *p, void ***apart)
{
	*apart = NULL;
	if (!p)
		return CU_INVALID_VALUE;
	memcpy(to, p, sizeof *to);
	if (p->type == CU_NODE_KERNEL)
		return kernel_in(&to->of.kernel, &p->of.kernel.of, p->of.kernel.kernel, apart);
	return p->type == CU_NODE_MEMCPY ? driver_copy_in(&to->of.memcpy.copy, &p->of.copy.copy)
					 : CU_OK;
}

/* What the call has said: memory's address, bodies. */
static void
node_out(struct any_node *to, const struct cu_graph_node_params *p)
{
	if (p->type == CU_NODE_MEM_ALLOC || p->type == CU_NODE_CONDITIONAL)
		memcpy(to, p, sizeof *to);
}

static int
any_node(
    void **out, void *graph, void *const *before, const void *edges, size_t n, struct any_node *p)
{
	struct cu_graph_node_params q;
	void **apart;
	int s = node_in(&q, p, &apart);
	if (!s)
		s = cudaGraphAddNode(out, graph, before, edges, n, &q);
	if (!s)
		node_out(p, &q);
	free(apart);
	return s;
}

API int
cuGraphAddNode_v2(
    void **out, void *graph, void *const *before, const void *edges, size_t n, struct any_node *p)
{
	return DRIVER(any_node(out, graph, before, edges, n, p));
}

API int
cuGraphAddNode(void **out, void *graph, void *const *before, size_t n, struct any_node *p)
{
	return DRIVER(any_node(out, graph, before, NULL, n, p));
}

static int
change(void *exec, void *node, const struct any_node *p)
{
	struct cu_graph_node_params q;
	void **apart;
	int s = node_in(&q, p, &apart);
	if (!s)
		s = exec ? cudaGraphExecNodeSetParams(exec, node, &q)
			 : cudaGraphNodeSetParams(node, &q);
	free(apart);
	return s;
}

API int
cuGraphNodeSetParams(void *node, const struct any_node *p)
{
	return DRIVER(change(NULL, node, p));
}

API int
cuGraphExecNodeSetParams(void *exec, void *node, const struct any_node *p)
{
	return exec ? DRIVER(change(exec, node, p)) : CU_INVALID_VALUE;
}
