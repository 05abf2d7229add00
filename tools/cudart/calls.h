/* Calls of the runtime that others here build on. */
#ifndef CUDART_CALLS_H
#define CUDART_CALLS_H

#include "array.h"
#include "runtime.h"

struct value;
struct requirements;

/* What no stream means where the default stream is each thread's own. */
void *own_stream(void *stream);

int __cudaLaunchKernel(void *kernel, struct cu_dim3 grid, struct cu_dim3 block, void **args,
    size_t shared, void *stream);
int cudaArrayGetInfo(struct cu_channel_desc *desc, struct cu_extent *extent, unsigned *flags,
    struct cu_array *array);
int cudaArrayGetMemoryRequirements(struct requirements *out, struct cu_array *array, int device);
int cudaCreateSurfaceObject(uint64_t *out, const struct cu_resource_desc *r);
int cudaCreateTextureObject(uint64_t *out, const struct cu_resource_desc *r,
    const struct cu_texture_desc *d, const struct cu_resource_view_desc *view);
int cudaCtxResetPersistingL2Cache(void);
int cudaDestroySurfaceObject(uint64_t handle);
int cudaDestroyTextureObject(uint64_t handle);
int cudaDeviceCanAccessPeer(int *can, int device, int peer);
int cudaDeviceFlushGPUDirectRDMAWrites(int target, int scope);
int cudaDeviceGetAttribute(int *value, int number, int device);
int cudaDeviceGetByPCIBusId(int *device, const char *id);
int cudaDeviceGetCacheConfig(int *config);
int cudaDeviceGetDefaultMemPool(void **out, int device);
int cudaDeviceGetGraphMemAttribute(int device, int attribute, void *out);
int
cudaDeviceGetHostAtomicCapabilities(unsigned *out, const int *operation, unsigned n, int device);
int cudaDeviceGetLimit(size_t *value, int which);
int cudaDeviceGetMemPool(void **out, int device);
int cudaDeviceGetP2PAtomicCapabilities(
    unsigned *out, const int *operation, unsigned n, int from, int to);
int cudaDeviceGetP2PAttribute(int *value, int which, int from, int to);
int cudaDeviceGetPCIBusId(char *out, int bytes, int device);
int cudaDeviceGetSharedMemConfig(int *config);
int cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
int cudaDeviceGetTexture1DLinearMaxWidth(
    size_t *elements, const struct cu_channel_desc *desc, int device);
int cudaDeviceGraphMemTrim(int device);
int cudaDeviceReset(void);
int cudaDeviceSetCacheConfig(int config);
int cudaDeviceSetGraphMemAttribute(int device, int attribute, const void *in);
int cudaDeviceSetLimit(int which, size_t value);
int cudaDeviceSetMemPool(int device, void *pool);
int cudaDeviceSetSharedMemConfig(int config);
int cudaDeviceSynchronize(void);
int cudaDriverGetVersion(int *version);
int cudaEventCreateWithFlags(void **out, unsigned flags);
int cudaEventDestroy(void *event);
int cudaEventElapsedTime(float *ms, void *start, void *end);
int cudaEventQuery(void *event);
int cudaEventRecord(void *event, void *stream);
int cudaEventRecordWithFlags(void *event, void *stream, unsigned flags);
int cudaEventRecordWithFlags_ptsz(void *event, void *stream, unsigned flags);
int cudaEventRecord_ptsz(void *event, void *stream);
int cudaEventSynchronize(void *event);
int cudaFree(void *p);
int cudaFreeArray(struct cu_array *array);
int cudaFreeAsync(void *p, void *stream);
int cudaFreeAsync_ptsz(void *p, void *stream);
int cudaFreeHost(void *p);
int cudaFreeMipmappedArray(struct cu_mipmapped *mipmapped);
int cudaFuncGetAttributes(struct cu_func_attributes *a, const void *function);
int cudaFuncGetName(const char **name, const void *function);
int cudaFuncSetAttribute(const void *function, int attribute, int value);
int cudaFuncSetCacheConfig(const void *function, int config);
int cudaFuncSetSharedMemConfig(const void *function, int config);
int cudaGetDeviceCount(int *count);
int cudaGetDeviceProperties(struct cu_device_prop *p, int device);
int cudaGetDriverEntryPoint(const char *name, void **out, unsigned long long flags, int *status);
int cudaGetDriverEntryPointByVersion(
    const char *name, void **out, unsigned version, unsigned long long flags, int *status);
