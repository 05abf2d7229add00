/* The driver's calls for programs whose default stream is each thread's own: no stream means that
 * one. */
#include "driver/functions.h"
#include "queue/queue.h"

API int
cuEventRecordWithFlags_ptsz(void *event, void *stream, unsigned flags)
{
	return cuEventRecordWithFlags(event, own_stream(stream), flags);
}

API int
cuEventRecord_ptsz(void *event, void *stream)
{
	return cuEventRecord(event, own_stream(stream));
}

API int
cuGraphInstantiateWithParams_ptsz(void **out, void *graph, struct cu_instantiate_params *p)
{
	return cuGraphInstantiateWithParams(out, graph, p);
}

API int
cuGraphLaunch_ptsz(void *exec, void *stream)
{
	return cuGraphLaunch(exec, own_stream(stream));
}

API int
cuGraphUpload_ptsz(void *exec, void *stream)
{
	return cuGraphUpload(exec, own_stream(stream));
}

API int
cuLaunchCooperativeKernel_ptsz(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
    unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, void *stream,
    void **args)
{
	return cuLaunchCooperativeKernel(function, grid_x, grid_y, grid_z, block_x, block_y,
	    block_z, shared, own_stream(stream), args);
}

API int
cuLaunchHostFunc_ptsz(void *stream, cu_host_fn *fn, void *arg)
{
	return cuLaunchHostFunc(own_stream(stream), fn, arg);
}

API int
cuLaunchKernelEx_ptsz(
    const struct driver_launch_config *d, void *function, void **args, void **extra)
{
	if (!d)
		return CU_INVALID_VALUE;
	struct driver_launch_config own = *d;
	own.stream = own_stream(d->stream);
	return cuLaunchKernelEx(&own, function, args, extra);
}

API int
cuLaunchKernel_ptsz(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
    unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, void *stream,
    void **args, void **extra)
{
	return cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared,
	    own_stream(stream), args, extra);
}

API int
cuMemAllocAsync_ptsz(void **p, size_t bytes, void *stream)
{
	return cuMemAllocAsync(p, bytes, own_stream(stream));
}

API int
cuMemAllocFromPoolAsync_ptsz(void **p, size_t bytes, void *pool, void *stream)
{
	return cuMemAllocFromPoolAsync(p, bytes, pool, own_stream(stream));
}

API int
cuMemDiscardAndPrefetchBatchAsync_ptsz(void *const *p, const size_t *bytes, size_t n,
    const struct cu_mem_location *place, const size_t *first, size_t n_place,
    unsigned long long flags, void *stream)
{
	return cuMemDiscardAndPrefetchBatchAsync(
	    p, bytes, n, place, first, n_place, flags, own_stream(stream));
}

API int
cuMemDiscardBatchAsync_ptsz(
    void *const *p, const size_t *bytes, size_t n, unsigned long long flags, void *stream)
{
	return cuMemDiscardBatchAsync(p, bytes, n, flags, own_stream(stream));
}

API int
cuMemFreeAsync_ptsz(void *p, void *stream)
{
	return cuMemFreeAsync(p, own_stream(stream));
}

API int
cuMemPrefetchAsync_ptsz(const void *p, size_t bytes, int device, void *stream)
{
	return cuMemPrefetchAsync(p, bytes, device, own_stream(stream));
}

API int
cuMemPrefetchAsync_v2_ptsz(
    const void *p, size_t bytes, struct cu_mem_location where, unsigned flags, void *stream)
{
	return cuMemPrefetchAsync_v2(p, bytes, where, flags, own_stream(stream));
}

API int
cuMemPrefetchBatchAsync_ptsz(void *const *p, const size_t *bytes, size_t n,
    const struct cu_mem_location *place, const size_t *first, size_t n_place,
    unsigned long long flags, void *stream)
{
	return cuMemPrefetchBatchAsync(
	    p, bytes, n, place, first, n_place, flags, own_stream(stream));
}

