/* ld, st, ldu, atom, red and prefetch. PTX ISA 9.0 sections 9.7.9.8 to 9.7.9.16
 * and 9.7.13.5, 9.7.13.6. */
#include <stdlib.h>
#include <string.h>
#include "exec/lower/lower.h"

/* Modifiers that say where, and those that change nothing here but a flag of the static program. */
bool
lower_space(const char *mod, uint8_t *space)
{
	static const struct {
		const char *name;
		uint8_t space;
	} list[] = {{"global", WCP_SPACE_GLOBAL}, {"shared", WCP_SPACE_SHARED},
	    {"shared::cta", WCP_SPACE_SHARED}, {"shared::cluster", WCP_SPACE_SHARED},
	    {"local", WCP_SPACE_LOCAL}, {"const", WCP_SPACE_CONST}, {"param", WCP_SPACE_PARAM},
	    {"param::entry", WCP_SPACE_PARAM}, {"param::func", WCP_SPACE_PARAM}};
	for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
		if (!strcmp(mod, list[i].name)) {
			*space = list[i].space;
			return true;
		}
	return false;
}

static bool
is_harmless(const char *mod)
{
	static const char *const list[] = {"ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc", "weak",
	    "volatile", "relaxed", "acquire", "release", "acq_rel", "sc", "mmio", "cta", "gpu",
	    "sys", "cluster", "unified", "noftz", "v2", "v4", "v8", "L1", "L2"};
	for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
		if (!strcmp(mod, list[i]))
			return true;
	return !strncmp(mod, "L1::", 4) || !strncmp(mod, "L2::", 4);
}

int
lower_atom_named(const char *mod)
{
	static const char *const list[] = {[ATOM_ADD] = "add",
	    [ATOM_MIN] = "min",
	    [ATOM_MAX] = "max",
	    [ATOM_INC] = "inc",
	    [ATOM_DEC] = "dec",
	    [ATOM_AND] = "and",
	    [ATOM_OR] = "or",
	    [ATOM_XOR] = "xor",
	    [ATOM_EXCH] = "exch",
	    [ATOM_CAS] = "cas"};
	for (int i = 0; i < (int)(sizeof list / sizeof list[0]); i++)
		if (!strcmp(mod, list[i]))
			return i;
	return -1;
}

/* Reads the modifiers; false: one is not known. */
static bool
modifiers(struct lower *l, struct mem_op *m, bool atomic)
{
	const struct ptx_insn *in = l->in;
	m->space = WCP_SPACE_GENERIC;
	m->n = ptx_has(in, "v8") ? 8 : ptx_has(in, "v4") ? 4 : ptx_has(in, "v2") ? 2 : 1;
	for (uint32_t i = 0; i < in->n_mod; i++) {
		const char *mod = in->mod[i];
		int op = atomic ? lower_atom_named(mod) : -1;
		if (op >= 0)
			m->op = (uint8_t)op;
		else if (!lower_space(mod, &m->space) && !is_harmless(mod) &&
			 ptx_type_named(mod) == PTX_NONE)
			return lower_unsupported(l);
	}
	if (ptx_has(in, "volatile") || ptx_has(in, "relaxed") || ptx_has(in, "acquire") ||
	    ptx_has(in, "mmio") || atomic)
		m->flags |= MEM_POLL;
	m->type = (uint8_t)ptx_insn_type(in, 0);
	m->size = (uint8_t)ptx_type_bytes((enum ptx_type)m->type);
	m->is_signed = lower_sign((enum ptx_type)m->type);
	return m->size ? true : lower_unsupported(l);
}

/* The address operand: a register, or a constant slot that holds an absolute address. */
static bool
address(struct lower *l, const struct ptx_operand *op, struct insn *in, struct mem_op *m)
{
	uint64_t value;
	bool per_frame;
	m->addr_bytes = 8;
	if (op->kind != PTX_OP_MEMORY || op->n_sub)
		return lower_unsupported(l);
	if (op->has_reg) {
		unsigned bytes = lower_width(l->fn->reg[op->reg].type);
		if (bytes != 4 && bytes != 8)
			return lower_fail(l, WCP_EDATA,
			    "PTX line %u: %s: an address must be 32 or 64 bits wide", l->in->line,
			    l->in->opcode);
		m->addr_bytes = (uint8_t)bytes;
		in->a = l->slot[op->reg];
		in->imm = op->integer;
		return true;
	}
	if (!op->sym) {
		in->a = lower_constant(l, 8, (uint64_t)op->integer);
		return true;
	}
	if (!lower_address_of(l, op->sym, &value, &per_frame))
		return false;
	/* A generic access by name can only mean the variable's space. */
	if (op->sym->kind == PTX_SYM_VAR && m->space == WCP_SPACE_GENERIC)
		m->space = (uint8_t)op->sym->space;
	in->imm = 0;
	in->a = lower_constant(l, 8, value + (uint64_t)op->integer);
	return true;
}

