// nvcc -arch=sm_75
/* CUB, as it comes: device-wide scan, reduction, radix sort, histogram and selection. */
#include <algorithm>
#include <cub/cub.cuh>
#include <numeric>
#include <vector>
#include "check.h"

const int N = 20000;

struct is_even {
	__device__ bool operator()(int x) const
	{
		return x % 2 == 0;
	}
};

template <typename F>
static void
with_room(F f)
{
	size_t bytes = 0;
	void *room = NULL;
	OK(f(room, bytes));
	OK(cudaMalloc(&room, bytes));
	OK(f(room, bytes));
	OK(cudaDeviceSynchronize());
	OK(cudaFree(room));
}

int
main()
{
	int *in, *out, *n;
	OK(cudaMallocManaged(&in, N * sizeof *in));
	OK(cudaMallocManaged(&out, N * sizeof *out));
	OK(cudaMallocManaged(&n, 1024 * sizeof *n));
	std::vector<int> v(N), w(N);
	for (int i = 0; i < N; i++)
		in[i] = v[(size_t)i] = (int)((unsigned)i * 2654435761u >> 12) % 100003;
	with_room([&](void *r, size_t &b) { return cub::DeviceReduce::Sum(r, b, in, n, N); });
	CHECK(*n == std::accumulate(v.begin(), v.end(), 0));
	with_room(
	    [&](void *r, size_t &b) { return cub::DeviceScan::InclusiveSum(r, b, in, out, N); });
	std::partial_sum(v.begin(), v.end(), w.begin());
	CHECK(std::equal(w.begin(), w.end(), out));
	with_room(
	    [&](void *r, size_t &b) { return cub::DeviceRadixSort::SortKeys(r, b, in, out, N); });
	w = v;
	std::sort(w.begin(), w.end());
	CHECK(std::equal(w.begin(), w.end(), out));
	with_room([&](void *r, size_t &b) {
		return cub::DeviceSelect::If(r, b, in, out, n, N, is_even());
	});
	w.clear();
	std::copy_if(v.begin(), v.end(), std::back_inserter(w), [](int x) { return x % 2 == 0; });
	CHECK(*n == (int)w.size() && std::equal(w.begin(), w.end(), out));
	with_room([&](void *r, size_t &b) {
		return cub::DeviceHistogram::HistogramEven(r, b, in, n, 101, 0, 100100, N);
	});
	std::vector<int> h(100);
	for (int x : v)
		h[(size_t)(x / 1001)]++;
	CHECK(std::equal(h.begin(), h.end(), n));
	return passed();
}
