/* Integer arithmetic. PTX ISA 9.0 sections 9.7.1 and 9.7.2 (carry chains are in carry.c). */
#include "convert.h"
#include "families.h"

typedef __int128 wide128;
typedef unsigned __int128 uwide128;

static inline int32_t
clamp_s32(int64_t x)
{
	return (int32_t)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x);
}

OP2(add_16, uint16_t, uint16_t, uint16_t, a + b)
OP2(add_32, uint32_t, uint32_t, uint32_t, a + b)
OP2(add_64, uint64_t, uint64_t, uint64_t, a + b)
OP2(add_sat_s32, int32_t, int32_t, int32_t, clamp_s32((int64_t)a + b))
OP2(sub_16, uint16_t, uint16_t, uint16_t, a - b)
OP2(sub_32, uint32_t, uint32_t, uint32_t, a - b)
OP2(sub_64, uint64_t, uint64_t, uint64_t, a - b)
OP2(sub_sat_s32, int32_t, int32_t, int32_t, clamp_s32((int64_t)a - b))

/* Halves of a 32-bit register */
static inline uint32_t
pack_16(uint32_t high, uint32_t low)
{
	return high << 16 | (low & 0xffff);
}
OP2(add_16x2, uint32_t, uint32_t, uint32_t, pack_16((a >> 16) + (b >> 16), a + b))

OP2(mul_lo_16, uint16_t, uint16_t, uint16_t, (uint32_t)a *b)
OP2(mul_lo_32, uint32_t, uint32_t, uint32_t, a *b)
OP2(mul_lo_64, uint64_t, uint64_t, uint64_t, a *b)
OP2(mul_hi_s16, int16_t, int16_t, int16_t, ((int32_t)a * b) >> 16)
OP2(mul_hi_u16, uint16_t, uint16_t, uint16_t, ((uint32_t)a * b) >> 16)
OP2(mul_hi_s32, int32_t, int32_t, int32_t, ((int64_t)a * b) >> 32)
OP2(mul_hi_u32, uint32_t, uint32_t, uint32_t, ((uint64_t)a * b) >> 32)
OP2(mul_hi_s64, int64_t, int64_t, int64_t, ((wide128)a * b) >> 64)
OP2(mul_hi_u64, uint64_t, uint64_t, uint64_t, ((uwide128)a * b) >> 64)
OP2(mul_wide_s16, int32_t, int16_t, int16_t, (int32_t)a *b)
OP2(mul_wide_u16, uint32_t, uint16_t, uint16_t, (uint32_t)a *b)
OP2(mul_wide_s32, int64_t, int32_t, int32_t, (int64_t)a *b)
OP2(mul_wide_u32, uint64_t, uint32_t, uint32_t, (uint64_t)a *b)

OP3(mad_lo_16, uint16_t, uint16_t, uint16_t, uint16_t, (uint32_t)a *b + c)
OP3(mad_lo_32, uint32_t, uint32_t, uint32_t, uint32_t, a *b + c)
OP3(mad_lo_64, uint64_t, uint64_t, uint64_t, uint64_t, a *b + c)
OP3(mad_hi_s16, int16_t, int16_t, int16_t, int16_t, (((int32_t)a * b) >> 16) + c)
OP3(mad_hi_u16, uint16_t, uint16_t, uint16_t, uint16_t, (((uint32_t)a * b) >> 16) + c)
OP3(mad_hi_s32, uint32_t, int32_t, int32_t, uint32_t, (uint32_t)(((int64_t)a * b) >> 32) + c)
OP3(mad_hi_u32, uint32_t, uint32_t, uint32_t, uint32_t, (((uint64_t)a * b) >> 32) + c)
OP3(mad_hi_sat_s32, int32_t, int32_t, int32_t, int32_t, clamp_s32((((int64_t)a * b) >> 32) + c))
OP3(mad_hi_s64, uint64_t, int64_t, int64_t, uint64_t, (uint64_t)(((wide128)a * b) >> 64) + c)
OP3(mad_hi_u64, uint64_t, uint64_t, uint64_t, uint64_t, (uint64_t)(((uwide128)a * b) >> 64) + c)
OP3(mad_wide_s16, uint32_t, int16_t, int16_t, uint32_t, (uint32_t)((int32_t)a *b) + c)
OP3(mad_wide_u16, uint32_t, uint16_t, uint16_t, uint32_t, (uint32_t)a *b + c)
OP3(mad_wide_s32, uint64_t, int32_t, int32_t, uint64_t, (uint64_t)((int64_t)a *b) + c)
OP3(mad_wide_u32, uint64_t, uint32_t, uint32_t, uint64_t, (uint64_t)a *b + c)

