/*
 * d = a b + c. Products are exact; of f16, bf16, tf32, e4m3 and e5m2 they are
 * added to c in binary64, in the order of k, and rounded once to d's type: at
 * least as exact as the hardware, whose order the manual leaves open (PTX
 * ISA 9.0 section 9.7.14.5). f64 is a chain of fused multiply-adds in the order
 * of k. Integers are exact, modulo 2^32 or, with .satfinite, kept at the ends.
 */
#include "access.h"
#include "exec/access.h"
#include <math.h>
#ifdef __FMA__
#include <immintrin.h>
#endif

static double
f64_of_bits(uint64_t v)
{
	double d;
	memcpy(&d, &v, 8);
	return d;
}

static float
f32_of_bits(uint32_t v)
{
	float f;
	memcpy(&f, &v, 4);
	return f;
}

static uint32_t
bits_of_f32(float f)
{
	uint32_t u;
	memcpy(&u, &f, 4);
	return u;
}

/* A small format: sign, exponent, fraction; all-ones exponents are special
 * unless finite says that only one pattern is a NaN (e4m3). */
static double
small_float(uint32_t v, int exponent_bits, int fraction_bits, bool finite)
{
	const uint32_t fraction = v & ((1u << fraction_bits) - 1);
	const uint32_t top = (1u << exponent_bits) - 1, exponent = v >> fraction_bits & top;
	const int bias = (int)(top >> 1);
	const double sign = v >> (exponent_bits + fraction_bits) & 1 ? -1 : 1;
	if (exponent == top && (!finite || fraction == (1u << fraction_bits) - 1))
		return fraction ? NAN : sign * INFINITY;
	if (!exponent)
		return sign * ldexp(fraction, 1 - bias - fraction_bits);
	return sign * ldexp((double)((1u << fraction_bits) | fraction),
			  (int)exponent - bias - fraction_bits);
}

/* Exact, subnormals too: scaled by a power of two that keeps all bits. */
static inline double
half_to_f64(uint64_t v)
{
	const uint32_t h = (uint32_t)v & 0x7fff;
	const float scaled = f32_of_bits(h << 13) * 0x1p112f;
	const float x = h >= 0x7c00 ? f32_of_bits(h << 13 | 0x7f800000) : scaled;
	return (double)(v & 0x8000 ? -x : x);
}

static inline double
real_of(uint8_t type, uint64_t v)
{
	switch ((enum element_type)type) {
	case ELEMENT_F16: return half_to_f64(v);
	case ELEMENT_BF16: return f32_of_bits((uint32_t)v << 16);
	case ELEMENT_TF32: return f32_of_bits((uint32_t)v & 0xffffe000);
	case ELEMENT_F32: return f32_of_bits((uint32_t)v);
	case ELEMENT_F64: return f64_of_bits(v);
	case ELEMENT_E4M3: return small_float((uint32_t)v, 4, 3, true);
	case ELEMENT_E5M2: return small_float((uint32_t)v, 5, 2, false);
	case ELEMENT_S32:
	case ELEMENT_S8:
	case ELEMENT_U8:
	case ELEMENT_S4:
	case ELEMENT_U4:
	case ELEMENT_B1:
	case ELEMENT_COUNT: break;
	}
	return 0;
}

static inline int32_t
integer_of(uint8_t type, uint64_t v)
{
	switch ((enum element_type)type) {
	case ELEMENT_S8: return (int8_t)v;
	case ELEMENT_S4: return (int32_t)((v ^ 8) & 15) - 8;
	case ELEMENT_S32:
	case ELEMENT_U8:
	case ELEMENT_U4:
	case ELEMENT_B1: return (int32_t)v;
	case ELEMENT_F16:
	case ELEMENT_BF16:
	case ELEMENT_TF32:
	case ELEMENT_F32:
	case ELEMENT_F64:
	case ELEMENT_E4M3:
	case ELEMENT_E5M2:
	case ELEMENT_COUNT: break;
	}
	return 0;
}

