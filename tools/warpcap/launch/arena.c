#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include "arena.h"

enum { CHUNK_BYTES = 1 << 16 };

struct chunk {
	struct chunk *next;
	alignas(max_align_t) unsigned char data[];
};

struct arena {
	struct chunk *chunk;
	size_t used, size; /* of the newest chunk */
};

struct arena *
arena_new(void)
{
	return calloc(1, sizeof(struct arena));
}

void
arena_free(struct arena *a)
{
	if (!a)
		return;
	for (struct chunk *c = a->chunk, *next; c; c = next) {
		next = c->next;
		free(c);
	}
	free(a);
}

void *
arena_take(struct arena *a, size_t bytes)
{
	size_t align = alignof(max_align_t);
	if (bytes > SIZE_MAX / 2)
		return NULL;
	bytes = (bytes + align - 1) / align * align;
	if (!a->chunk || a->size - a->used < bytes) {
		size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
		struct chunk *c = calloc(1, sizeof *c + size);
		if (!c)
			return NULL;
		c->next = a->chunk;
		a->chunk = c;
		a->size = size;
		a->used = 0;
	}
	void *p = a->chunk->data + a->used;
	a->used += bytes;
	return p;
}
