/*
 * Recursive descent straight to postfix code:
 *	or   = and { ("or" | "||") and }
 *	and  = not { ["and" | "&&"] not }
 *	not  = { "not" | "!" } ( "(" or ")" | term )
 */
#include <stdlib.h>
#include <string.h>
#include "filter/lex.h"
#include "filter/terms.h"

struct parse {
	struct lex lex;
	struct wcp_filter *f;
	struct wcp_error *e;
	const struct term *last; /* what a bare number after "or" is a value of */
	unsigned nesting;
};

static int parse_or(struct parse *p);

static int
fail_at(struct parse *p, size_t at, const char *what, size_t len)
{
	const char *word = p->lex.text + at;
	if (len > 60)
		len = 60;
	if (len)
		wcp_fail(p->e, WCP_EUSAGE, "%s '%.*s'", what, (int)len, word);
	else
		wcp_fail(p->e, WCP_EUSAGE, "%s", what);
	if (p->e)
		p->e->offset = at;
	return WCP_EUSAGE;
}

static int
expected(struct parse *p, const char *what)
{
	char text[128];
	const struct lex *l = &p->lex;
	const char *where = l->type == LEX_END ? ", not the end" : ", not";
	size_t n = strlen(what);
	memcpy(text, "expected ", 9);
	memcpy(text + 9, what, n);
	memcpy(text + 9 + n, where, strlen(where) + 1);
	return fail_at(p, l->at, text, l->type == LEX_END ? 0 : l->len);
}

static int
out_of_memory(struct parse *p)
{
	return wcp_fail(p->e, WCP_ESYS, "filter: out of memory");
}

static int
emit(struct parse *p, struct filter_op op)
{
	struct wcp_filter *f = p->f;
	if (f->n_op == FILTER_OPS)
		return fail_at(p, p->lex.at, "the expression is too long", 0);
	if ((f->n_op & (f->n_op - 1)) == 0) {
		size_t room = f->n_op ? 2 * (size_t)f->n_op : 1;
		struct filter_op *grown = realloc(f->op, room * sizeof *grown);
		if (!grown)
			return out_of_memory(p);
		f->op = grown;
	}
	f->op[f->n_op++] = op;
	return 0;
}

static int
emit_code(struct parse *p, enum filter_code code)
{
	return emit(p, (struct filter_op){.code = (uint8_t)code});
}

/* A copy of a piece of the expression; NULL if there is no memory. */
static char *
piece(const char *s, size_t len)
{
	char *copy = malloc(len + 1);
	if (copy) {
		memcpy(copy, s, len);
		copy[len] = 0;
	}
	return copy;
}

static int
emit_named(struct parse *p, const char *s, size_t len)
{
	struct wcp_filter *f = p->f;
	char **grown = realloc(f->name, (f->n_name + 1) * sizeof *grown);
	if (!grown)
		return out_of_memory(p);
	f->name = grown;
	if (!(f->name[f->n_name] = piece(s, len)))
		return out_of_memory(p);
	f->columns |= WCP_COL(KERNEL);
	return emit(p,
	    (struct filter_op){.code = FILTER_NAMED, .column = WCP_COL_KERNEL, .aux = f->n_name++});
}

static int
emit_test(struct parse *p, struct filter_test t, const char *text, size_t len)
{
	struct wcp_filter *f = p->f;
	struct filter_test *grown = realloc(f->test, (f->n_test + 1) * sizeof *grown);
	if (!grown)
		return out_of_memory(p);
	f->test = grown;
	if (!(t.text = piece(text, len)))
		return out_of_memory(p);
	f->test[f->n_test] = t;
	f->columns |= WCP_COL(KERNEL) | WCP_COL(PC);
	f->needs_insn = true;
	return emit(
	    p, (struct filter_op){.code = FILTER_STATIC, .column = WCP_COL_PC, .aux = f->n_test++});
}

static const struct term_answer *
answer(const struct parse *p, const struct term *t)
{
	return p->f->link == WCP_LINK_WARP ? &t->warp : &t->access;
}

