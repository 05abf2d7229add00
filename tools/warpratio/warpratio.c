/* warpratio: how much of what a kernel, a CTA or a warp touches others touch, too. */
#include <string.h>
#include "ratio.h"

enum { OPT_LEVEL = 256, OPT_KINDS, OPT_LINE, OPT_THRESHOLD, OPT_APPROX, OPT_LIST, OPT_ABOVE };

static const struct tool_option options[] = {
    {0, "level", "LIST", "measure these of kernel, cta, warp (default all)", OPT_LEVEL},
    {0, "threshold", "RATIO", "a ratio above it is high (default 0.4)", OPT_THRESHOLD},
    {0, "list", "LEVEL", "list the pairs of a level that share lines", OPT_LIST},
    {0, "above", "RATIO", "list only pairs with a ratio above it (default 0)", OPT_ABOVE},
    {0, "approx", "=LINES", "estimate from so many lines a unit (default 1024)", OPT_APPROX},
    {0, "kinds", "LIST", "count only these kinds of access: load,store,...", OPT_KINDS},
    TOOL_OPT_FILTER,
    {0, "line", "BYTES", "length of a line (default 128)", OPT_LINE},
    TOOL_OPT_SEED,
    TOOL_OPT_REPORT,
    TOOL_OPT_TSV,
    TOOL_OPT_JSON,
    TOOL_OPT_THREADS,
    TOOL_OPT_PROGRESS,
    TOOL_OPT_COMMON,
    TOOL_OPT_END,
};

static int
level_of(struct tool *t, const char *option, const char *name, size_t length, enum level *level)
{
	for (enum level l = 0; l < LEVELS; l++) {
		if (strlen(level_name[l]) == length && !memcmp(level_name[l], name, length)) {
			*level = l;
			return 0;
		}
	}
	return tool_usage(t, "%s: '%.*s' is none of kernel, cta, warp", option, (int)length, name);
}

static int
set_levels(struct tool *t, struct settings *s, const char *text)
{
	s->levels = 0;
	for (;;) {
		size_t length = strcspn(text, ",");
		enum level level;
		int status = level_of(t, "--level", text, length, &level);
		if (status)
			return status;
		s->levels |= 1u << level;
		if (!text[length])
			return 0;
		text += length + 1;
	}
}

static int
set_line(struct tool *t, struct settings *s, const char *text)
{
	uint64_t bytes = 0;
	int status = tool_u64(t, "--line", text, 1, 1u << 30, &bytes);
	if (!status && bytes & (bytes - 1))
		return tool_usage(t, "--line: %s is not a power of two", text);
	s->line_bytes = (uint32_t)bytes;
	return status;
}

static int
set_sketch(struct tool *t, struct settings *s, const char *text)
{
	uint64_t lines = 1024;
	int status = text ? tool_u64(t, "--approx", text, 16, 1u << 24, &lines) : 0;
	s->sketch = (uint32_t)lines;
	return status;
}

static int
set_threshold(struct tool *t, struct settings *s, const char *text)
{
	double ratio = 0;
	int status = tool_double(t, "--threshold", text, 0, 1, &ratio);
	s->threshold = (uint32_t)(ratio * 1e6 + 0.5);
	return status;
}

static int
on_option(struct tool *t, int id, const char *value)
{
	struct settings *s = t->arg;
	switch (id) {
	case OPT_LEVEL: return set_levels(t, s, value);
	case OPT_KINDS: return tap_kinds(t, "--kinds", value, &s->kinds);
	case OPT_LINE: return set_line(t, s, value);
	case OPT_THRESHOLD: return set_threshold(t, s, value);
	case OPT_APPROX: return set_sketch(t, s, value);
	case OPT_LIST: return level_of(t, "--list", value, strlen(value), &s->list);
	case OPT_ABOVE: return tool_double(t, "--above", value, 0, 1, &s->above);
	default: return 0;
	}
}

static const struct tool_spec spec = {
    .name = "warpratio",
    .summary = "Reuse ratios of kernels, CTAs and warps: how much of what they touch others touch.",
    .operands = "[FILE]",
    .option = options,
    .on_option = on_option,
    .max_operands = 1,
};

static int
run(struct tool *t, const struct settings *s)
{
	struct ratio r;
	ratio_init(&r, t, s);
	int status = ratio_read(&r);
	/* what was whole before a fault in the data is reported */
	if (status == 0 || (status == -WCP_EDATA && r.accesses)) {
		ratio_relate(&r);
		int printed = r.sorter.overflows
				  ? tool_fail(t, -WCP_ESYS,
					"a unit accesses one line more than 4294967295 times")
				  : ratio_print(&r);
		status = status ? status : printed;
	}
	ratio_release(&r);
	return status;
}

int
main(int argc, char **argv)
{
	struct settings s = {.levels = (1u << LEVELS) - 1,
	    .line_bytes = WCP_LINE_BYTES,
	    .threshold = 400000,
	    .list = LEVELS};
	struct tool t = {.arg = &s};
	tool_start(&t, &spec, argc, argv);
	s.seed = t.seed;
	int status = 0;
	if (s.list != LEVELS && !(s.levels >> s.list & 1))
		status = tool_usage(&t, "--list %s: --level leaves it out", level_name[s.list]);
	return tool_finish(&t, status ? status : run(&t, &s));
}
