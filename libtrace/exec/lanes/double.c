/*
 * f64 arithmetic, rounded as IEEE 754 asks. PTX ISA 9.0 section 9.7.3.
 * A NaN result is the first NaN operand made quiet, or 0xfff8000000000000 where none was: what x86
 * does.
 */
#include "lanes.h"
#include "families.h"

/* The compiler may swap the operands of a commutative operation, and x86 then answers with the
 * other payload; so a NaN is chosen here. */
static inline double
quiet(double x)
{
	return f64_of_bits(bits_of_f64(x) | 0x0008000000000000u);
}
static inline double
settle(double r, double a, double b, double c)
{
	double nan = a != a ? a : b != b ? b : c != c ? c : f64_of_bits(0xfff8000000000000u);
	return r == r ? r : quiet(nan);
}
FOP2(add_f64, double, double, double, settle(a + b, a, b, 0))
FOP2(sub_f64, double, double, double, settle(a - b, a, b, 0))
FOP2(mul_f64, double, double, double, settle(a *b, a, b, 0))
FOP3(fma_f64, double, double, double, double, settle(__builtin_fma(a, b, c), a, b, c))
FOP2(div_f64, double, double, double, settle(a / b, a, b, 0))
FOP1(rcp_f64, double, double, settle(1.0 / a, a, 0, 0))
FOP1(sqrt_f64, double, double, settle(__builtin_sqrt(a), a, 0, 0))

#define SIGN 0x8000000000000000u
OP1(abs_f64, uint64_t, uint64_t, a & ~SIGN)
OP1(neg_f64, uint64_t, uint64_t, a ^ SIGN)
OP2(copysign_f64, uint64_t, uint64_t, uint64_t, (a & SIGN) | (b & ~SIGN))

/* -0 is below +0, a NaN loses against a number; of two NaNs the canonical one */
static inline uint64_t
pick(uint64_t a, uint64_t b, bool max)
{
	double x = f64_of_bits(a), y = f64_of_bits(b);
	uint64_t zero = max ? a & b : a | b;
	uint64_t r = (max ? x > y : x < y) ? a : x == y ? zero : b;
	r = y != y ? a : r;
	return ((x != x) & (y != y)) ? 0x7fffffffffffffffu : r;
}
OP2(min_f64, uint64_t, uint64_t, uint64_t, pick(a, b, false))
OP2(max_f64, uint64_t, uint64_t, uint64_t, pick(a, b, true))

#define TESTP(name, test)                                                     \
	static void testp_##name##_f64(LANE_ARGS)                             \
	{                                                                     \
		const uint64_t *a = (const uint64_t *)(void *)(file + in->a); \
		uint32_t r = 0;                                               \
		EACH_LANE                                                     \
		{                                                             \
			uint64_t x = a[l] & ~SIGN;                            \
			r |= (test) ? lane_bit[l] : 0;                        \
		}                                                             \
		lane_put_pred(file, in->d, mask, r);                          \
	}
#define INF    0x7ff0000000000000u
#define NORMAL 0x0010000000000000u
TESTP(finite, x < INF)
TESTP(infinite, x == INF)
TESTP(number, x <= INF)
TESTP(notanumber, x > INF)
TESTP(normal, x >= NORMAL && x < INF)
TESTP(subnormal, x < NORMAL && x != 0)

#define ROW_TESTP(name) ROW_ONE("testp." #name ".f64", "p:t", DADD, testp_##name##_f64)

const struct lane_row LEVELED(lanes_double)[] = {
    ROW("add.RND?.f64", "t:tt", DADD, add_f64),
    ROW("sub.RND?.f64", "t:tt", DADD, sub_f64),
    ROW("mul.RND?.f64", "t:tt", DADD, mul_f64),
    ROW("fma.RND.f64", "t:ttt", DADD, fma_f64),
    ROW("mad.RND.f64", "t:ttt", DADD, fma_f64),
    ROW("div.RND.f64", "t:tt", DDIV, div_f64),
    ROW("rcp.RND.f64", "t:t", DDIV, rcp_f64),
    ROW("sqrt.RND.f64", "t:t", DDIV, sqrt_f64),
    ROW("abs.f64", "t:t", DADD, abs_f64),
    ROW("neg.f64", "t:t", DADD, neg_f64),
    ROW("copysign.f64", "t:tt", DADD, copysign_f64),
    ROW("min.f64", "t:tt", DADD, min_f64),
    ROW("max.f64", "t:tt", DADD, max_f64),
    ROW_TESTP(finite),
    ROW_TESTP(infinite),
    ROW_TESTP(number),
    ROW_TESTP(notanumber),
    ROW_TESTP(normal),
    ROW_TESTP(subnormal),
    ROW_END,
};
