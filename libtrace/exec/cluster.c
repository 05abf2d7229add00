/*
 * Clusters: CTAs that are there together, wait for each other and reach each other's shared memory.
 * A CTA that ends keeps its shared memory until all of its cluster have.
 */
#include <stdlib.h>
#include "exec/access.h"

void
exec_cluster_free(struct cluster *k)
{
	for (uint32_t r = 0; k && r < k->n; r++)
		exec_cta_free(k->cta[r]);
	free(k);
}

struct cluster *
exec_cluster_new(const struct exec_run *run, struct window *cache)
{
	struct cluster *k = calloc(1, sizeof *k);
	if (!k)
		return NULL;
	k->n = run->cluster_ctas;
	for (uint32_t r = 0; r < k->n; r++) {
		k->cta[r] = exec_cta_new(run, cache);
		if (!k->cta[r]) {
			exec_cluster_free(k);
			return NULL;
		}
		k->cta[r]->cluster = k;
		k->cta[r]->rank = r;
	}
	return k;
}

uint64_t
exec_cluster_cta(const struct exec_run *run, uint64_t number, uint32_t rank)
{
	const uint32_t *g = run->grid, *d = run->cluster;
	const uint64_t row = g[0] / d[0], column = g[1] / d[1];
	const uint64_t x = number % row * d[0] + rank % d[0];
	const uint64_t y = number / row % column * d[1] + rank / d[0] % d[1];
	const uint64_t z = number / row / column * d[2] + rank / d[0] / d[1];
	return x + g[0] * (y + g[1] * z);
}

uint64_t
exec_cluster_progress(const struct cluster *k)
{
	uint64_t n = k->passed;
	for (uint32_t r = 0; r < k->n; r++)
		for (uint32_t i = 0; i < k->cta[r]->n_warps; i++)
			n += k->cta[r]->warp[i]->progress;
	return n;
}

/* ---- the barrier of a cluster ---- */

static struct barrier *
barrier_of(struct cta *c)
{
	return &c->barrier[EXEC_USER_BARRIERS];
}

static bool
all_arrived(const struct cluster *k)
{
	for (uint32_t r = 0; r < k->n; r++) {
		const struct cta *c = k->cta[r];
		for (uint32_t i = 0; i < c->n_warps; i++)
			if (c->warp[i]->live & ~c->barrier[EXEC_USER_BARRIERS].arrived[i])
				return false;
	}
	return true;
}

static void
go_on(struct cta *c, struct warp *w)
{
	for (uint32_t i = 0; i < w->n_path; i++) {
		struct path *p = &w->path[i];
		if (p->state != PATH_BARRIER || p->barrier != EXEC_USER_BARRIERS)
			continue;
		p->state = PATH_READY;
		p->in++;
		c->n_waiting -= (uint32_t)__builtin_popcount(p->mask);
	}
}

/* Threads that ended are not waited for. */
static void
open_if_complete(struct cluster *k)
{
	uint32_t arrived = 0;
	for (uint32_t r = 0; r < k->n; r++)
		arrived += barrier_of(k->cta[r])->n_arrived;
	if (!arrived || !all_arrived(k))
		return;
	k->passed++;
	for (uint32_t r = 0; r < k->n; r++) {
		struct cta *c = k->cta[r];
		struct barrier *b = barrier_of(c);
		for (uint32_t i = 0; i < c->n_warps; i++) {
			go_on(c, c->warp[i]);
			b->arrived[i] = 0;
		}
		b->n_arrived = 0;
	}
}

bool
exec_cluster_barrier(struct warp *w, const struct insn *in, uint32_t mask)
{
	struct cta *c = w->cta;
	struct barrier *b = barrier_of(c);
	if ((in->aux & BAR_WHAT) == BAR_ARRIVE) {
		b->n_arrived += (uint32_t)__builtin_popcount(mask & ~b->arrived[w->index]);
		b->arrived[w->index] |= mask;
		open_if_complete(c->cluster);
		return true;
	}
	/* who arrived and is not waited for any more has nothing to wait for */
	if (!(b->arrived[w->index] & mask))
		return true;
	struct path *p = exec_top(w);
	p->state = PATH_BARRIER;
	p->barrier = EXEC_USER_BARRIERS;
	c->n_waiting += (uint32_t)__builtin_popcount(mask);
	return false;
}

void
exec_cluster_lanes_ended(struct cluster *k)
{
	open_if_complete(k);
}
