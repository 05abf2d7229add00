/*
 * Comparisons. PTX ISA 9.0 sections 9.7.7 (setp, set) and 9.7.4 (f16, bf16).
 * A comparison gives a word, one bit a lane: r |= test ? bit : 0, which compilers turn into vector
 * compares.
 */
#include "lanes.h"
#include "families.h"
#include "half.h"

typedef uint32_t compare_fn(const struct insn *in, char *file);

#define COMPARE(name, T, LOADED, load, ENTER, LEAVE, test)        \
	static uint32_t name(const struct insn *in, char *file)   \
	{                                                         \
		const T *pa = (const T *)(void *)(file + in->a);  \
		const T *pb = (const T *)(void *)(file + in->b);  \
		uint32_t r = 0;                                   \
		ENTER;                                            \
		EACH_LANE                                         \
		{                                                 \
			LOADED a = load(pa[l]), b = load(pb[l]);  \
			r |= (test) ? lane_bit[l] : 0;            \
		}                                                 \
		LEAVE;                                            \
		return r;                                         \
	}                                                         \
	static void name##_all(LANE_ARGS)                         \
	{                                                         \
		(void)mask;                                       \
		*lane_pred(file, in->d) = name(in, file);         \
	}                                                         \
	static void name##_some(LANE_ARGS)                        \
	{                                                         \
		lane_put_pred(file, in->d, mask, name(in, file)); \
	}

