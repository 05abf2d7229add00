/* Loops that wait for what others write, found in the code. */
#include <stdlib.h>
#include <string.h>
#include "exec/lower/lower.h"

/*
 * Can the loop that the branch at index closes wait for others? It does if whether it is left
 * depends on what a volatile load, a load between fences or an atomic brought, unless that is a
 * compare-and-swap with a value the loop computed itself: such a loop retries, and someone has
 * progressed. What a function that has such a read returns counts as brought by it.
 */
struct waits {
	uint8_t *tainted, *own; /* [n_reg] depends on such a read; is written in the loop */
	const struct exec_code *code;
	const struct ptx_func *fn;
	bool fenced; /* a fence in the loop makes a plain load read anew each round */
	bool called; /* a function that brings news is called in it */
	bool kept;   /* what was read is stored in it: unoptimised code reads it from there */
};

static bool
is_strong_load(const struct ptx_insn *in)
{
	return !strcmp(in->base, "ld") &&
	       (ptx_has(in, "volatile") || ptx_has(in, "relaxed") || ptx_has(in, "acquire"));
}

/* An addition of nothing is a load by that name. */
static bool
is_atomic_poll(const struct ptx_insn *in)
{
	if (strcmp(in->base, "atom") != 0)
		return false;
	if (ptx_has(in, "add") && in->n_op > 2)
		return in->op[2].kind == PTX_OP_INT && in->op[2].integer == 0;
	return ptx_has(in, "exch") || ptx_has(in, "or") || ptx_has(in, "and") || ptx_has(in, "cas");
}

/* Is a function that brings news of others called? */
static bool
calls_poller(const struct exec_code *c, const struct ptx_insn *in)
{
	const struct ptx_symbol *callee = NULL;
	if (strcmp(in->base, "call") != 0)
		return false;
	for (uint32_t k = 0; k < in->n_op && !callee; k++)
		if (in->op[k].kind == PTX_OP_SYMBOL && in->op[k].sym &&
		    in->op[k].sym->kind == PTX_SYM_FUNC)
			callee = in->op[k].sym;
	for (uint32_t f = 1; f < c->n_func; f++)
		if (c->func[f].polls &&
		    (callee ? c->func[f].ptx == callee->func : c->func[f].address_taken))
			return true;
	return false;
}

void
lower_find_pollers(struct exec_code *c)
{
	for (bool changed = c->n_func > 1; changed;) {
		changed = false;
		for (uint32_t f = 1; f < c->n_func; f++) {
			const struct ptx_func *fn = c->func[f].ptx;
			for (uint32_t i = 0; i < fn->n_insn && !c->func[f].polls; i++)
				if (is_strong_load(&fn->insn[i]) || is_atomic_poll(&fn->insn[i]) ||
				    calls_poller(c, &fn->insn[i]))
					changed = c->func[f].polls = true;
		}
	}
}

static bool
is_fence(const struct ptx_insn *in)
{
	return !strcmp(in->base, "membar") || !strcmp(in->base, "fence");
}

/* A plain load of one place, again and again. */
static bool
is_plain_poll(const struct ptx_insn *in, const struct waits *w)
{
	struct cfg_regs r;
	if (!w->fenced || ptx_has(in, "param") || ptx_has(in, "const") || ptx_has(in, "local"))
		return false;
	cfg_insn_regs(in, &r);
	for (uint32_t i = 0; i < r.n_src; i++)
		if (w->own[r.src[i]])
			return false;
	return true;
}

/* What a function left for its caller, where one that brings news is called. */
static bool
is_result(const struct ptx_insn *in, const struct waits *w)
{
	const struct ptx_func *fn = w->fn;
	if (!w->called || !ptx_has(in, "param"))
		return false;
	for (uint32_t i = 0; i < in->n_op; i++) {
		const struct ptx_symbol *s = in->op[i].sym;
		if (s && s->index < fn->sig.n_param && fn->sig.param[s->index] == s)
			return false;
	}
	return true;
}

