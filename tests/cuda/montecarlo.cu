// nvcc -gencode arch=compute_75,code=compute_75
// Random numbers in kernels, of the generators that CUDA's headers bring.
#include <curand_kernel.h>
#include <cmath>
#include <vector>
#include "check.h"

static const int THREADS = 256, DRAWS = 100;

template <class State>
__global__ void
begin(State *s)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	curand_init(1234, i, 0, &s[i]);
}

template <class State>
__global__ void
draw(State *s, int *inside, float *sum)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	State own = s[i];
	int n = 0;
	float total = 0;
	for (int k = 0; k < DRAWS; k++) {
		const float x = curand_uniform(&own), y = curand_uniform(&own);
		n += x * x + y * y <= 1;
		total += curand_normal(&own);
	}
	inside[i] = n;
	sum[i] = total;
	s[i] = own;
}

template <class State>
static void
check(void)
{
	std::vector<int> inside(THREADS);
	std::vector<float> sum(THREADS);
	State *s;
	int *device_inside;
	float *device_sum;
	double n = 0, total = 0;
	OK(cudaMalloc(&s, THREADS * sizeof *s));
	OK(cudaMalloc(&device_inside, THREADS * sizeof(int)));
	OK(cudaMalloc(&device_sum, THREADS * sizeof(float)));
	begin<<<2, THREADS / 2>>>(s);
	draw<<<2, THREADS / 2>>>(s, device_inside, device_sum);
	OK(cudaMemcpy(inside.data(), device_inside, THREADS * sizeof(int), cudaMemcpyDeviceToHost));
	OK(cudaMemcpy(sum.data(), device_sum, THREADS * sizeof(float), cudaMemcpyDeviceToHost));
	for (int i = 0; i < THREADS; i++) {
		n += inside[i];
		total += sum[i];
	}
	CHECK(std::fabs(4 * n / (THREADS * DRAWS) - M_PI) < 0.05);
	CHECK(std::fabs(total / (THREADS * DRAWS)) < 0.03);
}

int
main()
{
	check<curandStateXORWOW_t>();
	check<curandStatePhilox4_32_10_t>();
	check<curandStateMRG32k3a_t>();
	return passed();
}
