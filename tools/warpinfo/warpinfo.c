/* Summarises a stream. */
#include <stdlib.h>
#include "info.h"

enum { OPT_SECTION = 256 };

static const struct tool_option options[] = {
    {0, "summary", NULL, "print the summary", OPT_SECTION + SECTION_SUMMARY},
    {0, "provenance", NULL, "print the commands that made the stream",
	OPT_SECTION + SECTION_PROVENANCE},
    {0, "kernels", NULL, "print the kernels", OPT_SECTION + SECTION_KERNELS},
    {0, "classes", NULL, "WARP: print instructions by class", OPT_SECTION + SECTION_CLASSES},
    {0, "accesses", NULL, "print accesses by space and kind", OPT_SECTION + SECTION_ACCESSES},
    {0, "coalescing", NULL, "print how well accesses coalesce", OPT_SECTION + SECTION_COALESCING},
    {0, "footprint", NULL, "print the memory touched", OPT_SECTION + SECTION_FOOTPRINT},
    {0, "outcomes", NULL, "ACCESS: print hits and misses", OPT_SECTION + SECTION_OUTCOMES},
    {0, "host", NULL, "print what the host did", OPT_SECTION + SECTION_HOST},
    TOOL_OPT_REPORT,
    TOOL_OPT_FILTER,
    TOOL_OPT_THREADS,
    TOOL_OPT_TSV,
    TOOL_OPT_JSON,
    TOOL_OPT_PROGRESS,
    TOOL_OPT_COMMON,
    TOOL_OPT_END,
};

static int
on_option(struct tool *t, int id, const char *value)
{
	struct info *in = t->arg;
	(void)value;
	in->sections |= 1u << (id - OPT_SECTION);
	return 0;
}

static const struct tool_spec spec = {
    .name = "warpinfo",
    .summary = "Summarise a stream; without a section all of them are printed.",
    .operands = "[FILE]",
    .option = options,
    .on_option = on_option,
    .max_operands = 1,
};

static int
count_item(struct info *in, const struct wcp_item *item, struct wcp_error *e)
{
	switch (item->type) {
	case WCP_ITEM_PROGRAM: return count_program(in, item->program, e);
	case WCP_ITEM_KERNEL: return count_kernel(in, item->kernel, e);
	case WCP_ITEM_KERNEL_END: count_kernel_end(in, item->kernel_end); break;
	case WCP_ITEM_HOST:
		if ((unsigned)item->host->kind < WCP_HOST_COUNT) {
			in->host_ops[item->host->kind]++;
			in->host_bytes[item->host->kind] += item->host->bytes;
		}
		break;
	case WCP_ITEM_WARP: return count_warp(in, item->warp, e);
	case WCP_ITEM_ACCESS: return count_access(in, item->access, e);
	case WCP_ITEM_STATE: break;
	case WCP_ITEM_END:
		in->ended = true;
		in->end = *item->end;
		break;
	}
	return 0;
}

static int
summarise(struct info *in)
{
	struct wcp_item item;
	struct wcp_error e = {0};
	int r;
	while ((r = wcp_reader_next(in->reader, &item, &e)) > 0) {
		if ((r = count_item(in, &item, &e)) < 0 || tool_interrupted())
			break;
		tool_progress_reader(in->tool, in->reader, "records", in->records);
	}
	if (r == 0 && !in->ended && tool_interrupted())
		r = wcp_fail(&e, WCP_ENO, "interrupted");
	count_classes(in);
	int status = print_report(in, r < 0 ? &e : NULL);
	if (r == 0 || e.status == WCP_ENO)
		return status;
	return tool_error(in->tool, tool_input_name(in->tool, 0), &e);
}

int
main(int argc, char **argv)
{
	static struct info in;
	struct tool t = {.arg = &in};
	int status = 0;
	in.tool = &t;
	tool_start(&t, &spec, argc, argv);
	if (!in.sections)
		in.sections = (1u << SECTION_COUNT) - 1;
	wcp_warp_batch_init(&in.matched);
	in.reader = tool_open_reader(&t, 0, WCP_LINK_ANY,
	    WCP_COL(CYCLE) | WCP_COL(SM) | WCP_COL(KERNEL) | WCP_COL(LINE) | WCP_COL(SECTORS) |
		WCP_COL(LANES) | WCP_COL(KIND) | WCP_COL(SPACE) | WCP_COL(FLAGS) |
		WCP_COL(OUTCOME) | WCP_COL(BYTES),
	    &in.filter, &status);
	if (in.reader) {
		in.link = wcp_reader_link(in.reader);
		status = summarise(&in);
		wcp_reader_close(in.reader);
	}
	wcp_filter_free(in.filter);
	count_release(&in);
	return tool_finish(&t, status);
}
