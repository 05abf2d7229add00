/* The driver's launches, and how many blocks fit. */
#include <stdlib.h>
#include <string.h>
#include "driver/driver.h"

/* What ends, begins and measures a block of parameters in a list of pointers. */
enum { EXTRA_END, EXTRA_BUFFER, EXTRA_BYTES };

void **
driver_take_apart(const void *function, void **extra, int *status)
{
	struct kernel *k;
	char *block = NULL;
	size_t bytes = 0;
	for (; *extra; extra += 2)
		if ((uintptr_t)*extra == EXTRA_BUFFER)
			block = extra[1];
		else if ((uintptr_t)*extra == EXTRA_BYTES)
			bytes = *(const size_t *)extra[1];
	rt_lock();
	*status = module_kernel(function, &k);
	void **arg = *status ? NULL : calloc(k->info.n_param + 1ul, sizeof *arg);
	for (uint32_t i = 0; arg && i < k->info.n_param; i++)
		arg[i] = block + k->info.param_offset[i];
	if (arg && (!block || bytes < k->info.param_total_bytes)) {
		*status = CU_INVALID_VALUE;
		free(arg);
		arg = NULL;
	} else if (!arg && !*status) {
		*status = CU_MEMORY_ALLOCATION;
	}
	rt_unlock();
	return arg;
}

static int
launch(const struct cu_launch_config *c, const void *function, void **args, void **extra)
{
	int s = CU_OK;
	if (!extra || args)
		return cudaLaunchKernelExC(c, function, args);
	void **apart = driver_take_apart(function, extra, &s);
	if (apart)
		s = cudaLaunchKernelExC(c, function, apart);
	free(apart);
	return s;
}

API int
cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
    unsigned block_y, unsigned block_z, unsigned shared, void *stream, void **args, void **extra)
{
	const struct cu_launch_config c = {.grid = {grid_x, grid_y, grid_z},
	    .block = {block_x, block_y, block_z},
	    .dynamic_shared_bytes = shared,
	    .stream = stream};
	return DRIVER(launch(&c, function, args, extra));
}

API int
cuLaunchCooperativeKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
    unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, void *stream,
    void **args)
{
	const struct cu_dim3 grid = {grid_x, grid_y, grid_z}, block = {block_x, block_y, block_z};
	return DRIVER(cudaLaunchCooperativeKernel(function, grid, block, args, shared, stream));
}

API int
cuLaunchKernelEx(const struct driver_launch_config *d, void *function, void **args, void **extra)
{
	if (!d)
		return CU_INVALID_VALUE;
	const struct cu_launch_config c = {.grid = d->grid,
	    .block = d->block,
	    .dynamic_shared_bytes = d->shared,
	    .stream = d->stream,
	    .attribute = d->attribute,
	    .n_attribute = d->n_attribute};
	return DRIVER(launch(&c, function, args, extra));
}

/* cuda.h's CUDA_LAUNCH_PARAMS. */
struct launch_of_many {
	void *function;
	struct cu_dim3 grid, block;
	unsigned shared;
	void *stream, **args;
};

/* Of many devices there is one. */
API int
cuLaunchCooperativeKernelMultiDevice(const struct launch_of_many *list, unsigned n, unsigned flags)
{
	if (!list || n != 1 || flags > 3)
		return CU_INVALID_VALUE;
	return DRIVER(cudaLaunchCooperativeKernel(
	    list->function, list->grid, list->block, list->args, list->shared, list->stream));
}

/* ---- occupancy ------------------------------------------------------------------------------ */

API int
cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, void *function, int threads, size_t shared, unsigned flags)
{
	return DRIVER(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
	    blocks, function, threads, shared, flags));
}

API int
cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int threads, size_t shared)
{
	return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
	    blocks, function, threads, shared, 0);
}

API int
cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, void *function, int blocks, int threads)
{
	return DRIVER(cudaOccupancyAvailableDynamicSMemPerBlock(bytes, function, blocks, threads));
}

/* The size of block, a multiple of a warp, of which most threads fit an SM; the larger of equals.
 */
API int
cuOccupancyMaxPotentialBlockSize(
    int *grid, int *block, void *function, size_t (*shared_of)(int), size_t shared, int limit)
{
	int most = 0, sms = 0, best = 0, blocks = 0;
	int s = cuFuncGetAttribute(&most, 0, function);
	if (!s)
		s = cuDeviceGetAttribute(&sms, 16, 0);
	if (s || !grid || !block)
		return s ? s : CU_INVALID_VALUE;
	*grid = *block = 0;
	if (limit > 0 && limit < most)
		most = limit;
	for (int n = most; n > 0 && !s; n = (n - 1) / 32 * 32) {
		s = cuOccupancyMaxActiveBlocksPerMultiprocessor(
		    &blocks, function, n, shared_of ? shared_of(n) : shared);
		if (s || blocks * n <= best)
			continue;
		best = blocks * n;
		*block = n;
		*grid = blocks * sms;
	}
	return s;
}

