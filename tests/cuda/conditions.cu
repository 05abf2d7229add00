/* Graphs whose nodes run if, while and as often as kernels say. */
#include "check.h"

__global__ void
set(cudaGraphConditionalHandle condition, const int *value)
{
	if (threadIdx.x == 0)
		cudaGraphSetConditional(condition, (unsigned)*value);
}

__global__ void
count_down(int *left, int *rounds, cudaGraphConditionalHandle condition)
{
	++*rounds;
	if (--*left == 0)
		cudaGraphSetConditional(condition, 0);
}

__global__ void
put(int *to, int value)
{
	*to = value;
}

static cudaGraphNode_t
add_put(cudaGraph_t graph, int *to, int value)
{
	cudaGraphNode_t node;
	cudaGraphNodeParams p = {cudaGraphNodeTypeKernel};
	void *args[] = {&to, &value};
	p.kernel.func = (void *)put;
	p.kernel.gridDim = p.kernel.blockDim = dim3(1);
	p.kernel.kernelParams = args;
	OK(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &p));
	return node;
}

static cudaGraphNode_t
add_choice(cudaGraph_t graph, cudaGraphNode_t after, cudaGraphConditionalHandle condition,
    cudaGraphConditionalNodeType type, unsigned n, cudaGraph_t *body)
{
	cudaGraphNode_t node;
	cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
	p.conditional.handle = condition;
	p.conditional.type = type;
	p.conditional.size = n;
	OK(cudaGraphAddNode(&node, graph, after ? &after : NULL, NULL, after ? 1 : 0, &p));
	for (unsigned i = 0; i < n; i++)
		body[i] = p.conditional.phGraph_out[i];
	return node;
}

static cudaGraphNode_t
add_set(cudaGraph_t graph, cudaGraphConditionalHandle condition, const int *value)
{
	cudaGraphNode_t node;
	cudaGraphNodeParams p = {cudaGraphNodeTypeKernel};
	void *args[] = {&condition, &value};
	p.kernel.func = (void *)set;
	p.kernel.gridDim = dim3(1);
	p.kernel.blockDim = dim3(32);
	p.kernel.kernelParams = args;
	OK(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &p));
	return node;
}

/* One of several bodies, by a value that a kernel has read. */
static void
choose(cudaGraphConditionalNodeType type, unsigned n)
{
	cudaGraph_t graph, body[4];
	cudaGraphExec_t exec;
	cudaGraphConditionalHandle condition;
	int *value;
	OK(cudaMallocManaged(&value, 2 * sizeof *value));
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphConditionalHandleCreate(&condition, graph, 0, 0));
	add_choice(graph, add_set(graph, condition, value), condition, type, n, body);
	for (unsigned i = 0; i < n; i++)
		add_put(body[i], &value[1], 10 + (int)i);
	OK(cudaGraphInstantiate(&exec, graph, 0));
	OK(cudaGraphDestroy(graph));
	for (int v = 0; v < 5; v++) {
		value[0] = v;
		value[1] = 0;
		OK(cudaGraphLaunch(exec, 0));
		OK(cudaDeviceSynchronize());
		const unsigned taken = type == cudaGraphCondTypeSwitch ? (unsigned)v : v ? 0 : 1;
		CHECK(value[1] == (taken < n ? 10 + (int)taken : 0));
	}
	OK(cudaGraphExecDestroy(exec));
	OK(cudaFree(value));
}

/* A loop in a loop; the inner one's body comes from a capture. */
static void
repeat()
{
	cudaGraph_t graph, outer, inner;
	cudaGraphExec_t exec;
	cudaGraphConditionalHandle rows, columns;
	cudaStream_t stream;
	int *n; /* columns left, columns done, rows left, rows done */
	OK(cudaStreamCreate(&stream));
	OK(cudaMallocManaged(&n, 4 * sizeof *n));
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphConditionalHandleCreate(&rows, graph, 1, cudaGraphCondAssignDefault));
	OK(cudaGraphConditionalHandleCreate(&columns, graph, 0, 0));
	add_choice(graph, NULL, rows, cudaGraphCondTypeWhile, 1, &outer);
	OK(cudaStreamBeginCaptureToGraph(
	    stream, outer, NULL, NULL, 0, cudaStreamCaptureModeGlobal));
	put<<<1, 1, 0, stream>>>(n, 3);
	set<<<1, 1, 0, stream>>>(columns, n);
	OK(cudaStreamEndCapture(stream, &outer));
	size_t found = 2;
	cudaGraphNode_t list[2], last;
	OK(cudaGraphGetNodes(outer, list, &found));
	CHECK(found == 2);
	last = add_choice(outer, list[1], columns, cudaGraphCondTypeWhile, 1, &inner);
	OK(cudaStreamBeginCaptureToGraph(
	    stream, inner, NULL, NULL, 0, cudaStreamCaptureModeGlobal));
	count_down<<<1, 1, 0, stream>>>(n, n + 1, columns);
	OK(cudaStreamEndCapture(stream, &inner));
	OK(cudaStreamBeginCaptureToGraph(
	    stream, outer, &last, NULL, 1, cudaStreamCaptureModeGlobal));
	count_down<<<1, 1, 0, stream>>>(n + 2, n + 3, rows);
	OK(cudaStreamEndCapture(stream, NULL));
	OK(cudaGraphInstantiate(&exec, graph, 0));
	for (int round = 1; round <= 2; round++) {
		n[2] = 4;
		OK(cudaGraphLaunch(exec, stream));
		OK(cudaStreamSynchronize(stream));
		CHECK(n[1] == round * 12 && n[3] == round * 4);
	}
	cudaGraphNodeType type;
	found = 1;
	OK(cudaGraphGetNodes(graph, list, &found));
	OK(cudaGraphNodeGetType(list[0], &type));
	CHECK(type == cudaGraphNodeTypeConditional);
	cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
	p.conditional.handle = rows;
	p.conditional.type = cudaGraphCondTypeWhile;
	p.conditional.size = 2;
	FAILS(cudaErrorInvalidValue, cudaGraphAddNode(&last, graph, NULL, NULL, 0, &p));
	p.conditional.handle = 12345;
	p.conditional.size = 1;
	FAILS(cudaErrorInvalidValue, cudaGraphAddNode(&last, graph, NULL, NULL, 0, &p));
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
	OK(cudaFree(n));
	OK(cudaStreamDestroy(stream));
}

/* A value goes with the last of the graphs that have it. */
static void
free_values()
{
	cudaGraph_t graph, copy;
	cudaGraphNode_t node;
	cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
	p.conditional.type = cudaGraphCondTypeWhile;
	p.conditional.size = 1;
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphConditionalHandleCreate(&p.conditional.handle, graph, 0, 0));
	OK(cudaGraphClone(&copy, graph));
	OK(cudaGraphDestroy(graph));
	OK(cudaGraphAddNode(&node, copy, NULL, NULL, 0, &p));
	OK(cudaGraphDestroy(copy));
	OK(cudaGraphCreate(&graph, 0));
	FAILS(cudaErrorInvalidValue, cudaGraphAddNode(&node, graph, NULL, NULL, 0, &p));
	OK(cudaGraphDestroy(graph));
}

int
main()
{
	choose(cudaGraphCondTypeIf, 1);
	choose(cudaGraphCondTypeIf, 2);
	choose(cudaGraphCondTypeSwitch, 4);
	repeat();
	free_values();
	return passed();
}
