/* The calls that copy and set in two and three dimensions, and pitched allocation. */
#include "array.h"
#include "memory.h"
#include "queue/queue.h"

#define PITCH_BYTES 512u

static int
run(struct op op, void *stream)
{
	const int s = rt_enter();
	return rt_leave(s ? s : submit(stream, &op));
}

/* ---- pitched memory ------------------------------------------------------------------------- */

API int
cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height)
{
	RT_CALLED;
	const int s = rt_enter();
	if (s || !out || !pitch)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	if (width > SIZE_MAX - PITCH_BYTES)
		return rt_leave(CU_MEMORY_ALLOCATION);
	*pitch = (width + PITCH_BYTES - 1) / PITCH_BYTES * PITCH_BYTES;
	if (height && *pitch > SIZE_MAX / height)
		return rt_leave(CU_MEMORY_ALLOCATION);
	return rt_leave(device_new(out, *pitch * height));
}

API int
cudaMalloc3D(struct cu_pitched_ptr *out, struct cu_extent x)
{
	RT_CALLED;
	size_t pitch = 0;
	void *p = NULL;
	if (!out || (x.height && x.depth > SIZE_MAX / x.height))
		return rt_latch(CU_INVALID_VALUE);
	const int s = cudaMallocPitch(&p, &pitch, x.width, x.height * x.depth);
	if (!s)
		*out = (struct cu_pitched_ptr){p, pitch, x.width, x.height};
	return s;
}

/* ---- two dimensions ------------------------------------------------------------------------- */

static void *
writable(const void *p)
{
	union {
		const void *from;
		void *to;
	} u = {p};
	return u.to;
}

static struct op
copy_2d(struct cu_pitched_ptr to, struct cu_pitched_ptr from, size_t width, size_t height, int kind)
{
	return (struct op){.type = CU_NODE_MEMCPY,
	    .of.copy = {
		.src_ptr = from, .dst_ptr = to, .extent = {width, height, 1}, .kind = kind}};
}

API int
cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
    size_t height, int kind, void *stream)
{
	RT_CALLED;
	if (width > to_pitch || width > from_pitch)
		return rt_latch(CU_INVALID_PITCH_VALUE);
	return run(copy_2d((struct cu_pitched_ptr){to, to_pitch, width, height},
		       (struct cu_pitched_ptr){writable(from), from_pitch, width, height}, width,
		       height, kind),
	    stream);
}

API int
cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
    size_t height, int kind)
{
	RT_CALLED;
	return queue_finish(
	    cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, NULL));
}

/* Widths and horizontal offsets of these calls are bytes, of which elements are made. */
static int
elements(const struct cu_array *array, size_t bytes, size_t *n)
{
	const struct cu_array *a = handle_get(array, HANDLE_ARRAY);
	if (!a || bytes % a->element_bytes)
		return a ? CU_INVALID_VALUE : CU_INVALID_RESOURCE_HANDLE;
	*n = bytes / a->element_bytes;
	return CU_OK;
}

API int
cudaMemcpy2DToArrayAsync(struct cu_array *to, size_t x, size_t y, const void *from, size_t pitch,
    size_t width, size_t height, int kind, void *stream)
{
	RT_CALLED;
	struct op op = {.type = CU_NODE_MEMCPY,
	    .of.copy = {.dst_array = to,
		.dst_pos = {0, y, 0},
		.src_ptr = {writable(from), pitch, width, height},
		.extent = {0, height, 1},
		.kind = kind}};
	int s = rt_enter();
	if (!s)
		s = elements(to, x, &op.of.copy.dst_pos.x);
	if (!s)
		s = elements(to, width, &op.of.copy.extent.width);
	return rt_leave(s ? s : submit(stream, &op));
}

API int
cudaMemcpy2DToArray(struct cu_array *to, size_t x, size_t y, const void *from, size_t pitch,
    size_t width, size_t height, int kind)
{
	RT_CALLED;
	return queue_finish(
	    cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, NULL));
}

