/* The set of (line, cache) pairs ever touched: cold misses are those on a pair not in it. */
#include <stdlib.h>
#include <string.h>
#include "tally.h"

void *
must_have(void *old, size_t bytes)
{
	void *p = realloc(old, bytes ? bytes : 1);
	if (!p) {
		fputs("warpcache: out of memory\n", stderr);
		exit(-WCP_ESYS);
	}
	return p;
}

static uint64_t
home(const struct lines *l, uint64_t number, uint16_t copy)
{
	uint64_t h = (number ^ (uint64_t)copy << 48) * 0x9e3779b97f4a7c15u;
	return (h ^ h >> 32) & l->mask;
}

void
lines_expect(const struct lines *l, uint64_t number, uint16_t copy)
{
	if (!l->number)
		return;
	uint64_t at = home(l, number, copy);
	__builtin_prefetch(&l->number[at], 1);
	__builtin_prefetch(&l->copy[at], 1);
}

static uint64_t
place(const struct lines *l, uint64_t number, uint16_t copy)
{
	uint64_t at = home(l, number, copy);
	while (l->number[at] && (l->number[at] != number + 1 || l->copy[at] != copy))
		at = (at + 1) & l->mask;
	return at;
}

static void
grow(struct lines *l)
{
	struct lines old = *l;
	uint64_t places = old.number ? (old.mask + 1) * 2 : 4096;
	l->number = must_have(NULL, places * sizeof *l->number);
	l->copy = must_have(NULL, places * sizeof *l->copy);
	l->mask = places - 1;
	memset(l->number, 0, places * sizeof *l->number);
	for (uint64_t i = 0; old.number && i <= old.mask; i++)
		if (old.number[i]) {
			uint64_t at = place(l, old.number[i] - 1, old.copy[i]);
			l->number[at] = old.number[i];
			l->copy[at] = old.copy[i];
		}
	free(old.number);
	free(old.copy);
}

bool
lines_add(struct lines *l, uint64_t number, uint16_t copy)
{
	if (!l->number || l->n >= l->mask / 2)
		grow(l);
	uint64_t at = place(l, number, copy);
	if (l->number[at])
		return false;
	l->number[at] = number + 1;
	l->copy[at] = copy;
	l->n++;
	return true;
}

void
lines_release(struct lines *l)
{
	free(l->number);
	free(l->copy);
}
