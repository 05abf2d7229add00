/* Columns of accesses: who made them, and what became of them in L1D. */
#include "intf.h"

unsigned
slice_what(enum wcp_outcome outcome)
{
	switch (outcome) {
	case WCP_OUT_HIT:
	case WCP_OUT_PENDING:
	case WCP_OUT_REDIRECT: return COUNTS;
	case WCP_OUT_MISS:
	case WCP_OUT_REDIRECT_MISS: return COUNTS | MISSES | BRINGS;
	case WCP_OUT_SECTOR: return COUNTS | MISSES;
	case WCP_OUT_BYPASS: return GOES_BY;
	case WCP_OUT_NONE:
	case WCP_OUT_FORWARD:
	case WCP_OUT_COUNT: break;
	}
	return 0;
}

/* ---- who ------------------------------------------------------------------------------------ */

/* Which records are of the same warp, and instruction, as the one before them, in column same. */
static void
find_same(struct model *m, const struct wcp_access_batch *b, uint32_t first, uint32_t n)
{
	uint8_t *same = m->work->same;
	const uint16_t *warp = b->warp + first, *slot = b->slot + first, *sm = b->sm + first;
	const uint32_t *cta = b->cta + first, *kernel = b->kernel + first;
	for (uint32_t i = 1; i < n; i++)
		same[i] =
		    (warp[i] == warp[i - 1]) & (slot[i] == slot[i - 1]) & (sm[i] == sm[i - 1]);
	for (uint32_t i = 1; i < n; i++)
		same[i] &= (cta[i] == cta[i - 1]) & (kernel[i] == kernel[i - 1]);
	if (m->set->by == BY_PC)
		for (uint32_t i = 1; i < n; i++)
			same[i] &= b->pc[first + i] == b->pc[first + i - 1];
	same[0] = 0;
}

/* Who made record first + i, in columns place, agent and what; room for the place's victims. */
static int
find_place(struct model *m, const struct wcp_access_batch *b, uint32_t first, uint32_t i,
    struct wcp_error *e)
{
	struct work *c = m->work;
	bool came;
	uint32_t place = who_of(&m->who, b, first + i, &c->agent[i], &came, e);
	if (place == NONE)
		return e->status;
	c->place[i] = place;
	c->what[i] = came ? COMES : 0;
	if (!m->vta || place < m->vta_keys)
		return 0;
	m->vta_keys = 2 * place;
	return wcp_vta_grow(m->vta, m->vta_keys, e);
}

/* ---- through L1s of the machine -------------------------------------------------------------- */

/* An L1 of the place's own, in this life of the caches. Those of one life count from 0; a copy is
 * 16 bits wide, and the 65536th place and those after it share the last. */
static uint16_t
own_copy(struct model *m, uint32_t place)
{
	struct place *p = &m->who.place[place];
	if (p->copy == NONE || p->life != m->life) {
		p->copy = m->own_copies;
		p->life = m->life;
		m->own_copies += m->own_copies < UINT16_MAX;
	}
	return (uint16_t)p->copy;
}

/* Fills in records up to a fault. */
static int
fill_who(struct model *m, const struct wcp_access_batch *b, uint32_t first, uint32_t n,
    struct wcp_error *e)
{
	struct work *c = m->work;
	uint32_t place = NONE, agent = NONE, i;
	uint16_t copy = 0;
	find_same(m, b, first, n);
	for (i = 0; i < n; i++) {
		c->n = i;
		if (!c->same[i]) {
			if (find_place(m, b, first, i, e))
				return e->status;
			place = c->place[i];
			agent = c->agent[i];
			copy = own_copy(m, place);
		} else {
			c->what[i] = 0;
		}
		c->place[i] = place;
		c->agent[i] = agent;
		c->copy[i] = copy;
	}
	c->n = n;
	return 0;
}

