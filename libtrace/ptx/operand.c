/* Operands of instructions. PTX ISA sections 6 and 10. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ptx/parse.h"

static struct ptx_operand operand(struct parser *p);

/* PTX ISA section 10: those read whole, those with .x .y .z, and those with a number. */
static bool
is_special(const char *name)
{
	static const char *const whole[] = {"laneid", "warpid", "nwarpid", "smid", "nsmid",
	    "gridid", "is_explicit_cluster", "cluster_ctarank", "cluster_nctarank", "lanemask_eq",
	    "lanemask_le", "lanemask_lt", "lanemask_ge", "lanemask_gt", "clock", "clock_hi",
	    "clock64", "globaltimer", "globaltimer_lo", "globaltimer_hi", "total_smem_size",
	    "aggr_smem_size", "dynamic_smem_size", "current_graph_exec"};
	static const char *const vector[] = {"tid", "ntid", "ctaid", "nctaid", "clusterid",
	    "nclusterid", "cluster_ctaid", "cluster_nctaid"};
	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
		if (!strcmp(name, whole[i]))
			return true;
	for (size_t i = 0; i < sizeof vector / sizeof *vector; i++) {
		size_t n = strlen(vector[i]);
		if (!strncmp(name, vector[i], n) &&
		    (!name[n] || (name[n] == '.' && name[n + 1] && strchr("xyzw", name[n + 1]) &&
				     !name[n + 2])))
			return true;
	}
	if (!strncmp(name, "reserved_smem_offset_", 21))
		return true;
	char *rest;
	if (!strncmp(name, "envreg", 6) && name[6] >= '0' && name[6] <= '9')
		return strtoul(name + 6, &rest, 10) < 32 && !*rest;
	return !strncmp(name, "pm", 2) && name[2] >= '0' && name[2] <= '7' &&
	       (!name[3] || !strcmp(name + 3, "_64"));
}

uint32_t
pt_register(struct parser *p, struct binding *b)
{
	static const char element[] = "xyzw";
	if (b->index != WCP_NONE32)
		return b->index;
	uint32_t n = b->vector ? b->vector : 1;
	for (uint32_t i = 0; i < n; i++) {
		const char *name = b->name->text;
		struct ptx_reg *r = pt_push(p, &p->reg, sizeof *r);
		if (b->vector) {
			char *full = pt_alloc(p, b->name->bytes + 3);
			if (full)
				snprintf(full, b->name->bytes + 3, "%s.%c", name, element[i & 3]);
			name = full;
		}
		if (r)
			*r = (struct ptx_reg){name, b->type};
	}
	return b->index = (uint32_t)(p->reg.n - n);
}

static void
vector_register(struct parser *p, struct ptx_operand *op, struct binding *b)
{
	op->kind = PTX_OP_VECTOR;
	op->sub = pt_alloc(p, b->vector * sizeof *op->sub);
	for (uint32_t i = 0; op->sub && i < b->vector; i++)
		op->sub[i] = (struct ptx_operand){.kind = PTX_OP_REG, .reg = op->reg + i};
	op->n_sub = op->sub ? b->vector : 0;
	op->reg = 0;
}

static void
register_operand(struct parser *p, struct ptx_operand *op, struct binding *b)
{
	op->kind = PTX_OP_REG;
	op->reg = pt_register(p, b);
	bool selected = p->tok.kind == TOK_DOT;
	if (!selected) {
		if (b->vector)
			vector_register(p, op, b);
		return;
	}
	const char *selector = p->tok.name->text;
	const char *element = strchr("xyzw", selector[0]), *colour = strchr("rgba", selector[0]);
	if (!b->vector) {
		op->selector = selector;
	} else if (!selector[0] || selector[1] || (!element && !colour)) {
		pt_expected(p, ".x, .y, .z or .w");
	} else {
		uint32_t i = (uint32_t)(selector[0] >= 'w' ? (selector[0] - 'w' + 3) % 4
							   : strchr("rgba", selector[0]) - "rgba");
		if (i >= b->vector)
			pt_fail(p, "%s has no .%s", b->name->text, selector);
		op->reg += i;
	}
	pt_next(p);
}

static void
special_operand(struct parser *p, struct ptx_operand *op, struct name *name)
{
	char text[64];
	int n = snprintf(text, sizeof text, "%s", name->text + 1);
	if (p->tok.kind == TOK_DOT && n < 32) {
		n += snprintf(text + n, sizeof text - (size_t)n, ".%.16s", p->tok.name->text);
		pt_next(p);
	}
	struct name *special = is_special(text) ? pt_arena_name(p->arena, text, (size_t)n) : NULL;
	if (special)
		*op = (struct ptx_operand){.kind = PTX_OP_SPECIAL, .name = special->text};
	else
		pt_fail(p, "register %s is not declared", name->text);
}

/* "+ 8", "- 8", "+ -8" after a base. */
static int64_t
offset(struct parser *p)
{
	if (pt_accept(p, '+'))
		return pt_int_expression(p, "an offset");
	return pt_is(p, '-') ? pt_int_expression(p, "an offset") : 0;
}

/* a[3]: the address of an array's element, or the element in memory. PTX ISA section 6.4.2. */
static void
element_operand(struct parser *p, struct ptx_operand *op)
{
	pt_next(p);
	int64_t index = pt_int_expression(p, "an index");
	pt_expect(p, ']', "']' after the index");
	if (!op->sym)
		pt_fail(p, "%s must be declared before it is indexed", op->name);
	else
		op->integer = (int64_t)((uint64_t)index * ptx_type_bytes(op->sym->type));
	if (!p->moving)
		op->kind = PTX_OP_MEMORY;
}

