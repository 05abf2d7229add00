// The driver's graphs and pools: nodes of every kind in its words, captured, changed, updated.
#include "driver.h"

static const char ptx[] = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry add(.param .u64 to, .param .u32 plus)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [to];
	ld.param.u32 %r1, [plus];
	mov.u32 %r2, %tid.x;
	mul.wide.u32 %rd2, %r2, 4;
	add.u64 %rd1, %rd1, %rd2;
	ld.global.u32 %r3, [%rd1];
	add.u32 %r3, %r3, %r1;
	st.global.u32 [%rd1], %r3;
	ret;
}
)";
enum { N = 32 };

static CUcontext context;
static CUfunction add;
static unsigned out[N];

static void CUDA_CB
count(void *by)
{
	++*(int *)by;
}

static CUDA_MEMCPY3D
copy_out(CUdeviceptr from, void *to)
{
	CUDA_MEMCPY3D c = {};
	c.srcMemoryType = CU_MEMORYTYPE_DEVICE;
	c.srcDevice = from;
	c.dstMemoryType = CU_MEMORYTYPE_HOST;
	c.dstHost = to;
	c.WidthInBytes = N * 4;
	c.Height = c.Depth = 1;
	return c;
}

static CUDA_KERNEL_NODE_PARAMS
launch_of(void **args, void **extra)
{
	CUDA_KERNEL_NODE_PARAMS k = {};
	k.func = add;
	k.gridDimX = k.gridDimY = k.gridDimZ = k.blockDimY = k.blockDimZ = 1;
	k.blockDimX = N;
	k.kernelParams = args;
	k.extra = extra;
	return k;
}

/* set to 5, add 7, count, copy out */
static void
nodes()
{
	CUgraph graph;
	CUgraphExec exec;
	CUgraphNode set, kernel, host, copy, list[8], to[8];
	CUdeviceptr p;
	unsigned plus = 7;
	int calls = 0;
	size_t n = 8, bytes;
	CALL(cuMemAlloc, &p, N * 4);
	CALL(cuGraphCreate, &graph, 0);
	CUDA_MEMSET_NODE_PARAMS s = {p, 0, 5, 4, N, 1}, s_back;
	CALL(cuGraphAddMemsetNode, &set, graph, NULL, 0, &s, context);
	struct {
		CUdeviceptr p;
		unsigned plus;
	} block = {p, plus};
	bytes = sizeof block;
	void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_BUFFER_SIZE,
	    &bytes, CU_LAUNCH_PARAM_END};
	CUDA_KERNEL_NODE_PARAMS k = launch_of(NULL, extra), k_back;
	CALL(cuGraphAddKernelNode, &kernel, graph, &set, 1, &k);
	CUDA_HOST_NODE_PARAMS h = {count, &calls};
	CALL(cuGraphAddHostNode, &host, graph, &kernel, 1, &h);
	CUDA_MEMCPY3D c = copy_out(p, out), c_back;
	CALL(cuGraphAddMemcpyNode, &copy, graph, &kernel, 1, &c, context);
	CALL(cuGraphGetEdges, graph, list, to, NULL, &n);
	CHECK(n == 3 && list[0] == set && to[0] == kernel);
	CALL(cuGraphMemsetNodeGetParams, set, &s_back);
	CHECK(s_back.dst == p && s_back.value == 5);
	CALL(cuGraphKernelNodeGetParams, kernel, &k_back);
	CHECK(k_back.func == add && *(unsigned *)k_back.kernelParams[1] == 7);
	CALL(cuGraphMemcpyNodeGetParams, copy, &c_back);
	CHECK(c_back.srcDevice == p && c_back.srcMemoryType == CU_MEMORYTYPE_DEVICE &&
	      c_back.dstHost == out && c_back.WidthInBytes == N * 4 && c_back.Depth == 1);
	CALL(cuGraphInstantiate, &exec, graph, 0);
	CALL(cuGraphLaunch, exec, 0);
	CALL(cuStreamSynchronize, 0);
	CHECK(calls == 1 && out[0] == 12 && out[N - 1] == 12);
	/* in the executable graph only */
	plus = 30;
	void *args[] = {&p, &plus};
	k = launch_of(args, NULL);
	CALL(cuGraphExecKernelNodeSetParams, exec, kernel, &k);
	s.value = 1;
	CALL(cuGraphExecMemsetNodeSetParams, exec, set, &s, context);
	CALL(cuGraphLaunch, exec, 0);
	CALL(cuStreamSynchronize, 0);
	CHECK(calls == 2 && out[3] == 31);
	/* as the graph is */
	CUgraphExecUpdateResultInfo result;
	CALL(cuGraphExecUpdate, exec, graph, &result);
	CALL(cuGraphNodeSetEnabled, exec, set, 0);
	CALL(cuGraphLaunch, exec, 0);
	CALL(cuStreamSynchronize, 0);
	CHECK(result.result == CU_GRAPH_EXEC_UPDATE_SUCCESS && out[3] == 38);
	REFUSES(CUDA_ERROR_INVALID_VALUE, cuGraphAddKernelNode, &kernel, graph, NULL, 0, NULL);
	REFUSES(CUDA_ERROR_INVALID_VALUE, cuGraphMemcpyNodeGetParams, set, &c);
	CALL(cuGraphExecDestroy, exec);
	CALL(cuGraphDestroy, graph);
	CALL(cuMemFree, p);
}

