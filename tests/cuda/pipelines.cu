// nvcc -arch=sm_80 -diag-suppress 20054
/* Copies beside the thread: a pipeline of two stages, and barriers in shared memory. */
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include "check.h"
namespace cg = cooperative_groups;

__global__ void
staged(const int *in, int *out, int n)
{
	extern __shared__ int room[];
	auto block = cg::this_thread_block();
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
	auto pipe = cuda::make_pipeline(block, &state);
	const int size = (int)block.size(), batches = n / size;
	for (int i = 0, next = 0; i < batches; i++) {
		for (; next < batches && next < i + 2; next++) {
			pipe.producer_acquire();
			cuda::memcpy_async(block, room + next % 2 * size, in + next * size,
			    sizeof(int) * (size_t)size, pipe);
			pipe.producer_commit();
		}
		pipe.consumer_wait();
		out[i * size + (int)block.thread_rank()] =
		    room[i % 2 * size + size - 1 - (int)block.thread_rank()] * 2;
		pipe.consumer_release();
	}
}

__global__ void
waves(int *out)
{
	__shared__ cuda::barrier<cuda::thread_scope_block> bar;
	__shared__ int sum;
	if (threadIdx.x == 0) {
		init(&bar, blockDim.x);
		sum = 0;
	}
	__syncthreads();
	for (int r = 0; r < 5; r++) {
		atomicAdd(&sum, 1);
		auto token = bar.arrive();
		bar.wait(std::move(token));
		if (sum != (r + 1) * (int)blockDim.x)
			out[0] = -1;
		bar.arrive_and_wait();
	}
	atomicAdd(out, 1);
}

int
main()
{
	const int n = 128 * 16;
	int *in, *out;
	OK(cudaMallocManaged(&in, n * sizeof *in));
	OK(cudaMallocManaged(&out, n * sizeof *out));
	for (int i = 0; i < n; i++)
		in[i] = i * i;
	staged<<<1, 128, 2 * 128 * sizeof(int)>>>(in, out, n);
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < n; i++)
		CHECK(out[i] == 2 * in[i / 128 * 128 + 127 - i % 128]);
	out[0] = 0;
	waves<<<2, 96>>>(out);
	OK(cudaDeviceSynchronize());
	CHECK(out[0] == 192);
	return passed();
}
