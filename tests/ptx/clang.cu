/*
 * clang -x cuda --cuda-path=/nonexistent --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_35 -O2 -S
 *     -fdeclspec -gline-tables-only -o clang-35.ptx clang.cu
 */
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
extern "C" __device__ void __syncthreads(void);
extern "C" __device__ int printf(const char *, ...);
__device__ int counter[4] = {1, 2};
__constant__ float weight[3] = {0.5f, -1.25f, 1e-3f};
__device__ __attribute__((noinline)) int pick(int n, int *table)
{
	return n ? table[n] : pick(n + 1, table);
}
__global__ void clang_kernel(float *out, int n)
{
	__shared__ float tile[256];
	int x = __nvvm_read_ptx_sreg_tid_x();
	tile[x] = weight[x % 3] * n;
	__syncthreads();
	if (tile[x ^ 1] > 2)
		out[x] = pick(n, counter);
	if (n < 0)
		printf("%d\n", n);
}
