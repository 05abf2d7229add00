/*
 * The SM executor: a device without time. It owns device memory and modules, runs launches and
 * hands what the warps did to a sink, batch by batch, in an order that does not depend on threads.
 */
#ifndef WARPCAP_EXEC_H
#define WARPCAP_EXEC_H

#include "warpcap/batch.h"
#include "warpcap/error.h"
#include "warpcap/program.h"

/* Device memory is an address range of its own; the first allocation starts here. A host pointer is
 * never inside, so a kernel that is handed one is caught, unless its memory was attached. */
#define WCP_DEVICE_BASE 0x200000000000ull

/* Where recordings go. Every function may be NULL. A negative return stops the launch with that
 * error. */
struct wcp_sink {
	void *arg;
	int (*program)(void *arg, const struct wcp_program *program, struct wcp_error *e);
	int (*kernel)(void *arg, const struct wcp_kernel *kernel, struct wcp_error *e);
	int (*warp)(void *arg, const struct wcp_warp_batch *batch, struct wcp_error *e);
	int (*kernel_end)(void *arg, const struct wcp_kernel_end *end, struct wcp_error *e);
	int (*host)(void *arg, const struct wcp_host_op *op, struct wcp_error *e);
	/* Called now and then from the launching thread; true asks the launch to stop (interrupt).
	 */
	bool (*poll)(void *arg, uint64_t thread_insns, uint64_t ctas_done, uint64_t ctas);
};

struct wcp_device_options {
	unsigned threads;      /* CTAs side by side; 0 or 1: in the caller's thread */
	uint64_t memory_bytes; /* device memory; 0: 16 GiB of address space, committed as touched */
	uint64_t
	    max_insns; /* thread instructions a launch may execute, 0: no limit; past it WCP_ENO */
	uint64_t max_warp_insns; /* likewise, warp instructions of any one warp */
	bool hide_memory; /* the host faults where it uses a device address of its own accord */
	bool relaxed;	  /* run CTAs in parallel even where DESIGN asks for order */
	/* Record beside each launch by a kernel what the launching thread would have done had it
	 * been refused (segments with seg_alt), up to where it would do the same again. */
	bool alternatives;
	bool check_shared; /* report reads of shared memory nobody wrote */
	bool check_memory; /* allocations lie apart, so that what runs past one's end is seen, and
			      those of kernels know by whom they were made */
	bool check_sync;   /* report aligned barriers that diverged threads of a warp come to apart
			      and member masks without their own lane */
	uint32_t regs_per_sm; /* 32-bit registers that the blocks which a kernel's directives
				 promise must fit in; 0: 65536 */
	uint64_t heap_bytes;  /* for malloc in kernels; 0: 8 MiB, as CUDA's limit at start */
	/* What kernels print: printf, and failed assertions with error set. Text comes in the order
	 * of CTAs, from one thread at a time, before the launch returns. NULL: it is dropped. */
	void (*print)(void *arg, bool error, const char *text, size_t bytes);
	void *print_arg;
	/* Is the address one of the caller's own memory? For messages about kernels that use it.
	 * NULL: nothing is said of that. */
	bool (*host_memory)(void *arg, uint64_t address);
	void *host_memory_arg;
	/* Kernels that launch kernels: how many grids may wait. More are refused, with an error on
	 * the device. 0: none is refused; when 2048 wait, the oldest runs first. */
	uint32_t pending_launches;
	/* cudaDeviceGetAttribute in kernels: true if it knows the attribute (cudaDeviceAttr). NULL,
	 * or false: a few that are built in. */
	bool (*attribute)(void *arg, uint32_t attribute, int32_t *value);
	void *attribute_arg;
	unsigned isa_level; /* 0: best of this CPU; 1: baseline, 3: AVX2, 4: AVX-512 */
	/* Which part is recorded; execution is always complete. */
	uint64_t record_cta_first, record_cta_last; /* linear CTA range, last inclusive; 0,0: all */
	bool record_ctas;			    /* the range holds even when it is 0,0 */
	uint64_t record_skip_insns, record_max_insns; /* thread instructions of a launch */
	struct wcp_sink sink;
	/* Optional: where a variable of a module shall lie: an address of attached memory that
	 * holds its bytes, or 0 for device memory. managed: the host shall reach it there. */
	uint64_t (*place)(void *arg, const char *variable, uint64_t bytes, bool managed);
	void *place_arg;
};

