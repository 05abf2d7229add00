/* f32, f64, f16 and bf16 arithmetic and comparisons against floating point on integers. */
#include <fenv.h>
#include <math.h>
#include "lanes_check.h"
#include "lanes_soft.h"

/* ---- arithmetic in every rounding mode ---- */

enum { FTZ = 1, SAT = 2, RELU = 4 };

static uint64_t
finish(struct soft r, struct soft_format f, enum soft_mode mode, unsigned flags)
{
	uint64_t one = (uint64_t)soft_bias(f) << f.mbits, bits;
	if (flags & RELU && !r.nan && r.negative)
		return 0;
	bits = soft_encode(r, f, mode);
	if (flags & FTZ) /* f16 flushes what rounding left */
		bits = f.mbits == 10 ? soft_flush(bits, f) : soft_flushed(r, f, mode);
	if (flags & SAT) {
		struct soft x = soft_decode(bits, f);
		return x.nan || x.negative || (!x.inf && !x.mag) ? 0 : bits > one ? one : bits;
	}
	return bits;
}

/* f64 keeps the first NaN operand, made quiet. */
static uint64_t
nan_of(struct soft_format f, const uint64_t *s, unsigned n)
{
	for (unsigned i = 0; i < n && f.mbits == 52; i++)
		if (soft_decode(s[i], f).nan)
			return s[i] | (uint64_t)1 << 51;
	return f.nan;
}

static struct soft
load(uint64_t bits, struct soft_format f, unsigned flags)
{
	return soft_decode(flags & FTZ ? soft_flush(bits, f) : bits, f);
}

static uint64_t
settled(struct soft r, struct soft_format f, enum soft_mode mode, unsigned flags, const uint64_t *s,
    unsigned n)
{
	f.nan = nan_of(f, s, n);
	return finish(r, f, mode, flags);
}

#define UNARY(name, f, mode, flags, expr)                      \
	static void ref_##name(const uint64_t *s, uint64_t *d) \
	{                                                      \
		struct soft x = load(s[0], f, flags);          \
		d[0] = settled(expr, f, mode, flags, s, 1);    \
	}
#define BINARY(name, f, mode, flags, expr)                                      \
	static void ref_##name(const uint64_t *s, uint64_t *d)                  \
	{                                                                       \
		struct soft x = load(s[0], f, flags), y = load(s[1], f, flags); \
		d[0] = settled(expr, f, mode, flags, s, 2);                     \
	}
#define TERNARY(name, f, mode, flags)                                           \
	static void ref_##name(const uint64_t *s, uint64_t *d)                  \
	{                                                                       \
		struct soft x = load(s[0], f, flags), y = load(s[1], f, flags); \
		struct soft z = load(s[2], f, flags), p = soft_mul(x, y);       \
		d[0] = settled(soft_add(p, z, mode), f, mode, flags, s, 3);     \
	}

static const struct soft soft_one = {.mag = 1};

/* f64 fma: the product and the sum need more than 128 bits, so the C library's, which is exact. */
#define FMA64(name, mode)                                      \
	static void ref_##name(const uint64_t *s, uint64_t *d) \
	{                                                      \
		volatile double a, b, c, r;                    \
		memcpy((void *)(uintptr_t)&a, s, 8);           \
		memcpy((void *)(uintptr_t)&b, s + 1, 8);       \
		memcpy((void *)(uintptr_t)&c, s + 2, 8);       \
		fesetround(mode);                              \
		r = fma(a, b, c);                              \
		fesetround(FE_TONEAREST);                      \
		memcpy(d, (void *)(uintptr_t)&r, 8);           \
		if (isnan(r))                                  \
			*d = nan_of(SOFT_F64, s, 3);           \
	}
FMA64(fma_rn_f64, FE_TONEAREST)
FMA64(fma_rz_f64, FE_TOWARDZERO)
FMA64(fma_rm_f64, FE_DOWNWARD)
FMA64(fma_rp_f64, FE_UPWARD)

