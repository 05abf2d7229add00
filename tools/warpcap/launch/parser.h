/* What the parts of the launch-file parser share: tokens, and the state of one parse. */
#ifndef PARSER_H
#define PARSER_H

#include "arena.h"
#include "launch.h"

enum token_kind {
	TOKEN_NAME,
	TOKEN_INTEGER,
	TOKEN_REAL,
	TOKEN_STRING,
	TOKEN_PUNCT,
	TOKEN_NEWLINE,
	TOKEN_END
};

struct token {
	enum token_kind kind;
	uint32_t line;
	const char *text; /* as written, NUL-terminated; a string's contents */
	uint64_t integer;
	double real;
};

struct parser {
	struct launch_file *file;
	struct arena *arena;
	struct token *token; /* [n_token], the last is TOKEN_END */
	size_t n_token, at;
	uint32_t cap_scalar, cap_buffer;
	uint32_t depth;	   /* of nested expressions and blocks */
	uint32_t n_random; /* random functions met in this initialiser */
	bool index_known, random_known, address_known; /* what an expression may use here */
	bool failed;
	struct wcp_error *error;
};

enum { PARSER_DEPTH = 200, NODE_DEPTH = 1000 };

/* Cuts text into p->token; 0 or a failure. Newlines inside brackets are blanks. */
int parser_tokens(struct parser *p, const char *text, size_t bytes);

/* Fails once, naming the line of t and, unless it is NULL, the token's text; returns NULL. */
void *
parser_fail(struct parser *p, const struct token *t, const char *format, ...) WCP_PRINTF(3, 4);
void *parser_take(struct parser *p, size_t bytes); /* from the arena; NULL after parser_fail */

static inline const struct token *
parser_peek(const struct parser *p)
{
	return &p->token[p->at];
}
const struct token *parser_next(struct parser *p);
bool parser_is(const struct parser *p, const char *text); /* name or punctuation, never a string */
bool parser_accept(struct parser *p, const char *text);
bool parser_expect(struct parser *p, const char *text, const char *where);

/* NULL after a failure. */
struct node *parser_expr(struct parser *p);
/* A node that holds v. */
struct node *parser_constant(struct parser *p, struct value v);

uint32_t parser_find_scalar(const struct parser *p, const char *name); /* WCP_NONE32: none */
uint32_t parser_find_buffer(const struct parser *p, const char *name);
/* Declares a loop variable or parameter; WCP_NONE32 after a failure. */
uint32_t parser_scalar(struct parser *p, const struct token *name, enum scalar_kind kind);
bool parser_reserved(const char *name);
/* The type that a buffer's elements may have; PTX_NONE for any other name. */
enum ptx_type parser_type(const char *name);

#endif
