#include <stddef.h>
#include "workload/workload.h"

WORKLOAD_PTX(nw, "rodinia/nw.ptx");

static const struct parameter parameter[] = {
    {"N", "length of both sequences, a multiple of 16", PARAMETER_INTEGER, 512, 16, 16384, NULL},
    {"PENALTY", "of a gap", PARAMETER_INTEGER, 10, 0, 1000, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	uint64_t n = (uint64_t)host_integer(h, "N");
	return 8 * (n + 1) * (n + 1);
}

enum { SIDE = 16, LETTERS = 24 };

static void *
prepare(struct host *h)
{
	if (host_integer(h, "N") % SIDE)
		host_fail(h, WCP_EUSAGE, "nw: N is no multiple of %d", SIDE);
	return NULL;
}

/* What each pair of letters scores: likes more than others, the same both ways. */
static int32_t
likeness(uint64_t seed, int32_t a, int32_t b)
{
	int32_t low = a < b ? a : b, high = a < b ? b : a;
	uint64_t bits = random_at(seed, (uint64_t)low * LETTERS + (uint64_t)high);
	return a == b ? 4 + (int32_t)(bits % 6) : (int32_t)(bits % 8) - 5;
}

static void
make_table(struct host *h, int32_t *match, int32_t *table, int32_t n, int32_t penalty)
{
	int32_t *a = host_integers(h, (uint64_t)n + 1, 0, 0, LETTERS - 1),
		*b = host_integers(h, (uint64_t)n + 1, 1, 0, LETTERS - 1);
	uint64_t seed = random_at(host_seed(h), 2);
	if (host_failed(h))
		return;
	for (int32_t i = 1; i <= n; i++)
		for (int32_t j = 1; j <= n; j++)
			match[(size_t)i * (n + 1) + j] = likeness(seed, a[i], b[j]);
	for (int32_t i = 1; i <= n; i++)
		table[(size_t)i * (n + 1)] = table[i] = -i * penalty;
}

static void
reference(const int32_t *match, int32_t *table, int32_t n, int32_t penalty)
{
	size_t row = (size_t)n + 1;
	for (size_t i = 1; i < row; i++)
		for (size_t j = 1; j < row; j++) {
			int32_t *at = &table[i * row + j];
			int32_t best = at[-(ptrdiff_t)row - 1] + match[i * row + j];
			best = best > at[-1] - penalty ? best : at[-1] - penalty;
			int32_t up = at[-(ptrdiff_t)row] - penalty;
			*at = best > up ? best : up;
		}
}

static void
run(struct host *h)
{
	int32_t n = (int32_t)host_integer(h, "N"), penalty = (int32_t)host_integer(h, "PENALTY"),
		columns = n + 1, tiles = n / SIDE;
	uint64_t cells = (uint64_t)columns * (uint64_t)columns;
	int32_t *match = host_memory(h, cells, sizeof *match),
		*table = host_memory(h, cells, sizeof *table);
	if (host_failed(h))
		return;
	make_table(h, match, table, n, penalty);
	uint64_t dmatch = host_input(h, "matches", match, 4 * cells),
		 dtable = host_input(h, "scores", table, 4 * cells);
	for (int32_t d = 0; d < 2 * tiles - 1; d++) {
		int32_t x = d < tiles ? 0 : d - tiles + 1, y = d - x;
		int32_t ctas = y - x + 1;
		host_launch(h, "nw_diagonal", SHAPE((int64_t)ctas * SIDE, SIDE),
		    ARGUMENTS(&dmatch, &dtable, &columns, &penalty, &x, &y));
	}
	host_download(h, dtable, 4 * cells);
	if (!host_verifies(h))
		return;
	reference(match, table, n, penalty);
	host_expect_s32(h, "score", dtable, table, cells);
}

const struct workload workload_nw = {
    .name = "nw",
    .summary =
	"sequence alignment: tiles in shared memory, a launch an anti-diagonal, half-empty warps",
    .origin = "Rodinia, nw",
    .parameter = parameter,
    .small = "N=80",
    .paper = "N=2048",
    .footprint = "8 (N + 1)^2",
    .check = "equal",
    .ptx = nw_ptx,
    .ptx_end = nw_ptx_end,
    .footprint_bytes = footprint,
    .prepare = prepare,
    .run = run,
};
