/* Leaves that look at the memory records of a WARP instruction. */
#include "filter/filter.h"
#include "warpcap/coalesce.h"

static uint32_t
lane_bytes(const struct wcp_program *p, uint32_t pc)
{
	uint32_t bytes = p && pc < p->n_insn ? p->insn[pc].bytes : 0;
	return bytes ? bytes : 1;
}

/* Can an affine record reach lo..hi at all? */
static bool
affine_near(const struct wcp_warp_batch *b, uint32_t m, uint32_t bytes, uint64_t lo, uint64_t hi)
{
	int64_t stride = b->mem_stride[m];
	uint64_t first = b->mem_base[m], last = first + (uint64_t)(stride * (WCP_LANES - 1));
	uint64_t low = stride < 0 ? last : first, high = stride < 0 ? first : last;
	return low > high || (low <= hi && high + (bytes - 1) >= lo);
}

static bool
record_touches(const struct filter_view *view, uint32_t m, uint64_t lo, uint64_t hi)
{
	const struct wcp_warp_batch *b = view->batch;
	uint32_t bytes = lane_bytes(view->program, b->mem_pc[m]);
	uint64_t address[WCP_LANES];
	if (b->mem_shape[m] == WCP_MEM_AFFINE && !affine_near(b, m, bytes, lo, hi))
		return false;
	wcp_mem_expand(b, m, address);
	for (uint32_t mask = b->mem_mask[m]; mask; mask &= mask - 1) {
		uint64_t a = address[__builtin_ctz(mask)];
		if (a <= hi && a + (bytes - 1) >= lo)
			return true;
	}
	return false;
}

/* Shared memory and parameters do not come in lines. */
static uint32_t
record_lines(const struct filter_view *view, uint32_t m)
{
	const struct wcp_warp_batch *b = view->batch;
	struct wcp_transaction t[WCP_COALESCE_MAX];
	uint8_t space = b->mem_space[m];
	if (space == WCP_SPACE_SHARED || space == WCP_SPACE_PARAM)
		return 0;
	return wcp_coalesce(
	    &WCP_COALESCE_DEFAULT, b, m, lane_bytes(view->program, b->mem_pc[m]), 0, t);
}

static bool
in_space(const struct filter_view *view, uint32_t i, uint64_t set)
{
	for (uint32_t k = 0; k < view->mem_count[i]; k++)
		if ((set >> view->batch->mem_space[view->mem_first[i] + k]) & 1)
			return true;
	return false;
}

static bool
leaf_one(const struct filter_op *op, const struct filter_view *view, uint32_t i)
{
	uint32_t lines = 0;
	if (op->code == FILTER_SPACE)
		return in_space(view, i, op->lo);
	for (uint32_t k = 0; k < view->mem_count[i]; k++) {
		uint32_t m = view->mem_first[i] + k;
		if (op->code == FILTER_DIVERGENT)
			lines += record_lines(view, m);
		else if (record_touches(view, m, op->lo, op->hi))
			return true;
	}
	return lines > WCP_DIVERGENT_LINES;
}

void
filter_leaf_memory(const struct filter_op *op, const struct filter_view *view, uint32_t at,
    uint32_t n, uint64_t *out)
{
	for (uint32_t w = 0; w * 64 < n; w++) {
		uint64_t bits = 0;
		for (uint32_t i = 0; view->batch && i < 64 && w * 64 + i < n; i++)
			bits |= (uint64_t)leaf_one(op, view, at + w * 64 + i) << i;
		out[w] = bits;
	}
}
