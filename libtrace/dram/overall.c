/* The cycles in which any channel has something: a union of the channels' busy intervals. */
#include <stdlib.h>
#include <string.h>
#include "dram/measure.h"

int
dram_union_init(struct dram_union *u, uint32_t channels)
{
	u->handed = calloc(channels, sizeof *u->handed);
	u->n_channel = channels;
	u->merge_at = 1 << 14;
	if (!u->handed)
		return -1;
	return pthread_mutex_init(&u->lock, NULL) ? -1 : 0;
}

void
dram_union_release(struct dram_union *u)
{
	if (u->handed)
		pthread_mutex_destroy(&u->lock);
	free(u->handed);
	free(u->spare.at);
	for (unsigned i = 0; i < DRAM_METERS; i++)
		free(u->later[i].at);
}

static bool
reserve(struct dram_intervals *l, size_t least)
{
	size_t room = l->room ? 2 * l->room : 64;
	room = room < least ? least : room;
	struct dram_interval *at = realloc(l->at, room * sizeof *at);
	if (!at)
		return false;
	l->at = at;
	l->room = room;
	return true;
}

static inline bool
append(struct dram_intervals *l, uint64_t from, uint64_t to)
{
	if (l->n == l->room && !reserve(l, l->n + 1))
		return false;
	l->at[l->n++] = (struct dram_interval){from, to};
	return true;
}

static int
by_from(const void *a, const void *b)
{
	const struct dram_interval *x = a, *y = b;
	return (x->from > y->from) - (x->from < y->from);
}

/* How many at the beginning are in order. */
static size_t
run_length(const struct dram_interval *at, size_t n)
{
	size_t i = 1;
	while (i < n && at[i - 1].from <= at[i].from)
		i++;
	return i < n ? i : n;
}

/* Two runs to one. */
static void
join(const struct dram_interval *a, size_t n, const struct dram_interval *b, size_t m,
    struct dram_interval *to)
{
	const struct dram_interval *a_end = a + n, *b_end = b + m;
	while (a < a_end && b < b_end) {
		bool second = b->from < a->from;
		*to++ = second ? *b : *a;
		b += second;
		a += !second;
	}
	memcpy(to, a, (size_t)(a_end - a) * sizeof *a);
	memcpy(to + (a_end - a), b, (size_t)(b_end - b) * sizeof *b);
}

/* What a channel hands in is in order, so that there are few runs, which are joined by pairs. */
static void
sort(struct dram_intervals *l, struct dram_intervals *spare)
{
	size_t n = l->n;
	if (spare->room < n && !reserve(spare, n)) {
		qsort(l->at, n, sizeof *l->at, by_from);
		return;
	}
	while (run_length(l->at, n) < n) {
		for (size_t i = 0, a, b; i < n; i += a + b) {
			a = run_length(l->at + i, n - i);
			b = run_length(l->at + i + a, n - i - a);
			join(l->at + i, a, l->at + i + a, b, spare->at + i);
		}
		struct dram_intervals sorted = {spare->at, n, spare->room};
		*spare = (struct dram_intervals){l->at, 0, l->room};
		*l = sorted;
	}
}

/* Counts what lies before until and keeps the rest. Nothing before u->done is left in l. */
static uint64_t
merge(struct dram_intervals *l, struct dram_intervals *spare, uint64_t until)
{
	uint64_t cycles = 0, reached = 0;
	size_t kept = 0;
	sort(l, spare);
	for (size_t i = 0; i < l->n; i++) {
		struct dram_interval v = l->at[i];
		uint64_t from = v.from > reached ? v.from : reached;
		uint64_t to = v.to < until ? v.to : until;
		if (from < to) {
			cycles += to - from;
			reached = to;
		}
		if (v.to <= until)
			continue;
		if (v.from < until)
			v.from = until;
		/* What the one before covers needs no second interval. */
		if (kept && l->at[kept - 1].to >= v.from) {
			if (l->at[kept - 1].to < v.to)
				l->at[kept - 1].to = v.to;
			continue;
		}
		l->at[kept++] = v;
	}
	l->n = kept;
	return cycles;
}

