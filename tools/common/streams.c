/* Streams opened with the options that every tool has. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "private.h"

/* What a reader asks before it decodes a block; the filter may come after the reader is open. */
struct tool_want {
	struct tool_want *next;
	const struct tool *tool;
	const struct wcp_filter *filter;
};

static bool
want_block(void *arg, const struct wcp_block_info *info)
{
	const struct tool_want *want = arg;
	const struct tool *t = want->tool;
	return (!t->also_want || t->also_want(t->also_want_arg, info)) &&
	       (!want->filter || wcp_filter_block(want->filter, info));
}

void
streams_release(struct tool *t)
{
	while (t->want) {
		struct tool_want *next = t->want->next;
		free(t->want);
		t->want = next;
	}
}

static struct tool_want *
new_want(struct tool *t)
{
	struct tool_want *want = must_alloc(NULL, sizeof *want);
	*want = (struct tool_want){.next = t->want, .tool = t};
	t->want = want;
	return want;
}

/* Shows the line of text that holds byte at, and a caret below it. */
static void
point_at(const char *text, size_t at)
{
	size_t begin = at;
	while (begin && text[begin - 1] != '\n')
		begin--;
	size_t end = begin + strcspn(text + begin, "\n");
	fprintf(stderr, "    %.*s\n    ", (int)(end - begin), text + begin);
	for (size_t i = begin; i < at; i++) {
		bool continues = ((unsigned char)text[i] & 0xc0) == 0x80; /* UTF-8 */
		if (!continues)
			fputc(text[i] == '\t' ? '\t' : ' ', stderr);
	}
	fputs("^\n", stderr);
}

static struct wcp_filter *
compile_filter(const struct tool *t, enum wcp_link link, int *status)
{
	struct wcp_error e = {0};
	struct wcp_filter *f = wcp_filter_compile(t->filter, link, &e);
	if (!f) {
		size_t length = strlen(t->filter);
		*status = tool_fail(t, -(int)e.status, "-F: %s", e.text);
		point_at(t->filter, e.offset < length ? (size_t)e.offset : length);
	}
	return f;
}

const char *
tool_input_name(const struct tool *t, int index)
{
	const char *path = index < t->argc ? t->argv[index] : "-";
	return strcmp(path, "-") ? path : "standard input";
}

static struct wcp_reader *
open_path(struct tool *t, const char *path, const struct wcp_read_options *options, int *status)
{
	if (!strcmp(path, "-") && isatty(STDIN_FILENO)) {
		*status =
		    tool_usage(t, "standard input is a terminal; name a file, or pipe a stream in");
		return NULL;
	}
	struct wcp_error e = {0};
	struct wcp_reader *r = wcp_reader_open(path, options, &e);
	if (!r)
		*status = tool_error(t, path, &e);
	return r;
}

struct wcp_reader *
tool_open_reader(struct tool *t, int index, enum wcp_link link, uint32_t columns,
    struct wcp_filter **filter, int *status)
{
	struct wcp_read_options options = {.link = link, .threads = t->threads, .columns = columns};
	struct wcp_filter *f = NULL;
	struct tool_want *want = NULL;
	bool filtered = filter && t->filter;
	if (filtered || t->also_want) {
		want = new_want(t);
		options.want = want_block;
		options.want_arg = want;
	}
	if (filtered) {
		/* A filter is compiled for one kind of stream: known now, or only once the stream
		 * is open. */
		if (link != WCP_LINK_ANY && !(f = compile_filter(t, link, status)))
			return NULL;
		if (f)
			want->filter = f;
		options.columns = f && columns ? columns | wcp_filter_columns(f) : 0;
	}
	struct wcp_reader *r =
	    open_path(t, index < t->argc ? t->argv[index] : "-", &options, status);
	if (r && filtered && !f) {
		f = compile_filter(t, wcp_reader_link(r), status);
		want->filter = f;
	}
	if (filtered && !(f && r)) {
		wcp_reader_close(r);
		wcp_filter_free(f);
		return NULL;
	}
	if (filter)
		*filter = f;
	return r;
}

struct wcp_writer *
tool_open_writer(struct tool *t, enum wcp_link link, const struct wcp_reader *from, int *status)
{
	const char *path = t->output ? t->output : "-";
	if (!strcmp(path, "-") && isatty(STDOUT_FILENO)) {
		*status = tool_usage(t, "standard output is a terminal; use -o FILE, or pipe into "
					"warpinfo or warpdump");
		return NULL;
	}
	size_t n = 0;
	const char *const *before = from ? wcp_reader_provenance(from, &n) : NULL;
	const char **provenance = must_alloc(NULL, (n + 1) * sizeof provenance[0]);
	for (size_t i = 0; i < n; i++)
		provenance[i] = before[i];
	provenance[n] = t->command_line;
	struct wcp_write_options options = {
	    .level = t->level,
	    .threads = t->threads,
	    .provenance = provenance,
	    .n_provenance = n + 1,
	};
	struct wcp_error e = {0};
	struct wcp_writer *w = wcp_writer_open(path, link, &options, &e);
	if (!w)
		*status = tool_error(t, strcmp(path, "-") ? path : "standard output", &e);
	free(provenance);
	return w;
}
