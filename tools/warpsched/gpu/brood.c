#include "gpu/brood.h"

#include <stdlib.h>

struct brood *
brood_new(uint32_t n_warp)
{
	struct brood *b = calloc(1, sizeof *b + n_warp * sizeof b->wait[0]);
	if (b) {
		b->held = true;
		b->n_warp = n_warp;
	}
	return b;
}

static void
free_unheld(struct brood *b)
{
	if (!b->held && !b->left)
		free(b);
}

void
brood_drop(struct brood *b)
{
	if (!b)
		return;
	b->held = false;
	free_unheld(b);
}

uint32_t
brood_add(struct brood *b)
{
	b->left++;
	return b->launched++;
}

bool
brood_done(struct brood *b, uint32_t number)
{
	bool over = false;
	b->left--;
	for (uint32_t w = 0; w < b->n_warp && b->held; w++) {
		struct brood_wait *wait = &b->wait[w];
		if (!wait->left || number >= wait->of || --wait->left)
			continue;
		b->over++;
		over = true;
	}
	free_unheld(b);
	return over;
}

bool
brood_wait(struct brood *b, uint32_t warp)
{
	if (!b || !b->left)
		return false;
	b->wait[warp] = (struct brood_wait){b->left, b->launched};
	return true;
}
