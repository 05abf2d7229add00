// Memory in stream order.
#include "check.h"

__global__ void
fill(int *p, int value)
{
	p[blockIdx.x * blockDim.x + threadIdx.x] = value;
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
	return passed();
}
