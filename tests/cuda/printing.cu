// What kernels print comes between what the host prints before and after it waits.
#include "check.h"

__global__ void
speak(int n)
{
	if (threadIdx.x < n)
		printf("thread %d of %u: %5.2f %s %c %%\n", threadIdx.x, blockDim.x,
		    1.5 * threadIdx.x, "word", 'x');
}

int
main()
{
	printf("before\n");
	speak<<<1, 4>>>(2);
	printf("not yet\n");
	OK(cudaDeviceSynchronize());
	printf("after\n");
	return passed();
}
