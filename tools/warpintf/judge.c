/* One access after the other: whose line was it, and who had driven it out. */
#include "intf.h"

/* A miss that finds its line among the victim tags: CIAO sec. II-C and III-A. */
static void
note_hit(struct model *m, const struct event *v, uint32_t evictor)
{
	struct who *w = &m->who;
	struct place *p = &w->place[v->place];
	const struct agent *by = &w->agent[evictor];
	uint32_t other = w->warp_place[by->warp];
	pairs_at(&m->matrix, by->unit, w->agent[v->agent].unit)->hits++;
	m->total.vta_hits++;
	m->total.self_hits += other == v->place;
	p->hits++;
	p->all_hits++;
	wcp_interferer_note(&p->list, other);
	uint64_t hits = ++pairs_at(&m->hits, other, v->place)->hits;
	if (hits > p->most_hits) {
		p->most_hits = (uint32_t)hits;
		p->most = other;
	}
}

/* Looks for the line among the victims and takes note that it is brought again. */
static void
missed(struct model *m, const struct event *v)
{
	struct who *w = &m->who;
	struct line *l = lost_at(&m->lost, v->line, v->place);
	uint32_t warp = w->agent[v->agent].warp, evictor = 0;
	bool lost = l->evictor != NONE && w->agent[l->agent].warp == warp;
	if (lost) {
		m->total.lost++;
		m->total.self_lost += w->agent[l->evictor].warp == warp;
		w->count[w->agent[v->agent].unit].lost++;
	}
	if (m->vta ? wcp_vta_probe(m->vta, v->place, v->line, &evictor) : lost)
		note_hit(m, v, m->vta ? evictor : l->evictor);
	l->agent = v->agent;
	l->evictor = NONE;
}

static void
evicted(struct model *m, const struct event *v)
{
	struct who *w = &m->who;
	uint32_t evictor = v->agent;
	m->total.evictions++;
	if (v->owner == NONE) {
		m->total.unknown_evictions++;
		return;
	}
	struct line *l = lost_at(&m->lost, v->victim, v->owner);
	if (v->owner_agent != NONE)
		l->agent = v->owner_agent;
	if (l->agent == NONE) /* brought by an access that the stream does not have */
		l->agent = w->place[v->owner].agent;
	l->evictor = evictor;
	if (m->vta)
		wcp_vta_insert(m->vta, v->owner, v->victim, evictor);
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

void
judge(struct model *m, const struct event *v)
{
	struct unit_count *n = &m->who.count[m->who.agent[v->agent].unit];
	bool miss = v->miss || v->sector_miss;
	m->cycle = v->cycle;
	if (v->first)
		count_insn(m, &m->who.place[v->place]);
	m->total.accesses += v->hit || miss;
	m->total.hits += v->hit;
	m->total.misses += miss;
	n->accesses += v->hit || miss;
	n->misses += miss;
	if (v->miss)
		missed(m, v);
	if (v->evicts)
		evicted(m, v);
}

void
judge_came(struct model *m, uint32_t place)
{
	if (m->vta)
		wcp_vta_clear_key(m->vta, place);
}