int cudaGetDriverEntryPointByVersion_ptsz(
    const char *name, void **out, unsigned version, unsigned long long flags, int *status);
int
cudaGetDriverEntryPoint_ptsz(const char *name, void **out, unsigned long long flags, int *status);
const char *cudaGetErrorString(int error);
int cudaGetMipmappedArrayLevel(
    struct cu_array **out, const struct cu_mipmapped *mipmapped, unsigned level);
int cudaGraphAddChildGraphNode(void **out, void *graph, void *const *before, size_t n, void *child);
int cudaGraphAddDependencies(
    void *graph, void *const *from, void *const *to, const void *edges, size_t n);
int cudaGraphAddEmptyNode(void **out, void *graph, void *const *before, size_t n);
int
cudaGraphAddEventRecordNode(void **out, void *graph, void *const *before, size_t n, void *event);
int cudaGraphAddEventWaitNode(void **out, void *graph, void *const *before, size_t n, void *event);
int cudaGraphAddHostNode(
    void **out, void *graph, void *const *before, size_t n, const struct cu_host_params *p);
int cudaGraphAddKernelNode(
    void **out, void *graph, void *const *before, size_t n, const struct cu_kernel_params *p);
int cudaGraphAddMemAllocNode(
    void **out, void *graph, void *const *before, size_t n, struct cu_mem_alloc_params *p);
int cudaGraphAddMemFreeNode(void **out, void *graph, void *const *before, size_t n, void *p);
int cudaGraphAddMemcpyNode(
    void **out, void *graph, void *const *before, size_t n, const struct cu_memcpy_3d *p);
int cudaGraphAddMemsetNode(
    void **out, void *graph, void *const *before, size_t n, const struct cu_memset_params *p);
int cudaGraphAddNode(void **out, void *graph, void *const *before, const void *edges, size_t n,
    struct cu_graph_node_params *p);
int cudaGraphChildGraphNodeGetGraph(void *node, void **out);
int cudaGraphClone(void **out, void *graph);
int cudaGraphConditionalHandleCreate(
    unsigned long long *out, void *graph, unsigned at_launch, unsigned flags);
