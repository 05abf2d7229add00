/* Tab-separated values, as warpcap-report(5) tells. */
#include "warpplot.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	struct reports *in;
	const char *label;
	struct frame *frame; /* being read, NULL between tables */
	bool head;	     /* the next line names the columns */
	size_t first;	     /* of this report's frames */
	bool tables;	     /* one began since a report ended */
	uint64_t line;	     /* being read, from 1 */
	uint64_t ragged;     /* the first with more or fewer cells than columns, 0: none */
};

/* A cell, its escapes undone. */
static char *
cell_text(struct arena *a, const char *text, size_t length)
{
	char *out = arena_text(a, text, length), *to = out;
	for (const char *p = out; *p; p++) {
		if (*p != '\\' || !p[1]) {
			*to++ = *p;
			continue;
		}
		p++;
		*to++ = *p == 't' ? '\t' : *p == 'n' ? '\n' : *p == 'r' ? '\r' : *p;
	}
	*to = 0;
	return out;
}

static void
read_cells(struct reader *r, const char *line, size_t length)
{
	struct frame *f = r->frame;
	const char **row = r->head ? NULL : frame_add_row(r->in, f);
	size_t cells = 0;
	for (size_t i = 0;; i++) {
		const char *tab = memchr(line, '\t', length);
		size_t n = tab ? (size_t)(tab - line) : length;
		if (r->head)
			frame_add_column(r->in, f, cell_text(&r->in->arena, line, n));
		else if (i < f->n_column && n)
			row[i] = cell_text(&r->in->arena, line, n);
		cells++;
		if (!tab)
			break;
		length -= n + 1;
		line = tab + 1;
	}
	if (cells != f->n_column) {
		f->row.n--;
		r->ragged = r->ragged ? r->ragged : r->line;
	}
	r->head = false;
}

static void
read_units(struct reader *r, const char *text, size_t length)
{
	struct frame *f = r->frame;
	for (size_t i = 0; f && i < f->n_column; i++) {
		const char *tab = memchr(text, '\t', length);
		size_t n = tab ? (size_t)(tab - text) : length;
		f->unit[i] = cell_text(&r->in->arena, text, n);
		if (!tab)
			break;
		length -= n + 1;
		text = tab + 1;
	}
}

static bool
begins(const char *line, size_t length, const char *with, const char **rest, size_t *n)
{
	size_t w = strlen(with);
	if (length < w || memcmp(line, with, w) != 0)
		return false;
	*rest = line + w;
	*n = length - w;
	return true;
}

static void
end_report(struct reader *r, const char *tool)
{
	for (; r->first < r->in->frame.n; r->first++) {
		struct frame *f = r->in->frame.item[r->first];
		f->tool = tool;
	}
	r->frame = NULL;
	r->tables = false;
}

static void
read_line(struct reader *r, const char *line, size_t length)
{
	struct arena *a = &r->in->arena;
	const char *rest;
	size_t n;
	if (!length) {
		r->frame = NULL;
	} else if (begins(line, length, "#table ", &rest, &n)) {
		r->frame = frame_new(r->in, arena_text(a, rest, n), r->label);
		r->head = r->tables = true;
	} else if (begins(line, length, "# title: ", &rest, &n)) {
		if (r->frame)
			r->frame->title = cell_text(a, rest, n);
	} else if (begins(line, length, "# units: ", &rest, &n)) {
		read_units(r, rest, n);
	} else if (begins(line, length, "# report: ", &rest, &n)) {
		end_report(r, arena_text(a, rest, n));
	} else if (line[0] != '#') {
		if (!r->frame) { /* a series */
			r->frame = frame_new(r->in, "series", r->label);
			r->head = true;
		}
		read_cells(r, line, length);
	}
}

/* A table without columns in it, or with names that are none, is no table; of a damaged report the
 * rest stands. */
static int
check(const struct reader *r, size_t from, struct wcp_error *e)
{
	for (size_t i = from; i < r->in->frame.n; i++) {
		const struct frame *f = r->in->frame.item[i];
		bool text = f->n_column == 1 && strchr(f->column[0], ' ');
		if (f->n_column && !text)
			continue;
		for (size_t k = from; k < r->in->frame.n; k++)
			((struct frame *)r->in->frame.item[k])->row.n = 0;
		return text ? wcp_fail(e, WCP_EDATA,
				  "not tab-separated: is it a report without --tsv or --json?")
			    : wcp_fail(e, WCP_EDATA, "table %s has no columns", f->name);
	}
	if (r->ragged)
		return wcp_fail(e, WCP_EDATA,
		    "line %" PRIu64 " has not as many cells as its table has columns", r->ragged);
	if (r->tables)
		return wcp_fail(
		    e, WCP_EDATA, "cut short: the report of its last table does not end");
	return 0;
}

int
read_tsv(struct reports *in, const char *text, const char *label, struct wcp_error *e)
{
	struct reader r = {.in = in, .label = label, .first = in->frame.n};
	size_t from = in->frame.n;
	while (*text) {
		size_t n = strcspn(text, "\n");
		r.line++;
		read_line(&r, text, n && text[n - 1] == '\r' ? n - 1 : n);
		text += n + (text[n] == '\n');
	}
	return check(&r, from, e);
}
