/* The one device: what it says of itself. */
#include <string.h>
#include "runtime.h"

#define ATTRIBUTES 148 /* numbers are below */

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

/* Of what a stream can ask to stay in the L2. */
enum { WINDOW_BYTES = 128 << 20 };

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
	    .persisting_l2_cache_max_size = d->capability >= 80 ? (int)(d->l2_bytes / 4 * 3) : 0,
	    .access_policy_max_window_size = d->capability >= 80 ? WINDOW_BYTES : 0,
	    .cluster_launch = d->capability >= 90,
	    .shared_mem_per_block_optin = d->shared_per_block_optin,
	    .max_blocks_per_multi_processor = (int)d->max_blocks_per_sm,
	    .reserved_shared_mem_per_block = d->shared_reserved,
	    .host_register_supported = 1,
	    .ipc_event_supported = 1,
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

/* Attributes that are 1: what the device can do. */
static bool
is_able(unsigned number)
{
	static const uint8_t able[] = {15, 19, 31, 41, 78, 79, 80, 83, 89, 90, 91, 92, 93, 94, 95,
	    99, 102, 103, 115, 122, 123, 125, 126};
	return memchr(able, (int)number, sizeof able) != NULL;
}

/* By number of the attribute; those that are not here are 0. */
static long long
attribute(unsigned number)
{
	const struct link_device *d = &rt.settings.device;
	const struct cu_device_prop p = properties();
	const long long value[ATTRIBUTES] = {
	    [1] = (long long)d->max_threads_per_block,
	    [2] = 1024,
	    [3] = 1024,
	    [4] = 64,
	    [5] = 0x7fffffff,
	    [6] = 65535,
	    [7] = 65535,
	    [8] = (long long)d->shared_per_block,
	    [9] = (long long)d->const_bytes,
	    [10] = (long long)d->warp_size,
	    [11] = 0x7fffffff,
	    [12] = (long long)d->regs_per_block,
	    [13] = (long long)d->core_khz,
	    [14] = (long long)p.texture_alignment,
	    [16] = (long long)d->sms,
	    [21] = (long long)p.max_texture_1d,
	    [22] = (long long)p.max_texture_2d[0],
	    [23] = (long long)p.max_texture_2d[1],
	    [24] = (long long)p.max_texture_3d[0],
	    [25] = (long long)p.max_texture_3d[1],
	    [26] = (long long)p.max_texture_3d[2],
	    [27] = (long long)p.max_texture_2d_layered[0],
	    [28] = (long long)p.max_texture_2d_layered[1],
	    [29] = (long long)p.max_texture_2d_layered[2],
	    [30] = (long long)p.surface_alignment,
	    [33] = (long long)p.pci_bus_id,
	    [34] = (long long)p.pci_device_id,
	    [36] = (long long)d->memory_khz,
	    [37] = (long long)d->bus_bits,
	    [38] = (long long)d->l2_bytes,
	    [39] = (long long)d->max_threads_per_sm,
	    [40] = (long long)p.async_engine_count,
	    [42] = (long long)p.max_texture_1d_layered[0],
	    [43] = (long long)p.max_texture_1d_layered[1],
	    [45] = (long long)p.max_texture_2d_gather[0],
	    [46] = (long long)p.max_texture_2d_gather[1],
	    [47] = (long long)p.max_texture_3d_alt[0],
	    [48] = (long long)p.max_texture_3d_alt[1],
	    [49] = (long long)p.max_texture_3d_alt[2],
	    [50] = (long long)p.pci_domain_id,
	    [51] = (long long)p.texture_pitch_alignment,
	    [52] = (long long)p.max_texture_cubemap,
	    [53] = (long long)p.max_texture_cubemap_layered[0],
	    [54] = (long long)p.max_texture_cubemap_layered[1],
	    [55] = (long long)p.max_surface_1d,
	    [56] = (long long)p.max_surface_2d[0],
	    [57] = (long long)p.max_surface_2d[1],
	    [58] = (long long)p.max_surface_3d[0],
	    [59] = (long long)p.max_surface_3d[1],
	    [60] = (long long)p.max_surface_3d[2],
	    [61] = (long long)p.max_surface_1d_layered[0],
	    [62] = (long long)p.max_surface_1d_layered[1],
	    [63] = (long long)p.max_surface_2d_layered[0],
	    [64] = (long long)p.max_surface_2d_layered[1],
	    [65] = (long long)p.max_surface_2d_layered[2],
	    [66] = (long long)p.max_surface_cubemap,
	    [67] = (long long)p.max_surface_cubemap_layered[0],
	    [68] = (long long)p.max_surface_cubemap_layered[1],
	    [69] = 268435456,
	    [70] = (long long)p.max_texture_2d_linear[0],
	    [71] = (long long)p.max_texture_2d_linear[1],
	    [72] = (long long)p.max_texture_2d_linear[2],
	    [73] = (long long)p.max_texture_2d_mipmap[0],
	    [74] = (long long)p.max_texture_2d_mipmap[1],
	    [75] = (long long)p.major,
	    [76] = (long long)p.minor,
	    [77] = (long long)p.max_texture_1d_mipmap,
	    [81] = (long long)d->shared_per_sm,
	    [82] = (long long)d->regs_per_sm,
	    [87] = 2,
	    [97] = (long long)d->shared_per_block_optin,
	    [106] = (long long)d->max_blocks_per_sm,
	    [108] = p.persisting_l2_cache_max_size,
	    [109] = p.access_policy_max_window_size,
	    [111] = (long long)d->shared_reserved,
	    [120] = p.cluster_launch,
	    [131] = -1,
	    [134] = -1,
	};
	return is_able(number) ? 1 : value[number];
}

/* What kernels are told; arg is not used. */
bool
device_attribute(void *arg, uint32_t number, int32_t *value)
{
	(void)arg;
	if (!number || number >= ATTRIBUTES)
		return false;
	*value = (int32_t)attribute(number);
	return true;
}

API int
cudaDeviceGetAttribute(int *value, int number, int device)
{
	const int s = rt_enter();
	if (s || !value || number <= 0 || number >= ATTRIBUTES)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	if (device)
		return rt_leave(CU_INVALID_DEVICE);
	*value = (int)attribute((unsigned)number);
	return rt_leave(CU_OK);
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