/* binary64 to binary16, once, to nearest even: 10 of 52 bits of fraction stay, below 0x1p-14 whole
 * 0x1p-24ths. */
static inline uint16_t
half_of(double x, bool finite)
{
	uint64_t u, tiny;
	memcpy(&u, &x, 8);
	const uint16_t sign = (uint16_t)(u >> 48 & 0x8000);
	const double a = fabs(x), whole = a * 0x1p24 + 0x1p52;
	const uint64_t magnitude = u & ~(1ull << 63);
	const uint64_t up = magnitude + ((1ull << 41) - 1) + (magnitude >> 42 & 1);
	memcpy(&tiny, &whole, 8);
	uint16_t r = (uint16_t)((up - (1008ull << 52)) >> 42);
	r = a < 0x1p-14 ? (uint16_t)tiny : r;
	r = a >= 65520.0 ? (finite ? 0x7bff : 0x7c00) : r;
	return x != x ? 0x7fff : (uint16_t)(sign | r);
}

/* The sums were made in binary64: the result is what rounding them to binary32
 * once gives. */
static inline uint64_t
rounded(uint8_t type, double x, bool finite)
{
	uint64_t bits;
	memcpy(&bits, &x, 8);
	if (type == ELEMENT_F64)
		return bits;
	if (type == ELEMENT_F16)
		return half_of(x, finite);
	const float f = (float)x;
	return f != f ? 0x7fffffff : bits_of_f32(f);
}

/* ---- products ---- */

#define DIM_MAX	     32
#define ELEMENTS_MAX 2048 /* of one matrix: 8 x 256 single bits */

/* Row by row: a [m][k], b [k][n], c and d [m][n]. */
struct operands {
	double a[ELEMENTS_MAX], b[ELEMENTS_MAX];
	int32_t ia[ELEMENTS_MAX], ib[ELEMENTS_MAX], ic[DIM_MAX * DIM_MAX];
	double c[DIM_MAX * DIM_MAX];
	uint64_t d[DIM_MAX * DIM_MAX]; /* bits */
};

static inline bool
is_real(const struct exec_fragment *f)
{
	return f->type <= ELEMENT_F64 || f->type >= ELEMENT_E4M3;
}

#define TAKE(name, T, convert)                                                             \
	static void name(const char *file, const struct exec_fragment *f, T *to)           \
	{                                                                                  \
		const unsigned per = 8u * f->reg_bytes / f->bits;                          \
		const uint64_t low = f->bits == 64 ? ~0ull : (1ull << f->bits) - 1;        \
		const uint16_t *place = f->place;                                          \
		for (unsigned lane = 0; lane < WCP_LANES; lane++)                          \
			for (unsigned i = 0; i < f->n_reg; i++) {                          \
				uint64_t v = run_get(file, f->reg[i], f->reg_bytes, lane); \
				for (unsigned e = 0; e < per; e++) {                       \
					const uint64_t x = v >> (e * f->bits) & low;       \
					to[*place++] = convert;                            \
				}                                                          \
			}                                                                  \
	}
TAKE(take_real, double, real_of(f->type, x))
TAKE(take_integer, int32_t, integer_of(f->type, x))

/* Lanes that hold something no lane before them holds. */
static unsigned
lanes_of(const struct exec_fragment *f)
{
	const unsigned held = f->n_reg * 8u * f->reg_bytes / f->bits;
	return f->rows * (unsigned)f->columns / held;
}

/* ---- the common types: all elements in the order of lanes, then each to its place ---- */

static void
widen_halves(const uint16_t *h, unsigned n, double *to)
{
	unsigned i = 0;
#ifdef __F16C__
	for (; i + 8 <= n; i += 8) {
		const __m256 f =
		    _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(h + i)));
		_mm256_storeu_pd(to + i, _mm256_cvtps_pd(_mm256_castps256_ps128(f)));
		_mm256_storeu_pd(to + i + 4, _mm256_cvtps_pd(_mm256_extractf128_ps(f, 1)));
	}
