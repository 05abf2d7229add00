/* Conversions that C or the compiler would not do the same way in every rounding mode and at every
 * level. */
#ifndef EXEC_LANES_CONVERT_H
#define EXEC_LANES_CONVERT_H

#include "lanes.h"

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

#endif
