/* The graph that a workload's parameters ask for: drawn in one of four ways, or read from a file.
 */
#ifndef ASKED_H
#define ASKED_H

#include "workload/input/load.h"

/* Rows of a table of parameters; vertices is the default of V. */
#define GRAPH_PARAMETERS(vertices)                                                               \
	{"V", "vertices", PARAMETER_INTEGER, vertices, 1, 1 << 27, NULL},                        \
	    {"DEGREE", "edges of a vertex, on average", PARAMETER_INTEGER, 16, 1, 1024, NULL},   \
	    {"E", "edges, each in both directions, 0: V DEGREE / 2", PARAMETER_INTEGER, 0, 0,    \
		1 << 30, NULL},                                                                  \
	    {"GRAPH", "how edges are drawn", PARAMETER_CHOICE, 0, 0, 0, graph_kinds},            \
	{                                                                                        \
		"FILE", "Matrix Market, DIMACS or edge list to read instead", PARAMETER_FILE, 0, \
		    0, 0, NULL                                                                   \
	}
#define SOURCE_PARAMETER                                                             \
	{                                                                            \
		"SOURCE", "where the search begins, -1: the vertex with most edges", \
		    PARAMETER_INTEGER, -1, -1, (1 << 27) - 1, NULL                   \
	}
extern const char *const graph_kinds[];

/* Entries of the graph, as far as parameters tell: a file has its own. */
uint64_t graph_asked_entries(const struct host *h);
/* The graph; fails where it cannot be. */
void graph_asked(struct host *h, struct csr *g);

/* A graph and a vertex of it where a search begins, as SOURCE says. */
struct graph_search {
	struct csr graph;
	uint32_t source;
};
void *graph_asked_search(struct host *h); /* struct graph_search; for a workload's prepare */
/* How many edges each vertex is away from the source, -1: cannot be reached. */
void graph_levels(struct host *h, const struct graph_search *s, int32_t *level);

#endif
