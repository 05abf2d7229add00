/* Reuse distance, the slow ways: a list of lines in stack order, and a Fenwick tree over all
 * references. */
#ifndef REUSE_NAIVE_H
#define REUSE_NAIVE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void *
naive_alloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);
	if (!p) {
		fputs("out of memory\n", stderr);
		exit(4);
	}
	return p;
}

/* splitmix64 */
static inline uint64_t
naive_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

struct naive_list {
	uint64_t *line; /* [n] least recently used first */
	size_t n, cap;
};

static inline uint32_t
naive_list_touch(struct naive_list *s, uint64_t line)
{
	for (size_t i = s->n; i-- > 0;) {
		if (s->line[i] != line)
			continue;
		memmove(s->line + i, s->line + i + 1, (s->n - i - 1) * sizeof *s->line);
		s->line[s->n - 1] = line;
		return (uint32_t)(s->n - 1 - i);
	}
	if (s->n == s->cap) {
		s->cap = s->cap * 2 + 16;
		s->line = realloc(s->line, s->cap * sizeof *s->line);
		if (!s->line)
			exit(4);
	}
	s->line[s->n++] = line;
	return 0xffffffffu;
}

struct naive_tree {
	uint32_t *sum;	/* [n + 1] Fenwick tree over references: 1 where a line's last one is */
	uint64_t *key;	/* [mask + 1] */
	uint32_t *last; /* [mask + 1] 1 + reference, 0: empty */
	uint64_t mask;
	uint32_t n, now, marks;
};

static inline void
naive_tree_init(struct naive_tree *t, uint32_t references, unsigned table_bits)
{
	*t = (struct naive_tree){.n = references, .mask = (1ull << table_bits) - 1};
	t->sum = naive_alloc(references + 1ull, sizeof *t->sum);
	t->key = naive_alloc(t->mask + 1, sizeof *t->key);
	t->last = naive_alloc(t->mask + 1, sizeof *t->last);
}

static inline void
naive_tree_release(struct naive_tree *t)
{
	free(t->sum);
	free(t->key);
	free(t->last);
}

static inline void
naive_tree_add(struct naive_tree *t, uint32_t at, uint32_t delta)
{
	for (; at <= t->n; at += at & -at)
		t->sum[at] += delta;
}

static inline uint32_t
naive_tree_touch(struct naive_tree *t, uint64_t line)
{
	uint64_t h = line * 0x9e3779b97f4a7c15u;
	uint64_t slot = (h ^ h >> 29) & t->mask;
	while (t->last[slot] && t->key[slot] != line)
		slot = (slot + 1) & t->mask;
	uint32_t last = t->last[slot], below = 0;
	t->key[slot] = line;
	t->last[slot] = ++t->now;
	for (uint32_t i = last; i; i &= i - 1)
		below += t->sum[i];
	uint32_t distance = last ? t->marks - below : 0xffffffffu;
	if (last)
		naive_tree_add(t, last, -1u);
	else
		t->marks++;
	naive_tree_add(t, t->now, 1);
	return distance;
}

#endif