API int
cuMemcpy2DAsync_v2_ptsz(const struct copy_2d *c, void *stream)
{
	return cuMemcpy2DAsync_v2(c, own_stream(stream));
}

API int
cuMemcpy2DUnaligned_v2_ptds(const struct copy_2d *c)
{
	return queue_finish(cuMemcpy2DAsync_v2(c, own_stream(NULL)));
}

API int
cuMemcpy2D_v2_ptds(const struct copy_2d *c)
{
	return queue_finish(cuMemcpy2DAsync_v2(c, own_stream(NULL)));
}

API int
cuMemcpy3DAsync_v2_ptsz(const struct copy_3d *c, void *stream)
{
	return cuMemcpy3DAsync_v2(c, own_stream(stream));
}

API int
cuMemcpy3DBatchAsync_ptsz(size_t n, const struct cu_memcpy_3d_batch *list, size_t *failed,
    unsigned long long flags, void *stream)
{
	return cuMemcpy3DBatchAsync(n, list, failed, flags, own_stream(stream));
}

API int
cuMemcpy3DBatchAsync_v2_ptsz(
    size_t n, const struct cu_memcpy_3d_batch *list, unsigned long long flags, void *stream)
{
	return cuMemcpy3DBatchAsync_v2(n, list, flags, own_stream(stream));
}

API int
cuMemcpy3DPeerAsync_ptsz(const struct copy_3d *c, void *stream)
{
	return cuMemcpy3DPeerAsync(c, own_stream(stream));
}

API int
cuMemcpy3DPeer_ptds(const struct copy_3d *c)
{
	return queue_finish(cuMemcpy3DPeerAsync(c, own_stream(NULL)));
}

API int
cuMemcpy3D_v2_ptds(const struct copy_3d *c)
{
	return queue_finish(cuMemcpy3DAsync_v2(c, own_stream(NULL)));
}

API int
cuMemcpyAsync_ptsz(void *to, const void *from, size_t bytes, void *stream)
{
	return cuMemcpyAsync(to, from, bytes, own_stream(stream));
}

API int
cuMemcpyAtoA_v2_ptds(
    struct cu_array *to, size_t to_at, struct cu_array *from, size_t from_at, size_t bytes)
{
	return cuMemcpyAtoA_v2(to, to_at, from, from_at, bytes);
}

API int
cuMemcpyAtoD_v2_ptds(void *to, struct cu_array *from, size_t at, size_t bytes)
{
	return cuMemcpyAtoD_v2(to, from, at, bytes);
}

API int
cuMemcpyAtoHAsync_v2_ptsz(void *to, struct cu_array *from, size_t at, size_t bytes, void *stream)
{
	return cuMemcpyAtoHAsync_v2(to, from, at, bytes, own_stream(stream));
}

API int
cuMemcpyAtoH_v2_ptds(void *to, struct cu_array *from, size_t at, size_t bytes)
{
	return queue_finish(cuMemcpyAtoHAsync_v2(to, from, at, bytes, own_stream(NULL)));
}

API int
cuMemcpyBatchAsync_ptsz(void *const *to, const void *const *from, const size_t *bytes, size_t n,
    const void *attribute, const size_t *attribute_index, size_t n_attribute, size_t *failed,
    void *stream)
{
	return cuMemcpyBatchAsync(to, from, bytes, n, attribute, attribute_index, n_attribute,
	    failed, own_stream(stream));
}

API int
cuMemcpyBatchAsync_v2_ptsz(void *const *to, const void *const *from, const size_t *bytes, size_t n,
    const void *attribute, const size_t *attribute_index, size_t n_attribute, void *stream)
{
	return cuMemcpyBatchAsync_v2(
	    to, from, bytes, n, attribute, attribute_index, n_attribute, own_stream(stream));
}

API int
cuMemcpyDtoA_v2_ptds(struct cu_array *to, size_t at, const void *from, size_t bytes)
{
	return cuMemcpyDtoA_v2(to, at, from, bytes);
}

