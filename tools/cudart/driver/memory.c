/* The driver's memory: the runtime's. Device addresses are numbers there and pointers here. */
#include <string.h>
#include "driver/driver.h"
#include "memory.h"
#include "queue/queue.h"

API int
cuMemGetInfo_v2(size_t *available, size_t *total)
{
	return DRIVER(cudaMemGetInfo(available, total));
}

API int
cuMemAlloc_v2(void **p, size_t bytes)
{
	return bytes ? DRIVER(cudaMalloc(p, bytes)) : CU_INVALID_VALUE;
}

API int
cuMemAllocPitch_v2(void **p, size_t *pitch, size_t width, size_t height, unsigned element)
{
	if (element != 4 && element != 8 && element != 16)
		return CU_INVALID_VALUE;
	return DRIVER(cudaMallocPitch(p, pitch, width, height));
}

API int
cuMemFree_v2(void *p)
{
	return DRIVER(cudaFree(p));
}

API int
cuMemAllocManaged(void **p, size_t bytes, unsigned flags)
{
	return DRIVER(cudaMallocManaged(p, bytes, flags));
}

API int
cuMemAllocHost_v2(void **p, size_t bytes)
{
	return DRIVER(cudaMallocHost(p, bytes));
}

API int
cuMemHostAlloc(void **p, size_t bytes, unsigned flags)
{
	return DRIVER(cudaHostAlloc(p, bytes, flags));
}

API int
cuMemFreeHost(void *p)
{
	return DRIVER(cudaFreeHost(p));
}

API int
cuMemHostRegister_v2(void *p, size_t bytes, unsigned flags)
{
	return DRIVER(cudaHostRegister(p, bytes, flags));
}

API int
cuMemHostRegister(void *p, size_t bytes, unsigned flags)
{
	return cuMemHostRegister_v2(p, bytes, flags);
}

API int
cuMemHostUnregister(void *p)
{
	return DRIVER(cudaHostUnregister(p));
}

API int
cuMemHostGetDevicePointer_v2(void **device, void *host, unsigned flags)
{
	return DRIVER(cudaHostGetDevicePointer(device, host, flags));
}

API int
cuMemHostGetFlags(unsigned *flags, void *host)
{
	return DRIVER(cudaHostGetFlags(flags, host));
}

API int
cuMemAllocAsync(void **p, size_t bytes, void *stream)
{
	return DRIVER(cudaMallocAsync(p, bytes, stream));
}

API int
cuMemAllocFromPoolAsync(void **p, size_t bytes, void *pool, void *stream)
{
	return DRIVER(cudaMallocFromPoolAsync(p, bytes, pool, stream));
}

API int
cuMemFreeAsync(void *p, void *stream)
{
	return DRIVER(cudaFreeAsync(p, stream));
}

API int
cuMemPrefetchAsync_v2(
    const void *p, size_t bytes, struct cu_mem_location where, unsigned flags, void *stream)
{
	return DRIVER(cudaMemPrefetchAsync(p, bytes, where, flags, stream));
}

/* Device or, -1, the host: cu_mem_location's types 1 and 2. */
static struct cu_mem_location
location(int device)
{
	return (struct cu_mem_location){.type = device < 0 ? 2 : 1, .id = device < 0 ? 0 : device};
}

API int
cuMemPrefetchAsync(const void *p, size_t bytes, int device, void *stream)
{
	return DRIVER(cudaMemPrefetchAsync(p, bytes, location(device), 0, stream));
}

API int
cuMemAdvise_v2(const void *p, size_t bytes, int advice, struct cu_mem_location where)
{
	return DRIVER(cudaMemAdvise(p, bytes, advice, where));
}

API int
cuMemAdvise(const void *p, size_t bytes, int advice, int device)
{
	return DRIVER(cudaMemAdvise(p, bytes, advice, location(device)));
}

API int
cuMemPrefetchBatchAsync(void *const *p, const size_t *bytes, size_t n,
    const struct cu_mem_location *place, const size_t *first, size_t n_place,
    unsigned long long flags, void *stream)
{
	return DRIVER(cudaMemPrefetchBatchAsync(p, bytes, n, place, first, n_place, flags, stream));
}

API int
cuMemDiscardBatchAsync(
    void *const *p, const size_t *bytes, size_t n, unsigned long long flags, void *stream)
{
	return DRIVER(cudaMemDiscardBatchAsync(p, bytes, n, flags, stream));
}

API int
cuMemDiscardAndPrefetchBatchAsync(void *const *p, const size_t *bytes, size_t n,
    const struct cu_mem_location *place, const size_t *first, size_t n_place,
    unsigned long long flags, void *stream)
{
	return DRIVER(
	    cudaMemDiscardAndPrefetchBatchAsync(p, bytes, n, place, first, n_place, flags, stream));
}

API int
cuMemRangeGetAttribute(void *out, size_t out_bytes, int attribute, const void *p, size_t bytes)
{
	return DRIVER(cudaMemRangeGetAttribute(out, out_bytes, attribute, p, bytes));
}

