/*
 * Batches: the structure of arrays in which records travel between readers, tools and writers.
 *
 * A batch owns its arrays; _reserve and _push grow them; _clear empties without freeing.
 * In a batch that a reader made, columns the caller did not ask for are NULL.
 */
#ifndef WARPCAP_BATCH_H
#define WARPCAP_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include "warpcap/error.h"
#include "warpcap/program.h"
#include "warpcap/types.h"

/* ---- WARP: what each warp executed ------------------------------------------------------- */

/*
 * A segment is an uninterrupted stretch of one warp of one CTA, in program order. It consists of
 *   runs    instructions at consecutive pcs under one active mask;
 *   guards  for each executed WCP_INSN_GUARDED instruction in order: the lanes left by its guard;
 *   mems    for each executed WCP_INSN_MEMORY instruction with a lane left, in order: its
 * addresses; events  what does not follow from the program, each at an instruction of the segment.
 * A warp's segments in stream order are its whole execution.
 */
enum wcp_seg_flags {
	WCP_SEG_CTA_BEGIN = 1 << 0, /* first segment of its CTA */
	WCP_SEG_CTA_END = 1 << 1,   /* last segment of its CTA */
	WCP_SEG_WARP_BEGIN = 1 << 2,
	WCP_SEG_WARP_END = 1 << 3, /* all its threads have ended */
};

/* How the lanes' addresses of one memory instruction are told. Lane l is active if its mask bit is
 * set. */
enum wcp_mem_shape {
	WCP_MEM_AFFINE, /* base + stride * l */
	WCP_MEM_TILE16, /* base + stride * (l % 16) + pitch * (l / 16) */
	WCP_MEM_TILE8,	/* the same with 8 */
	WCP_MEM_TILE4,
	WCP_MEM_TILE2,
	WCP_MEM_LIST, /* addr[mem_addr ...]: one address per active lane, in lane order */
	WCP_MEM_SHAPE_COUNT
};

enum wcp_mem_flags {
	WCP_MEM_MORE = 1 << 0, /* the next record belongs to the same execution: a generic access
				  hit two spaces */
};

enum wcp_event_kind {
	WCP_EVENT_BARRIER, /* arg = id | threads << 32, for a barrier whose operands are registers
			    */
	WCP_EVENT_LAUNCH,  /* arg = child kernel id; lane in aux */
	WCP_EVENT_REFUSED, /* arg = launch site: the alternative path was the one executed */
	WCP_EVENT_SPIN,	   /* the warp was rotated away from while it waited for memory */
	WCP_EVENT_WAIT, /* the warp waited for all kernels that its CTA had launched, tail launches
			   left out, and for what those launched; arg 0 */
	WCP_EVENT_COUNT
};

struct wcp_warp_batch {
	uint32_t kernel; /* wcp_kernel.id of every segment here */
	uint64_t warp_insns,
	    thread_insns; /* totals of the batch: sum of run_len; sum of lanes left by guards */

	uint32_t n_seg, cap_seg;
	uint32_t *seg_cta;  /* linear CTA index in the grid */
	uint16_t *seg_warp; /* warp index in the CTA */
	uint8_t *seg_flags; /* enum wcp_seg_flags */
	uint32_t
	    *seg_alt; /* 0: executed; else 1 + launch site whose refusal this would have been */
	/* [n_seg + 1]: first index of segment i in each list below; the last entry is the list's
	 * length */
	uint32_t *seg_run, *seg_guard, *seg_mem, *seg_event;

	uint32_t n_run, cap_run;
	uint32_t *run_pc, *run_len, *run_mask;

	uint32_t n_guard, cap_guard;
	uint32_t *guard_mask;

	uint32_t n_mem, cap_mem;
	uint32_t *mem_pc;   /* follows from the runs; filled for convenience */
	uint32_t *mem_mask; /* lanes that access; likewise */
	uint8_t *mem_shape; /* enum wcp_mem_shape */
	uint8_t *mem_space; /* enum wcp_space; never GENERIC */
	uint8_t *mem_flags; /* enum wcp_mem_flags */
	uint64_t
	    *mem_base; /* byte address in the space: global virtual, shared offset, local offset */
	int64_t *mem_stride, *mem_pitch; /* bytes */
	uint32_t *mem_addr;		 /* LIST: first index in addr */

	uint32_t n_addr, cap_addr;
	uint64_t *addr;

	uint32_t n_event, cap_event;
	uint8_t *event_kind; /* enum wcp_event_kind */
	uint8_t *event_lane;
	uint32_t *event_at; /* instruction of the segment, counted from 0, that it belongs to */
	uint64_t *event_arg;
};

void wcp_warp_batch_init(struct wcp_warp_batch *b);
void wcp_warp_batch_clear(struct wcp_warp_batch *b); /* empties, keeps memory */
void wcp_warp_batch_release(struct wcp_warp_batch *b);

/* Make room for n more; 0 or WCP_ESYS. */
int wcp_warp_batch_reserve_run(struct wcp_warp_batch *b, uint32_t n);
int wcp_warp_batch_reserve_guard(struct wcp_warp_batch *b, uint32_t n);
int wcp_warp_batch_reserve_mem(struct wcp_warp_batch *b, uint32_t n);
int wcp_warp_batch_reserve_addr(struct wcp_warp_batch *b, uint32_t n);
int wcp_warp_batch_reserve_event(struct wcp_warp_batch *b, uint32_t n);

/* Opens a segment after the lists' current ends; records appended from now on are its own. */
int wcp_warp_batch_segment(
    struct wcp_warp_batch *b, uint32_t cta, uint16_t warp, uint8_t flags, uint32_t alt);

