/* warpflat: a WARP stream becomes the ACCESS stream of its line transactions, in an order without
 * time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "flat.h"

enum { OPT_ORDER = 256, OPT_SMS, OPT_CTAS, OPT_LINE, OPT_SECTOR, OPT_SPACE, OPT_MEMORY };

static const struct tool_option options[] = {
    {0, "order", "ORDER", "rr, cta or warp (default rr)", OPT_ORDER},
    {0, "sms", "N", "deal the CTAs out to N SMs (default 15)", OPT_SMS},
    {0, "ctas-per-sm", "N", "CTAs that an SM holds at a time (default: what fits a GTX 480)",
	OPT_CTAS},
    {0, "line", "BYTES", "line size, 32 to 4096 (default 128)", OPT_LINE},
    {0, "sector", "BYTES", "sector size (default 32, or the line's 32nd part)", OPT_SECTOR},
    {0, "space", "LIST",
	"spaces to take: global,local,const,param,texture,surface or all (default global,local)",
	OPT_SPACE},
    {0, "memory", "BYTES",
	"hold so much of the resident CTAs in memory, more in TMPDIR (default 256Mi)", OPT_MEMORY},
    TOOL_OPT_FILTER,
    TOOL_OPT_OUTPUT,
    TOOL_OPT_REPORT,
    TOOL_OPT_THREADS,
    TOOL_OPT_LEVEL,
    TOOL_OPT_JSON,
    TOOL_OPT_TSV,
    TOOL_OPT_PROGRESS,
    TOOL_OPT_COMMON,
    TOOL_OPT_END,
};

static int
set_order(struct tool *t, struct settings *s, const char *value)
{
	static const char *const name[] = {
	    [ORDER_RR] = "rr", [ORDER_CTA] = "cta", [ORDER_WARP] = "warp"};
	for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
		if (!strcmp(value, name[i])) {
			s->order = (enum order)i;
			return 0;
		}
	}
	return tool_usage(t, "--order is rr, cta or warp, not '%s'", value);
}

static int
add_space(struct tool *t, struct settings *s, const char *name, size_t length)
{
	static const enum wcp_space usable[] = {WCP_SPACE_GLOBAL, WCP_SPACE_LOCAL, WCP_SPACE_CONST,
	    WCP_SPACE_PARAM, WCP_SPACE_TEXTURE, WCP_SPACE_SURFACE};
	bool all = length == 3 && !strncmp(name, "all", 3), found = all;
	for (size_t i = 0; i < sizeof usable / sizeof usable[0]; i++) {
		const char *known = wcp_space_name(usable[i]);
		if (all || (strlen(known) == length && !strncmp(known, name, length))) {
			s->spaces |= 1u << usable[i];
			found = true;
		}
	}
	if (found)
		return 0;
	if (length == 6 && !strncmp(name, "shared", 6))
		return tool_usage(
		    t, "--space: shared memory has banks, not lines: it makes no transactions");
	return tool_usage(t,
	    "--space: '%.*s' is not global, local, const, param, texture, surface or all",
	    (int)length, name);
}

static int
set_spaces(struct tool *t, struct settings *s, const char *value)
{
	s->spaces = 0;
	for (;;) {
		size_t length = strcspn(value, ",");
		int status = add_space(t, s, value, length);
		if (status || !value[length])
			return status;
		value += length + 1;
	}
}

static int
on_option(struct tool *t, int id, const char *value)
{
	struct settings *s = t->arg;
	uint64_t n = 0;
	int status = 0;
	switch (id) {
	case OPT_ORDER: return set_order(t, s, value);
	case OPT_SPACE: return set_spaces(t, s, value);
	case OPT_MEMORY: return tool_u64(t, "--memory", value, 0, UINT64_MAX, &s->memory_bytes);
	case OPT_SMS:
		status = tool_u64(t, "--sms", value, 1, 65534, &n);
		s->sms = (uint32_t)n;
		return status;
	case OPT_CTAS:
		status = tool_u64(t, "--ctas-per-sm", value, 1, 65534, &n);
		s->ctas_per_sm = (uint32_t)n;
		return status;
	case OPT_LINE:
		status = tool_u64(t, "--line", value, 32, 4096, &n);
		s->coalesce.line_bytes = (uint32_t)n;
		return status;
	case OPT_SECTOR:
		status = tool_u64(t, "--sector", value, 4, 4096, &n);
		s->coalesce.sector_bytes = (uint32_t)n;
		return status;
	default: return 0;
	}
}

static const struct tool_spec spec = {
    .name = "warpflat",
    .summary = "Coalesces a WARP stream into the ACCESS stream of its line transactions, in a "
	       "stated order without time.",
    .operands = "[FILE]",
    .option = options,
    .on_option = on_option,
    .max_operands = 1,
};

static void
report_launch(struct report *r, const struct launch *l)
{
	static const struct report_column column[] = {
	    {"id", NULL, REPORT_U64, 0},
	    {"kernel", NULL, REPORT_TEXT, 0},
	    {"ctas", NULL, REPORT_U64, 0},
	    {"ctas_per_sm", NULL, REPORT_U64, 0},
	    {"instructions", NULL, REPORT_U64, 0},
	    {"divergent", "%", REPORT_DOUBLE, 2},
	    {"transactions", NULL, REPORT_U64, 0},
	    {"per_instruction", NULL, REPORT_DOUBLE, 2},
	    {"sectors", NULL, REPORT_U64, 0},
	    {"bytes", NULL, REPORT_U64, 0},
	    {NULL, NULL, REPORT_TEXT, 0},
	};
	report_table(r, "kernels", "Memory instructions and their transactions", column);
	report_u64(r, l->kernel->id);
	report_text(r, l->kernel->name);
	report_u64(r, l->ctas_read);
	report_u64(r, l->ctas_per_sm);
	report_u64(r, l->insns);
	report_double(r, l->insns ? 100.0 * (double)l->divergent / (double)l->insns : NAN);
	report_u64(r, l->transactions);
	report_double(r, l->insns ? (double)l->transactions / (double)l->insns : NAN);
	report_u64(r, l->sectors);
	report_u64(r, l->bytes);
	report_row(r);
}

/* The oldest launch, to its end. */
static int
finish_launch(struct flat *f, struct wcp_error *e)
{
	struct launch *l = f->first;
	int status = order_run(f, l, e);
	while (!status && !l->complete)
		status = input_next(f, e);
	if (!status)
		status = emit_flush(f, e);
	if (status)
		return status;
	l->end.accesses = l->transactions;
	if (f->report)
		report_launch(f->report, l);
	return wcp_writer_kernel_end(f->writer, &l->end, e);
}

