/* Places for records on their way. */
#ifndef SLOT_H
#define SLOT_H

#include "warpdram.h"

/* play.c: more places; a request that was not taken: false if there is no room for it. */
void slot_grow(struct play *p);
bool play_full(const struct play *p, const struct wcp_dram_request *q);

static inline uint32_t
slot_take(struct play *p)
{
	if (!p->free)
		slot_grow(p);
	uint32_t slot = p->free - 1;
	p->free = p->pending[slot].next_free;
	return slot;
}

static inline void
slot_free(struct play *p, uint32_t slot)
{
	p->pending[slot].next_free = p->free;
	p->free = slot + 1;
}

/* For a record of one part, which is pushed next; others begin with play_begin. */
static inline uint32_t
slot_of_only(struct play *p, struct record *record, uint64_t due)
{
	uint32_t slot = slot_take(p);
	struct pending *q = &p->pending[slot];
	q->record = p->keeps ? record : NULL;
	q->number = record->number;
	q->due = due;
	q->unit = record->unit;
	q->only = true;
	return slot;
}

/* Pushes a request of the record whose place q->handle is; false: no room. */
static inline bool
slot_push(struct play *p, struct wcp_dram_request *q, uint64_t time)
{
	q->arrival = time;
	if (!wcp_dram_push(p->dram, q))
		return play_full(p, q);
	p->pending[q->handle].parts++;
	p->pushed++;
	return true;
}

#endif
