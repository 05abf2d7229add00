/*
 * Accesses that nobody watches one by one. What one port does is no other's business, save that
 * nothing arrives TIMED_SKEW cycles before the port furthest ahead. As long as none can get so far,
 * the accesses of a stretch are taken port by port, so that a cache's state stays where the
 * processor has it at hand; else in the stream's order.
 */
#include <stdlib.h>
#include "timed.h"

enum { LONGEST = 4096, SHORTEST = 64 };

bool
play_can(const struct settings *s)
{
	return !s->passes && !s->series && !s->ages && !s->vta_entries && !s->counts_passed;
}

static uint64_t
later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Counts the accesses of each port; how many ports have some. */
static uint32_t
count_turns(struct timed *d, uint32_t from, uint32_t n)
{
	uint32_t ports = 0;
	for (uint32_t k = from; k < from + n; k++) {
		struct port *p = &d->port[d->pick.copy[k]];
		if (!p->turns++)
			d->work.turn[ports++] = d->pick.copy[k];
	}
	return ports;
}

/* Is it sure that while the ports take their turns none gets so far ahead of another that it makes
 * the other's accesses late? */
static bool
are_together(const struct timed *d, uint32_t ports, uint32_t from, uint32_t n)
{
	uint64_t first = d->work.due[from], last = d->work.due[from + n - 1];
	uint64_t low = NEVER, high = d->furthest;
	for (uint32_t i = 0; i < ports; i++) {
		const struct port *p = &d->port[d->work.turn[i]];
		uint64_t now = wcp_nbplay_now(p->play), end;
		uint64_t wait = wcp_nbplay_longest_wait(p->play, p->turns);
		low = later(now, first) < low ? later(now, first) : low;
		if (wait == NEVER || __builtin_mul_overflow(wait + 1, p->turns, &end) ||
		    __builtin_add_overflow(end, later(now, last), &end))
			return false;
		high = ports > 1 ? later(high, end) : high;
	}
	return high <= low || high - low <= TIMED_SKEW;
}

static struct wcp_nbplay_batch
batch_of(const struct timed *d)
{
	const struct pick *w = &d->pick;
	return (struct wcp_nbplay_batch){.due = d->work.due,
	    .line = w->place,
	    .sectors = w->sectors,
	    .kind = w->kind,
	    .space = w->space,
	    .flags = w->flags,
	    .route = (enum wcp_nb_route)d->route,
	    .cycle = d->work.cycle,
	    .result = d->work.result};
}

/* What time is told of accesses that were accepted, in the stream's order. */
static void
keep_times(struct timed *d, uint32_t from, uint32_t n)
{
	uint64_t furthest = d->furthest, delay = 0;
	for (uint32_t k = from; k < from + n; k++) {
		uint64_t least = furthest > TIMED_SKEW ? furthest - TIMED_SKEW : 0;
		delay += d->work.cycle[k] - later(d->work.due[k], least);
		furthest = later(furthest, d->work.cycle[k] + 1);
	}
	d->furthest = furthest;
	d->least = furthest > TIMED_SKEW ? furthest - TIMED_SKEW : 0;
	d->counts.delay_cycles += delay;
}

static int
by_port(struct timed *d, uint32_t ports, uint32_t from, uint32_t n)
{
	struct wcp_nbplay_batch b = batch_of(d);
	uint32_t end = 0;
	int status = 0;
	for (uint32_t i = 0; i < ports; i++) {
		struct port *p = &d->port[d->work.turn[i]];
		p->placed = end;
		end += p->turns;
	}
	for (uint32_t k = from; k < from + n; k++)
		d->work.order[d->port[d->pick.copy[k]].placed++] = k;
	for (uint32_t i = 0; i < ports && !status; i++) {
		const struct port *p = &d->port[d->work.turn[i]];
		b.n = p->turns;
		b.at = d->work.order + p->placed - p->turns;
		status = wcp_nbplay_run(p->play, &b);
	}
	keep_times(d, from, n);
	return status;
}

static int
in_order(struct timed *d, uint32_t from, uint32_t n)
{
	struct wcp_nbplay_batch b = batch_of(d);
	int status = 0;
	b.n = 1;
	for (uint32_t k = from; k < from + n && !status; k++) {
		d->work.due[k] = later(d->work.due[k], d->least);
		b.at = &k;
		status = wcp_nbplay_run(d->port[d->pick.copy[k]].play, &b);
		keep_times(d, k, 1);
	}
	return status;
}

int
play_all(struct timed *d, struct wcp_error *e)
{
	uint32_t from = 0, stretch = LONGEST, left;
	int status = 0;
	while (!status && (left = d->pick.n - from) > 0) {
		uint32_t n = left < stretch ? left : stretch;
		uint32_t ports = count_turns(d, from, n);
		bool together = are_together(d, ports, from, n);
		if (together)
			status = by_port(d, ports, from, n);
		else if (stretch <= SHORTEST)
			status = in_order(d, from, n);
		if (together || stretch <= SHORTEST)
			from += n;
		else
			stretch /= 2;
		for (uint32_t i = 0; i < ports; i++)
			d->port[d->work.turn[i]].turns = 0;
	}
	return status ? wcp_fail(e, WCP_ESYS, "an access waits for ever") : 0;
}

void
play_finish(struct timed *d)
{
	struct timed_counts *c = &d->counts;
	for (uint32_t i = 0; i < d->ports; i++) {
		if (!d->port[i].play)
			continue;
		const struct wcp_nbplay_counts *n = wcp_nbplay_counts(d->port[i].play);
		c->refused_cycles += n->refused_cycles;
		c->latency_cycles += n->latency_cycles;
		c->answered += n->answered;
		c->mshr_cycles += n->mshr_cycles;
		d->level.tally.all.writebacks += n->fill_write_backs;
		d->last = later(d->last, wcp_nbplay_last(d->port[i].play));
	}
}
