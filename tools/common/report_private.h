/* A report in memory, between the functions that fill it and the three that write it out. */
#ifndef REPORT_PRIVATE_H
#define REPORT_PRIVATE_H

#include "outfile.h"
#include "report.h"

struct cell {
	enum report_type type;
	bool missing;
	uint8_t precision; /* DOUBLE */
	union {
		uint64_t u64; /* HEX too */
		int64_t i64;
		double real;
		char *text;
	} value;
};

struct column {
	char *name, *unit; /* unit "" if none */
	enum report_type type;
	int precision;
};

struct table {
	char *name, *title;
	bool pairs; /* name, value, unit; no header in text */
	size_t n_column;
	struct column *column; /* [n_column] */
	size_t n_row, cap_row;
	struct cell *cell; /* [n_row][n_column] */
	size_t filled;	   /* cells of the row being made */
};

struct report {
	struct tool *tool;
	FILE *out;	     /* NULL: not wanted */
	struct outfile file; /* where -r names one */
	size_t n_table;
	struct table **table;
	struct table *current;
	const char *pairs_name, *pairs_title; /* NULL: summary */
	size_t n_note;
	char **note;
};

void report_write_text(const struct report *r);
void report_write_tsv(const struct report *r);
void report_write_json(const struct report *r);

void report_free(struct report *r);

/* The shortest decimal that reads back as the same double. */
void report_shortest(char text[32], double value);

#endif
