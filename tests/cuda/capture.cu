// Capture: work of several streams becomes a graph; what breaks one.
#include <vector>
#include "check.h"

__global__ void
add(int *p, int n, int plus)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		p[i] += plus;
}

static int calls;

static void CUDART_CB
call(void *)
{
	calls++;
}

static void
one_and_its_fork(cudaStream_t a, cudaStream_t b)
{
	const int n = 2000;
	int *x, *y;
	std::vector<int> hx(n), hy(n);
	cudaEvent_t fork, join;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaStreamCaptureStatus status;
	size_t nodes;
	OK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
	OK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
	OK(cudaMalloc(&x, n * sizeof(int)));
	OK(cudaMalloc(&y, n * sizeof(int)));
	OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
	OK(cudaMemsetAsync(x, 0, n * sizeof(int), a));
	OK(cudaEventRecord(fork, a));
	OK(cudaStreamWaitEvent(b, fork, 0));
	OK(cudaStreamIsCapturing(b, &status));
	CHECK(status == cudaStreamCaptureStatusActive);
	OK(cudaMemsetAsync(y, 0, n * sizeof(int), b));
	for (int k = 1; k <= 4; k++) {
		add<<<8, 256, 0, a>>>(x, n, k);
		add<<<8, 256, 0, b>>>(y, n, 10 * k);
	}
	OK(cudaEventRecord(join, b));
	OK(cudaStreamWaitEvent(a, join, 0));
	OK(cudaLaunchHostFunc(a, call, NULL));
	OK(cudaMemcpyAsync(hx.data(), x, n * sizeof(int), cudaMemcpyDeviceToHost, a));
	OK(cudaMemcpyAsync(hy.data(), y, n * sizeof(int), cudaMemcpyDeviceToHost, a));
	CHECK(calls == 0);
	OK(cudaStreamEndCapture(a, &graph));
	OK(cudaGraphGetNodes(graph, NULL, &nodes));
	CHECK(nodes == 13);
	OK(cudaGraphInstantiate(&exec, graph, 0));
	for (int k = 0; k < 2; k++)
		OK(cudaGraphLaunch(exec, a));
	OK(cudaStreamSynchronize(a));
	CHECK(calls == 2 && hx[n - 1] == 10 && hy[0] == 100);
	OK(cudaStreamIsCapturing(b, &status));
	CHECK(status == cudaStreamCaptureStatusNone);
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
	OK(cudaFree(x));
	OK(cudaFree(y));
}

/* A stream that the origin has waited for may go before the capture ends. */
static void
fork_that_goes(cudaStream_t a)
{
	int *x, got[2];
	cudaStream_t b;
	cudaEvent_t e;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	OK(cudaMalloc(&x, 2 * sizeof(int)));
	OK(cudaEventCreate(&e));
	OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
	OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
	OK(cudaMemsetAsync(x, 1, 4, a));
	OK(cudaEventRecord(e, a));
	OK(cudaStreamWaitEvent(b, e, 0));
	OK(cudaMemsetAsync(x + 1, 2, 4, b));
	OK(cudaEventRecord(e, b));
	OK(cudaStreamWaitEvent(a, e, 0));
	OK(cudaStreamDestroy(b));
	OK(cudaEventDestroy(e));
	OK(cudaStreamEndCapture(a, &graph));
	OK(cudaGraphInstantiate(&exec, graph, 0));
	OK(cudaGraphLaunch(exec, a));
	OK(cudaMemcpyAsync(got, x, sizeof got, cudaMemcpyDeviceToHost, a));
	OK(cudaStreamSynchronize(a));
	CHECK(got[0] == 0x01010101 && got[1] == 0x02020202);
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
	OK(cudaFree(x));
}

static void
broken(cudaStream_t a, cudaStream_t b)
{
	cudaGraph_t graph = (cudaGraph_t)1;
	cudaEvent_t e;
	int *p;
	OK(cudaMalloc(&p, 256));
	OK(cudaEventCreate(&e));
	FAILS(cudaErrorStreamCaptureUnsupported,
	    cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeGlobal));

	OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
	FAILS(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(a));
	FAILS(cudaErrorStreamCaptureInvalidated, cudaMemsetAsync(p, 0, 4, a));
	FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(a, &graph));
	CHECK(!graph);

	OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
	OK(cudaMemsetAsync(p, 0, 4, a));
	OK(cudaEventRecord(e, a));
	FAILS(cudaErrorCapturedEvent, cudaEventSynchronize(e));
	OK(cudaStreamWaitEvent(b, e, 0));
	OK(cudaMemsetAsync(p, 0, 4, b));
	FAILS(cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(a, &graph));

	OK(cudaEventRecord(e, b));
	OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
	FAILS(cudaErrorStreamCaptureIsolation, cudaStreamWaitEvent(a, e, 0));
	FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(a, &graph));
	(void)cudaGetLastError();
	OK(cudaFree(p));
}

int
main()
{
	cudaStream_t a, b;
	OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
	OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
	one_and_its_fork(a, b);
	fork_that_goes(a);
	broken(a, b);
	return passed();
}
