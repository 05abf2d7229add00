/* nvcc -ptx -G -arch=sm_75 -o debug-75.ptx debug.cu */
__device__ int twice(int x) { return x + x; }
__global__ void debug(int *p)
{
	p[threadIdx.x] = twice(p[threadIdx.x]);
}