API int
cuMemRangeGetAttributes(void **out, const size_t *out_bytes, const int *attribute, size_t n,
    const void *p, size_t bytes)
{
	return DRIVER(cudaMemRangeGetAttributes(out, out_bytes, attribute, n, p, bytes));
}

API int
cuIpcGetMemHandle(struct cu_ipc_handle *handle, void *p)
{
	return DRIVER(cudaIpcGetMemHandle(handle, p));
}

API int
cuIpcOpenMemHandle_v2(void **out, struct cu_ipc_handle handle, unsigned flags)
{
	return DRIVER(cudaIpcOpenMemHandle(out, handle, flags));
}

API int
cuIpcOpenMemHandle(void **out, struct cu_ipc_handle handle, unsigned flags)
{
	return DRIVER(cudaIpcOpenMemHandle(out, handle, flags));
}

API int
cuIpcCloseMemHandle(void *p)
{
	return DRIVER(cudaIpcCloseMemHandle(p));
}

API int
cuIpcGetEventHandle(struct cu_ipc_handle *handle, void *event)
{
	return DRIVER(cudaIpcGetEventHandle(handle, event));
}

API int
cuIpcOpenEventHandle(void **out, struct cu_ipc_handle handle)
{
	return DRIVER(cudaIpcOpenEventHandle(out, handle));
}

API int
cuMemGetAddressRange_v2(void **base, size_t *bytes, void *p)
{
	struct wcp_device_allocation found;
	union {
		uint64_t number;
		void *pointer;
	} at;
	if (driver_enter(__func__, __builtin_return_address(0)))
		return CU_INITIALIZATION_ERROR;
	int s = rt_enter();
	if (!s && memory_type(p, &found) == CU_MEMORY_UNREGISTERED)
		s = DRIVER_NOT_FOUND;
	at.number = s ? 0 : found.base;
	if (!s && base)
		*base = at.pointer;
	if (!s && bytes)
		*bytes = found.bytes;
	return driver_answer(rt_leave(s));
}

enum {
	ABOUT_CONTEXT = 1,
	ABOUT_TYPE,
	ABOUT_DEVICE_POINTER,
	ABOUT_HOST_POINTER,
	ABOUT_SYNC = 6,
	ABOUT_NUMBER,
	ABOUT_MANAGED,
	ABOUT_ORDINAL,
	ABOUT_IPC,
	ABOUT_START,
	ABOUT_BYTES,
	ABOUT_MAPPED,
	ABOUT_HANDLE_TYPES,
	ABOUT_RDMA,
	ABOUT_ACCESS,
	ABOUT_POOL,
	ABOUT_MAPPING_BYTES,
	ABOUT_MAPPING_START,
	ABOUT_BLOCK,
};

/* What is 64 bits wide. */
static int
about_wide(void *out, int what, void *p, const struct cu_pointer_attributes *a)
{
	switch (what) {
	case ABOUT_CONTEXT: return cuCtxGetCurrent(out);
	case ABOUT_DEVICE_POINTER: *(void **)out = a->device_pointer; return CU_OK;
	case ABOUT_HOST_POINTER:
		*(void **)out = a->host_pointer;
		return a->host_pointer ? CU_OK : CU_INVALID_VALUE;
	case ABOUT_HANDLE_TYPES: *(uint64_t *)out = 0; return CU_OK;
	case ABOUT_POOL: *(void **)out = NULL; return CU_OK;
	case ABOUT_NUMBER: /* no address is another allocation's later */
	case ABOUT_BLOCK:
	case ABOUT_START:
	case ABOUT_MAPPING_START: return cuMemGetAddressRange_v2(out, NULL, p);
	case ABOUT_BYTES:
	case ABOUT_MAPPING_BYTES: return cuMemGetAddressRange_v2(NULL, out, p);
	default: return CU_INVALID_VALUE;
	}
}

static int
about(void *out, int what, void *p, const struct cu_pointer_attributes *a)
{
	const bool flag = what == ABOUT_IPC ? a->type == CU_MEMORY_DEVICE : what == ABOUT_MAPPED;
	switch (what) {
	case ABOUT_TYPE: *(unsigned *)out = a->type == CU_MEMORY_HOST ? 1 : 2; return CU_OK;
	case ABOUT_ORDINAL: *(int *)out = a->device; return CU_OK;
	case ABOUT_ACCESS: *(int *)out = 3; return CU_OK;
	/* NVIDIA's uvmlite has it in a word that held nothing */
	case ABOUT_MANAGED: *(unsigned *)out = a->type == CU_MEMORY_MANAGED; return CU_OK;
	case ABOUT_SYNC:
	case ABOUT_IPC:
	case ABOUT_MAPPED:
	case ABOUT_RDMA: *(unsigned char *)out = flag; return CU_OK;
	default: return about_wide(out, what, p, a);
	}
}

