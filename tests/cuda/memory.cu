// Memory of every kind: what its pointers are, who may use it, how it is freed.
#include <cstring>
#include <vector>
#include "check.h"

__global__ void
increment(int *p, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		p[i]++;
}

static void
kind(const void *p, cudaMemoryType type)
{
	cudaPointerAttributes a;
	OK(cudaPointerGetAttributes(&a, p));
	CHECK(a.type == type);
	CHECK((a.devicePointer == p) == (type != cudaMemoryTypeUnregistered));
	CHECK(a.hostPointer == (type == cudaMemoryTypeDevice ? NULL : p));
}

int
main()
{
	const int n = 1000;
	size_t before, after, total;
	int *device, *managed, *pinned, *mapped, *view;
	OK(cudaMemGetInfo(&before, &total));
	OK(cudaMalloc(&device, n * sizeof(int)));
	OK(cudaMemGetInfo(&after, &total));
	CHECK(after < before && total >= before);
	CHECK((size_t)device % 256 == 0);
	OK(cudaMallocManaged(&managed, n * sizeof(int)));
	OK(cudaMallocHost(&pinned, n * sizeof(int)));
	OK(cudaHostAlloc(&mapped, n * sizeof(int), cudaHostAllocMapped));
	std::vector<int> own(n, 5), plain(n);
	OK(cudaHostRegister(own.data(), n * sizeof(int), cudaHostRegisterMapped));
	FAILS(cudaErrorHostMemoryAlreadyRegistered,
	    cudaHostRegister(own.data(), n * sizeof(int), cudaHostRegisterMapped));
	kind(device, cudaMemoryTypeDevice);
	kind(device + 10, cudaMemoryTypeDevice);
	kind(managed, cudaMemoryTypeManaged);
	kind(pinned, cudaMemoryTypeHost);
	kind(mapped, cudaMemoryTypeHost);
	kind(own.data(), cudaMemoryTypeHost);
	kind(plain.data(), cudaMemoryTypeUnregistered);

	OK(cudaMemset(device, 0, n * sizeof(int)));
	for (int i = 0; i < n; i++)
		managed[i] = pinned[i] = mapped[i] = i;
	OK(cudaHostGetDevicePointer(&view, mapped, 0));
	increment<<<4, 256>>>(device, n);
	increment<<<4, 256>>>(managed, n);
	increment<<<4, 256>>>(pinned, n);
	increment<<<4, 256>>>(view, n);
	increment<<<4, 256>>>(own.data(), n);
	OK(cudaDeviceSynchronize());
	OK(cudaMemcpy(plain.data(), device, n * sizeof(int), cudaMemcpyDefault));
	for (int i = 0; i < n; i++)
		CHECK(plain[i] == 1 && managed[i] == i + 1 && pinned[i] == i + 1 &&
		      mapped[i] == i + 1 && own[i] == 6);

	int device_id, value;
	OK(cudaMemAdvise(managed, n * sizeof(int), cudaMemAdviseSetReadMostly,
	    cudaMemLocation{cudaMemLocationTypeDevice, 0}));
	OK(cudaMemRangeGetAttribute(
	    &value, sizeof value, cudaMemRangeAttributeReadMostly, managed, n * sizeof(int)));
	CHECK(value == 1);
	OK(cudaGetDevice(&device_id));
	OK(cudaMemPrefetchAsync(
	    managed, n * sizeof(int), cudaMemLocation{cudaMemLocationTypeDevice, device_id}, 0));

	OK(cudaHostUnregister(own.data()));
	FAILS(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(own.data()));
	OK(cudaFree(device));
	FAILS(cudaErrorInvalidValue, cudaFree(device + 1));
	OK(cudaFree(NULL));
	OK(cudaFree(managed));
	OK(cudaFreeHost(pinned));
	OK(cudaFreeHost(mapped));
	OK(cudaMemGetInfo(&after, &total));
	CHECK(after == before);
	FAILS(cudaErrorMemoryAllocation, cudaMalloc(&device, total + 1));
	FAILS(cudaErrorMemoryAllocation, cudaGetLastError());
	FAILS(cudaSuccess, cudaGetLastError());
	return passed();
}
