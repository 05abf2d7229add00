/* A product of matrices: tiles in shared memory, the next one on its way while this one is used.
 */
#include "check.h"

#include <vector>

template <int T>
__global__ void
multiply(const float *a, const float *b, float *c, int n)
{
	__shared__ float tile_a[2][T][T + 1], tile_b[2][T][T + 1];
	const int x = threadIdx.x, y = threadIdx.y;
	const int column = blockIdx.x * T + x, row = blockIdx.y * T + y;
	float sum = 0;

	tile_a[0][y][x] = a[row * n + x];
	tile_b[0][y][x] = b[y * n + column];
	__syncthreads();
	for (int t = 0; t < n / T; t++) {
		const int now = t & 1;
		float next_a = 0, next_b = 0;

		if (t + 1 < n / T) {
			next_a = a[row * n + (t + 1) * T + x];
			next_b = b[((t + 1) * T + y) * n + column];
		}
#pragma unroll
		for (int i = 0; i < T; i++)
			sum += tile_a[now][y][i] * tile_b[now][i][x];
		if (t + 1 < n / T) {
			tile_a[1 - now][y][x] = next_a;
			tile_b[1 - now][y][x] = next_b;
		}
		__syncthreads();
	}
	c[row * n + column] = sum;
}

template <int T>
static void
check(int n)
{
	const size_t bytes = sizeof(float) * n * n;
	std::vector<float> a(n * n), b(n * n), c(n * n);
	float *device[3];

	for (int i = 0; i < n * n; i++) {
		a[i] = (float)(i * 7 % 11);
		b[i] = (float)(i * 5 % 13);
	}
	for (float *&p : device)
		OK(cudaMalloc(&p, bytes));
	OK(cudaMemcpy(device[0], a.data(), bytes, cudaMemcpyDefault));
	OK(cudaMemcpy(device[1], b.data(), bytes, cudaMemcpyDefault));
	OK(cudaFuncSetAttribute(multiply<T>, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
	multiply<T><<<dim3(n / T, n / T), dim3(T, T)>>>(device[0], device[1], device[2], n);
	OK(cudaGetLastError());
	OK(cudaMemcpy(c.data(), device[2], bytes, cudaMemcpyDefault));
	for (int i = 0; i < n * n; i++) {
		float sum = 0;

		for (int k = 0; k < n; k++)
			sum += a[i / n * n + k] * b[k * n + i % n];
		CHECK(c[i] == sum);
	}
	for (float *p : device)
		OK(cudaFree(p));
}

int
main(void)
{
	check<8>(64);
	check<16>(96);
	return passed();
}