/* The leaf of a term whose value lies in lo..hi, or that has members (bits) lo. */
static int
emit_answer(struct parse *p, const struct term *t, uint64_t lo, uint64_t hi)
{
	const struct term_answer *a = answer(p, t);
	struct wcp_filter *f = p->f;
	if (a->code == FILTER_STATIC)
		return emit_test(
		    p, (struct filter_test){.kind = a->column, .lo = lo, .hi = hi}, "", 0);
	if (a->code != FILTER_CONST)
		f->columns |= 1u << a->column;
	if (a->code == FILTER_TOUCH)
		f->columns |= WCP_COL(SECTORS);
	if (a->column != WCP_COL_KERNEL && a->column != WCP_COL_CTA && a->column != WCP_COL_WARP)
		f->needs_insn = true;
	if (a->code == FILTER_SPACE || a->code == FILTER_DIVERGENT || a->code == FILTER_TOUCH)
		f->needs_insn = true;
	return emit(
	    p, (struct filter_op){.code = a->code, .column = a->column, .lo = lo, .hi = hi});
}

/* Negation, after the leaf, of "!=" and of relations that nothing fulfils. */
static int
emit_relation(struct parse *p, const struct term *t, enum lex_type relation, uint64_t v)
{
	uint64_t lo = 0, hi = UINT64_MAX;
	bool invert = relation == LEX_NE;
	if (relation == LEX_EQ || relation == LEX_NE)
		lo = hi = v;
	else if (relation == LEX_LE)
		hi = v;
	else if (relation == LEX_GE)
		lo = v;
	else if (relation == LEX_LT && v > 0)
		hi = v - 1;
	else if (relation == LEX_GT && v < UINT64_MAX)
		lo = v + 1;
	else
		invert = true;
	int r = emit_answer(p, t, lo, hi);
	return r < 0 || !invert ? r : emit_code(p, FILTER_NOT);
}

static bool
is_relation(enum lex_type type)
{
	return type == LEX_EQ || type == LEX_NE || type == LEX_LT || type == LEX_LE ||
	       type == LEX_GT || type == LEX_GE;
}

static int
parse_relation(struct parse *p, const struct term *t)
{
	enum lex_type relation = p->lex.type;
	uint64_t v;
	lex_next(&p->lex);
	if (p->lex.type != LEX_WORD || !lex_number(p->lex.text + p->lex.at, p->lex.len, &v))
		return expected(p, "a number");
	int r = emit_relation(p, t, relation, v);
	lex_next(&p->lex);
	return r;
}

static int
parse_number(struct parse *p, const struct term *t, const char *what)
{
	uint64_t lo, hi;
	if (p->lex.type != LEX_WORD || !lex_range(p->lex.text + p->lex.at, p->lex.len, &lo, &hi))
		return expected(p, what);
	int r = emit_answer(p, t, lo, hi);
	lex_next(&p->lex);
	return r;
}

static int
parse_kernel(struct parse *p, const struct term *t)
{
	uint64_t lo, hi;
	const char *s = p->lex.text + p->lex.at;
	int r;
	if (p->lex.type == LEX_WORD && lex_range(s, p->lex.len, &lo, &hi))
		r = emit_answer(p, t, lo, hi);
	else if (p->lex.type == LEX_WORD || p->lex.type == LEX_QUOTED)
		r = emit_named(p, s, p->lex.len);
	else
		return expected(p, "a kernel's name, number or range");
	lex_next(&p->lex);
	return r;
}

static int
parse_cta(struct parse *p, const struct term *t)
{
	uint64_t v[3];
	if (p->lex.type != LEX_WORD || !lex_triple(p->lex.text + p->lex.at, p->lex.len, v))
		return parse_number(p, t, "a number, a range or x,y,z");
	if (v[2] > UINT32_MAX)
		return fail_at(p, p->lex.at, "no grid is so large:", p->lex.len);
	p->f->columns |= WCP_COL(KERNEL) | WCP_COL(CTA);
	int r = emit(p, (struct filter_op){.code = FILTER_CTA_AT,
			    .column = WCP_COL_CTA,
			    .aux = (uint32_t)v[2],
			    .lo = v[0],
			    .hi = v[1]});
	lex_next(&p->lex);
	return r;
}

