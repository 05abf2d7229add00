/* The driver's graphs: the runtime's. */
#include <string.h>
#include "driver/driver.h"

API int
cuGraphCreate(void **out, unsigned flags)
{
	return DRIVER(cudaGraphCreate(out, flags));
}

API int
cuGraphClone(void **out, void *graph)
{
	return DRIVER(cudaGraphClone(out, graph));
}

API int
cuGraphNodeFindInClone(void **out, void *original, void *clone)
{
	return DRIVER(cudaGraphNodeFindInClone(out, original, clone));
}

API int
cuGraphNodeGetType(void *node, int *type)
{
	return DRIVER(cudaGraphNodeGetType(node, type));
}

API int
cuGraphDestroyNode(void *node)
{
	return DRIVER(cudaGraphDestroyNode(node));
}

API int
cuGraphGetNodes(void *graph, void **nodes, size_t *n)
{
	return DRIVER(cudaGraphGetNodes(graph, nodes, n));
}

API int
cuGraphGetRootNodes(void *graph, void **nodes, size_t *n)
{
	return DRIVER(cudaGraphGetRootNodes(graph, nodes, n));
}

API int
cuGraphGetEdges(void *graph, void **from, void **to, size_t *n)
{
	return DRIVER(cudaGraphGetEdges(graph, from, to, NULL, n));
}

API int
cuGraphGetEdges_v2(void *graph, void **from, void **to, void *edges, size_t *n)
{
	return DRIVER(cudaGraphGetEdges(graph, from, to, edges, n));
}

API int
cuGraphNodeGetDependencies(void *node, void **out, size_t *n)
{
	return DRIVER(cudaGraphNodeGetDependencies(node, out, NULL, n));
}

API int
cuGraphNodeGetDependencies_v2(void *node, void **out, void *edges, size_t *n)
{
	return DRIVER(cudaGraphNodeGetDependencies(node, out, edges, n));
}

API int
cuGraphNodeGetDependentNodes(void *node, void **out, size_t *n)
{
	return DRIVER(cudaGraphNodeGetDependentNodes(node, out, NULL, n));
}

API int
cuGraphNodeGetDependentNodes_v2(void *node, void **out, void *edges, size_t *n)
{
	return DRIVER(cudaGraphNodeGetDependentNodes(node, out, edges, n));
}

API int
cuGraphAddDependencies(void *graph, void *const *from, void *const *to, size_t n)
{
	return DRIVER(cudaGraphAddDependencies(graph, from, to, NULL, n));
}

API int
cuGraphAddDependencies_v2(
    void *graph, void *const *from, void *const *to, const void *edges, size_t n)
{
	return DRIVER(cudaGraphAddDependencies(graph, from, to, edges, n));
}

API int
cuGraphRemoveDependencies(void *graph, void *const *from, void *const *to, size_t n)
{
	return DRIVER(cudaGraphRemoveDependencies(graph, from, to, NULL, n));
}

API int
cuGraphRemoveDependencies_v2(
    void *graph, void *const *from, void *const *to, const void *edges, size_t n)
{
	return DRIVER(cudaGraphRemoveDependencies(graph, from, to, edges, n));
}

API int
cuGraphDebugDotPrint(void *graph, const char *path, unsigned flags)
{
	return DRIVER(cudaGraphDebugDotPrint(graph, path, flags));
}

API int
cuUserObjectCreate(void **out, void *arg, cu_host_fn *destroy, unsigned refs, unsigned flags)
{
	return DRIVER(cudaUserObjectCreate(out, arg, destroy, refs, flags));
}

API int
cuUserObjectRetain(void *object, unsigned count)
{
	return DRIVER(cudaUserObjectRetain(object, count));
}

API int
cuUserObjectRelease(void *object, unsigned count)
{
	return DRIVER(cudaUserObjectRelease(object, count));
}

API int
cuGraphRetainUserObject(void *graph, void *object, unsigned count, unsigned flags)
{
	return DRIVER(cudaGraphRetainUserObject(graph, object, count, flags));
}

API int
cuGraphReleaseUserObject(void *graph, void *object, unsigned count)
{
	return DRIVER(cudaGraphReleaseUserObject(graph, object, count));
}

/* The context that the value would belong to is the device's, whichever it is. */
API int
cuGraphConditionalHandleCreate(
    unsigned long long *out, void *graph, void *context, unsigned at_launch, unsigned flags)
{
	(void)context;
	return DRIVER(cudaGraphConditionalHandleCreate(out, graph, at_launch, flags));
}

/* ---- executable graphs ---------------------------------------------------------------------- */

API int
cuGraphInstantiateWithFlags(void **out, void *graph, unsigned long long flags)
{
	return DRIVER(cudaGraphInstantiate(out, graph, flags));
}

API int
cuGraphInstantiateWithParams(void **out, void *graph, struct cu_instantiate_params *p)
{
	return DRIVER(cudaGraphInstantiateWithParams(out, graph, p));
}

API int
cuGraphExecGetFlags(void *exec, unsigned long long *flags)
{
	return DRIVER(cudaGraphExecGetFlags(exec, flags));
}

API int
cuGraphUpload(void *exec, void *stream)
{
	return DRIVER(cudaGraphUpload(exec, stream));
}

API int
cuGraphLaunch(void *exec, void *stream)
{
	return DRIVER(cudaGraphLaunch(exec, stream));
}

API int
cuGraphExecDestroy(void *exec)
{
	return DRIVER(cudaGraphExecDestroy(exec));
}

API int
cuGraphDestroy(void *graph)
{
	return DRIVER(cudaGraphDestroy(graph));
}

API int
cuGraphExecUpdate_v2(void *exec, void *graph, struct cu_update_result *result)
{
	return DRIVER(cudaGraphExecUpdate(exec, graph, result));
}

API int
cuGraphNodeSetEnabled(void *exec, void *node, unsigned enabled)
{
	return DRIVER(cudaGraphNodeSetEnabled(exec, node, enabled));
}

API int
cuGraphNodeGetEnabled(void *exec, void *node, unsigned *enabled)
{
	return DRIVER(cudaGraphNodeGetEnabled(exec, node, enabled));
}

API int
cuDeviceGraphMemTrim(int device)
{
	return DRIVER(cudaDeviceGraphMemTrim(device));
}

API int
cuDeviceGetGraphMemAttribute(int device, int attribute, void *out)
{
	return DRIVER(cudaDeviceGetGraphMemAttribute(device, attribute, out));
}

API int
cuDeviceSetGraphMemAttribute(int device, int attribute, const void *in)
{
	return DRIVER(cudaDeviceSetGraphMemAttribute(device, attribute, in));
}

/* Up to CUDA 11 a node and a text said what was wrong. */
API int
cuGraphInstantiate_v2(void **out, void *graph, void **node, char *log, size_t room)
{
	if (node)
		*node = NULL;
	if (log && room)
		*log = 0;
	return DRIVER(cudaGraphInstantiate(out, graph, 0));
}

API int
cuGraphInstantiate(void **out, void *graph, void **node, char *log, size_t room)
{
	return cuGraphInstantiate_v2(out, graph, node, log, room);
}

API int
cuGraphExecUpdate(void *exec, void *graph, void **node, int *result)
{
	struct cu_update_result r = {0};
	const int s = cuGraphExecUpdate_v2(exec, graph, &r);
	if (node)
		*node = r.error_node;
	if (result)
		*result = r.result;
	return s;
}
