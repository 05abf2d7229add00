#include <math.h>
#include "dynamic.h"
#include "workload/input/load.h"

WORKLOAD_PTX(spmm, "dynamic/spmm.ptx");

enum { STREAM_A = 1, STREAM_B };

static const struct parameter parameter[] = {
    {"M", "rows of A and C", PARAMETER_INTEGER, 512, 1, 1 << 20, NULL},
    {"N", "columns of B and C", PARAMETER_INTEGER, 512, 1, 1 << 20, NULL},
    {"K", "columns of A, rows of B", PARAMETER_INTEGER, 512, 1, 1 << 20, NULL},
    {"NNZ", "entries of a row of A or column of B, on average; K: dense", PARAMETER_INTEGER, 16, 1,
	1 << 20, NULL},
    {"EXPONENT", "of the power law of their numbers", PARAMETER_REAL, 2.5, 2, 20, NULL},
    {"FILE", "Matrix Market, DIMACS or edge list to read as A instead; B is its transpose",
	PARAMETER_FILE, 0, 0, 0, NULL},
    FORM_PARAMETERS(0, "entries of a row above which it is a child kernel's"),
    {NULL},
};

/* A in compressed rows, B in compressed columns: rows of its transpose. */
struct task {
	struct csr a, b;
};

/* The kernels' struct product. */
struct product {
	uint64_t a_row, a_column, a_value, b_column, b_row, b_value, c;
	int32_t rows, columns;
};

static uint64_t
footprint(const struct host *h)
{
	const uint64_t m = (uint64_t)host_integer(h, "M"), n = (uint64_t)host_integer(h, "N");
	return 4 * (m + n + 2) + 8 * (m + n) * (uint64_t)host_integer(h, "NNZ") + 4 * m * n;
}

static void
draw(struct host *h, struct csr *g, const char *rows, uint64_t stream, uint64_t values)
{
	const uint64_t n = (uint64_t)host_integer(h, rows), nnz = (uint64_t)host_integer(h, "NNZ"),
		       k = (uint64_t)host_integer(h, "K");
	if (nnz > k)
		host_fail(h, WCP_EUSAGE, "spmm: NNZ is above K");
	else if (n * nnz >= 1u << 30)
		host_fail(h, WCP_EUSAGE, "spmm: %s times NNZ is not below 2^30", rows);
	else
		graph_power_law(h, g,
		    &(struct power_law){(uint32_t)n, (uint32_t)k, (uint32_t)(n * nnz),
			host_real(h, "EXPONENT"), stream});
	if (!host_failed(h))
		g->value = host_uniform(h, g->entries + 1, values, 0, 1);
}

/* Entries of the same place become one. */
static void
add_up(struct csr *g)
{
	int32_t from = 0, to = 0;
	for (uint32_t r = 0; r < g->rows; r++) {
		const int32_t first = to;
		for (; from < g->row[r + 1]; from++) {
			if (to > first && g->column[to - 1] == g->column[from]) {
				g->value[to - 1] += g->value[from];
				continue;
			}
			g->column[to] = g->column[from];
			g->value[to++] = g->value[from];
		}
		g->row[r + 1] = to;
	}
	g->entries = (uint32_t)to;
}

static void *
prepare(struct host *h)
{
	struct task *t = host_memory(h, 1, sizeof *t);
	const char *path = host_file(h, "FILE");
	if (t && path) {
		load_graph(h, &t->a, path, LOAD_DIRECTED);
		if (!host_failed(h) && t->a.rows > 1 << 15)
			host_fail_at(h, path, 0, "%u rows: at most 32768 wanted", t->a.rows);
		if (!host_failed(h) && !t->a.value)
			t->a.value = host_uniform(h, t->a.entries + 1, STREAM_A, 0, 1);
		if (!host_failed(h))
			add_up(&t->a);
		t->b = t->a;
	} else if (t) {
		draw(h, &t->a, "M", STREAM_A, STREAM_A);
		draw(h, &t->b, "N", STREAM_B, STREAM_B);
	}
	return t;
}

static void
upload(struct host *h, const struct csr *g, const char *label[3], uint64_t to[3])
{
	const uint64_t entries = g->entries ? g->entries : 1;
	to[0] = host_input(h, label[0], g->row, 4 * ((uint64_t)g->rows + 1));
	to[1] = host_input(h, label[1], g->column, 4 * entries);
	to[2] = host_input(h, label[2], g->value, 4 * entries);
}

/* Row i of A spread out, then each column of B along its entries: the kernels' sums in their order.
 */
static void
reference(const struct task *t, float *spread, int32_t *here, float *c)
{
	const struct csr *a = &t->a, *b = &t->b;
	for (uint32_t i = 0; i < a->rows; i++) {
		for (int32_t e = a->row[i]; e < a->row[i + 1]; e++) {
			spread[a->column[e]] = a->value[e];
			here[a->column[e]] = (int32_t)i + 1;
		}
		for (uint32_t j = 0; j < b->rows; j++) {
			float sum = 0;
			for (int32_t e = b->row[j]; e < b->row[j + 1]; e++)
				if (here[b->column[e]] == (int32_t)i + 1)
					sum = fmaf(spread[b->column[e]], b->value[e], sum);
			c[(uint64_t)i * b->rows + j] = sum;
		}
	}
}

static void
verify(struct host *h, const struct task *t, const struct product *p)
{
	const uint64_t n = (uint64_t)t->a.rows * t->b.rows;
	uint64_t inner = host_file(h, "FILE") ? t->a.rows : (uint64_t)host_integer(h, "K");
	float *spread = host_memory(h, inner, sizeof *spread), *c = host_memory(h, n, sizeof *c);
	int32_t *here = host_memory(h, inner, sizeof *here);
	if (host_failed(h))
		return;
	reference(t, spread, here, c);
	host_expect_f32(h, "C", p->c, c, n, 0);
}

static void
run(struct host *h)
{
	const struct task *t = host_prepared(h);
	const uint64_t bytes = 4 * (uint64_t)t->a.rows * t->b.rows;
	const int32_t threshold = (int32_t)host_integer(h, "THRESHOLD");
	uint64_t a[3] = {0}, b[3] = {0};
	upload(h, &t->a, (const char *[]){"A rows", "A columns", "A values"}, a);
	upload(h, &t->b, (const char *[]){"B columns", "B rows", "B values"}, b);
	struct product p = {a[0], a[1], a[2], b[0], b[1], b[2], host_device(h, "C", bytes),
	    (int32_t)t->a.rows, (int32_t)t->b.rows};
	dynamic_launch(h, "spmm_rows", SHAPE(p.rows, 128), ARGUMENTS(&p, &threshold));
	host_download(h, p.c, bytes);
	if (host_verifies(h))
		verify(h, t, &p);
}

const struct workload workload_spmm = {
    .name = "spmm",
    .summary = "product of two sparse matrices, a child kernel a row",
    .origin = "Tang, matrix multiplication (MM), sparse matrix multiplication (SPMM)",
    .parameter = parameter,
    .small = "M=70 N=90 K=50 NNZ=6 THRESHOLD=3",
    .paper = "M=5120 N=5120 K=512",
    .footprint = "about 4 (M + N + 2) + 8 (M + N) NNZ + 4 M N",
    .check = "bit for bit",
    .ptx = spmm_ptx,
    .ptx_end = spmm_ptx_end,
    .footprint_bytes = footprint,
    .prepare = prepare,
    .run = run,
};