API int
cuMemcpyDtoDAsync_v2_ptsz(void *to, const void *from, size_t bytes, void *stream)
{
	return cuMemcpyDtoDAsync_v2(to, from, bytes, own_stream(stream));
}

API int
cuMemcpyDtoD_v2_ptds(void *to, const void *from, size_t bytes)
{
	return queue_finish(cuMemcpyDtoDAsync_v2(to, from, bytes, own_stream(NULL)));
}

API int
cuMemcpyDtoHAsync_v2_ptsz(void *to, const void *from, size_t bytes, void *stream)
{
	return cuMemcpyDtoHAsync_v2(to, from, bytes, own_stream(stream));
}

API int
cuMemcpyDtoH_v2_ptds(void *to, const void *from, size_t bytes)
{
	return queue_finish(cuMemcpyDtoHAsync_v2(to, from, bytes, own_stream(NULL)));
}

API int
cuMemcpyHtoAAsync_v2_ptsz(
    struct cu_array *to, size_t at, const void *from, size_t bytes, void *stream)
{
	return cuMemcpyHtoAAsync_v2(to, at, from, bytes, own_stream(stream));
}

API int
cuMemcpyHtoA_v2_ptds(struct cu_array *to, size_t at, const void *from, size_t bytes)
{
	return queue_finish(cuMemcpyHtoAAsync_v2(to, at, from, bytes, own_stream(NULL)));
}

API int
cuMemcpyHtoDAsync_v2_ptsz(void *to, const void *from, size_t bytes, void *stream)
{
	return cuMemcpyHtoDAsync_v2(to, from, bytes, own_stream(stream));
}

API int
cuMemcpyHtoD_v2_ptds(void *to, const void *from, size_t bytes)
{
	return queue_finish(cuMemcpyHtoDAsync_v2(to, from, bytes, own_stream(NULL)));
}

API int
cuMemcpyPeerAsync_ptsz(
    void *to, void *to_context, const void *from, void *from_context, size_t bytes, void *stream)
{
	return cuMemcpyPeerAsync(to, to_context, from, from_context, bytes, own_stream(stream));
}

API int
cuMemcpyPeer_ptds(void *to, void *to_context, const void *from, void *from_context, size_t bytes)
{
	return queue_finish(
	    cuMemcpyPeerAsync(to, to_context, from, from_context, bytes, own_stream(NULL)));
}

API int
cuMemcpy_ptds(void *to, const void *from, size_t bytes)
{
	return queue_finish(cuMemcpyAsync(to, from, bytes, own_stream(NULL)));
}

API int
cuMemsetD16Async_ptsz(void *to, unsigned short value, size_t n, void *stream)
{
	return cuMemsetD16Async(to, value, n, own_stream(stream));
}

API int
cuMemsetD16_v2_ptds(void *to, unsigned short value, size_t n)
{
	return set_finish(to, cuMemsetD16Async(to, value, n, own_stream(NULL)));
}

API int
cuMemsetD2D16Async_ptsz(
    void *to, size_t pitch, unsigned short value, size_t width, size_t height, void *stream)
{
	return cuMemsetD2D16Async(to, pitch, value, width, height, own_stream(stream));
}

API int
cuMemsetD2D16_v2_ptds(void *to, size_t pitch, unsigned short value, size_t width, size_t height)
{
	return set_finish(
	    to, cuMemsetD2D16Async(to, pitch, value, width, height, own_stream(NULL)));
}

API int
cuMemsetD2D32Async_ptsz(
    void *to, size_t pitch, unsigned value, size_t width, size_t height, void *stream)
{
	return cuMemsetD2D32Async(to, pitch, value, width, height, own_stream(stream));
}

API int
cuMemsetD2D32_v2_ptds(void *to, size_t pitch, unsigned value, size_t width, size_t height)
{
	return set_finish(
	    to, cuMemsetD2D32Async(to, pitch, value, width, height, own_stream(NULL)));
}