static void
drop_launch(struct flat *f)
{
	struct launch *l = f->first;
	while (l->waiting) {
		struct cta *next = l->waiting->next;
		cta_free(f, l->waiting);
		l->waiting = next;
	}
	f->first = l->next;
	if (!f->first)
		f->last = &f->first;
	free(l);
}

static int
run(struct flat *f, struct wcp_error *e)
{
	int status = emit_start(f, e);
	while (!status) {
		while (!f->first && !f->ended && !status)
			status = input_next(f, e);
		if (status || !f->first)
			break;
		status = finish_launch(f, e);
		drop_launch(f);
		tool_progress_reader(f->tool, f->reader, "accesses", f->written);
	}
	while (f->first)
		drop_launch(f);
	return status;
}

static const char *
output_name(const struct tool *t)
{
	return t->output && strcmp(t->output, "-") ? t->output : "standard output";
}

static int
close_output(struct flat *f, int failed, const struct wcp_error *why)
{
	struct tool *t = f->tool;
	struct wcp_error e = *why;
	if (failed) {
		wcp_writer_abort(f->writer);
		return tool_error(t, output_name(t), why);
	}
	uint32_t flags = f->end_flags;
	if (f->filter || f->input_status)
		flags |= WCP_END_PARTIAL;
	if (tool_interrupted())
		flags |= WCP_END_INTERRUPTED;
	if (wcp_writer_close(f->writer, flags, &e))
		return tool_error(t, output_name(t), &e);
	return 0;
}

static int
flatten(struct flat *f)
{
	struct tool *t = f->tool;
	struct wcp_error e = {0};
	int status = run(f, &e);
	tool_note(t, 1, "%llu accesses, %llu bytes in a temporary file",
	    (unsigned long long)f->written, (unsigned long long)f->pool.spilled_bytes);
	status = close_output(f, status, &e);
	if (f->input_status && !status)
		status = tool_error(t, tool_input_name(t, 0), &f->input_error);
	return status;
}

static int
with_streams(struct tool *t, struct settings *s)
{
	struct flat f = {.tool = t, .set = *s};
	int status = 0;
	f.last = &f.first;
	pool_init(&f.pool, s->memory_bytes);
	wcp_warp_batch_init(&f.filtered);
	f.reader = tool_open_reader(t, 0, WCP_LINK_WARP, 0, &f.filter, &status);
	if (f.reader)
		f.writer = tool_open_writer(t, WCP_LINK_ACCESS, f.reader, &status);
	bool report = f.writer && (t->report || t->verbose);
	struct wcp_error e;
	if (report && !(f.report = report_open(t, true, &e))) {
		status = tool_error(t, NULL, &e);
		wcp_writer_abort(f.writer);
	} else if (f.writer) {
		status = flatten(&f);
	}
	if (f.report) {
		int report_status = report_close(f.report);
		status = status ? status : report_status;
	}
	if (f.reader)
		wcp_reader_close(f.reader);
	wcp_filter_free(f.filter);
	wcp_warp_batch_release(&f.filtered);
	wcp_access_batch_release(&f.out);
	pool_release(&f.pool);
	return status;
}

int
main(int argc, char **argv)
{
	struct settings s = {
	    .sms = 15,
	    .coalesce = WCP_COALESCE_DEFAULT,
	    .spaces = 1u << WCP_SPACE_GLOBAL | 1u << WCP_SPACE_LOCAL,
	    .memory_bytes = 256u << 20,
	};
	struct tool t = {.arg = &s};
	struct wcp_error e;
	s.coalesce.sector_bytes = 0;
	tool_start(&t, &spec, argc, argv);
	if (!s.coalesce.sector_bytes)
		s.coalesce.sector_bytes =
		    s.coalesce.line_bytes > 1024 ? s.coalesce.line_bytes / 32 : WCP_SECTOR_BYTES;
	if (wcp_coalesce_check(&s.coalesce, &e))
		return tool_finish(&t, tool_usage(&t, "%s", e.text));
	return tool_finish(&t, with_streams(&t, &s));
}
