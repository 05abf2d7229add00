#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "private.h"
#include "report_private.h"

static char *
copy_text(const char *text)
{
	size_t bytes = strlen(text) + 1;
	return memcpy(must_alloc(NULL, bytes), text, bytes);
}

static struct table *
find_table(const struct report *r, const char *name)
{
	for (size_t i = 0; i < r->n_table; i++) {
		if (!strcmp(r->table[i]->name, name))
			return r->table[i];
	}
	return NULL;
}

static struct table *
add_table(struct report *r, const char *name, const char *title)
{
	struct table *t = must_alloc(NULL, sizeof *t);
	*t = (struct table){.name = copy_text(name), .title = copy_text(title ? title : "")};
	r->table = must_alloc(r->table, (r->n_table + 1) * sizeof r->table[0]);
	r->table[r->n_table++] = t;
	return t;
}

static void
add_column(struct table *t, const struct report_column *from)
{
	t->column = must_alloc(t->column, (t->n_column + 1) * sizeof t->column[0]);
	t->column[t->n_column++] = (struct column){
	    .name = copy_text(from->name),
	    .unit = copy_text(from->unit ? from->unit : ""),
	    .type = from->type,
	    .precision = from->precision,
	};
}

void
report_table(
    struct report *r, const char *name, const char *title, const struct report_column *columns)
{
	r->current = find_table(r, name);
	if (r->current)
		return;
	r->current = add_table(r, name, title);
	for (; columns->name; columns++)
		add_column(r->current, columns);
}

static void
free_cell(struct cell *c)
{
	if (c->type == REPORT_TEXT && !c->missing)
		free(c->value.text);
}

/* The next cell of the row being made; a cell past the last column is a programmer's error. */
static struct cell *
next_cell(struct report *r)
{
	struct table *t = r->current;
	if (!t || t->filled == t->n_column)
		abort();
	if (t->n_row == t->cap_row) {
		t->cap_row = t->cap_row ? 2 * t->cap_row : 16;
		t->cell = must_alloc(t->cell, t->cap_row * t->n_column * sizeof t->cell[0]);
	}
	struct cell *c = &t->cell[t->n_row * t->n_column + t->filled];
	*c = (struct cell){.type = t->column[t->filled].type,
	    .precision = (uint8_t)t->column[t->filled].precision};
	t->filled++;
	return c;
}

void
report_u64(struct report *r, uint64_t value)
{
	struct cell *c = next_cell(r);
	c->type = c->type == REPORT_HEX ? REPORT_HEX : REPORT_U64;
	c->value.u64 = value;
}

void
report_i64(struct report *r, int64_t value)
{
	struct cell *c = next_cell(r);
	c->type = REPORT_I64;
	c->value.i64 = value;
}

void
report_double(struct report *r, double value)
{
	struct cell *c = next_cell(r);
	c->type = REPORT_DOUBLE;
	c->missing = isnan(value);
	c->value.real = value;
}

void
report_hex(struct report *r, uint64_t value)
{
	struct cell *c = next_cell(r);
	c->type = REPORT_HEX;
	c->value.u64 = value;
}

void
report_text(struct report *r, const char *value)
{
	struct cell *c = next_cell(r);
	c->type = REPORT_TEXT;
	c->missing = !value;
	c->value.text = value ? copy_text(value) : NULL;
}

void
report_missing(struct report *r)
{
	next_cell(r)->missing = true;
}

void
report_row(struct report *r)
{
	while (r->current->filled < r->current->n_column)
		report_missing(r);
	r->current->n_row++;
	r->current->filled = 0;
}

void
report_note(struct report *r, const char *format, ...)
{
	char text[1024];
	va_list ap;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	r->note = must_alloc(r->note, (r->n_note + 1) * sizeof r->note[0]);
	r->note[r->n_note++] = copy_text(text);
}

static void
open_pair(struct report *r, const char *name)
{
	static const struct report_column columns[] = {
	    {"name", NULL, REPORT_TEXT, 0},
	    {"value", NULL, REPORT_TEXT, 0},
	    {"unit", NULL, REPORT_TEXT, 0},
	    {NULL, NULL, REPORT_TEXT, 0},
	};
	report_table(r, r->pairs_name ? r->pairs_name : "summary", r->pairs_title, columns);
	r->current->pairs = true;
	report_text(r, name);
}

void
report_pairs(struct report *r, const char *name, const char *title)
{
	r->pairs_name = name;
	r->pairs_title = title;
}

void
report_pair_u64(struct report *r, const char *name, const char *unit, uint64_t value)
{
	open_pair(r, name);
	report_u64(r, value);
	report_text(r, unit);
	report_row(r);
}

void
report_pair_double(
    struct report *r, const char *name, const char *unit, double value, int precision)
{
	open_pair(r, name);
	report_double(r, value);
	r->current->cell[r->current->n_row * r->current->n_column + 1].precision =
	    (uint8_t)precision;
	report_text(r, unit);
	report_row(r);
}

void
report_pair_text(struct report *r, const char *name, const char *value)
{
	open_pair(r, name);
	report_text(r, value);
	report_row(r);
}

void
report_shortest(char text[32], double value)
{
	/* 15 digits of a normal double print the same for every decimal that short, so only a
	 * longer one needs a search; subnormals have fewer digits to begin with. */
	for (int digits = isnormal(value) ? 15 : 1; digits <= 17; digits++) {
		snprintf(text, 32, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			return;
	}
}

static void
free_table(struct table *t)
{
	for (size_t i = 0; i < t->n_row * t->n_column + t->filled; i++)
		free_cell(&t->cell[i]);
	for (size_t i = 0; i < t->n_column; i++) {
		free(t->column[i].name);
		free(t->column[i].unit);
	}
	free(t->cell);
	free(t->column);
	free(t->name);
	free(t->title);
	free(t);
}

void
report_free(struct report *r)
{
	for (size_t i = 0; i < r->n_table; i++)
		free_table(r->table[i]);
	for (size_t i = 0; i < r->n_note; i++)
		free(r->note[i]);
	free(r->table);
	free(r->note);
	free(r);
}
