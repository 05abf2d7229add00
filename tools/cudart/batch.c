/* Copies, prefetches and discards in batches: one after the other, as any order will do. */
#include "array.h"
#include "memory.h"
#include "op.h"

static bool
is_legacy(const void *stream)
{
	return (uintptr_t)stream <= 1;
}

API int
cudaMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *bytes, size_t n,
    const void *attribute, const size_t *attribute_index, size_t n_attribute, void *stream)
{
	RT_CALLED;
	int s = rt_enter();
	(void)attribute, (void)attribute_index, (void)n_attribute;
	if (!s && (!to || !from || !bytes || !n || is_legacy(stream)))
		s = CU_INVALID_VALUE;
	for (size_t i = 0; !s && i < n; i++) {
		const struct op op = op_copy(to[i], from[i], bytes[i], CU_COPY_DEFAULT);
		s = submit(stream, &op);
	}
	return rt_leave(s);
}

/* An end of the copy; what is 0 is as the extent has it. */
static void
place(const struct cu_memcpy_operand *o, const struct cu_extent *x, size_t unit,
    struct cu_array **array, struct cu_pos *at, struct cu_pitched_ptr *pointer)
{
	if (o->type == CU_OPERAND_ARRAY) {
		*array = o->of.array.array;
		*at = o->of.array.at;
		return;
	}
	const size_t row = o->of.memory.row_elements, rows = o->of.memory.layer_rows;
	const size_t pitch = (row ? row : x->width) * unit;
	*pointer =
	    (struct cu_pitched_ptr){o->of.memory.pointer, pitch, pitch, rows ? rows : x->height};
}

/* Bytes of an element: 1 where no array takes part. */
static size_t
unit_of(const struct cu_memcpy_3d_batch *b)
{
	const struct cu_memcpy_operand *o = b->from.type == CU_OPERAND_ARRAY ? &b->from : &b->to;
	const struct cu_array *a =
	    o->type == CU_OPERAND_ARRAY ? handle_get(o->of.array.array, HANDLE_ARRAY) : NULL;
	return a ? a->element_bytes : 1;
}

static bool
fits(const struct cu_memcpy_operand *o, const struct cu_extent *x)
{
	const size_t row = o->of.memory.row_elements, rows = o->of.memory.layer_rows;
	return o->type == CU_OPERAND_ARRAY ||
	       (o->type == CU_OPERAND_POINTER && (!row || row >= x->width) &&
		   (!rows || rows >= x->height));
}

static int
op_of_batch(struct op *op, const struct cu_memcpy_3d_batch *b)
{
	enum { ORDER_FIRST = 1, ORDER_LAST = 3 };
	const struct cu_extent *x = &b->extent;
	if (!x->width || !x->height || !x->depth || b->order < ORDER_FIRST ||
	    b->order > ORDER_LAST || !fits(&b->from, x) || !fits(&b->to, x))
		return CU_INVALID_VALUE;
	struct cu_memcpy_3d c = {.extent = *x, .kind = CU_COPY_DEFAULT};
	place(&b->from, x, unit_of(b), &c.src_array, &c.src_pos, &c.src_ptr);
	place(&b->to, x, unit_of(b), &c.dst_array, &c.dst_pos, &c.dst_ptr);
	*op = (struct op){.type = CU_NODE_MEMCPY, .of.copy = c};
	return CU_OK;
}

API int
cudaMemcpy3DBatchAsync(
    size_t n, const struct cu_memcpy_3d_batch *list, unsigned long long flags, void *stream)
{
	RT_CALLED;
	struct op op;
	int s = rt_enter();
	if (!s && (!n || !list || flags || is_legacy(stream)))
		s = CU_INVALID_VALUE;
	for (size_t i = 0; !s && i < n; i++)
		s = op_of_batch(&op, &list[i]);
	for (size_t i = 0; !s && i < n; i++)
		if (!(s = op_of_batch(&op, &list[i])))
			s = submit(stream, &op);
	return rt_leave(s);
}

/* ---- managed memory ------------------------------------------------------------------------- */

static int
check_ranges(void *const *p, const size_t *bytes, size_t n, unsigned long long flags, void *stream)
{
	struct wcp_device_allocation found;
	if (!p || !bytes || !n || flags || is_legacy(stream))
		return CU_INVALID_VALUE;
	for (size_t i = 0; i < n; i++)
		if (!bytes[i] || memory_type(p[i], &found) != CU_MEMORY_MANAGED)
			return CU_INVALID_VALUE;
	return stream_get(stream) ? CU_OK : CU_INVALID_RESOURCE_HANDLE;
}

/* Which of the places the ith range goes to is told by where each one's ranges begin. */
static bool
places_begin(const size_t *first, size_t n_place, size_t n)
{
	for (size_t k = 0; k < n_place; k++)
		if (k ? first[k] <= first[k - 1] : first[k])
			return false;
	return n_place && n_place <= n && first[n_place - 1] < n;
}

static int
prefetch(void *const *p, const size_t *bytes, size_t n, const struct cu_mem_location *place,
    const size_t *first, size_t n_place, void *stream)
{
	int s = place && first && places_begin(first, n_place, n) ? CU_OK : CU_INVALID_VALUE;
	for (size_t i = 0, k = 0; !s && i < n; i++) {
		k += k + 1 < n_place && first[k + 1] == i;
		s = managed_prefetch(p[i], bytes[i], place[k], stream);
	}
	return s;
}

API int
cudaMemPrefetchBatchAsync(void *const *p, const size_t *bytes, size_t n,
    const struct cu_mem_location *place, const size_t *first, size_t n_place,
    unsigned long long flags, void *stream)
{
	int s = rt_enter();
	if (!s)
		s = check_ranges(p, bytes, n, flags, stream);
	return rt_leave(s ? s : prefetch(p, bytes, n, place, first, n_place, stream));
}

/* What is discarded may keep what it holds. */
API int
cudaMemDiscardBatchAsync(
    void *const *p, const size_t *bytes, size_t n, unsigned long long flags, void *stream)
{
	const int s = rt_enter();
	return rt_leave(s ? s : check_ranges(p, bytes, n, flags, stream));
}

API int
cudaMemDiscardAndPrefetchBatchAsync(void *const *p, const size_t *bytes, size_t n,
    const struct cu_mem_location *place, const size_t *first, size_t n_place,
    unsigned long long flags, void *stream)
{
	return cudaMemPrefetchBatchAsync(p, bytes, n, place, first, n_place, flags, stream);
}
