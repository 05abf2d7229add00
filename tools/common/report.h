/*
 * Reports: one or more titled tables, written as aligned text, TSV or JSON.
 *
 *	struct report *r = report_open(t, false, NULL);
 *	static const struct report_column col[] = {
 *		{"distance", "lines", REPORT_U64, 0}, {"share", "%", REPORT_DOUBLE, 2}, {NULL}};
 *	report_table(r, "histogram", "Reuse distance", col);
 *	report_u64(r, 12); report_double(r, 3.4); report_row(r);
 *	status = report_close(r);
 *
 * How each looks is told by warpcap-report(5). Text: title line, header (a second line of units
 * where a column has one), rows with numbers right-aligned and thousands unseparated; name and
 * value pairs without header, the unit behind the value. TSV: a line "#table NAME", a header line
 * of column names ("distance"), rows, then as comments the title and the columns' units; tables
 * apart by an empty line; at the end "# report: TOOL". JSON: {"tool": ..., "command": ...,
 * "tables": {"histogram": [{"distance": 12, "share": 3.4}, ...]}, "titles": {"histogram": ...},
 * "units": {"histogram": {"distance": "lines"}}}. A missing value is "-" in text, empty in TSV,
 * null in JSON. A table named again goes on where it stopped. Hexadecimal values are strings in
 * JSON.
 */
#ifndef COMMON_REPORT_H
#define COMMON_REPORT_H

#include "tool.h"

enum report_type { REPORT_U64, REPORT_I64, REPORT_DOUBLE, REPORT_HEX, REPORT_TEXT };

struct report_column {
	const char *name; /* identifier: lower case, underscores */
	const char *unit; /* NULL if none */
	enum report_type type;
	int precision; /* DOUBLE: digits after the point in text; TSV and JSON always get all of
			  them */
};

struct report;

/* Where it goes: t->report if -r was given, else standard output; standard error (nowhere with -q)
 * when the tool writes a stream: it always does, or -o was given. NULL on failure, with e filled,
 * or said already where e is NULL. */
struct report *report_open(struct tool *t, bool writes_stream, struct wcp_error *e);
void report_table(
    struct report *r, const char *name, const char *title, const struct report_column *columns);
void report_u64(struct report *r, uint64_t value);
void report_i64(struct report *r, int64_t value);
void report_double(struct report *r, double value); /* NaN: missing */
void report_hex(struct report *r, uint64_t value);
void report_text(struct report *r, const char *value); /* NULL: missing */
void report_missing(struct report *r);
void report_row(struct report *r); /* ends the row; columns not given are missing */
/* A free line of text under the tables; in TSV a "# " comment, in JSON an entry of "notes". */
void report_note(struct report *r, const char *format, ...) WCP_PRINTF(2, 3);
/* Name and value pairs are common enough: one row each of the table "summary", with columns name,
 * value and unit. */
void report_pair_u64(struct report *r, const char *name, const char *unit, uint64_t value);
void report_pair_double(
    struct report *r, const char *name, const char *unit, double value, int precision);
void report_pair_text(struct report *r, const char *name, const char *value);
/* Pairs from now on go to that table, until the next call; NULL: to "summary" again. Both texts are
 * borrowed until the report is closed. */
void report_pairs(struct report *r, const char *name, const char *title);
/* Writes it out, frees r; 0 or an exit status (already said why). */
int report_close(struct report *r);
/* A text as JSON has it, in quotes; bytes that are no UTF-8 become U+FFFD. */
void report_json_text(FILE *out, const char *text);

#endif