static void
merge_all(struct dram_union *u)
{
	uint64_t until = DRAM_NEVER;
	size_t most = 0;
	for (uint32_t i = 0; i < u->n_channel; i++)
		if (u->handed[i] < until)
			until = u->handed[i];
	for (unsigned i = 0; i < DRAM_METERS; i++) {
		u->cycles[i] += merge(&u->later[i], &u->spare, until);
		if (u->later[i].n > most)
			most = u->later[i].n;
	}
	u->done = until;
	/* Channels far apart in time are not sorted again and again. */
	u->merge_at = most > 1 << 13 ? 2 * most : 1 << 14;
}

/* Without memory the interval is lost to the overall means, not to the channel's. */
void
dram_measures_note(struct dram_channel *ch, enum dram_meter_name name, uint64_t to)
{
	const struct dram_meter *m = &ch->m.meter[name];
	struct dram_intervals *l = &ch->m.busy[name];
	if (name == M_QUEUED || m->since == to)
		return;
	append(l, m->since, to);
	if (l->n >= DRAM_HAND_INTERVALS)
		ch->m.hand_at = 0;
}

/* Meters' open intervals are handed in up to now and go on from there. */
static void
hand_in_meter(struct dram_channel *ch, enum dram_meter_name name)
{
	struct dram_intervals *l = &ch->m.busy[name];
	struct dram_meter *m = &ch->m.meter[name];
	struct dram_union *u = ch->d->all;
	for (size_t i = 0; i < l->n; i++)
		append(&u->later[name], l->at[i].from, l->at[i].to);
	l->n = 0;
	if (!m->value || m->since == ch->now)
		return;
	append(&u->later[name], m->since, ch->now);
	m->cycles += ch->now - m->since;
	m->since = ch->now;
}

void
dram_measures_hand_in(struct dram_channel *ch)
{
	struct dram_union *u = ch->d->all;
	ch->m.hand_at = DRAM_NEVER;
	if (!u)
		return;
	ch->m.hand_at = ch->now + DRAM_HAND_CYCLES;
	dram_retire(ch, ch->now);
	pthread_mutex_lock(&u->lock);
	hand_in_meter(ch, M_ASSIGNED);
	hand_in_meter(ch, M_SERVICE);
	hand_in_meter(ch, M_REQUESTS);
	u->handed[ch->number] = ch->now;
	if (u->later[M_REQUESTS].n >= u->merge_at || u->later[M_SERVICE].n >= u->merge_at ||
	    u->later[M_ASSIGNED].n >= u->merge_at)
		merge_all(u);
	pthread_mutex_unlock(&u->lock);
}

static void
add(struct wcp_dram_mean *to, const struct wcp_dram_mean *from)
{
	to->sum += from->sum;
	to->cycles += from->cycles;
	to->max = from->max > to->max ? from->max : to->max;
}

void
wcp_dram_overall(const struct wcp_dram *d, struct wcp_dram_overall *o)
{
	struct dram_union *u = d->all;
	*o = (struct wcp_dram_overall){{0}};
	for (uint32_t i = 0; i < d->n_channel; i++) {
		const struct wcp_dram_counts *c = wcp_dram_counts(d, i);
		add(&o->queued, &c->queued);
		add(&o->assigned, &c->assigned);
		add(&o->service, &c->service);
		add(&o->requests, &c->requests);
		if (u)
			dram_measures_hand_in(&d->channel[i]);
	}
	if (!u)
		return;
	merge_all(u);
	o->queued.cycles = o->requests.cycles = u->cycles[M_REQUESTS];
	o->assigned.cycles = u->cycles[M_ASSIGNED];
	o->service.cycles = u->cycles[M_SERVICE];
}
