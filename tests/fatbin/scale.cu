// One kernel and one variable: the whole program is one module.
__constant__ float factor = 2;

extern "C" __global__ void
scale(float *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		x[i] *= factor;
}
