/* The requests that wait: by bank and direction in order of age, and by row. */
#ifndef DRAM_QUEUE_H
#define DRAM_QUEUE_H

#include "dram/dram.h"

static inline uint32_t
dram_bucket(const struct dram_channel *ch, uint32_t bank, uint32_t row)
{
	return ((row + bank * 0x9e3779b1u) * 0x85ebca6bu) >> ch->row_shift;
}

/* The list of a row's queued requests, DRAM_NONE if there are none. */
static inline uint16_t
dram_row_find(const struct dram_channel *ch, uint32_t bank, uint32_t row)
{
	uint16_t i = ch->bucket[dram_bucket(ch, bank, row)];
	while (i != DRAM_NONE && (ch->row[i].row != row || ch->row[i].bank != bank))
		i = ch->row[i].chain;
	return i;
}

static inline uint16_t
dram_row_new(struct dram_channel *ch, uint32_t bank, uint32_t row)
{
	uint16_t i = ch->free_row, *bucket = &ch->bucket[dram_bucket(ch, bank, row)];
	struct dram_row *l = &ch->row[i];
	ch->free_row = l->chain;
	*l = (struct dram_row){row, (uint16_t)bank, 0, *bucket};
	*bucket = i;
	return i;
}

static inline void
dram_row_free(struct dram_channel *ch, uint16_t i)
{
	struct dram_row *l = &ch->row[i];
	uint16_t *at = &ch->bucket[dram_bucket(ch, l->bank, l->row)];
	while (*at != i)
		at = &ch->row[*at].chain;
	*at = l->chain;
	l->chain = ch->free_row;
	ch->free_row = i;
}

/* Ends of rings. */
static inline uint16_t
dram_bank_ring(const struct dram_channel *ch, uint32_t bank, unsigned dir)
{
	return (uint16_t)(ch->n_entry + 2 * bank + dir);
}

static inline uint16_t
dram_row_ring(const struct dram_channel *ch, uint32_t list, unsigned dir)
{
	return (uint16_t)(ch->n_entry + 2 * list + dir);
}

static inline bool
dram_is_end(const struct dram_channel *ch, uint16_t i)
{
	return i >= ch->n_entry;
}

/* The bank's (row's) oldest request of a direction, or the end of its ring. */
static inline uint16_t
dram_oldest(const struct dram_channel *ch, uint32_t bank, unsigned dir)
{
	return ch->bank_link[dram_bank_ring(ch, bank, dir)].next;
}

static inline uint16_t
dram_oldest_of_row(const struct dram_channel *ch, uint32_t list, unsigned dir)
{
	return ch->row_link[dram_row_ring(ch, list, dir)].next;
}

static inline void
dram_ring_add(struct dram_link *link, uint16_t ring, uint16_t i)
{
	uint16_t last = link[ring].prev;
	link[i].next = ring;
	link[i].prev = last;
	link[last].next = i;
	link[ring].prev = i;
}

static inline void
dram_ring_remove(struct dram_link *link, uint16_t i)
{
	struct dram_link l = link[i];
	link[l.prev].next = l.next;
	link[l.next].prev = l.prev;
}

static inline void
dram_queue_insert(struct dram_channel *ch, uint16_t i)
{
	struct dram_entry *r = &ch->entry[i];
	unsigned dir = ch->splits & r->write;
	dram_ring_add(ch->bank_link, dram_bank_ring(ch, r->bank, dir), i);
	dram_ring_add(ch->row_link, dram_row_ring(ch, r->list, dir), i);
	ch->row[r->list].count++;
	ch->n[dir]++;
}

/* The request's slot is free; its row still has it. */
static inline void
dram_queue_leave(struct dram_channel *ch, uint16_t i)
{
	dram_ring_remove(ch->bank_link, i);
	dram_ring_remove(ch->row_link, i);
	ch->n[ch->splits & ch->entry[i].write]--;
}

/* It was served. The row's list stays, even if empty. */
static inline void
dram_queue_remove(struct dram_channel *ch, uint16_t i)
{
	struct dram_entry *r = &ch->entry[i];
	if (r->opened)
		ch->n_opened--;
	else
		dram_queue_leave(ch, i);
	ch->row[r->list].count--;
	ch->bank_link[i].next = ch->free_entry;
	ch->free_entry = i;
}

/* With those that have left their queues and are not served. */
static inline uint32_t
dram_queued(const struct dram_channel *ch)
{
	return ch->n[0] + ch->n[1] + ch->n_opened;
}

#endif
