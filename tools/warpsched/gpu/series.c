#include "gpu/gpu.h"

#include <stdlib.h>
#include <string.h>

void
series_release(struct series *s)
{
	free(s->row);
}

static struct series_row *
row_at(struct series *s, uint64_t number)
{
	if (number >= s->cap) {
		uint64_t cap = number + number / 2 + 64;
		struct series_row *grown = realloc(s->row, cap * sizeof *grown);
		if (!grown) {
			s->failed = true;
			return NULL;
		}
		memset(grown + s->cap, 0, (cap - s->cap) * sizeof *grown);
		s->row = grown;
		s->cap = cap;
	}
	s->n = number >= s->n ? number + 1 : s->n;
	return &s->row[number];
}

/* What was counted since it was handed in last goes to the interval that ends at end. */
static void
hand_in(struct series *s, uint64_t end, struct series_row *last, const struct series_row *now)
{
	struct series_row *row = row_at(s, (end - 1) / s->interval);
	uint64_t *to = (uint64_t *)row, *old = (uint64_t *)last;
	const uint64_t *new = (const uint64_t *)now;
	for (size_t i = 0; row && i < sizeof *row / sizeof *to; i++)
		to[i] += new[i] - old[i];
	*last = *now;
}

static void
add_outcomes(uint64_t to[WCP_OUT_COUNT], const struct wcp_nbcache *c)
{
	for (unsigned i = 0; i < WCP_OUT_COUNT; i++)
		to[i] += wcp_nbcache_counts(c)->outcome[i];
}

void
series_sm(struct series *s, struct sm *sm)
{
	const struct sm_counts *n = &sm->counts;
	uint64_t o[WCP_OUT_COUNT] = {0};
	add_outcomes(o, sm->l1[L1D]);
	for (unsigned i = 0; sm->own && i < SLOTS_MAX; i++)
		add_outcomes(o, sm->own[i]);
	if (!sm->now)
		return;
	sm_settle(sm);
	struct series_row now = {
	    .warp_insns = n->warp_insns,
	    .thread_insns = n->thread_insns,
	    .sm_cycles = n->cycles_active,
	    .resident = n->occupancy,
	    .active = n->active,
	    .isolated = n->isolated,
	    .l1_hits = o[WCP_OUT_HIT] + o[WCP_OUT_PENDING],
	    .l1_misses = o[WCP_OUT_MISS] + o[WCP_OUT_SECTOR],
	    .vta_hits = n->vta_hits,
	    .ctas = n->ctas,
	};
	for (unsigned i = WCP_OUT_HIT; i < WCP_OUT_COUNT; i++)
		now.l1_accesses += o[i];
	for (unsigned i = 0; i < LDST_COUNT; i++)
		now.ldst_stalls += n->ldst[i];
	hand_in(s, sm->now, &sm->handed_in, &now);
	sm->sample_at = sm->now / s->interval * s->interval + s->interval;
}

void
series_channel(struct series *s, const struct memory *m, struct channel *c, uint64_t cycle)
{
	const struct wcp_dram_counts *d = wcp_dram_counts(m->dram, c->number);
	struct series_row now = {.dram_reads = d->reads, .dram_writes = d->writes};
	for (uint32_t i = 0; i < m->set->slices; i++) {
		const uint64_t *o = wcp_nbcache_counts(c->slice[i].l2)->outcome;
		for (unsigned k = WCP_OUT_HIT; k < WCP_OUT_COUNT; k++)
			now.l2_accesses += o[k];
		now.l2_misses += o[WCP_OUT_MISS] + o[WCP_OUT_SECTOR];
	}
	hand_in(s, c->sample_at < cycle ? c->sample_at : cycle, &c->handed_in, &now);
	c->sample_at = cycle / s->interval * s->interval + s->interval;
}
