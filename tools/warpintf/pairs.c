#include <stdlib.h>
#include <string.h>
#include "intf.h"

static uint32_t
home(const struct pairs *p, uint32_t by, uint32_t of)
{
	uint64_t h = ((uint64_t)by << 32 | of) * 0x9e3779b97f4a7c15u;
	return (uint32_t)(h >> 32) & p->mask;
}

/* The slot that has the pair, or where it would go. */
static uint32_t
find(const struct pairs *p, uint32_t by, uint32_t of)
{
	uint32_t at = home(p, by, of);
	while (
	    p->slot[at] && (p->pair[p->slot[at] - 1].by != by || p->pair[p->slot[at] - 1].of != of))
		at = (at + 1) & p->mask;
	return at;
}

static void
grow(struct pairs *p)
{
	p->cap = p->cap ? 2 * p->cap : 512;
	p->mask = 2 * p->cap - 1;
	p->pair = must_alloc(p->pair, p->cap * sizeof *p->pair);
	p->slot = must_alloc(p->slot, (p->mask + 1ull) * sizeof *p->slot);
	memset(p->slot, 0, (p->mask + 1ull) * sizeof *p->slot);
	for (uint32_t i = 0; i < p->n; i++)
		p->slot[find(p, p->pair[i].by, p->pair[i].of)] = i + 1;
}

struct pair *
pairs_make(struct pairs *p, uint32_t by, uint32_t of)
{
	if (p->n == p->cap)
		grow(p);
	uint32_t at = find(p, by, of);
	if (!p->slot[at]) {
		p->pair[p->n] = (struct pair){.by = by, .of = of};
		p->slot[at] = ++p->n;
	}
	if ((by | of) < PAIRS_GRID)
		p->grid[by][of] = p->slot[at];
	return &p->pair[p->slot[at] - 1];
}

const struct pair *
pairs_find(const struct pairs *p, uint32_t by, uint32_t of)
{
	uint32_t at = p->n ? find(p, by, of) : 0;
	return p->n && p->slot[at] ? &p->pair[p->slot[at] - 1] : NULL;
}

void
pairs_clear(struct pairs *p)
{
	if (p->n)
		memset(p->slot, 0, (p->mask + 1ull) * sizeof *p->slot);
	memset(p->grid, 0, sizeof p->grid);
	p->n = 0;
}

void
pairs_release(struct pairs *p)
{
	free(p->pair);
	free(p->slot);
	*p = (struct pairs){0};
}
