/* warpdram: what the memory makes of an ACCESS stream or of another program's trace. */
#include <stdlib.h>
#include <string.h>
#include "warpdram.h"

enum {
	OPT_FORMAT = 256,
	OPT_CLOCK,
	OPT_STALL,
	OPT_WINDOW,
	OPT_GAP,
	OPT_BEYOND,
	OPT_ALL,
	OPT_BY,
	OPT_REQUESTERS,
	OPT_BANKS,
	OPT_SERIES,
	OPT_INTERVAL,
	OPT_COMMANDS,
	OPT_SHOW,
};

static const struct tool_option options[] = {
    TOOL_OPT_MACHINE,
    TOOL_OPT_SET,
    {0, "show-machine", NULL, "print the memory with every value's source, read nothing", OPT_SHOW},
    {0, "format", "NAME", "the input is of this format (default: found out)", OPT_FORMAT},
    {0, "clock", "MHZ", "clock of the records' cycles, or dram (default: the machine's cores)",
	OPT_CLOCK},
    {0, "stall", NULL, "a full queue delays all that its core does later", OPT_STALL},
    {0, "window", "N", "closed loop: at most N records of a core on their way", OPT_WINDOW},
    {0, "gap", "CYCLES", "with --window: cycles between a core's records (default 1)", OPT_GAP},
    {0, "beyond", "WHAT", "addresses past the capacity: wrap or fail (default wrap)", OPT_BEYOND},
    {0, "all", NULL, "replay also what a cache had answered", OPT_ALL},
    {0, "by", "UNIT", "count by none, sm, kernel, cta, warp or pc", OPT_BY},
    {0, "requesters", "N", "parbs, tcm: requesters told apart (default 64)", OPT_REQUESTERS},
    {0, "banks", NULL, "report every bank", OPT_BANKS},
    {0, "series", "FILE", "write what happened over time to FILE", OPT_SERIES},
    {0, "interval", "CYCLES", "with --series: memory cycles a line (default 10000)", OPT_INTERVAL},
    {0, "commands", "FILE", "write every command to FILE", OPT_COMMANDS},
    TOOL_OPT_FILTER,
    TOOL_OPT_OUTPUT,
    TOOL_OPT_REPORT,
    TOOL_OPT_TSV,
    TOOL_OPT_JSON,
    TOOL_OPT_SEED,
    TOOL_OPT_THREADS,
    TOOL_OPT_LEVEL,
    TOOL_OPT_PROGRESS,
    TOOL_OPT_COMMON,
    TOOL_OPT_END,
};

static int
set_format(struct tool *t, struct settings *s, const char *value)
{
	for (unsigned i = FORMAT_STREAM; i < FORMAT_COUNT; i++)
		if (!strcmp(value, format_name((enum format)i))) {
			s->format = (enum format)i;
			return 0;
		}
	return tool_usage(t,
	    "--format: '%s' is none of stream, ramulator1, loadstore, readwrite, dramsim3, stl, "
	    "usimm, din, lackey",
	    value);
}

static int
set_beyond(struct tool *t, struct settings *s, const char *value)
{
	s->beyond = !strcmp(value, "fail") ? WCP_BEYOND_FAIL : WCP_BEYOND_WRAP;
	if (s->beyond == WCP_BEYOND_FAIL || !strcmp(value, "wrap"))
		return 0;
	return tool_usage(t, "--beyond: '%s' is neither wrap nor fail", value);
}

static int
set_clock(struct tool *t, struct settings *s, const char *value)
{
	s->clock_given = true;
	s->clock_mhz = -1;
	if (!strcmp(value, "dram"))
		return 0;
	return tool_double(t, "--clock", value, 0.001, 1e6, &s->clock_mhz);
}

