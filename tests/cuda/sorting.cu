// CCCL's algorithms: sort, scan, reduce by key, through Thrust and CUB.
#include <cub/cub.cuh>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <algorithm>
#include <numeric>
#include <vector>
#include "check.h"

int
main()
{
	const int n = 3000;
	std::vector<unsigned> host(n);
	unsigned x = 7;
	for (unsigned &v : host)
		v = (x = x * 1664525 + 1013904223) >> 4;
	thrust::device_vector<unsigned> d(host.begin(), host.end()), s(n);
	thrust::sort(d.begin(), d.end());
	std::vector<unsigned> sorted = host, got(n);
	std::sort(sorted.begin(), sorted.end());
	thrust::copy(d.begin(), d.end(), got.begin());
	CHECK(got == sorted);
	thrust::inclusive_scan(d.begin(), d.end(), s.begin());
	std::partial_sum(sorted.begin(), sorted.end(), sorted.begin());
	thrust::copy(s.begin(), s.end(), got.begin());
	CHECK(got == sorted);
	CHECK(thrust::reduce(d.begin(), d.end()) == sorted.back());

	size_t bytes = 0;
	unsigned *in, *most, top;
	void *work;
	OK(cudaMalloc(&in, n * sizeof *in));
	OK(cudaMalloc(&most, sizeof *most));
	OK(cudaMemcpy(in, host.data(), n * sizeof *in, cudaMemcpyHostToDevice));
	OK(cub::DeviceReduce::Max(NULL, bytes, in, most, n));
	OK(cudaMalloc(&work, bytes));
	OK(cub::DeviceReduce::Max(work, bytes, in, most, n));
	OK(cudaMemcpy(&top, most, sizeof top, cudaMemcpyDeviceToHost));
	CHECK(top == *std::max_element(host.begin(), host.end()));
	return passed();
}
