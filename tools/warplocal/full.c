/* L1s that are fully associative: rings of lines in order of use. A line's spot says which node was
 * its own; it still is if it names that spot. */
#include <stdlib.h>
#include <string.h>
#include "local.h"

struct node {
	uint32_t spot; /* 1 + number, 0: none */
	uint32_t valid;
	uint16_t before, after; /* round the ring */
};

struct ring {
	uint16_t first; /* the latest; before it stands the one least recently used */
	uint32_t used;
};

struct full {
	uint32_t ways;
	uint32_t copies;
	struct node *node; /* [copies][ways] */
	struct ring *ring; /* [copies] */
};

struct full *
full_new(uint32_t ways)
{
	struct full *f = must_alloc(NULL, sizeof *f);
	*f = (struct full){.ways = ways};
	return f;
}

void
full_free(struct full *f)
{
	if (!f)
		return;
	free(f->node);
	free(f->ring);
	free(f);
}

void
full_empty(struct full *f)
{
	for (uint32_t i = 0; i < f->copies; i++)
		f->ring[i] = (struct ring){0};
	for (uint64_t i = 0; i < (uint64_t)f->copies * f->ways; i++)
		f->node[i].spot = 0;
}

void
full_grow(struct full *f, uint32_t copies)
{
	if (copies <= f->copies)
		return;
	f->node = must_alloc(f->node, (uint64_t)copies * f->ways * sizeof *f->node);
	f->ring = must_alloc(f->ring, copies * sizeof *f->ring);
	memset(f->ring + f->copies, 0, (copies - f->copies) * sizeof *f->ring);
	memset(f->node + (uint64_t)f->copies * f->ways, 0,
	    (uint64_t)(copies - f->copies) * f->ways * sizeof *f->node);
	f->copies = copies;
}

static inline void
take_out(struct node *node, uint16_t at)
{
	node[node[at].before].after = node[at].after;
	node[node[at].after].before = node[at].before;
}

/* Between the last and the first: which of them it is then is the ring's to say. */
static inline void
put_in(struct node *node, uint16_t first, uint16_t at)
{
	uint16_t last = node[first].before;
	node[at].before = last;
	node[at].after = first;
	node[last].after = at;
	node[first].before = at;
}

static inline void
bring_to_front(struct ring *r, struct node *node, uint16_t at)
{
	if (at == r->first)
		return;
	if (at != node[r->first].before) {
		take_out(node, at);
		put_in(node, r->first, at);
	}
	r->first = at;
}

/* An empty node is the last, to be taken first. */
static void
drop(struct ring *r, struct node *node, uint16_t at)
{
	node[at].spot = 0;
	if (at == r->first) {
		r->first = node[at].after;
	} else if (at != node[r->first].before) {
		take_out(node, at);
		put_in(node, r->first, at);
	}
}

static uint16_t
new_node(const struct full *f, struct ring *r, struct node *node)
{
	if (r->used == f->ways)
		return node[r->first].before;
	uint16_t at = (uint16_t)r->used++;
	if (at)
		put_in(node, r->first, at);
	else
		node[0].before = node[0].after = 0;
	return at;
}

/* Of the line of a spot; true if its sectors were there. at is the spot's node. */
static inline bool
one(const struct full *f, struct ring *r, struct node *node, uint32_t spot, uint16_t *at,
    enum action action, uint32_t sectors)
{
	bool takes = action == READS || action == KEEPS;
	if (*at >= r->used || node[*at].spot != spot + 1) {
		if (!takes)
			return false;
		*at = new_node(f, r, node);
		node[*at].spot = spot + 1;
		node[*at].valid = sectors;
		r->first = *at;
		return false;
	}
	bool hit = !(sectors & ~node[*at].valid);
	if (action == DROPS) {
		drop(r, node, *at);
		return hit;
	}
	bring_to_front(r, node, *at);
	node[*at].valid |= takes ? sectors : 0;
	return hit;
}

void
full_run(struct full *f, struct l1_slice *c, struct spot *spot)
{
	for (uint32_t i = 0; i < c->n; i++) {
		enum action action = (enum action)(c->action[i] & ~ACTION_IS_LOAD);
		struct ring *r = &f->ring[c->sm[i]];
		struct node *node = f->node + (uint64_t)c->sm[i] * f->ways;
		bool hit =
		    action != PASSES_BY &&
		    one(f, r, node, c->spot[i], &spot[c->spot[i]].node, action, c->sectors[i]);
		c->code[i] = hit ? CODE_FULL : 0;
	}
}
