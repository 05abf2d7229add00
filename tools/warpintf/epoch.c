/*
 * Epochs of an SM: IRS by CIAO Eq. 1, and whether the interference list names the warp that did
 * most. differs: a stream has memory instructions only, so these are counted, and when the kernels
 * have ended they are taken for so many times as many instructions as their totals say.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "intf.h"

/* Of the series: a place in an epoch. */
struct row {
	uint64_t cycle;
	uint32_t epoch, place, active, hits, list, most;
	double raw;
};

/* ---- one epoch ------------------------------------------------------------------------------- */

/* Is the one that the list names one of those that caused most hits? */
static void
look(struct model *m, uint32_t place)
{
	struct place *p = &m->who.place[place];
	p->looks++;
	p->agrees += judge_hits(m, p->list.who, place) == p->most_hits;
	p->names_self += p->list.who == place;
}

static void
put_row(struct model *m, const struct sm *s, uint32_t place, double raw)
{
	const struct place *p = &m->who.place[place];
	if (m->n_row == m->cap_row) {
		m->cap_row = m->cap_row ? 2 * m->cap_row : 1024;
		m->row = must_alloc(m->row, m->cap_row * sizeof *m->row);
	}
	m->row[m->n_row++] = (struct row){.cycle = m->cycle,
	    .epoch = s->epoch,
	    .place = place,
	    .active = s->active,
	    .hits = p->hits,
	    .list = p->list.who,
	    .most = p->most,
	    .raw = raw};
}

void
epoch_end(struct model *m, uint16_t sm)
{
	struct sm *s = &m->who.sm[sm];
	uint32_t insns = m->set->by_epoch ? s->epoch_insns : s->insns;
	for (uint32_t i = 0; i < s->n; i++) {
		struct place *p = s->place[i] != NONE ? &m->who.place[s->place[i]] : NULL;
		bool active = p && p->active == s->epoch + 1;
		if (!p || (!active && !p->most_hits))
			continue;
		double raw = (double)p->hits * s->active / insns;
		p->raw = fmax(p->raw, raw);
		if (p->most_hits)
			look(m, s->place[i]);
		if (m->set->series)
			put_row(m, s, s->place[i], raw);
		p->hits = m->set->by_epoch ? 0 : p->hits;
	}
	s->epoch++;
	s->epoch_insns = s->active = 0;
}

/* ---- the series ------------------------------------------------------------------------------ */

int
epoch_open(struct model *m)
{
	struct wcp_error e;
	if (outfile_open(&m->series, m->set->series, &e)) {
		outfile_close(&m->series, false);
		return tool_error(m->tool, NULL, &e);
	}
	fputs("cycle\tsm\tslot\tepoch\tactive\tvta_hits\tirs\tlist\tmost\n", m->series.file);
	return 0;
}

/* A slot, or of a stream without slots a warp's own number. */
static void
put_place(const struct model *m, uint32_t place)
{
	if (place != NONE) {
		uint16_t slot = m->who.place[place].slot;
		fprintf(m->series.file, "%" PRIu32, slot != WCP_NONE16 ? slot : place);
	}
}

static void
put_rows(struct model *m, double insns_each)
{
	FILE *f = m->series.file;
	for (uint64_t i = 0; i < m->n_row; i++) {
		const struct row *r = &m->row[i];
		fprintf(f, "%" PRIu64 "\t%u\t", r->cycle, m->who.place[r->place].sm);
		put_place(m, r->place);
		fprintf(
		    f, "\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\t", r->epoch, r->active, r->hits);
		if (insns_each > 0)
			fprintf(f, "%.6g", r->raw / insns_each);
		fputc('\t', f);
		put_place(m, r->list);
		fputc('\t', f);
		put_place(m, r->most);
		fputc('\n', f);
	}
	m->n_row = 0;
}

int
epoch_close(struct model *m, bool keep)
{
	if (!m->series.file)
		return 0;
	int failed = outfile_close(&m->series, keep);
	m->series.file = NULL;
	return failed && keep
		   ? tool_fail(m->tool, -WCP_ESYS, "%s: %s", m->set->series, strerror(failed))
		   : 0;
}

/* ---- a kernel's end -------------------------------------------------------------------------- */

static void
end_place(struct place *p, double insns_each)
{
	if (insns_each > 0 && p->raw >= 0)
		p->irs = fmax(p->irs, p->raw / insns_each);
	if (p->most_hits) {
		if (p->from)
			memset(p->from, 0, FROM_SLOTS * sizeof *p->from);
		p->last_most = p->most;
		p->last_hits = p->most_hits;
		p->last_list = p->list.who;
		p->last_count = p->list.count;
	}
	p->raw = -1;
	p->hits = p->most_hits = p->active = 0;
	p->list = WCP_NO_INTERFERER;
	p->most = NONE;
}

/* Instructions for each memory instruction that was read; 0: not known. Of what was filtered out
 * as large a part is left out of the kernels' instructions. */
static double
insns_each(const struct stretch *s)
{
	if (!s->insns || !s->all_records || !s->warp_insns)
		return 0;
	return (double)s->warp_insns * ((double)s->records / (double)s->all_records) /
	       (double)s->insns;
}

static void
end_stretch(struct model *m)
{
	struct who *w = &m->who;
	double each = insns_each(&m->stretch);
	for (uint32_t i = 0; i < w->n_sm; i++) {
		struct sm *s = &w->sm[i];
		if (s->epoch_insns)
			epoch_end(m, (uint16_t)i);
		s->insns = s->epoch = s->active = 0;
		/* a warp's own place is none's afterwards */
		s->n = w->slotless ? 0 : s->n;
	}
	for (uint32_t i = w->slotless ? m->stretch.first_place : 0; i < w->n_place; i++)
		end_place(&w->place[i], each);
	if (m->set->series)
		put_rows(m, each);
	pairs_clear(&m->hits);
	m->stretch = (struct stretch){.first_place = w->n_place};
}

void
epoch_kernel_end(struct model *m, const struct wcp_kernel_end *end)
{
	struct stretch *s = &m->stretch;
	m->total.kernels += end != NULL;
	if (end) {
		s->all_records += end->accesses;
		s->warp_insns += end->warp_insns;
		s->open -= s->open > 0;
	}
	if (!end || !s->open)
		end_stretch(m);
}
