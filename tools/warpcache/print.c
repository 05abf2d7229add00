#include <math.h>
#include <stdlib.h>
#include "warpcache.h"

#define COUNT_COLUMNS                                                               \
	{"accesses", NULL, REPORT_U64, 0}, {"hits", NULL, REPORT_U64, 0},           \
	    {"misses", NULL, REPORT_U64, 0}, {"miss_ratio", "%", REPORT_DOUBLE, 2}, \
	    {"cold", NULL, REPORT_U64, 0}, {"sector_misses", NULL, REPORT_U64, 0},  \
	    {"bypassed", NULL, REPORT_U64, 0},                                      \
	{                                                                           \
		"writebacks", NULL, REPORT_U64, 0                                   \
	}
#define RATE_COLUMNS                                                        \
	{"apki", NULL, REPORT_DOUBLE, 2}, {"mpki", NULL, REPORT_DOUBLE, 2}, \
	    {"apki_warp", NULL, REPORT_DOUBLE, 2},                          \
	{                                                                   \
		"mpki_warp", NULL, REPORT_DOUBLE, 2                         \
	}
#define NO_COLUMN                          \
	{                                  \
		NULL, NULL, REPORT_TEXT, 0 \
	}

static const struct report_column unit_column[] = {COUNT_COLUMNS, NO_COLUMN};
/* Instructions are known by kernel only. */
static const struct report_column kernel_column[] = {COUNT_COLUMNS, RATE_COLUMNS, NO_COLUMN};

static double
ratio(uint64_t part, uint64_t whole, double scale)
{
	return whole ? scale * (double)part / (double)whole : NAN;
}

static struct instructions
all_instructions(const struct run *r)
{
	struct instructions sum = {0, 0, true};
	for (uint32_t i = 0; i < r->n_insns; i++) {
		sum.threads += r->insns[i].threads;
		sum.warps += r->insns[i].warps;
	}
	return sum;
}

static void
print_cache(const struct run *r, struct report *out)
{
	const struct wcp_cache_options *o = &r->set->cache;
	const struct wcp_setindex *x = wcp_cache_index(r->cache);
	report_pair_u64(out, "caches", NULL, r->caches);
	report_pair_u64(out, "size", "bytes", o->index.sets * o->ways * o->index.line_bytes);
	report_pair_u64(out, "sets", NULL, o->index.sets);
	report_pair_u64(out, "ways", NULL, o->ways);
	report_pair_u64(out, "line", "bytes", o->index.line_bytes);
	report_pair_u64(
	    out, "sector", "bytes", o->sector_bytes ? o->sector_bytes : o->index.line_bytes);
	report_pair_text(out, "replacement", wcp_replacement_name(o->replacement));
	report_pair_text(out, "index", wcp_index_name(o->index.kind));
	if (o->index.kind == WCP_INDEX_POLY)
		report_pair_u64(out, "polynomial", NULL, x->options.polynomial);
	report_pair_text(out, "write_global", wcp_write_name(o->global_write));
	report_pair_text(out, "write_local", wcp_write_name(o->local_write));
}

static void
print_counts(const struct run *r, struct report *out)
{
	const struct row *a = &r->all;
	struct instructions insns = all_instructions(r);
	uint64_t misses = a->accesses - a->hits;
	report_pair_u64(out, "accesses", NULL, a->accesses);
	report_pair_u64(out, "loads", NULL, a->loads);
	report_pair_u64(out, "stores", NULL, a->stores);
	report_pair_u64(out, "atomics", NULL, a->atomics);
	report_pair_u64(out, "bypassed", NULL, a->bypassed);
	report_pair_u64(out, "hits", NULL, a->hits);
	report_pair_u64(out, "load_hits", NULL, a->load_hits);
	report_pair_u64(out, "store_hits", NULL, a->store_hits);
	report_pair_u64(out, "misses", NULL, misses);
	report_pair_u64(out, "cold_misses", NULL, a->cold);
	report_pair_u64(out, "sector_misses", NULL, a->sector);
	report_pair_u64(out, "writebacks", NULL, a->writebacks);
	report_pair_double(out, "miss_ratio", "%", ratio(misses, a->accesses, 100), 2);
	report_pair_u64(out, "thread_insns", NULL, insns.threads);
	report_pair_u64(out, "warp_insns", NULL, insns.warps);
	report_pair_double(out, "apki", NULL, ratio(a->accesses, insns.threads, 1000), 2);
	report_pair_double(out, "mpki", NULL, ratio(misses, insns.threads, 1000), 2);
	report_pair_double(out, "apki_warp", NULL, ratio(a->accesses, insns.warps, 1000), 2);
	report_pair_double(out, "mpki_warp", NULL, ratio(misses, insns.warps, 1000), 2);
}

static void
print_rates(struct report *out, uint64_t accesses, uint64_t misses, struct instructions insns)
{
	report_double(out, ratio(accesses, insns.threads, 1000));
	report_double(out, ratio(misses, insns.threads, 1000));
	report_double(out, ratio(accesses, insns.warps, 1000));
	report_double(out, ratio(misses, insns.warps, 1000));
}

static void
print_row(const struct run *r, struct report *out, uint32_t number)
{
	const struct row *a = &r->row[number];
	uint64_t misses = a->accesses - a->hits;
	unit_report_key(out, &r->by, &r->kernels, &r->programs, number);
	report_u64(out, a->accesses);
	report_u64(out, a->hits);
	report_u64(out, misses);
	report_double(out, ratio(misses, a->accesses, 100));
	report_u64(out, a->cold);
	report_u64(out, a->sector);
	report_u64(out, a->bypassed);
	report_u64(out, a->writebacks);
	if (r->by.what == UNIT_KERNEL)
		print_rates(out, a->accesses, misses,
		    r->by.key[number].group < r->n_insns ? r->insns[r->by.key[number].group]
							 : (struct instructions){0, 0, false});
	report_row(out);
}

static void
print_units(struct run *r, struct report *out)
{
	struct report_column
	    column[UNIT_REPORT_COLUMNS + sizeof kernel_column / sizeof *kernel_column];
	if (!r->by.what)
		return;
	unit_sources(&r->by, r->reader);
	unit_report_columns(
	    column, r->by.what, r->by.what == UNIT_KERNEL ? kernel_column : unit_column);
	report_table(out, "by", "By unit", column);
	uint32_t *order = keys_sorted(&r->by);
	for (uint32_t i = 0; i < r->by.n; i++)
		print_row(r, out, order[i]);
	free(order);
}

static void
print_notes(const struct run *r, struct report *out)
{
	const struct wcp_setindex *x = wcp_cache_index(r->cache);
	if (x->options.kind == WCP_INDEX_POLY && !x->irreducible)
		report_note(out,
		    "polynomial %u is reducible: some strides do not spread over all sets",
		    x->options.polynomial);
	if (r->other_spaces)
		report_note(out, "%llu accesses to other spaces were not looked up",
		    (unsigned long long)r->other_spaces);
	if (r->flushed)
		report_note(out, "%llu write-backs come from emptying the caches when kernels end",
		    (unsigned long long)r->flushed);
	if (r->filter)
		report_note(out, "instructions are those of whole kernels, accesses those that "
				 "match the filter");
}

int
print_report(struct run *r, struct report *out)
{
	print_cache(r, out);
	print_counts(r, out);
	print_units(r, out);
	print_notes(r, out);
	return 0;
}
