#include <stdlib.h>
#include <string.h>
#include "timed.h"

enum { START = 4096 };
#define NO_ITEM UINT32_MAX

static void
make_cycles(struct order *o, uint64_t n)
{
	o->first = must_alloc(o->first, n * sizeof *o->first);
	memset(o->first, 0xff, n * sizeof *o->first);
	o->mask = n - 1;
}

void
order_init(struct order *o)
{
	memset(o, 0, sizeof *o);
	o->free = NO_ITEM;
	make_cycles(o, START);
}

void
order_release(struct order *o)
{
	free(o->item);
	free(o->first);
}

static void
grow_cycles(struct order *o, uint64_t ahead)
{
	uint64_t old_mask = o->mask, n = o->mask + 1;
	uint32_t *old = o->first;
	while (n <= ahead)
		n *= 2;
	o->first = NULL;
	make_cycles(o, n);
	for (uint64_t c = o->from; c <= o->from + old_mask; c++)
		o->first[c & o->mask] = old[c & old_mask];
	free(old);
}

static uint32_t
new_item(struct order *o)
{
	if (o->free == NO_ITEM) {
		uint32_t had = o->cap, cap = had ? had * 2 : START;
		o->item = must_alloc(o->item, cap * sizeof *o->item);
		for (uint32_t i = had; i < cap; i++)
			o->item[i].next = i + 1 < cap ? i + 1 : NO_ITEM;
		o->free = had;
		o->cap = cap;
	}
	uint32_t i = o->free;
	o->free = o->item[i].next;
	return i;
}

static bool
is_behind(const struct departure *a, const struct departure *b)
{
	return a->sm != b->sm ? a->sm > b->sm : a->port > b->port;
}

void
order_add(struct order *o, uint64_t cycle, const struct departure *d)
{
	if (cycle - o->from > o->mask)
		grow_cycles(o, cycle - o->from);
	uint32_t i = new_item(o), *link = &o->first[cycle & o->mask];
	o->item[i] = *d;
	while (*link != NO_ITEM && !is_behind(&o->item[*link], d))
		link = &o->item[*link].next;
	o->item[i].next = *link;
	*link = i;
	o->n++;
}

bool
order_next(struct order *o, uint64_t before, uint64_t *cycle, struct departure *d)
{
	if (!o->n && o->from < before)
		o->from = before;
	while (o->from < before && o->first[o->from & o->mask] == NO_ITEM)
		o->from++;
	if (o->from >= before)
		return false;
	uint32_t *link = &o->first[o->from & o->mask], i = *link;
	*d = o->item[i];
	*cycle = o->from;
	*link = o->item[i].next;
	o->item[i].next = o->free;
	o->free = i;
	o->n--;
	return true;
}
