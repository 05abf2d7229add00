/* Could a block hold a match? Each term answers from the index: surely all, surely none, or
 * unknown. */
#include "filter/filter.h"

enum maybe { CAN_TRUE = 1, CAN_FALSE = 2, CAN_BOTH = 3 };

static enum maybe
range_in(uint64_t lo, uint64_t hi, uint64_t block_lo, uint64_t block_hi)
{
	if (block_hi < lo || block_lo > hi)
		return CAN_FALSE;
	return lo <= block_lo && block_hi <= hi ? CAN_TRUE : CAN_BOTH;
}

static enum maybe
range_answer(const struct filter_op *op, const struct wcp_block_info *info)
{
	if (op->column == WCP_COL_KERNEL && info->kernel != WCP_NONE32)
		return range_in(op->lo, op->hi, info->kernel, info->kernel);
	if ((op->column == WCP_COL_CTA && info->type == WCP_ITEM_WARP) ||
	    (op->column == WCP_COL_CYCLE && info->type == WCP_ITEM_ACCESS))
		return range_in(op->lo, op->hi, info->lo, info->hi);
	return CAN_BOTH;
}

static enum maybe
leaf_answer(
    const struct wcp_filter *f, const struct filter_op *op, const struct wcp_block_info *info)
{
	bool known = info->kernel < f->n_kernel && f->kernel[info->kernel].known;
	if (op->code == FILTER_CONST)
		return op->lo ? CAN_TRUE : CAN_FALSE;
	if (op->code == FILTER_RANGE)
		return range_answer(op, info);
	if (op->code == FILTER_NAMED && known)
		return f->named[(size_t)info->kernel * f->n_name + op->aux] ? CAN_TRUE : CAN_FALSE;
	if (op->code == FILTER_CTA_AT && known && info->type == WCP_ITEM_WARP) {
		const uint32_t *grid = f->kernel[info->kernel].grid;
		if (op->lo >= grid[0] || op->hi >= grid[1] || op->aux >= grid[2])
			return CAN_FALSE;
		uint64_t cta = op->lo + grid[0] * (op->hi + (uint64_t)grid[1] * op->aux);
		return range_in(cta, cta, info->lo, info->hi);
	}
	return CAN_BOTH;
}

static uint8_t
combine(enum filter_code code, unsigned a, unsigned b)
{
	unsigned decides = code == FILTER_AND ? CAN_FALSE : CAN_TRUE; /* one such side is enough */
	unsigned other = decides ^ CAN_BOTH;
	return (uint8_t)(((a | b) & decides) | (a & b & other));
}

bool
wcp_filter_block(const struct wcp_filter *f, const struct wcp_block_info *info)
{
	uint8_t stack[FILTER_STACK];
	unsigned depth = 0;
	for (uint32_t pc = 0; pc < f->n_op; pc++) {
		const struct filter_op *op = &f->op[pc];
		enum filter_code code = op->code;
		if (code == FILTER_SKIP_NONE || code == FILTER_SKIP_ALL)
			continue;
		if (code == FILTER_NOT) {
			uint8_t v = stack[depth - 1];
			stack[depth - 1] = (uint8_t)((v >> 1 | v << 1) & CAN_BOTH);
		} else if (code == FILTER_AND || code == FILTER_OR) {
			depth--;
			stack[depth - 1] = combine(code, stack[depth - 1], stack[depth]);
		} else
			stack[depth++] = (uint8_t)leaf_answer(f, op, info);
	}
	return stack[0] & CAN_TRUE;
}