int cudaGraphCreate(void **out, unsigned flags);
int cudaGraphDebugDotPrint(void *graph, const char *path, unsigned flags);
int cudaGraphDestroy(void *graph);
int cudaGraphDestroyNode(void *node);
int cudaGraphEventRecordNodeGetEvent(void *node, void **out);
int cudaGraphEventRecordNodeSetEvent(void *node, void *event);
int cudaGraphEventWaitNodeGetEvent(void *node, void **out);
int cudaGraphEventWaitNodeSetEvent(void *node, void *event);
int cudaGraphExecChildGraphNodeSetParams(void *exec, void *node, void *child);
int cudaGraphExecDestroy(void *exec);
int cudaGraphExecEventRecordNodeSetEvent(void *exec, void *node, void *event);
int cudaGraphExecEventWaitNodeSetEvent(void *exec, void *node, void *event);
int cudaGraphExecGetFlags(void *exec, unsigned long long *flags);
int cudaGraphExecHostNodeSetParams(void *exec, void *node, const struct cu_host_params *p);
int cudaGraphExecKernelNodeSetParams(void *exec, void *node, const struct cu_kernel_params *p);
int cudaGraphExecMemcpyNodeSetParams(void *exec, void *node, const struct cu_memcpy_3d *p);
int cudaGraphExecMemsetNodeSetParams(void *exec, void *node, const struct cu_memset_params *p);
int cudaGraphExecNodeSetParams(void *exec, void *node, struct cu_graph_node_params *p);
int cudaGraphExecUpdate(void *exec, void *graph, struct cu_update_result *result);
int cudaGraphGetEdges(void *graph, void **from, void **to, void *edges, size_t *n);
int cudaGraphGetNodes(void *graph, void **nodes, size_t *n);
int cudaGraphGetRootNodes(void *graph, void **nodes, size_t *n);
int cudaGraphHostNodeGetParams(void *node, struct cu_host_params *out);
int cudaGraphHostNodeSetParams(void *node, const struct cu_host_params *p);
int cudaGraphInstantiate(void **out, void *graph, unsigned long long flags);
int cudaGraphInstantiateWithParams(void **out, void *graph, struct cu_instantiate_params *p);
int cudaGraphInstantiateWithParams_ptsz(void **out, void *graph, struct cu_instantiate_params *p);
int cudaGraphKernelNodeCopyAttributes(void *to, void *from);
int cudaGraphKernelNodeGetAttribute(void *node, int id, struct value *value);
int cudaGraphKernelNodeGetParams(void *node, struct cu_kernel_params *out);
int cudaGraphKernelNodeSetAttribute(void *node, int id, const struct cu_launch_attribute *value);
int cudaGraphKernelNodeSetParams(void *node, const struct cu_kernel_params *p);
int cudaGraphLaunch(void *exec, void *stream);
int cudaGraphLaunch_ptsz(void *exec, void *stream);
int cudaGraphMemAllocNodeGetParams(void *node, struct cu_mem_alloc_params *out);
int cudaGraphMemFreeNodeGetParams(void *node, void *out);
int cudaGraphMemcpyNodeGetParams(void *node, struct cu_memcpy_3d *out);
int cudaGraphMemcpyNodeSetParams(void *node, const struct cu_memcpy_3d *p);
int cudaGraphMemsetNodeGetParams(void *node, struct cu_memset_params *out);
int cudaGraphMemsetNodeSetParams(void *node, const struct cu_memset_params *p);
int cudaGraphNodeFindInClone(void **out, void *original, void *clone);
int cudaGraphNodeGetDependencies(void *node, void **out, void *edges, size_t *n);
int cudaGraphNodeGetDependentNodes(void *node, void **out, void *edges, size_t *n);
int cudaGraphNodeGetEnabled(void *exec, void *node, unsigned *enabled);
int cudaGraphNodeGetType(void *node, int *type);
int cudaGraphNodeSetEnabled(void *exec, void *node, unsigned enabled);
int cudaGraphNodeSetParams(void *node, struct cu_graph_node_params *p);
int cudaGraphReleaseUserObject(void *graph, void *object, unsigned count);
int cudaGraphRemoveDependencies(
    void *graph, void *const *from, void *const *to, const void *edges, size_t n);
int cudaGraphRetainUserObject(void *graph, void *object, unsigned count, unsigned flags);
int cudaGraphUpload(void *exec, void *stream);
int cudaGraphUpload_ptsz(void *exec, void *stream);
int cudaHostAlloc(void **p, size_t bytes, unsigned flags);
int cudaHostGetDevicePointer(void **device, void *host, unsigned flags);
int cudaHostGetFlags(unsigned *flags, void *host);
int cudaHostRegister(void *p, size_t bytes, unsigned flags);
int cudaHostUnregister(void *p);
int cudaIpcCloseMemHandle(void *p);
int cudaIpcGetEventHandle(struct cu_ipc_handle *handle, void *event);
int cudaIpcGetMemHandle(struct cu_ipc_handle *handle, void *p);
int cudaIpcOpenEventHandle(void **out, struct cu_ipc_handle handle);
int cudaIpcOpenMemHandle(void **out, struct cu_ipc_handle handle, unsigned flags);
int cudaLaunchCooperativeKernel(const void *function, struct cu_dim3 grid, struct cu_dim3 block,
    void **args, size_t shared, void *stream);
