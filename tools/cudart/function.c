/* What a program asks of its kernels: attributes, occupancy. */
#include <string.h>
#include "runtime.h"

static int
enter_kernel(const void *function, struct kernel **k)
{
	const int s = rt_enter();
	return s ? s : module_kernel(function, k);
}

static uint32_t
round_up(uint32_t n, uint32_t unit)
{
	return (n + unit - 1) / unit * unit;
}

API int
cudaFuncGetAttributes(struct cu_func_attributes *a, const void *function)
{
	struct kernel *k;
	const int s = enter_kernel(function, &k);
	const struct link_device *d = &rt.settings.device;
	if (s || !a)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	const uint32_t usual = d->shared_per_block - k->info.static_shared_bytes;
	*a = (struct cu_func_attributes){.shared_bytes = k->info.static_shared_bytes,
	    .local_bytes = k->info.local_bytes,
	    .max_threads_per_block =
		(int)(k->info.max_threads ? k->info.max_threads : d->max_threads_per_block),
	    .num_regs = (int)k->info.regs_per_thread,
	    .ptx_version = (int)k->info.sm,
	    .binary_version = (int)d->capability,
	    .max_dynamic_shared_bytes =
		(int)(k->dynamic_shared_max > usual ? k->dynamic_shared_max : usual),
	    .preferred_carveout = k->carveout,
	    .required_cluster = {(int)k->info.cluster[0], (int)k->info.cluster[1],
		(int)k->info.cluster[2]},
	    .non_portable_cluster_allowed = k->cluster_allowed};
	return rt_leave(CU_OK);
}

enum {
	FUNCTION_DYNAMIC_SHARED = 8,
	FUNCTION_CARVEOUT = 9,
	FUNCTION_CLUSTER_ALLOWED = 14,
	FUNCTION_ATTRIBUTES = 16,
};

API int
cudaFuncSetAttribute(const void *function, int attribute, int value)
{
	struct kernel *k;
	const struct link_device *d = &rt.settings.device;
	int s = enter_kernel(function, &k);
	if (!s && attribute == FUNCTION_DYNAMIC_SHARED) {
		if (value < 0 ||
		    (unsigned)value > d->shared_per_block_optin - k->info.static_shared_bytes)
			s = CU_INVALID_VALUE;
		else
			k->dynamic_shared_max = (uint32_t)value;
	} else if (!s && attribute == FUNCTION_CARVEOUT) {
		if (value < -1 || value > 100)
			s = CU_INVALID_VALUE;
		else
			k->carveout = value;
	} else if (!s && attribute == FUNCTION_CLUSTER_ALLOWED) {
		k->cluster_allowed = value != 0;
	} else if (!s &&
		   (attribute < FUNCTION_DYNAMIC_SHARED || attribute >= FUNCTION_ATTRIBUTES)) {
		s = CU_INVALID_VALUE;
	}
	return rt_leave(s);
}

API int
cudaKernelSetAttributeForDevice(void *kernel, int attribute, int value, int device)
{
	return device ? rt_latch(CU_INVALID_DEVICE)
		      : cudaFuncSetAttribute(kernel, attribute, value);
}

API int
cudaFuncSetCacheConfig(const void *function, int config)
{
	struct kernel *k;
	const int s = enter_kernel(function, &k);
	return rt_leave(s ? s : (unsigned)config > 3 ? CU_INVALID_VALUE : CU_OK);
}

API int
cudaFuncSetSharedMemConfig(const void *function, int config)
{
	return cudaFuncSetCacheConfig(function, config);
}

API int
cudaFuncGetName(const char **name, const void *function)
{
	struct kernel *k;
	const int s = enter_kernel(function, &k);
	if (s || !name)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	*name = k->name;
	return rt_leave(CU_OK);
}

API int
cudaFuncGetParamInfo(const void *function, size_t i, size_t *offset, size_t *bytes)
{
	struct kernel *k;
	const int s = enter_kernel(function, &k);
	if (s || !offset || i >= k->info.n_param)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	*offset = k->info.param_offset[i];
	if (bytes)
		*bytes = k->info.param_bytes[i];
	return rt_leave(CU_OK);
}

API int
cudaGetFuncBySymbol(void **out, const void *symbol)
{
	struct kernel *k;
	const int s = enter_kernel(symbol, &k);
	if (s || !out)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	*out = k;
	return rt_leave(CU_OK);
}

API int
cudaGetKernel(void **out, const void *symbol)
{
	return cudaGetFuncBySymbol(out, symbol);
}

/* ---- occupancy ------------------------------------------------------------------------------ */

