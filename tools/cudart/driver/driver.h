/*
 * The driver's interface, for programs that call it instead of the runtime's or beside it: the same
 * device, streams, events, memory and code under other names. Contexts are names only.
 */
#ifndef CUDART_DRIVER_H
#define CUDART_DRIVER_H

#include "calls.h"
#include "op.h"

enum { DRIVER_NOT_FOUND = 500 };

/* cuda.h's CUlaunchConfig. */
struct driver_launch_config {
	struct cu_dim3 grid, block;
	unsigned shared;
	void *stream;
	struct cu_launch_attribute *attribute; /* [n_attribute] */
	unsigned n_attribute;
};

/* cuda.h's CUstreamBatchMemOpParams. */
struct memory_op {
	int operation;
	void *at;
	uint64_t value;
	unsigned flags;
	void *alias, *pad;
};

/* Has cuInit been called, or the runtime? */
bool driver_is_there(void);
/* Before a call: what messages call it; not CU_OK before cuInit. driver_answer comes after it. */
int driver_enter(const char *name, const void *place);
/* CUresult of a call that the runtime has answered with status; cudaGetLastError knows nothing of
 * it. */
int driver_answer(int status);

/* A channel of CUarray_format; CUresult. */
int driver_describe(struct cu_channel_desc *d, int format, unsigned channels);
/* What a name means to programs of that version; CUresult. */
int driver_function(const char *name, void **out, int version, bool per_thread);
/* What options of compiling name for its messages: these errors, and nothing else. */
void driver_logs(unsigned n, const int *option, void **value, const char *error);
/* A block of parameters taken apart: [n_param] pointers into it, the caller's to free. NULL: none
 * is there, or it is too small; *status. */
void **driver_take_apart(const void *function, void **extra, int *status);
int cuCtxGetCurrent(void **context);
int cuFuncGetAttribute(int *out, int which, void *function);
int cuDeviceGetAttribute(int *value, int number, int device);

/* A call of the driver that is one of the runtime. */
#define DRIVER(call)                                                                   \
	(driver_enter(__func__, __builtin_return_address(0)) ? CU_INITIALIZATION_ERROR \
							     : driver_answer(call))

#endif