static bool
is_poll(const struct ptx_insn *in, const struct waits *w)
{
	if (!strcmp(in->base, "ld"))
		return is_strong_load(in) || is_plain_poll(in, w) || is_result(in, w) ||
		       (w->kept && !ptx_has(in, "param") && !ptx_has(in, "const"));
	if (!strcmp(in->base, "call"))
		return calls_poller(w->code, in);
	if (!strcmp(in->base, "atom") && ptx_has(in, "cas") && in->n_op > 2)
		return in->op[2].kind != PTX_OP_REG || !w->own[in->op[2].reg];
	return is_atomic_poll(in);
}

static bool
taint(const struct ptx_insn *in, struct waits *w)
{
	struct cfg_regs r;
	bool from = is_poll(in, w), changed = false;
	cfg_insn_regs(in, &r);
	for (uint32_t i = 0; i < r.n_src; i++)
		from |= w->tainted[r.src[i]];
	if (from && !w->kept && !strcmp(in->base, "st") && !ptx_has(in, "param"))
		changed = w->kept = true;
	for (uint32_t i = 0; from && i < r.n_dst; i++) {
		changed |= !w->tainted[r.dst[i]];
		w->tainted[r.dst[i]] = 1;
	}
	return changed;
}

/* What is written on one way only out of a branch that depends on such a read depends on it too. */
static bool
taint_arms(const struct lower *l, uint32_t branch, uint32_t end, struct waits *w)
{
	const struct cfg *c = &l->cfg;
	const uint32_t meet = c->block[c->block_of[branch]].ipdom;
	const uint32_t to = meet < c->n_block ? c->block[meet].first : end + 1;
	bool changed = false;
	for (uint32_t i = branch + 1; i <= end && i != to; i++) {
		struct cfg_regs r;
		cfg_insn_regs(&w->fn->insn[i], &r);
		for (uint32_t k = 0; k < r.n_dst; k++) {
			changed |= !w->tainted[r.dst[k]];
			w->tainted[r.dst[k]] = 1;
		}
	}
	return changed;
}

static bool
spread_taint(const struct lower *l, uint32_t head, uint32_t end, struct waits *w)
{
	bool changed = false;
	for (uint32_t i = head; i <= end; i++) {
		const struct ptx_insn *in = &w->fn->insn[i];
		changed |= taint(in, w);
		if (i < end && cfg_is_branch(in) && in->guard != WCP_NONE32 &&
		    w->tainted[in->guard] && in->op[0].integer > i)
			changed |= taint_arms(l, i, end, w);
	}
	return changed;
}

/* Code of many loops around each other has few such instructions: most loops need no closer look.
 */
void
lower_find_shared(struct lower *l)
{
	const struct ptx_func *fn = l->fn;
	uint32_t next = fn->n_insn;
	l->next_shared[fn->n_insn] = next;
	for (uint32_t i = fn->n_insn; i-- > 0;) {
		const struct ptx_insn *in = &fn->insn[i];
		if (is_strong_load(in) || !strcmp(in->base, "atom") || is_fence(in) ||
		    calls_poller(l->code, in))
			next = i;
		l->next_shared[i] = next;
	}
}

bool
lower_loop_waits(struct lower *l, uint32_t head, uint32_t branch)
{
	const struct ptx_func *fn = l->fn;
	if (l->next_shared[head] > branch)
		return false;
	struct waits w = {.tainted = calloc(fn->n_reg + 1, 1),
	    .own = calloc(fn->n_reg + 1, 1),
	    .code = l->code,
	    .fn = fn};
	bool answer = false;
	if (w.tainted && w.own) {
		for (uint32_t i = head; i <= branch; i++) {
			struct cfg_regs r;
			cfg_insn_regs(&fn->insn[i], &r);
			w.fenced |= is_fence(&fn->insn[i]);
			w.called |= calls_poller(l->code, &fn->insn[i]);
			for (uint32_t k = 0; k < r.n_dst; k++)
				w.own[r.dst[k]] = 1;
		}
		while (spread_taint(l, head, branch, &w))
			;
		for (uint32_t i = head; i <= branch; i++) {
			const struct ptx_insn *in = &fn->insn[i];
			if (cfg_is_branch(in) && in->guard != WCP_NONE32 && w.tainted[in->guard])
				answer |= i == branch || in->op[0].integer < head ||
					  in->op[0].integer > branch;
		}
	}
	free(w.tainted);
	free(w.own);
	return answer;
}