#define ORDERED(type, T, LOADED, load, ENTER, LEAVE)              \
	COMPARE(lt_##type, T, LOADED, load, ENTER, LEAVE, a < b)  \
	COMPARE(le_##type, T, LOADED, load, ENTER, LEAVE, a <= b) \
	COMPARE(gt_##type, T, LOADED, load, ENTER, LEAVE, a > b)  \
	COMPARE(ge_##type, T, LOADED, load, ENTER, LEAVE, a >= b)
#define EQUAL(type, T)                         \
	COMPARE(eq_##type, T, T, , , , a == b) \
	COMPARE(ne_##type, T, T, , , , a != b)
/* A negated test is true for NaN; neu is C's != */
#define FLOATS(type, T, LOADED, load)                                                      \
	COMPARE(eq_##type, T, LOADED, load, LANE_ENTER, LANE_LEAVE, a == b)                \
	COMPARE(ne_##type, T, LOADED, load, LANE_ENTER, LANE_LEAVE, (a < b) | (a > b))     \
	ORDERED(type, T, LOADED, load, LANE_ENTER, LANE_LEAVE)                             \
	COMPARE(equ_##type, T, LOADED, load, LANE_ENTER, LANE_LEAVE, !((a < b) | (a > b))) \
	COMPARE(neu_##type, T, LOADED, load, LANE_ENTER, LANE_LEAVE, a != b)               \
	COMPARE(ltu_##type, T, LOADED, load, LANE_ENTER, LANE_LEAVE, !(a >= b))            \
	COMPARE(leu_##type, T, LOADED, load, LANE_ENTER, LANE_LEAVE, !(a > b))             \
	COMPARE(gtu_##type, T, LOADED, load, LANE_ENTER, LANE_LEAVE, !(a <= b))            \
	COMPARE(geu_##type, T, LOADED, load, LANE_ENTER, LANE_LEAVE, !(a < b))             \
	COMPARE(num_##type, T, LOADED, load, LANE_ENTER, LANE_LEAVE, (a == a) & (b == b))  \
	COMPARE(nan_##type, T, LOADED, load, LANE_ENTER, LANE_LEAVE, (a != a) | (b != b))

EQUAL(16, uint16_t)
EQUAL(32, uint32_t)
EQUAL(64, uint64_t)
ORDERED(s16, int16_t, int16_t, , , )
ORDERED(u16, uint16_t, uint16_t, , , )
ORDERED(s32, int32_t, int32_t, , , )
ORDERED(u32, uint32_t, uint32_t, , , )
ORDERED(s64, int64_t, int64_t, , , )
ORDERED(u64, uint64_t, uint64_t, , , )
FLOATS(f32, float, float, )
FLOATS(f64, double, double, )
#define FLUSHED(h, f) (in->round & LANE_FTZ ? half_flush(h, f) : (h))
#define FROM_F16(h)   f32_of_f16(FLUSHED(h, half_f16))
#define FROM_BF16(h)  f64_of_bf16(FLUSHED(h, half_bf16))
FLOATS(f16, uint16_t, float, FROM_F16)
FLOATS(bf16, uint16_t, double, FROM_BF16)

struct comparison {
	compare_fn *compare;
	lane_fn *fn[2];
};

#define CMP(name)                               \
	{                                       \
		name,                           \
		{                               \
			name##_some, name##_all \
		}                               \
	}
#define INTEGER(type, width)                                                               \
	[CMP_EQ] = CMP(eq_##width), [CMP_NE] = CMP(ne_##width), [CMP_LT] = CMP(lt_##type), \
	[CMP_LE] = CMP(le_##type), [CMP_GT] = CMP(gt_##type), [CMP_GE] = CMP(ge_##type)
#define FLOATING(type)                                                                         \
	[CMP_EQ] = CMP(eq_##type), [CMP_NE] = CMP(ne_##type), [CMP_LT] = CMP(lt_##type),       \
	[CMP_LE] = CMP(le_##type), [CMP_GT] = CMP(gt_##type), [CMP_GE] = CMP(ge_##type),       \
	[CMP_EQU] = CMP(equ_##type), [CMP_NEU] = CMP(neu_##type), [CMP_LTU] = CMP(ltu_##type), \
	[CMP_LEU] = CMP(leu_##type), [CMP_GTU] = CMP(gtu_##type), [CMP_GEU] = CMP(geu_##type), \
	[CMP_NUM] = CMP(num_##type), [CMP_NAN] = CMP(nan_##type)

static const struct comparison comparison[PTX_TYPE_COUNT][CMP_COUNT] = {
    [PTX_S16] = {INTEGER(s16, 16)},
    [PTX_U16] = {INTEGER(u16, 16)},
    [PTX_B16] = {INTEGER(u16, 16)},
    [PTX_S32] = {INTEGER(s32, 32)},
    [PTX_U32] = {INTEGER(u32, 32)},
    [PTX_B32] = {INTEGER(u32, 32)},
    [PTX_S64] = {INTEGER(s64, 64)},
    [PTX_U64] = {INTEGER(u64, 64)},
    [PTX_B64] = {INTEGER(u64, 64)},
    [PTX_F32] = {FLOATING(f32)},
    [PTX_F64] = {FLOATING(f64)},
    [PTX_F16] = {FLOATING(f16)},
    [PTX_BF16] = {FLOATING(bf16)},
};

/* aux of the general forms: BOOL, whether there is a second destination */
enum { AUX_BOOL = 3, AUX_SECOND = 4 };

static uint32_t
combine(unsigned bool_op, uint32_t x, uint32_t y)
{
	return bool_op == BOOL_AND   ? x & y
	       : bool_op == BOOL_OR  ? x | y
	       : bool_op == BOOL_XOR ? x ^ y
				     : x;
}

static uint32_t
third(const struct insn *in, char *file)
{
	unsigned bool_op = in->aux & AUX_BOOL;
	uint32_t c = bool_op ? *lane_pred(file, in->c) : 0;
	return in->negate ? ~c : c;
}

/* setp.CMP.BOOL p|q, a, b, c: p = (a CMP b) BOOL c, q = !(a CMP b) BOOL c. imm is the comparison.
 */
static void
setp_general(LANE_ARGS)
{
	uint32_t r = ((compare_fn *)(uintptr_t)in->imm)(in, file), c = third(in, file);
	lane_put_pred(file, in->d, mask, combine(in->aux & AUX_BOOL, r, c));
	if (in->aux & AUX_SECOND)
		lane_put_pred(file, in->d2, mask, combine(in->aux & AUX_BOOL, ~r, c));
}

/* set: all ones or 1.0 where true */
#define SET(name, T, one)                                                  \
	static void name(LANE_ARGS)                                        \
	{                                                                  \
		uint32_t r = ((compare_fn *)(uintptr_t)in->imm)(in, file); \
		T *d = (T *)(void *)(file + in->d);                        \
		r = combine(in->aux & AUX_BOOL, r, third(in, file));       \
		EACH_LANE                                                  \
		{                                                          \
			T value = r & lane_bit[l] ? (T)(one) : 0;          \
			d[l] = mask & lane_bit[l] ? value : d[l];          \
		}                                                          \
	}
SET(set_32, uint32_t, UINT32_MAX)
SET(set_f32, uint32_t, 0x3f800000)
SET(set_16, uint16_t, UINT16_MAX)
SET(set_f16, uint16_t, 0x3c00)
SET(set_bf16, uint16_t, 0x3f80)

/* The comparison in imm on the lower and the upper halves of a and b */
static void
compare_halves(const struct insn *in, char *file, uint32_t result[2])
{
	_Alignas(64) uint16_t half[2][2][WCP_LANES]; /* [half][operand][lane] */
	const uint32_t *a = lane_pred(file, in->a), *b = lane_pred(file, in->b);
	struct insn one = *in;
	one.a = 0;
	one.b = sizeof half[0][0];
	for (unsigned k = 0; k < 2; k++) {
		for (unsigned l = 0; l < WCP_LANES; l++) {
			half[k][0][l] = (uint16_t)(a[l] >> (16 * k));
			half[k][1][l] = (uint16_t)(b[l] >> (16 * k));
		}
		result[k] = ((compare_fn *)(uintptr_t)in->imm)(&one, (char *)half[k]);
	}
}

/* p|q are the lower and the upper half's */
static void
setp_halves(LANE_ARGS)
{
	uint32_t r[2], c = third(in, file);
	compare_halves(in, file, r);
	lane_put_pred(file, in->d, mask, combine(in->aux & AUX_BOOL, r[0], c));
	if (in->aux & AUX_SECOND)
		lane_put_pred(file, in->d2, mask, combine(in->aux & AUX_BOOL, r[1], c));
}

#define SET_HALVES(name, one)                                                              \
	static void name(LANE_ARGS)                                                        \
	{                                                                                  \
		uint32_t *d = lane_pred(file, in->d), r[2], c = third(in, file);           \
		compare_halves(in, file, r);                                               \
		r[0] = combine(in->aux & AUX_BOOL, r[0], c);                               \
		r[1] = combine(in->aux & AUX_BOOL, r[1], c);                               \
		EACH_LANE                                                                  \
		{                                                                          \
			uint32_t value = (r[0] & lane_bit[l] ? (uint32_t)(one) : 0) |      \
					 (r[1] & lane_bit[l] ? (uint32_t)(one) << 16 : 0); \
			d[l] = mask & lane_bit[l] ? value : d[l];                          \
		}                                                                          \
	}
SET_HALVES(set_halves, UINT16_MAX)
SET_HALVES(set_f16x2, 0x3c00)
SET_HALVES(set_bf16x2, 0x3f80)

static int
choose(const struct ptx_insn *in, const struct lane_match *m, enum ptx_type type,
    const struct comparison **chosen, struct wcp_error *e)
{
	enum ptx_type single = type == PTX_F16X2 ? PTX_F16 : type == PTX_BF16X2 ? PTX_BF16 : type;
	*chosen = &comparison[single][m->cmp];
	if (!(*chosen)->compare)
		return wcp_fail(e, WCP_EDATA, "%s: no such comparison of this type", in->opcode);
	return 0;
}

static int
finish_setp(const struct ptx_insn *in, const struct lane_match *m, struct lane_code *code,
    struct wcp_error *e)
{
	const struct comparison *chosen;
	int status = choose(in, m, m->type[0], &chosen, e);
	if (status)
		return status;
	code->imm = (int64_t)(uintptr_t)chosen->compare;
	code->aux = (uint16_t)(m->bool_op | (code->n_dst == 2 ? AUX_SECOND : 0));
	if (!code->aux && code->fn[0] == setp_general) {
		code->fn[0] = chosen->fn[0];
		code->fn[1] = chosen->fn[1];
	}
	return 0;
}

static int
finish_set(const struct ptx_insn *in, const struct lane_match *m, struct lane_code *code,
    struct wcp_error *e)
{
	const struct comparison *chosen;
	int status = choose(in, m, m->type[1], &chosen, e);
	if (status)
		return status;
	code->imm = (int64_t)(uintptr_t)chosen->compare;
	code->aux = (uint16_t)m->bool_op;
	return 0;
}

#define INTEGERS "s32|u32|b32|s64|u64|b64|s16|u16|b16"
#define ROWS_SETP(types, op_class, name)                                          \
	ROW_FINISH("setp.CMP.ftz?." types, "p|:tt", op_class, name, finish_setp), \
	    ROW_FINISH("setp.CMP.BOOL.ftz?." types, "p|:ttn", op_class, name, finish_setp)
#define ROWS_SET(type, name, types, op_class)                                           \
	ROW_FINISH("set.CMP.ftz?." type "." types, "t:uu", op_class, name, finish_set), \
	    ROW_FINISH("set.CMP.BOOL.ftz?." type "." types, "t:uun", op_class, name, finish_set)

const struct lane_row LEVELED(lanes_compare)[] = {
    ROWS_SETP(INTEGERS, INT, setp_general),
    ROWS_SETP("f32", FADD, setp_general),
    ROWS_SETP("f64", DADD, setp_general),
    ROWS_SETP("f16|bf16", HALF, setp_general),
    ROWS_SETP("f16x2|bf16x2", HALF, setp_halves),
    ROWS_SET("u32|s32", set_32, INTEGERS, INT),
    ROWS_SET("u32|s32", set_32, "f32", FADD),
    ROWS_SET("u32|s32", set_32, "f64", DADD),
    ROWS_SET("u32|s32", set_32, "f16|bf16", HALF),
    ROWS_SET("u32|s32", set_halves, "f16x2|bf16x2", HALF),
    ROWS_SET("f32", set_f32, INTEGERS, INT),
    ROWS_SET("f32", set_f32, "f32", FADD),
    ROWS_SET("f32", set_f32, "f64", DADD),
    ROWS_SET("u16|s16", set_16, "f16|bf16", HALF),
    ROWS_SET("f16", set_f16, INTEGERS "|f16|f32|f64", HALF),
    ROWS_SET("bf16", set_bf16, INTEGERS "|bf16|f32|f64", HALF),
    ROWS_SET("f16x2", set_f16x2, "f16x2", HALF),
    ROWS_SET("bf16x2", set_bf16x2, "bf16x2", HALF),
    ROW_END,
};
