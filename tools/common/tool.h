/*
 * The skeleton every tool shares: options from one table, errors with tool and file in front, exit
 * status, interrupts, progress, and streams opened with the options that are the same everywhere.
 *
 *	int
 *	main(int argc, char **argv)
 *	{
 *		struct tool t;
 *		tool_start(&t, &spec, argc, argv);     // parses; -h and -V are answered here
 *		...
 *		return tool_finish(&t, status);        // checks standard output, prints nothing
 *twice
 *	}
 */
#ifndef COMMON_TOOL_H
#define COMMON_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "warpcap/error.h"
#include "warpcap/filter.h"
#include "warpcap/stream.h"

/* One option. The reserved ones of the house are rows made by the TOOL_OPT_ macros below. */
struct tool_option {
	char letter;	      /* 0: long form only */
	const char *name;     /* long name without dashes */
	const char *argument; /* how -h names the argument, NULL: takes none; "=WHAT": a long
				 option may do without */
	const char *help;     /* one line */
	int id; /* >= 256: what tool_spec.option is called with; below: a reserved option */
};

enum tool_reserved {
	TOOL_O = 1,
	TOOL_R,
	TOOL_J,
	TOOL_Q,
	TOOL_V,
	TOOL_H,
	TOOL_VERSION,
	TOOL_F,
	TOOL_M,
	TOOL_SET,
	TOOL_JSON,
	TOOL_TSV,
	TOOL_SEED,
	TOOL_PROGRESS,
	TOOL_NO_PROGRESS,
	TOOL_Z,
};
/* clang-format off */
#define TOOL_OPT_OUTPUT   {'o', "output", "FILE", "write the stream to FILE (- for standard output)", TOOL_O}
#define TOOL_OPT_REPORT   {'r', "report", "FILE", "write the report to FILE", TOOL_R}
#define TOOL_OPT_THREADS  {'j', "threads", "N", "use N threads, 0 for all processors (default 1)", TOOL_J}
#define TOOL_OPT_FILTER   {'F', "filter", "EXPR", "use only records that match, see warpcap-filter(7)", TOOL_F}
#define TOOL_OPT_MACHINE  {'m', "machine", "NAME", "take machine parameters from preset or file NAME", TOOL_M}
#define TOOL_OPT_SET      {0, "set", "KEY=VALUE", "override one machine parameter", TOOL_SET}
#define TOOL_OPT_JSON     {0, "json", NULL, "report as JSON", TOOL_JSON}
#define TOOL_OPT_TSV      {0, "tsv", NULL, "report as tab-separated values", TOOL_TSV}
#define TOOL_OPT_SEED     {0, "seed", "N", "seed of every random choice (default 1)", TOOL_SEED}
#define TOOL_OPT_LEVEL    {'Z', "level", "N", "zstd level of the stream, 0 for uncompressed (default 1)", TOOL_Z}
#define TOOL_OPT_PROGRESS {0, "progress", NULL, "show progress even when standard error is no terminal", TOOL_PROGRESS}, \
			  {0, "no-progress", NULL, "never show progress", TOOL_NO_PROGRESS}
#define TOOL_OPT_COMMON   {'q', "quiet", NULL, "print errors only", TOOL_Q}, \
			  {'v', "verbose", NULL, "say more on standard error", TOOL_V}, \
			  {'h', "help", NULL, "print this help", TOOL_H}, \
			  {'V', "version", NULL, "print the version", TOOL_VERSION}
#define TOOL_OPT_END      {0, NULL, NULL, NULL, 0}
/* clang-format on */

enum tool_format { TOOL_TEXT, TOOL_FORMAT_TSV, TOOL_FORMAT_JSON };

struct tool;

struct tool_spec {
	const char *name;     /* "warpreuse" */
	const char *summary;  /* what it does, one line, for -h */
	const char *operands; /* "[FILE]", as in SYNOPSIS */
	const struct tool_option *option;
	/* Called for ids >= 256 in command-line order with value (NULL if it takes none); 0, or
	 * tool_usage(). */
	int (*on_option)(struct tool *t, int id, const char *value);
	int min_operands, max_operands; /* max -1: any number */
	bool stop_at_operand; /* options end at the first operand: warpcap -- program args */
};

