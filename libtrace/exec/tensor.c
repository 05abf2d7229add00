#include <string.h>
#include "exec/access.h"
#include "exec/tensor.h"

_Static_assert(sizeof(struct wcp_tensor_map) == WCP_TENSOR_MAP_BYTES, "as large as CUtensorMap");

unsigned
wcp_tensor_type_bytes(unsigned type)
{
	static const uint8_t bytes[WCP_TENSOR_TYPES] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
	return type < WCP_TENSOR_TYPES ? bytes[type] : 0;
}

unsigned
wcp_tensor_row_bytes(const struct wcp_tensor_map *m)
{
	return m->swizzle ? 16u << m->swizzle : m->box[0] * wcp_tensor_type_bytes(m->type);
}

/* A kernel may have written anything there. */
static bool
is_sound(const struct wcp_tensor_map *m)
{
	if (m->magic != WCP_TENSOR_MAGIC || m->rank < 1 || m->rank > WCP_TENSOR_RANK ||
	    m->swizzle >= WCP_SWIZZLES || !wcp_tensor_type_bytes(m->type))
		return false;
	for (unsigned k = 0; k < m->rank; k++)
		if (!m->box[k] || m->box[k] > WCP_TENSOR_BOX || !m->step[k])
			return false;
	return m->box[0] * wcp_tensor_type_bytes(m->type) % 16 == 0 &&
	       m->box[0] * wcp_tensor_type_bytes(m->type) <= wcp_tensor_row_bytes(m);
}

const struct wcp_tensor_map *
exec_tensor_map(const struct warp *w, uint64_t address)
{
	const struct exec_run *run = w->cta->run;
	const uint64_t offset = address - EXEC_PARAM_WINDOW;
	const void *at = NULL;
	if (address % WCP_TENSOR_MAP_ALIGN)
		return NULL;
	if (offset < EXEC_WINDOW_BYTES) {
		if (offset + WCP_TENSOR_MAP_BYTES <= w->code->param_bytes)
			at = run->param + offset;
	} else {
		const struct exec_alloc *a =
		    exec_memory_find(run->memory, address, WCP_TENSOR_MAP_BYTES);
		at = a ? exec_alloc_at(a, address) : NULL;
	}
	return at && is_sound(at) ? at : NULL;
}

static uint32_t
count(const struct wcp_tensor_map *m, unsigned k)
{
	return ((uint32_t)m->box[k] + m->step[k] - 1) / m->step[k];
}

void
exec_tensor_box(struct tensor_box *b)
{
	const struct wcp_tensor_map *m = b->map;
	b->row_bytes = m->box[0] * wcp_tensor_type_bytes(m->type);
	b->pitch = wcp_tensor_row_bytes(m);
	b->rows = 1;
	for (unsigned k = 1; k < m->rank; k++)
		b->rows *= count(m, k);
}

void
exec_tensor_row(const struct tensor_box *b, uint32_t i, struct tensor_row *row)
{
	const struct wcp_tensor_map *m = b->map;
	const unsigned size = wcp_tensor_type_bytes(m->type);
	const int64_t first = b->at[0] < 0 ? 0 : b->at[0], beyond = (int64_t)m->last[0] + 1;
	const int64_t end = b->at[0] + m->box[0] > beyond ? beyond : b->at[0] + m->box[0];
	*row = (struct tensor_row){.global = m->address};
	for (unsigned k = 1; k < m->rank; k++) {
		const uint32_t n = count(m, k);
		const int64_t at = b->at[k] + (int64_t)(i % n) * m->step[k];
		if (at < 0 || at > m->last[k])
			return;
		row->global += (uint64_t)at * m->stride[k - 1];
		i /= n;
	}
	if (first >= end)
		return;
	row->global += (uint64_t)first * size;
	row->skip = (uint32_t)(first - b->at[0]) * size;
	row->bytes = (uint32_t)(end - first) * size;
}

/* Bits 4 and up change with those that count rows of 128 bytes: PTX ISA 9.0 section 5.5.6. */
uint64_t
exec_tensor_swizzled(const struct wcp_tensor_map *m, uint64_t address)
{
	return address ^ (address >> 3 & ((1u << m->swizzle) - 1) << 4);
}

void
exec_tensor_fill(const struct wcp_tensor_map *m, char *row, uint32_t bytes)
{
	const unsigned size = wcp_tensor_type_bytes(m->type);
	memset(row, m->fill_nan ? 0xff : 0, bytes);
	for (uint32_t i = size - 1; m->fill_nan && i < bytes; i += size)
		row[i] = 0x7f;
}
