/*
 * Bulk copies and reductions: one thread moves many bytes between global memory and shared memory,
 * or from one CTA's shared memory to another's. PTX ISA 9.0 sections 9.7.9.25.5 (cp.async.bulk,
 * cp.reduce.async.bulk, cp.async.bulk.prefetch) and 9.7.9.27 (those of tensors). Done at once, as
 * all copies beside their thread.
 */
#include <string.h>
#include "exec/lower/lower.h"

struct spaces {
	uint8_t space[2]; /* destination, source; a prefetch has the source alone */
	uint32_t n;
	bool harmless;
};

static bool
is_known(const char *mod)
{
	static const char *const list[] = {"async", "bulk", "reduce", "prefetch", "bulk_group",
	    "mbarrier::complete_tx::bytes", "multicast::cluster", "noftz", "L2", "L2::cache_hint",
	    "cp_mask", "tensor", "tile", "1d", "2d", "3d", "4d", "5d"};
	for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
		if (!strcmp(mod, list[i]))
			return true;
	return lower_atom_named(mod) >= 0 || ptx_type_named(mod) != PTX_NONE;
}

static struct spaces
find_spaces(const struct ptx_insn *p)
{
	struct spaces s = {.harmless = true};
	for (uint32_t i = 0; i < p->n_mod; i++) {
		uint8_t space;
		if (!lower_space(p->mod[i], &space))
			s.harmless &= is_known(p->mod[i]);
		else if (s.n < 2)
			s.space[s.n++] = space;
	}
	return s;
}

/* A register or constant and what is to be added to it. */
static struct bulk_address
place(struct lower *l, const struct ptx_operand *op)
{
	struct ptx_operand base = *op;
	if (op->kind != PTX_OP_MEMORY) {
		lower_unsupported(l);
		return (struct bulk_address){0};
	}
	base.kind = op->has_reg ? PTX_OP_REG : op->sym ? PTX_OP_SYMBOL : PTX_OP_INT;
	return (struct bulk_address){
	    .slot = lower_source(l, &base, PTX_U64), .offset = op->has_reg ? op->integer : 0};
}

/* The operation of a reduction; false: none is named. */
static bool
find_operation(const struct ptx_insn *p, struct mem_op *m)
{
	for (uint32_t i = 0; i < p->n_mod; i++)
		if (lower_atom_named(p->mod[i]) >= 0) {
			m->op = (uint8_t)lower_atom_named(p->mod[i]);
			return true;
		}
	return false;
}

/* What is recorded: a line at a time of the side that is global memory, else of the destination. */
static bool
describe(struct lower *l, const struct spaces *s, struct mem_op *m)
{
	const struct ptx_insn *p = l->in;
	const bool reduces = ptx_has(p, "reduce"), fetches = ptx_has(p, "prefetch");
	const bool from_global = s->space[0] == WCP_SPACE_SHARED && s->space[1] == WCP_SPACE_GLOBAL;
	*m = (struct mem_op){.space = fetches || from_global ? WCP_SPACE_GLOBAL : s->space[0],
	    .kind = fetches	  ? WCP_PREFETCH
		    : reduces	  ? WCP_REDUCE
		    : from_global ? WCP_LOAD
				  : WCP_STORE,
	    .size = 16};
	if (reduces)
		find_operation(p, m);
	if (reduces && !ptx_has(p, "tensor")) { /* a tensor's type is in its map */
		m->type = (uint8_t)ptx_insn_type(p, 0);
		m->size = (uint8_t)ptx_type_bytes((enum ptx_type)m->type);
	}
	if (!m->size || m->size > 16)
		return lower_unsupported(l);
	m->n = (uint8_t)(EXEC_BULK_LINE / m->size);
	return true;
}

/* What follows the addresses: [barrier], mask of CTAs. */
static void
signals(struct lower *l, uint32_t k, struct exec_bulk *b)
{
	const struct ptx_insn *p = l->in;
	b->signals = true;
	if (p->n_op > k)
		b->barrier = place(l, &p->op[k++]);
	if (ptx_has(p, "multicast::cluster") && p->n_op > k)
		b->cta_mask = lower_source(l, &p->op[k], PTX_U16);
}

