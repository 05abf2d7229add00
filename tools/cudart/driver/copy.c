/* The driver's copies: the runtime's. */
#include "driver/copy.h"
#include "array.h"
#include "driver/driver.h"
#include "memory.h"
#include "queue/queue.h"

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

/* ---- two and three dimensions -----------------------------------------------------------------
 */

/* Bytes of what a side counts its columns in; the lock is held. */
static size_t
element_of(const struct side_3d *s)
{
	const struct cu_array *a =
	    s->type == SIDE_ARRAY ? handle_get(s->array, HANDLE_ARRAY) : NULL;
	return a ? a->element_bytes : 1;
}

static size_t
unit_of(const struct side_3d *s)
{
	rt_lock();
	const size_t unit = element_of(s);
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
int
driver_copy_in(struct cu_memcpy_3d *p, const struct copy_3d *c)
{
	const size_t from = unit_of(&c->from), unit = from > 1 ? from : unit_of(&c->to);
	*p = (struct cu_memcpy_3d){.kind = CU_COPY_DEFAULT};
	if (c->width_bytes % unit || c->from.x_bytes % from || c->to.x_bytes % unit_of(&c->to))
		return CU_INVALID_VALUE;
	place(&c->from, &p->src_array, &p->src_pos, &p->src_ptr);
	place(&c->to, &p->dst_array, &p->dst_pos, &p->dst_ptr);
	p->extent = (struct cu_extent){c->width_bytes / unit, c->height, c->depth};
	return CU_OK;
}

static struct side_3d
side_of(struct cu_array *array, struct cu_pos at, struct cu_pitched_ptr p)
{
	struct side_3d s = {.y = at.y,
	    .z = at.z,
	    .type = SIDE_ARRAY,
	    .array = array,
	    .pitch = p.pitch,
	    .height = p.ysize};
	if (!array) {
		s.type = memory_on_device(p.ptr) ? SIDE_DEVICE : SIDE_HOST;
		s.host = s.type == SIDE_HOST ? p.ptr : NULL;
		s.device = s.type == SIDE_HOST ? NULL : p.ptr;
	}
	s.x_bytes = at.x * element_of(&s);
	return s;
}

void
driver_copy_out(struct copy_3d *c, const struct cu_memcpy_3d *p)
{
	rt_lock();
	*c = (struct copy_3d){.from = side_of(p->src_array, p->src_pos, p->src_ptr),
	    .to = side_of(p->dst_array, p->dst_pos, p->dst_ptr),
	    .height = p->extent.height,
	    .depth = p->extent.depth};
	c->width_bytes = p->extent.width * element_of(p->src_array ? &c->from : &c->to);
	rt_unlock();
}

static int
copy_3d(const struct copy_3d *c, void *stream)
{
	struct cu_memcpy_3d p;
	const int s = driver_copy_in(&p, c);
	return s ? s : cudaMemcpy3DAsync(&p, stream);
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

/* As one of contexts, which all are the one device's. */
API int
cuMemcpy3DPeer(const struct copy_3d *c)
{
	return cuMemcpy3D_v2(c);
}

API int
cuMemcpy3DPeerAsync(const struct copy_3d *c, void *stream)
{
	return cuMemcpy3DAsync_v2(c, stream);
}

API int
cuMemcpyPeer(void *to, void *to_context, const void *from, void *from_context, size_t bytes)
{
	(void)to_context, (void)from_context;
	return DRIVER(cudaMemcpy(to, from, bytes, CU_DEVICE_TO_DEVICE));
}

API int
cuMemcpyPeerAsync(
    void *to, void *to_context, const void *from, void *from_context, size_t bytes, void *stream)
{
	(void)to_context, (void)from_context;
	return DRIVER(cudaMemcpyAsync(to, from, bytes, CU_DEVICE_TO_DEVICE, stream));
}

/* ---- batches -------------------------------------------------------------------------------- */

API int
cuMemcpyBatchAsync_v2(void *const *to, const void *const *from, const size_t *bytes, size_t n,
    const void *attribute, const size_t *attribute_index, size_t n_attribute, void *stream)
{
	return DRIVER(cudaMemcpyBatchAsync(
	    to, from, bytes, n, attribute, attribute_index, n_attribute, stream));
}

/* Up to CUDA 12 there was room for the number of the copy that failed. */
API int
cuMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *bytes, size_t n,
    const void *attribute, const size_t *attribute_index, size_t n_attribute, size_t *failed,
    void *stream)
{
	if (failed)
		*failed = SIZE_MAX;
	return cuMemcpyBatchAsync_v2(
	    to, from, bytes, n, attribute, attribute_index, n_attribute, stream);
}

API int
cuMemcpy3DBatchAsync_v2(
    size_t n, const struct cu_memcpy_3d_batch *list, unsigned long long flags, void *stream)
{
	return DRIVER(cudaMemcpy3DBatchAsync(n, list, flags, stream));
}

API int
cuMemcpy3DBatchAsync(size_t n, const struct cu_memcpy_3d_batch *list, size_t *failed,
    unsigned long long flags, void *stream)
{
	if (failed)
		*failed = SIZE_MAX;
	return cuMemcpy3DBatchAsync_v2(n, list, flags, stream);
}

/* ---- rows of arrays -------------------------------------------------------------------------- */

static void *
pointer_to(const void *p)
{
	union {
		const void *from;
		void *to;
	} u = {p};
	return u.to;
}

static struct side_2d
array_at(struct cu_array *array, size_t bytes)
{
	return (struct side_2d){.type = SIDE_ARRAY, .array = array, .x_bytes = bytes};
}

API int
cuMemcpyDtoA_v2(struct cu_array *to, size_t at, const void *from, size_t bytes)
{
	const struct copy_2d c = {
	    {.type = SIDE_DEVICE, .device = pointer_to(from)}, array_at(to, at), bytes, 1};
	return cuMemcpy2D_v2(&c);
}

API int
cuMemcpyAtoD_v2(void *to, struct cu_array *from, size_t at, size_t bytes)
{
	const struct copy_2d c = {
	    array_at(from, at), {.type = SIDE_DEVICE, .device = to}, bytes, 1};
	return cuMemcpy2D_v2(&c);
}

API int
cuMemcpyHtoA_v2(struct cu_array *to, size_t at, const void *from, size_t bytes)
{
	const struct copy_2d c = {
	    {.type = SIDE_HOST, .host = pointer_to(from)}, array_at(to, at), bytes, 1};
	return cuMemcpy2D_v2(&c);
}

API int
cuMemcpyAtoH_v2(void *to, struct cu_array *from, size_t at, size_t bytes)
{
	const struct copy_2d c = {array_at(from, at), {.type = SIDE_HOST, .host = to}, bytes, 1};
	return cuMemcpy2D_v2(&c);
}

API int
cuMemcpyHtoAAsync_v2(struct cu_array *to, size_t at, const void *from, size_t bytes, void *stream)
{
	const struct copy_2d c = {
	    {.type = SIDE_HOST, .host = pointer_to(from)}, array_at(to, at), bytes, 1};
	return cuMemcpy2DAsync_v2(&c, stream);
}

API int
cuMemcpyAtoHAsync_v2(void *to, struct cu_array *from, size_t at, size_t bytes, void *stream)
{
	const struct copy_2d c = {array_at(from, at), {.type = SIDE_HOST, .host = to}, bytes, 1};
	return cuMemcpy2DAsync_v2(&c, stream);
}

API int
cuMemcpyAtoA_v2(
    struct cu_array *to, size_t to_at, struct cu_array *from, size_t from_at, size_t bytes)
{
	const struct copy_2d c = {array_at(from, from_at), array_at(to, to_at), bytes, 1};
	return cuMemcpy2D_v2(&c);
}
