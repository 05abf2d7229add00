// CUDA before 12: a parent waits for its children and goes on with what they left.

// The sum of a range: halves are summed by grids of their own, one block each.
extern "C" __global__ void
sum(const int *x, int n, long long *result)
{
	if (n <= 8) {
		long long s = 0;
		for (int i = 0; i < n; i++)
			s += x[i];
		*result = s;
		return;
	}
	long long *part = (long long *)malloc(2 * sizeof *part);
	const int half = n / 2;
	sum<<<1, 1>>>(x, half, &part[0]);
	sum<<<1, 1>>>(x + half, n - half, &part[1]);
	cudaDeviceSynchronize();
	*result = part[0] + part[1];
	free(part);
}

extern "C" __global__ void
mark(int *at, int value)
{
	at[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

// What one block waits for is what it launched itself; its threads see each other's children.
extern "C" __global__ void
blocks(int *marks, int *seen)
{
	if (threadIdx.x % 32 == 5) {
		const int w = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
		cudaStream_t s;
		if (cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking) == cudaSuccess) {
			mark<<<1, 8, 0, s>>>(marks + 8 * w, w + 1);
			cudaStreamDestroy(s);
		}
	}
	__syncthreads();
	if (threadIdx.x == 0)
		seen[blockIdx.x] = cudaDeviceSynchronize();
	__syncthreads();
	if (threadIdx.x < blockDim.x / 4)
		atomicAdd(&seen[blockIdx.x], marks[blockIdx.x * (blockDim.x / 4) + threadIdx.x]);
}
