/* The driver's interface: contexts, modules from PTX, memory, launches, arrays, errors. */
#include <cstring>
#include <string>
#include "driver.h"

static const char ptx[] = R"(.version 7.0
.target sm_70
.address_size 64
.visible .const .align 4 .u32 plus = 5;
.visible .entry add(.param .u64 to, .param .u8 more, .param .u32 n)
{
	.reg .pred %p;
	.reg .b32 %r<5>;
	.reg .b64 %rd<4>;
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mad.lo.u32 %r1, %r2, %r3, %r1;
	ld.param.u32 %r2, [n];
	setp.ge.u32 %p, %r1, %r2;
	@%p ret;
	ld.param.u64 %rd1, [to];
	ld.param.u8 %r4, [more];
	ld.const.u32 %r2, [plus];
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd1, %rd1, %rd2;
	ld.global.u32 %r3, [%rd1];
	add.u32 %r3, %r3, %r2;
	add.u32 %r3, %r3, %r4;
	st.global.u32 [%rd1], %r3;
	ret;
}
)";

static void
contexts(CUcontext *made)
{
	CUcontext first, second, now;
	CUdevice device;
	char name[64];
	int n, major, version;
	unsigned flags;
	size_t bytes;
	CUlinkState state;
	REFUSES(CUDA_ERROR_NOT_INITIALIZED, cuMemGetInfo, &bytes, &bytes);
	REFUSES(CUDA_ERROR_NOT_INITIALIZED, cuLinkCreate, 0, NULL, NULL, &state);
	CALL(cuInit, 0);
	CALL(cuDriverGetVersion, &version);
	CHECK(version / 1000 == 13);
	CALL(cuDeviceGetCount, &n);
	CHECK(n == 1);
	CALL(cuDeviceGet, &device, 0);
	REFUSES(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet, &device, 1);
	CALL(cuDeviceGetName, name, sizeof name, device);
	CALL(cuDeviceTotalMem, &bytes, device);
	CALL(cuDeviceGetAttribute, &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
	CHECK(std::strlen(name) && bytes > 1 << 20 && major >= 7);
	CALL(cuCtxGetCurrent, &now);
	CHECK(!now);
	REFUSES(CUDA_ERROR_INVALID_CONTEXT, cuCtxGetDevice, &device);
	CALL(cuDevicePrimaryCtxRetain, &first, device);
	CALL(cuCtxSetCurrent, first);
	CALL(cuCtxCreate, &second, NULL, 0, device);
	CALL(cuCtxGetCurrent, &now);
	CHECK(now == second && now != first);
	CALL(cuCtxPopCurrent, &now);
	CHECK(now == second);
	CALL(cuCtxGetCurrent, &now);
	CHECK(now == first);
	CALL(cuCtxDestroy, second);
	REFUSES(CUDA_ERROR_INVALID_CONTEXT, cuCtxPushCurrent, second);
	CALL(cuCtxGetFlags, &flags);
	/* one that ends under another one */
	CALL(cuCtxCreate, &second, NULL, 0, device);
	CALL(cuCtxPushCurrent, first);
	CALL(cuCtxDestroy, second);
	CALL(cuCtxPopCurrent, &now);
	REFUSES(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuCtxGetFlags, &flags);
	CALL(cuCtxPopCurrent, &now);
	*made = first;
}

static void
launches(CUmodule module)
{
	const int n = 1000;
	CUfunction add, none;
	CUdeviceptr p, at, base;
	CUstream stream;
	CUevent begin, end;
	unsigned host[1000];
	unsigned char more = 2;
	int count = n, most;
	size_t bytes;
	float ms;
	CALL(cuModuleGetFunction, &add, module, "add");
	REFUSES(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction, &none, module, "nosuch");
	CALL(cuFuncGetAttribute, &most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, add);
	CHECK(most == 1024);
	CALL(cuMemAlloc, &p, n * 4);
	CALL(cuMemsetD32, p, 10, n);
	CALL(cuMemGetAddressRange, &base, &bytes, p + 12);
	CHECK(base == p && bytes == n * 4);
	CALL(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
	CALL(cuEventCreate, &begin, CU_EVENT_DEFAULT);
	CALL(cuEventCreate, &end, CU_EVENT_DEFAULT);
	CALL(cuEventRecord, begin, stream);
	void *args[] = {&p, &more, &count};
	CALL(cuLaunchKernel, add, 8, 1, 1, 128, 1, 1, 0, stream, args, NULL);
	struct {
		CUdeviceptr p;
		unsigned char more;
		int n;
	} block = {p, 3, n / 2};
	bytes = sizeof block;
	void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_BUFFER_SIZE,
	    &bytes, CU_LAUNCH_PARAM_END};
	CALL(cuLaunchKernel, add, 8, 1, 1, 128, 1, 1, 0, stream, NULL, extra);
	CALL(cuEventRecord, end, stream);
	CALL(cuStreamSynchronize, stream);
	CALL(cuEventElapsedTime, &ms, begin, end);
	CALL(cuMemcpyDtoH, host, p, sizeof host);
	CHECK(host[0] == 10 + 7 + 8 && host[n - 1] == 10 + 7);
	CALL(cuModuleGetGlobal, &at, &bytes, module, "plus");
	CHECK(bytes == 4);
	CALL(cuMemcpyHtoD, at, &count, 4);
	CALL(cuLaunchKernel, add, 8, 1, 1, 128, 1, 1, 0, 0, args, NULL);
	CALL(cuMemcpyDtoH, host, p + 4 * (n - 1), 4);
	CHECK(host[0] == 10 + 7 + n + 2);
	REFUSES(
	    CUDA_ERROR_INVALID_VALUE, cuLaunchKernel, add, 1, 1, 1, 2000, 1, 1, 0, 0, args, NULL);
	/* the runtime knows nothing of the driver's errors, and shares all else */
	REFUSES(CUDA_ERROR_INVALID_VALUE, cuMemsetD2D32, p, 8, 1, 4, 2);
	CHECK(cudaGetLastError() == cudaSuccess);
	FAILS(cudaErrorInvalidDevice, cudaSetDevice(7));
	REFUSES(CUDA_ERROR_INVALID_VALUE, cuMemAlloc, &p, 0);
	REFUSES(CUDA_ERROR_INVALID_VALUE, cuMemHostGetFlags, NULL, NULL);
	CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
	REFUSES(CUDA_ERROR_INVALID_VALUE, cuMemsetD32, p, 1, (1ull << 62) + 1);
	CHECK(cudaGetLastError() == cudaSuccess);
	OK(cudaMemset((void *)p, 0, 4));
	CALL(cuMemcpyDtoH, host, p, 4);
	CHECK(host[0] == 0);
	CALL(cuStreamDestroy, stream);
	CALL(cuEventDestroy, begin);
	CALL(cuEventDestroy, end);
	CALL(cuMemFree, p);
}

/* A function in one text, its caller in another. */
static void
linked()
{
	static const char twice[] =
	    ".version 7.0\n.target sm_70\n.address_size 64\n"
	    ".visible .func (.param .b32 r) twice(.param .b32 x) { .reg .b32 %r;"
	    "ld.param.u32 %r, [x]; shl.b32 %r, %r, 1; st.param.b32 [r], %r; ret; }\n";
	static const char caller[] =
	    ".version 7.0\n.target sm_70\n.address_size 64\n"
	    ".extern .func (.param .b32 r) twice(.param .b32 x);\n"
	    ".visible .entry call21(.param .u64 to) { .reg .b32 %r; .reg .b64 %rd; .param .b32 a, "
	    "b;"
	    "st.param.b32 [b], 21; call (a), twice, (b); ld.param.b32 %r, [a];"
	    "ld.param.u64 %rd, [to]; st.global.u32 [%rd], %r; ret; }\n";
	CUlinkState state;
	CUmodule module;
	CUfunction call21;
	CUdeviceptr p;
	void *image;
	size_t bytes;
	unsigned got;
	CALL(cuLinkCreate, 0, NULL, NULL, &state);
	CALL(cuLinkAddData, state, CU_JIT_INPUT_PTX, (void *)twice, sizeof twice, "a", 0, NULL,
	    NULL);
	CALL(cuLinkAddData, state, CU_JIT_INPUT_PTX, (void *)caller, sizeof caller, "b", 0, NULL,
	    NULL);
	/* its functions are there */
	CALL(cuLinkAddFile, state, CU_JIT_INPUT_LIBRARY, "/nowhere/libcudadevrt.a", 0, NULL, NULL);
	CALL(cuLinkComplete, state, &image, &bytes);
	CALL(cuModuleLoadData, &module, image);
	CALL(cuLinkDestroy, state);
	CALL(cuModuleGetFunction, &call21, module, "call21");
	CALL(cuMemAlloc, &p, 4);
	void *args[] = {&p};
	CALL(cuLaunchKernel, call21, 1, 1, 1, 1, 1, 1, 0, 0, args, NULL);
	CALL(cuMemcpyDtoH, &got, p, 4);
	CHECK(got == 42);
	CALL(cuMemFree, p);
	CALL(cuModuleUnload, module);
}

/* The host uses it where the device does. */
static void
managed()
{
	static const char counts[] =
	    ".version 7.0\n.target sm_70\n.address_size 64\n"
	    ".visible .global .attribute(.managed) .align 4 .u32 seen[2] = {3, 4};\n"
	    ".visible .global .align 4 .u32 unseen;\n"
	    ".visible .entry count() { .reg .b32 %r; ld.global.u32 %r, [seen+4];"
	    "add.u32 %r, %r, 1; st.global.u32 [seen+4], %r; ret; }\n";
	CUmodule module;
	CUfunction count;
	CUdeviceptr seen, unseen;
	size_t bytes;
	unsigned is = 0x9999; /* all of it is set */
	CALL(cuModuleLoadData, &module, counts);
	CALL(cuModuleGetFunction, &count, module, "count");
	CALL(cuModuleGetGlobal, &seen, &bytes, module, "seen");
	CHECK(bytes == 8);
	volatile unsigned *host = (volatile unsigned *)seen;
	CHECK(host[0] == 3 && host[1] == 4);
	host[1] = 40;
	CALL(cuLaunchKernel, count, 1, 1, 1, 1, 1, 1, 0, 0, NULL, NULL);
	CALL(cuCtxSynchronize);
	CHECK(host[0] == 3 && host[1] == 41);
	CALL(cuPointerGetAttribute, &is, CU_POINTER_ATTRIBUTE_IS_MANAGED, seen + 4);
	CHECK(is == 1);
	CALL(cuModuleGetGlobal, &unseen, NULL, module, "unseen");
	CALL(cuPointerGetAttribute, &is, CU_POINTER_ATTRIBUTE_IS_MANAGED, unseen);
	CHECK(!is);
	CALL(cuModuleUnload, module);
}

/* Through an array and back, part of it by its rows. */
static void
arrays()
{
	CUDA_ARRAY_DESCRIPTOR what = {16, 8, CU_AD_FORMAT_UNSIGNED_INT16, 2}, is;
	CUarray array;
	unsigned in[8][16], out[8][5];
	CUDA_MEMCPY2D copy = {};
	for (unsigned i = 0; i < 128; i++)
		in[i / 16][i % 16] = i;
	CALL(cuArrayCreate, &array, &what);
	CALL(cuArrayGetDescriptor, &is, array);
	CHECK(is.Width == 16 && is.Height == 8 && is.Format == what.Format && is.NumChannels == 2);
	copy.srcMemoryType = CU_MEMORYTYPE_HOST;
	copy.srcHost = in;
	copy.srcPitch = copy.WidthInBytes = 64;
	copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
	copy.dstArray = array;
	copy.Height = 8;
	CALL(cuMemcpy2D, &copy);
	copy = {};
	copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
	copy.srcArray = array;
	copy.srcXInBytes = 12;
	copy.srcY = 2;
	copy.dstMemoryType = CU_MEMORYTYPE_HOST;
	copy.dstHost = out;
	copy.dstPitch = copy.WidthInBytes = 20;
	copy.Height = 6;
	CALL(cuMemcpy2D, &copy);
	copy.srcXInBytes = 10; /* half an element */
	REFUSES(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D, &copy);
	CHECK(out[0][0] == 2 * 16 + 3 && out[5][4] == 7 * 16 + 7);
	CALL(cuArrayDestroy, array);
}

/* A channel's format is what it was, and as wide as it says. */
static void
formats()
{
	static const CUarray_format format[] = {CU_AD_FORMAT_UNSIGNED_INT8,
	    CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_UNSIGNED_INT32, CU_AD_FORMAT_SIGNED_INT8,
	    CU_AD_FORMAT_SIGNED_INT16, CU_AD_FORMAT_SIGNED_INT32, CU_AD_FORMAT_HALF,
	    CU_AD_FORMAT_FLOAT};
	static const int bits[] = {8, 16, 32, 8, 16, 32, 16, 32};
	CUarray array;
	for (int i = 0; i < 8; i++) {
		CUDA_ARRAY_DESCRIPTOR what = {4, 4, format[i], 1}, is;
		cudaChannelFormatDesc channel;
		cudaExtent extent;
		unsigned flags;
		CALL(cuArrayCreate, &array, &what);
		CALL(cuArrayGetDescriptor, &is, array);
		CHECK(is.Format == format[i]);
		OK(cudaArrayGetInfo(&channel, &extent, &flags, (cudaArray_t)array));
		CHECK(channel.x == bits[i]);
		CALL(cuArrayDestroy, array);
	}
	for (int none : {0, 4, 7, 11, 0x18}) {
		CUDA_ARRAY_DESCRIPTOR what = {4, 4, (CUarray_format)none, 1};
		REFUSES(CUDA_ERROR_INVALID_VALUE, cuArrayCreate, &array, &what);
	}
}

/* Code whose description alone is larger than half of what lies between program and recorder. */
static void
lengthy()
{
	std::string text = ".version 7.0\n.target sm_70\n.address_size 64\n"
			   ".visible .entry lengthy(.param .u64 to) { .reg .b32 %r; .reg .b64 %rd;"
			   "ld.param.u64 %rd, [to]; mov.u32 %r, 0;\n";
	CUmodule module;
	CUfunction f;
	CUdeviceptr p;
	unsigned got;
	for (int i = 0; i < 60000; i++)
		text += "add.u32 %r, %r, 1;\n";
	text += "st.global.u32 [%rd], %r; ret; }\n";
	CALL(cuModuleLoadData, &module, text.c_str());
	CALL(cuModuleGetFunction, &f, module, "lengthy");
	CALL(cuMemAlloc, &p, 4);
	void *args[] = {&p};
	CALL(cuLaunchKernel, f, 1, 1, 1, 1, 1, 1, 0, 0, args, NULL);
	CALL(cuMemcpyDtoH, &got, p, 4);
	CHECK(got == 60000);
	CALL(cuMemFree, p);
	CALL(cuModuleUnload, module);
}

/* Streams that wait for words, which the host and other streams write. */
static void
memory_words()
{
	CUstream waits, writes;
	CUdeviceptr word, wide;
	unsigned *here, got;
	CALL(cuStreamCreate, &waits, CU_STREAM_NON_BLOCKING);
	CALL(cuStreamCreate, &writes, CU_STREAM_NON_BLOCKING);
	CALL(cuMemHostAlloc, (void **)&here, 64, CU_MEMHOSTALLOC_DEVICEMAP);
	CALL(cuMemHostGetDevicePointer, &word, here, 0);
	CALL(cuMemAlloc, &wide, 16);
	CALL(cuMemsetD32, wide, 0, 4);
	here[0] = 0xfffffffe; /* -2 */
	here[1] = 0;
	CALL(cuStreamWaitValue32, waits, word, 5, CU_STREAM_WAIT_VALUE_GEQ);
	CALL(cuMemsetD32Async, word + 4, 77, 1, waits);
	CHECK(NAMED(cuStreamQuery)(waits) == CUDA_ERROR_NOT_READY && here[1] == 0);
	*(volatile unsigned *)here = 6;
	CALL(cuStreamSynchronize, waits);
	CHECK(here[1] == 77);
	/* one stream for the other */
	CALL(cuStreamWaitValue64, waits, wide, 1ull << 40, CU_STREAM_WAIT_VALUE_EQ);
	CALL(cuStreamWriteValue32, waits, wide + 8, 9, 0);
	CALL(cuStreamWriteValue64, writes, wide, 1ull << 40, 0);
	CALL(cuStreamSynchronize, waits);
	CALL(cuMemcpyDtoH, &got, wide + 8, 4);
	CHECK(got == 9);
	/* both halves at once */
	CALL(cuMemsetD32, wide, 0, 2);
	CALL(cuStreamWaitValue64, waits, wide, 1, CU_STREAM_WAIT_VALUE_GEQ);
	CALL(cuMemcpyDtoDAsync, wide + 12, wide, 4, waits);
	CALL(cuStreamWriteValue64, writes, wide, 7ull << 32 | 8, 0);
	CALL(cuStreamSynchronize, waits);
	CALL(cuMemcpyDtoH, &got, wide + 12, 4);
	CHECK(got == 8);
	/* what is so already */
	CALL(cuStreamWaitValue32, waits, wide + 8, 8, CU_STREAM_WAIT_VALUE_AND);
	CALL(cuStreamWaitValue32, waits, wide + 8, 9, CU_STREAM_WAIT_VALUE_NOR);
	CALL(cuStreamWaitValue32, waits, wide + 8, 8, CU_STREAM_WAIT_VALUE_GEQ);
	CUstreamBatchMemOpParams both[2] = {};
	both[0].operation = both[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
	both[0].writeValue.address = wide;
	both[0].writeValue.value = 3;
	both[1].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
	both[1].waitValue.address = wide;
	both[1].waitValue.value = 3;
	both[1].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
	CALL(cuStreamBatchMemOp, waits, 2, both, 0);
	REFUSES(CUDA_ERROR_INVALID_VALUE, cuStreamWaitValue32, waits, wide + 2, 0, 0);
	REFUSES(CUDA_ERROR_INVALID_VALUE, cuStreamWaitValue32, waits, 64, 0, 0);
	CALL(cuStreamSynchronize, waits);
	CALL(cuMemFree, wide);
	CALL(cuMemFreeHost, here);
	CALL(cuStreamDestroy, waits);
	CALL(cuStreamDestroy, writes);
}

/* What is known of a pointer, one by one and together. */
static void
pointers()
{
	CUdeviceptr p, start;
	CUmemorytype type;
	size_t bytes;
	int ordinal;
	unsigned managed = 0x9999;
	unsigned char mapped;
	CUpointer_attribute what[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
	    CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_RANGE_SIZE,
	    CU_POINTER_ATTRIBUTE_IS_MANAGED, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
	    CU_POINTER_ATTRIBUTE_MAPPED};
	void *out[] = {&type, &start, &bytes, &managed, &ordinal, &mapped};
	CALL(cuMemAllocManaged, &p, 100, CU_MEM_ATTACH_GLOBAL);
	CALL(cuPointerGetAttributes, 6, what, out, p + 8);
	CHECK(type == CU_MEMORYTYPE_DEVICE && start == p && bytes == 100 && managed == 1);
	CHECK(ordinal == 0 && mapped == 1);
	CALL(cuMemFree, p);
	CALL(cuPointerGetAttributes, 6, what, out, (CUdeviceptr)&p);
	CHECK(!type && !start && !bytes && !managed && ordinal == -2 && !mapped);
	REFUSES(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute, &type,
	    CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)&p);
}

/* Launches as they were before CUDA 4, and where a function comes from. */
static void
pieces(CUmodule module)
{
	CUfunction add;
	CUmodule from;
	CUdeviceptr p;
	unsigned char more = 3;
	unsigned got;
	int most, grid, block;
	CALL(cuModuleGetFunction, &add, module, "add");
	CALL(cuFuncGetModule, &from, add);
	CHECK(from == module);
	CALL(cuOccupancyMaxPotentialBlockSizeWithFlags, &grid, &block, add, NULL, 0, 0, 0);
	CALL(cuFuncGetAttribute, &most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, add);
	CHECK(grid > 0 && block > 0 && block <= most);
	CALL(cuMemAlloc, &p, 400);
	CALL(cuMemsetD32, p, 1, 100);
	CALL(cuFuncSetBlockShape, add, 10, 1, 1);
	CALL(cuParamSetv, add, 0, &p, sizeof p);
	CALL(cuParamSetv, add, 8, &more, 1);
	CALL(cuParamSeti, add, 12, 100);
	CALL(cuParamSetSize, add, 16);
	CALL(cuLaunchGrid, add, 10, 1);
	CALL(cuMemcpyDtoH, &got, p + 396, 4);
	CHECK(got == 1 + 3 + 1000); /* as plus is now */
	CALL(cuMemFree, p);
}

/* Why code is refused stands in the log that the program gave. */
static void
refused()
{
	static const char wrong[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
				    ".visible .entry wrong() { frob.u32 %r; ret; }\n";
	char log[200] = "?", info[8] = "?";
	CUjit_option option[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
	    CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};
	void *value[] = {log, (void *)sizeof log, info, (void *)sizeof info};
	CUmodule module;
	REFUSES(CUDA_ERROR_INVALID_PTX, cuModuleLoadDataEx, &module, wrong, 4, option, value);
	CHECK(std::strstr(log, "line 4") && (size_t)value[1] == std::strlen(log));
	CHECK(!info[0] && !value[3]);
	value[1] = (void *)5;
	REFUSES(CUDA_ERROR_INVALID_PTX, cuModuleLoadDataEx, &module, wrong, 4, option, value);
	CHECK(std::strlen(log) == 4);
}

/* What a name means is a matter of the version and of whose the default stream is. */
static void
names()
{
	static const struct {
		const char *name, *means;
		int version, flags;
	} asked[] = {
	    {"cuStreamGetCaptureInfo", "cuStreamGetCaptureInfo_v3", 13000, 0},
	    {"cuStreamGetCaptureInfo", "cuStreamGetCaptureInfo_v2", 12000, 0},
	    {"cuGraphAddKernelNode", "cuGraphAddKernelNode", 11080, 0},
	    {"cuGraphAddKernelNode", "cuGraphAddKernelNode_v2", 12060, 0},
	    {"cuMemcpyHtoD", "cuMemcpyHtoD_v2", 12060, 1},
	    {"cuMemcpyHtoD", "cuMemcpyHtoD_v2_ptds", 12060, 2},
	    {"cuLaunchKernel", "cuLaunchKernel_ptsz", 12060, 2},
	    {"cuMemFree", "cuMemFree_v2", 12060, 2},
	};
	for (auto &a : asked) {
		void *p = NULL;
		CALL(cuGetProcAddress, a.name, &p, a.version, a.flags, NULL);
		CHECK(p == dlsym(driver, a.means));
	}
}

int
main()
{
	CUcontext context;
	CUmodule module;
	const char *words;
	void *by_version, *direct;
	driver_open();
	contexts(&context);
	CALL(cuModuleLoadData, &module, ptx);
	launches(module);
	linked();
	managed();
	arrays();
	formats();
	lengthy();
	memory_words();
	pointers();
	pieces(module);
	refused();
	names();
	CALL(cuModuleUnload, module);
	/* where no context is current, the runtime's is, once that is used */
	CUcontext now;
	CUdevice device;
	CALL(cuCtxSetCurrent, NULL);
	OK(cudaSetDevice(0));
	CALL(cuCtxGetCurrent, &now);
	CHECK(now == context);
	CALL(cuCtxGetDevice, &device);
	CHECK(device == 0);
	CALL(cuGetErrorName, CUDA_ERROR_INVALID_PTX, &words);
	CHECK(!std::strcmp(words, "CUDA_ERROR_INVALID_PTX"));
	cudaDriverEntryPointQueryResult found;
	OK(cudaGetDriverEntryPointByVersion("cuMemAlloc", &by_version, 12000, 0, &found));
	direct = dlsym(driver, "cuMemAlloc_v2");
	CHECK(found == cudaDriverEntryPointSuccess && by_version == direct);
	OK(cudaGetDriverEntryPointByVersion("cuNoSuch", &by_version, 12000, 0, &found));
	CHECK(found == cudaDriverEntryPointSymbolNotFound && !by_version);
	CALL(cuDevicePrimaryCtxRelease, 0);
	return passed();
}
