/*
 * Accesses that nobody watches one by one. What one port does is no other's business, save that
 * nothing arrives TIMED_SKEW cycles before the port furthest ahead. As long as none can get so far,
 * the accesses of a stretch are taken port by port, so that a cache's state stays where the
 * processor has it at hand; else in the stream's order.
 */
#include <stdlib.h>
#include <string.h>
#include "timed.h"

enum { LONGEST = 8192, SHORTEST = 64, WORTH_SHARING = 2048 };

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

/* ---- a stretch ------------------------------------------------------------------------------ */

void
stretch_release(struct stretch *s)
{
	void *own[] = {
	    s->due, s->line, s->cycle, s->sectors, s->sort, s->result, s->turns, s->next, s->some};
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		free(own[i]);
}

static void
reserve(struct stretch *s, uint32_t ports)
{
	if (!s->cap) {
		s->cap = LONGEST;
		s->due = must_alloc(NULL, s->cap * sizeof *s->due);
		s->line = must_alloc(NULL, s->cap * sizeof *s->line);
		s->cycle = must_alloc(NULL, s->cap * sizeof *s->cycle);
		s->sectors = must_alloc(NULL, s->cap * sizeof *s->sectors);
		s->sort = must_alloc(NULL, s->cap);
		s->result = must_alloc(NULL, s->cap);
		s->some = must_alloc(NULL, s->cap * sizeof *s->some);
	}
	if (ports > s->cap_ports) {
		s->turns = must_alloc(s->turns, ports * sizeof *s->turns);
		s->next = must_alloc(s->next, ports * sizeof *s->next);
		memset(s->turns, 0, ports * sizeof *s->turns);
		s->cap_ports = ports;
	}
}

/* Counts the accesses of each port; how many ports have some. */
static uint32_t
count_turns(struct stretch *s, const uint16_t *copy, uint32_t n)
{
	uint32_t ports = 0, *turns = s->turns;
	for (uint32_t k = 0; k < n; k++)
		if (!turns[copy[k]]++)
			s->some[ports++] = copy[k];
	return ports;
}

static void
start_ports(struct stretch *s, uint32_t ports)
{
	uint32_t at = 0;
	for (uint32_t i = 0; i < ports; i++) {
		s->next[s->some[i]] = at;
		at += s->turns[s->some[i]];
	}
}

/* Puts each port's accesses together. */
static void
sort_out(const struct timed *d, struct stretch *s, uint32_t from, uint32_t n)
{
	const struct pick *w = &d->pick;
	const uint16_t *copy = w->copy + from, *flags = w->flags + from;
	const uint8_t *kind = w->kind + from, *space = w->space + from;
	const uint64_t *due = d->work.due + from, *line = w->place + from;
	uint64_t *due_to = s->due, *line_to = s->line;
	uint32_t *next = s->next;
	uint8_t *sort_to = s->sort;
	for (uint32_t k = 0; k < n; k++) {
		uint32_t to = next[copy[k]]++;
		due_to[to] = due[k];
		line_to[to] = line[k];
		sort_to[to] = wcp_nbplay_sort(kind[k], space[k], flags[k]);
		if (w->sectors)
			s->sectors[to] = w->sectors[from + k];
	}
}

/* Puts what became of them back into the stream's order, and tells the time of it. */
static void
put_back(struct timed *d, struct stretch *s, uint32_t from, uint32_t n)
{
	const uint16_t *copy = d->pick.copy + from;
	const uint64_t *due = d->work.due + from, *cycle = s->cycle;
	uint8_t *result = d->work.result + from;
	const uint8_t *from_result = s->result;
	uint32_t *next = s->next;
	uint64_t furthest = d->furthest, delay = 0;
	for (uint32_t k = 0; k < n; k++) {
		uint32_t at = next[copy[k]]++;
		uint64_t least = furthest > TIMED_SKEW ? furthest - TIMED_SKEW : 0;
		result[k] = from_result[at];
		delay += cycle[at] - later(due[k], least);
		furthest = later(furthest, cycle[at] + 1);
	}
	d->furthest = furthest;
	d->least = furthest > TIMED_SKEW ? furthest - TIMED_SKEW : 0;
	d->counts.delay_cycles += delay;
}

/* Is it sure that while the ports take their turns none gets so far ahead of another that it makes
 * the other's accesses late? */