/* The low 24 bits of each operand, signed or not */
static inline int64_t
mul_s24(int32_t a, int32_t b)
{
	return (int64_t)((int32_t)((uint32_t)a << 8) >> 8) * ((int32_t)((uint32_t)b << 8) >> 8);
}
static inline uint64_t
mul_u24(uint32_t a, uint32_t b)
{
	return (uint64_t)(a & 0xffffff) * (b & 0xffffff);
}
OP2(mul24_lo_s32, int32_t, int32_t, int32_t, mul_s24(a, b))
OP2(mul24_lo_u32, uint32_t, uint32_t, uint32_t, mul_u24(a, b))
OP2(mul24_hi_s32, int32_t, int32_t, int32_t, mul_s24(a, b) >> 16)
OP2(mul24_hi_u32, uint32_t, uint32_t, uint32_t, mul_u24(a, b) >> 16)
OP3(mad24_lo_s32, uint32_t, int32_t, int32_t, uint32_t, (uint32_t)mul_s24(a, b) + c)
OP3(mad24_lo_u32, uint32_t, uint32_t, uint32_t, uint32_t, (uint32_t)mul_u24(a, b) + c)
OP3(mad24_hi_s32, uint32_t, int32_t, int32_t, uint32_t, (uint32_t)(mul_s24(a, b) >> 16) + c)
OP3(mad24_hi_u32, uint32_t, uint32_t, uint32_t, uint32_t, (uint32_t)(mul_u24(a, b) >> 16) + c)
OP3(mad24_hi_sat_s32, int32_t, int32_t, int32_t, int32_t, clamp_s32((mul_s24(a, b) >> 16) + c))

#define SAD(type, U, T) OP3(sad_##type, U, T, T, U, c + (a < b ? (U)b - (U)a : (U)a - (U)b))
SAD(s16, uint16_t, int16_t)
SAD(u16, uint16_t, uint16_t)
SAD(s32, uint32_t, int32_t)
SAD(u32, uint32_t, uint32_t)
SAD(s64, uint64_t, int64_t)
SAD(u64, uint64_t, uint64_t)

/*
 * Division. A quotient of integers below 2^32 is exact in f64 once truncated: the true quotient is
 * an integer or at least 2^-32 of itself away from one. By zero PTX leaves the quotient open; the
 * machine gives all ones and the dividend as the remainder. The most negative value divided by -1
 * wraps.
 */
static inline int32_t
div_small(int32_t a, int32_t b)
{
	return b ? (int32_t)((double)a / (double)b) : -1;
}
static inline int32_t
quotient_s32(int32_t a, int32_t b)
{
	double q = (double)a / (double)b;
	int32_t n = (int32_t)(q < 2147483647.5 ? q : -2147483648.0);
	return b ? n : -1;
}
static inline uint32_t
quotient_u32(uint32_t a, uint32_t b)
{
	double q = f64_of_u32(a) / f64_of_u32(b ? b : 1);
	/* Below 2^31 truncation is plain; above, q - 2^31 truncates to the same integer less 2^31.
	 */
	double low = q < 2147483648.0 ? q : q - 2147483648.0;
	uint32_t n = (uint32_t)(int32_t)low + (q < 2147483648.0 ? 0 : 0x80000000u);
	return b ? n : UINT32_MAX;
}
static inline int64_t
quotient_s64(int64_t a, int64_t b)
{
	if (b == 0 || b == -1)
		return b ? (int64_t)(0 - (uint64_t)a) : -1;
	return a / b;
}
static inline uint64_t
quotient_u64(uint64_t a, uint64_t b)
{
	return b ? a / b : UINT64_MAX;
}
OP2(div_s16, int16_t, int16_t, int16_t, div_small(a, b))
OP2(div_u16, uint16_t, uint16_t, uint16_t, div_small(a, b))
OP2(div_s32, int32_t, int32_t, int32_t, quotient_s32(a, b))
OP2(div_u32, uint32_t, uint32_t, uint32_t, quotient_u32(a, b))
OP2(div_s64, int64_t, int64_t, int64_t, quotient_s64(a, b))
OP2(div_u64, uint64_t, uint64_t, uint64_t, quotient_u64(a, b))
OP2(rem_s16, int16_t, int16_t, int16_t, b ? a - div_small(a, b) * b : a)
OP2(rem_u16, uint16_t, uint16_t, uint16_t, b ? a - div_small(a, b) * b : a)
OP2(rem_s32, uint32_t, int32_t, int32_t,
    b ? (uint32_t)a - (uint32_t)quotient_s32(a, b) * (uint32_t)b : (uint32_t)a)
