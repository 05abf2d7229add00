// Errors: what is returned, what stays, what a bad kernel does to those after it.
#include <cstring>
#include "check.h"

__global__ void
nothing(void)
{
}

__global__ void __launch_bounds__(64) bounded(int *p)
{
	if (p)
		*p = 1;
}

__global__ void
wild(int *p)
{
	p[1 << 28] = 1;
}

__global__ void
shared_hungry(void)
{
	extern __shared__ int s[];
	s[threadIdx.x] = 1;
}

// Products and sums of sizes that come out small in 64 bits.
static void
sizes_that_wrap(void)
{
	const size_t most = (size_t)-1;
	char host[64] = {0}, *p;
	size_t pitch;
	cudaArray_t a;
	cudaMemcpy3DParms part = {};
	const cudaChannelFormatDesc word = {32, 0, 0, 0, cudaChannelFormatKindUnsigned};
	FAILS(cudaErrorMemoryAllocation, cudaMallocPitch(&p, &pitch, most, 4));
	FAILS(cudaErrorInvalidValue, cudaMemcpy(host, host + 10, most, cudaMemcpyHostToHost));
	OK(cudaMalloc(&p, 64));
	FAILS(cudaErrorInvalidValue,
	    cudaMemcpy2D(p, 64, host, 64, 64, (most >> 6) + 2, cudaMemcpyHostToDevice));
	OK(cudaMallocArray(&a, &word, 4, 4));
	part.srcPtr = make_cudaPitchedPtr(host, 4, 4, 1);
	part.dstArray = a;
	part.kind = cudaMemcpyHostToDevice;
	part.extent = make_cudaExtent(1, 1, 1);
	OK(cudaMemcpy3D(&part));
	part.dstPos.y = most;
	FAILS(cudaErrorInvalidValue, cudaMemcpy3D(&part));
	part.dstPos = make_cudaPos((most >> 2) + 1, 0, 0);
	FAILS(cudaErrorInvalidValue, cudaMemcpy3D(&part));
	part.dstPos = make_cudaPos(0, 0, 0);
	part.extent.width = (most >> 2) + 2;
	FAILS(cudaErrorInvalidValue, cudaMemcpy3D(&part));
	OK(cudaFreeArray(a));
	OK(cudaFree(p));
}

int
main()
{
	CHECK(!strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue"));
	CHECK(!strcmp(cudaGetErrorString(cudaErrorIllegalAddress),
	    "an illegal memory access was encountered"));
	CHECK(!strcmp(cudaGetErrorString(cudaSuccess), "no error"));
	CHECK(!strcmp(cudaGetErrorName((cudaError_t)12345), "unrecognized error code"));

	nothing<<<0, 32>>>();
	FAILS(cudaErrorInvalidConfiguration, cudaPeekAtLastError());
	FAILS(cudaErrorInvalidConfiguration, cudaGetLastError());
	OK(cudaGetLastError());
	nothing<<<1, 0>>>();
	FAILS(cudaErrorInvalidConfiguration, cudaGetLastError());
	nothing<<<1, 1025>>>();
	FAILS(cudaErrorInvalidConfiguration, cudaGetLastError());
	nothing<<<1, dim3(1, 1, 65)>>>();
	FAILS(cudaErrorInvalidConfiguration, cudaGetLastError());
	nothing<<<dim3(1, 65536), 1>>>();
	FAILS(cudaErrorInvalidConfiguration, cudaGetLastError());
	bounded<<<1, 65>>>(NULL);
	CHECK(cudaGetLastError() != cudaSuccess);
	shared_hungry<<<1, 32, 64 << 10>>>();
	FAILS(cudaErrorInvalidValue, cudaGetLastError());
	OK(cudaFuncSetAttribute(
	    shared_hungry, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10));
	shared_hungry<<<1, 32, 64 << 10>>>();
	OK(cudaGetLastError());
	OK(cudaDeviceSynchronize());
	FAILS(cudaErrorInvalidDevice, cudaSetDevice(7));
	FAILS(cudaErrorInvalidDevice, cudaGetLastError());
	FAILS(cudaErrorInvalidValue, cudaLaunchKernel((void *)wild, 1, 1, NULL, 0, 0));
	sizes_that_wrap();
	cudaGetLastError();

	// A wild access: the launch succeeds, everything after it fails.
	int *p, x;
	OK(cudaMalloc(&p, 4));
	wild<<<1, 32>>>(p);
	FAILS(cudaErrorIllegalAddress, cudaDeviceSynchronize());
	FAILS(cudaErrorIllegalAddress, cudaGetLastError());
	FAILS(cudaErrorIllegalAddress, cudaMemcpy(&x, p, 4, cudaMemcpyDeviceToHost));
	FAILS(cudaErrorIllegalAddress, cudaMalloc(&p, 4));
	FAILS(cudaErrorIllegalAddress, cudaGetLastError());
	OK(cudaDeviceReset());
	OK(cudaGetLastError());
	nothing<<<1, 1>>>();
	OK(cudaDeviceSynchronize());
	return passed();
}
