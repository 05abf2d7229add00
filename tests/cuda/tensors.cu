// nvcc -arch=compute_90 -code=compute_90
/* Boxes of tensors that the bulk engine moves: where they lie, what lies outside, how they are
 * swizzled. */
#include <cstring>
#include <cuda.h>
#include <vector>
#include "check.h"

enum { W = 40, H = 24, D = 6, BYTES = 8192 };

static decltype(cuTensorMapEncodeTiled) *encode;
static decltype(cuTensorMapReplaceAddress) *replace;
__constant__ CUtensorMap in_constant;

__device__ unsigned
at(const void *p)
{
	return (unsigned)__cvta_generic_to_shared(p);
}

__device__ void
expect(void *bar, int bytes)
{
	asm volatile("mbarrier.init.shared.b64 [%0], 1;"
		     "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(bar)),
		     "r"(bytes)
		     : "memory");
}

__device__ void
await(void *bar)
{
	unsigned done;
	do
		asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; "
			     "selp.u32 %0, 1, 0, p;}"
			     : "=r"(done)
			     : "r"(at(bar))
			     : "memory");
	while (!done);
}

/* What the barrier is told of shows how many bytes come; what is not written stays 0x55. */
template <typename F>
__device__ void
bring(char *out, int bytes, F load)
{
	__shared__ alignas(1024) char box[BYTES];
	__shared__ alignas(8) long bar;
	for (int i = threadIdx.x; i < BYTES; i += blockDim.x)
		box[i] = 0x55;
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	__syncthreads();
	if (threadIdx.x == 0) {
		expect(&bar, bytes);
		load(at(box), at(&bar));
	}
	__syncthreads();
	await(&bar);
	for (int i = threadIdx.x; i < BYTES; i += blockDim.x)
		out[i] = box[i];
	if (threadIdx.x == 0)
		asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at(&bar)));
}

#define LOAD(dim) \
	"cp.async.bulk.tensor." dim ".shared::cluster.global.tile.mbarrier::complete_tx::bytes"

__global__ void
load2(const __grid_constant__ CUtensorMap map, char *out, int bytes, int x, int y)
{
	bring(out, bytes, [&](unsigned box, unsigned bar) {
		asm volatile(
		    "prefetch.tensormap [%0];"
		    "cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(&map),
		    "r"(x), "r"(y));
		asm volatile(LOAD("2d") " [%0], [%1, {%2, %3}], [%4];" ::"r"(box), "l"(&map),
			     "r"(x), "r"(y), "r"(bar)
			     : "memory");
	});
}

__global__ void
load3(char *out, int bytes, int x, int y, int z)
{
	bring(out, bytes, [&](unsigned box, unsigned bar) {
		asm volatile(LOAD("3d") " [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(box),
			     "l"(&in_constant), "r"(x), "r"(y), "r"(z), "r"(bar)
			     : "memory");
	});
}

/* Each block gives its box to the tensor, or adds it. */
__global__ void
give(const __grid_constant__ CUtensorMap map, bool add, int step)
{
	__shared__ alignas(128) float box[8][16];
	for (int i = threadIdx.x; i < 128; i += blockDim.x)
		box[i / 16][i % 16] = 1000 * blockIdx.x + i;
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	__syncthreads();
	if (threadIdx.x)
		return;
	const int x = step * blockIdx.x - 4, y = 2;
	if (add)
		asm volatile(
		    "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, "
		    "{%1, %2}], [%3];" ::"l"(&map),
		    "r"(x), "r"(y), "r"(at(box))
		    : "memory");
	else
		asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, "
			     "%2}], [%3];" ::"l"(&map),
			     "r"(x), "r"(y), "r"(at(box))
			     : "memory");
	asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}

/* The first block of a cluster brings a line to both. */
__global__ void __cluster_dims__(2, 1, 1) both(const CUtensorMap *map, int *out)
{
	__shared__ alignas(128) int box[32];
	__shared__ alignas(8) long bar;
	if (threadIdx.x == 0)
		expect(&bar, sizeof box);
	asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
	if (threadIdx.x == 0 && blockIdx.x % 2 == 0)
		asm volatile(
		    "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes."
		    "multicast::cluster [%0], [%1, {%2}], [%3], %4;" ::"r"(at(box)),
		    "l"(map), "r"(16), "r"(at(&bar)), "h"((short)3)
		    : "memory");
	await(&bar);
	out[blockIdx.x * 32 + threadIdx.x] = box[threadIdx.x];
	asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
}

