/* Every pair of types of cvt, in every rounding, against conversion on integers. */
#include <math.h>
#include "lanes_check.h"
#include "lanes_soft.h"

static const char *const type_name[] = {
    "s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64", "f16", "bf16", "f32", "f64"};
enum { N_INT = 8, N_TYPE = 12 };

/* What the reference of the moment converts */
static struct {
	enum ptx_type to, from;
	enum soft_mode mode;
	bool sat, ftz, integral, relu, finite;
} now;

static const struct soft_format *
format(enum ptx_type type)
{
	switch ((int)type) {
	case PTX_F16: return &SOFT_F16;
	case PTX_BF16: return &SOFT_BF16;
	case PTX_F32: return &SOFT_F32;
	case PTX_F64: return &SOFT_F64;
	default: return NULL;
	}
}

static bool
is_signed(enum ptx_type type)
{
	return type == PTX_S8 || type == PTX_S16 || type == PTX_S32 || type == PTX_S64;
}

static __int128
low_end(enum ptx_type type)
{
	return is_signed(type) ? -((__int128)1 << (lane_bits(type) - 1)) : 0;
}

static __int128
high_end(enum ptx_type type)
{
	return ((__int128)1 << (lane_bits(type) - is_signed(type))) - 1;
}

static struct soft
source(uint64_t bits)
{
	const struct soft_format *f = format(now.from);
	unsigned shift = 64 - lane_bits(now.from);
	int64_t v = (int64_t)(bits << shift) >> shift;
	if (f)
		return soft_decode(
		    now.ftz && now.from == PTX_F32 ? soft_flush(bits, *f) : bits, *f);
	if (is_signed(now.from))
		return soft_integer(v < 0, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
	return soft_integer(false, bits);
}

static uint64_t
to_integer(struct soft x)
{
	bool wide = now.from == PTX_F64 || lane_bits(now.to) == 64;
	uint64_t nan = wide ? (uint64_t)1 << (lane_bits(now.to) - 1) : 0;
	__int128 low = low_end(now.to), high = high_end(now.to);
	if (!format(now.from) && !now.sat) {
		return x.negative ? 0 - (uint64_t)x.mag : (uint64_t)x.mag;
	}
	return soft_to_integer(x, now.mode, low, high, nan);
}

/* A NaN f64 from f64 keeps its bits; from less its sign and payload, made quiet. */
static uint64_t
wide_nan(uint64_t bits)
{
	const struct soft_format *f = format(now.from);
	uint64_t payload = bits & (((uint64_t)1 << f->mbits) - 1),
		 sign = bits >> (f->ebits + f->mbits);
	if (now.from == PTX_F64)
		return now.integral ? bits | (uint64_t)1 << 51 : bits;
	return sign << 63 | 0x7ff8000000000000u | payload << (52 - f->mbits);
}

static uint64_t
to_float(struct soft x, uint64_t bits)
{
	const struct soft_format *f = format(now.to);
	uint64_t one = (uint64_t)soft_bias(*f) << f->mbits, r;
	uint64_t infinity = (((uint64_t)1 << f->ebits) - 1) << f->mbits;
	bool same = now.to == now.from && !now.integral;
	if (now.integral)
		x = soft_integral(x, now.mode);
	if (now.relu && !x.nan && x.negative)
		return 0;
	if (now.sat && (x.nan || x.negative || (!x.inf && !x.mag)))
		return 0;
	if (x.nan && now.to == PTX_F64)
		return wide_nan(bits);
	if (x.nan && same && now.to == PTX_F32)
		return bits;
	r = now.ftz && now.to == PTX_F32 ? soft_flushed(x, *f, now.mode)
					 : soft_encode(x, *f, now.mode);
	if (now.sat && r > one)
		return one;
	return now.finite && (r & infinity) == infinity && !x.nan ? r - 1 : r;
}

static void
ref_cvt(const uint64_t *s, uint64_t *d)
{
	struct soft x = source(s[0]);
	d[0] = format(now.to) ? to_float(x, s[0]) : to_integer(x);
}

static void
ref_pair(const uint64_t *s, uint64_t *d)
{
	now.to = now.to == PTX_F16X2 ? PTX_F16 : now.to == PTX_BF16X2 ? PTX_BF16 : now.to;
	d[0] = to_float(source(s[0]), 0) << 16 | to_float(source(s[1]), 0);
}

static unsigned n_checked;
static void
check(const char *mode, const char *modifiers, unsigned to, unsigned from)
{
	char text[96];
	now.to = ptx_type_named(type_name[to]);
	now.from = ptx_type_named(type_name[from]);
	snprintf(text, sizeof text, "cvt%s%s.%s.%s d a", mode, modifiers, type_name[to],
	    type_name[from]);
	now.sat = strstr(modifiers, "sat") && !strstr(modifiers, "satfinite");
	now.ftz = strstr(modifiers, "ftz");
	now.relu = strstr(modifiers, "relu");
	now.finite = strstr(modifiers, "satfinite");
	lane_check(text, ref_cvt, 40);
	n_checked++;
}

static const char *const to_nearest[] = {".rn", ".rz", ".rm", ".rp"};
static const char *const to_whole[] = {".rni", ".rzi", ".rmi", ".rpi"};

/* Whether a conversion loses nothing and so has no rounding modifier */
static bool
exact(unsigned to, unsigned from)
{
	return from >= N_INT && (to == from || (to > from && !(from == 8 && to == 9)));
}

static void
check_modes(unsigned to, unsigned from)
{
	for (unsigned mode = 0; mode < 4; mode++) {
		now.mode = (enum soft_mode)mode;
		now.integral = false;
		if (to < N_INT) {
			check(to_whole[mode], "", to, from);
			check(to_whole[mode], ".sat", to, from);
			if (type_name[from][1] == '3')
				check(to_whole[mode], ".ftz", to, from);
			continue;
		}
		check(to_nearest[mode], "", to, from);
		check(to_nearest[mode], ".sat", to, from);
		if (to >= 10 && from == 10)
			check(to_nearest[mode], ".ftz", to, from);
		if (to < 10 && from == 10) {
			check(to_nearest[mode], ".ftz", to, from);
			check(to_nearest[mode], ".relu", to, from);
			check(to_nearest[mode], ".relu.satfinite", to, from);
		}
	}
}

static void
check_integral(unsigned type)
{
	for (unsigned mode = 0; mode < 4; mode++) {
		now.mode = (enum soft_mode)mode;
		now.integral = true;
		check(to_whole[mode], "", type, type);
		check(to_whole[mode], ".sat", type, type);
		if (type == 10)
			check(to_whole[mode], ".ftz", type, type);
	}
	now.integral = false;
	now.mode = SOFT_RN;
}

static void
check_pair(unsigned from, unsigned to)
{
	now.mode = SOFT_RN;
	if (from < N_INT && to < N_INT) {
		check("", "", to, from);
		check("", ".sat", to, from);
	} else if (exact(to, from)) {
		check("", "", to, from);
		if (to == 10 || to == from)
			check("", ".sat", to, from);
		if (to == 10 || (to == 11 && from == 10))
			check("", ".ftz", to, from);
		if (to == from)
			check_integral(to);
	} else {
		check_modes(to, from);
	}
}

static void
check_packed(const char *pair, const char *mode, enum soft_mode soft_mode, const char *modifiers)
{
	char text[96];
	now.to = ptx_type_named(pair);
	now.from = PTX_F32;
	now.mode = soft_mode;
	now.sat = now.ftz = false;
	now.relu = strstr(modifiers, "relu");
	now.finite = strstr(modifiers, "satfinite");
	snprintf(text, sizeof text, "cvt.%s%s.%s.f32 d a b", mode, modifiers, pair);
	lane_check(text, ref_pair, 100);
}

static uint64_t
tf32(uint64_t a, enum soft_mode mode, bool away, bool relu)
{
	struct soft_format f = {8, 10, 0x7fffffff >> 13};
	struct soft x = soft_decode(a, SOFT_F32);
	uint64_t r;
	if (x.nan)
		return 0x7fffffff;
	if (relu && x.negative)
		return 0;
	if (away && (a & 0x1fff) == 0x1000)
		a++;
	r = soft_encode(soft_decode(a, SOFT_F32), f, mode) << 13;
	return r;
}
REF(tf32_rna, tf32(a, SOFT_RN, true, false))
REF(tf32_rn, tf32(a, SOFT_RN, false, false))
REF(tf32_rz, tf32(a, SOFT_RZ, false, false))
REF(tf32_rn_relu, tf32(a, SOFT_RN, false, true))
REF(tf32_finite, tf32(a, SOFT_RN, true, false) == 0x7f800000   ? 0x7fffe000 - 0x800000
		 : tf32(a, SOFT_RN, true, false) == 0xff800000 ? 0xffffe000 - 0x800000
							       : tf32(a, SOFT_RN, true, false))
REF(tf32_rz_relu_finite,
    tf32(a, SOFT_RZ, false, true) == 0x7f800000 ? 0x7f7fe000 : tf32(a, SOFT_RZ, false, true))

/* cvt.pack: what a and b are at most, above one another, and the rest of c above them */
static uint64_t
packed(const uint64_t *s, int least, int most, unsigned bits, bool third)
{
	uint64_t v = third ? s[2] : 0;
	for (unsigned i = 0; i < 2; i++) {
		const int64_t x = (int32_t)s[i];
		v = v << bits | ((uint64_t)(x < least  ? least
					    : x > most ? most
						       : x) &
				    (((uint64_t)1 << bits) - 1));
	}
	return v & 0xffffffff;
}
REF(pack_u16, packed(s, 0, 65535, 16, false))
REF(pack_s16, packed(s, -32768, 32767, 16, false))
REF(pack_u8, packed(s, 0, 255, 8, true))
REF(pack_s8, packed(s, -128, 127, 8, true))
REF(pack_u4, packed(s, 0, 15, 4, true))
REF(pack_s4, packed(s, -8, 7, 4, true))
REF(pack_u2, packed(s, 0, 3, 2, true))
REF(pack_s2, packed(s, -2, 1, 2, true))
/* ---- six and four bits, and an exponent alone ---- */

struct narrow {
	int fraction_bits, bias;
	uint64_t most; /* its code; the sign stands above it */
};
static const struct narrow E2M3 = {3, 1, 31}, E3M2 = {2, 3, 31}, E2M1 = {1, 1, 7};

static double
narrow_value(uint64_t code, struct narrow f)
{
	const int exponent = (int)(code >> f.fraction_bits);
	const double fraction =
	    (double)(code & ((1u << f.fraction_bits) - 1)) / (1 << f.fraction_bits);
	return exponent ? ldexp(1 + fraction, exponent - f.bias) : ldexp(fraction, 1 - f.bias);
}

/* The code of the nearest number, of two as near the even one */
static uint64_t
narrow_of(uint64_t bits, struct narrow f, bool relu)
{
	float x;
	const uint32_t u = (uint32_t)bits;
	uint64_t best = 0;
	memcpy(&x, &u, 4);
	if (x != x)
		return f.most;
	if (relu && u >> 31)
		return 0;
	const double a = fabs((double)x) < 100 ? fabs((double)x) : 100;
	for (uint64_t c = 1; c <= f.most; c++) {
		const double d = fabs(a - narrow_value(c, f)) - fabs(a - narrow_value(best, f));
		if (d < 0 || (d <= 0 && c % 2 == 0))
			best = c;
	}
	return best | (u >> 31 ? f.most + 1 : 0);
}

static uint64_t
narrow_half(uint64_t code, struct narrow f, bool relu)
{
	int exponent;
	const bool negative = code & (f.most + 1);
	const double a = narrow_value(code & f.most, f), fraction = frexp(a, &exponent);
	if (negative && relu)
		return 0;
	const uint64_t magnitude =
	    a > 0 ? (uint64_t)(exponent + 14) << 10 | (uint64_t)(fraction * 2048 - 1024) : 0;
	return magnitude | (negative ? 0x8000 : 0);
}

#define NARROW(name, f, apart)                                                               \
	REF(to_##name, narrow_of(a, f, false) << apart | narrow_of(b, f, false))             \
	REF(relu_to_##name, narrow_of(a, f, true) << apart | narrow_of(b, f, true))          \
	REF(from_##name, narrow_half(a >> apart, f, false) << 16 | narrow_half(a, f, false)) \
	REF(relu_from_##name, narrow_half(a >> apart, f, true) << 16 | narrow_half(a, f, true))
NARROW(e2m3, E2M3, 8)
NARROW(e3m2, E3M2, 8)
NARROW(e2m1, E2M1, 4)
#define ROWS_NARROW(name)                                                        \
	{"cvt.rn.satfinite." #name "x2.f32 d a b", ref_to_##name},               \
	    {"cvt.rn.satfinite.relu." #name "x2.f32 d a b", ref_relu_to_##name}, \
	    {"cvt.rn.f16x2." #name "x2 d a", ref_from_##name},                   \
	{                                                                        \
		"cvt.rn.relu.f16x2." #name "x2 d a", ref_relu_from_##name        \
	}

/* The last power of two that is not above the magnitude, or the first not below it */
static uint64_t
power(uint64_t bits, bool up, bool finite)
{
	float x;
	const uint32_t u = (uint32_t)bits;
	int e = 0;
	memcpy(&x, &u, 4);
	if (x != x)
		return 0xff;
	const double a = fabs((double)x);
	while (e < 0xff && (up ? ldexp(1, e - 127) < a : ldexp(1, e + 1 - 127) <= a))
		e++;
	return e == 0xff && finite ? 0xfe : (uint64_t)e;
}
REF(power_down, power(a, false, false) << 8 | power(b, false, false))
REF(power_down_finite, power(a, false, true) << 8 | power(b, false, true))
REF(power_up, power(a, true, false) << 8 | power(b, true, false))
REF(power_up_halves, power(a & 0xffff0000, true, true) << 8 | power(a << 16, true, true))
static uint64_t
of_power(uint64_t e)
{
	return e == 0xff ? 0x7fff : e ? e << 7 : 0x40;
}
REF(of_powers, of_power(a >> 8 & 255) << 16 | of_power(a & 255))

static const struct lane_test test[] = {
    ROWS_NARROW(e2m3),
    ROWS_NARROW(e3m2),
    ROWS_NARROW(e2m1),
    {"cvt.rz.ue8m0x2.f32 d a b", ref_power_down},
    {"cvt.rz.satfinite.ue8m0x2.f32 d a b", ref_power_down_finite},
    {"cvt.rp.ue8m0x2.f32 d a b", ref_power_up},
    {"cvt.rp.satfinite.ue8m0x2.bf16x2 d a", ref_power_up_halves},
    {"cvt.rn.bf16x2.ue8m0x2 d a", ref_of_powers},
    {"cvt.rna.satfinite.tf32.f32 d a", ref_tf32_finite},
    {"cvt.rz.satfinite.relu.tf32.f32 d a", ref_tf32_rz_relu_finite},
    {"cvt.pack.sat.u16.s32 d a b", ref_pack_u16},
    {"cvt.pack.sat.s16.s32 d a b", ref_pack_s16},
    {"cvt.pack.sat.u8.s32.b32 d a b c", ref_pack_u8},
    {"cvt.pack.sat.s8.s32.b32 d a b c", ref_pack_s8},
    {"cvt.pack.sat.u4.s32.b32 d a b c", ref_pack_u4},
    {"cvt.pack.sat.s4.s32.b32 d a b c", ref_pack_s4},
    {"cvt.pack.sat.u2.s32.b32 d a b c", ref_pack_u2},
    {"cvt.pack.sat.s2.s32.b32 d a b c", ref_pack_s2},
    {"cvt.rna.tf32.f32 d a", ref_tf32_rna},
    {"cvt.rn.tf32.f32 d a", ref_tf32_rn},
    {"cvt.rz.tf32.f32 d a", ref_tf32_rz},
    {"cvt.rn.relu.tf32.f32 d a", ref_tf32_rn_relu},
};

int
main(void)
{
	for (unsigned from = 0; from < N_TYPE; from++)
		for (unsigned to = 0; to < N_TYPE; to++)
			check_pair(from, to);
	check_packed("f16x2", "rn", SOFT_RN, "");
	check_packed("f16x2", "rz", SOFT_RZ, "");
	check_packed("f16x2", "rn", SOFT_RN, ".relu");
	check_packed("bf16x2", "rn", SOFT_RN, "");
	check_packed("bf16x2", "rn", SOFT_RN, ".satfinite");
	check_packed("bf16x2", "rz", SOFT_RZ, ".relu");
	printf("%u conversions\n", n_checked);
	return lane_run_tests(test, sizeof test / sizeof test[0], 200);
}
