/* What holds for the whole kernel: the order its CTAs must run in, its sizes. */
#include <stdlib.h>
#include <string.h>
#include "exec/lower/lower.h"

#define RECURSION_STACK_BYTES 32768u
#define LOCAL_MAX_BYTES	      (512u << 10)

static bool
is_real(enum ptx_type t)
{
	return t == PTX_F16 || t == PTX_F16X2 || t == PTX_BF16 || t == PTX_BF16X2 || t == PTX_F32 ||
	       t == PTX_F64;
}

/* Does the outcome depend on the order in which CTAs come? */
static bool
needs_order(const struct mem_op *m)
{
	if (m->space == WCP_SPACE_SHARED || m->space == WCP_SPACE_LOCAL ||
	    m->space == WCP_SPACE_PARAM)
		return false;
	if (m->kind == WCP_ATOMIC)
		return true;
	if (m->kind == WCP_LOAD)
		return (m->flags & MEM_POLL) && m->space != WCP_SPACE_CONST;
	if (m->kind != WCP_REDUCE)
		return false;
	switch ((enum atom_op)m->op) {
	case ATOM_ADD: return is_real((enum ptx_type)m->type);
	case ATOM_INC:
	case ATOM_DEC:
	case ATOM_EXCH:
	case ATOM_CAS: return true;
	case ATOM_MIN:
	case ATOM_MAX:
	case ATOM_AND:
	case ATOM_OR:
	case ATOM_XOR: return false;
	}
	return false;
}

static bool
calls(const struct exec_code *c, uint32_t from, uint32_t to)
{
	for (uint32_t i = 0; i < c->n_call; i++)
		if (c->call[i].caller == from &&
		    (c->call[i].target == to ||
			(c->call[i].target == WCP_NONE32 && c->func[to].address_taken)))
			return true;
	return false;
}

/* reach[f][g]: a call chain leads from f to g (Warshall). */
static void
find_recursion(struct exec_code *c, uint8_t *reach)
{
	const uint32_t n = c->n_func;
	for (uint32_t f = 0; f < n; f++)
		for (uint32_t g = 0; g < n; g++)
			reach[f * n + g] = calls(c, f, g);
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t f = 0; f < n; f++)
			for (uint32_t g = 0; reach[f * n + k] && g < n; g++)
				reach[f * n + g] |= reach[k * n + g];
	for (uint32_t f = 0; f < n; f++) {
		c->func[f].recursive = reach[f * n + f];
		c->recursive |= c->func[f].recursive;
	}
}

/* Along the deepest chain of calls: local memory and live registers. done: 0 not yet, 1 under way,
 * 2 done. */
static void
deepest(const struct exec_code *c, uint32_t f, uint8_t *done, uint32_t *local, uint32_t *regs)
{
	done[f] = 1;
	local[f] = c->func[f].local_bytes;
	regs[f] = c->func[f].peak;
	for (uint32_t g = 0; g < c->n_func; g++)
		for (uint32_t i = 0; i < c->n_call; i++) {
			const struct exec_call *k = &c->call[i];
			if (k->caller != f || (k->target != g && (k->target != WCP_NONE32 ||
								     !c->func[g].address_taken)))
				continue;
			if (!done[g])
				deepest(c, g, done, local, regs);
			if (done[g] == 1)
				continue;
			if (exec_frame_end(&c->func[f]) + local[g] > local[f])
				local[f] = exec_frame_end(&c->func[f]) + local[g];
			if (k->live + regs[g] > regs[f])
				regs[f] = k->live + regs[g];
		}
	done[f] = 2;
}

static uint32_t
threads_of(const uint32_t *extent)
{
	return extent[0] * (extent[1] ? extent[1] : 1) * (extent[2] ? extent[2] : 1);
}

/*
 * Registers that a compiler may give a thread; beyond them it spills. Those of an SM are given to a
 * warp in units of 256, and as many warps on each of four schedulers (CUDA C++ Programming Guide,
 * technical specifications); the blocks that the kernel's directives promise must fit.
 */
static uint32_t
most_regs(const struct lower *l)
{
	const struct exec_code *c = l->code;
	const struct ptx_func *k = c->func[0].ptx;
	const uint32_t threads = c->max_threads ? c->max_threads : threads_of(k->reqntid);
	const uint64_t warps =
	    ((uint64_t)threads + 31) / 32 * (k->minnctapersm ? k->minnctapersm : 1);
	const uint64_t fit = warps ? l->regs_per_sm / 32 / ((warps + 3) / 4 * 4) / 8 * 8 : 255;
	uint64_t most = fit < 255 ? fit : 255;
	most = k->maxnreg && k->maxnreg < most ? k->maxnreg : most;
	return most < 16 ? 16 : (uint32_t)most;
}

static void
sizes(struct lower *l)
{
	struct exec_code *c = l->code;
	const size_t n = c->n_func;
	uint8_t *reach = calloc(n * n + n, 1);
	uint32_t *local = calloc(2 * n, sizeof *local);
	if (reach && local) {
		find_recursion(c, reach);
		deepest(c, 0, reach + n * n, local, local + n);
		c->local_bytes =
		    local[0] + (c->recursive || c->has_alloca ? RECURSION_STACK_BYTES : 0);
		const uint32_t most = most_regs(l);
		c->regs_per_thread = local[n] > most ? most : local[n] ? local[n] : 1;
		if (c->local_bytes > LOCAL_MAX_BYTES)
			lower_fail(l, WCP_EDATA,
			    "%u bytes of local memory a thread; %u are possible", c->local_bytes,
			    LOCAL_MAX_BYTES);
	} else {
		lower_fail(l, WCP_ESYS, "out of memory");
	}
	free(reach);
	free(local);
}

void
lower_rules(struct lower *l)
{
	struct exec_code *c = l->code;
	for (uint32_t i = 0; i < c->n_insn; i++) {
		if (c->insn[i].what != DO_MEMORY)
			continue;
		const struct mem_op *m = &c->mem[c->insn[i].e];
		c->ordered |= needs_order(m);
		c->polls |= (m->flags & MEM_POLL) != 0;
	}
	sizes(l);
}
