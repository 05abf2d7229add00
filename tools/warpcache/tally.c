#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tally.h"

enum { AHEAD = 12 }; /* accesses whose lines are fetched into the processor's cache */

/* ---- sorts of accesses ---------------------------------------------------------------------- */

enum who { READS, WRITES, ATOMICS };
enum what { NO_FILL, FILLS, SECTOR, WHATS };
enum { SORT_BYPASS = 18, SORT_NONE };

static unsigned
sort_of(enum who who, bool hit, enum what what)
{
	return (who * 2u + hit) * WHATS + what;
}

static enum who
who_of(unsigned kind)
{
	if (kind == WCP_LOAD || kind == WCP_PREFETCH)
		return READS;
	return kind == WCP_STORE || kind == WCP_WRITEBACK ? WRITES : ATOMICS;
}

static unsigned
find_sort(unsigned kind, unsigned result)
{
	bool hit = result & WCP_CACHE_PRESENT;
	switch (result & WCP_CACHE_OUTCOME) {
	case WCP_OUT_BYPASS: return SORT_BYPASS;
	case WCP_OUT_NONE: return SORT_NONE;
	case WCP_OUT_MISS: return sort_of(who_of(kind), hit, FILLS);
	case WCP_OUT_SECTOR: return sort_of(who_of(kind), hit, SECTOR);
	default: return sort_of(who_of(kind), hit, NO_FILL);
	}
}

static struct row
row_of(const struct count *c)
{
	struct row r = {.bypassed = c->n[SORT_BYPASS],
	    .writebacks = c->writebacks,
	    .cold = c->cold,
	    .vta_hits = c->vta_hits,
	    .vta_self = c->vta_self};
	uint64_t by_who[3] = {0}, hits[3] = {0};
	for (unsigned who = READS; who <= ATOMICS; who++)
		for (unsigned i = 0; i < 2 * WHATS; i++) {
			uint64_t n = c->n[who * 2 * WHATS + i];
			by_who[who] += n;
			hits[who] += i >= WHATS ? n : 0;
			r.fills += i % WHATS == FILLS ? n : 0;
			r.sector += i % WHATS == SECTOR ? n : 0;
		}
	r.loads = by_who[READS];
	r.stores = by_who[WRITES];
	r.atomics = by_who[ATOMICS];
	r.accesses = r.loads + r.stores + r.atomics;
	r.load_hits = hits[READS];
	r.store_hits = hits[WRITES];
	r.hits = hits[READS] + hits[WRITES] + hits[ATOMICS];
	memcpy(r.class, c->class, sizeof r.class);
	return r;
}

static void
add_up(struct count *sum, const struct count *c)
{
	for (unsigned i = 0; i < TALLY_SORTS; i++)
		sum->n[i] += c->n[i];
	for (unsigned i = 0; i <= NOTE_CLASS; i++)
		sum->class[i] += c->class[i];
	sum->cold += c->cold;
	sum->writebacks += c->writebacks;
	sum->vta_hits += c->vta_hits;
	sum->vta_self += c->vta_self;
}

static void
add_recent(struct count *c, const struct recent *r)
{
	for (unsigned i = 0; i < TALLY_SORTS; i++)
		c->n[i] += r->n[i];
}

static struct row
row_at(const struct tally *t, uint32_t unit)
{
	struct count c = t->count[unit];
	add_recent(&c, &t->recent[unit]);
	return row_of(&c);
}

struct row
tally_all(const struct tally *t)
{
	struct count all = t->all;
	for (unsigned i = 0; i < TALLY_LANES; i++)
		add_recent(&all, &t->lane[i]);
	for (uint32_t i = 0; i < t->by.n; i++) {
		add_up(&all, &t->count[i]);
		add_recent(&all, &t->recent[i]);
	}
	return row_of(&all);
}

/* ---- counting ------------------------------------------------------------------------------- */

void
tally_init(struct tally *t, enum unit by)
{
	memset(t, 0, sizeof *t);
	keys_init(&t->by, by);
	for (unsigned kind = 0; kind < 8; kind++)
		for (unsigned result = 0; result < 256; result++)
			t->sort[kind][result] = (uint8_t)find_sort(kind, result);
	for (unsigned result = 0; result < 256; result++)
		t->misses[result] = !(result & WCP_CACHE_PRESENT) &&
				    t->sort[WCP_LOAD][result] < SORT_BYPASS &&
				    (result & WCP_CACHE_OUTCOME) != WCP_OUT_PENDING;
}

void
tally_release(struct tally *t)
{
	lines_release(&t->seen);
	keys_release(&t->by);
	free(t->count);
	free(t->recent);
	free(t->insns);
	free(t->unit);
	free(t->missed);
}

