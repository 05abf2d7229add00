/* The report of an exact profile. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "warpreuse.h"

enum { MAX_COLUMNS = 12 };

static const struct report_column histogram_column[] = {
    {"low", "lines", REPORT_U64, 0},
    {"high", "lines", REPORT_U64, 0},
    {"accesses", NULL, REPORT_U64, 0},
    {"share", "%", REPORT_DOUBLE, 2},
    {"cdf", "%", REPORT_DOUBLE, 2},
    {NULL, NULL, REPORT_TEXT, 0},
};

static const struct report_column mrc_column[] = {
    {"lines", NULL, REPORT_U64, 0},
    {"bytes", NULL, REPORT_U64, 0},
    {"misses", NULL, REPORT_U64, 0},
    {"miss_ratio", "%", REPORT_DOUBLE, 3},
    {NULL, NULL, REPORT_TEXT, 0},
};

static double
percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : NAN;
}

static void
id_or_missing(struct report *r, uint32_t id, uint32_t none)
{
	if (id == none)
		report_missing(r);
	else
		report_u64(r, id);
}

/* One row; number WCP_NONE32: of all references, without a key. */
static void
histogram_row(const struct profile *p, struct report *r, uint32_t number,
    const struct wcp_reuse_hist *h, const uint64_t row[3], uint64_t *seen)
{
	if (number != WCP_NONE32)
		unit_report_key(r, &p->by, &p->kernels, &p->programs, number);
	*seen += row[2];
	report_u64(r, row[0]);
	report_u64(r, row[1]);
	report_u64(r, row[2]);
	report_double(r, percent(row[2], h->accesses));
	report_double(r, percent(*seen, h->accesses - h->cold));
	report_row(r);
}

static void
log2_rows(
    const struct profile *p, struct report *r, uint32_t number, const struct wcp_reuse_hist *h)
{
	uint64_t seen = 0;
	for (unsigned b = 0; b < WCP_REUSE_BINS && seen < h->accesses - h->cold; b++) {
		uint64_t row[3] = {wcp_reuse_bin_first(b), wcp_reuse_bin_last(b), h->bin[b]};
		histogram_row(p, r, number, h, row, &seen);
	}
}

/* Rows of width distances each; those where nothing occurred are left out. */
static void
even_rows(const struct profile *p, struct report *r, uint32_t number,
    const struct wcp_reuse_hist *h, uint32_t width)
{
	uint64_t seen = 0;
	for (uint32_t d = wcp_reuse_hist_next(h, 0); d != WCP_REUSE_COLD;) {
		uint64_t low = d / width * width, row[3] = {low, low + width - 1, 0};
		for (; d <= row[1] && d != WCP_REUSE_COLD; d = wcp_reuse_hist_next(h, d + 1))
			row[2] += wcp_reuse_hist_at(h, d);
		histogram_row(p, r, number, h, row, &seen);
	}
}

static void
histogram_rows(
    const struct profile *p, struct report *r, uint32_t number, const struct wcp_reuse_hist *h)
{
	if (p->set->bins == BINS_LOG2)
		log2_rows(p, r, number, h);
	else
		even_rows(p, r, number, h, p->set->bins == BINS_EXACT ? 1 : p->set->bin_lines);
}

static void
mrc_row(const struct profile *p, struct report *r, uint32_t number, const struct wcp_reuse_hist *h,
    uint64_t size, uint64_t hits)
{
	if (number != WCP_NONE32)
		unit_report_key(r, &p->by, &p->kernels, &p->programs, number);
	report_u64(r, size);
	report_u64(r, size * p->set->line_bytes);
	report_u64(r, h->accesses - hits);
	report_double(r, percent(h->accesses - hits, h->accesses));
	report_row(r);
}

/* A cache of size lines hits what lies below size. */
static void
mrc_rows(const struct profile *p, struct report *r, uint32_t number, const struct wcp_reuse_hist *h)
{
	const struct settings *s = p->set;
	uint64_t hits = 0;
	uint32_t d = wcp_reuse_hist_next(h, 0);
	for (size_t i = 0; !s->all_sizes && i < s->n_size; i++) {
		for (; d < s->size[i] && d != WCP_REUSE_COLD; d = wcp_reuse_hist_next(h, d + 1))
			hits += wcp_reuse_hist_at(h, d);
		mrc_row(p, r, number, h, s->size[i], hits);
	}
	for (; s->all_sizes && d != WCP_REUSE_COLD; d = wcp_reuse_hist_next(h, d + 1)) {
		hits += wcp_reuse_hist_at(h, d);
		mrc_row(p, r, number, h, d + 1ull, hits);
	}
}

