/* Number literals. PTX ISA sections 4.5.1 and 4.5.2. */
#include <stdlib.h>
#include <string.h>
#include "ptx/parse.h"

static unsigned
digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 99;
}

static size_t
digits_at(const struct parser *p, const char *c, unsigned base)
{
	const char *start = c;
	while (c < p->end && digit_value(*c) < base)
		c++;
	return (size_t)(c - start);
}

static void
bad_number(struct parser *p, const char *why)
{
	const char *c = p->at;
	while (c < p->end && pt_is_word_char(*c))
		c++;
	size_t bytes = (size_t)(c - p->at);
	pt_fail_at(p, p->line, p->at, "number %.*s %s", (int)(bytes > 40 ? 40 : bytes), p->at, why);
}

/* 0f and eight, 0d and sixteen hexadecimal digits: the bits of a float. */
static bool
lex_exact_float(struct parser *p)
{
	char kind = p->end - p->at > 2 ? (char)(p->at[1] | 0x20) : 0;
	if (p->at[0] != '0' || (kind != 'f' && kind != 'd'))
		return false;
	unsigned n = kind == 'f' ? 8 : 16;
	if (digits_at(p, p->at + 2, 16) != n) {
		bad_number(p, kind == 'f' ? "has not eight hexadecimal digits after 0f"
					  : "has not sixteen hexadecimal digits after 0d");
		return true;
	}
	uint64_t bits = 0;
	for (unsigned i = 0; i < n; i++)
		bits = bits << 4 | digit_value(p->at[2 + i]);
	p->at += 2 + n;
	p->tok.kind = TOK_FLOAT;
	p->tok.bits = bits;
	p->tok.is_f32 = kind == 'f';
	p->tok.is_exact = true;
	if (kind == 'f') {
		float f;
		uint32_t word = (uint32_t)bits;
		memcpy(&f, &word, sizeof f);
		p->tok.real = f;
	} else {
		memcpy(&p->tok.real, &bits, sizeof bits);
	}
	return true;
}

/* Length of a decimal float at p->at, 0 if it is an integer. */
static size_t
decimal_float_bytes(const struct parser *p)
{
	const char *c = p->at + digits_at(p, p->at, 10);
	bool real = false;
	if (c < p->end && *c == '.') {
		real = true;
		c++;
		c += digits_at(p, c, 10);
	}
	if (c < p->end && (*c == 'e' || *c == 'E')) {
		const char *power = c + 1;
		if (power < p->end && (*power == '+' || *power == '-'))
			power++;
		size_t n = digits_at(p, power, 10);
		if (n) {
			real = true;
			c = power + n;
		}
	}
	return real ? (size_t)(c - p->at) : 0;
}

static bool
lex_decimal_float(struct parser *p)
{
	char copy[128];
	size_t bytes = decimal_float_bytes(p);
	if (!bytes)
		return false;
	if (bytes >= sizeof copy) {
		bad_number(p, "is too long");
		return true;
	}
	memcpy(copy, p->at, bytes);
	copy[bytes] = 0;
	char *rest;
	p->tok.kind = TOK_FLOAT;
	p->tok.real = strtod(copy, &rest);
	p->tok.is_f32 = p->tok.is_exact = false;
	memcpy(&p->tok.bits, &p->tok.real, sizeof p->tok.bits);
	if (*rest)
		bad_number(p, "is no number");
	else
		p->at += bytes;
	return true;
}

static void
lex_integer(struct parser *p)
{
	unsigned base = 10;
	const char *c = p->at;
	char second = p->end - c > 1 ? (char)(c[1] | 0x20) : 0;
	if (*c == '0' && (second == 'x' || second == 'b')) {
		base = second == 'x' ? 16 : 2;
		c += 2;
	} else if (*c == '0' && digits_at(p, c + 1, 10)) {
		base = 8;
		c++;
	}
	size_t n = digits_at(p, c, base);
	uint64_t value = 0;
	bool over = false;
	for (size_t i = 0; i < n; i++)
		over = __builtin_mul_overflow(value, base, &value) ||
		       __builtin_add_overflow(value, digit_value(c[i]), &value) || over;
	c += n;
	p->tok.is_unsigned = value >> 63;
	if (c < p->end && (*c == 'U' || *c == 'u')) {
		p->tok.is_unsigned = true;
		c++;
	}
	if (!n || (c < p->end && pt_is_word_char(*c)))
		bad_number(p, "is no number");
	else if (over)
		bad_number(p, "does not fit 64 bits");
	p->tok.kind = TOK_INT;
	p->tok.bits = value;
	if (!p->failed)
		p->at = c;
}

void
pt_lex_number(struct parser *p)
{
	if (!lex_exact_float(p) && !lex_decimal_float(p))
		lex_integer(p);
}
