// A tree of grids: every node marks its place and launches its children, down to a depth.
extern "C" __global__ void
tree(unsigned *marks, unsigned node, unsigned depth, unsigned limit)
{
	marks[node] = depth + 1;
	if (depth == limit)
		return;
	tree<<<1, 1>>>(marks, 2 * node + 1, depth + 1, limit);
	tree<<<1, 1>>>(marks, 2 * node + 2, depth + 1, limit);
}

// A chain as deep as it goes: the launch that nests too deep is refused.
extern "C" __global__ void
chain(int *result, int depth)
{
	result[0] = depth;
	chain<<<1, 1>>>(result, depth + 1);
	cudaError_t e = cudaGetLastError();
	if (e != cudaSuccess) {
		result[1] = depth;
		result[2] = (int)e;
		result[3] = (int)cudaGetLastError();
	}
}

// Each of a tail launch's successors sees what the one before it left.
extern "C" __global__ void
step(int *cells, int n)
{
	cells[n] = cells[n - 1] + 1;
	if (n < 99)
		step<<<1, 1, 0, cudaStreamTailLaunch>>>(cells, n + 1);
}

__global__ void
add(int *at, int value)
{
	atomicAdd(at, value);
}

// A tail launch comes after all other children, whenever it was launched.
extern "C" __global__ void
order(int *cells)
{
	if (threadIdx.x == 0) {
		cells[0] = 1000;
		step<<<1, 1, 0, cudaStreamTailLaunch>>>(cells, 1);
	}
	add<<<2, 32, 0, cudaStreamFireAndForget>>>(cells, 1);
	add<<<1, 32>>>(cells, 2);
}
