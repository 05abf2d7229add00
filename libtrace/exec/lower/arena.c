#include <stdlib.h>
#include "exec/lower/lower.h"

struct exec_arena {
	struct piece {
		struct piece *next;
		_Alignas(64) char bytes[];
	} * first;
};

struct exec_arena *
exec_arena_new(void)
{
	return calloc(1, sizeof(struct exec_arena));
}

void
exec_arena_free(struct exec_arena *a)
{
	for (struct piece *p = a ? a->first : NULL, *next; p; p = next) {
		next = p->next;
		free(p);
	}
	free(a);
}

void *
exec_arena_alloc(struct exec_arena *a, size_t bytes)
{
	size_t size = (sizeof(struct piece) + bytes + 63) & ~(size_t)63;
	struct piece *p = aligned_alloc(64, size);
	if (!p)
		return NULL;
	p->next = a->first;
	a->first = p;
	for (size_t i = 0; i < bytes; i++)
		p->bytes[i] = 0;
	return p->bytes;
}