int cudaLaunchCooperativeKernel_ptsz(const void *function, struct cu_dim3 grid,
    struct cu_dim3 block, void **args, size_t shared, void *stream);
int cudaLaunchHostFunc(void *stream, cu_host_fn *fn, void *arg);
int cudaLaunchHostFunc_ptsz(void *stream, cu_host_fn *fn, void *arg);
int cudaLaunchKernel(const void *function, struct cu_dim3 grid, struct cu_dim3 block, void **args,
    size_t shared, void *stream);
int cudaLaunchKernelExC(const struct cu_launch_config *c, const void *function, void **args);
int cudaLaunchKernelExC_ptsz(const struct cu_launch_config *c, const void *function, void **args);
int cudaLaunchKernel_ptsz(const void *function, struct cu_dim3 grid, struct cu_dim3 block,
    void **args, size_t shared, void *stream);
int cudaLibraryEnumerateKernels(void **out, unsigned most, void *handle);
int cudaLibraryGetGlobal(void **out, size_t *bytes, void *handle, const char *name);
int cudaLibraryGetKernel(void **out, void *handle, const char *name);
int cudaLibraryGetKernelCount(unsigned *out, void *handle);
int cudaLibraryGetManaged(void **out, size_t *bytes, void *handle, const char *name);
int cudaLibraryLoadData(void **out, const void *code, int *jit, void **jit_values, unsigned n_jit,
    int *option, void **values, unsigned n);
int cudaLibraryLoadFromFile(void **out, const char *path, int *jit, void **jit_values,
    unsigned n_jit, int *option, void **values, unsigned n);
int cudaLibraryUnload(void *handle);
int cudaLogsCurrent(unsigned *at, unsigned flags);
int cudaLogsDumpToFile(const unsigned *at, const char *path, unsigned flags);
int cudaLogsDumpToMemory(const unsigned *at, char *text, size_t *bytes, unsigned flags);
int cudaLogsRegisterCallback(cu_log_fn *fn, void *arg, void **out);
int cudaLogsUnregisterCallback(void *user);
int cudaMalloc(void **p, size_t bytes);
int cudaMalloc3DArray(struct cu_array **out, const struct cu_channel_desc *desc,
    struct cu_extent extent, unsigned flags);
int cudaMallocAsync(void **out, size_t bytes, void *stream);
int cudaMallocAsync_ptsz(void **out, size_t bytes, void *stream);
int cudaMallocFromPoolAsync(void **out, size_t bytes, void *pool, void *stream);
int cudaMallocFromPoolAsync_ptsz(void **out, size_t bytes, void *pool, void *stream);
int cudaMallocHost(void **p, size_t bytes);
int cudaMallocManaged(void **p, size_t bytes, unsigned flags);
int cudaMallocMipmappedArray(struct cu_mipmapped **out, const struct cu_channel_desc *desc,
    struct cu_extent extent, unsigned levels, unsigned flags);
int cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height);
int cudaMemAdvise(const void *p, size_t bytes, int advice, struct cu_mem_location where);
int cudaMemDiscardAndPrefetchBatchAsync(void *const *p, const size_t *bytes, size_t n,
    const struct cu_mem_location *place, const size_t *first, size_t n_place,
    unsigned long long flags, void *stream);
int cudaMemDiscardAndPrefetchBatchAsync_ptsz(void *const *p, const size_t *bytes, size_t n,
    const struct cu_mem_location *place, const size_t *first, size_t n_place,
    unsigned long long flags, void *stream);
int cudaMemDiscardBatchAsync(
    void *const *p, const size_t *bytes, size_t n, unsigned long long flags, void *stream);
int cudaMemDiscardBatchAsync_ptsz(
    void *const *p, const size_t *bytes, size_t n, unsigned long long flags, void *stream);
