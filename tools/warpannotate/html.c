/* One page that needs nothing else: each program's sources with their figures, shaded by weight. */
#include "annotate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void
put_html(FILE *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&': fputs("&amp;", out); break;
		case '<': fputs("&lt;", out); break;
		case '>': fputs("&gt;", out); break;
		case '"': fputs("&quot;", out); break;
		default:
			if ((unsigned char)*text >= ' ')
				putc(*text, out);
		}
	}
}

/* Colours of the reader's choice, light or dark; a narrow window scrolls figures beside the lines'
 * numbers, and long lines go on below themselves. */
static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
    "<meta name=\"viewport\" content=\"width=device-width\"><title>warpannotate</title>\n<style>\n"
    ":root{color-scheme:light "
    "dark;--ink:#111;--paper:#fff;--head:#eee;--rule:#888;--thin:#ccc;--faint:#595959}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e4e4e4;--paper:#161616;--head:#2a2a2a;"
    "--rule:#777;--thin:#444;--faint:#a6a6a6}}\n"
    "body{font:14px sans-serif;margin:1.5em;color:var(--ink);background:var(--paper)}\n"
    "a{color:inherit}\n"
    "table{border-collapse:separate;border-spacing:0;margin-bottom:2em}\n"
    "th{position:sticky;top:0;z-index:1;background:var(--head);text-align:right;padding:.2em "
    ".6em;vertical-align:bottom;border-bottom:1px solid var(--rule)}\n"
    "th small{display:block;font-weight:normal;color:var(--faint)}\n"
    "td{padding:0 .6em;text-align:right;vertical-align:top;font-variant-numeric:tabular-nums;"
    "white-space:nowrap}\n"
    "th.n,td.n{position:sticky;left:0;background:var(--paper);border-right:1px solid var(--thin)}\n"
    "td.n{color:var(--faint)}\n"
    "th.n{z-index:2;background:var(--head)}\n"
    "td.s,th.s{text-align:left;font-family:monospace}\n"
    "td.s{white-space:pre-wrap;overflow-wrap:anywhere;min-width:min(60ch,80vw);max-width:120ch}\n"
    "tr:hover td{outline:1px solid var(--thin)}\n"
    "details{font:12px monospace;color:var(--faint);white-space:normal}"
    "summary{display:inline;cursor:pointer}\n"
    "p{color:var(--faint);overflow-wrap:anywhere}\n</style></head><body>\n";

/* A column of the page; parts is what it is divided by, FIG_COUNT for none. */
struct page_column {
	const char *name, *unit;
	enum figure figure, by;
	double scale;
};

static const struct page_column columns[] = {
    {"instructions", "warp", FIG_INSNS, FIG_COUNT, 1},
    {"lanes", "per instruction", FIG_THREADS, FIG_INSNS, 1},
    {"requests", "", FIG_REQUESTS, FIG_COUNT, 1},
    {"lines", "per request", FIG_LINES, FIG_REQUESTS, 1},
    {"sectors", "per request", FIG_SECTORS, FIG_REQUESTS, 1},
    {"shared", "requests", FIG_SHARED, FIG_COUNT, 1},
    {"conflicts", "passes", FIG_CONFLICTS, FIG_COUNT, 1},
    {"accesses", "", FIG_ACCESSES, FIG_COUNT, 1},
    {"misses", "", FIG_MISSES, FIG_COUNT, 1},
    {"miss ratio", "%", FIG_MISSES, FIG_ACCESSES, 100},
    {"evictions", "", FIG_EVICTIONS, FIG_COUNT, 1},
    {"suffered", "misses", FIG_SUFFERED, FIG_COUNT, 1},
    {"caused", "misses", FIG_CAUSED, FIG_COUNT, 1},
};

enum { COLUMNS = sizeof columns / sizeof columns[0] };

/* Shaded by the line's part of all: to a red that black and white letters stand on. */
static void
put_value(
    FILE *out, const struct page_column *c, const struct counts *sum, const struct counts *all)
{
	uint64_t n = sum->n[c->figure];
	bool ratio = c->by != FIG_COUNT;
	/* of all that were hits or misses */
	uint64_t by = c->figure == FIG_MISSES && ratio ? n + sum->n[FIG_HITS]
		      : ratio			       ? sum->n[c->by]
						       : 1;
	double part = ratio ? 0 : ratio_of(n, all->n[c->figure]);
	if (!by || (!ratio && !n)) {
		fputs("<td></td>", out);
		return;
	}
	if (part >= .01)
		fprintf(out,
		    "<td style=\"background:rgba(230,80,40,%.2f)\" title=\"%.1f %% of all\">",
		    .75 * part, 100 * part);
	else
		fputs("<td>", out);
	if (ratio)
		fprintf(out, "%.2f</td>", c->scale * (double)n / (double)by);
	else
		fprintf(out, "%llu</td>", (unsigned long long)n);
}

