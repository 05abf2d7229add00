/* Instructions, labels and the tables that labels name. */
#include <string.h>
#include "ptx/parse.h"

struct opcode { /* one spelling, shared by all instructions that have it */
	const char *base;
	const char *const *mod;
	uint32_t n_mod;
};

static uint32_t
count_mods(const char *spelling)
{
	uint32_t n = 0;
	for (const char *c = spelling; *c; c++)
		n += *c == '.';
	return n;
}

static const char *
part(struct parser *p, const char **at)
{
	size_t n = strcspn(*at, ".");
	struct name *name = pt_arena_name(p->arena, *at, n);
	*at += n + ((*at)[n] == '.');
	if (!name)
		pt_fail_memory(p);
	return name ? name->text : "";
}

static struct opcode *
split(struct parser *p, struct name *spelling)
{
	uint32_t n = count_mods(spelling->text);
	struct opcode *o = pt_alloc(p, sizeof *o);
	const char **mod = pt_alloc(p, (n + 1) * sizeof *mod);
	if (!o || !mod)
		return NULL;
	const char *at = spelling->text;
	o->base = part(p, &at);
	for (uint32_t i = 0; i < n; i++)
		mod[i] = part(p, &at);
	o->mod = mod;
	o->n_mod = n;
	return spelling->opcode = o;
}

/* "ld .global .u32" spelled with spaces means the same. */
static struct name *
join_spaced(struct parser *p, struct name *spelling)
{
	while (p->tok.kind == TOK_DOT) {
		char text[256];
		size_t n = spelling->bytes, more = p->tok.name->bytes;
		if (n + more + 1 > sizeof text) {
			pt_fail(p, "opcode is too long");
			return NULL;
		}
		memcpy(text, spelling->text, n);
		text[n] = '.';
		memcpy(text + n + 1, p->tok.name->text, more);
		spelling = pt_arena_name(p->arena, text, n + 1 + more);
		if (!spelling) {
			pt_fail_memory(p);
			return NULL;
		}
		pt_next(p);
	}
	return spelling;
}

static void
guard(struct parser *p, struct ptx_insn *in)
{
	in->guard = WCP_NONE32;
	if (!pt_accept(p, '@'))
		return;
	in->guard_negated = pt_accept(p, '!');
	struct binding *b = p->tok.kind == TOK_WORD ? pt_meaning(p, p->tok.name) : NULL;
	if (p->tok.kind != TOK_WORD)
		pt_expected(p, "a predicate after '@'");
	else if (!b || b->kind != BOUND_REG)
		pt_fail(p, "predicate %s is not declared", p->tok.name->text);
	else if (b->type != PTX_PRED || b->vector)
		pt_fail(p, "%s guards an instruction but is no predicate", p->tok.name->text);
	else
		in->guard = pt_register(p, b);
	pt_next(p);
}

void
pt_instruction(struct parser *p)
{
	struct ptx_insn in = {.loc_file = p->loc.file,
	    .loc_line = p->loc.line,
	    .inlined_file = p->inlined.file,
	    .inlined_line = p->inlined.line};
	guard(p, &in);
	in.line = p->tok.line;
	if (p->tok.kind != TOK_WORD)
		pt_expected(p, "an instruction");
	pt_extend_opcode(p);
	struct name *spelling = p->tok.name;
	pt_next(p);
	if (p->failed || (p->tok.kind == TOK_DOT && !(spelling = join_spaced(p, spelling))))
		return;
	const struct opcode *o = spelling->opcode ? spelling->opcode : split(p, spelling);
	if (p->failed)
		return;
	in.opcode = spelling->text;
	in.base = o->base;
	in.mod = o->mod;
	in.n_mod = o->n_mod;
	p->branching = !strcmp(o->base, "bra");
	p->calling = !strcmp(o->base, "call");
	p->moving = !strcmp(o->base, "mov");
	if (!pt_accept(p, ';'))
		pt_operands(p, ';', &in.op, &in.n_op);
	struct ptx_insn *slot = p->failed ? NULL : pt_push(p, &p->insn, sizeof *slot);
	if (slot)
		*slot = in;
}

static void
table(struct parser *p, struct name *name, bool calls)
{
	struct binding *b = pt_bind(p, name, BOUND_TABLE);
	struct list names = {0};
	do {
		struct name *target = pt_expect_word(p, calls ? "a function" : "a label");
		struct name **slot = target ? pt_push(p, &names, sizeof *slot) : NULL;
		if (slot)
			*slot = target;
	} while (pt_accept(p, ','));
	pt_expect(p, ';', "',' or ';'");
	struct ptx_table t = {.name = name->text};
	if (calls)
		t.callee = pt_alloc(p, names.n * sizeof *t.callee);
	else
		t.target = pt_alloc(p, names.n * sizeof *t.target);
	struct ptx_table *slot = p->failed ? NULL : pt_push(p, &p->table, sizeof *slot);
	for (size_t i = 0; !p->failed && i < names.n; i++)
		pt_later(p, calls ? FIX_CALLEE : FIX_TARGET, ((struct name **)names.item)[i],
		    calls ? (void *)&t.callee[i] : (void *)&t.target[i]);
	t.n = (uint32_t)names.n;
	if (slot && b) {
		*slot = t;
		b->index = (uint32_t)p->table.n - 1;
	}
	pt_free_list(&names);
}

/* name: .callprototype (ret) _ (param, ...) directives; */
static void
prototype(struct parser *p, struct name *name)
{
	struct ptx_symbol *sym = pt_alloc(p, sizeof *sym);
	struct ptx_func *shape = pt_alloc(p, sizeof *shape);
	struct binding *b = pt_bind(p, name, BOUND_SYMBOL);
	if (!sym || !shape || !b)
		return;
	b->sym = sym;
	*sym = (struct ptx_symbol){.kind = PTX_SYM_PROTO, .name = name->text, .func = shape};
	sym->line = shape->line = p->tok.line;
	sym->reg = WCP_NONE32;
	shape->name = name->text;
	if (pt_is(p, '('))
		pt_signature_list(p, &shape->sig.ret, &shape->sig.n_ret);
	pt_expect_word(p, "'_' or a name in the prototype");
	if (pt_is(p, '('))
		pt_signature_list(p, &shape->sig.param, &shape->sig.n_param);
	pt_function_directives(p, shape);
	pt_expect(p, ';', "';' after the prototype");
}

void
pt_label(struct parser *p)
{
	struct name *name = p->tok.name;
	pt_next(p);
	pt_expect(p, ':', "':'");
	bool calls = pt_is_dot(p, "calltargets");
	if (calls || pt_is_dot(p, "branchtargets")) {
		pt_next(p);
		table(p, name, calls);
	} else if (pt_is_dot(p, "callprototype")) {
		pt_next(p);
		prototype(p, name);
	} else {
		struct binding *b = pt_bind(p, name, BOUND_LABEL);
		if (b)
			b->index = (uint32_t)p->insn.n;
	}
}
