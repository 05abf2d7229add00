/* Copies and memsets of one to three dimensions, and the calls that ask for them. */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "memory.h"
#include "queue/queue.h"

/* One end of a copy, all in bytes. */
struct end {
	char *base; /* of the whole, not of the part */
	size_t x_bytes, y, z;
	size_t pitch, slice; /* from a row and from a slice to the next */
	const struct cu_array *array;
};

static struct end
end_of(const struct cu_array *a, struct cu_pos pos, struct cu_pitched_ptr p)
{
	if (!a)
		return (struct end){p.ptr, pos.x, pos.y, pos.z, p.pitch, p.pitch * p.ysize, NULL};
	union {
		uint64_t number;
		char *pointer;
	} base = {a->image.level[0].address};
	return (struct end){base.pointer, pos.x * a->element_bytes, pos.y, pos.z,
	    a->image.level[0].row_bytes, a->image.level[0].slice_bytes, a};
}

static size_t
width_bytes(const struct cu_memcpy_3d *c)
{
	const struct cu_array *a = c->dst_array ? c->dst_array : c->src_array;
	return a ? c->extent.width * a->element_bytes : c->extent.width;
}

static char *
row(const struct end *e, size_t y, size_t z)
{
	return e->base + (e->z + z) * e->slice + (e->y + y) * e->pitch + e->x_bytes;
}

static bool
within(size_t first, size_t n, size_t all)
{
	return first <= all && n <= all - first;
}

/* Before positions and widths become bytes. */
static bool
in_array(const struct cu_array *a, const struct cu_pos *at, const struct cu_extent *n)
{
	return !a || (within(at->x, n->width, a->extent.width) &&
			 within(at->y, n->height, array_height(a)) &&
			 within(at->z, n->depth, array_depth(a)));
}

static int
check_end(const struct end *e, const struct cu_extent *extent, size_t width)
{
	size_t rows, bytes;
	if (!e->base)
		return CU_INVALID_VALUE;
	/* no product of these wraps round from here on */
	if (__builtin_mul_overflow(extent->height, extent->depth, &rows) ||
	    __builtin_mul_overflow(rows, width > e->pitch ? width : e->pitch, &bytes))
		return CU_INVALID_VALUE;
	if (extent->height > 1 && e->pitch < width)
		return CU_INVALID_PITCH_VALUE;
	if (extent->depth > 1 && e->slice < extent->height * e->pitch)
		return CU_INVALID_VALUE;
	return CU_OK;
}

int
copy_check(const struct cu_memcpy_3d *c)
{
	const struct cu_extent *x = &c->extent;
	if ((unsigned)c->kind > CU_COPY_DEFAULT)
		return CU_INVALID_MEMCPY_DIRECTION;
	if (!x->width || !x->height || !x->depth)
		return CU_OK;
	if ((c->src_array && !handle_get(c->src_array, HANDLE_ARRAY)) ||
	    (c->dst_array && !handle_get(c->dst_array, HANDLE_ARRAY)))
		return CU_INVALID_RESOURCE_HANDLE;
	if (c->src_array && c->dst_array &&
	    c->src_array->element_bytes != c->dst_array->element_bytes)
		return CU_INVALID_VALUE;
	if (!in_array(c->src_array, &c->src_pos, x) || !in_array(c->dst_array, &c->dst_pos, x))
		return CU_INVALID_VALUE;
	const struct end from = end_of(c->src_array, c->src_pos, c->src_ptr),
			 to = end_of(c->dst_array, c->dst_pos, c->dst_ptr);
	const int s = check_end(&from, x, width_bytes(c));
	return s ? s : check_end(&to, x, width_bytes(c));
}

int
copy_run(const struct cu_memcpy_3d *c, uint64_t stream)
{
	const struct end from = end_of(c->src_array, c->src_pos, c->src_ptr),
			 to = end_of(c->dst_array, c->dst_pos, c->dst_ptr);
	const size_t width = width_bytes(c);
	struct cu_extent x = c->extent;
	int status = CU_OK;
	/* rows without gaps are one */
	const bool dense =
	    from.pitch == width && to.pitch == width &&
	    (x.depth <= 1 || (from.slice == x.height * width && to.slice == from.slice));
	if (!width || !x.height || !x.depth)
		return CU_OK;
	if (dense)
		return memory_copy(
		    row(&to, 0, 0), row(&from, 0, 0), width * x.height * x.depth, c->kind, stream);
	for (size_t z = 0; z < x.depth && !status; z++)
		for (size_t y = 0; y < x.height && !status; y++)
			status =
			    memory_copy(row(&to, y, z), row(&from, y, z), width, c->kind, stream);
	return status;
}

static bool
is_pageable(const struct end *e, const struct cu_memcpy_3d *c)
{
	struct wcp_device_allocation found;
	const char *p = row(e, 0, 0);
	return !e->array && c->extent.width && c->extent.height && c->extent.depth &&
	       !memory_is_device(p) && memory_type(p, &found) == CU_MEMORY_UNREGISTERED;
}

