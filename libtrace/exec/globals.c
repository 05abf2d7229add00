/* Variables of a module: where they are in device memory and what they hold at first. */
#include <string.h>
#include "base/buf.h"
#include "exec/device.h"

static uint64_t
value_of(const struct ptx_init *in)
{
	uint64_t v = in->bits;
	if (in->sym) {
		v += in->sym->user;
		if (in->generic && in->sym->space == WCP_SPACE_SHARED)
			v += EXEC_SHARED_WINDOW;
		else if (in->generic && in->sym->space == WCP_SPACE_LOCAL)
			v += EXEC_LOCAL_WINDOW;
	}
	if (in->mask_shift) {
		/* mask(sym): one byte of the address, as in 0xFF00(sym) */
		unsigned shift = (unsigned)__builtin_ctzll(in->mask_shift) & ~7u;
		v = (v & in->mask_shift) >> shift;
	}
	return v;
}

static int
place(struct wcp_device *d, struct ptx_symbol *s, struct wcp_error *e)
{
	if (s->kind != PTX_SYM_VAR || !s->bytes || s->is_extern ||
	    (s->space != WCP_SPACE_GLOBAL && s->space != WCP_SPACE_CONST))
		return 0;
	if (d->options.place)
		s->user = d->options.place(d->options.place_arg, s->name, s->bytes, s->is_managed);
	if (s->user)
		return 0;
	s->user = exec_memory_alloc(&d->memory, s->bytes, s->name, e);
	if (!s->user)
		return WCP_ESYS;
	return exec_host_op(d, WCP_HOST_ALLOC, s->user, s->bytes, 0, s->name, e);
}

static int
initialise(struct wcp_device *d, const struct ptx_symbol *s, struct wcp_error *e)
{
	char *to = s->user && s->n_init ? wcp_device_host(d, s->user, s->bytes) : NULL;
	if (!to || s->kind != PTX_SYM_VAR ||
	    (s->space != WCP_SPACE_GLOBAL && s->space != WCP_SPACE_CONST))
		return 0;
	for (uint32_t i = 0; i < s->n_init; i++) {
		const struct ptx_init *in = &s->init[i];
		const uint64_t v = value_of(in), bytes = ptx_type_bytes(in->type);
		if (in->offset > s->bytes || bytes > s->bytes - in->offset || bytes > 8)
			return wcp_fail(e, WCP_EDATA,
			    "line %u: initialiser of '%s' is longer than the variable", s->line,
			    s->name);
		memcpy(to + in->offset, &v, bytes);
	}
	return exec_host_op(d, WCP_HOST_COPY_IN, s->user, s->bytes, 0, s->name, e);
}

typedef int each_fn(struct wcp_device *d, struct ptx_symbol *s, struct wcp_error *e);

/* Variables of the module and those declared inside functions. */
static int
each_variable(struct wcp_device *d, struct ptx_module *m, each_fn *fn, struct wcp_error *e)
{
	int r = 0;
	for (uint32_t i = 0; !r && i < m->n_sym; i++)
		r = fn(d, m->sym[i], e);
	for (uint32_t f = 0; !r && f < m->n_func; f++)
		for (uint32_t i = 0; !r && i < m->func[f]->n_local; i++)
			r = fn(d, m->func[f]->local[i], e);
	return r;
}

static int
initialise_each(struct wcp_device *d, struct ptx_symbol *s, struct wcp_error *e)
{
	return initialise(d, s, e);
}

/* The function's address: the next number. */
static int
place_function(struct wcp_device *d, struct wcp_module *m, struct ptx_symbol *s)
{
	if (base_grow(&d->function, &d->cap_function, d->n_functions + 1, sizeof *d->function))
		return WCP_ESYS;
	d->function[d->n_functions] = (struct exec_function){m, s->func};
	s->user = EXEC_CODE_WINDOW + 16 * ++d->n_functions;
	return 0;
}

int
exec_place_globals(struct wcp_device *d, struct wcp_module *m, struct wcp_error *e)
{
	int r;
	for (uint32_t i = 0; i < m->ptx->n_sym; i++) {
		struct ptx_symbol *s = m->ptx->sym[i];
		if (s->kind == PTX_SYM_FUNC && s->func && s->func->has_body &&
		    place_function(d, m, s))
			return wcp_fail(e, WCP_ESYS, "out of memory");
	}
	r = each_variable(d, m->ptx, place, e);
	return r ? r : each_variable(d, m->ptx, initialise_each, e);
}
