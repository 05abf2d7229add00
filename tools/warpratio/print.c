#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include "ratio.h"

void
ratio_list(struct ratio *r, const struct pair *p)
{
	if (p->ratio <= r->set.above)
		return;
	if (r->n_pair == r->cap_pair) {
		r->cap_pair = r->cap_pair ? r->cap_pair * 2 : 256;
		r->pair = must_alloc(r->pair, r->cap_pair * sizeof *r->pair);
	}
	r->pair[r->n_pair++] = *p;
}

static double
percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : NAN;
}

static bool
wants(const struct ratio *r, enum level level, enum relation relation)
{
	return r->set.levels >> level & 1 && relation_name[level][relation];
}

static void
print_summary(const struct ratio *r, struct report *out)
{
	report_pair_u64(out, "accesses", NULL, r->accesses);
	report_pair_u64(out, "line", "B", r->set.line_bytes);
	if (r->set.sketch)
		report_pair_u64(out, "sketch", "lines", r->set.sketch);
	else
		report_pair_u64(out, "lines", NULL, wcp_numbers_count(r->table));
	for (enum level l = 0; l < LEVELS; l++) {
		static const char *const name[LEVELS] = {"kernels", "ctas", "warps"};
		if (r->set.levels >> l & 1)
			report_pair_u64(out, name[l], NULL, r->units[l]);
	}
	report_pair_u64(out, "children", "kernels", r->children);
	report_pair_double(out, "threshold", NULL, r->set.threshold * 1e-6, 3);
}

static void
print_reuse(const struct ratio *r, struct report *out)
{
	static const struct report_column column[] = {{"level", NULL, REPORT_TEXT, 0},
	    {"relation", NULL, REPORT_TEXT, 0}, {"accesses", NULL, REPORT_U64, 0},
	    {"share", "%", REPORT_DOUBLE, 2}, {NULL, NULL, REPORT_TEXT, 0}};
	report_table(out, "reuse", "Accesses that reuse data", column);
	for (enum level l = 0; l < LEVELS; l++) {
		for (enum relation k = 0; k < RELATIONS; k++) {
			double reused = r->tally[l][k].reused;
			if (!wants(r, l, k))
				continue;
			report_text(out, level_name[l]);
			report_text(out, relation_name[l][k]);
			report_u64(out, (uint64_t)(reused + 0.5));
			report_double(out, percent(reused, (double)r->accesses));
			report_row(out);
		}
	}
}

/* The columns b0 .. b9 behind the first n of column. */
static void
bin_columns(struct report_column *column, unsigned n, struct report_column bin)
{
	static const char *const name[BINS] = {
	    "b0", "b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8", "b9"};
	for (unsigned b = 0; b < BINS; b++) {
		bin.name = name[b];
		column[n + b] = bin;
	}
	column[n + BINS] = (struct report_column){NULL, NULL, REPORT_TEXT, 0};
}

static void
ratio_row(const struct ratio *r, struct report *out, enum level l, enum relation k)
{
	const struct tally *t = &r->tally[l][k];
	report_text(out, level_name[l]);
	report_text(out, relation_name[l][k]);
	report_u64(out, t->pairs);
	report_u64(out, t->zero);
	report_u64(out, t->high);
	report_double(out, t->pairs ? t->sum / (double)t->pairs : NAN);
	if (r->set.sketch)
		report_double(out, t->estimated ? sqrt(t->variance / (double)t->estimated) : 0);
	for (unsigned b = 0; b < BINS; b++)
		report_u64(out, t->bin[b]);
	report_row(out);
}

static void
print_ratios(const struct ratio *r, struct report *out)
{
	struct report_column column[8 + BINS] = {{"level", NULL, REPORT_TEXT, 0},
	    {"relation", NULL, REPORT_TEXT, 0}, {"pairs", NULL, REPORT_U64, 0},
	    {"zero", NULL, REPORT_U64, 0}, {"high", NULL, REPORT_U64, 0},
	    {"mean", NULL, REPORT_DOUBLE, 4}, {"error", NULL, REPORT_DOUBLE, 4}};
	bin_columns(
	    column, r->set.sketch ? 7 : 6, (struct report_column){NULL, NULL, REPORT_U64, 0});
	report_table(out, "ratio", "Reuse ratios, by bins of 0.1", column);
	for (enum level l = 0; l < LEVELS; l++)
		for (enum relation k = 0; k < RELATIONS; k++)
			if (wants(r, l, k))
				ratio_row(r, out, l, k);
}

static void
print_cdf(const struct ratio *r, struct report *out)
{
	struct report_column column[3 + BINS] = {
	    {"level", NULL, REPORT_TEXT, 0}, {"relation", NULL, REPORT_TEXT, 0}};
	bin_columns(column, 2, (struct report_column){NULL, "%", REPORT_DOUBLE, 1});
	report_table(out, "cdf", "Share of pairs in this bin or a lower one", column);
	for (enum level l = 0; l < LEVELS; l++) {
		for (enum relation k = 0; k < RELATIONS; k++) {
			const struct tally *t = &r->tally[l][k];
			uint64_t seen = 0;
			if (!wants(r, l, k))
				continue;
			report_text(out, level_name[l]);
			report_text(out, relation_name[l][k]);
			for (unsigned b = 0; b < BINS; b++) {
				seen += t->bin[b];
				report_double(out, percent((double)seen, (double)t->pairs));
			}
			report_row(out);
		}
	}
}

