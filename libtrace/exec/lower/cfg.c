#include <stdlib.h>
#include <string.h>
#include "exec/lower/cfg.h"

bool
cfg_writes(const struct ptx_insn *in)
{
	static const char *const none[] = {"st", "red", "bra", "brx", "membar", "fence", "prefetch",
	    "prefetchu", "nanosleep", "exit", "ret", "trap", "brkpt", "pmevent", "sust", "discard",
	    "applypriority", "stmatrix", "stackrestore", "call", "griddepcontrol", "setmaxnreg"};
	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
		if (!strcmp(in->base, none[i]))
			return false;
	if (!strcmp(in->base, "bar") || !strcmp(in->base, "barrier"))
		return ptx_has(in, "red");
	if (!strcmp(in->base, "wmma"))
		return !ptx_has(in, "store");
	return true;
}

static void
add(uint32_t *list, uint32_t *n, uint32_t reg)
{
	if (*n < CFG_REGS)
		list[(*n)++] = reg;
}

static void
operand_regs(const struct ptx_operand *op, bool written, struct cfg_regs *r)
{
	switch (op->kind) {
	case PTX_OP_REG:
		if (written)
			add(r->dst, &r->n_dst, op->reg);
		else
			add(r->src, &r->n_src, op->reg);
		break;
	case PTX_OP_MEMORY:
		if (op->has_reg)
			add(r->src, &r->n_src, op->reg);
		for (uint32_t i = 0; i < op->n_sub; i++)
			operand_regs(&op->sub[i], false, r);
		break;
	case PTX_OP_VECTOR:
	case PTX_OP_PAIR:
	case PTX_OP_LIST:
		for (uint32_t i = 0; i < op->n_sub; i++)
			operand_regs(&op->sub[i], written, r);
		break;
	case PTX_OP_INT:
	case PTX_OP_FLOAT:
	case PTX_OP_SYMBOL:
	case PTX_OP_LABEL:
	case PTX_OP_TABLE:
	case PTX_OP_SPECIAL:
	case PTX_OP_SINK: break;
	}
}

void
cfg_insn_regs(const struct ptx_insn *in, struct cfg_regs *r)
{
	bool call = !strcmp(in->base, "call"), writes = cfg_writes(in);
	r->n_dst = r->n_src = 0;
	if (in->guard != WCP_NONE32)
		add(r->src, &r->n_src, in->guard);
	for (uint32_t i = 0; i < in->n_op; i++) {
		bool returned = call && i == 0 && in->op[0].kind == PTX_OP_LIST;
		operand_regs(&in->op[i], returned || (writes && i == 0), r);
	}
	/* The condition code is no register here; a pair's second half is written too. */
}

bool
cfg_ends_lanes(const struct ptx_insn *in)
{
	return !strcmp(in->base, "exit") || !strcmp(in->base, "trap") || !strcmp(in->base, "ret");
}

bool
cfg_is_branch(const struct ptx_insn *in)
{
	return !strcmp(in->base, "bra") || !strcmp(in->base, "brx");
}

const struct ptx_table *
cfg_table(const struct ptx_func *fn, const struct ptx_insn *in)
{
	for (uint32_t i = 0; in->n_op > 1 && in->op[1].name && i < fn->n_table; i++)
		if (!strcmp(fn->table[i].name, in->op[1].name))
			return &fn->table[i];
	return NULL;
}

static uint32_t
successors(const struct cfg *c, const struct cfg_block *b, uint32_t *to)
{
	const struct ptx_func *fn = c->fn;
	const struct ptx_insn *last = &fn->insn[b->end - 1];
	uint32_t n = 0;
	bool falls = true;
	if (cfg_is_branch(last) || cfg_ends_lanes(last)) {
		const struct ptx_table *t = cfg_table(fn, last);
		if (!strcmp(last->base, "bra") && last->n_op && last->op[0].integer < fn->n_insn)
			to[n++] = c->block_of[last->op[0].integer];
		for (uint32_t i = 0; t && i < t->n; i++)
			if (t->target[i] < fn->n_insn)
				to[n++] = c->block_of[t->target[i]];
		falls = last->guard != WCP_NONE32;
	}
	if (falls && b->end < fn->n_insn)
		to[n++] = c->block_of[b->end];
	return n;
}