API int
cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, void *function,
    size_t (*shared_of)(int), size_t shared, int limit, unsigned flags)
{
	return flags > 1 ? CU_INVALID_VALUE
			 : cuOccupancyMaxPotentialBlockSize(
			       grid, block, function, shared_of, shared, limit);
}

static struct cu_launch_config
config_of(const struct driver_launch_config *d)
{
	return (struct cu_launch_config){.grid = d->grid,
	    .block = d->block,
	    .dynamic_shared_bytes = d->shared,
	    .stream = d->stream,
	    .attribute = d->attribute,
	    .n_attribute = d->n_attribute};
}

API int
cuOccupancyMaxActiveClusters(int *clusters, void *function, const struct driver_launch_config *d)
{
	if (!d)
		return CU_INVALID_VALUE;
	const struct cu_launch_config c = config_of(d);
	return DRIVER(cudaOccupancyMaxActiveClusters(clusters, function, &c));
}

API int
cuOccupancyMaxPotentialClusterSize(int *size, void *function, const struct driver_launch_config *d)
{
	if (!d)
		return CU_INVALID_VALUE;
	const struct cu_launch_config c = config_of(d);
	return DRIVER(cudaOccupancyMaxPotentialClusterSize(size, function, &c));
}

/* ---- launches as they once were: piece by piece ---------------------------------------------- */

struct pieces {
	struct cu_dim3 block;
	unsigned shared, bytes;
	char param[4096];
};
static struct table all_pieces; /* by function; kept for good */

static void *
extra_tag(uintptr_t tag)
{
	union {
		uintptr_t number;
		void *pointer;
	} u = {tag};
	return u.pointer;
}

static struct pieces *
pieces_of(void *function)
{
	struct kernel *k;
	rt_lock();
	struct pieces *p = module_kernel(function, &k) ? NULL : table_get(&all_pieces, function);
	if (!p && !module_kernel(function, &k) && (p = calloc(1, sizeof *p))) {
		p->block = (struct cu_dim3){1, 1, 1};
		if (!table_set(&all_pieces, function, p)) {
			free(p);
			p = NULL;
		}
	}
	rt_unlock();
	return p;
}

API int
cuFuncSetBlockShape(void *function, int x, int y, int z)
{
	struct pieces *p = pieces_of(function);
	if (!p || x < 1 || y < 1 || z < 1)
		return p ? CU_INVALID_VALUE : CU_INVALID_RESOURCE_HANDLE;
	p->block = (struct cu_dim3){(unsigned)x, (unsigned)y, (unsigned)z};
	return CU_OK;
}

API int
cuFuncSetSharedSize(void *function, unsigned bytes)
{
	struct pieces *p = pieces_of(function);
	if (p)
		p->shared = bytes;
	return p ? CU_OK : CU_INVALID_RESOURCE_HANDLE;
}

API int
cuParamSetSize(void *function, unsigned bytes)
{
	struct pieces *p = pieces_of(function);
	if (!p || bytes > sizeof p->param)
		return p ? CU_INVALID_VALUE : CU_INVALID_RESOURCE_HANDLE;
	p->bytes = bytes;
	return CU_OK;
}

API int
cuParamSetv(void *function, int offset, const void *value, unsigned bytes)
{
	struct pieces *p = pieces_of(function);
	if (!p || !value || offset < 0 || bytes > sizeof p->param ||
	    (unsigned)offset > sizeof p->param - bytes)
		return p ? CU_INVALID_VALUE : CU_INVALID_RESOURCE_HANDLE;
	memcpy(p->param + offset, value, bytes);
	return CU_OK;
}

API int
cuParamSeti(void *function, int offset, unsigned value)
{
	return cuParamSetv(function, offset, &value, sizeof value);
}

API int
cuParamSetf(void *function, int offset, float value)
{
	return cuParamSetv(function, offset, &value, sizeof value);
}

API int
cuLaunchGridAsync(void *function, int width, int height, void *stream)
{
	struct pieces *p = pieces_of(function);
	if (!p || width < 1 || height < 1)
		return p ? CU_INVALID_VALUE : CU_INVALID_RESOURCE_HANDLE;
	size_t bytes = p->bytes;
	void *extra[] = {extra_tag(EXTRA_BUFFER), p->param, extra_tag(EXTRA_BYTES), &bytes, NULL};
	const struct cu_launch_config c = {.grid = {(unsigned)width, (unsigned)height, 1},
	    .block = p->block,
	    .dynamic_shared_bytes = p->shared,
	    .stream = stream};
	return DRIVER(launch(&c, function, NULL, extra));
}

API int
cuLaunchGrid(void *function, int width, int height)
{
	return cuLaunchGridAsync(function, width, height, NULL);
}

API int
cuLaunch(void *function)
{
	return cuLaunchGridAsync(function, 1, 1, NULL);
}
