/* Calls of the runtime that others here build on. */
#ifndef CUDART_CALLS_H
#define CUDART_CALLS_H

#include "array.h"
#include "runtime.h"

struct value;

int __cudaLaunchKernel(void *kernel, struct cu_dim3 grid, struct cu_dim3 block, void **args,
    size_t shared, void *stream);
int cudaArrayGetInfo(struct cu_channel_desc *desc, struct cu_extent *extent, unsigned *flags,
    struct cu_array *array);
int cudaCreateSurfaceObject(uint64_t *out, const struct cu_resource_desc *r);
int cudaCreateTextureObject(uint64_t *out, const struct cu_resource_desc *r,
    const struct cu_texture_desc *d, const struct cu_resource_view_desc *view);
int cudaCtxResetPersistingL2Cache(void);
int cudaDestroySurfaceObject(uint64_t handle);
int cudaDestroyTextureObject(uint64_t handle);
int cudaDeviceCanAccessPeer(int *can, int device, int peer);
int cudaDeviceGetAttribute(int *value, int number, int device);
int cudaDeviceGetByPCIBusId(int *device, const char *id);
int cudaDeviceGetCacheConfig(int *config);
int cudaDeviceGetDefaultMemPool(void **out, int device);
int cudaDeviceGetLimit(size_t *value, int which);
int cudaDeviceGetMemPool(void **out, int device);
int cudaDeviceGetPCIBusId(char *out, int bytes, int device);
int cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
int cudaDeviceReset(void);
int cudaDeviceSetCacheConfig(int config);
int cudaDeviceSetLimit(int which, size_t value);
int cudaDeviceSynchronize(void);
int cudaDriverGetVersion(int *version);
int cudaEventCreateWithFlags(void **out, unsigned flags);
int cudaEventDestroy(void *event);
int cudaEventElapsedTime(float *ms, void *start, void *end);
int cudaEventQuery(void *event);
int cudaEventRecord(void *event, void *stream);
int cudaEventRecordWithFlags(void *event, void *stream, unsigned flags);
int cudaEventSynchronize(void *event);
int cudaFree(void *p);
int cudaFreeArray(struct cu_array *array);
int cudaFreeAsync(void *p, void *stream);
int cudaFreeHost(void *p);
int cudaFuncGetAttributes(struct cu_func_attributes *a, const void *function);
int cudaFuncGetName(const char **name, const void *function);
int cudaFuncSetAttribute(const void *function, int attribute, int value);
int cudaFuncSetCacheConfig(const void *function, int config);
int cudaGetDeviceCount(int *count);
int cudaGetDeviceProperties(struct cu_device_prop *p, int device);
int cudaGetDriverEntryPoint(const char *name, void **out, unsigned long long flags, int *status);
int cudaGetDriverEntryPointByVersion(
    const char *name, void **out, unsigned version, unsigned long long flags, int *status);
const char *cudaGetErrorString(int error);
int cudaGraphDestroy(void *graph);
int cudaGraphExecDestroy(void *exec);
int cudaGraphInstantiate(void **out, void *graph, unsigned long long flags);
int cudaGraphInstantiateWithParams(void **out, void *graph, struct cu_instantiate_params *p);
int cudaGraphLaunch(void *exec, void *stream);
int cudaGraphUpload(void *exec, void *stream);
int cudaHostAlloc(void **p, size_t bytes, unsigned flags);
int cudaHostGetDevicePointer(void **device, void *host, unsigned flags);
int cudaHostGetFlags(unsigned *flags, void *host);
int cudaHostRegister(void *p, size_t bytes, unsigned flags);
int cudaHostUnregister(void *p);
int cudaLaunchCooperativeKernel(const void *function, struct cu_dim3 grid, struct cu_dim3 block,
    void **args, size_t shared, void *stream);
int cudaLaunchHostFunc(void *stream, cu_host_fn *fn, void *arg);
int cudaLaunchKernel(const void *function, struct cu_dim3 grid, struct cu_dim3 block, void **args,
    size_t shared, void *stream);
int cudaLaunchKernelExC(const struct cu_launch_config *c, const void *function, void **args);
int cudaLibraryEnumerateKernels(void **out, unsigned most, void *handle);
int cudaLibraryGetGlobal(void **out, size_t *bytes, void *handle, const char *name);
int cudaLibraryGetKernel(void **out, void *handle, const char *name);
int cudaLibraryGetKernelCount(unsigned *out, void *handle);
int cudaLibraryLoadData(void **out, const void *code, int *jit, void **jit_values, unsigned n_jit,
    int *option, void **values, unsigned n);
