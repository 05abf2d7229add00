// nvcc -lcuda
// Kernels that wait for the host while they run, and for what other streams bring.
#include <atomic>
#include <cuda.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include "check.h"

__global__ void
wait_for(volatile int *flag, int value, int *out)
{
	while (*flag < value)
		;
	if (out)
		*out = *flag * 10;
}

__global__ void
add(int *p, int n)
{
	*p += n;
}

// What is given to a stream behind a kernel that waits is done when it no longer does.
static std::atomic<int> said;

static void CUDART_CB
say(void *what)
{
	said = *(int *)what;
}

static void
in_stream_order()
{
	int *flag, *seen, *p;
	cudaStream_t s;
	cudaEvent_t before, after;
	float ms;
	OK(cudaStreamCreate(&s));
	OK(cudaEventCreate(&before));
	OK(cudaEventCreate(&after));
	OK(cudaMallocHost(&flag, sizeof *flag));
	OK(cudaMallocHost(&seen, sizeof *seen));
	OK(cudaMalloc(&p, sizeof *p));
	*flag = *seen = 0;
	OK(cudaEventRecord(before, s));
	wait_for<<<1, 32, 0, s>>>(flag, 4, p);
	OK(cudaGetLastError());
	FAILS(cudaErrorNotReady, cudaStreamQuery(s));
	FAILS(cudaErrorNotReady, cudaStreamQuery(0));
	OK(cudaGetLastError());
	add<<<1, 1, 0, s>>>(p, 2);
	OK(cudaMemcpyAsync(seen, p, sizeof *p, cudaMemcpyDeviceToHost, s));
	OK(cudaLaunchHostFunc(s, say, seen));
	{
		int ours = 7; // memory of the program's own is its own again at once
		OK(cudaMemcpyAsync(p, &ours, sizeof *p, cudaMemcpyHostToDevice, s));
		ours = 8;
		OK(cudaMemcpyAsync(seen + 0, p, 0, cudaMemcpyDeviceToHost, s));
	}
	OK(cudaEventRecord(after, s));
	OK(cudaEventQuery(before));
	FAILS(cudaErrorNotReady, cudaEventQuery(after));
	FAILS(cudaErrorNotReady, cudaEventElapsedTime(&ms, before, after));
	CHECK(!said && !*seen);
	*flag = 4;
	OK(cudaEventSynchronize(after));
	CHECK(said == 42 && *seen == 42);
	OK(cudaStreamQuery(s));
	OK(cudaEventElapsedTime(&ms, before, after));
	CHECK(ms > 0);
	OK(cudaMemcpy(seen, p, sizeof *p, cudaMemcpyDeviceToHost));
	CHECK(*seen == 7);
	OK(cudaStreamDestroy(s));
	OK(cudaEventDestroy(before));
	OK(cudaEventDestroy(after));
	OK(cudaFree(p));
	OK(cudaFreeHost(flag));
	OK(cudaFreeHost(seen));
}

// What has nothing to do with a kernel that waits does not wait for it.
static void
beside()
{
	int *flag, *p;
	cudaStream_t s;
	cudaEvent_t e;
	OK(cudaStreamCreate(&s));
	OK(cudaEventCreate(&e));
	OK(cudaMallocManaged(&flag, sizeof *flag));
	OK(cudaMallocManaged(&p, sizeof *p));
	*flag = 0;
	wait_for<<<1, 32>>>(flag, 1, nullptr);
	OK(cudaStreamSynchronize(s)); // nothing was given to it
	OK(cudaStreamQuery(s));
	OK(cudaFree(nullptr));
	OK(cudaFreeHost(nullptr));
	add<<<1, 1, 0, s>>>(p, 1); // behind the legacy stream
	FAILS(cudaErrorNotReady, cudaStreamQuery(s));
	OK(cudaEventRecord(e, s));
	OK(cudaEventDestroy(e));
	std::thread other([&] {
		usleep(1000);
		*(volatile int *)flag = 1;
	});
	OK(cudaMemset(p, 0, sizeof *p)); // of managed memory: done when it returns
	*p = 5;
	other.join();
	OK(cudaDeviceSynchronize());
	CHECK(*p == 5);
	OK(cudaStreamDestroy(s));
	OK(cudaFree(p));
	OK(cudaFree(flag));
}