API int
cuMemsetD2D8Async_ptsz(
    void *to, size_t pitch, unsigned char value, size_t width, size_t height, void *stream)
{
	return cuMemsetD2D8Async(to, pitch, value, width, height, own_stream(stream));
}

API int
cuMemsetD2D8_v2_ptds(void *to, size_t pitch, unsigned char value, size_t width, size_t height)
{
	return set_finish(to, cuMemsetD2D8Async(to, pitch, value, width, height, own_stream(NULL)));
}

API int
cuMemsetD32Async_ptsz(void *to, unsigned value, size_t n, void *stream)
{
	return cuMemsetD32Async(to, value, n, own_stream(stream));
}

API int
cuMemsetD32_v2_ptds(void *to, unsigned value, size_t n)
{
	return set_finish(to, cuMemsetD32Async(to, value, n, own_stream(NULL)));
}

API int
cuMemsetD8Async_ptsz(void *to, unsigned char value, size_t n, void *stream)
{
	return cuMemsetD8Async(to, value, n, own_stream(stream));
}

API int
cuMemsetD8_v2_ptds(void *to, unsigned char value, size_t n)
{
	return set_finish(to, cuMemsetD8Async(to, value, n, own_stream(NULL)));
}

API int
cuStreamAddCallback_ptsz(void *stream, cu_stream_callback *callback, void *arg, unsigned flags)
{
	return cuStreamAddCallback(own_stream(stream), callback, arg, flags);
}

API int
cuStreamAttachMemAsync_ptsz(void *stream, void *p, size_t bytes, unsigned flags)
{
	return cuStreamAttachMemAsync(own_stream(stream), p, bytes, flags);
}

API int
cuStreamBatchMemOp_ptsz(void *stream, unsigned n, const struct memory_op *list, unsigned flags)
{
	return cuStreamBatchMemOp(own_stream(stream), n, list, flags);
}

API int
cuStreamBatchMemOp_v2_ptsz(void *stream, unsigned n, const struct memory_op *list, unsigned flags)
{
	return cuStreamBatchMemOp_v2(own_stream(stream), n, list, flags);
}

API int
cuStreamBeginCaptureToGraph_ptsz(
    void *stream, void *graph, void *const *before, const void *edges, size_t n, int mode)
{
	return cuStreamBeginCaptureToGraph(own_stream(stream), graph, before, edges, n, mode);
}

API int
cuStreamBeginCapture_ptsz(void *stream)
{
	return cuStreamBeginCapture(own_stream(stream));
}

API int
cuStreamBeginCapture_v2_ptsz(void *stream, int mode)
{
	return cuStreamBeginCapture_v2(own_stream(stream), mode);
}

API int
cuStreamCopyAttributes_ptsz(void *to, void *from)
{
	return cuStreamCopyAttributes(own_stream(to), own_stream(from));
}

API int
cuStreamEndCapture_ptsz(void *stream, void **graph)
{
	return cuStreamEndCapture(own_stream(stream), graph);
}

API int
cuStreamGetAttribute_ptsz(void *stream, int id, struct value *value)
{
	return cuStreamGetAttribute(own_stream(stream), id, value);
}

API int
cuStreamGetCaptureInfo_ptsz(void *stream, int *out, unsigned long long *id)
{
	return cuStreamGetCaptureInfo(own_stream(stream), out, id);
}

API int
cuStreamGetCaptureInfo_v2_ptsz(
    void *stream, int *out, unsigned long long *id, void **graph, const void **before, size_t *n)
{
	return cuStreamGetCaptureInfo_v2(own_stream(stream), out, id, graph, before, n);
}

API int
cuStreamGetCaptureInfo_v3_ptsz(void *stream, int *out, unsigned long long *id, void **graph,
    const void **before, const struct cu_graph_edge **edges, size_t *n)
{
	return cuStreamGetCaptureInfo_v3(own_stream(stream), out, id, graph, before, edges, n);
}

