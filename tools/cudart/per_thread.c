/* The same calls for programs whose default stream is each thread's own (nvcc
 * --default-stream per-thread): no stream means that one. */
#include "calls.h"
#include "queue/queue.h"

void *
own_stream(void *stream)
{
	union {
		uintptr_t number;
		void *pointer;
	} per_thread = {2};
	return stream ? stream : per_thread.pointer;
}

API int
cudaMemcpy_ptds(void *to, const void *from, size_t bytes, int kind)
{
	return queue_finish(cudaMemcpyAsync(to, from, bytes, kind, own_stream(NULL)));
}

API int
cudaMemcpy2D_ptds(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
    size_t height, int kind)
{
	return queue_finish(cudaMemcpy2DAsync(
	    to, to_pitch, from, from_pitch, width, height, kind, own_stream(NULL)));
}

API int
cudaMemcpy2DArrayToArray_ptds(struct cu_array *to, size_t to_x, size_t to_y, struct cu_array *from,
    size_t from_x, size_t from_y, size_t width, size_t height, int kind)
{
	return cudaMemcpy2DArrayToArray(to, to_x, to_y, from, from_x, from_y, width, height, kind);
}

API int
cudaMemcpy2DFromArray_ptds(void *to, size_t pitch, struct cu_array *from, size_t x, size_t y,
    size_t width, size_t height, int kind)
{
	return queue_finish(cudaMemcpy2DFromArrayAsync(
	    to, pitch, from, x, y, width, height, kind, own_stream(NULL)));
}

API int
cudaMemcpy2DToArray_ptds(struct cu_array *to, size_t x, size_t y, const void *from, size_t pitch,
    size_t width, size_t height, int kind)
{
	return queue_finish(
	    cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, own_stream(NULL)));
}

API int
cudaMemcpy3D_ptds(const struct cu_memcpy_3d *p)
{
	return queue_finish(cudaMemcpy3DAsync(p, own_stream(NULL)));
}

API int
cudaMemcpy3DPeer_ptds(const struct cu_memcpy_3d_peer *p)
{
	return queue_finish(cudaMemcpy3DPeerAsync(p, own_stream(NULL)));
}

API int
cudaMemcpyFromArray_ptds(
    void *to, struct cu_array *from, size_t x, size_t y, size_t bytes, int kind)
{
	return queue_finish(
	    cudaMemcpyFromArrayAsync(to, from, x, y, bytes, kind, own_stream(NULL)));
}

API int
cudaMemcpyFromSymbol_ptds(void *to, const void *symbol, size_t bytes, size_t offset, int kind)
{
	return queue_finish(
	    cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, own_stream(NULL)));
}

API int
cudaMemcpyToArray_ptds(
    struct cu_array *to, size_t x, size_t y, const void *from, size_t bytes, int kind)
{
	return queue_finish(cudaMemcpyToArrayAsync(to, x, y, from, bytes, kind, own_stream(NULL)));
}

API int
cudaMemcpyToSymbol_ptds(const void *symbol, const void *from, size_t bytes, size_t offset, int kind)
{
	return queue_finish(
	    cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, own_stream(NULL)));
}

API int
cudaMemset_ptds(void *to, int value, size_t bytes)
{
	return set_finish(to, cudaMemsetAsync(to, value, bytes, own_stream(NULL)));
}

API int
cudaMemset2D_ptds(void *to, size_t pitch, int value, size_t width, size_t height)
{
	return set_finish(to, cudaMemset2DAsync(to, pitch, value, width, height, own_stream(NULL)));
}

API int
cudaMemset3D_ptds(struct cu_pitched_ptr to, int value, struct cu_extent x)
{
	return set_finish(to.ptr, cudaMemset3DAsync(to, value, x, own_stream(NULL)));
}

API int
cudaEventRecord_ptsz(void *event, void *stream)
{
	return cudaEventRecord(event, own_stream(stream));
}

API int
cudaEventRecordWithFlags_ptsz(void *event, void *stream, unsigned flags)
{
	return cudaEventRecordWithFlags(event, own_stream(stream), flags);
}

API int
cudaFreeAsync_ptsz(void *p, void *stream)
{
	return cudaFreeAsync(p, own_stream(stream));
}

API int
cudaGetDriverEntryPoint_ptsz(const char *name, void **out, unsigned long long flags, int *status)
{
	return cudaGetDriverEntryPoint(name, out, flags ? flags : 2, status);
}

API int
cudaGetDriverEntryPointByVersion_ptsz(
    const char *name, void **out, unsigned version, unsigned long long flags, int *status)
{
	return cudaGetDriverEntryPointByVersion(name, out, version, flags ? flags : 2, status);
}

API int
cudaGraphInstantiateWithParams_ptsz(void **out, void *graph, struct cu_instantiate_params *p)
{
	return cudaGraphInstantiateWithParams(out, graph, p);
}

API int
cudaGraphLaunch_ptsz(void *exec, void *stream)
{
	return cudaGraphLaunch(exec, own_stream(stream));
}

