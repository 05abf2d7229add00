/*
 * What a stream can be given to do. A call makes an operation and submits it: it is done at once,
 * or queued behind a kernel that waits for the host (queue/queue.h), or becomes a node of a graph
 * when the stream is being captured. Nodes of graphs are operations too. The lock is held.
 */
#ifndef CUDART_OP_H
#define CUDART_OP_H

#include "runtime.h"

struct stream;
struct event;
struct graph;
struct node;

struct op {
	enum cu_node_type type;
	union {
		struct {
			struct launch launch;
			void **args; /* [kernel->info.n_param] */
		} kernel;
		struct cu_memcpy_3d copy; /* width in bytes unless an array takes part */
		struct cu_memset_params set;
		struct {
			cu_host_fn *fn;
			cu_stream_callback *callback; /* instead of fn */
			void *arg, *stream;
		} host;
		struct event *event;
		struct graph *graph;
		struct cu_mem_alloc_params alloc;
		void *released;
		struct {
			uint64_t handle;
			int kind; /* cudaGraphConditionalNodeType */
			uint32_t n;
			struct graph **body; /* [n] its own */
		} choice;
	} of;
};

/* What would be wrong with it however it is run; enum cu_error. */
int op_check(const struct op *op);
int op_run(const struct op *op, struct stream *stream);
/* A copy that owns what it points to, arguments of kernels and graphs within graphs. */
int op_keep(struct op *to, const struct op *from);
void op_release(struct op *op);

struct op op_copy(void *to, const void *from, size_t bytes, enum cu_memcpy_kind kind);

/* ---- stream.c ------------------------------------------------------------------------------- */

struct capture;
struct stream {
	struct handle handle;
	uint64_t id; /* 0: the default stream */
	unsigned flags;
	int priority;
	struct capture *capture; /* NULL: operations are done at once */
	struct node **tip;	 /* [n_tip] what the next node depends on */
	uint32_t n_tip;
	char attribute[11][64]; /* by cudaLaunchAttributeID */
};

/* The stream of a handle: NULL, the two special ones, or one that was created. NULL: none. */
struct stream *stream_get(void *handle);
/* Runs or captures; enum cu_error. */
int stream_submit(struct stream *s, const struct op *op);
/* Begins a call that waits for a stream or touches all of them, which a capture forbids. */
int stream_may_wait(const struct stream *s);
/* The whole of an asynchronous call. */
int submit(void *stream, const struct op *op);

struct event {
	struct handle handle;
	unsigned flags;
	uint64_t number;
	bool recorded;
	uint64_t queued;	 /* number of its last record in the queue; 0: none yet */
	double at_ms;		 /* wall time */
	struct capture *capture; /* recorded in a capture, which goes on */
	struct node **tip;	 /* [n_tip] there, the nodes it stands for */
	uint32_t n_tip;
};
int event_record(struct event *e, struct stream *s);
/* CUDA's own, called from here too. */
int cudaEventCreateWithFlags(void **out, unsigned flags);

/* ---- copy.c --------------------------------------------------------------------------------- */

int copy_check(const struct cu_memcpy_3d *c);
int copy_run(const struct cu_memcpy_3d *c, uint64_t stream);
/* The end of a call that sets memory: what the program itself uses is set when it returns. Its
 * status, or what went wrong until then. The lock is not held. */
int set_finish(const void *to, int status);
/* For a copy that is done later: bytes from memory that only the program uses are taken now, into
 * *bytes, which the caller frees (NULL: none were); *waits is set if the program must wait for the
 * copy, as it goes to such memory. */
int copy_keep(struct cu_memcpy_3d *c, void **bytes, bool *waits);
int set_check(const struct cu_memset_params *p);
int set_run(const struct cu_memset_params *p, uint64_t stream);

#endif
