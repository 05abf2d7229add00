/*
 * Breadth-first search level by level, a thread a vertex, whose vertices of many edges are a child kernel's.  In each
 * level the parent kernel goes through the edges of the vertices in the frontier, up to THRESHOLD edges in the thread
 * that has the vertex, more in a child kernel with a thread an edge; the host then launches the barrier kernel, which
 * makes the next frontier and says whether there is one (Tang's type I: children of the host's kernels have none
 * themselves).  Lengths of edge lists differ by orders of magnitude, and so does what the threads of a warp do; parent
 * and child share the vertex, children of neighbours the flags of the vertices they reach.
 */
#include "../launch.h"

struct search {
	const int *row, *edge; /* [n + 1], [row[n]] */
	unsigned char *frontier, *next, *visited;
	int *cost;
	int n;
};

DEVICE void
reach(const struct search &s, int w, int cost)
{
	if (!s.visited[w]) {
		s.cost[w] = cost;
		s.next[w] = 1;
	}
}

/* A thread an edge of one vertex. */
KERNEL
bfs_edges(struct search s, int first, int edges, int cost)
{
	int k = GLOBAL_X;

	if (k < edges)
		reach(s, s.edge[first + k], cost);
}

template <enum form F>
DEVICE void
expand(const struct search &s, int threshold)
{
	int v = GLOBAL_X;

	if (v >= s.n || !s.frontier[v])
		return;
	s.frontier[v] = 0;
	int first = s.row[v], edges = s.row[v + 1] - first, cost = s.cost[v] + 1;
	if (handed_over<F>(edges, threshold, ENTRY(bfs_edges), (edges + 63) / 64, 64, s, first, edges, cost))
		return;
	ROLLED
	for (int k = 0; k < edges; k++)
		reach(s, s.edge[first + k], cost);
}

KERNEL
bfs_expand_flat(struct search s, int threshold)
{
	expand<FLAT>(s, threshold);
}

KERNEL
bfs_expand_child(struct search s, int threshold)
{
	expand<CHILD>(s, threshold);
}

KERNEL
bfs_expand_fallback(struct search s, int threshold)
{
	expand<FALLBACK>(s, threshold);
}

KERNEL
bfs_barrier(struct search s, unsigned char *more)
{
	int v = GLOBAL_X;

	if (v >= s.n || !s.next[v])
		return;
	s.frontier[v] = 1;
	s.visited[v] = 1;
	*more = 1;
	s.next[v] = 0;
}
