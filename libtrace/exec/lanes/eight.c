/*
 * Conversions from and to numbers of eight, six and four bits, in pairs. PTX ISA 9.0
 * section 9.7.9.21 (cvt). e4m3 has no infinity and one NaN, e2m3, e3m2 and e2m1 have neither; what
 * is too large becomes the largest number (.satfinite is mandatory), a NaN too where there is none.
 * ue8m0 is an exponent alone.
 */
#include <math.h>
#include "families.h"
#include "half.h"

enum { EIGHT_RELU = 1 };

struct small {
	int fraction_bits, bias;
	double most; /* the largest number */
	uint32_t most_code, sign, nan;
};
static const struct small small_e4m3 = {3, 7, 448, 0x7e, 0x80, 0x7f};
static const struct small small_e5m2 = {2, 15, 57344, 0x7b, 0x80, 0x7f};
static const struct small small_e2m3 = {3, 1, 7.5, 0x1f, 0x20, 0x1f};
static const struct small small_e3m2 = {2, 3, 28, 0x1f, 0x20, 0x1f};
static const struct small small_e2m1 = {1, 1, 6, 0x7, 0x8, 0x7};

/* To nearest even */
static inline uint32_t
small_of(double x, const struct small *f, unsigned flags)
{
	const uint32_t sign = bits_of_f64(x) >> 63 ? f->sign : 0;
	double a = fabs(x);
	int exponent;
	if (x != x)
		return f->nan;
	if (flags & EIGHT_RELU && sign)
		return 0;
	if (a >= f->most)
		return sign | f->most_code;
	if (a < ldexp(1, 1 - f->bias))
		return sign | (uint32_t)nearbyint(ldexp(a, f->bias - 1 + f->fraction_bits));
	a = frexp(a, &exponent); /* in [0.5, 1) */
	const uint32_t n = (uint32_t)nearbyint(ldexp(a, f->fraction_bits + 1));
	const uint32_t code = ((uint32_t)(exponent + f->bias - 2) << f->fraction_bits) + n;
	return sign | (code < f->most_code ? code : f->most_code);
}

/* As binary16, which holds every number of both */
static inline uint32_t
half_of_e5m2(uint32_t v)
{
	return (v & 0x7f) > 0x7c ? 0x7fff : v << 8;
}

