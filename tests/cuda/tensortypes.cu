// nvcc -arch=sm_80 -diag-suppress 1444
// Products on tensor cores of the types beside f16 and u8: bf16, tf32, f64, s8 in tall tiles,
// four-bit and single-bit integers.
#include <cuda_bf16.h>
#include <mma.h>
#include <vector>
#include "check.h"

using namespace nvcuda;

static const int N = 64;

template <class T>
static T *
up(const std::vector<T> &v)
{
	T *p;
	OK(cudaMalloc(&p, v.size() * sizeof(T)));
	OK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
	return p;
}

template <class T>
static std::vector<T>
down(const void *p, size_t n)
{
	std::vector<T> v(n);
	OK(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
	return v;
}

__device__ inline float
prepared(float x)
{
	return wmma::__float_to_tf32(x);
}

template <class T>
__device__ inline T
prepared(T x)
{
	return x;
}

// One tile of M x K by K x L a warp; Kind is what the fragments are made of, T what memory holds.
template <int M, int L, int K, class Kind, class T, class Sum>
__global__ void
product(const T *a, const T *b, Sum *c)
{
	wmma::fragment<wmma::matrix_a, M, L, K, Kind, wmma::row_major> fa;
	wmma::fragment<wmma::matrix_b, M, L, K, Kind, wmma::col_major> fb;
	wmma::fragment<wmma::accumulator, M, L, K, Sum> fc;
	wmma::fill_fragment(fc, Sum(0));
	for (int k = 0; k < N; k += K) {
		wmma::load_matrix_sync(fa, a + blockIdx.y * M * N + k, N);
		wmma::load_matrix_sync(fb, b + blockIdx.x * L * N + k, N);
		for (int i = 0; i < fa.num_elements; i++)
			fa.x[i] = prepared(fa.x[i]);
		for (int i = 0; i < fb.num_elements; i++)
			fb.x[i] = prepared(fb.x[i]);
		wmma::mma_sync(fc, fa, fb, fc);
	}
	for (int i = 0; i < fc.num_elements; i++)
		fc.x[i] *= 2;
	wmma::store_matrix_sync(
	    c + blockIdx.y * M * N + blockIdx.x * L, fc, N, wmma::mem_row_major);
}

// Quarters and eighths of small numbers: every sum is exact in every type.
template <int M, int L, int K, class Kind, class T, class Sum>
static void
check_product(T (*convert)(float), float unit_a, float unit_b)
{
	std::vector<T> a(N * N), b(N * N);
	for (int i = 0; i < N * N; i++) {
		a[i] = convert((float)(i * 37 % 23 - 11) * unit_a);
		b[i] = convert((float)(i * 29 % 19 - 9) * unit_b);
	}
	Sum *c;
	OK(cudaMalloc(&c, N * N * sizeof(Sum)));
	product<M, L, K, Kind><<<dim3(N / L, N / M), 32>>>(up(a), up(b), c);
	const auto got = down<Sum>(c, N * N);
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			int want = 0;
			for (int k = 0; k < N; k++)
				want += ((i * N + k) * 37 % 23 - 11) * ((j * N + k) * 29 % 19 - 9);
			CHECK(got[i * N + j] == Sum(2 * unit_a * unit_b * want));
		}
}

__global__ void
bits(const unsigned *a, const unsigned *b, int *c)
{
	namespace x = wmma::experimental;
	wmma::fragment<wmma::matrix_a, 8, 8, 128, x::precision::b1, wmma::row_major> fa;
	wmma::fragment<wmma::matrix_b, 8, 8, 128, x::precision::b1, wmma::col_major> fb;
	wmma::fragment<wmma::accumulator, 8, 8, 128, int> fc;
	wmma::fill_fragment(fc, 0);
	wmma::load_matrix_sync(fa, a, 128);
	wmma::load_matrix_sync(fb, b, 128);
	wmma::bmma_sync(fc, fa, fb, fc, x::bmmaBitOpXOR);
	wmma::store_matrix_sync(c, fc, 8, wmma::mem_row_major);
}

__global__ void
nibbles(const unsigned *a, const unsigned *b, int *c)
{
	namespace x = wmma::experimental;
	wmma::fragment<wmma::matrix_a, 8, 8, 32, x::precision::s4, wmma::row_major> fa;
	wmma::fragment<wmma::matrix_b, 8, 8, 32, x::precision::s4, wmma::col_major> fb;
	wmma::fragment<wmma::accumulator, 8, 8, 32, int> fc;
	wmma::fill_fragment(fc, 0);
	wmma::load_matrix_sync(fa, a, 32);
	wmma::load_matrix_sync(fb, b, 32);
	wmma::mma_sync(fc, fa, fb, fc);
	wmma::store_matrix_sync(c, fc, 8, wmma::mem_row_major);
}

static int
nibble(const std::vector<unsigned> &v, int i)
{
	return (int)(v[i / 8] << (28 - i % 8 * 4)) >> 28;
}

int
main()
{
	check_product<16, 16, 16, __nv_bfloat16, __nv_bfloat16, float>(
	    [](float x) { return __float2bfloat16(x); }, 0.25f, 0.125f);
	check_product<16, 16, 8, wmma::precision::tf32, float, float>(
	    [](float x) { return x; }, 0.25f, 0.125f);
	check_product<8, 8, 4, double, double, double>(
	    [](float x) { return (double)x; }, 0.25f, 0.125f);
	check_product<32, 8, 16, signed char, signed char, int>(
	    [](float x) { return (signed char)x; }, 1, 1);

	std::vector<unsigned> a(32), b(32);
	int *c;
	for (unsigned i = 0; i < 32; i++) {
		a[i] = i * 2654435761u;
		b[i] = i * 40503u * 65537u + 7;
	}
	OK(cudaMalloc(&c, 64 * sizeof(int)));
	bits<<<1, 32>>>(up(a), up(b), c);
	auto got = down<int>(c, 64);
	for (int i = 0; i < 64; i++) {
		int want = 0;
		for (int k = 0; k < 4; k++)
			want += __builtin_popcount(a[i / 8 * 4 + k] ^ b[i % 8 * 4 + k]);
		CHECK(got[i] == want);
	}
	nibbles<<<1, 32>>>(up(a), up(b), c);
	got = down<int>(c, 64);
	for (int i = 0; i < 64; i++) {
		int want = 0;
		for (int k = 0; k < 32; k++)
			want += nibble(a, i / 8 * 32 + k) * nibble(b, i % 8 * 32 + k);
		CHECK(got[i] == want);
	}
	return passed();
}
