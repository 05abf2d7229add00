/* What names of the driver's functions mean, by version and by whose the default stream is. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include "driver/driver.h"

/* What a name means from a version on, where that is not the newest that is here; the newest first.
 * CUDA 13's cudaTypedefs.h. */
static const struct {
	const char *name, *means;
	int from;
} generations[] = {
    {"cuCtxCreate", "cuCtxCreate_v4", 12050},
    {"cuCtxCreate", "cuCtxCreate_v3", 11040},
    {"cuCtxCreate", "cuCtxCreate_v2", 0},
    {"cuCtxGetDevice", "cuCtxGetDevice_v2", 13000},
    {"cuCtxGetDevice", "cuCtxGetDevice", 0},
    {"cuCtxSynchronize", "cuCtxSynchronize_v2", 13000},
    {"cuCtxSynchronize", "cuCtxSynchronize", 0},
    {"cuGetProcAddress", "cuGetProcAddress_v2", 12000},
    {"cuGetProcAddress", "cuGetProcAddress", 0},
    {"cuGraphAddDependencies", "cuGraphAddDependencies_v2", 12030},
    {"cuGraphAddDependencies", "cuGraphAddDependencies", 0},
    {"cuGraphAddKernelNode", "cuGraphAddKernelNode_v2", 12000},
    {"cuGraphAddKernelNode", "cuGraphAddKernelNode", 0},
    {"cuGraphAddNode", "cuGraphAddNode_v2", 12030},
    {"cuGraphAddNode", "cuGraphAddNode", 0},
    {"cuGraphExecKernelNodeSetParams", "cuGraphExecKernelNodeSetParams_v2", 12000},
    {"cuGraphExecKernelNodeSetParams", "cuGraphExecKernelNodeSetParams", 0},
    {"cuGraphExecUpdate", "cuGraphExecUpdate_v2", 12000},
    {"cuGraphExecUpdate", "cuGraphExecUpdate", 0},
    {"cuGraphGetEdges", "cuGraphGetEdges_v2", 12030},
    {"cuGraphGetEdges", "cuGraphGetEdges", 0},
    {"cuGraphKernelNodeGetParams", "cuGraphKernelNodeGetParams_v2", 12000},
    {"cuGraphKernelNodeGetParams", "cuGraphKernelNodeGetParams", 0},
    {"cuGraphKernelNodeSetParams", "cuGraphKernelNodeSetParams_v2", 12000},
    {"cuGraphKernelNodeSetParams", "cuGraphKernelNodeSetParams", 0},
    {"cuGraphNodeGetDependencies", "cuGraphNodeGetDependencies_v2", 12030},
    {"cuGraphNodeGetDependencies", "cuGraphNodeGetDependencies", 0},
    {"cuGraphNodeGetDependentNodes", "cuGraphNodeGetDependentNodes_v2", 12030},
    {"cuGraphNodeGetDependentNodes", "cuGraphNodeGetDependentNodes", 0},
    {"cuGraphRemoveDependencies", "cuGraphRemoveDependencies_v2", 12030},
    {"cuGraphRemoveDependencies", "cuGraphRemoveDependencies", 0},
    {"cuMemAdvise", "cuMemAdvise_v2", 12020},
    {"cuMemAdvise", "cuMemAdvise", 0},
    {"cuMemPrefetchAsync", "cuMemPrefetchAsync_v2", 12020},
    {"cuMemPrefetchAsync", "cuMemPrefetchAsync", 0},
    {"cuMemcpy3DBatchAsync", "cuMemcpy3DBatchAsync_v2", 13000},
    {"cuMemcpy3DBatchAsync", "cuMemcpy3DBatchAsync", 0},
    {"cuMemcpyBatchAsync", "cuMemcpyBatchAsync_v2", 13000},
    {"cuMemcpyBatchAsync", "cuMemcpyBatchAsync", 0},
    {"cuStreamBeginCapture", "cuStreamBeginCapture_v2", 10010},
    {"cuStreamBeginCapture", "cuStreamBeginCapture", 0},
    {"cuStreamGetCaptureInfo", "cuStreamGetCaptureInfo_v3", 12030},
    {"cuStreamGetCaptureInfo", "cuStreamGetCaptureInfo_v2", 11030},
    {"cuStreamGetCaptureInfo", "cuStreamGetCaptureInfo", 0},
    {"cuStreamGetCtx", "cuStreamGetCtx_v2", 12050},
    {"cuStreamGetCtx", "cuStreamGetCtx", 0},
    {"cuStreamUpdateCaptureDependencies", "cuStreamUpdateCaptureDependencies_v2", 12030},
    {"cuStreamUpdateCaptureDependencies", "cuStreamUpdateCaptureDependencies", 0},
};

/* In this library only: programs have variables and functions of the driver's names. */
static void *
own_function(const char *name)
{
	static void *self;
	Dl_info here;
	if (!self && dladdr(generations, &here))
		self = dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	return self ? dlsym(self, name) : NULL;
}

/* With the ending that it has where the default stream is each thread's own. */
static void *
for_threads(const char *name)
{
	char ours[128];
	snprintf(ours, sizeof ours, "%s_ptsz", name);
	void *p = own_function(ours);
	if (p)
		return p;
	snprintf(ours, sizeof ours, "%s_ptds", name);
	return own_function(ours);
}

static void *
meaning(const char *name, bool per_thread)
{
	void *p = per_thread ? for_threads(name) : NULL;
	return p ? p : own_function(name);
}

static void *
find(const char *name, int version, bool per_thread)
{
	char newer[128];
	for (size_t i = 0; i < sizeof generations / sizeof *generations; i++)
		if (!strcmp(name, generations[i].name) && version >= generations[i].from)
			return meaning(generations[i].means, per_thread);
	for (int k = 3; k > 1; k--) {
		snprintf(newer, sizeof newer, "%s_v%d", name, k);
		if (own_function(newer))
			return meaning(newer, per_thread);
	}
	return meaning(name, per_thread);
}

int
driver_function(const char *name, void **out, int version, bool per_thread)
{
	*out = strncmp(name, "cu", 2) != 0 || !strncmp(name, "cuda", 4)
		   ? NULL
		   : find(name, version, per_thread);
	return *out ? CU_OK : DRIVER_NOT_FOUND;
}

enum { LEGACY_STREAM = 1, PER_THREAD_STREAM };

static int
get(const char *name, void **out, int version, uint64_t flags, int *status)
{
	if (!name || !out || flags > PER_THREAD_STREAM)
		return CU_INVALID_VALUE;
	const int s = driver_function(name, out, version, flags == PER_THREAD_STREAM);
	if (status)
		*status = s != CU_OK;
	return s;
}

API int
cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags, int *status)
{
	return get(name, out, version, flags, status);
}

API int
cuGetProcAddress_v2_ptsz(const char *name, void **out, int version, uint64_t flags, int *status)
{
	return get(name, out, version, flags ? flags : PER_THREAD_STREAM, status);
}

API int
cuGetProcAddress(const char *name, void **out, int version, uint64_t flags)
{
	return get(name, out, version, flags, NULL);
}
