/* Conversions from and to f16, bf16, their pairs and tf32. PTX ISA 9.0 section 9.7.9.21 (cvt). */
#include "convert.h"
#include "families.h"
#include "half.h"

/* Exact in 53 bits, or with its tail kept as a sticky bit */
static inline double
sticky_u64(uint64_t x)
{
	double big = (double)(int64_t)(x >> 11 | ((x & 0x7ff) != 0)) * 2048.0;
	return x >> 53 ? big : (double)(int64_t)x;
}
static inline double
sticky_s64(int64_t x)
{
	double magnitude = sticky_u64(x < 0 ? 0 - (uint64_t)x : (uint64_t)x);
	return x < 0 ? -magnitude : magnitude;
}
static inline double
narrow(int32_t x)
{
	return x;
}

/* from, slot, value as a double */
#define FROM_EACH(X, f)                                                               \
	X(f, s8, int16_t, narrow((int8_t)a))                                          \
	X(f, u8, uint16_t, narrow((uint8_t)a))                                        \
	X(f, s16, int16_t, narrow(a))                                                 \
	X(f, u16, uint16_t, narrow(a))                                                \
	X(f, s32, int32_t, narrow(a))                                                 \
	X(f, u32, uint32_t, narrow((int32_t)(a >> 1)) * 2 + narrow((int32_t)(a & 1))) \
	X(f, s64, int64_t, sticky_s64(a))                                             \
	X(f, u64, uint64_t, sticky_u64(a))                                            \
	X(f, f32, float, (double)a)                                                   \
	X(f, f64, double, a)                                                          \
	X(f, f16, uint16_t, f64_of_f16(a))                                            \
	X(f, bf16, uint16_t, f64_of_bf16(a))