#define BASIC(suffix, f, mode, flags)                                           \
	BINARY(add_##suffix, f, mode, flags, soft_add(x, y, mode))              \
	BINARY(sub_##suffix, f, mode, flags, soft_add(x, soft_negate(y), mode)) \
	BINARY(mul_##suffix, f, mode, flags, soft_mul(x, y))
#define FULL(suffix, f, mode, flags)                               \
	BASIC(suffix, f, mode, flags)                              \
	BINARY(div_##suffix, f, mode, flags, soft_div(x, y))       \
	UNARY(rcp_##suffix, f, mode, flags, soft_div(soft_one, x)) \
	UNARY(sqrt_##suffix, f, mode, flags, soft_sqrt(x))
#define FULL32(suffix, mode, flags) \
	FULL(suffix, SOFT_F32, mode, flags) TERNARY(fma_##suffix, SOFT_F32, mode, flags)
#define SATURATED(suffix, mode, flags) \
	BASIC(suffix, SOFT_F32, mode, flags) TERNARY(fma_##suffix, SOFT_F32, mode, flags)
FULL32(rn_f32, SOFT_RN, 0)
FULL32(rz_f32, SOFT_RZ, 0)
FULL32(rm_f32, SOFT_RM, 0)
FULL32(rp_f32, SOFT_RP, 0)
FULL32(rn_ftz_f32, SOFT_RN, FTZ)
FULL32(rz_ftz_f32, SOFT_RZ, FTZ)
FULL32(rm_ftz_f32, SOFT_RM, FTZ)
FULL32(rp_ftz_f32, SOFT_RP, FTZ)
SATURATED(rn_sat_f32, SOFT_RN, SAT)
SATURATED(rp_sat_f32, SOFT_RP, SAT)
SATURATED(rn_ftz_sat_f32, SOFT_RN, FTZ | SAT)
FULL(rn_f64, SOFT_F64, SOFT_RN, 0)
FULL(rz_f64, SOFT_F64, SOFT_RZ, 0)
FULL(rm_f64, SOFT_F64, SOFT_RM, 0)
FULL(rp_f64, SOFT_F64, SOFT_RP, 0)

#define ROWS_BASIC(spelling, name)                                                              \
	{"add." spelling " d a b", ref_add_##name}, {"sub." spelling " d a b", ref_sub_##name}, \
	    {"mul." spelling " d a b", ref_mul_##name},                                         \
	{                                                                                       \
		"fma." spelling " d a b c", ref_fma_##name                                      \
	}
#define ROWS_FULL(spelling, name)                                               \
	ROWS_BASIC(spelling, name), {"div." spelling " d a b", ref_div_##name}, \
	    {"rcp." spelling " d a", ref_rcp_##name},                           \
	{                                                                       \
		"sqrt." spelling " d a", ref_sqrt_##name                        \
	}

/* ---- halves: single, and pairs of them ---- */

#define HALVES(suffix, f, flags)         \
	BASIC(suffix, f, SOFT_RN, flags) \
	TERNARY(fma_##suffix, f, SOFT_RN, flags)
HALVES(f16, SOFT_F16, 0)
HALVES(bf16, SOFT_BF16, 0)
HALVES(ftz_f16, SOFT_F16, FTZ)
HALVES(sat_f16, SOFT_F16, SAT)
TERNARY(fma_relu_f16, SOFT_F16, SOFT_RN, RELU)
TERNARY(fma_relu_bf16, SOFT_BF16, SOFT_RN, RELU)

static void
by_halves(reference *one, const uint64_t *s, uint64_t *d)
{
	uint64_t low[4] = {s[0] & 0xffff, s[1] & 0xffff, s[2] & 0xffff};
	uint64_t high[4] = {s[0] >> 16, s[1] >> 16, s[2] >> 16}, r[3];
	one(low, r);
	d[0] = r[0];
	one(high, r);
	d[0] |= r[0] << 16;
}
#define PAIR(name)                                                 \
	static void ref_##name##x2(const uint64_t *s, uint64_t *d) \
	{                                                          \
		by_halves(ref_##name, s, d);                       \
	}
PAIR(add_f16)
PAIR(sub_f16)
PAIR(mul_f16)
PAIR(fma_f16)
PAIR(add_bf16)
PAIR(fma_bf16)
PAIR(fma_relu_f16)

/* ---- sign, smaller, greater ---- */

enum { MAX = 8, NAN_WINS = 16, XORSIGN = 32 };

static uint64_t
pick(uint64_t a, uint64_t b, struct soft_format f, unsigned flags)
{
	uint64_t sign = (uint64_t)1 << (f.ebits + f.mbits), sa, sb, r;
	uint64_t canonical = f.mbits == 52 ? 0x7fffffffffffffffu : f.nan;
	sa = a = flags & FTZ ? soft_flush(a, f) : a;
	sb = b = flags & FTZ ? soft_flush(b, f) : b;
	if (flags & XORSIGN)
		a &= ~sign, b &= ~sign;
	struct soft x = soft_decode(a, f), y = soft_decode(b, f);
	int order = soft_compare(x, y);
	if (flags & NAN_WINS ? x.nan || y.nan : x.nan && y.nan)
		return canonical;
	if (order == 2)
		r = x.nan ? b : a;
	else if (order == 0)
		r = (x.negative != y.negative ? (flags & MAX ? 0 : sign) | (a & ~sign) : a);
	else
		r = (order < 0) == !(flags & MAX) ? a : b;
	return flags & XORSIGN ? r | ((sa ^ sb) & sign) : r;
}
#define PICK(name, f, flags)                  \
	REF(min_##name, pick(a, b, f, flags)) \
	REF(max_##name, pick(a, b, f, (flags) | MAX))
PICK(f32, SOFT_F32, 0)
PICK(ftz_f32, SOFT_F32, FTZ)
PICK(nan_f32, SOFT_F32, NAN_WINS)
PICK(xor_f32, SOFT_F32, XORSIGN)
PICK(ftz_nan_xor_f32, SOFT_F32, FTZ | NAN_WINS | XORSIGN)
PICK(f64, SOFT_F64, 0)
PICK(f16, SOFT_F16, 0)
PICK(bf16, SOFT_BF16, 0)
PICK(nan_f16, SOFT_F16, NAN_WINS)
PICK(ftz_xor_f16, SOFT_F16, FTZ | XORSIGN)
REF(min3_f32, pick(pick(a, b, SOFT_F32, 0), c, SOFT_F32, 0))
REF(max3_nan_f32, pick(pick(a, b, SOFT_F32, MAX | NAN_WINS), c, SOFT_F32, MAX | NAN_WINS))
static uint64_t
pick3(const uint64_t *s, unsigned flags, bool magnitudes)
{
	const uint64_t keep = magnitudes ? 0x7fffffff : 0xffffffff;
	return pick(pick(s[0] & keep, s[1] & keep, SOFT_F32, flags), s[2] & keep, SOFT_F32, flags);
}
REF(max3_ftz_f32, pick3(s, MAX | FTZ, false))
REF(max3_abs_f32, pick3(s, MAX, true))
REF(min3_ftz_nan_abs_f32, pick3(s, FTZ | NAN_WINS, true))
PAIR(min_f16)
PAIR(max_bf16)

/* A half and an f32, or two halves and an f32 */
static uint64_t
mixed(const uint64_t *s, struct soft_format half, enum soft_mode mode, unsigned flags, char what)
{
	struct soft x = soft_decode(s[0], half),
		    y = soft_decode(s[1], what == '*' ? half : SOFT_F32);
	struct soft r = what == '*'   ? soft_add(soft_mul(x, y), soft_decode(s[2], SOFT_F32), mode)
			: what == '-' ? soft_add(x, soft_negate(y), mode)
				      : soft_add(x, y, mode);
	return finish(r, SOFT_F32, mode, flags);
}
REF(add_f32_f16, mixed(s, SOFT_F16, SOFT_RN, 0, '+'))
REF(add_rz_sat_f32_bf16, mixed(s, SOFT_BF16, SOFT_RZ, SAT, '+'))
REF(sub_rp_f32_bf16, mixed(s, SOFT_BF16, SOFT_RP, 0, '-'))
REF(sub_sat_f32_f16, mixed(s, SOFT_F16, SOFT_RN, SAT, '-'))
REF(fma_rn_f32_f16, mixed(s, SOFT_F16, SOFT_RN, 0, '*'))
REF(fma_rm_sat_f32_bf16, mixed(s, SOFT_BF16, SOFT_RM, SAT, '*'))
#define ROWS_PICK(spelling, name)                        \
	{"min." spelling " d a b", ref_min_##name},      \
	{                                                \
		"max." spelling " d a b", ref_max_##name \
	}

REF(abs_f32, a & 0x7fffffff)
REF(neg_f32, a ^ 0x80000000)
REF(abs_ftz_f32, soft_flush(a, SOFT_F32) & 0x7fffffff)
REF(neg_ftz_f32, soft_flush(a, SOFT_F32) ^ 0x80000000)
REF(abs_f64, a &INT64_MAX)
REF(neg_f64, a ^ (uint64_t)INT64_MIN)
REF(abs_f16, a & 0x7fff)
REF(neg_f16x2, a ^ 0x80008000)
REF(abs_ftz_f16, soft_flush(a, SOFT_F16) & 0x7fff)
REF(copysign_f32, (a & 0x80000000) | (b & 0x7fffffff))
REF(copysign_f64, (a & (uint64_t)INT64_MIN) | (b & INT64_MAX))

#define TESTP(f, suffix)                                                       \
	REF(finite_##suffix, !soft_decode(a, f).nan && !soft_decode(a, f).inf) \
	REF(infinite_##suffix, soft_decode(a, f).inf)                          \
	REF(number_##suffix, !soft_decode(a, f).nan)                           \
	REF(notanumber_##suffix, soft_decode(a, f).nan)                        \
	REF(normal_##suffix, soft_decode(a, f).mag >> f.mbits == 1)            \
	REF(subnormal_##suffix, soft_decode(a, f).mag && !(soft_decode(a, f).mag >> f.mbits))
TESTP(SOFT_F32, f32)
TESTP(SOFT_F64, f64)
#define ROWS_TESTP(t)                                            \
	{"testp.finite." #t " d a", ref_finite_##t},             \
	    {"testp.infinite." #t " d a", ref_infinite_##t},     \
	    {"testp.number." #t " d a", ref_number_##t},         \
	    {"testp.notanumber." #t " d a", ref_notanumber_##t}, \
	    {"testp.normal." #t " d a", ref_normal_##t},         \
	{                                                        \
		"testp.subnormal." #t " d a", ref_subnormal_##t  \
	}

static const struct lane_test test[] = {
    ROWS_FULL("rn.f32", rn_f32),
    ROWS_FULL("rz.f32", rz_f32),
    ROWS_FULL("rm.f32", rm_f32),
    ROWS_FULL("rp.f32", rp_f32),
    ROWS_FULL("rn.ftz.f32", rn_ftz_f32),
    ROWS_FULL("rz.ftz.f32", rz_ftz_f32),
    ROWS_FULL("rm.ftz.f32", rm_ftz_f32),
    ROWS_FULL("rp.ftz.f32", rp_ftz_f32),
    ROWS_BASIC("rn.sat.f32", rn_sat_f32),
    ROWS_BASIC("rp.sat.f32", rp_sat_f32),
    ROWS_BASIC("rn.ftz.sat.f32", rn_ftz_sat_f32),
    ROWS_FULL("rn.f64", rn_f64),
    ROWS_FULL("rz.f64", rz_f64),
    ROWS_FULL("rm.f64", rm_f64),
    ROWS_FULL("rp.f64", rp_f64),
    {"add.f32 d a b", ref_add_rn_f32},
    {"mul.ftz.f32 d a b", ref_mul_rn_ftz_f32},
    {"mad.rn.f32 d a b c", ref_fma_rn_f32},
    {"sub.f64 d a b", ref_sub_rn_f64},
    {"mad.rn.f64 d a b c", ref_fma_rn_f64},
    {"add.f16 d a b", ref_add_f16},
    {"sub.rn.f16 d a b", ref_sub_f16},
    {"mul.f16 d a b", ref_mul_f16},
    {"fma.rn.f16 d a b c", ref_fma_f16},
    {"add.ftz.f16 d a b", ref_add_ftz_f16},
    {"sub.ftz.f16 d a b", ref_sub_ftz_f16},
    {"mul.rn.ftz.f16 d a b", ref_mul_ftz_f16},
    {"fma.rn.ftz.f16 d a b c", ref_fma_ftz_f16},
    {"add.sat.f16 d a b", ref_add_sat_f16},
    {"sub.sat.f16 d a b", ref_sub_sat_f16},
    {"mul.sat.f16 d a b", ref_mul_sat_f16},
    {"fma.rn.sat.f16 d a b c", ref_fma_sat_f16},
    {"fma.rn.relu.f16 d a b c", ref_fma_relu_f16},
    {"add.bf16 d a b", ref_add_bf16},
    {"sub.bf16 d a b", ref_sub_bf16},
    {"mul.bf16 d a b", ref_mul_bf16},
    {"fma.rn.bf16 d a b c", ref_fma_bf16},
    {"fma.rn.relu.bf16 d a b c", ref_fma_relu_bf16},
    {"add.f16x2 d a b", ref_add_f16x2},
    {"sub.f16x2 d a b", ref_sub_f16x2},
    {"mul.f16x2 d a b", ref_mul_f16x2},
    {"fma.rn.f16x2 d a b c", ref_fma_f16x2},
    {"fma.rn.relu.f16x2 d a b c", ref_fma_relu_f16x2},
    {"add.bf16x2 d a b", ref_add_bf16x2},
    {"fma.rn.bf16x2 d a b c", ref_fma_bf16x2},
    ROWS_PICK("f32", f32),
    ROWS_PICK("ftz.f32", ftz_f32),
    ROWS_PICK("NaN.f32", nan_f32),
    ROWS_PICK("xorsign.abs.f32", xor_f32),
    ROWS_PICK("ftz.NaN.xorsign.abs.f32", ftz_nan_xor_f32),
    ROWS_PICK("f64", f64),
    ROWS_PICK("f16", f16),
    ROWS_PICK("bf16", bf16),
    ROWS_PICK("NaN.f16", nan_f16),
    ROWS_PICK("ftz.xorsign.abs.f16", ftz_xor_f16),
    {"min.f32 d a b c", ref_min3_f32},
    {"max.NaN.f32 d a b c", ref_max3_nan_f32},
    {"max.ftz.f32 d a b c", ref_max3_ftz_f32},
    {"max.abs.f32 d a b c", ref_max3_abs_f32},
    {"min.ftz.NaN.abs.f32 d a b c", ref_min3_ftz_nan_abs_f32},
    {"add.f32.f16 d a b", ref_add_f32_f16},
    {"add.rz.sat.f32.bf16 d a b", ref_add_rz_sat_f32_bf16},
    {"sub.rp.f32.bf16 d a b", ref_sub_rp_f32_bf16},
    {"sub.sat.f32.f16 d a b", ref_sub_sat_f32_f16},
    {"fma.rn.f32.f16 d a b c", ref_fma_rn_f32_f16},
    {"fma.rm.sat.f32.bf16 d a b c", ref_fma_rm_sat_f32_bf16},
    {"min.f16x2 d a b", ref_min_f16x2},
    {"max.bf16x2 d a b", ref_max_bf16x2},
    {"abs.f32 d a", ref_abs_f32},
    {"neg.f32 d a", ref_neg_f32},
    {"abs.ftz.f32 d a", ref_abs_ftz_f32},
    {"neg.ftz.f32 d a", ref_neg_ftz_f32},
    {"abs.f64 d a", ref_abs_f64},
    {"neg.f64 d a", ref_neg_f64},
    {"abs.bf16 d a", ref_abs_f16},
    {"neg.f16x2 d a", ref_neg_f16x2},
    {"abs.ftz.f16 d a", ref_abs_ftz_f16},
    {"copysign.f32 d a b", ref_copysign_f32},
    {"copysign.f64 d a b", ref_copysign_f64},
    ROWS_TESTP(f32),
    ROWS_TESTP(f64),
};

int
main(void)
{
	return lane_run_tests(test, sizeof test / sizeof test[0], 150);
}
