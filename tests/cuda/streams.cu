// Streams, events and functions of the host in the order they were given.
#include <unistd.h>
#include <vector>
#include "check.h"

__global__ void
scale(int *p, int n, int factor, int plus)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		p[i] = p[i] * factor + plus;
}

static std::vector<int> said;

static void CUDART_CB
say(void *what)
{
	said.push_back((int)(size_t)what);
}

static void CUDART_CB
say_status(cudaStream_t, cudaError_t status, void *what)
{
	said.push_back(status == cudaSuccess ? (int)(size_t)what : -1);
}

int
main()
{
	const int n = 5000;
	int *p, *host;
	cudaStream_t a, b, c;
	cudaEvent_t start, middle, stop, untimed;
	float ms;
	OK(cudaStreamCreate(&a));
	OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
	int least, greatest, priority;
	OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
	CHECK(least >= greatest);
	OK(cudaStreamCreateWithPriority(&c, cudaStreamNonBlocking, greatest));
	OK(cudaStreamGetPriority(c, &priority));
	CHECK(priority == greatest);
	unsigned flags;
	OK(cudaStreamGetFlags(b, &flags));
	CHECK(flags == cudaStreamNonBlocking);
	OK(cudaEventCreate(&start));
	OK(cudaEventCreate(&middle));
	OK(cudaEventCreateWithFlags(&stop, cudaEventBlockingSync));
	OK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
	FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, start, stop));
	(void)cudaGetLastError();

	OK(cudaMalloc(&p, n * sizeof *p));
	OK(cudaMallocHost(&host, n * sizeof *host));
	for (int i = 0; i < n; i++)
		host[i] = i;
	OK(cudaEventRecord(start, a));
	OK(cudaMemcpyAsync(p, host, n * sizeof *p, cudaMemcpyHostToDevice, a));
	scale<<<(n + 127) / 128, 128, 0, a>>>(p, n, 2, 0);
	OK(cudaLaunchHostFunc(a, say, (void *)1));
	OK(cudaEventRecord(middle, a));
	OK(cudaStreamWaitEvent(b, middle, 0));
	scale<<<(n + 127) / 128, 128, 0, b>>>(p, n, 1, 3);
	OK(cudaStreamAddCallback(b, say_status, (void *)2, 0));
	OK(cudaMemcpyAsync(host, p, n * sizeof *p, cudaMemcpyDeviceToHost, b));
	OK(cudaEventRecord(stop, b));
	OK(cudaEventSynchronize(stop));
	OK(cudaEventQuery(stop));
	for (int i = 0; i < n; i++)
		CHECK(host[i] == 2 * i + 3);
	CHECK(said == std::vector<int>({1, 2}));
	OK(cudaEventElapsedTime(&ms, start, stop));
	CHECK(ms > 0);
	usleep(2000);
	OK(cudaEventRecord(middle, a));
	OK(cudaEventSynchronize(middle));
	float longer;
	OK(cudaEventElapsedTime(&longer, start, middle));
	CHECK(longer >= ms + 1.9f);
	OK(cudaEventRecord(untimed));
	FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, start, untimed));

	OK(cudaStreamQuery(a));
	OK(cudaStreamSynchronize(a));
	OK(cudaStreamSynchronize(cudaStreamPerThread));
	OK(cudaStreamSynchronize(cudaStreamLegacy));
	OK(cudaStreamDestroy(a));
	FAILS(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(a));
	OK(cudaStreamDestroy(b));
	OK(cudaStreamDestroy(c));
	OK(cudaEventDestroy(start));
	FAILS(cudaErrorInvalidResourceHandle, cudaEventRecord(start));
	return passed();
}
