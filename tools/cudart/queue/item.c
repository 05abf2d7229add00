/* What waits to be played, and what of it is ordered behind what. */
#include <stdlib.h>
#include "queue/parts.h"

struct queue_state queue = {.host = PTHREAD_COND_INITIALIZER, .players = PTHREAD_COND_INITIALIZER};

enum { NON_BLOCKING = 1 };

/* Is b ordered behind a, which came before it? */
static bool
is_behind(const struct queued *a, const struct queued *b)
{
	if (a->as.id == b->as.id || (b->behind && b->behind == a->number))
		return true;
	if (!a->as.id)
		return !(b->as.flags & NON_BLOCKING);
	return !b->as.id && !(a->as.flags & NON_BLOCKING);
}

struct queued *
item_ready(void)
{
	for (struct queued *b = queue.first; b; b = b->next) {
		const struct queued *a = queue.first;
		if (b->plays)
			continue;
		while (a != b && !is_behind(a, b))
			a = a->next;
		if (a == b)
			return b;
	}
	return NULL;
}

/* Is it of a stream or, for the legacy one, of a stream that blocks? */
static bool
is_of(const struct queued *q, const struct stream *s)
{
	return q->as.id == s->id || (!s->id && !(q->as.flags & NON_BLOCKING));
}

bool
queue_holds(const struct stream *s)
{
	const struct queued *q = queue.first;
	while (q && s && !is_of(q, s))
		q = q->next;
	return q != NULL;
}

bool
item_is_left(uint64_t number)
{
	const struct queued *q = queue.first;
	while (q && q->number != number)
		q = q->next;
	return number && q;
}

bool
queue_holds_event(const struct event *e)
{
	return item_is_left(e->queued);
}

int
queue_afterwards(void (*fn)(uint64_t handle), uint64_t handle)
{
	if (!queue.first) {
		fn(handle);
		return CU_OK;
	}
	struct afterwards *a = malloc(sizeof *a), **at = &queue.after;
	if (!a)
		return CU_MEMORY_ALLOCATION;
	*a = (struct afterwards){.number = queue.number, .fn = fn, .handle = handle};
	while (*at)
		at = &(*at)->next;
	*at = a;
	return CU_OK;
}

static void
do_afterwards(void)
{
	struct afterwards *a;
	while ((a = queue.after) && (!queue.first || queue.first->number > a->number)) {
		queue.after = a->next;
		a->fn(a->handle);
		free(a);
	}
}

void
item_remove(struct queued *q)
{
	struct queued **at = &queue.first, *before = NULL;
	while (*at != q) {
		before = *at;
		at = &before->next;
	}
	*at = q->next;
	if (queue.last == q)
		queue.last = before;
	do_afterwards();
	queue.done++;
	queue.removed++;
	queue.blocked = 0;
	pthread_cond_broadcast(&queue.host);
}

void
item_free(struct queued *q)
{
	op_release(&q->op);
	free(q->bytes);
	free(q);
}
