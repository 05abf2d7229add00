/*
 * What the families of lane operations share: the table row, the loops over 32 lanes, the
 * floating-point environment. Compiled once per instruction-set level (LANE_LEVEL 1, 3, 4); the
 * level shows only in symbol names, the compiler does the rest. Every operation gives the same bits
 * at every level.
 */
#ifndef EXEC_LANES_LANES_H
#define EXEC_LANES_LANES_H

#include <stddef.h>
#include <string.h>
#include "exec/insn.h"
#include "exec/lanes_row.h"

#define LANE_PASTE_(name, level) name##_v##level
#define LANE_PASTE(name, level)	 LANE_PASTE_(name, level)
#define LEVELED(name)		 LANE_PASTE(name, LANE_LEVEL)

/* Destination and source are the same slot or disjoint, so lanes are independent. */
#ifdef __clang__
#pragma clang diagnostic ignored \
    "-Wpass-failed" /* some operations, 64-bit division say, have no vector form */
#define LANE_PRAGMA _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#else
#define LANE_PRAGMA _Pragma("GCC ivdep")
#endif
#define EACH_LANE LANE_PRAGMA for (unsigned l = 0; l < WCP_LANES; l++)

/* Bit l of a lane mask; a table because SSE2 cannot shift each lane by its own amount. */
static const uint32_t lane_bit[WCP_LANES] = {1u << 0, 1u << 1, 1u << 2, 1u << 3, 1u << 4, 1u << 5,
    1u << 6, 1u << 7, 1u << 8, 1u << 9, 1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23, 1u << 24,
    1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

#define LANE_ARGS const struct insn *in, char *file, uint32_t mask

static inline uint32_t *
lane_pred(char *file, uint32_t offset)
{
	return (uint32_t *)(void *)(file + offset);
}

static inline void
lane_put_pred(char *file, uint32_t offset, uint32_t mask, uint32_t value)
{
	uint32_t *p = lane_pred(file, offset);
	*p = (*p & ~mask) | (value & mask);
}

/*
 * MXCSR for directed rounding and flush-to-zero, in place only while a loop runs. The barriers keep
 * the loop's loads and stores, and so its arithmetic, inside.
 */
static inline uint32_t
lane_env_enter(unsigned round)
{
	static const uint16_t control[4] = {0x0000, 0x6000, 0x2000, 0x4000}; /* RN RZ RM RP */
	uint32_t old = 0, csr;
	if (__builtin_expect(round == 0, 1))
		return 0;
	__asm__ volatile("stmxcsr %0" : "=m"(old) : : "memory");
	csr = (old & ~0xe040u) | control[round & 3] | (round & LANE_FTZ ? 0x8040u : 0);
	__asm__ volatile("ldmxcsr %0" : : "m"(csr) : "memory");
	return old;
}

static inline void
lane_env_leave(unsigned round, uint32_t old)
{
	if (__builtin_expect(round != 0, 0))
		__asm__ volatile("ldmxcsr %0" : : "m"(old) : "memory");
}

/* name_all and name_some from "D d = expr of A a, B b, C c". */
#define LANE_FUNCTIONS(name, D, A, B, C, ENTER, LEAVE, expr)    \
	static inline D name##_lane(A a, B b, C c)              \
	{                                                       \
		(void)a, (void)b, (void)c;                      \
		return (D)(expr);                               \
	}                                                       \
	static void name##_all(LANE_ARGS)                       \
	{                                                       \
		D *d = (D *)(void *)(file + in->d);             \
		const A *a = (const A *)(void *)(file + in->a); \
		const B *b = (const B *)(void *)(file + in->b); \
		const C *c = (const C *)(void *)(file + in->c); \
		(void)mask;                                     \
		ENTER;                                          \
		EACH_LANE d[l] = name##_lane(a[l], b[l], c[l]); \
		LEAVE;                                          \
	}                                                       \
	static void name##_some(LANE_ARGS)                      \
	{                                                       \
		D *d = (D *)(void *)(file + in->d);             \
		const A *a = (const A *)(void *)(file + in->a); \
		const B *b = (const B *)(void *)(file + in->b); \
		const C *c = (const C *)(void *)(file + in->c); \
		ENTER;                                          \
		EACH_LANE                                       \
		{                                               \
			D r = name##_lane(a[l], b[l], c[l]);    \
			d[l] = mask & lane_bit[l] ? r : d[l];   \
		}                                               \
		LEAVE;                                          \
	}

#define LANE_ENTER uint32_t env = lane_env_enter(in->round)
#define LANE_LEAVE lane_env_leave(in->round, env)

/* Integer and bit operations */
#define OP1(name, D, A, expr)	    LANE_FUNCTIONS(name, D, A, A, A, , , expr)
#define OP2(name, D, A, B, expr)    LANE_FUNCTIONS(name, D, A, B, A, , , expr)
#define OP3(name, D, A, B, C, expr) LANE_FUNCTIONS(name, D, A, B, C, , , expr)
/* Floating point: under the instruction's rounding and flushing */
#define FOP1(name, D, A, expr)	     LANE_FUNCTIONS(name, D, A, A, A, LANE_ENTER, LANE_LEAVE, expr)
#define FOP2(name, D, A, B, expr)    LANE_FUNCTIONS(name, D, A, B, A, LANE_ENTER, LANE_LEAVE, expr)
#define FOP3(name, D, A, B, C, expr) LANE_FUNCTIONS(name, D, A, B, C, LANE_ENTER, LANE_LEAVE, expr)

/* One row of the table */
#define ROW(form, args, op_class, name)                                        \
	{                                                                      \
		form, args, WCP_OP_##op_class, {name##_some, name##_all}, NULL \
	}
/* The same function masked and full: it looks at mask itself */
#define ROW_ONE(form, args, op_class, name)                       \
	{                                                         \
		form, args, WCP_OP_##op_class, {name, name}, NULL \
	}
#define ROW_FINISH(form, args, op_class, name, finish)              \
	{                                                           \
		form, args, WCP_OP_##op_class, {name, name}, finish \
	}
#define ROW_END                                   \
	{                                         \
		NULL, NULL, 0, {NULL, NULL}, NULL \
	}

/* Bits of a float, both ways */
static inline uint32_t
bits_of_f32(float x)
{
	uint32_t u;
	memcpy(&u, &x, sizeof u);
	return u;
}

static inline float
f32_of_bits(uint32_t u)
{
	float x;
	memcpy(&x, &u, sizeof x);
	return x;
}

static inline uint64_t
bits_of_f64(double x)
{
	uint64_t u;
	memcpy(&u, &x, sizeof u);
	return u;
}

static inline double
f64_of_bits(uint64_t u)
{
	double x;
	memcpy(&x, &u, sizeof x);
	return x;
}

#endif
