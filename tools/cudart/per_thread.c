/* The same calls for programs whose default stream is each thread's own (nvcc
 * --default-stream per-thread): no stream means that one. */
#include "calls.h"
#include "queue/queue.h"

static void *
own(void *stream)
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
	return queue_finish(cudaMemcpyAsync(to, from, bytes, kind, own(NULL)));
}

API int
cudaMemcpy2D_ptds(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
    size_t height, int kind)
{
	return queue_finish(
	    cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, own(NULL)));
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
	return queue_finish(
	    cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind, own(NULL)));
}

API int
cudaMemcpy2DToArray_ptds(struct cu_array *to, size_t x, size_t y, const void *from, size_t pitch,
    size_t width, size_t height, int kind)
{
	return queue_finish(
	    cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, own(NULL)));
}

API int
cudaMemcpy3D_ptds(const struct cu_memcpy_3d *p)
{
	return queue_finish(cudaMemcpy3DAsync(p, own(NULL)));
}

API int
cudaMemcpy3DPeer_ptds(const struct cu_memcpy_3d_peer *p)
{
	return queue_finish(cudaMemcpy3DPeerAsync(p, own(NULL)));
}

API int
cudaMemcpyFromArray_ptds(
    void *to, struct cu_array *from, size_t x, size_t y, size_t bytes, int kind)
{
	return queue_finish(cudaMemcpyFromArrayAsync(to, from, x, y, bytes, kind, own(NULL)));
}

API int
cudaMemcpyFromSymbol_ptds(void *to, const void *symbol, size_t bytes, size_t offset, int kind)
{
	return queue_finish(cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, own(NULL)));
}

API int
cudaMemcpyToArray_ptds(
    struct cu_array *to, size_t x, size_t y, const void *from, size_t bytes, int kind)
{
	return queue_finish(cudaMemcpyToArrayAsync(to, x, y, from, bytes, kind, own(NULL)));
}

API int
cudaMemcpyToSymbol_ptds(const void *symbol, const void *from, size_t bytes, size_t offset, int kind)
{
	return queue_finish(cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, own(NULL)));
}

API int
cudaMemset_ptds(void *to, int value, size_t bytes)
{
	return set_finish(to, cudaMemsetAsync(to, value, bytes, own(NULL)));
}

API int
cudaMemset2D_ptds(void *to, size_t pitch, int value, size_t width, size_t height)
{
	return set_finish(to, cudaMemset2DAsync(to, pitch, value, width, height, own(NULL)));
}

API int
cudaMemset3D_ptds(struct cu_pitched_ptr to, int value, struct cu_extent x)
{
	return set_finish(to.ptr, cudaMemset3DAsync(to, value, x, own(NULL)));
}

API int
cudaEventRecord_ptsz(void *event, void *stream)
{
	return cudaEventRecord(event, own(stream));
}

API int
cudaEventRecordWithFlags_ptsz(void *event, void *stream, unsigned flags)
{
	return cudaEventRecordWithFlags(event, own(stream), flags);
}

API int
cudaFreeAsync_ptsz(void *p, void *stream)
{
	return cudaFreeAsync(p, own(stream));
}

API int
cudaGetDriverEntryPoint_ptsz(const char *name, void **out, unsigned long long flags, int *status)
{
	return cudaGetDriverEntryPoint(name, out, flags, status);
}

API int
cudaGetDriverEntryPointByVersion_ptsz(
    const char *name, void **out, unsigned version, unsigned long long flags, int *status)
{
	return cudaGetDriverEntryPointByVersion(name, out, version, flags, status);
}

API int
cudaGraphInstantiateWithParams_ptsz(void **out, void *graph, struct cu_instantiate_params *p)
{
	return cudaGraphInstantiateWithParams(out, graph, p);
}

API int
cudaGraphLaunch_ptsz(void *exec, void *stream)
{
	return cudaGraphLaunch(exec, own(stream));
}

API int
cudaGraphUpload_ptsz(void *exec, void *stream)
{
	return cudaGraphUpload(exec, own(stream));
}