API int
cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, struct cu_array *from, size_t x, size_t y,
    size_t width, size_t height, int kind, void *stream)
{
	RT_CALLED;
	struct op op = {.type = CU_NODE_MEMCPY,
	    .of.copy = {.src_array = from,
		.src_pos = {0, y, 0},
		.dst_ptr = {to, pitch, width, height},
		.extent = {0, height, 1},
		.kind = kind}};
	int s = rt_enter();
	if (!s)
		s = elements(from, x, &op.of.copy.src_pos.x);
	if (!s)
		s = elements(from, width, &op.of.copy.extent.width);
	return rt_leave(s ? s : submit(stream, &op));
}

API int
cudaMemcpy2DFromArray(void *to, size_t pitch, struct cu_array *from, size_t x, size_t y,
    size_t width, size_t height, int kind)
{
	RT_CALLED;
	return queue_finish(
	    cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind, NULL));
}

API int
cudaMemcpy2DArrayToArray(struct cu_array *to, size_t to_x, size_t to_y, struct cu_array *from,
    size_t from_x, size_t from_y, size_t width, size_t height, int kind)
{
	RT_CALLED;
	struct op op = {.type = CU_NODE_MEMCPY,
	    .of.copy = {.src_array = from,
		.src_pos = {0, from_y, 0},
		.dst_array = to,
		.dst_pos = {0, to_y, 0},
		.extent = {0, height, 1},
		.kind = kind}};
	int s = rt_enter();
	if (!s)
		s = elements(from, from_x, &op.of.copy.src_pos.x);
	if (!s)
		s = elements(to, to_x, &op.of.copy.dst_pos.x);
	if (!s)
		s = elements(to, width, &op.of.copy.extent.width);
	return rt_leave(s ? s : submit(NULL, &op));
}

/* Bytes run on from row to row of the array: a first row's rest, whole rows, a last row's part. */
static int
array_bytes(struct cu_array *array, size_t x, size_t y, char *memory, size_t bytes, int kind,
    void *stream, bool to_array)
{
	int s = rt_enter();
	const struct cu_array *a = handle_get(array, HANDLE_ARRAY);
	const size_t row = a ? a->extent.width * a->element_bytes : 1;
	if (!s && !a)
		s = CU_INVALID_RESOURCE_HANDLE;
	while (!s && bytes) {
		const size_t n = bytes < row - x % row ? bytes : row - x % row;
		struct op op = {.type = CU_NODE_MEMCPY,
		    .of.copy = {.extent = {n / a->element_bytes, 1, 1}, .kind = kind}};
		const struct cu_pos at = {x % row / a->element_bytes, y + x / row, 0};
		const struct cu_pitched_ptr p = {memory, n, n, 1};
		if (n % a->element_bytes || x % a->element_bytes)
			s = CU_INVALID_VALUE;
		if (to_array)
			op.of.copy.dst_array = array, op.of.copy.dst_pos = at,
			op.of.copy.src_ptr = p;
		else
			op.of.copy.src_array = array, op.of.copy.src_pos = at,
			op.of.copy.dst_ptr = p;
		if (!s)
			s = submit(stream, &op);
		memory += n;
		x += n;
		bytes -= n;
	}
	return rt_leave(s);
}

API int
cudaMemcpyToArray(struct cu_array *to, size_t x, size_t y, const void *from, size_t bytes, int kind)
{
	RT_CALLED;
	return queue_finish(array_bytes(to, x, y, writable(from), bytes, kind, NULL, true));
}

API int
cudaMemcpyToArrayAsync(
    struct cu_array *to, size_t x, size_t y, const void *from, size_t bytes, int kind, void *stream)
{
	RT_CALLED;
	return array_bytes(to, x, y, writable(from), bytes, kind, stream, true);
}

