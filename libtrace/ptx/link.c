/*
 * Several modules become one, as nvlink does it with relocatable device code: a name means the same
 * in all modules if it is .visible, .weak, .common or .extern, and is a module's own otherwise.
 * PTX ISA section 5.4 and 11.6.
 *
 * While modules are linked, symbol.user of a symbol that gives way to another's is that other one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ptx/arena.h"
#include "ptx/parse.h"

/* How strong a symbol's claim to its name is; the stronger one is the definition. */
enum claim {
	CLAIM_OWN, /* another module's symbol of this name is another symbol */
	CLAIM_REFERENCE,
	CLAIM_COMMON,
	CLAIM_WEAK,
	CLAIM_STRONG,
};

struct linker {
	struct ptx_module *out;
	const char *const *module; /* [out->n_part] names, for messages */
	struct wcp_error *e;
};

static enum claim
claim_of(const struct ptx_symbol *s)
{
	const bool defined = s->kind == PTX_SYM_FUNC ? s->func && s->func->has_body : !s->is_extern;
	if (!defined)
		return CLAIM_REFERENCE;
	return s->is_common    ? CLAIM_COMMON
	       : s->is_weak    ? CLAIM_WEAK
	       : s->is_visible ? CLAIM_STRONG
			       : CLAIM_OWN;
}

static bool
same_shape(struct ptx_symbol *const *a, uint32_t n_a, struct ptx_symbol *const *b, uint32_t n_b)
{
	bool same = n_a == n_b;
	for (uint32_t i = 0; same && i < n_a; i++)
		same = a[i]->bytes == b[i]->bytes;
	return same;
}

/* What keeps two symbols of a name from being one; NULL: nothing. */
static const char *
mismatch(const struct ptx_symbol *a, const struct ptx_symbol *b)
{
	if (a->kind != b->kind)
		return "a function in one and a variable in the other";
	if (a->kind == PTX_SYM_FUNC) {
		const struct ptx_func *f = a->func, *g = b->func;
		if (f->is_entry != g->is_entry)
			return "a kernel in one and a function in the other";
		if (!same_shape(f->sig.ret, f->sig.n_ret, g->sig.ret, g->sig.n_ret) ||
		    !same_shape(f->sig.param, f->sig.n_param, g->sig.param, g->sig.n_param))
			return "with different parameters";
		return NULL;
	}
	if (a->space != b->space)
		return "in different state spaces";
	if (a->bytes && b->bytes && a->bytes != b->bytes && !(a->is_common && b->is_common) &&
	    !(a->space == WCP_SPACE_SHARED && a->is_extern && b->is_extern))
		return "with different sizes";
	return NULL;
}

static int
no_memory(struct linker *l)
{
	return wcp_fail(l->e, WCP_ESYS, "no memory");
}

static struct name *
name_in(struct linker *l, const char *text)
{
	return pt_arena_name(l->out->arena, text, strlen(text));
}

/* Two symbols of one name, b the later one: one of them gives way. */
static int
settle(struct linker *l, struct name *name, struct ptx_symbol *b)
{
	struct ptx_symbol *a = name->symbol;
	const enum claim ca = claim_of(a), cb = claim_of(b);
	const char *why = mismatch(a, b);
	if (!why && ca == CLAIM_STRONG && cb == CLAIM_STRONG)
		return wcp_fail(l->e, WCP_EDATA,
		    "'%s' is defined in module '%s' and in module '%s'", b->name, a->module,
		    b->module);
	if (why)
		return wcp_fail(l->e, WCP_EDATA, "'%s' is in module '%s' and in module '%s' %s",
		    b->name, a->module, b->module, why);
	const bool replace = cb > ca || (cb == ca && cb == CLAIM_COMMON && b->bytes > a->bytes);
	struct ptx_symbol *stays = replace ? b : a, *goes = replace ? a : b;
	if (goes->align > stays->align)
		stays->align = goes->align;
	goes->user = (uint64_t)(uintptr_t)stays;
	name->symbol = stays;
	return 0;
}

/* The symbols that all modules share; those that are a module's own wait for claim_own. */
static int
claim_shared(struct linker *l, struct ptx_module *m, const char *module)
{
	for (uint32_t i = 0; i < m->n_sym; i++) {
		struct ptx_symbol *s = m->sym[i];
		s->module = module;
		if (claim_of(s) == CLAIM_OWN)
			continue;
		struct name *name = name_in(l, s->name);
		if (!name)
			return no_memory(l);
		const int r = name->symbol ? settle(l, name, s) : 0;
		if (r)
			return r;
		if (!name->symbol)
			name->symbol = s;
	}
	return 0;
}

/* A module's own symbols are told apart by name where another one has it. */
static int
claim_own(struct linker *l, struct ptx_module *m, uint32_t part)
{
	for (uint32_t i = 0; i < m->n_sym; i++) {
		struct ptx_symbol *s = m->sym[i];
		if (claim_of(s) != CLAIM_OWN)
			continue;
		struct name *name = name_in(l, s->name);
		if (name && name->symbol) {
			char *text;
			if (asprintf(&text, "%s@%u", s->name, part) < 0)
				return no_memory(l);
			name = name_in(l, text);
			free(text);
		}
		if (!name)
			return no_memory(l);
		name->symbol = s;
		if (s->kind == PTX_SYM_FUNC && s->func->name == s->name)
			s->func->name = name->text;
		s->name = name->text;
	}
	return 0;
}

/* ---- references ---- */

