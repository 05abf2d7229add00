/* Compiling, and what a filter learns from the kernels and programs of its stream. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include "filter/filter.h"

struct wcp_filter *
wcp_filter_compile(const char *expression, enum wcp_link link, struct wcp_error *e)
{
	struct wcp_filter *f = calloc(1, sizeof *f);
	if (!f) {
		wcp_fail(e, WCP_ESYS, "filter: out of memory");
		return NULL;
	}
	f->link = link;
	if (filter_parse(f, expression, e) < 0 || filter_verify(f, e) < 0) {
		wcp_filter_free(f);
		return NULL;
	}
	return f;
}

void
wcp_filter_free(struct wcp_filter *f)
{
	if (!f)
		return;
	for (uint32_t i = 0; i < f->n_name; i++)
		free(f->name[i]);
	for (uint32_t i = 0; i < f->n_test; i++)
		free(f->test[i].text);
	for (uint32_t i = 0; i < f->n_program; i++)
		free(f->program[i].pass);
	free(f->op);
	free(f->name);
	free(f->test);
	free(f->kernel);
	free(f->named);
	free(f->program);
	free(f);
}

uint32_t
wcp_filter_columns(const struct wcp_filter *f)
{
	return f->columns;
}

/* A file is known by its whole path or by any tail of it that begins after a slash. */
static bool
file_matches(const char *pattern, const char *path)
{
	for (const char *p = path; p; p = strchr(p, '/'), p = p ? p + 1 : NULL)
		if (fnmatch(pattern, p, 0) == 0)
			return true;
	return false;
}

static const char *
string_at(const struct wcp_program *p, uint32_t offset)
{
	return offset < p->n_string ? p->strings + offset : "";
}

static bool
in_range(uint64_t v, const struct filter_test *t)
{
	return v >= t->lo && v <= t->hi;
}

static bool
insn_passes(const struct filter_test *t, const struct wcp_program *p, const struct wcp_insn *in)
{
	switch (t->kind) {
	case TEST_LINE:
		return in->file != WCP_NONE32 && in_range(in->line, t) &&
		       (t->text[0] == 0 || file_matches(t->text, string_at(p, in->file)));
	case TEST_CLASS: return in->op_class < 64 && (t->lo >> in->op_class) & 1;
	case TEST_OPCODE: return fnmatch(t->text, string_at(p, in->opcode), 0) == 0;
	case TEST_KIND:
		return (in->flags & WCP_INSN_MEMORY) && in->kind < 64 && (t->lo >> in->kind) & 1;
	case TEST_BYTES: return (in->flags & WCP_INSN_MEMORY) && in_range(in->bytes, t);
	case TEST_FLAGS: return (in->flags & t->lo) != 0;
	}
	return false;
}

static int
grow_kernels(struct wcp_filter *f, uint32_t id)
{
	uint32_t n = f->n_kernel ? f->n_kernel : 16;
	while (n <= id)
		n *= 2;
	if (id < f->n_kernel)
		return 0;
	struct filter_kernel *kernel = realloc(f->kernel, n * sizeof *kernel);
	if (!kernel)
		return -1;
	f->kernel = kernel;
	uint8_t *named = realloc(f->named, (size_t)n * f->n_name + 1);
	if (!named)
		return -1;
	f->named = named;
	memset(kernel + f->n_kernel, 0, (n - f->n_kernel) * sizeof *kernel);
	f->n_kernel = n;
	return 0;
}

static struct filter_program *
program_entry(struct wcp_filter *f, uint32_t id)
{
	uint32_t n = f->n_program ? f->n_program : 16;
	while (n <= id)
		n *= 2;
	if (id < f->n_program)
		return &f->program[id];
	struct filter_program *program = realloc(f->program, n * sizeof *program);
	if (!program)
		return NULL;
	memset(program + f->n_program, 0, (n - f->n_program) * sizeof *program);
	f->program = program;
	f->n_program = n;
	return &f->program[id];
}

static int
learn_program(struct wcp_filter *f, const struct wcp_program *p)
{
	struct filter_program *entry = program_entry(f, p->id);
	size_t words = ((size_t)p->n_insn + 63) / 64;
	if (!entry)
		return -1;
	if (entry->pass)
		return 0;
	if (!(entry->pass = calloc(f->n_test * words + 1, sizeof *entry->pass)))
		return -1;
	entry->n_insn = p->n_insn;
	for (uint32_t t = 0; t < f->n_test; t++)
		for (uint32_t pc = 0; pc < p->n_insn; pc++)
			if (insn_passes(&f->test[t], p, &p->insn[pc]))
				entry->pass[t * words + pc / 64] |= 1ull << (pc % 64);
	return 0;
}

/* Ids are dense; one this large is damage, and would only exhaust memory. */
enum { ID_LIMIT = 1 << 26 };

int
wcp_filter_kernel(struct wcp_filter *f, const struct wcp_kernel *k, const struct wcp_program *p,
    struct wcp_error *e)
{
	if (k->id >= ID_LIMIT || (p && p->id >= ID_LIMIT))
		return wcp_fail(e, WCP_EDATA, "filter: kernel %u has an impossible number", k->id);
	if (f->n_test && !p)
		return wcp_fail(e, WCP_EDATA,
		    "filter: kernel %u (%s) has no static program, which 'line', 'class' or "
		    "'opcode' needs",
		    k->id, k->name ? k->name : "");
	if (grow_kernels(f, k->id) < 0 || (f->n_test && p && learn_program(f, p) < 0))
		return wcp_fail(e, WCP_ESYS, "filter: out of memory");
	struct filter_kernel *entry = &f->kernel[k->id];
	entry->program = p ? p->id : WCP_NONE32;
	for (int i = 0; i < 3; i++)
		entry->grid[i] = k->grid[i];
	for (uint32_t i = 0; i < f->n_name; i++)
		f->named[(size_t)k->id * f->n_name + i] =
		    k->name && fnmatch(f->name[i], k->name, 0) == 0;
	entry->known = true;
	return 0;
}
