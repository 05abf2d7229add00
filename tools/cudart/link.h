/*
 * What warpcap and the runtime inside the program say to each other: warpcap says over a local
 * socket how to run, the runtime then says what it ran through memory that both share, and a byte
 * over the socket says that something lies there. Both ends are built together and run on one
 * machine, so structs travel as they lie in memory; strings and arrays follow them.
 */
#ifndef CUDART_LINK_H
#define CUDART_LINK_H

#include <stdint.h>
#include "warpcap/batch.h"
#include "warpcap/program.h"

/* The environment variable that names the socket: an abstract name, without its leading NUL. */
#define LINK_ENVIRONMENT "WARPCAP_LINK"
#define LINK_VERSION	 2u
#define LINK_BYTES_MAX	 (1u << 30) /* of a message; longer ones are damage */

enum link_kind {
	LINK_SETTINGS,	 /* warpcap to runtime, first: struct link_settings */
	LINK_HELLO,	 /* runtime to warpcap, first, over the socket: struct link_hello */
	LINK_PROGRAM,	 /* struct link_program, insn, reg, strings, name */
	LINK_KERNEL,	 /* struct wcp_kernel, name */
	LINK_WARP,	 /* struct link_warp, columns */
	LINK_KERNEL_END, /* struct wcp_kernel_end */
	LINK_HOST,	 /* struct wcp_host_op, label */
	LINK_NOTE,	 /* struct link_note, text */
	LINK_BYE,	 /* struct link_bye: the program ends in order */
	LINK_SKIP,	 /* nothing: the next message begins at the ring's start */
	LINK_PART,	 /* bytes of a message that is too long for the ring; they come in order */
};

struct link_head {
	uint32_t kind;	/* enum link_kind */
	uint32_t bytes; /* that follow */
};

/* The device that programs are told of. */
struct link_device {
	char name[128];
	uint64_t memory_bytes;
	uint32_t capability; /* 121 for 12.1 */
	uint32_t sms, warp_size;
	uint32_t max_threads_per_block, max_threads_per_sm, max_blocks_per_sm;
	uint32_t regs_per_sm, regs_per_block;
	uint32_t shared_per_sm, shared_per_block, shared_per_block_optin, shared_reserved;
	uint32_t l2_bytes, const_bytes;
	uint32_t core_khz, memory_khz, bus_bits;
};

/*
 * Memory that the runtime shares with warpcap, its descriptor sent along with LINK_HELLO: messages,
 * each in one piece, from buffer[put % LINK_RING_BYTES] on. When the process is gone, however it
 * went, warpcap takes what it had put.
 */
#define LINK_RING_BYTES (4u << 20)
/* The longest message, its head included; longer ones come as several LINK_PART. */
#define LINK_PIECE_BYTES (LINK_RING_BYTES / 2)
struct link_ring {
	_Alignas(64) uint64_t put;   /* bytes so far, whole messages: the runtime's */
	_Alignas(64) uint64_t taken; /* of these, done with: warpcap's */
	_Alignas(64) uint32_t rung;  /* warpcap has been told, and has not looked since */
	uint32_t waiting;	     /* futex: 1 while the runtime sleeps until there is room */
	uint32_t eager; /* others wait for this process: warpcap is told of all at once */
	_Alignas(64) char buffer[LINK_RING_BYTES];
};

enum link_settings_flags {
	LINK_RECORD = 1 << 0,
	LINK_RELAXED = 1 << 1,
	LINK_CHECK_SHARED = 1 << 2,
	LINK_CHECK_MEMORY = 1 << 3,
	LINK_CTAS = 1 << 4, /* the range of CTAs holds */
	LINK_CHECK_SYNC = 1 << 7,
	LINK_WINDOW = 1 << 5, /* record only between cudaProfilerStart and cudaProfilerStop */
	LINK_ALTERNATIVES = 1 << 6,
};