OP2(rem_u32, uint32_t, uint32_t, uint32_t, b ? a - quotient_u32(a, b) * b : a)
OP2(rem_s64, int64_t, int64_t, int64_t, b == 0 ? a : b == -1 ? 0 : a % b)
OP2(rem_u64, uint64_t, uint64_t, uint64_t, b ? a % b : a)

OP1(abs_s16, uint16_t, int16_t, a < 0 ? 0 - (uint16_t)a : (uint16_t)a)
OP1(abs_s32, uint32_t, int32_t, a < 0 ? 0 - (uint32_t)a : (uint32_t)a)
OP1(abs_s64, uint64_t, int64_t, a < 0 ? 0 - (uint64_t)a : (uint64_t)a)
OP1(neg_16, uint16_t, uint16_t, 0 - a)
OP1(neg_32, uint32_t, uint32_t, 0 - a)
OP1(neg_64, uint64_t, uint64_t, 0 - a)

#define MINMAX(type, T)                         \
	OP2(min_##type, T, T, T, a < b ? a : b) \
	OP2(max_##type, T, T, T, a > b ? a : b)
MINMAX(s16, int16_t)
MINMAX(u16, uint16_t)
MINMAX(s32, int32_t)
MINMAX(u32, uint32_t)
MINMAX(s64, int64_t)
MINMAX(u64, uint64_t)
OP2(min_relu_s32, int32_t, int32_t, int32_t, (a < b ? a : b) < 0 ? 0 : (a < b ? a : b))
OP2(max_relu_s32, int32_t, int32_t, int32_t, (a > b ? a : b) < 0 ? 0 : (a > b ? a : b))

#define LOW(T, x)  ((T)(x))
#define HIGH(T, x) ((T)((x) >> 16))
#define MINMAX2(name, T, test, floor)                      \
	static inline uint32_t name##_half(T a, T b)       \
	{                                                  \
		T r = test ? a : b;                        \
		return (uint16_t)(floor && r < 1 ? 0 : r); \
	}                                                  \
	OP2(name, uint32_t, uint32_t, uint32_t,            \
	    pack_16(name##_half(HIGH(T, a), HIGH(T, b)), name##_half(LOW(T, a), LOW(T, b))))
MINMAX2(min_s16x2, int16_t, a < b, 0)
MINMAX2(max_s16x2, int16_t, a > b, 0)
MINMAX2(min_u16x2, uint16_t, a < b, 0)
MINMAX2(max_u16x2, uint16_t, a > b, 0)
MINMAX2(min_relu_s16x2, int16_t, a < b, 1)
MINMAX2(max_relu_s16x2, int16_t, a > b, 1)

/* Dot products of bytes, and of halfwords with bytes */
#define BYTE(T, x, k) ((int32_t)(T)((x) >> (8 * (k))))
#define HALF(T, x, k) ((int32_t)(T)((x) >> (16 * (k))))
#define DP4(A, B)                                                                       \
	(c + (uint32_t)(BYTE(A, a, 0) * BYTE(B, b, 0) + BYTE(A, a, 1) * BYTE(B, b, 1) + \
			BYTE(A, a, 2) * BYTE(B, b, 2) + BYTE(A, a, 3) * BYTE(B, b, 3)))
#define DP2(A, B, k)                                             \
	(c + (uint32_t)HALF(A, a, 0) * (uint32_t)BYTE(B, b, k) + \
	    (uint32_t)HALF(A, a, 1) * (uint32_t)BYTE(B, b, (k) + 1))
#define DOT(name, A8, A16, B8)                                                       \
	OP3(dp4a_##name, uint32_t, uint32_t, uint32_t, uint32_t, DP4(A8, B8))        \
	OP3(dp2a_lo_##name, uint32_t, uint32_t, uint32_t, uint32_t, DP2(A16, B8, 0)) \
	OP3(dp2a_hi_##name, uint32_t, uint32_t, uint32_t, uint32_t, DP2(A16, B8, 2))
DOT(ss, int8_t, int16_t, int8_t)
DOT(su, int8_t, int16_t, uint8_t)
DOT(us, uint8_t, uint16_t, int8_t)
DOT(uu, uint8_t, uint16_t, uint8_t)

#define ROWS_DOT(a_type, b_type, name)                                        \
	ROW("dp4a." a_type "." b_type, "i:iii", IMUL, dp4a_##name),           \
	    ROW("dp2a.lo." a_type "." b_type, "i:iii", IMUL, dp2a_lo_##name), \
	    ROW("dp2a.hi." a_type "." b_type, "i:iii", IMUL, dp2a_hi_##name)
#define ROWS_SIGNED(form, args, op_class, name)           \
	ROW(form ".s16", args, op_class, name##_s16),     \
	    ROW(form ".u16", args, op_class, name##_u16), \
	    ROW(form ".s32", args, op_class, name##_s32), \
	    ROW(form ".u32", args, op_class, name##_u32), \
	    ROW(form ".s64", args, op_class, name##_s64), \
	    ROW(form ".u64", args, op_class, name##_u64)
#define ROWS_WIDTHS(form, args, op_class, name)              \
	ROW(form ".s16|u16", args, op_class, name##_16),     \
	    ROW(form ".s32|u32", args, op_class, name##_32), \
	    ROW(form ".s64|u64", args, op_class, name##_64)
#define ROWS_WIDE(form, args, name)                                                         \
	ROW(form ".s16", args, IMUL, name##_s16), ROW(form ".u16", args, IMUL, name##_u16), \
	    ROW(form ".s32", args, IMUL, name##_s32), ROW(form ".u32", args, IMUL, name##_u32)

const struct lane_row LEVELED(lanes_int)[] = {
    ROWS_WIDTHS("add", "t:tt", INT, add),
    ROW("add.sat.s32", "t:tt", INT, add_sat_s32),
    ROW("add.s16x2|u16x2", "i:ii", INT, add_16x2),
    ROWS_WIDTHS("sub", "t:tt", INT, sub),
    ROW("sub.sat.s32", "t:tt", INT, sub_sat_s32),
    ROWS_WIDTHS("mul.lo", "t:tt", IMUL, mul_lo),
    ROWS_WIDE("mul.wide", "w:tt", mul_wide),
    ROWS_SIGNED("mul.hi", "t:tt", IMUL, mul_hi),
    ROWS_WIDTHS("mad.lo", "t:ttt", IMUL, mad_lo),
    ROWS_WIDE("mad.wide", "w:ttw", mad_wide),
    ROWS_SIGNED("mad.hi", "t:ttt", IMUL, mad_hi),
    ROW("mad.hi.sat.s32", "t:ttt", IMUL, mad_hi_sat_s32),
    ROW("mul24.lo.s32", "t:tt", IMUL, mul24_lo_s32),
    ROW("mul24.lo.u32", "t:tt", IMUL, mul24_lo_u32),
    ROW("mul24.hi.s32", "t:tt", IMUL, mul24_hi_s32),
    ROW("mul24.hi.u32", "t:tt", IMUL, mul24_hi_u32),
    ROW("mad24.lo.s32", "t:ttt", IMUL, mad24_lo_s32),
    ROW("mad24.lo.u32", "t:ttt", IMUL, mad24_lo_u32),
    ROW("mad24.hi.s32", "t:ttt", IMUL, mad24_hi_s32),
    ROW("mad24.hi.u32", "t:ttt", IMUL, mad24_hi_u32),
    ROW("mad24.hi.sat.s32", "t:ttt", IMUL, mad24_hi_sat_s32),
    ROWS_SIGNED("sad", "t:ttt", INT, sad),
    ROWS_SIGNED("div", "t:tt", IDIV, div),
    ROWS_SIGNED("rem", "t:tt", IDIV, rem),
    ROW("abs.s16", "t:t", INT, abs_s16),
    ROW("abs.s32", "t:t", INT, abs_s32),
    ROW("abs.s64", "t:t", INT, abs_s64),
    ROW("neg.s16", "t:t", INT, neg_16),
    ROW("neg.s32", "t:t", INT, neg_32),
    ROW("neg.s64", "t:t", INT, neg_64),
    ROWS_SIGNED("min", "t:tt", INT, min),
    ROWS_SIGNED("max", "t:tt", INT, max),
    ROW("min.relu.s32", "t:tt", INT, min_relu_s32),
    ROW("max.relu.s32", "t:tt", INT, max_relu_s32),
    ROW("min.s32.relu", "t:tt", INT, min_relu_s32),
    ROW("max.s32.relu", "t:tt", INT, max_relu_s32),
    ROW("min.s16x2.relu", "i:ii", INT, min_relu_s16x2),
    ROW("max.s16x2.relu", "i:ii", INT, max_relu_s16x2),
    ROW("min.s16x2", "i:ii", INT, min_s16x2),
    ROW("max.s16x2", "i:ii", INT, max_s16x2),
    ROW("min.u16x2", "i:ii", INT, min_u16x2),
    ROW("max.u16x2", "i:ii", INT, max_u16x2),
    ROW("min.relu.s16x2", "i:ii", INT, min_relu_s16x2),
    ROW("max.relu.s16x2", "i:ii", INT, max_relu_s16x2),
    ROWS_DOT("s32", "s32", ss),
    ROWS_DOT("s32", "u32", su),
    ROWS_DOT("u32", "s32", us),
    ROWS_DOT("u32", "u32", uu),
    ROW_END,
};