#endif
	for (; i < n; i++)
		to[i] = half_to_f64(h[i]);
}

/* False: of another type. */
static bool
widen_reals(uint8_t type, const void *from, unsigned n, double *to)
{
	const uint16_t *h = from;
	const uint32_t *w = from;
	if (type == ELEMENT_F16)
		widen_halves(h, n, to);
	else if (type == ELEMENT_BF16)
		EACH_PRAGMA for (unsigned i = 0; i < n; i++) to[i] =
		    f32_of_bits((uint32_t)h[i] << 16);
	else if (type == ELEMENT_TF32)
		EACH_PRAGMA for (unsigned i = 0; i < n; i++) to[i] = f32_of_bits(w[i] & 0xffffe000);
	else if (type == ELEMENT_F32)
		EACH_PRAGMA for (unsigned i = 0; i < n; i++) to[i] = f32_of_bits(w[i]);
	else if (type == ELEMENT_F64)
		memcpy(to, from, n * sizeof *to);
	else
		return false;
	return true;
}

static bool
widen_integers(uint8_t type, const void *from, unsigned n, int32_t *to)
{
	const uint8_t *u = from;
	if (type == ELEMENT_S8)
		EACH_PRAGMA for (unsigned i = 0; i < n; i++) to[i] =
		    (int32_t)((uint32_t)u[i] << 24) >> 24;
	else if (type == ELEMENT_U8)
		EACH_PRAGMA for (unsigned i = 0; i < n; i++) to[i] = u[i];
	else if (type == ELEMENT_S32)
		memcpy(to, from, n * sizeof *to);
	else
		return false;
	return true;
}

/* Registers lane after lane, of lanes that hold something no lane before them holds. Returns the
 * elements. */
static unsigned
line_up(const char *file, const struct exec_fragment *f, char *to)
{
	const unsigned lanes = lanes_of(f), bytes = f->reg_bytes;
	for (unsigned i = 0; i < f->n_reg; i++) {
		const char *r = file + f->reg[i];
		char *at = to + i * bytes;
		if (bytes == 8)
			for (unsigned l = 0; l < lanes; l++, at += 8 * f->n_reg)
				memcpy(at, r + 8 * l, 8);
		else
			for (unsigned l = 0; l < lanes; l++, at += 4 * f->n_reg)
				memcpy(at, r + 4 * l, 4);
	}
	return f->rows * (unsigned)f->columns;
}

/* False: of a type that is seldom. */
static bool
take_common(const char *file, const struct exec_fragment *f, double *real, int32_t *integer)
{
	const bool in_order = f->layout == FRAGMENT_PIECES && !f->by_column, reals = is_real(f);
	_Alignas(64) char raw[WCP_LANES * FRAGMENT_REGS * 8];
	_Alignas(64) double d[DIM_MAX * DIM_MAX];
	_Alignas(64) int32_t n[DIM_MAX * DIM_MAX];
	if (f->bits < 8 || f->rows * (unsigned)f->columns > DIM_MAX * DIM_MAX)
		return false;
	const unsigned all = line_up(file, f, raw);
	if (reals && !widen_reals(f->type, raw, all, in_order ? real : d))
		return false;
	if (!reals && !widen_integers(f->type, raw, all, in_order ? integer : n))
		return false;
	for (unsigned i = 0; i < all && reals && !in_order; i++)
		real[f->place[i]] = d[i];
	for (unsigned i = 0; i < all && !reals && !in_order; i++)
		integer[f->place[i]] = n[i];
	return true;
}

static void
take_any(const char *file, const struct exec_fragment *f, double *real, int32_t *integer)
{
	if (take_common(file, f, real, integer))
		return;
	if (is_real(f))
		take_real(file, f, real);
	else
		take_integer(file, f, integer);
}

/*
 * Which column the element at column c of the half of a is that mma.sp is given. Four bits of
 * metadata tell of two elements of four (of 4 bits: pairs of elements; of tf32: of one of two, four
 * bits saying 0100 or 1110). PTX ISA 9.0 section 9.7.14.6.2.
 */