/* The operands of a tensor's: one of [to], [from] is [map, {coordinates}]. */
static void
tensor_operands(struct lower *l, bool fetches, struct exec_bulk *b)
{
	const struct ptx_insn *p = l->in;
	const uint32_t sides = fetches ? 1 : 2;
	const struct ptx_operand *map = NULL;
	for (uint32_t k = 0; k < sides && k < p->n_op; k++)
		if (p->op[k].kind == PTX_OP_MEMORY && p->op[k].n_sub == 1)
			map = p->op[k].sub;
	const uint32_t rank = map && map->kind == PTX_OP_VECTOR ? map->n_sub : map ? 1 : 0;
	const char dimensions[] = {(char)('0' + rank), 'd', 0};
	if (p->n_op < sides || !rank || rank > 5 || !ptx_has(p, dimensions)) {
		lower_unsupported(l);
		return;
	}
	b->rank = (uint8_t)rank;
	for (uint32_t k = 0; k < rank; k++)
		b->coord[k] =
		    lower_source(l, map->kind == PTX_OP_VECTOR ? &map->sub[k] : map, PTX_U32);
	if (!fetches)
		b->to = place(l, &p->op[0]);
	b->from = place(l, &p->op[sides - 1]);
	if (ptx_has(p, "mbarrier::complete_tx::bytes"))
		signals(l, sides, b);
}

/* Where the operands stand: [to], [from], bytes, then [barrier], mask of CTAs, mask of bytes. */
static void
operands(struct lower *l, bool fetches, struct exec_bulk *b)
{
	const struct ptx_insn *p = l->in;
	uint32_t k = 0;
	if (p->n_op < (fetches ? 2u : 3u)) {
		lower_unsupported(l);
		return;
	}
	if (!fetches)
		b->to = place(l, &p->op[k++]);
	b->from = place(l, &p->op[k++]);
	b->bytes = lower_source(l, &p->op[k++], PTX_U32);
	if (!ptx_has(p, "mbarrier::complete_tx::bytes")) {
		if (ptx_has(p, "cp_mask") && p->n_op > k)
			b->byte_mask = lower_source(l, &p->op[p->n_op - 1], PTX_U16);
		return;
	}
	signals(l, k, b);
}

bool
lower_bulk(struct lower *l)
{
	const struct ptx_insn *p = l->in;
	const bool fetches = ptx_has(p, "prefetch");
	const struct spaces s = find_spaces(p);
	struct exec_code *code = l->code;
	struct exec_bulk b = {.to_space = s.space[0], .from_space = s.space[1]};
	struct mem_op m;
	if (!s.harmless || s.n != (fetches ? 1u : 2u) || !describe(l, &s, &m))
		return lower_unsupported(l), true;
	if (ptx_has(p, "tensor"))
		tensor_operands(l, fetches, &b);
	else
		operands(l, fetches, &b);
	l->op_class = m.kind == WCP_REDUCE  ? WCP_OP_ATOMIC
		      : m.kind == WCP_STORE ? WCP_OP_STORE
					    : WCP_OP_LOAD;
	struct insn *in = lower_emit(l, DO_BULK, NULL);
	code->one_by_one |= m.kind == WCP_REDUCE && m.space == WCP_SPACE_GLOBAL;
	in->imm = code->n_bulk;
	*lower_mem(l, in) = m;
	if (lower_grow(l, &code->bulk, code->n_bulk, &l->cap_bulk, sizeof b))
		code->bulk[code->n_bulk++] = b;
	return true;
}

/* st.async, red.async [to], value, [barrier]: a barrier is told of the store or reduction, which is
 * done at once. */
bool
lower_store_async(struct lower *l)
{
	const struct ptx_insn *p = l->in;
	const bool reduces = !strcmp(p->base, "red");
	struct mem_op m = {.kind = reduces ? WCP_REDUCE : WCP_STORE,
	    .space = WCP_SPACE_SHARED,
	    .type = (uint8_t)ptx_insn_type(p, 0),
	    .n = ptx_has(p, "v4")   ? 4
		 : ptx_has(p, "v2") ? 2
				    : 1};
	m.size = (uint8_t)ptx_type_bytes((enum ptx_type)m.type);
	if (p->n_op != 3 || !ptx_has(p, "shared::cluster") || m.size < 4 || m.size > 8 ||
	    (m.n > 1) != (p->op[1].kind == PTX_OP_VECTOR) || (m.n > 1 && p->op[1].n_sub != m.n) ||
	    (reduces && (m.n > 1 || !find_operation(p, &m))))
		return lower_unsupported(l), true;
	for (unsigned k = 0; k < m.n; k++) {
		m.reg[k] =
		    lower_source(l, m.n > 1 ? &p->op[1].sub[k] : &p->op[1], (enum ptx_type)m.type);
		m.reg_bytes[k] = (uint8_t)lower_width((enum ptx_type)m.type);
	}
	const struct bulk_address barrier = place(l, &p->op[2]);
	lane_fn *fn = l->level->store_async;
	l->op_class = reduces ? WCP_OP_ATOMIC : WCP_OP_STORE;
	struct insn *in = lower_emit(l, DO_MEMORY, (lane_fn *const[2]){fn, fn});
	in->b = barrier.slot;
	in->d2 = (uint32_t)barrier.offset;
	if (lower_address(l, &p->op[0], FILE_NONE, in, &m))
		*lower_mem(l, in) = m;
	return true;
}
