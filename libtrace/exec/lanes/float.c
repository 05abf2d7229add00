/*
 * f32 arithmetic, rounded as IEEE 754 asks. PTX ISA 9.0 section 9.7.3.
 * A NaN result is the canonical 0x7fffffff. .sat clamps to [0, 1] and turns NaN into +0.
 */
#include "lanes.h"
#include "families.h"
#include "half.h"
#include "pick.h"

static inline float
canonical(float x)
{
	return x == x ? x : f32_of_bits(0x7fffffff);
}
static inline float
saturate(float x)
{
	return x > 0 ? (x < 1 ? x : 1) : 0;
}
/* Flushes a subnormal to zero of its sign, for operations that pass an operand through */
static inline uint32_t
flush(uint32_t x)
{
	return x & 0x7f800000 ? x : x & 0x80000000;
}

#define ARITHMETIC2(name, expr)                                \
	FOP2(name##_f32, float, float, float, canonical(expr)) \
	FOP2(name##_sat_f32, float, float, float, saturate(expr))
#define ARITHMETIC3(name, expr)                                       \
	FOP3(name##_f32, float, float, float, float, canonical(expr)) \
	FOP3(name##_sat_f32, float, float, float, float, saturate(expr))
ARITHMETIC2(add, a + b)
ARITHMETIC2(sub, a - b)
ARITHMETIC2(mul, a *b)
ARITHMETIC3(fma, __builtin_fmaf(a, b, c))
FOP2(div_f32, float, float, float, canonical(a / b))
FOP1(rcp_f32, float, float, canonical(1.0f / a))
FOP1(sqrt_f32, float, float, canonical(__builtin_sqrtf(a)))

/* A half and an f32 */
#define MIXED(f)                                                                   \
	FOP2(add_f32_##f, float, uint16_t, float, canonical(f32_of_##f(a) + b))    \
	FOP2(add_sat_f32_##f, float, uint16_t, float, saturate(f32_of_##f(a) + b)) \
	FOP2(sub_f32_##f, float, uint16_t, float, canonical(f32_of_##f(a) - b))    \
	FOP2(sub_sat_f32_##f, float, uint16_t, float, saturate(f32_of_##f(a) - b)) \
	FOP3(fma_f32_##f, float, uint16_t, uint16_t, float,                        \
	    canonical(__builtin_fmaf(f32_of_##f(a), f32_of_##f(b), c)))            \
	FOP3(fma_sat_f32_##f, float, uint16_t, uint16_t, float,                    \
	    saturate(__builtin_fmaf(f32_of_##f(a), f32_of_##f(b), c)))
MIXED(f16)
MIXED(bf16)

/* Two at once: the first in the lower half */
static inline uint64_t
both(float first, float second)
{
	return bits_of_f32(canonical(first)) | (uint64_t)bits_of_f32(canonical(second)) << 32;
}
static inline float
first(uint64_t x)
{
	return f32_of_bits((uint32_t)x);
}
static inline float
second(uint64_t x)
{
	return f32_of_bits((uint32_t)(x >> 32));
}
FOP2(add_f32x2, uint64_t, uint64_t, uint64_t, both(first(a) + first(b), second(a) + second(b)))
FOP2(sub_f32x2, uint64_t, uint64_t, uint64_t, both(first(a) - first(b), second(a) - second(b)))
FOP2(mul_f32x2, uint64_t, uint64_t, uint64_t, both(first(a) * first(b), second(a) * second(b)))
FOP3(fma_f32x2, uint64_t, uint64_t, uint64_t, uint64_t,
    both(__builtin_fmaf(first(a), first(b), first(c)),
	__builtin_fmaf(second(a), second(b), second(c))))

OP1(abs_f32, uint32_t, uint32_t, a & 0x7fffffff)
OP1(neg_f32, uint32_t, uint32_t, a ^ 0x80000000)
OP1(abs_ftz_f32, uint32_t, uint32_t, flush(a) & 0x7fffffff)
OP1(neg_ftz_f32, uint32_t, uint32_t, flush(a) ^ 0x80000000)
OP2(copysign_f32, uint32_t, uint32_t, uint32_t, (a & 0x80000000) | (b & 0x7fffffff))

static inline uint32_t
xorsign(uint32_t a, uint32_t b, bool max, bool nan_wins)
{
	uint32_t r = pick(a & 0x7fffffff, b & 0x7fffffff, max, nan_wins);
	return r == 0x7fffffff ? r : r | ((a ^ b) & 0x80000000);
}
#define PICK(name, max, nan_wins)                                                              \
	OP2(name, uint32_t, uint32_t, uint32_t, pick(a, b, max, nan_wins))                     \
	OP2(name##_ftz, uint32_t, uint32_t, uint32_t, pick(flush(a), flush(b), max, nan_wins)) \
	OP2(name##_xorsign, uint32_t, uint32_t, uint32_t, xorsign(a, b, max, nan_wins))        \
	OP2(name##_ftz_xorsign, uint32_t, uint32_t, uint32_t,                                  \
	    xorsign(flush(a), flush(b), max, nan_wins))
PICK(min_f32, false, false)
PICK(max_f32, true, false)
PICK(min_nan_f32, false, true)
PICK(max_nan_f32, true, true)
#define PICK3(name, max, nan_wins)                                       \
	OP3(name, uint32_t, uint32_t, uint32_t, uint32_t,                \
	    pick(pick(a, b, max, nan_wins), c, max, nan_wins))           \
	OP3(name##_ftz, uint32_t, uint32_t, uint32_t, uint32_t,          \
	    name##_lane(flush(a), flush(b), flush(c)))                   \
	OP3(name##_abs, uint32_t, uint32_t, uint32_t, uint32_t,          \
	    name##_lane(a & 0x7fffffff, b & 0x7fffffff, c & 0x7fffffff)) \
	OP3(name##_ftz_abs, uint32_t, uint32_t, uint32_t, uint32_t,      \
	    name##_abs_lane(flush(a), flush(b), flush(c)))
PICK3(min3_f32, false, false)
PICK3(max3_f32, true, false)
PICK3(min3_nan_f32, false, true)
PICK3(max3_nan_f32, true, true)

#define TESTP(name, test)                                   \
	static void testp_##name##_f32(LANE_ARGS)           \
	{                                                   \
		const uint32_t *a = lane_pred(file, in->a); \
		uint32_t r = 0;                             \
		EACH_LANE                                   \
		{                                           \
			uint32_t x = a[l] & 0x7fffffff;     \
			r |= (test) ? lane_bit[l] : 0;      \
		}                                           \
		lane_put_pred(file, in->d, mask, r);        \
	}
TESTP(finite, x < 0x7f800000)
TESTP(infinite, x == 0x7f800000)
TESTP(number, x <= 0x7f800000)
TESTP(notanumber, x > 0x7f800000)
TESTP(normal, x >= 0x00800000 && x < 0x7f800000)
TESTP(subnormal, x < 0x00800000 && x != 0)

#define ROWS_ARITHMETIC(form, args, op_class, name)        \
	ROW(form ".ftz?.f32", args, op_class, name##_f32), \
	    ROW(form ".ftz?.sat.f32", args, op_class, name##_sat_f32)
#define ROWS_MIXED(f)                                                   \
	ROW("add.RND?.f32." #f, "t:ut", FADD, add_f32_##f),             \
	    ROW("add.RND?.sat.f32." #f, "t:ut", FADD, add_sat_f32_##f), \
	    ROW("sub.RND?.f32." #f, "t:ut", FADD, sub_f32_##f),         \
	    ROW("sub.RND?.sat.f32." #f, "t:ut", FADD, sub_sat_f32_##f), \
	    ROW("fma.RND.f32." #f, "t:uut", FMA, fma_f32_##f),          \
	    ROW("fma.RND.sat.f32." #f, "t:uut", FMA, fma_sat_f32_##f)
#define ROWS_PICK(op, nan, name)                                          \
	ROW(op nan ".f32", "t:tt", FADD, name),                           \
	    ROW(op ".ftz" nan ".f32", "t:tt", FADD, name##_ftz),          \
	    ROW(op nan ".xorsign.abs.f32", "t:tt", FADD, name##_xorsign), \
	    ROW(op ".ftz" nan ".xorsign.abs.f32", "t:tt", FADD, name##_ftz_xorsign)
#define ROWS_PICK3(op, nan, name)                                 \
	ROW(op nan ".f32", "t:ttt", FADD, name),                  \
	    ROW(op ".ftz" nan ".f32", "t:ttt", FADD, name##_ftz), \
	    ROW(op nan ".abs.f32", "t:ttt", FADD, name##_abs),    \
	    ROW(op ".ftz" nan ".abs.f32", "t:ttt", FADD, name##_ftz_abs)
#define ROW_TESTP(name) ROW_ONE("testp." #name ".f32", "p:t", FADD, testp_##name##_f32)

const struct lane_row LEVELED(lanes_float)[] = {
    ROWS_ARITHMETIC("add.RND?", "t:tt", FADD, add),
    ROWS_ARITHMETIC("sub.RND?", "t:tt", FADD, sub),
    ROWS_ARITHMETIC("mul.RND?", "t:tt", FMUL, mul),
    ROWS_ARITHMETIC("fma.RND", "t:ttt", FMA, fma),
    ROWS_ARITHMETIC("mad.RND?", "t:ttt", FMA, fma),
    ROWS_MIXED(f16),
    ROWS_MIXED(bf16),
    ROW("add.RND?.ftz?.f32x2", "l:ll", FADD, add_f32x2),
    ROW("sub.RND?.ftz?.f32x2", "l:ll", FADD, sub_f32x2),
    ROW("mul.RND?.ftz?.f32x2", "l:ll", FMUL, mul_f32x2),
    ROW("fma.RND.ftz?.f32x2", "l:lll", FMA, fma_f32x2),
    ROW("div.RND.ftz?.f32", "t:tt", FDIV, div_f32),
    ROW("rcp.RND.ftz?.f32", "t:t", FDIV, rcp_f32),
    ROW("sqrt.RND.ftz?.f32", "t:t", FDIV, sqrt_f32),
    ROW("abs.f32", "t:t", FADD, abs_f32),
    ROW("abs.ftz.f32", "t:t", FADD, abs_ftz_f32),
    ROW("neg.f32", "t:t", FADD, neg_f32),
    ROW("neg.ftz.f32", "t:t", FADD, neg_ftz_f32),
    ROW("copysign.f32", "t:tt", FADD, copysign_f32),
    ROWS_PICK("min", "", min_f32),
    ROWS_PICK("max", "", max_f32),
    ROWS_PICK("min", ".NaN", min_nan_f32),
    ROWS_PICK("max", ".NaN", max_nan_f32),
    ROWS_PICK3("min", "", min3_f32),
    ROWS_PICK3("max", "", max3_f32),
    ROWS_PICK3("min", ".NaN", min3_nan_f32),
    ROWS_PICK3("max", ".NaN", max3_nan_f32),
    ROW_TESTP(finite),
    ROW_TESTP(infinite),
    ROW_TESTP(number),
    ROW_TESTP(notanumber),
    ROW_TESTP(normal),
    ROW_TESTP(subnormal),
    ROW_END,
};
