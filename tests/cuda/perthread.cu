// nvcc -default-stream per-thread
// Each thread's own default stream: it can be captured, and waiting for it is waiting for the
// thread.
#include <thread>
#include "driver.h"

__global__ void
add(int *p, int v)
{
	atomicAdd(p, v);
}

static void
work(int *p, int v)
{
	unsigned long long id;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	OK(cudaStreamGetId(0, &id));
	CHECK(id != 0);
	OK(cudaStreamBeginCapture(0, cudaStreamCaptureModeThreadLocal));
	add<<<1, 32>>>(p, v);
	OK(cudaStreamEndCapture(0, &graph));
	OK(cudaGraphInstantiate(&exec, graph, 0));
	OK(cudaGraphLaunch(exec, 0));
	OK(cudaStreamSynchronize(0));
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
}

int
main()
{
	int *p, got = 1;
	OK(cudaMalloc(&p, sizeof *p));
	OK(cudaMemset(p, 0, sizeof *p));
	std::thread a(work, p, 1), b(work, p, 10);
	a.join();
	b.join();
	OK(cudaMemcpy(&got, p, sizeof got, cudaMemcpyDeviceToHost));
	CHECK(got == 32 * 11);
	/* the driver's calls of that kind have names of their own */
	driver_open();
	CALL(cuMemsetD32, (CUdeviceptr)p, 5, 1);
	CALL(cuMemcpyDtoHAsync, &got, (CUdeviceptr)p, sizeof got, 0);
	CALL(cuStreamSynchronize, 0);
	void *launch = NULL;
	CALL(cuGetProcAddress, "cuLaunchKernel", &launch, 13000, 0, NULL);
	CHECK(got == 5 && launch == dlsym(driver, "cuLaunchKernel_ptsz"));
	return passed();
}
