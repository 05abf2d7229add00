/*
 * Shortest paths from one source, a thread a vertex, whose vertices of many edges are a child kernel's.  In each round
 * the parent kernel offers every neighbour of a vertex whose distance fell in the round before the way through it, by
 * an atomic minimum, up to THRESHOLD edges in the thread that has the vertex, more in a child kernel with a thread an
 * edge; the host then launches the barrier kernel, which takes what was offered and says whether any distance fell
 * (Harish and Narayanan's two arrays of costs; Tang's type I).  A vertex comes as often as its distance falls, so there
 * are more launches than in breadth-first search; weights are read beside edges, offers are scattered.
 */
#include "../launch.h"

struct search {
	const int *row, *edge, *weight; /* [n + 1], [row[n]], [row[n]] */
	unsigned char *active;
	int *distance, *offer;
	int n;
};

/* A thread an edge of one vertex. */
KERNEL
sssp_edges(struct search s, int first, int edges, int distance)
{
	int k = GLOBAL_X;

	if (k < edges)
		reduce_min_global(&s.offer[s.edge[first + k]], distance + s.weight[first + k]);
}

template <enum form F>
DEVICE void
relax(const struct search &s, int threshold)
{
	int v = GLOBAL_X;

	if (v >= s.n || !s.active[v])
		return;
	s.active[v] = 0;
	int first = s.row[v], edges = s.row[v + 1] - first, distance = s.distance[v];
	if (handed_over<F>(edges, threshold, ENTRY(sssp_edges), (edges + 63) / 64, 64, s, first, edges, distance))
		return;
	ROLLED
	for (int k = 0; k < edges; k++)
		reduce_min_global(&s.offer[s.edge[first + k]], distance + s.weight[first + k]);
}

KERNEL
sssp_relax_flat(struct search s, int threshold)
{
	relax<FLAT>(s, threshold);
}

KERNEL
sssp_relax_child(struct search s, int threshold)
{
	relax<CHILD>(s, threshold);
}

KERNEL
sssp_relax_fallback(struct search s, int threshold)
{
	relax<FALLBACK>(s, threshold);
}

KERNEL
sssp_barrier(struct search s, unsigned char *more)
{
	int v = GLOBAL_X;

	if (v >= s.n)
		return;
	int offer = s.offer[v];
	if (offer < s.distance[v]) {
		s.distance[v] = offer;
		s.active[v] = 1;
		*more = 1;
	}
}
