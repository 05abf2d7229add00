#include <string.h>
#include "workload/mars/mars.h"
#include "workload/workload.h"

WORKLOAD_PTX(sm, "mars/sm.ptx");

static const struct parameter parameter[] = {
    {"WORDS", "of a line, at most", PARAMETER_INTEGER, 48, 1, 600, NULL},
    {"BYTES", "of text", PARAMETER_INTEGER, 1 << 20, 64, 1 << 30, NULL},
    {"FILE", "a text to read instead; its lines are the records", PARAMETER_FILE, 0, 0, 0, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	return (uint64_t)host_integer(h, "BYTES") / 5 * 6;
}

enum { LENGTH = 4 };

/* A word of the 64 that are neither frequent nor rare. */
static const uint8_t word[LENGTH] = {'l', 'a', 'd', 'e'};

static int64_t
reference(const struct text *t, int32_t *place)
{
	int64_t n = 0;
	for (int32_t r = 0; r < t->records; r++)
		for (int32_t k = t->first[r]; k + LENGTH <= t->first[r + 1]; k++)
			if (memcmp(t->byte + k, word, LENGTH) == 0)
				place[n++] = k;
	return n;
}

static void *
prepare(struct host *h)
{
	return text_prepare(h, text_words);
}

static void
verify(struct host *h, const struct mars *m)
{
	int32_t *wanted = host_memory(h, m->text->bytes, sizeof *wanted);
	int64_t n = wanted ? reference(m->text, wanted) : 0;
	if (n != m->emitted)
		host_fail(h, WCP_ENO, "%lld places found, the reference says %lld",
		    (long long)m->emitted, (long long)n);
	host_expect_s32(h, "place", m->pair, wanted, (uint64_t)n);
}

static void
run(struct host *h)
{
	const struct text *t = host_prepared(h);
	struct mars m = {0};
	int32_t length = LENGTH;
	mars_upload(h, &m, t);
	uint64_t dword = host_input(h, "word", word, LENGTH);
	host_launch(h, "sm_count", SHAPE(m.records, 256),
	    ARGUMENTS(&m.byte, &m.first, &dword, &length, &m.count, &m.records));
	mars_scan(h, &m, 4);
	host_launch(h, "sm_emit", SHAPE(m.records, 256),
	    ARGUMENTS(&m.byte, &m.first, &dword, &length, &m.position, &m.pair, &m.records));
	host_download(h, m.pair, 4 * (uint64_t)m.emitted);
	if (host_verifies(h))
		verify(h, &m);
}

const struct workload workload_sm = {
    .name = "sm",
    .summary = "string match by MapReduce: a thread a line of text, compared byte by byte",
    .origin = "Mars, SM",
    .parameter = parameter,
    .small = "BYTES=8000",
    .paper = "BYTES=1Mi",
    .footprint = "about 1.2 BYTES",
    .check = "equal",
    .ptx = sm_ptx,
    .ptx_end = sm_ptx_end,
    .footprint_bytes = footprint,
    .prepare = prepare,
    .run = run,
};