static int
parse_line(struct parse *p)
{
	const char *s = p->lex.text + p->lex.at;
	const char *colon = memrchr(s, ':', p->lex.len), *digits = colon ? colon + 1 : s;
	size_t name_len = colon ? (size_t)(colon - s) : 0;
	struct filter_test t = {.kind = TEST_LINE};
	if ((p->lex.type != LEX_WORD && p->lex.type != LEX_QUOTED) || (colon && name_len == 0) ||
	    !lex_range(digits, (size_t)(s + p->lex.len - digits), &t.lo, &t.hi))
		return expected(p, "a source line: N, A-B, FILE:N or FILE:A-B");
	int r = emit_test(p, t, s, name_len);
	lex_next(&p->lex);
	return r;
}

static int
parse_opcode(struct parse *p)
{
	if (p->lex.type != LEX_WORD && p->lex.type != LEX_QUOTED)
		return expected(p, "an opcode or pattern");
	int r = emit_test(
	    p, (struct filter_test){.kind = TEST_OPCODE}, p->lex.text + p->lex.at, p->lex.len);
	lex_next(&p->lex);
	return r;
}

static const char *
space_text(unsigned i)
{
	return wcp_space_name((enum wcp_space)i);
}

static const char *
class_text(unsigned i)
{
	return wcp_op_class_name((enum wcp_op_class)i);
}

/* One of n names, as a set with one member. */
static int
parse_member(struct parse *p, const struct term *t, const char *(*name)(unsigned), unsigned n,
    const char *what)
{
	for (unsigned i = 0; i < n; i++)
		if (lex_is(&p->lex, name(i))) {
			int r = emit_answer(p, t, 1ull << i, 0);
			lex_next(&p->lex);
			return r;
		}
	return expected(p, what);
}

static int
parse_level(struct parse *p, const struct term *t)
{
	const char *s = p->lex.text + p->lex.at;
	size_t skip = p->lex.len == 2 && (s[0] == 'l' || s[0] == 'L');
	struct filter_op op = {.code = FILTER_OUTCOME,
	    .column = WCP_COL_OUTCOME,
	    .aux = (uint32_t)t->access.lo,
	    .hi = FILTER_LEVELS - 1};
	uint64_t level;
	p->f->columns |= WCP_COL(OUTCOME);
	if (p->lex.type == LEX_WORD && lex_number(s + skip, p->lex.len - skip, &level)) {
		if (level < 1 || level > FILTER_LEVELS)
			return fail_at(p, p->lex.at, "levels are l1 to l8, not", p->lex.len);
		op.lo = op.hi = level - 1;
		lex_next(&p->lex);
	}
	return emit(p, op);
}

static int
parse_flag(struct parse *p, const struct term *t)
{
	if (answer(p, t)->column == WCP_COL_VICTIM && answer(p, t)->code == FILTER_RANGE)
		return emit_answer(p, t, 0, UINT64_MAX - 1);
	return emit_answer(p, t, answer(p, t)->lo, 0);
}

static bool
takes_number(const struct term *t)
{
	return t->shape == SHAPE_NUMBER || t->shape == SHAPE_KERNEL || t->shape == SHAPE_CTA ||
	       t->shape == SHAPE_LINE;
}

/* What follows the word of a term. */
static int
parse_value(struct parse *p, const struct term *t)
{
	if (takes_number(t) && is_relation(p->lex.type))
		return parse_relation(p, t);
	switch (t->shape) {
	case SHAPE_FLAG: return parse_flag(p, t);
	case SHAPE_NUMBER: return parse_number(p, t, "a number or range");
	case SHAPE_KERNEL: return parse_kernel(p, t);
	case SHAPE_CTA: return parse_cta(p, t);
	case SHAPE_LINE: return parse_line(p);
	case SHAPE_OPCODE: return parse_opcode(p);
	case SHAPE_CLASS: return parse_member(p, t, class_text, WCP_OP_COUNT, "an op class");
	case SHAPE_SPACE: return parse_member(p, t, space_text, WCP_SPACE_COUNT, "a space");
	case SHAPE_LEVEL: return parse_level(p, t);
	}
	return WCP_EUSAGE;
}

