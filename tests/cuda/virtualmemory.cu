// Virtual memory: addresses and memory apart from each other, the same memory in two places, growth
// in place, files of it. With an argument a kernel uses what is reserved and not mapped.
#include <unistd.h>
#include <vector>
#include "driver.h"

__global__ void
count_up(unsigned *p, unsigned n, unsigned plus)
{
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		p[i] += i + plus;
}

static CUmemAllocationProp property;
static CUmemAccessDesc both;
static size_t granule;

static CUmemGenericAllocationHandle
create(size_t bytes)
{
	CUmemGenericAllocationHandle handle;
	CALL(cuMemCreate, &handle, bytes, &property, 0);
	return handle;
}

static void
map(CUdeviceptr at, size_t bytes, CUmemGenericAllocationHandle handle)
{
	CALL(cuMemMap, at, bytes, 0, handle, 0);
	CALL(cuMemSetAccess, at, bytes, &both, 1);
}

static unsigned
word_at(CUdeviceptr p)
{
	unsigned got;
	CALL(cuMemcpyDtoH, &got, p, 4);
	return got;
}

/* Two pieces of memory side by side are one to a kernel; then there is a third. */
static void
grows()
{
	CUdeviceptr p, more, base;
	size_t before, after, total, bytes;
	CUmemGenericAllocationHandle handle[2];
	CALL(cuMemGetInfo, &before, &total);
	CALL(cuMemAddressReserve, &p, 2 * granule, 0, 0, 0);
	handle[0] = create(granule);
	handle[1] = create(granule);
	CALL(cuMemGetInfo, &after, &total);
	CHECK(before - after == 2 * granule);
	map(p, granule, handle[0]);
	map(p + granule, granule, handle[1]);
	CALL(cuMemRelease, handle[0]); /* the mapping keeps it */
	unsigned n = 2 * granule / 4;
	CALL(cuMemsetD32, p, 3, n);
	count_up<<<64, 256>>>((unsigned *)p, n, 1);
	OK(cudaDeviceSynchronize());
	CHECK(word_at(p) == 4 && word_at(p + granule) == granule / 4 + 4);
	std::vector<unsigned> host(n);
	OK(cudaMemcpy(host.data(), (void *)p, 2 * granule, cudaMemcpyDeviceToHost));
	CHECK(host[n - 1] == n - 1 + 4);
	CALL(cuMemGetAddressRange, &base, &bytes, p + granule + 12);
	CHECK(base == p + granule && bytes == granule);
	cudaPointerAttributes a;
	OK(cudaPointerGetAttributes(&a, (void *)p));
	CHECK(a.type == cudaMemoryTypeDevice && a.devicePointer == (void *)p);
	CALL(cuMemAddressReserve, &more, granule, 0, p + 2 * granule, 0);
	CHECK(more == p + 2 * granule);
	REFUSES(CUDA_ERROR_INVALID_VALUE, cuMemsetD32, p, 0, n + 1);
	REFUSES(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree, p, 2 * granule);
	REFUSES(CUDA_ERROR_INVALID_VALUE, cuMemUnmap, p, granule / 2);
	CALL(cuMemUnmap, p, 2 * granule);
	REFUSES(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD, p, &n, 4);
	CALL(cuMemRelease, handle[1]);
	REFUSES(CUDA_ERROR_INVALID_VALUE, cuMemRelease, handle[1]);
	CALL(cuMemAddressFree, p, 2 * granule);
	CALL(cuMemAddressFree, more, granule);
	CALL(cuMemGetInfo, &after, &total);
	CHECK(before == after);
}

