#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "intf.h"
#include "report.h"

enum { SHOWN = 50 }; /* rows of a table in text */

/* What a unit did, suffered from others, and did to them. */
struct share {
	uint64_t accesses, misses, lost;
	uint64_t hits, self, caused;
	uint64_t least, most; /* by one other */
	uint32_t others;      /* that caused any */
	uint32_t worst;	      /* unit; NONE: none */
};

struct printer {
	const struct model *m;
	struct report *r;
	uint32_t *order; /* [units] in order of their keys */
	uint32_t *rank;	 /* [units] in that order */
	uint32_t *units; /* [n_sm + 1] of each SM, with --per-sm; else of all, the first */
	struct share *share;
	bool text;
};

static double
percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : NAN;
}

/* ---- what the matrix adds up to -------------------------------------------------------------- */

static uint32_t
group_of(const struct printer *p, uint32_t unit)
{
	return p->m->who.per_sm ? who_sm(&p->m->who, unit) : 0;
}

static void
add_pair(struct printer *p, const struct pair *x)
{
	struct share *of = &p->share[x->of];
	of->hits += x->hits;
	if (x->by == x->of) {
		of->self = x->hits;
		return;
	}
	if (!x->hits)
		return;
	p->share[x->by].caused += x->hits;
	of->least = of->others && of->least < x->hits ? of->least : x->hits;
	of->others++;
	if (x->hits > of->most || (x->hits == of->most && p->rank[x->by] < p->rank[of->worst])) {
		of->most = x->hits;
		of->worst = x->by;
	}
}

static void
add_agents(struct printer *p)
{
	const struct who *w = &p->m->who;
	uint32_t n = w->by == BY_PC ? w->at.n : w->warp.n;
	for (uint32_t i = 0; i < n; i++) {
		struct share *s = &p->share[w->agent[i].unit];
		s->accesses += w->agent[i].accesses;
		s->misses += w->agent[i].misses;
		s->lost += w->agent[i].lost;
	}
}

static void
prepare(struct printer *p)
{
	const struct who *w = &p->m->who;
	uint32_t n = w->unit.n, groups = w->n_sm + 1;
	p->order = keys_sorted(&w->unit);
	p->rank = must_alloc(NULL, (n + 1ull) * sizeof *p->rank);
	p->units = must_alloc(NULL, groups * sizeof *p->units);
	p->share = must_alloc(NULL, (n + 1ull) * sizeof *p->share);
	for (uint32_t i = 0; i < groups; i++)
		p->units[i] = 0;
	for (uint32_t i = 0; i < n; i++) {
		p->rank[p->order[i]] = i;
		p->share[i] = (struct share){.worst = NONE};
		p->units[group_of(p, i)]++;
	}
	add_agents(p);
	for (uint32_t i = 0; i < p->m->matrix.n; i++)
		add_pair(p, &p->m->matrix.pair[i]);
	for (uint32_t i = 0; i < n; i++)
		if (p->share[i].others + 1 < p->units[group_of(p, i)])
			p->share[i].least = 0;
}

/* ---- rows in order --------------------------------------------------------------------------- */

