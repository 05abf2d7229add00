/* Cuts, samples, splits and joins streams. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cut.h"
#include "report.h"

enum {
	OPT_KERNEL = 256,
	OPT_CTA,
	OPT_CYCLE,
	OPT_SAMPLE,
	OPT_SAMPLE_BY,
	OPT_COUNT,
	OPT_SPLIT,
	OPT_MERGE
};

static const struct tool_option options[] = {
    {0, "kernel", "PATTERN", "keep kernels of this name, number or range (repeatable)", OPT_KERNEL},
    {0, "cta", "A-B", "keep these CTAs, by linear index", OPT_CTA},
    {0, "cycle", "A-B", "ACCESS: keep these cycles", OPT_CYCLE},
    TOOL_OPT_FILTER,
    {0, "sample", "M/N", "keep about M of N, chosen by a hash", OPT_SAMPLE},
    {0, "sample-by", "WHAT", "what is kept or not: cta, line, record", OPT_SAMPLE_BY},
    TOOL_OPT_SEED,
    {'c', "count", "N", "stop after N records (WARP: N warp instructions)", OPT_COUNT},
    {0, "split", "WHAT", "one output for each kernel or sm; -o FILE holds %n", OPT_SPLIT},
    {0, "merge", "ORDER", "join operands in this order: operand (default), cycle", OPT_MERGE},
    TOOL_OPT_OUTPUT,
    TOOL_OPT_REPORT,
    TOOL_OPT_LEVEL,
    TOOL_OPT_THREADS,
    TOOL_OPT_TSV,
    TOOL_OPT_JSON,
    TOOL_OPT_PROGRESS,
    TOOL_OPT_COMMON,
    TOOL_OPT_END,
};

static int
one_of(const struct tool *t, const char *option, const char *value, const char *const *name,
    unsigned n, unsigned *which)
{
	for (*which = 0; *which < n; ++*which)
		if (strcmp(name[*which], value) == 0)
			return 0;
	return tool_usage(t, "%s: '%s' is none of those that -h lists", option, value);
}

static int
read_sample(struct cut *c, const char *value)
{
	char part[32];
	const char *slash = strchr(value, '/');
	size_t n = slash ? (size_t)(slash - value) : 0;
	if (n == 0 || n >= sizeof part)
		return tool_usage(c->tool, "--sample: '%s' is not M/N", value);
	memcpy(part, value, n);
	part[n] = 0;
	int status = tool_u64(c->tool, "--sample", part, 1, UINT64_MAX, &c->sample_take);
	if (status == 0)
		status = tool_u64(
		    c->tool, "--sample", slash + 1, c->sample_take, UINT64_MAX, &c->sample_of);
	return status;
}

static int
add_kernel(struct cut *c, const char *value)
{
	const char **grown = realloc(c->kernel, (c->n_kernel + 1) * sizeof *c->kernel);
	if (!grown)
		return tool_fail(c->tool, 4, "out of memory");
	c->kernel = grown;
	c->kernel[c->n_kernel++] = value;
	return 0;
}

static int
on_option(struct tool *t, int id, const char *value)
{
	static const char *const split[] = {"", "kernel", "sm"};
	static const char *const merge[] = {"operand", "cycle"};
	static const char *const by[] = {"", "cta", "line", "record"};
	struct cut *c = t->arg;
	unsigned which = 0;
	int status = 0;
	c->tool = t;
	switch (id) {
	case OPT_KERNEL: return add_kernel(c, value);
	case OPT_CTA:
		c->has_cta = true;
		return tool_range(t, "--cta", value, &c->cta_first, &c->cta_last);
	case OPT_CYCLE:
		c->has_cycle = true;
		return tool_range(t, "--cycle", value, &c->cycle_first, &c->cycle_last);
	case OPT_SAMPLE: return read_sample(c, value);
	case OPT_SAMPLE_BY:
		status = one_of(t, "--sample-by", value, by, 4, &which);
		c->sample_by = (enum cut_sample)which;
		return status;
	case OPT_COUNT: return tool_u64(t, "-c", value, 1, UINT64_MAX, &c->limit);
	case OPT_SPLIT:
		status = one_of(t, "--split", value, split, 3, &which);
		c->split = (enum cut_split)which;
		return status;
	default:
		status = one_of(t, "--merge", value, merge, 2, &which);
		c->by_cycle = which == 1;
		return status;
	}
}

static const struct tool_spec spec = {
    .name = "warpcut",
    .summary = "Cut, sample, split and join streams.",
    .operands = "[FILE ...]",
    .option = options,
    .on_option = on_option,
    .max_operands = -1,
};

static int
check_options(const struct cut *c)
{
	const struct tool *t = c->tool;
	const char *o = t->output;
	if (c->split != SPLIT_NONE && (!o || !strstr(o, "%n")))
		return tool_usage(t, "--split needs -o FILE with %%n in it");
	if (c->split != SPLIT_NONE && c->by_cycle)
		return tool_usage(t, "--split and --merge=cycle exclude each other");
	if (c->sample_by != SAMPLE_DEFAULT && !c->sample_of)
		return tool_usage(t, "--sample-by needs --sample");
	if ((!o || !strcmp(o, "-")) && t->report && !strcmp(t->report, "-"))
		return tool_usage(t, "-r -: the stream goes to standard output already");
	if ((!o || !strcmp(o, "-")) && isatty(STDOUT_FILENO))
		return tool_usage(t, "standard output is a terminal; use -o FILE, or pipe into "
				     "warpinfo or warpdump");
	return 0;
}

static int
check_link(const struct cut *c)
{
	const struct tool *t = c->tool;
	if (c->link == WCP_LINK_ACCESS)
		return 0;
	if (c->split == SPLIT_SM)
		return tool_usage(t, "--split sm: a WARP stream has no SMs");
	if (c->by_cycle)
		return tool_usage(t, "--merge cycle: a WARP stream has no time in it");
	if (c->sample_by == SAMPLE_LINE || c->sample_by == SAMPLE_RECORD)
		return tool_usage(t, "--sample-by: a WARP stream is sampled by cta");
	return 0;
}

/* One input after the other; the first fault ends it. */
static int
concatenate(struct cut *c)
{
	struct wcp_item item;
	int r = 0;
	for (uint32_t i = 0; i < c->n_input && r == 0 && !c->full; i++) {
		struct input *in = &c->input[i];
		in->first_kernel = c->n_output ? c->output[0]->kernels : 0;
		int got = 1;
		while (r == 0 && !c->full && !tool_interrupted() &&
		       (got = wcp_reader_next(in->reader, &item, &in->fault)) > 0) {
			r = cut_item(c, in, &item);
			if (r == WCP_EDATA) { /* the input's fault after all */
				in->fault = c->error;
				r = 0;
				got = -1;
				break;
			}
			tool_progress_reader(c->tool, in->reader, "records", c->taken);
		}
		if (got < 0)
			break;
	}
	return r;
}