/* Under the rounding mode; aux: enum HALF_ flags */
#define TO_HALF(f, from, T, value)                                        \
	static void cvt_##f##_##from(LANE_ARGS)                           \
	{                                                                 \
		uint16_t *d = (uint16_t *)(void *)(file + in->d);         \
		const T *pa = (const T *)(void *)(file + in->a);          \
		unsigned flags = in->aux;                                 \
		LANE_ENTER;                                               \
		EACH_LANE                                                 \
		{                                                         \
			T a = pa[l];                                      \
			uint16_t r = half_result(value, half_##f, flags); \
			d[l] = mask & lane_bit[l] ? r : d[l];             \
		}                                                         \
		LANE_LEAVE;                                               \
	}
FROM_EACH(TO_HALF, f16)
FROM_EACH(TO_HALF, bf16)

/* Conversions of f32 to nearest: by far the commonest. */
#define TO_NEAR(f)                                                                             \
	static inline uint16_t f##_of_f32(float x, unsigned flags)                             \
	{                                                                                      \
		return half_after(f##_near(half_clamp32(x, flags)), half_##f, flags);          \
	}                                                                                      \
	static void cvt_rn_##f##_f32(LANE_ARGS)                                                \
	{                                                                                      \
		uint16_t *d = (uint16_t *)(void *)(file + in->d);                              \
		const float *a = (const float *)(void *)(file + in->a);                        \
		const unsigned flags = in->aux;                                                \
		LANE_ENTER;                                                                    \
		EACH_LANE                                                                      \
		{                                                                              \
			uint16_t r = f##_of_f32(a[l], flags);                                  \
			d[l] = mask & lane_bit[l] ? r : d[l];                                  \
		}                                                                              \
		LANE_LEAVE;                                                                    \
	}                                                                                      \
	static void cvt_rn_##f##x2_f32(LANE_ARGS)                                              \
	{                                                                                      \
		uint32_t *d = lane_pred(file, in->d);                                          \
		const float *a = (const float *)(void *)(file + in->a);                        \
		const float *b = (const float *)(void *)(file + in->b);                        \
		const unsigned flags = in->aux;                                                \
		EACH_LANE                                                                      \
		{                                                                              \
			uint32_t r =                                                           \
			    (uint32_t)f##_of_f32(a[l], flags) << 16 | f##_of_f32(b[l], flags); \
			d[l] = mask & lane_bit[l] ? r : d[l];                                  \
		}                                                                              \
	}
TO_NEAR(f16)
TO_NEAR(bf16)

/* d = {a, b}, a in the upper half */
#define TO_PAIR(f)                                                                            \
	static void cvt_##f##x2_f32(LANE_ARGS)                                                \
	{                                                                                     \
		uint32_t *d = lane_pred(file, in->d);                                         \
		const float *a = (const float *)(void *)(file + in->a);                       \
		const float *b = (const float *)(void *)(file + in->b);                       \
		unsigned flags = in->aux;                                                     \
		LANE_ENTER;                                                                   \
		EACH_LANE                                                                     \
		{                                                                             \
			uint32_t high = half_result((double)a[l], half_##f, flags);           \
			uint32_t r = high << 16 | half_result((double)b[l], half_##f, flags); \
			d[l] = mask & lane_bit[l] ? r : d[l];                                 \
		}                                                                             \
		LANE_LEAVE;                                                                   \
	}
TO_PAIR(f16)
TO_PAIR(bf16)

/* Rounded to an integral value of the same format */
#define TO_INTEGRAL(f)                                                        \
	static void cvt_int_##f(LANE_ARGS)                                    \
	{                                                                     \
		uint16_t *d = (uint16_t *)(void *)(file + in->d);             \
		const uint16_t *a = (const uint16_t *)(void *)(file + in->a); \
		unsigned flags = in->aux;                                     \
		LANE_ENTER;                                                   \
		EACH_LANE                                                     \
		{                                                             \
			double x = integral_f64(f64_of_##f(a[l]));            \
			uint16_t r = half_result(x, half_##f, flags);         \
			d[l] = mask & lane_bit[l] ? r : d[l];                 \
		}                                                             \
		LANE_LEAVE;                                                   \
	}
TO_INTEGRAL(f16)
TO_INTEGRAL(bf16)

static inline float
widened(double x, unsigned flags)
{
	double y = half_clamp(x, flags);
	return y == y ? (float)y : f32_of_bits(0x7fffffff);
}
static inline float
canonical(float x)
{
	return x == x ? x : f32_of_bits(0x7fffffff);
}
/* Every f16 is a normal f32: nothing to round or flush. */
OP1(cvt_near_f32_f16, float, uint16_t, canonical(f32_of_f16(a)))
#define FROM_HALF(f)                                                                  \
	FOP1(cvt_f32_##f, float, uint16_t, widened(f64_of_##f(a), 0))                 \
	OP1(cvt_sat_f32_##f, float, uint16_t, widened(f64_of_##f(a), HALF_SAT))       \
	OP1(cvt_f64_##f, double, uint16_t, f64_of_##f(a))                             \
	FOP1(cvt_s8_##f, int16_t, uint16_t, s8_of(integral_f64(f64_of_##f(a))))       \
	FOP1(cvt_u8_##f, uint16_t, uint16_t, u8_of(integral_f64(f64_of_##f(a))))      \
	FOP1(cvt_s16_##f, int16_t, uint16_t, s16_of(integral_f64(f64_of_##f(a))))     \
	FOP1(cvt_u16_##f, uint16_t, uint16_t, u16_of(integral_f64(f64_of_##f(a))))    \
	FOP1(cvt_s32_##f, int32_t, uint16_t, s32_of(integral_f64(f64_of_##f(a))))     \
	FOP1(cvt_u32_##f, uint32_t, uint16_t, u32_of(integral_f64(f64_of_##f(a)), 0)) \
	FOP1(cvt_s64_##f, int64_t, uint16_t, s64_of(integral_f64(f64_of_##f(a))))     \
	FOP1(cvt_u64_##f, uint64_t, uint16_t, u64_of(integral_f64(f64_of_##f(a))))
FROM_HALF(f16)
FROM_HALF(bf16)

/* tf32: f32 with 10 bits of mantissa, the rest zero. rna: ties away from zero */
static inline uint32_t
tf32_of(uint32_t a, uint32_t add)
{
	bool nan = (a & 0x7fffffff) > 0x7f800000, infinite = (a & 0x7fffffff) == 0x7f800000;
	return nan ? 0x7fffffff : infinite ? a : (a + add) & 0xffffe000;
}
static inline uint32_t
relu(uint32_t a)
{
	return a & 0x80000000 ? 0 : a;
}
/* The largest number for what is beyond it */
static inline uint32_t
finite(uint32_t a)
{
	return (a & 0x7fffffff) == 0x7f800000 ? a - 0x2000 : a;
}
OP1(cvt_rna_tf32, uint32_t, uint32_t, tf32_of(a, 0x1000))
OP1(cvt_rn_tf32, uint32_t, uint32_t, tf32_of(a, 0xfff + (a >> 13 & 1)))
OP1(cvt_rz_tf32, uint32_t, uint32_t, tf32_of(a, 0))
OP1(cvt_rn_relu_tf32, uint32_t, uint32_t, relu(tf32_of(a, 0xfff + (a >> 13 & 1))))
OP1(cvt_rz_relu_tf32, uint32_t, uint32_t, relu(tf32_of(a, 0)))
OP1(cvt_rna_finite_tf32, uint32_t, uint32_t, finite(cvt_rna_tf32_lane(a, a, a)))
OP1(cvt_rn_finite_tf32, uint32_t, uint32_t, finite(cvt_rn_tf32_lane(a, a, a)))
OP1(cvt_rz_finite_tf32, uint32_t, uint32_t, finite(cvt_rz_tf32_lane(a, a, a)))
OP1(cvt_rn_relu_finite_tf32, uint32_t, uint32_t, finite(cvt_rn_relu_tf32_lane(a, a, a)))
OP1(cvt_rz_relu_finite_tf32, uint32_t, uint32_t, finite(cvt_rz_relu_tf32_lane(a, a, a)))

static int
finish_flags(const struct ptx_insn *in, const struct lane_match *m, struct lane_code *code,
    struct wcp_error *e)
{
	(void)m, (void)e;
	code->aux =
	    (uint16_t)((ptx_has(in, "sat") ? HALF_SAT : 0) | (ptx_has(in, "relu") ? HALF_RELU : 0) |
		       (ptx_has(in, "satfinite") ? HALF_FINITE : 0));
	return 0;
}

#define ROW_TO(form, f, from) \
	ROW_FINISH(form "." #f "." #from, "t:u", CVT, cvt_##f##_##from, finish_flags)
#define ROWS_NEAR(f)                                                                            \
	ROW_FINISH("cvt.rn.sat?.relu?.satfinite?." #f ".f32", "t:u", CVT, cvt_rn_##f##_f32,     \
	    finish_flags),                                                                      \
	    ROW_FINISH("cvt.rn.relu?.satfinite?." #f "x2.f32", "t:uu", CVT, cvt_rn_##f##x2_f32, \
		finish_flags)
#define ROWS_TO(f)                                                                            \
	ROW_TO("cvt.RND.ftz?.sat?.relu?.satfinite?", f, f32), ROW_TO("cvt.RND.sat?", f, f64), \
	    ROW_TO("cvt.RND.sat?", f, s8), ROW_TO("cvt.RND.sat?", f, u8),                     \
	    ROW_TO("cvt.RND.sat?", f, s16), ROW_TO("cvt.RND.sat?", f, u16),                   \
	    ROW_TO("cvt.RND.sat?", f, s32), ROW_TO("cvt.RND.sat?", f, u32),                   \
	    ROW_TO("cvt.RND.sat?", f, s64), ROW_TO("cvt.RND.sat?", f, u64),                   \
	    ROW_TO("cvt.RND?.sat?", f, f16), ROW_TO("cvt.RND?.sat?", f, bf16),                \
	    ROW_FINISH("cvt.IRND.sat?." #f "." #f, "t:u", CVT, cvt_int_##f, finish_flags),    \
	    ROW_FINISH("cvt.RND.relu?.satfinite?." #f "x2.f32", "t:uu", CVT, cvt_##f##x2_f32, \
		finish_flags)
#define ROW_FROM(to, f) ROW("cvt.IRND.sat?." #to "." #f, "t:u", CVT, cvt_##to##_##f)
#define ROWS_FROM(f)                                                                       \
	ROW("cvt.ftz?.f32." #f, "t:u", CVT, cvt_f32_##f),                                  \
	    ROW("cvt.ftz?.sat.f32." #f, "t:u", CVT, cvt_sat_f32_##f),                      \
	    ROW("cvt.f64." #f, "t:u", CVT, cvt_f64_##f), ROW_FROM(s8, f), ROW_FROM(u8, f), \
	    ROW_FROM(s16, f), ROW_FROM(u16, f), ROW_FROM(s32, f), ROW_FROM(u32, f),        \
	    ROW_FROM(s64, f), ROW_FROM(u64, f)

const struct lane_row LEVELED(lanes_half_convert)[] = {
    ROWS_NEAR(f16),
    ROWS_NEAR(bf16),
    ROWS_TO(f16),
    ROWS_TO(bf16),
    ROW("cvt.ftz?.f32.f16", "t:u", CVT, cvt_near_f32_f16),
    ROWS_FROM(f16),
    ROWS_FROM(bf16),
    ROW("cvt.rna.tf32.f32", "t:u", CVT, cvt_rna_tf32),
    ROW("cvt.rn.tf32.f32", "t:u", CVT, cvt_rn_tf32),
    ROW("cvt.rz.tf32.f32", "t:u", CVT, cvt_rz_tf32),
    ROW("cvt.rn.relu.tf32.f32", "t:u", CVT, cvt_rn_relu_tf32),
    ROW("cvt.rz.relu.tf32.f32", "t:u", CVT, cvt_rz_relu_tf32),
    ROW("cvt.rna.satfinite.tf32.f32", "t:u", CVT, cvt_rna_finite_tf32),
    ROW("cvt.rn.satfinite.tf32.f32", "t:u", CVT, cvt_rn_finite_tf32),
    ROW("cvt.rz.satfinite.tf32.f32", "t:u", CVT, cvt_rz_finite_tf32),
    ROW("cvt.rn.satfinite.relu.tf32.f32", "t:u", CVT, cvt_rn_relu_finite_tf32),
    ROW("cvt.rz.satfinite.relu.tf32.f32", "t:u", CVT, cvt_rz_relu_finite_tf32),
    ROW_END,
};
