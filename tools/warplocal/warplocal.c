/* warplocal: which kind of locality caches find, which they would find, and what is in their way.
 */
#include <string.h>
#include "local.h"

enum { OPT_KEEP = 256, OPT_BY };

static const struct tool_option options[] = {
    TOOL_OPT_MACHINE,
    TOOL_OPT_SET,
    {0, "keep-l1", NULL, "leave L1 as it is when a kernel ends", OPT_KEEP},
    {0, "by", "UNIT", "count by none, sm, kernel, cta, warp or pc, too", OPT_BY},
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
on_option(struct tool *t, int id, const char *value)
{
	struct settings *s = t->arg;
	switch (id) {
	case OPT_KEEP: s->invalidate = false; return 0;
	case OPT_BY: return unit_option(t, "--by", value, &s->by);
	default: return 0;
	}
}

static const struct tool_spec spec = {
    .name = "warplocal",
    .summary =
	"Five classes of locality in caches, bounded and not, and what an application is like.",
    .operands = "[FILE]",
    .option = options,
    .on_option = on_option,
    .max_operands = 1,
};

static int
run(struct tool *t, const struct settings *s, const struct wcp_machine *machine)
{
	struct model m;
	int status = model_init(&m, t, s, machine);
	if (!status)
		status = model_read(&m);
	/* what was whole before a fault in the data is reported */
	if (status == 0 || (status == -WCP_EDATA && m.count[REUSE].accesses)) {
		int printed = local_print(&m);
		status = status ? status : printed;
	}
	model_release(&m);
	return status;
}

static int
check(struct tool *t, const struct settings *s)
{
	const struct wcp_nb_options *a = &s->l1.cache, *b = &s->l2.cache;
	if (s->l1.slices > 1)
		return tool_usage(t, "[l1]: a private cache has no slices");
	if (b->index.line_bytes < a->index.line_bytes)
		return tool_usage(t, "[l2]: its lines of %u bytes are shorter than L1's of %u",
		    b->index.line_bytes, a->index.line_bytes);
	if (a->index.sets * a->ways >= UINT16_MAX)
		return tool_usage(t, "[l1]: more than 65534 lines");
	return 0;
}

int
main(int argc, char **argv)
{
	struct settings s = {.invalidate = true};
	struct tool t = {.arg = &s};
	int status = 0;
	tool_start(&t, &spec, argc, argv);
	struct wcp_machine *machine = tool_machine(&t, "gtx480-dwt", &status);
	if (machine)
		status = level_read(&t, machine, "l1", &s.l1);
	if (!status)
		status = level_read(&t, machine, "l2", &s.l2);
	if (!status)
		status = check(&t, &s);
	if (!status)
		status = run(&t, &s, machine);
	wcp_machine_free(machine);
	return tool_finish(&t, status);
}