/* Asked of a tensor of elements of size bytes, rows of W, in layers of H. */
struct request {
	CUtensorMapDataType type;
	unsigned size, rank;
	uint32_t box[3], step[3];
	CUtensorMapSwizzle swizzle;
	CUtensorMapFloatOOBfill fill;
	uint64_t sizes[3], strides[2];
};

static request
asked(CUtensorMapDataType type, unsigned size, unsigned rank, uint32_t x, uint32_t y, uint32_t z)
{
	return {type, size, rank, {x, y, z}, {1, 1, 1}, CU_TENSOR_MAP_SWIZZLE_NONE,
	    CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE, {W, H, D}, {W * size, H * W * size}};
}

static CUresult
made(const request &q, void *data, CUtensorMap *map)
{
	return encode(map, q.type, q.rank, data, q.sizes, q.strides, q.box, q.step,
	    CU_TENSOR_MAP_INTERLEAVE_NONE, q.swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, q.fill);
}

/* What bring leaves, worked out element by element; returns the bytes that came. */
static int
box_of(const request &q, const char *data, const int *from, char *out)
{
	const unsigned swizzle = (unsigned)q.swizzle, row = q.box[0] * q.size;
	const unsigned pitch = swizzle ? 16u << swizzle : row;
	unsigned rows = 0;
	memset(out, 0x55, BYTES);
	for (uint32_t z = 0; z < (q.rank > 2 ? q.box[2] : 1); z += q.step[2])
		for (uint32_t y = 0; y < q.box[1]; y += q.step[1], rows++)
			for (uint32_t x = 0; x < q.box[0]; x++) {
				const int p[] = {from[0] + (int)x, from[1] + (int)y,
				    q.rank > 2 ? from[2] + (int)z : 0};
				unsigned to = rows * pitch + x * q.size;
				to ^= (to / 128 % 8 * 16) & (pitch - 1) & (swizzle ? ~0u : 0u);
				if (p[0] < 0 || p[0] >= W || p[1] < 0 || p[1] >= H || p[2] < 0 ||
				    p[2] >= D)
					memset(out + to, 0, q.size);
				else
					memcpy(out + to,
					    data + ((p[2] * H + p[1]) * W + p[0]) * q.size, q.size);
			}
	return rows * row;
}

static void
loads(const request &q, void *d, const std::vector<char> &data, int x, int y, int z)
{
	std::vector<char> want(BYTES), got(BYTES);
	const int from[] = {x, y, z};
	CUtensorMap map;
	char *out;
	CHECK(made(q, d, &map) == CUDA_SUCCESS);
	OK(cudaMalloc(&out, BYTES));
	const int bytes = box_of(q, data.data(), from, want.data());
	if (q.rank == 2) {
		load2<<<1, 64>>>(map, out, bytes, x, y);
	} else {
		OK(cudaMemcpyToSymbol(in_constant, &map, sizeof map));
		load3<<<1, 64>>>(out, bytes, x, y, z);
	}
	OK(cudaMemcpy(got.data(), out, BYTES, cudaMemcpyDefault));
	CHECK(got == want);
	OK(cudaFree(out));
}

static void
gives(bool add)
{
	std::vector<float> want(W * H), got(W * H);
	CUtensorMap map;
	float *d;
	const int step = add ? 8 : 16;
	OK(cudaMalloc(&d, W * H * sizeof *d));
	OK(cudaMemset(d, 0, W * H * sizeof *d));
	CHECK(
	    made(asked(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, 2, 16, 8, 1), d, &map) == CUDA_SUCCESS);
	give<<<4, 32>>>(map, add, step);
	for (int b = 0; b < 4; b++)
		for (int i = 0; i < 128; i++) {
			const int x = step * b - 4 + i % 16;
			if (x >= 0 && x < W)
				want[(2 + i / 16) * W + x] += 1000 * b + i;
		}
	OK(cudaMemcpy(got.data(), d, W * H * sizeof *d, cudaMemcpyDefault));
	CHECK(got == want);
	OK(cudaFree(d));
}

