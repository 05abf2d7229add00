// What left.cu refers to, and names of its own that left.cu has as well.
extern __device__ int calls;
__device__ int base[4] = {1000, 2000, 3000, 4000};
static __device__ int own = 7;
__device__ int *where = base + 2;

template <typename T>
__device__ __noinline__ T
both(T x)
{
	return x + 1;
}

static __device__ __noinline__ int
hidden(int x)
{
	return x * own;
}

__device__ int
square(int x)
{
	return x * x;
}

extern "C" __global__ void
right(int *out)
{
	int i = threadIdx.x;
	out[i] = hidden(both(i)) + *where + calls;
}
