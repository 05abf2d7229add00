/*
 * Breadth-first search level by level, as Rodinia does it: a thread a vertex, two kernels a level, and a flag the host
 * reads to know whether there is another.  Trip counts are vertex degrees and the edges' ends are scattered, so
 * branches and loads diverge.
 */
#include "../device.h"

struct node {
	int first_edge, edges;
};

KERNEL
bfs_expand(const struct node *node, const int *edge, unsigned char *frontier, unsigned char *next,
    const unsigned char *visited, int *cost, int n)
{
	int v = GLOBAL_X;

	if (v >= n || !frontier[v])
		return;
	frontier[v] = 0;
	ROLLED
	for (int e = node[v].first_edge; e < node[v].first_edge + node[v].edges; e++) {
		int w = edge[e];
		if (!visited[w]) {
			cost[w] = cost[v] + 1;
			next[w] = 1;
		}
	}
}

KERNEL
bfs_advance(unsigned char *frontier, unsigned char *next, unsigned char *visited, unsigned char *more, int n)
{
	int v = GLOBAL_X;

	if (v >= n || !next[v])
		return;
	frontier[v] = 1;
	visited[v] = 1;
	*more = 1;
	next[v] = 0;
}
