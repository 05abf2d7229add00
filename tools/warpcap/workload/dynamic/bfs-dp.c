#include "dynamic.h"
#include "workload/input/asked.h"

WORKLOAD_PTX(bfs_dp, "dynamic/bfs-dp.ptx");

static const struct parameter parameter[] = {
    GRAPH_PARAMETERS(65536),
    SOURCE_PARAMETER,
    FORM_PARAMETERS(128, "edges of a vertex above which they are a child kernel's"),
    {NULL},
};

/* The kernels' struct search. */
struct search {
	uint64_t row, edge, frontier, next, visited, cost;
	int32_t n;
};

static uint64_t
footprint(const struct host *h)
{
	return 11 * (uint64_t)host_integer(h, "V") + 4 * graph_asked_entries(h) + 5;
}

static void
upload(struct host *h, struct search *s, const struct csr *g, uint32_t source)
{
	const uint64_t n = g->rows;
	uint8_t *flag = host_memory(h, n, 1);
	int32_t *cost = host_memory(h, n, sizeof *cost);
	if (host_failed(h))
		return;
	s->n = (int32_t)n;
	s->row = host_input(h, "rows", g->row, 4 * (n + 1));
	s->edge = host_input(h, "edges", g->column, 4 * (uint64_t)(g->entries ? g->entries : 1));
	s->next = host_input(h, "next", flag, n);
	flag[source] = 1;
	s->frontier = host_input(h, "frontier", flag, n);
	s->visited = host_input(h, "visited", flag, n);
	for (uint64_t v = 0; v < n; v++)
		cost[v] = v == source ? 0 : -1;
	s->cost = host_input(h, "cost", cost, 4 * n);
}

static void
search(struct host *h, struct search *s)
{
	const int32_t threshold = (int32_t)host_integer(h, "THRESHOLD");
	const uint64_t flag = host_device(h, "more", 1);
	for (int32_t round = 0; host_again(h, flag, round); round++) {
		dynamic_launch(h, "bfs_expand", SHAPE(s->n, 256), ARGUMENTS(s, &threshold));
		host_launch(h, "bfs_barrier", SHAPE(s->n, 256), ARGUMENTS(s, &flag));
	}
}

static void
run(struct host *h)
{
	const struct graph_search *t = host_prepared(h);
	struct search s = {0};
	int32_t *cost = host_memory(h, t->graph.rows, sizeof *cost);
	if (!cost)
		return;
	upload(h, &s, &t->graph, t->source);
	search(h, &s);
	host_download(h, s.cost, 4 * (uint64_t)t->graph.rows);
	if (!host_verifies(h))
		return;
	graph_levels(h, t, cost);
	host_expect_s32(h, "cost", s.cost, cost, t->graph.rows);
}

const struct workload workload_bfs_dp = {
    .name = "bfs-dp",
    .summary = "breadth-first search, child kernels for vertices of many edges",
    .origin = "Tang, BFS (Fig. 2.3); graphs as in Graph500 (R-MAT), as citations make them, "
	      "uniform or complete",
    .parameter = parameter,
    .small = "V=1000 THRESHOLD=24",
    .paper = "V=65536 E=2456071",
    .footprint = "11 V + 8 E + 5",
    .check = "equal",
    .ptx = bfs_dp_ptx,
    .ptx_end = bfs_dp_ptx_end,
    .footprint_bytes = footprint,
    .prepare = graph_asked_search,
    .run = run,
};
