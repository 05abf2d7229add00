/*
 * Grids that kernels launch: CUDA's device runtime, both generations of its entry points.
 *
 * A launch waits in the queue of its parent's grid and runs when the parent's CTAs have ended, in
 * the order of the launches; its own children come before the next one. Tail launches come last.
 * What waits runs earlier, in the parent's midst, when the parent synchronizes or too much waits.
 * That is one of the orders CUDA allows, and always the same one: code that launches runs CTA after
 * CTA. Side by side they would need the numbers of kernels and launch sites, the addresses of
 * parameter buffers, which kernels see and store through, and which grid makes room when too many
 * wait, before it is known what the CTAs before them launch. Their children's CTAs do run side by
 * side. Sources: CUDA Programming Guide, chapter on dynamic parallelism; cuda_device_runtime_api.h.
 */
#ifndef EXEC_CHILD_CHILD_H
#define EXEC_CHILD_CHILD_H

#include "exec/builtin.h"
#include "exec/device.h"

#define CHILD_LEVEL_MAX	  24u
#define CHILD_PENDING_MAX 2048u /* CUDA's default of cudaLimitDevRuntimePendingLaunchCount */

/* cudaError_t, as driver_types.h numbers them. */
enum child_status {
	CHILD_SUCCESS = 0,
	CHILD_INVALID_VALUE = 1,
	CHILD_OUT_OF_MEMORY = 2,
	CHILD_INVALID_CONFIGURATION = 9,
	CHILD_MAX_DEPTH = 65,
	CHILD_PENDING_COUNT = 69,
	CHILD_INVALID_FUNCTION = 98,
	CHILD_INVALID_DEVICE = 101,
	CHILD_UNSUPPORTED_LIMIT = 215,
	CHILD_INVALID_HANDLE = 400,
	CHILD_NOT_SUPPORTED = 801,
};

/* cudaStream_t values with a meaning of their own. */
enum {
	CHILD_STREAM_LEGACY = 1,
	CHILD_STREAM_PER_THREAD = 2,
	CHILD_STREAM_TAIL = WCP_STREAM_TAIL,
	CHILD_STREAM_FORGET = WCP_STREAM_FORGET,
	CHILD_HANDLE_FIRST = 0x100, /* streams and events that were created */
};

/* ---- parameter buffers (buffer.c) ---- */

struct child_buffer {
	uint64_t address;
	uint32_t units; /* its room, in CHILD_UNIT_BYTES */
	uint32_t site;
	bool reserved;		/* its launch is still to come */
	struct exec_code *code; /* NULL: the launch says which */
	uint32_t grid[3], block[3], shared_bytes;
	struct wcp_warp_batch *alternative; /* what the lane would have done without; NULL: none */
};
#define CHILD_UNIT_BYTES 64u

/* NULL: no memory. The buffer's code and shape are the caller's to fill. */
struct child_buffer *child_buffer_new(struct wcp_device *d, uint64_t bytes);
struct child_buffer *child_buffer_at(const struct wcp_device *d, uint64_t address);
void child_buffer_free(struct wcp_device *d, struct child_buffer *b);

/* ---- what waits (queue.c) ---- */

enum child_kind { CHILD_KERNEL, CHILD_COPY, CHILD_SET };

/* Rows of width bytes, height of them in a slice, depth slices. */
struct child_box {
	uint64_t to, from, width, height, depth;
	uint64_t to_pitch, from_pitch, to_slice, from_slice;
	uint8_t value; /* SET */
};

struct child_work {
	struct child_work *next;
	enum child_kind kind;
	uint64_t cta; /* that launched it */
	struct exec_start start;
	uint64_t buffer;
	struct child_box box;
};

struct child_list {
	struct child_work *first, *last;
};

/* Of a grid that runs. */
struct child_grid {
	struct wcp_device *device;
	uint32_t level; /* 0: launched by the host */
	bool record;
	uint32_t kernel; /* its id, if recorded */
	struct exec_code *code;
	const struct exec_beside *beside;
	struct child_list work, tail;
	uint8_t *stream, *event; /* [n] in use? */
	uint32_t n_stream, n_event, cap_stream, cap_event;
	struct wcp_error error; /* of what ran in its midst, or could not be launched */
};

void child_append(struct child_list *l, struct child_work *w);
/* Room for a box of bytes: inside one allocation each. */
bool child_box_fits(const struct wcp_device *d, const struct child_box *b, bool copies);
/* Runs what waits: what one CTA launched, or the oldest kernel. */
int child_run_cta(struct child_grid *g, uint64_t cta, struct wcp_error *e);
int child_run_oldest(struct child_grid *g, struct wcp_error *e);

/* When the CTAs have run, with result r: what waits runs, unless something failed, and the grid is
 * released. Tail launches go to tail, which may be NULL. */
int child_finish(struct child_grid *g, int r, struct child_list *tail, struct wcp_error *e);

/* Of a CTA's threads. */
struct child_cta {
	uint32_t *order;		    /* [threads] launches so far */
	uint32_t *error;		    /* [threads] what GetLastError says */
	struct wcp_warp_batch alternatives; /* to those launches of the slice under way */
};

/* ---- functions (api.c, stream.c, info.c) ---- */

/* One lane's call. */
struct child_call {
	struct warp *w;
	const struct insn *in;
	const struct builtin_call *call;
	uint32_t lane, thread; /* thread: in the CTA */
	struct child_grid *grid;
	struct child_cta *cta;
	uint32_t *site; /* of this instruction: WCP_NONE32 until a lane needs it */
	bool again;	/* another lane has called before */
	bool faulted;	/* w->fault says why */
};

typedef uint64_t child_fn(struct child_call *t);

/* A row of exec_builtin's table with the function that does one lane's part. */
struct child_builtin {
	struct exec_builtin row;
	child_fn *fn;
};
extern const struct child_builtin child_launch_table[], child_stream_table[], child_info_table[];

/* What every row runs: its function, lane by lane. */
enum builtin_end child_run_call(
    struct warp *w, const struct insn *in, const struct builtin_call *call, uint32_t mask);

/* Latches an error for cudaGetLastError; returns it. */
uint64_t child_fail(struct child_call *t, enum child_status status);
uint64_t child_arg(const struct child_call *t, unsigned i);
/* Generic memory of the lane; false: a fault. */
bool child_write(struct child_call *t, uint64_t address, const void *from, unsigned bytes);
bool child_read(struct child_call *t, uint64_t address, void *to, unsigned bytes);
/* alternative.c. What the lane would do without the launch that b is for, into b. */
void child_find_alternative(const struct child_call *t, struct child_buffer *b);
void child_keep_alternative(struct cta *c, struct child_buffer *b);
/* In an alternative: at is about to be written. */
struct child_alternative;
void child_log(struct child_alternative *a, char *at, uint32_t bytes);
/* Is this the buffer of the launch that goes through in the alternative under way? */
bool child_goes_through(const struct child_alternative *a, uint64_t buffer);

/* The kernel at a function's address; NULL: there is none. */
struct exec_code *child_code(struct wcp_device *d, uint64_t address, struct wcp_error *e);
bool child_is_stream(const struct child_grid *g, uint64_t stream);

#endif
