#include "gpu/net.h"

#include <stdlib.h>
#include <string.h>

/* ---- ways ----------------------------------------------------------------------------------- */

enum { RING_START = 16 };

/* Doubles a full ring of entries; NULL without memory. */
static void *
ring_grow(void *ring, size_t bytes, uint32_t *head, uint32_t n, uint32_t *mask)
{
	uint32_t cap = n ? 2 * n : RING_START;
	char *grown = malloc(cap * bytes), *old = ring;
	if (!grown)
		return NULL;
	if (old) {
		memcpy(grown, old + *head * bytes, (n - *head) * bytes);
		memcpy(grown + (n - *head) * bytes, old, *head * bytes);
	}
	free(ring);
	*head = 0;
	*mask = cap - 1;
	return grown;
}

bool
way_put(struct way *w, uint64_t cycle, const struct packet *p)
{
	if (!w->letter || w->n > w->mask) {
		void *grown = ring_grow(w->letter, sizeof *w->letter, &w->head, w->n, &w->mask);
		if (!grown)
			return false;
		w->letter = grown;
	}
	struct letter *l = &w->letter[(w->head + w->n++) & w->mask];
	l->packet = *p;
	l->cycle = cycle;
	return true;
}

static void
way_drop(struct way *w)
{
	w->head = (w->head + 1) & w->mask;
	w->n--;
}

bool
refunds_put(struct refunds *r, uint64_t cycle, uint32_t flits)
{
	if (!r->refund || r->n > r->mask) {
		void *grown = ring_grow(r->refund, sizeof *r->refund, &r->head, r->n, &r->mask);
		if (!grown)
			return false;
		r->refund = grown;
	}
	r->refund[(r->head + r->n++) & r->mask] = (struct refund){cycle, flits};
	return true;
}

/* Flits that have come back up to now. */
static inline uint32_t
refunds_take(struct refunds *r, uint64_t now)
{
	uint32_t flits = 0;
	for (; r->n && r->refund[r->head].cycle <= now; r->n--) {
		flits += r->refund[r->head].flits;
		r->head = (r->head + 1) & r->mask;
	}
	return flits;
}

/* ---- senders -------------------------------------------------------------------------------- */

bool
sender_init(struct sender *s, uint32_t credits, uint32_t queue)
{
	*s = (struct sender){.cap = queue, .credits = credits};
	s->queue = calloc(queue, sizeof *s->queue);
	return s->queue != NULL;
}

void
sender_release(struct sender *s)
{
	free(s->queue);
	free(s->back.refund);
}

void
sender_put(struct sender *s, const struct packet *p)
{
	uint32_t at = s->head + s->n++;
	s->queue[at < s->cap ? at : at - s->cap] = *p;
	s->flits += p->flits;
}

bool
sender_cycle(struct sender *s, uint64_t now, struct packet *p)
{
	if (!s->n || s->busy_until > now)
		return false;
	s->credits += refunds_take(&s->back, now);
	if (s->credits < s->queue[s->head].flits)
		return false;
	*p = s->queue[s->head];
	s->credits -= p->flits;
	s->head = s->head + 1 < s->cap ? s->head + 1 : 0;
	s->n--;
	s->flits -= p->flits;
	s->busy_until = now + p->flits;
	return true;
}

/* ---- crossbars ------------------------------------------------------------------------------ */

static uint32_t
words(uint32_t n)
{
	return (n + 63) / 64;
}

bool
crossbar_init(struct crossbar *x, uint32_t inputs, uint32_t outputs, uint32_t credits)
{
	*x = (struct crossbar){.inputs = inputs, .outputs = outputs, .wake = UINT64_MAX};
	x->input = calloc(inputs, sizeof *x->input);
	x->output = calloc(outputs, sizeof *x->output);
	x->waiting = calloc(words(inputs), sizeof *x->waiting);
	x->asked = calloc(words(outputs), sizeof *x->asked);
	if (!x->input || !x->output || !x->waiting || !x->asked)
		return false;
	for (uint32_t o = 0; o < outputs; o++)
		x->output[o].credits = credits;
	return true;
}

