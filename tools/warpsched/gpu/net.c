#include "gpu/net.h"

#include <stdlib.h>
#include <string.h>

/* ---- mailboxes --------------------------------------------------------------------------------
 */

static bool
mailbox_grow(struct mailbox *m)
{
	uint32_t cap = m->cap ? 2 * m->cap : 32;
	struct letter *grown = realloc(m->letter, cap * sizeof *grown);
	if (!grown)
		return false;
	m->letter = grown;
	for (uint32_t i = m->cap; i < cap; i++)
		grown[i].next = i + 1 < cap ? i + 2 : 0;
	m->free = m->cap + 1;
	m->cap = cap;
	return true;
}

bool
mailbox_put(struct mailbox *m, uint64_t cycle, const struct packet *p)
{
	if (!m->free && !mailbox_grow(m))
		return false;
	uint32_t at = (uint32_t)cycle % MAILBOX_SLOTS, l = m->free;
	m->free = m->letter[l - 1].next;
	m->letter[l - 1].packet = *p;
	m->letter[l - 1].next = 0;
	if (m->first[at])
		m->letter[m->last[at] - 1].next = l;
	else
		m->first[at] = l;
	m->last[at] = l;
	m->bits[at / 64] |= 1ull << at % 64;
	return true;
}

uint64_t
mailbox_next(const struct mailbox *m, uint64_t now)
{
	_Static_assert(MAILBOX_SLOTS == 128, "two words");
	unsigned at = (unsigned)now % MAILBOX_SLOTS;
	unsigned __int128 all = (unsigned __int128)m->bits[1] << 64 | m->bits[0];
	if (!all)
		return UINT64_MAX;
	unsigned __int128 turned = at ? all >> at | all << (MAILBOX_SLOTS - at) : all;
	uint64_t low = (uint64_t)turned, high = (uint64_t)(turned >> 64);
	return now + (unsigned)(low ? __builtin_ctzll(low) : 64 + __builtin_ctzll(high));
}

void
mailbox_release(struct mailbox *m)
{
	free(m->letter);
}

/* Empties a slot: its list, to be given back letter by letter. */
static uint32_t
mailbox_open(struct mailbox *m, uint64_t cycle, uint32_t *last)
{
	unsigned at = (unsigned)cycle % MAILBOX_SLOTS;
	uint32_t first = m->first[at];
	*last = m->last[at];
	m->first[at] = 0;
	m->bits[at / 64] &= ~(1ull << at % 64);
	return first;
}

static void
mailbox_free(struct mailbox *m, uint32_t l)
{
	m->letter[l - 1].next = m->free;
	m->free = l;
}

/* ---- senders ----------------------------------------------------------------------------------
 */

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
	mailbox_release(&s->mail);
}

void
sender_put(struct sender *s, const struct packet *p)
{
	s->queue[(s->head + s->n++) % s->cap] = *p;
	s->flits += p->flits;
}

/* Flits of credit that come back in this cycle. */
static uint32_t
take_credits(struct mailbox *m, uint64_t now)
{
	uint32_t last, flits = 0, l;
	if (!m->first[now % MAILBOX_SLOTS])
		return 0;
	for (l = mailbox_open(m, now, &last); l;) {
		uint32_t next = m->letter[l - 1].next;
		flits += m->letter[l - 1].packet.flits;
		mailbox_free(m, l);
		l = next;
	}
	return flits;
}

bool
sender_cycle(struct sender *s, uint64_t now, struct packet *p)
{
	s->credits += take_credits(&s->mail, now);
	if (!s->n || s->busy_until > now || s->credits < s->queue[s->head].flits)
		return false;
	*p = s->queue[s->head];
	s->credits -= p->flits;
	s->head = (s->head + 1) % s->cap;
	s->n--;
	s->flits -= p->flits;
	s->busy_until = now + p->flits;
	return true;
}

/* ---- crossbars --------------------------------------------------------------------------------
 */

bool
crossbar_init(struct crossbar *x, uint32_t inputs, uint32_t outputs, uint32_t credits)
{
	*x = (struct crossbar){.inputs = inputs, .outputs = outputs, .wake = UINT64_MAX};
	x->input = calloc(inputs, sizeof *x->input);
	x->output = calloc(outputs, sizeof *x->output);
	if (!x->input || !x->output)
		return false;
	for (uint32_t o = 0; o < outputs; o++)
		x->output[o].credits = credits;
	return true;
}

void
crossbar_release(struct crossbar *x)
{
	mailbox_release(&x->mail);
	mailbox_release(&x->credits);
	free(x->input);
	free(x->output);
}

bool
crossbar_put(struct crossbar *x, uint64_t cycle, const struct packet *p)
{
	x->wake = cycle < x->wake ? cycle : x->wake;
	return mailbox_put(&x->mail, cycle, p);
}

