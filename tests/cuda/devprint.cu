// nvcc -arch=sm_75
/* printf, assert, the heap and virtual functions in kernels. */
#include "check.h"

struct shape {
	float size;
	__device__ shape(float s) : size(s)
	{
	}
	__device__ virtual float area() const = 0;
	__device__ virtual ~shape()
	{
	}
};
struct square : shape {
	using shape::shape;
	__device__ float area() const override
	{
		return size * size;
	}
};
struct triangle : shape {
	using shape::shape;
	__device__ float area() const override
	{
		return size * size / 2;
	}
};

__global__ void
make(shape **list, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		list[i] = i % 3 ? (shape *)new square((float)i) : (shape *)new triangle((float)i);
}

__global__ void
measure(shape **list, float *area, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	area[i] = list[i]->area();
	if (i % 100 == 0)
		printf("shape %d has area %.1f\n", i, area[i]);
	delete list[i];
}

int
main()
{
	const int n = 1000;
	shape **list;
	float *area, host[n];
	OK(cudaMalloc(&list, n * sizeof *list));
	OK(cudaMalloc(&area, sizeof host));
	make<<<8, 128>>>(list, n);
	measure<<<8, 128>>>(list, area, n);
	OK(cudaMemcpy(host, area, sizeof host, cudaMemcpyDeviceToHost));
	for (int i = 0; i < n; i++)
		CHECK(host[i] == (i % 3 ? (float)i * i : (float)i * i / 2));
	OK(cudaFree(list));
	OK(cudaFree(area));
	return passed();
}
