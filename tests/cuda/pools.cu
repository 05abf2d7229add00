// Memory in stream order.
#include "check.h"

__global__ void
fill(int *p, int value)
{
	p[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

static unsigned long long
of_graphs(cudaGraphMemAttributeType what)
{
	unsigned long long v;
	OK(cudaDeviceGetGraphMemAttribute(0, what, &v));
	return v;
}

/* Memory that a graph allocates and leaves: freed outside of it, and there again at the next
 * launch, at the address that it always has. */
static void
left_by_a_graph(cudaStream_t stream)
{
	cudaGraph_t graph;
	cudaGraphExec_t exec, frees;
	int *kept, *passing, got;
	OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	OK(cudaMallocAsync(&kept, 1024 * sizeof *kept, stream));
	OK(cudaMallocAsync(&passing, 128 * sizeof *passing, stream));
	fill<<<8, 128, 0, stream>>>(kept, 5);
	fill<<<1, 128, 0, stream>>>(passing, 5);
	OK(cudaFreeAsync(passing, stream));
	OK(cudaStreamEndCapture(stream, &graph));
	OK(cudaGraphInstantiate(&exec, graph, 0));
	OK(cudaGraphInstantiate(&frees, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
	OK(cudaGraphDestroy(graph));
	CHECK(of_graphs(cudaGraphMemAttrUsedMemCurrent) == 0);
	FAILS(cudaErrorInvalidValue, cudaFree(kept));
	for (int way = 0; way < 3; way++) {
		OK(cudaGraphLaunch(exec, stream));
		CHECK(of_graphs(cudaGraphMemAttrUsedMemCurrent) == 4096);
		fill<<<1, 128, 0, stream>>>(kept, way);
		OK(cudaMemcpyAsync(&got, kept + 128, sizeof got, cudaMemcpyDefault, stream));
		OK(cudaStreamSynchronize(stream));
		CHECK(got == 5);
		FAILS(cudaErrorInvalidValue, cudaGraphLaunch(exec, stream));
		if (way == 1)
			OK(cudaFreeAsync(kept, stream));
		else
			OK(cudaFree(kept));
		CHECK(of_graphs(cudaGraphMemAttrUsedMemCurrent) == 0);
	}
	OK(cudaGraphLaunch(frees, stream));
	OK(cudaGraphLaunch(frees, stream));
	OK(cudaGraphExecDestroy(frees));
	OK(cudaGraphExecDestroy(exec));
	OK(cudaMemcpy(&got, kept + 1023, sizeof got, cudaMemcpyDefault));
	CHECK(got == 5);
	OK(cudaFree(kept));
	CHECK(of_graphs(cudaGraphMemAttrUsedMemHigh) == 4096 + 512);
	OK(cudaDeviceGraphMemTrim(0));
	CHECK(of_graphs(cudaGraphMemAttrReservedMemCurrent) == 0);
}

/* A node that is refused leaves nothing. */
static void
refused()
{
	cudaGraph_t graph, other;
	cudaGraphNode_t node, alien;
	cudaGraphNodeParams p = {cudaGraphNodeTypeMemAlloc};
	size_t before, after, total;
	p.alloc.poolProps.allocType = cudaMemAllocationTypePinned;
	p.alloc.poolProps.location = {cudaMemLocationTypeDevice, 0};
	p.alloc.bytesize = 1 << 20;
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphCreate(&other, 0));
	OK(cudaGraphAddEmptyNode(&alien, other, NULL, 0));
	OK(cudaMemGetInfo(&before, &total));
	FAILS(cudaErrorInvalidValue, cudaGraphAddNode(&node, graph, &alien, NULL, 1, &p));
	OK(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &p));
	FAILS(cudaErrorInvalidValue, cudaGraphNodeSetParams(node, &p));
	OK(cudaMemGetInfo(&after, &total));
	CHECK(before - after == p.alloc.bytesize);
	OK(cudaGraphDestroy(graph));
	OK(cudaGraphDestroy(other));
	OK(cudaMemGetInfo(&after, &total));
	CHECK(before == after);
	(void)cudaGetLastError();
}

int
main()
{
	cudaMemPool_t pool, own;
	cudaStream_t stream;
	int *a, *b, got[2];
	unsigned long long used, threshold = 1 << 20;
	OK(cudaStreamCreate(&stream));
	OK(cudaDeviceGetDefaultMemPool(&pool, 0));
	OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
	OK(cudaMallocAsync(&a, 1024 * sizeof *a, stream));
	fill<<<8, 128, 0, stream>>>(a, 3);
	OK(cudaMemcpyAsync(got, a + 1023, sizeof *a, cudaMemcpyDeviceToHost, stream));
	OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
	CHECK(used >= 4096);
	OK(cudaFreeAsync(a, stream));
	OK(cudaStreamSynchronize(stream));
	CHECK(got[0] == 3);
	OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
	CHECK(used == 0);
	OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &used));
	CHECK(used >= 4096);

	cudaMemPoolProps props = {};
	props.allocType = cudaMemAllocationTypePinned;
	props.location = {cudaMemLocationTypeDevice, 0};
	OK(cudaMemPoolCreate(&own, &props));
	OK(cudaMallocFromPoolAsync(&b, 4096, own, stream));
	fill<<<1, 128, 0, stream>>>(b, 9);
	OK(cudaMemcpy(got, b, sizeof got, cudaMemcpyDeviceToHost));
	CHECK(got[0] == 9 && got[1] == 9);
	OK(cudaFree(b));
	OK(cudaMemPoolTrimTo(own, 0));
	OK(cudaMemPoolDestroy(own));
	FAILS(cudaErrorInvalidValue, cudaMemPoolDestroy(own));
	left_by_a_graph(stream);
	refused();
	return passed();
}
