/*
 * Extended precision: one carry bit a lane in FILE_CARRY. PTX ISA 9.0 section 9.7.2.
 * A subtraction is the addition of the complement: it leaves 1 where it did not borrow and borrows
 * where it finds 0. The manual leaves open what addc sees after sub.cc; nvcc's own division of 128
 * bits needs to see that.
 */
#include "lanes.h"
#include "families.h"

typedef __int128 wide128;
typedef unsigned __int128 uwide128;

/* takes: the carry bit comes in; gives: it goes out. Adds or subtracts x and y. */
#define CARRY(name, T, takes, gives, x_expr, y_expr, result, overflow)                \
	static void name(LANE_ARGS)                                                   \
	{                                                                             \
		T *d = (T *)(void *)(file + in->d);                                   \
		const T *pa = (const T *)(void *)(file + in->a);                      \
		const T *pb = (const T *)(void *)(file + in->b);                      \
		const T *pc = (const T *)(void *)(file + in->c);                      \
		uint32_t carries = takes ? *lane_pred(file, FILE_CARRY) : 0, out = 0; \
		EACH_LANE                                                             \
		{                                                                     \
			T a = pa[l], b = pb[l], c = pc[l], x = x_expr, y = y_expr;    \
			T carry = carries & lane_bit[l] ? 1 : 0, sum = result;        \
			(void)a, (void)b, (void)c;                                    \
			out |= (overflow) ? lane_bit[l] : 0;                          \
			d[l] = mask & lane_bit[l] ? sum : d[l];                       \
		}                                                                     \
		if (gives)                                                            \
			lane_put_pred(file, FILE_CARRY, mask, out);                   \
	}
#define ADD(name, T, takes, gives, one, other)                  \
	CARRY(name, T, takes, gives, one, other, x + y + carry, \
	    (sum < x) | ((sum == x) & (carry != 0)))
#define SUB(name, T, takes, gives, one, other)                               \
	CARRY(name, T, takes, gives, one, other, x - y - BORROWED(T, takes), \
	    !((x < y) | ((x == y) & BORROWED(T, takes))))
#define BORROWED(T, takes) ((T)((takes) ? 1 - carry : 0))

/* add.cc, addc, addc.cc */
#define TRIPLE(OP, name, T, x, y)        \
	OP(name##_cc_##T, T, 0, 1, x, y) \
	OP(name##c_##T, T, 1, 0, x, y)   \
	OP(name##c_cc_##T, T, 1, 1, x, y)
typedef uint32_t u32;
typedef uint64_t u64;
TRIPLE(ADD, add, u32, a, b)
TRIPLE(ADD, add, u64, a, b)
TRIPLE(SUB, sub, u32, a, b)
TRIPLE(SUB, sub, u64, a, b)
TRIPLE(ADD, mad_lo, u32, a *b, c)
TRIPLE(ADD, mad_lo, u64, a *b, c)
#define HIGH(T, S, W, a, b) ((T)(((W)(S)(a) * (W)(S)(b)) >> (8 * sizeof(T))))
TRIPLE(ADD, mad_hi_u, u32, HIGH(u32, u32, uint64_t, a, b), c)
TRIPLE(ADD, mad_hi_s, u32, HIGH(u32, int32_t, int64_t, a, b), c)
TRIPLE(ADD, mad_hi_u, u64, HIGH(u64, u64, uwide128, a, b), c)
TRIPLE(ADD, mad_hi_s, u64, HIGH(u64, int64_t, wide128, a, b), c)

#define ROWS_TRIPLE(op, part, types, args, op_class, name, T)            \
	ROW_ONE(op part ".cc." types, args, op_class, name##_cc_##T),    \
	    ROW_ONE(op "c" part "." types, args, op_class, name##c_##T), \
	    ROW_ONE(op "c" part ".cc." types, args, op_class, name##c_cc_##T)

const struct lane_row LEVELED(lanes_carry)[] = {
    ROWS_TRIPLE("add", "", "u32|s32|b32", "t:tt", INT, add, u32),
    ROWS_TRIPLE("add", "", "u64|s64|b64", "t:tt", INT, add, u64),
    ROWS_TRIPLE("sub", "", "u32|s32|b32", "t:tt", INT, sub, u32),
    ROWS_TRIPLE("sub", "", "u64|s64|b64", "t:tt", INT, sub, u64),
    ROWS_TRIPLE("mad", ".lo", "u32|s32", "t:ttt", IMUL, mad_lo, u32),
    ROWS_TRIPLE("mad", ".lo", "u64|s64", "t:ttt", IMUL, mad_lo, u64),
    ROWS_TRIPLE("mad", ".hi", "u32", "t:ttt", IMUL, mad_hi_u, u32),
    ROWS_TRIPLE("mad", ".hi", "s32", "t:ttt", IMUL, mad_hi_s, u32),
    ROWS_TRIPLE("mad", ".hi", "u64", "t:ttt", IMUL, mad_hi_u, u64),
    ROWS_TRIPLE("mad", ".hi", "s64", "t:ttt", IMUL, mad_hi_s, u64),
    ROW_END,
};
