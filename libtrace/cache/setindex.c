#include <string.h>
#include "warpcap/setindex.h"

const char *
wcp_index_name(enum wcp_index kind)
{
	static const char *const name[] = {"modulo", "xor", "fermi", "poly"};
	return (unsigned)kind < WCP_INDEX_COUNT ? name[kind] : "?";
}

static unsigned
degree(uint64_t polynomial)
{
	return 63u - (unsigned)__builtin_clzll(polynomial);
}

/* Remainder of a by b over GF(2); b is not 0. */
static uint64_t
gf2_mod(uint64_t a, uint64_t b)
{
	while (a && degree(a) >= degree(b))
		a ^= b << (degree(a) - degree(b));
	return a;
}

bool
wcp_gf2_irreducible(uint32_t polynomial)
{
	if (polynomial < 2)
		return false;
	unsigned half = degree(polynomial) / 2;
	for (uint64_t factor = 2; factor < 2ull << half; factor++)
		if (!gf2_mod(polynomial, factor))
			return false;
	return true;
}

uint32_t
wcp_gf2_smallest(unsigned bits)
{
	uint32_t p = 1u << bits;
	while (!wcp_gf2_irreducible(p))
		p++;
	return p;
}

/* Column by column: the set of the line with only bit i is what that bit contributes. */
static uint64_t
contribution(const struct wcp_setindex *x, unsigned i)
{
	const struct wcp_index_options *o = &x->options;
	uint64_t low = i < x->bits ? 1ull << i : 0;
	switch (o->kind) {
	case WCP_INDEX_XOR: return i < 2 * x->bits ? 1ull << i % x->bits : 0;
	case WCP_INDEX_FERMI: {
		/* A[11:7] xor {A19,A17,A15,A14,A13}; A12 is bit 5 of 64 sets */
		static const unsigned char upper[5] = {13 - 7, 14 - 7, 15 - 7, 17 - 7, 19 - 7};
		for (unsigned bit = 0; bit < 5; bit++)
			if (i == upper[bit])
				return 1ull << bit;
		return low;
	}
	case WCP_INDEX_POLY: {
		if (o->address_bits && i + x->line_shift >= o->address_bits)
			return 0;
		uint64_t rest = 1;
		for (unsigned k = 0; k < i; k++)
			rest = gf2_mod(rest << 1, o->polynomial);
		return rest;
	}
	case WCP_INDEX_MODULO:
	case WCP_INDEX_COUNT: break;
	}
	return low;
}

static void
fill_matrix(struct wcp_setindex *x)
{
	for (unsigned i = 0; i + x->line_shift < 64; i++) {
		uint64_t column = contribution(x, i);
		for (unsigned bit = 0; bit < x->bits; bit++)
			if (column >> bit & 1)
				x->row[bit] |= 1ull << (i + x->line_shift);
		for (unsigned value = 0; value < 256; value++)
			if (value >> (i & 7) & 1)
				x->part[i / 8][value] ^= (uint16_t)column;
	}
}

static int
check_polynomial(struct wcp_setindex *x, struct wcp_error *e)
{
	struct wcp_index_options *o = &x->options;
	if (!o->polynomial)
		o->polynomial = wcp_gf2_smallest(x->bits);
	if (degree(o->polynomial) != x->bits)
		return wcp_fail(e, WCP_EUSAGE,
		    "polynomial %u has degree %u, %llu sets need degree %u", o->polynomial,
		    degree(o->polynomial), (unsigned long long)o->sets, x->bits);
	if (o->address_bits && (o->address_bits <= x->line_shift || o->address_bits > 64))
		return wcp_fail(e, WCP_EUSAGE, "%u address bits cannot be hashed", o->address_bits);
	x->irreducible = wcp_gf2_irreducible(o->polynomial);
	return 0;
}

