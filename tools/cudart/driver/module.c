/* The driver's modules and functions: the runtime's libraries and kernels. */
#include <stdlib.h>
#include <string.h>
#include "driver/driver.h"

/* ---- code ----------------------------------------------------------------------------------- */

/* Nothing is compiled, so there is nothing to log. */
enum { JIT_INFO_LOG = 3, JIT_INFO_LOG_BYTES, JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES };

void
driver_empty_logs(unsigned n, const int *option, void **value)
{
	for (unsigned i = 0; i < n && option && value; i++) {
		if ((option[i] == JIT_INFO_LOG || option[i] == JIT_ERROR_LOG) && value[i])
			*(char *)value[i] = 0;
		if (option[i] == JIT_INFO_LOG_BYTES || option[i] == JIT_ERROR_LOG_BYTES)
			value[i] = NULL;
	}
}

API int
cuModuleLoad(void **out, const char *path)
{
	return DRIVER(cudaLibraryLoadFromFile(out, path, NULL, NULL, 0, NULL, NULL, 0));
}

API int
cuModuleLoadData(void **out, const void *code)
{
	return DRIVER(cudaLibraryLoadData(out, code, NULL, NULL, 0, NULL, NULL, 0));
}

API int
cuModuleLoadDataEx(void **out, const void *code, unsigned n, int *option, void **value)
{
	driver_empty_logs(n, option, value);
	return DRIVER(cudaLibraryLoadData(out, code, NULL, NULL, 0, NULL, NULL, 0));
}

API int
cuModuleLoadFatBinary(void **out, const void *code)
{
	return DRIVER(cudaLibraryLoadData(out, code, NULL, NULL, 0, NULL, NULL, 0));
}

API int
cuModuleUnload(void *module)
{
	return DRIVER(cudaLibraryUnload(module));
}

API int
cuModuleGetFunction(void **out, void *module, const char *name)
{
	return DRIVER(cudaLibraryGetKernel(out, module, name));
}

API int
cuModuleGetFunctionCount(unsigned *out, void *module)
{
	return DRIVER(cudaLibraryGetKernelCount(out, module));
}

API int
cuModuleEnumerateFunctions(void **out, unsigned most, void *module)
{
	return DRIVER(cudaLibraryEnumerateKernels(out, most, module));
}

API int
cuModuleGetGlobal_v2(void **out, size_t *bytes, void *module, const char *name)
{
	return DRIVER(cudaLibraryGetGlobal(out, bytes, module, name));
}

API int
cuModuleGetLoadingMode(int *mode)
{
	if (!mode)
		return CU_INVALID_VALUE;
	*mode = 2; /* lazy */
	return CU_OK;
}

API int
cuLibraryLoadData(void **out, const void *code, int *jit, void **jit_value, unsigned n_jit,
    int *option, void **value, unsigned n)
{
	driver_empty_logs(n_jit, jit, jit_value);
	return DRIVER(cudaLibraryLoadData(out, code, NULL, NULL, 0, option, value, n));
}

API int
cuLibraryLoadFromFile(void **out, const char *path, int *jit, void **jit_value, unsigned n_jit,
    int *option, void **value, unsigned n)
{
	driver_empty_logs(n_jit, jit, jit_value);
	return DRIVER(cudaLibraryLoadFromFile(out, path, NULL, NULL, 0, option, value, n));
}

API int
cuLibraryUnload(void *library)
{
	return DRIVER(cudaLibraryUnload(library));
}

API int
cuLibraryGetKernel(void **out, void *library, const char *name)
{
	return DRIVER(cudaLibraryGetKernel(out, library, name));
}

API int
cuLibraryGetGlobal(void **out, size_t *bytes, void *library, const char *name)
{
	return DRIVER(cudaLibraryGetGlobal(out, bytes, library, name));
}

API int
cuLibraryGetKernelCount(unsigned *out, void *library)
{
	return DRIVER(cudaLibraryGetKernelCount(out, library));
}

API int
cuLibraryEnumerateKernels(void **out, unsigned most, void *library)
{
	return DRIVER(cudaLibraryEnumerateKernels(out, most, library));
}

API int
cuLibraryGetModule(void **out, void *library)
{
	if (!out)
		return CU_INVALID_VALUE;
	*out = library;
	return CU_OK;
}

/* ---- functions ------------------------------------------------------------------------------ */

API int
cuKernelGetFunction(void **out, void *kernel)
{
	if (!out)
		return CU_INVALID_VALUE;
	*out = kernel;
	return CU_OK;
}

API int
cuFuncGetName(const char **name, void *function)
{
	return DRIVER(cudaFuncGetName(name, function));
}

API int
cuKernelGetName(const char **name, void *kernel)
{
	return DRIVER(cudaFuncGetName(name, kernel));
}

API int
cuFuncGetAttribute(int *out, int which, void *function)
{
	struct cu_func_attributes a;
	const int s = DRIVER(cudaFuncGetAttributes(&a, function));
	if (s || !out)
		return s ? s : CU_INVALID_VALUE;
	const int value[] = {a.max_threads_per_block, (int)a.shared_bytes, (int)a.const_bytes,
	    (int)a.local_bytes, a.num_regs, a.ptx_version, a.binary_version, a.cache_mode_ca,
	    a.max_dynamic_shared_bytes, a.preferred_carveout, a.cluster_dim_must_be_set,
	    a.required_cluster[0], a.required_cluster[1], a.required_cluster[2],
	    a.non_portable_cluster_allowed, a.cluster_scheduling_policy};
	if (which < 0 || which >= (int)(sizeof value / sizeof *value))
		return CU_INVALID_VALUE;
	*out = value[which];
	return CU_OK;
}

API int
cuKernelGetAttribute(int *out, int which, void *kernel, int device)
{
	return device ? CU_INVALID_DEVICE : cuFuncGetAttribute(out, which, kernel);
}

API int
cuFuncSetAttribute(void *function, int which, int value)
{
	return DRIVER(cudaFuncSetAttribute(function, which, value));
}

API int
cuKernelSetAttribute(int which, int value, void *kernel, int device)
{
	return device ? CU_INVALID_DEVICE : DRIVER(cudaFuncSetAttribute(kernel, which, value));
}

API int
cuFuncSetCacheConfig(void *function, int config)
{
	return DRIVER(cudaFuncSetCacheConfig(function, config));
}

static int
param_info(void *function, size_t index, size_t *offset, size_t *bytes)
{
	struct kernel *k;
	int s = rt_enter();
	if (!s)
		s = module_kernel(function, &k);
	if (!s && (index >= k->info.n_param || !offset))
		s = CU_INVALID_VALUE;
	if (!s)
		*offset = k->info.param_offset[index];
	if (!s && bytes)
		*bytes = k->info.param_bytes[index];
	return rt_leave(s);
}

API int
cuFuncGetParamInfo(void *function, size_t index, size_t *offset, size_t *bytes)
{
	return DRIVER(param_info(function, index, offset, bytes));
}

API int
cuKernelGetParamInfo(void *kernel, size_t index, size_t *offset, size_t *bytes)
{
	return DRIVER(param_info(kernel, index, offset, bytes));
}

/* ---- launches ------------------------------------------------------------------------------- */

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
