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
	uint64_t grid_barrier;		/* device address; 0: no cooperative launch yet */
	enum wcp_fault fault;		/* of the last launch */
	struct exec_textures textures, surfaces;
	struct wcp_device_counts counts;
};

void exec_textures_release(struct wcp_device *d); /* texture.c */

#define EXEC_HEAP_LABEL "malloc in a kernel"

/* The lowered kernel, runnable or not; NULL: no kernel of that name, or no memory. */
struct exec_code *
exec_kernel(struct wcp_device *d, struct wcp_module *m, const char *name, struct wcp_error *e);

/* Gives variables and functions their addresses and variables their first contents. */
int exec_place_globals(struct wcp_device *d, struct wcp_module *m, struct wcp_error *e);

int exec_host_op(struct wcp_device *d, enum wcp_host_kind kind, uint64_t address, uint64_t bytes,
    uint64_t value, const char *label, struct wcp_error *e);

/* Runs all CTAs of a launch and hands over what they recorded, in order. */
int exec_grid(struct wcp_device *d, const struct exec_run *run, bool record,
    struct exec_counts *total, struct wcp_error *e);

#endif
