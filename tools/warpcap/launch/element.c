#include <math.h>
#include <string.h>
#include "element.h"

/* An IEEE format of at most 16 bits: exponent bits, and how far its bias lies from double's. */
struct narrow {
	int fraction_bits;
	int bias, exponent_max;
};
static const struct narrow f16 = {10, 15, 31}, bf16 = {7, 127, 255};

static double
widen(uint16_t bits, const struct narrow *n)
{
	int exponent = bits >> n->fraction_bits & n->exponent_max;
	int fraction = bits & ((1 << n->fraction_bits) - 1);
	double r;
	if (exponent == n->exponent_max)
		r = fraction ? NAN : INFINITY;
	else if (exponent)
		r = ldexp(
		    fraction + (1 << n->fraction_bits), exponent - n->bias - n->fraction_bits);
	else
		r = ldexp(fraction, 1 - n->bias - n->fraction_bits);
	return bits & 0x8000 ? -r : r;
}

/* To nearest, ties to even: the fraction is scaled to an integer and rint() decides. */
static uint16_t
narrow(double r, const struct narrow *n)
{
	uint16_t sign = signbit(r) ? 0x8000 : 0;
	uint16_t infinity = (uint16_t)(n->exponent_max << n->fraction_bits);
	if (isnan(r))
		return (uint16_t)(sign | infinity | 1 << (n->fraction_bits - 1));
	int exponent;
	double f = frexp(fabs(r), &exponent);
	if (f == 0)
		return sign;
	if (isinf(r) || exponent > n->exponent_max - n->bias)
		return sign | infinity;
	int e = exponent - 1 + n->bias; /* biased; not above 0 for a subnormal */
	double scaled = rint(ldexp(f, n->fraction_bits + 1 + (e < 1 ? e - 1 : 0)));
	int bits = (int)scaled + ((e < 1 ? 1 : e) - 1) * (1 << n->fraction_bits);
	return (uint16_t)(sign | (bits > infinity ? infinity : bits));
}

bool
element_is_real(enum ptx_type type)
{
	return type == PTX_F16 || type == PTX_BF16 || type == PTX_F32 || type == PTX_F64;
}

static bool
is_signed(enum ptx_type type)
{
	return type == PTX_S8 || type == PTX_S16 || type == PTX_S32 || type == PTX_S64;
}

static struct value
get_real(enum ptx_type type, const void *from)
{
	uint16_t half;
	float single;
	double r;
	if (type == PTX_F64) {
		memcpy(&r, from, 8);
		return value_of_real(r);
	}
	if (type == PTX_F32) {
		memcpy(&single, from, 4);
		return value_of_real((double)single);
	}
	memcpy(&half, from, 2);
	return value_of_real(widen(half, type == PTX_F16 ? &f16 : &bf16));
}

struct value
element_get(enum ptx_type type, const void *from)
{
	if (element_is_real(type))
		return get_real(type, from);
	unsigned bytes = ptx_type_bytes(type);
	uint64_t u = 0;
	memcpy(&u, from, bytes); /* little endian, as the device is */
	unsigned shift = 64 - 8 * bytes;
	return value_of_integer(is_signed(type) ? (int64_t)(u << shift) >> shift : (int64_t)u);
}

/* C leaves conversions out of range open; here NaN is 0 and the rest saturates. */
static int64_t
integer_of(struct value v)
{
	if (!v.is_real)
		return v.i;
	if (isnan(v.r))
		return 0;
	if (v.r >= 0x1p63)
		return v.r < 0x1p64 ? (int64_t)(uint64_t)v.r : INT64_MAX;
	return v.r <= -0x1p63 ? INT64_MIN : (int64_t)v.r;
}

void
element_put(enum ptx_type type, void *to, struct value v)
{
	double r = value_real(v);
	float single = (float)r;
	uint16_t half;
	int64_t i;
	if (type == PTX_F64) {
		memcpy(to, &r, 8);
	} else if (type == PTX_F32) {
		memcpy(to, &single, 4);
	} else if (element_is_real(type)) {
		half = narrow(r, type == PTX_F16 ? &f16 : &bf16);
		memcpy(to, &half, 2);
	} else {
		i = integer_of(v);
		memcpy(to, &i, ptx_type_bytes(type));
	}
}
