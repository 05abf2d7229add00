/* Measures. A cycle's state is that after its commands. */
#include <stdlib.h>
#include <string.h>
#include "naive_state.h"

void
naive_count_command(struct naive *n, const struct wcp_dram_command *c)
{
	struct wcp_dram_bank_counts *b = &n->out.bank[c->rank * n->c.organisation.banks + c->bank];
	n->out.counts.command[c->kind]++;
	b->activates += c->kind == WCP_CMD_ACT;
	if (c->kind == WCP_CMD_RD || c->kind == WCP_CMD_RDA)
		n->out.counts.read_bursts++, b->columns++;
	if (c->kind == WCP_CMD_WR || c->kind == WCP_CMD_WRA)
		n->out.counts.write_bursts++, b->columns++;
}

void
naive_count_served(struct naive *n, const struct naive_request *q)
{
	n->out.counts.reads += !q->r.write;
	n->out.counts.writes += q->r.write;
	if (n->out.served_count == n->served_room) {
		n->served_room = n->served_room * 2 + 64;
		n->out.served = realloc(n->out.served, n->served_room * sizeof *n->out.served);
	}
	/* in order of end, equal ones in order of their last column command */
	size_t at = n->out.served_count++;
	for (; at && n->out.served[at - 1].end > q->s.end; at--)
		n->out.served[at] = n->out.served[at - 1];
	n->out.served[at] = q->s;
}

static bool
transferring(const struct naive *n)
{
	const struct wcp_dram_timing *c = &n->c.timing;
	int64_t longest = (c->t_cl > c->t_cwl ? c->t_cl : c->t_cwl) + n->burst;
	for (size_t i = n->out.commands;
	     i-- && (int64_t)n->out.command[i].cycle + longest >= n->t;) {
		const struct wcp_dram_command *k = &n->out.command[i];
		int64_t beat = (int64_t)k->cycle;
		if (k->kind == WCP_CMD_RD || k->kind == WCP_CMD_RDA)
			beat += c->t_cl;
		else if (k->kind == WCP_CMD_WR || k->kind == WCP_CMD_WRA)
			beat += c->t_cwl;
		else
			continue;
		if (n->t >= beat && n->t < beat + n->burst)
			return true;
	}
	return false;
}

static void
classify(struct naive *n)
{
	bool column = n->flights;
	for (size_t i = 0; i < n->queued; i++)
		column |= naive_hit(n, &n->queue[i]);
	if (transferring(n))
		n->out.counts.cycles_transferring++;
	else if (column)
		n->out.counts.cycles_waiting_column++;
	else if (n->queued)
		n->out.counts.cycles_waiting_row++;
	else
		n->out.counts.cycles_idle++;
}

static void
mean(struct wcp_dram_mean *m, uint32_t x)
{
	m->sum += x;
	m->cycles += x > 0;
	if (x > m->max)
		m->max = x;
}

static uint32_t
trues(const bool *b, uint32_t n)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < n; i++)
		count += b[i];
	return count;
}

static struct naive_sample
sample(struct naive *n)
{
	bool *queued = n->seen, *assigned = n->seen + n->banks, *service = n->seen + 2 * n->banks;
	memset(n->seen, 0, 3 * n->banks);
	for (size_t i = 0; i < n->queued + n->flights; i++) {
		bool flies = i >= n->queued;
		const struct naive_request *q = flies ? &n->flying[i - n->queued] : &n->queue[i];
		ptrdiff_t b = naive_bank_of(n, &q->r.place) - n->bank;
		queued[b] = true;
		assigned[b] |= q->started && !flies;
		service[b] |= q->started;
	}
	for (uint32_t b = 0; b < n->banks; b++)
		n->out.bank[b].busy_cycles += service[b];
	return (struct naive_sample){trues(queued, n->banks), trues(assigned, n->banks),
	    trues(service, n->banks), (uint32_t)(n->queued + n->flights)};
}

void
naive_count_cycle(struct naive *n)
{
	struct naive_sample s = sample(n);
	classify(n);
	mean(&n->out.counts.queued, s.queued);
	mean(&n->out.counts.assigned, s.assigned);
	mean(&n->out.counts.service, s.service);
	mean(&n->out.counts.requests, s.requests);
	naive_order_sample(n);
	if ((size_t)n->t >= n->sample_room) {
		n->sample_room = n->sample_room * 2 + 1024;
		n->out.sample = realloc(n->out.sample, n->sample_room * sizeof *n->out.sample);
	}
	n->out.sample[n->t] = s;
}

const struct naive_result *
naive_result(struct naive *n)
{
	return &n->out;
}

static void
add(struct wcp_dram_mean *all, struct naive *const *channel, uint32_t n, size_t state, size_t own)
{
	for (int64_t t = 0; t < channel[0]->t; t++) {
		uint32_t any = 0;
		for (uint32_t i = 0; i < n; i++)
			any += *(const uint32_t *)(const void
				*)((const char *)&channel[i]->out.sample[t] + state);
		all->sum += any;
		all->cycles += any > 0;
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct wcp_dram_mean *m =
		    (const void *)((const char *)&channel[i]->out.counts + own);
		all->max = m->max > all->max ? m->max : all->max;
	}
}

struct wcp_dram_overall
naive_overall(struct naive *const *channel, uint32_t n)
{
	struct wcp_dram_overall o = {0};
	add(&o.queued, channel, n, offsetof(struct naive_sample, queued),
	    offsetof(struct wcp_dram_counts, queued));
	add(&o.assigned, channel, n, offsetof(struct naive_sample, assigned),
	    offsetof(struct wcp_dram_counts, assigned));
	add(&o.service, channel, n, offsetof(struct naive_sample, service),
	    offsetof(struct wcp_dram_counts, service));
	add(&o.requests, channel, n, offsetof(struct naive_sample, requests),
	    offsetof(struct wcp_dram_counts, requests));
	return o;
}
