/* Opening inputs, and what of their programs and kernels is wanted. */
#include <stdlib.h>
#include <string.h>
#include "cut.h"

int
cut_fail(struct cut *c, enum wcp_status status, const char *what)
{
	return wcp_fail(&c->error, status, "%s", what);
}

int
cut_grow(struct cut *c, void *array, uint32_t *n, uint32_t i, size_t size)
{
	char **p = array;
	uint32_t want = *n ? *n : 8;
	if (i >= 1u << 28)
		return cut_fail(c, WCP_EDATA, "a kernel or program has an impossible number");
	while (want <= i)
		want *= 2;
	if (want == *n)
		return 0;
	char *grown = realloc(*p, want * size);
	if (!grown)
		return cut_fail(c, WCP_ESYS, "out of memory");
	memset(grown + *n * size, 0, (want - *n) * size);
	*p = grown;
	*n = want;
	return 0;
}

/* A number or range is taken as one, everything else as a pattern. */
static bool
is_range(const char *s)
{
	return s[0] && s[strspn(s, "0123456789-")] == 0;
}

static void
add_kernels(FILE *f, const struct cut *c)
{
	for (uint32_t i = 0; i < c->n_kernel; i++)
		fprintf(f, is_range(c->kernel[i]) ? "%skernel %s" : "%skernel \"%s\"",
		    i ? " or " : "", c->kernel[i]);
}

/* -F and the slices as one expression, so that its answers from the index skip blocks for all of
 * them. */
static char *
expression(const struct cut *c, bool kernels_only)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	if (!f)
		return NULL;
	if (c->tool->filter && !kernels_only)
		fprintf(f, "(%s) ", c->tool->filter[0] ? c->tool->filter : "kernel 0-");
	if (c->n_kernel) {
		fputc('(', f);
		add_kernels(f, c);
		fputs(") ", f);
	}
	if (c->has_cta && !kernels_only)
		fprintf(f, "cta %llu-%llu ", (unsigned long long)c->cta_first,
		    (unsigned long long)c->cta_last);
	if (c->has_cycle && !kernels_only)
		fprintf(f, "cycle %llu-%llu ", (unsigned long long)c->cycle_first,
		    (unsigned long long)c->cycle_last);
	if (fclose(f) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

/* The expression is checked alone first, so that a mistake is shown in what was typed. */
static bool
check_filter(struct cut *c, int *status)
{
	struct wcp_error e = {0};
	struct tool *t = c->tool;
	for (uint32_t i = 0; i < c->n_kernel; i++)
		if (strchr(c->kernel[i], '"')) {
			*status = tool_usage(t, "--kernel: a pattern holds no quotation marks");
			return false;
		}
	if (!t->filter)
		return true;
	struct wcp_filter *f = wcp_filter_compile(t->filter, WCP_LINK_ANY, &e);
	wcp_filter_free(f);
	if (!f) {
		*status = tool_fail(t, -(int)e.status, "-F: %s", e.text);
		fprintf(stderr, "    %s\n    %*s^\n", t->filter, (int)e.offset, "");
	}
	return f != NULL;
}

static bool
open_one(struct cut *c, struct input *in, int *status)
{
	struct tool *t = c->tool;
	struct wcp_error e = {0};
	in->name = tool_input_name(t, (int)in->number);
	in->reader = tool_open_reader(t, (int)in->number, c->link, 0, &in->filter, status);
	if (!in->reader)
		return false;
	c->link = wcp_reader_link(in->reader);
	if (c->has_cycle && c->link == WCP_LINK_WARP) {
		*status = tool_fail(t, 2, "--cycle: a WARP stream has no time in it");
		return false;
	}
	if (!c->n_kernel)
		return true;
	char *text = expression(c, true);
	in->kernel_filter = text ? wcp_filter_compile(text, c->link, &e) : NULL;
	free(text);
	if (!in->kernel_filter)
		*status = tool_fail(t, 2, "--kernel: %s", e.text);
	return in->kernel_filter != NULL;
}

bool
input_open_all(struct cut *c, int *status)
{
	struct tool *t = c->tool;
	if (!check_filter(c, status))
		return false;
	char *text = expression(c, false);
	const char *given = t->filter;
	c->n_input = t->argc ? (uint32_t)t->argc : 1;
	c->input = calloc(c->n_input, sizeof *c->input);
	if (!text || !c->input) {
		free(text);
		*status = tool_fail(t, 4, "out of memory");
		return false;
	}
	t->filter = text[0] ? text : NULL;
	bool ok = true;
	for (uint32_t i = 0; i < c->n_input && ok; i++) {
		c->input[i].number = i;
		ok = open_one(c, &c->input[i], status);
	}
	t->filter = given;
	free(text);
	return ok;
}

void
input_close_all(struct cut *c)
{
	for (uint32_t i = 0; c->input && i < c->n_input; i++) {
		struct input *in = &c->input[i];
		wcp_reader_close(in->reader);
		wcp_filter_free(in->filter);
		wcp_filter_free(in->kernel_filter);
		wcp_access_batch_release(&in->ready);
		free(in->program);
		free(in->ordinal);
	}
	free(c->input);
	free(c->program);
}

static bool
same_program(const struct wcp_program *a, const struct wcp_program *b)
{
	return a->n_insn == b->n_insn && a->n_reg == b->n_reg && a->n_string == b->n_string &&
	       strcmp(a->name ? a->name : "", b->name ? b->name : "") == 0 &&
	       (!a->n_string || memcmp(a->strings, b->strings, a->n_string) == 0) &&
	       (!a->n_insn || memcmp(a->insn, b->insn, a->n_insn * sizeof *a->insn) == 0) &&
	       (!a->n_reg || memcmp(a->reg, b->reg, a->n_reg * sizeof *a->reg) == 0);
}

int
input_learn_program(struct cut *c, struct input *in, const struct wcp_program *p)
{
	int r = cut_grow(c, &in->program, &in->n_program, p->id, sizeof *in->program);
	if (r < 0)
		return r;
	uint32_t i = 0;
	while (i < c->n_program && !same_program(c->program[i], p))
		i++;
	if (i == c->n_program) {
		const struct wcp_program **grown =
		    realloc(c->program, (i + 1) * sizeof *c->program);
		if (!grown)
			return cut_fail(c, WCP_ESYS, "out of memory");
		c->program = grown;
		c->program[c->n_program++] = p;
	}
	in->program[p->id] = i + 1;
	return 0;
}

int
input_learn_kernel(struct cut *c, struct input *in, const struct wcp_kernel *k)
{
	const struct wcp_program *p =
	    k->program == WCP_NONE32 ? NULL : wcp_reader_program(in->reader, k->program);
	int r = cut_grow(c, &in->ordinal, &in->n_kernel, k->id, sizeof *in->ordinal);
	if (r == 0 && in->filter)
		r = wcp_filter_kernel(in->filter, k, p, &c->error);
	if (r == 0 && in->kernel_filter)
		r = wcp_filter_kernel(in->kernel_filter, k, p, &c->error);
	if (r < 0)
		return r;
	const struct wcp_block_info whole = {
	    .type = WCP_ITEM_WARP, .kernel = k->id, .hi = UINT64_MAX};
	c->n_ordinal++;
	if (!in->kernel_filter || wcp_filter_block(in->kernel_filter, &whole))
		in->ordinal[k->id] = c->n_ordinal;
	else
		c->left_out = true;
	return 0;
}

bool
input_wants(const struct input *in, uint32_t kernel)
{
	return kernel < in->n_kernel && in->ordinal[kernel];
}
