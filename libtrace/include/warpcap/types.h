/* The vocabulary that streams, executor, models and tools share. */
#ifndef WARPCAP_TYPES_H
#define WARPCAP_TYPES_H

#include <stdint.h>

#define WCP_LANES	 32 /* threads of a warp */
#define WCP_FULL_MASK	 0xffffffffu
#define WCP_LINE_BYTES	 128u /* default line of the memory hierarchy */
#define WCP_SECTOR_BYTES 32u
#define WCP_NONE32	 0xffffffffu /* "no such id" for kernel, program, cta */
#define WCP_NONE16	 0xffffu     /* "no such id" for sm, slot, register */

enum wcp_space {
	WCP_SPACE_NONE, /* not a memory instruction */
	WCP_SPACE_GLOBAL,
	WCP_SPACE_SHARED,
	WCP_SPACE_LOCAL,
	WCP_SPACE_CONST,
	WCP_SPACE_PARAM,
	WCP_SPACE_GENERIC, /* only in a static program: each execution says the space it hit */
	WCP_SPACE_TEXTURE,
	WCP_SPACE_SURFACE,
	WCP_SPACE_COUNT
};

enum wcp_access_kind {
	WCP_LOAD,
	WCP_STORE,
	WCP_ATOMIC, /* read-modify-write; returns a value */
	WCP_REDUCE, /* read-modify-write; nothing returns */
	WCP_PREFETCH,
	WCP_WRITEBACK, /* a dirty line leaves a level */
	WCP_FILL,      /* a line enters a level */
	WCP_KIND_COUNT
};

/* Latency classes. A machine file gives each its latency and initiation interval. */
enum wcp_op_class {
	WCP_OP_MOVE,	/* mov, selp, cvta, special registers */
	WCP_OP_INT,	/* integer add, logic, shift, compare, min/max, bit fields */
	WCP_OP_IMUL,	/* integer multiply and multiply-add */
	WCP_OP_IDIV,	/* integer divide and remainder */
	WCP_OP_FADD,	/* f32 add, sub, compare, min/max, neg, abs */
	WCP_OP_FMUL,	/* f32 mul, mad */
	WCP_OP_FMA,	/* f32 fma */
	WCP_OP_FDIV,	/* f32 div, rcp, sqrt, rounded as IEEE asks */
	WCP_OP_SFU,	/* the .approx functions */
	WCP_OP_HALF,	/* f16, bf16 arithmetic */
	WCP_OP_DADD,	/* f64 add, mul, fma, compare */
	WCP_OP_DDIV,	/* f64 div, rcp, sqrt */
	WCP_OP_CVT,	/* conversions */
	WCP_OP_TENSOR,	/* wmma, mma */
	WCP_OP_SHUFFLE, /* shfl, vote, match, activemask, redux */
	WCP_OP_LOAD,
	WCP_OP_STORE,
	WCP_OP_ATOMIC,	/* atom, red */
	WCP_OP_TEXTURE, /* tex, tld4, suld, sust */
	WCP_OP_BARRIER, /* bar, barrier */
	WCP_OP_FENCE,	/* membar, fence */
	WCP_OP_BRANCH,	/* bra, brx */
	WCP_OP_CALL,	/* call, ret within a kernel */
	WCP_OP_LAUNCH,	/* device-side kernel launch */
	WCP_OP_EXIT,	/* the thread ends: exit, ret of an entry, trap */
	WCP_OP_OTHER,
	WCP_OP_COUNT
};

/* Names as the filter language, reports and man pages spell them; "?" past the end. */
const char *wcp_space_name(enum wcp_space space);
const char *wcp_kind_name(enum wcp_access_kind kind);
const char *wcp_op_class_name(enum wcp_op_class op_class);

#endif
