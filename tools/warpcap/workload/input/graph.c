#include <math.h>
#include <stdlib.h>
#include "graph.h"

enum { STREAM_EDGE = 100, STREAM_NAME, STREAM_LENGTH, STREAM_COLUMN, STREAM_CITE, STREAM_BAND };

enum { STREAMS = 1000 }; /* from those of one matrix to those of the next */

static uint64_t
stream(const struct host *h, uint64_t n)
{
	return random_at(host_seed(h), n);
}

static void
take(struct host *h, struct csr *g, uint32_t rows, uint32_t entries)
{
	*g = (struct csr){.rows = rows, .entries = entries};
	g->row = host_memory(h, (uint64_t)rows + 1, sizeof *g->row);
	g->column = host_memory(h, (uint64_t)entries + 1, sizeof *g->column);
}

uint32_t
graph_widest(const struct csr *g)
{
	uint32_t widest = 0;
	for (uint32_t r = 1; r < g->rows; r++)
		if (g->row[r + 1] - g->row[r] > g->row[widest + 1] - g->row[widest])
			widest = r;
	return widest;
}

static int
ascending(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
	return (x > y) - (x < y);
}

/* Sorts edges end[0][edges], end[1][edges] into rows, each in both directions. */
static void
sort_into_rows(struct csr *g, const int32_t *end[2], uint32_t edges)
{
	for (int side = 0; side < 2; side++)
		for (uint32_t k = 0; k < edges; k++)
			g->row[end[side][k] + 1]++;
	for (uint32_t r = 0; r < g->rows; r++)
		g->row[r + 1] += g->row[r];
	for (int side = 0; side < 2; side++)
		for (uint32_t k = 0; k < edges; k++)
			g->column[g->row[end[side][k]]++] = end[!side][k];
	for (uint32_t r = g->rows; r > 0; r--)
		g->row[r] = g->row[r - 1];
	g->row[0] = 0;
	for (uint32_t r = 0; r < g->rows; r++)
		qsort(g->column + g->row[r], (size_t)(g->row[r + 1] - g->row[r]), sizeof *g->column,
		    ascending);
}

/* One R-MAT edge: at each level of the adjacency matrix a quadrant. */
static void
rmat_edge(uint64_t seed, uint32_t levels, uint32_t *u, uint32_t *v)
{
	*u = *v = 0;
	for (uint32_t level = 0; level < levels; level++) {
		double x = random_unit(seed, level);
		*u = *u << 1 | (x >= 0.76);
		*v = *v << 1 | ((x >= 0.57 && x < 0.76) || x >= 0.95);
	}
}

static void
rmat_ends(struct host *h, uint32_t vertices, int32_t *end[2], uint32_t edges)
{
	uint64_t seed = stream(h, STREAM_EDGE), draw = 0;
	uint32_t levels = 0, u, v;
	while (((uint64_t)1 << levels) < vertices)
		levels++;
	for (uint32_t k = 0; k < edges; k++) {
		do
			rmat_edge(random_at(seed, draw++), levels, &u, &v);
		while (u >= vertices || v >= vertices);
		end[0][k] = (int32_t)u;
		end[1][k] = (int32_t)v;
	}
}

/* Fisher and Yates. */
int32_t *
graph_order(struct host *h, uint32_t n, uint64_t number)
{
	int32_t *order = host_memory(h, n, sizeof *order);
	const uint64_t seed = stream(h, number);
	for (uint32_t k = 0; order && k < n; k++) {
		uint32_t other = (uint32_t)random_below(random_at(seed, k), (uint64_t)k + 1);
		order[k] = order[other];
		order[other] = (int32_t)k;
	}
	return order;
}

/* So that a vertex's number says nothing of its degree. */
static void
rename_vertices(struct host *h, uint32_t vertices, int32_t *end[2], uint32_t edges)
{
	const int32_t *name = graph_order(h, vertices, STREAM_NAME);
	if (!name)
		return;
	for (int side = 0; side < 2; side++)
		for (uint32_t k = 0; k < edges; k++)
			end[side][k] = name[end[side][k]];
}

static bool
take_edges(struct host *h, struct csr *g, uint32_t vertices, uint32_t entries, int32_t *end[2])
{
	take(h, g, vertices, entries / 2 * 2);
	end[0] = host_memory(h, (uint64_t)entries / 2 + 1, sizeof *end[0]);
	end[1] = host_memory(h, (uint64_t)entries / 2 + 1, sizeof *end[1]);
	return !host_failed(h);
}

void
graph_rmat(struct host *h, struct csr *g, uint32_t vertices, uint32_t entries)
{
	int32_t *end[2];
	if (!take_edges(h, g, vertices, entries, end))
		return;
	rmat_ends(h, vertices, end, entries / 2);
	rename_vertices(h, vertices, end, entries / 2);
	sort_into_rows(g, (const int32_t *[]){end[0], end[1]}, entries / 2);
}

void
graph_uniform(struct host *h, struct csr *g, uint32_t vertices, uint32_t entries)
{
	int32_t *end[2];
	uint64_t seed = stream(h, STREAM_EDGE);
	if (!take_edges(h, g, vertices, entries, end))
		return;
	for (uint32_t k = 0; k < entries / 2; k++)
		for (uint32_t side = 0; side < 2; side++)
			end[side][k] = (int32_t)random_below(
			    random_at(seed, 2 * (uint64_t)k + side), vertices);
	sort_into_rows(g, (const int32_t *[]){end[0], end[1]}, entries / 2);
}