// A kernel that serves requests until it is told to end; the host looks at plain memory only.
struct box {
	int request, answer, value;
	int served;
};

__global__ void
serve(volatile box *b)
{
	__shared__ int got;
	for (int turn = 1;; turn++) {
		if (threadIdx.x == 0) {
			while (b->request < turn)
				__nanosleep(100);
			__threadfence_system();
			got = b->value;
		}
		__syncthreads();
		if (got < 0)
			return;
		int sum = got + (int)threadIdx.x;
		for (int d = 16; d; d /= 2)
			sum += __shfl_xor_sync(0xffffffff, sum, d);
		if (threadIdx.x == 0) {
			b->value = sum;
			atomicAdd_system((int *)&b->served, 1);
			__threadfence_system();
			b->answer = turn;
		}
		__syncthreads();
	}
}

static void
requests()
{
	const int n = 20;
	box *b;
	OK(cudaMallocManaged(&b, sizeof *b));
	*b = box();
	serve<<<1, 32>>>(b);
	volatile box *v = b;
	for (int i = 1; i <= n; i++) {
		v->value = i;
		std::atomic_thread_fence(std::memory_order_seq_cst);
		v->request = i;
		while (v->answer < i)
			std::this_thread::yield();
		CHECK(v->value == 32 * i + 496);
		FAILS(cudaErrorNotReady, cudaStreamQuery(0));
	}
	v->value = -1;
	v->request = n + 1;
	OK(cudaDeviceSynchronize());
	CHECK(b->served == n);
	OK(cudaFree(b));
}

// Other streams pass: a copy brings what a kernel waits for, two kernels answer each other.
__global__ void
rally(volatile int *ball, int mine, int last)
{
	for (int i = mine; i < last; i += 2) {
		while (*ball != i)
			;
		*ball = i + 1;
	}
}

