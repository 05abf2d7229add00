/* warpexport: streams in formats of others. */
#include "export.h"

#include <stdlib.h>
#include <string.h>
#include "outfile.h"

enum { OPT_PERFETTO = 256, OPT_CLOCK, OPT_INTERVAL, OPT_ACCESSES };

struct command {
	bool perfetto, accesses;
	double mhz;
	uint64_t interval;
};

static const struct tool_option option[] = {
    {0, "perfetto", NULL, "a timeline in the JSON trace event format", OPT_PERFETTO},
    {0, "clock", "MHZ", "cycles a microsecond (default 1)", OPT_CLOCK},
    {0, "interval", "CYCLES", "count accesses in so many cycles, 0: do not (default 1000)",
	OPT_INTERVAL},
    {0, "accesses", NULL, "also an event for each access", OPT_ACCESSES},
    TOOL_OPT_FILTER,
    TOOL_OPT_OUTPUT,
    TOOL_OPT_THREADS,
    TOOL_OPT_PROGRESS,
    TOOL_OPT_COMMON,
    TOOL_OPT_END,
};

static int
on_option(struct tool *t, int id, const char *value)
{
	struct command *c = t->arg;
	switch (id) {
	case OPT_PERFETTO: c->perfetto = true; return 0;
	case OPT_CLOCK: return tool_double(t, "--clock", value, 1e-6, 1e6, &c->mhz);
	case OPT_INTERVAL:
		return tool_u64(t, "--interval", value, 0, UINT64_MAX >> 2, &c->interval);
	case OPT_ACCESSES: c->accesses = true; return 0;
	default: return tool_usage(t, "unknown option");
	}
}

static const struct tool_spec spec = {
    .name = "warpexport",
    .summary = "Writes a stream as a timeline that trace viewers open.",
    .operands = "[FILE]",
    .option = option,
    .on_option = on_option,
    .max_operands = 1,
};

static int
take_item(struct exporter *x, const struct wcp_item *item, struct wcp_error *e)
{
	switch (item->type) {
	case WCP_ITEM_KERNEL:
		export_kernel(x, item->kernel);
		return x->filter ? wcp_filter_kernel(x->filter, item->kernel,
				       wcp_reader_program(x->reader, item->kernel->program), e)
				 : 0;
	case WCP_ITEM_KERNEL_END: export_kernel_end(x, item->kernel_end); return 0;
	case WCP_ITEM_HOST: export_host(x, item->host); return 0;
	case WCP_ITEM_WARP: return export_warp(x, item->warp, e);
	case WCP_ITEM_ACCESS: export_access(x, item->access); return 0;
	case WCP_ITEM_STATE: export_states(x, item->state, item->n_state); return 0;
	case WCP_ITEM_PROGRAM:
	case WCP_ITEM_END: break;
	}
	return 0;
}

/* However the input ends, what came of it is a whole trace. */
static int
export_all(struct exporter *x)
{
	struct wcp_error e = {0};
	struct wcp_item item;
	int more, status = 0;
	while ((more = wcp_reader_next(x->reader, &item, &e)) > 0 && !tool_interrupted()) {
		status = take_item(x, &item, &e);
		if (status)
			break;
		tool_progress_reader(x->tool, x->reader, "records", x->done);
	}
	export_finish(x);
	trace_end(&x->trace);
	return more < 0 || status ? tool_error(x->tool, tool_input_name(x->tool, 0), &e) : 0;
}

static int
write_trace(struct exporter *x, const struct command *c)
{
	struct tool *t = x->tool;
	struct wcp_error e;
	struct outfile o;
	const char *path = t->output ? t->output : "-";
	if (outfile_open(&o, path, &e)) {
		outfile_close(&o, false);
		return tool_error(t, NULL, &e);
	}
	bool to_stdout = o.file == stdout;
	x->warp_stream = wcp_reader_link(x->reader) == WCP_LINK_WARP;
	x->accesses = c->accesses;
	x->interval = x->warp_stream ? 0 : c->interval;
	trace_begin(&x->trace, o.file, 1 / c->mhz, t->command_line,
	    x->warp_stream ? "a microsecond is a warp instruction, in the order recorded"
			   : "cycles");
	int status = export_all(x), number = outfile_close(&o, true);
	if (number && to_stdout)
		clearerr(stdout);
	if (number)
		return tool_fail(
		    t, -WCP_ESYS, "%s: %s", to_stdout ? "standard output" : path, strerror(number));
	tool_note(t, 1, "%llu events", (unsigned long long)x->trace.events);
	return status;
}

static void
release(struct exporter *x)
{
	if (x->reader)
		wcp_reader_close(x->reader);
	wcp_filter_free(x->filter);
	wcp_warp_batch_release(&x->matching);
	trace_release(&x->trace);
	spans_release(&x->spans);
	lanes_release(&x->lanes);
	free(x->open_span);
	free(x->index);
}

int
main(int argc, char **argv)
{
	struct command c = {.mhz = 1, .interval = 1000};
	struct tool t = {.arg = &c};
	struct exporter x = {.tool = &t};
	int status = 0;
	tool_start(&t, &spec, argc, argv);
	if (!c.perfetto)
		return tool_finish(&t, tool_usage(&t, "which format? --perfetto"));
	wcp_warp_batch_init(&x.matching);
	x.reader = tool_open_reader(&t, 0, WCP_LINK_ANY, 0, &x.filter, &status);
	if (x.reader)
		status = write_trace(&x, &c);
	release(&x);
	return tool_finish(&t, status);
}
