/* Characters to tokens. PTX ISA sections 4.2 to 4.5. */
#include <string.h>
#include "ptx/parse.h"

enum { WORD = 1, START = 2, DIGIT = 4, SPACE = 8 };

/* [A-Za-z0-9_$] may continue an identifier; a letter, "_", "$" or "%" may start one. */
static const unsigned char class_of[256] = {
    ['0' ... '9'] = WORD | DIGIT,
    ['a' ... 'z'] = WORD | START,
    ['A' ... 'Z'] = WORD | START,
    ['_'] = WORD | START,
    ['$'] = WORD | START,
    ['%'] = START,
    [' '] = SPACE,
    ['\t'] = SPACE,
    ['\r'] = SPACE,
    ['\f'] = SPACE,
    ['\v'] = SPACE,
};

static unsigned
class_at(const struct parser *p, const char *c)
{
	return c < p->end ? class_of[(unsigned char)*c] : 0;
}

bool
pt_is_word_char(char c)
{
	return class_of[(unsigned char)c] & WORD;
}

void
pt_skip_line(struct parser *p)
{
	const char *newline = memchr(p->at, '\n', (size_t)(p->end - p->at));
	p->at = newline ? newline : p->end;
}

static void
skip_comment(struct parser *p)
{
	uint32_t line = p->line;
	for (p->at += 2; p->end - p->at >= 2; p->at++) {
		if (p->at[0] == '*' && p->at[1] == '/') {
			p->at += 2;
			return;
		}
		p->line += *p->at == '\n';
	}
	pt_fail_at(p, line, p->end, "comment without its end");
}

void
pt_skip_space(struct parser *p)
{
	while (p->at < p->end) {
		char c = *p->at;
		if (class_of[(unsigned char)c] & SPACE)
			p->at++;
		else if (c == '\n')
			p->at++, p->line++;
		else if (c == '/' && p->end - p->at > 1 && p->at[1] == '/')
			pt_skip_line(p);
		else if (c == '/' && p->end - p->at > 1 && p->at[1] == '*')
			skip_comment(p);
		else
			break;
	}
}

static void
lex_word(struct parser *p)
{
	const char *start = p->at++;
	while (class_at(p, p->at) & WORD)
		p->at++;
	p->tok.kind = TOK_WORD;
	p->tok.name = pt_arena_name(p->arena, start, (size_t)(p->at - start));
	if (!p->tok.name)
		pt_fail_memory(p);
}

/* ".word", with the "::part"s that follow. */
static void
lex_dot(struct parser *p)
{
	const char *start = ++p->at;
	for (;;) {
		while (class_at(p, p->at) & WORD)
			p->at++;
		if (p->end - p->at < 3 || p->at[0] != ':' || p->at[1] != ':' ||
		    !(class_at(p, p->at + 2) & WORD))
			break;
		p->at += 2;
	}
	p->tok.kind = TOK_DOT;
	p->tok.name = pt_arena_name(p->arena, start, (size_t)(p->at - start));
	if (!p->tok.name)
		pt_fail_memory(p);
}

static void
lex_string(struct parser *p)
{
	const char *start = ++p->at;
	while (p->at < p->end && *p->at != '"' && *p->at != '\n')
		p->at += *p->at == '\\' && p->end - p->at > 1 && p->at[1] != '\n' ? 2 : 1;
	p->tok.kind = TOK_STRING;
	p->tok.name = pt_arena_name(p->arena, start, (size_t)(p->at - start));
	if (!p->tok.name)
		pt_fail_memory(p);
	else if (p->at == p->end || *p->at != '"')
		pt_fail_at(p, p->line, start - 1, "string without its end");
	else
		p->at++;
}

static void
lex_punct(struct parser *p)
{
	int c = (unsigned char)*p->at++;
	int d = p->at < p->end ? (unsigned char)*p->at : 0;
	p->tok.kind = TOK_PUNCT;
	p->tok.punct = c;
	if ((strchr("<>|&=", c) && c == d) || (strchr("<>=!", c) && d == '=')) {
		p->tok.punct = PAIR(c, d);
		p->at++;
	}
}

void
pt_next(struct parser *p)
{
	p->last_at = p->tok.at ? p->tok.at : p->at;
	p->last_line = p->tok.line ? p->tok.line : p->line;
	pt_skip_space(p);
	p->tok.at = p->at;
	p->tok.line = p->line;
	p->tok.punct = 0;
	unsigned class = class_at(p, p->at);
	if (p->at >= p->end)
		p->tok.kind = TOK_END;
	else if (*p->at == '%' && !(class_at(p, p->at + 1) & WORD))
		lex_punct(p);
	else if (class & START)
		lex_word(p);
	else if (class & DIGIT)
		pt_lex_number(p);
	else if (*p->at == '.' && class_at(p, p->at + 1) & WORD)
		lex_dot(p);
	else if (*p->at == '"')
		lex_string(p);
	else
		lex_punct(p);
	if (p->failed)
		p->tok.kind = TOK_END;
	p->tok.bytes = (size_t)(p->at - p->tok.at);
}

void
pt_extend_opcode(struct parser *p)
{
	bool adjoins = p->at == p->tok.at + p->tok.bytes;
	if (p->failed || !adjoins || p->at >= p->end || (*p->at != '.' && *p->at != ':'))
		return;
	const char *c = p->at;
	for (;;) {
		const char *part = c + (*c == '.' ? 1 : 2);
		if (!(*c == '.' || (p->end - c > 2 && c[0] == ':' && c[1] == ':')) ||
		    !(class_at(p, part) & WORD))
			break;
		for (c = part; class_at(p, c) & WORD;)
			c++;
		if (c >= p->end)
			break;
	}
	p->at = c;
	p->tok.bytes = (size_t)(c - p->tok.at);
	p->tok.name = pt_arena_name(p->arena, p->tok.at, p->tok.bytes);
	if (!p->tok.name)
		pt_fail_memory(p);
}

void
pt_skip_braces(struct parser *p)
{
	uint32_t line = p->tok.line;
	int open = 1;
	while (open && !p->failed) {
		pt_skip_space(p);
		if (p->at >= p->end) {
			pt_fail_at(p, line, p->at, "'{' without its '}'");
			break;
		}
		char c = *p->at;
		if (c == '"')
			lex_string(p);
		else
			p->at++;
		open += (c == '{') - (c == '}');
	}
	pt_next(p);
}
