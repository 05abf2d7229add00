/* The driver's streams and events: the runtime's. */
#include "driver/driver.h"

API int
cuStreamCreate(void **out, unsigned flags)
{
	return DRIVER(cudaStreamCreateWithFlags(out, flags));
}

API int
cuStreamCreateWithPriority(void **out, unsigned flags, int priority)
{
	return DRIVER(cudaStreamCreateWithPriority(out, flags, priority));
}

API int
cuStreamDestroy_v2(void *stream)
{
	return DRIVER(cudaStreamDestroy(stream));
}

API int
cuStreamSynchronize(void *stream)
{
	return DRIVER(cudaStreamSynchronize(stream));
}

API int
cuStreamQuery(void *stream)
{
	return DRIVER(cudaStreamQuery(stream));
}

API int
cuStreamWaitEvent(void *stream, void *event, unsigned flags)
{
	return DRIVER(cudaStreamWaitEvent(stream, event, flags));
}

API int
cuStreamAddCallback(void *stream, cu_stream_callback *callback, void *arg, unsigned flags)
{
	return DRIVER(cudaStreamAddCallback(stream, callback, arg, flags));
}

API int
cuStreamGetPriority(void *stream, int *priority)
{
	return DRIVER(cudaStreamGetPriority(stream, priority));
}

API int
cuStreamGetFlags(void *stream, unsigned *flags)
{
	return DRIVER(cudaStreamGetFlags(stream, flags));
}

API int
cuStreamGetId(void *stream, unsigned long long *id)
{
	return DRIVER(cudaStreamGetId(stream, id));
}

API int
cuStreamGetCtx(void *stream, void **context)
{
	(void)stream;
	return cuCtxGetCurrent(context);
}

/* A stream of a green context would have none else. */
API int
cuStreamGetCtx_v2(void *stream, void **context, void **green)
{
	if (green)
		*green = NULL;
	return cuStreamGetCtx(stream, context);
}

API int
cuStreamGetGreenCtx(void *stream, void **green)
{
	unsigned flags;
	if (!green)
		return CU_INVALID_VALUE;
	*green = NULL;
	return DRIVER(cudaStreamGetFlags(stream, &flags));
}

/* Up to CUDA 10.0 there was one mode. */
API int
cuStreamBeginCapture(void *stream)
{
	return DRIVER(cudaStreamBeginCapture(stream, 0));
}

API int
cuStreamBeginCapture_v2(void *stream, int mode)
{
	return DRIVER(cudaStreamBeginCapture(stream, mode));
}

API int
cuStreamEndCapture(void *stream, void **graph)
{
	return DRIVER(cudaStreamEndCapture(stream, graph));
}

API int
cuStreamIsCapturing(void *stream, int *out)
{
	return DRIVER(cudaStreamIsCapturing(stream, out));
}

API int
cuStreamBeginCaptureToGraph(
    void *stream, void *graph, void *const *before, const void *edges, size_t n, int mode)
{
	return DRIVER(cudaStreamBeginCaptureToGraph(stream, graph, before, edges, n, mode));
}

API int
cuStreamGetCaptureInfo_v3(void *stream, int *out, unsigned long long *id, void **graph,
    const void **before, const struct cu_graph_edge **edges, size_t *n)
{
	return DRIVER(cudaStreamGetCaptureInfo(stream, out, id, graph, before, edges, n));
}

API int
cuStreamGetCaptureInfo_v2(
    void *stream, int *out, unsigned long long *id, void **graph, const void **before, size_t *n)
{
	return DRIVER(cudaStreamGetCaptureInfo(stream, out, id, graph, before, NULL, n));
}

API int
cuStreamGetCaptureInfo(void *stream, int *out, unsigned long long *id)
{
	return DRIVER(cudaStreamGetCaptureInfo(stream, out, id, NULL, NULL, NULL, NULL));
}

API int
cuStreamUpdateCaptureDependencies_v2(
    void *stream, void **before, const void *edges, size_t n, unsigned flags)
{
	return DRIVER(cudaStreamUpdateCaptureDependencies(stream, before, edges, n, flags));
}

API int
cuStreamUpdateCaptureDependencies(void *stream, void **before, size_t n, unsigned flags)
{
	return DRIVER(cudaStreamUpdateCaptureDependencies(stream, before, NULL, n, flags));
}

API int
cuThreadExchangeStreamCaptureMode(int *mode)
{
	return DRIVER(cudaThreadExchangeStreamCaptureMode(mode));
}

API int
cuStreamGetDevice(void *stream, int *device)
{
	return DRIVER(cudaStreamGetDevice(stream, device));
}

API int
cuStreamSetAttribute(void *stream, int id, const struct value *value)
{
	return DRIVER(cudaStreamSetAttribute(stream, id, value));
}

API int
cuStreamGetAttribute(void *stream, int id, struct value *value)
{
	return DRIVER(cudaStreamGetAttribute(stream, id, value));
}

API int
cuStreamCopyAttributes(void *to, void *from)
{
	return DRIVER(cudaStreamCopyAttributes(to, from));
}

API int
cuStreamAttachMemAsync(void *stream, void *p, size_t bytes, unsigned flags)
{
	return DRIVER(cudaStreamAttachMemAsync(stream, p, bytes, flags));
}

API int
cuLaunchHostFunc(void *stream, cu_host_fn *fn, void *arg)
{
	return DRIVER(cudaLaunchHostFunc(stream, fn, arg));
}

API int
cuEventCreate(void **out, unsigned flags)
{
	return DRIVER(cudaEventCreateWithFlags(out, flags));
}

API int
cuEventDestroy_v2(void *event)
{
	return DRIVER(cudaEventDestroy(event));
}

API int
cuEventRecord(void *event, void *stream)
{
	return DRIVER(cudaEventRecord(event, stream));
}

API int
cuEventRecordWithFlags(void *event, void *stream, unsigned flags)
{
	return DRIVER(cudaEventRecordWithFlags(event, stream, flags));
}

API int
cuEventQuery(void *event)
{
	return DRIVER(cudaEventQuery(event));
}

API int
cuEventSynchronize(void *event)
{
	return DRIVER(cudaEventSynchronize(event));
}

API int
cuEventElapsedTime_v2(float *ms, void *start, void *end)
{
	return DRIVER(cudaEventElapsedTime(ms, start, end));
}

API int
cuEventElapsedTime(float *ms, void *start, void *end)
{
	return DRIVER(cudaEventElapsedTime(ms, start, end));
}

/* Up to CUDA 3. */
API int
cuStreamDestroy(void *stream)
{
	return cuStreamDestroy_v2(stream);
}

API int
cuEventDestroy(void *event)
{
	return cuEventDestroy_v2(event);
}
