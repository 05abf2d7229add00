/* From a launch to its grid: what the host may ask for, parameters, the kernel's descriptor. */
#include <stdlib.h>
#include <string.h>
#include "exec/child/child.h"
#include "exec/special.h"

/* The largest that any device of compute capability 7.0 to 10.0 takes. */
#define THREADS_MAX	 1024u
#define SHARED_MAX_BYTES (227u << 10)
#define GRID_X_MAX	 0x7fffffffu
#define GRID_YZ_MAX	 65535u

#define GRID_BARRIER_BYTES 64u

int
exec_check_shape(const struct exec_code *c, const uint32_t g[3], const uint32_t b[3],
    uint32_t dynamic_shared_bytes, struct wcp_error *e)
{
	const uint64_t threads = (uint64_t)b[0] * b[1] * b[2];
	if (!g[0] || !g[1] || !g[2] || g[0] > GRID_X_MAX || g[1] > GRID_YZ_MAX ||
	    g[2] > GRID_YZ_MAX || (uint64_t)g[0] * g[1] * g[2] > UINT32_MAX)
		return wcp_fail(e, WCP_EUSAGE,
		    "kernel '%s': a grid of %u x %u x %u is not possible", c->name, g[0], g[1],
		    g[2]);
	if (!b[0] || !b[1] || !b[2] || b[0] > THREADS_MAX || b[1] > THREADS_MAX || b[2] > 64 ||
	    threads > THREADS_MAX)
		return wcp_fail(e, WCP_EUSAGE,
		    "kernel '%s': a block of %u x %u x %u is not possible: at most %u threads",
		    c->name, b[0], b[1], b[2], THREADS_MAX);
	if (c->max_threads && threads > c->max_threads)
		return wcp_fail(e, WCP_EUSAGE,
		    "kernel '%s': a block of %llu threads, but its .maxntid is %u", c->name,
		    (unsigned long long)threads, c->max_threads);
	for (unsigned i = 0; i < 3; i++)
		if (c->reqntid[i] && c->reqntid[i] != b[i])
			return wcp_fail(e, WCP_EUSAGE, "kernel '%s': its .reqntid is %u, %u, %u",
			    c->name, c->reqntid[0], c->reqntid[1], c->reqntid[2]);
	if ((uint64_t)c->static_shared_bytes + dynamic_shared_bytes > SHARED_MAX_BYTES)
		return wcp_fail(e, WCP_EUSAGE,
		    "kernel '%s': %llu bytes of shared memory; at most %u", c->name,
		    (unsigned long long)c->static_shared_bytes + dynamic_shared_bytes,
		    SHARED_MAX_BYTES);
	return 0;
}

/* The clusters that a grid is made of, 1 x 1 x 1 where nobody asked for any. */
static int
check_cluster(const struct exec_code *c, const struct wcp_launch *l, struct wcp_error *e)
{
	const uint32_t *k = l->cluster[0] ? l->cluster : c->cluster;
	if (!k[0])
		return 0;
	for (unsigned i = 0; i < 3; i++)
		if (!k[i] || l->grid[i] % k[i] || (c->cluster[0] && c->cluster[i] != k[i]))
			return wcp_fail(e, WCP_EUSAGE,
			    "kernel '%s': a grid of %u x %u x %u in clusters of %u x %u x %u is "
			    "not "
			    "possible",
			    c->name, l->grid[0], l->grid[1], l->grid[2], k[0], k[1], k[2]);
	if ((uint64_t)k[0] * k[1] * k[2] > EXEC_CLUSTER_MAX)
		return wcp_fail(e, WCP_EUSAGE, "kernel '%s': a cluster of %u x %u x %u: at most %u",
		    c->name, k[0], k[1], k[2], EXEC_CLUSTER_MAX);
	return 0;
}

struct exec_code *
exec_runnable(struct wcp_device *d, struct wcp_module *m, const char *kernel, struct wcp_error *e)
{
	struct exec_code *c = exec_kernel(d, m, kernel, e);
	if (!c || !c->status)
		return c;
	wcp_fail(e, (enum wcp_status)c->status, "kernel '%s': %s", kernel, c->why);
	return NULL;
}

int
wcp_kernel_info(struct wcp_device *d, struct wcp_module *m, const char *kernel,
    struct wcp_kernel_info *info, struct wcp_error *e)
{
	struct wcp_error why;
	const struct exec_code *c = exec_runnable(d, m, kernel, &why);
	if (!c) {
		if (e)
			*e = why;
		return why.status;
	}
	*info = (struct wcp_kernel_info){.n_param = c->n_param,
	    .param_offset = c->param_offset,
	    .param_bytes = c->param_bytes_each,
	    .param_total_bytes = c->param_bytes,
	    .static_shared_bytes = c->static_shared_bytes,
	    .local_bytes = c->local_bytes,
	    .regs_per_thread = c->regs_per_thread,
	    .max_threads = c->max_threads,
	    .cluster = {c->cluster[0], c->cluster[1], c->cluster[2]},
	    .sm = m->ptx->sm,
	    .may_wait = c->may_spin};
	return 0;
}

