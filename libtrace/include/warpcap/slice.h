/*
 * Slices of a shared cache, as GPUs divide their L2 among memory partitions: which slice an address
 * belongs to, and what address it has within it. Addresses go to slices by chunks; the choice is a
 * set function (setindex.h) of the chunk's number. Within a slice chunks are counted without gaps,
 * so that all sets of a slice are used.
 */
#ifndef WARPCAP_SLICE_H
#define WARPCAP_SLICE_H

#include "warpcap/setindex.h"

struct wcp_slice_options {
	uint32_t slices;      /* 1 to 65535; XOR and POLY: a power of two */
	uint32_t chunk_bytes; /* a power of two, at least 4 */
	enum wcp_index kind;  /* not FERMI */
	uint32_t polynomial;  /* as in struct wcp_index_options */
	uint32_t address_bits;
};

struct wcp_slice {
	struct wcp_setindex select;
};

/* WCP_EUSAGE for what cannot be. */
int wcp_slice_init(struct wcp_slice *s, const struct wcp_slice_options *o, struct wcp_error *e);
/* The slices of n addresses, and their addresses there, which may be NULL, or address itself. */
void wcp_slice_run(const struct wcp_slice *s, const uint64_t *address, size_t n, uint16_t *slice,
    uint64_t *within);
/* The address that is within's in a slice: the inverse. */
uint64_t wcp_slice_address(const struct wcp_slice *s, uint16_t slice, uint64_t within);

#endif
