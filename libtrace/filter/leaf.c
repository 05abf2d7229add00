/* Leaves over columns: one bit a record, 64 records a word. */
#include <string.h>
#include "filter/filter.h"

static void
fill(uint64_t *out, bool value)
{
	memset(out, value ? 0xff : 0, FILTER_WORDS * sizeof *out);
}

/* test is an expression in v, the record's value. */
#define EACH(type, test)                                                   \
	do {                                                               \
		const type *p = (const type *)column + at;                 \
		for (uint32_t w = 0; w * 64 < n; w++) {                    \
			uint32_t many = n - w * 64 < 64 ? n - w * 64 : 64; \
			uint64_t bits = 0;                                 \
			for (uint32_t i = 0; i < many; i++) {              \
				const type v = p[w * 64 + i];              \
				bits |= (uint64_t)(test) << i;             \
			}                                                  \
			out[w] = bits;                                     \
		}                                                          \
	} while (0)

/* The same for a column of any width; test sees v. */
#define EACH_WIDTH(column_number, test)               \
	switch (filter_column_bytes(column_number)) { \
	case 1: EACH(uint8_t, test); break;           \
	case 2: EACH(uint16_t, test); break;          \
	case 4: EACH(uint32_t, test); break;          \
	default: EACH(uint64_t, test); break;         \
	}

static void
leaf_range(const struct filter_op *op, const void *column, uint32_t at, uint32_t n, uint64_t *out)
{
	unsigned bytes = filter_column_bytes(op->column);
	uint64_t top = UINT64_MAX >> (64 - 8 * bytes);
	uint64_t hi = op->hi < top ? op->hi : top;
	if (op->lo > top) {
		fill(out, false);
		return;
	}
	/* One comparison instead of two: below lo wraps to a large number. */
	switch (bytes) {
	case 1: {
		const uint8_t lo = (uint8_t)op->lo, span = (uint8_t)(hi - op->lo);
		EACH(uint8_t, (uint8_t)(v - lo) <= span);
		break;
	}
	case 2: {
		const uint16_t lo = (uint16_t)op->lo, span = (uint16_t)(hi - op->lo);
		EACH(uint16_t, (uint16_t)(v - lo) <= span);
		break;
	}
	case 4: {
		const uint32_t lo = (uint32_t)op->lo, span = (uint32_t)(hi - op->lo);
		EACH(uint32_t, v - lo <= span);
		break;
	}
	default: {
		const uint64_t lo = op->lo, span = hi - op->lo;
		EACH(uint64_t, v - lo <= span);
		break;
	}
	}
}

static void
leaf_bits(const struct filter_op *op, const void *column, uint32_t at, uint32_t n, uint64_t *out)
{
	const uint64_t set = op->lo;
	EACH_WIDTH(op->column, (v & set) != 0);
}

static void
leaf_member(const struct filter_op *op, const void *column, uint32_t at, uint32_t n, uint64_t *out)
{
	const uint64_t set = op->lo;
	EACH_WIDTH(op->column, (set >> (v & 63)) & (v < 64));
}

static void
leaf_popcount(
    const struct filter_op *op, const void *column, uint32_t at, uint32_t n, uint64_t *out)
{
	const uint64_t lo = op->lo, span = op->hi - op->lo;
	EACH_WIDTH(op->column, (uint64_t)__builtin_popcountll(v) - lo <= span);
}

static bool
has_outcome(uint32_t outcome, uint32_t set, uint64_t first, uint64_t last)
{
	bool found = false;
	for (uint64_t level = first; level <= last; level++)
		found |= (set >> WCP_OUTCOME(outcome, level)) & 1;
	return found;
}

static void
leaf_outcome(const struct filter_op *op, const void *column, uint32_t at, uint32_t n, uint64_t *out)
{
	const uint32_t set = op->aux;
	const uint64_t first = op->lo, last = op->hi;
	if (first == last)
		EACH(uint32_t, (set >> WCP_OUTCOME(v, first)) & 1);
	else
		EACH(uint32_t, v != 0 && has_outcome(v, set, first, last));
}

/* A value of a column that may be the same in every record. */
static uint64_t
value(const struct filter_view *view, unsigned column, uint32_t i)
{
	const void *p = view->column[column];
	if (!p)
		return view->constant[column];
	switch (filter_column_bytes(column)) {
	case 1: return ((const uint8_t *)p)[i];
	case 2: return ((const uint16_t *)p)[i];
	case 4: return ((const uint32_t *)p)[i];
	default: return ((const uint64_t *)p)[i];
	}
}

/* Does a line whose sectors are these touch bytes lo..hi? Without sectors it counts as a whole
 * default line. */
static bool
line_touches(uint64_t line, uint32_t sectors, uint64_t lo, uint64_t hi)
{
	if (line > hi)
		return false;
	if (sectors == 0)
		return line + (WCP_LINE_BYTES - 1) >= lo;
	for (; sectors; sectors &= sectors - 1) {
		uint64_t first = line + (uint64_t)__builtin_ctz(sectors) * WCP_SECTOR_BYTES;
		if (first <= hi && first + (WCP_SECTOR_BYTES - 1) >= lo)
			return true;
	}
	return false;
}

