/*
 * Graph colouring by independent sets, a thread a vertex, whose vertices of many edges are a child kernel's.  In each
 * round every vertex without colour has a rank, a hash of its number and the round's, and the parent kernel looks whether
 * neighbours without colour rank above and below it, up to THRESHOLD edges in the thread that has the vertex, which stops
 * when it has seen both, more in a child kernel with a thread an edge; the host then launches the barrier kernel, which
 * gives the round's two colours to the vertices that rank above all and below all such neighbours (Jones and Plassmann
 * with ranks drawn anew; Tang's type I).  Rounds are many, each goes to edges of all vertices that are left; colours of
 * neighbours are scattered.
 */
#include "../launch.h"

struct colouring {
	const int *row, *edge;	      /* [n + 1], [row[n]] */
	int *colour;		      /* [n], -1: none yet */
	unsigned char *above, *below; /* [n]: are there such neighbours? */
	int n;
};

/* No two vertices have the same (the last steps of MurmurHash3, which can be undone). */
DEVICE unsigned
rank(int v, int round)
{
	unsigned x = (unsigned)v ^ (unsigned)round * 0x9e3779b9u;

	x = (x ^ x >> 16) * 0x85ebca6bu;
	x = (x ^ x >> 13) * 0xc2b2ae35u;
	return x ^ x >> 16;
}

/* A thread an edge of one vertex. */
KERNEL
gc_edges(struct colouring c, int round, int v, int first, int edges)
{
	int k = GLOBAL_X;

	if (k >= edges)
		return;
	int w = c.edge[first + k];
	if (w == v || c.colour[w] >= 0)
		return;
	if (rank(w, round) > rank(v, round))
		c.above[v] = 1;
	else
		c.below[v] = 1;
}

template <enum form F>
DEVICE void
look(const struct colouring &c, int round, int threshold)
{
	int v = GLOBAL_X;

	if (v >= c.n || c.colour[v] >= 0)
		return;
	int first = c.row[v], edges = c.row[v + 1] - first;
	if (handed_over<F>(edges, threshold, ENTRY(gc_edges), (edges + 63) / 64, 64, c, round, v, first, edges))
		return;
	bool above = false, below = false;
	unsigned own = rank(v, round);
	ROLLED
	for (int k = 0; k < edges && !(above && below); k++) {
		int w = c.edge[first + k];
		if (w == v || c.colour[w] >= 0)
			continue;
		if (rank(w, round) > own)
			above = true;
		else
			below = true;
	}
	c.above[v] = above;
	c.below[v] = below;
}

KERNEL
gc_look_flat(struct colouring c, int round, int threshold)
{
	look<FLAT>(c, round, threshold);
}

KERNEL
gc_look_child(struct colouring c, int round, int threshold)
{
	look<CHILD>(c, round, threshold);
}

KERNEL
gc_look_fallback(struct colouring c, int round, int threshold)
{
	look<FALLBACK>(c, round, threshold);
}

KERNEL
gc_barrier(struct colouring c, int round, unsigned char *more)
{
	int v = GLOBAL_X;

	if (v >= c.n || c.colour[v] >= 0)
		return;
	if (!c.above[v] || !c.below[v]) {
		c.colour[v] = 2 * round + (c.above[v] ? 1 : 0);
		return;
	}
	c.above[v] = 0;
	c.below[v] = 0;
	*more = 1;
}
