/*
 * CUDA's runtime without a GPU: the functions a program built by nvcc calls, answered by the SM
 * executor. Everything runs at once and in the caller's thread, under one lock: each stream is in
 * order because all of them are. Kernels that may wait for the host are the exception
 * (queue/queue.h).
 */
#ifndef CUDART_RUNTIME_H
#define CUDART_RUNTIME_H

#include <pthread.h>
#include <stdbool.h>
#include "abi.h"
#include "link.h"
#include "warpcap/exec.h"

/* ---- table.c: what is known by an address ----------------------------------------------- */

/* From a pointer to what it stands for; NULL is no key. */
struct table {
	const void **key; /* [mask + 1] */
	void **value;
	uint32_t n, mask;
};
bool table_set(struct table *t, const void *key, void *value); /* false: out of memory */
void *table_get(const struct table *t, const void *key);
void table_remove(struct table *t, const void *key);
void table_release(struct table *t);

/* What handles given to the program stand for. A handle is valid as long as it is in the table. */
enum handle_kind {
	HANDLE_STREAM,
	HANDLE_EVENT,
	HANDLE_ARRAY,
	HANDLE_MIPMAPPED,
	HANDLE_POOL,
	HANDLE_GRAPH,
	HANDLE_NODE,
	HANDLE_GRAPH_EXEC,
	HANDLE_LIBRARY,
	HANDLE_CONTEXT,
	HANDLE_LINKING,
	HANDLE_USER_OBJECT,
	HANDLE_ADVICE,
	HANDLE_PHYSICAL,
	HANDLE_LOG_USER,
	HANDLE_KINDS
};
/* The first member of whatever a handle points to. */
struct handle {
	enum handle_kind kind;
};
/* A zeroed object of bytes that begins with a struct handle, known from now on; NULL: no memory. */
void *handle_new(enum handle_kind kind, size_t bytes);
/* The object if the handle is one of that kind, else NULL; wild pointers are not followed. */
void *handle_get(const void *handle, enum handle_kind kind);
void handle_free(void *handle);
/* fn for every object of a kind; it must not make or free any. */
void handle_each(enum handle_kind kind, void (*fn)(void *object, void *arg), void *arg);

/* ---- state.c ------------------------------------------------------------------------------ */

struct runtime {
	pthread_mutex_t lock;
	bool ready;  /* the device is there */
	bool forked; /* it was the parent's */
	int fault;   /* a kernel misbehaved: every call answers this until cudaDeviceReset */
	struct link_settings settings;
	struct wcp_device *device;
	unsigned device_flags;
	bool blocking;	/* CUDA_LAUNCH_BLOCKING: launches wait for their end */
	bool recording; /* cudaProfilerStart and cudaProfilerStop move it */
	bool partial;	/* some launch was not recorded */
	uint64_t launches;
	uint32_t found; /* by checks */
};
extern struct runtime rt;

/* The lock, and the device with it: nothing is played meanwhile. */
void rt_lock(void);
void rt_unlock(void);
/* Around a call of the program's own in the midst of an operation: what let_go answers, whether
 * this thread held the lock itself or just the turn, is for take_back. */
bool rt_let_go(void);
void rt_take_back(bool held);
/* Every call that needs the device begins with enter and ends with leave. enter takes the lock and
 * answers what is wrong already (the lock is held then too); leave gives it back, remembers an
 * error for cudaGetLastError and returns it. */
int rt_enter(void);
int rt_leave(int status);
/* First in a call whose messages name it: what the program has called, and where. Calls of ours
 * within it leave that as it is; rt_latch forgets it. */
#define RT_CALLED rt_called(__func__, __builtin_return_address(0))
struct rt_call {
	const char *name;
	const void *place;
};
struct rt_call rt_call_under_way(void);
void rt_called(const char *name, const void *place);
/* The place of the call as addr2line(1) takes it, " of FILE+OFFSET", with --check=mem; else "". */
void rt_place(char *text, size_t room);
/* Warns that the call under way was given something wrong, and counts it as found with
 * --check=mem. Many warnings are not shown. */
void rt_complain(const char *format, ...) WCP_PRINTF(1, 2);
/* The same for calls that do without the device: no lock, nothing is started. */
int rt_latch(int status);
/* Around a call of the driver: what is called between the two is not the program's use of the
 * runtime; errors since rt_mark are forgotten if they are not the runtime's. */
