/* Declarations of registers, variables and parameters. PTX ISA sections 5 and 11.6. */
#include <string.h>
#include "ptx/parse.h"

#define BYTES_MAX ((uint64_t)1 << 40) /* of one variable */

enum wcp_space
pt_space_named(const char *name)
{
	static const struct {
		const char *name;
		enum wcp_space space;
	} space[] = {{"global", WCP_SPACE_GLOBAL}, {"shared", WCP_SPACE_SHARED},
	    {"local", WCP_SPACE_LOCAL}, {"const", WCP_SPACE_CONST}, {"param", WCP_SPACE_PARAM},
	    {"tex", WCP_SPACE_GLOBAL}};
	size_t n = strcspn(name, ":");
	for (size_t i = 0; i < sizeof space / sizeof *space; i++)
		if (strlen(space[i].name) == n && !strncmp(space[i].name, name, n))
			return space[i].space;
	return WCP_SPACE_NONE;
}

bool
pt_attribute(struct parser *p)
{
	bool managed = false;
	pt_next(p);
	if (!pt_is(p, '('))
		pt_expected(p, "'(' after .attribute");
	for (int open = 0; p->tok.kind != TOK_END;) {
		open += pt_is(p, '(') - pt_is(p, ')');
		managed |= pt_is_dot(p, "managed");
		pt_next(p);
		if (open <= 0)
			return managed;
	}
	pt_expected(p, "')' after .attribute");
	return false;
}

static uint32_t
alignment(struct parser *p)
{
	pt_next(p);
	uint64_t n = pt_expect_int(p, "an alignment");
	if (!p->failed && (!n || n & (n - 1) || n > 1u << 20))
		pt_fail(
		    p, "alignment %llu is no power of two up to 1048576", (unsigned long long)n);
	return (uint32_t)n;
}

/* ".ptr .space .align n": what a kernel's pointer parameter points to. */
static void
pointee(struct parser *p)
{
	pt_next(p);
	if (p->tok.kind == TOK_DOT && pt_space_named(p->tok.name->text) != WCP_SPACE_NONE)
		pt_next(p);
	if (pt_is_dot(p, "align"))
		alignment(p);
}

/* ".align n .v4 .f32" and the like, in any order; a type is the last that must be there. */
static struct shape
qualifiers(struct parser *p)
{
	struct shape s = {0};
	while (p->tok.kind == TOK_DOT) {
		const char *word = p->tok.name->text;
		enum ptx_type type = ptx_type_named(word);
		if (type != PTX_NONE && s.type != PTX_NONE)
			break;
		if (!strcmp(word, "align")) {
			s.align = alignment(p);
			continue;
		} else if (!strcmp(word, "ptr")) {
			pointee(p);
			continue;
		} else if (!strcmp(word, "attribute")) {
			s.managed |= pt_attribute(p);
			continue;
		} else if (type != PTX_NONE) {
			s.type = type;
		} else if (!strcmp(word, "v2") || !strcmp(word, "v4") || !strcmp(word, "v8")) {
			s.vector = (uint32_t)(word[1] - '0');
		} else {
			break;
		}
		pt_next(p);
	}
	if (s.type == PTX_NONE)
		pt_expected(p, "a type");
	return s;
}

/* Only the outermost dimension may be open, or 0. */
static void
dimensions(struct parser *p, struct shape *s)
{
	uint64_t inner = 1; /* scalars in an element of the outermost */
	while (pt_accept(p, '[')) {
		if (s->n_dim == sizeof s->dim / sizeof *s->dim) {
			pt_fail(p, "more than %u dimensions", s->n_dim);
			return;
		}
		int64_t n = 0;
		if (!pt_is(p, ']')) {
			n = pt_int_expression(p, "an array size");
			bool large = s->n_dim && __builtin_mul_overflow(inner, (uint64_t)n, &inner);
			if (!p->failed && (n < 0 || large || !inner || inner > BYTES_MAX ||
					      (uint64_t)n > BYTES_MAX))
				pt_fail(p, "array size %lld cannot be", (long long)n);
		} else if (s->n_dim) {
			pt_expected(p, "the size of an inner dimension");
		}
		s->dim[s->n_dim++] = (uint64_t)n;
		pt_expect(p, ']', "']' after the array size");
	}
}

/* Sets what follows from the shape; an open array has 0 bytes. */
static void
measure(struct parser *p, struct ptx_symbol *sym, const struct shape *s)
{
	uint64_t element = ptx_type_bytes(s->type);
	uint64_t bytes = element * (s->vector ? s->vector : 1);
	sym->type = s->type;
	sym->align = s->align ? s->align : bytes ? (uint32_t)bytes : 1;
	sym->is_array = s->n_dim > 0;
	sym->is_managed = s->managed;
	for (uint32_t i = 0; i < s->n_dim; i++)
		if (__builtin_mul_overflow(bytes, s->dim[i], &bytes) || bytes > BYTES_MAX) {
			pt_fail(p, "%s is too large", sym->name);
			return;
		}
	sym->bytes = bytes;
}