static unsigned
sparse_column(const char *file, const struct exec_matrix *m, unsigned row, unsigned c)
{
	const unsigned bits = m->a.bits, kept = bits == 32 ? 1 : bits == 4 ? 4 : 2;
	const unsigned group = c / kept, in = c % kept, held = bits >= 16 ? 4 : 8;
	const unsigned lane = 4 * (row % 8) + m->sparse_lane +
			      (bits >= 16 ? group / held : 2 * (group / held) + row / 8);
	const unsigned first = 4 * (group % held) + (bits >= 16 ? 16 * (row / 8) : 0);
	const uint32_t says = ((const uint32_t *)(const void *)(file + m->metadata))[lane] >> first;
	if (bits == 32)
		return 2 * group + (says >> 1 & 1);
	const unsigned unit = kept / 2;
	return 2 * kept * group + unit * (says >> 2 * (in / unit) & 3) + in % unit;
}

/* a becomes as wide as b is deep. */
static void
expand(const char *file, const struct exec_matrix *m, struct operands *o)
{
	const unsigned rows = m->a.rows, half = m->a.columns, whole = m->b.rows;
	double real[ELEMENTS_MAX] = {0};
	int32_t integer[ELEMENTS_MAX] = {0};
	const bool is = is_real(&m->a);
	for (unsigned r = 0; r < rows; r++)
		for (unsigned c = 0; c < half; c++) {
			const unsigned to = r * whole + sparse_column(file, m, r, c);
			if (is)
				real[to] = o->a[r * half + c];
			else
				integer[to] = o->ia[r * half + c];
		}
	memcpy(o->a, real, sizeof real);
	memcpy(o->ia, integer, sizeof integer);
}

/* Where fused operations are calls, only what needs them takes them. */
#ifdef __FMA__
#define FUSES true
#else
#define FUSES false
#endif

typedef double run_d4 __attribute__((vector_size(32), aligned(8), may_alias));

/* sum + x b of four columns. Products of all types but f64 are exact, so that fused or not is the
 * same. */
static inline __attribute__((always_inline)) void
add_product(run_d4 *sum, double x, const double *b)
{
	const run_d4 row = *(const run_d4 *)(const void *)b, all = {x, x, x, x};
#ifdef __FMA__
	*sum = (run_d4)_mm256_fmadd_pd((__m256d)all, (__m256d)row, (__m256d)*sum);
#else
	*sum += all * row;
#endif
}

/* Sums of four rows and eight columns, in the order of k, in place of c. */
static void
real_block(const struct exec_matrix *m, struct operands *o, unsigned row, unsigned column)
{
	const unsigned depth = m->b.rows, n = m->b.columns;
	const double *a = o->a + row * depth, *b = o->b + column;
	double *c = o->c + row * n + column;
	run_d4 sum[4][2];
	for (unsigned r = 0; r < 4; r++)
		memcpy(sum[r], c + r * n, sizeof sum[r]);
	for (unsigned k = 0; k < depth; k++, b += n)
		for (unsigned r = 0; r < 4; r++) {
			add_product(&sum[r][0], a[r * depth + k], b);
			add_product(&sum[r][1], a[r * depth + k], b + 4);
		}
	for (unsigned r = 0; r < 4; r++)
		memcpy(c + r * n, sum[r], sizeof sum[r]);
}

/* One row of sums likewise. */
static void
real_row(const struct exec_matrix *m, struct operands *o, unsigned row)
{
	const unsigned depth = m->b.rows, n = m->b.columns;
	const double *a = o->a + row * depth, *b = o->b;
	double *sum = o->c + row * n;
	for (unsigned k = 0; k < depth; k++, b += n) {
		const double x = a[k];
		if (m->d.type == ELEMENT_F64)
			for (unsigned j = 0; j < n; j++)
				sum[j] = __builtin_fma(x, b[j], sum[j]);
		else
			for (unsigned j = 0; j < n; j++)
				sum[j] += x * b[j];
	}
}

