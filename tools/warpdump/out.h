/*
 * Lines of fields, as text, TSV or JSON, formatted into one large buffer. In text a field is a
 * word, its label before it; in TSV and JSON the label is not used, in text and TSV the name is
 * not.
 */
#ifndef WARPDUMP_OUT_H
#define WARPDUMP_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "tool.h"

struct out {
	enum tool_format format;
	char *buffer;
	size_t n, room;
	bool begun; /* the line has a field */
	bool failed;
	uint64_t lines; /* ended so far */
	uint64_t limit; /* lines to print, 0: all */
};

int out_open(struct out *o, enum tool_format format, uint64_t limit);
int out_flush(struct out *o); /* 0, or -1 with errno set; once failed, stays so */
void out_close(struct out *o);

static inline bool
out_full(const struct out *o)
{
	return o->failed || (o->limit && o->lines >= o->limit);
}

void out_begin(struct out *o, const char *type); /* JSON gets it as "type"; NULL: none */
void out_end(struct out *o);

void out_u64(struct out *o, const char *name, const char *label, uint64_t value);
void out_i64(struct out *o, const char *name, const char *label, int64_t value);
void out_hex(struct out *o, const char *name, const char *label, uint64_t value);
void out_text(struct out *o, const char *name, const char *label, const char *value);
/* The same for words of ours, which need no escapes, shorter than OUT_WORD. */
enum { OUT_WORD = 512 };
void out_word(struct out *o, const char *name, const char *label, const char *word);
/* Text: no word at all; TSV: empty; JSON: null. */
void out_none(struct out *o, const char *name);
/* A list of hexadecimal numbers in one field: between the two calls out_item. */
void out_list(struct out *o, const char *name, const char *label);
void out_item(struct out *o, uint64_t value, bool first);
void out_list_end(struct out *o);
/* Bytes as they are, for what is text only. */
void out_raw(struct out *o, const char *s);

#endif
