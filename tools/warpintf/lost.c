#include "intf.h"

enum { LEAST_BITS = 16 };

void
lost_init(struct lost *t)
{
	*t = (struct lost){
	    .line = zeroed_new(sizeof *t->line << LEAST_BITS), .shift = 64 - LEAST_BITS};
}

static uint64_t
size_of(const struct lost *t)
{
	return (UINT64_MAX >> t->shift) + 1;
}

void
lost_release(struct lost *t)
{
	zeroed_free(t->line, size_of(t) * sizeof *t->line);
	t->line = NULL;
}

/* When no new number of a life is left, old ones could be taken for it. */
void
lost_forget(struct lost *t)
{
	t->life = (t->life + 1) & (LIVES - 1);
	if (t->life)
		return;
	zeroed_free(t->line, size_of(t) * sizeof *t->line);
	t->line = zeroed_new(size_of(t) * sizeof *t->line);
	t->n = 0;
}

static uint64_t
living(const struct lost *t)
{
	uint64_t n = 0;
	for (uint64_t i = 0, size = size_of(t); i < size; i++)
		n += t->line[i].line && t->line[i].life == t->life;
	return n;
}

/* What is of an earlier life of the caches stays behind. */
void
lost_reserve(struct lost *t, uint64_t n)
{
	struct lost old = *t;
	uint64_t size = size_of(&old);
	if ((old.n + n) * 3 <= size * 2)
		return;
	uint64_t want = living(&old) + n;
	for (uint64_t s = size; want * 3 > s; s *= 2)
		t->shift--;
	t->line = zeroed_new(size_of(t) * sizeof *t->line);
	t->n = 0;
	for (uint64_t i = 0; i < size; i++) {
		const struct line *l = &old.line[i];
		if (l->line && l->life == old.life)
			*lost_at(t, lost_home(t, l->line - 1, l->place), l->line - 1, l->place, 0) =
			    *l;
	}
	lost_release(&old);
}