API int
cuPointerGetAttribute(void *out, int what, void *p)
{
	struct cu_pointer_attributes a;
	const int s = DRIVER(cudaPointerGetAttributes(&a, p));
	if (s || !out || a.type == CU_MEMORY_UNREGISTERED)
		return s ? s : CU_INVALID_VALUE;
	return about(out, what, p, &a);
}

static size_t
answer_bytes(int what)
{
	switch (what) {
	case ABOUT_TYPE:
	case ABOUT_ORDINAL:
	case ABOUT_MANAGED:
	case ABOUT_ACCESS: return sizeof(int);
	case ABOUT_SYNC:
	case ABOUT_IPC:
	case ABOUT_MAPPED:
	case ABOUT_RDMA: return sizeof(char);
	default: return sizeof(uint64_t);
	}
}

/* What nobody knows of the pointer is 0. */
API int
cuPointerGetAttributes(unsigned n, const int *what, void **out, void *p)
{
	struct cu_pointer_attributes a;
	const int s = DRIVER(cudaPointerGetAttributes(&a, p));
	if (s || !n || !what || !out)
		return s ? s : CU_INVALID_VALUE;
	for (unsigned i = 0; i < n; i++) {
		if (what[i] < ABOUT_CONTEXT || what[i] > ABOUT_BLOCK || !out[i])
			return CU_INVALID_VALUE;
		if (a.type != CU_MEMORY_UNREGISTERED && !about(out[i], what[i], p, &a))
			continue;
		memset(out[i], 0, answer_bytes(what[i]));
		if (what[i] == ABOUT_ORDINAL)
			*(int *)out[i] = -2;
	}
	return CU_OK;
}

/* Copies do wait where that may be asked for. */
API int
cuPointerSetAttribute(const void *value, int what, void *p)
{
	unsigned char now;
	return !value || what != ABOUT_SYNC ? CU_INVALID_VALUE
					    : cuPointerGetAttribute(&now, ABOUT_SYNC, p);
}

/* ---- setting -------------------------------------------------------------------------------- */

static int
fill(void *to, size_t pitch, unsigned value, unsigned element, size_t width, size_t height,
    void *stream)
{
	const struct op op = {.type = CU_NODE_MEMSET,
	    .of.set = {.dst = to,
		.pitch = pitch,
		.value = value,
		.element_bytes = element,
		.width = width,
		.height = height}};
	int s = rt_enter();
	if (!s)
		s = op_check(&op);
	return rt_leave(s ? s : !width || !height ? CU_OK : submit(stream, &op));
}

API int
cuMemsetD8_v2(void *to, unsigned char value, size_t n)
{
	return DRIVER(set_finish(to, fill(to, n, value, 1, n, 1, NULL)));
}

API int
cuMemsetD16_v2(void *to, unsigned short value, size_t n)
{
	return DRIVER(set_finish(to, fill(to, 2 * n, value, 2, n, 1, NULL)));
}

API int
cuMemsetD32_v2(void *to, unsigned value, size_t n)
{
	return DRIVER(set_finish(to, fill(to, 4 * n, value, 4, n, 1, NULL)));
}

API int
cuMemsetD8Async(void *to, unsigned char value, size_t n, void *stream)
{
	return DRIVER(fill(to, n, value, 1, n, 1, stream));
}

API int
cuMemsetD16Async(void *to, unsigned short value, size_t n, void *stream)
{
	return DRIVER(fill(to, 2 * n, value, 2, n, 1, stream));
}

API int
cuMemsetD32Async(void *to, unsigned value, size_t n, void *stream)
{
	return DRIVER(fill(to, 4 * n, value, 4, n, 1, stream));
}

API int
cuMemsetD2D8_v2(void *to, size_t pitch, unsigned char value, size_t width, size_t height)
{
	return DRIVER(set_finish(to, fill(to, pitch, value, 1, width, height, NULL)));
}

API int
cuMemsetD2D16_v2(void *to, size_t pitch, unsigned short value, size_t width, size_t height)
{
	return DRIVER(set_finish(to, fill(to, pitch, value, 2, width, height, NULL)));
}

API int
cuMemsetD2D32_v2(void *to, size_t pitch, unsigned value, size_t width, size_t height)
{
	return DRIVER(set_finish(to, fill(to, pitch, value, 4, width, height, NULL)));
}

API int
cuMemsetD2D8Async(
    void *to, size_t pitch, unsigned char value, size_t width, size_t height, void *stream)
{
	return DRIVER(fill(to, pitch, value, 1, width, height, stream));
}

API int
cuMemsetD2D16Async(
    void *to, size_t pitch, unsigned short value, size_t width, size_t height, void *stream)
{
	return DRIVER(fill(to, pitch, value, 2, width, height, stream));
}

API int
cuMemsetD2D32Async(
    void *to, size_t pitch, unsigned value, size_t width, size_t height, void *stream)
{
	return DRIVER(fill(to, pitch, value, 4, width, height, stream));
}
