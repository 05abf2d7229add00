/* A report for cut, awk and gnuplot: see report.h. Tab, newline and backslash in texts are escaped.
 */
#include <inttypes.h>
#include <string.h>
#include "report_private.h"

static void
put_text(FILE *out, const char *s)
{
	for (; *s; s++) {
		switch (*s) {
		case '\t': fputs("\\t", out); break;
		case '\n': fputs("\\n", out); break;
		case '\r': fputs("\\r", out); break;
		case '\\': fputs("\\\\", out); break;
		default: putc(*s, out);
		}
	}
}

static void
put_cell(FILE *out, const struct cell *c)
{
	char number[32];
	if (c->missing)
		return;
	switch (c->type) {
	case REPORT_U64: fprintf(out, "%" PRIu64, c->value.u64); break;
	case REPORT_I64: fprintf(out, "%" PRId64, c->value.i64); break;
	case REPORT_HEX: fprintf(out, "0x%" PRIx64, c->value.u64); break;
	case REPORT_TEXT: put_text(out, c->value.text); break;
	case REPORT_DOUBLE:
		report_shortest(number, c->value.real);
		fputs(number, out);
		break;
	}
}

/* What the header does not say, behind the rows: it is a comment to who only wants them. */
static void
write_about(const struct table *t, FILE *out)
{
	bool units = false;
	for (size_t i = 0; i < t->n_column; i++)
		units |= t->column[i].unit[0] != 0;
	if (t->title[0] && strcmp(t->title, t->name) != 0) {
		fputs("# title: ", out);
		put_text(out, t->title);
		putc('\n', out);
	}
	if (!units)
		return;
	fputs("# units: ", out);
	for (size_t i = 0; i < t->n_column; i++) {
		put_text(out, t->column[i].unit);
		putc(i + 1 < t->n_column ? '\t' : '\n', out);
	}
}

static void
write_table(const struct table *t, FILE *out)
{
	fprintf(out, "#table %s\n", t->name);
	for (size_t i = 0; i < t->n_column; i++)
		fprintf(out, "%s%c", t->column[i].name, i + 1 < t->n_column ? '\t' : '\n');
	for (size_t row = 0; row < t->n_row; row++) {
		for (size_t i = 0; i < t->n_column; i++) {
			put_cell(out, &t->cell[row * t->n_column + i]);
			putc(i + 1 < t->n_column ? '\t' : '\n', out);
		}
	}
	write_about(t, out);
}

void
report_write_tsv(const struct report *r)
{
	for (size_t i = 0; i < r->n_table; i++) {
		if (i)
			putc('\n', r->out);
		write_table(r->table[i], r->out);
	}
	for (size_t i = 0; i < r->n_note; i++) {
		fputs("# ", r->out);
		put_text(r->out, r->note[i]);
		putc('\n', r->out);
	}
	fprintf(r->out, "# report: %s\n", r->tool->spec->name);
}
