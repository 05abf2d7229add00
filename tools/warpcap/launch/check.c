/* What can be said of a launch file before it runs: it fits the module or it does not. */
#include <stdio.h>
#include <string.h>
#include "run.h"

static const struct ptx_func *
find_kernel(const struct ptx_module *ptx, const char *name)
{
	for (uint32_t f = 0; f < ptx->n_func; f++)
		if (ptx->func[f]->is_entry && !strcmp(ptx->func[f]->name, name))
			return ptx->func[f];
	return NULL;
}

/* "a, b, ..." of the module's kernels. */
static void
list_kernels(const struct ptx_module *ptx, char *text, size_t bytes)
{
	size_t n = 0;
	text[0] = 0;
	for (uint32_t f = 0; f < ptx->n_func && n < bytes; f++)
		if (ptx->func[f]->is_entry)
			n += (size_t)snprintf(
			    text + n, bytes - n, "%s%.80s", n ? ", " : "", ptx->func[f]->name);
}

static int
check_launch(const struct statement *s, const struct ptx_module *ptx, struct wcp_error *e)
{
	const struct ptx_func *kernel = find_kernel(ptx, s->kernel);
	if (!kernel) {
		char names[200];
		list_kernels(ptx, names, sizeof names);
		return wcp_fail(e, WCP_EDATA, "line %u: the PTX has no kernel '%.80s'%s%s", s->line,
		    s->kernel, names[0] ? "; it has " : ", nor any other", names);
	}
	if (kernel->sig.n_param != s->n_arg)
		return wcp_fail(e, WCP_EDATA,
		    "line %u: kernel '%.80s' takes %u arguments, %u are given", s->line, s->kernel,
		    kernel->sig.n_param, s->n_arg);
	return 0;
}

static int
check_variable(const struct buffer *b, const struct ptx_module *ptx, struct wcp_error *e)
{
	const struct ptx_symbol *sym = ptx_find(ptx, b->name);
	bool memory = sym && sym->kind == PTX_SYM_VAR &&
		      (sym->space == WCP_SPACE_GLOBAL || sym->space == WCP_SPACE_CONST);
	if (!memory)
		return wcp_fail(e, WCP_EDATA,
		    "line %u: the PTX has no .global or .const variable '%.80s'", b->line, b->name);
	if (sym->bytes % ptx_type_bytes(b->type))
		return wcp_fail(e, WCP_EDATA,
		    "line %u: variable '%.80s' has %llu bytes, no multiple of .%s", b->line,
		    b->name, (unsigned long long)sym->bytes, ptx_type_name(b->type));
	return 0;
}

static int
check_block(const struct launch_file *f, const struct statement *s, const struct ptx_module *ptx,
    struct wcp_error *e)
{
	int status = 0;
	for (; s && status == 0; s = s->next) {
		if (s->kind == STATEMENT_LAUNCH)
			status = check_launch(s, ptx, e);
		else if (s->kind == STATEMENT_VARIABLE)
			status = check_variable(&f->buffer[s->buffer], ptx, e);
		else if (s->body)
			status = check_block(f, s->body, ptx, e);
	}
	return status;
}

int
launch_check(const struct launch_file *f, const struct ptx_module *ptx, struct wcp_error *e)
{
	return check_block(f, f->first, ptx, e);
}
