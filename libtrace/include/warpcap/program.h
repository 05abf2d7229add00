/*
 * What does not change while a kernel runs: its static program, the descriptor of one launch, what
 * the host did between launches, and the totals that close a launch or a stream.
 * All structs here are plain; strings and arrays belong to whoever filled the struct.
 */
#ifndef WARPCAP_PROGRAM_H
#define WARPCAP_PROGRAM_H

#include "warpcap/types.h"

enum wcp_insn_flags {
	WCP_INSN_GUARDED =
	    1 << 0, /* @p or @!p, branches too: the stream has a guard mask for each execution */
	WCP_INSN_MEMORY =
	    1 << 1, /* the stream has a memory record for each execution with a lane active */
	WCP_INSN_VOLATILE = 1 << 2, /* volatile, relaxed or stronger */
	WCP_INSN_UNCACHED = 1 << 3, /* .cg, .cv, .cs: the cache operator says to pass L1 */
	WCP_INSN_READONLY = 1 << 4, /* ld.global.nc, ld.const */
	WCP_INSN_END_RUN =
	    1 << 5, /* control may go elsewhere after it: branch, call, return, exit, barrier */
};

#define WCP_DYNAMIC 0xffffu /* barrier id or count that is a register: see WCP_EVENT_BARRIER */

/* One instruction of a static program; its pc is its index in wcp_program.insn. */
struct wcp_insn {
	uint32_t opcode;    /* byte offset of the full spelling ("fma.rn.f32") in strings */
	uint8_t op_class;   /* enum wcp_op_class */
	uint8_t space;	    /* enum wcp_space */
	uint8_t kind;	    /* enum wcp_access_kind, meaningful with WCP_INSN_MEMORY */
	uint8_t ndst, nsrc; /* registers written, then read (guard and address included) */
	uint8_t pad;
	uint16_t flags;	    /* enum wcp_insn_flags */
	uint16_t bytes;	    /* bytes a lane moves, all vector elements together */
	uint16_t bar_id;    /* barrier resource, WCP_DYNAMIC, 0 if no barrier */
	uint16_t bar_count; /* threads that take part, 0: all of the CTA */
	uint32_t
	    target; /* pc of a branch's or direct call's target, WCP_NONE32 if none or indirect */
	uint32_t reconverge; /* pc where a branch's sides meet again, WCP_NONE32 if they never do */
	uint32_t regs;	     /* first of ndst + nsrc ids in wcp_program.reg */
	uint32_t file;	     /* byte offset in strings, WCP_NONE32 if the PTX has no .loc here */
	uint32_t line;	     /* line in that file */
	uint32_t ptx_line;   /* line in the PTX text */
};

struct wcp_program {
	uint32_t id;	  /* unique in the stream, dense from 0 */
	const char *name; /* of the entry function */
	uint32_t n_insn;
	const struct wcp_insn *insn;
	uint32_t n_reg;	     /* length of reg */
	const uint16_t *reg; /* register ids: unique in the program, predicates included */
	uint32_t n_string;   /* bytes of strings */
	const char *strings; /* NUL-terminated texts, one after the other */
};

enum wcp_kernel_flags {
	WCP_KERNEL_ORDERED =
	    1 << 0, /* its CTAs ran one after the other: an atomic's result was used */
	WCP_KERNEL_SPINS = 1 << 1, /* a warp waited for memory that another wrote */
	WCP_KERNEL_COOPERATIVE = 1 << 2,
	WCP_KERNEL_PARTIAL =
	    1 << 3, /* only a part was recorded (--cta, --skip, --max-insn, a fault) */
	WCP_KERNEL_REFUSED = 1 << 4, /* an alternative was recorded at its launch site */
};

/* Streams of a kernel's own launches with a meaning of their own, cudaStreamTailLaunch and
 * cudaStreamFireAndForget (CUDA Programming Guide, dynamic parallelism). */
enum {
	WCP_STREAM_TAIL =
	    3, /* one after the other, when the launching grid and all its others are done */
	WCP_STREAM_FORGET = 4, /* in no order */
};

/* One launch. Sizes are bytes, counts are per thread or per CTA as named. */
struct wcp_kernel {
	uint32_t id;	  /* unique in the stream, in launch order */
	uint32_t program; /* wcp_program.id; WCP_NONE32 in ACCESS streams that lost the program */
	const char *name;
	uint32_t grid[3], block[3];
	uint32_t regs_per_thread;
	uint32_t static_shared_bytes, dynamic_shared_bytes; /* per CTA */
	uint32_t local_bytes;				    /* per thread */
	uint32_t param_bytes;
	uint32_t flags;	 /* enum wcp_kernel_flags */
	uint64_t stream; /* 0 is the default stream */
	uint32_t depth;	 /* 0 for a host launch */
	uint32_t
	    parent; /* kernel id, WCP_NONE32 for a host launch; then the fields below say nothing */
	uint32_t parent_cta, parent_warp, parent_lane;
	uint32_t parent_pc;    /* the launch site */
	uint32_t launch_order; /* n-th launch of that parent thread */
	uint32_t site;	       /* launch-site number, joins alternatives to the child */
	uint64_t workload;     /* the program's own estimate at the launch site, 0: none */
};

struct wcp_kernel_end {
	uint32_t kernel;
	uint64_t warp_insns;   /* executed warp instructions, guarded-off ones included */
	uint64_t thread_insns; /* lanes active under run and guard mask, summed */
	uint64_t mem_insns;    /* warp memory instructions with at least one lane active */
	uint64_t ctas;
	uint64_t accesses; /* ACCESS records of the kernel; 0 in WARP streams */
};

enum wcp_host_kind {
	WCP_HOST_ALLOC,	      /* address, bytes, label */
	WCP_HOST_FREE,	      /* address */
	WCP_HOST_COPY_IN,     /* host to device: address, bytes */
	WCP_HOST_COPY_OUT,    /* device to host: address, bytes */
	WCP_HOST_COPY_DEVICE, /* address (to), bytes, value (from) */
	WCP_HOST_MEMSET,      /* address, bytes, value */
	WCP_HOST_SYNC,	      /* the host waited for stream value, WCP_NONE32: for all */
	WCP_HOST_EVENT,	      /* event address recorded in stream value */
	WCP_HOST_WAIT,	      /* stream value waits for event address */
	WCP_HOST_COUNT
};

struct wcp_host_op {
	enum wcp_host_kind kind;
	uint64_t address, bytes, value, stream;
	const char *label; /* buffer name, "" if none */
};

/* Of a stream; what was executed, alternatives left out, but for records. */
struct wcp_totals {
	uint64_t blocks;  /* data blocks */
	uint64_t records; /* ACCESS records, or runs + memory records of WARP */
	uint64_t kernels;
	uint64_t warp_insns, thread_insns, mem_insns, ctas;
	uint64_t accesses;
	uint32_t flags; /* enum wcp_end_flags */
};

enum wcp_end_flags {
	WCP_END_INTERRUPTED = 1 << 0, /* the writer was told to stop; what is here is whole */
	WCP_END_FAULT =
	    1 << 1, /* a kernel faulted; the stream ends before the faulting instruction */
	WCP_END_PARTIAL = 1 << 2, /* records were left out on purpose: filter, sample, slice */
};

#endif
