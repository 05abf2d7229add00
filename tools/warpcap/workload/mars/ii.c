#include <string.h>
#include "workload/mars/mars.h"
#include "workload/workload.h"

WORKLOAD_PTX(ii, "mars/ii.ptx");

static const struct parameter parameter[] = {
    {"BYTES", "of text", PARAMETER_INTEGER, 1 << 20, 64, 1 << 30, NULL},
    {"FILE", "a text to read instead; its lines are the records", PARAMETER_FILE, 0, 0, 0, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	return (uint64_t)host_integer(h, "BYTES") / 12 * 13;
}

/* The links of all records; pair has room for one in seven bytes. */
static uint64_t
reference(const struct text *t, uint64_t *pair)
{
	uint64_t n = 0;
	for (int32_t r = 0; r < t->records; r++) {
		const uint8_t *at = t->byte + t->first[r], *end = t->byte + t->first[r + 1];
		for (; at + 6 < end; at++) {
			if (memcmp(at, "href=\"", 6) != 0)
				continue;
			const uint8_t *from = at + 6, *to = from;
			while (to < end && *to != '"')
				to++;
			pair[n++] = mars_pair(text_hash(from, to, 0), (uint32_t)r);
		}
	}
	return n;
}

static void *
prepare(struct host *h)
{
	return text_prepare(h, text_html);
}

static void
run(struct host *h)
{
	const struct text *t = host_prepared(h);
	struct mars m = {0};
	mars_upload(h, &m, t);
	host_launch(h, "ii_count", SHAPE(m.records, 256),
	    ARGUMENTS(&m.byte, &m.first, &m.count, &m.records));
	mars_scan(h, &m, 8);
	host_launch(h, "ii_emit", SHAPE(m.records, 256),
	    ARGUMENTS(&m.byte, &m.first, &m.position, &m.pair, &m.records));
	mars_sort(h, &m, 1);
	host_download(h, m.pair, 8 * (uint64_t)m.emitted);
	uint64_t *wanted =
	    host_verifies(h) ? host_memory(h, t->bytes / 7 + 1, sizeof *wanted) : NULL;
	if (wanted)
		mars_expect_pairs(h, &m, wanted, reference(t, wanted));
}

const struct workload workload_ii = {
    .name = "ii",
    .summary =
	"inverted index of links by MapReduce: a thread a record of text, byte by byte; sort",
    .origin = "Mars, II",
    .parameter = parameter,
    .small = "BYTES=20000",
    .paper = "BYTES=28Mi",
    .footprint = "about BYTES + BYTES / 12",
    .check = "equal",
    .ptx = ii_ptx,
    .ptx_end = ii_ptx_end,
    .footprint_bytes = footprint,
    .prepare = prepare,
    .run = run,
};
