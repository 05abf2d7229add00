/* The report of a sampled profile. */
#include <math.h>
#include <stdlib.h>
#include "warpreuse.h"

/* 95 % of Student's t with one degree of freedom less than there are parts. */
static const double t95 = 2.365;

struct estimate {
	uint64_t accesses, sampled_accesses, sampled_lines;
	double lines, cold, rate_low, rate_high;
};

static struct estimate
sum_up(const struct profile *p)
{
	struct estimate all = {.rate_low = 1};
	for (uint32_t i = 0; i < p->n_shards; i++) {
		struct wcp_shards_info info;
		wcp_shards_info(p->shards[i], &info);
		all.accesses += info.accesses;
		all.sampled_accesses += info.sampled_accesses;
		all.sampled_lines += info.sampled_lines;
		all.lines += info.lines;
		all.cold += info.cold;
		all.rate_low = fmin(all.rate_low, info.rate);
		all.rate_high = fmax(all.rate_high, info.rate);
	}
	return all;
}

/* Misses and their standard errors summed over samplers, which err independently. */
static int
sum_misses(const struct profile *p, const uint64_t *size, size_t n, double *misses, double *error,
    struct wcp_error *e)
{
	double *one = must_alloc(NULL, 2 * n * sizeof *one);
	int status = 0;
	for (size_t i = 0; i < n; i++)
		misses[i] = error[i] = 0;
	for (uint32_t k = 0; k < p->n_shards && status >= 0; k++) {
		status = wcp_shards_misses(p->shards[k], size, n, one, one + n, e);
		for (size_t i = 0; i < n && status >= 0; i++) {
			misses[i] += one[i];
			error[i] = hypot(error[i], one[n + i]);
		}
	}
	free(one);
	return status;
}

static void
print_summary(const struct profile *p, struct report *r, const struct estimate *all)
{
	double n = (double)all->accesses;
	report_pair_u64(r, "accesses", NULL, all->accesses);
	report_pair_u64(r, "line", "B", p->set->line_bytes);
	if (p->stacks.what) {
		report_pair_text(r, "stack_per", unit_name[p->stacks.what]);
		report_pair_u64(r, "stacks", NULL, p->stacks.n);
	}
	report_pair_u64(r, "sampled_accesses", NULL, all->sampled_accesses);
	report_pair_u64(r, "sampled_lines", NULL, all->sampled_lines);
	report_pair_double(r, "rate", NULL, all->rate_low, 6);
	if (all->rate_high > all->rate_low)
		report_pair_double(r, "rate_most", NULL, all->rate_high, 6);
	report_pair_u64(r, "seed", NULL, p->seed);
	report_pair_double(r, "lines", NULL, all->lines, 0);
	report_pair_double(r, "footprint", "B", all->lines * p->set->line_bytes, 0);
	report_pair_double(r, "cold", NULL, all->cold, 0);
	report_pair_double(r, "cold_share", "%", n > 0 ? 100 * all->cold / n : NAN, 3);
}

static int
print_histogram(const struct profile *p, struct report *r, const struct estimate *all,
    uint64_t most, struct wcp_error *e)
{
	static const struct report_column column[] = {
	    {"low", "lines", REPORT_U64, 0},
	    {"high", "lines", REPORT_U64, 0},
	    {"accesses", NULL, REPORT_DOUBLE, 0},
	    {"share", "%", REPORT_DOUBLE, 2},
	    {"cdf", "%", REPORT_DOUBLE, 2},
	    {NULL, NULL, REPORT_TEXT, 0},
	};
	/* references below an edge are those that a cache of that size hits */
	uint64_t edge[4096];
	size_t n = 0;
	uint64_t wide = p->set->bins == BINS_WIDE ? p->set->bin_lines : 0;
	if (wide && most / wide >= 4000)
		wide = most / 4000 + 1;
	edge[n++] = 0;
	for (uint64_t at = wide ? wide : 1;; at = wide ? at + wide : at * 2) {
		edge[n++] = at;
		if (at >= most)
			break;
	}
	double misses[4096], error[4096];
	int status = sum_misses(p, edge, n, misses, error, e);
	if (status < 0)
		return status;
	double warm = (double)all->accesses - misses[n - 1];
	report_table(r, "histogram", "Reuse distance, estimated", column);
	for (size_t i = 0; i + 1 < n; i++) {
		double here = misses[i] - misses[i + 1];
		report_u64(r, edge[i]);
		report_u64(r, edge[i + 1] - 1);
		report_double(r, here);
		report_double(r, 100 * here / (double)all->accesses);
		report_double(r, 100 * ((double)all->accesses - misses[i + 1]) / warm);
		report_row(r);
	}
	return 0;
}

static int
print_mrc(
    const struct profile *p, struct report *r, const struct estimate *all, struct wcp_error *e)
{
	static const struct report_column column[] = {
	    {"lines", NULL, REPORT_U64, 0},
	    {"bytes", NULL, REPORT_U64, 0},
	    {"misses", NULL, REPORT_DOUBLE, 0},
	    {"miss_ratio", "%", REPORT_DOUBLE, 3},
	    {"error", "%", REPORT_DOUBLE, 3},
	    {"low95", "%", REPORT_DOUBLE, 3},
	    {"high95", "%", REPORT_DOUBLE, 3},
	    {NULL, NULL, REPORT_TEXT, 0},
	};
	const struct settings *s = p->set;
	double *misses = must_alloc(NULL, 2 * s->n_size * sizeof *misses),
	       *error = misses + s->n_size;
	int status = sum_misses(p, s->size, s->n_size, misses, error, e);
	double scale = 100 / (double)all->accesses;
	report_table(r, "mrc", "Misses of a fully associative LRU cache, estimated", column);
	for (size_t i = 0; i < s->n_size && status >= 0; i++) {
		report_u64(r, s->size[i]);
		report_u64(r, s->size[i] * s->line_bytes);
		report_double(r, misses[i]);
		report_double(r, misses[i] * scale);
		report_double(r, error[i] * scale);
		report_double(r, fmax(0, (misses[i] - t95 * error[i]) * scale));
		report_double(r, fmin(100, (misses[i] + t95 * error[i]) * scale));
		report_row(r);
	}
	free(misses);
	return status;
}

int
print_sampled(struct profile *p, struct tool *t)
{
	struct settings *s = p->set;
	struct wcp_error e;
	struct estimate all = sum_up(p);
	uint64_t most = (uint64_t)all.lines + 1;
	settings_default_sizes(s, most);
	struct report *r = report_open(t, false, NULL);
	if (!r)
		return -WCP_ESYS;
	print_summary(p, r, &all);
	int status = all.accesses ? print_histogram(p, r, &all, most, &e) : 0;
	if (status >= 0 && all.accesses)
		status = print_mrc(p, r, &all, &e);
	report_note(r,
	    "estimated from a sample of lines (SHARDS); error is one standard error, from "
	    "%d samples within the sample",
	    WCP_SHARDS_PARTS);
	print_notes(p, r);
	int closed = report_close(r);
	return status < 0 ? tool_error(t, NULL, &e) : closed;
}