static bool
is_partial(const struct wcp_device_options *o)
{
	return o->record_ctas || o->record_cta_first || o->record_cta_last ||
	       o->record_skip_insns || o->record_max_insns;
}

static bool
runs_in_order(const struct wcp_device *d, const struct exec_start *s)
{
	const struct exec_code *c = s->code;
	return c->may_spin || c->one_by_one || s->cooperative ||
	       (c->ordered && !d->options.relaxed);
}

int
exec_describe(struct wcp_device *d, const struct exec_start *s, const struct wcp_kernel *more,
    struct wcp_error *e)
{
	const struct wcp_sink *sink = &d->options.sink;
	struct exec_code *c = s->code;
	struct wcp_kernel k = *more;
	int r = 0;
	if (!c->program_sent) {
		c->program.id = d->n_programs++;
		c->program_sent = true;
		r = sink->program ? sink->program(sink->arg, &c->program, e) : 0;
	}
	k.id = s->kernel;
	k.program = c->program.id;
	k.name = c->name;
	memcpy(k.grid, s->grid, sizeof k.grid);
	memcpy(k.block, s->block, sizeof k.block);
	k.regs_per_thread = k.regs_per_thread ? k.regs_per_thread : c->regs_per_thread;
	k.static_shared_bytes = c->static_shared_bytes;
	k.dynamic_shared_bytes = s->dynamic_shared_bytes;
	k.local_bytes = c->local_bytes;
	k.param_bytes = c->param_bytes;
	k.flags |= (runs_in_order(d, s) ? WCP_KERNEL_ORDERED : 0) |
		   (c->may_spin ? WCP_KERNEL_SPINS : 0) |
		   (is_partial(&d->options) ? WCP_KERNEL_PARTIAL : 0);
	return r || !sink->kernel ? r : sink->kernel(sink->arg, &k, e);
}

/* Runs the grid; what was executed is reported even when it went wrong. */
static int
run_grid(struct wcp_device *d, const struct exec_run *run, bool record, struct wcp_error *e)
{
	const struct wcp_sink *s = &d->options.sink;
	struct exec_counts n = {0};
	struct wcp_error ignored;
	const int r = exec_grid(d, run, record, &n, e);
	const struct wcp_kernel_end end = {.kernel = run->kernel,
	    .warp_insns = n.warp_insns,
	    .thread_insns = n.thread_insns,
	    .mem_insns = n.mem_insns,
	    .ctas = n.ctas};
	d->counts.launches++;
	d->counts.warp_insns += n.warp_insns;
	d->counts.thread_insns += n.thread_insns;
	d->counts.ctas += n.ctas;
	if (!record || !s->kernel_end)
		return r;
	const int end_r = s->kernel_end(s->arg, &end, r ? &ignored : e);
	return r ? r : end_r;
}

static char *
copy_arguments(const struct exec_code *c, const struct wcp_launch *l)
{
	char *param = calloc(1, c->param_bytes + 8ul);
	for (uint32_t i = 0; param && i < c->n_param; i++)
		memcpy(param + c->param_offset[i], l->arg[i], c->param_bytes_each[i]);
	return param;
}

/* The barrier that %envreg1 and 2 lead a cooperative grid to: {u32 bytes, u32 barrier}, zero at the
 * start. Source: CUDA's cooperative_groups/details/driver_abi.h. The device keeps one; a grid that
 * begins while another waits for the host has its own. 0: no memory. */
static uint64_t
take_grid_barrier(struct wcp_device *d, struct wcp_error *e)
{
	uint64_t at = d->grid_barrier;
	d->grid_barrier = 0;
	if (!at)
		at = exec_memory_alloc(&d->memory, GRID_BARRIER_BYTES, "grid barrier", e);
	if (at)
		memset(exec_memory_at(&d->memory, at), 0, GRID_BARRIER_BYTES);
	return at;
}

static void
give_grid_barrier(struct wcp_device *d, uint64_t at)
{
	struct wcp_error ignored;
	if (at && d->grid_barrier)
		exec_memory_free(&d->memory, at, &ignored);
	else if (at)
		d->grid_barrier = at;
}

