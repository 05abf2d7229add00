/* Conversions that C or the compiler would not do the same way in every rounding mode and at every
 * level. */
#ifndef EXEC_LANES_CONVERT_H
#define EXEC_LANES_CONVERT_H

#include "lanes.h"

/*
 * To an integral value in the mode of the environment. Without SSE4.1 gcc expands rint() as if to
 * nearest; adding and subtracting 2^52 of x's sign rounds as the mode says.
 */
static inline double
integral_f64(double x)
{
#if LANE_LEVEL > 1
	return __builtin_rint(x);
#else
	uint64_t sign = bits_of_f64(x) & 0x8000000000000000u;
	double big = f64_of_bits(sign | 0x4330000000000000u), r = (x + big) - big;
	bool small = f64_of_bits(bits_of_f64(x) ^ sign) < 0x1p52;
	r = f64_of_bits((bits_of_f64(r) & 0x7fffffffffffffffu) | sign);
	return small ? r : x + 0.0;
#endif
}
static inline float
integral_f32(float x)
{
#if LANE_LEVEL > 1
	return __builtin_rintf(x);
#else
	uint32_t sign = bits_of_f32(x) & 0x80000000u;
	float big = f32_of_bits(sign | 0x4b000000u), r = (x + big) - big;
	bool small = f32_of_bits(bits_of_f32(x) ^ sign) < 0x1p23f;
	r = f32_of_bits((bits_of_f32(r) & 0x7fffffffu) | sign);
	return small ? r : x + 0.0f;
#endif
}

/* Exact, when rounding to nearest */
static inline double
f64_of_u32(uint32_t x)
{
	return (double)(int32_t)(x ^ 0x80000000u) + 2147483648.0;
}

/* Above 2^63: half the value with the lost bit kept sticky rounds like the whole. */
static inline float
f32_of_u64(uint64_t x)
{
	float half = (float)(int64_t)(x >> 1 | (x & 1));
	return (int64_t)x >= 0 ? (float)(int64_t)x : half + half;
}
static inline double
f64_of_u64(uint64_t x)
{
	double half = (double)(int64_t)(x >> 1 | (x & 1));
	return (int64_t)x >= 0 ? (double)(int64_t)x : half + half;
}

/* Integers from integral values: what does not fit becomes the nearest that does, NaN becomes nan,
 * or with 64 bits the integer with only its top bit set. */
static inline double
into(double x, double low, double high, double nan)
{
	double r = x < low ? low : x > high ? high : x;
	return x == x ? r : nan;
}
static inline int32_t
narrow_signed(double x, double low, double high, double nan)
{
	return (int32_t)into(x, low, high, nan);
}
static inline uint32_t
u32_of(double x, double nan)
{
	double v = into(x, 0, 4294967295.0, nan);
	double low = v < 2147483648.0 ? v : v - 2147483648.0;
	return (uint32_t)(int32_t)low + (v < 2147483648.0 ? 0 : 0x80000000u);
}
static inline int64_t
s64_of(double x)
{
	int64_t r = x >= 0x1p63 ? INT64_MAX : x < -0x1p63 ? INT64_MIN : 0;
	return x < 0x1p63 && x >= -0x1p63 ? (int64_t)x : x == x ? r : INT64_MIN;
}
static inline uint64_t
u64_of(double x)
{
	if (!(x < 0x1p64))
		return x == x ? UINT64_MAX : 0x8000000000000000u;
	if (!(x > 0))
		return 0;
	return x < 0x1p63 ? (uint64_t)(int64_t)x
			  : (uint64_t)(int64_t)(x - 0x1p63) + 0x8000000000000000u;
}

/* The same where NaN gives 0 */
static inline int32_t
s8_of(double x)
{
	return narrow_signed(x, -128, 127, 0);
}
static inline int32_t
u8_of(double x)
{
	return narrow_signed(x, 0, 255, 0);
}
static inline int32_t
s16_of(double x)
{
	return narrow_signed(x, -32768, 32767, 0);
}
static inline int32_t
u16_of(double x)
{
	return narrow_signed(x, 0, 65535, 0);
}
static inline int32_t
s32_of(double x)
{
	return narrow_signed(x, -2147483648.0, 2147483647.0, 0);
}

#endif
