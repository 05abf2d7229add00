#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tally.h"

enum { AHEAD = 12 }; /* accesses whose lines are fetched into the processor's cache */

void
tally_init(struct tally *t, enum unit by)
{
	memset(t, 0, sizeof *t);
	keys_init(&t->by, by);
}

void
tally_release(struct tally *t)
{
	lines_release(&t->seen);
	keys_release(&t->by);
	free(t->row);
	free(t->insns);
	free(t->unit);
}

static void
count(struct row *row, uint8_t kind, uint8_t result, bool cold, uint8_t note)
{
	unsigned outcome = result & WCP_CACHE_OUTCOME;
	bool hit = result & WCP_CACHE_PRESENT;
	bool is_load = kind == WCP_LOAD || kind == WCP_PREFETCH;
	bool is_store = kind == WCP_STORE || kind == WCP_WRITEBACK;
	row->bypassed += outcome == WCP_OUT_BYPASS;
	row->writebacks += (result & WCP_CACHE_DIRTY) != 0;
	if (outcome == WCP_OUT_BYPASS || outcome == WCP_OUT_NONE)
		return;
	row->accesses++;
	row->loads += is_load;
	row->stores += is_store;
	row->atomics += !is_load && !is_store;
	row->hits += hit;
	row->load_hits += hit && is_load;
	row->store_hits += hit && is_store;
	row->fills += outcome == WCP_OUT_MISS;
	row->sector += outcome == WCP_OUT_SECTOR;
	row->cold += cold;
	row->class[note & NOTE_CLASS]++;
	row->vta_hits += (note & NOTE_VTA) != 0;
	row->vta_self += (note & NOTE_VTA_SELF) != 0;
}

static struct row *
row_of(struct tally *t, uint32_t number)
{
	if (number >= t->cap_row) {
		uint32_t cap = number < 512 ? 1024 : number * 2;
		t->row = must_have(t->row, cap * sizeof *t->row);
		memset(t->row + t->cap_row, 0, (cap - t->cap_row) * sizeof *t->row);
		t->cap_row = cap;
	}
	return &t->row[number];
}

void
tally_add(struct tally *t, const struct wcp_access_batch *b, const struct tally_batch *w)
{
	bool by = t->by.what != UNIT_NONE;
	if (by && w->n > t->cap_unit) {
		t->cap_unit = w->n + w->n / 2;
		t->unit = must_have(t->unit, t->cap_unit * sizeof *t->unit);
	}
	if (by)
		unit_numbers(&t->by, t->reader, b, w->at, w->n, t->unit);
	for (uint32_t i = 0; i < w->n; i++) {
		unsigned outcome = w->result[i] & WCP_CACHE_OUTCOME;
		uint32_t later = i + AHEAD;
		if (later < w->n && !(w->result[later] & WCP_CACHE_PRESENT))
			lines_expect(&t->seen, w->line_number[later], w->copy[later]);
		bool missed = !(w->result[i] & WCP_CACHE_PRESENT) && outcome != WCP_OUT_BYPASS &&
			      outcome != WCP_OUT_NONE && outcome != WCP_OUT_PENDING;
		bool cold = missed && lines_add(&t->seen, w->line_number[i], w->copy[i]);
		uint8_t note = w->note ? w->note[i] : 0;
		count(&t->all, w->kind[i], w->result[i], cold, note);
		if (by)
			count(row_of(t, t->unit[i]), w->kind[i], w->result[i], cold, note);
	}
}

void
tally_kernel_end(struct tally *t, const struct wcp_kernel_end *end)
{
	if (end->kernel >= t->n_insns) {
		t->insns = must_have(t->insns, (end->kernel + 1ull) * sizeof *t->insns);
		memset(
		    t->insns + t->n_insns, 0, (end->kernel + 1ull - t->n_insns) * sizeof *t->insns);
		t->n_insns = end->kernel + 1;
	}
	t->insns[end->kernel] = (struct instructions){end->thread_insns, end->warp_insns, true};
}

void
tally_flushed(struct tally *t)
{
	t->flushed++;
	t->all.writebacks++;
}

/* ---- in the report ----------------------------------------------------------------------------
 */

