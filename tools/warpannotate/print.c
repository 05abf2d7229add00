/* The report. */
#include "annotate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool
has_figure(const struct annotate *a, enum figure f)
{
	if (f <= FIG_SECTORS)
		return a->warp;
	if (f <= FIG_CONFLICTS)
		return a->shared;
	if (f == FIG_ACCESSES)
		return a->access;
	return f <= FIG_MISSES ? a->outcomes : a->victims;
}

/* A column: its name, when it is there, what it says. */
struct shown {
	struct report_column column;
	enum figure figure; /* that it needs */
	void (*put)(struct report *r, const struct row *row, uint64_t all);
};

static void
put_executions(struct report *r, const struct row *row, uint64_t all)
{
	(void)all;
	report_u64(r, row->executions);
}

static void
put_insns(struct report *r, const struct row *row, uint64_t all)
{
	(void)all;
	report_u64(r, row->sum.n[FIG_INSNS]);
}

static void
put_share(struct report *r, const struct row *row, uint64_t all)
{
	report_double(r, 100 * ratio_of(row->sum.n[FIG_INSNS], all));
}

static void
put_lanes(struct report *r, const struct row *row, uint64_t all)
{
	(void)all;
	report_double(r, ratio_of(row->sum.n[FIG_THREADS], row->sum.n[FIG_INSNS]));
}

static void
put_number(struct report *r, uint64_t n, bool any)
{
	if (any)
		report_u64(r, n);
	else
		report_missing(r);
}

static void
put_requests(struct report *r, const struct row *row, uint64_t all)
{
	(void)all;
	put_number(r, row->sum.n[FIG_REQUESTS], row->sum.n[FIG_REQUESTS]);
}

static void
put_lines(struct report *r, const struct row *row, uint64_t all)
{
	(void)all;
	report_double(r, ratio_of(row->sum.n[FIG_LINES], row->sum.n[FIG_REQUESTS]));
}

static void
put_sectors(struct report *r, const struct row *row, uint64_t all)
{
	(void)all;
	report_double(r, ratio_of(row->sum.n[FIG_SECTORS], row->sum.n[FIG_REQUESTS]));
}

static void
put_shared(struct report *r, const struct row *row, uint64_t all)
{
	(void)all;
	put_number(r, row->sum.n[FIG_SHARED], row->sum.n[FIG_SHARED]);
}

static void
put_conflicts(struct report *r, const struct row *row, uint64_t all)
{
	(void)all;
	put_number(r, row->sum.n[FIG_CONFLICTS], row->sum.n[FIG_SHARED]);
}

static void
put_accesses(struct report *r, const struct row *row, uint64_t all)
{
	(void)all;
	put_number(r, row->sum.n[FIG_ACCESSES], row->sum.n[FIG_ACCESSES]);
}

static void
put_misses(struct report *r, const struct row *row, uint64_t all)
{
	(void)all;
	put_number(r, row->sum.n[FIG_MISSES], row->sum.n[FIG_ACCESSES]);
}

static void
put_miss_ratio(struct report *r, const struct row *row, uint64_t all)
{
	(void)all;
	report_double(r,
	    100 * ratio_of(row->sum.n[FIG_MISSES], row->sum.n[FIG_MISSES] + row->sum.n[FIG_HITS]));
}

static void
put_evictions(struct report *r, const struct row *row, uint64_t all)
{
	(void)all;
	put_number(r, row->sum.n[FIG_EVICTIONS], row->sum.n[FIG_ACCESSES]);
}

static void
put_suffered(struct report *r, const struct row *row, uint64_t all)
{
	(void)all;
	put_number(r, row->sum.n[FIG_SUFFERED], row->sum.n[FIG_ACCESSES]);
}

static void
put_caused(struct report *r, const struct row *row, uint64_t all)
{
	(void)all;
	put_number(r, row->sum.n[FIG_CAUSED], row->sum.n[FIG_ACCESSES]);
}

static const struct shown shown[] = {
    {{"executions", NULL, REPORT_U64, 0}, FIG_INSNS, put_executions},
    {{"insns", NULL, REPORT_U64, 0}, FIG_INSNS, put_insns},
    {{"share", "%", REPORT_DOUBLE, 1}, FIG_INSNS, put_share},
    {{"lanes", "per insn", REPORT_DOUBLE, 1}, FIG_INSNS, put_lanes},
    {{"requests", NULL, REPORT_U64, 0}, FIG_REQUESTS, put_requests},
    {{"lines", "per request", REPORT_DOUBLE, 2}, FIG_LINES, put_lines},
    {{"sectors", "per request", REPORT_DOUBLE, 2}, FIG_SECTORS, put_sectors},
    {{"shared", "requests", REPORT_U64, 0}, FIG_SHARED, put_shared},
    {{"conflicts", "passes", REPORT_U64, 0}, FIG_CONFLICTS, put_conflicts},
    {{"accesses", NULL, REPORT_U64, 0}, FIG_ACCESSES, put_accesses},
    {{"misses", NULL, REPORT_U64, 0}, FIG_MISSES, put_misses},
    {{"miss_ratio", "%", REPORT_DOUBLE, 1}, FIG_MISSES, put_miss_ratio},
    {{"evictions", NULL, REPORT_U64, 0}, FIG_EVICTIONS, put_evictions},
    {{"suffered", NULL, REPORT_U64, 0}, FIG_SUFFERED, put_suffered},
    {{"caused", NULL, REPORT_U64, 0}, FIG_CAUSED, put_caused},
};

