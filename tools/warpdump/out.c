#include "out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	BUFFER = 1 << 18,
	FIELD = 128, /* room that one number with its name and label needs */
};

int
out_open(struct out *o, enum tool_format format, uint64_t limit)
{
	*o = (struct out){.format = format, .room = BUFFER, .limit = limit};
	o->buffer = malloc(BUFFER);
	return o->buffer ? 0 : -1;
}

int
out_flush(struct out *o)
{
	size_t done = 0;
	while (!o->failed && done < o->n) {
		ssize_t n = write(STDOUT_FILENO, o->buffer + done, o->n - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			o->failed = true;
		else
			done += (size_t)n;
	}
	o->n = 0;
	return o->failed ? -1 : 0;
}

void
out_close(struct out *o)
{
	free(o->buffer);
	o->buffer = NULL;
}

static void
room_for(struct out *o, size_t bytes)
{
	if (o->room - o->n < bytes)
		out_flush(o);
}

static void
put(struct out *o, const char *s)
{
	size_t n = strlen(s);
	memcpy(o->buffer + o->n, s, n);
	o->n += n;
}

static void
put_char(struct out *o, char c)
{
	o->buffer[o->n++] = c;
}

static void
put_u64(struct out *o, uint64_t v)
{
	char digit[20];
	unsigned n = 0;
	do {
		digit[n++] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	char *to = o->buffer + o->n;
	o->n += n;
	while (n)
		*to++ = digit[--n];
}

static void
put_hex(struct out *o, uint64_t v)
{
	unsigned n = v ? (unsigned)(67 - __builtin_clzll(v)) / 4 : 1;
	char *to = o->buffer + o->n;
	to[0] = '0';
	to[1] = 'x';
	for (unsigned i = 0; i < n; i++)
		to[2 + i] = "0123456789abcdef"[(v >> (4 * (n - 1 - i))) & 15];
	o->n += 2 + n;
}

/* Names and labels are our own and short; data is escaped. */
static void
put_data(struct out *o, const char *s)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		room_for(o, 8);
		if (c == '\\' || (c == '"' && o->format == TOOL_FORMAT_JSON)) {
			put_char(o, '\\');
			put_char(o, *s);
		} else if (c >= 0x20 && c != 0x7f) {
			put_char(o, *s);
		} else {
			put(o, o->format == TOOL_FORMAT_JSON ? "\\u00" : "\\x");
			put_char(o, "0123456789abcdef"[c >> 4]);
			put_char(o, "0123456789abcdef"[c & 15]);
		}
	}
}

static void
field(struct out *o, const char *name, const char *label)
{
	room_for(o, FIELD);
	if (o->format == TOOL_FORMAT_JSON) {
		put(o, o->begun ? ", \"" : "\"");
		put(o, name);
		put(o, "\": ");
	} else {
		if (o->begun)
			put_char(o, o->format == TOOL_TEXT ? ' ' : '\t');
		if (o->format == TOOL_TEXT)
			put(o, label);
	}
	o->begun = true;
}

void
out_begin(struct out *o, const char *type)
{
	o->begun = false;
	room_for(o, FIELD);
	if (o->format == TOOL_FORMAT_JSON) {
		put_char(o, '{');
		if (type)
			out_text(o, "type", "", type);
	}
}

void
out_end(struct out *o)
{
	room_for(o, 2);
	if (o->format == TOOL_FORMAT_JSON)
		put_char(o, '}');
	put_char(o, '\n');
	o->lines++;
}

void
out_u64(struct out *o, const char *name, const char *label, uint64_t value)
{
	field(o, name, label);
	put_u64(o, value);
}

void
out_i64(struct out *o, const char *name, const char *label, int64_t value)
{
	field(o, name, label);
	if (value < 0)
		put_char(o, '-');
	put_u64(o, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void
out_hex(struct out *o, const char *name, const char *label, uint64_t value)
{
	field(o, name, label);
	if (o->format == TOOL_FORMAT_JSON)
		put_char(o, '"');
	put_hex(o, value);
	if (o->format == TOOL_FORMAT_JSON)
		put_char(o, '"');
}

void
out_text(struct out *o, const char *name, const char *label, const char *value)
{
	field(o, name, label);
	if (o->format == TOOL_FORMAT_JSON)
		put_char(o, '"');
	put_data(o, value);
	room_for(o, 1);
	if (o->format == TOOL_FORMAT_JSON)
		put_char(o, '"');
}

void
out_word(struct out *o, const char *name, const char *label, const char *word)
{
	field(o, name, label);
	room_for(o, OUT_WORD + 2);
	if (o->format == TOOL_FORMAT_JSON)
		put_char(o, '"');
	put(o, word);
	if (o->format == TOOL_FORMAT_JSON)
		put_char(o, '"');
}

void
out_none(struct out *o, const char *name)
{
	if (o->format == TOOL_TEXT)
		return;
	field(o, name, "");
	if (o->format == TOOL_FORMAT_JSON)
		put(o, "null");
}

void
out_list(struct out *o, const char *name, const char *label)
{
	field(o, name, label);
	if (o->format == TOOL_FORMAT_JSON)
		put_char(o, '[');
}

void
out_item(struct out *o, uint64_t value, bool first)
{
	room_for(o, FIELD);
	if (!first)
		put(o, o->format == TOOL_FORMAT_JSON ? ", " : ",");
	if (o->format == TOOL_FORMAT_JSON)
		put_char(o, '"');
	put_hex(o, value);
	if (o->format == TOOL_FORMAT_JSON)
		put_char(o, '"');
}

void
out_list_end(struct out *o)
{
	room_for(o, 1);
	if (o->format == TOOL_FORMAT_JSON)
		put_char(o, ']');
}

void
out_raw(struct out *o, const char *s)
{
	for (; *s; s++) {
		room_for(o, 1);
		put_char(o, *s);
	}
}
