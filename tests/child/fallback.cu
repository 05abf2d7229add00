// A launch that fails is made up for by the launching thread itself.
#define WORKLOAD(n) \
	asm volatile("{ .reg .b64 warpcap_workload; mov.b64 warpcap_workload, %0; }" ::"l"( \
	    (unsigned long long)(n)))

extern "C" __global__ void
fill(int *to, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		to[i] += i + 1;
}

// Row i has i items; rows above the threshold go to a grid of their own.
extern "C" __global__ void
rows(int *to, int n_rows, int threshold)
{
	int row = blockIdx.x * blockDim.x + threadIdx.x;
	if (row >= n_rows)
		return;
	int *mine = to + row * n_rows;
	bool done = false;
	if (row > threshold) {
		WORKLOAD(row);
		fill<<<(row + 31) / 32, 32>>>(mine, row);
		done = cudaGetLastError() == cudaSuccess;
	}
	for (int i = 0; !done && i < row; i++)
		mine[i] += i + 1;
	if (row == n_rows - 1)
		to[n_rows * n_rows - 1] = -1;
}

// The same in a loop over rows, in a function of its own, through shared memory.
static __device__ __noinline__ void
one(int *mine, int row, int *scratch)
{
	fill<<<(row + 31) / 32, 32>>>(mine, row);
	if (cudaGetLastError() == cudaSuccess)
		return;
	for (int i = 0; i < row; i++) {
		scratch[threadIdx.x]++;
		mine[i] += scratch[threadIdx.x];
	}
	scratch[threadIdx.x] = 0;
}

extern "C" __global__ void
loop(int *to, int n_rows)
{
	__shared__ int scratch[32];
	scratch[threadIdx.x] = 0;
	for (int row = threadIdx.x; row < n_rows; row += blockDim.x)
		if (row)
			one(to + row * n_rows, row, scratch);
	__syncthreads();
	if (threadIdx.x == 0)
		to[n_rows * n_rows - 1] = scratch[0] + scratch[31];
}
