/*
 * Video instructions, scalar and SIMD. PTX ISA 9.0 section 9.7.17. Rare, so one interpreter serves
 * all, steered by a word that decoding packs into imm.
 */
#include "families.h"
#include "lanes.h"

enum video_op { V_ADD, V_SUB, V_ABSDIFF, V_MIN, V_MAX, V_AVRG, V_SHL, V_SHR, V_MAD, V_SET };
enum video_second { THEN_NOTHING, THEN_ADD, THEN_MIN, THEN_MAX, THEN_MERGE };

/* log: of an element's bytes. pick: 3 bits an element, its place in a, or in the row of a and b. */
struct video {
	uint64_t op : 4, cmp : 4, second : 3;
	uint64_t d_signed : 1, a_signed : 1, b_signed : 1;
	uint64_t sat : 1, wrap : 1, plus_one : 1, scale : 4;
	uint64_t d_log : 2, a_log : 2, b_log : 2;
	uint64_t place : 4; /* scalar: the element of c replaced; SIMD: a mask of those computed */
	uint64_t a_pick : 12, b_pick : 12;
};

union video_word {
	int64_t imm;
	struct video v;
};
_Static_assert(sizeof(union video_word) == sizeof(int64_t), "a description fits imm");

static int64_t
element(uint64_t row, unsigned k, unsigned log, bool is_signed)
{
	unsigned bits = 8u << log;
	uint64_t v = row >> (k * bits) << (64 - bits);
	return is_signed ? (int64_t)v >> (64 - bits) : (int64_t)(v >> (64 - bits));
}

static int64_t
clamp(int64_t x, unsigned log, bool is_signed)
{
	unsigned bits = 8u << log;
	int64_t low = is_signed ? -((int64_t)1 << (bits - 1)) : 0;
	int64_t high = ((int64_t)1 << (bits - is_signed)) - 1;
	return x < low ? low : x > high ? high : x;
}

static bool
holds(unsigned cmp, int64_t a, int64_t b)
{
	return (a < b && (cmp == CMP_LT || cmp == CMP_LE || cmp == CMP_NE)) ||
	       (a == b && (cmp == CMP_EQ || cmp == CMP_LE || cmp == CMP_GE)) ||
	       (a > b && (cmp == CMP_GT || cmp == CMP_GE || cmp == CMP_NE));
}

static int64_t
multiply_add(const struct video *v, int64_t a, int64_t b, int64_t c)
{
	__int128 r = (__int128)a * b + c + v->plus_one;
	return (int64_t)(r >> v->scale);
}

static int64_t
compute(const struct video *v, int64_t a, int64_t b, int64_t c)
{
	unsigned shift = v->wrap ? b & 31 : b > 32 ? 32 : (unsigned)b;
	switch ((enum video_op)v->op) {
	case V_ADD: return a + b;
	case V_SUB: return a - b;
	case V_ABSDIFF: return a < b ? b - a : a - b;
	case V_MIN: return a < b ? a : b;
	case V_MAX: return a > b ? a : b;
	case V_AVRG: return (a + b + (a + b >= 0)) >> 1;
	case V_SHL: return a * ((int64_t)1 << shift);
	case V_SHR: return a >> shift;
	case V_MAD: return multiply_add(v, a, b, c);
	case V_SET: return holds(v->cmp, a, b);
	}
	return 0;
}

static uint32_t
merge(uint32_t into, int64_t x, unsigned k, unsigned log)
{
	unsigned bits = 8u << log, at = k * bits & 31;
	uint64_t ones = (((uint64_t)1 << bits) - 1) << at;
	return (uint32_t)((into & ~ones) | ((uint64_t)x << at & ones));
}

