// nvcc -arch=sm_80
// Cooperative groups: tiles, partitions, groups larger than a warp, collective copies.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <vector>
#include "check.h"

namespace cg = cooperative_groups;

static const int N = 1000, TILE = 8, KINDS = 5;

__global__ void
tiles(const int *in, int *out)
{
	const auto tile = cg::tiled_partition<TILE>(cg::this_thread_block());
	const int i = cg::this_grid().thread_rank(), v = i < N ? in[i] : 0;
	const int result[KINDS] = {cg::reduce(tile, v, cg::plus<int>()),
	    cg::reduce(tile, v, cg::greater<int>()), cg::reduce(tile, v, cg::bit_xor<int>()),
	    cg::inclusive_scan(tile, v), cg::exclusive_scan(tile, v)};
	for (int k = 0; i < N && k < KINDS; k++)
		out[KINDS * i + k] = result[k];
}

static void
check_tiles(const std::vector<int> &in, const int *device_in, int *device_out)
{
	std::vector<int> out(KINDS * N);
	tiles<<<4, 256>>>(device_in, device_out);
	OK(cudaMemcpy(out.data(), device_out, KINDS * N * sizeof(int), cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++) {
		int want[KINDS] = {0, -1, 0, 0, 0};
		for (int j = i / TILE * TILE; j < i / TILE * TILE + TILE; j++) {
			const int v = j < N ? in[j] : 0;
			want[0] += v;
			want[1] = v > want[1] ? v : want[1];
			want[2] ^= v;
			want[3] += j <= i ? v : 0;
			want[4] += j < i ? v : 0;
		}
		for (int k = 0; k < KINDS; k++)
			CHECK(out[KINDS * i + k] == want[k]);
	}
}

// Counts odd values with one atomic a warp, and labels each value with the size of its class
// within the warp and its rank there.
__global__ void
partitions(const int *in, int *odd, int *label)
{
	const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
	const int i = cg::this_grid().thread_rank();
	if (i >= N)
		return;
	const int v = in[i];
	const auto same = cg::binary_partition(warp, v & 1);
	if (v & 1) {
		const int sum = cg::reduce(same, v, cg::plus<int>());
		if (same.thread_rank() == 0) {
			atomicAdd(&odd[0], same.size());
			atomicAdd(&odd[1], sum);
		}
	}
	const auto kind = cg::labeled_partition(warp, v % 3);
	label[i] = 100 * kind.size() + kind.thread_rank();
	if (v % 5 == 0) {
		const auto now = cg::coalesced_threads();
		int first = 0;
		if (now.thread_rank() == 0)
			first = atomicAdd(&odd[2], now.size());
		first = now.shfl(first, 0) + now.thread_rank();
		atomicMax(&odd[3], first);
	}
}

static void
check_partitions(const std::vector<int> &in, const int *device_in, int *device_out)
{
	int odd[4], want[4] = {0, 0, 0, -1};
	std::vector<int> label(N);
	OK(cudaMemset(device_out, 0, sizeof odd));
	partitions<<<4, 256>>>(device_in, device_out, device_out + 4);
	OK(cudaMemcpy(odd, device_out, sizeof odd, cudaMemcpyDeviceToHost));
	OK(cudaMemcpy(label.data(), device_out + 4, N * sizeof(int), cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++) {
		int size = 0, rank = 0;
		want[0] += in[i] & 1;
		want[1] += in[i] & 1 ? in[i] : 0;
		want[2] += in[i] % 5 == 0;
		for (int j = i / 32 * 32; j < N && j < i / 32 * 32 + 32; j++)
			if (in[j] % 3 == in[i] % 3) {
				size++;
				rank += j < i;
			}
		CHECK(label[i] == 100 * size + rank);
	}
	CHECK(odd[0] == want[0] && odd[1] == want[1] && odd[2] == want[2]);
	CHECK(odd[3] == want[2] - 1);
}

// Groups of four warps keep their barriers and results in shared memory that is not the kernel's.
__global__ void
large(const int *in, int *out)
{
	__shared__ cg::block_tile_memory<256> memory;
	const auto block = cg::this_thread_block(memory);
	const auto half = cg::tiled_partition<128>(block);
	int v = 0;
	for (int i = cg::this_grid().thread_rank(); i < N; i += cg::this_grid().size())
		v += in[i];
	v = cg::reduce(half, v, cg::plus<int>());
	if (half.thread_rank() == 0)
		atomicAdd(out, v);
}

__global__ void
turned(const int *in, int *out)
{
	__shared__ int s[250];
	const auto block = cg::this_thread_block();
	cg::memcpy_async(block, s, in + 250 * blockIdx.x, sizeof s);
	cg::wait(block);
	if (threadIdx.x < 250)
		out[250 * blockIdx.x + threadIdx.x] = s[249 - threadIdx.x];
}

int
main()
{
	std::vector<int> in(N), out(N);
	int *device_in, *device_out, sum = 0, got;
	for (int i = 0; i < N; i++)
		sum += in[i] = (i * 7919 + 13) % 101;
	OK(cudaMalloc(&device_in, N * sizeof(int)));
	OK(cudaMalloc(&device_out, KINDS * N * sizeof(int)));
	OK(cudaMemcpy(device_in, in.data(), N * sizeof(int), cudaMemcpyHostToDevice));
	check_tiles(in, device_in, device_out);
	check_partitions(in, device_in, device_out);
	OK(cudaMemset(device_out, 0, sizeof(int)));
	large<<<3, 256>>>(device_in, device_out);
	OK(cudaMemcpy(&got, device_out, sizeof got, cudaMemcpyDeviceToHost));
	CHECK(got == sum);
	turned<<<4, 256>>>(device_in, device_out);
	OK(cudaMemcpy(out.data(), device_out, N * sizeof(int), cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++)
		CHECK(out[i] == in[i / 250 * 250 + 249 - i % 250]);
	return passed();
}