void
crossbar_release(struct crossbar *x)
{
	for (uint32_t i = 0; x->input && i < x->inputs; i++)
		free(x->input[i].way.letter);
	for (uint32_t o = 0; x->output && o < x->outputs; o++)
		free(x->output[o].back.refund);
	free(x->input);
	free(x->output);
	free(x->waiting);
	free(x->asked);
}

static void
set_bit(uint64_t *set, uint32_t i)
{
	set[i / 64] |= 1ull << i % 64;
}

bool
crossbar_put(struct crossbar *x, uint64_t cycle, const struct packet *p)
{
	x->wake = cycle < x->wake ? cycle : x->wake;
	set_bit(x->waiting, p->from);
	return way_put(&x->input[p->from].way, cycle, p);
}

bool
crossbar_credit(struct crossbar *x, uint64_t cycle, const struct packet *p)
{
	return refunds_put(&x->output[p->node].back, cycle, p->flits);
}

/* An input asks the output of its first packet; of those that do, the one that comes first after
 * the last served is remembered. The cycle in which it may ask, or ask again. */
static uint64_t
ask(struct crossbar *x, uint32_t i, uint64_t now)
{
	struct input *in = &x->input[i];
	uint64_t from = way_next(&in->way);
	from = in->busy_until > from ? in->busy_until : from;
	if (from > now)
		return from;
	const struct packet *p = &in->way.letter[in->way.head].packet;
	struct output *out = &x->output[p->node];
	if (out->busy_until > now)
		return out->busy_until;
	out->credits += refunds_take(&out->back, now);
	if (out->credits < p->flits)
		return now + 1;
	uint32_t turn = i > out->last ? i - out->last : i + x->inputs - out->last;
	if (!out->best || turn < out->turn) {
		out->best = i + 1;
		out->turn = turn;
		set_bit(x->asked, p->node);
	}
	return now + 1;
}

static uint64_t
ask_all(struct crossbar *x, uint64_t now)
{
	uint64_t next = UINT64_MAX;
	for (uint32_t w = 0; w < words(x->inputs); w++) {
		for (uint64_t b = x->waiting[w]; b; b &= b - 1) {
			uint64_t t = ask(x, 64 * w + (uint32_t)__builtin_ctzll(b), now);
			next = t < next ? t : next;
		}
	}
	return next;
}

static void
grant(struct crossbar *x, struct output *out, uint64_t now,
    void (*leave)(void *arg, uint64_t now, uint32_t input, const struct packet *p), void *arg)
{
	uint32_t i = out->best - 1;
	struct input *in = &x->input[i];
	const struct packet *p = &in->way.letter[in->way.head].packet;
	in->busy_until = out->busy_until = now + p->flits;
	out->last = i;
	out->best = 0;
	out->credits -= p->flits;
	leave(arg, now, i, p);
	way_drop(&in->way);
	if (!in->way.n)
		x->waiting[i / 64] &= ~(1ull << i % 64);
}

void
crossbar_run(struct crossbar *x, uint64_t until,
    void (*leave)(void *arg, uint64_t now, uint32_t input, const struct packet *p), void *arg)
{
	for (uint64_t now = x->wake; now < until; now = x->wake) {
		x->wake = ask_all(x, now);
		for (uint32_t w = 0; w < words(x->outputs); w++) {
			for (; x->asked[w]; x->asked[w] &= x->asked[w] - 1) {
				uint32_t o = 64 * w + (uint32_t)__builtin_ctzll(x->asked[w]);
				grant(x, &x->output[o], now, leave, arg);
			}
		}
	}
}

/* ---- receivers ------------------------------------------------------------------------------ */

bool
receiver_cycle(struct receiver *r, uint64_t now, bool ready, struct packet *p)
{
	if (!receiver_waits(r, now))
		return false;
	const struct packet *first = &r->way.letter[r->way.head].packet;
	if (r->taken < first->flits)
		r->taken++;
	if (r->taken < first->flits || !ready)
		return false;
	*p = *first;
	way_drop(&r->way);
	r->taken = 0;
	return true;
}

void
receiver_release(struct receiver *r)
{
	free(r->way.letter);
}
