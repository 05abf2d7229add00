// nvcc -arch=sm_75
// Radix sort whose passes scan with decoupled look-back, and a segmented scan: blocks take tickets
// and wait for those before them.
#include <algorithm>
#include <cstring>
#include <vector>
#include "check.h"

static const int THREADS = 128, N = 5000, BLOCKS = (N + THREADS - 1) / THREADS, DIGITS = 16;

struct Look {
	unsigned ticket;
	unsigned state[BLOCKS]
		      [DIGITS]; // flag in the top two bits: 1 the block's own count, 2 all up to it
};

__global__ void
count(const unsigned *in, unsigned *total, int shift)
{
	__shared__ unsigned own[DIGITS]; // privatised
	const int i = blockIdx.x * THREADS + threadIdx.x;
	if (threadIdx.x < DIGITS)
		own[threadIdx.x] = 0;
	__syncthreads();
	if (i < N)
		atomicAdd(&own[in[i] >> shift & (DIGITS - 1)], 1);
	__syncthreads();
	if (threadIdx.x < DIGITS)
		atomicAdd(&total[threadIdx.x], own[threadIdx.x]);
}

// How many of the digit lie in the blocks before this one.
__device__ static unsigned
look_back(Look *look, unsigned block, unsigned digit, unsigned own)
{
	volatile unsigned *mine = &look->state[block][digit];
	unsigned before = 0;
	*mine = (block ? 1u : 2u) << 30 | own;
	__threadfence();
	for (int b = (int)block - 1; b >= 0;) {
		const unsigned s = *(volatile unsigned *)&look->state[b][digit];
		if (!(s >> 30))
			continue;
		before += s & 0x3fffffff;
		if (s >> 30 == 2)
			break;
		b--;
	}
	*mine = 2u << 30 | (before + own);
	__threadfence();
	return before;
}

__global__ void
scatter(const unsigned *in, unsigned *out, const unsigned *total, Look *look, int shift)
{
	__shared__ unsigned block, in_warp[THREADS / 32][DIGITS], start[DIGITS];
	if (threadIdx.x == 0)
		block = atomicAdd(&look->ticket, 1);
	__syncthreads();
	const int i = block * THREADS + threadIdx.x, warp = threadIdx.x / 32,
		  lane = threadIdx.x % 32;
	const unsigned digit = i < N ? in[i] >> shift & (DIGITS - 1) : DIGITS;
	unsigned same = 0;
	for (unsigned d = 0; d < DIGITS; d++) {
		const unsigned mask = __ballot_sync(~0u, digit == d);
		if (lane == 0)
			in_warp[warp][d] = __popc(mask);
		if (digit == d)
			same = mask;
	}
	__syncthreads();
	if (threadIdx.x < DIGITS) {
		unsigned own = 0, smaller = 0;
		for (int w = 0; w < THREADS / 32; w++) {
			const unsigned n = in_warp[w][threadIdx.x];
			in_warp[w][threadIdx.x] = own;
			own += n;
		}
		for (unsigned d = 0; d < threadIdx.x; d++)
			smaller += total[d];
		start[threadIdx.x] = smaller + look_back(look, block, threadIdx.x, own);
	}
	__syncthreads();
	if (i < N)
		out[start[digit] + in_warp[warp][digit] + __popc(same & ((1u << lane) - 1))] =
		    in[i];
}

