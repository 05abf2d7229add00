/* warpreuse: how far apart two references to a line are, and what caches of any size would miss. */
#include <stdlib.h>
#include "warpreuse.h"

enum {
	OPT_BY = 256,
	OPT_PRIVATE,
	OPT_KINDS,
	OPT_LINE,
	OPT_BINS,
	OPT_MRC,
	OPT_SAMPLE,
	OPT_PARTIAL,
	OPT_MERGE,
	OPT_RELATION,
	OPT_FOOTPRINT,
	OPT_WORKING_SET
};

static const struct tool_option options[] = {
    {0, "by", "UNIT", "attribute distances to none, sm, kernel, cta, warp, pc or source", OPT_BY},
    {0, "relation", "LEVEL", "distances by whose reuse it is, among kernels, ctas or warps",
	OPT_RELATION},
    {0, "private", "UNIT", "keep a stack per sm, kernel, cta or warp (default none)", OPT_PRIVATE},
    {0, "kinds", "LIST", "count only these kinds of access: load,store,...", OPT_KINDS},
    TOOL_OPT_FILTER,
    {0, "line", "BYTES", "length of a line (default 128)", OPT_LINE},
    {0, "bins", "BINS", "histogram by log2, exact, or bins of N lines (default log2)", OPT_BINS},
    {0, "mrc", "SIZES", "cache sizes in lines or bytes (512,64KiB), or all", OPT_MRC},
    {0, "footprint", "N", "lines touched, every N accesses", OPT_FOOTPRINT},
    {0, "working-set", NULL, "mean number of lines in windows of every size", OPT_WORKING_SET},
    {0, "sample", "RATE|N", "follow a share of the lines, or at most N lines", OPT_SAMPLE},
    TOOL_OPT_SEED,
    {0, "partial", NULL, "write a partial report for --merge", OPT_PARTIAL},
    {0, "merge", NULL, "report on partial reports, given in stream order", OPT_MERGE},
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
	if (id == OPT_BY || id == OPT_PRIVATE || id == OPT_KINDS || id == OPT_LINE)
		s->input_given = true;
	switch (id) {
	case OPT_BY: return settings_by(t, s, value);
	case OPT_RELATION:
		return unit_option_among(
		    t, "--relation", value, UNIT_KERNEL, UNIT_WARP, &s->relation);
	case OPT_FOOTPRINT:
		return tool_u64(t, "--footprint", value, 1, UINT64_MAX / 2, &s->footprint);
	case OPT_WORKING_SET: s->working_set = true; return 0;
	case OPT_PRIVATE:
		return unit_option_among(t, "--private", value, UNIT_NONE, UNIT_WARP, &s->stacks);
	case OPT_KINDS: return tap_kinds(t, "--kinds", value, &s->kinds);
	case OPT_LINE: return settings_line(t, s, value);
	case OPT_BINS: return settings_bins(t, s, value);
	case OPT_MRC: s->sizes = value; return 0;
	case OPT_SAMPLE: return settings_sample(t, s, value);
	case OPT_PARTIAL: s->partial = true; return 0;
	case OPT_MERGE: s->merge = true; return 0;
	default: return 0;
	}
}

static const struct tool_spec spec = {
    .name = "warpreuse",
    .summary = "Reuse distances of a stream, and the misses of caches of every size.",
    .operands = "[FILE ...]",
    .option = options,
    .on_option = on_option,
    .max_operands = -1,
};

static int
print_all(struct profile *p, const struct settings *s, struct tool *t)
{
	if (s->partial)
		return partial_write(p, t);
	return s->sampled ? print_sampled(p, t) : print_exact(p, t);
}

static int
run(struct tool *t, struct settings *s)
{
	struct wcp_error e;
	struct profile p;
	if (profile_init(&p, s, t->seed, &e) < 0)
		return tool_error(t, NULL, &e);
	int status = s->merge ? partial_merge(&p, t) : profile_read(&p, t);
	if (!status && s->merge)
		status = settings_sizes(t, s);
	/* what was whole before a fault in the data is reported */
	if (status == 0 || (status == -WCP_EDATA && !s->merge && p.all.accesses + p.n_shards)) {
		int printed = print_all(&p, s, t);
		status = status ? status : printed;
		if (!status && s->merge && !p.whole)
			status = tool_fail(
			    t, -WCP_EDATA, "a partial report covers only the start of its input");
	}
	profile_release(&p);
	return status;
}

int
main(int argc, char **argv)
{
	struct settings s = {.kinds = (1u << WCP_KIND_COUNT) - 1, .line_bytes = WCP_LINE_BYTES};
	struct tool t = {.arg = &s};
	tool_start(&t, &spec, argc, argv);
	s.filter = t.filter ? t.filter : "";
	int status = settings_check(&t, &s);
	if (!status && !s.merge)
		status = settings_sizes(&t, &s);
	if (!status)
		status = run(&t, &s);
	free(s.size);
	return tool_finish(&t, status);
}
