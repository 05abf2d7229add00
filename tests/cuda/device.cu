// What the device says of itself agrees with itself.
#include <cstdint>
#include <cstring>
#include "check.h"

__global__ void
work(float *p)
{
	__shared__ float s[256];
	s[threadIdx.x] = p[threadIdx.x];
	__syncthreads();
	p[threadIdx.x] = s[255 - threadIdx.x];
}

// more values at once than 512 threads have registers for
__global__ void __launch_bounds__(512)
wide(float *p)
{
	float v[200], sum = 0;
#pragma unroll
	for (int i = 0; i < 200; i++)
		v[i] = p[threadIdx.x * 200 + i];
	__syncthreads();
#pragma unroll
	for (int i = 199; i >= 0; i--)
		sum = sum * 0.5f + v[i];
	p[threadIdx.x] = sum;
}

static int
attribute(cudaDeviceAttr a)
{
	int v;
	OK(cudaDeviceGetAttribute(&v, a, 0));
	return v;
}

int
main(int argc, char **)
{
	int n, version;
	cudaDeviceProp p;
	OK(cudaGetDeviceCount(&n));
	CHECK(n == 1);
	memset(&p, 0xff, sizeof p);
	OK(cudaGetDeviceProperties(&p, 0));
	FAILS(cudaErrorInvalidDevice, cudaGetDeviceProperties(&p, 1));
	if (argc > 1)
		std::printf(
		    "%d SMs, %d threads, %zu bytes shared, %zu MiB, %d bytes of L2, %d bits\n",
		    p.multiProcessorCount, p.maxThreadsPerMultiProcessor,
		    p.sharedMemPerMultiprocessor, p.totalGlobalMem >> 20, p.l2CacheSize,
		    p.memoryBusWidth);
	CHECK(p.name[0] && strlen(p.name) < sizeof p.name);
	CHECK(p.warpSize == 32 && p.maxThreadsPerBlock == 1024 && p.major >= 5);
	CHECK(p.warpSize == attribute(cudaDevAttrWarpSize));
	CHECK(p.major == attribute(cudaDevAttrComputeCapabilityMajor));
	CHECK(p.minor == attribute(cudaDevAttrComputeCapabilityMinor));
	CHECK(p.multiProcessorCount == attribute(cudaDevAttrMultiProcessorCount));
	CHECK((int)p.sharedMemPerBlock == attribute(cudaDevAttrMaxSharedMemoryPerBlock));
	CHECK((int)p.sharedMemPerBlockOptin == attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
	CHECK((int)p.sharedMemPerMultiprocessor ==
	      attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
	CHECK(p.regsPerMultiprocessor == attribute(cudaDevAttrMaxRegistersPerMultiprocessor));
	CHECK(p.maxThreadsPerMultiProcessor == attribute(cudaDevAttrMaxThreadsPerMultiProcessor));
	CHECK(p.maxGridSize[0] == attribute(cudaDevAttrMaxGridDimX) && p.maxGridSize[1] == 65535);
	CHECK(p.maxThreadsDim[2] == attribute(cudaDevAttrMaxBlockDimZ));
	CHECK(p.l2CacheSize == attribute(cudaDevAttrL2CacheSize));
	CHECK(p.persistingL2CacheMaxSize == attribute(cudaDevAttrMaxPersistingL2CacheSize));
	CHECK(p.persistingL2CacheMaxSize > 0 && p.persistingL2CacheMaxSize < p.l2CacheSize);
	CHECK(p.accessPolicyMaxWindowSize == attribute(cudaDevAttrMaxAccessPolicyWindowSize));
	CHECK(attribute(cudaDevAttrCooperativeLaunch) == 1 && p.managedMemory == 1);
	CHECK(attribute(cudaDevAttrClockRate) > 0 && p.totalConstMem == 65536);
	FAILS(cudaErrorInvalidValue, cudaDeviceGetAttribute(&n, (cudaDeviceAttr)0, 0));
	OK(cudaRuntimeGetVersion(&version));
	CHECK(version == CUDART_VERSION);
	OK(cudaDriverGetVersion(&n));
	CHECK(n >= version);

	cudaFuncAttributes a;
	OK(cudaFuncGetAttributes(&a, work));
	CHECK(a.sharedSizeBytes == 1024 && a.maxThreadsPerBlock == 1024 && a.numRegs > 0);
	int by_256, by_1024, grid, block;
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&by_256, work, 256, 0));
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&by_1024, work, 1024, 0));
	CHECK(by_256 * 256 <= p.maxThreadsPerMultiProcessor && by_256 >= by_1024 && by_1024 >= 1);
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, work, 64, 40 << 10));
	CHECK(n == (int)(p.sharedMemPerMultiprocessor / ((41 << 10) + 1024)));
	OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, work));
	CHECK(block > 0 && block <= 1024 && grid % p.multiProcessorCount == 0);
	OK(cudaFuncGetAttributes(&a, wide));
	CHECK(a.maxThreadsPerBlock == 512 && a.numRegs > 0 && a.numRegs <= 128);
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, wide, 512, 0));
	CHECK(n >= 1);
	size_t room, limit;
	OK(cudaOccupancyAvailableDynamicSMemPerBlock(&room, work, 4, 256));
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, work, 256, room));
	CHECK(n >= 4);
	OK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
	FAILS(cudaErrorInvalidValue, cudaDeviceSetLimit(cudaLimitStackSize, SIZE_MAX));
	FAILS(cudaErrorMemoryAllocation, cudaDeviceSetLimit(cudaLimitMallocHeapSize, SIZE_MAX));
	FAILS(cudaErrorMemoryAllocation, cudaDeviceSetLimit(cudaLimitPrintfFifoSize, SIZE_MAX));
	OK(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
	CHECK(limit == 4096);
	char id[32];
	OK(cudaDeviceGetPCIBusId(id, sizeof id, 0));
	OK(cudaDeviceGetByPCIBusId(&n, id));
	CHECK(n == 0);
	OK(cudaDeviceCanAccessPeer(&n, 0, 0));
	CHECK(n == 0);
	FAILS(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(1, 0));
	return passed();
}
