/* Prints a stream, one event a line. */
#include <stdlib.h>
#include "dump.h"

enum { OPT_COUNT = 256, OPT_COLUMNS, OPT_EXPAND, OPT_PROGRAM, OPT_RECORDS };

static const struct tool_option options[] = {
    {'c', "count", "N", "stop after N lines", OPT_COUNT},
    {'x', "expand", NULL, "WARP: a line for each instruction instead of each run", OPT_EXPAND},
    {0, "columns", "LIST", "ACCESS: print these columns, separated by commas", OPT_COLUMNS},
    {0, "program", NULL, "print the static programs instead of what was executed", OPT_PROGRAM},
    {0, "records", NULL, "print records only, no kernels, host operations and end", OPT_RECORDS},
    TOOL_OPT_FILTER,
    TOOL_OPT_THREADS,
    TOOL_OPT_TSV,
    TOOL_OPT_JSON,
    TOOL_OPT_COMMON,
    TOOL_OPT_END,
};

static int
on_option(struct tool *t, int id, const char *value)
{
	struct dump *d = t->arg;
	switch (id) {
	case OPT_COUNT: return tool_u64(t, "-c", value, 1, UINT64_MAX, &d->limit);
	case OPT_COLUMNS: d->columns = value; return 0;
	case OPT_EXPAND: d->expand = true; return 0;
	case OPT_PROGRAM: d->program = true; return 0;
	default: d->records = true; return 0;
	}
}

static const struct tool_spec spec = {
    .name = "warpdump",
    .summary = "Print a stream, one event a line.",
    .operands = "[FILE]",
    .option = options,
    .on_option = on_option,
    .max_operands = 1,
};

static bool
want_nothing(void *arg, const struct wcp_block_info *info)
{
	(void)arg;
	(void)info;
	return false;
}

static bool
prints_meta(const struct dump *d)
{
	return !d->program && !d->records && d->out.format != TOOL_FORMAT_TSV;
}

static int
learn_kernel(struct dump *d, const struct wcp_kernel *k, struct wcp_error *e)
{
	if (!d->filter)
		return 0;
	const struct wcp_program *p =
	    k->program == WCP_NONE32 ? NULL : wcp_reader_program(d->reader, k->program);
	return wcp_filter_kernel(d->filter, k, p, e);
}

static int
print_item(struct dump *d, const struct wcp_item *item, struct wcp_error *e)
{
	bool meta = prints_meta(d);
	int r = 0;
	switch (item->type) {
	case WCP_ITEM_PROGRAM:
		if (d->program || (meta && d->tool->verbose))
			meta_program(d, item->program);
		break;
	case WCP_ITEM_KERNEL:
		r = learn_kernel(d, item->kernel, e);
		if (meta && r == 0)
			meta_kernel(d, item->kernel);
		break;
	case WCP_ITEM_KERNEL_END:
		if (meta)
			meta_kernel_end(d, item->kernel_end);
		break;
	case WCP_ITEM_HOST:
		if (meta)
			meta_host(d, item->host);
		break;
	case WCP_ITEM_WARP: return d->program ? 0 : warp_batch(d, item->warp, e);
	case WCP_ITEM_ACCESS: return d->program ? 0 : access_batch(d, item->access, e);
	case WCP_ITEM_STATE:
		if (meta)
			meta_states(d, item->state, item->n_state);
		break;
	case WCP_ITEM_END:
		if (meta)
			meta_end(d, item->end);
		break;
	}
	return r;
}

static int
print_stream(struct dump *d)
{
	struct wcp_item item;
	struct wcp_error e = {0};
	int r = 1;
	while (!out_full(&d->out) && !tool_interrupted() &&
	       (r = wcp_reader_next(d->reader, &item, &e)) > 0) {
		r = print_item(d, &item, &e);
		/* A reader of ours that waits for input has passed on what it has. */
		if (r < 0 || (item.type != WCP_ITEM_PROGRAM && out_flush(&d->out) < 0))
			break;
	}
	out_flush(&d->out);
	if (d->out.failed)
		return tool_fail(d->tool, 4, "standard output: cannot write: %m");
	return r < 0 ? tool_error(d->tool, tool_input_name(d->tool, 0), &e) : 0;
}

static int
start_output(struct dump *d, bool access)
{
	if (out_open(&d->out, d->tool->format, d->limit) < 0)
		return tool_fail(d->tool, 4, "out of memory");
	if (d->tool->format == TOOL_FORMAT_TSV && access)
		access_header(d);
	else if (d->tool->format == TOOL_FORMAT_TSV)
		warp_header(d);
	return 0;
}

static int
check_options(struct dump *d, bool access)
{
	struct tool *t = d->tool;
	if (d->columns && !access)
		return tool_usage(t, "--columns: a WARP stream has none; see --tsv");
	if (d->expand && access)
		return tool_usage(t, "-x: an ACCESS stream has no instructions to expand");
	if (d->program && t->format == TOOL_FORMAT_TSV)
		return tool_usage(t, "--program prints text or JSON");
	return 0;
}

int
main(int argc, char **argv)
{
	struct dump d = {0};
	struct tool t = {.arg = &d};
	int status = 0;
	tool_start(&t, &spec, argc, argv);
	d.tool = &t;
	wcp_warp_batch_init(&d.matched);
	if ((status = access_columns(&d)) != 0)
		return tool_finish(&t, status);
	if (d.program)
		t.also_want = want_nothing;
	d.reader = tool_open_reader(&t, 0, WCP_LINK_ANY, d.needed, &d.filter, &status);
	if (d.reader) {
		bool access = wcp_reader_link(d.reader) == WCP_LINK_ACCESS;
		if ((status = check_options(&d, access)) == 0 &&
		    (status = start_output(&d, access)) == 0)
			status = print_stream(&d);
		out_close(&d.out);
		wcp_reader_close(d.reader);
	}
	wcp_filter_free(d.filter);
	wcp_warp_batch_release(&d.matched);
	free(d.index);
	return tool_finish(&t, status);
}