void
pt_declare_registers(struct parser *p)
{
	pt_next(p);
	struct shape s = qualifiers(p);
	do {
		struct name *name = pt_expect_word(p, "a register name");
		bool is_range = pt_accept(p, '<');
		uint64_t count = 0;
		if (is_range) {
			count = pt_expect_int(p, "how many registers");
			if (count > 1u << 30)
				pt_fail(p, "more than 2^30 registers");
			pt_expect(p, '>', "'>' after the number of registers");
		}
		struct binding *b = p->failed  ? NULL
				    : is_range ? pt_bind_range(p, name)
					       : pt_bind(p, name, BOUND_REG);
		if (b) {
			b->type = s.type;
			b->vector = s.vector;
			b->count = (uint32_t)count;
		}
	} while (pt_accept(p, ','));
	pt_expect(p, ';', "',' or ';' after the register");
}

/* A module's variable may be declared extern before or after; a body's may not. */
static struct ptx_symbol *
again(struct parser *p, struct name *name, const struct ptx_symbol *is)
{
	struct binding *b = name->bound;
	if (p->depth || !b || b->kind != BOUND_SYMBOL || b->sym->kind != PTX_SYM_VAR)
		return NULL;
	return is->is_extern || b->sym->is_extern ? b->sym : NULL;
}

static void
enlist(struct parser *p, struct name *name, struct ptx_symbol *sym)
{
	struct list *list = p->fn ? &p->local : &p->sym;
	sym->index = (uint32_t)list->n;
	struct ptx_symbol **slot = pt_push(p, list, sizeof *slot);
	if (slot)
		*slot = sym;
	if (!p->fn)
		name->symbol = sym;
}

static void
declare(struct parser *p, struct name *name, const struct ptx_symbol *like, struct shape *s)
{
	struct ptx_symbol *sym = again(p, name, like);
	bool is_known = sym != NULL;
	uint32_t index = is_known ? sym->index : 0;
	if (is_known && like->is_extern && !sym->is_extern)
		return;
	if (!is_known) {
		struct binding *b = pt_bind(p, name, BOUND_SYMBOL);
		sym = pt_alloc(p, sizeof *sym);
		if (!b || !sym)
			return;
		b->sym = sym;
	}
	*sym = *like;
	sym->name = name->text;
	sym->line = p->last_line;
	sym->index = index;
	measure(p, sym, s);
	if (!is_known)
		enlist(p, name, sym);
	if (pt_accept(p, '='))
		pt_initialiser(p, sym, s);
	measure(p, sym, s);
}

void
pt_declare_variables(struct parser *p, const struct ptx_symbol *linkage)
{
	struct ptx_symbol like = *linkage;
	bool is_tex = pt_is_dot(p, "tex");
	like.space = pt_space_named(p->tok.name->text);
	like.kind = like.space == WCP_SPACE_PARAM ? PTX_SYM_PARAM : PTX_SYM_VAR;
	like.reg = WCP_NONE32;
	pt_next(p);
	if (pt_accept(p, '[')) { /* .const[2]: a bank, before PTX 2.2 */
		pt_expect_int(p, "a bank number");
		pt_expect(p, ']', "']' after the bank number");
	}
	struct shape shape = qualifiers(p);
	if (is_tex)
		shape.type = PTX_TEXREF;
	if (shape.type == PTX_PRED)
		pt_fail(p, "a predicate cannot be in memory");
	do {
		struct name *name = pt_expect_word(p, "a variable name");
		struct shape s = shape;
		dimensions(p, &s);
		if (!p->failed)
			declare(p, name, &like, &s);
	} while (pt_accept(p, ','));
	pt_expect(p, ';', "',' or ';' after the variable");
}

static struct ptx_symbol *
parameter(struct parser *p, uint32_t index)
{
	struct ptx_symbol *sym = pt_alloc(p, sizeof *sym);
	bool is_reg = pt_is_dot(p, "reg");
	if (!is_reg &&
	    (p->tok.kind != TOK_DOT || pt_space_named(p->tok.name->text) != WCP_SPACE_PARAM))
		pt_expected(p, ".param or .reg");
	pt_next(p);
	struct shape s = qualifiers(p);
	const char *name = "_";
	if (!pt_is(p, ',') && !pt_is(p, ')')) {
		struct name *word = pt_expect_word(p, "a parameter name");
		name = word ? word->text : name;
		dimensions(p, &s);
	}
	if (!is_reg && s.type == PTX_PRED)
		pt_fail(p, "a predicate cannot be in memory");
	if (p->failed || !sym)
		return NULL;
	*sym = (struct ptx_symbol){.kind = PTX_SYM_PARAM, .name = name, .index = index};
	sym->space = is_reg ? WCP_SPACE_NONE : WCP_SPACE_PARAM;
	sym->reg = WCP_NONE32;
	sym->line = p->last_line;
	measure(p, sym, &s);
	return sym;
}

void
pt_signature_list(struct parser *p, struct ptx_symbol ***list, uint32_t *n)
{
	struct list sym = {0};
	pt_expect(p, '(', "'('");
	if (!pt_is(p, ')'))
		do {
			struct ptx_symbol *one = parameter(p, (uint32_t)sym.n);
			struct ptx_symbol **slot = one ? pt_push(p, &sym, sizeof *slot) : NULL;
			if (slot)
				*slot = one;
		} while (pt_accept(p, ','));
	pt_expect(p, ')', "',' or ')' after the parameter");
	*list = pt_take(p, &sym, 0, sizeof **list, n);
	pt_free_list(&sym);
}