static bool
are_together(const struct timed *d, uint32_t ports, uint32_t from, uint32_t n)
{
	uint64_t first = d->work.due[from], last = d->work.due[from + n - 1];
	uint64_t low = NEVER, high = d->furthest;
	for (uint32_t i = 0; i < ports; i++) {
		const struct wcp_nbplay *p = d->port[d->stretch.some[i]].play;
		uint64_t now = wcp_nbplay_now(p), end;
		uint64_t longest = wcp_nbplay_longest(p, d->stretch.turns[d->stretch.some[i]]);
		low = later(now, first) < low ? later(now, first) : low;
		if (__builtin_add_overflow(longest, later(now, last), &end))
			return false;
		high = ports > 1 ? later(high, end) : high;
	}
	return high <= low || high - low <= TIMED_SKEW;
}

/* Some of a stretch's ports, whose accesses begin at at. */
struct share {
	struct timed *d;
	uint32_t first, end, at;
	int status;
};

static void
play_share(void *arg)
{
	struct share *share = arg;
	struct timed *d = share->d;
	struct stretch *s = &d->stretch;
	uint32_t at = share->at;
	for (uint32_t i = share->first; i < share->end && !share->status; i++) {
		struct wcp_nbplay_batch b = {.n = s->turns[s->some[i]],
		    .due = s->due + at,
		    .line = s->line + at,
		    .sectors = d->pick.sectors ? s->sectors + at : NULL,
		    .sort = s->sort + at,
		    .route = (enum wcp_nb_route)d->route,
		    .cycle = s->cycle + at,
		    .result = s->result + at};
		share->status = wcp_nbplay_run(d->port[s->some[i]].play, &b);
		at += b.n;
	}
}

/* Ports share nothing: with a second thread, it takes those of the second half of the accesses. */
static int
play_ports(struct timed *d, uint32_t ports, uint32_t n)
{
	const struct stretch *s = &d->stretch;
	struct share own = {.d = d, .end = ports}, other = {.d = d};
	if (!d->second || ports < 2 || n < WORTH_SHARING) {
		play_share(&own);
		return own.status;
	}
	for (own.end = 0; other.at < n / 2; own.end++)
		other.at += s->turns[s->some[own.end]];
	other.first = own.end;
	other.end = ports;
	second_thread_start(d->second, play_share, &other);
	play_share(&own);
	second_thread_wait(d->second);
	return own.status ? own.status : other.status;
}

static int
by_port(struct timed *d, uint32_t ports, uint32_t from, uint32_t n)
{
	struct stretch *s = &d->stretch;
	start_ports(s, ports);
	sort_out(d, s, from, n);
	int status = play_ports(d, ports, n);
	start_ports(s, ports);
	if (!status)
		put_back(d, s, from, n);
	return status;
}

static int
in_order(struct timed *d, uint32_t from, uint32_t n)
{
	const struct pick *w = &d->pick;
	int status = 0;
	for (uint32_t k = from; k < from + n && !status; k++) {
		uint64_t due = later(d->work.due[k], d->least), cycle;
		uint8_t sort = wcp_nbplay_sort(w->kind[k], w->space[k], w->flags[k]);
		struct wcp_nbplay_batch b = {.n = 1,
		    .due = &due,
		    .line = &w->place[k],
		    .sectors = w->sectors ? &w->sectors[k] : NULL,
		    .sort = &sort,
		    .route = (enum wcp_nb_route)d->route,
		    .cycle = &cycle,
		    .result = &d->work.result[k]};
		status = wcp_nbplay_run(d->port[w->copy[k]].play, &b);
		d->counts.delay_cycles += cycle - due;
		d->furthest = later(d->furthest, cycle + 1);
		d->least = d->furthest > TIMED_SKEW ? d->furthest - TIMED_SKEW : 0;
	}
	return status;
}

/* ---- all ------------------------------------------------------------------------------------ */

int
play_all(struct timed *d, struct wcp_error *e)
{
	struct stretch *s = &d->stretch;
	uint32_t from = 0, stretch = LONGEST, left;
	int status = 0;
	reserve(s, d->ports);
	while (!status && (left = d->pick.n - from) > 0) {
		uint32_t n = left < stretch ? left : stretch;
		uint32_t ports = count_turns(s, d->pick.copy + from, n);
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
			s->turns[s->some[i]] = 0;
	}
	if (!status)
		return 0;
	return wcp_fail(e, (enum wcp_status)status,
	    status == WCP_EDATA ? "an access waits for ever" : "out of memory");
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
