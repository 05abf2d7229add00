#include "asked.h"

const char *const graph_kinds[] = {"rmat", "uniform", "citation", "dense", NULL};

uint64_t
graph_asked_entries(const struct host *h)
{
	uint64_t v = (uint64_t)host_integer(h, "V"), e = (uint64_t)host_integer(h, "E");
	if (host_chosen(h, "GRAPH", "dense"))
		return v * (v - 1);
	return e ? 2 * e : v * (uint64_t)host_integer(h, "DEGREE") / 2 * 2;
}

void
graph_asked(struct host *h, struct csr *g)
{
	const uint32_t vertices = (uint32_t)host_integer(h, "V");
	const uint64_t entries = graph_asked_entries(h);
	const char *path = host_file(h, "FILE");
	if (path)
		load_graph(h, g, path, LOAD_UNDIRECTED);
	else if (entries >= 1u << 31)
		host_fail(h, WCP_EUSAGE, "%s: V times DEGREE is not below 2^31", host_subject(h));
	else if (host_chosen(h, "GRAPH", "dense"))
		graph_dense(h, g, vertices);
	else if (host_chosen(h, "GRAPH", "citation"))
		graph_citation(h, g, vertices, (uint32_t)entries);
	else if (host_chosen(h, "GRAPH", "rmat"))
		graph_rmat(h, g, vertices, (uint32_t)entries);
	else
		graph_uniform(h, g, vertices, (uint32_t)entries);
}

void *
graph_asked_search(struct host *h)
{
	struct graph_search *s = host_memory(h, 1, sizeof *s);
	const int64_t source = host_integer(h, "SOURCE");
	if (s)
		graph_asked(h, &s->graph);
	if (!s || host_failed(h))
		return NULL;
	if (source >= (int64_t)s->graph.rows)
		host_fail(h, WCP_EUSAGE, "%s: SOURCE %lld is no vertex of %u", host_subject(h),
		    (long long)source, s->graph.rows);
	s->source = source < 0 ? graph_widest(&s->graph) : (uint32_t)source;
	return s;
}

/* One queue, first in first out. */
void
graph_levels(struct host *h, const struct graph_search *s, int32_t *level)
{
	const struct csr *g = &s->graph;
	int32_t *queue = host_memory(h, g->rows, sizeof *queue);
	uint32_t head = 0, tail = 0;
	for (uint32_t v = 0; queue && v < g->rows; v++)
		level[v] = -1;
	if (!queue)
		return;
	level[s->source] = 0;
	queue[tail++] = (int32_t)s->source;
	while (head < tail) {
		int32_t v = queue[head++];
		for (int32_t e = g->row[v]; e < g->row[v + 1]; e++)
			if (level[g->column[e]] < 0) {
				level[g->column[e]] = level[v] + 1;
				queue[tail++] = g->column[e];
			}
	}
}
