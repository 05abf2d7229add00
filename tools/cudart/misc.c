/* Settings that change nothing here, answers that a single device gives, windows of recording. */
#include <stdio.h>
#include <string.h>
#include "driver/driver.h"
#include "leak.h"
#include "memory.h"
#include "queue/queue.h"

/* ---- the device as a whole ------------------------------------------------------------------ */

/* Memory, streams and code stay; what is forgiven is the fault. */
API int
cudaDeviceReset(void)
{
	queue_end();
	rt_lock();
	print_flush();
	leak_report();
	rt.fault = 0;
	rt_unlock();
	(void)cudaGetLastError();
	return CU_OK;
}

API int
cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
	const int s = rt_enter();
	if (s || device || flags > 1)
		return rt_leave(s ? s : device ? CU_INVALID_DEVICE : CU_INVALID_VALUE);
	if (flags)
		rt.device_flags = device_flags;
	return rt_leave(CU_OK);
}

API int
cudaSetDeviceFlags(unsigned flags)
{
	const int s = rt_enter();
	if (s || flags & ~0xffu)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	rt.device_flags = flags;
	return rt_leave(CU_OK);
}

API int
cudaGetDeviceFlags(unsigned *flags)
{
	const int s = rt_enter();
	if (s || !flags)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	*flags = rt.device_flags | 8; /* host memory can be mapped */
	return rt_leave(CU_OK);
}

API int
cudaChooseDevice(int *device, const struct cu_device_prop *p)
{
	const int s = rt_enter();
	if (s || !device || !p)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	*device = 0;
	return rt_leave(CU_OK);
}

API int
cudaSetValidDevices(const int *device, int n)
{
	const int s = rt_enter();
	if (s || n < 0 || (n && !device))
		return rt_leave(s ? s : CU_INVALID_VALUE);
	for (int i = 0; i < n; i++)
		if (device[i])
			return rt_leave(CU_INVALID_DEVICE);
	return rt_leave(CU_OK);
}

static const char pci_id[] = "0000:01:00.0";

API int
cudaDeviceGetPCIBusId(char *out, int bytes, int device)
{
	const int s = rt_enter();
	if (s || !out || bytes < (int)sizeof pci_id || device)
		return rt_leave(s ? s : device ? CU_INVALID_DEVICE : CU_INVALID_VALUE);
	memcpy(out, pci_id, sizeof pci_id);
	return rt_leave(CU_OK);
}

API int
cudaDeviceGetByPCIBusId(int *device, const char *id)
{
	const int s = rt_enter();
	unsigned domain = 0, bus = 0, slot = 0, function = 0;
	if (s || !device || !id)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	if (sscanf(id, "%x:%x:%x.%x", &domain, &bus, &slot, &function) < 3 &&
	    sscanf(id, "%x:%x", &bus, &slot) < 2)
		return rt_leave(CU_INVALID_VALUE);
	*device = 0;
	return rt_leave(bus == 1 && !slot && !domain ? CU_OK : CU_INVALID_DEVICE);
}

/* ---- limits and preferences ----------------------------------------------------------------- */

enum { LIMIT_STACK, LIMIT_PRINTF, LIMIT_HEAP, LIMIT_SYNC_DEPTH, LIMIT_PENDING, LIMITS = 7 };
static size_t limit[LIMITS] = {1024, 1 << 20, 8 << 20, 2, 2048, 64, 0};

/* Bytes of stack are those of a thread's local memory, of which the programming guide says how much
 * there may be; the rest lies in the device's memory. */
static int
check_limit(int which, size_t value)
{
	const size_t stack_most = 512 << 10;
	if ((unsigned)which >= LIMITS)
		return CU_UNSUPPORTED_LIMIT;
	if (which == LIMIT_STACK && value > stack_most)
		return CU_INVALID_VALUE;
	if ((which == LIMIT_PRINTF || which == LIMIT_HEAP) &&
	    value > rt.settings.device.memory_bytes)
		return CU_MEMORY_ALLOCATION;
	return CU_OK;
}

API int
cudaDeviceSetLimit(int which, size_t value)
{
	int s = rt_enter();
	if (!s)
		s = check_limit(which, value);
	if (s)
		return rt_leave(s);
	limit[which] = value;
	if (which == LIMIT_HEAP)
		wcp_device_set_heap(rt.device, value);
	if (which == LIMIT_PENDING)
		wcp_device_set_pending(
		    rt.device, value < UINT32_MAX ? (uint32_t)value : UINT32_MAX);
	return rt_leave(CU_OK);
}

API int
cudaDeviceGetLimit(size_t *value, int which)
{
	const int s = rt_enter();
	if (s || !value || (unsigned)which >= LIMITS)
		return rt_leave(s ? s : value ? CU_UNSUPPORTED_LIMIT : CU_INVALID_VALUE);
	*value = limit[which];
	return rt_leave(CU_OK);
}

static int cache_config, bank_config;

API int
cudaDeviceSetCacheConfig(int config)
{
	const int s = rt_enter();
	if (s || (unsigned)config > 3)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	cache_config = config;
	return rt_leave(CU_OK);
}

