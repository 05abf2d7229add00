#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "ptx/parse.h"

static void fail(struct parser *p, uint32_t line, const char *at, const char *format, va_list ap)
    WCP_PRINTF(4, 0);

static void
fail(struct parser *p, uint32_t line, const char *at, const char *format, va_list ap)
{
	if (p->failed)
		return;
	char what[400];
	vsnprintf(what, sizeof what, format, ap);
	wcp_fail(p->error, WCP_EDATA, "line %u: %s", line, what);
	if (p->error)
		p->error->offset = (uint64_t)(at - p->text);
	p->failed = true;
	p->at = p->end;
	p->tok.kind = TOK_END;
	p->tok.punct = 0;
}

void
pt_fail_at(struct parser *p, uint32_t line, const char *at, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	fail(p, line, at, format, ap);
	va_end(ap);
}

void
pt_fail(struct parser *p, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	fail(p, p->last_line, p->last_at, format, ap);
	va_end(ap);
}

void
pt_fail_memory(struct parser *p)
{
	if (p->failed)
		return;
	pt_fail(p, "no memory");
	if (p->error)
		p->error->status = WCP_ESYS;
}

void
pt_expected(struct parser *p, const char *what)
{
	char found[44];
	size_t n = 0;
	for (; n < p->tok.bytes && n < sizeof found - 4 && p->tok.at[n] != '\n'; n++)
		found[n] = (char)(isprint((unsigned char)p->tok.at[n]) ? p->tok.at[n] : '?');
	strcpy(found + n, n < p->tok.bytes ? "..." : "");
	if (p->tok.kind == TOK_END)
		pt_fail_at(
		    p, p->tok.line, p->tok.at, "expected %s, found the end of the text", what);
	else
		pt_fail_at(p, p->tok.line, p->tok.at, "expected %s, found '%s'", what, found);
}

bool
pt_is(const struct parser *p, int punct)
{
	return p->tok.kind == TOK_PUNCT && p->tok.punct == punct;
}

bool
pt_is_dot(const struct parser *p, const char *word)
{
	return p->tok.kind == TOK_DOT && !strcmp(p->tok.name->text, word);
}

bool
pt_accept(struct parser *p, int punct)
{
	if (!pt_is(p, punct))
		return false;
	pt_next(p);
	return true;
}

void
pt_expect(struct parser *p, int punct, const char *what)
{
	if (!pt_accept(p, punct))
		pt_expected(p, what);
}

struct name *
pt_expect_word(struct parser *p, const char *what)
{
	struct name *name = p->tok.name;
	if (p->tok.kind != TOK_WORD) {
		pt_expected(p, what);
		return NULL;
	}
	pt_next(p);
	return p->failed ? NULL : name;
}

uint64_t
pt_expect_int(struct parser *p, const char *what)
{
	uint64_t value = p->tok.bits;
	if (p->tok.kind != TOK_INT) {
		pt_expected(p, what);
		return 0;
	}
	pt_next(p);
	return value;
}

bool
pt_enter(struct parser *p)
{
	if (p->nesting >= DEPTH_MAX)
		pt_fail(p, "nested more than %d deep", DEPTH_MAX);
	else
		p->nesting++;
	return !p->failed;
}

void
pt_leave(struct parser *p)
{
	p->nesting--;
}
