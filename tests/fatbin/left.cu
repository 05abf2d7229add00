// Refers to what right.cu defines; both are linked by name.
extern __device__ int base[4];
extern __device__ int square(int x);
__device__ int calls;
static __device__ int own = 100;

template <typename T>
__device__ __noinline__ T
both(T x)
{
	return x + 1;
}

static __device__ __noinline__ int
hidden(int x)
{
	return x + own;
}

extern "C" __global__ void
left(int *out)
{
	int i = threadIdx.x;
	out[i] = square(i) + base[i & 3] + hidden(both(i));
	atomicAdd(&calls, 1);
}
