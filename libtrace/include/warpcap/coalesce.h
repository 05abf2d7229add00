/*
 * Coalescing: the lanes' addresses of one warp memory instruction become transactions, one for each
 * line that is touched, as the load/store unit of an SM makes them from compute capability 2.0 on.
 * Every tool that counts or makes transactions of a WARP stream does it here.
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
	uint32_t line_bytes; /* power of two, 32 to 4096 */
	uint32_t
	    sector_bytes; /* power of two, at least 4 and line_bytes / 32, at most line_bytes */
};
#define WCP_COALESCE_DEFAULT ((struct wcp_coalesce){WCP_LINE_BYTES, WCP_SECTOR_BYTES})

/* 0, or WCP_EUSAGE for sizes outside of what is said above. */
int wcp_coalesce_check(const struct wcp_coalesce *c, struct wcp_error *e);

/* The addresses of one memory record, told as in struct wcp_warp_batch. */
struct wcp_mem {
	uint32_t mask; /* lanes that access */
	uint8_t shape; /* enum wcp_mem_shape */
	uint64_t base;
	int64_t stride, pitch;
	const uint64_t *addr; /* LIST: one address per lane of mask, in lane order */
};

/* Memory record i of a batch; addr stays the batch's. */
struct wcp_mem wcp_mem_of(const struct wcp_warp_batch *b, uint32_t i);

struct wcp_transaction {
	uint64_t line;	  /* byte address of the line's first byte */
	uint32_t sectors; /* bit i: sector i is touched */
	uint32_t lanes;	  /* bit i: lane i touches the line */
	uint32_t bytes;	  /* distinct bytes touched in the line */
};

/*
 * Every lane of m->mask moves bytes (wcp_insn.bytes; 0 counts as 1) from its address on. Writes the
 * transactions to out[WCP_COALESCE_MAX], in the order in which ascending lanes, and each lane's
 * ascending bytes, first touch the lines; returns how many: 0 only if no lane is active.
 */
uint32_t wcp_coalesce_mem(const struct wcp_coalesce *c, const struct wcp_mem *m, uint32_t bytes,
    struct wcp_transaction *out);

/*
 * The same for local memory, where m holds offsets in each thread's own memory. It is interleaved
 * by 4 bytes, so that lanes at the same offset share lines: offset o of lane l lies at local_base +
 * o / 4 * 128 + l * 4 + o % 4; give every warp a local_base of its own, a multiple of line_bytes.
 * The order is by ascending 4-byte words of the access, then lanes.
 */
uint32_t wcp_coalesce_local(const struct wcp_coalesce *c, const struct wcp_mem *m, uint32_t bytes,
    uint64_t local_base, struct wcp_transaction *out);

/* A local_base for each warp of a kernel: blocks of their own behind WCP_LOCAL_BASE, in order of
 * CTA and warp, a row of 128 bytes for each 4 bytes that a thread has. */
#define WCP_LOCAL_BASE 0x400000000000ull
uint64_t wcp_local_base(const struct wcp_kernel *k, uint32_t cta, uint32_t warp);

/* The two above for memory record i of a batch, by its space; for other spaces than local
 * local_base is not used. */
uint32_t wcp_coalesce(const struct wcp_coalesce *c, const struct wcp_warp_batch *b, uint32_t i,
    uint32_t bytes, uint64_t local_base, struct wcp_transaction *out);

/*
 * Shared memory record i of a batch, of bytes a lane: the passes that so many banks (1 to 64) of
 * 4-byte words need, the most distinct words that one of them has to give; lanes that want the same
 * word share it. *fewest, unless NULL, becomes the passes if the same number of words were spread
 * evenly: what is more are bank conflicts. 0 if no lane is active.
 */
uint32_t wcp_bank_passes(
    const struct wcp_warp_batch *b, uint32_t i, uint32_t bytes, uint32_t banks, uint32_t *fewest);

#endif