int cudaMemGetDefaultMemPool(void **out, const struct cu_mem_location *location, int type);
int cudaMemGetInfo(size_t *available, size_t *total);
int cudaMemGetMemPool(void **out, const struct cu_mem_location *location, int type);
int cudaMemPoolCreate(void **out, const struct cu_mem_pool_props *props);
int cudaMemPoolDestroy(void *pool);
int cudaMemPoolGetAccess(int *flags, void *pool, const struct cu_mem_location *location);
int cudaMemPoolGetAttribute(void *pool, int attribute, void *value);
int cudaMemPoolSetAccess(void *pool, const struct cu_mem_access *list, size_t n);
int cudaMemPoolSetAttribute(void *pool, int attribute, const void *value);
int cudaMemPoolTrimTo(void *pool, size_t keep);
int cudaMemPrefetchAsync(
    const void *p, size_t bytes, struct cu_mem_location where, unsigned flags, void *stream);
int cudaMemPrefetchAsync_ptsz(
    const void *p, size_t bytes, struct cu_mem_location where, unsigned flags, void *stream);
int cudaMemPrefetchBatchAsync(void *const *p, const size_t *bytes, size_t n,
    const struct cu_mem_location *place, const size_t *first, size_t n_place,
    unsigned long long flags, void *stream);
int cudaMemPrefetchBatchAsync_ptsz(void *const *p, const size_t *bytes, size_t n,
    const struct cu_mem_location *place, const size_t *first, size_t n_place,
    unsigned long long flags, void *stream);
int
cudaMemRangeGetAttribute(void *out, size_t out_bytes, int attribute, const void *p, size_t bytes);
int cudaMemRangeGetAttributes(void **out, const size_t *out_bytes, const int *attribute, size_t n,
    const void *p, size_t bytes);
int cudaMemSetMemPool(const struct cu_mem_location *location, int type, void *pool);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaMemcpy2DArrayToArray(struct cu_array *to, size_t to_x, size_t to_y, struct cu_array *from,
    size_t from_x, size_t from_y, size_t width, size_t height, int kind);
int cudaMemcpy2DArrayToArray_ptds(struct cu_array *to, size_t to_x, size_t to_y,
    struct cu_array *from, size_t from_x, size_t from_y, size_t width, size_t height, int kind);
int cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
    size_t height, int kind, void *stream);
int cudaMemcpy2DAsync_ptsz(void *to, size_t to_pitch, const void *from, size_t from_pitch,
    size_t width, size_t height, int kind, void *stream);
int cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, struct cu_array *from, size_t x, size_t y,
    size_t width, size_t height, int kind, void *stream);
int cudaMemcpy2DFromArrayAsync_ptsz(void *to, size_t pitch, struct cu_array *from, size_t x,
    size_t y, size_t width, size_t height, int kind, void *stream);
int cudaMemcpy2DFromArray_ptds(void *to, size_t pitch, struct cu_array *from, size_t x, size_t y,
    size_t width, size_t height, int kind);
int cudaMemcpy2DToArrayAsync(struct cu_array *to, size_t x, size_t y, const void *from,
    size_t pitch, size_t width, size_t height, int kind, void *stream);
int cudaMemcpy2DToArrayAsync_ptsz(struct cu_array *to, size_t x, size_t y, const void *from,
    size_t pitch, size_t width, size_t height, int kind, void *stream);
int cudaMemcpy2DToArray_ptds(struct cu_array *to, size_t x, size_t y, const void *from,
    size_t pitch, size_t width, size_t height, int kind);
int cudaMemcpy2D_ptds(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
    size_t height, int kind);
int cudaMemcpy3DAsync(const struct cu_memcpy_3d *p, void *stream);
int cudaMemcpy3DAsync_ptsz(const struct cu_memcpy_3d *p, void *stream);
int cudaMemcpy3DBatchAsync(
    size_t n, const struct cu_memcpy_3d_batch *list, unsigned long long flags, void *stream);