/* The local frame's address comes first; the memory instruction then adds nothing. */
bool
lower_frame_address(struct lower *l, const struct ptx_operand *op, uint32_t *slot)
{
	uint64_t value;
	bool per_frame = false;
	*slot = FILE_NONE;
	if (op->kind != PTX_OP_MEMORY || op->has_reg || !op->sym || op->sym->kind != PTX_SYM_VAR)
		return true;
	if (!lower_address_of(l, op->sym, &value, &per_frame))
		return false;
	if (!per_frame)
		return true;
	struct insn *in = lower_hidden(l, l->level->local_address);
	in->imm = (int64_t)value + op->integer;
	in->d = *slot = lower_temp(l, 8);
	return true;
}

bool
lower_address(struct lower *l, const struct ptx_operand *op, uint32_t frame, struct insn *in,
    struct mem_op *m)
{
	if (!frame)
		return address(l, op, in, m);
	in->a = frame;
	m->addr_bytes = 8;
	m->space = WCP_SPACE_LOCAL;
	return true;
}

/* A register operand of a load or store keeps its own width; anything else becomes a slot of the
 * type's. */
static void
data(struct lower *l, struct mem_op *m, unsigned k, const struct ptx_operand *op, bool written)
{
	if (op->kind == PTX_OP_REG && l->fn->reg[op->reg].type != PTX_PRED &&
	    lower_width(l->fn->reg[op->reg].type) <= 8) {
		m->reg[k] = l->slot[op->reg];
		m->reg_bytes[k] = (uint8_t)lower_width(l->fn->reg[op->reg].type);
	} else if (op->kind == PTX_OP_SINK && written) {
		m->reg_bytes[k] = 0;
	} else if (!written) {
		m->reg[k] = lower_source(l, op, (enum ptx_type)m->type);
		m->reg_bytes[k] = (uint8_t)lower_width((enum ptx_type)m->type);
	} else {
		lower_unsupported(l);
	}
}

/* A register of 128 bits is two slots of 64 in a row. */
static bool
wide_data(struct lower *l, struct mem_op *m, const struct ptx_operand *op)
{
	const struct ptx_operand *part = op->kind == PTX_OP_VECTOR ? op->sub : op;
	const uint32_t n = op->kind == PTX_OP_VECTOR ? op->n_sub : 1;
	m->size = 8;
	m->n = (uint8_t)(2 * n);
	if (2 * n > EXEC_VECTOR_MAX)
		return lower_unsupported(l);
	for (uint32_t k = 0; k < 2 * n; k++) {
		if (part[k / 2].kind == PTX_OP_SINK)
			continue;
		if (part[k / 2].kind != PTX_OP_REG ||
		    lower_width(l->fn->reg[part[k / 2].reg].type) != 16)
			return lower_unsupported(l);
		m->reg[k] = l->slot[part[k / 2].reg] + k % 2 * exec_slot_bytes(8);
		m->reg_bytes[k] = 8;
	}
	return true;
}

static bool
all_data(struct lower *l, struct mem_op *m, const struct ptx_operand *op, bool written)
{
	if (m->size == 16)
		return wide_data(l, m, op);
	if (op->kind != PTX_OP_VECTOR) {
		m->n = 1;
		data(l, m, 0, op, written);
		return true;
	}
	if (op->n_sub > EXEC_VECTOR_MAX || (op->n_sub != m->n && m->n > 1))
		return lower_fail(l, WCP_EDATA, "PTX line %u: %s: %u registers for %u elements",
		    l->in->line, l->in->opcode, op->n_sub, m->n);
	m->n = (uint8_t)op->n_sub;
	for (uint32_t k = 0; k < op->n_sub; k++)
		data(l, m, k, &op->sub[k], written);
	return true;
}

/* A parameter in the file: of a function, or of a call being prepared. */
static const struct ptx_symbol *
call_param(const struct lower *l, const struct ptx_operand *op)
{
	const struct ptx_symbol *s = op->kind == PTX_OP_MEMORY && !op->has_reg ? op->sym : NULL;
	if (!s || s->kind != PTX_SYM_PARAM)
		return NULL;
	if (lower_is_kernel_param(l, s))
		return NULL;
	return s;
}