struct wcp_device;
struct wcp_module;

struct wcp_device *wcp_device_new(const struct wcp_device_options *options, struct wcp_error *e);
void wcp_device_free(struct wcp_device *d);

/* Text is PTX; it need not outlive the call. name is for messages. Globals are allocated and
 * initialised. */
struct wcp_module *wcp_device_load(
    struct wcp_device *d, const char *text, size_t bytes, const char *name, struct wcp_error *e);
/* The same for relocatable device code: several texts whose names refer to each other (ptx_link).
 */
struct wcp_ptx_text {
	const char *text;
	size_t bytes;
	const char *name; /* for messages */
};
struct wcp_module *wcp_device_link(struct wcp_device *d, const struct wcp_ptx_text *text,
    uint32_t n, const char *name, struct wcp_error *e);
/* Is there a kernel of that name; how many there are, the names of the first most in name. */
bool wcp_module_has_kernel(const struct wcp_module *m, const char *name);
uint32_t wcp_module_kernels(const struct wcp_module *m, const char **name, uint32_t most);

/* Address and size of a .global or .const variable, for the host; 0 on success. */
int wcp_module_variable(struct wcp_device *d, struct wcp_module *m, const char *name,
    uint64_t *address, uint64_t *bytes, struct wcp_error *e);

/* 256-byte aligned, addresses repeat from run to run; 0 on failure. The label names it in messages
 * and streams. */
uint64_t
wcp_device_alloc(struct wcp_device *d, uint64_t bytes, const char *label, struct wcp_error *e);
int wcp_device_release(struct wcp_device *d, uint64_t address, struct wcp_error *e);
int wcp_device_copy_in(
    struct wcp_device *d, uint64_t to, const void *from, uint64_t bytes, struct wcp_error *e);
int wcp_device_copy_out(
    struct wcp_device *d, void *to, uint64_t from, uint64_t bytes, struct wcp_error *e);
int wcp_device_set(
    struct wcp_device *d, uint64_t to, uint8_t value, uint64_t bytes, struct wcp_error *e);
/* The bytes of an allocation as the host sees them; NULL if [address, address + bytes) is not
 * inside one. */
void *wcp_device_host(struct wcp_device *d, uint64_t address, uint64_t bytes);

/* Moves an allocation's pages into a file without a name (memfd_create(2)) that other processes may
 * map: its descriptor, which stays the device's, and where the address is in it. What lies in the
 * same pages goes with it. Negative without memory. Not while a launch runs. */
int wcp_device_share(struct wcp_device *d, uint64_t address, uint64_t *offset, struct wcp_error *e);

/* Memory of the host that kernels may use too, at the host's address: it stays the caller's and
 * must outlive the launches until it is detached. WCP_EUSAGE when it overlaps an allocation. */
int wcp_device_attach(
    struct wcp_device *d, void *memory, uint64_t bytes, const char *label, struct wcp_error *e);
int wcp_device_detach(struct wcp_device *d, void *memory, struct wcp_error *e);

/* The live allocation that holds an address; the label lives as long as it does. */
struct wcp_device_allocation {
	uint64_t base, bytes;
	const char *label;
	bool attached;
};
bool wcp_device_allocation(
    const struct wcp_device *d, uint64_t address, struct wcp_device_allocation *found);
/* Where bytes at an address that are not all in one allocation lie, in words: "4 bytes past the end
 * of 'A' (64 bytes at 0x...)", "in 'A' (...), which was freed", "no device address". */
void wcp_device_describe(
    const struct wcp_device *d, uint64_t address, uint64_t bytes, char *text, size_t room);

/* What a kernel looks like from outside; sizes for occupancy and argument lists. */
struct wcp_kernel_info {
	uint32_t n_param;
	const uint32_t *param_offset, *param_bytes; /* [n_param] */
	uint32_t param_total_bytes;
	uint32_t static_shared_bytes, local_bytes;
	uint32_t
	    regs_per_thread;  /* peak of live ones, at most what the directives leave room for */
	uint32_t max_threads; /* .maxntid product, 0 if not given */
	uint32_t sm;	      /* of its PTX's .target: 75 */
	uint32_t cluster[3];  /* .reqnctapercluster, 0 if not given */
	bool may_wait;	      /* a loop of its may wait for memory that others write */
};
int wcp_kernel_info(struct wcp_device *d, struct wcp_module *m, const char *kernel,
    struct wcp_kernel_info *info, struct wcp_error *e);

