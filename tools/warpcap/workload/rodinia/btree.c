#include "workload/workload.h"

WORKLOAD_PTX(btree, "rodinia/btree.ptx");

static const struct parameter parameter[] = {
    {"N", "records", PARAMETER_INTEGER, 100000, 1, 1 << 24, NULL},
    {"QUERIES", "for one record", PARAMETER_INTEGER, 1000, 1, 1 << 20, NULL},
    {"RANGES", "queried", PARAMETER_INTEGER, 600, 1, 1 << 20, NULL},
    {"LENGTH", "of a range, at most", PARAMETER_INTEGER, 3000, 1, 1 << 24, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	uint64_t n = (uint64_t)host_integer(h, "N"), queries = (uint64_t)host_integer(h, "QUERIES"),
		 ranges = (uint64_t)host_integer(h, "RANGES");
	return n * 123 / 10 + 16 * queries + 32 * ranges;
}

enum { ORDER = 256 };

struct node {
	int32_t child[ORDER + 1], key[ORDER + 1], keys, leaf;
};

struct tree {
	struct node *node; /* leaves first, the root last */
	int32_t nodes, height, records;
	uint64_t dnode;
};

/* Key k of n; half of all numbers are none. */
static int32_t
key_of(int32_t k)
{
	return 2 * k;
}

static void
close_node(struct node *node, int32_t keys, bool leaf)
{
	node->keys = keys;
	node->leaf = leaf;
	for (int32_t k = keys; k <= ORDER; k++)
		node->key[k] = INT32_MAX;
}

static void
make_leaves(struct tree *t)
{
	for (int32_t k = 0; k < t->records; k++) {
		struct node *leaf = &t->node[k / ORDER];
		leaf->key[k % ORDER] = key_of(k);
		leaf->child[k % ORDER] = k;
	}
	t->nodes = (t->records + ORDER - 1) / ORDER;
	for (int32_t l = 0; l < t->nodes; l++)
		close_node(&t->node[l], l + 1 < t->nodes ? ORDER : t->records - l * ORDER, true);
	t->height = 1;
}

/* A level above nodes from to t->nodes; the first key of each stands for it. */
static void
make_level(struct tree *t, int32_t from)
{
	int32_t below = t->nodes - from, above = (below + ORDER - 1) / ORDER;
	for (int32_t k = 0; k < below; k++) {
		struct node *node = &t->node[t->nodes + k / ORDER];
		node->key[k % ORDER] = k ? t->node[from + k].key[0] : INT32_MIN;
		node->child[k % ORDER] = from + k;
	}
	for (int32_t a = 0; a < above; a++)
		close_node(
		    &t->node[t->nodes + a], a + 1 < above ? ORDER : below - a * ORDER, false);
	t->nodes += above;
	t->height++;
}

static bool
make_tree(struct host *h, struct tree *t)
{
	t->records = (int32_t)host_integer(h, "N");
	t->node = host_memory(h, (uint64_t)t->records / (ORDER - 2) + 8, sizeof *t->node);
	if (!t->node)
		return false;
	make_leaves(t);
	int32_t from = 0;
	while (t->nodes - from > 1) {
		int32_t next = t->nodes;
		make_level(t, from);
		from = next;
	}
	t->dnode = host_input(h, "nodes", t->node, (uint64_t)t->nodes * sizeof *t->node);
	return !host_failed(h);
}

/* Where each query begins. */
static uint64_t
at_root(struct host *h, const struct tree *t, const char *label, uint64_t queries)
{
	int32_t *at = host_memory(h, queries, sizeof *at);
	for (uint64_t q = 0; at && q < queries; q++)
		at[q] = t->nodes - 1;
	return host_input(h, label, at, 4 * queries);
}

static void
find(struct host *h, const struct tree *t)
{
	uint64_t n = (uint64_t)host_integer(h, "QUERIES"), bytes = 4 * n;
	int32_t *record = host_integers(h, (uint64_t)t->records, 0, 0, 1 << 30),
		*wanted = host_integers(h, n, 1, 0, 2 * t->records - 1),
		*answer = host_memory(h, n, sizeof *answer);
	uint64_t drecord = host_input(h, "records", record, 4 * (uint64_t)t->records),
		 dcurrent = at_root(h, t, "current nodes", n),
		 dnext = at_root(h, t, "next nodes", n),
		 dwanted = host_input(h, "wanted", wanted, bytes),
		 danswer = host_device(h, "answers", bytes);
	host_set(h, danswer, 0xff, bytes);
	host_launch(h, "btree_find", SHAPE((int64_t)n * ORDER, ORDER),
	    ARGUMENTS(&t->dnode, &drecord, &t->height, &dcurrent, &dnext, &dwanted, &danswer));
	host_read(h, answer, danswer, bytes);
	if (!host_verifies(h))
		return;
	for (uint64_t q = 0; q < n; q++)
		answer[q] = wanted[q] % 2 ? -1 : record[wanted[q] / 2];
	host_expect_s32(h, "answer", danswer, answer, n);
}

static void
find_ranges(struct host *h, const struct tree *t)
{
	uint64_t n = (uint64_t)host_integer(h, "RANGES"), bytes = 4 * n;
	int32_t most = (int32_t)host_integer(h, "LENGTH");
	int32_t *start = host_integers(h, n, 2, 0, t->records - 1), *end = host_memory(h, n, 4),
		*length = host_integers(h, n, 3, 1, most < t->records ? most : t->records);
	if (host_failed(h))
		return;
	for (uint64_t q = 0; q < n; q++) {
		if (length[q] > t->records - start[q])
			length[q] = t->records - start[q];
		end[q] = key_of(start[q] + length[q] - 1);
		start[q] = key_of(start[q]);
	}
	uint64_t d[4];
	static const char *const label[4] = {
	    "start nodes", "next start nodes", "end nodes", "next end nodes"};
	for (int k = 0; k < 4; k++)
		d[k] = at_root(h, t, label[k], n);
	uint64_t dstart = host_input(h, "starts", start, bytes),
		 dend = host_input(h, "ends", end, bytes),
		 dfirst = host_device(h, "first records", bytes),
		 dlength = host_device(h, "lengths", bytes);
	host_launch(h, "btree_find_range", SHAPE((int64_t)n * ORDER, ORDER),
	    ARGUMENTS(&t->dnode, &t->height, &d[0], &d[1], &d[2], &d[3], &dstart, &dend, &dfirst,
		&dlength));
	host_download(h, dlength, bytes);
	if (host_verifies(h))
		host_expect_s32(h, "length", dlength, length, n);
}

static void
run(struct host *h)
{
	struct tree t = {0};
	if (!make_tree(h, &t))
		return;
	find(h, &t);
	find_ranges(h, &t);
}

const struct workload workload_btree = {
    .name = "btree",
    .summary = "queries of a B+ tree of order 256: a CTA a query, a thread a key of the node",
    .origin = "Rodinia, b+tree",
    .parameter = parameter,
    .small = "N=3000 QUERIES=50 RANGES=30 LENGTH=100",
    .paper = "N=1000000 QUERIES=10000 RANGES=6000 LENGTH=3000",
    .footprint = "about 12.3 N + 16 QUERIES + 32 RANGES",
    .check = "equal",
    .ptx = btree_ptx,
    .ptx_end = btree_ptx_end,
    .footprint_bytes = footprint,
    .run = run,
};
