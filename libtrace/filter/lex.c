#include "filter/lex.h"

#include <string.h>

static bool
is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool
is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c != 0 && strchr("_.*?[]^:$@/%+-,~#", c)) || (unsigned char)c >= 0x80;
}

static const struct {
	char text[3];
	enum lex_type type;
} mark[] = {
    {"(", LEX_OPEN},
    {")", LEX_CLOSE},
    {"&&", LEX_AND},
    {"||", LEX_OR},
    {"!=", LEX_NE},
    {"!", LEX_NOT},
    {"==", LEX_EQ},
    {"=", LEX_EQ},
    {"<=", LEX_LE},
    {"<", LEX_LT},
    {">=", LEX_GE},
    {">", LEX_GT},
};

static void
lex_quoted(struct lex *l)
{
	const char *end = strchr(l->text + l->at + 1, '"');
	if (!end) {
		l->type = LEX_BAD;
		l->len = 1;
		return;
	}
	l->type = LEX_QUOTED;
	l->at++;
	l->len = (size_t)(end - (l->text + l->at));
}

static void
lex_mark(struct lex *l)
{
	for (size_t i = 0; i < sizeof mark / sizeof mark[0]; i++) {
		size_t n = strlen(mark[i].text);
		if (strncmp(l->text + l->at, mark[i].text, n) == 0) {
			l->type = mark[i].type;
			l->len = n;
			return;
		}
	}
	l->type = LEX_BAD;
	l->len = 1;
}

void
lex_next(struct lex *l)
{
	l->at += l->len + (l->type == LEX_QUOTED);
	while (is_space(l->text[l->at]))
		l->at++;
	l->len = 0;
	while (is_word(l->text[l->at + l->len]))
		l->len++;
	if (l->len)
		l->type = LEX_WORD;
	else if (l->text[l->at] == 0)
		l->type = LEX_END;
	else if (l->text[l->at] == '"')
		lex_quoted(l);
	else
		lex_mark(l);
}

void
lex_start(struct lex *l, const char *text)
{
	*l = (struct lex){.text = text, .type = LEX_END};
	lex_next(l);
}

bool
lex_is(const struct lex *l, const char *word)
{
	return l->type == LEX_WORD && strlen(word) == l->len &&
	       memcmp(l->text + l->at, word, l->len) == 0;
}

static unsigned
digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a' + 10);
	if (c >= 'A' && c <= 'F')
		return (unsigned)(c - 'A' + 10);
	return 99;
}

/* The factor that s, all of it, stands for; 0 if none. */
static uint64_t
suffix(const char *s, size_t len)
{
	static const char unit[] = "kMGT";
	if (len == 0)
		return 1;
	const char *u = s[0] == 'K' ? unit : memchr(unit, s[0], 4);
	if (!u || len > 2 || (len == 2 && s[1] != 'i'))
		return 0;
	uint64_t factor = 1;
	for (const char *p = unit; p <= u; p++)
		factor *= len == 2 ? 1024 : 1000;
	return factor;
}

bool
lex_number(const char *s, size_t len, uint64_t *value)
{
	unsigned base = 10;
	size_t i = 0;
	if (len > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
		base = 16;
		i = 2;
	}
	size_t first = i;
	uint64_t v = 0;
	for (; i < len && digit(s[i]) < base; i++)
		if (__builtin_mul_overflow(v, (uint64_t)base, &v) ||
		    __builtin_add_overflow(v, (uint64_t)digit(s[i]), &v))
			return false;
	uint64_t factor = suffix(s + i, len - i);
	if (i == first || factor == 0 || __builtin_mul_overflow(v, factor, &v))
		return false;
	*value = v;
	return true;
}

bool
lex_range(const char *s, size_t len, uint64_t *lo, uint64_t *hi)
{
	const char *dash = memchr(s, '-', len);
	if (!dash) {
		bool ok = lex_number(s, len, lo);
		*hi = *lo;
		return ok;
	}
	size_t left = (size_t)(dash - s), right = len - left - 1;
	*lo = 0;
	*hi = UINT64_MAX;
	if ((left == 0 && right == 0) || (left && !lex_number(s, left, lo)) ||
	    (right && !lex_number(dash + 1, right, hi)))
		return false;
	return *lo <= *hi;
}

bool
lex_triple(const char *s, size_t len, uint64_t value[3])
{
	const char *end = s + len;
	for (int i = 0; i < 3; i++) {
		const char *comma = memchr(s, ',', (size_t)(end - s));
		if ((comma == NULL) != (i == 2))
			return false;
		const char *stop = comma ? comma : end;
		if (!lex_number(s, (size_t)(stop - s), &value[i]))
			return false;
		s = stop + 1;
	}
	return true;
}

bool
lex_is_number(const struct lex *l)
{
	uint64_t v[3];
	const char *s = l->text + l->at;
	return l->type == LEX_WORD &&
	       (lex_range(s, l->len, &v[0], &v[1]) || lex_triple(s, l->len, v));
}
