// nvcc -rdc=true -gencode arch=compute_75,code=compute_75
// Breadth-first search in which a vertex with many neighbours has them visited by a grid of its own.
#include <queue>
#include <vector>
#include "check.h"

__global__ void
visit(const int *edge, int first, int n, int level, int *distance, int *changed)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n && atomicCAS(&distance[edge[first + i]], -1, level + 1) == -1)
		*changed = 1;
}

__global__ void
expand(const int *row, const int *edge, int vertices, int level, int *distance, int *changed)
{
	const int v = blockIdx.x * blockDim.x + threadIdx.x;
	if (v >= vertices || distance[v] != level)
		return;
	const int first = row[v], n = row[v + 1] - first;
	if (n > 32) {
		visit<<<(n + 63) / 64, 64>>>(edge, first, n, level, distance, changed);
		return;
	}
	for (int i = 0; i < n; i++)
		if (atomicCAS(&distance[edge[first + i]], -1, level + 1) == -1)
			*changed = 1;
}

struct graph {
	std::vector<int> row, edge;
};

// Few vertices with many neighbours, many with few.
static graph
make(int vertices)
{
	graph g;
	unsigned seed = 12345;
	for (int v = 0; v < vertices; v++) {
		g.row.push_back((int)g.edge.size());
		const int n = v % 37 == 5 ? 200 : v % 3;
		for (int i = 0; i < n; i++)
			g.edge.push_back((int)((seed = seed * 1664525 + 1013904223) >> 8) % vertices);
	}
	g.row.push_back((int)g.edge.size());
	return g;
}

static std::vector<int>
reference(const graph &g, int from)
{
	std::vector<int> distance(g.row.size() - 1, -1);
	std::queue<int> next;
	distance[from] = 0;
	for (next.push(from); !next.empty(); next.pop()) {
		const int v = next.front();
		for (int i = g.row[v]; i < g.row[v + 1]; i++)
			if (distance[g.edge[i]] < 0) {
				distance[g.edge[i]] = distance[v] + 1;
				next.push(g.edge[i]);
			}
	}
	return distance;
}

template <typename T>
static T *
upload(const std::vector<T> &v)
{
	T *d;
	OK(cudaMalloc(&d, v.size() * sizeof(T)));
	OK(cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
	return d;
}

int
main()
{
	const int vertices = 3000, from = 5;
	const graph g = make(vertices);
	std::vector<int> distance(vertices, -1);
	distance[from] = 0;
	int *row = upload(g.row), *edge = upload(g.edge), *d = upload(distance), *changed, any = 1;
	OK(cudaMalloc(&changed, sizeof *changed));
	for (int level = 0; any; level++) {
		OK(cudaMemset(changed, 0, sizeof *changed));
		expand<<<(vertices + 127) / 128, 128>>>(row, edge, vertices, level, d, changed);
		OK(cudaGetLastError());
		OK(cudaMemcpy(&any, changed, sizeof any, cudaMemcpyDeviceToHost));
	}
	OK(cudaMemcpy(distance.data(), d, vertices * sizeof(int), cudaMemcpyDeviceToHost));
	CHECK(distance == reference(g, from));
	return passed();
}