static void
check_sort(void)
{
	std::vector<unsigned> keys(N), got(N);
	unsigned *a, *b, *total;
	Look *look;
	for (int i = 0; i < N; i++)
		keys[i] = (unsigned)i * 2654435761u ^ (unsigned)i >> 3;
	OK(cudaMalloc(&a, N * sizeof(unsigned)));
	OK(cudaMalloc(&b, N * sizeof(unsigned)));
	OK(cudaMalloc(&total, DIGITS * sizeof(unsigned)));
	OK(cudaMalloc(&look, sizeof *look));
	OK(cudaMemcpy(a, keys.data(), N * sizeof(unsigned), cudaMemcpyHostToDevice));
	for (int shift = 0; shift < 32; shift += 4) {
		OK(cudaMemset(total, 0, DIGITS * sizeof(unsigned)));
		OK(cudaMemset(look, 0, sizeof *look));
		count<<<BLOCKS, THREADS>>>(a, total, shift);
		scatter<<<BLOCKS, THREADS>>>(a, b, total, look, shift);
		std::swap(a, b);
	}
	OK(cudaMemcpy(got.data(), a, N * sizeof(unsigned), cudaMemcpyDeviceToHost));
	std::sort(keys.begin(), keys.end());
	CHECK(got == keys);
}

struct Sum {
	int value, begins; // begins: a segment does, within what was summed
};

__device__ static Sum
joined(Sum a, Sum b)
{
	return {b.begins ? b.value : a.value + b.value, a.begins | b.begins};
}

// Sums from the last flag on; blocks pass their result on in order.
__global__ void
segments(const int *in, const int *flag, int *out, volatile Sum *carry, volatile int *done)
{
	__shared__ Sum warps[THREADS / 32], before;
	const int i = blockIdx.x * THREADS + threadIdx.x, lane = threadIdx.x % 32;
	Sum s = i < N ? Sum{in[i], flag[i]} : Sum{0, 0};
	for (int k = 1; k < 32; k *= 2) {
		const Sum left = {
		    __shfl_up_sync(~0u, s.value, k), __shfl_up_sync(~0u, s.begins, k)};
		if (lane >= k)
			s = joined(left, s);
	}
	if (lane == 31)
		warps[threadIdx.x / 32] = s;
	__syncthreads();
	Sum all = warps[0], left = {0, 0};
	for (int w = 0; w < THREADS / 32; w++) {
		if (w)
			all = joined(all, warps[w]);
		if (w < (int)threadIdx.x / 32)
			left = w ? joined(left, warps[w]) : warps[0];
	}
	if (threadIdx.x == 0) {
		before = {0, 0};
		if (blockIdx.x) {
			while (!done[blockIdx.x - 1])
				;
			before = {carry[blockIdx.x - 1].value, carry[blockIdx.x - 1].begins};
		}
		const Sum mine = joined(before, all);
		carry[blockIdx.x].value = mine.value;
		carry[blockIdx.x].begins = mine.begins;
		__threadfence();
		done[blockIdx.x] = 1;
	}
	__syncthreads();
	if (threadIdx.x >= 32)
		s = joined(left, s);
	if (i < N)
		out[i] = joined(before, s).value;
}

static void
check_segments(void)
{
	std::vector<int> in(N), flag(N), got(N);
	int *device_in, *device_flag, *device_out, *done, sum = 0;
	Sum *carry;
	for (int i = 0; i < N; i++) {
		in[i] = i * 31 % 17;
		flag[i] = i % 7 == 3 && i % 11 < 2;
	}
	OK(cudaMalloc(&device_in, N * sizeof(int)));
	OK(cudaMalloc(&device_flag, N * sizeof(int)));
	OK(cudaMalloc(&device_out, N * sizeof(int)));
	OK(cudaMalloc(&carry, BLOCKS * sizeof *carry));
	OK(cudaMalloc(&done, BLOCKS * sizeof(int)));
	OK(cudaMemset(done, 0, BLOCKS * sizeof(int)));
	OK(cudaMemcpy(device_in, in.data(), N * sizeof(int), cudaMemcpyHostToDevice));
	OK(cudaMemcpy(device_flag, flag.data(), N * sizeof(int), cudaMemcpyHostToDevice));
	segments<<<BLOCKS, THREADS>>>(device_in, device_flag, device_out, carry, done);
	OK(cudaMemcpy(got.data(), device_out, N * sizeof(int), cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++) {
		sum = flag[i] ? in[i] : sum + in[i];
		CHECK(got[i] == sum);
	}
}

int
main()
{
	check_sort();
	check_segments();
	return passed();
}
