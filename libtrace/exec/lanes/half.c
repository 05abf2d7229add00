/*
 * f16, bf16 and their pairs. PTX ISA 9.0 sections 9.7.4 and 9.7.3 (ex2, tanh). A register of pairs
 * is 64 values in a row, so a pair's operation is the single one over twice as many. NaN results
 * are 0x7fff.
 */
#include "approx.h"
#include "families.h"
#include "half.h"

static inline void
blend_1(char *to, const void *from, uint32_t mask)
{
	uint16_t *d = (uint16_t *)(void *)to;
	const uint16_t *r = from;
	EACH_LANE d[l] = mask & lane_bit[l] ? r[l] : d[l];
}
static inline void
blend_2(char *to, const void *from, uint32_t mask)
{
	uint32_t *d = (uint32_t *)(void *)to;
	const uint32_t *r = from;
	EACH_LANE d[l] = mask & lane_bit[l] ? r[l] : d[l];
}

#define HALF_LOOP(name, n, expr)                                               \
	static void name(LANE_ARGS)                                            \
	{                                                                      \
		const uint16_t *pa = (const uint16_t *)(void *)(file + in->a); \
		const uint16_t *pb = (const uint16_t *)(void *)(file + in->b); \
		const uint16_t *pc = (const uint16_t *)(void *)(file + in->c); \
		_Alignas(64) uint16_t r[n * WCP_LANES];                        \
		unsigned flags = in->aux;                                      \
		LANE_PRAGMA for (unsigned i = 0; i < n * WCP_LANES; i++)       \
		{                                                              \
			uint16_t a = pa[i], b = pb[i], c = pc[i];              \
			(void)a, (void)b, (void)c, (void)flags;                \
			r[i] = expr;                                           \
		}                                                              \
		blend_##n(file + in->d, r, mask);                              \
	}
/*
 * The same through f32, in three steps whose loops each keep to lanes of like width: widened,
 * computed, rounded to nearest.
 */
