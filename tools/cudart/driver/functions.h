/* Calls of the driver that others here build on. */
#ifndef CUDART_DRIVER_FUNCTIONS_H
#define CUDART_DRIVER_FUNCTIONS_H

#include "driver/copy.h"
#include "driver/driver.h"

struct value;

int cuEventRecord(void *event, void *stream);
int cuEventRecordWithFlags(void *event, void *stream, unsigned flags);
int cuGraphInstantiateWithParams(void **out, void *graph, struct cu_instantiate_params *p);
int cuGraphLaunch(void *exec, void *stream);
int cuGraphUpload(void *exec, void *stream);
int cuLaunchCooperativeKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
    unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, void *stream,
    void **args);
int cuLaunchHostFunc(void *stream, cu_host_fn *fn, void *arg);
int
cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
    unsigned block_y, unsigned block_z, unsigned shared, void *stream, void **args, void **extra);
int
cuLaunchKernelEx(const struct driver_launch_config *d, void *function, void **args, void **extra);
int cuMemAllocAsync(void **p, size_t bytes, void *stream);
int cuMemAllocFromPoolAsync(void **p, size_t bytes, void *pool, void *stream);
int cuMemDiscardAndPrefetchBatchAsync(void *const *p, const size_t *bytes, size_t n,
    const struct cu_mem_location *place, const size_t *first, size_t n_place,
    unsigned long long flags, void *stream);
int cuMemDiscardBatchAsync(
    void *const *p, const size_t *bytes, size_t n, unsigned long long flags, void *stream);
int cuMemFreeAsync(void *p, void *stream);
int cuMemPrefetchAsync(const void *p, size_t bytes, int device, void *stream);
int cuMemPrefetchAsync_v2(
    const void *p, size_t bytes, struct cu_mem_location where, unsigned flags, void *stream);
int cuMemPrefetchBatchAsync(void *const *p, const size_t *bytes, size_t n,
    const struct cu_mem_location *place, const size_t *first, size_t n_place,
    unsigned long long flags, void *stream);
int cuMemcpy2DAsync_v2(const struct copy_2d *c, void *stream);
int cuMemcpy3DAsync_v2(const struct copy_3d *c, void *stream);
int cuMemcpy3DBatchAsync(size_t n, const struct cu_memcpy_3d_batch *list, size_t *failed,
    unsigned long long flags, void *stream);
int cuMemcpy3DBatchAsync_v2(
    size_t n, const struct cu_memcpy_3d_batch *list, unsigned long long flags, void *stream);
int cuMemcpy3DPeerAsync(const struct copy_3d *c, void *stream);
int cuMemcpyAsync(void *to, const void *from, size_t bytes, void *stream);
int cuMemcpyAtoA_v2(
    struct cu_array *to, size_t to_at, struct cu_array *from, size_t from_at, size_t bytes);
int cuMemcpyAtoD_v2(void *to, struct cu_array *from, size_t at, size_t bytes);
int cuMemcpyAtoHAsync_v2(void *to, struct cu_array *from, size_t at, size_t bytes, void *stream);
int cuMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *bytes, size_t n,
    const void *attribute, const size_t *attribute_index, size_t n_attribute, size_t *failed,
    void *stream);
int cuMemcpyBatchAsync_v2(void *const *to, const void *const *from, const size_t *bytes, size_t n,
    const void *attribute, const size_t *attribute_index, size_t n_attribute, void *stream);
int cuMemcpyDtoA_v2(struct cu_array *to, size_t at, const void *from, size_t bytes);
int cuMemcpyDtoDAsync_v2(void *to, const void *from, size_t bytes, void *stream);
int cuMemcpyDtoHAsync_v2(void *to, const void *from, size_t bytes, void *stream);
int
cuMemcpyHtoAAsync_v2(struct cu_array *to, size_t at, const void *from, size_t bytes, void *stream);
int cuMemcpyHtoDAsync_v2(void *to, const void *from, size_t bytes, void *stream);
int cuMemcpyPeerAsync(
    void *to, void *to_context, const void *from, void *from_context, size_t bytes, void *stream);
int cuMemsetD16Async(void *to, unsigned short value, size_t n, void *stream);
int cuMemsetD2D16Async(
    void *to, size_t pitch, unsigned short value, size_t width, size_t height, void *stream);
int cuMemsetD2D32Async(
    void *to, size_t pitch, unsigned value, size_t width, size_t height, void *stream);
int cuMemsetD2D8Async(
    void *to, size_t pitch, unsigned char value, size_t width, size_t height, void *stream);
int cuMemsetD32Async(void *to, unsigned value, size_t n, void *stream);
int cuMemsetD8Async(void *to, unsigned char value, size_t n, void *stream);
int cuStreamAddCallback(void *stream, cu_stream_callback *callback, void *arg, unsigned flags);
int cuStreamAttachMemAsync(void *stream, void *p, size_t bytes, unsigned flags);
int cuStreamBatchMemOp(void *stream, unsigned n, const struct memory_op *list, unsigned flags);
int cuStreamBatchMemOp_v2(void *stream, unsigned n, const struct memory_op *list, unsigned flags);
int cuStreamBeginCapture(void *stream);
int cuStreamBeginCaptureToGraph(
    void *stream, void *graph, void *const *before, const void *edges, size_t n, int mode);
int cuStreamBeginCapture_v2(void *stream, int mode);
int cuStreamCopyAttributes(void *to, void *from);
int cuStreamEndCapture(void *stream, void **graph);
int cuStreamGetAttribute(void *stream, int id, struct value *value);
int cuStreamGetCaptureInfo(void *stream, int *out, unsigned long long *id);
int cuStreamGetCaptureInfo_v2(
    void *stream, int *out, unsigned long long *id, void **graph, const void **before, size_t *n);
int cuStreamGetCaptureInfo_v3(void *stream, int *out, unsigned long long *id, void **graph,
    const void **before, const struct cu_graph_edge **edges, size_t *n);
int cuStreamGetCtx(void *stream, void **context);
int cuStreamGetCtx_v2(void *stream, void **context, void **green);
int cuStreamGetDevice(void *stream, int *device);
int cuStreamGetFlags(void *stream, unsigned *flags);
int cuStreamGetId(void *stream, unsigned long long *id);
int cuStreamGetPriority(void *stream, int *priority);
int cuStreamIsCapturing(void *stream, int *out);
int cuStreamQuery(void *stream);
int cuStreamSetAttribute(void *stream, int id, const struct value *value);
int cuStreamSynchronize(void *stream);
int cuStreamUpdateCaptureDependencies(void *stream, void **before, size_t n, unsigned flags);
int cuStreamUpdateCaptureDependencies_v2(
    void *stream, void **before, const void *edges, size_t n, unsigned flags);
int cuStreamWaitEvent(void *stream, void *event, unsigned flags);
int cuStreamWaitValue32(void *stream, void *at, uint32_t value, unsigned flags);
int cuStreamWaitValue32_v2(void *stream, void *at, uint32_t value, unsigned flags);
int cuStreamWaitValue64(void *stream, void *at, uint64_t value, unsigned flags);
int cuStreamWaitValue64_v2(void *stream, void *at, uint64_t value, unsigned flags);
int cuStreamWriteValue32(void *stream, void *at, uint32_t value, unsigned flags);
int cuStreamWriteValue32_v2(void *stream, void *at, uint32_t value, unsigned flags);
int cuStreamWriteValue64(void *stream, void *at, uint64_t value, unsigned flags);
int cuStreamWriteValue64_v2(void *stream, void *at, uint64_t value, unsigned flags);

#endif
