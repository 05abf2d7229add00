#include <string.h>
#include "warpcache.h"

static void
count(struct row *row, uint8_t kind, uint8_t result, bool cold)
{
	unsigned outcome = result & WCP_CACHE_OUTCOME;
	bool hit = result & WCP_CACHE_PRESENT;
	bool is_load = kind == WCP_LOAD || kind == WCP_PREFETCH;
	bool is_store = kind == WCP_STORE || kind == WCP_WRITEBACK;
	row->bypassed += outcome == WCP_OUT_BYPASS;
	row->writebacks += (result & WCP_CACHE_DIRTY) != 0;
	if (outcome == WCP_OUT_BYPASS || outcome == WCP_OUT_NONE)
		return;
	row->accesses++;
	row->loads += is_load;
	row->stores += is_store;
	row->atomics += !is_load && !is_store;
	row->hits += hit;
	row->load_hits += hit && is_load;
	row->store_hits += hit && is_store;
	row->sector += outcome == WCP_OUT_SECTOR;
	row->cold += cold;
}

static struct row *
row_of(struct run *r, uint32_t number)
{
	if (number >= r->cap_row) {
		uint32_t cap = number < 512 ? 1024 : number * 2;
		r->row = must_have(r->row, cap * sizeof *r->row);
		memset(r->row + r->cap_row, 0, (cap - r->cap_row) * sizeof *r->row);
		r->cap_row = cap;
	}
	return &r->row[number];
}

void
count_results(struct run *r, const struct wcp_access_batch *b)
{
	struct work *w = &r->work;
	unsigned shift = wcp_cache_index(r->cache)->line_shift;
	if (r->by.what)
		unit_numbers(&r->by, r->reader, b, w->at, w->n, w->unit);
	for (uint32_t i = 0; i < w->n; i++) {
		unsigned outcome = w->result[i] & WCP_CACHE_OUTCOME;
		bool missed = !(w->result[i] & WCP_CACHE_PRESENT) && outcome != WCP_OUT_BYPASS &&
			      outcome != WCP_OUT_NONE;
		bool cold = missed && lines_add(&r->seen, w->line[i] >> shift, w->copy[i]);
		count(&r->all, w->kind[i], w->result[i], cold);
		if (r->by.what)
			count(row_of(r, w->unit[i]), w->kind[i], w->result[i], cold);
	}
}

void
count_kernel_end(struct run *r, const struct wcp_kernel_end *end)
{
	if (end->kernel >= r->n_insns) {
		r->insns = must_have(r->insns, (end->kernel + 1ull) * sizeof *r->insns);
		memset(
		    r->insns + r->n_insns, 0, (end->kernel + 1ull - r->n_insns) * sizeof *r->insns);
		r->n_insns = end->kernel + 1;
	}
	r->insns[end->kernel] = (struct instructions){end->thread_insns, end->warp_insns, true};
}