static void
real_product(const struct exec_matrix *m, struct operands *o)
{
	const unsigned rows = m->a.rows, n = m->b.columns, all = rows * n;
	const bool blocks = rows % 4 == 0 && n % 8 == 0 && (FUSES || m->d.type != ELEMENT_F64);
	for (unsigned row = 0; row < rows; row += blocks ? 4 : 1)
		if (blocks)
			for (unsigned j = 0; j < n; j += 8)
				real_block(m, o, row, j);
		else
			real_row(m, o, row);
	if (m->d.type == ELEMENT_F16)
		for (unsigned i = 0; i < all; i++)
			o->d[i] = half_of(o->c[i], m->saturate);
	else if (m->d.type == ELEMENT_F32)
		for (unsigned i = 0; i < all; i++)
			o->d[i] = rounded(ELEMENT_F32, o->c[i], false);
	else
		for (unsigned i = 0; i < all; i++)
			o->d[i] = rounded(m->d.type, o->c[i], m->saturate);
}

typedef int32_t run_i8 __attribute__((vector_size(32), aligned(4), may_alias));

/* Products of integers, modulo 2^32: four rows and eight columns. */
static void
integer_block(const struct exec_matrix *m, const struct operands *o, unsigned row, unsigned column,
    int32_t sum[4][DIM_MAX])
{
	const unsigned depth = m->b.rows, n = m->b.columns;
	const int32_t *a = o->ia + row * depth, *b = o->ib + column;
	run_i8 s[4] = {{0}};
	for (unsigned k = 0; k < depth; k++, b += n) {
		const run_i8 y = *(const run_i8 *)(const void *)b;
		for (unsigned r = 0; r < 4; r++)
			s[r] += y * a[r * depth + k];
	}
	for (unsigned r = 0; r < 4; r++)
		memcpy(sum[r] + column, &s[r], sizeof s[r]);
}

static void
integer_row(const struct exec_matrix *m, const struct operands *o, unsigned row, int32_t *sum)
{
	const unsigned depth = m->b.rows, n = m->b.columns;
	const int32_t *a = o->ia + row * depth, *b = o->ib;
	for (unsigned j = 0; j < n; j++)
		sum[j] = 0;
	for (unsigned k = 0; k < depth; k++, b += n)
		if (m->combine == COMBINE_MULTIPLY)
			for (unsigned j = 0; j < n; j++)
				sum[j] += a[k] * b[j];
		else
			for (unsigned j = 0; j < n; j++)
				sum[j] += m->combine == COMBINE_XOR ? a[k] ^ b[j] : a[k] & b[j];
}

static void
add_integers(const struct exec_matrix *m, struct operands *o, unsigned row, const int32_t *sum)
{
	const unsigned n = m->b.columns;
	for (unsigned j = 0; j < n; j++) {
		int64_t x = (int64_t)sum[j] + o->ic[row * n + j];
		if (m->saturate)
			x = x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x;
		o->d[row * n + j] = (uint32_t)x;
	}
}

static void
integer_product(const struct exec_matrix *m, struct operands *o)
{
	const unsigned rows = m->a.rows, n = m->b.columns;
	const bool blocks = rows % 4 == 0 && n % 8 == 0 && m->combine == COMBINE_MULTIPLY;
	const unsigned step = blocks ? 4 : 1;
	int32_t sum[4][DIM_MAX];
	for (unsigned row = 0; row < rows; row += step) {
		if (!blocks)
			integer_row(m, o, row, sum[0]);
		for (unsigned j = 0; j < n && blocks; j += 8)
			integer_block(m, o, row, j, sum);
		for (unsigned r = 0; r < step; r++)
			add_integers(m, o, row + r, sum[r]);
	}
}

/* All lanes take part, whatever the mask says; those of the mask get their
 * results. */
