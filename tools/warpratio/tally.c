#include <math.h>
#include <stdlib.h>
#include "ratio.h"

const char *const level_name[LEVELS] = {"kernel", "cta", "warp"};
const char *const relation_name[LEVELS][RELATIONS] = {
    {"self", NULL, "parent-child", "sibling"},
    {"self", "intra-kernel", "parent-child", "sibling"},
    {"intra-warp", "inter-warp", NULL, NULL},
};

bool
tally_add(struct tally *t, const struct settings *s, uint64_t part, uint64_t whole, uint64_t times)
{
	t->pairs += times;
	t->sum += (double)part / (double)whole * (double)times;
	if (!part) {
		t->zero += times;
		t->bin[0] += times;
		return false;
	}
	uint64_t bin = part * BINS / whole;
	t->bin[bin < BINS ? bin : BINS - 1] += times;
	bool high = (unsigned __int128)part * 1000000 > (unsigned __int128)whole * s->threshold;
	t->high += high ? times : 0;
	return high;
}

uint32_t
chains_node(struct chains *c)
{
	if (c->n == c->cap) {
		c->cap = c->cap ? c->cap * 2 : 64;
		c->up = must_alloc(c->up, c->cap * sizeof *c->up);
	}
	c->up[c->n] = c->n;
	return c->n++;
}

static uint32_t
root_of(struct chains *c, uint32_t a)
{
	while (c->up[a] != a)
		a = c->up[a] = c->up[c->up[a]];
	return a;
}

void
chains_join(struct chains *c, uint32_t a, uint32_t b)
{
	a = root_of(c, a);
	b = root_of(c, b);
	/* The lesser stands for both, so that the result does not depend on the order. */
	c->up[a > b ? a : b] = a > b ? b : a;
}

void
chains_fold(struct chains *c)
{
	uint32_t *length = must_alloc(NULL, c->n * sizeof *length);
	for (uint32_t i = 0; i < c->n; i++)
		length[i] = 0;
	for (uint32_t i = 0; i < c->n; i++)
		length[root_of(c, i)]++;
	for (uint32_t i = 0; i < c->n; i++) {
		c->count += length[i] > 0;
		c->units += length[i];
		c->longest = length[i] > c->longest ? length[i] : c->longest;
		c->linked += length[i] > 1;
		c->linked_units += length[i] > 1 ? length[i] : 0;
	}
	free(length);
	c->n = 0;
}

void
chains_release(struct chains *c)
{
	free(c->up);
	*c = (struct chains){0};
}
