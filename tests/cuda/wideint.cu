// nvcc -gencode arch=compute_75,code=compute_75
// Integers of 128 bits, whose division compilers make of carries that go from subtractions to
// additions and back, and those of 256 bits by hand.
#include <vector>
#include "check.h"

typedef __int128 wide;
typedef unsigned __int128 uwide;

static const int THREADS = 64, RESULTS = 6;

__host__ __device__ static void
compute(int i, wide *r)
{
	const wide x = (wide)(i - 20) * (i * 7919 + 1) * 1000000007ll * 1000000009ll;
	const uwide y = ((uwide)i * 2654435761u << 64 | 0x123456789abcdefull) >> (i % 7);
	r[0] = x / 12345;
	r[1] = x % 777;
	r[2] = x / (((wide)i << 40) + 3);
	r[3] = (wide)(y / ((uwide)(i % 5) << 66 | 1));
	r[4] = (wide)(y % ((uwide)(i + 1) << 33 | 5));
	r[5] = (x << (i % 64)) ^ (x >> 5) ^ (wide)(y * 3 < y);
}

__global__ void
device_results(wide *r)
{
	compute(threadIdx.x, r + threadIdx.x * RESULTS);
}

// 8 words; the carry or borrow goes through all of them.
__global__ void
chains(const unsigned *a, const unsigned *b, unsigned *sum, unsigned *difference)
{
	asm volatile("{ .reg .u32 s<8>, d<8>;\n"
		     "add.cc.u32 s0, %0, %8; addc.cc.u32 s1, %1, %9; addc.cc.u32 s2, %2, %10;\n"
		     "addc.cc.u32 s3, %3, %11; addc.cc.u32 s4, %4, %12; addc.cc.u32 s5, %5, %13;\n"
		     "addc.cc.u32 s6, %6, %14; addc.u32 s7, %7, %15;\n"
		     "sub.cc.u32 d0, %0, %8; subc.cc.u32 d1, %1, %9; subc.cc.u32 d2, %2, %10;\n"
		     "subc.cc.u32 d3, %3, %11; subc.cc.u32 d4, %4, %12; subc.cc.u32 d5, %5, %13;\n"
		     "subc.cc.u32 d6, %6, %14; subc.u32 d7, %7, %15;\n"
		     "st.v4.u32 [%16], {s0, s1, s2, s3}; st.v4.u32 [%16+16], {s4, s5, s6, s7};\n"
		     "st.v4.u32 [%17], {d0, d1, d2, d3}; st.v4.u32 [%17+16], {d4, d5, d6, d7}; }"
		     :
		     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]),
		     "r"(a[7]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(b[4]), "r"(b[5]),
		     "r"(b[6]), "r"(b[7]), "l"(sum), "l"(difference)
		     : "memory");
}

static void
check_chains(void)
{
	const unsigned a[8] = {1, 0, 0, 0xffffffff, 0xffffffff, 7, 0, 0x80000000};
	const unsigned b[8] = {0xffffffff, 0xffffffff, 0xffffffff, 0, 1, 0xfffffff0, 1, 0x7fffffff};
	unsigned *d, sum[8], difference[8];
	unsigned long long carry = 0, borrow = 0;
	OK(cudaMalloc(&d, 4 * sizeof a));
	OK(cudaMemcpy(d, a, sizeof a, cudaMemcpyHostToDevice));
	OK(cudaMemcpy(d + 8, b, sizeof b, cudaMemcpyHostToDevice));
	chains<<<1, 1>>>(d, d + 8, d + 16, d + 24);
	OK(cudaMemcpy(sum, d + 16, sizeof sum, cudaMemcpyDeviceToHost));
	OK(cudaMemcpy(difference, d + 24, sizeof difference, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 8; i++) {
		const unsigned long long s = carry + a[i] + b[i], t = 0ull + a[i] - b[i] - borrow;
		CHECK(sum[i] == (unsigned)s && difference[i] == (unsigned)t);
		carry = s >> 32;
		borrow = t >> 63;
	}
}

int
main()
{
	std::vector<wide> got(THREADS * RESULTS);
	wide *d, want[RESULTS];
	OK(cudaMalloc(&d, got.size() * sizeof(wide)));
	device_results<<<1, THREADS>>>(d);
	OK(cudaMemcpy(got.data(), d, got.size() * sizeof(wide), cudaMemcpyDeviceToHost));
	for (int i = 0; i < THREADS; i++) {
		compute(i, want);
		for (int k = 0; k < RESULTS; k++)
			CHECK(got[i * RESULTS + k] == want[k]);
	}
	check_chains();
	return passed();
}
