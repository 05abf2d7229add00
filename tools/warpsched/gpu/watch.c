#include "gpu/gpu.h"

#include <stdlib.h>
#include <string.h>

bool
watch_init(struct watch *w, bool ages, bool interference)
{
	*w = (struct watch){.ages = ages, .interference = interference};
	keys_init(&w->pc, UNIT_PC);
	if (interference)
		w->lost = calloc(SLOTS_MAX, sizeof *w->lost);
	return w->lost || !interference;
}

void
watch_release(struct watch *w)
{
	keys_release(&w->pc);
	free(w->row);
	free(w->lost);
}

/* ---- ages ----------------------------------------------------------------------------------- */

static unsigned
age_of(const struct sm *sm, uint32_t slot)
{
	unsigned older = 0;
	for (uint64_t r = sm->view.resident; r; r &= r - 1)
		older += sm->seen[__builtin_ctzll(r)].age < sm->seen[slot].age;
	return older;
}

static struct age_row *
row_of(struct watch *w, const struct sm *sm, uint32_t slot, uint32_t pc)
{
	struct key key = {.group = sm->warp[slot].cta->run->kernel->program, .unit = pc};
	uint32_t n = keys_number(&w->pc, key);
	if (n >= w->cap_pc) {
		uint32_t cap = n + n / 2 + 16;
		size_t bytes = SLOTS_MAX * sizeof *w->row;
		struct age_row *grown = realloc(w->row, cap * bytes);
		if (!grown) {
			w->failed = true;
			return NULL;
		}
		memset(grown + (size_t)w->cap_pc * SLOTS_MAX, 0, (cap - w->cap_pc) * bytes);
		w->row = grown;
		w->cap_pc = cap;
	}
	return &w->row[(size_t)n * SLOTS_MAX + age_of(sm, slot)];
}

void
watch_load(struct watch *w, const struct sm *sm, const struct op *op)
{
	struct age_row *row = w->ages ? row_of(w, sm, op->slot, op->pc) : NULL;
	if (row)
		row->loads++;
}

static void
count_age(struct watch *w, const struct sm *sm, const struct request *r, uint8_t outcome)
{
	struct age_row *row = row_of(w, sm, r->slot, r->pc);
	if (!row)
		return;
	row->accesses++;
	row->misses += outcome == WCP_OUT_MISS || outcome == WCP_OUT_SECTOR ||
		       outcome == WCP_OUT_REDIRECT_MISS;
	row->merges += outcome == WCP_OUT_PENDING;
}

/* ---- interference --------------------------------------------------------------------------- */

void
watch_access(struct watch *w, struct sm *sm, const struct request *r, uint8_t outcome)
{
	uint32_t evictor;
	if (w->ages)
		count_age(w, sm, r, outcome);
	if (!sm->lost)
		return;
	bool missed = outcome == WCP_OUT_MISS || outcome == WCP_OUT_REDIRECT_MISS;
	if (missed && wcp_vta_probe(sm->lost, r->slot, r->line, &evictor))
		w->lost[r->slot][evictor]++;
}

void
watch_evicted(struct watch *w, struct sm *sm, const struct wcp_nb_victim *v)
{
	(void)w;
	if (sm->lost)
		wcp_vta_insert(sm->lost, v->owner, v->line, v->evictor);
}