/* Rows of an array, from its third element on. */
static void
to_array()
{
	CUDA_ARRAY_DESCRIPTOR what = {N, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1};
	CUarray array;
	CUgraph graph;
	CUgraphExec exec;
	CUgraphNode in;
	CUDA_MEMCPY3D c = {}, back;
	CALL(cuArrayCreate, &array, &what);
	CALL(cuGraphCreate, &graph, 0);
	for (unsigned i = 0; i < N; i++)
		out[i] = i;
	c.srcMemoryType = CU_MEMORYTYPE_HOST;
	c.srcHost = out;
	c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
	c.dstArray = array;
	c.dstXInBytes = 8;
	c.WidthInBytes = 40;
	c.Height = c.Depth = 1;
	CALL(cuGraphAddMemcpyNode, &in, graph, NULL, 0, &c, context);
	CALL(cuGraphMemcpyNodeGetParams, in, &back);
	CHECK(back.dstMemoryType == CU_MEMORYTYPE_ARRAY && back.dstArray == array &&
	      back.dstXInBytes == 8 && back.WidthInBytes == 40);
	CALL(cuGraphInstantiate, &exec, graph, 0);
	CALL(cuGraphLaunch, exec, 0);
	CALL(cuMemcpyAtoH, out, array, 12, 4);
	CHECK(out[0] == 1);
	CALL(cuMemcpyAtoA, array, 0, array, 44, 4);
	CALL(cuMemcpyAtoH, out, array, 0, 4);
	CHECK(out[0] == 9);
	CALL(cuGraphExecDestroy, exec);
	CALL(cuGraphDestroy, graph);
	CALL(cuArrayDestroy, array);
}