static void
print_chains(const struct ratio *r, struct report *out)
{
	static const struct report_column column[] = {{"level", NULL, REPORT_TEXT, 0},
	    {"chains", NULL, REPORT_U64, 0}, {"longest", "units", REPORT_U64, 0},
	    {"mean", "units", REPORT_DOUBLE, 2}, {"linked", NULL, REPORT_U64, 0},
	    {"linked_mean", "units", REPORT_DOUBLE, 2}, {NULL, NULL, REPORT_TEXT, 0}};
	report_table(out, "chains", "Chains of units with high reuse ratios", column);
	for (enum level l = 0; l < LEVELS; l++) {
		const struct chains *c = &r->chains[l];
		if (!(r->set.levels >> l & 1))
			continue;
		report_text(out, level_name[l]);
		report_u64(out, c->count);
		report_u64(out, c->longest);
		report_double(out, c->count ? (double)c->units / (double)c->count : NAN);
		report_u64(out, c->linked);
		report_double(out, c->linked ? (double)c->linked_units / (double)c->linked : NAN);
		report_row(out);
	}
}

static int
compare_keys(struct key a, struct key b)
{
	if (a.group != b.group)
		return a.group < b.group ? -1 : 1;
	if (a.cta != b.cta)
		return a.cta < b.cta ? -1 : 1;
	return (a.unit > b.unit) - (a.unit < b.unit);
}

static int
compare_pairs(const void *a, const void *b)
{
	const struct pair *p = a, *q = b;
	if (p->relation != q->relation)
		return p->relation < q->relation ? -1 : 1;
	int x = compare_keys(p->x, q->x);
	return x ? x : compare_keys(p->y, q->y);
}

static void
unit_cells(struct report *out, enum level level, struct key key)
{
	report_u64(out, key.group);
	if (level >= LEVEL_CTA)
		report_u64(out, key.cta);
	if (level >= LEVEL_WARP)
		report_u64(out, key.unit);
}

static void
print_pairs(struct ratio *r, struct report *out)
{
	static const struct report_column unit[] = {{"kernel", NULL, REPORT_U64, 0},
	    {"cta", NULL, REPORT_U64, 0}, {"warp", NULL, REPORT_U64, 0},
	    {"with_kernel", NULL, REPORT_U64, 0}, {"with_cta", NULL, REPORT_U64, 0},
	    {"with_warp", NULL, REPORT_U64, 0}};
	static const struct report_column rest[] = {{"shared", NULL, REPORT_U64, 0},
	    {"accesses", NULL, REPORT_U64, 0}, {"ratio", NULL, REPORT_DOUBLE, 4},
	    {NULL, NULL, REPORT_TEXT, 0}};
	struct report_column column[12] = {{"relation", NULL, REPORT_TEXT, 0}};
	enum level l = r->set.list;
	unsigned n = 1;
	if (l == LEVELS)
		return;
	for (unsigned side = 0; side < 2; side++)
		for (unsigned i = 0; i <= l; i++)
			column[n++] = unit[3 * side + i];
	for (unsigned i = 0; i < 4; i++)
		column[n++] = rest[i];
	if (r->n_pair)
		qsort(r->pair, r->n_pair, sizeof *r->pair, compare_pairs);
	report_table(out, "pairs", "Pairs that share lines", column);
	for (size_t i = 0; i < r->n_pair; i++) {
		const struct pair *p = &r->pair[i];
		report_text(out, relation_name[l][p->relation]);
		unit_cells(out, l, p->x);
		unit_cells(out, l, p->y);
		report_u64(out, p->shared);
		report_u64(out, p->accesses);
		report_double(out, p->ratio);
		report_row(out);
	}
}

static void
print_notes(const struct ratio *r, struct report *out)
{
	if (r->warp)
		report_note(out, "coalesced into %" PRIu32 "-byte lines", r->set.line_bytes);
	if (r->finer)
		report_note(out,
		    "%" PRIu64 " accesses to shorter lines were counted by the %" PRIu32
		    "-byte line they lie in (--line)",
		    r->finer, r->set.line_bytes);
	if (r->set.sketch)
		report_note(out,
		    "estimated from the %" PRIu32
		    " lines of each unit whose hashes are least; error is the standard error of "
		    "a ratio, root of the mean square",
		    r->set.sketch);
	if (r->nobodys)
		report_note(
		    out, "%" PRIu64 " accesses of no kernel or CTA were left out", r->nobodys);
	if (r->orphans)
		report_note(
		    out, "%" PRIu64 " children's parents are not in the stream", r->orphans);
	if (r->late_parents)
		report_note(out,
		    "%" PRIu64 " children came after their parent's end, whose program launches "
		    "nothing: not compared with it",
		    r->late_parents);
	if (!r->whole)
		report_note(out, "the input was not whole: this covers what was read");
}

int
ratio_print(struct ratio *r)
{
	struct report *out = report_open(r->tool, false, NULL);
	if (!out)
		return -WCP_ESYS;
	print_summary(r, out);
	print_reuse(r, out);
	print_ratios(r, out);
	print_cdf(r, out);
	print_chains(r, out);
	print_pairs(r, out);
	print_notes(r, out);
	return report_close(out);
}
