/* Integer, logic, shift, bit-field and carry operations against arithmetic on 128 bits. */
#include "lanes_check.h"

typedef __int128 wide;
typedef unsigned __int128 uwide;

static wide
clamp(wide x, wide low, wide high)
{
	return x < low ? low : x > high ? high : x;
}

/* Everything that exists for the six integer types; V: value as signed or unsigned of that width */
#define TYPE(t, V, U, bits)                                                     \
	REF(add_##t, (wide)(V)a + (V)b)                                         \
	REF(sub_##t, (wide)(V)a - (V)b)                                         \
	REF(mul_lo_##t, (uwide)a *b)                                            \
	REF(mul_hi_##t, ((wide)(V)a * (V)b) >> bits)                            \
	REF(mad_lo_##t, (uwide)a *b + c)                                        \
	REF(mad_hi_##t, (((wide)(V)a * (V)b) >> bits) + (V)c)                   \
	REF(sad_##t, c + ((V)a < (V)b ? (wide)(V)b - (V)a : (wide)(V)a - (V)b)) \
	REF(div_##t, (U)b == 0 ? -1 : (wide)(V)a / (V)b)                        \
	REF(rem_##t, (U)b == 0 ? (wide)(V)a : (wide)(V)a % (V)b)                \
	REF(min_##t, (V)a < (V)b ? a : b)                                       \
	REF(max_##t, (V)a > (V)b ? a : b)
TYPE(s16, int16_t, uint16_t, 16)
TYPE(u16, uint16_t, uint16_t, 16)
TYPE(s32, int32_t, uint32_t, 32)
TYPE(u32, uint32_t, uint32_t, 32)
TYPE(s64, int64_t, uint64_t, 64)

/* The wide types do not hold an unsigned product of 64 bits: by halves */
static uint64_t
high_u64(uint64_t a, uint64_t b)
{
	uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
	uint64_t mid = ah * bl + (al * bl >> 32), low = (uint32_t)mid + al * bh;
	return ah * bh + (mid >> 32) + (low >> 32);
}
REF(add_u64, a + b)
REF(sub_u64, a - b)
REF(mul_lo_u64, a *b)
REF(mul_hi_u64, high_u64(a, b))
REF(mad_lo_u64, a *b + c)
REF(mad_hi_u64, high_u64(a, b) + c)
REF(sad_u64, c + (a < b ? b - a : a - b))
REF(div_u64, b ? a / b : UINT64_MAX)
REF(rem_u64, b ? a % b : a)
REF(min_u64, a < b ? a : b)
REF(max_u64, a > b ? a : b)

#define ROWS(t)                                                                                   \
	{"add." #t " d a b", ref_add_##t}, {"sub." #t " d a b", ref_sub_##t},                     \
	    {"mul.lo." #t " d a b", ref_mul_lo_##t}, {"mul.hi." #t " d a b", ref_mul_hi_##t},     \
	    {"mad.lo." #t " d a b c", ref_mad_lo_##t}, {"mad.hi." #t " d a b c", ref_mad_hi_##t}, \
	    {"sad." #t " d a b c", ref_sad_##t}, {"div." #t " d a b", ref_div_##t},               \
	    {"rem." #t " d a b", ref_rem_##t}, {"min." #t " d a b", ref_min_##t},                 \
	{                                                                                         \
		"max." #t " d a b", ref_max_##t                                                   \
	}

REF(add_sat, clamp((wide)(int32_t)a + (int32_t)b, INT32_MIN, INT32_MAX))
REF(sub_sat, clamp((wide)(int32_t)a - (int32_t)b, INT32_MIN, INT32_MAX))
REF(mad_hi_sat, clamp((((wide)(int32_t)a * (int32_t)b) >> 32) + (int32_t)c, INT32_MIN, INT32_MAX))
REF(mul_wide_s16, (int32_t)(int16_t)a *(int16_t)b)
REF(mul_wide_u16, (a & 0xffff) * (b & 0xffff))
REF(mul_wide_s32, (int64_t)(int32_t)a *(int32_t)b)
REF(mul_wide_u32, a *b)
REF(mad_wide_s16, (int32_t)(int16_t)a *(int16_t)b + (int64_t)c)
REF(mad_wide_u16, a *b + c)
REF(mad_wide_s32, (wide)(int32_t)a *(int32_t)b + c)
REF(mad_wide_u32, a *b + c)
REF(abs_s16, (int16_t)a < 0 ? -(wide)(int16_t)a : (int16_t)a)
REF(abs_s32, (int32_t)a < 0 ? -(wide)(int32_t)a : (int32_t)a)
REF(abs_s64, (int64_t)a < 0 ? -(wide)(int64_t)a : (int64_t)a)
REF(neg, 0 - a)

static wide
s24(uint64_t x)
{
	return x & 0x800000 ? (wide)(x & 0xffffff) - 0x1000000 : (wide)(x & 0xffffff);
}
REF(mul24_lo_s32, s24(a) * s24(b))
REF(mul24_hi_s32, (s24(a) * s24(b)) >> 16)
REF(mul24_lo_u32, (a & 0xffffff) * (b & 0xffffff))
REF(mul24_hi_u32, (a & 0xffffff) * (b & 0xffffff) >> 16)
REF(mad24_lo_s32, s24(a) * s24(b) + c)
REF(mad24_hi_s32, ((s24(a) * s24(b)) >> 16) + c)
REF(mad24_lo_u32, (a & 0xffffff) * (b & 0xffffff) + c)
REF(mad24_hi_u32, ((a & 0xffffff) * (b & 0xffffff) >> 16) + c)
REF(mad24_hi_sat, clamp(((s24(a) * s24(b)) >> 16) + (int32_t)c, INT32_MIN, INT32_MAX))

/* ---- halves and bytes ---- */

static int64_t
piece(uint64_t x, unsigned k, unsigned bits, bool is_signed)
{
	int64_t v = (int64_t)(x >> (k * bits) & ((1u << bits) - 1));
	return is_signed && v >> (bits - 1) ? v - (1 << bits) : v;
}
static uint64_t
by_halves(
    uint64_t a, uint64_t b, bool is_signed, int what) /* 0 add 1 min 2 max 3 min.relu 4 max.relu */
{
	uint64_t r = 0;
	for (unsigned k = 0; k < 2; k++) {
		int64_t x = piece(a, k, 16, is_signed), y = piece(b, k, 16, is_signed), v = x + y;
		if (what == 1 || what == 3)
			v = x < y ? x : y;
		if (what == 2 || what == 4)
			v = x > y ? x : y;
		if (what >= 3 && v < 0)
			v = 0;
		r |= (uint64_t)(v & 0xffff) << (16 * k);
	}
	return r;
}
REF(add_16x2, by_halves(a, b, true, 0))
REF(min_s16x2, by_halves(a, b, true, 1))
REF(max_s16x2, by_halves(a, b, true, 2))
REF(min_u16x2, by_halves(a, b, false, 1))
REF(max_u16x2, by_halves(a, b, false, 2))
REF(min_relu_s16x2, by_halves(a, b, true, 3))
REF(max_relu_s16x2, by_halves(a, b, true, 4))
REF(min_relu_s32, clamp((int32_t)a < (int32_t)b ? (int32_t)a : (int32_t)b, 0, INT32_MAX))
REF(max_relu_s32, clamp((int32_t)a > (int32_t)b ? (int32_t)a : (int32_t)b, 0, INT32_MAX))

static uint64_t
dot(uint64_t a, uint64_t b, uint64_t c, bool sa, bool sb, unsigned n, unsigned first)
{
	for (unsigned k = 0; k < n; k++)
		c += (uint64_t)(piece(a, k, 32 / n, sa) * piece(b, first + k, 8, sb));
	return c;
}
#define DOT(ta, tb, sa, sb)                               \
	REF(dp4a_##ta##tb, dot(a, b, c, sa, sb, 4, 0))    \
	REF(dp2a_lo_##ta##tb, dot(a, b, c, sa, sb, 2, 0)) \
	REF(dp2a_hi_##ta##tb, dot(a, b, c, sa, sb, 2, 2))
DOT(s32, s32, 1, 1)
DOT(s32, u32, 1, 0)
DOT(u32, s32, 0, 1)
DOT(u32, u32, 0, 0)
#define ROWS_DOT(ta, tb)                                                \
	{"dp4a." #ta "." #tb " d a b c", ref_dp4a_##ta##tb},            \
	    {"dp2a.lo." #ta "." #tb " d a b c", ref_dp2a_lo_##ta##tb},  \
	{                                                               \
		"dp2a.hi." #ta "." #tb " d a b c", ref_dp2a_hi_##ta##tb \
	}

/* ---- logic and shifts ---- */

REF(and, a &b)
REF(or, a | b)
REF(xor, a ^ b)
REF(not, ~a)
REF(cnot, a == 0)
REF(shl, b > 63 ? 0 : a << b)
REF(shr_u, b > 63 ? 0 : a >> b)
REF(shr_s16, (int16_t)a >> (b > 15 ? 15 : b))
REF(shr_s32, (int32_t)a >> (b > 31 ? 31 : b))
REF(shr_s64, (int64_t)a >> (b > 63 ? 63 : b))

static uint64_t
funnel(uint64_t a, uint64_t b, uint64_t n, bool left)
{
	uwide both = (uwide)b << 32 | a;
	return (uint64_t)(left ? both << n >> 32 : both >> n);
}
REF(shf_l_wrap, funnel(a, b, c % 32, true))
REF(shf_r_wrap, funnel(a, b, c % 32, false))
REF(shf_l_clamp, funnel(a, b, c > 32 ? 32 : c, true))
REF(shf_r_clamp, funnel(a, b, c > 32 ? 32 : c, false))

static uint64_t
lookup(uint64_t a, uint64_t b, uint64_t c, unsigned table)
{
	uint64_t r = 0;
	for (unsigned i = 0; i < 32; i++) {
		unsigned row = (unsigned)((a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1));
		r |= (uint64_t)(table >> row & 1) << i;
	}
	return r;
}
REF(lop3_e8, lookup(a, b, c, 0xe8))
REF(lop3_96, lookup(a, b, c, 0x96))
REF(lop3_1d, lookup(a, b, c, 0x1d))
static void
ref_lop3_or(const uint64_t *s, uint64_t *d)
{
	d[0] = lookup(s[0], s[1], s[2], 0x80);
	d[1] = d[0] != 0 || s[3];
}
static void
ref_lop3_and(const uint64_t *s, uint64_t *d)
{
	d[0] = lookup(s[0], s[1], s[2], 0x80);
	d[1] = d[0] != 0 && s[3];
}

/* prmt, from the tables of its page: selectors of the result's bytes, lowest first */
static uint64_t
permute(uint64_t a, uint64_t b, const uint8_t *select)
{
	uint64_t r = 0, bytes = b << 32 | a;
	for (unsigned k = 0; k < 4; k++) {
		uint64_t byte = bytes >> (8 * (select[k] & 7)) & 255;
		if (select[k] & 8)
			byte = byte & 128 ? 255 : 0;
		r |= byte << (8 * k);
	}
	return r;
}
static void
ref_prmt(const uint64_t *s, uint64_t *d)
{
	uint8_t select[4];
	for (unsigned k = 0; k < 4; k++)
		select[k] = s[2] >> (4 * k) & 15;
	d[0] = permute(s[0], s[1], select);
}
#define PRMT(mode, ...)                                             \
	static void ref_prmt_##mode(const uint64_t *s, uint64_t *d) \
	{                                                           \
		static const uint8_t select[4][4] = __VA_ARGS__;    \
		d[0] = permute(s[0], s[1], select[s[2] & 3]);       \
	}
PRMT(f4e, {{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}, {3, 4, 5, 6}})
PRMT(b4e, {{0, 7, 6, 5}, {1, 0, 7, 6}, {2, 1, 0, 7}, {3, 2, 1, 0}})
PRMT(rc8, {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}})
PRMT(ecl, {{0, 1, 2, 3}, {1, 1, 2, 3}, {2, 2, 2, 3}, {3, 3, 3, 3}})
PRMT(ecr, {{0, 0, 0, 0}, {0, 1, 1, 1}, {0, 1, 2, 2}, {0, 1, 2, 3}})
PRMT(rc16, {{0, 1, 0, 1}, {2, 3, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}})

/* ---- bits ---- */

static uint64_t
count(uint64_t x)
{
	uint64_t n = 0;
	for (; x; x >>= 1)
		n += x & 1;
	return n;
}
static int
top_bit(uint64_t x) /* -1: none */
{
	int n = -1;
	for (; x; x >>= 1)
		n++;
	return n;
}
static uint64_t
reverse(uint64_t x, unsigned bits)
{
	uint64_t r = 0;
	for (unsigned i = 0; i < bits; i++)
		r |= (x >> i & 1) << (bits - 1 - i);
	return r;
}
static uint64_t
amount(int found, int top)
{
	return (uint64_t)(found < 0 ? -1 : top - found);
}
REF(popc, count(a))
REF(clz_32, 31 - top_bit(a))
REF(clz_64, 63 - top_bit(a))
REF(bfind_u, top_bit(a))
REF(bfind_s32, top_bit((int32_t)a < 0 ? ~a & UINT32_MAX : a))
REF(bfind_s64, top_bit((int64_t)a < 0 ? ~a : a))
REF(bfind_shift_u32, amount(top_bit(a), 31))
REF(bfind_shift_u64, amount(top_bit(a), 63))
REF(bfind_shift_s32, amount(top_bit((int32_t)a < 0 ? ~a & UINT32_MAX : a), 31))
REF(bfind_shift_s64, amount(top_bit((int64_t)a < 0 ? ~a : a), 63))
REF(brev_32, reverse(a, 32))
REF(brev_64, reverse(a, 64))

/* The loop of bfe's own description */
static uint64_t
field(uint64_t a, uint64_t b, uint64_t c, unsigned msb, bool is_signed)
{
	unsigned pos = b & 255, len = c & 255, last = pos + len - 1 < msb ? pos + len - 1 : msb;
	uint64_t sign = !is_signed || len == 0 ? 0 : a >> last & 1, r = 0;
	for (unsigned i = 0; i <= msb; i++)
		r |= (i < len && pos + i <= msb ? a >> (pos + i) & 1 : sign) << i;
	return r;
}
REF(bfe_u32, field(a, b, c, 31, false))
REF(bfe_s32, field(a, b, c, 31, true))
REF(bfe_u64, field(a, b, c, 63, false))
REF(bfe_s64, field(a, b, c, 63, true))
static uint64_t
put_field(uint64_t a, uint64_t b, uint64_t c, uint64_t e, unsigned msb)
{
	for (unsigned i = 0; i < (e & 255) && (c & 255) + i <= msb; i++) {
		uint64_t bit = (uint64_t)1 << ((c & 255) + i);
		b = a >> i & 1 ? b | bit : b & ~bit;
	}
	return b;
}
REF(bfi_32, put_field(a, b, c, e, 31))
REF(bfi_64, put_field(a, b, c, e, 63))
static uint64_t
ones(uint64_t pos, uint64_t len)
{
	uint64_t r = 0;
	for (uint64_t i = 0; i < 32; i++)
		r |= (uint64_t)(i >= pos && i - pos < len) << i;
	return r;
}
REF(bmsk_clamp, ones(a, b))
REF(bmsk_wrap, ones(a % 32, b % 32))
REF(szext_clamp_u, field(a, 0, b > 32 ? 32 : b, 31, false))
REF(szext_clamp_s, field(a, 0, b > 32 ? 32 : b, 31, true))
REF(szext_wrap_u, field(a, 0, b % 32, 31, false))
REF(szext_wrap_s, field(a, 0, b % 32, 31, true))
static uint64_t
nth(uint64_t a, uint64_t base, int32_t n)
{
	int64_t step = n < 0 ? -1 : 1, left = n < 0 ? -(int64_t)n : n, i = (int64_t)base;
	if (n == 0)
		return base < 32 && (a >> base & 1) ? base : UINT32_MAX;
	for (; i >= 0 && i < 32; i += step)
		if (a >> i & 1 && --left == 0)
			return (uint64_t)i;
	return UINT32_MAX;
}
REF(fns, nth(a, b, (int32_t)c))

/* ---- carries: s[4] comes in, d[2] goes out ---- */

#define CARRY(name, bits, expr, takes, gives)                                           \
	static void ref_##name(const uint64_t *s, uint64_t *d)                          \
	{                                                                               \
		uwide a = s[0], b = s[1], c = s[2], carry = takes ? s[4] : 0, r = expr; \
		(void)b, (void)c, (void)carry;                                          \
		d[0] = (uint64_t)r;                                                     \
		d[2] = gives ? (uint64_t)(r >> bits) & 1 : s[4];                        \
	}
static uwide
product(uwide a, uwide b, unsigned bits, bool is_signed, bool high)
{
	uwide mask = ((uwide)1 << bits) - 1, r;
	if (is_signed)
		r = bits == 32 ? (uwide)((wide)(int32_t)a * (int32_t)b)
			       : (uwide)((wide)(int64_t)a * (int64_t)b);
	else
		r = a * b;
	return (high ? r >> bits : r) & mask;
}
#define CARRIES(name, bits, expr)                  \
	CARRY(name##_out_##bits, bits, expr, 0, 1) \
	CARRY(name##_in_##bits, bits, expr, 1, 0)  \
	CARRY(name##_both_##bits, bits, expr, 1, 1)
CARRIES(add, 32, a + b + carry)
CARRIES(add, 64, a + b + carry)
/* the complement is added */
#define OTHERS(b, bits) ((b) ^ (((uwide)1 << (bits)) - 1))
#define SUBTRACTIONS(bits)                                            \
	CARRY(sub_out_##bits, bits, a + OTHERS(b, bits) + 1, 0, 1)    \
	CARRY(sub_in_##bits, bits, a + OTHERS(b, bits) + carry, 1, 0) \
	CARRY(sub_both_##bits, bits, a + OTHERS(b, bits) + carry, 1, 1)
SUBTRACTIONS(32)
SUBTRACTIONS(64)
CARRIES(mad_lo, 32, product(a, b, 32, false, false) + c + carry)
CARRIES(mad_lo, 64, product(a, b, 64, false, false) + c + carry)
CARRIES(mad_hi_u, 32, product(a, b, 32, false, true) + c + carry)
CARRIES(mad_hi_u, 64, product(a, b, 64, false, true) + c + carry)
CARRIES(mad_hi_s, 32, product(a, b, 32, true, true) + c + carry)
CARRIES(mad_hi_s, 64, product(a, b, 64, true, true) + c + carry)
#define ROWS_CARRY(op, part, type, operands, name, bits)                   \
	{op part ".cc." type operands, ref_##name##_out_##bits},           \
	    {op "c" part "." type operands, ref_##name##_in_##bits},       \
	{                                                                  \
		op "c" part ".cc." type operands, ref_##name##_both_##bits \
	}

static const struct lane_test test[] = {
    ROWS(s16),
    ROWS(u16),
    ROWS(s32),
    ROWS(u32),
    ROWS(s64),
    ROWS(u64),
    {"add.sat.s32 d a b", ref_add_sat},
    {"sub.sat.s32 d a b", ref_sub_sat},
    {"mad.hi.sat.s32 d a b c", ref_mad_hi_sat},
    {"mul.wide.s16 d a b", ref_mul_wide_s16},
    {"mul.wide.u16 d a b", ref_mul_wide_u16},
    {"mul.wide.s32 d a b", ref_mul_wide_s32},
    {"mul.wide.u32 d a b", ref_mul_wide_u32},
    {"mad.wide.s16 d a b c", ref_mad_wide_s16},
    {"mad.wide.u16 d a b c", ref_mad_wide_u16},
    {"mad.wide.s32 d a b c", ref_mad_wide_s32},
    {"mad.wide.u32 d a b c", ref_mad_wide_u32},
    {"abs.s16 d a", ref_abs_s16},
    {"abs.s32 d a", ref_abs_s32},
    {"abs.s64 d a", ref_abs_s64},
    {"neg.s16 d a", ref_neg},
    {"neg.s32 d a", ref_neg},
    {"neg.s64 d a", ref_neg},
    {"mul24.lo.s32 d a b", ref_mul24_lo_s32},
    {"mul24.hi.s32 d a b", ref_mul24_hi_s32},
    {"mul24.lo.u32 d a b", ref_mul24_lo_u32},
    {"mul24.hi.u32 d a b", ref_mul24_hi_u32},
    {"mad24.lo.s32 d a b c", ref_mad24_lo_s32},
    {"mad24.hi.s32 d a b c", ref_mad24_hi_s32},
    {"mad24.lo.u32 d a b c", ref_mad24_lo_u32},
    {"mad24.hi.u32 d a b c", ref_mad24_hi_u32},
    {"mad24.hi.sat.s32 d a b c", ref_mad24_hi_sat},
    {"add.s16x2 d a b", ref_add_16x2},
    {"add.u16x2 d a b", ref_add_16x2},
    {"min.s16x2 d a b", ref_min_s16x2},
    {"max.s16x2 d a b", ref_max_s16x2},
    {"min.u16x2 d a b", ref_min_u16x2},
    {"max.u16x2 d a b", ref_max_u16x2},
    {"min.relu.s16x2 d a b", ref_min_relu_s16x2},
    {"max.relu.s16x2 d a b", ref_max_relu_s16x2},
    {"min.relu.s32 d a b", ref_min_relu_s32},
    {"max.relu.s32 d a b", ref_max_relu_s32},
    ROWS_DOT(s32, s32),
    ROWS_DOT(s32, u32),
    ROWS_DOT(u32, s32),
    ROWS_DOT(u32, u32),
    {"and.b16 d a b", ref_and},
    {"and.b32 d a b", ref_and},
    {"and.b64 d a b", ref_and},
    {"or.b16 d a b", ref_or},
    {"or.b32 d a b", ref_or},
    {"or.b64 d a b", ref_or},
    {"xor.b16 d a b", ref_xor},
    {"xor.b32 d a b", ref_xor},
    {"xor.b64 d a b", ref_xor},
    {"not.b16 d a", ref_not},
    {"not.b32 d a", ref_not},
    {"not.b64 d a", ref_not},
    {"cnot.b16 d a", ref_cnot},
    {"cnot.b32 d a", ref_cnot},
    {"cnot.b64 d a", ref_cnot},
    {"and.pred d a b", ref_and},
    {"or.pred d a b", ref_or},
    {"xor.pred d a b", ref_xor},
    {"not.pred d a", ref_cnot},
    {"shl.b16 d a b", ref_shl},
    {"shl.b32 d a b", ref_shl},
    {"shl.b64 d a b", ref_shl},
    {"shr.b16 d a b", ref_shr_u},
    {"shr.u32 d a b", ref_shr_u},
    {"shr.b64 d a b", ref_shr_u},
    {"shr.s16 d a b", ref_shr_s16},
    {"shr.s32 d a b", ref_shr_s32},
    {"shr.s64 d a b", ref_shr_s64},
    {"shf.l.wrap.b32 d a b c", ref_shf_l_wrap},
    {"shf.r.wrap.b32 d a b c", ref_shf_r_wrap},
    {"shf.l.clamp.b32 d a b c", ref_shf_l_clamp},
    {"shf.r.clamp.b32 d a b c", ref_shf_r_clamp},
    {"lop3.b32 d a b c 0xe8", ref_lop3_e8},
    {"lop3.b32 d a b c 0x96", ref_lop3_96},
    {"lop3.b32 d a b c 0x1d", ref_lop3_1d},
    {"lop3.or.b32 d|p a b c 0x80 !q", ref_lop3_or},
    {"lop3.and.b32 d|p a b c 0x80 q", ref_lop3_and},
    {"prmt.b32 d a b c", ref_prmt},
    {"prmt.b32.f4e d a b c", ref_prmt_f4e},
    {"prmt.b32.b4e d a b c", ref_prmt_b4e},
    {"prmt.b32.rc8 d a b c", ref_prmt_rc8},
    {"prmt.b32.ecl d a b c", ref_prmt_ecl},
    {"prmt.b32.ecr d a b c", ref_prmt_ecr},
    {"prmt.b32.rc16 d a b c", ref_prmt_rc16},
    {"popc.b32 d a", ref_popc},
    {"popc.b64 d a", ref_popc},
    {"clz.b32 d a", ref_clz_32},
    {"clz.b64 d a", ref_clz_64},
    {"bfind.u32 d a", ref_bfind_u},
    {"bfind.u64 d a", ref_bfind_u},
    {"bfind.s32 d a", ref_bfind_s32},
    {"bfind.s64 d a", ref_bfind_s64},
    {"bfind.shiftamt.u32 d a", ref_bfind_shift_u32},
    {"bfind.shiftamt.u64 d a", ref_bfind_shift_u64},
    {"bfind.shiftamt.s32 d a", ref_bfind_shift_s32},
    {"bfind.shiftamt.s64 d a", ref_bfind_shift_s64},
    {"brev.b32 d a", ref_brev_32},
    {"brev.b64 d a", ref_brev_64},
    {"bfe.u32 d a b c", ref_bfe_u32},
    {"bfe.s32 d a b c", ref_bfe_s32},
    {"bfe.u64 d a b c", ref_bfe_u64},
    {"bfe.s64 d a b c", ref_bfe_s64},
    {"bfi.b32 d a b c e", ref_bfi_32},
    {"bfi.b64 d a b c e", ref_bfi_64},
    {"bmsk.clamp.b32 d a b", ref_bmsk_clamp},
    {"bmsk.wrap.b32 d a b", ref_bmsk_wrap},
    {"szext.clamp.u32 d a b", ref_szext_clamp_u},
    {"szext.clamp.s32 d a b", ref_szext_clamp_s},
    {"szext.wrap.u32 d a b", ref_szext_wrap_u},
    {"szext.wrap.s32 d a b", ref_szext_wrap_s},
    {"fns.b32 d a b c", ref_fns},
    ROWS_CARRY("add", "", "u32", " d a b", add, 32),
    ROWS_CARRY("add", "", "s64", " d a b", add, 64),
    ROWS_CARRY("sub", "", "s32", " d a b", sub, 32),
    ROWS_CARRY("sub", "", "u64", " d a b", sub, 64),
    ROWS_CARRY("mad", ".lo", "u32", " d a b c", mad_lo, 32),
    ROWS_CARRY("mad", ".lo", "s64", " d a b c", mad_lo, 64),
    ROWS_CARRY("mad", ".hi", "u32", " d a b c", mad_hi_u, 32),
    ROWS_CARRY("mad", ".hi", "s32", " d a b c", mad_hi_s, 32),
    ROWS_CARRY("mad", ".hi", "u64", " d a b c", mad_hi_u, 64),
    ROWS_CARRY("mad", ".hi", "s64", " d a b c", mad_hi_s, 64),
};

int
main(void)
{
	return lane_run_tests(test, sizeof test / sizeof test[0], 300);
}
