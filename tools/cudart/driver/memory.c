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
	ABOUT_MANAGED = 8,
	ABOUT_ORDINAL,
	ABOUT_START = 11,
	ABOUT_BYTES
};

static int
about(void *out, int what, void *p, const struct cu_pointer_attributes *a)
{
	switch (what) {
	case ABOUT_CONTEXT: return cuCtxGetCurrent(out);
	case ABOUT_TYPE: *(unsigned *)out = a->type == CU_MEMORY_HOST ? 1 : 2; return CU_OK;
	case ABOUT_DEVICE_POINTER: *(void **)out = a->device_pointer; return CU_OK;
	case ABOUT_HOST_POINTER:
		*(void **)out = a->host_pointer;
		return a->host_pointer ? CU_OK : CU_INVALID_VALUE;
	case ABOUT_MANAGED: *(unsigned char *)out = a->type == CU_MEMORY_MANAGED; return CU_OK;
	case ABOUT_ORDINAL: *(int *)out = a->device; return CU_OK;
	case ABOUT_START: return cuMemGetAddressRange_v2(out, NULL, p);
	case ABOUT_BYTES: return cuMemGetAddressRange_v2(NULL, out, p);
	default: return CU_NOT_SUPPORTED;
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

/* ---- copies --------------------------------------------------------------------------------- */

API int
cuMemcpy(void *to, const void *from, size_t bytes)
{
	return DRIVER(cudaMemcpy(to, from, bytes, CU_COPY_DEFAULT));
}

API int
cuMemcpyAsync(void *to, const void *from, size_t bytes, void *stream)
{
	return DRIVER(cudaMemcpyAsync(to, from, bytes, CU_COPY_DEFAULT, stream));
}

API int
cuMemcpyHtoD_v2(void *to, const void *from, size_t bytes)
{
	return DRIVER(cudaMemcpy(to, from, bytes, CU_HOST_TO_DEVICE));
}

API int
cuMemcpyDtoH_v2(void *to, const void *from, size_t bytes)
{
	return DRIVER(cudaMemcpy(to, from, bytes, CU_DEVICE_TO_HOST));
}

API int
cuMemcpyDtoD_v2(void *to, const void *from, size_t bytes)
{
	return DRIVER(cudaMemcpy(to, from, bytes, CU_DEVICE_TO_DEVICE));
}

API int
cuMemcpyHtoDAsync_v2(void *to, const void *from, size_t bytes, void *stream)
{
	return DRIVER(cudaMemcpyAsync(to, from, bytes, CU_HOST_TO_DEVICE, stream));
}

API int
cuMemcpyDtoHAsync_v2(void *to, const void *from, size_t bytes, void *stream)
{
	return DRIVER(cudaMemcpyAsync(to, from, bytes, CU_DEVICE_TO_HOST, stream));
}

API int
cuMemcpyDtoDAsync_v2(void *to, const void *from, size_t bytes, void *stream)
{
	return DRIVER(cudaMemcpyAsync(to, from, bytes, CU_DEVICE_TO_DEVICE, stream));
}

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

/* ---- copies of two and three dimensions ------------------------------------------------------ */

enum { SIDE_HOST = 1, SIDE_ARRAY = 3 }; /* else the device, or whichever it is */

/* cuda.h's CUDA_MEMCPY2D and CUDA_MEMCPY3D, a side of each. */
struct side_2d {
	size_t x_bytes, y;
	int type;
	void *host, *device;
	struct cu_array *array;
	size_t pitch;
};
struct copy_2d {
	struct side_2d from, to;
	size_t width_bytes, height;
};
struct side_3d {
	size_t x_bytes, y, z, lod;
	int type;
	void *host, *device;
	struct cu_array *array;
	void *reserved;
	size_t pitch, height;
};
struct copy_3d {
	struct side_3d from, to;
	size_t width_bytes, height, depth;
};

/* Bytes of what a side counts its columns in. */
static size_t
unit_of(const struct side_3d *s)
{
	size_t unit = 1;
	if (s->type != SIDE_ARRAY)
		return unit;
	rt_lock();
	const struct cu_array *a = handle_get(s->array, HANDLE_ARRAY);
	if (a)
		unit = a->element_bytes;
	rt_unlock();
	return unit;
}

static void
place(const struct side_3d *s, struct cu_array **array, struct cu_pos *at,
    struct cu_pitched_ptr *pointer)
{
	*at = (struct cu_pos){s->x_bytes / unit_of(s), s->y, s->z};
	if (s->type == SIDE_ARRAY)
		*array = s->array;
	else
		*pointer =
		    (struct cu_pitched_ptr){.ptr = s->type == SIDE_HOST ? s->host : s->device,
			.pitch = s->pitch,
			.xsize = s->pitch,
			.ysize = s->height};
}

/* Where an array takes part, its elements are what is counted, else bytes. */
static int
copy_3d(const struct copy_3d *c, void *stream)
{
	struct cu_memcpy_3d p = {.kind = CU_COPY_DEFAULT};
	const size_t from = unit_of(&c->from), unit = from > 1 ? from : unit_of(&c->to);
	if (c->width_bytes % unit || c->from.x_bytes % from || c->to.x_bytes % unit_of(&c->to))
		return CU_INVALID_VALUE;
	place(&c->from, &p.src_array, &p.src_pos, &p.src_ptr);
	place(&c->to, &p.dst_array, &p.dst_pos, &p.dst_ptr);
	p.extent = (struct cu_extent){c->width_bytes / unit, c->height, c->depth};
	return cudaMemcpy3DAsync(&p, stream);
}

static struct side_3d
with_depth(const struct side_2d *s, size_t rows)
{
	return (struct side_3d){.x_bytes = s->x_bytes,
	    .y = s->y,
	    .type = s->type,
	    .host = s->host,
	    .device = s->device,
	    .array = s->array,
	    .pitch = s->pitch,
	    .height = s->y + rows};
}

static int
copy_2d(const struct copy_2d *c, void *stream)
{
	const struct copy_3d with = {.from = with_depth(&c->from, c->height),
	    .to = with_depth(&c->to, c->height),
	    .width_bytes = c->width_bytes,
	    .height = c->height,
	    .depth = 1};
	return copy_3d(&with, stream);
}

API int
cuMemcpy2D_v2(const struct copy_2d *c)
{
	return c ? DRIVER(queue_finish(copy_2d(c, NULL))) : CU_INVALID_VALUE;
}

API int
cuMemcpy2DUnaligned_v2(const struct copy_2d *c)
{
	return c ? DRIVER(queue_finish(copy_2d(c, NULL))) : CU_INVALID_VALUE;
}

API int
cuMemcpy2DAsync_v2(const struct copy_2d *c, void *stream)
{
	return c ? DRIVER(copy_2d(c, stream)) : CU_INVALID_VALUE;
}

API int
cuMemcpy3D_v2(const struct copy_3d *c)
{
	return c ? DRIVER(queue_finish(copy_3d(c, NULL))) : CU_INVALID_VALUE;
}

API int
cuMemcpy3DAsync_v2(const struct copy_3d *c, void *stream)
{
	return c ? DRIVER(copy_3d(c, stream)) : CU_INVALID_VALUE;
}
