/* Kernel launches, and what can be asked of kernels. */
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "calls.h"
#include "queue/queue.h"

static int WCP_PRINTF(3, 4) refuse(int status, char why[LAUNCH_WHY_BYTES], const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	if (why)
		vsnprintf(why, LAUNCH_WHY_BYTES, format, ap);
	va_end(ap);
	return status;
}

/* Grid and block as the device takes them. */
static int
check_shape(const struct launch *l, uint64_t threads, char *why)
{
	const uint32_t most = rt.settings.device.max_threads_per_block;
	const struct cu_dim3 g = l->grid, b = l->block;
	if (!g.x || !g.y || !g.z || g.x > 0x7fffffff || g.y > 65535 || g.z > 65535)
		return refuse(CU_INVALID_CONFIGURATION, why,
		    "a grid of %u x %u x %u blocks: there may be 1 to 2147483647 x 65535 x 65535",
		    g.x, g.y, g.z);
	if (!threads || b.x > 1024 || b.y > 1024 || b.z > 64 || threads > most)
		return refuse(CU_INVALID_CONFIGURATION, why,
		    "a block of %u x %u x %u threads: there may be 1 to 1024 x 1024 x 64, %u in "
		    "all",
		    b.x, b.y, b.z, most);
	return CU_OK;
}

/* The blocks of a cluster, one after the other of x, y and z. */
static int
check_cluster(const struct launch *l, char *why)
{
	const uint32_t *own = l->kernel->info.cluster, g[3] = {l->grid.x, l->grid.y, l->grid.z};
	const uint32_t asked[3] = {l->cluster.x, l->cluster.y, l->cluster.z};
	const uint32_t *k = asked[0] ? asked : own;
	const uint64_t most = l->kernel->cluster_allowed ? 16 : 8;
	if (!k[0])
		return CU_OK;
	for (unsigned i = 0; i < 3; i++)
		if (!k[i] || g[i] % k[i] || (own[0] && own[i] != k[i]))
			return refuse(CU_INVALID_CLUSTER_SIZE, why,
			    "a grid of %u x %u x %u in clusters of %u x %u x %u blocks", g[0], g[1],
			    g[2], k[0], k[1], k[2]);
	if ((uint64_t)k[0] * k[1] * k[2] > most)
		return refuse(CU_INVALID_CLUSTER_SIZE, why,
		    "a cluster of %u x %u x %u blocks: there may be %llu", k[0], k[1], k[2],
		    (unsigned long long)most);
	return CU_OK;
}

int
launch_check(const struct launch *l, char why[LAUNCH_WHY_BYTES])
{
	const struct link_device *d = &rt.settings.device;
	const struct cu_dim3 g = l->grid, b = l->block;
	const struct kernel *k = l->kernel;
	const uint64_t threads = (uint64_t)b.x * b.y * b.z;
	const int s = check_shape(l, threads, why);
	if (s)
		return s;
	if (k->info.max_threads && threads > k->info.max_threads)
		return refuse(CU_INVALID_VALUE, why,
		    "a block of %llu threads: the kernel was compiled for %u at most",
		    (unsigned long long)threads, k->info.max_threads);
	const uint64_t usual = d->shared_per_block - k->info.static_shared_bytes,
		       limit = k->dynamic_shared_max > usual ? k->dynamic_shared_max : usual;
	if (l->dynamic_shared_bytes > limit)
		return refuse(CU_INVALID_VALUE, why,
		    "%zu bytes of dynamic shared memory: there are %llu unless "
		    "cudaFuncSetAttribute asks for more, %u at most",
		    l->dynamic_shared_bytes, (unsigned long long)limit, d->shared_per_block_optin);
	const int clusters = check_cluster(l, why);
	if (clusters)
		return clusters;
	/* Blocks that wait for each other must all be there at once. */
	const uint64_t room =
	    l->cooperative
		? (uint64_t)d->sms * occupancy_blocks(k, (uint32_t)threads, l->dynamic_shared_bytes)
		: UINT64_MAX;
	if ((uint64_t)g.x * g.y * g.z > room)
		return refuse(CU_COOPERATIVE_LAUNCH_TOO_LARGE, why,
		    "a cooperative grid of %llu blocks: the device holds %llu of them at once",
		    (unsigned long long)g.x * g.y * g.z, (unsigned long long)room);
	return CU_OK;
}

