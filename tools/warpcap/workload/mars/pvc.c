#include <string.h>
#include "workload/mars/mars.h"
#include "workload/workload.h"

WORKLOAD_PTX(pvc, "mars/pvc.ptx");

static const struct parameter parameter[] = {
    {"BYTES", "of text", PARAMETER_INTEGER, 1 << 20, 64, 1 << 30, NULL},
    {"FILE", "a text to read instead; its lines are the records", PARAMETER_FILE, 0, 0, 0, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	return (uint64_t)host_integer(h, "BYTES") / 2 * 3;
}

enum { PIECE = 256 };

static uint64_t
reference(const struct text *t, uint64_t *pair)
{
	uint64_t n = 0;
	for (int32_t r = 0; r < t->records; r++) {
		const uint8_t *from = t->byte + t->first[r];
		const uint8_t *end = t->byte + t->first[r + 1];
		const uint8_t *to = memchr(from, '\t', (size_t)(end - from));
		const uint8_t *last = memrchr(from, '\t', (size_t)(end - from));
		if (to && last > to)
			pair[n++] = mars_pair(text_hash(from, to, 0), text_hash(last + 1, end, 0));
	}
	return n;
}

static void *
prepare(struct host *h)
{
	return text_prepare(h, text_log);
}

/* Steps whose partners are in one piece in shared memory, the others in global memory. */
static void
sort(struct host *h, const struct mars *m)
{
	struct host_shape pieces = {{m->room / PIECE, 1, 1}, {PIECE / 2, 1, 1}, 0};
	uint32_t run = 2, last = PIECE;
	host_launch(h, "pvc_sort_piece", pieces, ARGUMENTS(&m->pair, &run, &last));
	for (run = 2 * PIECE; run <= m->room; run *= 2) {
		for (uint32_t distance = run / 2; distance >= PIECE; distance /= 2)
			host_launch(h, "mars_sort_step", SHAPE(m->room / 2, 128),
			    ARGUMENTS(&m->pair, &distance, &run));
		host_launch(h, "pvc_sort_piece", pieces, ARGUMENTS(&m->pair, &run, &run));
	}
}

static void
run(struct host *h)
{
	const struct text *t = host_prepared(h);
	struct mars m = {0};
	mars_upload(h, &m, t);
	host_launch(h, "pvc_count", SHAPE(m.records, 256),
	    ARGUMENTS(&m.byte, &m.first, &m.count, &m.records));
	mars_scan(h, &m, 8);
	host_launch(h, "pvc_emit", SHAPE(m.records, 256),
	    ARGUMENTS(&m.byte, &m.first, &m.position, &m.count, &m.pair, &m.records));
	sort(h, &m);
	mars_count_groups(h, &m);
	uint64_t *wanted =
	    host_verifies(h) ? host_memory(h, (uint64_t)t->records, sizeof *wanted) : NULL;
	if (!wanted)
		return;
	mars_expect_pairs(h, &m, wanted, reference(t, wanted));
	mars_expect_groups(h, &m, wanted);
}

const struct workload workload_pvc = {
    .name = "pvc",
    .summary = "page views of a log by MapReduce: a thread a line, byte by byte; sort in shared "
	       "memory; count",
    .origin = "Mars, PVC",
    .parameter = parameter,
    .small = "BYTES=20000",
    .paper = "BYTES=13Mi",
    .footprint = "about BYTES + BYTES / 2",
    .check = "equal",
    .ptx = pvc_ptx,
    .ptx_end = pvc_ptx_end,
    .footprint_bytes = footprint,
    .prepare = prepare,
    .run = run,
};