static void
quantile_or_missing(struct report *r, const struct wcp_reuse_hist *h, double share)
{
	uint32_t d = wcp_reuse_hist_quantile(h, share);
	id_or_missing(r, d, WCP_REUSE_COLD);
}

/* Without single distances: the last distance of the bin that holds the quantile. */
static void
bin_or_missing(struct report *r, const struct wcp_reuse_hist *h, double share)
{
	double need = share * (double)(h->accesses - h->cold);
	uint64_t seen = 0;
	for (unsigned b = 0; b < WCP_REUSE_BINS && h->accesses > h->cold; b++) {
		seen += h->bin[b];
		if (seen && (double)seen >= need) {
			report_u64(r, wcp_reuse_bin_last(b));
			return;
		}
	}
	report_missing(r);
}

static double
mean(const struct wcp_reuse_hist *h)
{
	uint64_t warm = h->accesses - h->cold;
	return warm ? (double)h->sum / (double)warm : NAN;
}

static void
hist_row(const struct profile *p, struct report *r, const struct wcp_reuse_hist *h, bool exact)
{
	report_u64(r, h->accesses);
	report_double(r, percent(h->accesses, p->all.accesses));
	report_u64(r, h->cold);
	report_double(r, percent(h->cold, h->accesses));
	report_double(r, mean(h));
	static const double share[] = {0.5, 0.9};
	for (int i = 0; i < 2; i++) {
		if (exact)
			quantile_or_missing(r, h, share[i]);
		else
			bin_or_missing(r, h, share[i]);
	}
	report_row(r);
}

static void
by_row(struct profile *p, struct report *r, uint32_t number, bool exact)
{
	unit_report_key(r, &p->by, &p->kernels, &p->programs, number);
	hist_row(p, r, profile_part(p, number), exact);
}

/* Instructions of the same source line, all programs together, as one; those of none by their
 * program. */
static void
print_sources(struct profile *p, struct report *r)
{
	static const struct report_column column[] = {{"source", NULL, REPORT_TEXT, 0},
	    {"accesses", NULL, REPORT_U64, 0}, {"share", "%", REPORT_DOUBLE, 2},
	    {"cold", NULL, REPORT_U64, 0}, {"cold_share", "%", REPORT_DOUBLE, 2},
	    {"mean", "lines", REPORT_DOUBLE, 1}, {"median_within", "lines", REPORT_U64, 0},
	    {"p90_within", "lines", REPORT_U64, 0}, {NULL, NULL, REPORT_TEXT, 0}};
	uint32_t *order = keys_sorted(&p->by), n = p->by.n;
	bool *told = must_alloc(NULL, n * sizeof *told);
	memset(told, 0, n * sizeof *told);
	report_table(r, "source", "Reuse distance by source line", column);
	for (uint32_t i = 0; i < n; i++) {
		const char *source = p->by.source[order[i]],
			   *program = names_get(&p->programs, p->by.key[order[i]].group);
		struct wcp_reuse_hist sum;
		if (told[i])
			continue;
		wcp_reuse_hist_init(&sum, p->part_exact);
		for (uint32_t k = i; k < n; k++) {
			const char *other = p->by.source[order[k]];
			bool same = source && other
					? !strcmp(source, other)
					: source == other && p->by.key[order[k]].group ==
								 p->by.key[order[i]].group;
			if (same && !told[k] &&
			    wcp_reuse_hist_merge(&sum, profile_part(p, order[k]), NULL) >= 0)
				told[k] = true;
		}
		report_text(r, source ? source : program);
		hist_row(p, r, &sum, false);
		wcp_reuse_hist_release(&sum);
	}
	free(told);
	free(order);
}

