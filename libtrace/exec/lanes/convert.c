/*
 * Conversions among integers, f32 and f64. PTX ISA 9.0 section 9.7.9.21 (cvt); half.c has the
 * 16-bit floats. A value of 8 bits sits in a 16-bit slot, extended by its sign or zeros.
 */
#include "convert.h"
#include "families.h"

/* ---- integer to integer ---- */

/* v of any integer type, into [low, high] */
static inline int64_t
clamp_signed(int64_t v, int64_t low, uint64_t high)
{
	return v < low ? low : v > 0 && (uint64_t)v > high ? (int64_t)high : v;
}
static inline uint64_t
clamp_unsigned(uint64_t v, uint64_t high)
{
	return v > high ? high : v;
}
#define CLAMP(v, signed_v, low, high)                               \
	(signed_v ? (uint64_t)clamp_signed((int64_t)(v), low, high) \
		  : clamp_unsigned((uint64_t)(v), high))

#define INT_TO_INT(from, FS, FV, from_signed, to, TS, TV, low, high) \
	OP1(cvt_##to##_##from, TS, FS, (TV)(FV)a)                    \
	OP1(cvt_sat_##to##_##from, TS, FS, (TV)CLAMP((FV)a, from_signed, low, high))

/* name, slot, value, smallest, largest */
#define TO_INTEGERS(X, ...)                                         \
	X(__VA_ARGS__, s8, int16_t, int8_t, INT8_MIN, INT8_MAX)     \
	X(__VA_ARGS__, u8, uint16_t, uint8_t, 0, UINT8_MAX)         \
	X(__VA_ARGS__, s16, int16_t, int16_t, INT16_MIN, INT16_MAX) \
	X(__VA_ARGS__, u16, uint16_t, uint16_t, 0, UINT16_MAX)      \
	X(__VA_ARGS__, s32, int32_t, int32_t, INT32_MIN, INT32_MAX) \
	X(__VA_ARGS__, u32, uint32_t, uint32_t, 0, UINT32_MAX)      \
	X(__VA_ARGS__, s64, int64_t, int64_t, INT64_MIN, INT64_MAX) \
	X(__VA_ARGS__, u64, uint64_t, uint64_t, 0, UINT64_MAX)
#define FROM_INTEGERS(X)              \
	X(s8, int16_t, int8_t, 1)     \
	X(u8, uint16_t, uint8_t, 0)   \
	X(s16, int16_t, int16_t, 1)   \
	X(u16, uint16_t, uint16_t, 0) \
	X(s32, int32_t, int32_t, 1)   \
	X(u32, uint32_t, uint32_t, 0) \
	X(s64, int64_t, int64_t, 1)   \
	X(u64, uint64_t, uint64_t, 0)

#define FROM_ONE(from, FS, FV, from_signed) TO_INTEGERS(INT_TO_INT, from, FS, FV, from_signed)
FROM_INTEGERS(FROM_ONE)

/* ---- float to integer ---- */

/* A NaN gives 0; from f64, or to 64 bits, the integer with only its top bit set. */
#define FLOAT_TO_INTS(from, F, is_f64)                                                            \
	FLOAT_TO_INT(from, s8, F, int16_t, narrow_signed(x, -128, 127, is_f64 ? -128 : 0))        \
	FLOAT_TO_INT(from, u8, F, uint16_t, narrow_signed(x, 0, 255, is_f64 ? 128 : 0))           \
	FLOAT_TO_INT(from, s16, F, int16_t, narrow_signed(x, -32768, 32767, is_f64 ? -32768 : 0)) \
	FLOAT_TO_INT(from, u16, F, uint16_t, narrow_signed(x, 0, 65535, is_f64 ? 32768 : 0))      \
	FLOAT_TO_INT(from, s32, F, int32_t,                                                       \
	    narrow_signed(x, -2147483648.0, 2147483647.0, is_f64 ? -2147483648.0 : 0))            \
	FLOAT_TO_INT(from, u32, F, uint32_t, u32_of(x, is_f64 ? 2147483648.0 : 0))                \
	FLOAT_TO_INT(from, s64, F, int64_t, s64_of(x))                                            \
	FLOAT_TO_INT(from, u64, F, uint64_t, u64_of(x))
/* The C conversion truncates, so rzi needs no environment. */
#define FLOAT_TO_INT(from, to, F, T, expr)                                       \
	static inline T to##_from_##from(double x)                               \
	{                                                                        \
		return (T)(expr);                                                \
	}                                                                        \
	FOP1(cvt_##to##_##from, T, F, to##_from_##from(integral_f64((double)a))) \
	OP1(cvt_rzi_##to##_##from, T, F, to##_from_##from((double)a))
FLOAT_TO_INTS(f32, float, 0)
FLOAT_TO_INTS(f64, double, 1)

/* ---- integer to float ---- */

FOP1(cvt_f32_s8, float, int16_t, (int8_t)a)
FOP1(cvt_f32_u8, float, uint16_t, (uint8_t)a)
FOP1(cvt_f32_s16, float, int16_t, a)
FOP1(cvt_f32_u16, float, uint16_t, a)
FOP1(cvt_f32_s32, float, int32_t, a)
FOP1(cvt_f32_u32, float, uint32_t,
    (float)(int32_t)(a >> 16) * 65536.0f + (float)(int32_t)(a & 0xffff))
FOP1(cvt_f32_s64, float, int64_t, a)
FOP1(cvt_f32_u64, float, uint64_t, f32_of_u64(a))
OP1(cvt_f64_s8, double, int16_t, (int8_t)a)
OP1(cvt_f64_u8, double, uint16_t, (uint8_t)a)
OP1(cvt_f64_s16, double, int16_t, a)
OP1(cvt_f64_u16, double, uint16_t, a)
OP1(cvt_f64_s32, double, int32_t, a)
OP1(cvt_f64_u32, double, uint32_t, f64_of_u32(a))
FOP1(cvt_f64_s64, double, int64_t, a)
FOP1(cvt_f64_u64, double, uint64_t, f64_of_u64(a))

/* ---- float to float ---- */

static inline float
canonical(float x)
{
	return x == x ? x : f32_of_bits(0x7fffffff);
}
FOP1(cvt_f64_f32, double, float, a)
FOP1(cvt_f32_f64, float, double, canonical((float)a))
FOP1(cvt_int_f32, float, float, canonical(integral_f32(a)))
FOP1(cvt_int_f64, double, double, integral_f64(a))
OP1(cvt_f32_f32, uint32_t, uint32_t, a)
OP1(cvt_ftz_f32_f32, uint32_t, uint32_t, a & 0x7f800000 ? a : a & 0x80000000)
OP1(cvt_f64_f64, uint64_t, uint64_t, a)

/* .sat of a float: convert as imm does, then clamp to [0, 1]; NaN gives 0 */
#define SATURATE(type, T)                                           \
	static void saturate_##type(LANE_ARGS)                      \
	{                                                           \
		T *d = (T *)(void *)(file + in->d);                 \
		((lane_fn *)(uintptr_t)in->imm)(in, file, mask);    \
		EACH_LANE                                           \
		{                                                   \
			T r = d[l] > 0 ? (d[l] < 1 ? d[l] : 1) : 0; \
			d[l] = mask & lane_bit[l] ? r : d[l];       \
		}                                                   \
	}
SATURATE(f32, float)
SATURATE(f64, double)

/* ---- choosing ---- */

#define PAIR(name)                      \
	{                               \
		name##_some, name##_all \
	}
#define CASE_INT(from, FS, FV, from_signed, to, ...) \
	[INDEX_##from][INDEX_##to] = {PAIR(cvt_##to##_##from), PAIR(cvt_sat_##to##_##from)},
#define CASE_FROM(from, FS, FV, from_signed) TO_INTEGERS(CASE_INT, from, FS, FV, from_signed)
#define CASE_TO(from, to, ...) \
	[INDEX_##from][INDEX_##to] = {PAIR(cvt_##to##_##from), PAIR(cvt_rzi_##to##_##from)},
#define CASE_FLOAT(from, ...)                                           \
	[INDEX_##from] = {                                              \
	    [INDEX_f32] = {PAIR(cvt_f32_##from), PAIR(cvt_f32_##from)}, \
	    [INDEX_f64] = {PAIR(cvt_f64_##from), PAIR(cvt_f64_##from)}, \
	},

enum {
	INDEX_s8 = PTX_S8,
	INDEX_u8 = PTX_U8,
	INDEX_s16 = PTX_S16,
	INDEX_u16 = PTX_U16,
	INDEX_s32 = PTX_S32,
	INDEX_u32 = PTX_U32,
	INDEX_s64 = PTX_S64,
	INDEX_u64 = PTX_U64,
	INDEX_f32 = PTX_F32,
	INDEX_f64 = PTX_F64,
};

/* [from][to][second kind: saturated, or truncated][masked, all] */
typedef lane_fn *choice[2][2];
static const choice int_to_int[PTX_TYPE_COUNT][PTX_TYPE_COUNT] = {FROM_INTEGERS(CASE_FROM)};
static const choice float_to_int[PTX_TYPE_COUNT][PTX_TYPE_COUNT] = {
    TO_INTEGERS(CASE_TO, f32) TO_INTEGERS(CASE_TO, f64)};
static const choice to_float[PTX_TYPE_COUNT][PTX_TYPE_COUNT] = {
    FROM_INTEGERS(CASE_FLOAT)[PTX_F32] = {[PTX_F64] = {PAIR(cvt_f64_f32), PAIR(cvt_f64_f32)},
	[PTX_F32] = {PAIR(cvt_f32_f32), PAIR(cvt_ftz_f32_f32)}},
    [PTX_F64] = {[PTX_F32] = {PAIR(cvt_f32_f64), PAIR(cvt_f32_f64)},
	[PTX_F64] = {PAIR(cvt_f64_f64), PAIR(cvt_f64_f64)}},
};

static int
take(const struct ptx_insn *in, lane_fn *const pair[2], struct lane_code *code, struct wcp_error *e)
{
	if (!pair[0])
		return wcp_fail(e, WCP_EDATA, "%s: no such conversion", in->opcode);
	code->fn[0] = pair[0];
	code->fn[1] = pair[1];
	return 0;
}

static int
finish_int(const struct ptx_insn *in, const struct lane_match *m, struct lane_code *code,
    struct wcp_error *e)
{
	return take(in, int_to_int[m->type[1]][m->type[0]][ptx_has(in, "sat")], code, e);
}

/* Float to integer saturates with or without .sat. */
static int
finish_to_int(const struct ptx_insn *in, const struct lane_match *m, struct lane_code *code,
    struct wcp_error *e)
{
	bool truncates = (code->round & 3) == LANE_RZ;
	return take(in, float_to_int[m->type[1]][m->type[0]][truncates], code, e);
}

static void
saturated(const struct ptx_insn *in, enum ptx_type to, struct lane_code *code)
{
	if (!ptx_has(in, "sat"))
		return;
	code->imm = (int64_t)(uintptr_t)code->fn[0];
	code->fn[0] = code->fn[1] = to == PTX_F32 ? saturate_f32 : saturate_f64;
}

static int
finish_to_float(const struct ptx_insn *in, const struct lane_match *m, struct lane_code *code,
    struct wcp_error *e)
{
	bool flushes = code->round & LANE_FTZ;
	int status = take(in, to_float[m->type[1]][m->type[0]][flushes], code, e);
	saturated(in, m->type[0], code);
	return status;
}

static int
finish_integral(const struct ptx_insn *in, const struct lane_match *m, struct lane_code *code,
    struct wcp_error *e)
{
	(void)e;
	saturated(in, m->type[0], code);
	return 0;
}

/* cvt.pack: a and b kept within n bits, b lowest, and above them what c has */
static inline uint32_t
kept(int32_t x, bool sign, unsigned n)
{
	const int32_t top = (1 << (n - sign)) - 1, bottom = sign ? -top - 1 : 0;
	return (uint32_t)(x > top ? top : x < bottom ? bottom : x) & ((1u << n) - 1);
}
#define PACK(type, sign, n)                                    \
	OP3(pack_##type, uint32_t, int32_t, int32_t, uint32_t, \
	    kept(a, sign, n) << n | kept(b, sign, n) | (uint32_t)((uint64_t)c << 2 * n))
PACK(u16, false, 16)
PACK(s16, true, 16)
PACK(u8, false, 8)
PACK(s8, true, 8)
PACK(u4, false, 4)
PACK(s4, true, 4)
PACK(u2, false, 2)
PACK(s2, true, 2)
#define ROW_PACK(type) ROW("cvt.pack.sat." #type ".s32.b32", "i:iii", CVT, pack_##type)

#define INTEGERS "s32|u32|s64|u64|s16|u16|s8|u8"
#define ROW_CVT(form, name, finish)                                        \
	{                                                                  \
		form, "t:u", WCP_OP_CVT, {name##_some, name##_all}, finish \
	}

const struct lane_row LEVELED(lanes_convert)[] = {
    ROW_CVT("cvt.sat?." INTEGERS "." INTEGERS, cvt_u32_u32, finish_int),
    ROW_CVT("cvt.IRND.ftz?.sat?." INTEGERS ".f32|f64", cvt_s32_f32, finish_to_int),
    ROW_CVT("cvt.RND.ftz?.sat?.f32|f64." INTEGERS, cvt_f32_s32, finish_to_float),
    ROW_CVT("cvt.RND.ftz?.sat?.f32.f64", cvt_f32_f64, finish_to_float),
    ROW_CVT("cvt.ftz?.sat?.f64.f32", cvt_f64_f32, finish_to_float),
    ROW_CVT("cvt.ftz?.sat?.f32.f32", cvt_f32_f32, finish_to_float),
    ROW_CVT("cvt.sat?.f64.f64", cvt_f64_f64, finish_to_float),
    ROW_CVT("cvt.IRND.ftz?.sat?.f32.f32", cvt_int_f32, finish_integral),
    ROW_CVT("cvt.IRND.sat?.f64.f64", cvt_int_f64, finish_integral),
    ROW("cvt.pack.sat.u16.s32", "i:ii", CVT, pack_u16),
    ROW("cvt.pack.sat.s16.s32", "i:ii", CVT, pack_s16),
    ROW_PACK(u8),
    ROW_PACK(s8),
    ROW_PACK(u4),
    ROW_PACK(s4),
    ROW_PACK(u2),
    ROW_PACK(s2),
    ROW_END,
};
