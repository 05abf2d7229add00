/* A tool that does nothing but what tools/common gives every tool: see tests/common.bats. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "report.h"

enum { OPT_NUMBER = 256, OPT_REAL, OPT_RANGE, OPT_FLAG };

static const struct tool_option options[] = {
    {'n', "number", "N", "take a number", OPT_NUMBER},
    {0, "real", "X", "take a real number", OPT_REAL},
    {0, "range", "A-B", "take a range", OPT_RANGE},
    {'x', "flag", NULL, "take nothing", OPT_FLAG},
    TOOL_OPT_OUTPUT,
    TOOL_OPT_REPORT,
    TOOL_OPT_THREADS,
    TOOL_OPT_SET,
    TOOL_OPT_JSON,
    TOOL_OPT_TSV,
    TOOL_OPT_SEED,
    TOOL_OPT_LEVEL,
    TOOL_OPT_PROGRESS,
    TOOL_OPT_COMMON,
    TOOL_OPT_END,
};

static int
on_option(struct tool *t, int id, const char *value)
{
	uint64_t a, b;
	double x;
	int status = 0;
	switch (id) {
	case OPT_NUMBER:
		if (!(status = tool_u64(t, "-n", value, 1, 1u << 20, &a)))
			fprintf(stderr, "number %" PRIu64 "\n", a);
		return status;
	case OPT_REAL:
		if (!(status = tool_double(t, "--real", value, 0, 1e6, &x)))
			fprintf(stderr, "real %g\n", x);
		return status;
	case OPT_RANGE:
		if (!(status = tool_range(t, "--range", value, &a, &b)))
			fprintf(stderr, "range %" PRIu64 " %" PRIu64 "\n", a, b);
		return status;
	default: fprintf(stderr, "flag\n"); return 0;
	}
}

static const struct tool_spec spec = {
    .name = "skeleton",
    .summary = "Shows what every tool has.",
    .operands = "[WORD ...]",
    .option = options,
    .on_option = on_option,
    .max_operands = 3,
};

static void
fill(struct report *r, const struct tool *t)
{
	static const struct report_column column[] = {
	    {"kernel", NULL, REPORT_TEXT, 0},
	    {"distance", "lines", REPORT_U64, 0},
	    {"delta", NULL, REPORT_I64, 0},
	    {"share", "%", REPORT_DOUBLE, 2},
	    {"address", NULL, REPORT_HEX, 0},
	    {NULL, NULL, REPORT_TEXT, 0},
	};
	report_pair_u64(r, "threads", NULL, t->threads);
	report_pair_u64(r, "seed", NULL, t->seed);
	report_pair_double(r, "rate", "1/s", 1.0 / 3, 3);
	report_pair_text(r, "operands", t->argc ? t->argv[t->argc - 1] : NULL);
	report_table(r, "histogram", "Reuse distance", column);
	report_text(r, "atax \"1\"\t\\\n");
	report_u64(r, 18446744073709551615u);
	report_i64(r, -5);
	report_double(r, 0.1);
	report_hex(r, 0x200000000080);
	report_row(r);
	report_text(r, "b\xff\xc3\xa9");
	report_u64(r, 7);
	report_missing(r);
	report_double(r, NAN);
	report_row(r);
	report_text(r, NULL);
	report_u64(r, 0);
	report_i64(r, 0);
	report_double(r, 5e-324);
	report_row(r);
	report_note(r, "%d rows", 3);
}

int
main(int argc, char **argv)
{
	struct tool t = {0};
	tool_start(&t, &spec, argc, argv);
	tool_note(&t, 1, "said at -v");
	tool_warn(&t, "a warning");
	if (t.argc && !strcmp(t.argv[0], "fail")) {
		struct wcp_error e = {
		    .status = WCP_EDATA, .offset = 77, .text = "block 3: checksum mismatch"};
		return tool_finish(&t, tool_error(&t, "a.wcp", &e));
	}
	struct wcp_error e;
	struct report *r = report_open(&t, false, &e);
	if (!r)
		return tool_finish(&t, tool_error(&t, NULL, &e));
	fill(r, &t);
	return tool_finish(&t, report_close(r));
}
