/*
 * What runs: a warp with its diverged paths, a CTA with its barriers, and what they share in a
 * launch.
 *
 * A path is a set of lanes at one place. A divergent branch splits a path and leaves a join at the
 * immediate post-dominator: lanes that arrive there wait for those the join still expects. A join
 * can be left early, when waiting lanes hold what the others wait for, and lanes that end are no
 * longer expected: so no pair of lanes can wait for each other.
 */
#ifndef EXEC_WARP_H
#define EXEC_WARP_H

#include "exec/code.h"
#include "exec/memory.h"
#include "warpcap/batch.h"
#include "warpcap/exec.h"

#define EXEC_USER_BARRIERS   16
#define EXEC_BARRIERS	     17 /* the last is the cluster's */
#define EXEC_NO_JOIN	     0xffu
#define EXEC_JOINS	     64
#define EXEC_FRAME_MAX	     65536u
#define EXEC_FRAME_BYTES_MAX (256u << 20)

enum path_state {
	PATH_READY,
	PATH_BARRIER, /* waits for the CTA */
	PATH_GATHER,  /* waits for lanes of its own warp: .sync instructions */
};

struct path {
	const struct insn *in;
	uint32_t mask;
	uint32_t frame; /* 0: the entry function */
	uint8_t join;	/* innermost join, EXEC_NO_JOIN */
	uint8_t state;	/* enum path_state */
	uint8_t barrier;
	bool released; /* may pass the gather it stands at */
};

struct join {
	const struct insn *at;
	uint32_t expected, arrived;
	uint32_t frame;
	uint8_t parent;
};

struct frame {
	uint32_t parent, refs;
	const struct insn *back; /* where it returns to */
	const struct exec_call *call;
	const struct exec_func *func;
	char *saved; /* callee's area at the call; NULL if it is not recursive */
	uint32_t local_top;
	uint32_t
	    *dynamic; /* [32] the lanes' alloca stacks at the call; NULL if there is no alloca */
};

/* Why a warp cannot go on; where says which lane's access it was. */
enum fault_kind {
	FAULT_NONE,
	FAULT_BOUNDS,
	FAULT_MISALIGNED,
	FAULT_READONLY,
	FAULT_UNINITIALISED,
	FAULT_TRAP,
	FAULT_CALL_DEPTH,
	FAULT_LOCAL_STACK,
	FAULT_BAD_CALL,
	FAULT_BARRIER,
	FAULT_DEADLOCK,
	FAULT_LIVELOCK,
	FAULT_LIMIT,
	FAULT_STOPPED,
	FAULT_MEMORY,
	FAULT_BRANCH_INDEX,
	FAULT_ASSERT,	 /* in: the call */
	FAULT_FREE,	 /* address: what was to be freed */
	FAULT_HANDLE,	 /* address: no texture or surface */
	FAULT_SURFACE,	 /* address: coordinates outside of a surface, x in the low half */
	FAULT_DIVERGENT, /* address: the lanes that came to the barrier */
	FAULT_CHILD,	 /* a grid that it launched failed: exec_child_error */
	FAULT_MATRIX,	 /* address: the lanes that came to a matrix instruction */
	FAULT_MEMBERS,	 /* address: member mask without the lane */
	FAULT_BULK_SIZE, /* address: the bytes that a bulk copy is to copy */
	FAULT_TENSOR,	 /* address: no map of a tensor, or of another rank */
};

struct fault {
	enum fault_kind kind;
	const struct insn *in;
	uint32_t lane;
	uint64_t address;
	uint8_t space;	/* the one it was looked up in */
	uint32_t bytes; /* of the access; 0: as its mem_op says */
};

/* Addresses [lo, hi) that are known to be readable, and the host address of address 0. */
struct window {
	uint64_t lo, hi;
	uint64_t host;
};

enum slice_end {
	SLICE_BUDGET,  /* it could go on */
	SLICE_SPIN,    /* it waits for memory that others must write */
	SLICE_BLOCKED, /* all its lanes wait at a barrier */
	SLICE_ENDED,
	SLICE_FAULT,
};

struct cta;
struct child_cta;
struct child_grid;
struct child_alternative;

