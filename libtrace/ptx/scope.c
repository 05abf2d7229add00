/*
 * Names in nested scopes. Each name heads a stack of its bindings, innermost first, so that looking
 * one up is one comparison; closing a scope pops what it bound.
 */
#include <string.h>
#include "ptx/parse.h"

void
pt_open_scope(struct parser *p)
{
	if (p->depth + 1 >= DEPTH_MAX) {
		pt_fail(p, "scopes nested more than %d deep", DEPTH_MAX - 1);
		return;
	}
	p->scope[++p->depth] = (struct scope){.first_fixup = p->fixup.n};
}

static struct binding *
push_binding(struct parser *p, struct name *name, enum bound_kind kind, int depth)
{
	struct binding *b = pt_arena_alloc(&p->scratch, sizeof *b);
	if (!b) {
		pt_fail_memory(p);
		return NULL;
	}
	struct binding **top = kind == BOUND_RANGE ? &name->range : &name->bound;
	*b = (struct binding){.kind = kind, .depth = depth, .name = name, .outer = *top};
	b->index = WCP_NONE32;
	b->next = p->scope[depth].first;
	p->scope[depth].first = b;
	return *top = b;
}

struct binding *
pt_bind(struct parser *p, struct name *name, enum bound_kind kind)
{
	if (p->failed)
		return NULL;
	if (name->bound && name->bound->depth == p->depth) {
		pt_fail(p, "%s is declared twice in one scope", name->text);
		return NULL;
	}
	return push_binding(p, name, kind, p->depth);
}

struct binding *
pt_bind_range(struct parser *p, struct name *stem)
{
	if (p->failed)
		return NULL;
	p->scope[p->depth].has_range = true;
	return push_binding(p, stem, BOUND_RANGE, p->depth);
}

/* The innermost range "stem<count>" that has name as a member. */
static struct binding *
range_of(struct parser *p, const struct name *name, int deeper_than)
{
	struct binding *best = NULL;
	uint64_t number = 0, scale = 1;
	for (uint32_t stem = name->bytes; stem-- > 1 && name->bytes - stem <= 9;) {
		char c = name->text[stem];
		if (c < '0' || c > '9')
			break;
		number += (uint64_t)(c - '0') * scale;
		scale *= 10;
		if (c == '0' && stem + 1 < name->bytes) /* %r<10> has no %r07 */
			continue;
		const struct name *s = pt_arena_find(p->arena, name->text, stem);
		for (struct binding *b = s ? s->range : NULL; b && b->depth > deeper_than;
		     b = b->outer)
			if (number < b->count) {
				best = b;
				deeper_than = b->depth;
				break;
			}
	}
	return best;
}

static bool
range_above(const struct parser *p, int depth)
{
	for (int d = p->depth; d > depth; d--)
		if (p->scope[d].has_range)
			return true;
	return false;
}

struct binding *
pt_meaning(struct parser *p, struct name *name)
{
	struct binding *b = name->bound;
	int depth = b ? b->depth : 0;
	if (depth == p->depth || !range_above(p, depth))
		return b;
	struct binding *range = range_of(p, name, depth);
	if (!range)
		return b;
	b = push_binding(p, name, BOUND_REG, range->depth);
	if (b) {
		b->type = range->type;
		b->vector = range->vector;
	}
	return b;
}

void
pt_later(struct parser *p, enum fixup_kind kind, struct name *name, void *what)
{
	struct fixup *f = pt_push(p, &p->fixup, sizeof *f);
	if (f)
		*f = (struct fixup){kind, p->last_line, name, p->last_at, what};
}

static void
resolve_operand(struct parser *p, const struct fixup *f, const struct binding *b)
{
	struct ptx_operand *op = f->what;
	if (b->kind == BOUND_SYMBOL) {
		op->sym = b->sym;
	} else if ((b->kind == BOUND_LABEL || b->kind == BOUND_TABLE) &&
		   op->kind == PTX_OP_SYMBOL && !op->integer) {
		op->kind = b->kind == BOUND_LABEL ? PTX_OP_LABEL : PTX_OP_TABLE;
		op->integer = b->index;
	} else {
		pt_fail_at(p, f->line, f->at, "%s cannot be used here", f->name->text);
	}
}

static void
resolve(struct parser *p, const struct fixup *f, const struct binding *b)
{
	bool label = f->kind == FIX_LABEL || f->kind == FIX_TARGET;
	if (label && b->kind != BOUND_LABEL) {
		pt_fail_at(p, f->line, f->at, "%s is no label", f->name->text);
	} else if (f->kind == FIX_LABEL) {
		((struct ptx_operand *)f->what)->integer = b->index;
	} else if (f->kind == FIX_TARGET) {
		*(uint32_t *)f->what = b->index;
	} else if (f->kind == FIX_OPERAND) {
		resolve_operand(p, f, b);
	} else if (b->kind != BOUND_SYMBOL) {
		pt_fail_at(p, f->line, f->at, "%s has no address", f->name->text);
	} else if (f->kind == FIX_CALLEE) {
		*(struct ptx_symbol **)f->what = b->sym;
	} else {
		((struct ptx_init *)f->what)->sym = b->sym;
	}
}

/* Gives names used in this scope the meaning they got in it; what is left is asked of the next
 * outer one. */
static void
resolve_scope(struct parser *p, size_t first, int depth)
{
	struct fixup *fixup = p->fixup.item;
	size_t kept = first;
	for (size_t i = first; i < p->fixup.n; i++) {
		struct fixup f = fixup[i];
		struct binding *b = f.name->bound;
		if (b && b->depth == depth)
			resolve(p, &f, b);
		else
			fixup[kept++] = f;
	}
	p->fixup.n = kept;
}

void
pt_close_scope(struct parser *p)
{
	if (p->depth == 0)
		return;
	struct scope *s = &p->scope[p->depth];
	resolve_scope(p, s->first_fixup, p->depth);
	for (struct binding *b = s->first; b; b = b->next)
		*(b->kind == BOUND_RANGE ? &b->name->range : &b->name->bound) = b->outer;
	p->depth--;
}

void
pt_resolve_module(struct parser *p)
{
	resolve_scope(p, 0, 0);
	if (p->failed || !p->fixup.n)
		return;
	const struct fixup *f = p->fixup.item;
	bool label = f->kind == FIX_LABEL || f->kind == FIX_TARGET;
	pt_fail_at(
	    p, f->line, f->at, "%s %s is not declared", label ? "label" : "name", f->name->text);
}