struct tool {
	const struct tool_spec *spec;
	void *arg; /* for on_option: set before tool_start */
	/* the reserved options, with their defaults */
	const char *output; /* NULL if not given */
	const char *report;
	const char *filter;
	const char *machine;
	const char **set; /* [n_set] "KEY=VALUE" */
	size_t n_set;
	unsigned threads; /* resolved: at least 1 */
	int level;
	uint64_t seed;
	bool seed_given, quiet;
	int verbose;  /* how often -v */
	int progress; /* -1 automatic, 0 never, 1 always */
	enum tool_format format;
	int argc; /* operands */
	char **argv;
	char *command_line; /* the whole command, shell-quoted, for provenance */
	uint64_t progress_last_ms, progress_start_ms;
	bool progress_shown;
	struct tool_want *want; /* filters that readers of this tool skip blocks by */
	/* Set before tool_open_reader: blocks that it does not want are skipped as well. */
	bool (*also_want)(void *arg, const struct wcp_block_info *info);
	void *also_want_arg;
};

/* Exits with 0 for -h and -V, with 2 and one line for a usage error. Sets up SIGINT, SIGTERM,
 * SIGHUP (see tool_interrupted); SIGPIPE keeps its default. */
void tool_start(struct tool *t, const struct tool_spec *spec, int argc, char **argv);

/* "tool: MESSAGE" on standard error. tool_error names the file when it is not NULL, and the byte
 * offset when e->offset is not 0; both return the exit status. */
int tool_error(const struct tool *t, const char *file, const struct wcp_error *e);
int tool_fail(const struct tool *t, int exit_status, const char *format, ...) WCP_PRINTF(3, 4);
int tool_usage(const struct tool *t, const char *format, ...)
    WCP_PRINTF(2, 3); /* adds "try 'tool -h'"; 2 */
void tool_warn(const struct tool *t, const char *format, ...) WCP_PRINTF(2, 3);
void tool_note(const struct tool *t, int verbosity, const char *format, ...)
    WCP_PRINTF(3, 4); /* only with -v */

/* Ends the process with status 4 and one line. */
_Noreturn void out_of_memory(void);
/* realloc that does so when there is no memory. */
void *must_alloc(void *old, size_t bytes);

/* Flushes standard output and turns a failure (full disk) into status 4; wipes progress. Give
 * main's status. An interrupted tool says so and dies of the signal here. */
int tool_finish(struct tool *t, int status);

/* Did SIGINT, SIGTERM or SIGHUP come? Loops ask and end in order, so that what was made so far is
 * whole. */
bool tool_interrupted(void);

/* What -h prints. */
void tool_help(const struct tool_spec *spec, FILE *out);

/* Numbers: the whole text must be one; k, M, G (powers of 1000) and Ki, Mi, Gi suffixes are taken,
 * with or without a B. 0 or tool_usage(). */
int tool_u64(const struct tool *t, const char *option, const char *text, uint64_t min, uint64_t max,
    uint64_t *value);
int tool_double(const struct tool *t, const char *option, const char *text, double min, double max,
    double *value);
/* "A-B", "A", "A-", "-B" */
int tool_range(
    const struct tool *t, const char *option, const char *text, uint64_t *first, uint64_t *last);

/*
 * Streams. tool_open_reader opens operand index (or "-" when there are fewer; a terminal is refused
 * with a hint), with -j, and compiles -F for it when filter is not NULL (*filter is NULL without
 * -F); columns are those the tool needs, the filter's are added. On failure it has said why: NULL,
 * *status set. Close the reader before freeing the filter.
 */
struct wcp_reader *tool_open_reader(struct tool *t, int index, enum wcp_link link, uint32_t columns,
    struct wcp_filter **filter, int *status);
/* Opens t->output, or standard output when it is NULL; refuses a terminal with a hint; provenance
 * is that of from (may be NULL) plus this command. */
struct wcp_writer *
tool_open_writer(struct tool *t, enum wcp_link link, const struct wcp_reader *from, int *status);

/* What messages call operand index: its path, or "standard input". */
const char *tool_input_name(const struct tool *t, int index);

/* Progress, at most ten times a second: "tool: TEXT  12.3 M records  45 M/s  37 %". unit names what
 * is counted; total 0: unknown. Cheap enough to call per batch. */
void tool_progress(struct tool *t, const char *unit, uint64_t done, uint64_t total);
void
tool_progress_reader(struct tool *t, const struct wcp_reader *r, const char *unit, uint64_t done);

#endif