static bool
split_blocks(struct cfg *c)
{
	const struct ptx_func *fn = c->fn;
	uint8_t *leader = calloc(fn->n_insn + 1, 1);
	if (!leader)
		return false;
	leader[0] = 1;
	for (uint32_t i = 0; i < fn->n_insn; i++) {
		const struct ptx_insn *in = &fn->insn[i];
		const struct ptx_table *t;
		if (!cfg_is_branch(in) && !cfg_ends_lanes(in))
			continue;
		leader[i + 1] = 1;
		if (!strcmp(in->base, "bra") && in->n_op && in->op[0].integer < fn->n_insn)
			leader[in->op[0].integer] = 1;
		if (!strcmp(in->base, "brx") && (t = cfg_table(fn, in)))
			for (uint32_t k = 0; k < t->n; k++)
				if (t->target[k] < fn->n_insn)
					leader[t->target[k]] = 1;
	}
	for (uint32_t i = 0; i < fn->n_insn; i++)
		c->n_block += leader[i];
	c->block = calloc(c->n_block + 1, sizeof *c->block);
	c->block_of = calloc(fn->n_insn + 1, sizeof *c->block_of);
	for (uint32_t i = 0, b = 0; c->block && c->block_of && i < fn->n_insn; i++) {
		if (leader[i])
			c->block[b++].first = i;
		c->block_of[i] = b - 1;
		c->block[b - 1].end = i + 1;
	}
	free(leader);
	return c->block && c->block_of;
}

static bool
connect(struct cfg *c)
{
	uint64_t edges = 0;
	for (uint32_t b = 0; b < c->n_block; b++) {
		const struct ptx_insn *last = &c->fn->insn[c->block[b].end - 1];
		const struct ptx_table *t = cfg_table(c->fn, last);
		edges += 2 + (t ? t->n : 0);
	}
	c->edge = calloc(edges + 1, sizeof *c->edge);
	c->back_edge = calloc(edges + 1, sizeof *c->back_edge);
	if (!c->edge || !c->back_edge)
		return false;
	uint32_t n = 0, at = 0;
	for (uint32_t b = 0; b < c->n_block; b++) {
		c->block[b].succ = n;
		c->block[b].n_succ = successors(c, &c->block[b], c->edge + n);
		for (uint32_t i = 0; i < c->block[b].n_succ; i++)
			c->block[c->edge[n + i]].n_pred++;
		n += c->block[b].n_succ;
	}
	for (uint32_t b = 0; b < c->n_block; b++) {
		c->block[b].pred = at;
		at += c->block[b].n_pred;
		c->block[b].n_pred = 0;
	}
	for (uint32_t b = 0; b < c->n_block; b++)
		for (uint32_t i = 0; i < c->block[b].n_succ; i++) {
			struct cfg_block *s = &c->block[c->edge[c->block[b].succ + i]];
			c->back_edge[s->pred + s->n_pred++] = b;
		}
	return true;
}

static bool
reach(struct cfg *c)
{
	uint32_t *stack = calloc(c->n_block + 1, sizeof *stack), n = 0;
	if (!stack)
		return false;
	stack[n++] = 0;
	c->block[0].reached = true;
	while (n) {
		const struct cfg_block *b = &c->block[stack[--n]];
		for (uint32_t i = 0; i < b->n_succ; i++) {
			struct cfg_block *s = &c->block[c->edge[b->succ + i]];
			if (!s->reached) {
				s->reached = true;
				stack[n++] = c->edge[b->succ + i];
			}
		}
	}
	free(stack);
	return true;
}

/*
 * Immediate post-dominators: Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm", on
 * the reversed graph. Lanes that end leave every join, so ends are no paths: the graph has one end
 * at a time. First the main one (a kernel's last ret; a function's common return), then, for blocks
 * that only lead elsewhere, the next.
 */
struct pdom {
	struct cfg *c;
	uint32_t *order; /* [n_order] blocks of this round in reverse post-order from the end */
	uint32_t n_order;
	uint32_t *rank;	      /* [n_block] place in order + 1, 0: not in this round */
	uint32_t *idom;	      /* [n_order + 1] by rank; rank 0 is the end */
	uint8_t *done, *root; /* [n_block] */
	uint32_t *stack, *next;
};

static void
post_order(struct pdom *p, uint32_t root)
{
	struct cfg *c = p->c;
	uint32_t depth = 0;
	p->stack[depth++] = root;
	p->done[root] = 2;
	p->next[root] = 0;
	while (depth) {
		const uint32_t b = p->stack[depth - 1];
		const struct cfg_block *block = &c->block[b];
		if (p->next[b] == block->n_pred) {
			p->order[p->n_order++] = b;
			depth--;
			continue;
		}
		uint32_t to = c->back_edge[block->pred + p->next[b]++];
		if (p->done[to] || !c->block[to].reached)
			continue;
		p->done[to] = 2;
		p->next[to] = 0;
		p->stack[depth++] = to;
	}
}

static uint32_t
intersect(const struct pdom *p, uint32_t a, uint32_t b)
{
	while (a != b) {
		while (a > b)
			a = p->idom[a];
		while (b > a)
			b = p->idom[b];
	}
	return a;
}