API int
cudaDeviceGetCacheConfig(int *config)
{
	const int s = rt_enter();
	if (s || !config)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	*config = cache_config;
	return rt_leave(CU_OK);
}

API int
cudaDeviceSetSharedMemConfig(int config)
{
	const int s = rt_enter();
	if (s || (unsigned)config > 2)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	bank_config = config;
	return rt_leave(CU_OK);
}

API int
cudaDeviceGetSharedMemConfig(int *config)
{
	const int s = rt_enter();
	if (s || !config)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	*config = bank_config;
	return rt_leave(CU_OK);
}

API int
cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
	const int s = rt_enter();
	if (!s && least)
		*least = 0;
	if (!s && greatest)
		*greatest = -5;
	return rt_leave(s);
}

API int
cudaCtxResetPersistingL2Cache(void)
{
	return rt_leave(rt_enter());
}

API int
cudaDeviceFlushGPUDirectRDMAWrites(int target, int scope)
{
	(void)target, (void)scope;
	return rt_leave(rt_enter());
}

API int
cudaDeviceGetTexture1DLinearMaxWidth(
    size_t *elements, const struct cu_channel_desc *desc, int device)
{
	const int s = rt_enter();
	if (s || !elements || !desc || device)
		return rt_leave(s ? s : device ? CU_INVALID_DEVICE : CU_INVALID_VALUE);
	*elements = 268435456;
	return rt_leave(CU_OK);
}

/* ---- other devices: there are none ---------------------------------------------------------- */

API int
cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
	const int s = rt_enter();
	if (s || !can)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	*can = 0;
	return rt_leave(device || peer ? CU_INVALID_DEVICE : CU_OK);
}

API int
cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
	const int s = rt_enter();
	(void)flags;
	(void)peer;
	return rt_leave(s ? s : CU_INVALID_DEVICE);
}

API int
cudaDeviceDisablePeerAccess(int peer)
{
	const int s = rt_enter();
	return rt_leave(s ? s : peer ? CU_INVALID_DEVICE : CU_PEER_ACCESS_NOT_ENABLED);
}

API int
cudaDeviceGetP2PAttribute(int *value, int which, int from, int to)
{
	const int s = rt_enter();
	(void)which;
	if (s || !value)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	return rt_leave(from || to || from == to ? CU_INVALID_DEVICE : CU_OK);
}

enum { ATOMIC_OPERATIONS = 13 }; /* cudaAtomicOperation */

/* None is native to the link between device and host. */
API int
cudaDeviceGetHostAtomicCapabilities(unsigned *out, const int *operation, unsigned n, int device)
{
	int s = rt_enter();
	if (!s && (device || !out || !operation || !n))
		s = device ? CU_INVALID_DEVICE : CU_INVALID_VALUE;
	for (unsigned i = 0; !s && i < n; i++) {
		out[i] = 0;
		s = (unsigned)operation[i] < ATOMIC_OPERATIONS ? CU_OK : CU_INVALID_VALUE;
	}
	return rt_leave(s);
}

API int
cudaDeviceGetP2PAtomicCapabilities(
    unsigned *out, const int *operation, unsigned n, int from, int to)
{
	(void)out, (void)operation, (void)n, (void)from, (void)to;
	return rt_latch(CU_INVALID_DEVICE);
}

API int
cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
	RT_CALLED;
	const struct op op = op_copy(to, from, bytes, CU_DEVICE_TO_DEVICE);
	const int s = rt_enter();
	return queue_finish(rt_leave(s				? s
				     : to_device || from_device ? CU_INVALID_DEVICE
								: submit(NULL, &op)));
}

API int
cudaMemcpyPeerAsync(
    void *to, int to_device, const void *from, int from_device, size_t bytes, void *stream)
{
	RT_CALLED;
	const struct op op = op_copy(to, from, bytes, CU_DEVICE_TO_DEVICE);
	const int s = rt_enter();
	return rt_leave(s ? s : to_device || from_device ? CU_INVALID_DEVICE : submit(stream, &op));
}

/* ---- windows of recording ------------------------------------------------------------------- */

static int
set_recording(bool on)
{
	const int s = rt_enter();
	if (!s && rt.settings.flags & LINK_RECORD)
		rt.recording = on;
	return rt_leave(s);
}

API int
cudaProfilerStart(void)
{
	return set_recording(true);
}

API int
cudaProfilerStop(void)
{
	return set_recording(false);
}

/* ---- the driver ----------------------------------------------------------------------------- */

API int
cudaGetDriverEntryPointByVersion(
    const char *name, void **out, unsigned version, unsigned long long flags, int *status)
{
	enum { PER_THREAD_STREAM = 2 };
	if (!name || !out || flags > PER_THREAD_STREAM)
		return rt_latch(CU_INVALID_VALUE);
	const int s = driver_function(name, out, (int)version, flags == PER_THREAD_STREAM);
	if (status)
		*status = s != CU_OK; /* cudaDriverEntryPointSymbolNotFound */
	return status ? CU_OK : rt_latch(s);
}

API int
cudaGetDriverEntryPoint(const char *name, void **out, unsigned long long flags, int *status)
{
	return cudaGetDriverEntryPointByVersion(name, out, CUDART_VERSION, flags, status);
}