static void
multiply(RUN_ARGS)
{
	const struct exec_matrix *m = &run_warp(file)->code->matrix[in->b];
	const struct exec_fragment *f = &m->d;
	const unsigned per = 8u * f->reg_bytes / f->bits;
	const uint16_t *place = f->place;
	struct operands o;
	take_any(file, &m->a, o.a, o.ia);
	take_any(file, &m->b, o.b, o.ib);
	take_any(file, &m->c, o.c, o.ic);
	if (m->sparse)
		expand(file, m, &o);
	if (is_real(&m->a))
		real_product(m, &o);
	else
		integer_product(m, &o);
	if (per == 1 && f->reg_bytes == 4) {
		for (unsigned i = 0; i < f->n_reg; i++) {
			uint32_t *d = run_32(file, f->reg[i]);
			EACH_SET(l, mask) d[l] = (uint32_t)o.d[place[l * f->n_reg + i]];
		}
		return;
	}
	for (unsigned lane = 0; lane < WCP_LANES; lane++)
		for (unsigned i = 0; i < f->n_reg; i++) {
			uint64_t reg = 0;
			for (unsigned e = 0; e < per; e++)
				reg |= o.d[*place++] << (e * f->bits);
			if (mask >> lane & 1)
				run_put(file, f->reg[i], f->reg_bytes, lane, reg);
		}
}

/* ---- pairs of quads ---- */

/* Where in an 8 x 8 matrix element i of lane l is, as half or float. PTX ISA 9.0
 * section 9.7.14.5.1. */
static unsigned
quad_place(uint8_t type, unsigned l, unsigned i)
{
	const unsigned upper = l < 16 ? 0 : 4;
	if (type == ELEMENT_F16)
		return 8 * (l % 4 + upper) + i;
	return 8 * ((l & 1) + (i & 2) + upper) + (i & 4) + (l & 2) + (i & 1);
}

/* Element i of lane l of a fragment of halves or floats */
static double
quad_element(const char *file, const struct exec_fragment *f, unsigned l, unsigned i)
{
	if (f->type == ELEMENT_F32)
		return (double)f32_of_bits((uint32_t)run_get(file, f->reg[i], 4, l));
	return half_to_f64(run_get(file, f->reg[i / 2], 4, l) >> 16 * (i % 2) & 0xffff);
}

/* What the lanes of pair q hold: a [8][4], b [4][8], c [8][8] */
static void
quad_take(const char *file, const struct exec_matrix *m, unsigned q, struct operands *o)
{
	for (unsigned k = 0; k < 8; k++) {
		const unsigned l = 4 * q + k % 4 + (k < 4 ? 0 : 16);
		for (unsigned i = 0; i < 4; i++) {
			const unsigned row = m->a.by_column ? i + (k & 4) : k;
			const unsigned column = m->a.by_column ? k % 4 : i;
			o->a[4 * row + column] = quad_element(file, &m->a, l, i);
			const unsigned down = m->b.by_column ? i : k % 4;
			const unsigned across = m->b.by_column ? k : i + (k & 4);
			o->b[8 * down + across] = quad_element(file, &m->b, l, i);
		}
		for (unsigned i = 0; i < 8; i++)
			o->c[quad_place(m->c.type, l, i)] = quad_element(file, &m->c, l, i);
	}
}

static void
multiply_quads(RUN_ARGS)
{
	const struct exec_matrix *m = &run_warp(file)->code->matrix[in->b];
	const unsigned per = m->d.type == ELEMENT_F16 ? 2 : 1;
	uint64_t d[4][8 * 8];
	struct operands o;
	for (unsigned q = 0; q < 4; q++) {
		quad_take(file, m, q, &o);
		for (unsigned r = 0; r < 8; r++)
			for (unsigned c = 0; c < 8; c++) {
				double sum = o.c[8 * r + c];
				for (unsigned k = 0; k < 4; k++)
					sum += o.a[4 * r + k] * o.b[8 * k + c];
				d[q][8 * r + c] = rounded(m->d.type, sum, false);
			}
	}
	EACH_SET(l, mask)
	for (unsigned i = 0; i < 8; i += per) {
		const uint64_t *from = d[l % 16 / 4];
		uint64_t reg = from[quad_place(m->d.type, l, i)];
		if (per == 2)
			reg |= from[quad_place(m->d.type, l, i + 1)] << 16;
		run_put(file, m->d.reg[i / per], 4, l, reg);
	}
}