static void
reserve(struct tally *t, uint32_t n)
{
	if (n <= t->cap_count)
		return;
	uint32_t cap = n < 512 ? 1024 : n * 2;
	t->count = must_alloc(t->count, cap * sizeof *t->count);
	t->recent = must_alloc(t->recent, cap * sizeof *t->recent);
	memset(t->count + t->cap_count, 0, (cap - t->cap_count) * sizeof *t->count);
	memset(t->recent + t->cap_count, 0, (cap - t->cap_count) * sizeof *t->recent);
	t->cap_count = cap;
}

static void
note_down(struct count *c, uint8_t note)
{
	c->class[note & NOTE_CLASS]++;
	c->vta_hits += (note & NOTE_VTA) != 0;
	c->vta_self += (note & NOTE_VTA_SELF) != 0;
}

/* Numbers the batch's units. */
static void
number_units(struct tally *t, const struct wcp_access_batch *b, const struct tally_batch *w)
{
	if (w->n > t->cap_unit) {
		t->cap_unit = w->n + w->n / 2;
		t->unit = must_alloc(t->unit, t->cap_unit * sizeof *t->unit);
		t->missed = must_alloc(t->missed, t->cap_unit * sizeof *t->missed);
	}
	if (t->by.what == UNIT_NONE)
		return;
	unit_numbers(&t->by, t->reader, b, w->at, w->n, t->unit);
	reserve(t, t->by.n);
}

static inline struct count *
count_of(struct tally *t, uint32_t i)
{
	return t->by.what == UNIT_NONE ? &t->all : &t->count[t->unit[i]];
}

static inline unsigned
sort_at(const struct tally *t, const struct tally_batch *w, uint32_t i)
{
	return t->sort[w->kind[i] < 7 ? w->kind[i] : 7][w->result[i]];
}

/* Of those that were looked up in vain, but for lines on their way, the ones on new lines. */
static void
find_cold(struct tally *t, const struct tally_batch *w, uint32_t missed)
{
	for (uint32_t k = 0; k < missed; k++) {
		uint32_t i = t->missed[k], later = k + AHEAD < missed ? t->missed[k + AHEAD] : i;
		lines_expect(&t->seen, w->line[later] >> w->line_shift, w->copy[later]);
		if (lines_add(&t->seen, w->line[i] >> w->line_shift, w->copy[i]))
			count_of(t, i)->cold++;
	}
}

static void
settle(struct tally *t)
{
	for (unsigned i = 0; i < TALLY_LANES; i++)
		add_recent(&t->all, &t->lane[i]);
	for (uint32_t i = 0; i < t->by.n; i++)
		add_recent(&t->count[i], &t->recent[i]);
	memset(t->lane, 0, sizeof t->lane);
	memset(t->recent, 0, t->by.n * sizeof *t->recent);
	t->since = 0;
}

/* Counts the accesses by sort and lists those that missed: how many. All their results or'ed. */
static uint32_t
count_sorts(struct tally *t, const struct tally_batch *w, uint8_t *results)
{
	bool by_unit = t->by.what != UNIT_NONE;
	struct recent *recent = by_unit ? t->recent : t->lane;
	const uint32_t *unit = t->unit;
	const uint8_t *kinds = w->kind, *result = w->result;
	uint32_t *missed = t->missed, n = 0;
	unsigned all = 0;
	for (uint32_t i = 0; i < w->n; i++) {
		unsigned kind = kinds[i] < 7 ? kinds[i] : 7, is = result[i];
		recent[by_unit ? unit[i] : i % TALLY_LANES].n[t->sort[kind][is]]++;
		missed[n] = i;
		n += t->misses[is];
		all |= is;
	}
	*results = (uint8_t)all;
	return n;
}

void
tally_add(struct tally *t, const struct wcp_access_batch *b, const struct tally_batch *w)
{
	number_units(t, b, w);
	if (__builtin_add_overflow(t->since, w->n, &t->since)) {
		settle(t);
		t->since = w->n;
	}
	uint8_t results;
	uint32_t missed = count_sorts(t, w, &results);
	for (uint32_t i = 0; results & WCP_CACHE_DIRTY && i < w->n; i++)
		if (w->result[i] & WCP_CACHE_DIRTY)
			count_of(t, i)->writebacks++;
	for (uint32_t i = 0; w->note && i < w->n; i++)
		if (sort_at(t, w, i) < SORT_BYPASS)
			note_down(count_of(t, i), w->note[i]);
	find_cold(t, w, missed);
}

void
tally_kernel_end(struct tally *t, const struct wcp_kernel_end *end)
{
	if (end->kernel >= t->n_insns) {
		t->insns = must_alloc(t->insns, (end->kernel + 1ull) * sizeof *t->insns);
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

/* ---- in the report -------------------------------------------------------------------------- */

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
	struct row all = tally_all(t);
	const struct row *a = &all;
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
	struct row row = row_at(t, number);
	const struct row *a = &row;
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