/* Its exponent is too small in binary16, and the number exact there: to be scaled. */
static inline uint32_t
half_of_small(uint32_t v, const struct small *f)
{
	const uint32_t magnitude = v & (f->sign - 1);
	const uint16_t h = (uint16_t)(magnitude << (10 - f->fraction_bits));
	const uint32_t r = half_round(f64_of_f16(h) * ldexp(1, 15 - f->bias), half_f16);
	return r | (v & f->sign ? 0x8000 : 0);
}
static inline uint32_t
half_of_e4m3(uint32_t v)
{
	return (v & 0x7f) == 0x7f ? 0x7fff : half_of_small(v, &small_e4m3);
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
				d[l] =                                                             \
				    (uint16_t)(small_of((double)a[l], &small_##f, in->aux) << 8 |  \
					       small_of((double)b[l], &small_##f, in->aux));       \
	}                                                                                          \
	static void cvt_##f##x2_f16x2(LANE_ARGS)                                                   \
	{                                                                                          \
		uint16_t *d = (uint16_t *)(void *)(file + in->d);                                  \
		const uint32_t *a = (const uint32_t *)(void *)(file + in->a);                      \
		for (unsigned l = 0; l < WCP_LANES; l++)                                           \
			if (mask & lane_bit[l])                                                    \
				d[l] = (uint16_t)(small_of(f64_of_f16((uint16_t)(a[l] >> 16)),     \
						      &small_##f, in->aux)                         \
						      << 8 |                                       \
						  small_of(f64_of_f16((uint16_t)a[l]), &small_##f, \
						      in->aux));                                   \
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

/* Six bits in each byte, or four in each half of one: apart is how many lie between them. */
#define NARROW(f, apart)                                                                        \
	static void cvt_##f##x2_f32(LANE_ARGS)                                                  \
	{                                                                                       \
		uint16_t *d = (uint16_t *)(void *)(file + in->d);                               \
		const float *a = (const float *)(void *)(file + in->a);                         \
		const float *b = (const float *)(void *)(file + in->b);                         \
		for (unsigned l = 0; l < WCP_LANES; l++)                                        \
			if (mask & lane_bit[l])                                                 \
				d[l] = (uint16_t)(small_of((double)a[l], &small_##f, in->aux)   \
						      << (apart) |                              \
						  small_of((double)b[l], &small_##f, in->aux)); \
	}                                                                                       \
	static void cvt_f16x2_##f##x2(LANE_ARGS)                                                \
	{                                                                                       \
		uint32_t *d = (uint32_t *)(void *)(file + in->d);                               \
		const uint16_t *a = (const uint16_t *)(void *)(file + in->a);                   \
		for (unsigned l = 0; l < WCP_LANES; l++) {                                      \
			uint32_t high = half_of_small(a[l] >> (apart), &small_##f);             \
			uint32_t low = half_of_small(a[l], &small_##f);                         \
			high = in->aux & EIGHT_RELU ? half_relu(high) : high;                   \
			low = in->aux & EIGHT_RELU ? half_relu(low) : low;                      \
			d[l] = mask & lane_bit[l] ? high << 16 | low : d[l];                    \
		}                                                                               \
	}
NARROW(e2m3, 8)
NARROW(e3m2, 8)
NARROW(e2m1, 4)

/* The exponent of a magnitude: that of the power of two below it or, with up, above. */
static inline uint32_t
exponent_of(uint32_t bits, bool up, bool finite)
{
	const uint32_t magnitude = bits & 0x7fffffff, fraction = magnitude & 0x7fffff;
	const uint32_t exponent = magnitude >> 23;
	if (magnitude > 0x7f800000)
		return 0xff;
	if (exponent == 0xff)
		return finite ? 0xfe : 0xff;
	if (!exponent) /* the least is 2^-127, half of the least normal number */
		return up && magnitude > 0x400000;
	return exponent + (up && fraction && !(finite && exponent == 0xfe));
}
#define EXPONENTS(name, up, finite)                                       \
	OP2(cvt_##name##_f32, uint16_t, uint32_t, uint32_t,               \
	    exponent_of(a, up, finite) << 8 | exponent_of(b, up, finite)) \
	OP1(cvt_##name##_bf16x2, uint16_t, uint32_t,                      \
	    exponent_of(a & 0xffff0000, up, finite) << 8 | exponent_of(a << 16, up, finite))
EXPONENTS(down, false, false)
EXPONENTS(down_finite, false, true)
EXPONENTS(up, true, false)
EXPONENTS(up_finite, true, true)
static inline uint32_t
bf16_of_ue8m0(uint32_t e)
{
	return e == 0xff ? 0x7fff : e ? e << 7 : 0x40;
}
OP1(cvt_bf16x2_ue8m0x2, uint32_t, uint16_t, bf16_of_ue8m0(a >> 8) << 16 | bf16_of_ue8m0(a & 0xff))

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

#define ROWS_NARROW(f)                                                                         \
	ROW_FINISH(                                                                            \
	    "cvt.rn.satfinite.relu?." #f "x2.f32", "h:tt", CVT, cvt_##f##x2_f32, finish_relu), \
	    ROW_FINISH("cvt.rn.relu?.f16x2." #f "x2", "t:h", CVT, cvt_f16x2_##f##x2, finish_relu)
#define ROWS_EXPONENTS(modifiers, name)                                      \
	ROW("cvt." modifiers ".ue8m0x2.f32", "h:tt", CVT, cvt_##name##_f32), \
	    ROW("cvt." modifiers ".ue8m0x2.bf16x2", "h:t", CVT, cvt_##name##_bf16x2)

const struct lane_row LEVELED(lanes_eight)[] = {
    ROWS_EIGHT(e4m3),
    ROWS_EIGHT(e5m2),
    ROWS_NARROW(e2m3),
    ROWS_NARROW(e3m2),
    ROWS_NARROW(e2m1),
    ROWS_EXPONENTS("rz", down),
    ROWS_EXPONENTS("rz.satfinite", down_finite),
    ROWS_EXPONENTS("rp", up),
    ROWS_EXPONENTS("rp.satfinite", up_finite),
    ROW("cvt.rn.bf16x2.ue8m0x2", "t:h", CVT, cvt_bf16x2_ue8m0x2),
    ROW_END,
};