int cudaMemcpy3DBatchAsync_ptsz(
    size_t n, const struct cu_memcpy_3d_batch *list, unsigned long long flags, void *stream);
int cudaMemcpy3DPeerAsync(const struct cu_memcpy_3d_peer *p, void *stream);
int cudaMemcpy3DPeerAsync_ptsz(const struct cu_memcpy_3d_peer *p, void *stream);
int cudaMemcpy3DPeer_ptds(const struct cu_memcpy_3d_peer *p);
int cudaMemcpy3D_ptds(const struct cu_memcpy_3d *p);
int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream);
int cudaMemcpyAsync_ptsz(void *to, const void *from, size_t bytes, int kind, void *stream);
int cudaMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *bytes, size_t n,
    const void *attribute, const size_t *attribute_index, size_t n_attribute, void *stream);
int
cudaMemcpyBatchAsync_ptsz(void *const *to, const void *const *from, const size_t *bytes, size_t n,
    const void *attribute, const size_t *attribute_index, size_t n_attribute, void *stream);
int cudaMemcpyFromArrayAsync(
    void *to, struct cu_array *from, size_t x, size_t y, size_t bytes, int kind, void *stream);
int cudaMemcpyFromArrayAsync_ptsz(
    void *to, struct cu_array *from, size_t x, size_t y, size_t bytes, int kind, void *stream);
int cudaMemcpyFromArray_ptds(
    void *to, struct cu_array *from, size_t x, size_t y, size_t bytes, int kind);
int cudaMemcpyFromSymbolAsync(
    void *to, const void *symbol, size_t bytes, size_t offset, int kind, void *stream);
int cudaMemcpyFromSymbolAsync_ptsz(
    void *to, const void *symbol, size_t bytes, size_t offset, int kind, void *stream);
int cudaMemcpyFromSymbol_ptds(void *to, const void *symbol, size_t bytes, size_t offset, int kind);
int cudaMemcpyToArrayAsync(struct cu_array *to, size_t x, size_t y, const void *from, size_t bytes,
    int kind, void *stream);
int cudaMemcpyToArrayAsync_ptsz(struct cu_array *to, size_t x, size_t y, const void *from,
    size_t bytes, int kind, void *stream);
int cudaMemcpyToArray_ptds(
    struct cu_array *to, size_t x, size_t y, const void *from, size_t bytes, int kind);
int cudaMemcpyToSymbolAsync(
    const void *symbol, const void *from, size_t bytes, size_t offset, int kind, void *stream);
int cudaMemcpyToSymbolAsync_ptsz(
    const void *symbol, const void *from, size_t bytes, size_t offset, int kind, void *stream);
int cudaMemcpyToSymbol_ptds(
    const void *symbol, const void *from, size_t bytes, size_t offset, int kind);
int cudaMemcpy_ptds(void *to, const void *from, size_t bytes, int kind);
int cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, void *stream);
int cudaMemset2DAsync_ptsz(
    void *to, size_t pitch, int value, size_t width, size_t height, void *stream);
int cudaMemset2D_ptds(void *to, size_t pitch, int value, size_t width, size_t height);
int cudaMemset3DAsync(struct cu_pitched_ptr to, int value, struct cu_extent x, void *stream);
int cudaMemset3DAsync_ptsz(struct cu_pitched_ptr to, int value, struct cu_extent x, void *stream);
int cudaMemset3D_ptds(struct cu_pitched_ptr to, int value, struct cu_extent x);
int cudaMemsetAsync(void *to, int value, size_t bytes, void *stream);
int cudaMemsetAsync_ptsz(void *to, int value, size_t bytes, void *stream);
int cudaMemset_ptds(void *to, int value, size_t bytes);
int cudaOccupancyAvailableDynamicSMemPerBlock(
    size_t *bytes, const void *function, int blocks, int threads);
int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *function, int threads, size_t dynamic_shared, unsigned flags);
int cudaOccupancyMaxActiveClusters(
    int *clusters, const void *function, const struct cu_launch_config *c);