int cudaLibraryLoadFromFile(void **out, const char *path, int *jit, void **jit_values,
    unsigned n_jit, int *option, void **values, unsigned n);
int cudaLibraryUnload(void *handle);
int cudaMalloc(void **p, size_t bytes);
int cudaMalloc3DArray(struct cu_array **out, const struct cu_channel_desc *desc,
    struct cu_extent extent, unsigned flags);
int cudaMallocAsync(void **out, size_t bytes, void *stream);
int cudaMallocFromPoolAsync(void **out, size_t bytes, void *pool, void *stream);
int cudaMallocHost(void **p, size_t bytes);
int cudaMallocManaged(void **p, size_t bytes, unsigned flags);
int cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height);
int cudaMemAdvise(const void *p, size_t bytes, int advice, struct cu_mem_location where);
int cudaMemGetInfo(size_t *available, size_t *total);
int cudaMemPrefetchAsync(
    const void *p, size_t bytes, struct cu_mem_location where, unsigned flags, void *stream);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaMemcpy2DArrayToArray(struct cu_array *to, size_t to_x, size_t to_y, struct cu_array *from,
    size_t from_x, size_t from_y, size_t width, size_t height, int kind);
int cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
    size_t height, int kind, void *stream);
int cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, struct cu_array *from, size_t x, size_t y,
    size_t width, size_t height, int kind, void *stream);
int cudaMemcpy2DToArrayAsync(struct cu_array *to, size_t x, size_t y, const void *from,
    size_t pitch, size_t width, size_t height, int kind, void *stream);
int cudaMemcpy3DAsync(const struct cu_memcpy_3d *p, void *stream);
int cudaMemcpy3DPeerAsync(const struct cu_memcpy_3d_peer *p, void *stream);
int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream);
int cudaMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *bytes, size_t n,
    const void *attribute, const size_t *attribute_index, size_t n_attribute, void *stream);
int cudaMemcpyFromArrayAsync(
    void *to, struct cu_array *from, size_t x, size_t y, size_t bytes, int kind, void *stream);
int cudaMemcpyFromSymbolAsync(
    void *to, const void *symbol, size_t bytes, size_t offset, int kind, void *stream);
int cudaMemcpyToArrayAsync(struct cu_array *to, size_t x, size_t y, const void *from, size_t bytes,
    int kind, void *stream);
int cudaMemcpyToSymbolAsync(
    const void *symbol, const void *from, size_t bytes, size_t offset, int kind, void *stream);
int cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, void *stream);
int cudaMemset3DAsync(struct cu_pitched_ptr to, int value, struct cu_extent x, void *stream);
int cudaMemsetAsync(void *to, int value, size_t bytes, void *stream);
int cudaOccupancyAvailableDynamicSMemPerBlock(
    size_t *bytes, const void *function, int blocks, int threads);
int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *function, int threads, size_t dynamic_shared, unsigned flags);
int cudaPointerGetAttributes(struct cu_pointer_attributes *a, const void *p);
int cudaProfilerStart(void);
int cudaProfilerStop(void);
int cudaStreamAddCallback(void *stream, cu_stream_callback *callback, void *arg, unsigned flags);
int cudaStreamAttachMemAsync(void *stream, void *p, size_t bytes, unsigned flags);
int cudaStreamBeginCapture(void *stream, int mode);
int cudaStreamBeginCaptureToGraph(
    void *stream, void *graph, void *const *before, const void *edges, size_t n, int mode);
int cudaStreamCopyAttributes(void *to, void *from);
int cudaStreamCreateWithFlags(void **out, unsigned flags);
int cudaStreamCreateWithPriority(void **out, unsigned flags, int priority);
int cudaStreamDestroy(void *stream);
int cudaStreamEndCapture(void *stream, void **graph);
int cudaStreamGetAttribute(void *stream, int id, struct value *value);
int cudaStreamGetCaptureInfo(void *stream, int *out, unsigned long long *id, void **graph,
    const void **before, const struct cu_graph_edge **edges, size_t *n);
int cudaStreamGetDevice(void *stream, int *device);
int cudaStreamGetFlags(void *stream, unsigned *flags);
int cudaStreamGetId(void *stream, unsigned long long *id);
int cudaStreamGetPriority(void *stream, int *priority);
int cudaStreamIsCapturing(void *stream, int *out);
int cudaStreamQuery(void *stream);
int cudaStreamSetAttribute(void *stream, int id, const struct value *value);
int cudaStreamSynchronize(void *stream);
int cudaStreamUpdateCaptureDependencies(
    void *stream, void **before, const void *edges, size_t n, unsigned flags);
int cudaStreamWaitEvent(void *stream, void *event, unsigned flags);

#endif
