/* The driver's start, the device, contexts. */
#include "driver/driver.h"

/* A context is a name for the one device: whichever is current, everything is there. */
struct context {
	struct handle handle;
	unsigned flags;
	uint64_t id;
};

enum { STACK_MOST = 64, PEER_UNSUPPORTED = 217, INVALID_CONTEXT = 201, CONTEXT_IS_DESTROYED = 709 };

static bool initialized;
static struct context *primary;
static unsigned primary_flags, primary_uses;
static _Thread_local void *stack[STACK_MOST]; /* [depth] the last is current */
static _Thread_local unsigned depth;

bool
driver_is_there(void)
{
	return initialized || rt.ready;
}

int
driver_enter(const char *name, const void *place)
{
	if (!driver_is_there())
		return CU_INITIALIZATION_ERROR;
	rt_called(name, place);
	rt_mark();
	return CU_OK;
}

API int
cuInit(unsigned flags)
{
	if (flags)
		return CU_INVALID_VALUE;
	rt_mark();
	const int s = driver_answer(rt_leave(rt_enter()));
	initialized |= !s;
	return s;
}

API int
cuDriverGetVersion(int *version)
{
	rt_mark();
	return driver_answer(cudaDriverGetVersion(version));
}

/* ---- contexts ------------------------------------------------------------------------------- */

static int
context_new(void **out, unsigned flags)
{
	struct context *c = handle_new(HANDLE_CONTEXT, sizeof *c);
	if (!c)
		return CU_MEMORY_ALLOCATION;
	static uint64_t n_contexts;
	c->flags = flags;
	c->id = ++n_contexts;
	*out = c;
	return CU_OK;
}

static int
create(void **out, unsigned flags, int device)
{
	int s = rt_enter();
	if (!s && (!out || device))
		s = device ? CU_INVALID_DEVICE : CU_INVALID_VALUE;
	if (!s && depth == STACK_MOST)
		s = CU_MEMORY_ALLOCATION;
	if (!s)
		s = context_new(out, flags);
	if (!s)
		stack[depth++] = *out;
	return rt_leave(s);
}

API int
cuCtxCreate_v2(void **out, unsigned flags, int device)
{
	return DRIVER(create(out, flags, device));
}

API int
cuCtxCreate_v3(void **out, void *affinity, int n_affinity, unsigned flags, int device)
{
	(void)affinity, (void)n_affinity;
	return cuCtxCreate_v2(out, flags, device);
}

API int
cuCtxCreate_v4(void **out, void *params, unsigned flags, int device)
{
	(void)params;
	return cuCtxCreate_v2(out, flags, device);
}

static bool
known(void *context)
{
	rt_lock();
	const bool is = handle_get(context, HANDLE_CONTEXT) != NULL;
	rt_unlock();
	return is;
}

API int
cuCtxDestroy_v2(void *context)
{
	rt_lock();
	const bool ends = handle_get(context, HANDLE_CONTEXT) && context != primary;
	if (ends)
		handle_free(context);
	rt_unlock();
	if (!ends)
		return INVALID_CONTEXT;
	if (depth && stack[depth - 1] == context)
		depth--;
	return DRIVER(cudaDeviceSynchronize());
}

API int
cuCtxPushCurrent_v2(void *context)
{
	if (!known(context) || depth == STACK_MOST)
		return INVALID_CONTEXT;
	stack[depth++] = context;
	return CU_OK;
}

API int
cuCtxPopCurrent_v2(void **context)
{
	if (!depth)
		return INVALID_CONTEXT;
	depth--;
	if (context)
		*context = stack[depth];
	return CU_OK;
}

/* NULL takes the current one away. */
API int
cuCtxSetCurrent(void *context)
{
	if (context && !known(context))
		return INVALID_CONTEXT;
	depth -= depth > 0;
	if (context)
		stack[depth++] = context;
	return CU_OK;
}

static int
retain(void **out, unsigned uses)
{
	int s = rt_enter();
	void *made = primary;
	if (!s && !primary && !(s = context_new(&made, primary_flags)))
		primary = made;
	primary_uses += s ? 0 : uses;
	*out = made;
	return rt_leave(s);
}

/* The runtime makes the primary context current in a thread that has none. */
API int
cuCtxGetCurrent(void **context)
{
	if (!context)
		return CU_INVALID_VALUE;
	*context = depth ? stack[depth - 1] : NULL;
	return depth || !rt_used() || !rt.ready ? CU_OK : DRIVER(retain(context, 0));
}

API int
cuDevicePrimaryCtxRetain(void **out, int device)
{
	if (!out || device)
		return device ? CU_INVALID_DEVICE : CU_INVALID_VALUE;
	return DRIVER(retain(out, 1));
}

API int
cuDevicePrimaryCtxRelease_v2(int device)
{
	if (device)
		return CU_INVALID_DEVICE;
	rt_lock();
	const bool held = primary_uses > 0;
	primary_uses -= held;
	rt_unlock();
	return held ? CU_OK : INVALID_CONTEXT;
}

API int
cuDevicePrimaryCtxRelease(int device)
{
	return cuDevicePrimaryCtxRelease_v2(device);
}

