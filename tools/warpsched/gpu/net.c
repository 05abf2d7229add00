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
sender_init(struct sender *s, uint32_t receivers, uint32_t credits, uint32_t queue)
{
	*s = (struct sender){.cap = queue};
	s->queue = calloc(queue, sizeof *s->queue);
	s->credits = calloc(receivers, sizeof *s->credits);
	if (!s->queue || !s->credits)
		return false;
	for (uint32_t i = 0; i < receivers; i++)
		s->credits[i] = credits;
	return true;
}

void
sender_release(struct sender *s)
{
	free(s->queue);
	free(s->credits);
	mailbox_release(&s->mail);
}

void
sender_put(struct sender *s, const struct packet *p)
{
	s->queue[(s->head + s->n++) % s->cap] = *p;
	s->flits += p->flits;
}

static void
take_credits(struct sender *s, uint64_t now)
{
	uint32_t last, l = mailbox_open(&s->mail, now, &last);
	while (l) {
		uint32_t next = s->mail.letter[l - 1].next;
		const struct packet *p = &s->mail.letter[l - 1].packet;
		s->credits[p->node] += p->flits;
		mailbox_free(&s->mail, l);
		l = next;
	}
}

bool
sender_cycle(struct sender *s, uint64_t now, struct packet *p, uint32_t *to)
{
	if (s->mail.first[now % MAILBOX_SLOTS])
		take_credits(s, now);
	if (!s->n || s->busy_until > now)
		return false;
	const struct packet *head = &s->queue[s->head];
	if (s->credits[head->node] < head->flits)
		return false;
	*p = *head;
	*to = head->node;
	s->credits[head->node] -= head->flits;
	s->head = (s->head + 1) % s->cap;
	s->n--;
	s->flits -= p->flits;
	s->busy_until = now + p->flits;
	return true;
}

bool
sender_idle(const struct sender *s)
{
	return !s->n;
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
