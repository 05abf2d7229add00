#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "parser.h"

/* Where the lexer stands. */
struct scan {
	struct parser *p;
	const char *at, *end;
	uint32_t line;
	uint32_t brackets, bracket_line; /* open ones, and where the first was opened */
	size_t cap;
};

void *
parser_fail(struct parser *p, const struct token *t, const char *format, ...)
{
	if (p->failed)
		return NULL;
	p->failed = true;
	char reason[360];
	va_list ap;
	va_start(ap, format);
	vsnprintf(reason, sizeof reason, format, ap);
	va_end(ap);
	if (!t || t->kind == TOKEN_END)
		wcp_fail(p->error, WCP_EDATA, "line %u: %s%s", t ? t->line : 0, reason,
		    t ? ", at the end of the file" : "");
	else if (t->kind == TOKEN_NEWLINE)
		wcp_fail(
		    p->error, WCP_EDATA, "line %u: %s, at the end of the line", t->line, reason);
	else
		wcp_fail(p->error, WCP_EDATA, "line %u: %s, at '%.60s'", t->line, reason, t->text);
	return NULL;
}

void *
parser_take(struct parser *p, size_t bytes)
{
	void *m = arena_take(p->arena, bytes);
	if (!m && !p->failed) {
		p->failed = true;
		wcp_fail(p->error, WCP_ESYS, "out of memory");
	}
	return m;
}

/* A copy of text[0..n) with an end. */
static const char *
copy_text(struct parser *p, const char *text, size_t n)
{
	char *copy = parser_take(p, n + 1);
	if (copy)
		memcpy(copy, text, n);
	return copy;
}

static struct token *
push(struct scan *s, enum token_kind kind, const char *text, size_t n)
{
	struct parser *p = s->p;
	if (p->n_token == s->cap) {
		size_t cap = s->cap ? s->cap * 2 : 256;
		struct token *grown = realloc(p->token, cap * sizeof *grown);
		if (!grown) {
			p->failed = true;
			wcp_fail(p->error, WCP_ESYS, "out of memory");
			return NULL;
		}
		p->token = grown;
		s->cap = cap;
	}
	const char *copy = copy_text(p, text, n);
	if (!copy)
		return NULL;
	struct token *t = &p->token[p->n_token++];
	*t = (struct token){.kind = kind, .line = s->line, .text = copy};
	return t;
}

static void *
scan_fail(struct scan *s, size_t n, const char *reason)
{
	char text[32];
	snprintf(text, sizeof text, "%.*s", (int)(n < sizeof text ? n : sizeof text - 1), s->at);
	struct token t = {.kind = TOKEN_PUNCT, .line = s->line, .text = text};
	return parser_fail(s->p, &t, "%s", reason);
}

