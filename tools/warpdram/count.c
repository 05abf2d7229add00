/* What is counted of requests and records as they are served. */
#include <stdlib.h>
#include <string.h>
#include "warpdram.h"

/* Exact below HIST_EXACT; above, buckets of a HIST_EXACT / 2th of a power of two. */
static inline uint32_t
bucket_of(uint64_t value)
{
	if (value < HIST_EXACT)
		return (uint32_t)value;
	unsigned shift = 63u - (unsigned)__builtin_clzll(value) - 13;
	return HIST_EXACT + (shift - 1) * (HIST_EXACT / 2) +
	       (uint32_t)((value >> shift) - HIST_EXACT / 2);
}

/* The largest value of a bucket. */
static uint64_t
bucket_top(uint32_t bucket)
{
	if (bucket < HIST_EXACT)
		return bucket;
	uint32_t k = bucket - HIST_EXACT, shift = k / (HIST_EXACT / 2) + 1;
	uint64_t top = HIST_EXACT / 2 + k % (HIST_EXACT / 2) + 1;
	return (top << shift) - 1;
}

static void
hist_open(struct hist *h)
{
	h->bucket = must_have(NULL, HIST_BUCKETS * sizeof *h->bucket);
	memset(h->bucket, 0, HIST_BUCKETS * sizeof *h->bucket);
}

static inline void
hist_add(struct hist *h, uint64_t value)
{
	if (!h->bucket)
		hist_open(h);
	h->n++;
	h->sum += value;
	h->max = value > h->max ? value : h->max;
	h->bucket[bucket_of(value)]++;
}

uint64_t
hist_percentile(const struct hist *h, double share)
{
	uint64_t seen = 0, wanted = (uint64_t)(share * (double)h->n);
	wanted = (double)wanted < share * (double)h->n ? wanted + 1 : wanted;
	for (uint32_t i = 0; h->n && i < HIST_BUCKETS; i++) {
		seen += h->bucket[i];
		if (seen >= wanted && seen)
			return bucket_top(i) < h->max ? bucket_top(i) : h->max;
	}
	return 0;
}

static struct row *
row_of(struct counts *c, uint32_t number)
{
	if (number >= c->cap_unit) {
		uint32_t cap = number < 512 ? 1024 : number * 2;
		c->unit = must_have(c->unit, cap * sizeof *c->unit);
		memset(c->unit + c->cap_unit, 0, (cap - c->cap_unit) * sizeof *c->unit);
		c->cap_unit = cap;
	}
	return &c->unit[number];
}

static inline void
count_row(struct row *row, const struct wcp_dram_served *s, uint64_t latency, uint64_t alone)
{
	row->reads += !s->write;
	row->writes += s->write;
	row->row[s->row]++;
	row->latency += latency;
	row->latency_max = latency > row->latency_max ? latency : row->latency_max;
	row->alone += alone;
}

void
count_served(struct run *r, const struct pending *p, const struct wcp_dram_served *s)
{
	struct counts *c = &r->counts;
	const struct play *play = &r->play;
	uint64_t latency = s->end - p->due;
	uint64_t alone = play->alone_ck[s->write][s->row] + (s->bursts - 1ull) * play->step_ck;
	hist_add(&c->latency[s->write], latency);
	c->bytes[s->write] += (uint64_t)s->bursts * play->atom_bytes;
	count_row(&c->all, s, latency, alone);
	if (r->set->by)
		count_row(row_of(c, p->record->unit), s, latency, alone);
}

void
count_record(struct run *r, const struct pending *p)
{
	struct counts *c = &r->counts;
	c->all.records++;
	if (r->set->by)
		row_of(c, p->record->unit)->records++;
	hist_add(&c->record_latency, p->end > p->due ? p->end - p->due : 0);
}

void
count_release(struct counts *c)
{
	free(c->latency[0].bucket);
	free(c->latency[1].bucket);
	free(c->record_latency.bucket);
	free(c->unit);
}
