/*
 * The set of (line, cache) pairs ever touched: cold misses are those on a pair not in it. A cache's
 * lines stand in chunks of 64 neighbours, a bit each, in a hash table of its own.
 */
#include <stdlib.h>
#include <string.h>
#include "tally.h"

struct chunk {
	uint64_t number; /* 1 + the line's number / 64, 0: free */
	uint64_t lines;
};

struct lines_of {
	struct chunk *chunk; /* [mask + 1] NULL: none yet */
	uint64_t n, mask;
};

static uint64_t
home(const struct lines_of *l, uint64_t number)
{
	uint64_t h = number * 0x9e3779b97f4a7c15u;
	return (h ^ h >> 32) & l->mask;
}

static struct chunk *
find(const struct lines_of *l, uint64_t number)
{
	uint64_t at = home(l, number);
	while (l->chunk[at].number && l->chunk[at].number != number)
		at = (at + 1) & l->mask;
	return &l->chunk[at];
}

static void
grow(struct lines_of *l)
{
	enum { START = 64 };
	struct lines_of old = *l;
	uint64_t places = old.chunk ? (old.mask + 1) * 2 : START;
	l->chunk = calloc(places, sizeof *l->chunk);
	if (!l->chunk)
		out_of_memory();
	l->mask = places - 1;
	for (uint64_t i = 0; old.chunk && i <= old.mask; i++)
		if (old.chunk[i].number)
			*find(l, old.chunk[i].number) = old.chunk[i];
	free(old.chunk);
}

static void
add_copies(struct lines *l, uint16_t copy)
{
	uint32_t copies = copy + 1u;
	l->of = must_alloc(l->of, copies * sizeof *l->of);
	memset(l->of + l->copies, 0, (copies - l->copies) * sizeof *l->of);
	l->copies = copies;
}

void
lines_expect(const struct lines *l, uint64_t number, uint16_t copy)
{
	const struct lines_of *of = copy < l->copies ? &l->of[copy] : NULL;
	if (of && of->chunk)
		__builtin_prefetch(&of->chunk[home(of, number / 64 + 1)], 1);
}

bool
lines_add(struct lines *l, uint64_t number, uint16_t copy)
{
	if (copy >= l->copies)
		add_copies(l, copy);
	struct lines_of *of = &l->of[copy];
	if (!of->chunk || of->n > of->mask / 2)
		grow(of);
	struct chunk *c = find(of, number / 64 + 1);
	uint64_t line = 1ull << number % 64;
	bool is_new = !(c->lines & line);
	of->n += !c->number;
	c->number = number / 64 + 1;
	c->lines |= line;
	return is_new;
}

void
lines_release(struct lines *l)
{
	for (uint32_t i = 0; i < l->copies; i++)
		free(l->of[i].chunk);
	free(l->of);
}
