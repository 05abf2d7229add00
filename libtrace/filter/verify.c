#include "filter/filter.h"

unsigned
filter_column_bytes(unsigned column)
{
	static const uint8_t bytes[WCP_ACCESS_COLS] = {
	    [WCP_COL_CYCLE] = 8,
	    [WCP_COL_SM] = 2,
	    [WCP_COL_KERNEL] = 4,
	    [WCP_COL_CTA] = 4,
	    [WCP_COL_WARP] = 2,
	    [WCP_COL_SLOT] = 2,
	    [WCP_COL_PC] = 4,
	    [WCP_COL_LINE] = 8,
	    [WCP_COL_SECTORS] = 4,
	    [WCP_COL_LANES] = 4,
	    [WCP_COL_KIND] = 1,
	    [WCP_COL_SPACE] = 1,
	    [WCP_COL_FLAGS] = 2,
	    [WCP_COL_ID] = 8,
	    [WCP_COL_OUTCOME] = 4,
	    [WCP_COL_TAG] = 4,
	    [WCP_COL_VICTIM] = 8,
	    [WCP_COL_VICTIM_OWNER] = 4,
	    [WCP_COL_BYTES] = 2,
	};
	return column < WCP_ACCESS_COLS ? bytes[column] : 0;
}

/* Are the leaf's operands inside what it looks up? */
static bool
leaf_sound(const struct wcp_filter *f, const struct filter_op *op)
{
	switch ((enum filter_code)op->code) {
	case FILTER_CONST: return op->lo <= 1;
	case FILTER_RANGE:
	case FILTER_POPCOUNT: return op->column < WCP_ACCESS_COLS && op->lo <= op->hi;
	case FILTER_BITS:
	case FILTER_MEMBER: return op->column < WCP_ACCESS_COLS;
	case FILTER_OUTCOME: return op->lo <= op->hi && op->hi < FILTER_LEVELS;
	case FILTER_TOUCH: return op->lo <= op->hi;
	case FILTER_NAMED: return op->aux < f->n_name;
	case FILTER_STATIC: return op->aux < f->n_test;
	case FILTER_CTA_AT:
	case FILTER_SPACE:
	case FILTER_DIVERGENT: return true;
	case FILTER_NOT:
	case FILTER_AND:
	case FILTER_OR:
	case FILTER_SKIP_NONE:
	case FILTER_SKIP_ALL:
	case FILTER_CODES: break;
	}
	return false;
}

/* Depth of the stack after op, -1 if it may not stand there. */
static int
depth_after(const struct wcp_filter *f, uint32_t pc, int depth)
{
	const struct filter_op *op = &f->op[pc];
	switch ((enum filter_code)op->code) {
	case FILTER_NOT: return depth >= 1 ? depth : -1;
	case FILTER_AND:
	case FILTER_OR: return depth >= 2 ? depth - 1 : -1;
	case FILTER_SKIP_NONE:
	case FILTER_SKIP_ALL: return depth >= 1 && op->aux > pc && op->aux <= f->n_op ? depth : -1;
	case FILTER_CONST:
	case FILTER_RANGE:
	case FILTER_BITS:
	case FILTER_MEMBER:
	case FILTER_POPCOUNT:
	case FILTER_OUTCOME:
	case FILTER_TOUCH:
	case FILTER_NAMED:
	case FILTER_CTA_AT:
	case FILTER_STATIC:
	case FILTER_SPACE:
	case FILTER_DIVERGENT: return depth < FILTER_STACK && leaf_sound(f, op) ? depth + 1 : -1;
	case FILTER_CODES: break;
	}
	return -1;
}

/* Every way to an instruction must come with the same depth, and end with one bitmap. */
int
filter_verify(const struct wcp_filter *f, struct wcp_error *e)
{
	int8_t landing[FILTER_OPS + 1] = {0}; /* depth a skip brings, 0: none comes here */
	int depth = 0;
	if (f->n_op > FILTER_OPS)
		return wcp_fail(e, WCP_EUSAGE, "the expression is too long");
	for (uint32_t pc = 0; pc < f->n_op; pc++) {
		if (landing[pc] && landing[pc] != depth)
			return wcp_fail(e, WCP_EUSAGE, "filter: unsound program at %u", pc);
		depth = depth_after(f, pc, depth);
		if (depth < 0)
			return wcp_fail(e, WCP_EUSAGE, "the expression is nested too deeply");
		const struct filter_op *op = &f->op[pc];
		if (op->code != FILTER_SKIP_NONE && op->code != FILTER_SKIP_ALL)
			continue;
		if (landing[op->aux] && landing[op->aux] != depth)
			return wcp_fail(e, WCP_EUSAGE, "filter: unsound program at %u", pc);
		landing[op->aux] = (int8_t)depth;
	}
	if (depth != 1 || (landing[f->n_op] && landing[f->n_op] != 1))
		return wcp_fail(e, WCP_EUSAGE, "filter: unsound program");
	return 0;
}