static bool
call_param_access(struct lower *l, const struct ptx_symbol *s, const struct ptx_operand *at,
    const struct ptx_operand *op, struct mem_op *m, bool store)
{
	uint64_t end = (uint64_t)at->integer + (uint64_t)m->size * m->n;
	if (at->integer < 0 || end > (s->bytes ? s->bytes : 1) || at->integer % m->size)
		return lower_fail(l, WCP_EDATA, "PTX line %u: %s: outside of parameter '%s'",
		    l->in->line, l->in->opcode, s->name);
	l->op_class = WCP_OP_MOVE;
	if (!all_data(l, m, op, !store))
		return true;
	struct insn *in =
	    lower_emit(l, DO_LANES, store ? l->level->param_store : l->level->param_load);
	struct mem_op *kept = lower_mem(l, in);
	*kept = *m;
	in->a = (uint32_t)s->user;
	in->imm = at->integer;
	return true;
}

static bool
kernel_param(struct lower *l, struct mem_op *m, const struct ptx_operand *at)
{
	int64_t offset = (int64_t)at->sym->user + at->integer;
	if (offset < 0 || (uint64_t)offset + (uint64_t)m->size * m->n > l->code->param_bytes)
		return lower_fail(l, WCP_EDATA,
		    "PTX line %u: %s: outside of the kernel's parameters", l->in->line,
		    l->in->opcode);
	struct insn *in = lower_emit(l, DO_MEMORY, l->level->load_const_param);
	*lower_mem(l, in) = *m;
	in->imm = offset;
	return true;
}

/* The version of the interpreter that is made for this width and space. */
static void
choose(const struct lower *l, const struct mem_op *m, struct insn *in, bool store)
{
	const bool shared = m->space == WCP_SPACE_SHARED;
	const bool plain = m->n == 1 && m->size == m->reg_bytes[0] &&
			   (m->size == 4 || m->size == 8) && m->space != WCP_SPACE_LOCAL &&
			   m->space != WCP_SPACE_PARAM && (shared || m->addr_bytes == 8);
	lane_fn *const *fn = store ? l->level->store_any : l->level->load_any;
	if (plain && m->size == 4)
		fn = store ? l->level->store[shared] : l->level->load[shared];
	else if (plain)
		fn = store ? l->level->store_wide[shared] : l->level->load_wide[shared];
	in->fn[0] = fn[0];
	in->fn[1] = fn[1];
	in->d = m->reg[0];
}

static bool
load_store(struct lower *l, bool store)
{
	const struct ptx_insn *p = l->in;
	struct mem_op m = {.kind = store ? WCP_STORE : WCP_LOAD};
	const struct ptx_operand *at, *op;
	const struct ptx_symbol *s;
	uint32_t frame;
	l->op_class = store ? WCP_OP_STORE : WCP_OP_LOAD;
	if (p->n_op < 2 || !modifiers(l, &m, false))
		return p->n_op < 2 ? lower_unsupported(l) : true;
	at = &p->op[store ? 0 : 1];
	op = &p->op[store ? 1 : 0];
	if ((s = call_param(l, at)))
		return call_param_access(l, s, at, op, &m, store);
	/* through a register, a function's parameters cannot be told from the kernel's */
	if (m.space == WCP_SPACE_PARAM && (store || (l->func && at->has_reg)))
		return lower_unsupported(l);
	if (!lower_frame_address(l, at, &frame) || !all_data(l, &m, op, !store))
		return true;
	if (!store && at->kind == PTX_OP_MEMORY && !at->has_reg && at->sym &&
	    at->sym->kind == PTX_SYM_PARAM)
		return kernel_param(l, &m, at);
	struct insn *in = lower_emit(l, DO_MEMORY, l->level->load_any);
	if (!lower_address(l, at, frame, in, &m))
		return true;
	choose(l, &m, in, store);
	*lower_mem(l, in) = m;
	return true;
}

static bool
atom_type_fits(const struct mem_op *m)
{
	enum ptx_type t = (enum ptx_type)m->type;
	const bool real = t == PTX_F32 || t == PTX_F64 || t == PTX_F16 || t == PTX_F16X2 ||
			  t == PTX_BF16 || t == PTX_BF16X2;
	switch ((enum atom_op)m->op) {
	case ATOM_EXCH:
	case ATOM_CAS: return m->size >= 2 && !real;
	case ATOM_ADD: return real || m->size == 4 || m->size == 8;
	case ATOM_MIN:
	case ATOM_MAX: return t != PTX_F64 && (real || m->size == 4 || m->size == 8);
	case ATOM_INC:
	case ATOM_DEC: return t == PTX_U32;
	case ATOM_AND:
	case ATOM_OR:
	case ATOM_XOR: return !real && (m->size == 4 || m->size == 8);
	}
	return false;
}

