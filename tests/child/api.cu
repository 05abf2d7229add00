// Streams, events, copies, attributes and errors of the device runtime.
extern "C" __global__ void
put(int *at, int value)
{
	at[threadIdx.x] = value;
}

extern "C" __global__ void
__launch_bounds__(64) small(int *at)
{
	at[threadIdx.x]++;
}

static __device__ bool
same(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

// r: what went wrong, number of the check; 0: nothing
#define IS(what, expected)                  \
	do {                                \
		long long got_ = (what);    \
		n++;                        \
		if (got_ != (expected)) {   \
			r[0] = n;           \
			r[1] = (int)(got_); \
			return;             \
		}                           \
	} while (0)

extern "C" __global__ void
functions(int *r, int *a, int *b)
{
	int n = 0, i = -1;
	size_t z = 0;
	cudaStream_t s, t;
	cudaEvent_t e;
	cudaFuncAttributes f;
	IS(cudaStreamCreateWithFlags(&s, cudaStreamDefault), cudaErrorInvalidValue);
	IS(cudaPeekAtLastError(), cudaErrorInvalidValue);
	IS(cudaGetLastError(), cudaErrorInvalidValue);
	IS(cudaGetLastError(), cudaSuccess);
	IS(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), cudaSuccess);
	IS(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking), cudaSuccess);
	IS(s == t, 0);
	IS(cudaEventCreateWithFlags(&e, cudaEventDefault), cudaErrorInvalidValue);
	IS(cudaEventCreateWithFlags(&e, cudaEventDisableTiming), cudaSuccess);
	// a holds 1, b is a copy of it, a then 0x02020202
	put<<<1, 64, 0, s>>>(a, 1);
	IS(cudaEventRecord(e, s), cudaSuccess);
	IS(cudaStreamWaitEvent(t, e, 0), cudaSuccess);
	IS(cudaMemcpyAsync(b, a, 256, cudaMemcpyDeviceToDevice, t), cudaSuccess);
	IS(cudaEventRecord(e, t), cudaSuccess);
	IS(cudaStreamWaitEvent(s, e, 0), cudaSuccess);
	IS(cudaMemsetAsync(a, 2, 256, s), cudaSuccess);
	// rows of two words: b[64..] gets every fourth word and the one behind it
	IS(cudaMemcpy2DAsync(b + 64, 8, b, 16, 8, 16, cudaMemcpyDeviceToDevice, s), cudaSuccess);
	IS(cudaMemset2DAsync(b + 96, 8, 3, 4, 4, s), cudaSuccess);
	IS(cudaMemcpyAsync(b, a, 256, cudaMemcpyHostToDevice, t), cudaErrorInvalidValue);
	IS(cudaMemcpyAsync(b, a, 1ull << 40, cudaMemcpyDefault, t), cudaErrorInvalidValue);
	IS(cudaStreamDestroy(t), cudaSuccess);
	IS(cudaStreamDestroy(t), cudaErrorInvalidResourceHandle);
	put<<<1, 64, 0, t>>>(a, 9);
	IS(cudaGetLastError(), cudaErrorInvalidResourceHandle);
	IS(cudaEventDestroy(e), cudaSuccess);
	IS(cudaEventRecord(e, s), cudaErrorInvalidResourceHandle);
	small<<<1, 65>>>(a);
	IS(cudaGetLastError(), cudaErrorInvalidConfiguration);
	put<<<1, 1025>>>(a, 9);
	IS(cudaGetLastError(), cudaErrorInvalidConfiguration);
	put<<<0, 1>>>(a, 9);
	IS(cudaGetLastError(), cudaErrorInvalidConfiguration);
	put<<<1, 1, 1 << 20>>>(a, 9);
	IS(cudaGetLastError(), cudaErrorInvalidConfiguration);
	IS(cudaGetDeviceCount(&i), cudaSuccess);
	IS(i, 1);
	IS(cudaGetDevice(&i), cudaSuccess);
	IS(i, 0);
	IS(cudaDeviceGetAttribute(&i, cudaDevAttrWarpSize, 0), cudaSuccess);
	IS(i, 32);
	IS(cudaDeviceGetAttribute(&i, cudaDevAttrWarpSize, 1), cudaErrorInvalidDevice);
	IS(cudaDeviceGetLimit(&z, cudaLimitDevRuntimePendingLaunchCount), cudaSuccess);
	IS(z, 2048);
	IS(cudaDeviceGetLimit(&z, (enum cudaLimit)77), cudaErrorUnsupportedLimit);
	IS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&i, put, 1024, 0), cudaSuccess);
	IS(i, 2);
	IS(cudaFuncGetAttributes(&f, small), cudaSuccess);
	IS(f.maxThreadsPerBlock, 64);
	int *heap = NULL;
	IS(cudaMalloc(&heap, 4096), cudaSuccess);
	heap[1023] = 5;
	IS(heap[1023], 5);
	IS(cudaFree(heap), cudaSuccess);
	IS(cudaFree(r), cudaErrorInvalidValue);
	IS(cudaMalloc(&heap, 1ull << 40), cudaErrorMemoryAllocation);
	IS(same(cudaGetErrorName(cudaErrorLaunchMaxDepthExceeded), "cudaErrorLaunchMaxDepthExceeded"), 1);
	IS(same(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument"), 1);
	IS(same(cudaGetErrorName((cudaError_t)12345), "unrecognized error code"), 1);
	IS(cudaRuntimeGetVersion(&i), cudaSuccess);
	IS(i >= 11000, 1);
	r[0] = -n;
}
