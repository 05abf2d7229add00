/*
 * What is left of an SM's shared memory, as a cache (CIAO sec. IV-B). Lines of 128 bytes, mapped
 * directly; a line lies in 16 of the 32 banks of 8 bytes, its tag (25 bits of line number, 6 of the
 * warp that brought it) in one bank of the other 16, so that one access reads both. Each line thus
 * costs 132 bytes. How many there are is the largest power of two that fits.
 *
 * Lines are clean: what is written goes on to L2. This is tags only; MSHRs, the miss queue and the
 * replies are those of the L1 data cache beside it (warpcap/nbcache.h, WCP_NB_REDIRECT), and that
 * no line is in both at once is for the caller to see to.
 */
#ifndef WARPCAP_SMCACHE_H
#define WARPCAP_SMCACHE_H

#include <stdbool.h>
#include <stdint.h>
#include "warpcap/error.h"

enum { WCP_SMCACHE_LINE = 128, WCP_SMCACHE_TAG = 4, WCP_SMCACHE_ROW = 8 };

struct wcp_smcache;

/* Of an SM with so many bytes of shared memory; it begins without a line. NULL: WCP_ESYS. */
struct wcp_smcache *wcp_smcache_new(uint32_t shared_bytes, struct wcp_error *e);
void wcp_smcache_free(struct wcp_smcache *c);

/* Lines that so many unused bytes hold. */
uint32_t wcp_smcache_lines(uint32_t unused_bytes);
/* Empties it; from now on it lies in unused bytes from first on, no more than the SM has. */
void wcp_smcache_resize(struct wcp_smcache *c, uint32_t first, uint32_t unused_bytes);
uint32_t wcp_smcache_capacity(const struct wcp_smcache *c); /* lines */

/* line is a byte address in it. */
bool
wcp_smcache_find(const struct wcp_smcache *c, uint64_t line, uint32_t *owner); /* may be NULL */
/* A line has come. True: it took the place of *victim, which *owner had brought. Without capacity
 * nothing happens. */
bool wcp_smcache_fill(
    struct wcp_smcache *c, uint64_t line, uint32_t owner, uint64_t *victim, uint32_t *victim_owner);
/* Takes a line out; false: it is not there. */
bool wcp_smcache_drop(struct wcp_smcache *c, uint64_t line);

/* A place in shared memory (Fig. 7c), lowest bits of its address first. */
struct wcp_smcache_place {
	uint32_t offset; /* F: byte in the bank's row, 3 bits */
	uint32_t bank;	 /* B: in its group, 4 bits */
	uint32_t group;	 /* G: 1 bit */
	uint32_t row;	 /* R: 8 bits on an SM with 64 KiB */
};
/* Where a byte of a line and the line's tag lie when it is there. There is capacity. */
void wcp_smcache_translate(const struct wcp_smcache *c, uint64_t address,
    struct wcp_smcache_place *data, struct wcp_smcache_place *tag);

#endif
