/* The input, whichever it is: a stream, or a trace in text. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "warpdram.h"

struct chunk *
chunk_new(uint32_t n)
{
	struct chunk *c = must_alloc(NULL, sizeof *c);
	*c = (struct chunk){.record = must_alloc(NULL, n * sizeof *c->record)};
	wcp_access_batch_init(&c->rows);
	return c;
}

void
chunk_free(struct chunk *c)
{
	if (!c)
		return;
	wcp_access_batch_release(&c->rows);
	free(c->record);
	free(c);
}

void
chunk_release(struct chunk *c)
{
	if (--c->left == 0)
		chunk_free(c);
}

/* The first bytes of a pipe, which stay in it: tee(2) copies them into another one. */
static ssize_t
peek_pipe(unsigned char *head, size_t bytes)
{
	int copy[2];
	struct pollfd ready = {.fd = STDIN_FILENO, .events = POLLIN};
	while (poll(&ready, 1, -1) < 0 && errno == EINTR && !tool_interrupted())
		;
	if (pipe2(copy, O_CLOEXEC))
		return -1;
	ssize_t n = tee(STDIN_FILENO, copy[1], bytes, SPLICE_F_NONBLOCK);
	if (n > 0)
		n = read(copy[0], head, (size_t)n);
	close(copy[0]);
	close(copy[1]);
	return n;
}

/* What the input begins with, without taking it. */
static ssize_t
peek(const char *path, unsigned char *head, size_t bytes)
{
	if (!strcmp(path, "-")) {
		struct stat st;
		if (fstat(STDIN_FILENO, &st) == 0 && S_ISREG(st.st_mode))
			return pread(STDIN_FILENO, head, bytes, lseek(STDIN_FILENO, 0, SEEK_CUR));
		return peek_pipe(head, bytes);
	}
	struct stat st;
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return -1;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : pread(fd, head, bytes, 0);
	if (fd >= 0)
		close(fd);
	return n;
}

static enum format
stream_or_text(const struct run *r, const char *path)
{
	unsigned char head[512];
	if (r->set->format != FORMAT_AUTO)
		return r->set->format;
	ssize_t n = peek(path, head, sizeof head);
	return n > 0 && text_likely(head, (size_t)n) ? FORMAT_AUTO : FORMAT_STREAM;
}

static int
open_stream(struct run *r)
{
	struct tool *t = r->tool;
	int status = 0;
	uint32_t columns = WCP_COL(CYCLE) | WCP_COL(LINE) | WCP_COL(SECTORS) | WCP_COL(KIND) |
			   WCP_COL(SPACE) | WCP_COL(FLAGS) | WCP_COL(SM) | WCP_COL(OUTCOME) |
			   unit_columns(r->set->by);
	r->input.reader = tool_open_reader(
	    t, 0, WCP_LINK_ANY, t->output ? 0 : columns, &r->input.filter, &status);
	if (!r->input.reader)
		return status;
	if (wcp_reader_link(r->input.reader) == WCP_LINK_WARP)
		return tool_fail(t, -WCP_EDATA,
		    "%s: a WARP stream has no transactions yet: pipe it through warpflat",
		    tool_input_name(t, 0));
	r->input.timed = true;
	return 0;
}

int
input_open(struct run *r)
{
	const char *path = r->tool->argc ? r->tool->argv[0] : "-";
	keys_init(&r->input.cores, UNIT_SM);
	r->input.first = true;
	if (!strcmp(path, "-") && isatty(STDIN_FILENO))
		return tool_usage(
		    r->tool, "standard input is a terminal; name a file, or pipe a stream in");
	r->input.format = stream_or_text(r, path);
	if (r->input.format == FORMAT_STREAM)
		return open_stream(r);
	if (r->tool->filter)
		return tool_usage(r->tool, "-F: a trace in text has nothing to filter by");
	if (r->set->by != UNIT_NONE && r->set->by != UNIT_SM)
		return tool_usage(
		    r->tool, "--by: a trace in text knows no %s", unit_name[r->set->by]);
	r->input.text = text_open(r, path);
	return r->input.text ? 0 : r->input.status;
}

void
input_close(struct run *r)
{
	wcp_reader_close(r->input.reader);
	wcp_filter_free(r->input.filter);
	text_close(r->input.text);
	keys_release(&r->input.cores);
	free(r->input.match);
	free(r->input.core);
	free(r->input.unit);
}

void
input_place(const struct run *r, const struct record *record, char *text, size_t bytes)
{
	const char *name = tool_input_name(r->tool, 0);
	unsigned long long number = (unsigned long long)record->number;
	if (r->input.format == FORMAT_STREAM)
		snprintf(text, bytes, "%s: record %llu", name, number);
	else
		snprintf(text, bytes, "%s:%llu", name, number);
}
