#include <math.h>
#include "workload/input/load.h"

WORKLOAD_PTX(spmv, "shoc/spmv.ptx");

static const char *const forms[] = {"scalar", "vector", NULL};
static const char *const matrices[] = {"powerlaw", "rmat", "fem", "stencil27", NULL};

static const struct parameter parameter[] = {
    {"N", "rows and columns", PARAMETER_INTEGER, 65536, 1, 1 << 27, NULL},
    {"NNZ", "entries of a row, on average", PARAMETER_INTEGER, 16, 1, 4096, NULL},
    {"EXPONENT", "of the row lengths' power law (MATRIX=powerlaw)", PARAMETER_REAL, 2.5, 2, 20,
	NULL},
    {"BAND", "columns on each side of the diagonal (MATRIX=fem)", PARAMETER_INTEGER, 512, 1,
	1 << 27, NULL},
    {"MATRIX", "how entries are drawn", PARAMETER_CHOICE, 0, 0, 0, matrices},
    {"FORM", "a thread a row, or a warp a row", PARAMETER_CHOICE, 0, 0, 0, forms},
    {"FILE", "Matrix Market, DIMACS or edge list to read instead", PARAMETER_FILE, 0, 0, 0, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	uint64_t n = (uint64_t)host_integer(h, "N");
	return 4 * (n + 1) + 8 * n * (uint64_t)host_integer(h, "NNZ") + 8 * n;
}

/* The side of the largest cube that has no more cells than N. */
static uint32_t
side_of(uint64_t n)
{
	uint32_t side = 1;
	while ((uint64_t)(side + 1) * (side + 1) * (side + 1) <= n)
		side++;
	return side;
}

static void
make_matrix(struct host *h, struct csr *g)
{
	uint64_t n = (uint64_t)host_integer(h, "N"), entries = n * (uint64_t)host_integer(h, "NNZ");
	const char *path = host_file(h, "FILE");
	bool stencil = host_chosen(h, "MATRIX", "stencil27");
	if (path)
		load_graph(h, g, path, LOAD_DIRECTED);
	else if ((stencil ? 27 * n : entries) >= 1u << 30)
		host_fail(
		    h, WCP_EUSAGE, "spmv: N times %s is not below 2^30", stencil ? "27" : "NNZ");
	else if (stencil)
		graph_stencil27(h, g, side_of(n));
	else if (host_chosen(h, "MATRIX", "fem"))
		graph_band(h, g, (uint32_t)n, (uint32_t)host_integer(h, "NNZ"),
		    (uint32_t)host_integer(h, "BAND"));
	else if (host_chosen(h, "MATRIX", "rmat"))
		graph_rmat(h, g, (uint32_t)n, (uint32_t)entries);
	else
		graph_power_law(h, g,
		    &(struct power_law){.rows = (uint32_t)n,
			.columns = (uint32_t)n,
			.entries = (uint32_t)entries,
			.exponent = host_real(h, "EXPONENT")});
}

static void *
prepare(struct host *h)
{
	struct csr *g = host_memory(h, 1, sizeof *g);
	if (g)
		make_matrix(h, g);
	return g;
}

static float
row_scalar(const struct csr *g, const float *value, const float *x, uint32_t r)
{
	float sum = 0;
	for (int32_t e = g->row[r]; e < g->row[r + 1]; e++)
		sum = fmaf(value[e], x[g->column[e]], sum);
	return sum;
}

/* 32 partial sums, folded as the shuffles do. */
static float
row_vector(const struct csr *g, const float *value, const float *x, uint32_t r)
{
	float lane[32] = {0};
	for (int32_t e = g->row[r]; e < g->row[r + 1]; e++) {
		float *sum = &lane[(e - g->row[r]) % 32];
		*sum = fmaf(value[e], x[g->column[e]], *sum);
	}
	for (int half = 16; half > 0; half /= 2)
		for (int l = 0; l < half; l++)
			lane[l] += lane[l + half];
	return lane[0];
}

static void
verify(
    struct host *h, const struct csr *g, const float *value, const float *x, float *y, uint64_t dy)
{
	bool vector = host_chosen(h, "FORM", "vector");
	for (uint32_t r = 0; r < g->rows; r++)
		y[r] = vector ? row_vector(g, value, x, r) : row_scalar(g, value, x, r);
	host_expect_f32(h, "y", dy, y, g->rows, 0);
}

static void
run(struct host *h)
{
	const struct csr *g = host_prepared(h);
	uint64_t n = g->rows, entries = g->entries ? g->entries : 1;
	float *value = g->value ? g->value : host_uniform(h, entries, 0, 0, 1),
	      *x = host_uniform(h, n, 1, 0, 1);
	float *y = host_memory(h, n, sizeof *y);
	uint64_t row = host_input(h, "rows", g->row, 4 * (n + 1));
	uint64_t column = host_input(h, "columns", g->column, 4 * entries);
	uint64_t dvalue = host_input(h, "values", value, 4 * entries),
		 dx = host_input(h, "x", x, 4 * n);
	uint64_t dy = host_device(h, "y", 4 * n);
	bool vector = host_chosen(h, "FORM", "vector");
	int64_t threads = vector ? 32 * (int64_t)n : (int64_t)n;

	host_launch(h, vector ? "spmv_vector" : "spmv_scalar", SHAPE(threads, 128),
	    ARGUMENTS(&row, &column, &dvalue, &dx, &dy, &g->rows));
	host_read(h, y, dy, 4 * n);
	if (host_verifies(h))
		verify(h, g, value, x, y, dy);
}

const struct workload workload_spmv = {
    .name = "spmv",
    .summary = "sparse matrix times vector, compressed rows of power-law lengths",
    .origin = "SHOC, Spmv, CSR scalar and vector",
    .parameter = parameter,
    .small = "N=1001 NNZ=7",
    .paper = "N=65536 NNZ=16",
    .footprint = "about 4 (N + 1) + 8 N NNZ + 8 N",
    .check = "bit for bit",
    .ptx = spmv_ptx,
    .ptx_end = spmv_ptx_end,
    .footprint_bytes = footprint,
    .prepare = prepare,
    .run = run,
};