/* The identifier in a name as C++ compilers write it: the last of a qualified one. */
static void
plain_name(const char *name, char *out, size_t bytes)
{
	const char *at = name, *found = name;
	size_t length = strlen(name);
	if (!strncmp(at, "_Z", 2)) {
		at += at[2] == 'N' ? 3 : 2;
		while (*at >= '1' && *at <= '9') {
			char *end;
			const size_t n = strtoul(at, &end, 10);
			if (n > strlen(end))
				break;
			found = end;
			length = n;
			at = end + n;
		}
	}
	length = length < bytes ? length : bytes - 1;
	memcpy(out, found, length);
	out[length] = 0;
}

static bool
name_wanted(const char *name)
{
	const char *pattern = rt.settings.kernel;
	char plain[256];
	if (!*pattern || !fnmatch(pattern, name, 0))
		return true;
	plain_name(name, plain, sizeof plain);
	return !fnmatch(pattern, plain, 0);
}

static bool
wanted(const struct kernel *k, uint64_t number)
{
	const struct link_settings *s = &rt.settings;
	return queue_recording() && number >= s->launch_first && number <= s->launch_last &&
	       name_wanted(k->name);
}

static int
fault_number(enum wcp_fault fault)
{
	switch (fault) {
	case WCP_FAULT_ADDRESS: return CU_ILLEGAL_ADDRESS;
	case WCP_FAULT_MISALIGNED: return CU_MISALIGNED_ADDRESS;
	case WCP_FAULT_ASSERT: return CU_ASSERT;
	case WCP_FAULT_STACK: return CU_HARDWARE_STACK_ERROR;
	case WCP_FAULT_CALL: return CU_INVALID_PC;
	case WCP_FAULT_DEADLOCK:
	case WCP_FAULT_LIMIT: return CU_LAUNCH_TIMEOUT;
	case WCP_FAULT_NONE:
	case WCP_FAULT_TRAP:
	case WCP_FAULT_CHECK:
	case WCP_FAULT_OTHER: break;
	}
	return CU_LAUNCH_FAILURE;
}

static int
fault_status(const struct wcp_error *e)
{
	switch (e->status) {
	case WCP_ESYS: return CU_MEMORY_ALLOCATION;
	case WCP_EDATA: return CU_NOT_SUPPORTED;
	case WCP_EUSAGE: return CU_INVALID_VALUE;
	case WCP_OK:
	case WCP_ENO: break;
	}
	return CU_OK;
}

int
launch_run(const struct launch *l, void *const *args, uint64_t stream)
{
	struct wcp_error e = {0};
	const struct kernel *k = l->kernel;
	struct wcp_launch launch = {.module = k->code,
	    .kernel = k->name,
	    .grid = {l->grid.x, l->grid.y, l->grid.z},
	    .block = {l->block.x, l->block.y, l->block.z},
	    .cluster = {l->cluster.x, l->cluster.y, l->cluster.z},
	    .dynamic_shared_bytes = (uint32_t)l->dynamic_shared_bytes,
	    .regs_per_thread = k->info.regs_per_thread,
	    .stream = stream,
	    .arg = (const void *const *)args,
	    .n_arg = k->info.n_param,
	    .record = !k->aside && wanted(k, rt.launches),
	    .cooperative = l->cooperative};
	rt.partial |= !launch.record && !k->aside;
	rt.launches += !k->aside;
	print_flush();
	queue_beside(&launch);
	if (wcp_device_launch(rt.device, &launch, &e) >= 0)
		return CU_OK;
	if (rt.fault) /* another one's, which ended this too */
		return CU_OK;
	/* A kernel that went wrong says so where the program waits for it. */
	link_note(LINK_LEVEL_ERROR, e.status == WCP_ENO, "%s", e.text);
	if (e.status == WCP_ENO &&
	    rt.settings.flags & (LINK_CHECK_MEMORY | LINK_CHECK_SYNC | LINK_CHECK_SHARED))
		rt.found++;
	if (e.status == WCP_ENO)
		__atomic_store_n(
		    &rt.fault, fault_number(wcp_device_fault(rt.device)), __ATOMIC_RELAXED);
	return fault_status(&e);
}

