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
	*l = (struct dram_row){
	    row, (uint16_t)bank, 0, {DRAM_NONE, DRAM_NONE}, {DRAM_NONE, DRAM_NONE}, *bucket};
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

static inline void
dram_queue_insert(struct dram_channel *ch, uint16_t i)
{
	struct dram_entry *r = &ch->entry[i];
	struct dram_bank *b = &ch->bank[r->bank];
	struct dram_row *l = &ch->row[r->list];
	unsigned dir = ch->splits && r->write;
	r->next = r->row_next = DRAM_NONE;
	r->prev = b->tail[dir];
	*(r->prev == DRAM_NONE ? &b->head[dir] : &ch->entry[r->prev].next) = i;
	b->tail[dir] = i;
	r->row_prev = l->tail[dir];
	*(r->row_prev == DRAM_NONE ? &l->head[dir] : &ch->entry[r->row_prev].row_next) = i;
	l->tail[dir] = i;
	l->count++;
	ch->n[dir]++;
}

/* The row's list stays, even if empty. */
static inline void
dram_queue_remove(struct dram_channel *ch, uint16_t i)
{
	struct dram_entry *r = &ch->entry[i];
	struct dram_bank *b = &ch->bank[r->bank];
	struct dram_row *l = &ch->row[r->list];
	unsigned dir = ch->splits && r->write;
	*(r->prev == DRAM_NONE ? &b->head[dir] : &ch->entry[r->prev].next) = r->next;
	*(r->next == DRAM_NONE ? &b->tail[dir] : &ch->entry[r->next].prev) = r->prev;
	*(r->row_prev == DRAM_NONE ? &l->head[dir] : &ch->entry[r->row_prev].row_next) =
	    r->row_next;
	*(r->row_next == DRAM_NONE ? &l->tail[dir] : &ch->entry[r->row_next].row_prev) =
	    r->row_prev;
	l->count--;
	ch->n[dir]--;
	r->next = ch->free_entry;
	ch->free_entry = i;
}

static inline uint32_t
dram_queued(const struct dram_channel *ch)
{
	return ch->n[0] + ch->n[1];
}

#endif