API int
cuStreamGetCtx_ptsz(void *stream, void **context)
{
	return cuStreamGetCtx(own_stream(stream), context);
}

API int
cuStreamGetCtx_v2_ptsz(void *stream, void **context, void **green)
{
	return cuStreamGetCtx_v2(own_stream(stream), context, green);
}

API int
cuStreamGetDevice_ptsz(void *stream, int *device)
{
	return cuStreamGetDevice(own_stream(stream), device);
}

API int
cuStreamGetFlags_ptsz(void *stream, unsigned *flags)
{
	return cuStreamGetFlags(own_stream(stream), flags);
}

API int
cuStreamGetId_ptsz(void *stream, unsigned long long *id)
{
	return cuStreamGetId(own_stream(stream), id);
}

API int
cuStreamGetPriority_ptsz(void *stream, int *priority)
{
	return cuStreamGetPriority(own_stream(stream), priority);
}

API int
cuStreamIsCapturing_ptsz(void *stream, int *out)
{
	return cuStreamIsCapturing(own_stream(stream), out);
}

API int
cuStreamQuery_ptsz(void *stream)
{
	return cuStreamQuery(own_stream(stream));
}

API int
cuStreamSetAttribute_ptsz(void *stream, int id, const struct value *value)
{
	return cuStreamSetAttribute(own_stream(stream), id, value);
}

API int
cuStreamSynchronize_ptsz(void *stream)
{
	return cuStreamSynchronize(own_stream(stream));
}

API int
cuStreamUpdateCaptureDependencies_ptsz(void *stream, void **before, size_t n, unsigned flags)
{
	return cuStreamUpdateCaptureDependencies(own_stream(stream), before, n, flags);
}

API int
cuStreamUpdateCaptureDependencies_v2_ptsz(
    void *stream, void **before, const void *edges, size_t n, unsigned flags)
{
	return cuStreamUpdateCaptureDependencies_v2(own_stream(stream), before, edges, n, flags);
}

API int
cuStreamWaitEvent_ptsz(void *stream, void *event, unsigned flags)
{
	return cuStreamWaitEvent(own_stream(stream), event, flags);
}

API int
cuStreamWaitValue32_ptsz(void *stream, void *at, uint32_t value, unsigned flags)
{
	return cuStreamWaitValue32(own_stream(stream), at, value, flags);
}

API int
cuStreamWaitValue32_v2_ptsz(void *stream, void *at, uint32_t value, unsigned flags)
{
	return cuStreamWaitValue32_v2(own_stream(stream), at, value, flags);
}

API int
cuStreamWaitValue64_ptsz(void *stream, void *at, uint64_t value, unsigned flags)
{
	return cuStreamWaitValue64(own_stream(stream), at, value, flags);
}

API int
cuStreamWaitValue64_v2_ptsz(void *stream, void *at, uint64_t value, unsigned flags)
{
	return cuStreamWaitValue64_v2(own_stream(stream), at, value, flags);
}

API int
cuStreamWriteValue32_ptsz(void *stream, void *at, uint32_t value, unsigned flags)
{
	return cuStreamWriteValue32(own_stream(stream), at, value, flags);
}

API int
cuStreamWriteValue32_v2_ptsz(void *stream, void *at, uint32_t value, unsigned flags)
{
	return cuStreamWriteValue32_v2(own_stream(stream), at, value, flags);
}

API int
cuStreamWriteValue64_ptsz(void *stream, void *at, uint64_t value, unsigned flags)
{
	return cuStreamWriteValue64(own_stream(stream), at, value, flags);
}

API int
cuStreamWriteValue64_v2_ptsz(void *stream, void *at, uint64_t value, unsigned flags)
{
	return cuStreamWriteValue64_v2(own_stream(stream), at, value, flags);
}