static int
check_hash(struct wcp_setindex *x, struct wcp_error *e)
{
	const struct wcp_index_options *o = &x->options;
	if (o->sets < 2 || o->sets & (o->sets - 1) || o->sets > 1u << WCP_INDEX_BITS_MAX)
		return wcp_fail(e, WCP_EUSAGE,
		    "index %s needs a power of two of sets, 2 to 65536, not %llu",
		    wcp_index_name(o->kind), (unsigned long long)o->sets);
	x->bits = degree(o->sets);
	if (o->kind == WCP_INDEX_FERMI &&
	    ((o->sets != 32 && o->sets != 64) || o->line_bytes != 128))
		return wcp_fail(e, WCP_EUSAGE,
		    "index fermi is known for 32 or 64 sets of 128-byte lines, not %llu of %u",
		    (unsigned long long)o->sets, o->line_bytes);
	return o->kind == WCP_INDEX_POLY ? check_polynomial(x, e) : 0;
}

/* Division by a number known beforehand (Granlund and Montgomery, PLDI 1994): with 2^s < sets <
 * 2^(s+1) and the reciprocal 2^(64+s) / sets rounded up, the quotient is exact below 2^63, and no
 * line number is above 2^62. */
static void
find_reciprocal(struct wcp_setindex *x)
{
	uint64_t sets = x->options.sets;
	x->reciprocal_shift = 63 - (uint32_t)__builtin_clzll(sets);
	if (sets & (sets - 1))
		x->reciprocal =
		    (uint64_t)(((unsigned __int128)1 << (64 + x->reciprocal_shift)) / sets) + 1;
}

int
wcp_setindex_init(struct wcp_setindex *x, const struct wcp_index_options *o, struct wcp_error *e)
{
	memset(x, 0, sizeof *x);
	x->options = *o;
	if ((unsigned)o->kind >= WCP_INDEX_COUNT)
		return wcp_fail(
		    e, WCP_EUSAGE, "index function %u does not exist", (unsigned)o->kind);
	if (o->line_bytes < 4 || o->line_bytes & (o->line_bytes - 1))
		return wcp_fail(
		    e, WCP_EUSAGE, "a line of %u bytes is no power of two from 4", o->line_bytes);
	if (!o->sets || o->sets > 1ull << 32)
		return wcp_fail(
		    e, WCP_EUSAGE, "a cache cannot have %llu sets", (unsigned long long)o->sets);
	x->line_shift = (uint32_t)__builtin_ctz(o->line_bytes);
	find_reciprocal(x);
	if (o->kind == WCP_INDEX_MODULO)
		return 0;
	int status = check_hash(x, e);
	if (!status)
		fill_matrix(x);
	return status;
}

static inline uint64_t
modulo(uint64_t a, uint64_t sets, uint64_t reciprocal, uint32_t shift)
{
	return a - ((uint64_t)((unsigned __int128)a * reciprocal >> 64) >> shift) * sets;
}

static uint64_t
hash_upper(const struct wcp_setindex *x, uint64_t upper)
{
	uint64_t hash = 0;
	for (unsigned byte = 3; byte < 8; byte++, upper >>= 8)
		hash ^= x->part[byte][upper & 255];
	return hash;
}

/* What stands above the lowest three bytes of neighbouring lines' numbers is mostly equal: hashed
 * once. */
static void
run_hashed(const struct wcp_setindex *x, const uint64_t *line_number, size_t n, uint64_t *set)
{
	uint64_t upper = 0, upper_hash = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t number = line_number[i];
		if (number >> 24 != upper) {
			upper = number >> 24;
			upper_hash = hash_upper(x, upper);
		}
		set[i] = upper_hash ^ x->part[0][number & 255] ^ x->part[1][number >> 8 & 255] ^
			 x->part[2][number >> 16 & 255];
	}
}

void
wcp_setindex_run(const struct wcp_setindex *x, const uint64_t *line_number, size_t n, uint64_t *set)
{
	uint64_t sets = x->options.sets;
	if (x->bits) {
		run_hashed(x, line_number, n, set);
	} else if ((sets & (sets - 1)) == 0) {
		for (size_t i = 0; i < n; i++)
			set[i] = line_number[i] & (sets - 1);
	} else {
		uint64_t reciprocal = x->reciprocal;
		uint32_t shift = x->reciprocal_shift;
		for (size_t i = 0; i < n; i++)
			set[i] = modulo(line_number[i], sets, reciprocal, shift);
	}
}
