// nvcc -arch=compute_90 -code=compute_90
/* Clusters of blocks: shared memory of others, barriers, histograms across a cluster, launches. */
#include <cooperative_groups.h>
#include <vector>
#include "check.h"
namespace cg = cooperative_groups;

#define BINS	512
#define THREADS 64

/* Each block of a cluster has a part of the bins; a value is counted where its bin lies. */
__global__ void
histogram(int *bins, const int *values, int n)
{
	extern __shared__ int mine[];
	const cg::cluster_group cluster = cg::this_cluster();
	const int blocks = (int)cluster.num_blocks(), each = BINS / blocks;
	const int rank = (int)cluster.block_rank();
	for (int i = (int)threadIdx.x; i < each; i += blockDim.x)
		mine[i] = 0;
	cluster.sync();
	for (int i = (int)cg::this_grid().thread_rank(); i < n; i += gridDim.x * blockDim.x) {
		const int bin = values[i] % BINS;
		atomicAdd(cluster.map_shared_rank(mine, bin / each) + bin % each, 1);
	}
	cluster.sync();
	for (int i = (int)threadIdx.x; i < each; i += blockDim.x)
		atomicAdd(&bins[rank * each + i], mine[i]);
}

/* A ring: each round every block passes on what it has to the next. */
__global__ void __cluster_dims__(2, 2, 1) ring(int *out)
{
	__shared__ int token[2];
	const cg::cluster_group cluster = cg::this_cluster();
	const unsigned rank = cluster.block_rank(), n = cluster.num_blocks();
	if (threadIdx.x == 0)
		token[0] = (int)rank;
	cluster.sync();
	for (unsigned r = 0; r < n; r++) {
		if (threadIdx.x == 0)
			*cluster.map_shared_rank(&token[(r + 1) % 2], (rank + 1) % n) =
			    token[r % 2];
		auto arrived = cluster.barrier_arrive();
		cluster.barrier_wait(std::move(arrived));
	}
	const dim3 at = cluster.block_index();
	if (threadIdx.x == 0) {
		int *mine = out + 4 * (blockIdx.y * gridDim.x + blockIdx.x);
		mine[0] = token[n % 2];
		mine[1] = (int)(at.y * 2 + at.x);
		mine[2] = (int)cluster.query_shared_rank(cluster.map_shared_rank(token, n - 1));
		mine[3] = (int)(cluster.dim_blocks().x * 10 + cluster.dim_blocks().y);
	}
}

/* A warp waits for its block while another of that block still waits for the cluster. */
__global__ void __cluster_dims__(2, 1, 1)
crossed(int *out)
{
	__shared__ int from_other;
	const cg::cluster_group cluster = cg::this_cluster();
	const unsigned rank = cluster.block_rank();
	if (threadIdx.x == 0)
		*cluster.map_shared_rank(&from_other, 1 - rank) = (int)rank + 10;
	asm volatile("barrier.cluster.arrive;" ::: "memory");
	if (threadIdx.x >= 32)
		asm volatile("barrier.cluster.wait;" ::: "memory");
	__syncthreads();
	if (threadIdx.x < 32)
		asm volatile("barrier.cluster.wait;" ::: "memory");
	if (threadIdx.x == 32)
		out[rank] = from_other;
	cluster.sync();
}

/* Copies of the bulk engine, of one thread for its block; what comes is awaited at a barrier. */
__global__ void
turn(const int *in, int *out, int n)
{
	__shared__ alignas(128) int tile[256];
	__shared__ alignas(8) unsigned long long bar;
	const unsigned at = (unsigned)__cvta_generic_to_shared(tile);
	const unsigned b = (unsigned)__cvta_generic_to_shared(&bar);
	unsigned done = 0, phase = 0;
	if (threadIdx.x == 0)
		asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(b));
	__syncthreads();
	for (int i = blockIdx.x * 256; i < n; i += gridDim.x * 256) {
		if (threadIdx.x == 0) {
			asm volatile(
			    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" ::"r"(b)
			    : "memory");
			asm volatile(
			    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
			    "[%0], [%1], 1024, [%2];" ::"r"(at),
			    "l"(in + i), "r"(b)
			    : "memory");
		}
		do
			asm volatile(
			    "{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], "
			    "%2; selp.u32 %0, 1, 0, p;}"
			    : "=r"(done)
			    : "r"(b), "r"(phase));
		while (!done);
		phase ^= 1;
		const int x = tile[255 - threadIdx.x];
		__syncthreads();
		tile[threadIdx.x] = x;
		asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
		__syncthreads();
		if (threadIdx.x == 0)
			asm volatile(
			    "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 1024;"
			    "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;" ::"l"(
				out + i),
			    "r"(at)
			    : "memory");
		__syncthreads();
	}
}

/* Reductions into the next block's memory, which its barrier is told of. */
__global__ void __cluster_dims__(4, 1, 1) give(unsigned *out)
{
	__shared__ unsigned sum, greatest;
	__shared__ unsigned long long wide;
	__shared__ alignas(8) unsigned long long bar;
	const cg::cluster_group cluster = cg::this_cluster();
	const unsigned rank = cluster.block_rank(), next = (rank + 1) % cluster.num_blocks();
	const unsigned b = (unsigned)__cvta_generic_to_shared(&bar);
	unsigned to[4], at[4] = {(unsigned)__cvta_generic_to_shared(&sum),
			    (unsigned)__cvta_generic_to_shared(&greatest),
			    (unsigned)__cvta_generic_to_shared(&wide), b};
	for (int i = 0; i < 4; i++)
		asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to[i]) : "r"(at[i]), "r"(next));
	if (threadIdx.x == 0) {
		sum = greatest = 0;
		wide = 1ull << 40;
		asm volatile("mbarrier.init.shared.b64 [%0], 1;"
			     "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b),
			     "r"(blockDim.x * 16)
			     : "memory");
	}
	cluster.sync();
	const unsigned x = rank * 1000 + threadIdx.x;
