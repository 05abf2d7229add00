#include <stdlib.h>
#include <string.h>
#include "ratio.h"

void
footprint_init(struct footprint *f)
{
	*f = (struct footprint){.limit = NO_LIMIT};
}

void
footprint_release(struct footprint *f)
{
	free(f->p);
	footprint_init(f);
}

static void
insertion_sort(struct posting *p, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		struct posting x = p[i];
		uint32_t k = i;
		for (; k && p[k - 1].key > x.key; k--)
			p[k] = p[k - 1];
		p[k] = x;
	}
}

/* By bytes, least first; bytes that are the same in all keys cost one look. */
static void
radix_sort(struct posting *p, uint32_t n, struct posting *room)
{
	struct posting *from = p, *to = room;
	for (unsigned shift = 0; shift < 32; shift += 8) {
		uint32_t start[257] = {0};
		for (uint32_t i = 0; i < n; i++)
			start[(from[i].key >> shift & 255) + 1]++;
		if (start[(from[0].key >> shift & 255) + 1] == n)
			continue;
		for (unsigned b = 0; b < 256; b++)
			start[b + 1] += start[b];
		for (uint32_t i = 0; i < n; i++)
			to[start[from[i].key >> shift & 255]++] = from[i];
		struct posting *other = from;
		from = to;
		to = other;
	}
	if (from != p)
		memcpy(p, from, n * sizeof *p);
}

static void
reserve(struct sorter *s, uint32_t n)
{
	if (n <= s->cap)
		return;
	s->cap = n + n / 2;
	free(s->p);
	s->p = must_alloc(NULL, s->cap * sizeof *s->p);
}

/* Adds x to the n postings at p; the new n. */
static inline uint32_t
put(struct posting *p, uint32_t n, struct posting x, struct sorter *s)
{
	if (!n || p[n - 1].key != x.key) {
		p[n] = x;
		return n + 1;
	}
	uint64_t count = (uint64_t)p[n - 1].count + x.count;
	s->overflows |= count > UINT32_MAX;
	p[n - 1].count = (uint32_t)count;
	return n;
}

/* Two sorted parts of f, the second at middle, become one. */
static void
merge(struct footprint *f, uint32_t middle, struct sorter *s)
{
	struct posting *out = s->p, *p = f->p;
	uint32_t n = 0, a = 0, b = middle;
	while (a < middle && b < f->n)
		n = put(out, n, p[a].key <= p[b].key ? p[a++] : p[b++], s);
	while (a < middle)
		n = put(out, n, p[a++], s);
	while (b < f->n)
		n = put(out, n, p[b++], s);
	memcpy(p, out, n * sizeof *p);
	f->n = n;
}

void
footprint_settle(struct footprint *f, struct sorter *s)
{
	uint32_t tail = f->n - f->sorted;
	reserve(s, f->n);
	if (tail > 48)
		radix_sort(f->p + f->sorted, tail, s->p);
	else
		insertion_sort(f->p + f->sorted, tail);
	if (tail)
		merge(f, f->sorted, s);
	if (s->keep && f->n > s->keep) {
		f->n = s->keep;
		f->limit = f->p[s->keep].key;
	}
	f->sorted = f->n;
}

void
footprint_grow(struct footprint *f, struct sorter *s)
{
	footprint_settle(f, s);
	if (f->n <= f->cap / 2 && f->cap)
		return;
	f->cap = f->cap ? f->cap * 2 : 8;
	f->p = must_alloc(f->p, f->cap * sizeof *f->p);
}

void
footprint_sum(struct footprint *into, struct footprint *const *from, uint32_t n, struct sorter *s)
{
	uint64_t total = 0;
	for (uint32_t i = 0; i < n; i++) {
		into->size += from[i]->size;
		into->limit = from[i]->limit < into->limit ? from[i]->limit : into->limit;
		total += from[i]->n;
	}
	if (total > UINT32_MAX) {
		s->overflows = true;
		return;
	}
	into->cap = (uint32_t)total;
	into->p = must_alloc(NULL, into->cap * sizeof *into->p);
	for (uint32_t i = 0; i < n; i++) {
		/* Above the least limit some units no longer know what they touched. */
		for (uint32_t k = 0; k < from[i]->n && from[i]->p[k].key < into->limit; k++)
			into->p[into->n++] = from[i]->p[k];
	}
	footprint_settle(into, s);
	into->p = must_alloc(into->p, into->n * sizeof *into->p);
	into->cap = into->n;
}

double
footprint_lines(const struct footprint *f)
{
	return f->limit == NO_LIMIT ? f->n : (double)f->n * (double)NO_LIMIT / (double)f->limit;
}