static const struct report_column count_column[] = {{"accesses", NULL, REPORT_U64, 0},
    {"hits", NULL, REPORT_U64, 0}, {"misses", NULL, REPORT_U64, 0},
    {"miss_ratio", "%", REPORT_DOUBLE, 2}, {"cold", NULL, REPORT_U64, 0},
    {"sector_misses", NULL, REPORT_U64, 0}, {"bypassed", NULL, REPORT_U64, 0},
    {"writebacks", NULL, REPORT_U64, 0}};
static const struct report_column class_column[] = {{"compulsory", NULL, REPORT_U64, 0},
    {"capacity", NULL, REPORT_U64, 0}, {"conflict", NULL, REPORT_U64, 0},
    {"emptied", NULL, REPORT_U64, 0}};
static const struct report_column vta_column[] = {
    {"vta_hits", NULL, REPORT_U64, 0}, {"vta_self_hits", NULL, REPORT_U64, 0}};
/* Instructions are known by kernel only. */
static const struct report_column rate_column[] = {{"apki", NULL, REPORT_DOUBLE, 2},
    {"mpki", NULL, REPORT_DOUBLE, 2}, {"apki_warp", NULL, REPORT_DOUBLE, 2},
    {"mpki_warp", NULL, REPORT_DOUBLE, 2}};

static double
ratio(uint64_t part, uint64_t whole, double scale)
{
	return whole ? scale * (double)part / (double)whole : NAN;
}

static struct instructions
all_instructions(const struct tally *t)
{
	struct instructions sum = {0, 0, true};
	for (uint32_t i = 0; i < t->n_insns; i++) {
		sum.threads += t->insns[i].threads;
		sum.warps += t->insns[i].warps;
	}
	return sum;
}

void
tally_print(const struct tally *t, struct report *out)
{
	const struct row *a = &t->all;
	struct instructions insns = all_instructions(t);
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
	report_pair_u64(out, "fills", NULL, a->fills);
	for (int i = 0; t->classes && i < 4; i++)
		report_pair_u64(out, class_column[i].name, NULL, a->class[NOTE_COMPULSORY + i]);
	if (t->vta) {
		report_pair_u64(out, "vta_hits", NULL, a->vta_hits);
		report_pair_u64(out, "vta_self_hits", NULL, a->vta_self);
	}
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
print_row(const struct tally *t, struct report *out, uint32_t number)
{
	const struct row *a = &t->row[number];
	uint64_t misses = a->accesses - a->hits;
	unit_report_key(out, &t->by, t->kernels, t->programs, number);
	report_u64(out, a->accesses);
	report_u64(out, a->hits);
	report_u64(out, misses);
	report_double(out, ratio(misses, a->accesses, 100));
	report_u64(out, a->cold);
	report_u64(out, a->sector);
	report_u64(out, a->bypassed);
	report_u64(out, a->writebacks);
	for (int i = 0; t->classes && i < 4; i++)
		report_u64(out, a->class[NOTE_COMPULSORY + i]);
	if (t->vta) {
		report_u64(out, a->vta_hits);
		report_u64(out, a->vta_self);
	}
	if (t->by.what == UNIT_KERNEL)
		print_rates(out, a->accesses, misses,
		    t->by.key[number].group < t->n_insns ? t->insns[t->by.key[number].group]
							 : (struct instructions){0, 0, false});
	report_row(out);
}

void
tally_columns(const struct tally *t, struct report_column column[TALLY_COLUMNS])
{
	struct report_column rest[TALLY_COLUMNS];
	size_t n = 0;
#define ADD(list)                                    \
	do {                                         \
		memcpy(rest + n, list, sizeof list); \
		n += sizeof list / sizeof *list;     \
	} while (0)
	ADD(count_column);
	if (t->classes)
		ADD(class_column);
	if (t->vta)
		ADD(vta_column);
	if (t->by.what == UNIT_KERNEL)
		ADD(rate_column);
#undef ADD
	rest[n] = (struct report_column){NULL, NULL, REPORT_TEXT, 0};
	unit_report_columns(column, t->by.what, rest);
}

void
tally_print_rows(const struct tally *t, struct report *out)
{
	uint32_t *order = keys_sorted(&t->by);
	for (uint32_t i = 0; i < t->by.n; i++)
		print_row(t, out, order[i]);
	free(order);
}