static void
iterate(struct pdom *p)
{
	const struct cfg *c = p->c;
	const uint32_t unknown = CFG_NONE;
	p->idom[0] = 0;
	for (uint32_t i = 1; i <= p->n_order; i++)
		p->idom[i] = unknown;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 1; i <= p->n_order; i++) {
			const uint32_t b = p->order[i - 1];
			const struct cfg_block *block = &c->block[b];
			uint32_t to = p->root[b] ? 0 : unknown;
			for (uint32_t k = 0; k < block->n_succ; k++) {
				uint32_t s = p->rank[c->edge[block->succ + k]];
				if (s && p->idom[s] != unknown)
					to = to == unknown ? s : intersect(p, to, s);
			}
			if (to != p->idom[i]) {
				p->idom[i] = to;
				changed = true;
			}
		}
	}
}

static void
one_end(struct pdom *p, bool common_return)
{
	struct cfg *c = p->c;
	p->n_order = 0;
	for (uint32_t b = 0; b < c->n_block; b++)
		if (p->root[b] == 1 && !p->done[b])
			post_order(p, b);
	for (uint32_t i = 0; i < p->n_order / 2; i++) {
		uint32_t t = p->order[i];
		p->order[i] = p->order[p->n_order - 1 - i];
		p->order[p->n_order - 1 - i] = t;
	}
	memset(p->rank, 0, c->n_block * sizeof *p->rank);
	for (uint32_t i = 0; i < p->n_order; i++)
		p->rank[p->order[i]] = i + 1;
	iterate(p);
	for (uint32_t i = 0; i < p->n_order; i++) {
		uint32_t d = p->idom[i + 1];
		c->block[p->order[i]].ipdom = d && d != CFG_NONE ? p->order[d - 1]
					      : common_return	 ? CFG_EXIT
								 : CFG_NONE;
		p->done[p->order[i]] = 1;
		p->root[p->order[i]] = 0;
	}
}

/* The last block that ends its lanes and is not done; else the last that is not done; CFG_NONE if
 * all are. */
static uint32_t
next_end(const struct pdom *p)
{
	uint32_t any = CFG_NONE;
	for (uint32_t b = p->c->n_block; b-- > 0;) {
		const struct cfg_block *block = &p->c->block[b];
		if (!block->reached || p->done[b])
			continue;
		if (!block->n_succ)
			return b;
		if (any == CFG_NONE)
			any = b;
	}
	return any;
}

static bool
post_dominators(struct cfg *c)
{
	struct pdom p = {.c = c};
	const size_t n = c->n_block + 1;
	uint32_t *memory = calloc(5 * n, sizeof *memory);
	uint8_t *bytes = calloc(2 * n, 1);
	bool ok = memory && bytes;
	if (ok) {
		p.order = memory;
		p.rank = memory + n;
		p.idom = memory + 2 * n;
		p.stack = memory + 3 * n;
		p.next = memory + 4 * n;
		p.done = bytes;
		p.root = bytes + n;
		bool returns = false;
		for (uint32_t b = 0; b < c->n_block; b++) {
			c->block[b].ipdom = CFG_NONE;
			p.root[b] = c->block[b].reached && c->block[b].returns;
			returns |= p.root[b];
		}
		if (returns)
			one_end(&p, true);
		for (uint32_t end; (end = next_end(&p)) != CFG_NONE;) {
			p.root[end] = 1;
			one_end(&p, false);
		}
	}
	free(memory);
	free(bytes);
	return ok;
}

/* Where lanes that a branch parts meet again. */
static void
mark_meets(struct cfg *c)
{
	for (uint32_t b = 0; b < c->n_block; b++) {
		const struct cfg_block *block = &c->block[b];
		const struct ptx_insn *last = &c->fn->insn[block->end - 1];
		bool parts = (cfg_is_branch(last) && last->guard != WCP_NONE32) ||
			     !strcmp(last->base, "brx") ||
			     (block->returns && last->guard != WCP_NONE32);
		if (!block->reached || !parts || block->ipdom == CFG_NONE)
			continue;
		if (block->ipdom == CFG_EXIT)
			c->common_return = true;
		else
			c->block[block->ipdom].meets = true;
	}
}

bool cfg_liveness(struct cfg *c);

bool
cfg_build(struct cfg *c, const struct ptx_func *fn)
{
	*c = (struct cfg){.fn = fn};
	if (!fn->n_insn)
		return true;
	if (!split_blocks(c) || !connect(c) || !reach(c))
		return false;
	for (uint32_t b = 0; b < c->n_block; b++)
		c->block[b].returns =
		    !fn->is_entry && !strcmp(fn->insn[c->block[b].end - 1].base, "ret");
	if (!post_dominators(c))
		return false;
	mark_meets(c);
	return cfg_liveness(c);
}

void
cfg_release(struct cfg *c)
{
	free(c->block);
	free(c->block_of);
	free(c->edge);
	free(c->back_edge);
	free(c->live_in);
	free(c->live_out);
	memset(c, 0, sizeof *c);
}