void
graph_citation(struct host *h, struct csr *g, uint32_t vertices, uint32_t entries)
{
	int32_t *end[2];
	uint64_t seed = stream(h, STREAM_CITE), edges = entries / 2;
	if (!take_edges(h, g, vertices, entries, end))
		return;
	for (uint64_t k = 0; k < edges; k++) {
		uint64_t earlier = random_below(random_at(seed, k), 2 * k + 1);
		end[0][k] = (int32_t)(k * vertices / edges);
		end[1][k] = k ? end[earlier % 2][earlier / 2 < k ? earlier / 2 : 0] : 0;
	}
	rename_vertices(h, vertices, end, (uint32_t)edges);
	sort_into_rows(g, (const int32_t *[]){end[0], end[1]}, (uint32_t)edges);
}

void
graph_dense(struct host *h, struct csr *g, uint32_t vertices)
{
	take(h, g, vertices, vertices * (vertices - 1));
	if (host_failed(h))
		return;
	int32_t *column = g->column;
	for (uint32_t v = 0; v < vertices; v++) {
		for (uint32_t w = 0; w < vertices; w++)
			if (w != v)
				*column++ = (int32_t)w;
		g->row[v + 1] = (int32_t)(column - g->column);
	}
}

/* The columns of row r within [low, high): from piece k of n one, but the diagonal from its own. */
static void
draw_band(uint64_t seed, struct csr *g, uint32_t r, uint64_t low, uint64_t high)
{
	uint64_t n = (uint64_t)(g->row[r + 1] - g->row[r]), span = high - low;
	for (uint64_t k = 0; k < n; k++) {
		uint64_t from = low + k * span / n, to = low + (k + 1) * span / n;
		uint64_t at = (uint64_t)g->row[r] + k;
		bool diagonal = r >= from && r < to;
		g->column[at] =
		    diagonal ? (int32_t)r
			     : (int32_t)(from + random_below(random_at(seed, at), to - from));
	}
}

void
graph_band(struct host *h, struct csr *g, uint32_t rows, uint32_t row_entries, uint32_t band)
{
	uint64_t seed = stream(h, STREAM_BAND);
	take(h, g, rows, rows * row_entries);
	if (host_failed(h))
		return;
	for (uint32_t r = 0; r < rows; r++) {
		uint64_t low = r > band ? r - band : 0;
		uint64_t high = (uint64_t)r + band + 1 < rows ? (uint64_t)r + band + 1 : rows;
		uint64_t n = high - low < row_entries ? high - low : row_entries;
		g->row[r + 1] = g->row[r] + (int32_t)n;
		draw_band(seed, g, r, low, high);
	}
	g->entries = (uint32_t)g->row[rows];
}

/* Cells from before to after the one at x, in a line of side. */
static int32_t
low_of(int32_t x)
{
	return x ? x - 1 : 0;
}

static int32_t
high_of(int32_t x, int32_t side)
{
	return x + 1 < side ? x + 1 : x;
}

void
graph_stencil27(struct host *h, struct csr *g, uint32_t side)
{
	int32_t n = (int32_t)side, at = 0, r = 0;
	take(h, g, side * side * side, 27 * side * side * side);
	if (host_failed(h))
		return;
	for (int32_t z = 0; z < n; z++)
		for (int32_t y = 0; y < n; y++)
			for (int32_t x = 0; x < n; x++) {
				for (int32_t c = low_of(z); c <= high_of(z, n); c++)
					for (int32_t b = low_of(y); b <= high_of(y, n); b++)
						for (int32_t a = low_of(x); a <= high_of(x, n); a++)
							g->column[at++] = (c * n + b) * n + a;
				g->row[++r] = at;
			}
	g->entries = (uint32_t)at;
}

/* u^-p for p in [0, 1], by square roots: exactly rounded, so every machine makes the same matrix.
 */
static double
inverse_power(double u, double p)
{
	double r = 1, root = u;
	for (int bit = 0; bit < 20; bit++) {
		root = sqrt(root);
		p *= 2;
		if (p >= 1) {
			r *= root;
			p -= 1;
		}
	}
	return 1 / r;
}

static void
draw_columns(uint64_t seed, struct csr *g, uint32_t r, uint64_t columns)
{
	uint64_t n = (uint64_t)(g->row[r + 1] - g->row[r]);
	for (uint64_t k = 0; k < n; k++) {
		uint64_t from = k * columns / n, to = (k + 1) * columns / n;
		uint64_t at = (uint64_t)g->row[r] + k;
		g->column[at] = (int32_t)(from + random_below(random_at(seed, at), to - from));
	}
}

/* Lengths of the rows; returns their sum. */
static uint64_t
draw_lengths(uint64_t seed, const struct power_law *p, double *length)
{
	double total = 0;
	uint64_t sum = 0;
	for (uint32_t r = 0; r < p->rows; r++) {
		length[r] = inverse_power(1 - random_unit(seed, r), 1 / (p->exponent - 1));
		total += length[r];
	}
	const bool full = p->entries == (uint64_t)p->rows * p->columns;
	for (uint32_t r = 0; r < p->rows; r++) {
		length[r] = full ? p->columns
				 : fmin(floor(length[r] / total * p->entries + 0.5), p->columns);
		sum += (uint64_t)length[r];
	}
	return sum;
}

void
graph_power_law(struct host *h, struct csr *g, const struct power_law *p)
{
	double *length = host_memory(h, p->rows, sizeof *length);
	if (!length)
		return;
	const uint64_t columns = stream(h, STREAM_COLUMN + STREAMS * p->number);
	take(h, g, p->rows,
	    (uint32_t)draw_lengths(stream(h, STREAM_LENGTH + STREAMS * p->number), p, length));
	if (host_failed(h))
		return;
	for (uint32_t r = 0; r < p->rows; r++) {
		g->row[r + 1] = g->row[r] + (int32_t)length[r];
		draw_columns(columns, g, r, p->columns);
	}
}