struct warp {
	struct cta *cta;
	const struct exec_code *code;
	struct wcp_warp_batch *rec; /* NULL: not recorded */
	struct window *cache; /* [n_mem] of the worker: where each memory instruction went last */
	/* counted since the CTA began */
	uint64_t warp_insns, thread_insns, mem_insns;
	uint64_t progress;  /* stores and atomics that changed something */
	uint64_t polls;	    /* volatile and atomic reads */
	uint32_t run_pc;    /* first instruction of the open run */
	uint32_t seg_insns; /* instructions of this segment before the open run */
	uint32_t live;	    /* lanes that have not ended */

	uint32_t index; /* in the CTA */
	uint32_t n_path;
	struct path path[WCP_LANES]; /* [n_path - 1] runs */
	uint64_t joins;		     /* those in use, a bit each */
	struct join join[EXEC_JOINS];
	struct frame *frame;
	uint32_t n_frame, cap_frame, free_frame;
	uint64_t frame_bytes;
	/* spin detection */
	uint32_t back, check_at, rotations, snapshot_back;
	const struct insn *snapshot_at;
	uint32_t snapshot_mask;
	uint64_t snapshot_progress, polls_from, progress_from;
	uint32_t idle_slices;	/* for so many to come a barrier is no sign of work, */
	uint64_t idle_progress; /* unless progress is no longer this */
	char *snapshot;
	bool ended;
	bool begun; /* has a segment */
	struct fault fault;
	uint64_t slept;		     /* clock cycles by nanosleep */
	uint32_t dynamic[WCP_LANES]; /* alloca grows down from the end of local memory to here */
	char *local;		     /* [lane][local_bytes] */
	uint32_t local_used;	     /* bytes of each lane that may not be zero */
	_Alignas(64) uint64_t addr[WCP_LANES]; /* scratch: addresses of the access under way */
	char *at[WCP_LANES];		       /* scratch: where they are in the host */
	_Alignas(64) char file[];
};

struct barrier {
	uint32_t *arrived;	       /* [n_warps] lanes */
	uint32_t threads;	       /* that must come; 0: all that live */
	uint32_t n_arrived;	       /* lanes */
	uint32_t red_count, red_total; /* of bar.red: lanes with a true predicate */
};

#define EXEC_CLUSTER_MAX 16
struct cta;
struct cluster {
	uint32_t n, left;		   /* CTAs; that have not ended */
	uint64_t passed;		   /* barriers that were */
	struct cta *cta[EXEC_CLUSTER_MAX]; /* [n] by rank */
};

struct cta {
	struct cluster *cluster; /* it is of, mostly alone */
	uint32_t rank;		 /* there */
	const struct exec_code *code;
	const struct exec_run *run;
	struct warp **warp; /* [n_warps] */
	uint32_t n_warps, n_ended;
	uint32_t id[3];
	uint64_t linear;
	char *shared;
	uint32_t shared_bytes;
	uint8_t *shared_written; /* [shared_bytes], only with check_shared */
	struct barrier barrier[EXEC_BARRIERS];
	uint32_t n_waiting;    /* lanes at barriers */
	uint32_t turn;	       /* warp to run next */
	uint32_t idle_rounds;  /* rounds in a row in which every warp only waited for memory */
	uint32_t still_rounds; /* in a row without progress, of code that may wait; from so many */
	uint32_t still_limit;  /* on the others get a turn */
	uint64_t still_progress;
	bool counts; /* its turn ended so: it may be that it only waits, or counts */
	bool round_idle, round_ran;
	bool recorded, begun, initialised;
	struct warp *faulted;		       /* whose fault it is */
	struct child_cta *child;	       /* of its launches; NULL: none yet */
	struct child_alternative *alternative; /* it is a copy that lives for one; else NULL */
	struct exec_output *out;	       /* where prints go: to the batch under way */
};

/* What kernels print, on its way to the host. */
struct exec_text {
	char *at;
	size_t n, cap;
};
struct exec_output {
	struct exec_text text[2]; /* printf, assertions */
};

/* What %clock counts for each instruction of a warp: nothing here has a time. */
#define CYCLES_PER_INSN 4u

/* wcp_launch.yield */

struct exec_beside {
	bool (*yield)(void *arg, enum wcp_yield_at at, uint64_t insns);
	void *arg;
};

