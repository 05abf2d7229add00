#include "workload/mars/mars.h"
#include <stdlib.h>
#include <string.h>

enum { SCAN_BLOCK = 128 };

void
mars_upload(struct host *h, struct mars *m, const struct text *t)
{
	uint64_t records = (uint64_t)t->records;
	m->text = t;
	m->records = t->records;
	m->byte = host_input(h, "text", t->byte, t->bytes);
	m->first = host_input(h, "records", t->first, 4 * (records + 1));
	m->count = host_device(h, "counts", 4 * records);
	m->position = host_device(h, "positions", 4 * records);
}

void
mars_scan(struct host *h, struct mars *m, uint64_t bytes)
{
	struct host_shape shape = SHAPE(m->records, SCAN_BLOCK);
	int32_t ctas = (int32_t)shape.grid[0];
	uint64_t total = host_device(h, "totals", 4 * ((uint64_t)ctas + 1));
	host_launch(h, "mars_scan", shape, ARGUMENTS(&m->count, &m->position, &total, &m->records));
	host_launch(h, "mars_scan_totals", SHAPE(1, SCAN_BLOCK), ARGUMENTS(&total, &ctas));
	host_launch(h, "mars_scan_add", shape, ARGUMENTS(&m->position, &total, &m->records));
	host_read(h, &m->emitted, total + 4 * (uint64_t)ctas, 4);
	if (bytes == 8)
		mars_take_pairs(h, m, (uint32_t)m->emitted);
	else if (!host_failed(h))
		m->pair = host_device(h, "emitted", bytes * ((uint64_t)m->emitted + 1));
}

void
mars_take_pairs(struct host *h, struct mars *m, uint32_t n)
{
	if (host_failed(h))
		return;
	m->emitted = (int32_t)n;
	for (m->room = 256; m->room < n;)
		m->room *= 2;
	m->pair = host_device(h, "pairs", 8 * (uint64_t)m->room);
	host_set(h, m->pair, 0xff, 8 * (uint64_t)m->room);
}

void
mars_sort(struct host *h, const struct mars *m, uint32_t sorted)
{
	for (uint32_t run = 2 * sorted; run <= m->room; run *= 2)
		for (uint32_t distance = run / 2; distance > 0; distance /= 2)
			host_launch(h, "mars_sort_step", SHAPE(m->room / 2, 128),
			    ARGUMENTS(&m->pair, &distance, &run));
}

static int
ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

void
mars_expect_pairs(struct host *h, const struct mars *m, uint64_t *wanted, uint64_t count)
{
	if (host_failed(h))
		return;
	if (count != (uint64_t)m->emitted) {
		host_fail(h, WCP_ENO, "%lld pairs emitted, the reference says %llu",
		    (long long)m->emitted, (unsigned long long)count);
		return;
	}
	qsort(wanted, count, sizeof *wanted, ascending);
	host_expect_s32(h, "pair", m->pair, (const int32_t *)wanted, 2 * count);
}

void
mars_count_groups(struct host *h, struct mars *m)
{
	uint64_t bytes = 4 * (uint64_t)m->emitted;
	if (!m->emitted)
		return;
	m->group = host_device(h, "groups", bytes);
	host_launch(h, "mars_count_groups", SHAPE(m->emitted, 256),
	    ARGUMENTS(&m->pair, &m->group, &m->emitted));
	host_download(h, m->group, bytes);
}

void
mars_expect_groups(struct host *h, const struct mars *m, const uint64_t *sorted)
{
	uint64_t n = (uint64_t)m->emitted;
	int32_t *count = host_memory(h, n, sizeof *count);
	uint64_t first = 0;
	for (uint64_t k = 0; count && k < n; k++) {
		if (sorted[k] >> 32 != sorted[first] >> 32)
			first = k;
		count[first]++;
	}
	host_expect_s32(h, "count", m->group, count, n);
}
