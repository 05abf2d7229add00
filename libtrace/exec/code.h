/*
 * A kernel lowered: its dense code with everything that does not change from warp to warp.
 * Made once (lower.c), shared by all threads, never written afterwards.
 */
#ifndef EXEC_CODE_H
#define EXEC_CODE_H

#include "exec/fetch.h"
#include "exec/insn.h"
#include "exec/matrix.h"
#include "warpcap/program.h"

#define EXEC_VECTOR_MAX 8

enum atom_op {
	ATOM_ADD,
	ATOM_MIN,
	ATOM_MAX,
	ATOM_INC,
	ATOM_DEC,
	ATOM_AND,
	ATOM_OR,
	ATOM_XOR,
	ATOM_EXCH,
	ATOM_CAS
};

enum mem_flags {
	MEM_POLL =
	    1 << 0, /* volatile, acquire, relaxed or atomic: what a spinning thread looks at */
	MEM_COMPARE = 1 << 1, /* a store in a loop that waits: progress if it changes something */
};

/* One memory instruction; insn.e is its index in exec_code.mem, insn.a the address register,
 * insn.imm the offset. */
struct mem_op {
	uint8_t space;			    /* enum wcp_space, as written; GENERIC if it is not */
	uint8_t kind;			    /* enum wcp_access_kind */
	uint8_t size;			    /* bytes of an element */
	uint8_t n;			    /* elements */
	uint8_t addr_bytes;		    /* width of the address register: 4 or 8 */
	uint8_t flags;			    /* enum mem_flags */
	uint8_t is_signed;		    /* a loaded element is sign-extended to its register */
	uint8_t op;			    /* enum atom_op */
	uint8_t type;			    /* enum ptx_type of an atomic */
	uint8_t reg_bytes[EXEC_VECTOR_MAX]; /* width of the register: 2, 4, 8; 0: no register */
	uint32_t
	    reg[EXEC_VECTOR_MAX]; /* loaded to or stored from; an atomic's destination is reg[0] */
	/* an atomic's operands, as wide as the element (2 bytes: 16-bit slot): one for each
	 * element, of cas the value to compare with and the one to store */
	uint32_t src[EXEC_VECTOR_MAX];
};

/* A copy of many bytes; exec_code.bulk. Addresses are a 64-bit slot and what is added to it. */
#define EXEC_BULK_LINE 128u /* recorded as accesses of so many bytes */
struct bulk_address {
	uint32_t slot;
	int64_t offset;
};
struct exec_bulk {
	uint8_t to_space, from_space; /* enum wcp_space */
	bool signals;		      /* a barrier is told of the bytes that came */
	struct bulk_address to, from, barrier;
	uint32_t bytes;	    /* 32-bit slot */
	uint32_t byte_mask; /* 16-bit slot: which of each 16 bytes are copied; 0: all */
	uint32_t cta_mask;  /* 16-bit slot: which CTAs of the cluster they come to; 0: as to says */
	/* of a box of a tensor: its map lies where the side in global memory would */
	uint8_t rank;	   /* 0: no tensor */
	uint32_t coord[5]; /* 32-bit slots */
};

/* insn.aux of an mbarrier instruction. The object: u64, bits 0..19 arrivals still expected, 20..39
 * expected in each phase, 40..42 phase, 43..63 bytes still to come (signed). */
enum mbarrier_what {
	MBARRIER_INIT, /* b: u32 count */
	MBARRIER_INVAL,
	MBARRIER_ARRIVE, /* d: u64 state; b: u32 count or none */
	MBARRIER_DROP,
	MBARRIER_DROP_EXPECT,
	MBARRIER_EXPECT, /* b: u32 bytes */
	MBARRIER_COMPLETE,
	MBARRIER_ARRIVE_EXPECT,
	MBARRIER_TEST,	 /* d: predicate; b: u64 state */
	MBARRIER_PARITY, /* d: predicate; b: u32 parity */
	MBARRIER_COPIES, /* cp.async.mbarrier.arrive.noinc */
	MBARRIER_NOTHING,
};

/* insn.aux of a barrier; a: id, b: threads (0: all), both 32-bit slots; c: predicate and d: result
 * of red */
