/* Measures as events change them. Each meter is told its changes in order of time. */
#ifndef DRAM_MEASURE_H
#define DRAM_MEASURE_H

#include "dram/queue.h"

static inline void
dram_meter_up(struct dram_channel *ch, enum dram_meter_name name, uint64_t t)
{
	struct dram_meter *m = &ch->m.meter[name];
	m->sum -= t;
	if (!m->value++)
		m->since = t;
	if (m->value > m->max)
		m->max = m->value;
}

static inline void
dram_meter_down(struct dram_channel *ch, enum dram_meter_name name, uint64_t t)
{
	struct dram_meter *m = &ch->m.meter[name];
	m->sum += t;
	if (--m->value)
		return;
	m->cycles += t - m->since;
	if (ch->d->all)
		dram_measures_note(ch, name, t);
}

/* Ends of service up to t: before anything else changes at t. */
static inline void
dram_retire(struct dram_channel *ch, uint64_t t)
{
	if (ch->retire_at <= t)
		dram_retire_until(ch, t);
}

static inline void
dram_bank_queued(struct dram_channel *ch, struct dram_bank *b, uint64_t t)
{
	if (!b->queued++)
		dram_meter_up(ch, M_QUEUED, t);
}

/* The request's first command. */
static inline void
dram_bank_service(struct dram_channel *ch, struct dram_bank *b, uint64_t t)
{
	if (b->service++)
		return;
	b->busy_since = t;
	dram_meter_up(ch, M_SERVICE, t);
}

/* What a cycle from t on is if it is without a beat. */
static inline void
dram_measures_look(struct dram_channel *ch, uint64_t t)
{
	bool comes = ch->open_wanted || ch->retire_at != DRAM_NEVER;
	enum dram_class c = comes ? C_COLUMN : dram_queued(ch) ? C_ROW : C_IDLE;
	if (c != ch->m.class)
		dram_measures_class(ch, c, t);
}

/* Bus cycles from start on carry a burst; t is now, for what lies behind it. */
static inline void
dram_measures_burst(struct dram_measures *m, uint64_t t, uint64_t start, uint64_t end)
{
	while (m->burst_head != m->burst_tail) {
		const struct dram_interval *i = &m->burst[m->burst_head & m->burst_mask];
		if (i->to > t)
			break;
		m->beats_before += i->to - i->from;
		m->burst_head++;
	}
	struct dram_interval *last = &m->burst[(m->burst_tail - 1) & m->burst_mask];
	if (m->burst_head != m->burst_tail && last->to == start)
		last->to = end;
	else
		m->burst[m->burst_tail++ & m->burst_mask] = (struct dram_interval){start, end};
}

#endif