/* Memory of the graph's own, set, added to in the body of a conditional node, copied out. */
static void
any_kind()
{
	CUgraph graph;
	CUgraphExec exec;
	CUgraphNode alloc, set, choice, kernel, copy, end;
	CUgraphConditionalHandle handle;
	unsigned plus = 2;
	CALL(cuGraphCreate, &graph, 0);
	CUgraphNodeParams p = {};
	p.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC;
	p.alloc.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
	p.alloc.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	p.alloc.bytesize = N * 4;
	CALL(cuGraphAddNode, &alloc, graph, NULL, NULL, 0, &p);
	CUdeviceptr at = p.alloc.dptr;
	CHECK(at);
	p = {};
	p.type = CU_GRAPH_NODE_TYPE_MEMSET;
	p.memset = {at, 0, 40, 4, N, 1, context};
	CALL(cuGraphAddNode, &set, graph, &alloc, NULL, 1, &p);
	CALL(cuGraphConditionalHandleCreate, &handle, graph, context, 1,
	    CU_GRAPH_COND_ASSIGN_DEFAULT);
	p = {};
	p.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
	p.conditional.handle = handle;
	p.conditional.type = CU_GRAPH_COND_TYPE_IF;
	p.conditional.size = 1;
	p.conditional.ctx = context;
	CALL(cuGraphAddNode, &choice, graph, &set, NULL, 1, &p);
	CUgraph body = p.conditional.phGraph_out[0];
	void *args[] = {&at, &plus};
	p = {};
	p.type = CU_GRAPH_NODE_TYPE_KERNEL;
	p.kernel.func = add;
	p.kernel.gridDimX = p.kernel.gridDimY = p.kernel.gridDimZ = 1;
	p.kernel.blockDimX = N;
	p.kernel.blockDimY = p.kernel.blockDimZ = 1;
	p.kernel.kernelParams = args;
	CALL(cuGraphAddNode, &kernel, body, NULL, NULL, 0, &p);
	p = {};
	p.type = CU_GRAPH_NODE_TYPE_MEMCPY;
	p.memcpy.copyCtx = context;
	p.memcpy.copyParams = copy_out(at, out);
	CALL(cuGraphAddNode, &copy, graph, &choice, NULL, 1, &p);
	CALL(cuGraphAddMemFreeNode, &end, graph, &copy, 1, at);
	CUDA_GRAPH_INSTANTIATE_PARAMS how = {};
	CALL(cuGraphInstantiateWithParams, &exec, graph, &how);
	CHECK(how.result_out == CUDA_GRAPH_INSTANTIATE_SUCCESS);
	CALL(cuGraphLaunch, exec, 0);
	CALL(cuStreamSynchronize, 0);
	CHECK(out[0] == 42 && out[N - 1] == 42);
	CALL(cuGraphExecDestroy, exec);
	CALL(cuGraphDestroy, graph);
}

static void
captured()
{
	CUstream stream;
	CUgraph graph, during;
	CUgraphExec exec;
	CUstreamCaptureStatus status;
	cuuint64_t id;
	const CUgraphNode *last;
	CUdeviceptr p;
	CUmemoryPool pool;
	size_t n;
	unsigned plus = 3;
	cuuint64_t used, threshold = 1 << 20;
	CUmemPoolProps props = {};
	props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
	props.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
	CALL(cuMemPoolCreate, &pool, &props);
	CALL(cuMemPoolSetAttribute, pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold);
	CALL(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
	CALL(cuMemAllocFromPoolAsync, &p, N * 4, pool, stream);
	CALL(cuMemPoolGetAttribute, pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used);
	CHECK(used >= N * 4);
	CALL(cuStreamBeginCapture, stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
	CALL(cuMemsetD32Async, p, 9, N, stream);
	void *args[] = {&p, &plus};
	CALL(cuLaunchKernel, add, 1, 1, 1, N, 1, 1, 0, stream, args, NULL);
	CALL(cuStreamGetCaptureInfo, stream, &status, &id, &during, &last, NULL, &n);
	CHECK(status == CU_STREAM_CAPTURE_STATUS_ACTIVE && n == 1);
	CALL(cuMemcpyDtoHAsync, out, p, sizeof out, stream);
	CALL(cuStreamEndCapture, stream, &graph);
	CHECK(graph == during);
	CALL(cuGraphGetNodes, graph, NULL, &n);
	CHECK(n == 3);
	CALL(cuGraphInstantiate, &exec, graph, 0);
	CALL(cuGraphLaunch, exec, stream);
	CALL(cuStreamSynchronize, stream);
	CHECK(out[7] == 12);
	CALL(cuMemFreeAsync, p, stream);
	CALL(cuStreamSynchronize, stream);
	CALL(cuGraphExecDestroy, exec);
	CALL(cuGraphDestroy, graph);
	CALL(cuMemPoolDestroy, pool);
	CALL(cuStreamDestroy, stream);
}

int
main()
{
	CUmodule module;
	driver_open();
	CALL(cuInit, 0);
	CALL(cuCtxCreate, &context, NULL, 0, 0);
	CALL(cuModuleLoadData, &module, ptx);
	CALL(cuModuleGetFunction, &add, module, "add");
	nodes();
	to_array();
	any_kind();
	captured();
	CALL(cuModuleUnload, module);
	CALL(cuCtxDestroy, context);
	return passed();
}
