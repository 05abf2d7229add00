// nvcc -arch=sm_75
/* Tiled products on tensor cores, through shared memory: f16 into f32, and u8 into s32. */
#include <cuda_fp16.h>
#include <mma.h>
#include "check.h"
using namespace nvcuda;

const int M = 64, N = 64, K = 64;

template <typename T, typename Acc, typename LayoutB>
__global__ void
gemm(const T *a, const T *b, const Acc *c, Acc *d, Acc alpha)
{
	__shared__ __align__(32) T tile[16 * 32];
	const int row = blockIdx.y * 16, column = blockIdx.x * 16;
	wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> fa;
	wmma::fragment<wmma::matrix_b, 16, 16, 16, T, LayoutB> fb;
	wmma::fragment<wmma::accumulator, 16, 16, 16, Acc> acc, fc;
	wmma::fill_fragment(acc, (Acc)0);
	for (int k = 0; k < K; k += 16) {
		for (int i = threadIdx.x; i < 256; i += 32)
			tile[i / 16 * 32 + i % 16] = a[(row + i / 16) * K + k + i % 16];
		__syncwarp();
		wmma::load_matrix_sync(fa, tile, 32);
		wmma::load_matrix_sync(fb, b + column * K + k, K);
		wmma::mma_sync(acc, fa, fb, acc);
		__syncwarp();
	}
	wmma::load_matrix_sync(fc, c + row * N + column, N, wmma::mem_row_major);
	for (int i = 0; i < acc.num_elements; i++)
		fc.x[i] += alpha * acc.x[i];
	wmma::store_matrix_sync(d + row * N + column, fc, N, wmma::mem_row_major);
}

template <typename T, typename Acc>
static void
test()
{
	T *a, *b;
	Acc *c, *d;
	OK(cudaMallocManaged(&a, M * K * sizeof *a));
	OK(cudaMallocManaged(&b, K * N * sizeof *b));
	OK(cudaMallocManaged(&c, M * N * sizeof *c));
	OK(cudaMallocManaged(&d, M * N * sizeof *d));
	for (int i = 0; i < M * K; i++)
		a[i] = (T)(float)(i * 7 % 13);
	for (int i = 0; i < K * N; i++)
		b[i] = (T)(float)(i * 5 % 11);
	for (int i = 0; i < M * N; i++)
		c[i] = (Acc)(i % 17);
	gemm<T, Acc, wmma::col_major><<<dim3(N / 16, M / 16), 32>>>(a, b, c, d, (Acc)3);
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++) {
			float sum = 0;
			for (int k = 0; k < K; k++)
				sum += (float)a[i * K + k] * (float)b[j * K + k];
			CHECK((float)d[i * N + j] == 3 * sum + (float)c[i * N + j]);
		}
}

int
main()
{
	test<__half, float>();
	test<unsigned char, int>();
	return passed();
}