/* The kernel's own, and behind it the system's if it asks where that is. */
static uint32_t
shared_bytes(const struct exec_code *c, uint32_t dynamic_bytes)
{
	const uint32_t own = c->static_shared_bytes + dynamic_bytes;
	for (uint32_t i = 0; i < c->n_special; i++)
		if (c->special[i].kind >= SPECIAL_RESERVED_BEGIN &&
		    c->special[i].kind <= SPECIAL_RESERVED_SIZE)
			return ((own + 255) & ~255u) + EXEC_RESERVED_BYTES;
	return own;
}

int
exec_start(
    struct wcp_device *d, const struct exec_start *s, struct child_list *tail, struct wcp_error *e)
{
	const struct exec_code *c = s->code;
	const uint32_t threads = s->block[0] * s->block[1] * s->block[2];
	const bool in_order = runs_in_order(d, s);
	struct child_grid child = {.device = d,
	    .level = s->level,
	    .beside = s->beside,
	    .record = s->record,
	    .kernel = s->kernel,
	    .code = s->code};
	const uint32_t *k = s->cluster[0] ? s->cluster : c->cluster, one[3] = {1, 1, 1};
	const bool explicit = k[0] != 0;
	k = explicit ? k : one;
	const struct exec_run run = {.device = d,
	    .code = c,
	    .memory = &d->memory,
	    .level = d->level,
	    .grid = {s->grid[0], s->grid[1], s->grid[2]},
	    .block = {s->block[0], s->block[1], s->block[2]},
	    .cluster = {k[0], k[1], k[2]},
	    .cluster_ctas = k[0] * k[1] * k[2],
	    .explicit_cluster = explicit,
	    .ctas = (uint64_t)s->grid[0] * s->grid[1] * s->grid[2],
	    .n_warps = (threads + WCP_LANES - 1) / WCP_LANES,
	    .kernel = s->record ? s->kernel : 0,
	    .param = s->param,
	    .dynamic_shared_bytes = s->dynamic_shared_bytes,
	    .shared_bytes = shared_bytes(c, s->dynamic_shared_bytes),
	    .in_order = in_order,
	    .parallel = d->options.threads > 1 && !in_order,
	    .check_shared = d->options.check_shared,
	    .check_sync = d->options.check_sync,
	    .child = &child,
	    .beside = s->beside,
	    .grid_barrier = s->grid_barrier,
	    .clock = CYCLES_PER_INSN * d->counts.warp_insns,
	    .max_insns = d->options.max_insns,
	    .max_warp_insns = d->options.max_warp_insns};
	const int r = run_grid(d, &run, s->record, e);
	return child_finish(&child, r, tail, e);
}

static int
start(struct wcp_device *d, const struct wcp_launch *l, struct exec_code *c, struct wcp_error *e)
{
	const struct wcp_kernel k = {
	    .regs_per_thread = l->regs_per_thread, .stream = l->stream, .parent = WCP_NONE32};
	const struct exec_beside beside = {l->yield, l->yield_arg};
	struct exec_start s = {.code = c,
	    .grid = {l->grid[0], l->grid[1], l->grid[2]},
	    .block = {l->block[0], l->block[1], l->block[2]},
	    .cluster = {l->cluster[0], l->cluster[1], l->cluster[2]},
	    .dynamic_shared_bytes = l->dynamic_shared_bytes,
	    .param = copy_arguments(c, l),
	    .record = l->record,
	    .cooperative = l->cooperative,
	    .beside = l->yield ? &beside : NULL};
	int r = s.param ? 0 : wcp_fail(e, WCP_ESYS, "out of memory");
	if (!r && l->cooperative && !(s.grid_barrier = take_grid_barrier(d, e)))
		r = WCP_ESYS;
	d->fault = r ? WCP_FAULT_OTHER : WCP_FAULT_NONE;
	if (!r && l->record) {
		s.kernel = d->n_kernels++;
		r = exec_describe(d, &s, &k, e);
	}
	if (!r)
		r = exec_start(d, &s, NULL, e);
	give_grid_barrier(d, s.grid_barrier);
	free(s.param);
	return r;
}

int
wcp_device_launch(struct wcp_device *d, const struct wcp_launch *l, struct wcp_error *e)
{
	struct wcp_error why;
	struct exec_code *c = exec_runnable(d, l->module, l->kernel, &why);
	int r = c ? exec_check_shape(c, l->grid, l->block, l->dynamic_shared_bytes, &why)
		  : (int)why.status;
	if (c && !r)
		r = check_cluster(c, l, &why);
	if (!r && l->n_arg != c->n_param)
		r = wcp_fail(&why, WCP_EUSAGE, "kernel '%s' has %u parameters, not %u", l->kernel,
		    c->n_param, l->n_arg);
	if (!r)
		r = start(d, l, c, &why);
	else
		d->fault = WCP_FAULT_OTHER;
	if (r && e)
		*e = why;
	return r;
}