/* What is the same for every CTA of a launch. */
struct exec_run {
	struct wcp_device *device;
	const struct exec_code *code;
	const struct exec_memory *memory;
	const struct exec_level *level;
	uint32_t grid[3], block[3];
	uint32_t cluster[3], cluster_ctas; /* CTAs of a cluster; 1 if there are none */
	bool explicit_cluster;
	uint64_t ctas;
	uint32_t n_warps;  /* of a CTA */
	uint32_t kernel;   /* wcp_kernel.id */
	const char *param; /* [param_bytes] */
	uint32_t dynamic_shared_bytes, shared_bytes;
	bool in_order; /* one CTA after the other */
	bool parallel; /* CTAs run side by side: reductions must be atomic for the host too */
	bool check_shared, check_sync;
	uint64_t max_insns, max_warp_insns;
	struct child_grid *child;	  /* of code that launches grids; else NULL */
	const struct exec_beside *beside; /* the host goes on; NULL: it waits */
	uint64_t grid_barrier;		  /* address of a cooperative grid's, else 0 */
	uint64_t clock;			  /* at the start */
};

enum cta_state { CTA_GOES_ON, CTA_SPINS, CTA_DONE, CTA_FAULT };

/* Of cluster.c: room for one cluster at a time; cta r of cluster number; what its warps have
 * changed and barriers passed, together. */
struct cluster *exec_cluster_new(const struct exec_run *run, struct window *cache);
void exec_cluster_free(struct cluster *k);
uint64_t exec_cluster_cta(const struct exec_run *run, uint64_t number, uint32_t rank);
uint64_t exec_cluster_progress(const struct cluster *k);
bool exec_cluster_barrier(struct warp *w, const struct insn *in, uint32_t mask);
void exec_cluster_lanes_ended(struct cluster *k);

/* Room for one CTA at a time; cache is the worker's [n_mem]. NULL: no memory. */
struct cta *exec_cta_new(const struct exec_run *run, struct window *cache);
void exec_cta_free(struct cta *c);
void exec_cta_begin(struct cta *c, uint64_t linear, bool recorded);
/* Runs until the batch is worth handing on, or it is done, or waits for other CTAs. */
enum cta_state exec_cta_run(struct cta *c, struct wcp_warp_batch *batch);
struct exec_counts {
	uint64_t warp_insns, thread_insns, mem_insns, ctas;
};
bool exec_warp_over_limit(const struct cta *c, const struct warp *w);
void exec_cta_count(const struct cta *c, struct exec_counts *sum);
/* Says in one line what went wrong. */
void exec_describe_fault(const struct cta *c, struct warp *w, struct wcp_error *e);
enum wcp_fault exec_fault_class(const struct warp *w);

/* What a bulk copy leaves in the record: n accesses of EXEC_BULK_LINE bytes in a row. */
struct bulk_lines {
	uint64_t first, n;
	uint8_t space;
};

/* The interpreter, compiled once per instruction-set level. */
enum { WIDTH_PRED, WIDTH_16, WIDTH_32, WIDTH_64, WIDTH_COUNT };
enum { MOVE_COPY, MOVE_EXTEND, MOVE_COUNT };
struct exec_level {
	/* Runs the warp until its budget of instructions is spent or it cannot go on. */
	enum slice_end (*slice)(struct warp *w, uint64_t budget);
	lane_fn *copy[WIDTH_COUNT][2];
	lane_fn *convert[2]; /* aux = from bytes | to bytes << 4 | signed << 8 | value bytes << 9 */
	lane_fn *unpack[2];  /* d = a >> aux's low byte; widths as convert's in bits 8.. */
	lane_fn *pack[2];    /* d = d with a's low bytes put at bit aux; first one clears */
	lane_fn *add_imm[2]; /* 64-bit d = a + imm */
	lane_fn *in_window[2]; /* predicate d = a in [imm, imm + window) */
	lane_fn *outside[2];   /* predicate d = a is device memory */
	lane_fn *not_pred[2];
	lane_fn *clock[2];			 /* aux: enum special_kind */
	lane_fn *local_address[2];		 /* 64-bit d = imm + frame's base */
	lane_fn *param_load[2], *param_store[2]; /* call parameters in the file; mem_op of in->e */
	lane_fn *param_spill[2];		 /* b units of parameter a to the frame at imm */
	lane_fn *load_const_param[2];
	lane_fn *load[2][2], *load_wide[2][2]; /* [shared?][full?]: 32- and 64-bit scalars */
	lane_fn *store[2][2], *store_wide[2][2];
	lane_fn *load_any[2], *store_any[2], *atomic[2], *prefetch[2];
	lane_fn *alloca[2]; /* 64-bit d: local address of imm-aligned room for b bytes */
	lane_fn *stack_save[2], *stack_restore[2]; /* 64-bit d; a */
	lane_fn *sleep[2];			   /* a nanoseconds */
	lane_fn *const *matrix;			   /* [MATRIX_COUNT]; of the exec_matrix in b */
	lane_fn *const *fetch;			   /* [FETCH_COUNT]; of the exec_fetch in b */
	lane_fn *async_copy, *mbarrier, *pending_count, *map_rank, *rank_of, *is_explicit_cluster,
	    *store_async;
};
extern const struct exec_level exec_level_v1, exec_level_v3, exec_level_v4;

