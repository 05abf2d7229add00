#include <math.h>
#include "dynamic.h"
#include "workload/input/asked.h"

WORKLOAD_PTX(sssp, "dynamic/sssp.ptx");

enum { STREAM_WEIGHT = 500, WEIGHT_MAX = 1 << 24 };

static const struct parameter parameter[] = {
    GRAPH_PARAMETERS(65536),
    SOURCE_PARAMETER,
    {"WEIGHT", "weights are drawn from 1 to this", PARAMETER_INTEGER, 100, 1, 4096, NULL},
    FORM_PARAMETERS(64, "edges of a vertex above which they are a child kernel's"),
    {NULL},
};

/* The kernels' struct search. */
struct search {
	uint64_t row, edge, weight, active, distance, offer;
	int32_t n;
};

static uint64_t
footprint(const struct host *h)
{
	return 13 * (uint64_t)host_integer(h, "V") + 8 * graph_asked_entries(h) + 5;
}

/* What is prepared. */
struct task {
	struct graph_search search;
	int32_t *weight; /* [entries] */
};

/* Both directions of an edge weigh the same. */
static int32_t
draw_weight(const struct host *h, uint64_t u, uint64_t v)
{
	const uint64_t pair = u < v ? u << 32 | v : v << 32 | u;
	const uint64_t bits = random_at(random_at(host_seed(h), STREAM_WEIGHT), pair);
	return 1 + (int32_t)random_below(bits, (uint64_t)host_integer(h, "WEIGHT"));
}

static int32_t
take_weight(struct host *h, double value)
{
	if (value >= 0 && value <= WEIGHT_MAX && value == floor(value))
		return (int32_t)value;
	host_fail_at(h, host_file(h, "FILE"), 0,
	    "%.9g is no weight: whole numbers from 0 to 2^24 wanted", value);
	return 0;
}

static void
weigh(struct host *h, struct task *t)
{
	const struct csr *g = &t->search.graph;
	int64_t widest = 0;
	for (uint32_t v = 0; v < g->rows; v++)
		for (int32_t e = g->row[v]; e < g->row[v + 1]; e++) {
			t->weight[e] = g->value ? take_weight(h, (double)g->value[e])
						: draw_weight(h, v, (uint64_t)g->column[e]);
			widest = t->weight[e] > widest ? t->weight[e] : widest;
		}
	if (widest * g->rows >= INT32_MAX)
		host_fail(
		    h, WCP_EUSAGE, "sssp: vertices times their highest weight are not below 2^31");
}

static void *
prepare(struct host *h)
{
	struct task *t = host_memory(h, 1, sizeof *t);
	const struct graph_search *s = graph_asked_search(h);
	if (host_failed(h))
		return NULL;
	t->search = *s;
	t->weight = host_memory(h, (uint64_t)s->graph.entries + 1, sizeof *t->weight);
	if (t->weight)
		weigh(h, t);
	return t;
}

static void
upload(struct host *h, struct search *s, const struct task *t)
{
	const struct csr *g = &t->search.graph;
	const uint64_t n = g->rows, entries = g->entries ? g->entries : 1;
	uint8_t *active = host_memory(h, n, 1);
	int32_t *distance = host_memory(h, n, sizeof *distance);
	if (host_failed(h))
		return;
	for (uint64_t v = 0; v < n; v++)
		distance[v] = INT32_MAX;
	distance[t->search.source] = 0;
	active[t->search.source] = 1;
	s->n = (int32_t)n;
	s->row = host_input(h, "rows", g->row, 4 * (n + 1));
	s->edge = host_input(h, "edges", g->column, 4 * entries);
	s->weight = host_input(h, "weights", t->weight, 4 * entries);
	s->active = host_input(h, "active", active, n);
	s->distance = host_input(h, "distances", distance, 4 * n);
	s->offer = host_input(h, "offers", distance, 4 * n);
}

static void
search(struct host *h, struct search *s)
{
	const int32_t threshold = (int32_t)host_integer(h, "THRESHOLD");
	const uint64_t flag = host_device(h, "more", 1);
	for (int32_t round = 0; host_again(h, flag, round); round++) {
		dynamic_launch(h, "sssp_relax", SHAPE(s->n, 256), ARGUMENTS(s, &threshold));
		host_launch(h, "sssp_barrier", SHAPE(s->n, 256), ARGUMENTS(s, &flag));
	}
}

/* A queue of vertices whose distance fell, each in it once (Bellman, Ford, Moore). */
static void
reference(struct host *h, const struct task *t, int32_t *distance)
{
	const struct csr *g = &t->search.graph;
	int32_t *queue = host_memory(h, g->rows, sizeof *queue);
	uint8_t *queued = host_memory(h, g->rows, 1);
	uint32_t head = 0, tail = g->rows > 1, waiting = 1;
	if (host_failed(h))
		return;
	for (uint32_t v = 0; v < g->rows; v++)
		distance[v] = INT32_MAX;
	distance[t->search.source] = 0;
	queue[0] = (int32_t)t->search.source;
	for (; waiting; waiting--) {
		const int32_t v = queue[head];
		head = head + 1 < g->rows ? head + 1 : 0;
		queued[v] = 0;
		for (int32_t e = g->row[v]; e < g->row[v + 1]; e++) {
			const int32_t w = g->column[e], by = distance[v] + t->weight[e];
			if (by >= distance[w])
				continue;
			distance[w] = by;
			if (queued[w])
				continue;
			queued[w] = 1;
			waiting++;
			queue[tail] = w;
			tail = tail + 1 < g->rows ? tail + 1 : 0;
		}
	}
}

static void
run(struct host *h)
{
	const struct task *t = host_prepared(h);
	const uint32_t n = t->search.graph.rows;
	struct search s = {0};
	int32_t *distance = host_memory(h, n, sizeof *distance);
	if (!distance)
		return;
	upload(h, &s, t);
	search(h, &s);
	host_download(h, s.distance, 4 * (uint64_t)n);
	if (!host_verifies(h))
		return;
	reference(h, t, distance);
	host_expect_s32(h, "distance", s.distance, distance, n);
}

const struct workload workload_sssp = {
    .name = "sssp",
    .summary = "shortest paths from one source, child kernels for vertices of many edges",
    .origin = "Tang, SSSP; P. Harish, P. J. Narayanan, Accelerating large graph algorithms on the "
	      "GPU using CUDA, HiPC 2007",
    .parameter = parameter,
    .small = "V=1000 THRESHOLD=24",
    .paper = "V=65536 E=2456071 THRESHOLD=175",
    .footprint = "13 V + 16 E + 5",
    .check = "equal",
    .ptx = sssp_ptx,
    .ptx_end = sssp_ptx_end,
    .footprint_bytes = footprint,
    .prepare = prepare,
    .run = run,
};
