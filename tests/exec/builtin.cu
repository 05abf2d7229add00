/* nvcc -ptx -arch=sm_75 -o builtin.ptx builtin.cu */
#include <cassert>
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;

struct shape {
	__device__ virtual int area(int x) = 0;
};
struct plus : shape {
	int a;
	__device__ int area(int x) override { return x + a; }
};
struct times : shape {
	int b;
	__device__ int area(int x) override { return x * b; }
};

extern "C" __global__ void k_print(int *out)
{
	const int t = threadIdx.x + blockIdx.x * blockDim.x;
	if (t % 100 < 2) {
		printf("%d|%5.2f|%s|%c|%lld|%-4d|%06d|%x|%%|%e|%*d|%.3s|%hhd|%u|%lu|%+g|%#o|%p\n", t,
		    t * 1.5, t == 1 ? "one" : "other", 'a' + t % 26, (long long)t << 40, t, -t,
		    255 + t, 1e10 * t, 5, t, "abcdef", 300, 0u - 1u, 1ul << 60, 2.5, 8,
		    (void *)0x1234);
	}
	out[t] = t % 100 == 3 ? printf("x%d %d\n", 1, 2) : 0;
}

extern "C" __global__ void k_heap(int *out)
{
	const int t = threadIdx.x + blockIdx.x * blockDim.x;
	int *p = (int *)malloc(16 + t * 4);
	shape *s;
	if (t & 1) {
		plus *q = new plus;
		q->a = 7;
		s = q;
	} else {
		times *q = new times;
		q->b = 9;
		s = q;
	}
	p[3] = s->area(t);
	out[t] = p[3] + (malloc(1ull << 40) != NULL);
	free(p);
	delete s;
}

extern "C" __global__ void k_leak(int *out)
{
	out[threadIdx.x] = malloc(1 << 20) != NULL;
}

extern "C" __global__ void k_twice(int *out)
{
	void *p = malloc(8);
	if (threadIdx.x == 5)
		free(p);
	free(p);
	out[0] = 1;
}

extern "C" __global__ void k_assert(int *out)
{
	const int t = threadIdx.x;
	assert(t < 40 && "must be small");
	out[t] = 1;
}

extern "C" __global__ void k_grid(int *out)
{
	cg::grid_group g = cg::this_grid();
	const int t = threadIdx.x + blockIdx.x * blockDim.x, n = gridDim.x * blockDim.x;
	for (int i = 0; i < 5; i++) {
		out[t] += 1;
		g.sync();
		if (t == 0)
			for (int k = 0; k < n; k++)
				if (out[k] != i + 1)
					out[k] = -1000;
		g.sync();
	}
}

__device__ int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
__device__ int square(int x)
{
	return x * x;
}
__device__ int cube(int x)
{
	return x * x * x;
}
__device__ int (*table[3])(int) = {fib, square, cube};

extern "C" __global__ void k_pointers(int *out)
{
	const int t = threadIdx.x;
	out[t] = table[t % 3](t % 12);
}

extern "C" __global__ void k_clock(int *out)
{
	const long long a = clock64();
	__nanosleep(1000);
	unsigned long long g;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g));
	const long long b = clock64();
	out[threadIdx.x] = b - a >= 1000 && g > (unsigned long long)a && g < (unsigned long long)b;
}

__device__ __noinline__ int deep(int n, int *p)
{
	volatile int *q = (volatile int *)alloca(4 * n);
	for (int i = 0; i < n; i++)
		q[i] = i + p[0];
	int s = 0;
	for (int i = 0; i < n; i++)
		s += q[i];
	return s;
}

extern "C" __global__ void k_alloca(int *out)
{
	const int t = threadIdx.x;
	int s = 0, one = 1;
	for (int i = 0; i < 1000; i++)
		s += deep(t % 20 + 1, &one);
	out[t] = s;
}
