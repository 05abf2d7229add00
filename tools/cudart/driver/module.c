/* The driver's modules and functions: the runtime's libraries and kernels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "driver/driver.h"

/* ---- code ----------------------------------------------------------------------------------- */

enum { JIT_WALL_TIME = 2, JIT_INFO_LOG, JIT_INFO_LOG_BYTES, JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES };

/* Bytes of room for errors, as an option says. */
static size_t
error_room(unsigned n, const int *option, void *const *value)
{
	for (unsigned i = 0; i < n; i++)
		if (option[i] == JIT_ERROR_LOG_BYTES)
			return (size_t)(uintptr_t)value[i];
	return 0;
}

/* Nothing is compiled, so there is nothing to log but why code was refused. */
void
driver_logs(unsigned n, const int *option, void **value, const char *error)
{
	union {
		uintptr_t number;
		void *pointer;
	} filled = {0};
	const size_t room = option && value ? error_room(n, option, value) : 0;
	const size_t length = strlen(error);
	filled.number = room > length ? length : room ? room - 1 : 0;
	for (unsigned i = 0; i < n && option && value; i++) {
		if (option[i] == JIT_INFO_LOG && value[i])
			*(char *)value[i] = 0;
		if (option[i] == JIT_ERROR_LOG && value[i])
			snprintf(value[i], room ? room : 1, "%s", room ? error : "");
		if (option[i] == JIT_INFO_LOG_BYTES || option[i] == JIT_WALL_TIME)
			value[i] = NULL;
		if (option[i] == JIT_ERROR_LOG_BYTES)
			value[i] = filled.pointer;
	}
}

static int
logged(int status, unsigned n, const int *option, void **value)
{
	driver_logs(n, option, value, status ? module_load_error() : "");
	return status;
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
	return logged(
	    DRIVER(cudaLibraryLoadData(out, code, NULL, NULL, 0, NULL, NULL, 0)), n, option, value);
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
	return logged(DRIVER(cudaLibraryLoadData(out, code, NULL, NULL, 0, option, value, n)),
	    n_jit, jit, jit_value);
}

API int
cuLibraryLoadFromFile(void **out, const char *path, int *jit, void **jit_value, unsigned n_jit,
    int *option, void **value, unsigned n)
{
	return logged(DRIVER(cudaLibraryLoadFromFile(out, path, NULL, NULL, 0, option, value, n)),
	    n_jit, jit, jit_value);
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
cuLibraryGetManaged(void **out, size_t *bytes, void *library, const char *name)
{
	return DRIVER(cudaLibraryGetManaged(out, bytes, library, name));
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

API int
cuKernelSetCacheConfig(void *kernel, int config, int device)
{
	return device ? CU_INVALID_DEVICE : DRIVER(cudaFuncSetCacheConfig(kernel, config));
}

API int
cuFuncSetSharedMemConfig(void *function, int config)
{
	return DRIVER(cudaFuncSetSharedMemConfig(function, config));
}

static int
library_of(void **out, const void *function)
{
	struct kernel *k;
	int s = rt_enter();
	if (!s)
		s = out ? module_kernel(function, &k) : CU_INVALID_VALUE;
	if (!s && !(*out = library_with(k->module)))
		s = DRIVER_NOT_FOUND;
	return rt_leave(s);
}

API int
cuFuncGetModule(void **out, void *function)
{
	return DRIVER(library_of(out, function));
}

API int
cuKernelGetLibrary(void **out, void *kernel)
{
	return DRIVER(library_of(out, kernel));
}

API int
cuFuncLoad(void *function)
{
	struct cu_func_attributes a;
	return DRIVER(cudaFuncGetAttributes(&a, function));
}

API int
cuFuncIsLoaded(int *state, void *function)
{
	const int s = state ? cuFuncLoad(function) : CU_INVALID_VALUE;
	if (!s)
		*state = 1;
	return s;
}