/* d = a transposed: lane l of an 8 x 8 matrix holds row l / 4, columns 2 (l %
 * 4) and the next. */
static void
transpose(RUN_ARGS)
{
	const struct exec_matrix *m = &run_warp(file)->code->matrix[in->b];
	uint16_t v[8][8];
	for (unsigned l = 0; l < WCP_LANES; l++) {
		const uint32_t pair = run_32(file, m->a.reg[0])[l];
		v[l / 4][2 * (l % 4)] = (uint16_t)pair;
		v[l / 4][2 * (l % 4) + 1] = (uint16_t)(pair >> 16);
	}
	EACH_SET(l, mask)
	run_32(file, m->d.reg[0])[l] = v[2 * (l % 4)][l / 4] | (uint32_t)v[2 * (l % 4) + 1][l / 4]
								   << 16;
}

/* ---- memory ---- */

static bool
is_whole(struct warp *w, const struct insn *in, uint32_t mask)
{
	if (mask == WCP_FULL_MASK)
		return true;
	w->fault = (struct fault){FAULT_MATRIX, in, (uint32_t)__builtin_ctz(mask), mask, 0};
	return false;
}

/* The bytes of lane l's piece of the matrix are at at[l]. */
static bool
locate(struct warp *w, const struct insn *in, uint32_t mask, const struct exec_matrix *m)
{
	const struct mem_op *op = &w->code->mem[in->e];
	const struct exec_fragment *f = &m->d;
	const unsigned row = f->lies_by_column ? f->rows : f->columns,
		       rows = f->lies_by_column ? f->columns : f->rows;
	const unsigned in_row = row * f->bits / 8 / op->size;
	if (!is_whole(w, in, mask))
		return false;
	const uint64_t base = run_addresses(in, w->file, op->addr_bytes, w->addr)[0];
	const uint64_t stride = m->stride ? *run_32(w->file, m->stride) : row;
	for (unsigned l = 0; l < WCP_LANES; l++) {
		const unsigned at = l % (in_row * rows);
		w->addr[l] = base + at / in_row * (stride * f->bits / 8) + at % in_row * op->size;
	}
	return LEVELED(run_reach)(in, w->file, mask, w->addr) &&
	       (!w->cta->shared_written ||
		   exec_check_shared(w, in, WCP_FULL_MASK, op->kind == WCP_STORE));
}

/* Row by row from column by column, elements of size bytes. */
static void
turn(char *to, const char *from, unsigned rows, unsigned columns, unsigned size)
{
	for (unsigned r = 0; r < rows; r++)
		for (unsigned c = 0; c < columns; c++)
			memcpy(to + (r * columns + c) * size, from + (c * rows + r) * size, size);
}

#define MATRIX_BYTES (DIM_MAX * DIM_MAX * 8)

static void
load(RUN_ARGS)
{
	struct warp *w = run_warp(file);
	const struct exec_matrix *m = &w->code->matrix[in->b];
	const struct exec_fragment *f = &m->d;
	const unsigned size = w->code->mem[in->e].size, all = f->rows * f->columns * f->bits / 8;
	char memory[MATRIX_BYTES], turned[MATRIX_BYTES];
	const char *matrix = memory;
	if (!all || !locate(w, in, mask, m))
		return;
	for (unsigned at = 0; at < all; at += size)
		memcpy(memory + at, w->at[at / size], size);
	if (f->lies_by_column != f->by_column) {
		turn(turned, memory, f->rows, f->columns, f->bits / 8);
		matrix = turned;
	}
	for (unsigned l = 0; l < WCP_LANES; l++)
		for (unsigned i = 0; i < f->n_reg; i++)
			memcpy(file + f->reg[i] + f->reg_bytes * l,
			    matrix + (l * f->n_reg + i) * f->reg_bytes % all, f->reg_bytes);
}