bool
crossbar_credit(struct crossbar *x, uint64_t cycle, const struct packet *p)
{
	x->wake = cycle < x->wake ? cycle : x->wake;
	return mailbox_put(&x->credits, cycle, p);
}

static void
take_arrived(struct crossbar *x, uint64_t now)
{
	uint32_t last, l = mailbox_open(&x->mail, now, &last);
	while (l) {
		uint32_t next = x->mail.letter[l - 1].next;
		struct input *in = &x->input[x->mail.letter[l - 1].packet.from];
		x->mail.letter[l - 1].next = 0;
		if (in->first)
			x->mail.letter[in->last - 1].next = l;
		else
			in->first = l;
		in->last = l;
		x->queued++;
		l = next;
	}
}

static void
take_room(struct crossbar *x, uint64_t now)
{
	uint32_t last, l = mailbox_open(&x->credits, now, &last);
	while (l) {
		uint32_t next = x->credits.letter[l - 1].next;
		const struct packet *p = &x->credits.letter[l - 1].packet;
		x->output[p->node].credits += p->flits;
		mailbox_free(&x->credits, l);
		l = next;
	}
}

/* Inputs ask the output of their first packet; the one that comes first after the last served is
 * remembered. */
static void
ask(struct crossbar *x, uint64_t now)
{
	for (uint32_t i = 0; i < x->inputs; i++) {
		struct input *in = &x->input[i];
		if (!in->first || in->busy_until > now)
			continue;
		const struct packet *p = &x->mail.letter[in->first - 1].packet;
		struct output *out = &x->output[p->node];
		if (out->busy_until > now || out->credits < p->flits)
			continue;
		uint32_t turn = (i + x->inputs - out->last - 1) % x->inputs;
		uint32_t best = (out->best + x->inputs - out->last - 2) % x->inputs;
		if (!out->best || turn < best)
			out->best = i + 1;
	}
}

static void
grant(struct crossbar *x, struct output *out, uint64_t now,
    void (*leave)(void *arg, uint64_t now, uint32_t input, const struct packet *p), void *arg)
{
	uint32_t i = out->best - 1;
	struct input *in = &x->input[i];
	uint32_t l = in->first;
	struct packet p = x->mail.letter[l - 1].packet;
	in->first = x->mail.letter[l - 1].next;
	mailbox_free(&x->mail, l);
	in->busy_until = out->busy_until = now + p.flits;
	out->last = i;
	out->best = 0;
	out->credits -= p.flits;
	x->queued--;
	leave(arg, now, i, &p);
}

static uint64_t
next_cycle(const struct crossbar *x, uint64_t now)
{
	if (x->queued)
		return now;
	uint64_t packet = mailbox_next(&x->mail, now), credit = mailbox_next(&x->credits, now);
	return packet < credit ? packet : credit;
}

void
crossbar_run(struct crossbar *x, uint64_t until,
    void (*leave)(void *arg, uint64_t now, uint32_t input, const struct packet *p), void *arg)
{
	for (uint64_t now = x->wake; now < until; x->wake = now) {
		if (x->credits.first[now % MAILBOX_SLOTS])
			take_room(x, now);
		if (x->mail.first[now % MAILBOX_SLOTS])
			take_arrived(x, now);
		ask(x, now);
		for (uint32_t o = 0; o < x->outputs; o++) {
			if (x->output[o].best)
				grant(x, &x->output[o], now, leave, arg);
		}
		now = next_cycle(x, now + 1);
	}
}

/* ---- receivers --------------------------------------------------------------------------------
 */

static void
queue_arrived(struct receiver *r, uint64_t now)
{
	uint32_t last, first = mailbox_open(&r->mail, now, &last);
	if (r->first)
		r->mail.letter[r->last - 1].next = first;
	else
		r->first = first;
	r->last = last;
	for (; first; first = r->mail.letter[first - 1].next)
		r->queued++;
}

bool
receiver_cycle(struct receiver *r, uint64_t now, bool ready, struct packet *p)
{
	if (r->mail.first[now % MAILBOX_SLOTS])
		queue_arrived(r, now);
	if (!r->first)
		return false;
	uint32_t l = r->first, flits = r->mail.letter[l - 1].packet.flits;
	if (r->taken < flits)
		r->taken++;
	if (r->taken < flits || !ready)
		return false;
	*p = r->mail.letter[l - 1].packet;
	r->first = r->mail.letter[l - 1].next;
	r->taken = 0;
	r->queued--;
	mailbox_free(&r->mail, l);
	return true;
}

void
receiver_release(struct receiver *r)
{
	mailbox_release(&r->mail);
}
