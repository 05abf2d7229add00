/*
 * Binary floating point of any format on integers, for references: a value is (-1)^negative
 * magnitude 2^exponent. Slow and plain; shares nothing with the lane operations.
 */
#ifndef TESTS_LANES_SOFT_H
#define TESTS_LANES_SOFT_H

#include <stdbool.h>
#include <stdint.h>

typedef unsigned __int128 soft_mag;

struct soft_format {
	int ebits, mbits;
	uint64_t nan; /* canonical */
};
static const struct soft_format SOFT_F16 = {5, 10, 0x7fff};
static const struct soft_format SOFT_BF16 = {8, 7, 0x7fff};
static const struct soft_format SOFT_F32 = {8, 23, 0x7fffffff};
static const struct soft_format SOFT_F64 = {11, 52, 0xfff8000000000000u};

enum soft_mode { SOFT_RN, SOFT_RZ, SOFT_RM, SOFT_RP };

struct soft {
	bool nan, inf, negative;
	soft_mag mag;
	int exp;
};

static inline int
soft_bias(struct soft_format f)
{
	return (1 << (f.ebits - 1)) - 1;
}

static inline struct soft
soft_decode(uint64_t bits, struct soft_format f)
{
	uint64_t field = bits >> f.mbits & ((1u << f.ebits) - 1);
	uint64_t mantissa = bits & (((uint64_t)1 << f.mbits) - 1);
	struct soft x = {.negative = bits >> (f.ebits + f.mbits) & 1};
	if (field == (1u << f.ebits) - 1) {
		x.nan = mantissa != 0;
		x.inf = mantissa == 0;
		return x;
	}
	x.mag = field ? mantissa | (uint64_t)1 << f.mbits : mantissa;
	x.exp = (field ? (int)field : 1) - soft_bias(f) - f.mbits;
	return x;
}

static inline struct soft
soft_integer(bool negative, uint64_t magnitude)
{
	return (struct soft){.negative = negative, .mag = magnitude};
}

/* Drops n low bits, rounding. */
static inline soft_mag
soft_shift(soft_mag m, int n, bool negative, enum soft_mode mode)
{
	if (n <= 0)
		return m << -n;
	soft_mag kept = n > 127 ? 0 : m >> n, lost = n > 127 ? m : m - (kept << n);
	bool above, tie;
	soft_mag half = (soft_mag)1 << ((n > 127 ? 127 : n) - 1);
	above = n <= 127 && lost > half;
	tie = n <= 127 && lost == half;
	switch (mode) {
	case SOFT_RN: return kept + (above || (tie && (kept & 1)));
	case SOFT_RZ: return kept;
	case SOFT_RM: return kept + (negative && lost);
	case SOFT_RP: return kept + (!negative && lost);
	}
	return kept;
}

static inline int
soft_length(soft_mag m)
{
	int n = 0;
	for (; m; m >>= 1)
		n++;
	return n;
}

static inline uint64_t
soft_encode(struct soft x, struct soft_format f, enum soft_mode mode)
{
	uint64_t sign = (uint64_t)x.negative << (f.ebits + f.mbits);
	uint64_t infinity = (((uint64_t)1 << f.ebits) - 1) << f.mbits;
	int lowest = 1 - soft_bias(f) - f.mbits, length = soft_length(x.mag);
	int quantum = x.exp + length - 1 - f.mbits;
	bool to_max = mode == SOFT_RZ || mode == (x.negative ? SOFT_RP : SOFT_RM);
	if (x.nan)
		return f.nan;
	if (x.inf)
		return sign | infinity;
	if (quantum < lowest)
		quantum = lowest;
	soft_mag m = soft_shift(x.mag, quantum - x.exp, x.negative, mode);
	if (m >> (f.mbits + 1)) {
		m >>= 1;
		quantum++;
	}
	if (!(m >> f.mbits))
		return sign | (uint64_t)m;
	if (quantum - lowest + 1 >= (1 << f.ebits) - 1)
		return sign | (to_max ? infinity - 1 : infinity);
	return sign | (((uint64_t)(quantum - lowest) << f.mbits) + (uint64_t)m);
}

/* Brings both to one exponent; what is too far below becomes a sticky bit. Magnitudes below 2^56.
 */
static inline void
soft_align(struct soft *x, struct soft *y)
{
	struct soft *high = x->exp + soft_length(x->mag) >= y->exp + soft_length(y->mag) ? x : y;
	struct soft *low = high == x ? y : x;
	int room = 124 - soft_length(high->mag);
	if (high->mag == 0 || low->mag == 0) {
		if (low->mag == 0)
			low->exp = high->exp;
		else
			high->exp = low->exp;
		return;
	}
	if (high->exp < low->exp) {
		low->mag <<= low->exp - high->exp;
		low->exp = high->exp;
		return;
	}
	if (high->exp - low->exp > room) {
		int drop = high->exp - low->exp - room;
		soft_mag kept = drop > 127 ? 0 : low->mag >> drop;
		low->mag = kept | (drop > 127 || (kept << drop) != low->mag);
		low->exp += drop;
	}
	high->mag <<= high->exp - low->exp;
	high->exp = low->exp;
}

