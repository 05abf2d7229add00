/*
 * printf in kernels. nvcc passes the arguments in memory, each at its natural alignment after C's
 * promotions: 4 bytes, or 8 for double, long and pointers. A lane prints as a whole, lanes in their
 * order. Source: CUDA C++ Programming Guide, "Formatted Output".
 */
#include <stdio.h>
#include <stdlib.h>
#include "exec/access.h"
#include "exec/builtin.h"

#define SPEC_MAX   64
#define WIDTH_MAX  4096
#define STRING_MAX 4096

bool
exec_text_add(struct exec_text *t, const char *text, size_t n)
{
	if (t->n + n > t->cap) {
		const size_t cap = 2 * (t->n + n) + 256;
		char *p = realloc(t->at, cap);
		if (!p)
			return false;
		t->at = p;
		t->cap = cap;
	}
	if (n)
		memcpy(t->at + t->n, text, n);
	t->n += n;
	return true;
}

struct print {
	struct warp *w;
	uint32_t lane;
	struct exec_text *out;
	const char *arg; /* the arguments as the lane left them */
	uint64_t at, left;
	int n_arg;
};

static uint64_t
next_arg(struct print *p, unsigned bytes)
{
	uint64_t v = 0;
	p->at = (p->at + bytes - 1) & ~(uint64_t)(bytes - 1);
	if (p->arg && p->at + bytes <= p->left)
		memcpy(&v, p->arg + p->at, bytes);
	p->at += bytes;
	p->n_arg++;
	return v;
}

/* One conversion: %[flags][width][.precision][size]letter, rebuilt for the host's printf. */
struct spec {
	char flags[8];
	int width, precision; /* -1: none */
	unsigned longs;	      /* l: 1, ll: 2; z, j, t: 1 */
	unsigned shorts;      /* h: 1, hh: 2 */
	char letter;
};

static const char *
parse_number(struct print *p, const char *s, int *value)
{
	if (*s == '*') {
		const int v = (int)next_arg(p, 4);
		*value = v > WIDTH_MAX ? WIDTH_MAX : v < -WIDTH_MAX ? -WIDTH_MAX : v;
		return s + 1;
	}
	for (*value = 0; *s >= '0' && *s <= '9'; s++)
		*value = *value < WIDTH_MAX ? 10 * *value + (*s - '0') : WIDTH_MAX;
	return s;
}

static const char *
parse(struct print *p, const char *s, struct spec *spec)
{
	size_t n = 0;
	*spec = (struct spec){.width = -1, .precision = -1};
	for (; *s && strchr("-+ #0", *s); s++)
		if (n + 2 < sizeof spec->flags && !strchr(spec->flags, *s))
			spec->flags[n++] = *s;
	if (*s == '*' || (*s >= '1' && *s <= '9'))
		s = parse_number(p, s, &spec->width);
	if (spec->width < -1) {
		if (!strchr(spec->flags, '-'))
			spec->flags[n] = '-';
		spec->width = -spec->width;
	}
	if (*s == '.')
		s = parse_number(p, s + 1, &spec->precision);
	for (; *s && strchr("hlqjzt", *s); s++) {
		spec->shorts += *s == 'h';
		spec->longs += *s == 'l' || *s == 'z' || *s == 'j' || *s == 't' || *s == 'q';
	}
	spec->letter = *s;
	return *s ? s + 1 : s;
}

static void
put_padded(struct print *p, const struct spec *spec, const char *text, size_t n)
{
	const size_t width = spec->width > 0 ? (size_t)spec->width : 0;
	const bool left = strchr(spec->flags, '-') != NULL;
	if (left)
		exec_text_add(p->out, text, n);
	for (size_t i = n; i < width; i++)
		exec_text_add(p->out, " ", 1);
	if (!left)
		exec_text_add(p->out, text, n);
}

static void
put_string(struct print *p, const struct spec *spec)
{
	char text[STRING_MAX];
	const uint64_t at = next_arg(p, 8);
	if (at)
		builtin_string(p->w, p->lane, at, text, sizeof text);
	else
		memcpy(text, "(null)", 7);
	put_padded(p, spec, text,
	    spec->precision >= 0 ? strnlen(text, (size_t)spec->precision) : strlen(text));
}

