/* Orders of the schedulers. */
#include <stdlib.h>
#include <string.h>
#include "naive_state.h"

/* Does the row of the bank count as hit? The cap of FR-FCFS: not when it had its share and the
 * oldest considered request wants another. */
static bool
capped(const struct naive *n, const struct naive_bank *b)
{
	uint32_t cap = n->c.controller.frfcfs_cap;
	if (!cap || b->columns < cap)
		return false;
	for (size_t i = 0; i < n->queued; i++)
		if (naive_bank_of(n, &n->queue[i].r.place) == b &&
		    naive_considered(n, &n->queue[i]))
			return n->queue[i].r.place.row != b->row;
	return false;
}

static bool
batched(const struct naive *n, const struct naive_request *q)
{
	return !n->c.controller.write_queue || !q->r.write;
}

static uint32_t
parbs_place(const struct naive *n, const struct naive_request *q)
{
	return batched(n, q) ? n->parbs_place[q->r.requester] : 0;
}

bool
naive_before(const struct naive *n, const struct naive_request *a, const struct naive_request *b)
{
	bool ahit = naive_hit(n, a), bhit = naive_hit(n, b);
	if (n->order == ORDER_FRFCFS) {
		ahit &= !capped(n, naive_bank_of(n, &a->r.place));
		bhit &= !capped(n, naive_bank_of(n, &b->r.place));
		if (ahit != bhit)
			return ahit;
	} else if (n->order == ORDER_PARBS) {
		if (a->marked != b->marked)
			return a->marked;
		if (ahit != bhit)
			return ahit;
		uint32_t ap = parbs_place(n, a), bp = parbs_place(n, b);
		if (ap != bp)
			return ap < bp;
	} else if (n->order == ORDER_TCM) {
		uint32_t ap = naive_tcm_place(n, a->r.requester),
			 bp = naive_tcm_place(n, b->r.requester);
		if (ap != bp)
			return ap < bp;
		if (ahit != bhit)
			return ahit;
	}
	return a->order < b->order;
}

/* ---- PAR-BS --------------------------------------------------------------------------------- */

static uint32_t
marked_of(const struct naive *n, uint32_t requester, const struct naive_bank *b)
{
	uint32_t count = 0;
	for (size_t i = 0; i < n->queued; i++) {
		const struct naive_request *q = &n->queue[i];
		count += q->marked && q->r.requester == requester &&
			 (!b || naive_bank_of(n, &q->r.place) == b);
	}
	return count;
}

static uint32_t
fullest(const struct naive *n, uint32_t requester)
{
	uint32_t most = 0;
	for (uint32_t b = 0; b < n->banks; b++) {
		uint32_t count = marked_of(n, requester, &n->bank[b]);
		if (count > most)
			most = count;
	}
	return most;
}

/* Max rule, total rule, number. Who has nothing marked has no load. */
static void
rank_requesters(struct naive *n)
{
	uint32_t count = n->c.controller.requesters;
	uint64_t *load = calloc(count, sizeof *load);
	for (uint32_t i = 0; i < count; i++)
		if (marked_of(n, i, NULL))
			load[i] = (uint64_t)fullest(n, i) << 32 | marked_of(n, i, NULL);
	for (uint32_t i = 0; i < count; i++) {
		n->parbs_place[i] = 0;
		for (uint32_t j = 0; j < count; j++)
			n->parbs_place[i] += load[j] < load[i] || (load[j] == load[i] && j < i);
	}
	free(load);
}

static void
batch(struct naive *n)
{
	bool any = false;
	for (size_t i = 0; i < n->queued; i++) {
		struct naive_request *q = &n->queue[i];
		any |= naive_considered(n, q) && batched(n, q);
		if (q->marked)
			return;
	}
	if (!any)
		return;
	for (size_t i = 0; i < n->queued; i++) {
		struct naive_request *q = &n->queue[i];
		q->marked = batched(n, q) && !q->opened &&
			    marked_of(n, q->r.requester, naive_bank_of(n, &q->r.place)) <
				n->c.controller.parbs_cap;
	}
	rank_requesters(n);
}

/* ---- hooks ---------------------------------------------------------------------------------- */

void
naive_order_begin(struct naive *n)
{
	if (n->order == ORDER_TCM)
		naive_tcm_begin(n);
}

void
naive_order_arrived(struct naive *n, const struct naive_request *q)
{
	if (n->order == ORDER_TCM)
		naive_tcm_arrived(n, q);
}

void
naive_order_cycle(struct naive *n)
{
	if (n->order == ORDER_PARBS)
		batch(n);
}

void
naive_order_served(struct naive *n, const struct naive_request *q)
{
	if (n->order == ORDER_TCM)
		naive_tcm_served(n, q);
}

void
naive_order_sample(struct naive *n)
{
	if (n->order == ORDER_TCM)
		naive_tcm_sample(n);
}

void
naive_order_new(struct naive *n)
{
	static const char *const name[] = {"fcfs", "frfcfs", "parbs", "tcm"};
	while (strcmp(n->c.controller.scheduler, name[n->order]) != 0)
		n->order++;
	n->parbs_place = calloc(n->c.controller.requesters + 1, sizeof *n->parbs_place);
	n->tcm = naive_tcm_new(n);
}

void
naive_order_free(struct naive *n)
{
	free(n->parbs_place);
	naive_tcm_free(n->tcm);
}