API int
cudaLaunchCooperativeKernel_ptsz(const void *function, struct cu_dim3 grid, struct cu_dim3 block,
    void **args, size_t shared, void *stream)
{
	return cudaLaunchCooperativeKernel(function, grid, block, args, shared, own(stream));
}

API int
cudaLaunchHostFunc_ptsz(void *stream, cu_host_fn *fn, void *arg)
{
	return cudaLaunchHostFunc(own(stream), fn, arg);
}

API int
cudaLaunchKernel_ptsz(const void *function, struct cu_dim3 grid, struct cu_dim3 block, void **args,
    size_t shared, void *stream)
{
	return cudaLaunchKernel(function, grid, block, args, shared, own(stream));
}

API int
cudaLaunchKernelExC_ptsz(const struct cu_launch_config *c, const void *function, void **args)
{
	if (!c)
		return rt_latch(CU_INVALID_VALUE);
	struct cu_launch_config own_stream = *c;
	own_stream.stream = own(c->stream);
	return cudaLaunchKernelExC(&own_stream, function, args);
}

API int
cudaMallocAsync_ptsz(void **out, size_t bytes, void *stream)
{
	return cudaMallocAsync(out, bytes, own(stream));
}

API int
cudaMallocFromPoolAsync_ptsz(void **out, size_t bytes, void *pool, void *stream)
{
	return cudaMallocFromPoolAsync(out, bytes, pool, own(stream));
}

API int
cudaMemPrefetchAsync_ptsz(
    const void *p, size_t bytes, struct cu_mem_location where, unsigned flags, void *stream)
{
	return cudaMemPrefetchAsync(p, bytes, where, flags, own(stream));
}

API int
cudaMemcpy2DAsync_ptsz(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
    size_t height, int kind, void *stream)
{
	return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, own(stream));
}

API int
cudaMemcpy2DFromArrayAsync_ptsz(void *to, size_t pitch, struct cu_array *from, size_t x, size_t y,
    size_t width, size_t height, int kind, void *stream)
{
	return cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind, own(stream));
}

API int
cudaMemcpy2DToArrayAsync_ptsz(struct cu_array *to, size_t x, size_t y, const void *from,
    size_t pitch, size_t width, size_t height, int kind, void *stream)
{
	return cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, own(stream));
}

API int
cudaMemcpy3DAsync_ptsz(const struct cu_memcpy_3d *p, void *stream)
{
	return cudaMemcpy3DAsync(p, own(stream));
}

API int
cudaMemcpy3DPeerAsync_ptsz(const struct cu_memcpy_3d_peer *p, void *stream)
{
	return cudaMemcpy3DPeerAsync(p, own(stream));
}

API int
cudaMemcpyAsync_ptsz(void *to, const void *from, size_t bytes, int kind, void *stream)
{
	return cudaMemcpyAsync(to, from, bytes, kind, own(stream));
}

API int
cudaMemcpyBatchAsync_ptsz(void *const *to, const void *const *from, const size_t *bytes, size_t n,
    const void *attribute, const size_t *attribute_index, size_t n_attribute, void *stream)
{
	return cudaMemcpyBatchAsync(
	    to, from, bytes, n, attribute, attribute_index, n_attribute, own(stream));
}

API int
cudaMemcpyFromArrayAsync_ptsz(
    void *to, struct cu_array *from, size_t x, size_t y, size_t bytes, int kind, void *stream)
{
	return cudaMemcpyFromArrayAsync(to, from, x, y, bytes, kind, own(stream));
}

API int
cudaMemcpyFromSymbolAsync_ptsz(
    void *to, const void *symbol, size_t bytes, size_t offset, int kind, void *stream)
{
	return cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, own(stream));
}

API int
cudaMemcpyToArrayAsync_ptsz(
    struct cu_array *to, size_t x, size_t y, const void *from, size_t bytes, int kind, void *stream)
{
	return cudaMemcpyToArrayAsync(to, x, y, from, bytes, kind, own(stream));
}

API int
cudaMemcpyToSymbolAsync_ptsz(
    const void *symbol, const void *from, size_t bytes, size_t offset, int kind, void *stream)
{
	return cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, own(stream));
}

