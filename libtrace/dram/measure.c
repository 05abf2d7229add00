#include <stdlib.h>
#include <string.h>
#include "dram/measure.h"
#include "dram/queue.h"

int
dram_measures_init(struct dram_measures *m, const struct dram_gaps *g)
{
	/* Bursts under way neither overlap nor start later than the longer of the latencies. */
	uint32_t latency = g->data[0] > g->data[1] ? g->data[0] : g->data[1], n = 8;
	while (n < latency / g->burst + 4)
		n *= 2;
	m->burst = calloc(n, sizeof *m->burst);
	m->burst_mask = n - 1;
	m->class = C_IDLE;
	m->hand_at = DRAM_HAND_CYCLES;
	return m->burst ? 0 : -1;
}

void
dram_measures_release(struct dram_measures *m)
{
	free(m->burst);
	for (unsigned i = 0; i < DRAM_METERS; i++)
		free(m->busy[i].at);
}

/* Bus cycles before t, which is not before the last command, or the end of the last burst. */
static uint64_t
beats_before(const struct dram_measures *m, uint64_t t)
{
	uint64_t n = m->beats_before;
	for (uint32_t i = m->burst_head; i != m->burst_tail; i++) {
		const struct dram_interval *b = &m->burst[i & m->burst_mask];
		if (b->from >= t)
			break;
		n += (b->to < t ? b->to : t) - b->from;
	}
	return n;
}

void
dram_measures_class(struct dram_channel *ch, enum dram_class class, uint64_t t)
{
	struct dram_measures *m = &ch->m;
	uint64_t beats = beats_before(m, t);
	m->cycles[m->class] += t - m->class_since - (beats - m->beats_counted);
	m->beats_counted = beats;
	m->class_since = t;
	m->class = class;
}

void
dram_retire_until(struct dram_channel *ch, uint64_t t)
{
	while (ch->retire_at <= t) {
		const struct dram_done *d = &ch->done[ch->retired++ & ch->done_mask];
		uint64_t end = d->s.end;
		struct dram_bank *b = &ch->bank[d->bank];
		ch->retire_at = ch->retired == ch->tail
				    ? DRAM_NEVER
				    : ch->done[ch->retired & ch->done_mask].s.end;
		dram_meter_down(ch, M_REQUESTS, end);
		if (!--b->service) {
			ch->bank_counts[d->bank].busy_cycles += end - b->busy_since;
			dram_meter_down(ch, M_SERVICE, end);
		}
		if (!--b->queued)
			dram_meter_down(ch, M_QUEUED, end);
		if (ch->retired == ch->tail)
			dram_measures_look(ch, end);
	}
}

static struct wcp_dram_mean
mean_of(const struct dram_meter *m, uint64_t now)
{
	return (struct wcp_dram_mean){
	    m->sum + m->value * now, m->cycles + (m->value ? now - m->since : 0), m->max};
}

const struct wcp_dram_counts *
wcp_dram_counts(const struct wcp_dram *d, uint32_t channel)
{
	struct dram_channel *ch = &d->channel[channel];
	struct dram_measures *m = &ch->m;
	struct wcp_dram_counts *c = &m->counts;
	dram_retire(ch, ch->now);
	dram_measures_class(ch, m->class, ch->now);
	c->read_bursts = c->command[WCP_CMD_RD] + c->command[WCP_CMD_RDA];
	c->write_bursts = c->command[WCP_CMD_WR] + c->command[WCP_CMD_WRA];
	c->cycles_transferring = m->beats_counted;
	c->cycles_waiting_column = m->cycles[C_COLUMN];
	c->cycles_waiting_row = m->cycles[C_ROW];
	c->cycles_idle = m->cycles[C_IDLE];
	c->queued = mean_of(&m->meter[M_QUEUED], ch->now);
	c->assigned = mean_of(&m->meter[M_ASSIGNED], ch->now);
	c->service = mean_of(&m->meter[M_SERVICE], ch->now);
	c->requests = mean_of(&m->meter[M_REQUESTS], ch->now);
	return c;
}

const struct wcp_dram_bank_counts *
wcp_dram_bank_counts(const struct wcp_dram *d, uint32_t channel)
{
	struct dram_channel *ch = &d->channel[channel];
	dram_retire(ch, ch->now);
	for (uint32_t b = 0; b < ch->n_bank; b++) {
		struct dram_bank *bank = &ch->bank[b];
		if (!bank->service)
			continue;
		ch->bank_counts[b].busy_cycles += ch->now - bank->busy_since;
		bank->busy_since = ch->now;
	}
	return ch->bank_counts;
}
