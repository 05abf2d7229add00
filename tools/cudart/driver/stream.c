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
cuGraphInstantiateWithFlags(void **out, void *graph, unsigned long long flags)
{
	return DRIVER(cudaGraphInstantiate(out, graph, flags));
}

API int
cuGraphLaunch(void *exec, void *stream)
{
	return DRIVER(cudaGraphLaunch(exec, stream));
}

API int
cuGraphExecDestroy(void *exec)
{
	return DRIVER(cudaGraphExecDestroy(exec));
}

API int
cuGraphDestroy(void *graph)
{
	return DRIVER(cudaGraphDestroy(graph));
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
