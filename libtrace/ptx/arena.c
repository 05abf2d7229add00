#include <stdlib.h>
#include <string.h>
#include "ptx/arena.h"

#define ALIGN	  16u
#define BLOCK_MIN ((size_t)64 << 10)

struct arena_block {
	struct arena_block *next;
	size_t bytes; /* so that what follows is aligned */
};

static void *
new_block(struct ptx_arena *a, size_t bytes)
{
	size_t want = bytes > BLOCK_MIN / 4 ? bytes : BLOCK_MIN;
	struct arena_block *b = calloc(1, sizeof *b + want);
	if (!b)
		return NULL;
	b->bytes = want;
	b->next = a->block;
	a->block = b;
	char *start = (char *)(b + 1);
	if (want == bytes && a->at) /* a large piece of its own: keep filling the block before */
		return start;
	a->at = start + bytes;
	a->end = start + want;
	return start;
}

void *
pt_arena_alloc(struct ptx_arena *a, size_t bytes)
{
	bytes = (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if ((size_t)(a->end - a->at) < bytes || !a->at)
		return new_block(a, bytes ? bytes : ALIGN);
	void *piece = a->at;
	a->at += bytes;
	return piece;
}

void
pt_arena_release(struct ptx_arena *a)
{
	for (struct arena_block *b = a->block, *next; b; b = next) {
		next = b->next;
		free(b);
	}
	free(a->bucket);
	*a = (struct ptx_arena){0};
}

/* FNV-1a, with the high bits folded down for the power-of-two table. */
static uint32_t
hash_text(const char *text, size_t bytes)
{
	uint32_t h = 2166136261u;
	for (size_t i = 0; i < bytes; i++)
		h = (h ^ (unsigned char)text[i]) * 16777619u;
	return h ^ h >> 15;
}

static int
grow(struct ptx_arena *a)
{
	size_t n = a->n_bucket ? a->n_bucket * 2 : 1024;
	struct name **bucket = calloc(n, sizeof *bucket);
	if (!bucket)
		return -1;
	for (size_t i = 0; i < a->n_bucket; i++)
		for (struct name *m = a->bucket[i], *next; m; m = next) {
			next = m->next;
			m->next = bucket[m->hash & (n - 1)];
			bucket[m->hash & (n - 1)] = m;
		}
	free(a->bucket);
	a->bucket = bucket;
	a->n_bucket = n;
	return 0;
}

static struct name *
lookup(const struct ptx_arena *a, uint32_t hash, const char *text, size_t bytes)
{
	struct name *m = a->bucket[hash & (a->n_bucket - 1)];
	while (m && (m->hash != hash || m->bytes != bytes || memcmp(m->text, text, bytes)))
		m = m->next;
	return m;
}

struct name *
pt_arena_find(const struct ptx_arena *a, const char *text, size_t bytes)
{
	return a->bucket ? lookup(a, hash_text(text, bytes), text, bytes) : NULL;
}

struct name *
pt_arena_name(struct ptx_arena *a, const char *text, size_t bytes)
{
	if (a->n_name >= a->n_bucket && grow(a))
		return NULL;
	uint32_t hash = hash_text(text, bytes);
	struct name *m = lookup(a, hash, text, bytes);
	if (m)
		return m;
	m = pt_arena_alloc(a, sizeof *m + bytes + 1);
	if (!m)
		return NULL;
	memcpy(m->text, text, bytes);
	m->hash = hash;
	m->bytes = (uint32_t)bytes;
	m->next = a->bucket[hash & (a->n_bucket - 1)];
	a->bucket[hash & (a->n_bucket - 1)] = m;
	a->n_name++;
	return m;
}
