/* L1s that are fully associative: lists of lines in order of use. A line's place says which node
 * was its own; it still is if it holds that line. */
#include <stdlib.h>
#include <string.h>
#include "local.h"

enum { NO_NODE = UINT16_MAX };

struct node {
	uint64_t line; /* + 1; 0: none */
	uint32_t valid;
	uint16_t before, after; /* in order of use, the latest first */
};

struct list {
	uint16_t first, last;
	uint32_t used;
};

struct full {
	uint32_t ways;
	uint32_t copies;
	struct node *node; /* [copies][ways] */
	struct list *list; /* [copies] */
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
	free(f->list);
	free(f);
}

void
full_empty(struct full *f)
{
	for (uint32_t i = 0; i < f->copies; i++)
		f->list[i] = (struct list){NO_NODE, NO_NODE, 0};
	for (uint64_t i = 0; i < (uint64_t)f->copies * f->ways; i++)
		f->node[i].line = 0;
}

void
full_grow(struct full *f, uint32_t copies)
{
	if (copies <= f->copies)
		return;
	f->node = must_alloc(f->node, (uint64_t)copies * f->ways * sizeof *f->node);
	f->list = must_alloc(f->list, copies * sizeof *f->list);
	for (uint32_t i = f->copies; i < copies; i++)
		f->list[i] = (struct list){NO_NODE, NO_NODE, 0};
	memset(f->node + (uint64_t)f->copies * f->ways, 0,
	    (uint64_t)(copies - f->copies) * f->ways * sizeof *f->node);
	f->copies = copies;
}

static void
take_out(struct list *l, struct node *node, uint16_t at)
{
	struct node *n = &node[at];
	if (n->before != NO_NODE)
		node[n->before].after = n->after;
	else
		l->first = n->after;
	if (n->after != NO_NODE)
		node[n->after].before = n->before;
	else
		l->last = n->before;
}

static void
put_first(struct list *l, struct node *node, uint16_t at)
{
	node[at].before = NO_NODE;
	node[at].after = l->first;
	if (l->first != NO_NODE)
		node[l->first].before = at;
	else
		l->last = at;
	l->first = at;
}

/* An empty node stays at the end of the list, to be taken first. */
static void
put_last(struct list *l, struct node *node, uint16_t at)
{
	node[at].line = 0;
	node[at].after = NO_NODE;
	node[at].before = l->last;
	if (l->last != NO_NODE)
		node[l->last].after = at;
	else
		l->first = at;
	l->last = at;
}

static uint16_t
new_node(const struct full *f, struct list *l, struct node *node)
{
	if (l->used < f->ways)
		return (uint16_t)l->used++;
	uint16_t at = l->last;
	take_out(l, node, at);
	return at;
}

bool
full_access(struct full *f, struct place *p, enum action action, uint32_t sectors)
{
	struct list *l = &f->list[p->sm];
	struct node *node = f->node + (uint64_t)p->sm * f->ways;
	bool there = p->node < l->used && node[p->node].line == p->line;
	if (!there) {
		if (action != READS && action != KEEPS)
			return false;
		p->node = new_node(f, l, node);
		node[p->node].line = p->line;
		node[p->node].valid = sectors;
		put_first(l, node, p->node);
		return false;
	}
	bool hit = !(sectors & ~node[p->node].valid);
	if (action == DROPS) {
		take_out(l, node, p->node);
		put_last(l, node, p->node);
		return hit;
	}
	if (l->first != p->node) {
		take_out(l, node, p->node);
		put_first(l, node, p->node);
	}
	if (action == READS || action == KEEPS)
		node[p->node].valid |= sectors;
	return hit;
}