static uint32_t
final_flags(struct cut *c)
{
	uint32_t flags = c->end_flags;
	bool whole = !c->left_out && c->taken == c->offered;
	for (uint32_t i = 0; i < c->n_input; i++)
		whole = whole && c->input[i].ended && !c->input[i].fault.status;
	if (tool_interrupted())
		flags |= WCP_END_INTERRUPTED;
	return whole && c->split == SPLIT_NONE ? flags : flags | WCP_END_PARTIAL;
}

static int
report(struct cut *c)
{
	struct wcp_error e = {0};
	if (!c->tool->report && !c->tool->verbose)
		return 0;
	struct report *r = report_open(c->tool, true, &e);
	if (!r)
		return tool_error(c->tool, NULL, &e);
	report_pair_u64(r, "inputs", NULL, c->n_input);
	report_pair_u64(
	    r, c->link == WCP_LINK_WARP ? "warp_instructions" : "accesses", NULL, c->taken);
	if (c->end_flags & WCP_END_PARTIAL && c->full)
		report_note(r, "stopped after %llu, as -c said", (unsigned long long)c->limit);
	else
		report_pair_u64(r, "of", NULL, c->offered);
	report_pair_text(r, "partial", c->end_flags & WCP_END_PARTIAL ? "yes" : "no");
	return report_close(r);
}

/* What is whole is written even if an input broke off; a failure of our own leaves nothing. */
static int
finish(struct cut *c, int r)
{
	int status = 0;
	bool made = r == 0;
	if (made && c->split == SPLIT_NONE && !output_for(c, 0))
		r = (int)c->error.status;
	c->end_flags = final_flags(c);
	while (c->n_output) {
		struct output *o = c->output[c->n_output - 1];
		if (r == 0)
			r = output_end_kernels(c, o);
		struct wcp_error kept = c->error;
		int closed = output_close(c, o, made && r == 0);
		if (r == 0)
			r = closed;
		else
			c->error = kept;
	}
	if (r < 0)
		return tool_error(c->tool, NULL, &c->error);
	for (uint32_t i = 0; i < c->n_input; i++)
		if (c->input[i].fault.status)
			status = tool_error(c->tool, c->input[i].name, &c->input[i].fault);
	int reported = report(c);
	return status ? status : reported;
}

int
main(int argc, char **argv)
{
	static struct cut c;
	struct tool t = {.arg = &c};
	tool_start(&t, &spec, argc, argv);
	c.tool = &t;
	int status = check_options(&c);
	wcp_access_batch_init(&c.access);
	wcp_warp_batch_init(&c.warp);
	wcp_warp_batch_init(&c.sampled);
	if (status == 0 && input_open_all(&c, &status) && (status = check_link(&c)) == 0)
		status = finish(&c, c.by_cycle ? cut_merge_by_cycle(&c) : concatenate(&c));
	input_close_all(&c);
	wcp_access_batch_release(&c.access);
	wcp_warp_batch_release(&c.warp);
	wcp_warp_batch_release(&c.sampled);
	free(c.index);
	free(c.output);
	free(c.kernel);
	return tool_finish(&t, status);
}