static void
to_both(int *d)
{
	CUtensorMap *map;
	int *out;
	OK(cudaMallocManaged(&map, sizeof *map));
	OK(cudaMallocManaged(&out, 64 * sizeof *out));
	request q = asked(CU_TENSOR_MAP_DATA_TYPE_INT32, 4, 1, 32, 1, 1);
	CHECK(made(q, d + 4, map) == CUDA_SUCCESS);
	CHECK(replace(map, d) == CUDA_SUCCESS);
	both<<<2, 32>>>(map, out);
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < 64; i++)
		CHECK(out[i] == (i % 32 < W - 16 ? 3 * (i % 32 + 16) : 0));
	OK(cudaFree(map));
	OK(cudaFree(out));
}

static void
refuses(void *d)
{
	CUtensorMap map;
	const request good = asked(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, 3, 32, 4, 2);
	request q[8] = {good, good, good, good, good, good, good, good};
	CHECK(made(good, d, &map) == CUDA_SUCCESS);
	CHECK(made(good, (char *)d + 8, &map) == CUDA_ERROR_INVALID_VALUE);
	q[0].rank = 6;
	q[1].strides[0] += 8;
	q[2].box[1] = 257;
	q[3].box[0] = 30;
	q[4].swizzle = CU_TENSOR_MAP_SWIZZLE_32B;
	q[5].step[1] = 9;
	q[6].sizes[1] = 0;
	q[7].type = CU_TENSOR_MAP_DATA_TYPE_UINT16;
	q[7].fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
	for (const request &bad : q)
		CHECK(made(bad, d, &map) == CUDA_ERROR_INVALID_VALUE);
	CHECK(replace(&map, (char *)d + 1) == CUDA_ERROR_INVALID_VALUE);
}

static void
no_numbers(void *d)
{
	const request with = [] {
		request q = asked(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, 2, 16, 4, 1);
		q.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
		return q;
	}();
	CUtensorMap map;
	float *out;
	CHECK(made(with, d, &map) == CUDA_SUCCESS);
	OK(cudaMallocManaged(&out, BYTES));
	load2<<<1, 32>>>(map, (char *)out, 256, -8, H - 3);
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < 64; i++)
		CHECK((out[i] != out[i]) == (i % 16 < 8 || i / 16 == 3));
	OK(cudaFree(out));
}

int
main()
{
	std::vector<char> data(W * H * D * 4);
	cudaDriverEntryPointQueryResult found;
	void *d, *p;
	OK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &p, 12000, 0, &found));
	encode = (decltype(encode))p;
	OK(cudaGetDriverEntryPointByVersion("cuTensorMapReplaceAddress", &p, 12000, 0, &found));
	replace = (decltype(replace))p;
	for (int i = 0; i < W * H * D; i++)
		((int *)data.data())[i] = 3 * i;
	OK(cudaMalloc(&d, data.size()));
	OK(cudaMemcpy(d, data.data(), data.size(), cudaMemcpyDefault));

	request q = asked(CU_TENSOR_MAP_DATA_TYPE_INT32, 4, 2, 32, 8, 1);
	loads(q, d, data, 0, 0, 0);
	loads(q, d, data, -4, 3, 0);
	loads(q, d, data, 16, 20, 0);
	loads(q, d, data, W, -8, 0);
	for (int s = 1; s <= 3; s++) {
		q = asked(CU_TENSOR_MAP_DATA_TYPE_UINT16, 2, 2, 8 << s, 24, 1);
		q.swizzle = (CUtensorMapSwizzle)s;
		loads(q, d, data, 8, 1, 0);
	}
	q = asked(CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, 3, 16, 10, 5);
	q.sizes[0] = W, q.strides[0] = 48, q.strides[1] = 48 * H;
	CUtensorMap padded;
	CHECK(made(q, d, &padded) == CUDA_SUCCESS);
	q = asked(CU_TENSOR_MAP_DATA_TYPE_INT32, 4, 3, 16, 10, 5);
	q.step[1] = 3, q.step[2] = 2;
	loads(q, d, data, 12, 5, -2);

	gives(false);
	gives(true);
	to_both((int *)d);
	refuses(d);
	no_numbers(d);

	/* coordinates that are not whole pieces of 16 bytes, as NVIDIA's sample says */
	CHECK(
	    made(asked(CU_TENSOR_MAP_DATA_TYPE_INT32, 4, 2, 32, 8, 1), d, &padded) == CUDA_SUCCESS);
	load2<<<1, 32>>>(padded, (char *)d, 1024, 1, 0);
	FAILS(cudaErrorMisalignedAddress, cudaDeviceSynchronize());
	return passed();
}
