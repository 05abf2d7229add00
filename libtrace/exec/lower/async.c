/*
 * Copies that go on beside their thread, and the barriers in memory that they arrive at. Here a
 * copy is done when its instruction is: waiting for it has nothing to wait for. PTX ISA 9.0
 * sections 9.7.9.25 (cp.async) and 9.7.13.15 (mbarrier).
 */
#include <string.h>
#include "exec/lower/lower.h"

static bool
nothing(struct lower *l)
{
	lower_emit(l, DO_NOTHING, NULL);
	return true;
}

/* mbarrier.what [a], b or mbarrier.what d, [a], b */
static bool
on_barrier(struct lower *l, enum mbarrier_what what, bool has_result, enum ptx_type operand)
{
	const struct ptx_insn *p = l->in;
	const uint32_t first = has_result ? 1 : 0;
	struct mem_op m = {.kind = WCP_ATOMIC,
	    .space = WCP_SPACE_GENERIC,
	    .size = 8,
	    .n = 1,
	    .type = PTX_B64,
	    .op = ATOM_ADD,
	    .flags = MEM_POLL};
	uint32_t frame, d = FILE_NONE, b = FILE_NONE;
	l->op_class = WCP_OP_ATOMIC;
	if (p->n_op <= first)
		return lower_unsupported(l), true;
	for (uint32_t i = 0; i < p->n_mod; i++)
		lower_space(p->mod[i], &m.space);
	if (!lower_frame_address(l, &p->op[first], &frame))
		return true;
	if (operand != PTX_NONE && p->n_op > first + 1)
		b = lower_source(l, &p->op[first + 1], operand);
	if (has_result && p->op[0].kind != PTX_OP_SINK)
		d = lower_result(l, &p->op[0], what >= MBARRIER_TEST ? PTX_PRED : PTX_B64);
	struct insn *in =
	    lower_emit(l, DO_MEMORY, (lane_fn *const[2]){l->level->mbarrier, l->level->mbarrier});
	in->b = b;
	in->d = d;
	in->aux = (uint16_t)what;
	if (lower_address(l, &p->op[first], frame, in, &m))
		*lower_mem(l, in) = m;
	return true;
}

static bool
mbarrier(struct lower *l)
{
	const struct ptx_insn *p = l->in;
	if (ptx_has(p, "init"))
		return on_barrier(l, MBARRIER_INIT, false, PTX_U32);
	if (ptx_has(p, "inval"))
		return on_barrier(l, MBARRIER_INVAL, false, PTX_NONE);
	if (ptx_has(p, "test_wait") || ptx_has(p, "try_wait"))
		return ptx_has(p, "parity") ? on_barrier(l, MBARRIER_PARITY, true, PTX_U32)
					    : on_barrier(l, MBARRIER_TEST, true, PTX_B64);
	const bool result = p->n_op && p->op[0].kind != PTX_OP_MEMORY;
	if (ptx_has(p, "arrive"))
		return on_barrier(l,
		    ptx_has(p, "expect_tx") ? MBARRIER_ARRIVE_EXPECT : MBARRIER_ARRIVE, result,
		    PTX_U32);
	if (ptx_has(p, "arrive_drop"))
		return on_barrier(l, ptx_has(p, "expect_tx") ? MBARRIER_DROP_EXPECT : MBARRIER_DROP,
		    result, PTX_U32);
	if (ptx_has(p, "expect_tx"))
		return on_barrier(l, MBARRIER_EXPECT, false, PTX_U32);
	if (ptx_has(p, "complete_tx"))
		return on_barrier(l, MBARRIER_COMPLETE, false, PTX_U32);
	if (!ptx_has(p, "pending_count") || p->n_op != 2)
		return lower_unsupported(l), true;
	/* the state that arriving gave is the object as it was */
	const uint32_t a = lower_source(l, &p->op[1], PTX_B64);
	const uint32_t d = lower_result(l, &p->op[0], PTX_U32);
	struct insn *in = lower_emit(
	    l, DO_LANES, (lane_fn *const[2]){l->level->pending_count, l->level->pending_count});
	in->a = a;
	in->d = d;
	return true;
}

/* cp.async.ca.shared.global [to], [from], bytes {, bytes to read or whether to read none} */
static bool
copy(struct lower *l)
{
	const struct ptx_insn *p = l->in;
	struct mem_op m = {.kind = WCP_LOAD, .space = WCP_SPACE_GLOBAL, .n = 1};
	if (p->n_op < 3 || p->op[2].kind != PTX_OP_INT || !ptx_has(p, "global") ||
	    (p->op[2].integer != 4 && p->op[2].integer != 8 && p->op[2].integer != 16) ||
	    p->op[0].kind != PTX_OP_MEMORY)
		return lower_unsupported(l), true;
	m.size = (uint8_t)p->op[2].integer;
	const struct ptx_operand *to = &p->op[0];
	const bool limited = p->n_op > (ptx_has(p, "L2::cache_hint") ? 4 : 3);
	const bool ignores =
	    limited && p->op[3].kind == PTX_OP_REG && l->fn->reg[p->op[3].reg].type == PTX_PRED;
	const uint32_t bytes =
	    limited ? lower_source(l, &p->op[3], ignores ? PTX_PRED : PTX_U32) : FILE_NONE;
	struct ptx_operand base = *to;
	base.kind = to->has_reg ? PTX_OP_REG : to->sym ? PTX_OP_SYMBOL : PTX_OP_INT;
	const uint32_t b = lower_source(l, &base, PTX_U64);
	struct insn *in = lower_emit(
	    l, DO_MEMORY, (lane_fn *const[2]){l->level->async_copy, l->level->async_copy});
	l->op_class = WCP_OP_LOAD;
	in->b = b;
	in->d2 = to->has_reg ? (uint32_t)to->integer : 0;
	in->c = bytes;
	in->aux = ignores;
	in->negate = ignores && p->op[3].negated;
	if (lower_address(l, &p->op[1], FILE_NONE, in, &m))
		*lower_mem(l, in) = m;
	return true;
}

bool
lower_async(struct lower *l)
{
	const struct ptx_insn *p = l->in;
	if (!strcmp(p->base, "mbarrier"))
		return mbarrier(l);
	if ((!strcmp(p->base, "st") || !strcmp(p->base, "red")) && ptx_has(p, "async"))
		return lower_store_async(l);
	if (strcmp(p->base, "cp") != 0)
		return false;
	l->op_class = WCP_OP_FENCE;
	if (ptx_has(p, "commit_group") || ptx_has(p, "wait_group") || ptx_has(p, "wait_all"))
		return nothing(l);
	if (ptx_has(p, "mbarrier"))
		return ptx_has(p, "noinc") ? on_barrier(l, MBARRIER_COPIES, false, PTX_NONE)
					   : nothing(l);
	return ptx_has(p, "bulk") ? lower_bulk(l) : copy(l);
}
