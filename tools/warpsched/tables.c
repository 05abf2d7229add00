/* What is reported when it is asked for: MSHRs by age, interference, series. */
#include <math.h>
#include <string.h>
#include "unit.h"
#include "warpsched.h"

static const char *
table_name(char *text, size_t room, const struct job *j, const char *name)
{
	snprintf(text, room, "%s%s%s", j->table, *j->table ? "_" : "", name);
	return text;
}

static void
print_ages(struct report *r, const struct job *j)
{
	static const struct report_column rest[] = {{"age", NULL, REPORT_U64, 0},
	    {"loads", NULL, REPORT_U64, 0}, {"accesses", NULL, REPORT_U64, 0},
	    {"misses", NULL, REPORT_U64, 0}, {"merges", NULL, REPORT_U64, 0},
	    {"mshrs_per_load", NULL, REPORT_DOUBLE, 2}, {0}};
	struct report_column column[UNIT_REPORT_COLUMNS + sizeof rest / sizeof rest[0]];
	const struct watch *w = &j->result.watch;
	char name[32];
	unit_report_columns(column, UNIT_PC, rest);
	report_table(r, table_name(name, sizeof name, j, "ages"),
	    "MSHRs by load and age of the warp", column);
	for (uint64_t i = 0; i < (uint64_t)w->pc.n * SLOTS_MAX; i++) {
		const struct age_row *a = &w->row[i];
		if (!a->accesses)
			continue;
		unit_report_key(r, &w->pc, NULL, &j->result.programs, (uint32_t)(i / SLOTS_MAX));
		report_u64(r, i % SLOTS_MAX);
		report_u64(r, a->loads);
		report_u64(r, a->accesses);
		report_u64(r, a->misses);
		report_u64(r, a->merges);
		report_double(r, a->loads ? (double)a->misses / (double)a->loads : NAN);
		report_row(r);
	}
}

static void
print_interference(struct report *r, const struct job *j)
{
	static const struct report_column column[] = {{"slot", NULL, REPORT_U64, 0},
	    {"interferer", NULL, REPORT_U64, 0}, {"misses", NULL, REPORT_U64, 0}, {0}};
	char name[32];
	report_table(r, table_name(name, sizeof name, j, "interference"),
	    "Misses on lines that a warp lost to another's access", column);
	for (uint32_t i = 0; i < SLOTS_MAX; i++) {
		for (uint32_t k = 0; k < SLOTS_MAX; k++) {
			if (!j->result.watch.lost[i][k])
				continue;
			report_u64(r, i);
			report_u64(r, k);
			report_u64(r, j->result.watch.lost[i][k]);
			report_row(r);
		}
	}
}

void
print_watch(struct report *r, const struct job *j)
{
	if (j->result.watch.ages)
		print_ages(r, j);
	if (j->result.watch.interference)
		print_interference(r, j);
}

/* ---- series --------------------------------------------------------------------------------- */

static void
write_ratio(FILE *out, uint64_t of, uint64_t all)
{
	if (all)
		fprintf(out, "\t%.6g", (double)of / (double)all);
	else
		fputs("\t", out);
}

static void
write_row(FILE *out, const struct job *j, uint64_t i)
{
	const struct series *s = &j->result.series;
	const struct series_row *x = &s->row[i];
	uint64_t begin = i * s->interval, end = begin + s->interval;
	if (end > j->result.total_cycles)
		end = j->result.total_cycles;
	fprintf(out, "%s\t%s\t%llu", j->input->name, j->choice->label, (unsigned long long)begin);
	fprintf(out, "\t%llu\t%llu", (unsigned long long)x->warp_insns,
	    (unsigned long long)x->thread_insns);
	write_ratio(out, x->thread_insns, end - begin);
	write_ratio(out, x->resident, x->sm_cycles);
	write_ratio(out, x->active, x->sm_cycles);
	write_ratio(out, x->resident - x->active, x->sm_cycles);
	write_ratio(out, x->isolated, x->sm_cycles);
	const uint64_t rest[] = {x->l1_accesses, x->l1_hits, x->l1_misses, x->vta_hits,
	    x->ldst_stalls, x->ctas, x->l2_accesses, x->l2_misses, x->dram_reads, x->dram_writes};
	for (unsigned k = 0; k < sizeof rest / sizeof rest[0]; k++)
		fprintf(out, "\t%llu", (unsigned long long)rest[k]);
	fputc('\n', out);
}

int
write_series(struct tool *t, const struct command *c, const struct job *job)
{
	FILE *out = strcmp(c->series, "-") != 0 ? fopen(c->series, "w") : stdout;
	struct wcp_error e;
	if (!out) {
		wcp_fail_errno(&e, "%s", c->series);
		return tool_error(t, NULL, &e);
	}
	fputs("input\tpolicy\tcycle\twarp_instructions\tthread_instructions\tipc\tresident_warps\t"
	      "active_warps\tstalled_warps\tisolated_warps\tl1d_accesses\tl1d_hits\tl1d_misses\t"
	      "vta_hits\tldst_stalls\tctas\tl2_accesses\tl2_misses\tdram_reads\tdram_writes\n",
	    out);
	for (unsigned i = 0; i < c->n_input * c->n_choice; i++) {
		for (uint64_t k = 0; i % c->n_choice < c->n_policy && k < job[i].result.series.n;
		     k++)
			write_row(out, &job[i], k);
	}
	bool failed = ferror(out) || fflush(out);
	if (out != stdout)
		failed |= fclose(out) != 0;
	if (!failed)
		return 0;
	wcp_fail_errno(&e, "%s", c->series);
	return tool_error(t, NULL, &e);
}