static int64_t
signed_arg(struct print *p, const struct spec *spec)
{
	if (spec->longs)
		return (int64_t)next_arg(p, 8);
	const int32_t v = (int32_t)next_arg(p, 4);
	return spec->shorts > 1 ? (int8_t)v : spec->shorts ? (int16_t)v : v;
}

static uint64_t
unsigned_arg(struct print *p, const struct spec *spec)
{
	if (spec->longs)
		return next_arg(p, 8);
	const uint32_t v = (uint32_t)next_arg(p, 4);
	return spec->shorts > 1 ? (uint8_t)v : spec->shorts ? (uint16_t)v : v;
}

#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#endif
/* The formats are made here, of letters that fit the argument. */
static void
put_number(struct print *p, const struct spec *spec)
{
	char format[SPEC_MAX], width[16] = "", precision[16] = "", text[2 * WIDTH_MAX + 512];
	const bool real = strchr("aAeEfFgG", spec->letter) != NULL;
	const bool sign = spec->letter == 'd' || spec->letter == 'i';
	int n;
	if (spec->width >= 0)
		snprintf(width, sizeof width, "%d", spec->width);
	if (spec->precision >= 0)
		snprintf(precision, sizeof precision, ".%d", spec->precision);
	snprintf(format, sizeof format, "%%%s%s%s%s%c", spec->flags, width, precision,
	    real || spec->letter == 'p' ? "" : "ll", spec->letter);
	if (real) {
		const uint64_t bits = next_arg(p, 8);
		double v;
		memcpy(&v, &bits, 8);
		n = snprintf(text, sizeof text, format, v);
	} else if (sign) {
		n = snprintf(text, sizeof text, format, (long long)signed_arg(p, spec));
	} else if (spec->letter == 'p') {
		/* a number that only looks like one of the host's pointers */
		const uint64_t v = next_arg(p, 8);
		const void *pointer;
		memcpy(&pointer, &v, sizeof pointer);
		n = snprintf(text, sizeof text, format, pointer);
	} else {
		n = snprintf(text, sizeof text, format, (unsigned long long)unsigned_arg(p, spec));
	}
	if (n > 0)
		exec_text_add(p->out, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}
#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

static const char *
put_conversion(struct print *p, const char *s)
{
	struct spec spec;
	const char *end = parse(p, s, &spec);
	if (spec.letter == '%') {
		exec_text_add(p->out, "%", 1);
	} else if (spec.letter == 's') {
		put_string(p, &spec);
	} else if (spec.letter == 'c') {
		const char c = (char)next_arg(p, 4);
		put_padded(p, &spec, &c, 1);
	} else if (spec.letter == 'n') {
		next_arg(p, 8);
	} else if (spec.letter && strchr("diouxXpaAeEfFgG", spec.letter)) {
		put_number(p, &spec);
	} else {
		exec_text_add(
		    p->out, s - 1, (size_t)(end - s + 1)); /* none of ours: as it stands */
	}
	return end;
}

/* What it returns is the number of arguments, -1 without a format. */
static int
print_lane(struct warp *w, uint32_t lane, uint64_t format_at, uint64_t arg_at)
{
	uint64_t left;
	struct print p = {.w = w, .lane = lane, .out = &w->cta->out->text[0]};
	const char *format = exec_generic(w, lane, format_at, &left);
	char *copy = format ? strndup(format, left) : NULL;
	if (!copy)
		return -1;
	p.arg = arg_at ? exec_generic(w, lane, arg_at, &p.left) : NULL;
	for (const char *s = copy; *s;) {
		const size_t plain = strcspn(s, "%");
		exec_text_add(p.out, s, plain);
		s += plain;
		if (*s)
			s = put_conversion(&p, s + 1);
	}
	free(copy);
	return p.n_arg;
}

enum builtin_end
builtin_vprintf(
    struct warp *w, const struct insn *in, const struct builtin_call *call, uint32_t mask)
{
	(void)in;
	for (uint32_t l = 0; l < WCP_LANES; l++)
		if (mask >> l & 1) {
			const int n = print_lane(
			    w, l, builtin_u64(w, call, 0, l), builtin_u64(w, call, 1, l));
			builtin_return(w, call, l, (uint64_t)(int64_t)n);
		}
	return BUILTIN_DONE;
}
