// nvcc -arch=sm_75
/* A cooperative grid: a reduction in one kernel, iterated with grid-wide barriers. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include "check.h"
namespace cg = cooperative_groups;

__global__ void
smooth(double *a, double *b, double *part, int n, int rounds)
{
	cg::grid_group grid = cg::this_grid();
	cg::thread_block block = cg::this_thread_block();
	__shared__ double sum[32];
	for (int r = 0; r < rounds; r++) {
		for (int i = (int)grid.thread_rank(); i < n; i += (int)grid.size())
			b[i] = (a[(i + n - 1) % n] + 2 * a[i] + a[(i + 1) % n]) / 4;
		grid.sync();
		double *t = a;
		a = b;
		b = t;
	}
	double mine = 0;
	for (int i = (int)grid.thread_rank(); i < n; i += (int)grid.size())
		mine += a[i];
	auto warp = cg::tiled_partition<32>(block);
	mine = cg::reduce(warp, mine, cg::plus<double>());
	if (warp.thread_rank() == 0)
		sum[warp.meta_group_rank()] = mine;
	block.sync();
	if (block.thread_rank() == 0) {
		double s = 0;
		for (unsigned w = 0; w < warp.meta_group_size(); w++)
			s += sum[w];
		part[blockIdx.x] = s;
	}
	grid.sync();
	if (grid.thread_rank() == 0)
		for (unsigned i = 1; i < gridDim.x; i++)
			part[0] += part[i];
}

int
main()
{
	int n = 4096, rounds = 10;
	double *a, *b, *part;
	OK(cudaMallocManaged(&a, n * sizeof *a));
	OK(cudaMallocManaged(&b, n * sizeof *b));
	OK(cudaMallocManaged(&part, 16 * sizeof *part));
	double *x = (double *)malloc(n * sizeof *x), *y = (double *)malloc(n * sizeof *y);
	for (int i = 0; i < n; i++)
		a[i] = x[i] = i * 37 % 101;
	void *args[] = {&a, &b, &part, &n, &rounds};
	OK(cudaLaunchCooperativeKernel((void *)smooth, dim3(16), dim3(128), args, 0, 0));
	OK(cudaDeviceSynchronize());
	for (int r = 0; r < rounds; r++) {
		for (int i = 0; i < n; i++)
			y[i] = (x[(i + n - 1) % n] + 2 * x[i] + x[(i + 1) % n]) / 4;
		double *t = x;
		x = y;
		y = t;
	}
	double want = 0;
	for (int i = 0; i < n; i++) {
		CHECK(a[i] == x[i]);
		want += x[i];
	}
	CHECK(part[0] > want - 1e-6 && part[0] < want + 1e-6);
	return passed();
}
