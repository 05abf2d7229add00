// Graphs: made node by node, cloned, instantiated, launched, updated.
#include <vector>
#include "check.h"

__global__ void
add(int *to, const int *from, int n, int plus)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		to[i] = from[i] + plus;
}

static int calls;

static void CUDART_CB
count(void *by)
{
	calls += *(int *)by;
}

static void
look_at(cudaGraph_t graph, const cudaGraphNode_t *node, cudaGraph_t *clone)
{
	cudaGraphNode_t list[8] = {}, copy;
	size_t found;
	OK(cudaGraphGetNodes(graph, NULL, &found));
	CHECK(found == 5);
	OK(cudaGraphGetRootNodes(graph, NULL, &found));
	CHECK(found == 2);
	found = 8;
	OK(cudaGraphNodeGetDependencies(node[2], list, NULL, &found));
	CHECK(found == 2 && list[0] == node[0] && list[1] == node[1] && !list[2]);
	OK(cudaGraphGetEdges(graph, NULL, NULL, NULL, &found));
	CHECK(found == 4);
	cudaGraphNodeType type;
	OK(cudaGraphNodeGetType(node[3], &type));
	CHECK(type == cudaGraphNodeTypeHost);
	FAILS(cudaErrorInvalidValue, cudaGraphAddDependencies(graph, &node[4], &node[0], NULL, 1));
	OK(cudaGraphClone(clone, graph));
	OK(cudaGraphNodeFindInClone(&copy, node[2], *clone));
	CHECK(copy != node[2]);
}

/* An event that is gone is not recorded. */
static void
lost_event()
{
	cudaEvent_t event;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaGraphNode_t node;
	OK(cudaEventCreate(&event));
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphAddEventRecordNode(&node, graph, NULL, 0, event));
	OK(cudaGraphInstantiate(&exec, graph, 0));
	OK(cudaEventDestroy(event));
	OK(cudaGraphLaunch(exec, NULL));
	OK(cudaDeviceSynchronize());
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
}

int
main()
{
	int n = 1000, plus = 5, two = 2;
	size_t bytes = n * sizeof(int);
	int *a, *b;
	std::vector<int> in(n), out(n);
	for (int i = 0; i < n; i++)
		in[i] = i;
	OK(cudaMalloc(&a, bytes));
	OK(cudaMalloc(&b, bytes));

	cudaGraph_t graph, clone;
	cudaGraphNode_t node[5];
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphAddMemcpyNode1D(
	    &node[0], graph, NULL, 0, a, in.data(), bytes, cudaMemcpyHostToDevice));
	cudaMemsetParams set = {};
	set.dst = b;
	set.elementSize = 4;
	set.value = 0x01020304;
	set.height = 1;
	set.width = ((size_t)1 << 62) + 1;
	FAILS(cudaErrorInvalidValue, cudaGraphAddMemsetNode(&node[1], graph, NULL, 0, &set));
	set.width = n;
	OK(cudaGraphAddMemsetNode(&node[1], graph, NULL, 0, &set));
	cudaKernelNodeParams kernel = {};
	void *args[] = {&b, &a, &n, &plus};
	kernel.func = (void *)add;
	kernel.gridDim = dim3((n + 255) / 256);
	kernel.blockDim = dim3(256);
	kernel.kernelParams = args;
	OK(cudaGraphAddKernelNode(&node[2], graph, node, 2, &kernel));
	cudaHostNodeParams host = {count, &two};
	OK(cudaGraphAddHostNode(&node[3], graph, &node[2], 1, &host));
	OK(cudaGraphAddMemcpyNode1D(
	    &node[4], graph, &node[3], 1, out.data(), b, bytes, cudaMemcpyDeviceToHost));
	plus = 1000; // the node has its own copy

	look_at(graph, node, &clone);

	cudaGraphExec_t exec, other;
	cudaStream_t stream;
	OK(cudaStreamCreate(&stream));
	OK(cudaGraphInstantiate(&exec, graph, 0));
	for (int k = 0; k < 3; k++)
		OK(cudaGraphLaunch(exec, stream));
	OK(cudaStreamSynchronize(stream));
	CHECK(calls == 6);
	for (int i = 0; i < n; i++)
		CHECK(out[i] == i + 5);

	int minus = -7;
	args[3] = &minus;
	OK(cudaGraphExecKernelNodeSetParams(exec, node[2], &kernel));
	OK(cudaGraphLaunch(exec, stream));
	OK(cudaStreamSynchronize(stream));
	CHECK(out[10] == 3);
	OK(cudaGraphNodeSetEnabled(exec, node[2], 0));
	OK(cudaGraphLaunch(exec, stream));
	OK(cudaStreamSynchronize(stream));
	CHECK(out[10] == 0x01020304);

	// An update takes the parameters of a graph of the same shape.
	cudaGraphExecUpdateResultInfo info;
	OK(cudaGraphInstantiate(&other, clone, 0));
	OK(cudaGraphKernelNodeSetParams(node[2], &kernel));
	OK(cudaGraphExecUpdate(other, graph, &info));
	CHECK(info.result == cudaGraphExecUpdateSuccess);
	OK(cudaGraphLaunch(other, stream));
	OK(cudaStreamSynchronize(stream));
	CHECK(out[10] == 3);
	OK(cudaGraphDestroyNode(node[4]));
	FAILS(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(other, graph, &info));
	CHECK(info.result == cudaGraphExecUpdateErrorTopologyChanged);

	// A graph within a graph.
	cudaGraph_t outer;
	cudaGraphNode_t child, empty;
	OK(cudaGraphCreate(&outer, 0));
	OK(cudaGraphAddEmptyNode(&empty, outer, NULL, 0));
	OK(cudaGraphAddChildGraphNode(&child, outer, &empty, 1, clone));
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphInstantiate(&exec, outer, 0));
	OK(cudaGraphLaunch(exec, stream));
	OK(cudaStreamSynchronize(stream));
	CHECK(out[10] == 15);
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphExecDestroy(other));
	OK(cudaGraphDestroy(outer));
	OK(cudaGraphDestroy(clone));
	OK(cudaGraphDestroy(graph));
	FAILS(cudaErrorInvalidValue, cudaGraphDestroy(graph));
	lost_event();
	return passed();
}