static uint32_t
atom_source(struct lower *l, const struct mem_op *m, const struct ptx_operand *op)
{
	if (m->size < 16)
		return lower_source(l, op, (enum ptx_type)m->type);
	if (op->kind == PTX_OP_REG && lower_width(l->fn->reg[op->reg].type) == 16)
		return l->slot[op->reg];
	lower_unsupported(l);
	return FILE_NONE;
}

static bool
atom_sources(struct lower *l, struct mem_op *m, const struct ptx_operand *op, uint32_t n)
{
	if (op->kind == PTX_OP_VECTOR && (op->n_sub != m->n || n != 1))
		return lower_unsupported(l);
	if (m->n > 1 && op->kind != PTX_OP_VECTOR)
		return lower_unsupported(l);
	const struct ptx_operand *each = op->kind == PTX_OP_VECTOR ? op->sub : op;
	for (uint32_t k = 0; k < (m->n > 1 ? m->n : n); k++)
		m->src[k] = atom_source(l, m, &each[k]);
	return !l->failed;
}

static bool
atom_results(struct lower *l, struct mem_op *m, const struct ptx_operand *op)
{
	const struct ptx_operand *each = op->kind == PTX_OP_VECTOR ? op->sub : op;
	if ((op->kind == PTX_OP_VECTOR ? op->n_sub : 1) != m->n)
		return lower_unsupported(l);
	m->kind = WCP_ATOMIC;
	for (uint32_t k = 0; k < m->n; k++) {
		if (each[k].kind == PTX_OP_SINK)
			continue;
		m->reg[k] = m->size == 16 ? atom_source(l, m, &each[k])
					  : lower_result(l, &each[k], (enum ptx_type)m->type);
		m->reg_bytes[k] = (uint8_t)lower_width((enum ptx_type)m->type);
	}
	return !l->failed;
}

static bool
atomic(struct lower *l, bool reduce)
{
	const struct ptx_insn *p = l->in;
	const uint32_t first = reduce ? 0 : 1;
	struct mem_op m = {.kind = WCP_REDUCE, .op = 255};
	uint32_t frame;
	l->op_class = WCP_OP_ATOMIC;
	if (!modifiers(l, &m, true))
		return true;
	const uint32_t sources = m.op == ATOM_CAS ? 2 : 1;
	if (m.op > ATOM_CAS || p->n_op < first + 1 + sources || !atom_type_fits(&m) ||
	    (m.n > 1 && m.op > ATOM_MAX))
		return lower_unsupported(l);
	l->code->one_by_one |= m.size == 16;
	if (!lower_frame_address(l, &p->op[first], &frame))
		return true;
	if (!atom_sources(l, &m, &p->op[first + 1], sources))
		return true;
	if (!reduce && p->op[0].kind != PTX_OP_SINK && l->live_result &&
	    !atom_results(l, &m, &p->op[0]))
		return true;
	struct insn *in = lower_emit(l, DO_MEMORY, l->level->atomic);
	if (lower_address(l, &p->op[first], frame, in, &m))
		*lower_mem(l, in) = m;
	return true;
}

static bool
prefetch(struct lower *l)
{
	struct mem_op m = {.kind = WCP_PREFETCH, .space = WCP_SPACE_GENERIC, .size = 1, .n = 1};
	l->op_class = WCP_OP_LOAD;
	for (uint32_t i = 0; i < l->in->n_mod; i++)
		lower_space(l->in->mod[i], &m.space);
	if (!l->in->n_op)
		return lower_unsupported(l);
	if (ptx_has(l->in, "tensormap")) /* no memory that is recorded: a map may be a parameter */
		return lower_emit(l, DO_NOTHING, NULL), true;
	struct insn *in = lower_emit(l, DO_MEMORY, l->level->prefetch);
	if (lower_address(l, &l->in->op[0], FILE_NONE, in, &m))
		*lower_mem(l, in) = m;
	return true;
}

bool
lower_memory(struct lower *l)
{
	const char *base = l->in->base;
	if (ptx_has(l->in, "mbarrier::complete_tx::bytes"))
		return false; /* async.c's */
	if (!strcmp(base, "ld") || !strcmp(base, "ldu"))
		return load_store(l, false);
	if (!strcmp(base, "st"))
		return load_store(l, true);
	if (!strcmp(base, "atom") || !strcmp(base, "red"))
		return atomic(l, base[0] == 'r');
	if (!strcmp(base, "prefetch"))
		return prefetch(l);
	return false;
}