static int
launch(const void *function, const struct launch *as, void **args, void *stream)
{
	struct op op = {.type = CU_NODE_KERNEL, .of.kernel = {*as, args}};
	char why[LAUNCH_WHY_BYTES];
	int s = rt_enter();
	if (s)
		return rt_leave(s);
	s = module_kernel(function, &op.of.kernel.launch.kernel);
	if (s == CU_INVALID_DEVICE_FUNCTION && !op.of.kernel.launch.kernel)
		rt_complain(
		    "0x%llx is no kernel of the program", (unsigned long long)(uintptr_t)function);
	if (!s && !args && op.of.kernel.launch.kernel->info.n_param) {
		rt_complain(
		    "kernel '%s' is not launched: it has parameters, and there are no arguments",
		    op.of.kernel.launch.kernel->name);
		s = CU_INVALID_VALUE;
	}
	if (s)
		return rt_leave(s);
	s = submit(stream, &op);
	if (s && launch_check(&op.of.kernel.launch, why))
		rt_complain(
		    "kernel '%s' is not launched: %s", op.of.kernel.launch.kernel->name, why);
	else if (s == CU_INVALID_RESOURCE_HANDLE)
		rt_complain("kernel '%s' is not launched: there is no such stream",
		    op.of.kernel.launch.kernel->name);
	return rt_leave(s);
}

/* ---- <<<>>> --------------------------------------------------------------------------------- */

struct configuration {
	struct cu_dim3 grid, block;
	size_t shared;
	void *stream;
};
/* Arguments of a launch may launch kernels themselves. */
enum { CONFIGURATIONS_MAX = 32 };
static _Thread_local struct configuration pushed[CONFIGURATIONS_MAX];
static _Thread_local unsigned n_pushed;

API unsigned
__cudaPushCallConfiguration(struct cu_dim3 grid, struct cu_dim3 block, size_t shared, void *stream)
{
	if (n_pushed == CONFIGURATIONS_MAX)
		return 1;
	pushed[n_pushed++] = (struct configuration){grid, block, shared, stream};
	return 0;
}

API int
__cudaPopCallConfiguration(
    struct cu_dim3 *grid, struct cu_dim3 *block, size_t *shared, void **stream)
{
	if (!n_pushed)
		return rt_latch(CU_MISSING_CONFIGURATION);
	const struct configuration *c = &pushed[--n_pushed];
	*grid = c->grid;
	*block = c->block;
	*shared = c->shared;
	*stream = c->stream;
	return CU_OK;
}

API int
__cudaLaunchKernel(void *kernel, struct cu_dim3 grid, struct cu_dim3 block, void **args,
    size_t shared, void *stream)
{
	RT_CALLED;
	const struct launch l = {.grid = grid, .block = block, .dynamic_shared_bytes = shared};
	return launch(kernel, &l, args, stream);
}

API int
cudaLaunchKernel(const void *function, struct cu_dim3 grid, struct cu_dim3 block, void **args,
    size_t shared, void *stream)
{
	RT_CALLED;
	const struct launch l = {.grid = grid, .block = block, .dynamic_shared_bytes = shared};
	return launch(function, &l, args, stream);
}

API int
cudaLaunchCooperativeKernel(const void *function, struct cu_dim3 grid, struct cu_dim3 block,
    void **args, size_t shared, void *stream)
{
	RT_CALLED;
	const struct launch l = {
	    .grid = grid, .block = block, .dynamic_shared_bytes = shared, .cooperative = true};
	return launch(function, &l, args, stream);
}

API int
cudaLaunchKernelExC(const struct cu_launch_config *c, const void *function, void **args)
{
	RT_CALLED;
	if (!c || (c->n_attribute && !c->attribute))
		return rt_latch(CU_INVALID_VALUE);
	struct launch l = {
	    .grid = c->grid, .block = c->block, .dynamic_shared_bytes = c->dynamic_shared_bytes};
	void *event = NULL;
	for (unsigned i = 0; i < c->n_attribute; i++) {
		const struct cu_launch_attribute *a = &c->attribute[i];
		if (a->id < 0 || a->id >= CU_LAUNCH_ATTRIBUTES)
			return rt_latch(CU_INVALID_VALUE);
		if (a->id == CU_LAUNCH_COOPERATIVE)
			l.cooperative = a->value.number != 0;
		if (a->id == CU_LAUNCH_CLUSTER_DIMENSION)
			l.cluster = a->value.dim;
		if (a->id == CU_LAUNCH_PROGRAMMATIC_EVENT || a->id == CU_LAUNCH_COMPLETION_EVENT)
			memcpy(&event, &a->value, sizeof event);
	}
	const int s = launch(function, &l, args, c->stream);
	return s || !event ? s : cudaEventRecord(event, c->stream);
}
