#include <stdlib.h>
#include <string.h>
#include "warpreuse.h"

int
settings_by(struct tool *t, struct settings *s, const char *text)
{
	s->by_source = !strcmp(text, "source");
	if (unit_named(s->by_source ? "pc" : text, UNIT_NONE, UNIT_PC, &s->by))
		return 0;
	return tool_usage(t, "--by: '%s' is none of none, sm, kernel, cta, warp, pc, source", text);
}

int
settings_line(struct tool *t, struct settings *s, const char *text)
{
	uint64_t bytes;
	int status = tool_u64(t, "--line", text, 1, 1u << 30, &bytes);
	if (status)
		return status;
	if (bytes & (bytes - 1))
		return tool_usage(t, "--line: %s is not a power of two", text);
	s->line_bytes = (uint32_t)bytes;
	return 0;
}

int
settings_bins(struct tool *t, struct settings *s, const char *text)
{
	uint64_t lines;
	s->bins_given = true;
	s->bins = !strcmp(text, "log2")	   ? BINS_LOG2
		  : !strcmp(text, "exact") ? BINS_EXACT
					   : BINS_WIDE;
	if (s->bins != BINS_WIDE)
		return 0;
	int status = tool_u64(t, "--bins", text, 1, WCP_REUSE_MAX_LINES, &lines);
	s->bin_lines = (uint32_t)lines;
	return status;
}

int
settings_sample(struct tool *t, struct settings *s, const char *text)
{
	double value;
	int status = tool_double(t, "--sample", text, 1e-9, WCP_REUSE_MAX_LINES, &value);
	if (status)
		return status;
	if (value > 1 && value < 64)
		return tool_usage(t,
		    "--sample: %s is neither a rate up to 1 nor a number of "
		    "lines, at least 64",
		    text);
	s->sampled = true;
	s->rate = value > 1 ? 1 : value;
	s->max_lines = value > 1 ? (uint32_t)value : 0;
	return 0;
}

/* "512" lines; "16KiB", "64kB", "4096B" bytes. */
static int
read_size(struct tool *t, const struct settings *s, char *text, uint64_t *lines)
{
	size_t length = strlen(text);
	bool bytes = length > 1 && text[length - 1] == 'B';
	if (bytes)
		text[length - 1] = 0;
	int status = tool_u64(t, "--mrc", text, 1, UINT64_MAX / 2, lines);
	if (status || !bytes)
		return status;
	if (*lines % s->line_bytes)
		return tool_usage(
		    t, "--mrc: %sB is no whole number of %u-byte lines", text, s->line_bytes);
	*lines /= s->line_bytes;
	return 0;
}

static int
by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

int
settings_sizes(struct tool *t, struct settings *s)
{
	if (!s->sizes)
		return 0;
	if (!strcmp(s->sizes, "all")) {
		s->all_sizes = true;
		return 0;
	}
	char *copy = strcpy(must_alloc(NULL, strlen(s->sizes) + 1), s->sizes);
	int status = 0;
	for (char *at = copy, *word; !status && (word = strsep(&at, ","));) {
		s->size = must_alloc(s->size, (s->n_size + 1) * sizeof *s->size);
		status = read_size(t, s, word, &s->size[s->n_size++]);
	}
	free(copy);
	qsort(s->size, s->n_size, sizeof *s->size, by_size);
	return status;
}

void
settings_default_sizes(struct settings *s, uint64_t most)
{
	if (s->n_size || s->all_sizes)
		return;
	for (uint64_t size = 1;; size *= 2) {
		s->size = must_alloc(s->size, (s->n_size + 1) * sizeof *s->size);
		s->size[s->n_size++] = size;
		if (size >= most)
			break;
	}
}

int
settings_check(struct tool *t, const struct settings *s)
{
	if (s->merge && (s->input_given || t->filter || s->sampled))
		return tool_usage(t, "--merge takes line size, kinds, filter, --by and --private "
				     "from its files, and knows no --sample");
	if (s->merge && !t->argc)
		return tool_usage(t, "--merge needs files that --partial wrote");
	if (!s->merge && t->argc > 1)
		return tool_usage(t, "one input at a time; partial reports are joined by --merge");
	bool history = s->relation || s->footprint || s->working_set || s->by_source;
	if (history && (s->partial || s->merge || s->sampled))
		return tool_usage(t, "--relation, --footprint, --working-set and --by source need "
				     "all of the stream: they "
				     "do not go with --partial, --merge and --sample");
	if ((s->footprint || s->working_set) && s->stacks)
		return tool_usage(t, "--footprint and --working-set are the program's; they do not "
				     "go with --private");
	if (s->partial && (t->format != TOOL_TEXT || s->sizes || s->bins_given))
		return tool_usage(t, "--partial has a form of its own; --mrc, --bins, --tsv and "
				     "--json belong to --merge");
	if (!s->sampled)
		return 0;
	if (s->partial)
		return tool_usage(t, "--partial is exact; it does not go with --sample");
	if (s->by != UNIT_NONE)
		return tool_usage(t, "--by needs every reference; it does not go with --sample");
	if (s->stacks > UNIT_KERNEL)
		return tool_usage(t, "--sample goes with --private none, sm or kernel only");
	if (s->bins == BINS_EXACT || (s->sizes && !strcmp(s->sizes, "all")))
		return tool_usage(
		    t, "a sample has no exact distances: no --bins exact, no --mrc all");
	return 0;
}
