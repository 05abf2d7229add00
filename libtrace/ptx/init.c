/* Initialisers of variables: nested lists, short ones leave zeros. PTX ISA section 5.4.4;
 * conversions are those of NVIDIA's assembler. */
#include <string.h>
#include "ptx/parse.h"

struct filler {
	struct ptx_symbol *sym;
	uint64_t dim[9]; /* vector elements are the innermost dimension */
	uint32_t n_dim;
	bool is_open;	  /* dim[0] is what the initialiser needs */
	uint64_t reached; /* scalars */
};

static uint64_t
double_bits(const struct value *v)
{
	double real = v->kind == VALUE_FLOAT ? v->real : (double)(int64_t)v->bits;
	uint64_t bits;
	memcpy(&bits, &real, sizeof bits);
	return v->is_exact && !v->is_f32 ? v->bits : bits;
}

static uint64_t
float_bits(const struct value *v)
{
	float real = v->kind == VALUE_FLOAT ? (float)v->real : (float)(int64_t)v->bits;
	uint32_t bits;
	memcpy(&bits, &real, sizeof bits);
	return v->is_exact && v->is_f32 ? v->bits : bits;
}

static uint64_t
scalar_bits(struct parser *p, enum ptx_type type, const struct value *v)
{
	bool is_real = v->kind == VALUE_FLOAT;
	unsigned bytes = ptx_type_bytes(type);
	if (type == PTX_F32 || (is_real && type == PTX_B32))
		return float_bits(v);
	if (type == PTX_F64 || (is_real && type == PTX_B64))
		return double_bits(v);
	if (is_real)
		pt_fail(p, "a .%s cannot be initialised by a real number", ptx_type_name(type));
	return bytes >= 8 ? v->bits : v->bits & ((1ull << (8 * bytes)) - 1);
}

static void
scalar(struct parser *p, const struct filler *f, uint64_t place)
{
	struct value v = pt_expression(p, true);
	struct ptx_init *init = p->failed ? NULL : pt_push(p, &p->init, sizeof *init);
	if (!init)
		return;
	enum ptx_type type = f->sym->type;
	init->offset = place * ptx_type_bytes(type);
	init->type = type;
	if (v.kind == VALUE_ADDRESS) {
		init->bits = v.bits;
		init->generic = v.is_generic;
		init->mask_shift = v.mask;
		struct name **name = pt_push(p, &p->init_name, sizeof *name);
		if (name)
			*name = v.name;
		init->sym = f->sym; /* until its name is looked up */
	} else {
		init->bits = scalar_bits(p, type, &v);
	}
}

/* Scalars below one element of a list at this level. */
static uint64_t
element_scalars(const struct filler *f, uint32_t level)
{
	uint64_t n = 1;
	for (uint32_t i = level + 1; i < f->n_dim; i++)
		n *= f->dim[i];
	return n;
}

/* A list in braces whose first scalar is at place; a list of an outer dimension has lists in it. */
static void
braces(struct parser *p, struct filler *f, uint32_t level, uint64_t place)
{
	uint64_t step = element_scalars(f, level);
	uint64_t room = f->is_open && level == 0 ? UINT64_MAX : f->dim[level];
	bool is_inner = level + 1 == f->n_dim;
	pt_expect(p, '{', is_inner ? "'{' of the list" : "'{': the array has more dimensions");
	do {
		if (room-- == 0)
			pt_fail(p, "more initial values than %s has elements", f->sym->name);
		else if (is_inner)
			scalar(p, f, place);
		else
			braces(p, f, level + 1, place);
		place += step;
	} while (pt_accept(p, ','));
	if (place > f->reached)
		f->reached = place;
	pt_expect(p, '}', "',' or '}' in the initialiser");
}

/* Names in an initialiser may be declared later, so they are looked up like an operand's. */
static void
attach(struct parser *p, struct ptx_symbol *sym)
{
	struct name **name = p->init_name.item;
	uint32_t n;
	sym->init = pt_take(p, &p->init, 0, sizeof *sym->init, &n);
	sym->n_init = n;
	for (uint32_t i = 0; i < n; i++)
		if (sym->init[i].sym) {
			struct binding *b = pt_meaning(p, *name);
			bool known = b && b->kind == BOUND_SYMBOL;
			sym->init[i].sym = known ? b->sym : NULL;
			if (!known)
				pt_later(p, FIX_INIT, *name, &sym->init[i]);
			name++;
		}
	p->init_name.n = 0;
}

void
pt_initialiser(struct parser *p, struct ptx_symbol *sym, struct shape *shape)
{
	struct filler f = {.sym = sym, .n_dim = shape->n_dim};
	memcpy(f.dim, shape->dim, sizeof shape->dim);
	f.is_open = shape->n_dim && !shape->dim[0];
	if (shape->vector)
		f.dim[f.n_dim++] = shape->vector;
	p->init.n = p->init_name.n = 0;
	bool is_opaque =
	    sym->type == PTX_TEXREF || sym->type == PTX_SAMPLERREF || sym->type == PTX_SURFREF;
	if (is_opaque && pt_is(p, '{')) {
		pt_skip_braces(p);
		return;
	}
	if (f.n_dim)
		braces(p, &f, 0, 0);
	else
		scalar(p, &f, 0);
	attach(p, sym);
	if (f.is_open) {
		uint64_t step = element_scalars(&f, 0);
		shape->dim[0] = (f.reached + step - 1) / step;
	}
}
