// Well-known ways to use a GPU: a tiled product with double buffering, a stencil with halos, a
// histogram private to each block, warp-aggregated atomics, persistent threads with a queue.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <vector>
#include "check.h"

namespace cg = cooperative_groups;
enum { TILE = 16, N = 80, CELLS = 1000, RADIUS = 3, BINS = 64 };

__global__ void
product(const float *a, const float *b, float *c, int n)
{
	__shared__ float s[2][2][TILE][TILE];
	const int x = threadIdx.x, y = threadIdx.y;
	const int column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
	float sum = 0;
	int at = 0;
	s[0][0][y][x] = a[row * n + x];
	s[0][1][y][x] = b[y * n + column];
	__syncthreads();
	for (int t = 0; t < n / TILE; t++, at ^= 1) {
		if (t + 1 < n / TILE) {
			s[at ^ 1][0][y][x] = a[row * n + (t + 1) * TILE + x];
			s[at ^ 1][1][y][x] = b[((t + 1) * TILE + y) * n + column];
		}
		for (int k = 0; k < TILE; k++)
			sum += s[at][0][y][k] * s[at][1][k][x];
		__syncthreads();
	}
	c[row * n + column] = sum;
}

__global__ void
stencil(const int *in, int *out, int n)
{
	__shared__ int s[128 + 2 * RADIUS];
	const int i = blockIdx.x * 128 + threadIdx.x, at = threadIdx.x + RADIUS;
	s[at] = i < n ? in[i] : 0;
	if (threadIdx.x < RADIUS) {
		s[at - RADIUS] = i >= RADIUS ? in[i - RADIUS] : 0;
		s[at + 128] = i + 128 < n ? in[i + 128] : 0;
	}
	__syncthreads();
	int sum = 0;
	for (int k = -RADIUS; k <= RADIUS; k++)
		sum += s[at + k];
	if (i < n)
		out[i] = sum;
}

__global__ void
histogram(const unsigned *in, int n, unsigned *bins)
{
	__shared__ unsigned own[BINS];
	for (int i = threadIdx.x; i < BINS; i += blockDim.x)
		own[i] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&own[in[i] % BINS], 1);
	__syncthreads();
	for (int i = threadIdx.x; i < BINS; i += blockDim.x)
		atomicAdd(&bins[i], own[i]);
}

__global__ void
filter(const unsigned *in, int n, unsigned *out, int *count)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n && in[i] % 3 == 0) {
		const cg::coalesced_group g = cg::coalesced_threads();
		int first;
		if (g.thread_rank() == 0)
			first = atomicAdd(count, (int)g.size());
		first = g.shfl(first, 0);
		out[first + g.thread_rank()] = in[i];
	}
}

__global__ void
workers(int *next, int jobs, int *done)
{
	__shared__ int job;
	for (;;) {
		if (threadIdx.x == 0)
			job = atomicAdd(next, 1);
		__syncthreads();
		const int mine = job;
		__syncthreads();
		if (mine >= jobs)
			return;
		if (threadIdx.x == 0)
			done[mine] += mine * mine;
	}
}

__global__ void
total(const int *in, int n, int *sum)
{
	const cg::thread_block block = cg::this_thread_block();
	const cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
	int own = 0;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		own += in[i];
	own = cg::reduce(warp, own, cg::plus<int>());
	if (warp.thread_rank() == 0)
		atomicAdd(sum, own);
}

template <class T>
static T *
managed(size_t n)
{
	T *p;
	OK(cudaMallocManaged(&p, n * sizeof(T)));
	return p;
}

static void
matrices()
{
	float *a = managed<float>(N * N), *b = managed<float>(N * N), *c = managed<float>(N * N);
	for (int i = 0; i < N * N; i++) {
		a[i] = i % 7 - 3;
		b[i] = i % 5 - 2;
	}
	product<<<dim3(N / TILE, N / TILE), dim3(TILE, TILE)>>>(a, b, c, N);
	OK(cudaDeviceSynchronize());
	for (int y = 0; y < N; y++)
		for (int x = 0; x < N; x++) {
			float sum = 0;
			for (int k = 0; k < N; k++)
				sum += a[y * N + k] * b[k * N + x];
			CHECK(c[y * N + x] == sum);
		}
}

static void
sequences()
{
	int *in = managed<int>(CELLS), *out = managed<int>(CELLS), *sum = managed<int>(1);
	int expected = 0;
	for (int i = 0; i < CELLS; i++)
		expected += in[i] = i * i % 101;
	stencil<<<(CELLS + 127) / 128, 128>>>(in, out, CELLS);
	total<<<3, 96>>>(in, CELLS, sum);
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < CELLS; i++) {
		int want = 0;
		for (int k = i - RADIUS; k <= i + RADIUS; k++)
			want += k >= 0 && k < CELLS ? in[k] : 0;
		CHECK(out[i] == want);
	}
	CHECK(*sum == expected);
}

static void
counts()
{
	const int n = 5000;
	unsigned *in = managed<unsigned>(n), *out = managed<unsigned>(n),
		 *bins = managed<unsigned>(BINS);
	int *count = managed<int>(1), *next = managed<int>(1), *done = managed<int>(200);
	std::vector<unsigned> want(BINS);
	unsigned kept = 0, x = 1;
	unsigned long long sum = 0, got = 0;
	for (int i = 0; i < n; i++) {
		in[i] = (x = x * 1664525 + 1013904223) >> 8;
		want[in[i] % BINS]++;
		if (in[i] % 3 == 0) {
			kept++;
			sum += in[i];
		}
	}
	histogram<<<4, 128>>>(in, n, bins);
	filter<<<(n + 255) / 256, 256>>>(in, n, out, count);
	workers<<<6, 64>>>(next, 200, done);
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < BINS; i++)
		CHECK(bins[i] == want[i]);
	CHECK(*count == (int)kept);
	for (unsigned i = 0; i < kept; i++)
		got += out[i];
	CHECK(got == sum);
	for (int i = 0; i < 200; i++)
		CHECK(done[i] == i * i);
}

int
main()
{
	matrices();
	sequences();
	counts();
	return passed();
}
