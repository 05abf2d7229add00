/* The one device: what it says of itself. */
#include <string.h>
#include "runtime.h"

/* Device 0 is the only one. */
static int
check_device(int device)
{
	return device == 0 ? CU_OK : CU_INVALID_DEVICE;
}

API int
cudaGetDeviceCount(int *count)
{
	const int s = rt_enter();
	if (s || !count)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	*count = 1;
	return rt_leave(CU_OK);
}

API int
cudaGetDevice(int *device)
{
	const int s = rt_enter();
	if (s || !device)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	*device = 0;
	return rt_leave(CU_OK);
}

API int
cudaSetDevice(int device)
{
	const int s = rt_enter();
	return rt_leave(s ? s : check_device(device));
}

static struct cu_device_prop
properties(void)
{
	const struct link_device *d = &rt.settings.device;
	struct cu_device_prop p = {
	    .uuid = {"warpcap executor"},
	    .total_global_mem = d->memory_bytes,
	    .shared_mem_per_block = d->shared_per_block,
	    .regs_per_block = (int)d->regs_per_block,
	    .warp_size = (int)d->warp_size,
	    .mem_pitch = 0x7fffffff,
	    .max_threads_per_block = (int)d->max_threads_per_block,
	    .max_threads_dim = {1024, 1024, 64},
	    .max_grid_size = {0x7fffffff, 65535, 65535},
	    .total_const_mem = d->const_bytes,
	    .major = (int)d->capability / 10,
	    .minor = (int)d->capability % 10,
	    .texture_alignment = 512,
	    .texture_pitch_alignment = 32,
	    .multi_processor_count = (int)d->sms,
	    .can_map_host_memory = 1,
	    .max_texture_1d = 131072,
	    .max_texture_1d_mipmap = 32768,
	    .max_texture_2d = {131072, 65536},
	    .max_texture_2d_mipmap = {32768, 32768},
	    .max_texture_2d_linear = {131072, 65000, 2097120},
	    .max_texture_2d_gather = {32768, 32768},
	    .max_texture_3d = {16384, 16384, 16384},
	    .max_texture_3d_alt = {8192, 8192, 32768},
	    .max_texture_cubemap = 32768,
	    .max_texture_1d_layered = {32768, 2048},
	    .max_texture_2d_layered = {32768, 32768, 2048},
	    .max_texture_cubemap_layered = {32768, 2046},
	    .max_surface_1d = 32768,
	    .max_surface_2d = {131072, 65536},
	    .max_surface_3d = {16384, 16384, 16384},
	    .max_surface_1d_layered = {32768, 2048},
	    .max_surface_2d_layered = {32768, 32768, 2048},
	    .max_surface_cubemap = 32768,
	    .max_surface_cubemap_layered = {32768, 2046},
	    .surface_alignment = 512,
	    .concurrent_kernels = 1,
	    .pci_bus_id = 1,
	    .async_engine_count = 2,
	    .unified_addressing = 1,
	    .memory_bus_width = (int)d->bus_bits,
	    .l2_cache_size = (int)d->l2_bytes,
	    .max_threads_per_multi_processor = (int)d->max_threads_per_sm,
	    .stream_priorities_supported = 1,
	    .global_l1_cache_supported = 1,
	    .local_l1_cache_supported = 1,
	    .shared_mem_per_multiprocessor = d->shared_per_sm,
	    .regs_per_multiprocessor = (int)d->regs_per_sm,
	    .managed_memory = 1,
	    .concurrent_managed_access = 1,
	    .compute_preemption_supported = 1,
	    .can_use_host_pointer_for_registered_mem = 1,
	    .cooperative_launch = 1,
	    .shared_mem_per_block_optin = d->shared_per_block_optin,
	    .max_blocks_per_multi_processor = (int)d->max_blocks_per_sm,
	    .reserved_shared_mem_per_block = d->shared_reserved,
	    .host_register_supported = 1,
	    .memory_pools_supported = 1,
	    .unified_function_pointers = 0,
	    .device_numa_id = -1,
	    .host_numa_id = -1,
	};
	memcpy(p.name, d->name, sizeof d->name);
	return p;
}

API int
cudaGetDeviceProperties(struct cu_device_prop *p, int device)
{
	int s = rt_enter();
	if (!s)
		s = p ? check_device(device) : CU_INVALID_VALUE;
	if (!s)
		*p = properties();
	return rt_leave(s);
}

API int
cudaDriverGetVersion(int *version)
{
	if (!version)
		return rt_latch(CU_INVALID_VALUE);
	*version = CUDART_VERSION;
	return CU_OK;
}

API int
cudaRuntimeGetVersion(int *version)
{
	return cudaDriverGetVersion(version);
}