static uint32_t
scalar(const struct video *v, uint32_t a, uint32_t b, uint32_t c)
{
	int64_t third = v->d_signed ? (int32_t)c : (int64_t)c;
	int64_t r = compute(v, element(a, v->a_pick, v->a_log, v->a_signed),
	    element(b, v->b_pick, v->b_log, v->b_signed), third);
	r = v->sat ? clamp(r, v->d_log, v->d_signed)
		   : element((uint64_t)r, 0, v->d_log, v->d_signed);
	switch ((enum video_second)v->second) {
	case THEN_ADD: return (uint32_t)r + c;
	case THEN_MIN: return (uint32_t)(r < third ? r : third);
	case THEN_MAX: return (uint32_t)(r > third ? r : third);
	case THEN_MERGE: return merge(c, r, v->place, v->d_log);
	case THEN_NOTHING: break;
	}
	return (uint32_t)r;
}

/* Element k of all lanes as v picks it: from a, or from b in the places above. */
static void
pick_elements(const struct video *v, unsigned pick, bool is_signed, const uint32_t *a,
    const uint32_t *b, int32_t *x)
{
	const unsigned bits = 8u << v->d_log, up = 32 - bits, at = pick * bits % 64;
	const uint32_t *from = at < 32 ? a : b;
	const unsigned shift = at % 32;
	if (is_signed)
		EACH_LANE x[l] = (int32_t)(from[l] >> shift << up) >> up;
	else
		EACH_LANE x[l] = (int32_t)(from[l] >> shift << up >> up);
}

/* compute() of elements, which have 16 bits at most. */
static void
compute_elements(const struct video *v, const int32_t *x, const int32_t *y, int32_t *r)
{
	const int32_t less = holds(v->cmp, 0, 1), same = holds(v->cmp, 0, 0),
		      more = holds(v->cmp, 1, 0);
	switch ((enum video_op)v->op) {
	case V_ADD: EACH_LANE r[l] = x[l] + y[l]; return;
	case V_SUB: EACH_LANE r[l] = x[l] - y[l]; return;
	case V_ABSDIFF: EACH_LANE r[l] = x[l] < y[l] ? y[l] - x[l] : x[l] - y[l]; return;
	case V_MIN: EACH_LANE r[l] = x[l] < y[l] ? x[l] : y[l]; return;
	case V_MAX: EACH_LANE r[l] = x[l] > y[l] ? x[l] : y[l]; return;
	case V_AVRG: EACH_LANE r[l] = (x[l] + y[l] + (x[l] + y[l] >= 0)) >> 1; return;
	case V_SET: EACH_LANE r[l] = x[l] < y[l] ? less : x[l] == y[l] ? same : more; return;
	case V_SHL:
	case V_SHR:
	case V_MAD: break; /* no elements */
	}
}

static void
limit_elements(const struct video *v, int32_t *r)
{
	const int32_t low = (int32_t)clamp(INT32_MIN, v->d_log, v->d_signed),
		      high = (int32_t)clamp(INT32_MAX, v->d_log, v->d_signed);
	EACH_LANE r[l] = r[l] < low ? low : r[l] > high ? high : r[l];
}

static void
video_simd(LANE_ARGS)
{
	uint32_t *d = lane_pred(file, in->d), sum[WCP_LANES];
	const uint32_t *a = lane_pred(file, in->a), *b = lane_pred(file, in->b);
	const union video_word word = {in->imm};
	const struct video *v = &word.v;
	const unsigned bits = 8u << v->d_log;
	memcpy(sum, file + in->c, sizeof sum);
	for (unsigned k = 0; k < 4u >> v->d_log; k++) {
		const uint32_t ones = ((1u << bits) - 1) << k * bits;
		int32_t x[WCP_LANES], y[WCP_LANES], r[WCP_LANES];
		if (!(v->place >> k & 1))
			continue;
		pick_elements(v, v->a_pick >> (3 * k) & 7, v->a_signed, a, b, x);
		pick_elements(v, v->b_pick >> (3 * k) & 7, v->b_signed, a, b, y);
		compute_elements(v, x, y, r);
		if (v->sat)
			limit_elements(v, r);
		if (v->second == THEN_ADD)
			EACH_LANE sum[l] += (uint32_t)r[l];
		else
			EACH_LANE sum[l] = (sum[l] & ~ones) | ((uint32_t)r[l] << k * bits & ones);
	}
	EACH_LANE d[l] = mask & lane_bit[l] ? sum[l] : d[l];
}