static int
by_number(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* In text the worst stand first, else all stand in order of their keys. */
static int
compare_pairs(const void *a, const void *b, void *arg)
{
	const struct printer *p = arg;
	const struct pair *x = &p->m->matrix.pair[*(const uint32_t *)a],
			  *y = &p->m->matrix.pair[*(const uint32_t *)b];
	int d = p->text ? by_number(y->hits, x->hits) : 0;
	d = d || !p->text ? d : by_number(y->evictions, x->evictions);
	d = d ? d : by_number(p->rank[x->by], p->rank[y->by]);
	return d ? d : by_number(p->rank[x->of], p->rank[y->of]);
}

static int
compare_units(const void *a, const void *b, void *arg)
{
	const struct printer *p = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int d = p->text ? by_number(p->share[y].hits, p->share[x].hits) : 0;
	return d ? d : by_number(p->rank[x], p->rank[y]);
}

static int
compare_places(const void *a, const void *b, void *arg)
{
	const struct printer *p = arg;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct place *x = &p->m->who.place[i], *y = &p->m->who.place[k];
	int d = p->text ? by_number(y->all_hits, x->all_hits) : 0;
	d = d ? d : by_number(x->sm, y->sm);
	d = d ? d : by_number(x->slot, y->slot);
	return d ? d : by_number(i, k);
}

/* Numbers below n in that order, in a new array; *shown of them are to be printed. */
static uint32_t *
in_order(struct printer *p, uint32_t n, int (*compare)(const void *, const void *, void *),
    uint32_t *shown)
{
	uint32_t *number = must_alloc(NULL, (n + 1ull) * sizeof *number);
	for (uint32_t i = 0; i < n; i++)
		number[i] = i;
	qsort_r(number, n, sizeof *number, compare, p);
	*shown = p->text && n > SHOWN ? SHOWN : n;
	return number;
}

static void
tell_rest(struct printer *p, const char *what, uint32_t n, uint32_t shown)
{
	if (shown < n)
		report_note(p->r, "%s: the %u worst of %u; --tsv has all", what, shown, n);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void
print_locality(struct report *r, const struct totals *n, bool modelled)
{
	report_pair_u64(r, "lost", "misses on lines lost to an eviction", n->lost);
	report_pair_u64(r, "lost_to_others", NULL, n->lost - n->self_lost);
	report_pair_double(r, "potential", "% of accesses: lost", percent(n->lost, n->accesses), 2);
	report_pair_double(r, "interference_free", "% of accesses would hit",
	    percent(n->hits + n->lost - n->self_lost, n->accesses), 2);
	report_pair_double(r, "own_l1d", "% hit, each warp with an L1D of its own",
	    modelled ? percent(n->own_hits, n->own_accesses) : NAN, 2);
}

static void
print_extremes(struct printer *p)
{
	uint64_t least = UINT64_MAX, most = 0, looks = 0, agrees = 0, self = 0;
	const struct who *w = &p->m->who;
	for (uint32_t i = 0; i < w->unit.n; i++) {
		least = p->share[i].least < least ? p->share[i].least : least;
		most = p->share[i].most > most ? p->share[i].most : most;
	}
	for (uint32_t i = 0; i < w->n_place; i++) {
		looks += w->place[i].looks;
		agrees += w->place[i].agrees;
		self += w->place[i].names_self;
	}
	report_pair_u64(p->r, "pair_min", "VTA hits by one other", w->unit.n ? least : 0);
	report_pair_u64(p->r, "pair_max", NULL, most);
	report_pair_u64(p->r, "looks", "of a warp with VTA hits, at ends of epochs", looks);
	report_pair_double(
	    p->r, "list_agrees", "% of looks: list names the worst", percent(agrees, looks), 2);
	report_pair_double(p->r, "list_names_self", "% of looks", percent(self, looks), 2);
}

static void
print_summary(struct printer *p)
{
	const struct model *m = p->m;
	const struct totals *n = &m->total;
	struct report *r = p->r;
	char vta[64] = "exact";
	uint32_t sms = 0;
	for (uint32_t i = 0; i < m->who.n_sm; i++)
		sms += m->who.sm[i].seen;
	if (!m->set->exact)
		snprintf(vta, sizeof vta, "%u %s", m->set->vta.entries,
		    m->set->vta.order == WCP_VTA_LRU ? "lru" : "fifo");
	bool modelled = m->source == SOURCE_MODEL;
	report_pair_text(r, "l1d", modelled ? "modelled" : m->source ? "recorded" : NULL);
	report_pair_text(r, "vta", vta);
	report_pair_u64(r, "sms", NULL, sms);
	report_pair_u64(r, "kernels", NULL, n->kernels);
	report_pair_u64(r, "accesses", NULL, n->accesses);
	report_pair_u64(r, "misses", NULL, n->misses);
	report_pair_double(r, "hit_rate", "%", percent(n->hits, n->accesses), 2);
	report_pair_u64(r, "evictions", NULL, n->evictions);
	report_pair_u64(r, "self_evictions", "by the warp that had brought it", n->self_evictions);
	report_pair_u64(r, "vta_hits", NULL, n->vta_hits);
	report_pair_u64(r, "self_hits", "by the warp itself", n->self_hits);
	print_locality(r, n, modelled);
	print_extremes(p);
}

/* Names of SM and units in columns from *n on. */
static void
name_columns(const struct printer *p, struct report_column *column, const char *a, const char *b,
    unsigned *n)
{
	enum report_type type = p->m->set->by == BY_SLOT ? REPORT_U64 : REPORT_TEXT;
	if (p->m->set->per_sm)
		column[(*n)++] = (struct report_column){"sm", NULL, REPORT_U64, 0};
	column[(*n)++] = (struct report_column){a, NULL, type, 0};
	if (b)
		column[(*n)++] = (struct report_column){b, NULL, type, 0};
}

static void
print_matrix(struct printer *p)
{
	const struct model *m = p->m;
	struct report_column column[6] = {{0}};
	unsigned n = 0;
	uint32_t shown, *number = in_order(p, m->matrix.n, compare_pairs, &shown);
	name_columns(p, column, "interfering", "interfered", &n);
	column[n++] = (struct report_column){"evictions", NULL, REPORT_U64, 0};
	column[n++] = (struct report_column){"vta_hits", NULL, REPORT_U64, 0};
	report_table(p->r, "matrix", "Who evicts whose lines, and misses on them since", column);
	for (uint32_t i = 0; i < shown; i++) {
		const struct pair *x = &m->matrix.pair[number[i]];
		if (m->set->per_sm)
			report_u64(p->r, who_sm(&m->who, x->of));
		who_label(p->r, &m->who, x->by);
		who_label(p->r, &m->who, x->of);
		report_u64(p->r, x->evictions);
		report_u64(p->r, x->hits);
		report_row(p->r);
	}
	tell_rest(p, "matrix", m->matrix.n, shown);
	free(number);
}

static void
print_unit(struct printer *p, uint32_t unit)
{
	const struct who *w = &p->m->who;
	const struct share *s = &p->share[unit];
	if (p->m->set->per_sm)
		report_u64(p->r, who_sm(w, unit));
	who_label(p->r, w, unit);
	const uint64_t figure[] = {
	    s->accesses, s->misses, s->lost, s->hits, s->self, s->caused, s->least, s->most};
	for (unsigned i = 0; i < sizeof figure / sizeof *figure; i++)
		report_u64(p->r, figure[i]);
	if (s->worst == NONE)
		report_missing(p->r);
	else
		who_label(p->r, w, s->worst);
	if (w->by == BY_PC)
		report_text(p->r, w->unit.source[unit]);
	report_row(p->r);
}

static void
print_units(struct printer *p)
{
	static const char *const name[] = {
	    "accesses", "misses", "lost", "vta_hits", "self_hits", "caused", "min", "max"};
	const struct who *w = &p->m->who;
	struct report_column column[14] = {{0}};
	unsigned n = 0;
	uint32_t shown, *number = in_order(p, w->unit.n, compare_units, &shown);
	name_columns(p, column, by_name[w->by], NULL, &n);
	for (unsigned i = 0; i < sizeof name / sizeof *name; i++)
		column[n++] = (struct report_column){name[i], NULL, REPORT_U64, 0};
	column[n++] =
	    (struct report_column){"worst", NULL, w->by == BY_SLOT ? REPORT_U64 : REPORT_TEXT, 0};
	if (w->by == BY_PC)
		column[n++] = (struct report_column){"source", NULL, REPORT_TEXT, 0};
	report_table(p->r, "interfered", "Who suffers, from whom most", column);
	for (uint32_t i = 0; i < shown; i++)
		print_unit(p, number[i]);
	tell_rest(p, "interfered", w->unit.n, shown);
	free(number);
}

static void
place_cell(struct printer *p, uint32_t place)
{
	if (place == NONE)
		report_missing(p->r);
	else if (p->m->who.place[place].slot == WCP_NONE16)
		report_u64(p->r, place);
	else
		report_u64(p->r, p->m->who.place[place].slot);
}

static void
print_list(struct printer *p)
{
	static const struct report_column column[] = {{"sm", NULL, REPORT_U64, 0},
	    {"slot", NULL, REPORT_U64, 0}, {"vta_hits", NULL, REPORT_U64, 0},
	    {"irs_max", NULL, REPORT_DOUBLE, 5}, {"looks", NULL, REPORT_U64, 0},
	    {"agrees", "%", REPORT_DOUBLE, 2}, {"most", NULL, REPORT_U64, 0},
	    {"most_hits", NULL, REPORT_U64, 0}, {"list", NULL, REPORT_U64, 0},
	    {"counter", NULL, REPORT_U64, 0}, {NULL, NULL, REPORT_TEXT, 0}};
	const struct who *w = &p->m->who;
	uint32_t shown, *number = in_order(p, w->n_place, compare_places, &shown);
	report_table(
	    p->r, "list", "Who interfered most, and who is on the interference list", column);
	for (uint32_t i = 0; i < shown; i++) {
		const struct place *x = &w->place[number[i]];
		report_u64(p->r, x->sm);
		place_cell(p, number[i]);
		report_u64(p->r, x->all_hits);
		report_double(p->r, x->irs >= 0 ? x->irs : NAN);
		report_u64(p->r, x->looks);
		report_double(p->r, percent(x->agrees, x->looks));
		place_cell(p, x->last_most);
		if (x->last_most != NONE) {
			report_u64(p->r, x->last_hits);
			place_cell(p, x->last_list);
			report_u64(p->r, x->last_count);
		}
		report_row(p->r);
	}
	tell_rest(p, "list", w->n_place, shown);
	free(number);
}

static void
print_notes(struct report *r, const struct model *m)
{
	const struct totals *n = &m->total;
	if (m->pick.others)
		report_note(r, "%llu records of other spaces, and write-backs, are not L1D's",
		    (unsigned long long)m->pick.others);
	if (n->passed_by)
		report_note(r, "%llu accesses went past L1D", (unsigned long long)n->passed_by);
	if (n->unknown_evictions)
		report_note(r, "%llu evicted lines were nobody's that the stream tells of",
		    (unsigned long long)n->unknown_evictions);
	if (!m->whole)
		report_note(r, "the input was not whole: this covers what was read");
}

int
intf_print(const struct model *m)
{
	struct printer p = {.m = m, .text = m->tool->format == TOOL_TEXT};
	if (!(p.r = report_open(m->tool, false, NULL)))
		return -WCP_ESYS;
	prepare(&p);
	print_summary(&p);
	print_matrix(&p);
	print_units(&p);
	print_list(&p);
	print_notes(p.r, m);
	free(p.order);
	free(p.rank);
	free(p.units);
	free(p.share);
	return report_close(p.r);
}
