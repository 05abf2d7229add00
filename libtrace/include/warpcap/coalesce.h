/*
 * Coalescing: the lanes' addresses of one warp memory instruction become transactions, one for each
 * line that is touched. Every tool that counts or makes transactions of a WARP stream does it here.
 */
#ifndef WARPCAP_COALESCE_H
#define WARPCAP_COALESCE_H

#include "warpcap/batch.h"

enum {
	WCP_COALESCE_MAX = 544,	     /* most transactions of one memory record */
	WCP_COALESCE_BYTES_MAX = 64, /* most bytes a lane moves; more is cut to this */
	WCP_DIVERGENT_LINES = 2,     /* an instruction that touches more lines is divergent */
};

struct wcp_coalesce {
	uint32_t line_bytes;   /* power of two, 32 to 1024 */
	uint32_t sector_bytes; /* power of two, at least line_bytes / 32, at most line_bytes */
};
#define WCP_COALESCE_DEFAULT ((struct wcp_coalesce){WCP_LINE_BYTES, WCP_SECTOR_BYTES})

struct wcp_transaction {
	uint64_t line;	  /* byte address of the line's first byte */
	uint32_t sectors; /* bit i: sector i is touched */
	uint32_t lanes;	  /* bit i: lane i touches the line */
	uint32_t
	    bytes; /* distinct bytes touched, each lane's access taken as aligned to its size */
};

/*
 * Writes the transactions of memory record i to out[WCP_COALESCE_MAX], in the order in which the
 * lanes first touch their lines, and returns how many: 0 only if no lane is active. bytes is what a
 * lane moves (wcp_insn.bytes). Local memory is interleaved by 4 bytes, so that lanes at the same
 * offset share lines: offset o of lane l lies at local_base + o / 4 * 128 + l * 4 + o % 4; give
 * every warp a local_base of its own, a multiple of line_bytes. For other spaces local_base is not
 * used.
 */
uint32_t wcp_coalesce(const struct wcp_coalesce *c, const struct wcp_warp_batch *b, uint32_t i,
    uint32_t bytes, uint64_t local_base, struct wcp_transaction *out);

#endif
