/* Words of a filter expression. */
#ifndef FILTER_LEX_H
#define FILTER_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lex_type {
	LEX_END,
	LEX_WORD,   /* keyword, name, number, range */
	LEX_QUOTED, /* "..." : never a keyword */
	LEX_OPEN,
	LEX_CLOSE,
	LEX_NOT, /* ! */
	LEX_AND, /* && */
	LEX_OR,	 /* || */
	LEX_EQ,
	LEX_NE,
	LEX_LT,
	LEX_LE,
	LEX_GT,
	LEX_GE,
	LEX_BAD, /* a character that nothing begins with, or a quote without end */
};

struct lex {
	const char *text; /* the whole expression */
	size_t at, len;	  /* the current word's place in it (within the quotes) */
	enum lex_type type;
};

void lex_start(struct lex *l, const char *text);
void lex_next(struct lex *l);
bool lex_is(const struct lex *l, const char *word); /* a LEX_WORD that reads so */
bool lex_is_number(const struct lex *l); /* a LEX_WORD that is a number, range or triple */

/* Reads all of s: a number, decimal or 0x, with k M G or Ki Mi Gi. */
bool lex_number(const char *s, size_t len, uint64_t *value);
/* "A", "A-B", "A-", "-B". False also if B < A. */
bool lex_range(const char *s, size_t len, uint64_t *lo, uint64_t *hi);
/* "x,y,z" */
bool lex_triple(const char *s, size_t len, uint64_t value[3]);

#endif