struct link_settings {
	uint32_t version; /* LINK_VERSION */
	uint32_t flags;	  /* enum link_settings_flags */
	uint32_t threads;
	int32_t verbose;
	uint64_t launch_first, launch_last; /* record only these, from 0, last included */
	uint64_t cta_first, cta_last;
	uint64_t skip_insns, max_insns, limit_insns; /* of a launch, in thread instructions */
	uint64_t limit_warp_insns;		     /* of a warp */
	char kernel[256];			     /* fnmatch(3) pattern, "": all */
	struct link_device device;
};

struct link_hello {
	uint32_t version;
	int32_t pid;
};

struct link_program {
	uint32_t id, n_insn, n_reg, n_string;
};

enum link_level {
	LINK_LEVEL_ERROR, /* a kernel misbehaved, a check failed */
	LINK_LEVEL_WARNING,
	LINK_LEVEL_VERBOSE, /* with -v */
};

struct link_note {
	uint32_t level; /* enum link_level */
	uint32_t fault; /* not 0: a kernel stopped before its end */
};

struct link_bye {
	uint32_t partial; /* some launches were not recorded, or not whole */
	uint32_t found;	  /* how many things checks found */
	uint64_t launches;
};

struct link_warp {
	uint32_t kernel;
	uint32_t n_seg, n_run, n_guard, n_mem, n_addr, n_event;
	uint32_t pad;
	uint64_t warp_insns, thread_insns;
};

/* A column of a batch: where the batch keeps its pointer, and the bytes it has. */
struct link_column {
	void **at;
	uint64_t bytes;
};
#define LINK_COLUMNS 26

/* Each column begins at a multiple of 8 bytes. */
static inline uint64_t
link_padded(uint64_t bytes)
{
	return (bytes + 7) & ~(uint64_t)7;
}

/* The columns in the order they travel, under the counts of head. */
static inline void
link_columns(
    struct wcp_warp_batch *b, const struct link_warp *head, struct link_column column[LINK_COLUMNS])
{
	const uint64_t seg = head->n_seg, run = head->n_run, mem = head->n_mem,
		       event = head->n_event;
	const struct link_column all[LINK_COLUMNS] = {
	    {(void **)(void *)&b->seg_cta, 4 * seg},
	    {(void **)(void *)&b->seg_warp, 2 * seg},
	    {(void **)(void *)&b->seg_flags, seg},
	    {(void **)(void *)&b->seg_alt, 4 * seg},
	    {(void **)(void *)&b->seg_run, 4 * (seg + 1)},
	    {(void **)(void *)&b->seg_guard, 4 * (seg + 1)},
	    {(void **)(void *)&b->seg_mem, 4 * (seg + 1)},
	    {(void **)(void *)&b->seg_event, 4 * (seg + 1)},
	    {(void **)(void *)&b->run_pc, 4 * run},
	    {(void **)(void *)&b->run_len, 4 * run},
	    {(void **)(void *)&b->run_mask, 4 * run},
	    {(void **)(void *)&b->guard_mask, 4 * (uint64_t)head->n_guard},
	    {(void **)(void *)&b->mem_pc, 4 * mem},
	    {(void **)(void *)&b->mem_mask, 4 * mem},
	    {(void **)(void *)&b->mem_shape, mem},
	    {(void **)(void *)&b->mem_space, mem},
	    {(void **)(void *)&b->mem_flags, mem},
	    {(void **)(void *)&b->mem_base, 8 * mem},
	    {(void **)(void *)&b->mem_stride, 8 * mem},
	    {(void **)(void *)&b->mem_pitch, 8 * mem},
	    {(void **)(void *)&b->mem_addr, 4 * mem},
	    {(void **)(void *)&b->addr, 8 * (uint64_t)head->n_addr},
	    {(void **)(void *)&b->event_kind, event},
	    {(void **)(void *)&b->event_lane, event},
	    {(void **)(void *)&b->event_at, 4 * event},
	    {(void **)(void *)&b->event_arg, 8 * event},
	};
	for (int i = 0; i < LINK_COLUMNS; i++)
		column[i] = all[i];
}

#endif
