#include <stdlib.h>
#include <sys/mman.h>
#include "local.h"

/* Fresh pages need no clearing, and large ones are a tenth of the faults. */
static struct place *
new_places(uint64_t n)
{
	size_t bytes = n * sizeof(struct place);
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return must_alloc(NULL, SIZE_MAX);
	madvise(p, bytes, MADV_HUGEPAGE);
	return p;
}

static void
free_places(struct place *p, uint64_t n)
{
	if (p)
		munmap(p, n * sizeof *p);
}

void
touch_table_release(struct touch_table *t)
{
	free_places(t->place, t->mask + 1);
	*t = (struct touch_table){.by_sm = t->by_sm};
}

void
touch_table_reserve(struct touch_table *t, uint64_t n)
{
	struct touch_table old = *t;
	uint64_t places = old.place ? old.mask + 1 : 65536;
	while ((t->n + n) * 3 > places * 2)
		places *= 2;
	if (old.place && places == old.mask + 1)
		return;
	t->place = new_places(places);
	t->mask = places - 1;
	t->n = 0;
	for (uint64_t i = 0; old.place && i <= old.mask; i++)
		if (old.place[i].line)
			*touch_place(t, old.place[i].line - 1, t->by_sm ? old.place[i].sm : 0) =
			    old.place[i];
	free_places(old.place, old.mask + 1);
}
