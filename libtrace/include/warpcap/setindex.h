/*
 * Which set of a cache an address belongs to. All functions but modulo are linear over GF(2): each
 * bit of the set is the parity of some address bits.
 */
#ifndef WARPCAP_SETINDEX_H
#define WARPCAP_SETINDEX_H

#include <stdbool.h>
#include <stddef.h>
#include "warpcap/error.h"

enum wcp_index {
	WCP_INDEX_MODULO, /* line number modulo sets; any number of sets */
	WCP_INDEX_XOR,	  /* the line number's low bits, xor the ones above them */
	WCP_INDEX_FERMI,  /* hash of Fermi's L1: 32 or 64 sets of 128-byte lines. Nugteren et al.,
			     HPCA 2014 */
	WCP_INDEX_POLY,	  /* line number as a polynomial over GF(2), modulo a polynomial. Rau, ISCA
			     1991 */
	WCP_INDEX_COUNT
};
const char *wcp_index_name(enum wcp_index kind); /* "?" past the end */

struct wcp_index_options {
	enum wcp_index kind;
	uint64_t sets;	       /* at least 1; XOR and POLY: a power of two, 2 to 65536 */
	uint32_t line_bytes;   /* a power of two, at least 4 */
	uint32_t polynomial;   /* POLY: bit i is the coefficient of x^i, degree log2(sets); 0: the
				  smallest irreducible */
	uint32_t address_bits; /* POLY: bits above are not hashed; 0: all 64 */
};

enum { WCP_INDEX_BITS_MAX = 16 };

struct wcp_setindex {
	struct wcp_index_options options; /* polynomial filled in */
	uint32_t line_shift;
	uint32_t bits;			  /* of a set, where hashed; else 0 */
	uint64_t reciprocal;		  /* modulo by no power of two: of sets */
	uint32_t reciprocal_shift;	  /* log2 of sets, rounded down */
	uint64_t row[WCP_INDEX_BITS_MAX]; /* [bits] H-matrix: address bits whose parity is bit i of
					     the set */
	uint16_t part[8][256];		  /* the same by bytes of the line number */
	bool irreducible;		  /* POLY: the polynomial is */
};

/* WCP_EUSAGE for geometry that the function does not have. A reducible polynomial is taken: see
 * irreducible. */
int
wcp_setindex_init(struct wcp_setindex *x, const struct wcp_index_options *o, struct wcp_error *e);

/* Sets of n lines given by their numbers (address / line_bytes). */
void wcp_setindex_run(
    const struct wcp_setindex *x, const uint64_t *line_number, size_t n, uint64_t *set);

/* Has a polynomial over GF(2) of degree 1 to 31 no factor but 1 and itself? */
bool wcp_gf2_irreducible(uint32_t polynomial);
/* The smallest irreducible one of a degree from 1 to 16. */
uint32_t wcp_gf2_smallest(unsigned degree);

#endif
