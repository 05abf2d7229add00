/* One access after the other: whose line was it, and who had driven it out. */
#include <string.h>
#include "intf.h"

static bool
is_from_slot(const struct model *m, uint32_t other)
{
	return m->who.place[other].slot < FROM_SLOTS;
}

uint64_t
judge_hits(const struct model *m, uint32_t other, uint32_t place)
{
	const struct place *p = &m->who.place[place];
	if (is_from_slot(m, other))
		return p->from ? p->from[m->who.place[other].slot] : 0;
	const struct pair *pair = pairs_find(&m->hits, other, place);
	return pair ? pair->hits : 0;
}

static uint64_t
count_hit(struct model *m, uint32_t other, uint32_t place)
{
	struct place *p = &m->who.place[place];
	if (!is_from_slot(m, other))
		return ++pairs_at(&m->hits, other, place)->hits;
	if (!p->from) {
		p->from = must_alloc(NULL, FROM_SLOTS * sizeof *p->from);
		memset(p->from, 0, FROM_SLOTS * sizeof *p->from);
	}
	return ++p->from[m->who.place[other].slot];
}

/* Have so many tags come since that the line's is gone for certain? What is pushed on counts; what
 * takes its old place again may push it, too. */
static inline bool
is_gone(const struct model *m, const struct place *p, const struct line *l)
{
	return m->vta_ordered && ((p->pushed - l->pushed) & PUSHED) >= m->set->vta.entries;
}

/* The pushed of a line that has not been driven out: its tag is gone. */
static inline uint32_t
none_pushed(const struct model *m, uint32_t place)
{
	return m->who.place[place].pushed - m->set->vta.entries;
}

/* A miss that finds its line among the victim tags: CIAO sec. II-C and III-A. */
static void
note_hit(struct model *m, uint32_t place, uint32_t agent, uint32_t evictor)
{
	struct who *w = &m->who;
	struct place *p = &w->place[place];
	const struct agent *by = &w->agent[evictor];
	uint32_t other = w->warp_place[by->warp];
	pairs_at(&m->matrix, by->unit, w->agent[agent].unit)->hits++;
	m->total.vta_hits++;
	m->total.self_hits += other == place;
	p->hits++;
	p->all_hits++;
	wcp_interferer_note(&p->list, other);
	uint64_t hits = count_hit(m, other, place);
	if (hits > p->most_hits) {
		p->most_hits = (uint32_t)hits;
		p->most = other;
	}
}

/* Looks for the line among the victims and takes note that it is brought again. */
static void
brought(struct model *m, uint32_t i, uint64_t home)
{
	struct work *c = m->work;
	struct who *w = &m->who;
	uint32_t place = c->place[i], agent = c->agent[i], evictor = 0;
	struct line *l = lost_at(&m->lost, home, c->line[i], place, none_pushed(m, place));
	uint32_t warp = w->agent[agent].warp;
	bool lost = l->evictor != NONE && w->agent[l->agent].warp == warp;
	if (lost) {
		m->total.lost++;
		m->total.self_lost += w->agent[l->evictor].warp == warp;
		w->agent[agent].lost++;
	}
	if (m->vta)
		lost = !is_gone(m, &w->place[place], l) &&
		       wcp_vta_probe(m->vta, place, c->line[i], &evictor);
	else
		evictor = l->evictor;
	if (lost)
		note_hit(m, place, agent, evictor);
	l->agent = agent;
	l->evictor = NONE;
}

/* A line that is driven out gets its tag. */
static void
tag(struct model *m, struct line *l, uint32_t evictor)
{
	struct place *p = &m->who.place[l->place];
	bool is_new = is_gone(m, p, l);
	if (is_new)
		wcp_vta_insert_new(m->vta, l->place, l->line - 1, evictor);
	else
		is_new = wcp_vta_insert(m->vta, l->place, l->line - 1, evictor);
	p->pushed += is_new;
	l->pushed = p->pushed & PUSHED;
}

static void
evicted(struct model *m, uint32_t i, uint64_t home)
{
	struct work *c = m->work;
	struct who *w = &m->who;
	uint32_t evictor = c->agent[i], owner = c->owner_place[i];
	m->total.evictions++;
	if (owner == NONE) {
		m->total.unknown_evictions++;
		return;
	}
	struct line *l = lost_at(&m->lost, home, c->victim[i], owner, none_pushed(m, owner));
	if (l->agent == NONE) /* brought by an access that the stream does not have */
		l->agent = c->bringer[i];
	l->evictor = evictor;
	if (m->vta)
		tag(m, l, evictor);
	const struct agent *of = &w->agent[l->agent], *by = &w->agent[evictor];
	m->total.self_evictions += of->warp == by->warp;
	pairs_at(&m->matrix, by->unit, of->unit)->evictions++;
}

static void
count_insn(struct model *m, struct place *p)
{
	struct sm *s = &m->who.sm[p->sm];
	if (s->epoch_insns == m->set->epoch)
		epoch_end(m, p->sm);
	s->insns++;
	s->epoch_insns++;
	m->stretch.insns++;
	if (p->active != s->epoch + 1) {
		p->active = s->epoch + 1;
		s->active++;
	}
}

/* Where lines that are brought and evicted are to be looked for, in order. */
static void
find_homes(struct model *m)
{
	struct work *c = m->work;
	uint32_t n = 0;
	for (uint32_t i = 0; i < c->n; i++) {
		if (c->what[i] & BRINGS)
			c->home[n++] = lost_home(&m->lost, c->line[i], c->place[i]);
		if (c->what[i] & EVICTS)
			c->home[n++] = lost_home(&m->lost, c->victim[i], c->owner_place[i]);
	}
	for (uint32_t k = 0; k < AHEAD; k++)
		c->home[n++] = 0;
}

static void
count_accesses(struct model *m)
{
	const struct work *c = m->work;
	struct agent *agent = m->who.agent;
	uint64_t accesses = 0, misses = 0, passed_by = 0;
	for (uint32_t i = 0; i < c->n; i++) {
		struct agent *a = &agent[c->agent[i]];
		unsigned what = c->what[i], miss = what / MISSES & 1;
		a->accesses += what & COUNTS;
		a->misses += miss;
		accesses += what & COUNTS;
		misses += miss;
		passed_by += what / GOES_BY;
	}
	m->total.accesses += accesses;
	m->total.misses += misses;
	m->total.hits += accesses - misses;
	m->total.passed_by += passed_by;
}

void
judge(struct model *m)
{
	struct work *c = m->work;
	const uint64_t *home = c->home;
	lost_reserve(&m->lost, 2ull * c->n);
	find_homes(m);
	count_accesses(m);
	for (uint32_t k = 0; k < AHEAD; k++)
		__builtin_prefetch(&m->lost.line[home[k]], 1);
	for (uint32_t i = 0; i < c->n; i++) {
		unsigned what = c->what[i];
		if (what & COMES && m->vta)
			wcp_vta_clear_key(m->vta, c->place[i]);
		if (what & BEGINS)
			count_insn(m, &m->who.place[c->place[i]]);
		if (c->cycle)
			m->cycle = c->cycle[i];
		if (what & BRINGS) {
			__builtin_prefetch(&m->lost.line[home[AHEAD]], 1);
			brought(m, i, *home++);
		}
		if (what & EVICTS) {
			__builtin_prefetch(&m->lost.line[home[AHEAD]], 1);
			evicted(m, i, *home++);
		}
	}
}
