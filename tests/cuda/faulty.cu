// nvcc -lineinfo
// Programs that are wrong in one way each: faulty WAY.
#include <cstring>
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

int
main(int, char **argv)
{
	int *p, own[4];
	const char *way = argv[1];
	OK(cudaMalloc(&p, 256));
	if (!strcmp(way, "beyond"))
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
	else if (!strcmp(way, "abort"))
		reach<<<1, 1>>>(p, 0), std::abort();
	std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
	return 0;
}