static int
set_number(struct tool *t, struct settings *s, int id, const char *value)
{
	uint64_t n = 0;
	int status = 0;
	switch (id) {
	case OPT_WINDOW:
		status = tool_u64(t, "--window", value, 1, 1u << 20, &n);
		s->window = (uint32_t)n;
		return status;
	case OPT_GAP:
		s->gap_given = true;
		return tool_u64(t, "--gap", value, 0, 1ull << 40, &s->gap);
	case OPT_REQUESTERS:
		status = tool_u64(t, "--requesters", value, 1, 4096, &n);
		s->requesters = (uint32_t)n;
		return status;
	case OPT_INTERVAL:
		s->interval_given = true;
		return tool_u64(t, "--interval", value, 1, 1ull << 40, &s->interval);
	default: return 0;
	}
}

static int
on_option(struct tool *t, int id, const char *value)
{
	struct settings *s = t->arg;
	switch (id) {
	case OPT_FORMAT: return set_format(t, s, value);
	case OPT_CLOCK: return set_clock(t, s, value);
	case OPT_STALL: s->mode = MODE_STALL; return 0;
	case OPT_BEYOND: return set_beyond(t, s, value);
	case OPT_ALL: s->all = true; return 0;
	case OPT_BY: return unit_option(t, "--by", value, &s->by);
	case OPT_BANKS: s->banks = true; return 0;
	case OPT_SERIES: s->series = value; return 0;
	case OPT_COMMANDS: s->commands = value; return 0;
	case OPT_SHOW: s->show = true; return 0;
	default: return set_number(t, s, id, value);
	}
}

static const struct tool_spec spec = {
    .name = "warpdram",
    .summary = "Sends an ACCESS stream or a memory trace through a DRAM: latency, rows, banks.",
    .operands = "[FILE]",
    .option = options,
    .on_option = on_option,
    .max_operands = 1,
};

/* What one writes another must not overwrite. */
static int
check_outputs(struct tool *t, const struct settings *s)
{
	const struct {
		const char *option, *path;
	} out[] = {{"-o", t->output}, {"-r", t->report}, {"--series", s->series},
	    {"--commands", s->commands}};
	for (size_t i = 0; i < sizeof out / sizeof *out; i++)
		for (size_t k = i + 1; k < sizeof out / sizeof *out; k++)
			if (out[i].path && out[k].path && !strcmp(out[i].path, out[k].path) &&
			    strcmp(out[i].path, "/dev/null") != 0)
				return tool_usage(t, "%s and %s both name %s", out[i].option,
				    out[k].option, out[i].path);
	return 0;
}

static int
check_settings(struct tool *t, const struct settings *s)
{
	if (s->gap_given && (!s->window || s->mode == MODE_STALL))
		return tool_usage(t, "--gap goes with --window");
	if (s->interval_given && !s->series)
		return tool_usage(t, "--interval goes with --series");
	return check_outputs(t, s);
}

/* The machine's [dram] with what options say of it. */
static void
configure(struct tool *t, struct settings *s, const struct wcp_machine *m)
{
	struct wcp_dram_config *c = &s->config;
	wcp_machine_dram(m, c);
	bool ranks =
	    !strcmp(c->controller.scheduler, "parbs") || !strcmp(c->controller.scheduler, "tcm");
	s->requesters = !ranks ? 0 : s->requesters ? s->requesters : 64;
	c->controller.requesters = ranks ? s->requesters : 1;
	c->controller.seed = t->seed;
	c->beyond = s->beyond;
}

static int
show_machine(struct run *r, const struct wcp_machine *m)
{
	int status = play_open(r, m);
	struct report *out = status ? NULL : report_open(r->tool, false, NULL);
	if (!status && !out)
		status = -WCP_ESYS;
	if (out) {
		report_pair_text(out, "machine", wcp_machine_name(m));
		print_machine(r, m, out);
		status = report_close(out);
	}
	play_close(r);
	return status;
}

int
main(int argc, char **argv)
{
	struct settings s = {.gap = 1, .interval = 10000};
	struct tool t = {.arg = &s};
	struct run r = {.tool = &t, .set = &s};
	tool_start(&t, &spec, argc, argv);
	int status = check_settings(&t, &s);
	struct wcp_machine *m = status ? NULL : tool_machine(&t, "gtx480", &status);
	if (m) {
		configure(&t, &s, m);
		status = s.show ? show_machine(&r, m) : run_all(&r, m);
	}
	wcp_machine_free(m);
	return tool_finish(&t, status);
}