/* A sum that is exactly zero is +0, or -0 rounding down, unless both are of one sign. */
static inline struct soft
soft_add(struct soft x, struct soft y, enum soft_mode mode)
{
	struct soft r = {.nan = x.nan || y.nan || (x.inf && y.inf && x.negative != y.negative)};
	if (r.nan || x.inf)
		return r.nan ? r : x;
	if (y.inf)
		return y;
	soft_align(&x, &y);
	r.exp = x.exp;
	if (x.negative == y.negative) {
		r.negative = x.negative;
		r.mag = x.mag + y.mag;
	} else if (x.mag == y.mag) {
		r.negative = mode == SOFT_RM;
	} else {
		r.negative = x.mag > y.mag ? x.negative : y.negative;
		r.mag = x.mag > y.mag ? x.mag - y.mag : y.mag - x.mag;
	}
	return r;
}

static inline struct soft
soft_negate(struct soft x)
{
	x.negative = !x.negative;
	return x;
}

static inline struct soft
soft_mul(struct soft x, struct soft y)
{
	struct soft r = {.negative = x.negative != y.negative};
	r.nan = x.nan || y.nan || (x.inf && !y.inf && !y.mag) || (y.inf && !x.inf && !x.mag);
	r.inf = x.inf || y.inf;
	r.mag = x.mag * y.mag;
	r.exp = x.exp + y.exp;
	return r;
}

static inline struct soft
soft_div(struct soft x, struct soft y)
{
	struct soft r = {.negative = x.negative != y.negative};
	bool x_zero = !x.inf && !x.nan && !x.mag, y_zero = !y.inf && !y.nan && !y.mag;
	r.nan = x.nan || y.nan || (x.inf && y.inf) || (x_zero && y_zero);
	r.inf = x.inf || y_zero;
	if (r.nan || r.inf || y.inf || x_zero)
		return r;
	int up = 120 - soft_length(x.mag);
	soft_mag n = x.mag << up;
	r.mag = n / y.mag << 1 | (n % y.mag != 0);
	r.exp = x.exp - up - y.exp - 1;
	return r;
}

static inline struct soft
soft_sqrt(struct soft x)
{
	struct soft r = {.negative = x.negative};
	r.nan = x.nan || (x.negative && (x.inf || x.mag));
	if (r.nan || x.inf || !x.mag)
		return r.nan ? r : x;
	int up = 122 - soft_length(x.mag);
	up += (x.exp - up) & 1;
	soft_mag n = x.mag << up, root = 0;
	for (int bit = 62; bit >= 0; bit--) {
		soft_mag t = root | (soft_mag)1 << bit;
		if (t * t <= n)
			root = t;
	}
	r.mag = root << 1 | (root * root != n);
	r.exp = (x.exp - up) / 2 - 1;
	return r;
}

/* -1, 0, 1; 2 when unordered */
static inline int
soft_compare(struct soft x, struct soft y)
{
	if (x.nan || y.nan)
		return 2;
	struct soft d = x.inf || y.inf ? (struct soft){0} : soft_add(x, soft_negate(y), SOFT_RN);
	if (x.inf || y.inf) {
		int sx = x.inf ? (x.negative ? -1 : 1) : 0, sy = y.inf ? (y.negative ? -1 : 1) : 0;
		return (sx > sy) - (sx < sy);
	}
	return d.mag == 0 ? 0 : d.negative ? -1 : 1;
}

static inline uint64_t
soft_flush(uint64_t bits, struct soft_format f)
{
	uint64_t infinity = (((uint64_t)1 << f.ebits) - 1) << f.mbits;
	return bits & infinity ? bits : bits & (uint64_t)1 << (f.ebits + f.mbits);
}

/* Zero when, rounded as if exponents had no lower end, it is still below the smallest normal
 * number: how x86 flushes. */
static inline uint64_t
soft_flushed(struct soft x, struct soft_format f, enum soft_mode mode)
{
	struct soft_format wide = {15, f.mbits, 0};
	uint64_t smallest = (uint64_t)(soft_bias(wide) + 1 - soft_bias(f)) << f.mbits;
	uint64_t magnitude = soft_encode((struct soft){.mag = x.mag, .exp = x.exp}, wide,
	    mode == SOFT_RN || mode == SOFT_RZ ? mode
	    : (mode == SOFT_RP) == !x.negative ? SOFT_RP
					       : SOFT_RZ);
	if (!x.nan && !x.inf && magnitude < smallest)
		return (uint64_t)x.negative << (f.ebits + f.mbits);
	return soft_encode(x, f, mode);
}

/* To an integral value in the mode given, then clamped to [low, high]; NaN gives nan */
static inline uint64_t
soft_to_integer(struct soft x, enum soft_mode mode, __int128 low, __int128 high, uint64_t nan)
{
	soft_mag m;
	if (x.nan)
		return nan;
	if (x.inf || (x.mag && x.exp + soft_length(x.mag) > 100))
		return (uint64_t)(x.negative ? low : high);
	m = soft_shift(x.mag, -x.exp, x.negative, mode);
	__int128 v = x.negative ? -(__int128)m : (__int128)m;
	return (uint64_t)(v < low ? low : v > high ? high : v);
}

/* To an integral value, still a float */
static inline struct soft
soft_integral(struct soft x, enum soft_mode mode)
{
	if (x.nan || x.inf || x.exp >= 0)
		return x;
	x.mag = soft_shift(x.mag, -x.exp, x.negative, mode);
	x.exp = 0;
	return x;
}

#endif
