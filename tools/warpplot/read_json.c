/* Reports as JSON (RFC 8259): tables are arrays of objects, all else is looked over. */
#include "warpplot.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64 };

struct json {
	const char *begin, *p;
	struct reports *in;
	struct wcp_error *e;
	const char *label;
	unsigned depth;
	int status;
};

static int
fail(struct json *j, const char *what)
{
	if (!j->status) {
		j->status = wcp_fail(j->e, WCP_EDATA, "JSON: %s", what);
		j->e->offset = (uint64_t)(j->p - j->begin);
	}
	return j->status;
}

static void
blank(struct json *j)
{
	j->p += strspn(j->p, " \t\r\n");
}

/* Is c next? Then it is taken. */
static bool
take(struct json *j, char c)
{
	blank(j);
	if (*j->p != c)
		return false;
	j->p++;
	return true;
}

static size_t
put_utf8(char *to, unsigned c)
{
	if (c < 0x80)
		return to[0] = (char)c, 1;
	if (c < 0x800)
		return to[0] = (char)(0xc0 | c >> 6), to[1] = (char)(0x80 | (c & 63)), 2;
	to[0] = (char)(0xe0 | c >> 12);
	to[1] = (char)(0x80 | (c >> 6 & 63));
	to[2] = (char)(0x80 | (c & 63));
	return 3;
}

static size_t
put_escape(struct json *j, char *to)
{
	static const char from[] = "\"\\/bfnrt", is[] = "\"\\/\b\f\n\r\t";
	char c = *j->p;
	const char *at = c ? strchr(from, c) : NULL;
	if (at) {
		j->p++;
		return *to = is[at - from], 1;
	}
	char digits[5] = {0}, *end;
	if (c != 'u' || strlen(j->p) < 5)
		return (void)fail(j, "an escape that is none"), 0;
	memcpy(digits, j->p + 1, 4);
	unsigned code = (unsigned)strtoul(digits, &end, 16);
	if (*end)
		return (void)fail(j, "an escape that is none"), 0;
	j->p += 5;
	/* halves of pairs stand for what a report never writes so */
	return put_utf8(to, code >= 0xd800 && code < 0xe000 ? 0xfffd : code ? code : 0xfffd);
}

static const char *
string(struct json *j)
{
	if (!take(j, '"'))
		return (void)fail(j, "a text is missing"), "";
	size_t room = strcspn(j->p, "\"\n"), n = 0;
	const char *q = j->p;
	while (q[room] == '"' && room && q[room - 1] == '\\')
		room += 1 + strcspn(q + room + 1, "\"\n");
	char *out = arena_get(&j->in->arena, room + 4);
	while (*j->p && *j->p != '"' && *j->p != '\n' && !j->status) {
		if (*j->p == '\\') {
			j->p++;
			n += put_escape(j, out + n);
		} else {
			out[n++] = *j->p++;
		}
	}
	if (!j->status && !take(j, '"'))
		fail(j, "a text does not end");
	return out;
}

static void skip(struct json *j);

static void
skip_members(struct json *j, char end, bool names)
{
	if (++j->depth > DEEPEST) {
		fail(j, "too deep");
		return;
	}
	if (!take(j, end)) {
		do {
			if (names) {
				string(j);
				if (!take(j, ':'))
					fail(j, "':' is missing");
			}
			skip(j);
		} while (!j->status && take(j, ','));
		if (!j->status && !take(j, end))
			fail(j, "',' or an end is missing");
	}
	j->depth--;
}

