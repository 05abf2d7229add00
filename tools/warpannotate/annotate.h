/*
 * Figures by instruction, shown by source line: streams are counted (count_warp, count_access) into
 * one array for each program, lines are made of them (rows) with their text (source), and shown as
 * a report or a page (print, html).
 */
#ifndef ANNOTATE_H
#define ANNOTATE_H

#include "outfile.h"
#include "report.h"

enum figure {
	/* of a WARP stream */
	FIG_INSNS,     /* executed warp instructions */
	FIG_THREADS,   /* their active lanes */
	FIG_REQUESTS,  /* memory instructions to global and local memory with a lane active */
	FIG_LINES,     /* line transactions they make */
	FIG_SECTORS,   /* sectors of those */
	FIG_SHARED,    /* requests to shared memory */
	FIG_CONFLICTS, /* passes of its banks above the fewest that the words need */
	/* of an ACCESS stream */
	FIG_ACCESSES,
	FIG_HITS,      /* at the level looked at: hits, and merges with a fill under way */
	FIG_MISSES,    /* misses, of lines and of sectors */
	FIG_EVICTIONS, /* lines it drove out */
	FIG_SUFFERED,  /* misses of lines that another warp had driven out */
	FIG_CAUSED,    /* such misses of others of lines that it had driven out */
	FIG_COUNT
};

struct counts {
	uint64_t n[FIG_COUNT];
};

/* A program, whichever streams it is in. */
struct code {
	const struct wcp_program *program; /* the reader's */
	uint64_t launches;
	uint32_t base;	       /* its first instruction among those of all codes */
	struct counts *counts; /* [program->n_insn] */
};

/* A line that an eviction took away from an SM. */
struct lost {
	uint64_t line, who; /* who drove it out: kernel, CTA and warp, hashed */
	uint32_t insn;	    /* its instruction, code->base + pc */
	uint16_t sm;
	bool used, gone; /* gone: and has not been missed since */
};

struct source {
	char *path;  /* as recorded */
	char *text;  /* NULL: not found */
	char **line; /* [n] */
	uint32_t n;
};

enum by { BY_LINE, BY_PTX, BY_PC };

struct annotate {
	struct tool *tool;
	enum by by;
	bool all; /* lines without code, too */
	unsigned level;
	uint32_t banks;
	const char *html, *ptx;
	const char **directory; /* [n_directory] where sources are looked for */
	size_t n_directory;
	/* what was counted */
	struct wcp_reader **reader; /* [n_reader] open until all is printed */
	size_t n_reader;
	struct code *code; /* [n_code] */
	uint32_t n_code, n_insn;
	uint32_t *insn_code; /* [n_insn] */
	bool warp, access, outcomes, victims, shared;
	uint64_t lost_records; /* that belong to no instruction */
	struct lost *lost;     /* [lost_mask + 1] */
	uint64_t lost_mask, n_lost;
	struct source *source; /* [n_source] */
	size_t n_source;
};

/* One reader's kernels by id: their code, WCP_NONE32 if unknown. */
struct kernels {
	uint32_t *code;
	uint32_t n;
};

/* Counts operand index; 0 or an exit status. What came before damage counts. */
int count_stream(struct annotate *a, int index);
int count_warp(
    struct annotate *a, struct code *c, const struct wcp_kernel *k, const struct wcp_warp_batch *b);
void count_access(struct annotate *a, const struct kernels *k, const struct wcp_access_batch *b,
    const uint32_t *index, uint32_t n);
void annotate_release(struct annotate *a);

/* A line to show. */
struct row {
	const struct code *code;
	const char *file;    /* NULL: none is known */
	uint32_t line;	     /* 0: none; pc with BY_PC */
	uint32_t insns;	     /* of the program that it consists of, their pcs in rows.pc */
	uint32_t first;	     /* first in rows.pc */
	uint64_t executions; /* of its most executed instruction */
	struct counts sum;
};

struct rows {
	struct row *row; /* [n] by program, file, line */
	uint32_t *pc;
	uint32_t n;
};

struct rows rows_make(const struct annotate *a, const struct code *c);
void rows_release(struct rows *r);
/* The file that a row belongs to, or what else it is of. */
const char *row_file(const struct annotate *a, const struct row *row);
/* The text of a row, malloc'd; of an instruction without source its opcodes. */
char *row_text(struct annotate *a, const struct rows *r, const struct row *row);
/* A source by the name recorded; its text is NULL if it is not found. */
const struct source *source_get(struct annotate *a, const char *path);
/* A line, tabs as blanks, malloc'd; NULL past the end. */
char *source_line(const struct source *s, uint32_t line);

int print_report(struct annotate *a);
int print_html(struct annotate *a);
/* Does the figure of this kind of stream have something to say? */
bool has_figure(const struct annotate *a, enum figure f);

static inline double
ratio_of(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : __builtin_nan("");
}

#endif