static void
symbol_operand(struct parser *p, struct ptx_operand *op, struct name *name, struct binding *b)
{
	op->kind = p->branching ? PTX_OP_LABEL : PTX_OP_SYMBOL;
	op->name = name->text;
	op->sym = b && b->kind == BOUND_SYMBOL ? b->sym : NULL;
	if (p->branching)
		return;
	if (pt_is(p, '['))
		element_operand(p, op);
	else
		op->integer = offset(p);
}

static void
word_operand(struct parser *p, struct ptx_operand *op)
{
	struct name *name = p->tok.name;
	struct binding *b = pt_meaning(p, name);
	bool is_register = b && b->kind == BOUND_REG;
	pt_next(p);
	if (p->failed)
		return;
	if (!strcmp(name->text, "_"))
		op->kind = PTX_OP_SINK;
	else if (is_register)
		register_operand(p, op, b);
	else if (!b && name->text[0] == '%')
		special_operand(p, op, name);
	else if (!b && !strcmp(name->text, "WARP_SZ"))
		*op = (struct ptx_operand){.kind = PTX_OP_INT, .integer = WCP_LANES};
	else
		symbol_operand(p, op, name, b);
}

static void
memory_operand(struct parser *p, struct ptx_operand *op)
{
	pt_next(p);
	op->kind = PTX_OP_MEMORY;
	struct binding *b = p->tok.kind == TOK_WORD ? pt_meaning(p, p->tok.name) : NULL;
	if (p->tok.kind != TOK_WORD) {
		op->integer = pt_int_expression(p, "an address");
	} else if (b && b->kind == BOUND_REG && !b->vector) {
		op->has_reg = true;
		op->reg = pt_register(p, b);
		pt_next(p);
		op->integer = offset(p);
	} else {
		op->name = p->tok.name->text;
		op->sym = b && b->kind == BOUND_SYMBOL ? b->sym : NULL;
		pt_next(p);
		op->integer = offset(p);
	}
	if (pt_accept(p, ','))
		pt_operands(p, ']', &op->sub, &op->n_sub);
	else
		pt_expect(p, ']', "']' after the address");
}

static void
constant_operand(struct parser *p, struct ptx_operand *op)
{
	struct value v = pt_expression(p, false);
	op->integer = (int64_t)v.bits;
	op->kind = PTX_OP_INT;
	if (v.kind == VALUE_FLOAT) {
		op->kind = PTX_OP_FLOAT;
		op->real = v.real;
		op->is_f32 = v.is_f32;
	}
}

/* Is the sign at the current token in front of a name rather than a number? */
static bool
signs_name(struct parser *p)
{
	pt_skip_space(p);
	char c = p->at < p->end ? *p->at : 0;
	return c == '%' || (pt_is_word_char(c) && (c < '0' || c > '9'));
}

static struct ptx_operand
simple_operand(struct parser *p)
{
	struct ptx_operand op = {0};
	if ((pt_is(p, '!') || pt_is(p, '-')) && signs_name(p)) {
		pt_next(p);
		op.negated = true;
	}
	if (p->tok.kind == TOK_WORD) {
		word_operand(p, &op);
		if (op.negated && op.kind != PTX_OP_REG)
			pt_expected(p, "a register after '!' or '-'");
	} else if (pt_is(p, '[')) {
		memory_operand(p, &op);
	} else if (pt_is(p, '{') || (p->calling && pt_is(p, '('))) {
		bool list = pt_is(p, '(');
		op.kind = list ? PTX_OP_LIST : PTX_OP_VECTOR;
		pt_next(p);
		if (!list || !pt_accept(p, ')'))
			pt_operands(p, list ? ')' : '}', &op.sub, &op.n_sub);
	} else if (p->tok.kind == TOK_INT || p->tok.kind == TOK_FLOAT ||
		   (p->tok.kind == TOK_PUNCT && strchr("-+~!(", p->tok.punct))) {
		constant_operand(p, &op);
	} else {
		pt_expected(p, "an operand");
	}
	return op;
}

/* Where the operands stay, names without a meaning yet are noted for when they have one. */
static void
settle(struct parser *p, struct ptx_operand *op, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (!op[i].name || op[i].sym || op[i].kind == PTX_OP_SPECIAL)
			continue;
		struct name *name = pt_arena_find(p->arena, op[i].name, strlen(op[i].name));
		pt_later(p, op[i].kind == PTX_OP_LABEL ? FIX_LABEL : FIX_OPERAND, name, &op[i]);
	}
}

static struct ptx_operand
operand(struct parser *p)
{
	struct ptx_operand op = simple_operand(p);
	if (!pt_is(p, '|'))
		return op;
	pt_next(p);
	struct ptx_operand pair = {.kind = PTX_OP_PAIR, .n_sub = 2};
	struct ptx_operand second = simple_operand(p);
	pair.sub = pt_alloc(p, 2 * sizeof *pair.sub);
	if (pair.sub) {
		pair.sub[0] = op;
		pair.sub[1] = second;
		settle(p, pair.sub, 2);
	}
	return pair;
}

void
pt_operands(struct parser *p, int close, struct ptx_operand **op, uint32_t *n)
{
	size_t first = p->opstack.n;
	char what[] = "',' or ' '";
	what[8] = (char)close;
	if (!pt_enter(p))
		return;
	do {
		struct ptx_operand one = operand(p);
		struct ptx_operand *slot = pt_push(p, &p->opstack, sizeof *slot);
		if (slot)
			*slot = one;
	} while (pt_accept(p, ','));
	*op = pt_take(p, &p->opstack, first, sizeof **op, n);
	settle(p, *op, *n);
	pt_expect(p, close, what);
	pt_leave(p);
}
