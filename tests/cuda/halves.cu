// nvcc -arch=sm_75 -fmad=false
/* Arithmetic in halves and pairs of halves gives the host's bits. */
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include "check.h"

const int N = 4096;

__global__ void
compute(const __half *a, const __half *b, __half *out, __half2 *pair)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	__half *o = out + 8 * i;
	o[0] = __hadd(a[i], b[i]);
	o[1] = __hsub(a[i], b[i]);
	o[2] = __hmul(a[i], b[i]);
	o[3] = __hfma(a[i], b[i], a[i]);
	o[4] = __hdiv(a[i], b[i]);
	o[5] = __float2half_rz(__half2float(a[i]) * 1.0009765625f);
	o[6] = __hmax(a[i], b[i]);
	o[7] = __int2half_rn(__half2int_rd(a[i]));
	pair[i] = __hfma2(
	    __halves2half2(a[i], b[i]), __halves2half2(b[i], a[i]), __halves2half2(b[i], b[i]));
}

static unsigned short
bits(__half h)
{
	unsigned short u;
	memcpy(&u, &h, 2);
	return u;
}

static __half
half_of(unsigned i)
{
	unsigned short u = (unsigned short)((i * 40503u) & 0x9fff) | 0x2000;
	__half h;
	memcpy(&h, &u, 2);
	return h;
}

static bool
same(__half x, double want)
{
	return bits(x) == bits(__double2half(want));
}

int
main()
{
	__half *a, *b, *out;
	__half2 *pair;
	OK(cudaMallocManaged(&a, N * sizeof *a));
	OK(cudaMallocManaged(&b, N * sizeof *b));
	OK(cudaMallocManaged(&out, 8 * N * sizeof *out));
	OK(cudaMallocManaged(&pair, N * sizeof *pair));
	for (int i = 0; i < N; i++) {
		a[i] = half_of((unsigned)i);
		b[i] = half_of((unsigned)i * 31 + 7);
	}
	compute<<<N / 128, 128>>>(a, b, out, pair);
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < N; i++) {
		const double x = (double)__half2float(a[i]), y = (double)__half2float(b[i]);
		CHECK(same(out[8 * i], x + y));
		CHECK(same(out[8 * i + 1], x - y));
		CHECK(same(out[8 * i + 2], x * y));
		CHECK(same(out[8 * i + 3], x * y + x)); /* exact in a double for these */
		CHECK(same(out[8 * i + 6], x > y ? x : y));
		CHECK(same(pair[i].x, x * y + y) && same(pair[i].y, y * x + y));
		CHECK(bits(out[8 * i + 5]) == bits(__float2half_rz((float)x * 1.0009765625f)));
	}
	return passed();
}
