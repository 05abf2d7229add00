/*
 * CUDA C++ whose PTX has what compilers make of the harder parts of the language: function tables, virtual calls,
 * recursion, structs by value, switch tables, initialisers with addresses, inline assembly with scopes of its own.
 *
 *	nvcc -ptx -arch=sm_75 -o features-75.ptx features.cu
 *	nvcc -ptx -arch=sm_100 -lineinfo -o features-100-lineinfo.ptx features.cu
 */
#include <cstdio>

struct Shape {
	__device__ virtual float area() const { return 0; }
};
struct Square : Shape {
	float side;
	__device__ Square(float x) : side(x) {}
	__device__ float area() const override { return side * side; }
};
struct Circle : Shape {
	float radius;
	__device__ Circle(float x) : radius(x) {}
	__device__ float area() const override { return 3.14f * radius * radius; }
};

__constant__ float coef[4] = {1.5f, 2, -3, 0.25f};
__constant__ int tab[2][3] = {{1, 2, 3}, {4}};
__device__ double real = 3.25;
__device__ char msg[] = "hello \"x\"\n";
__device__ int garr[10];
__device__ int *ptrs[3] = {garr + 2, nullptr, garr};
struct Mixed {
	char c;
	int *p;
};
__device__ Mixed mixed[2] = {{'a', garr + 1}, {'b', garr}};
__managed__ int managed = 7;

typedef int (*fn)(int, int);
__device__ __noinline__ int add(int a, int b) { return a + b; }
__device__ __noinline__ int mul(int a, int b) { return a * b; }
__device__ fn fns[2] = {add, mul};
__device__ __noinline__ int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }

extern __shared__ float dyn[];
struct Big {
	double a[5];
	char c;
	short s;
};

__global__ void __launch_bounds__(256, 2) tile(float *o, const float *i, int n, Big b)
{
	__shared__ float t[64][33];
	int x = threadIdx.x;
	t[x & 63][x % 33] = i[x] * coef[x & 3];
	dyn[x] = (float)b.a[x % 5] + b.c + b.s;
	__syncthreads();
	float v = t[x % 64][0];
	v += __shfl_down_sync(~0u, v, 4);
	unsigned bl = __ballot_sync(~0u, v > 0);
	if (__any_sync(~0u, v < n))
		atomicAdd(o, v);
	o[x] = v + __popc(bl) + dyn[x ^ 1] + (float)real;
}

__global__ void calls(int *o, int n, int which)
{
	o[threadIdx.x] = fns[which](n, o[threadIdx.x]) + fact(n);
	if (n == 77)
		printf("%d %s\n", n, msg);
	switch (which) {
	case 0: o[0] = 1; break;
	case 1: o[3] = n; break;
	case 2: o[5] = n * n; break;
	case 3: o[1] = 4; break;
	case 4: o[7] = tab[n][which]; break;
	case 5: o[9] = 9; break;
	case 7: *ptrs[0] = 2; break;
	case 8: *mixed[n].p = mixed[0].c; break;
	}
}

__global__ void shapes(float *o, int n)
{
	Square s(n);
	Circle c(n);
	Shape *p = n & 1 ? (Shape *)&s : (Shape *)&c;
	o[0] = p->area();
}

__global__ void assembly(unsigned long long *q)
{
	atomicCAS(q, 1ull, 2ull);
	asm volatile("{ .reg .pred p; setp.ne.s32 p, %0, 0; @p bra L; trap; L: }" ::"r"(managed));
	asm volatile("{ .reg .pred p; setp.ne.s32 p, %0, 1; @!p bra L; trap; L: nanosleep.u32 4; }" ::"r"(managed));
}