API int
cudaGraphUpload_ptsz(void *exec, void *stream)
{
	return cudaGraphUpload(exec, own_stream(stream));
}

API int
cudaLaunchCooperativeKernel_ptsz(const void *function, struct cu_dim3 grid, struct cu_dim3 block,
    void **args, size_t shared, void *stream)
{
	return cudaLaunchCooperativeKernel(function, grid, block, args, shared, own_stream(stream));
}

API int
cudaLaunchHostFunc_ptsz(void *stream, cu_host_fn *fn, void *arg)
{
	return cudaLaunchHostFunc(own_stream(stream), fn, arg);
}

API int
cudaLaunchKernel_ptsz(const void *function, struct cu_dim3 grid, struct cu_dim3 block, void **args,
    size_t shared, void *stream)
{
	return cudaLaunchKernel(function, grid, block, args, shared, own_stream(stream));
}

API int
cudaLaunchKernelExC_ptsz(const struct cu_launch_config *c, const void *function, void **args)
{
	if (!c)
		return rt_latch(CU_INVALID_VALUE);
	struct cu_launch_config own = *c;
	own.stream = own_stream(c->stream);
	return cudaLaunchKernelExC(&own, function, args);
}

API int
cudaMallocAsync_ptsz(void **out, size_t bytes, void *stream)
{
	return cudaMallocAsync(out, bytes, own_stream(stream));
}

API int
cudaMallocFromPoolAsync_ptsz(void **out, size_t bytes, void *pool, void *stream)
{
	return cudaMallocFromPoolAsync(out, bytes, pool, own_stream(stream));
}

API int
cudaMemPrefetchAsync_ptsz(
    const void *p, size_t bytes, struct cu_mem_location where, unsigned flags, void *stream)
{
	return cudaMemPrefetchAsync(p, bytes, where, flags, own_stream(stream));
}

API int
cudaMemcpy2DAsync_ptsz(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
    size_t height, int kind, void *stream)
{
	return cudaMemcpy2DAsync(
	    to, to_pitch, from, from_pitch, width, height, kind, own_stream(stream));
}

API int
cudaMemcpy2DFromArrayAsync_ptsz(void *to, size_t pitch, struct cu_array *from, size_t x, size_t y,
    size_t width, size_t height, int kind, void *stream)
{
	return cudaMemcpy2DFromArrayAsync(
	    to, pitch, from, x, y, width, height, kind, own_stream(stream));
}

API int
cudaMemcpy2DToArrayAsync_ptsz(struct cu_array *to, size_t x, size_t y, const void *from,
    size_t pitch, size_t width, size_t height, int kind, void *stream)
{
	return cudaMemcpy2DToArrayAsync(
	    to, x, y, from, pitch, width, height, kind, own_stream(stream));
}

API int
cudaMemcpy3DAsync_ptsz(const struct cu_memcpy_3d *p, void *stream)
{
	return cudaMemcpy3DAsync(p, own_stream(stream));
}

API int
cudaMemcpy3DPeerAsync_ptsz(const struct cu_memcpy_3d_peer *p, void *stream)
{
	return cudaMemcpy3DPeerAsync(p, own_stream(stream));
}

API int
cudaMemcpyAsync_ptsz(void *to, const void *from, size_t bytes, int kind, void *stream)
{
	return cudaMemcpyAsync(to, from, bytes, kind, own_stream(stream));
}

API int
cudaMemcpyBatchAsync_ptsz(void *const *to, const void *const *from, const size_t *bytes, size_t n,
    const void *attribute, const size_t *attribute_index, size_t n_attribute, void *stream)
{
	return cudaMemcpyBatchAsync(
	    to, from, bytes, n, attribute, attribute_index, n_attribute, own_stream(stream));
}

API int
cudaMemcpy3DBatchAsync_ptsz(
    size_t n, const struct cu_memcpy_3d_batch *list, unsigned long long flags, void *stream)
{
	return cudaMemcpy3DBatchAsync(n, list, flags, own_stream(stream));
}

API int
cudaMemPrefetchBatchAsync_ptsz(void *const *p, const size_t *bytes, size_t n,
    const struct cu_mem_location *place, const size_t *first, size_t n_place,
    unsigned long long flags, void *stream)
{
	return cudaMemPrefetchBatchAsync(
	    p, bytes, n, place, first, n_place, flags, own_stream(stream));
}

API int
cudaMemDiscardBatchAsync_ptsz(
    void *const *p, const size_t *bytes, size_t n, unsigned long long flags, void *stream)
{
	return cudaMemDiscardBatchAsync(p, bytes, n, flags, own_stream(stream));
}

API int
cudaMemDiscardAndPrefetchBatchAsync_ptsz(void *const *p, const size_t *bytes, size_t n,
    const struct cu_mem_location *place, const size_t *first, size_t n_place,
    unsigned long long flags, void *stream)
{
	return cudaMemDiscardAndPrefetchBatchAsync(
	    p, bytes, n, place, first, n_place, flags, own_stream(stream));
}

