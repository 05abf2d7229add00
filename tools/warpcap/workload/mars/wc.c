#include "workload/mars/mars.h"
#include "workload/workload.h"

WORKLOAD_PTX(wc, "mars/wc.ptx");

static const struct parameter parameter[] = {
    {"WORDS", "of a line, at most", PARAMETER_INTEGER, 16, 1, 600, NULL},
    {"BYTES", "of text", PARAMETER_INTEGER, 65536, 64, 1 << 30, NULL},
    {"FILE", "a text to read instead; its lines are the records", PARAMETER_FILE, 0, 0, 0, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	return 3 * (uint64_t)host_integer(h, "BYTES");
}

static bool
is_letter(uint8_t c)
{
	return (uint8_t)((c | 32) - 'a') < 26;
}

/* The words of all lines; pair has room for half as many as there are bytes. */
static uint64_t
reference(const struct text *t, uint64_t *pair)
{
	uint64_t n = 0;
	for (uint64_t k = 0; k < t->bytes; k++) {
		uint64_t start = k;
		while (k < t->bytes && is_letter(t->byte[k]))
			k++;
		if (k > start)
			pair[n++] =
			    mars_pair(text_hash(t->byte + start, t->byte + k, 32), (uint32_t)start);
	}
	return n;
}

static void *
prepare(struct host *h)
{
	return text_prepare(h, text_words);
}

static void
run(struct host *h)
{
	const struct text *t = host_prepared(h);
	struct mars m = {0};
	mars_upload(h, &m, t);
	host_launch(h, "wc_count", SHAPE(m.records, 256),
	    ARGUMENTS(&m.byte, &m.first, &m.count, &m.records));
	mars_scan(h, &m, 8);
	host_launch(h, "wc_emit", SHAPE(m.records, 256),
	    ARGUMENTS(&m.byte, &m.first, &m.position, &m.pair, &m.records));
	mars_sort(h, &m, 1);
	mars_count_groups(h, &m);
	uint64_t *wanted =
	    host_verifies(h) ? host_memory(h, t->bytes / 2 + 1, sizeof *wanted) : NULL;
	if (!wanted)
		return;
	mars_expect_pairs(h, &m, wanted, reference(t, wanted));
	mars_expect_groups(h, &m, wanted);
}

const struct workload workload_wc = {
    .name = "wc",
    .summary = "word count by MapReduce: a thread a line of text, byte by byte; sort; count",
    .origin = "Mars, WC",
    .parameter = parameter,
    .small = "BYTES=8000",
    .paper = "BYTES=90112",
    .footprint = "about 3 BYTES",
    .check = "equal",
    .ptx = wc_ptx,
    .ptx_end = wc_ptx_end,
    .footprint_bytes = footprint,
    .prepare = prepare,
    .run = run,
};
