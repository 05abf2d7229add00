/*
 * Elementary functions of an f32 argument, computed in f64 with additions, multiplications and
 * divisions alone (no fused ones), so that every level gives the same bits and compilers vectorise
 * them. Their error before the final rounding is below 2^-40 of the result, so a rounded f32 is
 * wrong by at most 0.5001 units in the last place. Arguments pass through infinities and NaN as
 * IEEE 754 has it.
 */
#ifndef EXEC_LANES_APPROX_H
#define EXEC_LANES_APPROX_H

#include "lanes.h"

#define APPROX_MAGIC \
	0x1.8p52 /* added and subtracted, rounds to an integer; its low bits are that integer */

/* 2^x. The Taylor series of e^(r ln 2), |r| <= 1/2, leaves (0.35^12)/12! < 2^-46. */
static inline double
approx_exp2(double x)
{
	double in_range = x > 1000 ? 1000 : x < -1000 ? -1000 : x;
	double shifted = in_range + APPROX_MAGIC, r = in_range - (shifted - APPROX_MAGIC);
	double scale = f64_of_bits((bits_of_f64(shifted) << 52) + 0x3ff0000000000000u);
	double p = 0x1.e8cac7351bb25p-32;
	p = p * r + 0x1.e4cf5158b8ecap-28;
	p = p * r + 0x1.b5253d395e7c4p-24;
	p = p * r + 0x1.62c0223a5c824p-20;
	p = p * r + 0x1.ffcbfc588b0c7p-17;
	p = p * r + 0x1.430912f86c787p-13;
	p = p * r + 0x1.5d87fe78a6731p-10;
	p = p * r + 0x1.3b2ab6fba4e77p-7;
	p = p * r + 0x1.c6b08d704a0c0p-5;
	p = p * r + 0x1.ebfbdff82c58fp-3;
	p = p * r + 0x1.62e42fefa39efp-1;
	return (p * r + 1.0) * scale;
}

/* log2 x = k + 2/ln2 (s + s^3/3 + ...), s = (m - 1)/(m + 1), m in [sqrt 1/2, sqrt 2): s^16/17 <
 * 2^-44. Wants x normal in f64, as every f32 above zero is. */
static inline double
approx_log2(double x)
{
	uint64_t bits = bits_of_f64(x),
		 offset = bits - 0x3fe6a09e667f3bcdu + ((uint64_t)2048 << 52);
	double k = f64_of_bits((offset >> 52) | 0x4330000000000000u) - (0x1p52 + 2048);
	double m = f64_of_bits((offset & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu);
	double s = (m - 1) / (m + 1), z = s * s;
	double p = 0x1.89f3b1694cffep-3;
	p = p * z + 0x1.c68f568d31760p-3;
	p = p * z + 0x1.0c9a84994022dp-2;
	p = p * z + 0x1.484b13d7c02a9p-2;
	p = p * z + 0x1.a61762a7aded9p-2;
	p = p * z + 0x1.2776c50ef9bfep-1;
	p = p * z + 0x1.ec709dc3a03fdp-1;
	p = p * z + 0x1.71547652b82fep+1;
	double r = k + s * p;
	r = x == f64_of_bits(0x7ff0000000000000u) ? x : r;
	r = x == 0 ? -f64_of_bits(0x7ff0000000000000u) : r;
	return x >= 0 ? r : f64_of_bits(0x7ff8000000000000u);
}

/* (e - 1)/(e + 1), e = 2^(2 |x| / ln 2); near 0, where that cancels, x - x^3/3 */
static inline double
approx_tanh(double x)
{
	double magnitude = x < 0 ? -x : x;
	double e = approx_exp2((magnitude > 20 ? 20 : magnitude) * 0x1.71547652b82fep+1);
	double t = (e - 1) / (e + 1), small = x * (1 - x * x * (1.0 / 3));
	double far = x < 0 ? -t : t;
	return magnitude < 0x1p-12 ? small : x == x ? far : x;
}

/* sin r and cos r, |r| <= pi/4: Taylor, leaving r^15/15! < 2^-45 */
static inline double
approx_sin_part(double r)
{
	double z = r * r, p = 0x1.6124613a86d09p-33;
	p = p * z - 0x1.ae64567f544e4p-26;
	p = p * z + 0x1.71de3a556c734p-19;
	p = p * z - 0x1.a01a01a01a01ap-13;
	p = p * z + 0x1.1111111111111p-7;
	p = p * z - 0x1.5555555555555p-3;
	return r * (p * z + 1.0);
}
static inline double
approx_cos_part(double r)
{
	double z = r * r, p = -0x1.93974a8c07c9dp-37;
	p = p * z + 0x1.1eed8eff8d898p-29;
	p = p * z - 0x1.27e4fb7789f5cp-22;
	p = p * z + 0x1.a01a01a01a01ap-16;
	p = p * z - 0x1.6c16c16c16c17p-10;
	p = p * z + 0x1.5555555555555p-5;
	p = p * z - 0.5;
	return p * z + 1.0;
}

#endif