static int
run_caches(struct model *m, const struct wcp_access_batch *b, uint32_t first, struct wcp_error *e)
{
	struct work *c = m->work;
	struct wcp_cache_batch in = {.n = c->n,
	    .line = c->line,
	    .sectors = m->all_sectors == 1 ? NULL : c->sectors,
	    .kind = b->kind + first,
	    .space = b->space + first,
	    .flags = b->flags + first,
	    .copy = b->sm + first,
	    .owner = c->place};
	struct wcp_cache_result out = {
	    .result = c->result, .victim = c->victim, .victim_owner = c->owner_place};
	uint32_t own = wcp_cache_copies(m->own);
	while (own <= m->own_copies)
		own *= 2;
	if (wcp_cache_grow(m->l1, m->who.n_sm, e) || wcp_cache_grow(m->own, own, e))
		return e->status;
	wcp_cache_run(m->l1, &in, &out);
	in.copy = c->copy;
	wcp_cache_run(m->own, &in, NULL);
	return 0;
}

static void
take_results(struct model *m, const uint16_t *flags)
{
	struct work *c = m->work;
	for (uint32_t i = 0; i < c->n; i++) {
		unsigned begins = flags[i] & WCP_ACCESS_FIRST ? BEGINS : 0;
		c->what[i] = (uint8_t)(c->what[i] | begins | m->what[c->result[i]]);
	}
}

static int
run_modelled(struct model *m, const struct wcp_access_batch *b, uint32_t first, uint32_t n,
    struct wcp_error *e)
{
	struct work *c = m->work;
	struct wcp_error later = {0};
	uint32_t good = level_check(&m->options, b, first, n, &later);
	int status = good < n ? later.status : 0;
	if (fill_who(m, b, first, good, e)) {
		later = *e;
		status = e->status;
	}
	level_lines(&m->options, b, first, c->n, c->line, c->sectors);
	if (run_caches(m, b, first, e))
		return e->status;
	take_results(m, b->flags + first);
	judge(m);
	if (status)
		*e = later;
	return status;
}

/* ---- by what the stream says ----------------------------------------------------------------- */

/* A fill tells only of what L1D evicted for it. */
static void
take_recorded(struct model *m, const struct wcp_access_batch *b, uint32_t at, uint32_t i)
{
	struct work *c = m->work;
	const struct who *w = &m->who;
	unsigned what = c->what[i];
	if (b->kind[at] != WCP_FILL) {
		what |= slice_what((enum wcp_outcome)WCP_OUTCOME(b->outcome[at], 0));
		what |= b->flags[at] & WCP_ACCESS_FIRST ? BEGINS : 0;
	}
	c->line[i] = b->line[at];
	if (b->victim[at] != ~0ull) {
		what |= EVICTS;
		c->victim[i] = b->victim[at];
		c->owner_place[i] = who_owner(w, b->sm[at], b->victim_owner[at]);
		if (c->owner_place[i] != NONE)
			c->bringer[i] = w->place[c->owner_place[i]].agent;
	}
	c->what[i] = (uint8_t)what;
}

static int
run_recorded(struct model *m, const struct wcp_access_batch *b, uint32_t first, uint32_t n,
    struct wcp_error *e)
{
	struct work *c = m->work;
	int status = 0;
	for (c->n = 0; c->n < n && !status; c->n += !status) {
		if (WCP_OUTCOME(b->outcome[first + c->n], 1) != WCP_OUT_NONE)
			status = wcp_fail(e, WCP_EUSAGE,
			    "these are accesses to a level below L1: tap L1, or give -m");
		else if (!(status = find_place(m, b, first, c->n, e)))
			take_recorded(m, b, first + c->n, c->n);
	}
	judge(m);
	return status;
}

int
slice_run(struct model *m, const struct wcp_access_batch *b, uint32_t first, uint32_t n,
    struct wcp_error *e)
{
	m->work->cycle = m->set->series && b->cycle ? b->cycle + first : NULL;
	return m->source == SOURCE_RECORDED ? run_recorded(m, b, first, n, e)
					    : run_modelled(m, b, first, n, e);
}