API int
cudaMemcpyFromArrayAsync_ptsz(
    void *to, struct cu_array *from, size_t x, size_t y, size_t bytes, int kind, void *stream)
{
	return cudaMemcpyFromArrayAsync(to, from, x, y, bytes, kind, own_stream(stream));
}

API int
cudaMemcpyFromSymbolAsync_ptsz(
    void *to, const void *symbol, size_t bytes, size_t offset, int kind, void *stream)
{
	return cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, own_stream(stream));
}

API int
cudaMemcpyToArrayAsync_ptsz(
    struct cu_array *to, size_t x, size_t y, const void *from, size_t bytes, int kind, void *stream)
{
	return cudaMemcpyToArrayAsync(to, x, y, from, bytes, kind, own_stream(stream));
}

API int
cudaMemcpyToSymbolAsync_ptsz(
    const void *symbol, const void *from, size_t bytes, size_t offset, int kind, void *stream)
{
	return cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, own_stream(stream));
}

API int
cudaMemset2DAsync_ptsz(void *to, size_t pitch, int value, size_t width, size_t height, void *stream)
{
	return cudaMemset2DAsync(to, pitch, value, width, height, own_stream(stream));
}

API int
cudaMemset3DAsync_ptsz(struct cu_pitched_ptr to, int value, struct cu_extent x, void *stream)
{
	return cudaMemset3DAsync(to, value, x, own_stream(stream));
}

API int
cudaMemsetAsync_ptsz(void *to, int value, size_t bytes, void *stream)
{
	return cudaMemsetAsync(to, value, bytes, own_stream(stream));
}

API int
cudaStreamAddCallback_ptsz(void *stream, cu_stream_callback *callback, void *arg, unsigned flags)
{
	return cudaStreamAddCallback(own_stream(stream), callback, arg, flags);
}

API int
cudaStreamAttachMemAsync_ptsz(void *stream, void *p, size_t bytes, unsigned flags)
{
	return cudaStreamAttachMemAsync(own_stream(stream), p, bytes, flags);
}

API int
cudaStreamBeginCapture_ptsz(void *stream, int mode)
{
	return cudaStreamBeginCapture(own_stream(stream), mode);
}

API int
cudaStreamBeginCaptureToGraph_ptsz(
    void *stream, void *graph, void *const *before, const void *edges, size_t n, int mode)
{
	return cudaStreamBeginCaptureToGraph(own_stream(stream), graph, before, edges, n, mode);
}

API int
cudaStreamCopyAttributes_ptsz(void *to, void *from)
{
	return cudaStreamCopyAttributes(own_stream(to), own_stream(from));
}

API int
cudaStreamEndCapture_ptsz(void *stream, void **graph)
{
	return cudaStreamEndCapture(own_stream(stream), graph);
}

API int
cudaStreamGetAttribute_ptsz(void *stream, int id, struct value *value)
{
	return cudaStreamGetAttribute(own_stream(stream), id, value);
}

API int
cudaStreamGetCaptureInfo_ptsz(void *stream, int *out, unsigned long long *id, void **graph,
    const void **before, const struct cu_graph_edge **edges, size_t *n)
{
	return cudaStreamGetCaptureInfo(own_stream(stream), out, id, graph, before, edges, n);
}

API int
cudaStreamGetDevice_ptsz(void *stream, int *device)
{
	return cudaStreamGetDevice(own_stream(stream), device);
}

API int
cudaStreamGetFlags_ptsz(void *stream, unsigned *flags)
{
	return cudaStreamGetFlags(own_stream(stream), flags);
}

API int
cudaStreamGetId_ptsz(void *stream, unsigned long long *id)
{
	return cudaStreamGetId(own_stream(stream), id);
}

API int
cudaStreamGetPriority_ptsz(void *stream, int *priority)
{
	return cudaStreamGetPriority(own_stream(stream), priority);
}

API int
cudaStreamIsCapturing_ptsz(void *stream, int *out)
{
	return cudaStreamIsCapturing(own_stream(stream), out);
}

API int
cudaStreamQuery_ptsz(void *stream)
{
	return cudaStreamQuery(own_stream(stream));
}

API int
cudaStreamSetAttribute_ptsz(void *stream, int id, const struct value *value)
{
	return cudaStreamSetAttribute(own_stream(stream), id, value);
}

API int
cudaStreamSynchronize_ptsz(void *stream)
{
	return cudaStreamSynchronize(own_stream(stream));
}

API int
cudaStreamUpdateCaptureDependencies_ptsz(
    void *stream, void **before, const void *edges, size_t n, unsigned flags)
{
	return cudaStreamUpdateCaptureDependencies(own_stream(stream), before, edges, n, flags);
}

API int
cudaStreamWaitEvent_ptsz(void *stream, void *event, unsigned flags)
{
	return cudaStreamWaitEvent(own_stream(stream), event, flags);
}

API int
__cudaLaunchKernel_ptsz(void *kernel, struct cu_dim3 grid, struct cu_dim3 block, void **args,
    size_t shared, void *stream)
{
	return __cudaLaunchKernel(kernel, grid, block, args, shared, own_stream(stream));
}
