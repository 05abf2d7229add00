/*
 * Graphs and sparse matrices from files of common kinds, told apart by how they begin:
 *
 *	Matrix Market	"%%MatrixMarket matrix coordinate", real, integer or pattern, general,
 *			symmetric or skew-symmetric (NIST, "The Matrix Market exchange formats")
 *	DIMACS		"c" and "p" lines; "p sp N M" with "a U V W" arcs (9th challenge), "p edge
 *N M" or "p col N M" with "e U V" edges (2nd challenge) edge list	a line "U V" or "U V W" an
 *edge, vertices from 0; lines that begin with # or % say nothing (SNAP, KONECT)
 *
 * Numbers of rows and entries stay below 2^31. The first thing that is wrong fails, with its line.
 */
#ifndef LOAD_H
#define LOAD_H

#include "workload/input/graph.h"

enum load_as {
	LOAD_DIRECTED,	 /* entries as the file has them */
	LOAD_UNDIRECTED, /* each in both directions, unless the file says it has both */
};

/* g->rows is the larger of rows and columns; g->value is NULL when the file has no values. Entries
 * of a row ascend; equal ones stay. */
void load_graph(struct host *h, struct csr *g, const char *path, enum load_as as);

#endif
