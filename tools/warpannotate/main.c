/* warpannotate: figures of streams beside the source lines that they come from. */
#include "annotate.h"

#include <stdlib.h>
#include <string.h>

enum { OPT_BY = 256, OPT_SOURCE, OPT_PTX, OPT_HTML, OPT_ALL, OPT_LEVEL, OPT_BANKS };

static const struct tool_option option[] = {
    {0, "by", "WHAT", "line, ptx or pc (default line)", OPT_BY},
    {0, "source", "DIR", "look for sources there, too", OPT_SOURCE},
    {0, "ptx", "FILE", "the PTX text, for --by ptx", OPT_PTX},
    {0, "html", "FILE", "write a page, too", OPT_HTML},
    {0, "all", NULL, "also lines that were not executed, and those between", OPT_ALL},
    {0, "level", "N", "look at what level N did with accesses (default 1)", OPT_LEVEL},
    {0, "banks", "N", "banks of shared memory, 1 to 64 (default 32)", OPT_BANKS},
    TOOL_OPT_FILTER,
    TOOL_OPT_REPORT,
    TOOL_OPT_TSV,
    TOOL_OPT_JSON,
    TOOL_OPT_THREADS,
    TOOL_OPT_PROGRESS,
    TOOL_OPT_COMMON,
    TOOL_OPT_END,
};

static int
set_by(struct tool *t, struct annotate *a, const char *value)
{
	static const char *const name[] = {[BY_LINE] = "line", [BY_PTX] = "ptx", [BY_PC] = "pc"};
	for (int i = BY_LINE; i <= BY_PC; i++) {
		if (!strcmp(value, name[i])) {
			a->by = (enum by)i;
			return 0;
		}
	}
	return tool_usage(t, "--by is line, ptx or pc, not '%s'", value);
}

static int
on_option(struct tool *t, int id, const char *value)
{
	struct annotate *a = t->arg;
	uint64_t n = 0;
	int status = 0;
	switch (id) {
	case OPT_BY: return set_by(t, a, value);
	case OPT_SOURCE:
		a->directory =
		    must_alloc(a->directory, (a->n_directory + 1) * sizeof *a->directory);
		a->directory[a->n_directory++] = value;
		return 0;
	case OPT_PTX: a->ptx = value; return 0;
	case OPT_HTML:
		a->html = value;
		return *value ? 0 : tool_usage(t, "--html: the name of a file is empty");
	case OPT_ALL: a->all = true; return 0;
	case OPT_LEVEL:
		status = tool_u64(t, "--level", value, 1, 8, &n);
		a->level = (unsigned)n - 1;
		return status;
	case OPT_BANKS:
		status = tool_u64(t, "--banks", value, 1, 64, &n);
		a->banks = (uint32_t)n;
		return status;
	default: return tool_usage(t, "unknown option");
	}
}

static const struct tool_spec spec = {
    .name = "warpannotate",
    .summary =
	"Shows beside each source line of the kernels how often it ran and what its accesses did.",
    .operands = "[FILE ...]",
    .option = option,
    .on_option = on_option,
    .max_operands = -1,
};

/* A file that must be there: the PTX that was named. */
static int
check_ptx(struct annotate *a)
{
	FILE *f = a->ptx ? fopen(a->ptx, "re") : NULL;
	if (a->ptx && !f)
		return tool_fail(a->tool, -WCP_ESYS, "--ptx %s: cannot be read", a->ptx);
	if (f)
		fclose(f);
	if (a->ptx && a->by == BY_LINE)
		a->by = BY_PTX;
	return 0;
}

static int
run(struct annotate *a)
{
	struct tool *t = a->tool;
	int status = check_ptx(a), worst = 0, n = t->argc ? t->argc : 1;
	for (int i = 0; i < n && !status; i++) {
		int one = count_stream(a, i);
		worst = worst ? worst : one;
		if (one && one != -WCP_EDATA)
			status = one;
	}
	if (status || (worst && !a->n_code))
		return status ? status : worst;
	status = print_report(a);
	if (!status && a->html)
		status = print_html(a);
	return status ? status : worst;
}

int
main(int argc, char **argv)
{
	struct annotate a = {.banks = 32};
	struct tool t = {.arg = &a};
	a.tool = &t;
	tool_start(&t, &spec, argc, argv);
	int status = run(&a);
	annotate_release(&a);
	return tool_finish(&t, status);
}
