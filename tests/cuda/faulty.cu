// nvcc -lineinfo
// Programs that are wrong in one way each: faulty WAY.
#include <csignal>
#include "check.h"

__global__ void
reach(int *p, int i)
{
	p[i] = 1;
}

__global__ void
skewed(char *p)
{
	*(int *)(p + 2) = 1;
}

__global__ void
forever(volatile int *p)
{
	while (*p == 0)
		p[1]++;
}

__global__ void
apart(int *p)
{
	__shared__ int s[64];
	s[threadIdx.x] = 1;
	if (threadIdx.x % 2)
		__syncthreads();
	else
		s[threadIdx.x] = 2;
	p[0] = s[threadIdx.x ^ 1];
}

__global__ void
stop(void)
{
	__trap();
}

__device__ __forceinline__ void
put(int *p, int i)
{
	p[i] = 2;
}

__global__ void
through(int *p)
{
	put(p, 64);
}

__global__ void
keep(int n)
{
	if ((int)threadIdx.x < n)
		*(int *)malloc(16) = 1;
}

__global__ void
give_back(char *p, int skip)
{
	char *own = (char *)malloc(16);
	free(p ? p : own + skip);
	free(own);
}

__global__ void
make(void **p)
{
	*p = malloc(32);
}

__global__ void
reach_shared(int i)
{
	extern __shared__ int s[];
	((volatile int *)s)[i] = 1;
}

__global__ void
skew_shared(int i)
{
	extern __shared__ int s[];
	*(volatile int *)((char *)s + i) = 1;
}

__global__ void
read_shared(int *p)
{
	extern __shared__ int s[];
	*p = ((volatile int *)s)[1];
}

template <int N>
__device__ __noinline__ void
down(int *p)
{
	if constexpr (N == 0)
		*p = 1;
	else
		down<N - 1>(p);
	*(volatile int *)p = N;
}

__global__ void
deep(int *p)
{
	down<12>(p);
}

// Destroyed after main.
struct late {
	void *p = nullptr;
	~late()
	{
		cudaFree(p);
	}
} late_one;

// What has to do with allocations.
static bool
allocates(const char *way, int *p)
{
	void *q;
	if (!strcmp(way, "kept"))
		keep<<<1, 64>>>(3);
	else if (!strcmp(way, "kept many"))
		keep<<<2, 64>>>(64);
	else if (!strcmp(way, "wild free"))
		give_back<<<1, 1>>>(nullptr, 4);
	else if (!strcmp(way, "free twice"))
		give_back<<<1, 1>>>(nullptr, 0);
	else if (!strcmp(way, "free of the host's"))
		give_back<<<1, 1>>>((char *)p, 0);
	else if (!strcmp(way, "host free")) {
		make<<<1, 1>>>((void **)p);
		OK(cudaMemcpy(&q, p, sizeof q, cudaMemcpyDeviceToHost));
		std::printf("%s\n", cudaGetErrorName(cudaFree(q)));
	} else if (!strcmp(way, "reset")) {
		OK(cudaMalloc(&q, 7));
		keep<<<1, 64>>>(1);
		OK(cudaDeviceReset());
		OK(cudaMalloc(&late_one.p, 8));
		std::puts("after");
		std::fflush(stdout);
	} else if (!strcmp(way, "many"))
		for (int i = 1; i < 30; i++)
			OK(cudaMalloc(&q, i));
	else
		return false;
	return true;
}

int
main(int, char **argv)
{
	int *p, own[4];
	const char *way = argv[1];
	OK(cudaMalloc(&p, 256));
	if (allocates(way, p))
		;
	else if (!strcmp(way, "deep"))
		deep<<<1, 1>>>(nullptr);
	else if (!strcmp(way, "shared"))
		reach_shared<<<1, 1, 64>>>(16);
	else if (!strcmp(way, "shared skewed"))
		skew_shared<<<1, 1, 64>>>(2);
	else if (!strcmp(way, "unwritten"))
		read_shared<<<1, 1, 64>>>(p);
	else if (!strcmp(way, "beyond"))
		reach<<<1, 1>>>(p, 64);
	else if (!strcmp(way, "through"))
		through<<<1, 1>>>(p);
	else if (!strcmp(way, "own"))
		reach<<<1, 1>>>(own, 0);
	else if (!strcmp(way, "null"))
		reach<<<1, 1>>>(NULL, 0);
	else if (!strcmp(way, "freed")) {
		OK(cudaFree(p));
		reach<<<1, 1>>>(p, 0);
	} else if (!strcmp(way, "skewed"))
		skewed<<<1, 1>>>((char *)p);
	else if (!strcmp(way, "forever"))
		forever<<<1, 1>>>(p);
	else if (!strcmp(way, "apart"))
		apart<<<1, 64>>>(p);
	else if (!strcmp(way, "trap"))
		stop<<<1, 1>>>();
	else if (!strcmp(way, "twice")) {
		OK(cudaFree(p));
		std::printf("%s\n", cudaGetErrorName(cudaFree(p)));
	} else if (!strcmp(way, "host"))
		*p = 1;
	else if (!strcmp(way, "raise"))
		reach<<<1, 1>>>(p, 0), raise(SIGSEGV);
	else if (!strcmp(way, "abort"))
		reach<<<1, 1>>>(p, 0), std::abort();
	std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
	return 0;
}
