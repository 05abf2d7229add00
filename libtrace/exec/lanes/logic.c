/* Logic, shifts and bit fields. PTX ISA 9.0 sections 9.7.1 (bit fields) and 9.7.8. */
#include "lanes.h"
#include "families.h"

#define WIDTHS(OP, name, expr)                            \
	OP(name##_16, uint16_t, uint16_t, uint16_t, expr) \
	OP(name##_32, uint32_t, uint32_t, uint32_t, expr) \
	OP(name##_64, uint64_t, uint64_t, uint64_t, expr)
WIDTHS(OP2, and, a &b)
WIDTHS(OP2, or, a | b)
WIDTHS(OP2, xor, a ^ b)
WIDTHS(OP2, not, ~a)
WIDTHS(OP2, cnot, a == 0)

/* Shift amounts are u32 and clamp at the width: everything is shifted out, or only the sign
 * remains. */
OP2(shl_16, uint16_t, uint16_t, uint32_t, b > 15 ? 0 : (uint32_t)a << (b & 15))
OP2(shl_32, uint32_t, uint32_t, uint32_t, b > 31 ? 0 : a << (b & 31))
OP2(shl_64, uint64_t, uint64_t, uint32_t, b > 63 ? 0 : a << (b & 63))
OP2(shr_u16, uint16_t, uint16_t, uint32_t, b > 15 ? 0 : (uint32_t)a >> (b & 15))
OP2(shr_u32, uint32_t, uint32_t, uint32_t, b > 31 ? 0 : a >> (b & 31))
OP2(shr_u64, uint64_t, uint64_t, uint32_t, b > 63 ? 0 : a >> (b & 63))
OP2(shr_s16, int16_t, int16_t, uint32_t, (int32_t)a >> (b > 15 ? 15 : b))
OP2(shr_s32, int32_t, int32_t, uint32_t, a >> (b > 31 ? 31 : b))
OP2(shr_s64, int64_t, int64_t, uint32_t, a >> (b > 63 ? 63 : b))

/* Funnel shifts of b:a */
static inline uint64_t
funnel(uint32_t high, uint32_t low)
{
	return (uint64_t)high << 32 | low;
}
OP3(shf_l_wrap, uint32_t, uint32_t, uint32_t, uint32_t, (funnel(b, a) << (c & 31)) >> 32)
OP3(shf_r_wrap, uint32_t, uint32_t, uint32_t, uint32_t, funnel(b, a) >> (c & 31))
OP3(shf_l_clamp, uint32_t, uint32_t, uint32_t, uint32_t, (funnel(b, a) << (c > 32 ? 32 : c)) >> 32)
OP3(shf_r_clamp, uint32_t, uint32_t, uint32_t, uint32_t, funnel(b, a) >> (c > 32 ? 32 : c))

/* lop3: aux is the truth table; bit 4a + 2b + c of it is the result. Shannon expansion by a, then
 * b, then c. */
static inline uint32_t
table_bit(unsigned table, unsigned i)
{
	return 0 - (table >> i & 1);
}
static inline uint32_t
choose(uint32_t x, uint32_t if_one, uint32_t if_zero)
{
	return if_zero ^ (x & (if_one ^ if_zero));
}
static inline uint32_t
lop3(uint32_t a, uint32_t b, uint32_t c, unsigned table)
{
	uint32_t t0 = choose(c, table_bit(table, 1), table_bit(table, 0));
	uint32_t t1 = choose(c, table_bit(table, 3), table_bit(table, 2));
	uint32_t t2 = choose(c, table_bit(table, 5), table_bit(table, 4));
	uint32_t t3 = choose(c, table_bit(table, 7), table_bit(table, 6));
	return choose(a, choose(b, t3, t2), choose(b, t1, t0));
}
static void
lop3_some(LANE_ARGS)
{
	uint32_t *d = lane_pred(file, in->d);
	const uint32_t *a = lane_pred(file, in->a), *b = lane_pred(file, in->b);
	const uint32_t *c = lane_pred(file, in->c);
	unsigned table = in->aux;
	EACH_LANE
	{
		uint32_t r = lop3(a[l], b[l], c[l], table);
		d[l] = mask & lane_bit[l] ? r : d[l];
	}
}

/* prmt: bytes of b:a picked by nibbles of c; a nibble's top bit replicates the byte's sign */
static inline uint32_t
permute_byte(uint64_t bytes, uint32_t selector)
{
	uint32_t byte = (uint32_t)(bytes >> (8 * (selector & 7))) & 255;
	return selector & 8 ? (byte & 128 ? 255 : 0) : byte;
}
static inline uint32_t
permute(uint32_t a, uint32_t b, uint32_t selector)
{
	uint64_t bytes = funnel(b, a);
	return permute_byte(bytes, selector) | permute_byte(bytes, selector >> 4) << 8 |
	       permute_byte(bytes, selector >> 8) << 16 | permute_byte(bytes, selector >> 12) << 24;
}
/* The named modes, as selectors by the low two bits of c */
static inline uint32_t
permute_named(uint32_t a, uint32_t b, uint32_t c, uint32_t first, uint32_t step)
{
	return permute(a, b, (first + (c & 3) * step) & 0x7777);
}
static inline uint32_t
permute_edge(uint32_t a, uint32_t c, bool left)
{
	uint32_t n = c & 3, r = 0;
	for (uint32_t i = 0; i < 4; i++) {
		uint32_t from = left == (i > n) ? i : n;
		r |= (a >> (8 * from) & 255) << (8 * i);
	}
	return r;
}
#define PRMT(name, expr) OP3(prmt_##name, uint32_t, uint32_t, uint32_t, uint32_t, expr)
PRMT(any, permute(a, b, c))
PRMT(f4e, permute_named(a, b, c, 0x3210, 0x1111))
PRMT(b4e, permute_named(a, b, c, 0x5670, 0x1111))
PRMT(rc8, permute_named(a, b, c, 0, 0x1111))
PRMT(ecl, permute_edge(a, c, true))
PRMT(ecr, permute_edge(a, c, false))
PRMT(rc16, c & 1 ? (a >> 16) * 0x10001u : (a & 0xffff) * 0x10001u)

/* lop3.BOOL also sets p to (d != 0) BOOL q. aux: truth table and BOOL */
static uint32_t
combine(unsigned bool_op, uint32_t x, uint32_t y)
{
	return bool_op == BOOL_AND   ? x & y
	       : bool_op == BOOL_OR  ? x | y
	       : bool_op == BOOL_XOR ? x ^ y
				     : x;
}
static void
lop3_test(LANE_ARGS)
{
	uint32_t other = *lane_pred(file, in->e) ^ (in->negate ? WCP_FULL_MASK : 0);
	const uint32_t *d = lane_pred(file, in->d);
	uint32_t nonzero = 0;
	lop3_some(in, file, mask);
	for (unsigned l = 0; l < WCP_LANES; l++)
		nonzero |= d[l] ? lane_bit[l] : 0;
	lane_put_pred(file, in->d2, mask, combine(in->aux >> 8 & 3, nonzero, other));
}
static int
finish_lop3(const struct ptx_insn *in, const struct lane_match *m, struct lane_code *code,
    struct wcp_error *e)
{
	if (code->n_dst != 2)
		return wcp_fail(e, WCP_EDATA, "%s: the destination must be d|p", in->opcode);
	code->aux = (uint16_t)((code->aux & 255) | m->bool_op << 8);
	return 0;
}

/* Predicates: 32 lanes in one word */
#define PRED2(name, expr)                                                          \
	static void name##_pred(LANE_ARGS)                                         \
	{                                                                          \
		uint32_t a = *lane_pred(file, in->a), b = *lane_pred(file, in->b); \
		(void)b;                                                           \
		lane_put_pred(file, in->d, mask, expr);                            \
	}
PRED2(and, a &b)
PRED2(or, a | b)
PRED2(xor, a ^ b)
PRED2(not, ~a)

#define ROWS_LOGIC(name, args)                                                            \
	ROW(#name ".b32", args, INT, name##_32), ROW(#name ".b64", args, INT, name##_64), \
	    ROW(#name ".b16", args, INT, name##_16)

const struct lane_row LEVELED(lanes_logic)[] = {
    ROWS_LOGIC(and, "t:tt"),
    ROWS_LOGIC(or, "t:tt"),
    ROWS_LOGIC(xor, "t:tt"),
    ROWS_LOGIC(not, "t:t"),
    ROWS_LOGIC(cnot, "t:t"),
    ROW_ONE("and.pred", "p:pp", INT, and_pred),
    ROW_ONE("or.pred", "p:pp", INT, or_pred),
    ROW_ONE("xor.pred", "p:pp", INT, xor_pred),
    ROW_ONE("not.pred", "p:p", INT, not_pred),
    ROW("shl.b32", "t:ti", INT, shl_32),
    ROW("shl.b64", "t:ti", INT, shl_64),
    ROW("shl.b16", "t:ti", INT, shl_16),
    ROW("shr.b16|u16", "t:ti", INT, shr_u16),
    ROW("shr.b32|u32", "t:ti", INT, shr_u32),
    ROW("shr.b64|u64", "t:ti", INT, shr_u64),
    ROW("shr.s16", "t:ti", INT, shr_s16),
    ROW("shr.s32", "t:ti", INT, shr_s32),
    ROW("shr.s64", "t:ti", INT, shr_s64),
    ROW("shf.l.wrap.b32", "t:tti", INT, shf_l_wrap),
    ROW("shf.r.wrap.b32", "t:tti", INT, shf_r_wrap),
    ROW("shf.l.clamp.b32", "t:tti", INT, shf_l_clamp),
    ROW("shf.r.clamp.b32", "t:tti", INT, shf_r_clamp),
    ROW_ONE("lop3.b32", "t:ttt#", INT, lop3_some),
    ROW_FINISH("lop3.BOOL.b32", "t|:ttt#n", INT, lop3_test, finish_lop3),
    ROW("prmt.b32", "t:tti", INT, prmt_any),
    ROW("prmt.b32.f4e", "t:tti", INT, prmt_f4e),
    ROW("prmt.b32.b4e", "t:tti", INT, prmt_b4e),
    ROW("prmt.b32.rc8", "t:tti", INT, prmt_rc8),
    ROW("prmt.b32.ecl", "t:tti", INT, prmt_ecl),
    ROW("prmt.b32.ecr", "t:tti", INT, prmt_ecr),
    ROW("prmt.b32.rc16", "t:tti", INT, prmt_rc16),
    ROW_END,
};
