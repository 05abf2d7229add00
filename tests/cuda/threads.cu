// Threads of the host share the device: each launches, copies and checks its own.
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

int
main()
{
	std::vector<std::thread> threads;
	for (int i = 0; i < 8; i++)
		threads.emplace_back(work, 10 * i);
	for (std::thread &t : threads)
		t.join();
	OK(cudaGetLastError());
	return passed();
}