/* A number, true, false or null: its text; NULL for null. */
static const char *
word(struct json *j)
{
	size_t n =
	    strspn(j->p, "+-.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
	const char *text = arena_text(&j->in->arena, j->p, n);
	if (!n)
		fail(j, "a value is missing");
	j->p += n;
	return strcmp(text, "null") ? text : NULL;
}

static void
skip(struct json *j)
{
	blank(j);
	if (j->status)
		return;
	if (take(j, '{'))
		skip_members(j, '}', true);
	else if (take(j, '['))
		skip_members(j, ']', false);
	else if (*j->p == '"')
		string(j);
	else
		word(j);
}

static const char *
cell(struct json *j)
{
	blank(j);
	if (*j->p == '"')
		return string(j);
	if (*j->p == '{' || *j->p == '[')
		return (void)fail(j, "a cell holds more than a value"), NULL;
	return word(j);
}

/* Calls member for each name of an object, to read its value. */
static void
object(struct json *j, void (*member)(struct json *j, void *arg, const char *name), void *arg)
{
	if (!take(j, '{')) {
		fail(j, "an object is missing");
		return;
	}
	if (take(j, '}'))
		return;
	do {
		const char *name = string(j);
		if (!j->status && !take(j, ':'))
			fail(j, "':' is missing");
		if (!j->status)
			member(j, arg, name);
	} while (!j->status && take(j, ','));
	if (!j->status && !take(j, '}'))
		fail(j, "',' or '}' is missing");
}

struct row {
	struct frame *frame;
	const char **cell;
	bool first;
};

static void
read_cell(struct json *j, void *arg, const char *name)
{
	struct row *r = arg;
	const char *text = cell(j);
	if (r->first && frame_column(r->frame, name) < 0) {
		frame_add_column(j->in, r->frame, name);
		const char **wider = arena_get(&j->in->arena, r->frame->n_column * sizeof *wider);
		for (size_t i = 0; i + 1 < r->frame->n_column; i++)
			wider[i] = r->cell[i];
		r->cell = wider;
		r->frame->row.item[0] = wider;
	}
	int at = frame_column(r->frame, name);
	if (at >= 0)
		r->cell[at] = text;
}

static void
read_table(struct json *j, void *arg, const char *name)
{
	(void)arg;
	struct frame *f = frame_new(j->in, name, j->label);
	if (!take(j, '['))
		fail(j, "a table is no array");
	if (j->status || take(j, ']'))
		return;
	do {
		struct row r = {f, frame_add_row(j->in, f), f->row.n == 1};
		object(j, read_cell, &r);
		f->row.n -= j->status != 0; /* what is damaged is no row */
	} while (!j->status && take(j, ','));
	if (!j->status && !take(j, ']'))
		fail(j, "',' or ']' is missing");
}

static struct frame *
named(struct json *j, size_t first, const char *name)
{
	for (size_t i = first; i < j->in->frame.n; i++) {
		struct frame *f = j->in->frame.item[i];
		if (!strcmp(f->name, name))
			return f;
	}
	return NULL;
}

static void
read_title(struct json *j, void *arg, const char *name)
{
	struct frame *f = named(j, *(size_t *)arg, name);
	const char *title = cell(j);
	if (f)
		f->title = title;
}

static void
read_unit(struct json *j, void *arg, const char *name)
{
	struct frame *f = arg;
	const char *unit = cell(j);
	int at = f ? frame_column(f, name) : -1;
	if (at >= 0 && unit)
		f->unit[at] = unit;
}

static void
read_units(struct json *j, void *arg, const char *name)
{
	object(j, read_unit, named(j, *(size_t *)arg, name));
}

struct top {
	size_t first;
	const char *tool;
};

static void
read_member(struct json *j, void *arg, const char *name)
{
	struct top *top = arg;
	if (!strcmp(name, "tool"))
		top->tool = cell(j);
	else if (!strcmp(name, "tables"))
		object(j, read_table, NULL);
	else if (!strcmp(name, "titles"))
		object(j, read_title, &top->first);
	else if (!strcmp(name, "units"))
		object(j, read_units, &top->first);
	else
		skip(j);
}

int
read_json(struct reports *in, const char *text, const char *label, struct wcp_error *e)
{
	struct json j = {.begin = text, .p = text, .in = in, .e = e, .label = label};
	do {
		struct top top = {in->frame.n, NULL};
		object(&j, read_member, &top);
		for (size_t i = top.first; i < in->frame.n; i++)
			((struct frame *)in->frame.item[i])->tool = top.tool;
		blank(&j);
	} while (!j.status && *j.p);
	return j.status;
}