static int
check_link(struct parse *p, const struct term *t, size_t at)
{
	const struct term_answer *a = answer(p, t);
	if (p->f->link == WCP_LINK_ANY || a->code != FILTER_CONST || a->lo)
		return 0;
	return fail_at(p, at,
	    p->f->link == WCP_LINK_WARP
		? "a WARP stream has no time, place or outcome and cannot answer"
		: "an ACCESS stream holds transactions, not instructions, and cannot answer",
	    strlen(t->name));
}

static int
parse_term(struct parse *p, bool after_or)
{
	if (after_or && p->last && lex_is_number(&p->lex))
		return parse_value(p, p->last);
	if (p->lex.type == LEX_BAD || p->lex.type == LEX_END)
		return expected(p, "a term");
	if (lex_is_number(&p->lex))
		return fail_at(p, p->lex.at, "no word says what this is a number of:", p->lex.len);
	size_t at = p->lex.at;
	const struct term *t =
	    p->lex.type == LEX_WORD ? term_find(p->lex.text + at, p->lex.len) : NULL;
	if (!t)
		return fail_at(p, at, "unknown word", p->lex.len);
	lex_next(&p->lex);
	int r = check_link(p, t, at);
	if (r < 0)
		return r;
	p->last = takes_number(t) ? t : NULL;
	return parse_value(p, t);
}

static int
parse_not(struct parse *p, bool after_or)
{
	bool invert = false;
	while (p->lex.type == LEX_NOT || lex_is(&p->lex, "not")) {
		invert = !invert;
		after_or = false;
		lex_next(&p->lex);
	}
	int r;
	if (p->lex.type == LEX_OPEN) {
		if (++p->nesting == FILTER_STACK / 2)
			return fail_at(p, p->lex.at, "parentheses are nested too deeply", 0);
		lex_next(&p->lex);
		r = parse_or(p);
		p->nesting--;
		if (r == 0 && p->lex.type != LEX_CLOSE)
			return expected(p, "')' or another term");
		if (r == 0)
			lex_next(&p->lex);
	} else {
		r = parse_term(p, after_or);
	}
	return r < 0 || !invert ? r : emit_code(p, FILTER_NOT);
}

static bool
begins_operand(const struct lex *l)
{
	return l->type != LEX_END && l->type != LEX_CLOSE && l->type != LEX_OR && !lex_is(l, "or");
}

static int
parse_and(struct parse *p, bool after_or)
{
	int r = parse_not(p, after_or);
	while (r == 0 && begins_operand(&p->lex)) {
		if (p->lex.type == LEX_AND || lex_is(&p->lex, "and"))
			lex_next(&p->lex);
		uint32_t skip = p->f->n_op;
		if ((r = emit_code(p, FILTER_SKIP_NONE)) < 0 || (r = parse_not(p, false)) < 0 ||
		    (r = emit_code(p, FILTER_AND)) < 0)
			return r;
		p->f->op[skip].aux = p->f->n_op;
	}
	return r;
}

static int
parse_or(struct parse *p)
{
	int r = parse_and(p, false);
	while (r == 0 && (p->lex.type == LEX_OR || lex_is(&p->lex, "or"))) {
		lex_next(&p->lex);
		uint32_t skip = p->f->n_op;
		if ((r = emit_code(p, FILTER_SKIP_ALL)) < 0 || (r = parse_and(p, true)) < 0 ||
		    (r = emit_code(p, FILTER_OR)) < 0)
			return r;
		p->f->op[skip].aux = p->f->n_op;
	}
	return r;
}

int
filter_parse(struct wcp_filter *f, const char *expression, struct wcp_error *e)
{
	struct parse p = {.f = f, .e = e};
	lex_start(&p.lex, expression);
	if (p.lex.type == LEX_END)
		return emit(&p, (struct filter_op){.code = FILTER_CONST, .lo = 1});
	int r = parse_or(&p);
	if (r == 0 && p.lex.type != LEX_END)
		return expected(&p, "the end");
	return r;
}