static bool
name_start(char c)
{
	return isalpha((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

static bool
name_part(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static bool
scan_number(struct scan *s)
{
	const char *q = s->at;
	bool hex = s->end - q > 2 && q[0] == '0' && (q[1] == 'x' || q[1] == 'X');
	bool real = false;
	if (hex)
		q += 2;
	for (; q < s->end; q++) {
		bool exponent = !hex && (*q == 'e' || *q == 'E');
		if (exponent && q + 1 < s->end && (q[1] == '+' || q[1] == '-'))
			q++;
		real |= exponent || *q == '.';
		if (!isalnum((unsigned char)*q) && *q != '.' && *q != '+' && *q != '-')
			break;
		if ((*q == '+' || *q == '-') && !exponent)
			break;
	}
	size_t n = (size_t)(q - s->at);
	struct token *t = push(s, real ? TOKEN_REAL : TOKEN_INTEGER, s->at, n);
	if (!t)
		return false;
	char *stop;
	errno = 0;
	if (real)
		t->real = strtod(t->text, &stop);
	else
		t->integer = strtoull(t->text, &stop, 0);
	if (*stop || (errno && !real))
		return scan_fail(s, n, "no number");
	s->at = q;
	return true;
}

/* Strings may hold \" and \\. */
static bool
scan_string(struct scan *s)
{
	const char *q = s->at + 1;
	char *text = parser_take(s->p, (size_t)(s->end - s->at));
	if (!text)
		return false;
	size_t n = 0;
	for (; q < s->end && *q != '"' && *q != '\n'; q++) {
		if (*q == '\\' && q + 1 < s->end && (q[1] == '"' || q[1] == '\\'))
			q++;
		text[n++] = *q;
	}
	if (q == s->end || *q != '"')
		return scan_fail(s, (size_t)(q - s->at), "the string has no end");
	s->at = q + 1;
	return push(s, TOKEN_STRING, text, n) != NULL;
}

static bool
scan_punct(struct scan *s)
{
	static const char *const pair[] = {"==", "!=", "<=", ">=", "<<", ">>", "&&", "||"};
	for (size_t i = 0; i < sizeof pair / sizeof pair[0]; i++)
		if (s->end - s->at >= 2 && !memcmp(s->at, pair[i], 2)) {
			struct token *t = push(s, TOKEN_PUNCT, s->at, 2);
			s->at += 2;
			return t != NULL;
		}
	if (!strchr("()[]{},=+-*/%<>!~&|^?:.", *s->at) || !*s->at)
		return scan_fail(s, 1, "no launch file has this character");
	if (strchr("([{", *s->at) && !s->brackets++)
		s->bracket_line = s->line;
	if (strchr(")]}", *s->at) && s->brackets)
		s->brackets--;
	struct token *t = push(s, TOKEN_PUNCT, s->at, 1);
	s->at++;
	return t != NULL;
}

static bool
scan_newline(struct scan *s)
{
	bool blank =
	    s->brackets || !s->p->n_token || s->p->token[s->p->n_token - 1].kind == TOKEN_NEWLINE;
	if (!blank && !push(s, TOKEN_NEWLINE, "", 0))
		return false;
	s->line++;
	s->at++;
	return true;
}

/* A '%' starts a name (a kernel's) only where no operand stands before it. */
static bool
percent_is_operator(const struct scan *s)
{
	if (!s->p->n_token)
		return false;
	const struct token *t = &s->p->token[s->p->n_token - 1];
	return t->kind == TOKEN_INTEGER || t->kind == TOKEN_REAL || t->kind == TOKEN_NAME ||
	       (t->kind == TOKEN_PUNCT && strchr(")]", t->text[0]));
}

static bool
scan_one(struct scan *s)
{
	char c = *s->at;
	if (c == '\n')
		return scan_newline(s);
	if (c == ' ' || c == '\t' || c == '\r') {
		s->at++;
		return true;
	}
	if (c == '#') {
		while (s->at < s->end && *s->at != '\n')
			s->at++;
		return true;
	}
	if (c == '"')
		return scan_string(s);
	if (isdigit((unsigned char)c) ||
	    (c == '.' && s->end - s->at > 1 && isdigit((unsigned char)s->at[1])))
		return scan_number(s);
	if (name_start(c) && !(c == '%' && percent_is_operator(s))) {
		const char *q = s->at + 1;
		while (q < s->end && name_part(*q))
			q++;
		struct token *t = push(s, TOKEN_NAME, s->at, (size_t)(q - s->at));
		s->at = q;
		return t != NULL;
	}
	return scan_punct(s);
}

int
parser_tokens(struct parser *p, const char *text, size_t bytes)
{
	struct scan s = {.p = p, .at = text, .end = text + bytes, .line = 1};
	while (s.at < s.end && !p->failed)
		scan_one(&s);
	if (!p->failed && s.brackets) {
		s.line = s.bracket_line;
		s.at = text;
		p->failed = true;
		return wcp_fail(p->error, WCP_EDATA,
		    "line %u: a bracket opened here is never closed", s.bracket_line);
	}
	if (!p->failed && p->n_token && p->token[p->n_token - 1].kind != TOKEN_NEWLINE)
		push(&s, TOKEN_NEWLINE, "", 0);
	if (!p->failed)
		push(&s, TOKEN_END, "", 0);
	return p->failed ? WCP_EDATA : 0;
}

const struct token *
parser_next(struct parser *p)
{
	const struct token *t = &p->token[p->at];
	if (t->kind != TOKEN_END)
		p->at++;
	return t;
}

bool
parser_is(const struct parser *p, const char *text)
{
	const struct token *t = parser_peek(p);
	return (t->kind == TOKEN_NAME || t->kind == TOKEN_PUNCT) && !strcmp(t->text, text);
}

bool
parser_accept(struct parser *p, const char *text)
{
	if (p->failed || !parser_is(p, text))
		return false;
	p->at++;
	return true;
}

bool
parser_expect(struct parser *p, const char *text, const char *where)
{
	if (parser_accept(p, text))
		return true;
	parser_fail(p, parser_peek(p), "'%s' wanted %s", text, where);
	return false;
}
