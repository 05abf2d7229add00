#include "dynamic.h"
#include "workload/input/asked.h"

WORKLOAD_PTX(gc, "dynamic/gc.ptx");

static const struct parameter parameter[] = {
    GRAPH_PARAMETERS(65536),
    FORM_PARAMETERS(512, "edges of a vertex above which they are a child kernel's"),
    {NULL},
};

/* The kernels' struct colouring. */
struct colouring {
	uint64_t row, edge, colour, above, below;
	int32_t n;
};

static uint64_t
footprint(const struct host *h)
{
	return 10 * (uint64_t)host_integer(h, "V") + 4 * graph_asked_entries(h) + 5;
}

static void *
prepare(struct host *h)
{
	struct csr *g = host_memory(h, 1, sizeof *g);
	if (g)
		graph_asked(h, g);
	return g;
}

static void
upload(struct host *h, struct colouring *c, const struct csr *g)
{
	const uint64_t n = g->rows;
	c->n = (int32_t)n;
	c->row = host_input(h, "rows", g->row, 4 * (n + 1));
	c->edge = host_input(h, "edges", g->column, 4 * (uint64_t)(g->entries ? g->entries : 1));
	c->colour = host_device(h, "colours", 4 * n);
	c->above = host_device(h, "above", n);
	c->below = host_device(h, "below", n);
	host_set(h, c->colour, 0xff, 4 * n);
}

static void
colour(struct host *h, struct colouring *c)
{
	const int32_t threshold = (int32_t)host_integer(h, "THRESHOLD");
	const uint64_t flag = host_device(h, "more", 1);
	for (int32_t round = 0; host_again(h, flag, round); round++) {
		dynamic_launch(h, "gc_look", SHAPE(c->n, 256), ARGUMENTS(c, &round, &threshold));
		host_launch(h, "gc_barrier", SHAPE(c->n, 256), ARGUMENTS(c, &round, &flag));
	}
}

static uint32_t
rank(uint32_t v, uint32_t round)
{
	uint32_t x = v ^ round * 0x9e3779b9u;
	x = (x ^ x >> 16) * 0x85ebca6bu;
	x = (x ^ x >> 13) * 0xc2b2ae35u;
	return x ^ x >> 16;
}

/* The colour of a vertex that has none yet, as others stand before the round; -1: none in it. */
static int32_t
choose(const struct csr *g, const int32_t *colours, uint32_t v, int32_t round)
{
	const uint32_t own = rank(v, (uint32_t)round);
	bool highest = true, lowest = true;
	for (int32_t e = g->row[v]; e < g->row[v + 1] && (highest || lowest); e++) {
		const uint32_t w = (uint32_t)g->column[e], other = rank(w, (uint32_t)round);
		const bool rivals = w != v && colours[w] < 0;
		highest = highest && !(rivals && other > own);
		lowest = lowest && !(rivals && other < own);
	}
	return highest ? 2 * round : lowest ? 2 * round + 1 : -1;
}

/* The vertices that are left, round by round; what a round gives counts from the next one on. */
static void
reference(struct host *h, const struct csr *g, int32_t *colours)
{
	uint32_t left = g->rows;
	int32_t *given = host_memory(h, left, sizeof *given), *vertex = graph_order(h, left, 0);
	for (uint32_t v = 0; vertex && v < left; v++)
		colours[v] = -1;
	for (int32_t round = 0; vertex && left; round++) {
		uint32_t kept = 0;
		for (uint32_t k = 0; k < left; k++)
			given[k] = choose(g, colours, (uint32_t)vertex[k], round);
		for (uint32_t k = 0; k < left; k++) {
			colours[vertex[k]] = given[k];
			if (given[k] < 0)
				vertex[kept++] = vertex[k];
		}
		left = kept;
	}
}

static void
run(struct host *h)
{
	const struct csr *g = host_prepared(h);
	struct colouring c = {0};
	int32_t *colours = host_memory(h, g->rows, sizeof *colours);
	if (host_failed(h))
		return;
	upload(h, &c, g);
	colour(h, &c);
	host_download(h, c.colour, 4 * (uint64_t)g->rows);
	if (!host_verifies(h))
		return;
	reference(h, g, colours);
	host_expect_s32(h, "colour", c.colour, colours, g->rows);
}

const struct workload workload_gc = {
    .name = "gc",
    .summary = "graph colouring by independent sets, child kernels for vertices of many edges",
    .origin =
	"Tang, GC; M. T. Jones, P. E. Plassmann, A parallel graph coloring heuristic, SIAM Journal "
	"on Scientific Computing 14(3), 1993",
    .parameter = parameter,
    .small = "V=1000 THRESHOLD=24",
    .paper = "GRAPH=citation V=227320 E=814134",
    .footprint = "10 V + 8 E + 5",
    .check = "equal",
    .ptx = gc_ptx,
    .ptx_end = gc_ptx_end,
    .footprint_bytes = footprint,
    .prepare = prepare,
    .run = run,
};