/* Of builtin.c. WAIT: nothing was done, the instruction is to come again when others have run. */
enum builtin_end { BUILTIN_DONE, BUILTIN_WAIT, BUILTIN_FAULT };
enum builtin_end exec_builtin(struct warp *w, const struct insn *in, uint32_t mask);

/* Of child/. A CTA's counts of launches; what is wrong with a grid launched by a kernel; 1: grids
 * that waited have run, 0: none waits, negative: one failed. */
void exec_child_cta_begin(struct cta *c);
void exec_child_cta_free(struct child_cta *c);
const struct wcp_error *exec_child_error(const struct exec_run *run);
/* Adds the alternatives to the launches of the last slice; WCP_ESYS. */
int exec_child_alternatives(struct cta *c, struct wcp_warp_batch *to);
int exec_child_run_waiting(const struct exec_run *run);

/* Of barrier.c. exec_barrier: true: the lanes go on, false: they wait. */
bool exec_barrier(struct warp *w, const struct insn *in, uint32_t mask);
void exec_barrier_lanes_ended(struct warp *w);
/* With check_sync: lanes of the warp that wait at a barrier for all of it, which are told of as
 * divergent; false: there are none. */
bool exec_barrier_parted(struct warp *w);

/* Of call.c. exec_call moves the running path into func; false: w->fault is set. */
bool exec_call(struct warp *w, const struct insn *in, const struct exec_func *func);
const struct exec_func *exec_func_at(const struct exec_code *code, uint64_t address);
void exec_return(struct warp *w);
void exec_leave_frames(struct warp *w, uint32_t frame, uint32_t lanes);
/* Two frames that the same calls lead to, by lanes that came one after the other; merged, the lanes
 * of from are in to. */
bool exec_same_frames(const struct warp *w, uint32_t a, uint32_t b);
void exec_merge_frames(struct warp *w, uint32_t from, uint32_t to, uint32_t lanes);

/* Of paths.c. The running path is the last of w->path. */
static inline struct path *
exec_top(struct warp *w)
{
	return &w->path[w->n_path - 1];
}
/* Brings a path that can run to the top; false if there is none. */
bool exec_pick(struct warp *w);
/* The running path splits: the lanes of taken go to target, the others to next; meet: where they
 * wait for each other, NULL if nowhere. Afterwards another path may be on top, or the same with
 * fewer lanes. */
void exec_split(struct warp *w, uint32_t taken, const struct insn *target, const struct insn *next,
    const struct insn *meet);
/* The running path comes to a reconvergence point that its join names. True: it goes on, maybe with
 * more lanes. */
bool exec_meet(struct warp *w);
/* Lanes of the running path end. */
void exec_end_lanes(struct warp *w, uint32_t mask);
/* The lanes that those of mask name as their partners in a .sync operation. */
static inline uint32_t
exec_members(const char *file, const struct insn *in, uint32_t mask)
{
	const uint32_t *member = (const uint32_t *)(const void *)(file + in->a);
	uint32_t all = 0;
	for (unsigned l = 0; l < WCP_LANES; l++)
		all |= mask >> l & 1 ? member[l] : 0;
	return all;
}
/* The lanes of the running path wait at in for their partners; true: some have them all and go on
 * as the running path, behind in. */
bool exec_gather(struct warp *w, const struct insn *in);
/* Sets free the lanes that wait at joins; false if there are none. */
bool exec_release(struct warp *w);

/* Of spin.c. A branch back was taken. True: nothing but others' stores can end this loop. */
bool exec_spins(struct warp *w, const struct insn *branch, uint32_t mask);
/* The running path steps aside; false: all paths of the warp have had their turn. */
bool exec_rotate(struct warp *w);

#endif
