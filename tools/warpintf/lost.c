#include <stdlib.h>
#include <sys/mman.h>
#include "intf.h"

enum { LEAST = 65536 };

/* Fresh pages need no clearing, and large ones are a tenth of the faults. */
static struct line *
new_lines(uint64_t n)
{
	size_t bytes = n * sizeof(struct line);
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return must_alloc(NULL, SIZE_MAX);
	madvise(p, bytes, MADV_HUGEPAGE);
	return p;
}

static void
free_lines(struct line *l, uint64_t mask)
{
	if (l)
		munmap(l, (mask + 1) * sizeof *l);
}

void
lost_release(struct lost *t)
{
	free_lines(t->line, t->mask);
	*t = (struct lost){0};
}

static uint64_t
living(const struct lost *t)
{
	uint64_t n = 0;
	for (uint64_t i = 0; t->line && i <= t->mask; i++)
		n += t->line[i].line && t->line[i].life == t->life;
	return n;
}

/* What is of an earlier life of the caches stays behind. */
void
lost_reserve(struct lost *t, uint64_t n)
{
	struct lost old = *t;
	uint64_t size = old.line ? old.mask + 1 : LEAST;
	if (old.line && (old.n + n) * 3 <= size * 2)
		return;
	for (uint64_t want = living(&old) + n; want * 3 > size; size *= 2)
		;
	*t = (struct lost){new_lines(size), size - 1, 0, old.life};
	for (uint64_t i = 0; old.line && i <= old.mask; i++) {
		const struct line *l = &old.line[i];
		if (l->line && l->life == old.life)
			*lost_at(t, l->line - 1, l->place) = *l;
	}
	free_lines(old.line, old.mask);
}