int cudaOccupancyMaxPotentialClusterSize(
    int *size, const void *function, const struct cu_launch_config *c);
int cudaPointerGetAttributes(struct cu_pointer_attributes *a, const void *p);
int cudaProfilerStart(void);
int cudaProfilerStop(void);
int cudaStreamAddCallback(void *stream, cu_stream_callback *callback, void *arg, unsigned flags);
int
cudaStreamAddCallback_ptsz(void *stream, cu_stream_callback *callback, void *arg, unsigned flags);
int cudaStreamAttachMemAsync(void *stream, void *p, size_t bytes, unsigned flags);
int cudaStreamAttachMemAsync_ptsz(void *stream, void *p, size_t bytes, unsigned flags);
int cudaStreamBeginCapture(void *stream, int mode);
int cudaStreamBeginCaptureToGraph(
    void *stream, void *graph, void *const *before, const void *edges, size_t n, int mode);
int cudaStreamBeginCaptureToGraph_ptsz(
    void *stream, void *graph, void *const *before, const void *edges, size_t n, int mode);
int cudaStreamBeginCapture_ptsz(void *stream, int mode);
int cudaStreamCopyAttributes(void *to, void *from);
int cudaStreamCopyAttributes_ptsz(void *to, void *from);
int cudaStreamCreateWithFlags(void **out, unsigned flags);
int cudaStreamCreateWithPriority(void **out, unsigned flags, int priority);
int cudaStreamDestroy(void *stream);
int cudaStreamEndCapture(void *stream, void **graph);
int cudaStreamEndCapture_ptsz(void *stream, void **graph);
int cudaStreamGetAttribute(void *stream, int id, struct value *value);
int cudaStreamGetAttribute_ptsz(void *stream, int id, struct value *value);
int cudaStreamGetCaptureInfo(void *stream, int *out, unsigned long long *id, void **graph,
    const void **before, const struct cu_graph_edge **edges, size_t *n);
int cudaStreamGetCaptureInfo_ptsz(void *stream, int *out, unsigned long long *id, void **graph,
    const void **before, const struct cu_graph_edge **edges, size_t *n);
int cudaStreamGetDevice(void *stream, int *device);
int cudaStreamGetDevice_ptsz(void *stream, int *device);
int cudaStreamGetFlags(void *stream, unsigned *flags);
int cudaStreamGetFlags_ptsz(void *stream, unsigned *flags);
int cudaStreamGetId(void *stream, unsigned long long *id);
int cudaStreamGetId_ptsz(void *stream, unsigned long long *id);
int cudaStreamGetPriority(void *stream, int *priority);
int cudaStreamGetPriority_ptsz(void *stream, int *priority);
int cudaStreamIsCapturing(void *stream, int *out);
int cudaStreamIsCapturing_ptsz(void *stream, int *out);
int cudaStreamQuery(void *stream);
int cudaStreamQuery_ptsz(void *stream);
int cudaStreamSetAttribute(void *stream, int id, const struct value *value);
int cudaStreamSetAttribute_ptsz(void *stream, int id, const struct value *value);
int cudaStreamSynchronize(void *stream);
int cudaStreamSynchronize_ptsz(void *stream);
int cudaStreamUpdateCaptureDependencies(
    void *stream, void **before, const void *edges, size_t n, unsigned flags);
int cudaStreamUpdateCaptureDependencies_ptsz(
    void *stream, void **before, const void *edges, size_t n, unsigned flags);
int cudaStreamWaitEvent(void *stream, void *event, unsigned flags);
int cudaStreamWaitEvent_ptsz(void *stream, void *event, unsigned flags);
int cudaThreadExchangeStreamCaptureMode(int *mode);
int cudaUserObjectCreate(void **out, void *arg, cu_host_fn *destroy, unsigned refs, unsigned flags);
int cudaUserObjectRelease(void *object, unsigned count);
int cudaUserObjectRetain(void *object, unsigned count);

#endif