int
copy_keep(struct cu_memcpy_3d *c, void **bytes, bool *waits)
{
	const struct end from = end_of(c->src_array, c->src_pos, c->src_ptr),
			 to = end_of(c->dst_array, c->dst_pos, c->dst_ptr);
	*bytes = NULL;
	*waits = is_pageable(&to, c);
	if (*waits || !is_pageable(&from, c) || c->kind == CU_DEVICE_TO_HOST ||
	    c->kind == CU_DEVICE_TO_DEVICE)
		return CU_OK;
	const char *first = row(&from, 0, 0);
	const size_t n = (size_t)(row(&from, c->extent.height - 1, c->extent.depth - 1) - first) +
			 width_bytes(c);
	if (!rt_readable(first, n))
		return CU_OK; /* the copy says so */
	*bytes = malloc(n);
	if (!*bytes)
		return CU_MEMORY_ALLOCATION;
	memcpy(*bytes, first, n);
	c->src_ptr.ptr = *bytes;
	c->src_pos = (struct cu_pos){0, 0, 0};
	return CU_OK;
}

int
set_check(const struct cu_memset_params *p)
{
	const unsigned n = p->element_bytes;
	if ((n != 1 && n != 2 && n != 4) || (uintptr_t)p->dst % n)
		return CU_INVALID_VALUE;
	if (p->width && p->height > SIZE_MAX / n / p->width)
		return CU_INVALID_VALUE;
	return p->height > 1 && p->pitch < p->width * n ? CU_INVALID_PITCH_VALUE : CU_OK;
}

static int
set_row(char *to, const struct cu_memset_params *p, size_t n, uint64_t stream)
{
	const unsigned bytes = p->element_bytes;
	if (bytes == 1)
		return memory_set(to, (int)p->value, n, stream);
	const int s = memory_set(to, (int)p->value, n * bytes, stream);
	char *at = s ? NULL : memory_at(to, n * bytes);
	for (size_t i = 0; at && i < n; i++)
		memcpy(at + i * bytes, &p->value, bytes);
	return s;
}

int
set_run(const struct cu_memset_params *p, uint64_t stream)
{
	const size_t row_bytes = p->width * p->element_bytes;
	int status = CU_OK;
	if (!p->width || !p->height)
		return CU_OK;
	if (p->height == 1 || p->pitch == row_bytes)
		return set_row(p->dst, p, p->width * p->height, stream);
	for (size_t y = 0; y < p->height && !status; y++)
		status = set_row((char *)p->dst + y * p->pitch, p, p->width, stream);
	return status;
}

/* ---- the calls ------------------------------------------------------------------------------ */

/* A call that waits sends a copy down the default stream. */
static int
copy(struct op op, void *stream)
{
	const int s = rt_enter();
	if (!stream)
		print_flush();
	return rt_leave(s ? s : submit(stream, &op));
}

API int
cudaMemcpy(void *to, const void *from, size_t bytes, int kind)
{
	RT_CALLED;
	return queue_finish(copy(op_copy(to, from, bytes, kind), NULL));
}

API int
cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream)
{
	RT_CALLED;
	return copy(op_copy(to, from, bytes, kind), stream);
}

int
set_finish(const void *to, int status)
{
	return memory_is_device(to) ? status : queue_finish(status);
}

static struct op
op_set(void *to, int value, size_t pitch, size_t width, size_t height)
{
	return (struct op){
	    .type = CU_NODE_MEMSET, .of.set = {to, pitch, (uint8_t)value, 1, width, height}};
}

API int
cudaMemset(void *to, int value, size_t bytes)
{
	RT_CALLED;
	return set_finish(to, copy(op_set(to, value, bytes, bytes, 1), NULL));
}

API int
cudaMemsetAsync(void *to, int value, size_t bytes, void *stream)
{
	RT_CALLED;
	return copy(op_set(to, value, bytes, bytes, 1), stream);
}

static int
copy_symbol(const void *symbol, void *host, const void *from, size_t bytes, size_t offset, int kind,
    void *stream)
{
	struct variable *v;
	int s = rt_enter();
	if (!s)
		s = module_variable(symbol, &v);
	if (!s && (offset > v->bytes || bytes > v->bytes - offset))
		s = CU_INVALID_VALUE;
	if (!s && kind == CU_HOST_TO_HOST)
		s = CU_INVALID_MEMCPY_DIRECTION;
	if (s)
		return rt_leave(s);
	union {
		uint64_t number;
		char *pointer;
	} at = {v->address + offset};
	const struct op op =
	    from ? op_copy(at.pointer, from, bytes, kind) : op_copy(host, at.pointer, bytes, kind);
	return rt_leave(submit(stream, &op));
}

API int
cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, int kind)
{
	RT_CALLED;
	return queue_finish(copy_symbol(symbol, NULL, from, bytes, offset, kind, NULL));
}

API int
cudaMemcpyToSymbolAsync(
    const void *symbol, const void *from, size_t bytes, size_t offset, int kind, void *stream)
{
	RT_CALLED;
	return copy_symbol(symbol, NULL, from, bytes, offset, kind, stream);
}

API int
cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, int kind)
{
	RT_CALLED;
	return queue_finish(copy_symbol(symbol, to, NULL, bytes, offset, kind, NULL));
}

API int
cudaMemcpyFromSymbolAsync(
    void *to, const void *symbol, size_t bytes, size_t offset, int kind, void *stream)
{
	RT_CALLED;
	return copy_symbol(symbol, to, NULL, bytes, offset, kind, stream);
}