#define NEAR_LOOP(name, f, n, expr)                                                          \
	static void name(LANE_ARGS)                                                          \
	{                                                                                    \
		const uint16_t *p[3] = {(const uint16_t *)(void *)(file + in->a),            \
		    (const uint16_t *)(void *)(file + in->b),                                \
		    (const uint16_t *)(void *)(file + in->c)};                               \
		_Alignas(64) float v[3][n * WCP_LANES];                                      \
		_Alignas(64) uint16_t r[n * WCP_LANES];                                      \
		const unsigned flags = in->aux;                                              \
		for (unsigned k = 0; k < 3; k++)                                             \
			LANE_PRAGMA for (unsigned i = 0; i < n * WCP_LANES; i++) v[k][i] =   \
			    f32_of_##f(                                                      \
				flags & HALF_FTZ ? half_flush(p[k][i], half_##f) : p[k][i]); \
		LANE_PRAGMA for (unsigned i = 0; i < n * WCP_LANES; i++)                     \
		{                                                                            \
			const float a = v[0][i], b = v[1][i], c = v[2][i];                   \
			(void)a, (void)b, (void)c;                                           \
			v[0][i] = expr;                                                      \
		}                                                                            \
		if (flags)                                                                   \
			LANE_PRAGMA for (unsigned i = 0; i < n * WCP_LANES; i++) v[0][i] =   \
			    half_clamp32(v[0][i], flags);                                    \
		LANE_PRAGMA for (unsigned i = 0; i < n * WCP_LANES; i++) r[i] =              \
		    half_after(f##_near(v[0][i]), half_##f, flags);                          \
		blend_##n(file + in->d, r, mask);                                            \
	}
#define HALF_NEAR(name, f, expr) \
	NEAR_LOOP(name##_##f, f, 1, expr) NEAR_LOOP(name##_##f##x2, f, 2, expr)
#define HALF_ALL(name, f, expr) HALF_LOOP(name##_##f, 1, expr) HALF_LOOP(name##_##f##x2, 2, expr)

/* The exact value when it fits f64, else the f64 next to it whose last bit is 1: rounds on like the
 * exact one */
static inline double
fused(double a, double b, double c)
{
	double p = a * b, s = p + c, from_c = s - p, from_p = s - from_c;
	double lost = (p - from_p) + (c - from_c);
	uint64_t bits = bits_of_f64(s);
	uint64_t odd = (lost > 0) == (s > 0) ? bits | 1 : bits - 1;
	return (lost > 0 || lost < 0) && !(bits & 1) ? f64_of_bits(odd) : s;
}

static inline uint16_t
half_pick(uint16_t a, uint16_t b, double x, double y, bool max, unsigned flags)
{
	uint16_t zero = max ? a & b : a | b;
	uint16_t r = (max ? x > y : x < y) ? a : x == y ? zero : b;
	bool nan = flags & HALF_NAN ? (x != x) | (y != y) : (x != x) & (y != y);
	r = y != y ? a : r;
	return nan ? 0x7fff : r;
}

#define HALF_OPS(f)                                                                              \
	static inline double f##_in(uint16_t h, unsigned flags)                                  \
	{                                                                                        \
		return f64_of_##f(flags & HALF_FTZ ? half_flush(h, half_##f) : h);               \
	}                                                                                        \
	static inline uint16_t f##_pick(uint16_t a, uint16_t b, bool max, unsigned flags)        \
	{                                                                                        \
		uint16_t x = flags & HALF_FTZ ? half_flush(a, half_##f) : a;                     \
		uint16_t y = flags & HALF_FTZ ? half_flush(b, half_##f) : b;                     \
		uint16_t keep = flags & HALF_XORSIGN ? 0x7fff : 0xffff, r;                       \
		r = half_pick(                                                                   \
		    x & keep, y & keep, f64_of_##f(x & keep), f64_of_##f(y & keep), max, flags); \
		return flags & HALF_XORSIGN && r != 0x7fff ? r | ((a ^ b) & 0x8000) : r;         \
	}                                                                                        \
	HALF_ALL(ex2, f, half_result(approx_exp2(f##_in(a, flags)), half_##f, flags))            \
	HALF_ALL(tanh, f, half_result(approx_tanh(f##_in(a, flags)), half_##f, flags))           \
	HALF_ALL(min, f, f##_pick(a, b, false, flags))                                           \
	HALF_ALL(max, f, f##_pick(a, b, true, flags))                                            \
	HALF_ALL(abs, f, (flags & HALF_FTZ ? half_flush(a, half_##f) : a) & 0x7fff)              \
	HALF_ALL(neg, f, (flags & HALF_FTZ ? half_flush(a, half_##f) : a) ^ 0x8000)
HALF_NEAR(add, f16, a + b)
HALF_NEAR(sub, f16, a - b)
HALF_NEAR(mul, f16, a *b)
HALF_NEAR(fma, f16, f32_odd(fused((double)a, (double)b, (double)c)))
HALF_NEAR(add, bf16, a + b)
HALF_NEAR(sub, bf16, a - b)
HALF_NEAR(mul, bf16, a *b)
HALF_NEAR(fma, bf16, f32_odd(fused((double)a, (double)b, (double)c)))
HALF_OPS(f16)
HALF_OPS(bf16)

static int
finish_half(const struct ptx_insn *in, const struct lane_match *m, struct lane_code *code,
    struct wcp_error *e)
{
	static const char *const modifier[] = {"ftz", "sat", "relu", "NaN", "xorsign"};
	(void)m, (void)e;
	for (unsigned i = 0; i < sizeof modifier / sizeof modifier[0]; i++)
		code->aux |= (uint16_t)(ptx_has(in, modifier[i]) << i);
	return 0;
}

#define ROWS_HALF(form, args, op_class, name)                                     \
	ROW_FINISH(form ".f16", args, op_class, name##_f16, finish_half),         \
	    ROW_FINISH(form ".f16x2", args, op_class, name##_f16x2, finish_half), \
	    ROW_FINISH(form ".bf16", args, op_class, name##_bf16, finish_half),   \
	    ROW_FINISH(form ".bf16x2", args, op_class, name##_bf16x2, finish_half)

const struct lane_row LEVELED(lanes_half)[] = {
    ROWS_HALF("add.rn?.ftz?.sat?", "t:tt", HALF, add),
    ROWS_HALF("sub.rn?.ftz?.sat?", "t:tt", HALF, sub),
    ROWS_HALF("mul.rn?.ftz?.sat?", "t:tt", HALF, mul),
    ROWS_HALF("fma.rn.ftz?.sat?.relu?", "t:ttt", HALF, fma),
    ROWS_HALF("min.ftz?.NaN?", "t:tt", HALF, min),
    ROWS_HALF("max.ftz?.NaN?", "t:tt", HALF, max),
    ROWS_HALF("min.ftz?.NaN?.xorsign.abs", "t:tt", HALF, min),
    ROWS_HALF("max.ftz?.NaN?.xorsign.abs", "t:tt", HALF, max),
    ROWS_HALF("neg.ftz?", "t:t", HALF, neg),
    ROWS_HALF("abs.ftz?", "t:t", HALF, abs),
    ROWS_HALF("ex2.approx.ftz?", "t:t", SFU, ex2),
    ROWS_HALF("tanh.approx", "t:t", SFU, tanh),
    ROW_END,
};
