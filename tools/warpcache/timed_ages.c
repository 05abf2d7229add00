/*
 * Which loads take MSHRs, and whose (OAWS Fig. 4). A warp's age is its place among the warps that
 * its SM's slots hold, in the order of their first access: 0 is the oldest. A slot holds a warp
 * until another one's access comes from it. Without slots a warp's number in its CTA stands for its
 * slot.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "timed.h"

void
ages_init(struct ages *a, bool wanted)
{
	memset(a, 0, sizeof *a);
	a->wanted = wanted;
	keys_init(&a->pc, UNIT_PC);
}

void
ages_release(struct ages *a)
{
	for (uint32_t i = 0; i < a->n_sm; i++)
		free(a->sm[i].slot);
	free(a->sm);
	keys_release(&a->pc);
	free(a->row);
	free(a->number);
}

void
ages_batch(struct ages *a, const struct wcp_reader *r, const struct wcp_access_batch *b)
{
	if (!a->wanted)
		return;
	if (b->n > a->cap_number) {
		a->cap_number = b->n + b->n / 2;
		a->number = must_alloc(a->number, a->cap_number * sizeof *a->number);
	}
	unit_numbers(&a->pc, r, b, NULL, b->n, a->number);
	if (a->pc.n > a->cap_pc) {
		uint32_t cap = a->pc.n + a->pc.n / 2 + 16;
		size_t row = TIMED_AGES * sizeof *a->row;
		a->row = must_alloc(a->row, cap * row);
		memset(a->row + a->cap_pc * TIMED_AGES, 0, (cap - a->cap_pc) * row);
		a->cap_pc = cap;
	}
}

static struct slots *
slots_of(struct ages *a, uint16_t sm, uint16_t slot)
{
	if (sm >= a->n_sm) {
		uint32_t n = sm + 16u;
		a->sm = must_alloc(a->sm, n * sizeof *a->sm);
		memset(a->sm + a->n_sm, 0, (n - a->n_sm) * sizeof *a->sm);
		a->n_sm = n;
	}
	struct slots *s = &a->sm[sm];
	if (slot >= s->n) {
		uint32_t n = slot + 16u;
		s->slot = must_alloc(s->slot, n * sizeof *s->slot);
		memset(s->slot + s->n, 0, (n - s->n) * sizeof *s->slot);
		s->n = n;
	}
	return s;
}

/* The warp that comes is the youngest; those younger than the one it replaces are a place older. */
static void
replace(struct slots *s, uint16_t slot)
{
	for (uint32_t i = 0; s->slot[slot].used && i < s->n; i++)
		if (s->slot[i].used && s->slot[i].age > s->slot[slot].age)
			s->slot[i].age--;
	s->used += !s->slot[slot].used;
	s->slot[slot].used = true;
	s->slot[slot].age = s->used - 1;
}

uint32_t
ages_row(struct ages *a, const struct wcp_access_batch *b, uint32_t at)
{
	uint16_t slot = b->slot[at] != WCP_NONE16 ? b->slot[at] : b->warp[at];
	if (b->kind[at] == WCP_WRITEBACK || slot == WCP_NONE16)
		return a->number[at] * TIMED_AGES;
	struct slots *s = slots_of(a, b->sm[at], slot);
	if (!s->slot[slot].used || s->slot[slot].kernel != b->kernel[at] ||
	    s->slot[slot].cta != b->cta[at] || s->slot[slot].warp != b->warp[at]) {
		replace(s, slot);
		s->slot[slot].kernel = b->kernel[at];
		s->slot[slot].cta = b->cta[at];
		s->slot[slot].warp = b->warp[at];
	}
	uint32_t age = s->slot[slot].age;
	return a->number[at] * TIMED_AGES + (age < TIMED_AGES ? age : TIMED_AGES - 1);
}

static void
print_row(
    const struct ages *a, const struct level *l, struct report *out, uint32_t pc, uint32_t age)
{
	const struct age_row *r = &a->row[pc * TIMED_AGES + age];
	if (!r->accesses)
		return;
	unit_report_key(out, &a->pc, l->tally.kernels, l->tally.programs, pc);
	report_u64(out, age);
	report_u64(out, r->insns);
	report_u64(out, r->accesses);
	report_u64(out, r->misses);
	report_u64(out, r->merges);
	report_double(out, r->insns ? (double)r->misses / (double)r->insns : NAN);
	report_u64(out, r->mshr_cycles);
	report_u64(out, r->stall_cycles);
	report_row(out);
}

void
ages_print(const struct ages *a, const struct level *l, struct report *out)
{
	static const struct report_column rest[] = {{"age", NULL, REPORT_U64, 0},
	    {"insns", NULL, REPORT_U64, 0}, {"accesses", NULL, REPORT_U64, 0},
	    {"mshrs", NULL, REPORT_U64, 0}, {"merges", NULL, REPORT_U64, 0},
	    {"mshrs_per_insn", NULL, REPORT_DOUBLE, 2}, {"mshr_cycles", NULL, REPORT_U64, 0},
	    {"stall_cycles", NULL, REPORT_U64, 0}, {NULL, NULL, REPORT_TEXT, 0}};
	struct report_column column[UNIT_REPORT_COLUMNS + 9];
	if (!a->wanted)
		return;
	unit_report_columns(column, UNIT_PC, rest);
	level_table(l, out, "ages", "MSHRs by instruction and age of the warp", column);
	uint32_t *order = keys_sorted(&a->pc);
	for (uint32_t i = 0; i < a->pc.n; i++)
		for (uint32_t age = 0; age < TIMED_AGES; age++)
			print_row(a, l, out, order[i], age);
	free(order);
}
