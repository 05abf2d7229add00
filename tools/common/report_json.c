/* A report as one JSON object (RFC 8259): what is not UTF-8 becomes U+FFFD, what is not finite
 * null. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "report_private.h"

/* Bytes of the well-formed UTF-8 sequence at s, 0 if there is none (Unicode 15, table 3-7). */
static int
sequence_bytes(const unsigned char *s)
{
	unsigned char low = 0x80, high = 0xbf;
	int n;
	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		n = 2;
	else if (s[0] >= 0xe0 && s[0] <= 0xef)
		n = 3;
	else if (s[0] >= 0xf0 && s[0] <= 0xf4)
		n = 4;
	else
		return 0;
	if (s[0] == 0xe0)
		low = 0xa0;
	if (s[0] == 0xed)
		high = 0x9f;
	if (s[0] == 0xf0)
		low = 0x90;
	if (s[0] == 0xf4)
		high = 0x8f;
	if (s[1] < low || s[1] > high)
		return 0;
	for (int i = 2; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	}
	return n;
}

static void
put_ascii(FILE *out, unsigned char c)
{
	switch (c) {
	case '"': fputs("\\\"", out); break;
	case '\\': fputs("\\\\", out); break;
	case '\n': fputs("\\n", out); break;
	case '\t': fputs("\\t", out); break;
	case '\r': fputs("\\r", out); break;
	default:
		if (c < 0x20 || c == 0x7f)
			fprintf(out, "\\u%04x", c);
		else
			putc(c, out);
	}
}

void
report_json_text(FILE *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	putc('"', out);
	while (*s) {
		int n = sequence_bytes(s);
		if (n == 0)
			fputs("\\ufffd", out);
		else if (n == 1)
			put_ascii(out, *s);
		else
			fwrite(s, 1, (size_t)n, out);
		s += n ? n : 1;
	}
	putc('"', out);
}

static void
put_cell(FILE *out, const struct cell *c)
{
	char number[32];
	if (c->missing || (c->type == REPORT_DOUBLE && !isfinite(c->value.real))) {
		fputs("null", out);
		return;
	}
	switch (c->type) {
	case REPORT_U64: fprintf(out, "%" PRIu64, c->value.u64); break;
	case REPORT_I64: fprintf(out, "%" PRId64, c->value.i64); break;
	case REPORT_HEX: fprintf(out, "\"0x%" PRIx64 "\"", c->value.u64); break;
	case REPORT_TEXT: report_json_text(out, c->value.text); break;
	case REPORT_DOUBLE:
		report_shortest(number, c->value.real);
		fputs(number, out);
		break;
	}
}

static void
put_row(FILE *out, const struct table *t, size_t row)
{
	putc('{', out);
	for (size_t i = 0; i < t->n_column; i++) {
		fputs(i ? ", " : "", out);
		report_json_text(out, t->column[i].name);
		fputs(": ", out);
		put_cell(out, &t->cell[row * t->n_column + i]);
	}
	putc('}', out);
}

static void
write_table(FILE *out, const struct table *t)
{
	fputs("    ", out);
	report_json_text(out, t->name);
	fputs(": [", out);
	for (size_t row = 0; row < t->n_row; row++) {
		fputs(row ? ",\n      " : "\n      ", out);
		put_row(out, t, row);
	}
	fputs(t->n_row ? "\n    ]" : "]", out);
}

static void
write_titles(const struct report *r)
{
	bool any = false;
	fputs(",\n  \"titles\": {", r->out);
	for (size_t i = 0; i < r->n_table; i++) {
		const struct table *t = r->table[i];
		if (!t->title[0] || !strcmp(t->title, t->name))
			continue;
		fputs(any ? ", " : "", r->out);
		report_json_text(r->out, t->name);
		fputs(": ", r->out);
		report_json_text(r->out, t->title);
		any = true;
	}
	putc('}', r->out);
}

static void
write_units(FILE *out, const struct table *t)
{
	bool any = false;
	fputs("    ", out);
	report_json_text(out, t->name);
	fputs(": {", out);
	for (size_t i = 0; i < t->n_column; i++) {
		if (!t->column[i].unit[0])
			continue;
		fputs(any ? ", " : "", out);
		report_json_text(out, t->column[i].name);
		fputs(": ", out);
		report_json_text(out, t->column[i].unit);
		any = true;
	}
	putc('}', out);
}

static void
write_notes(const struct report *r)
{
	fputs(",\n  \"notes\": [", r->out);
	for (size_t i = 0; i < r->n_note; i++) {
		fputs(i ? ",\n    " : "\n    ", r->out);
		report_json_text(r->out, r->note[i]);
	}
	fputs(r->n_note ? "\n  ]" : "]", r->out);
}

void
report_write_json(const struct report *r)
{
	fputs("{\n  \"tool\": ", r->out);
	report_json_text(r->out, r->tool->spec->name);
	fputs(",\n  \"command\": ", r->out);
	report_json_text(r->out, r->tool->command_line);
	fputs(",\n  \"tables\": {", r->out);
	for (size_t i = 0; i < r->n_table; i++) {
		fputs(i ? ",\n" : "\n", r->out);
		write_table(r->out, r->table[i]);
	}
	fputs(r->n_table ? "\n  }" : "}", r->out);
	write_titles(r);
	fputs(",\n  \"units\": {", r->out);
	for (size_t i = 0; i < r->n_table; i++) {
		fputs(i ? ",\n" : "\n", r->out);
		write_units(r->out, r->table[i]);
	}
	fputs(r->n_table ? "\n  }" : "}", r->out);
	if (r->n_note)
		write_notes(r);
	fputs("\n}\n", r->out);
}