API int
cudaMemset2DAsync_ptsz(void *to, size_t pitch, int value, size_t width, size_t height, void *stream)
{
	return cudaMemset2DAsync(to, pitch, value, width, height, own(stream));
}

API int
cudaMemset3DAsync_ptsz(struct cu_pitched_ptr to, int value, struct cu_extent x, void *stream)
{
	return cudaMemset3DAsync(to, value, x, own(stream));
}

API int
cudaMemsetAsync_ptsz(void *to, int value, size_t bytes, void *stream)
{
	return cudaMemsetAsync(to, value, bytes, own(stream));
}

API int
cudaStreamAddCallback_ptsz(void *stream, cu_stream_callback *callback, void *arg, unsigned flags)
{
	return cudaStreamAddCallback(own(stream), callback, arg, flags);
}

API int
cudaStreamAttachMemAsync_ptsz(void *stream, void *p, size_t bytes, unsigned flags)
{
	return cudaStreamAttachMemAsync(own(stream), p, bytes, flags);
}

API int
cudaStreamBeginCapture_ptsz(void *stream, int mode)
{
	return cudaStreamBeginCapture(own(stream), mode);
}

API int
cudaStreamBeginCaptureToGraph_ptsz(
    void *stream, void *graph, void *const *before, const void *edges, size_t n, int mode)
{
	return cudaStreamBeginCaptureToGraph(own(stream), graph, before, edges, n, mode);
}

API int
cudaStreamCopyAttributes_ptsz(void *to, void *from)
{
	return cudaStreamCopyAttributes(own(to), own(from));
}

API int
cudaStreamEndCapture_ptsz(void *stream, void **graph)
{
	return cudaStreamEndCapture(own(stream), graph);
}

API int
cudaStreamGetAttribute_ptsz(void *stream, int id, struct value *value)
{
	return cudaStreamGetAttribute(own(stream), id, value);
}

API int
cudaStreamGetCaptureInfo_ptsz(void *stream, int *out, unsigned long long *id, void **graph,
    const void **before, const struct cu_graph_edge **edges, size_t *n)
{
	return cudaStreamGetCaptureInfo(own(stream), out, id, graph, before, edges, n);
}

API int
cudaStreamGetDevice_ptsz(void *stream, int *device)
{
	return cudaStreamGetDevice(own(stream), device);
}

API int
cudaStreamGetFlags_ptsz(void *stream, unsigned *flags)
{
	return cudaStreamGetFlags(own(stream), flags);
}

API int
cudaStreamGetId_ptsz(void *stream, unsigned long long *id)
{
	return cudaStreamGetId(own(stream), id);
}

API int
cudaStreamGetPriority_ptsz(void *stream, int *priority)
{
	return cudaStreamGetPriority(own(stream), priority);
}

API int
cudaStreamIsCapturing_ptsz(void *stream, int *out)
{
	return cudaStreamIsCapturing(own(stream), out);
}

API int
cudaStreamQuery_ptsz(void *stream)
{
	return cudaStreamQuery(own(stream));
}

API int
cudaStreamSetAttribute_ptsz(void *stream, int id, const struct value *value)
{
	return cudaStreamSetAttribute(own(stream), id, value);
}

API int
cudaStreamSynchronize_ptsz(void *stream)
{
	return cudaStreamSynchronize(own(stream));
}

API int
cudaStreamUpdateCaptureDependencies_ptsz(
    void *stream, void **before, const void *edges, size_t n, unsigned flags)
{
	return cudaStreamUpdateCaptureDependencies(own(stream), before, edges, n, flags);
}

API int
cudaStreamWaitEvent_ptsz(void *stream, void *event, unsigned flags)
{
	return cudaStreamWaitEvent(own(stream), event, flags);
}

API int
__cudaLaunchKernel_ptsz(void *kernel, struct cu_dim3 grid, struct cu_dim3 block, void **args,
    size_t shared, void *stream)
{
	return __cudaLaunchKernel(kernel, grid, block, args, shared, own(stream));
}