API int
cudaMemcpyFromArray(void *to, struct cu_array *from, size_t x, size_t y, size_t bytes, int kind)
{
	RT_CALLED;
	return queue_finish(array_bytes(from, x, y, to, bytes, kind, NULL, false));
}

API int
cudaMemcpyFromArrayAsync(
    void *to, struct cu_array *from, size_t x, size_t y, size_t bytes, int kind, void *stream)
{
	RT_CALLED;
	return array_bytes(from, x, y, to, bytes, kind, stream, false);
}

/* ---- three ---------------------------------------------------------------------------------- */

API int
cudaMemcpy3DAsync(const struct cu_memcpy_3d *p, void *stream)
{
	RT_CALLED;
	if (!p)
		return rt_latch(CU_INVALID_VALUE);
	return run((struct op){.type = CU_NODE_MEMCPY, .of.copy = *p}, stream);
}

API int
cudaMemcpy3D(const struct cu_memcpy_3d *p)
{
	RT_CALLED;
	return queue_finish(cudaMemcpy3DAsync(p, NULL));
}

API int
cudaMemcpy3DPeerAsync(const struct cu_memcpy_3d_peer *p, void *stream)
{
	RT_CALLED;
	if (!p || p->src_device || p->dst_device)
		return rt_latch(p ? CU_INVALID_DEVICE : CU_INVALID_VALUE);
	const struct cu_memcpy_3d copy = {p->src_array, p->src_pos, p->src_ptr, p->dst_array,
	    p->dst_pos, p->dst_ptr, p->extent, CU_COPY_DEFAULT};
	return cudaMemcpy3DAsync(&copy, stream);
}

API int
cudaMemcpy3DPeer(const struct cu_memcpy_3d_peer *p)
{
	RT_CALLED;
	return queue_finish(cudaMemcpy3DPeerAsync(p, NULL));
}

/* ---- setting -------------------------------------------------------------------------------- */

API int
cudaMemset3DAsync(struct cu_pitched_ptr to, int value, struct cu_extent x, void *stream)
{
	RT_CALLED;
	int s = rt_enter();
	const size_t slice = to.pitch * to.ysize;
	const bool dense = x.depth <= 1 || to.ysize == x.height;
	for (size_t z = 0; !s && z < (dense ? 1 : x.depth); z++) {
		const struct op op = {.type = CU_NODE_MEMSET,
		    .of.set = {(char *)to.ptr + z * slice, to.pitch, (uint8_t)value, 1, x.width,
			dense ? x.height * x.depth : x.height}};
		s = submit(stream, &op);
	}
	return rt_leave(s);
}

API int
cudaMemset3D(struct cu_pitched_ptr to, int value, struct cu_extent x)
{
	RT_CALLED;
	return set_finish(to.ptr, cudaMemset3DAsync(to, value, x, NULL));
}

API int
cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, void *stream)
{
	RT_CALLED;
	return cudaMemset3DAsync((struct cu_pitched_ptr){to, pitch, width, height}, value,
	    (struct cu_extent){width, height, 1}, stream);
}

API int
cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
	RT_CALLED;
	return set_finish(to, cudaMemset2DAsync(to, pitch, value, width, height, NULL));
}

/* ---- symbols -------------------------------------------------------------------------------- */

API int
cudaGetSymbolAddress(void **out, const void *symbol)
{
	RT_CALLED;
	struct variable *v;
	int s = rt_enter();
	if (!s)
		s = out ? module_variable(symbol, &v) : CU_INVALID_VALUE;
	if (!s) {
		union {
			uint64_t number;
			void *pointer;
		} at = {v->address};
		*out = at.pointer;
	}
	return rt_leave(s);
}

API int
cudaGetSymbolSize(size_t *out, const void *symbol)
{
	RT_CALLED;
	struct variable *v = NULL;
	int s = rt_enter();
	if (!s)
		s = out ? module_variable(symbol, &v) : CU_INVALID_VALUE;
	if (!s && v)
		*out = v->bytes;
	return rt_leave(s);
}
