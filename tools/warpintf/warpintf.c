/* warpintf: who evicts whose lines, and which misses come of it. */
#include <string.h>
#include "intf.h"

enum {
	OPT_RECORDED = 256,
	OPT_KEEP,
	OPT_BY,
	OPT_PER_SM,
	OPT_VTA,
	OPT_VTA_WAYS,
	OPT_VTA_ORDER,
	OPT_EPOCH,
	OPT_WINDOW,
	OPT_SERIES
};

static const struct tool_option options[] = {
    TOOL_OPT_MACHINE,
    TOOL_OPT_SET,
    {0, "recorded", NULL, "take what the stream says L1D did, whatever the machine", OPT_RECORDED},
    {0, "keep-l1", NULL, "leave L1 as it is when a kernel ends", OPT_KEEP},
    {0, "by", "UNIT", "who: slot, warp, cta, kernel or pc (default slot)", OPT_BY},
    {0, "per-sm", NULL, "tell SMs apart", OPT_PER_SM},
    {0, "vta", "N", "victim tags of a warp, or exact for no bound (default 8)", OPT_VTA},
    {0, "vta-ways", "N", "in sets of N (default: one set)", OPT_VTA_WAYS},
    {0, "vta-order", "ORDER", "which tag leaves: fifo or lru (default fifo)", OPT_VTA_ORDER},
    {0, "epoch", "N", "memory instructions of an SM between looks at IRS (default 1000)",
	OPT_EPOCH},
    {0, "window", "WHAT", "IRS counts from the kernel or the epoch on (default kernel)",
	OPT_WINDOW},
    {0, "series", "FILE", "write IRS by epoch to FILE", OPT_SERIES},
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
take_by(struct tool *t, struct settings *s, const char *value)
{
	for (s->by = 0; s->by < BY_COUNT; s->by++)
		if (!strcmp(value, by_name[s->by]))
			return 0;
	return tool_usage(t, "--by %s: it is one of slot, warp, cta, kernel and pc", value);
}

/* One of two words: *second says which. */
static int
take_either(struct tool *t, const char *option, const char *value, const char *a, const char *b,
    bool *second)
{
	*second = !strcmp(value, b);
	if (*second || !strcmp(value, a))
		return 0;
	return tool_usage(t, "%s %s: it is %s or %s", option, value, a, b);
}

static int
take_number(struct tool *t, const char *option, const char *value, uint64_t most, uint32_t *to)
{
	uint64_t n = 0;
	int status = tool_u64(t, option, value, 1, most, &n);
	*to = (uint32_t)n;
	return status;
}

static int
on_option(struct tool *t, int id, const char *value)
{
	struct settings *s = t->arg;
	bool second = false;
	int status = 0;
	switch (id) {
	case OPT_RECORDED: s->recorded = true; break;
	case OPT_KEEP: s->keep_l1 = true; break;
	case OPT_BY: return take_by(t, s, value);
	case OPT_PER_SM: s->per_sm = true; break;
	case OPT_VTA:
		s->exact = !strcmp(value, "exact");
		return s->exact ? 0 : take_number(t, "--vta", value, 65536, &s->vta.entries);
	case OPT_VTA_WAYS: return take_number(t, "--vta-ways", value, 65536, &s->vta.ways);
	case OPT_VTA_ORDER:
		status = take_either(t, "--vta-order", value, "fifo", "lru", &second);
		s->vta.order = second ? WCP_VTA_LRU : WCP_VTA_FIFO;
		break;
	case OPT_EPOCH: return take_number(t, "--epoch", value, UINT32_MAX, &s->epoch);
	case OPT_WINDOW: return take_either(t, "--window", value, "kernel", "epoch", &s->by_epoch);
	case OPT_SERIES: s->series = value; break;
	default: break;
	}
	return status;
}

static const struct tool_spec spec = {
    .name = "warpintf",
    .summary = "Who evicts whose lines from an L1D, and which misses come of it.",
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
	bool some = status == 0 || (status == -WCP_EDATA && m.total.records);
	int closed = epoch_close(&m, some);
	if (some) {
		int printed = intf_print(&m);
		status = status ? status : closed ? closed : printed;
	}
	model_release(&m);
	return status;
}

static int
check(struct tool *t, const struct settings *s)
{
	if (s->l1.slices > 1)
		return tool_usage(t, "[l1]: a private cache has no slices");
	if (s->series && !strcmp(s->series, "-") && (!t->report || !strcmp(t->report, "-")))
		return tool_usage(t, "--series -: the report must go to another place (-r)");
	return 0;
}

int
main(int argc, char **argv)
{
	struct settings s = {.vta = {.entries = 8}, .epoch = 1000};
	struct tool t = {.arg = &s};
	int status = 0;
	tool_start(&t, &spec, argc, argv);
	s.machine = t.machine || t.n_set;
	struct wcp_machine *machine = tool_machine(&t, "gtx480", &status);
	if (machine)
		status = level_read(&t, machine, "l1", &s.l1);
	if (!status)
		status = check(&t, &s);
	if (!status)
		status = run(&t, &s, machine);
	wcp_machine_free(machine);
	return tool_finish(&t, status);
}
