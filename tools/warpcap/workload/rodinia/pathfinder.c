#include <stddef.h>
#include <string.h>
#include "workload/workload.h"

WORKLOAD_PTX(pathfinder, "rodinia/pathfinder.ptx");

static const struct parameter parameter[] = {
    {"COLUMNS", "of the grid", PARAMETER_INTEGER, 20000, 1, 1 << 24, NULL},
    {"ROWS", "of the grid", PARAMETER_INTEGER, 100, 2, 1000000, NULL},
    {"PYRAMID", "rows of a launch", PARAMETER_INTEGER, 20, 1, 120, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	uint64_t columns = (uint64_t)host_integer(h, "COLUMNS"),
		 rows = (uint64_t)host_integer(h, "ROWS");
	return 4 * columns * (rows + 2);
}

static void *
prepare(struct host *h)
{
	if (host_integer(h, "COLUMNS") * host_integer(h, "ROWS") >= INT32_MAX)
		host_fail(h, WCP_EUSAGE, "pathfinder: COLUMNS times ROWS is not below 2^31");
	return NULL;
}

static void
reference_row(const int32_t *wall, const int32_t *from, int32_t *to, int32_t columns)
{
	for (int32_t x = 0; x < columns; x++) {
		int32_t best = from[x];
		if (x && from[x - 1] < best)
			best = from[x - 1];
		if (x < columns - 1 && from[x + 1] < best)
			best = from[x + 1];
		to[x] = best + wall[x];
	}
}

static void
verify(struct host *h, int32_t *wall, uint64_t dresult)
{
	int32_t columns = (int32_t)host_integer(h, "COLUMNS");
	int64_t rows = host_integer(h, "ROWS");
	int32_t *to = host_memory(h, (uint64_t)columns, sizeof *to);
	if (!to)
		return;
	for (int64_t r = 1; r < rows; r++) {
		int32_t *row = wall + (ptrdiff_t)r * columns;
		reference_row(row, row - columns, to, columns);
		memcpy(row, to, (size_t)columns * sizeof *row);
	}
	host_expect_s32(h, "cost", dresult, to, (uint64_t)columns);
}

static void
run(struct host *h)
{
	int32_t columns = (int32_t)host_integer(h, "COLUMNS"),
		rows = (int32_t)host_integer(h, "ROWS"), halo = (int32_t)host_integer(h, "PYRAMID");
	uint64_t row = 4 * (uint64_t)columns, cells = (uint64_t)columns * (uint64_t)rows, d[2];
	int32_t *wall = host_integers(h, cells, 0, 0, 9);
	uint64_t dwall = host_input(h, "wall", wall, 4 * cells);
	d[0] = host_input(h, "row", wall, row);
	d[1] = host_device(h, "result", row);
	int now = 0;
	struct host_shape shape = {
	    {host_blocks(columns, (uint32_t)(256 - 2 * halo)), 1, 1}, {256, 1, 1}, 0};
	for (int32_t r = 1; r < rows; r += halo, now = !now) {
		int32_t some = rows - r < halo ? rows - r : halo;
		host_launch(h, "pathfinder", shape,
		    ARGUMENTS(&some, &dwall, &d[now], &d[!now], &columns, &r, &halo));
	}
	host_download(h, d[now], row);
	if (host_verifies(h))
		verify(h, wall, d[now]);
}

const struct workload workload_pathfinder = {
    .name = "pathfinder",
    .summary = "the cheapest way down a grid: overlapping pieces of rows in shared memory",
    .origin = "Rodinia, pathfinder",
    .parameter = parameter,
    .small = "COLUMNS=700 ROWS=31",
    .paper = "COLUMNS=100000 ROWS=100",
    .footprint = "4 COLUMNS (ROWS + 2)",
    .check = "equal",
    .ptx = pathfinder_ptx,
    .ptx_end = pathfinder_ptx_end,
    .footprint_bytes = footprint,
    .prepare = prepare,
    .run = run,
};
