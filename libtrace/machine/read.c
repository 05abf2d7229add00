/* The syntax is inih's; what it does not tell (line numbers, sources, overlong lines) is seen by
 * the reader that hands it the lines. */
#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "machine/machine.h"

struct chain { /* the files that are being read, innermost first */
	const char *path;
	const struct chain *outer;
};

struct reading {
	struct wcp_machine *m;
	const struct search *where;
	struct chain chain;
	unsigned depth;
	FILE *file;
	unsigned line;
	bool in_section; /* a key of a section was there */
	char text[MACHINE_LINE + 1];
	const char *source; /* of the line handed out last */
	bool failed;	    /* e is filled */
	struct wcp_error *e;
};

/* Fails at the current line. */
WCP_PRINTF(2, 3) static void wrong(struct reading *r, const char *format, ...)
{
	char text[400];
	va_list ap;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	wcp_fail(r->e, WCP_EDATA, "%.200s:%u: %s", r->chain.path, r->line, text);
	r->failed = true;
}

/* The next line without its end; false at the end of the file or on failure. */
static bool
get_line(struct reading *r)
{
	size_t n = 0;
	int c;
	r->line++;
	while ((c = getc(r->file)) != EOF && c != '\n') {
		if (!c)
			wrong(r, "a zero byte: this is no machine file");
		else if (n == MACHINE_LINE)
			wrong(r, "the line is longer than %d characters", MACHINE_LINE);
		if (r->failed)
			return false;
		r->text[n++] = (char)c;
	}
	if (c == EOF && ferror(r->file)) {
		wcp_fail_errno(r->e, "%.200s", r->chain.path);
		r->failed = true;
		return false;
	}
	while (n && strchr(" \t\r", r->text[n - 1]))
		n--;
	r->text[n] = 0;
	return n || c != EOF;
}

/* Cuts "# source" off a line, behind a blank. */
static const char *
cut_source(char *line)
{
	for (char *p = line; *p; p++)
		if (*p == '#' && p > line && (p[-1] == ' ' || p[-1] == '\t')) {
			p[-1] = 0;
			p++;
			return p + strspn(p, " \t");
		}
	return "";
}

/* Lines that are indented would go on with the value above; here they are lines like others. */
static char *
next_line(char *to, int bytes, void *arg)
{
	struct reading *r = arg;
	if (r->failed || !get_line(r))
		return NULL;
	char *line = r->text + strspn(r->text, " \t");
	if (*line == '#' || *line == ';')
		*line = 0;
	r->source = cut_source(line);
	int room = bytes - 2 < MACHINE_VALUE ? bytes - 2 : MACHINE_VALUE;
	if ((int)strlen(line) > room) {
		wrong(r, "'key = value' is longer than %d characters", room);
		return NULL;
	}
	snprintf(to, (size_t)bytes, "%s\n", line);
	return to;
}

static int read_file(struct wcp_machine *m, char *path, const struct search *where,
    const struct chain *outer, unsigned depth, struct wcp_error *e);

/* A base that is wrong says so itself, with its own place; one that is not there is this line's
 * fault. */
static void
take_base(struct reading *r, const char *name)
{
	struct wcp_error e;
	char *path = machine_path(name, r->chain.path, r->where, &e);
	if (!path) {
		wrong(r, "base: %s", e.text);
		return;
	}
	for (const struct chain *c = &r->chain; c; c = c->outer)
		if (!strcmp(c->path, path)) {
			wrong(r, "base: %s is based on itself", path);
			free(path);
			return;
		}
	if (r->depth == MACHINE_DEPTH) {
		wrong(r, "base: more than %d files are based on one another", MACHINE_DEPTH);
		free(path);
		return;
	}
	r->failed = read_file(r->m, path, r->where, &r->chain, r->depth + 1, r->e) != 0;
}

/* That of the file asked for, not of one that it is based on. */
static void
take_about(struct reading *r, const char *text)
{
	if (r->depth > 1)
		return;
	free(r->m->about);
	r->m->about = strdup(text);
	if (!r->m->about) {
		wcp_fail(r->e, WCP_ESYS, "out of memory");
		r->failed = true;
	}
}

/* Lines above the first section. */
static void
take_top(struct reading *r, const char *key, const char *value)
{
	if (!strcmp(key, "base"))
		take_base(r, value);
	else if (!strcmp(key, "about"))
		take_about(r, value);
	else if (wcp_machine_section_named(key))
		wrong(r, "'%.50s' is a section: [%s]", key, key);
	else
		wrong(r, "'%.50s' stands above the first section, where only base and about may",
		    key);
}

static int
take_value(void *arg, const char *section, const char *key, const char *value)
{
	struct reading *r = arg;
	struct wcp_error e;
	if (r->failed)
		return 0;
	if (!*section) {
		take_top(r, key, value);
		return !r->failed;
	}
	if (!*value) {
		wrong(r, "%.50s.%.50s has no value", section, key);
		return 0;
	}
	int status = machine_give(r->m, section, key, value, r->source, r->chain.path, r->line, &e);
	if (status)
		wrong(r, "%s", e.text);
	return !status;
}

static int
parse(struct reading *r)
{
	int bad = ini_parse_stream(next_line, r, take_value, r);
	if (bad > 0 && (!r->failed || (unsigned)bad < r->line)) {
		r->line = (unsigned)bad;
		wrong(r, "neither a [section] nor a 'key = value'");
	} else if (bad < 0 && !r->failed) {
		wcp_fail(r->e, WCP_ESYS, "out of memory");
		r->failed = true;
	}
	return r->failed ? r->e->status : 0;
}

/* Keeps the path, which values point at. */
static int
keep_path(struct wcp_machine *m, char *path, struct wcp_error *e)
{
	char **file = realloc(m->file, (m->n_file + 1) * sizeof m->file[0]);
	if (!file) {
		free(path);
		return wcp_fail(e, WCP_ESYS, "out of memory");
	}
	m->file = file;
	m->file[m->n_file++] = path;
	return 0;
}

static int
read_file(struct wcp_machine *m, char *path, const struct search *where, const struct chain *outer,
    unsigned depth, struct wcp_error *e)
{
	if (keep_path(m, path, e))
		return WCP_ESYS;
	FILE *file = fopen(path, "r");
	if (!file)
		return wcp_fail_errno(e, "%.300s", path);
	struct reading r = {
	    .m = m,
	    .where = where,
	    .chain = {path, outer},
	    .depth = depth,
	    .file = file,
	    .source = "",
	    .e = e,
	};
	int status = parse(&r);
	fclose(file);
	return status;
}

int
machine_read(
    struct wcp_machine *m, const char *name, const struct search *where, struct wcp_error *e)
{
	struct wcp_error local;
	e = e ? e : &local;
	char *path = machine_path(name, NULL, where, e);
	return path ? read_file(m, path, where, NULL, 1, e) : (int)e->status;
}