/* Where a launch stands when it lets others go on. */
enum wcp_yield_at {
	WCP_YIELD_RUNS,	 /* between slices */
	WCP_YIELD_WAITS, /* every CTA there is waits for memory that none of them writes */
	WCP_YIELD_STILL, /* all have looked at that memory again, and wait */
};

struct wcp_launch {
	struct wcp_module *module;
	const char *kernel;
	uint32_t grid[3], block[3];
	uint32_t cluster[3]; /* CTAs of a cluster, at most 16; 0: as the kernel says, or 1 */
	uint32_t dynamic_shared_bytes;
	uint64_t stream;
	const void *const *arg; /* [n_param]: each points to the parameter's bytes */
	uint32_t n_arg;
	uint32_t regs_per_thread; /* 0: peak of live 32-bit registers */
	bool record;		  /* false: execute without handing anything to the sink */
	bool cooperative;	  /* the grid may synchronize: %envreg1 and 2 name its barrier */
	/* Optional, for a launch beside a host that goes on and writes what the kernel waits for:
	 * called from the launching thread, everything executed so far having been handed to the
	 * sink when the CTAs begin to wait; insns: warp instructions since the last call. Until
	 * it returns the device may be used in every way, its memory allocated and freed, other
	 * launches begun and ended, in whatever thread. false: nobody will write that memory, the
	 * launch ends as a deadlock, wherever it stands. NULL: nobody writes but the launch itself.
	 */
	bool (*yield)(void *arg, enum wcp_yield_at at, uint64_t insns);
	void *yield_arg;
};

/* Runs to the end. WCP_ENO when the kernel misbehaved (wild access, misaligned, trap, barrier
 * deadlock, max_insns), WCP_EDATA when it reaches an instruction that is not there, WCP_EUSAGE for
 * a launch that cannot be. The text names kernel, CTA, thread, PTX line, source line, address and
 * nearest allocation. Grids that the kernel launches have run by then as well: after the CTAs of
 * their parent, in the order of the launches, each with its own children before the next, tail
 * launches last; earlier where the parent synchronizes with them. A failure of theirs is the
 * launch's. Everything executed before a fault has been handed to the sink, KERNEL_END
 * included. */
int wcp_device_launch(struct wcp_device *d, const struct wcp_launch *launch, struct wcp_error *e);

/* What the last launch ended with, for runtimes that have a number for each. */
enum wcp_fault {
	WCP_FAULT_NONE,
	WCP_FAULT_ADDRESS, /* out of bounds, freed, or a handle that is none */
	WCP_FAULT_MISALIGNED,
	WCP_FAULT_TRAP,
	WCP_FAULT_ASSERT,
	WCP_FAULT_STACK,    /* the call stack or its local memory */
	WCP_FAULT_CALL,	    /* no function at that address */
	WCP_FAULT_DEADLOCK, /* threads wait for each other, or for memory nobody writes */
	WCP_FAULT_LIMIT,    /* max_insns, max_warp_insns */
	WCP_FAULT_CHECK,    /* what check_shared and check_sync look for */
	WCP_FAULT_OTHER
};
enum wcp_fault wcp_device_fault(const struct wcp_device *d);

/* pending_launches from the next launch on. */
void wcp_device_set_pending(struct wcp_device *d, uint32_t launches);

/* Bytes that malloc in kernels may hand out from the next launch on, and what it has handed out. */
void wcp_device_set_heap(struct wcp_device *d, uint64_t bytes);
uint64_t wcp_device_heap_used(const struct wcp_device *d);
/* The first of what it handed out and nobody has freed that begins above an address; false: none is
 * left. With check_memory the label says by whom and where it was asked for. */
bool wcp_device_heap_next(
    const struct wcp_device *d, uint64_t after, struct wcp_device_allocation *found);

struct wcp_device_counts {
	uint64_t launches, warp_insns, thread_insns, ctas;
};
void wcp_device_counts(const struct wcp_device *d, struct wcp_device_counts *counts);

#endif