API int
cuDevicePrimaryCtxReset_v2(int device)
{
	return device ? CU_INVALID_DEVICE : driver_answer(cudaDeviceReset());
}

API int
cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags)
{
	if (device)
		return CU_INVALID_DEVICE;
	primary_flags = flags;
	return CU_OK;
}

API int
cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active)
{
	if (device || !flags || !active)
		return device ? CU_INVALID_DEVICE : CU_INVALID_VALUE;
	*flags = primary_flags;
	*active = primary_uses > 0 || rt_used();
	return CU_OK;
}

API int
cuCtxGetDevice(int *device)
{
	if (!device)
		return CU_INVALID_VALUE;
	*device = 0;
	return depth || rt_used() ? CU_OK : INVALID_CONTEXT;
}

API int
cuCtxGetDevice_v2(int *device, void *context)
{
	if (!device || (context && !known(context)))
		return device ? INVALID_CONTEXT : CU_INVALID_VALUE;
	return context ? (*device = 0, CU_OK) : cuCtxGetDevice(device);
}

API int
cuCtxGetFlags(unsigned *flags)
{
	if (!flags || !depth)
		return depth ? CU_INVALID_VALUE : INVALID_CONTEXT;
	rt_lock();
	const struct context *c = handle_get(stack[depth - 1], HANDLE_CONTEXT);
	if (c)
		*flags = c->flags;
	rt_unlock();
	return c ? CU_OK : CONTEXT_IS_DESTROYED;
}

API int
cuCtxGetApiVersion(void *context, unsigned *version)
{
	if (!version || (context && !known(context)))
		return version ? INVALID_CONTEXT : CU_INVALID_VALUE;
	*version = 3020;
	return CU_OK;
}

API int
cuCtxSynchronize(void)
{
	return DRIVER(cudaDeviceSynchronize());
}

API int
cuCtxSynchronize_v2(void *context)
{
	return context && !known(context) ? INVALID_CONTEXT : cuCtxSynchronize();
}

API int
cuCtxSetFlags(unsigned flags)
{
	rt_lock();
	struct context *c = depth ? handle_get(stack[depth - 1], HANDLE_CONTEXT) : NULL;
	if (c)
		c->flags = flags;
	rt_unlock();
	return c ? CU_OK : depth ? CONTEXT_IS_DESTROYED : INVALID_CONTEXT;
}

API int
cuCtxGetId(void *context, unsigned long long *id)
{
	void *of = context;
	const int s = context ? CU_OK : cuCtxGetCurrent(&of);
	if (s || !id || !known(of))
		return s ? s : id ? INVALID_CONTEXT : CU_INVALID_VALUE;
	rt_lock();
	const struct context *c = handle_get(of, HANDLE_CONTEXT);
	*id = c ? c->id : 0;
	rt_unlock();
	return CU_OK;
}

API int
cuCtxGetSharedMemConfig(int *config)
{
	return DRIVER(cudaDeviceGetSharedMemConfig(config));
}

API int
cuCtxSetSharedMemConfig(int config)
{
	return DRIVER(cudaDeviceSetSharedMemConfig(config));
}

API int
cuCtxSetLimit(int which, size_t value)
{
	return DRIVER(cudaDeviceSetLimit(which, value));
}

API int
cuCtxGetLimit(size_t *value, int which)
{
	return DRIVER(cudaDeviceGetLimit(value, which));
}

API int
cuCtxGetCacheConfig(int *config)
{
	return DRIVER(cudaDeviceGetCacheConfig(config));
}

API int
cuCtxSetCacheConfig(int config)
{
	return DRIVER(cudaDeviceSetCacheConfig(config));
}

API int
cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
	return DRIVER(cudaDeviceGetStreamPriorityRange(least, greatest));
}

API int
cuCtxResetPersistingL2Cache(void)
{
	return DRIVER(cudaCtxResetPersistingL2Cache());
}

API int
cuCtxEnablePeerAccess(void *context, unsigned flags)
{
	(void)context, (void)flags;
	return PEER_UNSUPPORTED;
}

API int
cuCtxDisablePeerAccess(void *context)
{
	(void)context;
	return PEER_UNSUPPORTED;
}

API int
cuProfilerStart(void)
{
	return DRIVER(cudaProfilerStart());
}

API int
cuProfilerStop(void)
{
	return DRIVER(cudaProfilerStop());
}

/* ---- under older names ------------------------------------------------------------------------
 */

API int
cuCtxDestroy(void *context)
{
	return cuCtxDestroy_v2(context);
}

API int
cuCtxPushCurrent(void *context)
{
	return cuCtxPushCurrent_v2(context);
}

API int
cuCtxPopCurrent(void **context)
{
	return cuCtxPopCurrent_v2(context);
}

API int
cuCtxDetach(void *context)
{
	return cuCtxDestroy_v2(context);
}

API int
cuDevicePrimaryCtxReset(int device)
{
	return cuDevicePrimaryCtxReset_v2(device);
}

API int
cuDevicePrimaryCtxSetFlags(int device, unsigned flags)
{
	return cuDevicePrimaryCtxSetFlags_v2(device, flags);
}

API int
cuCtxAttach(void **context, unsigned flags)
{
	return flags ? CU_INVALID_VALUE : cuCtxGetCurrent(context);
}
