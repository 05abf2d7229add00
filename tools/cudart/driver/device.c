/* The driver's device: the runtime's. */
#include <stdio.h>
#include <string.h>
#include "driver/driver.h"

API int
cuDeviceGetCount(int *n)
{
	return DRIVER(cudaGetDeviceCount(n));
}

API int
cuDeviceGet(int *device, int number)
{
	if (!driver_is_there())
		return CU_INITIALIZATION_ERROR;
	if (!device || number)
		return number ? CU_INVALID_DEVICE : CU_INVALID_VALUE;
	*device = 0;
	return CU_OK;
}

API int
cuDeviceGetAttribute(int *value, int number, int device)
{
	return DRIVER(cudaDeviceGetAttribute(value, number, device));
}

API int
cuDeviceGetName(char *name, int room, int device)
{
	struct cu_device_prop p;
	const int s = DRIVER(cudaGetDeviceProperties(&p, device));
	if (s || !name || room <= 0)
		return s ? s : CU_INVALID_VALUE;
	snprintf(name, (size_t)room, "%s", p.name);
	return CU_OK;
}

API int
cuDeviceGetUuid_v2(void *uuid, int device)
{
	struct cu_device_prop p;
	const int s = DRIVER(cudaGetDeviceProperties(&p, device));
	if (s || !uuid)
		return s ? s : CU_INVALID_VALUE;
	memcpy(uuid, &p.uuid, sizeof p.uuid);
	return CU_OK;
}

API int
cuDeviceGetUuid(void *uuid, int device)
{
	return cuDeviceGetUuid_v2(uuid, device);
}

API int
cuDeviceTotalMem_v2(size_t *bytes, int device)
{
	struct cu_device_prop p;
	const int s = DRIVER(cudaGetDeviceProperties(&p, device));
	if (s || !bytes)
		return s ? s : CU_INVALID_VALUE;
	*bytes = p.total_global_mem;
	return CU_OK;
}

API int
cuDeviceComputeCapability(int *major, int *minor, int device)
{
	const int s = cuDeviceGetAttribute(major, 75, device);
	return s ? s : cuDeviceGetAttribute(minor, 76, device);
}

API int
cuDeviceGetPCIBusId(char *out, int bytes, int device)
{
	return DRIVER(cudaDeviceGetPCIBusId(out, bytes, device));
}

API int
cuDeviceGetByPCIBusId(int *device, const char *id)
{
	return DRIVER(cudaDeviceGetByPCIBusId(device, id));
}

API int
cuDeviceCanAccessPeer(int *can, int device, int peer)
{
	return DRIVER(cudaDeviceCanAccessPeer(can, device, peer));
}

API int
cuDeviceGetDefaultMemPool(void **out, int device)
{
	return DRIVER(cudaDeviceGetDefaultMemPool(out, device));
}

API int
cuDeviceGetMemPool(void **out, int device)
{
	return DRIVER(cudaDeviceGetMemPool(out, device));
}

API int
cuDeviceGetP2PAttribute(int *value, int which, int from, int to)
{
	return DRIVER(cudaDeviceGetP2PAttribute(value, which, from, to));
}

API int
cuDeviceGetHostAtomicCapabilities(unsigned *out, const int *operation, unsigned n, int device)
{
	return DRIVER(cudaDeviceGetHostAtomicCapabilities(out, operation, n, device));
}

API int
cuDeviceGetP2PAtomicCapabilities(unsigned *out, const int *operation, unsigned n, int from, int to)
{
	return DRIVER(cudaDeviceGetP2PAtomicCapabilities(out, operation, n, from, to));
}

API int
cuFlushGPUDirectRDMAWrites(int target, int scope)
{
	return DRIVER(cudaDeviceFlushGPUDirectRDMAWrites(target, scope));
}

API int
cuDeviceGetTexture1DLinearMaxWidth(size_t *elements, int format, unsigned channels, int device)
{
	struct cu_channel_desc d;
	return driver_describe(&d, format, channels)
		   ? CU_INVALID_VALUE
		   : DRIVER(cudaDeviceGetTexture1DLinearMaxWidth(elements, &d, device));
}

/* No part of the multiprocessors can be had for oneself. */
API int
cuDeviceGetExecAffinitySupport(int *able, int type, int device)
{
	if (!able || device || type)
		return device ? CU_INVALID_DEVICE : CU_INVALID_VALUE;
	*able = 0;
	return CU_OK;
}

/* cuda.h's CUdevprop. */
struct old_properties {
	int threads, block[3], grid[3], shared_bytes, const_bytes, warp_size, pitch, regs, core_khz,
	    texture_alignment;
};

API int
cuDeviceGetProperties(struct old_properties *out, int device)
{
	struct cu_device_prop p;
	int khz = 0;
	int s = DRIVER(cudaGetDeviceProperties(&p, device));
	if (!s)
		s = out ? cuDeviceGetAttribute(&khz, 13, device) : CU_INVALID_VALUE;
	if (s)
		return s;
	*out = (struct old_properties){p.max_threads_per_block,
	    {p.max_threads_dim[0], p.max_threads_dim[1], p.max_threads_dim[2]},
	    {p.max_grid_size[0], p.max_grid_size[1], p.max_grid_size[2]},
	    (int)p.shared_mem_per_block, (int)p.total_const_mem, p.warp_size, (int)p.mem_pitch,
	    p.regs_per_block, khz, (int)p.texture_alignment};
	return CU_OK;
}