/* Ends the last segment where the lists end now: sets entry n_seg of the seg_ lists. The writer and
 * _append take a batch either way; call it before handing a batch to anyone else. */
void wcp_warp_batch_end(struct wcp_warp_batch *b);

/* Appends segments [first, first + n) of src to dst; kernel ids must be equal. The totals
 * (warp_insns, thread_insns) of src are added when all of it is appended, else those of dst stay as
 * they are. */
int wcp_warp_batch_append(
    struct wcp_warp_batch *dst, const struct wcp_warp_batch *src, uint32_t first, uint32_t n);

/* Writes the address of each active lane of memory record i; other entries of address stay as they
 * are. */
void wcp_mem_expand(const struct wcp_warp_batch *b, uint32_t i, uint64_t address[WCP_LANES]);

/* ---- ACCESS: line transactions in an order ------------------------------------------------- */

enum wcp_access_flags {
	WCP_ACCESS_DIVERGENT = 1 << 0, /* its warp instruction touched more than two lines */
	WCP_ACCESS_FIRST = 1 << 1,     /* first transaction of its warp instruction */
	WCP_ACCESS_PREFETCH = 1 << 2,
	WCP_ACCESS_LOCK = 1 << 3,     /* part of a lock or spin */
	WCP_ACCESS_CRITICAL = 1 << 4, /* its core is stalled on it */
	WCP_ACCESS_UNCACHED = 1 << 5, /* the cache operator says to pass L1 */
	WCP_ACCESS_DIRTY = 1 << 6,    /* the victim was dirty */
};

/* What a level did with a transaction; four bits a level, level n in bits 4n..4n+3 of outcome. */
enum wcp_outcome {
	WCP_OUT_NONE, /* has not been there */
	WCP_OUT_HIT,
	WCP_OUT_MISS,	  /* the line was absent */
	WCP_OUT_SECTOR,	  /* the line was there, a sector was not */
	WCP_OUT_PENDING,  /* hit on a line still being filled: an MSHR merge */
	WCP_OUT_BYPASS,	  /* went past the level */
	WCP_OUT_REDIRECT, /* served by shared memory used as cache, hit */
	WCP_OUT_REDIRECT_MISS,
	WCP_OUT_FORWARD, /* a store passed on: write-through, write-evict */
	WCP_OUT_COUNT
};
#define WCP_OUTCOME(outcome, level)  (((outcome) >> (4 * (level))) & 15u)
#define WCP_OUTCOME_SET(level, what) ((uint32_t)(what) << (4 * (level)))

/* Column numbers, for projection and for the format; WCP_COL(x) is the bit in a column set. */
enum wcp_access_col {
	WCP_COL_CYCLE,
	WCP_COL_SM,
	WCP_COL_KERNEL,
	WCP_COL_CTA,
	WCP_COL_WARP,
	WCP_COL_SLOT,
	WCP_COL_PC,
	WCP_COL_LINE,
	WCP_COL_SECTORS,
	WCP_COL_LANES,
	WCP_COL_KIND,
	WCP_COL_SPACE,
	WCP_COL_FLAGS,
	WCP_COL_ID,
	WCP_COL_OUTCOME,
	WCP_COL_TAG,
	WCP_COL_VICTIM,
	WCP_COL_VICTIM_OWNER,
	WCP_COL_BYTES,
	WCP_ACCESS_COLS
};
#define WCP_COL(name) (1u << WCP_COL_##name)
#define WCP_COLS_ALL  ((1u << WCP_ACCESS_COLS) - 1)

struct wcp_access_batch {
	uint32_t n, cap;
	uint64_t
	    *cycle; /* core clock at acceptance; the record's number where the stream has no time */
	uint16_t *sm;	  /* SM, or core of a CPU; WCP_NONE16 if none was assigned */
	uint32_t *kernel; /* wcp_kernel.id */
	uint32_t *cta;	  /* linear CTA index in the grid */
	uint16_t *warp;	  /* warp index in the CTA */
	uint16_t *slot;	  /* hardware warp slot on the SM, WCP_NONE16 if unknown */
	uint32_t *pc;
	uint64_t *line;		/* byte address of the line's first byte */
	uint32_t *sectors;	/* bit i: sector i of the line is touched */
	uint32_t *lanes;	/* bit i: lane i takes part */
	uint8_t *kind;		/* enum wcp_access_kind */
	uint8_t *space;		/* enum wcp_space */
	uint16_t *flags;	/* enum wcp_access_flags */
	uint64_t *id;		/* request id, unique in the stream */
	uint32_t *outcome;	/* WCP_OUTCOME */
	uint32_t *tag;		/* loop iteration, slab or block number; 0 if none */
	uint64_t *victim;	/* line evicted by this access, all ones if none */
	uint32_t *victim_owner; /* hardware slot or warp that had brought the victim, WCP_NONE32 if
				   none */
	uint16_t *bytes;	/* bytes touched in the line, 0 if not known */
};

void wcp_access_batch_init(struct wcp_access_batch *b);
void wcp_access_batch_clear(struct wcp_access_batch *b);
void wcp_access_batch_release(struct wcp_access_batch *b);
/* Room for n more records in every column; 0 or WCP_ESYS. New records' columns are the caller's to
 * fill. */
int wcp_access_batch_reserve(struct wcp_access_batch *b, uint32_t n);
/* Copies records first..first+n of src, or those listed in index[n], to the end of dst. A column
 * that src lacks becomes its default (0, or "none"). */
int wcp_access_batch_append(
    struct wcp_access_batch *dst, const struct wcp_access_batch *src, uint32_t first, uint32_t n);
int wcp_access_batch_gather(struct wcp_access_batch *dst, const struct wcp_access_batch *src,
    const uint32_t *index, uint32_t n);

#endif
