/* Breadth-first search as benchmark suites have it: flags of bool, two kernels a round, the host
 * asks whether it is over.
 */
#include "check.h"

#include <vector>

struct vertex {
	int first, count;
};

__global__ void
expand(const vertex *vertices, const int *edges, bool *mask, bool *updating, const bool *visited,
    int *cost, int n)
{
	const int v = blockIdx.x * blockDim.x + threadIdx.x;

	if (v >= n || !mask[v])
		return;
	mask[v] = false;
	for (int i = 0; i < vertices[v].count; i++) {
		const int to = edges[vertices[v].first + i];

		if (!visited[to]) {
			cost[to] = cost[v] + 1;
			updating[to] = true;
		}
	}
}

__global__ void
advance(bool *mask, bool *updating, bool *visited, bool *more, int n)
{
	const int v = blockIdx.x * blockDim.x + threadIdx.x;

	if (v >= n || !updating[v])
		return;
	mask[v] = visited[v] = *more = true;
	updating[v] = false;
}

template <typename T>
static T *
on_device(const std::vector<T> &from)
{
	T *to;

	OK(cudaMalloc(&to, from.size() * sizeof(T)));
	OK(cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
	return to;
}

static std::vector<int>
reference(const std::vector<vertex> &vertices, const std::vector<int> &edges)
{
	std::vector<int> cost(vertices.size(), -1), queue{0};

	cost[0] = 0;
	for (size_t i = 0; i < queue.size(); i++) {
		const vertex v = vertices[queue[i]];

		for (int e = v.first; e < v.first + v.count; e++)
			if (cost[edges[e]] < 0) {
				cost[edges[e]] = cost[queue[i]] + 1;
				queue.push_back(edges[e]);
			}
	}
	return cost;
}

static void
search(const std::vector<vertex> &vertices, const std::vector<int> &edges, std::vector<int> &cost)
{
	const int n = (int)vertices.size(), blocks = (n + 511) / 512;
	vertex *dv = on_device(vertices);
	int *de = on_device(edges), *dc = on_device(cost);
	bool *flags[3], *more, again = true;

	for (bool *&p : flags) {
		OK(cudaMalloc(&p, n));
		OK(cudaMemset(p, 0, n));
	}
	OK(cudaMalloc(&more, 1));
	OK(cudaMemcpy(flags[0], &again, 1, cudaMemcpyHostToDevice));
	OK(cudaMemcpy(flags[2], &again, 1, cudaMemcpyHostToDevice));
	while (again) {
		again = false;
		OK(cudaMemcpy(more, &again, 1, cudaMemcpyHostToDevice));
		expand<<<blocks, 512>>>(dv, de, flags[0], flags[1], flags[2], dc, n);
		advance<<<blocks, 512>>>(flags[0], flags[1], flags[2], more, n);
		OK(cudaMemcpy(&again, more, 1, cudaMemcpyDeviceToHost));
	}
	OK(cudaMemcpy(cost.data(), dc, n * sizeof(int), cudaMemcpyDeviceToHost));
}

int
main(void)
{
	const int n = 1500;
	std::vector<vertex> vertices(n);
	std::vector<int> edges, cost(n, -1);
	unsigned seed = 7;

	for (vertex &v : vertices) {
		v.first = (int)edges.size();
		v.count = (int)((seed = seed * 1664525 + 1013904223) >> 16) % 6;
		for (int i = 0; i < v.count; i++)
			edges.push_back((int)((seed = seed * 1664525 + 1013904223) >> 8) % n);
	}
	vertices[0].count = vertices[0].count ? vertices[0].count : 1;
	cost[0] = 0;
	search(vertices, edges, cost);
	CHECK(cost == reference(vertices, edges));
	return passed();
}