static void
video_scalar(LANE_ARGS)
{
	uint32_t *d = lane_pred(file, in->d);
	const uint32_t *a = lane_pred(file, in->a), *b = lane_pred(file, in->b);
	const uint32_t *c = lane_pred(file, in->c);
	const union video_word word = {in->imm};
	for (unsigned l = 0; l < WCP_LANES; l++)
		if (mask >> l & 1)
			d[l] = scalar(&word.v, a[l], b[l], c[l]);
}

/* ---- decoding ---- */

static enum video_op
operation(const char *base)
{
	static const char *const name[] = {[V_ADD] = "vadd",
	    [V_SUB] = "vsub",
	    [V_ABSDIFF] = "vabsdiff",
	    [V_MIN] = "vmin",
	    [V_MAX] = "vmax",
	    [V_AVRG] = "vavrg",
	    [V_SHL] = "vshl",
	    [V_SHR] = "vshr",
	    [V_MAD] = "vmad",
	    [V_SET] = "vset"};
	unsigned op = 0;
	while (strncmp(base, name[op], strlen(name[op])) != 0)
		op++;
	return (enum video_op)op;
}

static bool
is_signed(enum ptx_type type)
{
	return type == PTX_S32;
}

/* Types: result, a, b; vset has no result type, its result is 0 or 1. */
static struct video
describe(const struct ptx_insn *in, const struct lane_match *m)
{
	enum video_op op = operation(in->base);
	const enum ptx_type *source = op == V_SET ? m->type : m->type + 1;
	struct video v = {.op = op, .cmp = m->cmp & 15};
	v.d_signed = op != V_SET && is_signed(m->type[0]);
	v.a_signed = is_signed(source[0]);
	v.b_signed = is_signed(source[1]);
	v.sat = ptx_has(in, "sat");
	v.wrap = ptx_has(in, "wrap");
	v.plus_one = ptx_has(in, "po");
	v.scale = ptx_has(in, "shr15") ? 15 : ptx_has(in, "shr7") ? 7 : 0;
	v.second = ptx_has(in, "add")	? THEN_ADD
		   : ptx_has(in, "min") ? THEN_MIN
		   : ptx_has(in, "max") ? THEN_MAX
					: THEN_NOTHING;
	return v;
}

/* "h1" or "b3": which element of which size; none: the whole word. False if it is neither. */
static bool
select_one(const char *selector, unsigned *log, unsigned *place)
{
	*log = 2;
	*place = 0;
	if (!selector)
		return true;
	*log = selector[0] == 'h';
	*place = (unsigned)(selector[1] - '0');
	return (selector[0] == 'b' || *log) && *place < (4u >> *log) && !selector[2];
}

static int
finish_scalar(const struct ptx_insn *in, const struct lane_match *m, struct lane_code *code,
    struct wcp_error *e)
{
	union video_word word = {.v = describe(in, m)};
	unsigned log[3], place[3];
	for (unsigned i = 0; i < 3; i++)
		if (!select_one(in->op[i].selector, &log[i], &place[i]))
			return wcp_fail(e, WCP_EDATA, "%s: operand %u: no part .%s", in->opcode,
			    i + 1, in->op[i].selector);
	if (in->op[0].selector && (in->n_op != 4 || word.v.second != THEN_NOTHING))
		return wcp_fail(e, WCP_EDATA, "%s: a part of d needs c to merge into", in->opcode);
	if (in->n_op == 4 && word.v.second == THEN_NOTHING && word.v.op != V_MAD)
		word.v.second = THEN_MERGE;
	word.v.d_log = log[0] & 3;
	word.v.a_log = log[1] & 3;
	word.v.b_log = log[2] & 3;
	word.v.place = place[0] & 15;
	word.v.a_pick = place[1] & 7;
	word.v.b_pick = place[2] & 7;
	code->imm = word.imm;
	return 0;
}