static void
leaf_touch(const struct filter_op *op, const struct filter_view *view, uint32_t at, uint32_t n,
    uint64_t *out)
{
	for (uint32_t w = 0; w * 64 < n; w++) {
		uint64_t bits = 0;
		for (uint32_t i = 0; i < 64 && w * 64 + i < n; i++) {
			uint32_t r = at + w * 64 + i;
			uint64_t line = value(view, WCP_COL_LINE, r);
			/* 32 sectors of 32 bytes is the most a line can have. */
			if (line > op->hi || line + 1023 < op->lo)
				continue;
			uint32_t sectors = (uint32_t)value(view, WCP_COL_SECTORS, r);
			bits |= (uint64_t)line_touches(line, sectors, op->lo, op->hi) << i;
		}
		out[w] = bits;
	}
}

static bool
kernel_named(const struct wcp_filter *f, uint64_t kernel, uint32_t name)
{
	return kernel < f->n_kernel && f->kernel[kernel].known &&
	       f->named[kernel * f->n_name + name];
}

static bool
cta_is_at(const struct wcp_filter *f, const struct filter_op *op, uint64_t kernel, uint64_t cta)
{
	if (kernel >= f->n_kernel || !f->kernel[kernel].known)
		return false;
	const uint32_t *grid = f->kernel[kernel].grid;
	return op->lo < grid[0] && op->hi < grid[1] && op->aux < grid[2] &&
	       cta == op->lo + grid[0] * (op->hi + (uint64_t)grid[1] * op->aux);
}

static bool
passes(const struct wcp_filter *f, uint64_t kernel, uint64_t pc, uint32_t test)
{
	if (kernel >= f->n_kernel || !f->kernel[kernel].known ||
	    f->kernel[kernel].program >= f->n_program)
		return false;
	const struct filter_program *p = &f->program[f->kernel[kernel].program];
	size_t words = ((size_t)p->n_insn + 63) / 64;
	return p->pass && pc < p->n_insn && ((p->pass[test * words + pc / 64] >> (pc % 64)) & 1);
}

/* Leaves that look something up by kernel. */
static void
leaf_kernel(const struct wcp_filter *f, const struct filter_op *op, const struct filter_view *view,
    uint32_t at, uint32_t n, uint64_t *out)
{
	for (uint32_t w = 0; w * 64 < n; w++) {
		uint64_t bits = 0;
		for (uint32_t i = 0; i < 64 && w * 64 + i < n; i++) {
			uint32_t r = at + w * 64 + i;
			uint64_t kernel = value(view, WCP_COL_KERNEL, r);
			bool yes;
			if (op->code == FILTER_NAMED)
				yes = kernel_named(f, kernel, op->aux);
			else if (op->code == FILTER_CTA_AT)
				yes = cta_is_at(f, op, kernel, value(view, WCP_COL_CTA, r));
			else
				yes = passes(f, kernel, value(view, WCP_COL_PC, r), op->aux);
			bits |= (uint64_t)yes << i;
		}
		out[w] = bits;
	}
}

static void
leaf_column(const struct filter_op *op, const void *column, uint32_t at, uint32_t n, uint64_t *out)
{
	if (op->code == FILTER_RANGE)
		leaf_range(op, column, at, n, out);
	else if (op->code == FILTER_BITS)
		leaf_bits(op, column, at, n, out);
	else if (op->code == FILTER_MEMBER)
		leaf_member(op, column, at, n, out);
	else if (op->code == FILTER_POPCOUNT)
		leaf_popcount(op, column, at, n, out);
	else
		leaf_outcome(op, column, at, n, out);
}

/* A column that is the same everywhere: ask once. */
static void
leaf_constant(const struct filter_op *op, uint64_t constant, uint64_t *out)
{
	const union {
		uint8_t u8;
		uint16_t u16;
		uint32_t u32;
		uint64_t u64;
	} one[] = {{.u8 = (uint8_t)constant}, {.u16 = (uint16_t)constant},
	    {.u32 = (uint32_t)constant}, {.u64 = constant}};
	unsigned bytes = filter_column_bytes(op->column);
	uint64_t bits[FILTER_WORDS];
	leaf_column(op, &one[bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3], 0, 1, bits);
	fill(out, bits[0] & 1);
}

void
filter_leaf(const struct wcp_filter *f, const struct filter_op *op, const struct filter_view *view,
    uint32_t at, uint32_t n, uint64_t *out)
{
	switch ((enum filter_code)op->code) {
	case FILTER_CONST: fill(out, op->lo); return;
	case FILTER_RANGE:
	case FILTER_BITS:
	case FILTER_MEMBER:
	case FILTER_POPCOUNT:
	case FILTER_OUTCOME:
		if (view->column[op->column])
			leaf_column(op, view->column[op->column], at, n, out);
		else
			leaf_constant(op, view->constant[op->column], out);
		return;
	case FILTER_TOUCH:
		if (!view->batch) {
			leaf_touch(op, view, at, n, out);
			return;
		}
		break;
	case FILTER_NAMED:
	case FILTER_CTA_AT:
	case FILTER_STATIC: leaf_kernel(f, op, view, at, n, out); return;
	case FILTER_SPACE:
	case FILTER_DIVERGENT:
	case FILTER_NOT:
	case FILTER_AND:
	case FILTER_OR:
	case FILTER_SKIP_NONE:
	case FILTER_SKIP_ALL:
	case FILTER_CODES: break;
	}
	filter_leaf_memory(op, view, at, n, out);
}