enum bar_aux {
	BAR_SYNC,
	BAR_ARRIVE,
	BAR_POPC,
	BAR_AND,
	BAR_OR,
	BAR_WHAT = 7,
	BAR_DYNAMIC = 8,  /* an operand is a register */
	BAR_NEGATED = 16, /* !c */
	BAR_ALIGNED = 32, /* all threads of a warp are to come together */
	BAR_CLUSTER = 64, /* a is the cluster's, which programs cannot name */
};

/* Bytes between caller and callee: area to area, whole 8-byte units ([unit][lane], 256 bytes). */
struct call_copy {
	uint32_t from, to, units;
};

struct exec_func {
	const struct ptx_func *ptx;
	uint32_t first;		   /* insn index of its start */
	uint32_t area, area_bytes; /* its registers, parameters included: */
	uint32_t bytes64, bytes32, bytes16,
	    bytes_pred; /* sections of the area by width, in this order */
	uint32_t pc;	/* of its first instruction in the static program */
	uint32_t peak;	/* live 32-bit registers, callees not counted */
	bool address_taken;
	bool polls;		       /* it, or what it calls, reads what others write */
	uint32_t local_bytes;	       /* its frame in local memory, 16-byte multiple */
	bool recursive;		       /* the area is saved around calls */
	uint64_t address;	       /* what a function pointer to it holds */
	uint32_t *param, *param_units; /* [n_param]: areas of its formal parameters */
	uint32_t *ret, *ret_units;
};

struct exec_call {
	uint32_t
	    target; /* index in exec_code.func; WCP_NONE32: indirect, the address is in insn.a */
	uint32_t caller;
	uint32_t live; /* 32-bit registers of the caller that live across it */
	struct call_copy *arg,
	    *ret; /* to of arg and from of ret are filled from the callee when indirect */
	uint32_t n_arg, n_ret;
};

/* A call of a function that the executor brings itself (builtin.h). */
#define EXEC_BUILTIN_ARGS 8
struct exec_builtin;
struct builtin_call {
	const struct exec_builtin *what;
	uint32_t
	    arg[EXEC_BUILTIN_ARGS]; /* areas: byte k of lane l at arg + 256 (k / 8) + 8 l + k % 8 */
	uint32_t ret;		    /* area; FILE_NONE: the result is not wanted */
};

struct exec_table {
	uint32_t *target; /* insn indices */
	uint32_t n;
	uint32_t meet; /* insn index of the reconvergence, WCP_NONE32 */
};

/* Registers that live at a loop's head: if none of them changes from one round to the next, the
 * loop waits. */
struct live_set {
	uint32_t n;
	uint32_t *offset, *bytes;
};

enum special_kind {
	SPECIAL_TID_X,
	SPECIAL_TID_Y,
	SPECIAL_TID_Z,
	SPECIAL_NTID_X,
	SPECIAL_NTID_Y,
	SPECIAL_NTID_Z,
	SPECIAL_CTAID_X,
	SPECIAL_CTAID_Y,
	SPECIAL_CTAID_Z,
	SPECIAL_NCTAID_X,
	SPECIAL_NCTAID_Y,
	SPECIAL_NCTAID_Z,
	SPECIAL_LANEID,
	SPECIAL_WARPID,
	SPECIAL_NWARPID,
	SPECIAL_SMID,
	SPECIAL_NSMID,
	SPECIAL_GRIDID,
	SPECIAL_LANEMASK_EQ,
	SPECIAL_LANEMASK_LT,
	SPECIAL_LANEMASK_LE,
	SPECIAL_LANEMASK_GT,
	SPECIAL_LANEMASK_GE,
	SPECIAL_DYNAMIC_SHARED,
	SPECIAL_TOTAL_SHARED,
	SPECIAL_AGGR_SHARED,
	SPECIAL_RESERVED_BEGIN, /* shared memory behind the kernel's own, for the system */
	SPECIAL_RESERVED_MIDDLE,
	SPECIAL_RESERVED_END,
	SPECIAL_RESERVED_SIZE,
	SPECIAL_NOTHING, /* 0: a counter of events that nobody has set up, no graph */
	SPECIAL_ENVREG,	 /* 0, but for: */
	SPECIAL_ENVREG1, /* upper and */
	SPECIAL_ENVREG2, /* lower half of the address of a cooperative grid's barrier */
	SPECIAL_CLUSTER_ID_X,
	SPECIAL_CLUSTER_ID_Y,
	SPECIAL_CLUSTER_ID_Z,
	SPECIAL_CLUSTERS_X,
	SPECIAL_CLUSTERS_Y,
	SPECIAL_CLUSTERS_Z,
	SPECIAL_IN_CLUSTER_X, /* the CTA in its cluster */
	SPECIAL_IN_CLUSTER_Y,
	SPECIAL_IN_CLUSTER_Z,
	SPECIAL_CLUSTER_RANK,
	SPECIAL_CLUSTER_X, /* CTAs of a cluster */
	SPECIAL_CLUSTER_Y,
	SPECIAL_CLUSTER_Z,
	SPECIAL_CLUSTER_SIZE,
	/* these change while a warp runs */
	SPECIAL_CLOCK,
	SPECIAL_CLOCK_HI,
	SPECIAL_CLOCK64,
	SPECIAL_GLOBALTIMER,
	SPECIAL_GLOBALTIMER_LO,
	SPECIAL_GLOBALTIMER_HI,
	SPECIAL_COUNT
};

