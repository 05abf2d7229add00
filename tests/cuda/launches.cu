// Launches in every form: by name, by pointer, with attributes, cooperative, of templates and
// with arguments of every size.
#include <cooperative_groups.h>
#include "check.h"

namespace cg = cooperative_groups;

struct big {
	char c;
	double d[20];
	short s;
};

__global__ void
many(char a, short b, int c, long long d, float e, double f, big g, int *h, bool i)
{
	*h = a + b + c + (int)d + (int)e + (int)f + g.c + (int)g.d[19] + g.s + i;
}

template <class T, int N>
__global__ void
fill(T *p, T value)
{
	const int i = blockIdx.x * N + threadIdx.x;
	p[i] = value + (T)i;
}

__global__ void
neighbours(int *a, int *b, int n)
{
	cg::grid_group grid = cg::this_grid();
	for (int step = 0; step < 3; step++) {
		for (unsigned i = grid.thread_rank(); i < n; i += grid.size())
			b[i] = a[(i + 1) % n] + 1;
		grid.sync();
		for (unsigned i = grid.thread_rank(); i < n; i += grid.size())
			a[i] = b[i];
		grid.sync();
	}
}

__global__ void
where(int *p)
{
	if (threadIdx.x == 1 && threadIdx.y == 2 && blockIdx.z == 1)
		p[0] = gridDim.x * 1000 + blockDim.y * 100 + blockIdx.x;
}

int
main()
{
	int *p, got;
	OK(cudaMallocManaged(&p, 4096 * sizeof *p));
	big g = {};
	g.c = 1;
	g.d[19] = 20;
	g.s = 300;
	many<<<1, 1>>>(1, 2, 3, 4, 5.5f, 6.5, g, p, true);
	OK(cudaDeviceSynchronize());
	CHECK(p[0] == 1 + 2 + 3 + 4 + 5 + 6 + 1 + 20 + 300 + 1);

	double *d;
	OK(cudaMallocManaged(&d, 1024 * sizeof *d));
	fill<double, 128><<<8, 128>>>(d, 0.5);
	OK(cudaDeviceSynchronize());
	CHECK(d[1023] == 1023.5);

	int value = 7;
	void *args[] = {&p, &value};
	OK(cudaLaunchKernel((void *)fill<int, 64>, dim3(64), dim3(64), args, 0, 0));
	OK(cudaDeviceSynchronize());
	CHECK(p[4095] == 4102);

	cudaLaunchConfig_t config = {};
	config.gridDim = dim3(2, 1, 2);
	config.blockDim = dim3(4, 4);
	cudaLaunchAttribute attribute = {};
	attribute.id = cudaLaunchAttributePriority;
	config.attrs = &attribute;
	config.numAttrs = 1;
	OK(cudaLaunchKernelEx(&config, where, p));
	OK(cudaDeviceSynchronize());
	CHECK(p[0] == 2400 || p[0] == 2401);
	/* an event that the launch itself records */
	cudaEvent_t before, done;
	float ms;
	OK(cudaEventCreate(&before));
	OK(cudaEventCreate(&done));
	OK(cudaEventRecord(before));
	FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, before, done));
	attribute.id = cudaLaunchAttributeLaunchCompletionEvent;
	attribute.val.launchCompletionEvent.event = done;
	OK(cudaLaunchKernelEx(&config, where, p));
	OK(cudaEventSynchronize(done));
	OK(cudaEventElapsedTime(&ms, before, done));
	OK(cudaEventDestroy(before));
	OK(cudaEventDestroy(done));

	const int n = 3000;
	int *a, *b;
	OK(cudaMallocManaged(&a, n * sizeof *a));
	OK(cudaMallocManaged(&b, n * sizeof *b));
	for (int i = 0; i < n; i++)
		a[i] = i;
	int count = n;
	void *cooperative[] = {&a, &b, &count};
	OK(cudaLaunchCooperativeKernel((void *)neighbours, 8, 128, cooperative, 0, 0));
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < n; i++)
		CHECK(a[i] == (i + 3) % n + 3);
	FAILS(cudaErrorCooperativeLaunchTooLarge,
	    cudaLaunchCooperativeKernel((void *)neighbours, 1 << 20, 1024, cooperative, 0, 0));

	const char *name;
	OK(cudaFuncGetName(&name, (const void *)where));
	CHECK(name[0] == '_');
	size_t offset, bytes;
	OK(cudaFuncGetParamInfo((const void *)many, 6, &offset, &bytes));
	CHECK(bytes == sizeof(big) && offset % alignof(big) == 0);
	FAILS(cudaErrorInvalidDeviceFunction, cudaLaunchKernel(&got, dim3(1), dim3(1), args, 0, 0));
	return passed();
}