static void
across_streams()
{
	int *flag, *out, one = 1, got = 0;
	cudaStream_t a, b;
	cudaEvent_t e;
	OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
	OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
	OK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
	OK(cudaMalloc(&flag, 2 * sizeof *flag));
	out = flag + 1;
	OK(cudaMemset(flag, 0, 2 * sizeof *flag));
	wait_for<<<1, 1, 0, a>>>(flag, 1, out);
	OK(cudaEventRecord(e, a));
	OK(cudaStreamWaitEvent(b, e, 0));
	add<<<1, 1, 0, b>>>(out, 1);
	FAILS(cudaErrorNotReady, cudaStreamQuery(b));
	OK(cudaMemcpy(flag, &one, sizeof one, cudaMemcpyHostToDevice)); // in the default stream
	OK(cudaStreamSynchronize(b));
	OK(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
	CHECK(got == 11);

	OK(cudaMemset(flag, 0, sizeof *flag));
	rally<<<1, 1, 0, a>>>(flag, 0, 100);
	FAILS(cudaErrorNotReady, cudaStreamQuery(a));
	rally<<<1, 1, 0, b>>>(flag, 1, 100);
	OK(cudaStreamQuery(a));
	OK(cudaDeviceSynchronize());
	OK(cudaMemcpy(&got, flag, sizeof got, cudaMemcpyDeviceToHost));
	CHECK(got == 100);
	OK(cudaStreamDestroy(a));
	OK(cudaStreamDestroy(b));
	OK(cudaEventDestroy(e));
	OK(cudaFree(flag));
}

// A kernel that waits in a graph; what is allocated and freed beside it.
static void
graph()
{
	int *flag, *p, *q, got;
	cudaStream_t s;
	cudaGraph_t g;
	cudaGraphExec_t x;
	OK(cudaStreamCreate(&s));
	OK(cudaMallocHost(&flag, sizeof *flag));
	OK(cudaMalloc(&p, sizeof *p));
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	wait_for<<<1, 1, 0, s>>>(flag, 1, p);
	add<<<1, 1, 0, s>>>(p, 5);
	OK(cudaStreamEndCapture(s, &g));
	OK(cudaGraphInstantiate(&x, g, 0));
	for (int i = 0; i < 2; i++) {
		*flag = 0;
		OK(cudaGraphLaunch(x, s));
		FAILS(cudaErrorNotReady, cudaStreamQuery(s));
		OK(cudaMalloc(&q, 1000));
		OK(cudaMallocAsync((void **)&q, 1000, s));
		OK(cudaFreeAsync(q, s));
		*(volatile int *)flag = 1;
		OK(cudaMemcpy(&got, p, sizeof got, cudaMemcpyDeviceToHost));
		CHECK(got == 15);
		OK(cudaGraphLaunch(x, s)); // the flag is up: it is done at once
		OK(cudaStreamQuery(s));
	}
	OK(cudaGraphExecDestroy(x));
	OK(cudaGraphDestroy(g));
	OK(cudaFree(p));
	OK(cudaFreeHost(flag));
	OK(cudaStreamDestroy(s));
}

// Another thread of the program writes the flag while this one waits for the kernel.
static void
other_thread()
{
	int *flag, got;
	OK(cudaMallocManaged(&flag, 2 * sizeof *flag));
	flag[0] = 0;
	wait_for<<<3, 64>>>(flag, 3, flag + 1);
	std::thread t([flag] {
		FAILS(cudaErrorNotReady, cudaStreamQuery(0));
		*(volatile int *)flag = 3;
	});
	OK(cudaDeviceSynchronize());
	t.join();
	got = flag[1];
	CHECK(got == 30);
	OK(cudaFree(flag));
}

// A kernel that never rests, counting while it waits.
__global__ void
count(volatile int *flag, volatile unsigned *beats)
{
	while (!*flag)
		++*beats;
}

static void
heartbeat()
{
	volatile unsigned *v;
	OK(cudaMallocManaged((void **)&v, 2 * sizeof *v));
	v[0] = v[1] = 0;
	count<<<1, 1>>>((volatile int *)v, v + 1);
	FAILS(cudaErrorNotReady, cudaStreamQuery(0));
	const unsigned then = v[1];
	while (v[1] == then)
		std::this_thread::yield();
	v[0] = 1;
	OK(cudaDeviceSynchronize());
	OK(cudaFree((void *)v));
}

// A function in the loop that looks.
__device__ __noinline__ int
look(volatile int *flag)
{
	return *flag;
}

__global__ void
wait_by_call(volatile int *flag, int *out)
{
	while (look(flag) != 3)
		;
	*out = 4;
}

static void
by_call()
{
	int *flag;
	OK(cudaMallocManaged(&flag, 2 * sizeof *flag));
	flag[0] = flag[1] = 0;
	wait_by_call<<<1, 32>>>(flag, flag + 1);
	FAILS(cudaErrorNotReady, cudaStreamQuery(0));
	*(volatile int *)flag = 3;
	OK(cudaDeviceSynchronize());
	CHECK(flag[1] == 4);
	OK(cudaFree(flag));
}

// What a kernel was given that still waits is there when it goes on.
__global__ void
fetch_after(volatile int *flag, cudaTextureObject_t t, cudaSurfaceObject_t s, int *out)
{
	while (!*flag)
		;
	out[0] = tex2D<int>(t, 1, 1);
	surf2Dread(out + 1, s, 4, 0);
}

static void
objects_go()
{
	const int from[4] = {1, 2, 3, 4};
	int *flag, *out;
	cudaArray_t a;
	cudaTextureObject_t t;
	cudaSurfaceObject_t s;
	const cudaChannelFormatDesc d = cudaCreateChannelDesc<int>();
	cudaResourceDesc r = {};
	cudaTextureDesc how = {};
	OK(cudaMallocManaged(&flag, 3 * sizeof *flag));
	out = flag + 1;
	*flag = 0;
	OK(cudaMallocArray(&a, &d, 2, 2, cudaArraySurfaceLoadStore));
	OK(cudaMemcpy2DToArray(a, 0, 0, from, 8, 8, 2, cudaMemcpyHostToDevice));
	r.resType = cudaResourceTypeArray;
	r.res.array.array = a;
	OK(cudaCreateTextureObject(&t, &r, &how, nullptr));
	OK(cudaCreateSurfaceObject(&s, &r));
	fetch_after<<<1, 1>>>(flag, t, s, out);
	OK(cudaDestroyTextureObject(t));
	OK(cudaDestroySurfaceObject(s));
	FAILS(cudaErrorInvalidValue, cudaDestroyTextureObject(t));
	FAILS(cudaErrorInvalidValue, cudaGetLastError());
	FAILS(cudaErrorNotReady, cudaStreamQuery(0));
	*(volatile int *)flag = 1;
	OK(cudaFreeArray(a));
	CHECK(out[0] == 4 && out[1] == 2);
	OK(cudaFree(flag));
}

// Functions of the program's behind a kernel that waits: calls of the runtime in them, those that
// call a function of the program's in turn.
static void CUDART_CB
end_object(void *what)
{
	cudaFree(nullptr);
	++*(std::atomic<int> *)what;
}

static void CUDART_CB
call_back(void *what)
{
	cudaUserObject_t u;
	cudaStream_t s;
	OK(cudaStreamCreate(&s));
	OK(cudaUserObjectCreate(&u, what, end_object, 1, cudaUserObjectNoDestructorSync));
	OK(cudaUserObjectRelease(u, 1));
	OK(cudaStreamDestroy(s));
	++*(std::atomic<int> *)what;
}

static void
calls_back()
{
	static std::atomic<int> calls;
	int *flag;
	OK(cudaMallocManaged(&flag, sizeof *flag));
	*flag = 0;
	wait_for<<<1, 1>>>(flag, 1, nullptr);
	OK(cudaLaunchHostFunc(0, call_back, &calls));
	CHECK(!calls);
	*(volatile int *)flag = 1;
	OK(cudaDeviceSynchronize());
	CHECK(calls == 2);
	OK(cudaFree(flag));
}

__global__ void
fail_after(volatile int *flag)
{
	while (!*flag)
		;
	__trap();
}

// The driver's interface sees the same; what goes wrong is told where the program waits.
static void
told_late()
{
	int *flag;
	CUfunction f;
	OK(cudaMallocHost(&flag, sizeof *flag));
	*flag = 0;
	void *args[] = {&flag};
	OK(cudaGetFuncBySymbol(&f, (const void *)fail_after));
	CHECK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, args, nullptr) == CUDA_SUCCESS);
	CHECK(cuStreamQuery(0) == CUDA_ERROR_NOT_READY);
	add<<<1, 1>>>(flag, 5);
	OK(cudaGetLastError());
	*(volatile int *)flag = 1;
	FAILS(cudaErrorLaunchFailure, cudaDeviceSynchronize());
	FAILS(cudaErrorLaunchFailure, cudaStreamQuery(0));
	CHECK(*flag == 1);
	OK(cudaDeviceReset());
}

