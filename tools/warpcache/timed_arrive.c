/* When accesses arrive: at their cycle, or one a cycle an SM. */
#include <string.h>
#include "timed.h"

static void
make_turns(struct timed *d, uint16_t sm)
{
	uint32_t n = sm + 64u;
	d->turn = must_alloc(d->turn, n * sizeof *d->turn);
	memset(d->turn + d->n_turn, 0, (n - d->n_turn) * sizeof *d->turn);
	d->n_turn = n;
}

/* Without time an access comes when its SM's turn has come, one a cycle, but not before the
 * ones that stand before it. */
static uint64_t
take_turn(struct timed *d, uint16_t sm)
{
	if (sm >= d->n_turn)
		make_turns(d, sm);
	uint64_t t = d->turn[sm] > d->arrived ? d->turn[sm] : d->arrived;
	d->turn[sm] = t + 1;
	return t;
}

/* A record of a stream without time has its number for a cycle; those that a level made itself tell
 * nothing. */
static void
look_for_time(struct timed *d, const struct wcp_access_batch *b, uint32_t at)
{
	if (!(b->id[at] >> 63) && b->id[at] != b->cycle[at])
		d->has_time = true;
}

static inline uint64_t
arrival(struct timed *d, const struct wcp_access_batch *b, uint32_t at)
{
	if (!d->has_time)
		look_for_time(d, b, at);
	uint64_t t = d->has_time ? b->cycle[at] : take_turn(d, b->sm[at]);
	if (t < d->arrived) {
		d->counts.early++;
		t = d->arrived;
	}
	d->arrived = t;
	return t;
}

/* All those of a stream with time. */
static void
arrive_timed(struct timed *d, const struct wcp_access_batch *b)
{
	uint64_t arrived = d->arrived, early = 0, *due = d->work.due;
	const uint64_t *cycle = b->cycle;
	const uint32_t *at = d->pick.at;
	for (uint32_t k = 0; k < d->pick.n; k++) {
		uint64_t t = cycle[at[k]];
		early += t < arrived;
		arrived = t < arrived ? arrived : t;
		due[k] = arrived;
	}
	d->arrived = arrived;
	d->counts.early += early;
}

/* Does any of them tell of time? */
static bool
tells_time(const struct timed *d, const struct wcp_access_batch *b)
{
	uint64_t tells = 0;
	const uint64_t *id = b->id, *cycle = b->cycle;
	const uint32_t *at = d->pick.at;
	for (uint32_t k = 0; k < d->pick.n; k++)
		tells |= ~id[at[k]] & -(uint64_t)(id[at[k]] != cycle[at[k]]);
	return tells >> 63;
}

/* All those of a batch that tells nothing of time. */
static void
arrive_in_turn(struct timed *d, const struct wcp_access_batch *b)
{
	uint64_t arrived = d->arrived, *turn = d->turn, *due = d->work.due;
	const uint16_t *sm_of = b->sm;
	const uint32_t *at = d->pick.at;
	for (uint32_t k = 0; k < d->pick.n; k++) {
		uint16_t sm = sm_of[at[k]];
		if (sm >= d->n_turn) {
			make_turns(d, sm);
			turn = d->turn;
		}
		arrived = turn[sm] > arrived ? turn[sm] : arrived;
		turn[sm] = arrived + 1;
		due[k] = arrived;
	}
	d->arrived = arrived;
}

void
arrive(struct timed *d, const struct wcp_access_batch *b)
{
	const struct pick *p = &d->pick;
	uint32_t other = 0, others = d->pass_all ? p->n_other : 0;
	if (!others && d->has_time) {
		arrive_timed(d, b);
		return;
	}
	if (!others && !tells_time(d, b)) {
		arrive_in_turn(d, b);
		return;
	}
	for (uint32_t k = 0; k < p->n; k++) {
		for (; other < others && p->other[other] < p->at[k]; other++)
			d->work.other_due[other] = arrival(d, b, p->other[other]);
		d->work.due[k] = arrival(d, b, p->at[k]);
	}
	for (; other < others; other++)
		d->work.other_due[other] = arrival(d, b, p->other[other]);
}

uint64_t
horizon(const struct timed *d)
{
	return d->arrived > d->least ? d->arrived : d->least;
}
