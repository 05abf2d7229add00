/* Counting, finding, reversing and moving bits. PTX ISA 9.0 section 9.7.1. */
#include "lanes.h"
#include "families.h"

static inline uint32_t
popc(uint64_t x)
{
	x = x - (x >> 1 & 0x5555555555555555u);
	x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
	x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
	x += x >> 8;
	x += x >> 16;
	return (uint32_t)(x + (x >> 32)) & 0x7f;
}
static inline uint32_t
popc_narrow(uint32_t x)
{
	x = x - (x >> 1 & 0x55555555u);
	x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
	x = (x + (x >> 4)) & 0x0f0f0f0fu;
	x += x >> 8;
	return (x + (x >> 16)) & 0x3f;
}
static inline uint32_t
smear_32(uint32_t x)
{
	x |= x >> 1;
	x |= x >> 2;
	x |= x >> 4;
	x |= x >> 8;
	return x | x >> 16;
}
static inline uint64_t
smear_64(uint64_t x)
{
	x |= x >> 1;
	x |= x >> 2;
	x |= x >> 4;
	x |= x >> 8;
	x |= x >> 16;
	return x | x >> 32;
}
/* Most significant bit that differs from the sign (or from 0), all ones if there is none */
static inline uint32_t
find_32(uint32_t x)
{
	return popc_narrow(smear_32(x)) - 1;
}
static inline uint32_t
find_64(uint64_t x)
{
	return popc(smear_64(x)) - 1;
}
OP1(popc_32, uint32_t, uint32_t, popc_narrow(a))
OP1(popc_64, uint32_t, uint64_t, popc(a))
OP1(clz_32, uint32_t, uint32_t, 32 - popc_narrow(smear_32(a)))
OP1(clz_64, uint32_t, uint64_t, 64 - popc(smear_64(a)))
#define SIGN_32(a) ((a) ^ (uint32_t)((int32_t)(a) >> 31))
#define SIGN_64(a) ((a) ^ (uint64_t)((int64_t)(a) >> 63))
/* .shiftamt: the left shift that brings that bit to the top */
static inline uint32_t
shift_amount(uint32_t found, uint32_t top)
{
	return found == UINT32_MAX ? found : top - found;
}
OP1(bfind_u32, uint32_t, uint32_t, find_32(a))
OP1(bfind_s32, uint32_t, uint32_t, find_32(SIGN_32(a)))
OP1(bfind_u64, uint32_t, uint64_t, find_64(a))
OP1(bfind_s64, uint32_t, uint64_t, find_64(SIGN_64(a)))
OP1(bfind_shift_u32, uint32_t, uint32_t, shift_amount(find_32(a), 31))
OP1(bfind_shift_s32, uint32_t, uint32_t, shift_amount(find_32(SIGN_32(a)), 31))
OP1(bfind_shift_u64, uint32_t, uint64_t, shift_amount(find_64(a), 63))
OP1(bfind_shift_s64, uint32_t, uint64_t, shift_amount(find_64(SIGN_64(a)), 63))

static inline uint32_t
reverse_32(uint32_t x)
{
	x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
	x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
	x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
	x = (x >> 8 & 0x00ff00ffu) | (x & 0x00ff00ffu) << 8;
	return x >> 16 | x << 16;
}
OP1(brev_32, uint32_t, uint32_t, reverse_32(a))
OP1(brev_64, uint64_t, uint64_t,
    (uint64_t)reverse_32((uint32_t)a) << 32 | reverse_32((uint32_t)(a >> 32)))

/* Bit fields: position and length are the low byte of their operands. A field that reaches past the
 * top is cut there; extracting, the bits above are the sign of the field's highest bit that exists.
 */
static inline uint64_t
low_ones(uint32_t n)
{
	return n > 63 ? ~(uint64_t)0 : ((uint64_t)1 << (n & 63)) - 1;
}
static inline uint64_t
extract(uint64_t a, uint32_t pos, uint32_t len, uint32_t top, bool is_signed)
{
	uint32_t last = pos + len - 1 > top ? top : pos + len - 1;
	uint64_t sign = is_signed && len ? 0 - (a >> (last & 63) & 1) : 0;
	uint64_t field = pos > top ? 0 : a >> (pos & 63);
	uint32_t have = pos > top ? 0 : last + 1 - pos;
	uint64_t ones = len ? low_ones(have) : 0;
	return (field & ones) | (sign & ~ones);
}
OP3(bfe_u32, uint32_t, uint32_t, uint32_t, uint32_t, extract(a, b & 255, c & 255, 31, false))
OP3(bfe_s32, uint32_t, uint32_t, uint32_t, uint32_t, extract(a, b & 255, c & 255, 31, true))
OP3(bfe_u64, uint64_t, uint64_t, uint32_t, uint32_t, extract(a, b & 255, c & 255, 63, false))
OP3(bfe_s64, uint64_t, uint64_t, uint32_t, uint32_t, extract(a, b & 255, c & 255, 63, true))

