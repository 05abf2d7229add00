/* Calls of the runtime that others here build on. */
#ifndef CUDART_CALLS_H
#define CUDART_CALLS_H

#include "array.h"
#include "runtime.h"

struct value;

int __cudaLaunchKernel(void *kernel, struct cu_dim3 grid, struct cu_dim3 block, void **args,
    size_t shared, void *stream);
int cudaEventRecord(void *event, void *stream);
int cudaEventRecordWithFlags(void *event, void *stream, unsigned flags);
int cudaFreeAsync(void *p, void *stream);
int cudaGetDriverEntryPoint(const char *name, void **out, unsigned long long flags, int *status);
int cudaGetDriverEntryPointByVersion(
    const char *name, void **out, unsigned version, unsigned long long flags, int *status);
int cudaGraphInstantiateWithParams(void **out, void *graph, struct cu_instantiate_params *p);
int cudaGraphLaunch(void *exec, void *stream);
int cudaGraphUpload(void *exec, void *stream);
int cudaLaunchCooperativeKernel(const void *function, struct cu_dim3 grid, struct cu_dim3 block,
    void **args, size_t shared, void *stream);
int cudaLaunchHostFunc(void *stream, cu_host_fn *fn, void *arg);
int cudaLaunchKernel(const void *function, struct cu_dim3 grid, struct cu_dim3 block, void **args,
    size_t shared, void *stream);
int cudaLaunchKernelExC(const struct cu_launch_config *c, const void *function, void **args);
int cudaMallocAsync(void **out, size_t bytes, void *stream);
int cudaMallocFromPoolAsync(void **out, size_t bytes, void *pool, void *stream);
int cudaMemPrefetchAsync(
    const void *p, size_t bytes, struct cu_mem_location where, unsigned flags, void *stream);
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
int cudaStreamAddCallback(void *stream, cu_stream_callback *callback, void *arg, unsigned flags);
int cudaStreamAttachMemAsync(void *stream, void *p, size_t bytes, unsigned flags);
int cudaStreamBeginCapture(void *stream, int mode);
int cudaStreamBeginCaptureToGraph(
    void *stream, void *graph, void *const *before, const void *edges, size_t n, int mode);
int cudaStreamCopyAttributes(void *to, void *from);
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