/* The same memory in two places, one of them by way of a file, and part of it elsewhere. */
static void
places()
{
	CUdeviceptr p;
	CUmemGenericAllocationHandle handle = create(2 * granule), again, imported;
	CUmemAllocationProp is;
	unsigned long long access;
	int file;
	CALL(cuMemAddressReserve, &p, 5 * granule, 4 * granule, 0, 0);
	CHECK(p % (4 * granule) == 0);
	map(p, 2 * granule, handle);
	CALL(cuMemExportToShareableHandle, &file, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
	    0);
	CALL(cuMemImportFromShareableHandle, &imported, (void *)(intptr_t)file,
	    CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
	CHECK(close(file) == 0);
	map(p + 2 * granule, 2 * granule, imported);
	CALL(cuMemMap, p + 4 * granule, granule, granule, handle, 0);
	REFUSES(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD, p + 4 * granule, &file, 4);
	CALL(cuMemGetAccess, &access, &both.location, p + 4 * granule);
	CHECK(access == CU_MEM_ACCESS_FLAGS_PROT_NONE);
	CALL(cuMemSetAccess, p, 5 * granule, &both, 1);
	CALL(cuMemGetAccess, &access, &both.location, p + 4 * granule + 5);
	CHECK(access == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	CALL(cuMemsetD32, p, 0, granule / 2);
	count_up<<<1, 32>>>((unsigned *)(p + 3 * granule), 100, 7);
	OK(cudaDeviceSynchronize());
	CHECK(word_at(p + granule + 8) == 9 && word_at(p + 4 * granule + 8) == 9);
	CALL(cuMemRetainAllocationHandle, &again, (void *)(p + granule));
	CHECK(again == handle);
	CALL(cuMemRelease, again);
	CALL(cuMemGetAllocationPropertiesFromHandle, &is, handle);
	CHECK(is.requestedHandleTypes == property.requestedHandleTypes);
	REFUSES(CUDA_ERROR_INVALID_VALUE, cuMemMap, p, granule, 0, handle, 0); /* there is one */
	CALL(cuMemUnmap, p, 5 * granule);
	CALL(cuMemRelease, handle);
	CALL(cuMemRelease, imported);
	CALL(cuMemAddressFree, p, 5 * granule);
}

/* What is given back too often, freed otherwise, or nowhere to be had. */
static void
misuse()
{
	CUdeviceptr p, q;
	CUmemGenericAllocationHandle handle = create(granule), again;
	CALL(cuMemAddressReserve, &p, granule, 0, 0, 0);
	REFUSES(CUDA_ERROR_OUT_OF_MEMORY, cuMemAddressReserve, &q, granule, 1ull << 63, 0, 0);
	REFUSES(CUDA_ERROR_OUT_OF_MEMORY, cuMemAddressReserve, &q, 1ull << 62, 0, 0, 0);
	CALL(cuMemAddressReserve, &q, granule, 0, 0x7f0000000000, 0);
	CHECK(q > p && q - p < 1ull << 30);
	map(p, granule, handle);
	CALL(cuMemRelease, handle);
	REFUSES(CUDA_ERROR_INVALID_VALUE, cuMemRelease, handle);
	REFUSES(CUDA_ERROR_INVALID_VALUE, cuMemMap, q, granule, 0, handle, 0);
	FAILS(cudaErrorInvalidValue, cudaIpcCloseMemHandle((void *)p));
	FILE *file = tmpfile();
	CHECK(file && ftruncate(fileno(file), (off_t)granule) == 0);
	REFUSES(CUDA_ERROR_INVALID_VALUE, cuMemImportFromShareableHandle, &again,
	    (void *)(intptr_t)fileno(file), CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
	CHECK(fclose(file) == 0);
	CALL(cuMemsetD32, p, 5, 1);
	CALL(cuMemRetainAllocationHandle, &again, (void *)p);
	CALL(cuMemUnmap, p, granule);
	map(q, granule, again);
	CHECK(word_at(q) == 5);
	CALL(cuMemUnmap, q, granule);
	CALL(cuMemRelease, again);
	CALL(cuMemAddressFree, p, granule);
	CALL(cuMemAddressFree, q, granule);
}

static void
goes_astray()
{
	CUdeviceptr p;
	CALL(cuMemAddressReserve, &p, 2 * granule, 0, 0, 0);
	map(p, granule, create(granule));
	count_up<<<1, 32>>>((unsigned *)(p + granule), 32, 0);
	FAILS(cudaErrorIllegalAddress, cudaDeviceSynchronize());
}

int
main(int n, char **)
{
	int able;
	CUmemAllocationProp wrong;
	driver_open();
	OK(cudaFree(0));
	CALL(cuDeviceGetAttribute, &able, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
	    0);
	CHECK(able == 1);
	property.type = CU_MEM_ALLOCATION_TYPE_PINNED;
	property.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
	property.location = both.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
	both.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	CALL(cuMemGetAllocationGranularity, &granule, &property, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
	CHECK(granule >= 1 << 16);
	if (n > 1) {
		goes_astray();
		return passed();
	}
	CUmemGenericAllocationHandle none;
	REFUSES(CUDA_ERROR_INVALID_VALUE, cuMemCreate, &none, granule + 4096, &property, 0);
	wrong = property;
	wrong.location.id = 3;
	REFUSES(CUDA_ERROR_INVALID_DEVICE, cuMemCreate, &none, granule, &wrong, 0);
	grows();
	places();
	misuse();
	return passed();
}
