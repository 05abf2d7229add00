/* A report as a person reads it: columns aligned, numbers to the right. */
#include <inttypes.h>
#include <string.h>
#include "report_private.h"

/* Columns a text takes: code points, control characters shown as \xNN. */
static int
text_width(const char *s)
{
	int width = 0;
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		if (c < 0x20 || c == 0x7f)
			width += 4;
		else if ((c & 0xc0) != 0x80)
			width++;
	}
	return width;
}

static void
put_text(FILE *out, const char *s)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		if (c < 0x20 || c == 0x7f)
			fprintf(out, "\\x%02x", c);
		else
			putc(c, out);
	}
}

/* A cell's text: in room, or its own. */
static const char *
cell_text(const struct cell *c, char room[400])
{
	if (c->missing)
		return "-";
	switch (c->type) {
	case REPORT_U64: snprintf(room, 400, "%" PRIu64, c->value.u64); break;
	case REPORT_I64: snprintf(room, 400, "%" PRId64, c->value.i64); break;
	case REPORT_HEX: snprintf(room, 400, "0x%" PRIx64, c->value.u64); break;
	case REPORT_DOUBLE: snprintf(room, 400, "%.*f", c->precision, c->value.real); break;
	case REPORT_TEXT: return c->value.text;
	}
	return room;
}

static void
pad(FILE *out, int n)
{
	if (n > 0)
		fprintf(out, "%*s", n, "");
}

static void
put_field(FILE *out, const char *text, int width, bool left, bool last)
{
	int rest = width - text_width(text);
	if (!left)
		pad(out, rest);
	put_text(out, text);
	if (left && !last)
		pad(out, rest);
}

static int
max(int a, int b)
{
	return a > b ? a : b;
}

static int
column_width(const struct table *t, size_t column)
{
	char room[400];
	int width = max(text_width(t->column[column].name), text_width(t->column[column].unit));
	for (size_t row = 0; row < t->n_row; row++)
		width =
		    max(width, text_width(cell_text(&t->cell[row * t->n_column + column], room)));
	return width;
}

static bool
is_left(const struct table *t, size_t column)
{
	return t->column[column].type == REPORT_TEXT;
}

static void
write_header(const struct table *t, const int *width, FILE *out)
{
	bool units = false;
	for (size_t i = 0; i < t->n_column; i++) {
		put_field(out, t->column[i].name, width[i], is_left(t, i), i + 1 == t->n_column);
		fputs(i + 1 < t->n_column ? "  " : "\n", out);
		units |= *t->column[i].unit != 0;
	}
	size_t last = t->n_column;
	while (units && last && !*t->column[last - 1].unit)
		last--;
	for (size_t i = 0; units && i < last; i++) {
		put_field(out, t->column[i].unit, width[i], is_left(t, i), i + 1 == last);
		fputs(i + 1 < last ? "  " : "\n", out);
	}
}

static void
write_table(const struct table *t, FILE *out)
{
	char room[400];
	int width[64];
	size_t n = t->n_column < 64 ? t->n_column : 64;
	for (size_t i = 0; i < n; i++)
		width[i] = column_width(t, i);
	write_header(t, width, out);
	for (size_t row = 0; row < t->n_row; row++) {
		for (size_t i = 0; i < n; i++) {
			const char *text = cell_text(&t->cell[row * t->n_column + i], room);
			put_field(out, text, width[i], is_left(t, i), i + 1 == n);
			fputs(i + 1 < n ? "  " : "\n", out);
		}
	}
}

/* Names, values and units. Texts among the values start where the numbers do and count for nobody's
 * width. */
static void
write_pairs(const struct table *t, FILE *out)
{
	char room[400];
	int name_width = 0, value_width = 0;
	for (size_t row = 0; row < t->n_row; row++) {
		const struct cell *c = &t->cell[row * t->n_column];
		name_width = max(name_width, text_width(c[0].value.text));
		if (c[1].type != REPORT_TEXT)
			value_width = max(value_width, text_width(cell_text(&c[1], room)));
	}
	for (size_t row = 0; row < t->n_row; row++) {
		const struct cell *c = &t->cell[row * t->n_column];
		put_field(out, c[0].value.text, name_width, true, false);
		fputs("  ", out);
		bool text = c[1].type == REPORT_TEXT;
		put_field(out, cell_text(&c[1], room), text ? 0 : value_width, text, true);
		if (!c[2].missing) {
			putc(' ', out);
			put_text(out, c[2].value.text);
		}
		putc('\n', out);
	}
}

void
report_write_text(const struct report *r)
{
	for (size_t i = 0; i < r->n_table; i++) {
		const struct table *t = r->table[i];
		if (i)
			putc('\n', r->out);
		if (*t->title) {
			put_text(r->out, t->title);
			putc('\n', r->out);
		}
		if (t->pairs)
			write_pairs(t, r->out);
		else
			write_table(t, r->out);
	}
	for (size_t i = 0; i < r->n_note; i++) {
		if (!i && r->n_table)
			putc('\n', r->out);
		put_text(r->out, r->note[i]);
		putc('\n', r->out);
	}
}