int
main(int argc, char **argv)
{
	if (argc > 1) { // for ever
		int *flag;
		OK(cudaMallocManaged(&flag, sizeof *flag));
		*flag = 0;
		wait_for<<<1, 1>>>(flag, 1, nullptr);
		FAILS(argv[1][0] == 'b' ? cudaErrorLaunchTimeout : cudaSuccess, cudaGetLastError());
		if (argv[1][0] == 'f') { // a child has no device, and takes nothing from its parent
			const pid_t child = fork();
			if (!child)
				_exit(cudaDeviceSynchronize() == cudaErrorInitializationError ? 7
											      : 8);
			int status;
			CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7);
			FAILS(cudaErrorNotReady, cudaStreamQuery(0));
			*(volatile int *)flag = 1;
			OK(cudaDeviceSynchronize());
		}
		if (argv[1][0] == 'l') { // memory that others might write
			OK(cudaHostRegister(std::malloc(4096), 4096, 0));
			FAILS(cudaErrorLaunchTimeout, cudaDeviceSynchronize());
		}
		if (argv[1][0] == 'w')
			FAILS(cudaErrorLaunchTimeout, cudaDeviceSynchronize());
		return passed();
	}
	in_stream_order();
	beside();
	requests();
	across_streams();
	graph();
	other_thread();
	heartbeat();
	by_call();
	objects_go();
	calls_back();
	told_late();
	return passed();
}
