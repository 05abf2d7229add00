#include <stdlib.h>
#include <string.h>
#include "ptx/parse.h"

void *
pt_alloc(struct parser *p, size_t bytes)
{
	void *piece = pt_arena_alloc(p->arena, bytes);
	if (!piece)
		pt_fail_memory(p);
	return piece;
}

void *
pt_push(struct parser *p, struct list *list, size_t item_bytes)
{
	if (list->n == list->cap) {
		size_t cap = list->cap ? list->cap * 2 : 64;
		void *item = realloc(list->item, cap * item_bytes);
		if (!item) {
			pt_fail_memory(p);
			return NULL;
		}
		list->item = item;
		list->cap = cap;
	}
	return memset((char *)list->item + list->n++ * item_bytes, 0, item_bytes);
}

void *
pt_take(struct parser *p, struct list *list, size_t first, size_t item_bytes, uint32_t *n)
{
	size_t count = list->n - first;
	*n = 0;
	list->n = first;
	if (p->failed || !count)
		return NULL;
	void *copy = pt_alloc(p, count * item_bytes);
	if (copy) {
		memcpy(copy, (char *)list->item + first * item_bytes, count * item_bytes);
		*n = (uint32_t)count;
	}
	return copy;
}

void
pt_free_list(struct list *list)
{
	free(list->item);
	*list = (struct list){0};
}