struct exec_special {
	uint32_t offset;
	uint8_t kind;  /* enum special_kind */
	uint8_t bytes; /* 4 or 8 */
};

struct exec_twin;
void exec_twin_free(struct exec_twin *t); /* child/alternative.c */

struct exec_code {
	const char *name; /* of the kernel */
	const struct ptx_module *ptx;
	struct insn *insn;
	uint32_t n_insn;
	struct mem_op *mem;
	uint32_t n_mem;
	struct exec_func *func;
	uint32_t n_func; /* [0] is the entry */
	struct exec_call *call;
	uint32_t n_call;
	struct exec_table *table;
	uint32_t n_table;
	struct live_set *live;
	uint32_t n_live;
	struct exec_special *special;
	uint32_t n_special;
	struct builtin_call *builtin;
	uint32_t n_builtin;
	struct exec_matrix *matrix;
	uint32_t n_matrix;
	struct exec_fetch *fetch;
	uint32_t n_fetch;
	struct exec_bulk *bulk;
	uint32_t n_bulk;
	uint32_t file_bytes;  /* whole register file */
	char *image;	      /* [file_bytes] what a file holds at the start: constants, and zero */
	bool reset_registers; /* a warp could see what another left: a register read before it is
				 written, a shuffle */
	uint32_t snapshot_bytes; /* of the largest live set */
	uint32_t local_bytes; /* a thread, deepest call chain; recursion gets a fixed stack more */
	uint32_t static_shared_bytes, param_bytes;
	uint32_t regs_per_thread;
	bool recursive, ordered, may_spin, polls, has_barrier, has_cluster_barrier;
	bool one_by_one; /* it changes what all CTAs share: they never run side by side */
	bool has_alloca;
	struct exec_twin *twin; /* the same for alternatives to launches; NULL: none was wanted */
	uint32_t workload;	/* offset of the threads' estimate of their next launch; 0: none */
	/* not executable: why not, and at which line; launching says so */
	int status;
	char why[400];
	struct wcp_program program;
	bool program_sent;
	/* the kernel as seen from outside */
	uint32_t n_param, *param_offset, *param_bytes_each;
	uint32_t max_threads, reqntid[3], cluster[3];
	struct exec_arena *arena; /* owns all of the above */
};

/* Where a callee's frame begins behind a caller's. */
static inline uint32_t
exec_frame_end(const struct exec_func *f)
{
	return (f->local_bytes + 15) & ~15u;
}

/* From a lane's local memory to the next one's: whole, so that what is aligned for a thread is in
 * the host. */
static inline uint32_t
exec_local_step(const struct exec_code *c)
{
	return (c->local_bytes + 15) & ~15u;
}

/* Bytes of a 32-lane slot for a register of 2, 4 or 8 bytes. */
static inline uint32_t
exec_slot_bytes(unsigned bytes)
{
	return bytes <= 2 ? 64u : 32u * bytes;
}

#endif