static struct ptx_symbol *
final(struct ptx_symbol *s)
{
	while (s && (s->kind == PTX_SYM_VAR || s->kind == PTX_SYM_FUNC) && s->user)
		s = (struct ptx_symbol *)(uintptr_t)s->user;
	return s;
}

static void
redirect_operand(struct ptx_operand *op)
{
	op->sym = final(op->sym);
	for (uint32_t i = 0; i < op->n_sub; i++)
		redirect_operand(&op->sub[i]);
}

static void
redirect_inits(struct ptx_symbol *s)
{
	for (uint32_t i = 0; i < s->n_init; i++)
		s->init[i].sym = final(s->init[i].sym);
}

static void
redirect_function(struct ptx_func *f, uint32_t file_base)
{
	for (uint32_t i = 0; i < f->n_insn; i++) {
		for (uint32_t k = 0; k < f->insn[i].n_op; k++)
			redirect_operand(&f->insn[i].op[k]);
		f->insn[i].loc_file += f->insn[i].loc_line ? file_base : 0;
		f->insn[i].inlined_file += f->insn[i].inlined_line ? file_base : 0;
	}
	for (uint32_t i = 0; i < f->n_table; i++)
		for (uint32_t k = 0; f->table[i].callee && k < f->table[i].n; k++)
			f->table[i].callee[k] = final(f->table[i].callee[k]);
	for (uint32_t i = 0; i < f->n_local; i++)
		redirect_inits(f->local[i]);
}

static void
redirect_module(struct ptx_module *m, uint32_t file_base)
{
	for (uint32_t i = 0; i < m->n_sym; i++)
		redirect_inits(m->sym[i]);
	for (uint32_t i = 0; i < m->n_func; i++)
		redirect_function(m->func[i], file_base);
}

/* ---- the whole ---- */

static void
gather_files(struct ptx_module *out, struct ptx_module *m)
{
	for (uint32_t i = 0; i < m->n_file; i++)
		out->file[out->n_file++] = m->file[i];
}

/* The symbols that stay. A function goes with the symbol of its name: an .alias has another's. */
static void
gather_symbols(struct ptx_module *out, struct ptx_module *m)
{
	for (uint32_t i = 0; i < m->n_sym; i++) {
		struct ptx_symbol *s = m->sym[i];
		if (s->user)
			continue;
		out->sym[out->n_sym++] = s;
		if (s->kind == PTX_SYM_FUNC && s->func->name == s->name)
			out->func[out->n_func++] = s->func;
	}
}

static int
make_room(struct linker *l)
{
	struct ptx_module *out = l->out;
	size_t sym = 1, func = 1, file = 1;
	for (uint32_t i = 0; i < out->n_part; i++) {
		sym += out->part[i]->n_sym;
		func += out->part[i]->n_func;
		file += out->part[i]->n_file;
	}
	out->sym = pt_arena_alloc(out->arena, sym * sizeof *out->sym);
	out->func = pt_arena_alloc(out->arena, func * sizeof *out->func);
	out->file = pt_arena_alloc(out->arena, file * sizeof *out->file);
	return out->sym && out->func && out->file ? 0 : no_memory(l);
}

static int
check_part(struct linker *l, uint32_t i)
{
	struct ptx_module *out = l->out, *m = out->part[i];
	if (i && m->address_size != out->address_size)
		return wcp_fail(l->e, WCP_EDATA,
		    "module '%s' has addresses of %u bits, module '%s' of %u", l->module[0],
		    out->address_size, l->module[i], m->address_size);
	out->address_size = m->address_size;
	if (m->sm > out->sm) {
		out->sm = m->sm;
		out->target = m->target;
	}
	if (m->version_major * 256 + m->version_minor >
	    out->version_major * 256 + out->version_minor) {
		out->version_major = m->version_major;
		out->version_minor = m->version_minor;
	}
	return 0;
}

static int
link_parts(struct linker *l)
{
	struct ptx_module *out = l->out;
	int r = make_room(l);
	for (uint32_t i = 0; !r && i < out->n_part; i++) {
		const struct name *module = name_in(l, l->module[i]);
		r = module ? check_part(l, i) : no_memory(l);
		if (!r)
			r = claim_shared(l, out->part[i], module->text);
	}
	for (uint32_t i = 0; !r && i < out->n_part; i++)
		r = claim_own(l, out->part[i], i);
	if (r)
		return r;
	for (uint32_t i = 0; i < out->n_part; i++) {
		redirect_module(out->part[i], out->n_file);
		gather_symbols(out, out->part[i]);
		gather_files(out, out->part[i]);
	}
	for (uint32_t i = 0; i < out->n_part; i++)
		for (uint32_t k = 0; k < out->part[i]->n_sym; k++)
			out->part[i]->sym[k]->user = 0;
	return 0;
}

struct ptx_module *
ptx_link(struct ptx_module *const *m, const char *const *name, uint32_t n, struct wcp_error *e)
{
	struct ptx_module *out = calloc(1, sizeof *out);
	if (out) {
		out->arena = calloc(1, sizeof *out->arena);
		out->part = calloc(n + 1ul, sizeof *out->part);
		out->target = "";
	}
	if (!out || !out->arena || !out->part) {
		if (out) {
			free(out->arena);
			free(out->part);
		}
		free(out);
		for (uint32_t i = 0; i < n; i++)
			ptx_free(m[i]);
		wcp_fail(e, WCP_ESYS, "no memory");
		return NULL;
	}
	memcpy(out->part, m, n * sizeof *m);
	out->n_part = n;
	struct linker l = {.out = out, .module = name, .e = e};
	if (link_parts(&l)) {
		ptx_free(out);
		return NULL;
	}
	return out;
}