/*
 * Blocks that an SM holds: the least that threads, registers, shared memory and block slots allow.
 * Registers are given to warps in units of 256, warps are spread over four schedulers, shared
 * memory comes in units of 128 bytes and 1 KiB a block is the system's: compute capability 8 and
 * 9 of the CUDA C++ Programming Guide, technical specifications.
 */
uint32_t
occupancy_blocks(const struct kernel *k, uint32_t threads, size_t dynamic_shared)
{
	const struct link_device *d = &rt.settings.device;
	const uint32_t warps = (threads + d->warp_size - 1) / d->warp_size;
	const uint64_t shared = k->info.static_shared_bytes + (uint64_t)dynamic_shared;
	if (!threads || threads > d->max_threads_per_block || shared > d->shared_per_block_optin ||
	    (k->info.max_threads && threads > k->info.max_threads))
		return 0;
	const uint32_t regs = round_up(k->info.regs_per_thread * d->warp_size, 256);
	const uint32_t warps_by_regs = d->regs_per_sm / regs / 4 * 4;
	uint32_t n = d->max_blocks_per_sm;
	const uint32_t by_warps = d->max_threads_per_sm / d->warp_size / warps,
		       by_regs = warps_by_regs / warps,
		       by_shared = d->shared_per_sm /
				   (round_up((uint32_t)shared, 128) + d->shared_reserved +
				       !(shared + d->shared_reserved));
	n = by_warps < n ? by_warps : n;
	n = by_regs < n ? by_regs : n;
	return by_shared < n ? by_shared : n;
}

API int
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *function, int threads, size_t dynamic_shared, unsigned flags)
{
	struct kernel *k;
	const int s = enter_kernel(function, &k);
	if (s || !blocks || threads <= 0 || flags > 1)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	*blocks = (int)occupancy_blocks(k, (uint32_t)threads, dynamic_shared);
	return rt_leave(CU_OK);
}

API int
cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    int *blocks, const void *function, int threads, size_t dynamic_shared)
{
	return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
	    blocks, function, threads, dynamic_shared, 0);
}

API int
cudaOccupancyAvailableDynamicSMemPerBlock(
    size_t *bytes, const void *function, int blocks, int threads)
{
	struct kernel *k;
	const int s = enter_kernel(function, &k);
	const struct link_device *d = &rt.settings.device;
	if (s || !bytes || blocks <= 0 || threads <= 0)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	if (occupancy_blocks(k, (uint32_t)threads, 0) < (uint32_t)blocks)
		return rt_leave(CU_INVALID_VALUE);
	size_t each = (d->shared_per_sm / (unsigned)blocks) / 128 * 128 - d->shared_reserved;
	if (each > d->shared_per_block_optin)
		each = d->shared_per_block_optin;
	*bytes = each - k->info.static_shared_bytes;
	return rt_leave(CU_OK);
}

/* ---- clusters ------------------------------------------------------------------------------- */

enum { CLUSTER_PORTABLE = 8, CLUSTER_MOST = 16 };

/* Blocks of such a launch that the device holds at once; clusters may lie across all of its SMs. */
static uint64_t
blocks_at_once(const struct kernel *k, const struct cu_launch_config *c)
{
	return (uint64_t)rt.settings.device.sms *
	       occupancy_blocks(k, c->block.x * c->block.y * c->block.z, c->dynamic_shared_bytes);
}

API int
cudaOccupancyMaxActiveClusters(
    int *clusters, const void *function, const struct cu_launch_config *c)
{
	struct kernel *k;
	const int s = enter_kernel(function, &k);
	if (s || !clusters || !c || (c->n_attribute && !c->attribute))
		return rt_leave(s ? s : CU_INVALID_VALUE);
	uint64_t blocks = (uint64_t)k->info.cluster[0] * k->info.cluster[1] * k->info.cluster[2];
	for (unsigned i = 0; i < c->n_attribute; i++)
		if (c->attribute[i].id == CU_LAUNCH_CLUSTER_DIMENSION) {
			const struct cu_dim3 d = c->attribute[i].value.dim;
			blocks = (uint64_t)d.x * d.y * d.z;
		}
	if (!blocks || blocks > (k->cluster_allowed ? CLUSTER_MOST : CLUSTER_PORTABLE))
		return rt_leave(CU_INVALID_CLUSTER_SIZE);
	*clusters = (int)(blocks_at_once(k, c) / blocks);
	return rt_leave(CU_OK);
}

API int
cudaOccupancyMaxPotentialClusterSize(
    int *size, const void *function, const struct cu_launch_config *c)
{
	struct kernel *k;
	const int s = enter_kernel(function, &k);
	if (s || !size || !c)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	int n = k->cluster_allowed ? CLUSTER_MOST : CLUSTER_PORTABLE;
	while (n && (uint64_t)n > blocks_at_once(k, c))
		n /= 2;
	*size = n;
	return rt_leave(CU_OK);
}
