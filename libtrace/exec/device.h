#ifndef EXEC_DEVICE_H
#define EXEC_DEVICE_H

#include "exec/memory.h"
#include "exec/warp.h"
#include "warpcap/exec.h"
#include "warpcap/ptx.h"

struct wcp_module {
	struct wcp_module *next;
	char *name;
	struct ptx_module *ptx;
	struct exec_code **code; /* [ptx->n_func], lowered when first asked for */
};

/* What the address of a function stands for: EXEC_CODE_WINDOW + 16 (i + 1). */
struct exec_function {
	struct wcp_module *module;
	const struct ptx_func *func;
};

/* By handle; made and freed between launches only. */
struct exec_texture;
struct exec_textures {
	struct exec_texture *list; /* [n] */
	uint32_t n, cap;
};

struct wcp_device {
	struct wcp_device_options options;
	struct exec_memory memory;
	const struct exec_level *level;
	unsigned isa;
	struct wcp_module *module;
	uint32_t n_programs, n_kernels;
	uint64_t n_functions;		/* that have an address */
	uint64_t heap_bytes, heap_used; /* malloc in kernels */
	uint64_t grid_barrier;		/* device address; 0: none that is not in use */
	enum wcp_fault fault;		/* of the last launch */
	struct exec_textures textures, surfaces;
	struct exec_function *function; /* [n_functions], by address */
	uint32_t cap_function;
	struct child_pool *pool; /* parameter buffers of kernels that kernels launch */
	uint32_t n_sites;	 /* launch sites that were come to */
	uint32_t n_pending;	 /* grids that wait for their parents */
	uint32_t n_reserved;	 /* grids to be launched: they have a parameter buffer */
	uint64_t error_texts;	 /* device address; 0: nobody asked yet */
	struct queued *spare;	 /* batches of the last launch, for the next */
	struct wcp_device_counts counts;
};

void exec_textures_release(struct wcp_device *d); /* texture.c */
void exec_grid_release(struct wcp_device *d);	  /* grid.c */

/* Back to the heap of malloc. False: address is not one that it gave. */
bool exec_heap_give(struct wcp_device *d, uint64_t address);

/* The lowered kernel, runnable or not; NULL: no kernel of that name, or no memory. */
struct exec_code *
exec_kernel(struct wcp_device *d, struct wcp_module *m, const char *name, struct wcp_error *e);

/* The same, NULL and the reason if it cannot be run. */
struct exec_code *
exec_runnable(struct wcp_device *d, struct wcp_module *m, const char *name, struct wcp_error *e);

/* One grid, launched by the host or by a kernel. */
struct exec_start {
	struct exec_code *code;
	uint32_t grid[3], block[3], dynamic_shared_bytes;
	uint32_t cluster[3]; /* 0: as the code says */
	char *param;	     /* [code->param_bytes] */
	uint32_t level;	     /* 0: launched by the host */
	uint32_t kernel;     /* wcp_kernel.id, if recorded */
	bool record, cooperative;
	uint64_t grid_barrier;		  /* device address, of a cooperative one */
	const struct exec_beside *beside; /* NULL: nobody else writes what the grid waits for */
};
int exec_check_shape(const struct exec_code *c, const uint32_t grid[3], const uint32_t block[3],
    uint32_t dynamic_shared_bytes, struct wcp_error *e);
/* Hands the kernel to the sink, its program before if it is new. What k does not say is the
 * code's. */
int exec_describe(struct wcp_device *d, const struct exec_start *s, const struct wcp_kernel *k,
    struct wcp_error *e);
/* Runs the grid and the grids its kernels launch, to the end. Its tail launches are left in tail;
 * NULL: they run too. */
struct child_list;
int exec_start(
    struct wcp_device *d, const struct exec_start *s, struct child_list *tail, struct wcp_error *e);
void exec_children_release(struct wcp_device *d); /* child/buffer.c */

/* Gives variables and functions their addresses and variables their first contents. */
int exec_place_globals(struct wcp_device *d, struct wcp_module *m, struct wcp_error *e);

int exec_host_op(struct wcp_device *d, enum wcp_host_kind kind, uint64_t address, uint64_t bytes,
    uint64_t value, const char *label, struct wcp_error *e);

/* Runs all CTAs of a launch and hands over what they recorded, in order. */
int exec_grid(struct wcp_device *d, const struct exec_run *run, bool record,
    struct exec_counts *total, struct wcp_error *e);

#endif
