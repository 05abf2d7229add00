/*
 * CTA barriers. Lanes arrive; a warp whose living lanes have all arrived counts as a whole warp, as
 * PTX counts (section 9.7.13.1), and lanes that ended are not waited for.
 */
#include <string.h>
#include "exec/access.h"

static bool
whole(const struct warp *w, uint32_t arrived)
{
	return arrived && (w->live & ~arrived) == 0;
}

/* Warps mostly come in order: who is missing is soonest found from behind. */
static bool
all_here(const struct cta *c, const struct barrier *b)
{
	for (uint32_t i = c->n_warps; i-- > 0;)
		if (c->warp[i]->live && !whole(c->warp[i], b->arrived[i]))
			return false;
	return true;
}

static bool
complete(const struct cta *c, const struct barrier *b)
{
	uint32_t threads = 0;
	if (!b->threads)
		return all_here(c, b);
	for (uint32_t i = 0; i < c->n_warps; i++) {
		const bool here = whole(c->warp[i], b->arrived[i]);
		threads += here ? WCP_LANES : (uint32_t)__builtin_popcount(b->arrived[i]);
	}
	return threads >= b->threads;
}

/* The result of bar.red for the lanes that wait at in. */
static void
put_result(struct warp *w, const struct insn *in, const struct barrier *b, uint32_t mask)
{
	const unsigned what = in->aux & BAR_WHAT;
	if (what == BAR_POPC) {
		uint32_t *d = (uint32_t *)(void *)(w->file + in->d);
		for (unsigned l = 0; l < WCP_LANES; l++)
			if (mask >> l & 1)
				d[l] = b->red_count;
	} else if (what == BAR_AND || what == BAR_OR) {
		uint32_t *d = (uint32_t *)(void *)(w->file + in->d);
		bool value = what == BAR_OR ? b->red_count > 0 : b->red_count == b->red_total;
		*d = (*d & ~mask) | (value ? mask : 0);
	}
}

static void
open_barrier(struct cta *c, uint32_t id)
{
	struct barrier *b = &c->barrier[id];
	for (uint32_t i = 0; i < c->n_warps; i++) {
		struct warp *w = c->warp[i];
		for (uint32_t k = 0; b->arrived[i] && k < w->n_path; k++) {
			struct path *p = &w->path[k];
			if (p->state != PATH_BARRIER || p->barrier != id)
				continue;
			put_result(w, p->in, b, p->mask);
			p->state = PATH_READY;
			p->in++;
			c->n_waiting -= (uint32_t)__builtin_popcount(p->mask);
		}
		b->arrived[i] = 0;
	}
	b->threads = b->n_arrived = b->red_count = b->red_total = 0;
}

/* Lanes that wait for the whole warp, elsewhere than at in. */
static const struct path *
waiting_elsewhere(const struct warp *w, const struct insn *in)
{
	for (uint32_t k = 0; k < w->n_path; k++) {
		const struct path *p = &w->path[k];
		if (p->state == PATH_BARRIER && p->in->aux & BAR_ALIGNED && p->in != in)
			return p;
	}
	return NULL;
}

static void
fault_divergent(struct warp *w, const struct insn *in, uint32_t mask)
{
	exec_fault(w, FAULT_DIVERGENT, in, (uint32_t)__builtin_ctz(mask), mask, 0);
}

/* Do lanes wait at a join for others to come, not only to end with them? */
static bool
some_at_joins(const struct warp *w)
{
	for (uint64_t left = w->joins; left; left &= left - 1) {
		const struct join *j = &w->join[__builtin_ctzll(left)];
		const struct insn *in = j->at;
		while (in->what == DO_RECONVERGE)
			in++;
		if (j->arrived && in->what != DO_EXIT)
			return true;
	}
	return false;
}

bool
exec_barrier_parted(struct warp *w)
{
	const struct path *p = w->cta->run->check_sync ? waiting_elsewhere(w, NULL) : NULL;
	if (!p || !some_at_joins(w))
		return false;
	fault_divergent(w, p->in, p->mask);
	return true;
}

/* With check_sync: does part of a warp come to a barrier that is for all of it? Those who are not
 * there may be about to end, or wait for something else first and come here then; where others of
 * the warp wait at another barrier they will not. Lanes that do not wait, or are counted, are not
 * waited for either. */
static bool
is_divergent(struct warp *w, const struct insn *in, uint32_t mask)
{
	if (!w->cta->run->check_sync || !(in->aux & BAR_ALIGNED) || mask == w->live)
		return false;
	const struct path *p = waiting_elsewhere(w, in);
	if (p)
		fault_divergent(w, p->in, p->mask);
	else if (in->b || (in->aux & BAR_WHAT) == BAR_ARRIVE)
		fault_divergent(w, in, mask);
	return w->fault.kind == FAULT_DIVERGENT;
}

bool
exec_barrier(struct warp *w, const struct insn *in, uint32_t mask)
{
	struct cta *c = w->cta;
	const unsigned what = in->aux & BAR_WHAT;
	uint32_t lane = (uint32_t)__builtin_ctz(mask), id = 0, threads = 0, predicate = 0;
	if (is_divergent(w, in, mask))
		return false;
	if (in->aux & BAR_CLUSTER)
		return exec_cluster_barrier(w, in, mask);
	memcpy(&id, w->file + in->a + 4 * lane, 4);
	if (in->b)
		memcpy(&threads, w->file + in->b + 4 * lane, 4);
	const bool named = id < EXEC_USER_BARRIERS;
	if (!named || threads % WCP_LANES || (in->b && !threads)) {
		exec_fault(w, FAULT_BARRIER, in, lane, named ? threads : id, named);
		return false;
	}
	struct barrier *b = &c->barrier[id];
	if (what >= BAR_POPC) {
		memcpy(&predicate, w->file + in->c, 4);
		predicate = (in->aux & BAR_NEGATED ? ~predicate : predicate) & mask;
	}
	b->threads = threads;
	b->arrived[w->index] |= mask;
	b->n_arrived += (uint32_t)__builtin_popcount(mask);
	b->red_count += (uint32_t)__builtin_popcount(predicate);
	b->red_total += (uint32_t)__builtin_popcount(mask);
	if (what != BAR_ARRIVE) {
		struct path *p = exec_top(w);
		p->state = PATH_BARRIER;
		p->barrier = (uint8_t)id;
		c->n_waiting += (uint32_t)__builtin_popcount(mask);
	}
	if (!whole(w, b->arrived[w->index]) && !threads)
		return what == BAR_ARRIVE;
	if (!complete(c, b))
		return what == BAR_ARRIVE;
	open_barrier(c, id);
	return true;
}

void
exec_barrier_lanes_ended(struct warp *w)
{
	struct cta *c = w->cta;
	if (c->code->has_cluster_barrier)
		exec_cluster_lanes_ended(c->cluster);
	if (!c->n_waiting)
		return;
	for (uint32_t id = 0; id < EXEC_USER_BARRIERS; id++)
		if (c->barrier[id].n_arrived && complete(c, &c->barrier[id]))
			open_barrier(c, id);
}