static inline uint64_t
field_mask(uint32_t pos, uint32_t len)
{
	return pos > 63 ? 0 : low_ones(len) << (pos & 63);
}
static inline uint64_t
insert(uint64_t field, uint64_t into, uint32_t pos, uint32_t len)
{
	uint64_t mask = field_mask(pos, len);
	return (into & ~mask) | (field << (pos & 63) & mask);
}
/* Four sources: bfi f, a (field), b (into), c (position), e (length) */
#define BFI(name, T)                                                            \
	static void name(LANE_ARGS)                                             \
	{                                                                       \
		T *d = (T *)(void *)(file + in->d);                             \
		const T *a = (const T *)(void *)(file + in->a);                 \
		const T *b = (const T *)(void *)(file + in->b);                 \
		const uint32_t *c = (const uint32_t *)(void *)(file + in->c);   \
		const uint32_t *len = (const uint32_t *)(void *)(file + in->e); \
		EACH_LANE                                                       \
		{                                                               \
			T r = (T)insert(a[l], b[l], c[l] & 255, len[l] & 255);  \
			d[l] = mask & lane_bit[l] ? r : d[l];                   \
		}                                                               \
	}
BFI(bfi_32, uint32_t)
BFI(bfi_64, uint64_t)

/* bmsk: c ones from bit b on; clamp stops at the top, wrap takes both modulo 32 */
OP2(bmsk_clamp, uint32_t, uint32_t, uint32_t, field_mask(a, b))
OP2(bmsk_wrap, uint32_t, uint32_t, uint32_t, low_ones(b & 31) << (a & 31))
OP2(szext_clamp_u32, uint32_t, uint32_t, uint32_t, a &low_ones(b))
OP2(szext_clamp_s32, uint32_t, uint32_t, uint32_t, extract(a, 0, b > 32 ? 32 : b, 31, true))
OP2(szext_wrap_u32, uint32_t, uint32_t, uint32_t, a &low_ones(b & 31))
OP2(szext_wrap_s32, uint32_t, uint32_t, uint32_t, extract(a, 0, b & 31, 31, true))

/* fns: the |n|-th set bit at or above (n > 0), or at or below (n < 0), the base; n = 0: the base
 * itself if set */
static inline uint32_t
find_nth(uint32_t a, uint32_t base, int32_t n)
{
	int32_t step = n < 0 ? -1 : 1;
	uint32_t left = n < 0 ? 0 - (uint32_t)n : (uint32_t)n;
	if (base > 31)
		return UINT32_MAX;
	if (n == 0)
		return a >> base & 1 ? base : UINT32_MAX;
	for (int32_t i = (int32_t)base; i >= 0 && i < 32; i += step)
		if (a >> i & 1 && --left == 0)
			return (uint32_t)i;
	return UINT32_MAX;
}
OP3(fns_32, uint32_t, uint32_t, uint32_t, int32_t, find_nth(a, b, c))

const struct lane_row LEVELED(lanes_bits)[] = {
    ROW("popc.b32", "i:t", INT, popc_32),
    ROW("popc.b64", "i:t", INT, popc_64),
    ROW("clz.b32", "i:t", INT, clz_32),
    ROW("clz.b64", "i:t", INT, clz_64),
    ROW("bfind.u32", "i:t", INT, bfind_u32),
    ROW("bfind.s32", "i:t", INT, bfind_s32),
    ROW("bfind.u64", "i:t", INT, bfind_u64),
    ROW("bfind.s64", "i:t", INT, bfind_s64),
    ROW("bfind.shiftamt.u32", "i:t", INT, bfind_shift_u32),
    ROW("bfind.shiftamt.s32", "i:t", INT, bfind_shift_s32),
    ROW("bfind.shiftamt.u64", "i:t", INT, bfind_shift_u64),
    ROW("bfind.shiftamt.s64", "i:t", INT, bfind_shift_s64),
    ROW("brev.b32", "t:t", INT, brev_32),
    ROW("brev.b64", "t:t", INT, brev_64),
    ROW("bfe.u32", "t:tii", INT, bfe_u32),
    ROW("bfe.s32", "t:tii", INT, bfe_s32),
    ROW("bfe.u64", "t:tii", INT, bfe_u64),
    ROW("bfe.s64", "t:tii", INT, bfe_s64),
    ROW_ONE("bfi.b32", "t:ttii", INT, bfi_32),
    ROW_ONE("bfi.b64", "t:ttii", INT, bfi_64),
    ROW("bmsk.clamp.b32", "t:ii", INT, bmsk_clamp),
    ROW("bmsk.wrap.b32", "t:ii", INT, bmsk_wrap),
    ROW("szext.clamp.u32", "t:ti", INT, szext_clamp_u32),
    ROW("szext.clamp.s32", "t:ti", INT, szext_clamp_s32),
    ROW("szext.wrap.u32", "t:ti", INT, szext_wrap_u32),
    ROW("szext.wrap.s32", "t:ti", INT, szext_wrap_s32),
    ROW("fns.b32", "t:tii", INT, fns_32),
    ROW_END,
};
