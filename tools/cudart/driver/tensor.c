/* Maps of tensors: checked as the driver's documentation says, kept as the executor reads them. */
#include "driver/driver.h"
#include "warpcap/tensor.h"

enum { STEP_MOST = 8 };
static const uint64_t stride_beyond = 1ull << 40, size_most = 1ull << 32;

/* What programs hold for CUtensorMap. */
struct tensor_request {
	int type;
	unsigned rank;
	const uint64_t *size, *stride; /* [rank] elements, [rank - 1] bytes */
	const uint32_t *box, *step;    /* [rank] */
	int interleave, swizzle, promotion, fill;
};

static bool
is_float(int type)
{
	return type >= WCP_TENSOR_F16 && type < WCP_TENSOR_TYPES;
}

static bool
dimension(const struct tensor_request *q, unsigned k, struct wcp_tensor_map *m)
{
	if (!q->size[k] || q->size[k] > size_most || !q->box[k] || q->box[k] > WCP_TENSOR_BOX ||
	    (k && (!q->step[k] || q->step[k] > STEP_MOST)))
		return false;
	if (k && (q->stride[k - 1] % 16 || q->stride[k - 1] >= stride_beyond))
		return false;
	m->last[k] = (uint32_t)(q->size[k] - 1);
	m->box[k] = (uint16_t)q->box[k];
	m->step[k] = k ? (uint8_t)q->step[k] : 1;
	if (k)
		m->stride[k - 1] = q->stride[k - 1];
	return true;
}

/* CUresult. What is not supported is so on devices of compute capability 9.0, or has a layout that
 * is nowhere said. */
static int
encode(struct wcp_tensor_map *out, const struct tensor_request *q, uint64_t address)
{
	struct wcp_tensor_map m = {.magic = WCP_TENSOR_MAGIC,
	    .address = address,
	    .rank = (uint8_t)q->rank,
	    .type = (uint8_t)q->type,
	    .swizzle = (uint8_t)q->swizzle,
	    .fill_nan = q->fill == 1};
	if (!out || (uintptr_t)out % WCP_TENSOR_MAP_ALIGN || !address || address % 16 || !q->size ||
	    !q->box || !q->step || q->rank < 1 || q->rank > WCP_TENSOR_RANK ||
	    (q->rank > 1 && !q->stride) || (unsigned)q->promotion > 3 || (unsigned)q->fill > 1 ||
	    (q->fill && !is_float(q->type)))
		return CU_INVALID_VALUE;
	if ((unsigned)q->type >= WCP_TENSOR_TYPES || (unsigned)q->swizzle >= WCP_SWIZZLES ||
	    q->interleave)
		return CU_NOT_SUPPORTED;
	for (unsigned k = 0; k < q->rank; k++)
		if (!dimension(q, k, &m))
			return CU_INVALID_VALUE;
	const unsigned row = m.box[0] * wcp_tensor_type_bytes(m.type);
	if (row % 16 || row > wcp_tensor_row_bytes(&m))
		return CU_INVALID_VALUE;
	*out = m;
	return CU_OK;
}

API int
cuTensorMapEncodeTiled(struct wcp_tensor_map *out, int type, unsigned rank, void *address,
    const uint64_t *size, const uint64_t *stride, const uint32_t *box, const uint32_t *step,
    int interleave, int swizzle, int promotion, int fill)
{
	const struct tensor_request q = {
	    type, rank, size, stride, box, step, interleave, swizzle, promotion, fill};
	rt_mark();
	return driver_answer(encode(out, &q, (uintptr_t)address));
}

API int
cuTensorMapReplaceAddress(struct wcp_tensor_map *map, void *address)
{
	const uint64_t a = (uintptr_t)address;
	rt_mark();
	if (!map || map->magic != WCP_TENSOR_MAGIC || !a || a % 16)
		return driver_answer(CU_INVALID_VALUE);
	map->address = a;
	return driver_answer(CU_OK);
}
