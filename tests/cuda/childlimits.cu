// nvcc -rdc=true -gencode arch=compute_75,code=compute_75
// Nesting to depth 24, launches that are refused, a chain of tail launches, and what a failure of a
// child is for the host.
#include "check.h"

struct report {
	int depth, refused_at, error;
	int cells[200];
};

__global__ void
chain(report *r, int depth)
{
	r->depth = depth;
	chain<<<1, 1>>>(r, depth + 1);
	const cudaError_t e = cudaGetLastError();
	if (e != cudaSuccess) {
		r->refused_at = depth;
		r->error = e;
	}
}

__global__ void
step(report *r, int n)
{
	if (n)
		r->cells[n] = r->cells[n - 1] + 1;
	if (n < 199)
		step<<<1, 1, 0, cudaStreamTailLaunch>>>(r, n + 1);
}

__global__ void
bad(report *r, int n)
{
	if (n)
		bad<<<1, n - 1 ? 1 : 2000>>>(r, n - 1);
	if (cudaGetLastError() == cudaErrorInvalidConfiguration)
		r->error = -n;
}

__global__ void
wild(int *p, int n)
{
	if (n)
		wild<<<1, 1>>>(p, n - 1);
	else
		*p = 1;
}

__global__ void
ask(report *r)
{
	cudaDeviceGetAttribute(&r->cells[0], cudaDevAttrMultiProcessorCount, 0);
	cudaDeviceGetAttribute(&r->cells[1], cudaDevAttrMaxThreadsPerMultiProcessor, 0);
}

int
main()
{
	report *d, r;
	OK(cudaMalloc(&d, sizeof *d));
	OK(cudaMemset(d, 0, sizeof *d));
	chain<<<1, 1>>>(d, 0);
	OK(cudaDeviceSynchronize());
	step<<<1, 1>>>(d, 0);
	OK(cudaMemcpy(&r, d, sizeof r, cudaMemcpyDeviceToHost));
	CHECK(r.depth == 24);
	CHECK(r.refused_at == 24);
	CHECK(r.error == cudaErrorLaunchMaxDepthExceeded);
	for (int i = 0; i < 200; i++)
		CHECK(r.cells[i] == i);
	ask<<<1, 1>>>(d);
	OK(cudaMemcpy(&r, d, sizeof r, cudaMemcpyDeviceToHost));
	int value;
	OK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
	CHECK(r.cells[0] == value);
	OK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerMultiProcessor, 0));
	CHECK(r.cells[1] == value);
	bad<<<1, 1>>>(d, 3);
	OK(cudaMemcpy(&r, d, sizeof r, cudaMemcpyDeviceToHost));
	CHECK(r.error == -1);
	wild<<<1, 1>>>(reinterpret_cast<int *>(64), 2);
	FAILS(cudaErrorIllegalAddress, cudaDeviceSynchronize());
	return passed();
}