enum { SHOWN = sizeof shown / sizeof shown[0] };

/* The columns that there is something to say in, between those before and behind. */
static void
make_columns(const struct annotate *a, struct report_column *out, bool text)
{
	unsigned n = 0;
	if (!text) {
		out[n++] = (struct report_column){"program", NULL, REPORT_TEXT, 0};
		out[n++] = (struct report_column){"file", NULL, REPORT_TEXT, 0};
	}
	out[n++] = (struct report_column){a->by == BY_PC ? "pc" : "line", NULL, REPORT_U64, 0};
	for (unsigned i = 0; i < SHOWN; i++)
		if (has_figure(a, shown[i].figure))
			out[n++] = shown[i].column;
	out[n++] =
	    (struct report_column){a->by == BY_PC ? "opcode" : "source", NULL, REPORT_TEXT, 0};
	out[n] = (struct report_column){NULL, NULL, REPORT_TEXT, 0};
}

/* Does anything say something of the row? Lines that nothing executed are told with --all. */
static bool
is_told(const struct annotate *a, const struct row *row)
{
	bool any = a->all;
	for (int f = 0; f < FIG_COUNT; f++)
		any |= row->sum.n[f] != 0;
	return any;
}

static void
put_row(struct annotate *a, struct report *r, const struct rows *rows, const struct row *row,
    uint64_t all)
{
	if (a->tool->format != TOOL_TEXT) {
		report_text(r, row->code->program->name);
		report_text(r, row->file);
	}
	put_number(r, row->line, row->line || a->by == BY_PC);
	for (unsigned i = 0; i < SHOWN; i++)
		if (has_figure(a, shown[i].figure))
			shown[i].put(r, row, all);
	char *text = row_text(a, rows, row);
	report_text(r, text);
	free(text);
	report_row(r);
}

/* Of lines without code, with --all: their text alone. */
static void
put_plain(
    struct annotate *a, struct report *r, const struct row *row, uint32_t line, unsigned columns)
{
	char *text = source_line(source_get(a, row->file), line);
	if (a->tool->format != TOOL_TEXT) {
		report_text(r, row->code->program->name);
		report_text(r, row->file);
	}
	report_u64(r, line);
	for (unsigned i = 0; i < columns; i++)
		report_missing(r);
	report_text(r, text);
	report_row(r);
	free(text);
}

static void
begin_table(struct annotate *a, struct report *r, const struct row *row,
    const struct report_column *column, unsigned *tables)
{
	char name[32], title[4200];
	if (a->tool->format != TOOL_TEXT) {
		report_table(r, "lines", "Figures by line", column);
		return;
	}
	snprintf(name, sizeof name, "lines%u", ++*tables);
	snprintf(title, sizeof title, "%s: %s", row->code->program->name, row_file(a, row));
	report_table(r, name, title, column);
}

static void
print_code(struct annotate *a, struct report *r, const struct code *c, unsigned *tables)
{
	struct report_column column[SHOWN + 5];
	struct rows rows = rows_make(a, c);
	uint64_t all = 0;
	unsigned columns = 0;
	const struct row *before = NULL;
	make_columns(a, column, a->tool->format == TOOL_TEXT);
	for (unsigned i = 0; i < SHOWN; i++)
		columns += has_figure(a, shown[i].figure);
	for (uint32_t pc = 0; pc < c->program->n_insn; pc++)
		all += c->counts[pc].n[FIG_INSNS];
	for (uint32_t i = 0; i < rows.n; i++) {
		const struct row *row = &rows.row[i];
		bool same_file =
		    before && (before->file == row->file ||
				  (before->file && row->file && !strcmp(before->file, row->file)));
		if (!is_told(a, row))
			continue;
		if (!same_file)
			begin_table(a, r, row, column, tables);
		for (uint32_t line = before && same_file && a->all && row->file && a->by != BY_PC
					 ? before->line + 1
					 : row->line;
		     line < row->line; line++)
			put_plain(a, r, row, line, columns);
		put_row(a, r, &rows, row, all);
		before = row;
	}
	rows_release(&rows);
}

static void
print_summary(const struct annotate *a, struct report *r)
{
	struct counts sum = {0};
	for (uint32_t i = 0; i < a->n_code; i++)
		for (uint32_t pc = 0; pc < a->code[i].program->n_insn; pc++)
			for (int f = 0; f < FIG_COUNT; f++)
				sum.n[f] += a->code[i].counts[pc].n[f];
	static const char *const name[FIG_COUNT] = {"warp_instructions", "thread_instructions",
	    "requests", "lines", "sectors", "shared_requests", "bank_conflicts", "accesses", "hits",
	    "misses", "evictions", "suffered", "caused"};
	report_pair_u64(r, "programs", NULL, a->n_code);
	for (enum figure f = 0; f < FIG_COUNT; f++)
		if (has_figure(a, f))
			report_pair_u64(r, name[f], f == FIG_CONFLICTS ? "passes" : NULL, sum.n[f]);
}

int
print_report(struct annotate *a)
{
	struct report *r = report_open(a->tool, false, NULL);
	unsigned tables = 0;
	if (!r)
		return -WCP_ESYS;
	print_summary(a, r);
	for (uint32_t i = 0; i < a->n_code; i++)
		print_code(a, r, &a->code[i], &tables);
	if (a->lost_records)
		report_note(r, "%llu records belong to no instruction of a program in the stream",
		    (unsigned long long)a->lost_records);
	return report_close(r);
}
