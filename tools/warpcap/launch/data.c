#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "data.h"
#include "element.h"
#include "../random.h"

static int
make_expr(struct eval *v, const struct init *init, uint64_t seed, enum ptx_type type,
    uint64_t count, char *data)
{
	unsigned bytes = ptx_type_bytes(type);
	struct value x;
	if (init->seed) {
		int64_t given;
		int status = eval_integer(v, init->seed, "the seed", INT64_MIN, INT64_MAX, &given);
		if (status < 0)
			return status;
		seed = (uint64_t)given;
	}
	v->seed = seed;
	for (uint64_t k = 0; k < count; k++) {
		v->index = (int64_t)k;
		int status = eval_node(v, init->expr, &x);
		if (status < 0)
			return status;
		element_put(type, data + k * bytes, x);
	}
	return 0;
}

static int
fail_file(struct eval *v, uint32_t line, const char *path)
{
	return wcp_fail(v->error, WCP_ESYS, "line %u: %s: %s", line, path, strerror(errno));
}

static int
read_raw(struct eval *v, FILE *f, const char *path, uint32_t line, uint64_t bytes, void *data)
{
	size_t n = fread(data, 1, bytes, f);
	if (ferror(f))
		return fail_file(v, line, path);
	if (n < bytes)
		return wcp_fail(v->error, WCP_EDATA,
		    "line %u: %s has %zu bytes, %" PRIu64 " wanted", line, path, n, bytes);
	if (fgetc(f) != EOF)
		return wcp_fail(v->error, WCP_EDATA,
		    "line %u: %s has more than the %" PRIu64 " bytes wanted", line, path, bytes);
	return 0;
}

/* The next word of f; blanks and commas separate, '#' comments up to the end of the line. False at
 * the end. */
static bool
next_word(FILE *f, char word[64], uint64_t *text_line)
{
	size_t n = 0;
	int c = fgetc(f);
	while (c != EOF && (isspace(c) || c == ',' || c == '#')) {
		if (c == '#')
			while (c != EOF && c != '\n')
				c = fgetc(f);
		*text_line += c == '\n';
		c = c == EOF ? EOF : fgetc(f);
	}
	for (; c != EOF && !isspace(c) && c != ',' && c != '#'; c = fgetc(f))
		if (n < 63)
			word[n++] = (char)c;
	if (c != EOF)
		ungetc(c, f);
	word[n] = 0;
	return n != 0;
}

static bool
parse_word(enum ptx_type type, const char *word, struct value *x)
{
	char *end;
	bool integer = !element_is_real(type) && !strpbrk(word, ".eEnN");
	if (integer || (!strncmp(word, "0x", 2) && !element_is_real(type)))
		*x = value_of_integer(
		    word[0] == '-' ? strtoll(word, &end, 0) : (int64_t)strtoull(word, &end, 0));
	else
		*x = value_of_real(strtod(word, &end));
	return *end == 0;
}

static int
read_text(struct eval *v, FILE *f, const char *path, uint32_t line, enum ptx_type type,
    uint64_t count, char *data)
{
	unsigned bytes = ptx_type_bytes(type);
	uint64_t n = 0, text_line = 1;
	char word[64];
	struct value x;
	for (; next_word(f, word, &text_line); n++) {
		if (n == count)
			return wcp_fail(v->error, WCP_EDATA,
			    "line %u: %s has more than the %" PRIu64 " numbers wanted", line, path,
			    count);
		if (!parse_word(type, word, &x))
			return wcp_fail(v->error, WCP_EDATA,
			    "line %u: %s: line %" PRIu64 ": '%s' is no number", line, path,
			    text_line, word);
		element_put(type, data + n * bytes, x);
	}
	if (ferror(f))
		return fail_file(v, line, path);
	if (n < count)
		return wcp_fail(v->error, WCP_EDATA,
		    "line %u: %s has %" PRIu64 " numbers, %" PRIu64 " wanted", line, path, n,
		    count);
	return 0;
}

int
data_make(struct eval *v, const struct init *init, uint32_t line, uint64_t seed, enum ptx_type type,
    uint64_t count, void *data)
{
	if (init->kind == INIT_EXPR)
		return make_expr(v, init, seed, type, count, data);
	if (init->kind == INIT_ZERO || init->kind == INIT_NONE) {
		memset(data, 0, count * ptx_type_bytes(type));
		return 0;
	}
	FILE *f = fopen(init->path, "rb");
	if (!f)
		return fail_file(v, line, init->path);
	int status = init->kind == INIT_RAW
			 ? read_raw(v, f, init->path, line, count * ptx_type_bytes(type), data)
			 : read_text(v, f, init->path, line, type, count, data);
	fclose(f);
	return status;
}

static bool
agree(struct value got, struct value wanted, double within, double relative)
{
	if (!got.is_real && !wanted.is_real && got.i == wanted.i)
		return true;
	double g = value_real(got), w = value_real(wanted);
	if ((isnan(g) && isnan(w)) || (got.is_real && g == w))
		return true;
	return (within > 0 || relative > 0) && fabs(g - w) <= within + relative * fabs(w);
}

void
data_compare(enum ptx_type type, const void *got, const void *wanted, uint64_t count, double within,
    double relative, struct data_difference *d)
{
	unsigned bytes = ptx_type_bytes(type);
	const char *g = got, *w = wanted;
	*d = (struct data_difference){0};
	for (uint64_t k = 0; k < count; k++, g += bytes, w += bytes) {
		if (!memcmp(g, w, bytes))
			continue;
		struct value a = element_get(type, g), b = element_get(type, w);
		if (agree(a, b, within, relative))
			continue;
		if (!d->differ++) {
			d->first = k;
			d->got = a;
			d->wanted = b;
		}
	}
}

void
data_format(enum ptx_type type, struct value v, char text[32])
{
	if (!v.is_real && type == PTX_U64)
		snprintf(text, 32, "%" PRIu64, (uint64_t)v.i);
	else if (!v.is_real)
		snprintf(text, 32, "%" PRId64, v.i);
	else
		snprintf(text, 32, "%.*g", type == PTX_F64 ? 17 : type == PTX_F32 ? 9 : 5, v.r);
}

static bool
write_text(FILE *f, enum ptx_type type, const char *data, uint64_t count)
{
	char text[32];
	for (uint64_t k = 0; k < count; k++) {
		data_format(type, element_get(type, data + k * ptx_type_bytes(type)), text);
		if (fprintf(f, "%s\n", text) < 0)
			return false;
	}
	return true;
}

int
data_dump(const char *path, bool text, enum ptx_type type, const void *data, uint64_t count,
    struct wcp_error *e)
{
	bool standard = !strcmp(path, "-");
	FILE *f = standard ? stdout : fopen(path, "wb");
	if (!f)
		return wcp_fail_errno(e, "%s", path);
	bool whole = text ? write_text(f, type, data, count)
			  : fwrite(data, ptx_type_bytes(type), count, f) == count;
	whole &= fflush(f) == 0;
	int number = errno;
	if (!standard && fclose(f) && whole) {
		whole = false;
		number = errno;
	}
	errno = number;
	return whole ? 0 : wcp_fail_errno(e, "%s", path);
}
