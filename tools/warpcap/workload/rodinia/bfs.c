#include "workload/input/asked.h"

WORKLOAD_PTX(bfs, "rodinia/bfs.ptx");

static const struct parameter parameter[] = {
    GRAPH_PARAMETERS(65536),
    SOURCE_PARAMETER,
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
footprint(const struct host *h)
{
	return 15 * (uint64_t)host_integer(h, "V") + 4 * graph_asked_entries(h) + 1;
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
	for (int32_t round = 0; host_again(h, s->more, round); round++) {
		host_launch(h, "bfs_expand", SHAPE(s->n, 512),
		    ARGUMENTS(
			&s->node, &s->edge, &s->frontier, &s->next, &s->visited, &s->cost, &s->n));
		host_launch(h, "bfs_advance", SHAPE(s->n, 512),
		    ARGUMENTS(&s->frontier, &s->next, &s->visited, &s->more, &s->n));
	}
}

static void
run(struct host *h)
{
	const struct graph_search *t = host_prepared(h);
	const struct csr *g = &t->graph;
	struct search s = {0};
	int32_t *cost = host_memory(h, g->rows, sizeof *cost);
	if (host_failed(h))
		return;
	upload(h, &s, g, t->source);
	search(h, &s);
	host_read(h, cost, s.cost, 4 * (uint64_t)g->rows);
	if (!host_verifies(h))
		return;
	graph_levels(h, t, cost);
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
    .prepare = graph_asked_search,
    .run = run,
};
