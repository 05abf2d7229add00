/* What is counted of requests and records as they are served. */
#include <stdlib.h>
#include <string.h>
#include "hist.h"

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

uint64_t
hist_percentile(const struct hist *h, double share)
{
	uint64_t seen = 0, wanted = (uint64_t)(share * (double)h->n);
	wanted = (double)wanted < share * (double)h->n ? wanted + 1 : wanted;
	for (uint32_t i = 0; h->n && i <= bucket_of(h->max); i++) {
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
		c->unit = must_alloc(c->unit, cap * sizeof *c->unit);
		memset(c->unit + c->cap_unit, 0, (cap - c->cap_unit) * sizeof *c->unit);
		c->cap_unit = cap;
	}
	return &c->unit[number];
}

static void
count_row(struct run *r, uint32_t unit, const struct wcp_dram_served *s, uint64_t latency)
{
	const struct play *play = &r->play;
	struct row *row = row_of(&r->counts, unit);
	row->reads += !s->write;
	row->writes += s->write;
	row->row[s->row]++;
	row->latency += latency;
	row->latency_max = latency > row->latency_max ? latency : row->latency_max;
	row->alone += play->alone_ck[s->write][s->row] + (s->bursts - 1ull) * play->step_ck;
}

void
count_served(struct run *r, const struct pending *p, const struct wcp_dram_served *s)
{
	uint64_t latency = s->end - p->due;
	hist_add(&r->counts.latency[s->write], latency);
	if (r->set->by)
		count_row(r, p->unit, s, latency);
}

void
count_record(struct run *r, const struct pending *p)
{
	if (r->set->by)
		row_of(&r->counts, p->unit)->records++;
	hist_add(&r->counts.record_latency, p->end - p->due);
}

void
count_by(struct run *r, const struct pending *p, const struct wcp_dram_served *s)
{
	count_row(r, p->unit, s, s->end - p->due);
	row_of(&r->counts, p->unit)->records++;
}

/* Untouched buckets take no memory. */
void
hist_open(struct hist *h)
{
	h->bucket = calloc(HIST_BUCKETS, sizeof *h->bucket);
	if (!h->bucket)
		out_of_memory();
}

static void
hist_join(struct hist *to, const struct hist *from)
{
	if (!from->n)
		return;
	if (!to->bucket)
		hist_open(to);
	to->n += from->n;
	to->sum += from->sum;
	to->max = from->max > to->max ? from->max : to->max;
	for (uint32_t i = 0; i <= bucket_of(from->max); i++)
		to->bucket[i] += from->bucket[i];
}

void
count_end(struct counts *c)
{
	for (int write = 0; write < 2; write++) {
		struct hist *only = &c->only[write];
		hist_join(&c->latency[write], only);
		hist_join(&c->record_latency, only);
		free(only->bucket);
		*only = (struct hist){0};
	}
}

void
count_release(struct counts *c)
{
	for (int write = 0; write < 2; write++) {
		free(c->latency[write].bucket);
		free(c->only[write].bucket);
	}
	free(c->record_latency.bucket);
	free(c->unit);
}