/* "b3210" or "h10", highest element first: 3 bits an element, or a bit an element */
static bool
select_many(const char *selector, unsigned log, bool as_mask, unsigned *picked)
{
	unsigned n = 4u >> log, limit = as_mask ? n : 2 * n, count = 0;
	if (selector[0] != (log ? 'h' : 'b'))
		return false;
	for (const char *s = selector + 1; *s; s++, count++) {
		unsigned digit = (unsigned)(*s - '0');
		if (digit >= limit || count >= n)
			return false;
		*picked = as_mask ? *picked | 1u << digit : *picked << 3 | digit;
	}
	return as_mask ? count > 0 : count == n;
}

static int
finish_simd(const struct ptx_insn *in, const struct lane_match *m, struct lane_code *code,
    struct wcp_error *e)
{
	unsigned log = in->base[strlen(in->base) - 1] == '2';
	const char *fallback[3] = {
	    log ? "h10" : "b3210", log ? "h10" : "b3210", log ? "h32" : "b7654"};
	union video_word word = {.v = describe(in, m)};
	unsigned picked[3] = {0};
	for (unsigned i = 0; i < 3; i++) {
		const char *selector = in->op[i].selector ? in->op[i].selector : fallback[i];
		if (!select_many(selector, log, i == 0, &picked[i]))
			return wcp_fail(e, WCP_EDATA, "%s: operand %u: no parts .%s", in->opcode,
			    i + 1, selector);
	}
	word.v.d_log = log & 3;
	word.v.place = picked[0] & 15;
	word.v.a_pick = picked[1] & 0xfff;
	word.v.b_pick = picked[2] & 0xfff;
	code->imm = word.imm;
	return 0;
}

#define T		       "s32|u32"
#define ROW_SCALAR(form, args) ROW_FINISH(form, args, INT, video_scalar, finish_scalar)
#define ROW_SIMD(form)	       ROW_FINISH(form, "i:iii", INT, video_simd, finish_simd)
#define ROWS_SCALAR(form)                                    \
	ROW_SCALAR(form, "i:ii"), ROW_SCALAR(form, "i:iii"), \
	    ROW_SCALAR(form ".add|min|max", "i:iii")
#define ROWS_SIMD(op)                                                                    \
	ROW_SIMD(op "2." T "." T "." T ".sat?"), ROW_SIMD(op "2." T "." T "." T ".add"), \
	    ROW_SIMD(op "4." T "." T "." T ".sat?"), ROW_SIMD(op "4." T "." T "." T ".add")

const struct lane_row LEVELED(lanes_video)[] = {
    ROWS_SCALAR("vadd." T "." T "." T ".sat?"),
    ROWS_SCALAR("vsub." T "." T "." T ".sat?"),
    ROWS_SCALAR("vabsdiff." T "." T "." T ".sat?"),
    ROWS_SCALAR("vmin." T "." T "." T ".sat?"),
    ROWS_SCALAR("vmax." T "." T "." T ".sat?"),
    ROWS_SCALAR("vshl." T "." T ".u32.sat?.clamp|wrap"),
    ROWS_SCALAR("vshr." T "." T ".u32.sat?.clamp|wrap"),
    ROWS_SCALAR("vset." T "." T ".CMP"),
    ROW_SCALAR("vmad." T "." T "." T ".sat?.shr7|shr15?", "i:iii"),
    ROW_SCALAR("vmad." T "." T "." T ".po.sat?.shr7|shr15?", "i:iii"),
    ROWS_SIMD("vadd"),
    ROWS_SIMD("vsub"),
    ROWS_SIMD("vavrg"),
    ROWS_SIMD("vabsdiff"),
    ROWS_SIMD("vmin"),
    ROWS_SIMD("vmax"),
    ROW_SIMD("vset2." T "." T ".CMP.add?"),
    ROW_SIMD("vset4." T "." T ".CMP.add?"),
    ROW_END,
};
