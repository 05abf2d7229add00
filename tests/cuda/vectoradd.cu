// The shortest program that does something: three buffers, one launch.
#include <vector>
#include "check.h"

__global__ void
add(const float *a, const float *b, float *c, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		c[i] = a[i] + b[i];
}

int
main()
{
	const int n = 10000;
	std::vector<float> a(n), b(n), c(n);
	for (int i = 0; i < n; i++) {
		a[i] = i;
		b[i] = 0.5f * i;
	}
	float *d[3];
	for (float *&p : d)
		OK(cudaMalloc(&p, n * sizeof *p));
	OK(cudaMemcpy(d[0], a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
	OK(cudaMemcpy(d[1], b.data(), n * sizeof(float), cudaMemcpyHostToDevice));
	add<<<(n + 255) / 256, 256>>>(d[0], d[1], d[2], n);
	OK(cudaGetLastError());
	OK(cudaDeviceSynchronize());
	OK(cudaMemcpy(c.data(), d[2], n * sizeof(float), cudaMemcpyDeviceToHost));
	for (int i = 0; i < n; i++)
		CHECK(c[i] == a[i] + b[i]);
	for (float *p : d)
		OK(cudaFree(p));
	return passed();
}