static void
print_by(struct profile *p, struct report *r)
{
	/* The same columns and figures whether the distances were kept one by one or not. */
	bool exact = p->set->bins_given || p->set->sizes;
	const struct report_column rest[] = {
	    {"accesses", NULL, REPORT_U64, 0},
	    {"share", "%", REPORT_DOUBLE, 2},
	    {"cold", NULL, REPORT_U64, 0},
	    {"cold_share", "%", REPORT_DOUBLE, 2},
	    {"mean", "lines", REPORT_DOUBLE, 1},
	    {exact ? "median" : "median_within", "lines", REPORT_U64, 0},
	    {exact ? "p90" : "p90_within", "lines", REPORT_U64, 0},
	    {NULL, NULL, REPORT_TEXT, 0},
	};
	struct report_column column[MAX_COLUMNS];
	uint32_t *order = keys_sorted(&p->by);
	char title[64];
	unit_report_columns(column, p->by.what, rest);
	snprintf(title, sizeof title, "Reuse distance by %s", unit_name[p->by.what]);
	report_table(r, "by", title, column);
	for (uint32_t i = 0; i < p->by.n; i++)
		by_row(p, r, order[i], exact);
	if (p->set->bins_given) {
		unit_report_columns(column, p->by.what, histogram_column);
		report_table(r, "by_histogram", "Reuse distances", column);
		for (uint32_t i = 0; i < p->by.n; i++)
			histogram_rows(p, r, order[i], profile_part(p, order[i]));
	}
	if (p->set->sizes) {
		unit_report_columns(column, p->by.what, mrc_column);
		report_table(r, "by_mrc", "Misses by cache size", column);
		for (uint32_t i = 0; i < p->by.n; i++)
			mrc_rows(p, r, order[i], profile_part(p, order[i]));
	}
	free(order);
}

static void
pair_quantile(struct report *r, const char *name, const struct wcp_reuse_hist *h, double share)
{
	uint32_t d = wcp_reuse_hist_quantile(h, share);
	if (d == WCP_REUSE_COLD)
		report_pair_double(r, name, "lines", NAN, 0);
	else
		report_pair_u64(r, name, "lines", d);
}

static void
print_summary(const struct profile *p, struct report *r)
{
	const struct wcp_reuse_hist *h = &p->all;
	uint64_t lines = wcp_reuse_set_lines(p->stack);
	report_pair_u64(r, "accesses", NULL, h->accesses);
	report_pair_u64(r, "line", "B", p->set->line_bytes);
	if (p->stacks.what) {
		report_pair_text(r, "stack_per", unit_name[p->stacks.what]);
		report_pair_u64(r, "stacks", NULL, p->stacks.n);
	}
	report_pair_u64(r, "lines", NULL, lines);
	report_pair_u64(r, "footprint", "B", lines * p->set->line_bytes);
	report_pair_u64(r, "cold", NULL, h->cold);
	report_pair_double(r, "cold_share", "%", percent(h->cold, h->accesses), 3);
	report_pair_double(r, "mean", "lines", mean(h), 1);
	pair_quantile(r, "median", h, 0.5);
	pair_quantile(r, "p90", h, 0.9);
	pair_quantile(r, "p99", h, 0.99);
	pair_quantile(r, "max", h, 1);
}

void
print_notes(const struct profile *p, struct report *r)
{
	if (p->warp)
		report_note(r,
		    "order assumed: as recorded, CTA after CTA and in it warp after warp; "
		    "coalesced into %" PRIu32 "-byte lines",
		    p->set->line_bytes);
	if (p->finer)
		report_note(r,
		    "%" PRIu64 " accesses to shorter lines were counted by the "
		    "%" PRIu32 "-byte line they lie in (--line)",
		    p->finer, p->set->line_bytes);
	uint64_t unit = p->address_bits & -p->address_bits;
	if (unit > p->set->line_bytes && unit <= 4096 && wcp_reuse_set_lines(p->stack) >= 64)
		report_note(r,
		    "all line addresses are multiples of %" PRIu64 " bytes: if lines are "
		    "that long, say --line %" PRIu64,
		    unit, unit);
	if (!p->whole)
		report_note(r, "the input was not whole: this covers what was read");
}

int
print_exact(struct profile *p, struct tool *t)
{
	struct settings *s = p->set;
	uint32_t most = wcp_reuse_hist_quantile(&p->all, 1);
	settings_default_sizes(s, most == WCP_REUSE_COLD ? 1 : most + 1ull);
	struct report *r = report_open(t, false, NULL);
	if (!r)
		return -WCP_ESYS;
	print_summary(p, r);
	report_table(r, "histogram", "Reuse distance", histogram_column);
	histogram_rows(p, r, WCP_NONE32, &p->all);
	report_table(r, "mrc", "Misses of a fully associative LRU cache", mrc_column);
	mrc_rows(p, r, WCP_NONE32, &p->all);
	if (p->set->by_source)
		print_sources(p, r);
	else if (p->by.what)
		print_by(p, r);
	if (p->history)
		history_print(p->history, r);
	print_notes(p, r);
	return report_close(r);
}