static void
store(RUN_ARGS)
{
	struct warp *w = run_warp(file);
	const struct exec_matrix *m = &w->code->matrix[in->b];
	const struct exec_fragment *f = &m->d;
	const unsigned size = w->code->mem[in->e].size, all = f->rows * f->columns * f->bits / 8;
	char held[MATRIX_BYTES], turned[MATRIX_BYTES];
	const char *matrix = held;
	if (!locate(w, in, mask, m))
		return;
	w->progress++;
	for (unsigned l = 0; l < WCP_LANES; l++)
		for (unsigned i = 0; i < f->n_reg; i++)
			memcpy(held + (l * f->n_reg + i) * f->reg_bytes % all,
			    file + f->reg[i] + f->reg_bytes * l, f->reg_bytes);
	if (f->lies_by_column != f->by_column) {
		turn(turned, held, f->columns, f->rows, f->bits / 8);
		matrix = turned;
	}
	for (unsigned at = 0; at < all; at += size)
		memcpy(w->at[at / size], matrix + at, size);
}

/* Rows of 8 x 8 matrices: lanes 0 to 7 have the addresses of the first's, and
 * so on. */
static bool
locate_rows(struct warp *w, const struct insn *in, uint32_t mask, unsigned n)
{
	const struct mem_op *op = &w->code->mem[in->e];
	if (!is_whole(w, in, mask))
		return false;
	const uint64_t *a = run_addresses(in, w->file, op->addr_bytes, w->addr);
	for (unsigned l = WCP_LANES; l-- > 0;)
		w->addr[l] = a[l % (8 * n)];
	return LEVELED(run_reach)(in, w->file, mask, w->addr) &&
	       (!w->cta->shared_written || exec_check_shared(w, in, mask, op->kind == WCP_STORE));
}

static void
load_rows(RUN_ARGS)
{
	struct warp *w = run_warp(file);
	const struct exec_matrix *m = &w->code->matrix[in->b];
	if (!locate_rows(w, in, mask, m->d.n_reg))
		return;
	for (unsigned i = 0; i < m->d.n_reg; i++)
		for (unsigned l = 0; l < WCP_LANES; l++) {
			char *d = file + m->d.reg[i] + 4 * l;
			char *const *row = w->at + 8 * i;
			if (m->transposed) {
				memcpy(d, row[2 * (l % 4)] + 2 * (l / 4), 2);
				memcpy(d + 2, row[2 * (l % 4) + 1] + 2 * (l / 4), 2);
			} else {
				memcpy(d, row[l / 4] + 4 * (l % 4), 4);
			}
		}
}

static void
store_rows(RUN_ARGS)
{
	struct warp *w = run_warp(file);
	const struct exec_matrix *m = &w->code->matrix[in->b];
	if (!locate_rows(w, in, mask, m->d.n_reg))
		return;
	w->progress++;
	for (unsigned i = 0; i < m->d.n_reg; i++)
		for (unsigned l = 0; l < WCP_LANES; l++) {
			const char *d = file + m->d.reg[i] + 4 * l;
			char *const *row = w->at + 8 * i;
			if (m->transposed) {
				memcpy(row[2 * (l % 4)] + 2 * (l / 4), d, 2);
				memcpy(row[2 * (l % 4) + 1] + 2 * (l / 4), d + 2, 2);
			} else {
				memcpy(row[l / 4] + 4 * (l % 4), d, 4);
			}
		}
}

extern lane_fn *const LEVELED(run_matrix)[MATRIX_COUNT];
lane_fn *const LEVELED(run_matrix)[MATRIX_COUNT] = {[MATRIX_LOAD] = load,
    [MATRIX_STORE] = store,
    [MATRIX_MMA] = multiply,
    [MATRIX_QUADS] = multiply_quads,
    [MATRIX_LOAD_8X8] = load_rows,
    [MATRIX_STORE_8X8] = store_rows,
    [MATRIX_MOVE] = transpose};
