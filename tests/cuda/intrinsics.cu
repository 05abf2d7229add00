// nvcc -gencode arch=compute_75,code=compute_75
// Intrinsic functions of integers, packed bytes and halves, and arithmetic with directed rounding
// against the host's.
#include <cfenv>
#include <cmath>
#include <cstring>
#include <vector>
#include "check.h"

static const int THREADS = 1024, INTS = 12, FLOATS = 8, DOUBLES = 6;

__host__ __device__ static unsigned
word(unsigned i, unsigned k)
{
	unsigned x = i * 2654435761u + k * 40503u + 12345;
	x ^= x >> 13;
	x *= 0x5bd1e995;
	return x ^ x >> 15;
}

__global__ void
integers(unsigned *out)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	const unsigned a = word(i, 1), b = word(i, 2), c = word(i, 3);
	const unsigned r[INTS] = {__vabsdiffu4(a, b), __vmaxs4(a, b), __vsubus4(a, b),
	    __vavgu4(a, b), __vcmpgts2(a, b), __vaddss2(a, b),
	    (unsigned)__dp4a((int)a, (int)b, (int)c), (unsigned)__dp2a_lo((int)a, (int)b, (int)c),
	    __usad(a, b, c), __uhadd(a, b), __funnelshift_rc(a, b, c & 63),
	    (unsigned)__brevll((unsigned long long)a << 32 | b)};
	for (int k = 0; k < INTS; k++)
		out[i * INTS + k] = r[k];
}

static int
part(unsigned v, int k, int bits, bool sign)
{
	const unsigned x = v >> (k * bits) & ((1u << bits) - 1);
	return sign && x >> (bits - 1) ? (int)x - (1 << bits) : (int)x;
}

static void
expect_integers(int i, unsigned *r)
{
	const unsigned a = word(i, 1), b = word(i, 2), c = word(i, 3),
		       s = (c & 63) > 32 ? 32 : c & 63;
	memset(r, 0, INTS * sizeof *r);
	r[6] = r[7] = c;
	for (int k = 0; k < 4; k++) {
		const int x = part(a, k, 8, false), y = part(b, k, 8, false);
		const int sx = part(a, k, 8, true), sy = part(b, k, 8, true);
		r[0] |= (unsigned)(x > y ? x - y : y - x) << 8 * k;
		r[1] |= ((unsigned)(sx > sy ? sx : sy) & 255) << 8 * k;
		r[2] |= (unsigned)(x > y ? x - y : 0) << 8 * k;
		r[3] |= (unsigned)((x + y + 1) / 2) << 8 * k;
		r[6] += (unsigned)(sx * sy);
	}
	for (int k = 0; k < 2; k++) {
		const int x = part(a, k, 16, true), y = part(b, k, 16, true), sum = x + y;
		r[4] |= (x > y ? 0xffffu : 0) << 16 * k;
		r[5] |= ((unsigned)(sum > 32767	   ? 32767
				    : sum < -32768 ? -32768
						   : sum) &
			    0xffff)
			<< 16 * k;
		r[7] += (unsigned)(x * part(b, k, 8, true));
	}
	r[8] = (a > b ? a - b : b - a) + c;
	r[9] = (unsigned)(((unsigned long long)a + b) / 2);
	r[10] = s == 32 ? b : (unsigned)(((unsigned long long)b << 32 | a) >> s);
	for (int k = 0; k < 32; k++)
		r[11] |= (a >> (31 - k) & 1) << k;
}

__host__ __device__ static float
number(unsigned i, unsigned k)
{
	const unsigned bits = (word(i, k) & 0xbfffffff) | 0x20000000;
	float f;
	memcpy(&f, &bits, sizeof f);
	return f;
}

__global__ void
reals(float *f, double *d)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	const float x = number(i, 5), y = number(i, 6);
	const double u = x * 1.0000001, v = y * 0.99999;
	const float r[FLOATS] = {__fadd_ru(x, y), __fmul_rz(x, y), __fdiv_ru(x, y),
	    __fsqrt_rd(fabsf(x)), __fmaf_rz(x, y, x), __double2float_rd(u),
	    __int2float_rd((int)word(i, 7)), remainderf(x, y)};
	const double q[DOUBLES] = {__dadd_ru(u, v), __dmul_rd(u, v), __ddiv_rz(u, v),
	    __dsqrt_ru(fabs(u)), __fma_rd(u, v, u), fmod(u, v)};
	for (int k = 0; k < FLOATS; k++)
		f[i * FLOATS + k] = r[k];
	for (int k = 0; k < DOUBLES; k++)
		d[i * DOUBLES + k] = q[k];
}

// Volatile, so that each operation is made under its rounding.
static void
expect_reals(int i, volatile float *f, volatile double *d)
{
	const volatile float x = number(i, 5), y = number(i, 6);
	const volatile double u = x * 1.0000001, v = y * 0.99999;
	const volatile int n = (int)word(i, 7);
	f[7] = remainderf(x, y);
	d[5] = std::fmod(u, v);
	std::fesetround(FE_UPWARD);
	f[0] = x + y;
	f[2] = x / y;
	d[0] = u + v;
	d[3] = std::sqrt(std::fabs(u));
	std::fesetround(FE_DOWNWARD);
	f[3] = std::sqrt(std::fabs(x));
	f[5] = (float)u;
	f[6] = (float)n;
	d[1] = u * v;
	d[4] = std::fma(u, v, u);
	std::fesetround(FE_TOWARDZERO);
	f[1] = x * y;
	f[4] = std::fma(x, y, x);
	d[2] = u / v;
	std::fesetround(FE_TONEAREST);
}

int
main()
{
	std::vector<unsigned> n(THREADS * INTS);
	std::vector<float> f(THREADS * FLOATS);
	std::vector<double> d(THREADS * DOUBLES);
	unsigned *device_n, want_n[INTS];
	float *device_f, want_f[FLOATS];
	double *device_d, want_d[DOUBLES];
	OK(cudaMalloc(&device_n, n.size() * sizeof n[0]));
	OK(cudaMalloc(&device_f, f.size() * sizeof f[0]));
	OK(cudaMalloc(&device_d, d.size() * sizeof d[0]));
	integers<<<THREADS / 256, 256>>>(device_n);
	reals<<<THREADS / 256, 256>>>(device_f, device_d);
	OK(cudaMemcpy(n.data(), device_n, n.size() * sizeof n[0], cudaMemcpyDeviceToHost));
	OK(cudaMemcpy(f.data(), device_f, f.size() * sizeof f[0], cudaMemcpyDeviceToHost));
	OK(cudaMemcpy(d.data(), device_d, d.size() * sizeof d[0], cudaMemcpyDeviceToHost));
	for (int i = 0; i < THREADS; i++) {
		expect_integers(i, want_n);
		expect_reals(i, want_f, want_d);
		for (int k = 0; k < INTS; k++)
			CHECK(n[i * INTS + k] == want_n[k]);
		for (int k = 0; k < FLOATS; k++)
			CHECK(f[i * FLOATS + k] == want_f[k]);
		for (int k = 0; k < DOUBLES; k++)
			CHECK(d[i * DOUBLES + k] == want_d[k]);
	}
	return passed();
}
