/*
 * Conversions from and to e4m3 and e5m2, in pairs. PTX ISA 9.0 section 9.7.9.21 (cvt). e4m3 has no
 * infinity and one NaN; what is too large becomes the largest number (.satfinite is mandatory).
 */
#include <math.h>
#include "families.h"
#include "half.h"

enum { EIGHT_RELU = 1 };

/* Rounds a magnitude to bits of exponent and fraction, to nearest even; most is the largest number.
 */
static inline uint32_t
eight_of(double x, int fraction_bits, int bias, double most, uint32_t most_code, unsigned flags)
{
	const uint32_t sign = (uint32_t)(bits_of_f64(x) >> 63) << 7;
	double a = fabs(x);
	int exponent;
	if (x != x)
		return 0x7f;
	if (flags & EIGHT_RELU && sign)
		return 0;
	if (a >= most)
		return sign | most_code;
	if (a < ldexp(1, 1 - bias))
		return sign | (uint32_t)nearbyint(ldexp(a, bias - 1 + fraction_bits));
	a = frexp(a, &exponent); /* in [0.5, 1) */
	const uint32_t n = (uint32_t)nearbyint(ldexp(a, fraction_bits + 1));
	const uint32_t code = ((uint32_t)(exponent + bias - 2) << fraction_bits) + n;
	return sign | (code < most_code ? code : most_code);
}

static inline uint32_t
e4m3_of(double x, unsigned flags)
{
	return eight_of(x, 3, 7, 448, 0x7e, flags);
}

static inline uint32_t
e5m2_of(double x, unsigned flags)
{
	return eight_of(x, 2, 15, 57344, 0x7b, flags);
}

/* As binary16, which holds every number of both */
static inline uint32_t
half_of_e5m2(uint32_t v)
{
	return (v & 0x7f) > 0x7c ? 0x7fff : v << 8;
}

static inline uint32_t
half_of_e4m3(uint32_t v)
{
	const uint32_t magnitude = v & 0x7f;
	/* eight times less in binary16's exponent, and exact there: scaled by 2^8 */
	const uint16_t h = (uint16_t)(magnitude << 7);
	const uint32_t r = half_round(f64_of_f16(h) * 256, half_f16);
	return magnitude == 0x7f ? 0x7fff : r | (v & 0x80) << 8;
}

static inline uint32_t
half_relu(uint32_t h)
{
	return (h & 0x7fff) > 0x7c00 ? 0x7fff : h & 0x8000 ? 0 : h;
}

#define EIGHT(f)                                                                                   \
	static void cvt_##f##x2_f32(LANE_ARGS)                                                     \
	{                                                                                          \
		uint16_t *d = (uint16_t *)(void *)(file + in->d);                                  \
		const float *a = (const float *)(void *)(file + in->a);                            \
		const float *b = (const float *)(void *)(file + in->b);                            \
		for (unsigned l = 0; l < WCP_LANES; l++)                                           \
			if (mask & lane_bit[l])                                                    \
				d[l] = (uint16_t)(f##_of((double)a[l], in->aux) << 8 |             \
						  f##_of((double)b[l], in->aux));                  \
	}                                                                                          \
	static void cvt_##f##x2_f16x2(LANE_ARGS)                                                   \
	{                                                                                          \
		uint16_t *d = (uint16_t *)(void *)(file + in->d);                                  \
		const uint32_t *a = (const uint32_t *)(void *)(file + in->a);                      \
		for (unsigned l = 0; l < WCP_LANES; l++)                                           \
			if (mask & lane_bit[l])                                                    \
				d[l] =                                                             \
				    (uint16_t)(f##_of(f64_of_f16((uint16_t)(a[l] >> 16)), in->aux) \
						   << 8 |                                          \
					       f##_of(f64_of_f16((uint16_t)a[l]), in->aux));       \
	}                                                                                          \
	static void cvt_f16x2_##f##x2(LANE_ARGS)                                                   \
	{                                                                                          \
		uint32_t *d = (uint32_t *)(void *)(file + in->d);                                  \
		const uint16_t *a = (const uint16_t *)(void *)(file + in->a);                      \
		for (unsigned l = 0; l < WCP_LANES; l++) {                                         \
			uint32_t high = half_of_##f(a[l] >> 8), low = half_of_##f(a[l] & 0xff);    \
			high = in->aux & EIGHT_RELU ? half_relu(high) : high;                      \
			low = in->aux & EIGHT_RELU ? half_relu(low) : low;                         \
			d[l] = mask & lane_bit[l] ? high << 16 | low : d[l];                       \
		}                                                                                  \
	}
EIGHT(e4m3)
EIGHT(e5m2)

static int
finish_relu(const struct ptx_insn *in, const struct lane_match *m, struct lane_code *code,
    struct wcp_error *e)
{
	(void)m, (void)e;
	code->aux = ptx_has(in, "relu") ? EIGHT_RELU : 0;
	return 0;
}

#define ROWS_EIGHT(f)                                                                          \
	ROW_FINISH(                                                                            \
	    "cvt.rn.satfinite.relu?." #f "x2.f32", "h:tt", CVT, cvt_##f##x2_f32, finish_relu), \
	    ROW_FINISH("cvt.rn.satfinite.relu?." #f "x2.f16x2", "h:t", CVT, cvt_##f##x2_f16x2, \
		finish_relu),                                                                  \
	    ROW_FINISH("cvt.rn.relu?.f16x2." #f "x2", "t:h", CVT, cvt_f16x2_##f##x2, finish_relu)

const struct lane_row LEVELED(lanes_eight)[] = {
    ROWS_EIGHT(e4m3),
    ROWS_EIGHT(e5m2),
    ROW_END,
};
