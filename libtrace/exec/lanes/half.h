/*
 * f16 and bf16 as their bits. Values are f64 inside: a sum or product of two is exact there, or so
 * much longer than the format that rounding twice does no harm; fused operations keep what f64
 * drops as a sticky bit.
 */
#ifndef EXEC_LANES_HALF_H
#define EXEC_LANES_HALF_H

#include "lanes.h"

struct half_format {
	int mantissa_bits, bias;
	uint16_t infinity, nan; /* nan: the canonical one */
};
static const struct half_format half_f16 = {10, 15, 0x7c00, 0x7fff};
static const struct half_format half_bf16 = {7, 127, 0x7f80, 0x7fff};

static inline float
f32_of_f16(uint16_t h)
{
	uint32_t magnitude = h & 0x7fffu, bits = (magnitude << 13) + 0x38000000;
	float normal = f32_of_bits(magnitude < 0x7c00 ? bits : bits + 0x38000000);
	float x = magnitude < 0x0400 ? (float)(int32_t)magnitude * 0x1p-24f : normal;
	return f32_of_bits(bits_of_f32(x) | (h & 0x8000u) << 16);
}
static inline double
f64_of_f16(uint16_t h)
{
	return (double)f32_of_f16(h);
}
/* Where nothing flushes: bf16's subnormals are f32's. */
static inline float
f32_of_bf16(uint16_t h)
{
	return f32_of_bits((uint32_t)h << 16);
}

/* Never through a subnormal f32: a flushing environment would lose it. */
static inline double
f64_of_bf16(uint16_t h)
{
	uint32_t magnitude = h & 0x7fff;
	float normal = f32_of_bits(magnitude < 0x0080 ? 0 : magnitude << 16);
	double x = magnitude < 0x0080 ? (double)(int32_t)magnitude * 0x1p-133 : (double)normal;
	return h & 0x8000 ? -x : x;
}

/* What modifiers ask beyond the operation itself; in aux. */
enum {
	HALF_FTZ = 1,	   /* subnormal operands and results become zero */
	HALF_SAT = 2,	   /* clamp to [0, 1], NaN gives 0 */
	HALF_RELU = 4,	   /* clamp to 0 from below, NaN stays */
	HALF_NAN = 8,	   /* min, max: NaN wins */
	HALF_XORSIGN = 16, /* min, max of magnitudes, sign is the operands' xor */
	HALF_FINITE = 32,  /* what overflows becomes the largest number */
};

static inline uint16_t
half_flush(uint16_t h, struct half_format f)
{
	return h & f.infinity ? h : h & 0x8000;
}

static inline double
half_clamp(double x, unsigned flags)
{
	x = flags & HALF_RELU ? (x <= 0 ? 0 : x) : x;
	return flags & HALF_SAT ? (x > 0 ? (x < 1 ? x : 1) : 0) : x;
}

/*
 * Rounds x to the format in the rounding mode of the environment: adding and subtracting 2^52
 * quanta of x's sign does it, the quantum being that of x's binade, or of the subnormals. What is
 * beyond the largest number is first brought to just below the next power of two, from where each
 * mode goes its way.
 */
static inline uint16_t
half_round(double x, struct half_format f)
{
	double top = f64_of_bits((uint64_t)(1024 + f.bias) << 52);
	double beyond = top - top * f64_of_bits((uint64_t)(1020 - f.mantissa_bits) << 52);
	double magnitude = f64_of_bits(bits_of_f64(x) & 0x7fffffffffffffffu);
	double in_range = magnitude > beyond ? (x > 0 ? beyond : -beyond) : x;
	uint64_t exponent = bits_of_f64(in_range) & 0x7ff0000000000000u;
	uint64_t smallest = (uint64_t)(1024 - f.bias) << 52;
	uint64_t clamped = exponent < smallest ? smallest : exponent;
	double quantum = f64_of_bits(clamped - ((uint64_t)f.mantissa_bits << 52));
	double magic = x < 0 ? quantum * -0x1p52 : quantum * 0x1p52;
	double r = (in_range + magic) - magic;
	uint64_t bits = bits_of_f64(r) & 0x7fffffffffffffffu;
	uint64_t normal =
	    (bits >> (52 - f.mantissa_bits)) - ((uint64_t)(1023 - f.bias) << f.mantissa_bits);
	/* A subnormal is a whole number of quanta; the bits of 2^52 + n hold n. */
	uint64_t subnormal = bits_of_f64(f64_of_bits(bits) / quantum + 0x1p52);
	uint64_t code = bits < smallest ? subnormal & 0xffff : normal;
	code = magnitude > 0x1.fffffffffffffp1023 ? f.infinity : code;
	return (uint16_t)(x == x ? code | bits_of_f64(x) >> 63 << 15 : f.nan);
}

/*
 * To nearest, from f32, in integers of 32 bits. Sums, differences and products of two are rounded
 * right although f32 rounds first, its 24 bits being twice the format's and two more.
 */
static inline uint16_t
f16_near(float x)
{
	uint32_t bits = bits_of_f32(x), magnitude = bits & 0x7fffffff;
	uint32_t normal = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
	/* The last place of 0.5 is a subnormal's quantum. */
	uint32_t subnormal = bits_of_f32(f32_of_bits(magnitude) + 0.5f) - 0x3f000000;
	uint32_t code = magnitude < 0x38800000 ? subnormal : normal;
	code = magnitude >= 0x477ff000 ? 0x7c00 : code;
	return (uint16_t)(magnitude > 0x7f800000 ? 0x7fff : code | (bits >> 16 & 0x8000));
}
static inline uint16_t
bf16_near(float x)
{
	uint32_t bits = bits_of_f32(x), near = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
	return (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? 0x7fff : near);
}

/* An f32 next to x, exact or with an odd last bit, so that it rounds on like x. */
static inline float
f32_odd(double x)
{
	float r = (float)x;
	double back = (double)r, magnitude = f64_of_bits(bits_of_f64(x) & 0x7fffffffffffffffu);
	double away = f64_of_bits(bits_of_f64(back) & 0x7fffffffffffffffu);
	uint32_t bits = bits_of_f32(r);
	uint32_t odd = away < magnitude ? bits + 1 : bits - 1;
	return f32_of_bits((away < magnitude || away > magnitude) && !(bits & 1) ? odd : bits);
}

static inline float
half_clamp32(float x, unsigned flags)
{
	x = flags & HALF_RELU ? (x <= 0 ? 0 : x) : x;
	return flags & HALF_SAT ? (x > 0 ? (x < 1 ? x : 1) : 0) : x;
}

static inline uint16_t
half_after(uint16_t h, struct half_format f, unsigned flags)
{
	h = flags & HALF_FINITE && (h & 0x7fff) == f.infinity ? h - 1 : h;
	return flags & HALF_FTZ ? half_flush(h, f) : h;
}

static inline uint16_t
half_result(double x, struct half_format f, unsigned flags)
{
	return half_after(half_round(half_clamp(x, flags), f), f, flags);
}

#endif
