/* Inputs that several workloads share: graphs and sparse matrices, the same for the same seed on
 * every machine. */
#ifndef GRAPH_H
#define GRAPH_H

#include "workload/workload.h"

/* Compressed rows: the entries of row r are column[row[r]] up to, not including, column[row[r +
 * 1]], ascending. */
struct csr {
	uint32_t rows;
	uint32_t entries;
	int32_t *row;	 /* [rows + 1] */
	int32_t *column; /* [entries] */
	float *value;	 /* [entries]; NULL: none given */
};

/*
 * An undirected graph of entries / 2 edges, each in both directions; loops and parallel edges stay.
 * R-MAT: Chakrabarti, Zhan, Faloutsos, "R-MAT: a recursive model for graph mining", SDM 2004, with
 * the probabilities of Graph500 (0.57, 0.19, 0.19, 0.05), vertices renamed at random; ids past
 * vertices - 1 are drawn again. Uniform: both ends of each edge drawn uniformly.
 */
void graph_rmat(struct host *h, struct csr *g, uint32_t vertices, uint32_t entries);
void graph_uniform(struct host *h, struct csr *g, uint32_t vertices, uint32_t entries);

/*
 * A graph as citations make it, by preferential attachment (Barabasi, Albert, "Emergence of scaling
 * in random networks", Science 286, 1999): vertices come one after the other, each with its share
 * of the entries / 2 edges, whose other ends are ends of earlier edges, drawn uniformly.
 */
void graph_citation(struct host *h, struct csr *g, uint32_t vertices, uint32_t entries);
/* Every vertex with every other. */
void graph_dense(struct host *h, struct csr *g, uint32_t vertices);

/*
 * A matrix whose row lengths follow a power law: the weight of a row is u^(-1/(exponent - 1)) for a
 * uniform u, its length that share of entries, at most columns. Columns are distinct, spread over
 * the row by drawing one from each of as many equal pieces. g->entries becomes what the rounded
 * lengths add up to; entries = rows * columns fills the matrix.
 */
struct power_law {
	uint32_t rows, columns;
	uint32_t entries;
	double exponent;
	uint64_t number; /* matrices of different numbers differ */
};
void graph_power_law(struct host *h, struct csr *g, const struct power_law *p);

/* A band as finite elements have it: of 2 band + 1 columns about the diagonal, as many pieces as a
 * row has entries, one from each; the diagonal is always there. */
void graph_band(struct host *h, struct csr *g, uint32_t rows, uint32_t row_entries, uint32_t band);
/* The 27 neighbours of a cube of side cells, fewer at its faces; a row a cell. */
void graph_stencil27(struct host *h, struct csr *g, uint32_t side);

/* The numbers below n in random order; NULL after a failure. */
int32_t *graph_order(struct host *h, uint32_t n, uint64_t stream);

/* The row with most entries, the first of several. */
uint32_t graph_widest(const struct csr *g);

#endif