static void
put_insns(FILE *out, const struct rows *rows, const struct row *row)
{
	const struct wcp_program *p = row->code->program;
	fprintf(out, "<details><summary>%u instruction%s</summary>", row->insns,
	    row->insns == 1 ? "" : "s");
	for (uint32_t i = 0; i < row->insns; i++) {
		uint32_t pc = rows->pc[row->first + i];
		fprintf(out, "<div>%u ", pc);
		put_html(out, p->strings + p->insn[pc].opcode);
		fprintf(out, " &times; %llu</div>",
		    (unsigned long long)row->code->counts[pc].n[FIG_INSNS]);
	}
	fputs("</details>", out);
}

static void
put_line(const struct annotate *a, FILE *out, uint32_t line, const char *text,
    const struct rows *rows, const struct row *row, const struct counts *all)
{
	if (line || a->by == BY_PC)
		fprintf(out, "<tr><td class=n>%u</td>", line);
	else
		fputs("<tr><td class=n></td>", out);
	for (unsigned i = 0; i < COLUMNS; i++) {
		if (!has_figure(a, columns[i].figure))
			continue;
		if (row)
			put_value(out, &columns[i], &row->sum, all);
		else
			fputs("<td></td>", out);
	}
	fputs("<td class=s>", out);
	put_html(out, text ? text : "");
	if (row && row->insns && a->by != BY_PC)
		put_insns(out, rows, row);
	fputs("</td></tr>\n", out);
}

static void
begin_table(const struct annotate *a, FILE *out, const struct row *row)
{
	fputs("<h3>", out);
	put_html(out, row_file(a, row));
	fprintf(out, "</h3>\n<table><thead><tr><th class=n scope=col>%s</th>",
	    a->by == BY_PC ? "pc" : "line");
	for (unsigned i = 0; i < COLUMNS; i++)
		if (has_figure(a, columns[i].figure))
			fprintf(out, "<th scope=col>%s<small>%s</small></th>", columns[i].name,
			    columns[i].unit);
	fprintf(out, "<th class=s scope=col>%s</th></tr></thead><tbody>\n",
	    a->by == BY_PC ? "opcode" : "source");
}

static bool
same_file(const struct row *a, const struct row *b)
{
	return a->file == b->file || (a->file && b->file && !strcmp(a->file, b->file));
}

/* Rows from first on that are of one file, between them the file's other lines, some around. */
static uint32_t
put_file(struct annotate *a, FILE *out, const struct rows *rows, uint32_t first,
    const struct counts *all)
{
	enum { AROUND = 5 };
	const struct row *row = &rows->row[first];
	uint32_t last = first, line = row->line > AROUND ? row->line - AROUND : 1;
	const struct source *s = row->file && a->by != BY_PC ? source_get(a, row->file) : NULL;
	begin_table(a, out, row);
	for (; last < rows->n && same_file(row, &rows->row[last]); last++) {
		const struct row *r = &rows->row[last];
		for (; s && s->text && line < r->line; line++) {
			char *text = source_line(s, line);
			if (text)
				put_line(a, out, line, text, rows, NULL, all);
			free(text);
		}
		char *text = row_text(a, rows, r);
		put_line(a, out, r->line, text, rows, r, all);
		free(text);
		line = r->line + 1;
	}
	fputs("</tbody></table>\n", out);
	return last;
}

static void
put_code(struct annotate *a, FILE *out, const struct code *c)
{
	struct rows rows = rows_make(a, c);
	struct counts all = {0};
	for (uint32_t pc = 0; pc < c->program->n_insn; pc++)
		for (int f = 0; f < FIG_COUNT; f++)
			all.n[f] += c->counts[pc].n[f];
	fprintf(out, "<h2 id=\"p%u\">", (unsigned)(c - a->code));
	put_html(out, c->program->name);
	fprintf(out, "</h2>\n<p>%llu launch%s in the streams, %u instructions</p>\n",
	    (unsigned long long)c->launches, c->launches == 1 ? "" : "es", c->program->n_insn);
	for (uint32_t i = 0; i < rows.n;)
		i = put_file(a, out, &rows, i, &all);
	rows_release(&rows);
}

/* Where several programs are, a list of them. */
static void
put_contents(const struct annotate *a, FILE *out)
{
	if (a->n_code < 2)
		return;
	fputs("<ul>\n", out);
	for (uint32_t i = 0; i < a->n_code; i++) {
		fprintf(out, "<li><a href=\"#p%u\">", i);
		put_html(out, a->code[i].program->name);
		fputs("</a></li>\n", out);
	}
	fputs("</ul>\n", out);
}

int
print_html(struct annotate *a)
{
	struct outfile o;
	struct wcp_error e;
	if (outfile_open(&o, a->html, &e)) {
		outfile_close(&o, false);
		return tool_error(a->tool, NULL, &e);
	}
	fputs(head, o.file);
	fputs("<h1>warpannotate</h1>\n<p>", o.file);
	put_html(o.file, a->tool->command_line);
	fputs("</p>\n", o.file);
	put_contents(a, o.file);
	for (uint32_t i = 0; i < a->n_code; i++)
		put_code(a, o.file, &a->code[i]);
	fputs("</body></html>\n", o.file);
	int number = outfile_close(&o, true);
	return number ? tool_fail(a->tool, -WCP_ESYS, "%s: %s", a->html, strerror(number)) : 0;
}
