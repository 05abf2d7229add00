#include "workload/input/load.h"

WORKLOAD_PTX(bfs, "rodinia/bfs.ptx");

static const char *const graphs[] = {"rmat", "uniform", "citation", "dense", NULL};

static const struct parameter parameter[] = {
    {"V", "vertices", PARAMETER_INTEGER, 65536, 1, 1 << 27, NULL},
    {"DEGREE", "edges of a vertex, on average", PARAMETER_INTEGER, 16, 1, 1024, NULL},
    {"E", "edges, each in both directions, 0: V DEGREE / 2", PARAMETER_INTEGER, 0, 0, 1 << 30,
	NULL},
    {"GRAPH", "how edges are drawn", PARAMETER_CHOICE, 0, 0, 0, graphs},
    {"SOURCE", "where the search begins, -1: the vertex with most edges", PARAMETER_INTEGER, -1, -1,
	(1 << 27) - 1, NULL},
    {"FILE", "Matrix Market, DIMACS or edge list to read instead", PARAMETER_FILE, 0, 0, 0, NULL},
    {NULL},
};

struct node {
	int32_t first_edge, edges;
};

/* What is on the device. */
struct search {
	uint64_t node, edge, frontier, next, visited, cost, more;
	int32_t n;
};

static uint64_t
entries(const struct host *h)
{
	uint64_t v = (uint64_t)host_integer(h, "V"), e = (uint64_t)host_integer(h, "E");
	if (host_chosen(h, "GRAPH", "dense"))
		return v * (v - 1);
	return e ? 2 * e : v * (uint64_t)host_integer(h, "DEGREE") / 2 * 2;
}

static uint64_t
footprint(const struct host *h)
{
	return 15 * (uint64_t)host_integer(h, "V") + 4 * entries(h) + 1;
}

/* What is prepared: a graph and where the search begins. */
struct task {
	struct csr graph;
	uint32_t source;
};

static void
make_graph(struct host *h, struct csr *g)
{
	uint32_t vertices = (uint32_t)host_integer(h, "V");
	const char *path = host_file(h, "FILE");
	if (path)
		load_graph(h, g, path, LOAD_UNDIRECTED);
	else if (entries(h) >= 1u << 31)
		host_fail(h, WCP_EUSAGE, "bfs: V times DEGREE is not below 2^31");
	else if (host_chosen(h, "GRAPH", "dense"))
		graph_dense(h, g, vertices);
	else if (host_chosen(h, "GRAPH", "citation"))
		graph_citation(h, g, vertices, (uint32_t)entries(h));
	else if (host_chosen(h, "GRAPH", "rmat"))
		graph_rmat(h, g, vertices, (uint32_t)entries(h));
	else
		graph_uniform(h, g, vertices, (uint32_t)entries(h));
}

static void *
prepare(struct host *h)
{
	struct task *t = host_memory(h, 1, sizeof *t);
	int64_t source = host_integer(h, "SOURCE");
	if (t)
		make_graph(h, &t->graph);
	if (!t || host_failed(h))
		return NULL;
	if (source >= (int64_t)t->graph.rows)
		host_fail(h, WCP_EUSAGE, "bfs: SOURCE %lld is no vertex of %u", (long long)source,
		    t->graph.rows);
	t->source = source < 0 ? graph_widest(&t->graph) : (uint32_t)source;
	return t;
}

static void
upload(struct host *h, struct search *s, const struct csr *g, uint32_t source)
{
	uint64_t n = g->rows;
	struct node *node = host_memory(h, n, sizeof *node);
	uint8_t *flag = host_memory(h, n, 1);
	int32_t *cost = host_memory(h, n, sizeof *cost);
	if (host_failed(h))
		return;
	for (uint32_t v = 0; v < g->rows; v++) {
		node[v] = (struct node){g->row[v], g->row[v + 1] - g->row[v]};
		cost[v] = -1;
	}
	s->n = (int32_t)n;
	s->node = host_input(h, "nodes", node, 8 * n);
	s->edge = host_input(h, "edges", g->column, 4 * (uint64_t)(g->entries ? g->entries : 1));
	s->next = host_input(h, "next", flag, n);
	flag[source] = 1;
	s->frontier = host_input(h, "frontier", flag, n);
	s->visited = host_input(h, "visited", flag, n);
	cost[source] = 0;
	s->cost = host_input(h, "cost", cost, 4 * n);
	s->more = host_device(h, "more", 1);
}

static void
search(struct host *h, struct search *s)
{
	uint8_t more = 1;
	while (more && !host_failed(h)) {
		more = 0;
		host_write(h, s->more, &more, 1);
		host_launch(h, "bfs_expand", SHAPE(s->n, 512),
		    ARGUMENTS(
			&s->node, &s->edge, &s->frontier, &s->next, &s->visited, &s->cost, &s->n));
		host_launch(h, "bfs_advance", SHAPE(s->n, 512),
		    ARGUMENTS(&s->frontier, &s->next, &s->visited, &s->more, &s->n));
		host_read(h, &more, s->more, 1);
	}
}

/* One queue, first in first out. */
static void
reference(const struct csr *g, uint32_t source, int32_t *cost, int32_t *queue)
{
	uint32_t head = 0, tail = 0;
	for (uint32_t v = 0; v < g->rows; v++)
		cost[v] = -1;
	cost[source] = 0;
	queue[tail++] = (int32_t)source;
	while (head < tail) {
		int32_t v = queue[head++];
		for (int32_t e = g->row[v]; e < g->row[v + 1]; e++)
			if (cost[g->column[e]] < 0) {
				cost[g->column[e]] = cost[v] + 1;
				queue[tail++] = g->column[e];
			}
	}
}

static void
run(struct host *h)
{
	const struct task *t = host_prepared(h);
	const struct csr *g = &t->graph;
	struct search s = {0};
	int32_t *cost = host_memory(h, g->rows, sizeof *cost),
		*queue = host_memory(h, g->rows, sizeof *queue);
	if (host_failed(h))
		return;
	upload(h, &s, g, t->source);
	search(h, &s);
	host_read(h, cost, s.cost, 4 * (uint64_t)g->rows);
	if (!host_verifies(h))
		return;
	reference(g, t->source, cost, queue);
	host_expect_s32(h, "cost", s.cost, cost, g->rows);
}

const struct workload workload_bfs = {
    .name = "bfs",
    .summary = "breadth-first search level by level: a thread a vertex, scattered edges",
    .origin =
	"Rodinia, bfs; graphs as in Graph500 (R-MAT), as citations make them, uniform or complete",
    .parameter = parameter,
    .small = "V=1000",
    .paper = "V=65536 E=2456071",
    .footprint = "15 V + 8 E + 1",
    .check = "equal",
    .ptx = bfs_ptx,
    .ptx_end = bfs_ptx_end,
    .footprint_bytes = footprint,
    .prepare = prepare,
    .run = run,
};