void rt_mark(void);
void rt_unmark(bool forget);
/* Has this thread called the runtime itself? */
bool rt_used(void);
/* enum cu_error of a failed call of the executor. */
int rt_status(const struct wcp_error *e, int otherwise);
/* CUDA's own, called from here too. */
int cudaGetLastError(void);
/* Says on standard error that the program called something that is not there: once each, with -v.
 * CU_NOT_SUPPORTED. */
int rt_unsupported(const char *name);
/* Is there at least one byte of the host's memory at each page of it? */
bool rt_readable(const void *p, size_t bytes);

/* ---- link.c ------------------------------------------------------------------------------- */

/* Connects to warpcap and asks how to run; without warpcap the defaults hold. */
void link_open(struct link_settings *settings);
void link_sink(struct wcp_sink *sink);
void link_host(enum wcp_host_kind kind, uint64_t address, uint64_t bytes, uint64_t value,
    uint64_t stream, const char *label);
/* To standard error, by warpcap if it is there. */
void link_note(enum link_level level, bool fault, const char *format, ...) WCP_PRINTF(3, 4);
void link_flush(void);
void link_bye(void);
void link_forget(void); /* in a forked child */

/* ---- print.c ------------------------------------------------------------------------------ */

void print_add(void *arg, bool error, const char *text, size_t bytes);
void print_flush(void);

/* ---- register.c: what the program brought along --------------------------------------------- */

struct module; /* one fat binary */

struct kernel {
	struct kernel *next;
	struct module *module;
	const void *host; /* address of the stub */
	char *name;
	struct wcp_module *code; /* NULL until the module is loaded */
	bool looked_up;
	int status; /* of looking it up */
	struct wcp_kernel_info info;
	uint32_t dynamic_shared_max; /* what cudaFuncSetAttribute allowed */
	int carveout;
	bool cluster_allowed;
	bool aside; /* none of the program's: launches are neither counted nor recorded */
};

struct variable {
	struct variable *next;
	struct module *module;
	const void *host;
	char *name;
	bool constant;
	void **managed_pointer; /* where the program keeps a managed variable's address */
	uint64_t bytes;
	uint64_t address; /* 0 until looked up */
};

/* The kernel of a stub's address or a handle, ready to be asked about and launched. */
int module_kernel(const void *function, struct kernel **found);
int module_variable(const void *symbol, struct variable **found);
/* Loads every module not loaded yet. */
int modules_load(void);
/* What the driver's linker makes: PTX texts, each with its NUL. */
#define LINKED_MAGIC 0x6b6e4c57u
struct linked_image {
	uint32_t magic, n;
	uint64_t bytes; /* of all texts */
	char text[];
};
/* Code that the program has at run time: a fat binary, bare or wrapped, PTX, or what the driver's
 * linker made. bytes 0: it is in memory that is the program's, as long as it says itself. */
int module_load_data(const void *data, size_t bytes, struct module **loaded);
/* Why code was last refused, in words. */
const char *module_load_error(void);
/* None of its kernels is known from now on. */
void module_forget(struct module *m);
struct wcp_module *module_code(const struct module *m);
/* A kernel that cannot be executed is found too: launches of it fail. */
int module_named_kernel(struct module *m, const char *name, struct kernel **found);
struct kernel *module_add_kernel(struct module *m, const void *host, const char *name);
/* Where the executor shall put a variable; 0: where it likes. */
uint64_t module_place(void *arg, const char *name, uint64_t bytes, bool managed);

/* ---- device.c: cudaDeviceGetAttribute of kernels -------------------------------------------- */

bool device_attribute(void *arg, uint32_t attribute, int32_t *value);

/* ---- library.c ------------------------------------------------------------------------------ */

/* The file's bytes and a NUL behind them, the caller's to free; NULL: *status. */
char *library_read(const char *path, size_t *bytes, int *status);

/* The library of that code, NULL if it is the program's own. The lock is held. */
void *library_with(const struct module *m);

/* ---- launch.c ------------------------------------------------------------------------------- */

struct launch {
	struct kernel *kernel;
	struct cu_dim3 grid, block;
	struct cu_dim3 cluster; /* x 0: as the kernel says */
	size_t dynamic_shared_bytes;
	bool cooperative;
};
/* Is it possible? enum cu_error; why not, in words, unless why is NULL. */
enum { LAUNCH_WHY_BYTES = 160 };
int launch_check(const struct launch *l, char why[LAUNCH_WHY_BYTES]);
/* Blocks of a kernel that one SM holds at once. */
uint32_t occupancy_blocks(const struct kernel *k, uint32_t threads, size_t dynamic_shared);
int launch_run(const struct launch *l, void *const *args, uint64_t stream);

#endif
