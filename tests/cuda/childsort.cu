// nvcc -rdc=true -gencode arch=compute_75,code=compute_75
// Quicksort: each part is sorted by a grid of its own, small ones and those too deep by their thread.
#include <algorithm>
#include <vector>
#include "check.h"

static __device__ void
insertion(int *x, int n)
{
	for (int i = 1; i < n; i++)
		for (int k = i; k > 0 && x[k - 1] > x[k]; k--) {
			const int t = x[k];
			x[k] = x[k - 1];
			x[k - 1] = t;
		}
}

__global__ void
sort(int *x, int n, int depth)
{
	if (depth == 16 || n < 20) {
		insertion(x, n);
		return;
	}
	const int pivot = x[n / 2];
	int l = 0, r = n - 1;
	while (l <= r) {
		while (x[l] < pivot)
			l++;
		while (x[r] > pivot)
			r--;
		if (l <= r) {
			const int t = x[l];
			x[l++] = x[r];
			x[r--] = t;
		}
	}
	cudaStream_t s;
	if (r > 0) {
		cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
		sort<<<1, 1, 0, s>>>(x, r + 1, depth + 1);
		cudaStreamDestroy(s);
	}
	if (l < n - 1) {
		cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
		sort<<<1, 1, 0, s>>>(x + l, n - l, depth + 1);
		cudaStreamDestroy(s);
	}
}

int
main()
{
	const int n = 5000;
	std::vector<int> x(n), y(n);
	unsigned seed = 7;
	for (int &v : x)
		v = (int)((seed = seed * 1664525 + 1013904223) >> 12) % 3000;
	int *d;
	OK(cudaMalloc(&d, n * sizeof(int)));
	OK(cudaMemcpy(d, x.data(), n * sizeof(int), cudaMemcpyHostToDevice));
	sort<<<1, 1>>>(d, n, 0);
	OK(cudaGetLastError());
	OK(cudaDeviceSynchronize());
	OK(cudaMemcpy(y.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost));
	std::sort(x.begin(), x.end());
	CHECK(x == y);
	OK(cudaFree(d));
	return passed();
}
