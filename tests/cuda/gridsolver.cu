// nvcc -arch=sm_75
// Conjugate gradients in one cooperative launch, and a three-dimensional stencil with halos whose
// planes go through registers and shared memory.
#include <cooperative_groups.h>
#include <cmath>
#include <vector>
#include "check.h"

namespace cg = cooperative_groups;

static const int N = 2000, STEPS = 12;

__device__ static void
dot(const float *a, const float *b, double *sum, const cg::grid_group &grid)
{
	const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
	double part = 0;
	for (int i = grid.thread_rank(); i < N; i += grid.size())
		part += (double)a[i] * b[i];
	for (int k = 16; k; k /= 2)
		part += warp.shfl_down(part, k);
	if (warp.thread_rank() == 0)
		atomicAdd(sum, part);
}

// A is the matrix of -1, 2.5, -1.
__global__ void
solve(float *x, float *r, float *p, float *q, double *sums)
{
	const auto grid = cg::this_grid();
	for (int s = 0; s < STEPS; s++) {
		double *rr = &sums[3 * s], *pq = &sums[3 * s + 1], *next = &sums[3 * s + 2];
		dot(r, r, rr, grid);
		for (int i = grid.thread_rank(); i < N; i += grid.size())
			q[i] = 2.5f * p[i] - (i ? p[i - 1] : 0) - (i < N - 1 ? p[i + 1] : 0);
		grid.sync();
		dot(p, q, pq, grid);
		grid.sync();
		const float alpha = (float)(*rr / *pq);
		for (int i = grid.thread_rank(); i < N; i += grid.size()) {
			x[i] += alpha * p[i];
			r[i] -= alpha * q[i];
		}
		grid.sync();
		dot(r, r, next, grid);
		grid.sync();
		const float beta = (float)(*next / *rr);
		for (int i = grid.thread_rank(); i < N; i += grid.size())
			p[i] = r[i] + beta * p[i];
		grid.sync();
	}
}

static void
check_solver(void)
{
	std::vector<float> b(N), x(N);
	float *v[4];
	double *sums, residual = 0, norm = 0;
	for (int i = 0; i < N; i++)
		b[i] = (float)(i * 17 % 31) / 8;
	for (int k = 0; k < 4; k++)
		OK(cudaMalloc(&v[k], N * sizeof(float)));
	OK(cudaMalloc(&sums, 3 * STEPS * sizeof(double)));
	OK(cudaMemset(v[0], 0, N * sizeof(float)));
	OK(cudaMemset(sums, 0, 3 * STEPS * sizeof(double)));
	OK(cudaMemcpy(v[1], b.data(), N * sizeof(float), cudaMemcpyHostToDevice));
	OK(cudaMemcpy(v[2], v[1], N * sizeof(float), cudaMemcpyDeviceToDevice));
	int per_sm;
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, solve, 128, 0));
	CHECK(per_sm >= 1);
	void *args[] = {&v[0], &v[1], &v[2], &v[3], &sums};
	OK(cudaLaunchCooperativeKernel((void *)solve, dim3(8), dim3(128), args, 0, 0));
	OK(cudaMemcpy(x.data(), v[0], N * sizeof(float), cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++) {
		const double left = i ? x[i - 1] : 0, right = i < N - 1 ? x[i + 1] : 0;
		const double e = b[i] - (2.5 * x[i] - left - right);
		residual += e * e;
		norm += b[i] * b[i];
	}
	CHECK(std::sqrt(residual / norm) < 1e-3);
}

static const int RADIUS = 3, BX = 16, BY = 8, X = 40, Y = 20, Z = 12;
static const int SX = X + 2 * RADIUS, SY = Y + 2 * RADIUS, SZ = Z + 2 * RADIUS;
__constant__ float weight[RADIUS + 1];

__host__ __device__ static int
at(int x, int y, int z)
{
	return ((z + RADIUS) * SY + y + RADIUS) * SX + x + RADIUS;
}

__global__ void
stencil(const float *in, float *out)
{
	__shared__ float plane[BY + 2 * RADIUS][BX + 2 * RADIUS];
	const int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y;
	float column[2 * RADIUS + 1]; // this thread's cells below, at and above the plane
	const bool inside = x < X && y < Y;
	for (int k = 0; k < 2 * RADIUS; k++)
		column[k + 1] = inside ? in[at(x, y, k - RADIUS)] : 0;
	for (int z = 0; z < Z; z++) {
		for (int k = 0; k < 2 * RADIUS; k++)
			column[k] = column[k + 1];
		column[2 * RADIUS] = inside ? in[at(x, y, z + RADIUS)] : 0;
		__syncthreads();
		for (int j = threadIdx.y; j < BY + 2 * RADIUS; j += BY)
			for (int i = threadIdx.x; i < BX + 2 * RADIUS; i += BX) {
				const int gx = blockIdx.x * BX + i, gy = blockIdx.y * BY + j;
				if (gx < SX && gy < SY)
					plane[j][i] = in[at(gx - RADIUS, gy - RADIUS, z)];
			}
		__syncthreads();
		float sum = weight[0] * column[RADIUS];
		for (int k = 1; k <= RADIUS; k++)
			sum +=
			    weight[k] * (column[RADIUS - k] + column[RADIUS + k] +
					    plane[threadIdx.y + RADIUS][threadIdx.x + RADIUS - k] +
					    plane[threadIdx.y + RADIUS][threadIdx.x + RADIUS + k] +
					    plane[threadIdx.y + RADIUS - k][threadIdx.x + RADIUS] +
					    plane[threadIdx.y + RADIUS + k][threadIdx.x + RADIUS]);
		if (inside)
			out[at(x, y, z)] = sum;
	}
}

static void
check_stencil(void)
{
	const float w[RADIUS + 1] = {0.5f, 0.25f, 0.125f, 0.0625f};
	std::vector<float> in(SX * SY * SZ), out(in.size());
	float *device_in, *device_out;
	for (size_t i = 0; i < in.size(); i++)
		in[i] = (float)(i * 7919 % 257);
	OK(cudaMemcpyToSymbol(weight, w, sizeof w));
	OK(cudaMalloc(&device_in, in.size() * sizeof(float)));
	OK(cudaMalloc(&device_out, in.size() * sizeof(float)));
	OK(cudaMemcpy(device_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice));
	stencil<<<dim3((X + BX - 1) / BX, (Y + BY - 1) / BY), dim3(BX, BY)>>>(
	    device_in, device_out);
	OK(cudaMemcpy(out.data(), device_out, in.size() * sizeof(float), cudaMemcpyDeviceToHost));
	for (int z = 0; z < Z; z++)
		for (int y = 0; y < Y; y++)
			for (int x = 0; x < X; x++) {
				float sum = w[0] * in[at(x, y, z)];
				for (int k = 1; k <= RADIUS; k++)
					sum +=
					    w[k] * (in[at(x, y, z - k)] + in[at(x, y, z + k)] +
						       in[at(x - k, y, z)] + in[at(x + k, y, z)] +
						       in[at(x, y - k, z)] + in[at(x, y + k, z)]);
				CHECK(out[at(x, y, z)] == sum);
			}
}

int
main()
{
	check_solver();
	check_stencil();
	return passed();
}
