/* The smaller or the larger of two f32, as bits. */
#ifndef EXEC_LANES_PICK_H
#define EXEC_LANES_PICK_H

#include "lanes.h"

/* -0 is below +0. A NaN loses against a number, or with .NaN wins. */
static inline uint32_t
pick(uint32_t a, uint32_t b, bool max, bool nan_wins)
{
	float x = f32_of_bits(a), y = f32_of_bits(b);
	uint32_t zero = max ? a & b : a | b;
	uint32_t r = (max ? x > y : x < y) ? a : x == y ? zero : b;
	bool nan = nan_wins ? (x != x) | (y != y) : (x != x) & (y != y);
	r = y != y ? a : r;
	return nan ? 0x7fffffff : r;
}

#endif