#define TELLS "async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes"
	asm volatile("red." TELLS ".add.u32 [%0], %1, [%2];" ::"r"(to[0]), "r"(x), "r"(to[3])
		     : "memory");
	asm volatile("red." TELLS ".max.u32 [%0], %1, [%2];" ::"r"(to[1]), "r"(x), "r"(to[3])
		     : "memory");
	asm volatile(
	    "red." TELLS ".add.u64 [%0], %1, [%2];" ::"r"(to[2]), "l"((long long)x), "r"(to[3])
	    : "memory");
	unsigned done;
	do
		asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; "
			     "selp.u32 %0, 1, 0, p;}"
			     : "=r"(done)
			     : "r"(b)
			     : "memory");
	while (!done);
	if (threadIdx.x == 0) {
		out[rank * 3] = sum;
		out[rank * 3 + 1] = greatest;
		out[rank * 3 + 2] = (unsigned)(wide - (1ull << 40));
	}
	cluster.sync();
}

static void
give_and_take()
{
	const unsigned n = 96;
	unsigned *out;
	OK(cudaMallocManaged(&out, 12 * sizeof *out));
	give<<<4, n>>>(out);
	OK(cudaDeviceSynchronize());
	for (unsigned r = 0; r < 4; r++) {
		const unsigned giver = (r + 3) % 4, sum = giver * 1000 * n + n * (n - 1) / 2;
		CHECK(out[r * 3] == sum && out[r * 3 + 2] == sum);
		CHECK(out[r * 3 + 1] == giver * 1000 + n - 1);
	}
	OK(cudaFree(out));
}

static void
count(int blocks, int cluster)
{
	const int n = 10000;
	std::vector<int> values(n), want(BINS), got(BINS);
	int *d, *bins;
	for (int i = 0; i < n; i++) {
		values[i] = (int)((unsigned)i * 2654435761u >> 7);
		want[values[i] % BINS]++;
	}
	OK(cudaMalloc(&d, n * sizeof *d));
	OK(cudaMalloc(&bins, BINS * sizeof *bins));
	OK(cudaMemset(bins, 0, BINS * sizeof *bins));
	OK(cudaMemcpy(d, values.data(), n * sizeof *d, cudaMemcpyDefault));
	cudaLaunchConfig_t config = {};
	cudaLaunchAttribute attribute[1];
	config.gridDim = blocks;
	config.blockDim = THREADS;
	config.dynamicSmemBytes = BINS / cluster * sizeof(int);
	config.attrs = attribute;
	config.numAttrs = 1;
	attribute[0].id = cudaLaunchAttributeClusterDimension;
	attribute[0].val.clusterDim.x = cluster;
	attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
	int clusters = 0, size = 0;
	OK(cudaOccupancyMaxActiveClusters(&clusters, histogram, &config));
	CHECK(clusters > 0);
	OK(cudaOccupancyMaxPotentialClusterSize(&size, histogram, &config));
	CHECK(size == (cluster > 8 ? 16 : 8));
	OK(cudaLaunchKernelEx(&config, histogram, bins, (const int *)d, n));
	OK(cudaMemcpy(got.data(), bins, BINS * sizeof *bins, cudaMemcpyDefault));
	CHECK(got == want);
	config.gridDim = blocks + 1;
	FAILS(cudaErrorInvalidClusterSize,
	    cudaLaunchKernelEx(&config, histogram, bins, (const int *)d, n));
	CHECK(cudaGetLastError() == cudaErrorInvalidClusterSize);
	OK(cudaFree(d));
	OK(cudaFree(bins));
}

int
main()
{
	int supported;
	OK(cudaDeviceGetAttribute(&supported, cudaDevAttrClusterLaunch, 0));
	CHECK(supported == 1);
	count(16, 2);
	count(16, 8);
	OK(cudaFuncSetAttribute(histogram, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
	count(32, 16);

	cudaFuncAttributes a;
	OK(cudaFuncGetAttributes(&a, ring));
	CHECK(a.requiredClusterWidth == 2 && a.requiredClusterHeight == 2);
	int *out;
	OK(cudaMallocManaged(&out, 24 * 4 * sizeof *out));
	ring<<<dim3(6, 4), 32>>>(out);
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < 24; i++) {
		const int rank = i / 6 % 2 * 2 + i % 6 % 2;
		CHECK(out[4 * i] == rank && out[4 * i + 1] == rank);
		CHECK(out[4 * i + 2] == 3 && out[4 * i + 3] == 22);
	}
	crossed<<<2, 64>>>(out);
	OK(cudaDeviceSynchronize());
	CHECK(out[0] == 11 && out[1] == 10);
	ring<<<dim3(5, 4), 32>>>(out);
	CHECK(cudaGetLastError() == cudaErrorInvalidClusterSize);
	OK(cudaFree(out));

	give_and_take();

	const int n = 256 * 20;
	int *in;
	OK(cudaMallocManaged(&in, n * sizeof *in));
	OK(cudaMallocManaged(&out, n * sizeof *out));
	for (int i = 0; i < n; i++)
		in[i] = 3 * i;
	turn<<<6, 256>>>(in, out, n);
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < n; i++)
		CHECK(out[i] == 3 * (i / 256 * 256 + 255 - i % 256));
	return passed();
}
