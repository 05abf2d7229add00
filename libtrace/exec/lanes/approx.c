/*
 * Approximate functions. PTX ISA 9.0 section 9.7.3 allows these errors; ours are those of approx.h,
 * below one unit in the last place of f32 (2^-23 of the result) everywhere:
 *
 *   rcp, div, sqrt .approx     1, 2 units; 2^-23        rounded as IEEE asks; so div.full
 *   rsqrt.approx               2^-22.9 of the result
 *   ex2.approx                 2^-22.5 of the result
 *   lg2.approx                 2^-22 of the result, absolute between 0.5 and 2
 *   sin, cos .approx           2^-20.5 absolute within 2 pi, growing beyond
 *   tanh.approx                2^-11 of the result
 *   rcp, rsqrt .approx.ftz.f64 2^-20: upper half of operand and result, lower half zero
 *
 * differs: div.approx with a divisor above 2^126 gives the quotient where the machine gives 0.
 */
#include "approx.h"
#include "families.h"

static inline float
rounded(double x)
{
	return x == x ? (float)x : f32_of_bits(0x7fffffff);
}
FOP1(ex2_f32, float, float, rounded(approx_exp2(a)))
FOP1(lg2_f32, float, float, rounded(approx_log2(a)))
FOP1(tanh_f32, float, float, rounded(approx_tanh(a)))
FOP1(rsqrt_f32, float, float, rounded(1.0 / __builtin_sqrt((double)a)))
FOP1(rcp_f32, float, float, rounded(1.0f / a))
FOP1(sqrt_f32, float, float, rounded(__builtin_sqrtf(a)))
FOP2(div_f32, float, float, float, rounded(a / b))

/* Upper 32 bits in, upper 32 bits out; subnormals flushed both ways */
static inline double
upper(double x)
{
	uint64_t bits = bits_of_f64(x) & 0xffffffff00000000u;
	return f64_of_bits(bits & 0x7ff0000000000000u ? bits : bits & 0x8000000000000000u);
}
static inline double
gross(double x)
{
	return x == x ? upper(x) : f64_of_bits(0x7fffffff00000000u);
}
OP1(rcp_gross_f64, double, double, gross(1.0 / upper(a)))
OP1(rsqrt_gross_f64, double, double, gross(1.0 / __builtin_sqrt(upper(a))))
OP1(rsqrt_f64, double, double, a >= 0 ? 1.0 / __builtin_sqrt(a) : f64_of_bits(0xfff8000000000000u))

/* ---- sin and cos ---- */

#define NEAR 0x1p27 /* below, k pi/2 is exact to the bit that matters with k < 2^27 */

/* x = r + quadrant pi/2: pi/2 in three parts of 26, 26 and 53 bits, k times the first two exact */
static inline double
reduce_near(double x, uint32_t *quadrant)
{
	double shifted = x * 0x1.45f306dc9c883p-1 + APPROX_MAGIC, k = shifted - APPROX_MAGIC;
	*quadrant = (uint32_t)bits_of_f64(shifted) & 3;
	return ((x - k * 0x1.921fb5p+0) - k * 0x1.110b46p-26) - k * 0x1.1a62633145c07p-54;
}

/*
 * Payne and Hanek: x = m 2^e, m an integer of 24 bits; of 2/pi only the bits from e - 1 on matter
 * to the quadrant and what is left of it, 128 of them leave 104 good ones.
 */
static double
reduce_far(float x, uint32_t *quadrant)
{
	static const uint64_t two_over_pi[] = {
	    0xa2f9836e4e441529u, 0xfc2757d1f534ddc0u, 0xdb6295993c439041u, 0xfe5163abdebbc561u, 0};
	uint32_t bits = bits_of_f32(x), m = (bits & 0x7fffff) | 0x800000;
	unsigned skip = (bits >> 23 & 255) - 150 - 2, word = skip / 64, shift = skip % 64;
	uint64_t part[2];
	for (unsigned i = 0; i < 2; i++) {
		uint64_t next = shift ? two_over_pi[word + i + 1] >> (64 - shift) : 0;
		part[i] = two_over_pi[word + i] << shift | next;
	}
	unsigned __int128 turn = ((unsigned __int128)part[0] << 64 | part[1]) * m;
	uint32_t q = (uint32_t)(turn >> 125) + 1;
	double rest = (double)(__int128)(turn - ((unsigned __int128)(q >> 1) << 126));
	double r = rest * 0x1p-126 * 0x1.921fb54442d18p+0;
	*quadrant = (bits >> 31 ? 0 - (q >> 1) : q >> 1) & 3;
	return bits >> 31 ? -r : r;
}

static void
reduce(const float *x, double *r, uint32_t *quadrant)
{
	uint32_t far = 0;
	EACH_LANE
	{
		double v = (double)x[l];
		r[l] = reduce_near(v, &quadrant[l]);
		far |= ((v > NEAR) | (v < -NEAR)) ? lane_bit[l] : 0;
	}
	for (; far; far &= far - 1) {
		unsigned l = (unsigned)__builtin_ctz(far);
		if (x[l] - x[l] == 0)
			r[l] = reduce_far(x[l], &quadrant[l]);
	}
}

static inline float
sine(double r, uint32_t quadrant)
{
	double value = quadrant & 1 ? approx_cos_part(r) : approx_sin_part(r);
	return rounded(quadrant & 2 ? -value : value);
}
#define SINE(name, turn)                                                  \
	static void name(LANE_ARGS)                                       \
	{                                                                 \
		float x[WCP_LANES], *d = (float *)(void *)(file + in->d); \
		double r[WCP_LANES];                                      \
		uint32_t quadrant[WCP_LANES];                             \
		LANE_ENTER;                                               \
		memcpy(x, file + in->a, sizeof x);                        \
		reduce(x, r, quadrant);                                   \
		EACH_LANE                                                 \
		{                                                         \
			float y = sine(r[l], quadrant[l] + turn);         \
			d[l] = mask & lane_bit[l] ? y : d[l];             \
		}                                                         \
		LANE_LEAVE;                                               \
	}
SINE(sin_f32, 0)
SINE(cos_f32, 1)

const struct lane_row LEVELED(lanes_approx)[] = {
    ROW("ex2.approx.ftz?.f32", "t:t", SFU, ex2_f32),
    ROW("lg2.approx.ftz?.f32", "t:t", SFU, lg2_f32),
    ROW_ONE("sin.approx.ftz?.f32", "t:t", SFU, sin_f32),
    ROW_ONE("cos.approx.ftz?.f32", "t:t", SFU, cos_f32),
    ROW("tanh.approx.f32", "t:t", SFU, tanh_f32),
    ROW("rsqrt.approx.ftz?.f32", "t:t", SFU, rsqrt_f32),
    ROW("rcp.approx.ftz?.f32", "t:t", SFU, rcp_f32),
    ROW("sqrt.approx.ftz?.f32", "t:t", SFU, sqrt_f32),
    ROW("div.approx.ftz?.f32", "t:tt", SFU, div_f32),
    ROW("div.full.ftz?.f32", "t:tt", SFU, div_f32),
    ROW("rcp.approx.ftz.f64", "t:t", SFU, rcp_gross_f64),
    ROW("rsqrt.approx.ftz.f64", "t:t", SFU, rsqrt_gross_f64),
    ROW("rsqrt.approx.f64", "t:t", SFU, rsqrt_f64),
    ROW_END,
};
