// Threads of the host share the device: each launches, copies and checks its own.
#include <future>
#include <thread>
#include <vector>
#include "check.h"

__global__ void
square(int *p, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		p[i] *= p[i];
}

static void
work(int seed)
{
	const int n = 500;
	cudaStream_t stream;
	int *p;
	OK(cudaSetDevice(0));
	OK(cudaStreamCreate(&stream));
	for (int round = 0; round < 10; round++) {
		std::vector<int> h(n);
		for (int i = 0; i < n; i++)
			h[i] = seed + i;
		OK(cudaMalloc(&p, n * sizeof(int)));
		OK(cudaMemcpyAsync(p, h.data(), n * sizeof(int), cudaMemcpyHostToDevice, stream));
		square<<<2, 256, 0, stream>>>(p, n);
		OK(cudaMemcpyAsync(h.data(), p, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
		OK(cudaStreamSynchronize(stream));
		for (int i = 0; i < n; i++)
			CHECK(h[i] == (seed + i) * (seed + i));
		OK(cudaFree(p));
	}
	FAILS(cudaErrorInvalidDevice, cudaSetDevice(seed + 1));
	FAILS(cudaErrorInvalidDevice, cudaGetLastError());
	OK(cudaStreamDestroy(stream));
}

static std::promise<void> entered, left;

static void
linger(void *)
{
	entered.set_value();
	left.get_future().wait();
}

/* A graph goes on that another thread destroys meanwhile, and its stream. */
static void
destroyed_meanwhile()
{
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaGraphNode_t first, second;
	cudaStream_t stream;
	int *p, n = 1;
	cudaHostNodeParams host = {linger, NULL};
	OK(cudaMallocManaged(&p, sizeof *p));
	*p = 7;
	void *args[] = {&p, &n};
	cudaKernelNodeParams kernel = {(void *)square, dim3(1), dim3(1), 0, args, NULL};
	OK(cudaStreamCreate(&stream));
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphAddHostNode(&first, graph, NULL, 0, &host));
	OK(cudaGraphAddKernelNode(&second, graph, &first, 1, &kernel));
	OK(cudaGraphInstantiate(&exec, graph, 0));
	std::thread launches([=] { OK(cudaGraphLaunch(exec, stream)); });
	entered.get_future().wait();
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
	OK(cudaStreamDestroy(stream));
	left.set_value();
	launches.join();
	OK(cudaDeviceSynchronize());
	CHECK(*p == 49);
	OK(cudaFree(p));
}

int
main()
{
	std::vector<std::thread> threads;
	for (int i = 0; i < 8; i++)
		threads.emplace_back(work, 10 * i);
	for (std::thread &t : threads)
		t.join();
	destroyed_meanwhile();
	OK(cudaGetLastError());
	return passed();
}
