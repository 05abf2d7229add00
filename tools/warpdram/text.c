/* Traces in text: a line at a time, out of a buffer of its own. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "warpdram.h"

enum { LINE_MAX_BYTES = 4096, BUFFER = 1 << 18, CHUNK = 1 << 14 };

struct text {
	int fd;
	const char *name;
	uint64_t line;	     /* number of the line handed out last */
	uint64_t done, size; /* bytes, for progress */
	uint64_t last_cycle;
	size_t at, n;
	bool end;
	char buffer[BUFFER + 1];
};

/* Moves the rest to the front and fills up; 0 or negative with e. */
static int
fill(struct text *t, struct wcp_error *e)
{
	memmove(t->buffer, t->buffer + t->at, t->n - t->at);
	t->n -= t->at;
	t->at = 0;
	while (!t->end && t->n < BUFFER) {
		ssize_t got = read(t->fd, t->buffer + t->n, BUFFER - t->n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return wcp_fail_errno(e, "read failed");
		t->end = got == 0;
		t->n += (size_t)got;
		t->done += (uint64_t)got;
		if (memchr(t->buffer, '\n', t->n))
			break;
	}
	return 0;
}

/* The next line, ended by 0 in the buffer: 1; 0 at the end; negative with e. */
static int
next_line(struct text *t, char **line, struct wcp_error *e)
{
	char *end = memchr(t->buffer + t->at, '\n', t->n - t->at);
	if (!end && !t->end) {
		if (fill(t, e))
			return e->status;
		end = memchr(t->buffer + t->at, '\n', t->n - t->at);
	}
	if (!end && t->at == t->n)
		return 0;
	*line = t->buffer + t->at;
	if (!end)
		end = t->buffer + t->n;
	size_t length = (size_t)(end - *line);
	t->at += length + (end < t->buffer + t->n);
	t->line++;
	if (length > LINE_MAX_BYTES)
		return wcp_fail(e, WCP_EDATA, "the line is longer than %d bytes", LINE_MAX_BYTES);
	if (memchr(*line, 0, length))
		return wcp_fail(e, WCP_EDATA, "a zero byte: this is no text");
	while (length && strchr(" \t\r", (*line)[length - 1]))
		length--;
	(*line)[length] = 0;
	return 1;
}

/* Lines that say nothing: empty ones, comments, valgrind's own. */
static bool
is_comment(const char *line)
{
	if (!line)
		return true;
	line += strspn(line, " \t");
	return !*line || *line == '#' || !strncmp(line, "==", 2) || !strncmp(line, "//", 2);
}

/* The first line that says something, as far as it fits; false if there is none. */
static bool
first_line(const struct text *t, char line[LINE_MAX_BYTES + 1])
{
	for (size_t at = 0; at < t->n;) {
		const char *end = memchr(t->buffer + at, '\n', t->n - at);
		size_t length = end ? (size_t)(end - (t->buffer + at)) : t->n - at;
		size_t fits = length < LINE_MAX_BYTES ? length : LINE_MAX_BYTES;
		memcpy(line, t->buffer + at, fits);
		at += length + 1;
		while (fits && strchr(" \t\r", line[fits - 1]))
			fits--;
		line[fits] = 0;
		if (!is_comment(line))
			return true;
	}
	return false;
}

/* No line is of two formats, so that the first one tells. */
static int
detect(struct run *r, struct text *t)
{
	struct wcp_error e;
	char line[LINE_MAX_BYTES + 1];
	if (fill(t, &e))
		return tool_error(r->tool, t->name, &e);
	if (!first_line(t, line))
		return tool_fail(r->tool, -WCP_EDATA, "%s: there is nothing in it", t->name);
	for (int f = FORMAT_STREAM + 1; f < FORMAT_COUNT; f++) {
		struct record record = {0};
		bool again = false;
		if (format_line((enum format)f, line, &record, &again)) {
			r->input.format = (enum format)f;
			return 0;
		}
	}
	return tool_fail(r->tool, -WCP_EDATA,
	    "%s: neither a stream nor, by its first line, a trace of a known format: '%.60s'",
	    t->name, line);
}

struct text *
text_open(struct run *r, const char *path)
{
	struct text *t = must_alloc(NULL, sizeof *t);
	memset(t, 0, offsetof(struct text, buffer));
	t->name = tool_input_name(r->tool, 0);
	t->fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	if (t->fd < 0) {
		r->input.status = tool_fail(r->tool, -WCP_ESYS, "%s: %s", t->name, strerror(errno));
		free(t);
		return NULL;
	}
	off_t size = lseek(t->fd, 0, SEEK_END);
	if (size > 0 && lseek(t->fd, 0, SEEK_SET) == 0)
		t->size = (uint64_t)size;
	if (r->input.format == FORMAT_AUTO && (r->input.status = detect(r, t))) {
		text_close(t);
		return NULL;
	}
	enum format f = r->input.format;
	r->input.timed = f == FORMAT_DRAMSIM3 || f == FORMAT_STL;
	return t;
}

void
text_close(struct text *t)
{
	if (!t)
		return;
	if (t->fd != STDIN_FILENO)
		close(t->fd);
	free(t);
}

static bool
complain(struct run *r, const struct text *t, const char *what)
{
	r->input.failed = true;
	r->input.status = tool_fail(
	    r->tool, -WCP_EDATA, "%s:%llu: %s", t->name, (unsigned long long)t->line, what);
	return false;
}

/* A place as the organisation has it; false if it has none such: what says of which there are how
 * many. */
static bool
take_place(const struct run *r, struct record *record, char *what, size_t bytes)
{
	const struct wcp_dram_organisation *o = &r->set->config.organisation;
	struct wcp_dram_place *p = &record->place;
	uint32_t in_group = o->banks / o->bank_groups, group = record->group;
	const struct {
		const char *name;
		uint32_t number, of;
	} part[] = {{"channel", p->channel, o->channels * o->pseudo_channels},
	    {"rank", p->rank, o->ranks}, {"group", group ? group - 1 : 0, o->bank_groups},
	    {"bank", p->bank, group ? in_group : o->banks}, {"row", p->row, o->rows},
	    {"column", p->column, o->row_bytes / r->play.atom_bytes}};
	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		if (part[i].number >= part[i].of) {
			snprintf(what, bytes, "the memory has no %s %u, %u is its last",
			    part[i].name, part[i].number, part[i].of - 1);
			return false;
		}
	p->bank += group ? (group - 1) * in_group : 0;
	return true;
}

static bool
take_line(struct run *r, struct text *t, const char *line, struct chunk *c, bool *again)
{
	char what[200];
	struct record *record = &c->record[c->n];
	*record = (struct record){.chunk = c, .number = t->line, .row = c->n};
	if (!format_line(r->input.format, line, record, again)) {
		snprintf(what, sizeof what, "'%.80s' is no line of format %s", line,
		    format_name(r->input.format));
		return complain(r, t, what);
	}
	if (record->placed && !take_place(r, record, what, sizeof what))
		return complain(r, t, what);
	if (r->input.timed && record->cycle < t->last_cycle && r->set->mode != MODE_WINDOW) {
		snprintf(what, sizeof what, "time runs backwards: cycle %llu comes after %llu",
		    (unsigned long long)record->cycle, (unsigned long long)t->last_cycle);
		return complain(r, t, what);
	}
	t->last_cycle = record->cycle;
	c->n++;
	return true;
}

/* The record as a row of an ACCESS stream: of no kernel, at its first byte. */
static void
add_row(struct run *r, struct chunk *c, const struct record *record)
{
	struct wcp_access_batch *b = &c->rows;
	uint32_t i = b->n, atom = r->play.atom_bytes;
	if (wcp_access_batch_reserve(b, 1))
		out_of_memory();
	b->n++;
	uint32_t bytes = record->bytes ? record->bytes : atom;
	b->cycle[i] = record->cycle;
	b->sm[i] = 0;
	b->kernel[i] = b->cta[i] = b->pc[i] = WCP_NONE32;
	b->warp[i] = b->slot[i] = WCP_NONE16;
	b->line[i] = record->address - record->address % WCP_LINE_BYTES;
	uint32_t first = (uint32_t)(record->address - b->line[i]) / WCP_SECTOR_BYTES;
	uint32_t n = (bytes + WCP_SECTOR_BYTES - 1) / WCP_SECTOR_BYTES;
	b->sectors[i] = (n >= 32 ? UINT32_MAX : (1u << n) - 1) << first;
	b->lanes[i] = 0;
	b->kind[i] = record->write ? WCP_STORE : WCP_LOAD;
	b->space[i] = WCP_SPACE_GLOBAL;
	b->flags[i] = WCP_ACCESS_FIRST;
	b->id[i] = r->input.read;
	b->outcome[i] = b->tag[i] = 0;
	b->victim[i] = ~0ull;
	b->victim_owner[i] = WCP_NONE32;
	b->bytes[i] = (uint16_t)(bytes < UINT16_MAX ? bytes : UINT16_MAX);
}

static void
add_records(struct run *r, struct text *t, const char *line, struct chunk *c)
{
	bool again = false;
	do {
		if (!take_line(r, t, line, c, &again))
			return;
		if (r->out.writer)
			add_row(r, c, &c->record[c->n - 1]);
		r->input.read++;
	} while (again);
}

struct chunk *
text_next(struct run *r)
{
	struct text *t = r->input.text;
	struct chunk *c = chunk_new(CHUNK + 1);
	struct wcp_error e;
	char *line = NULL;
	int more = 1;
	while (c->n < CHUNK && !r->input.failed && (more = next_line(t, &line, &e)) > 0)
		if (!is_comment(line))
			add_records(r, t, line, c);
	if (more < 0 && e.status == WCP_EDATA)
		complain(r, t, e.text);
	else if (more < 0) {
		r->input.failed = true;
		r->input.status = tool_error(r->tool, t->name, &e);
	}
	tool_progress(r->tool, "requests", r->input.read, 0);
	if (more <= 0)
		r->input.ended = true;
	c->left = c->n;
	if (c->n)
		return c;
	chunk_free(c);
	return NULL;
}

bool
text_likely(const unsigned char *head, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (head[i] > 126 || (head[i] < 32 && !strchr("\t\r\n", head[i])) || !head[i])
			return false;
	return n > 0;
}
