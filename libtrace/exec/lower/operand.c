/* Operands: every one becomes an offset in the register file. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "exec/lower/lower.h"

unsigned
lower_width(enum ptx_type type)
{
	unsigned bytes = ptx_type_bytes(type);
	return bytes == 1 ? 2 : bytes;
}

bool
lower_sign(enum ptx_type type)
{
	return type == PTX_S8 || type == PTX_S16 || type == PTX_S32 || type == PTX_S64;
}

uint32_t
lower_constant(struct lower *l, unsigned bytes, uint64_t value)
{
	for (uint32_t i = 0; i < l->n_constant; i++)
		if (l->constant[i].bytes == bytes && l->constant[i].value == value)
			return l->constant[i].offset;
	if (!lower_grow(l, &l->constant, l->n_constant, &l->cap_constant, sizeof *l->constant))
		return FILE_NONE;
	uint32_t at = l->file_bytes;
	l->constant[l->n_constant++] = (struct lower_const){at, (uint8_t)bytes, value};
	l->file_bytes += bytes & 0x7f ? exec_slot_bytes(bytes & 0x7f) : 64;
	return at;
}

uint32_t
lower_temp(struct lower *l, unsigned bytes)
{
	/* Temporaries are constants nobody reads: one set for the whole kernel, by width and
	 * number. */
	return lower_constant(l, bytes | 0x80, l->n_temp++);
}

static const struct {
	const char *name;
	enum special_kind kind;
} special_name[] = {
    {"tid.x", SPECIAL_TID_X},
    {"tid.y", SPECIAL_TID_Y},
    {"tid.z", SPECIAL_TID_Z},
    {"ntid.x", SPECIAL_NTID_X},
    {"ntid.y", SPECIAL_NTID_Y},
    {"ntid.z", SPECIAL_NTID_Z},
    {"ctaid.x", SPECIAL_CTAID_X},
    {"ctaid.y", SPECIAL_CTAID_Y},
    {"ctaid.z", SPECIAL_CTAID_Z},
    {"nctaid.x", SPECIAL_NCTAID_X},
    {"nctaid.y", SPECIAL_NCTAID_Y},
    {"nctaid.z", SPECIAL_NCTAID_Z},
    {"laneid", SPECIAL_LANEID},
    {"warpid", SPECIAL_WARPID},
    {"nwarpid", SPECIAL_NWARPID},
    {"smid", SPECIAL_SMID},
    {"nsmid", SPECIAL_NSMID},
    {"gridid", SPECIAL_GRIDID},
    {"lanemask_eq", SPECIAL_LANEMASK_EQ},
    {"lanemask_lt", SPECIAL_LANEMASK_LT},
    {"lanemask_le", SPECIAL_LANEMASK_LE},
    {"lanemask_gt", SPECIAL_LANEMASK_GT},
    {"lanemask_ge", SPECIAL_LANEMASK_GE},
    {"dynamic_smem_size", SPECIAL_DYNAMIC_SHARED},
    {"total_smem_size", SPECIAL_TOTAL_SHARED},
    {"aggr_smem_size", SPECIAL_AGGR_SHARED},
    {"reserved_smem_offset_begin", SPECIAL_RESERVED_BEGIN},
    {"reserved_smem_offset_0", SPECIAL_RESERVED_BEGIN},
    {"reserved_smem_offset_1", SPECIAL_RESERVED_MIDDLE},
    {"reserved_smem_offset_end", SPECIAL_RESERVED_END},
    {"reserved_smem_offset_cap", SPECIAL_RESERVED_SIZE},
    {"clusterid.x", SPECIAL_CLUSTER_ID_X},
    {"clusterid.y", SPECIAL_CLUSTER_ID_Y},
    {"clusterid.z", SPECIAL_CLUSTER_ID_Z},
    {"nclusterid.x", SPECIAL_CLUSTERS_X},
    {"nclusterid.y", SPECIAL_CLUSTERS_Y},
    {"nclusterid.z", SPECIAL_CLUSTERS_Z},
    {"cluster_ctaid.x", SPECIAL_IN_CLUSTER_X},
    {"cluster_ctaid.y", SPECIAL_IN_CLUSTER_Y},
    {"cluster_ctaid.z", SPECIAL_IN_CLUSTER_Z},
    {"cluster_ctarank", SPECIAL_CLUSTER_RANK},
    {"cluster_nctaid.x", SPECIAL_CLUSTER_X},
    {"cluster_nctaid.y", SPECIAL_CLUSTER_Y},
    {"cluster_nctaid.z", SPECIAL_CLUSTER_Z},
    {"cluster_nctarank", SPECIAL_CLUSTER_SIZE},
    {"current_graph_exec", SPECIAL_NOTHING},
    {"clock", SPECIAL_CLOCK},
    {"clock_hi", SPECIAL_CLOCK_HI},
    {"clock64", SPECIAL_CLOCK64},
    {"globaltimer", SPECIAL_GLOBALTIMER},
    {"globaltimer_lo", SPECIAL_GLOBALTIMER_LO},
    {"globaltimer_hi", SPECIAL_GLOBALTIMER_HI},
};

int
lower_special_kind(const char *name)
{
	if (!strncmp(name, "envreg", 6))
		return !strcmp(name + 6, "1")	? SPECIAL_ENVREG1
		       : !strcmp(name + 6, "2") ? SPECIAL_ENVREG2
						: SPECIAL_ENVREG;
	if (!strncmp(name, "pm", 2) && name[2] >= '0' && name[2] <= '7' &&
	    (!name[3] || !strcmp(name + 3, "_64")))
		return SPECIAL_NOTHING;
	for (size_t i = 0; i < sizeof special_name / sizeof special_name[0]; i++)
		if (!strcmp(special_name[i].name, name))
			return (int)special_name[i].kind;
	return -1;
}

uint32_t
lower_special(struct lower *l, enum special_kind kind, unsigned bytes)
{
	struct exec_code *c = l->code;
	for (uint32_t i = 0; i < c->n_special; i++)
		if (c->special[i].kind == kind && c->special[i].bytes == bytes)
			return c->special[i].offset;
	if (!lower_grow(l, &c->special, c->n_special, &l->cap_special, sizeof *c->special))
		return FILE_NONE;
	uint32_t at = l->file_bytes;
	c->special[c->n_special++] = (struct exec_special){at, (uint8_t)kind, (uint8_t)bytes};
	l->file_bytes += exec_slot_bytes(bytes);
	return at;
}

bool
lower_is_kernel_param(const struct lower *l, const struct ptx_symbol *sym)
{
	return l->func == 0 && sym->index < l->fn->sig.n_param &&
	       l->fn->sig.param[sym->index] == sym;
}

/* The value of a symbol as an address in its own space; per_frame: to be added to the frame's local
 * base. */
bool
lower_address_of(struct lower *l, const struct ptx_symbol *sym, uint64_t *value, bool *per_frame)
{
	*per_frame = false;
	*value = sym->user;
	if (sym->kind == PTX_SYM_FUNC) {
		if (!sym->user)
			return lower_fail(l, WCP_EDATA, "function '%s' has no body", sym->name);
		return true;
	}
	if (sym->kind == PTX_SYM_PARAM && !lower_is_kernel_param(l, sym)) {
		*per_frame = true;
		return lower_spilled(l, sym, value);
	}
	if (sym->kind == PTX_SYM_PARAM)
		return true;
	if (sym->space ==
	    WCP_SPACE_LOCAL) /* the module's own lie in the entry's frame, at the bottom */
		*per_frame = l->func != 0 && ptx_find(l->module, sym->name) != sym;
	else if ((sym->space == WCP_SPACE_GLOBAL || sym->space == WCP_SPACE_CONST) && !sym->user)
		return lower_fail(l, WCP_EDATA, "variable '%s' is declared%s%s%s but not defined",
		    sym->name, sym->module ? " in module '" : "", sym->module ? sym->module : "",
		    sym->module ? "'" : "");
	return true;
}

static uint32_t
symbol_slot(struct lower *l, const struct ptx_operand *op, unsigned bytes)
{
	uint64_t value;
	bool per_frame;
	if (!op->sym || !lower_address_of(l, op->sym, &value, &per_frame))
		return FILE_NONE;
	value += (uint64_t)op->integer;
	if (!per_frame)
		return lower_constant(l, bytes, bytes == 4 ? (uint32_t)value : value);
	struct insn *in = lower_hidden(l, l->level->local_address);
	in->d = lower_temp(l, 8);
	in->imm = (int64_t)value;
	return in->d;
}

static uint64_t
float_bits(const struct ptx_operand *op, enum ptx_type type)
{
	double d = op->kind == PTX_OP_INT ? (double)op->integer : op->real;
	float f = (float)d;
	uint64_t bits = 0;
	uint32_t bits32;
	if (op->kind == PTX_OP_FLOAT && op->is_f32) {
		bits32 = (uint32_t)op->integer;
		if (type != PTX_F64)
			return bits32;
		memcpy(&f, &bits32, 4);
		d = f;
	}
	if (type == PTX_F32) {
		memcpy(&bits32, &f, 4);
		return bits32;
	}
	if (type == PTX_F64 && op->kind == PTX_OP_FLOAT && !op->is_f32)
		return (uint64_t)op->integer;
	memcpy(&bits, &d, 8);
	return bits;
}

static uint32_t
literal(struct lower *l, const struct ptx_operand *op, enum ptx_type type)
{
	unsigned bytes = lower_width(type);
	uint64_t v = (uint64_t)op->integer;
	if (type == PTX_PRED)
		return lower_constant(l, 0, v ? WCP_FULL_MASK : 0);
	if (type == PTX_F32 || type == PTX_F64)
		v = float_bits(op, type);
	if (bytes > 8) {
		lower_unsupported(l);
		return FILE_NONE;
	}
	if (ptx_type_bytes(type) == 1)
		v = lower_sign(type) ? (uint64_t)(int64_t)(int8_t)v : (uint8_t)v;
	return lower_constant(l, bytes, bytes == 8 ? v : v & ((1ull << 8 * bytes) - 1));
}

/* A register of another width than the type: the low part, or extended by the type's sign. */
static uint32_t
resized(struct lower *l, uint32_t offset, unsigned from, enum ptx_type type)
{
	unsigned to = lower_width(type),
		 value = ptx_type_bytes(type) < from ? ptx_type_bytes(type) : from;
	struct insn *in = lower_hidden(l, l->level->convert);
	in->a = offset;
	in->d = lower_temp(l, to);
	in->aux = (uint16_t)(from | to << 4 | (unsigned)lower_sign(type) << 8 | value << 9);
	return in->d;
}

static uint32_t
register_slot(struct lower *l, const struct ptx_operand *op, enum ptx_type type)
{
	const enum ptx_type has = l->fn->reg[op->reg].type;
	const unsigned from = lower_width(has), to = lower_width(type);
	const uint32_t slot = l->slot[op->reg];
	if ((has == PTX_PRED) != (type == PTX_PRED)) {
		lower_fail(l, WCP_EDATA, "PTX line %u: %s: register %s is %sa predicate",
		    l->in->line, l->in->opcode, l->fn->reg[op->reg].name,
		    has == PTX_PRED ? "" : "not ");
		return FILE_NONE;
	}
	return from == to ? slot : resized(l, slot, from, type);
}

static uint32_t
special_slot(struct lower *l, const struct ptx_operand *op, enum ptx_type type)
{
	int kind = lower_special_kind(op->name);
	unsigned bytes = lower_width(type);
	if (kind < 0 || kind >= SPECIAL_CLOCK) {
		lower_fail(l, WCP_EDATA,
		    "PTX line %u: special register '%%%s' is not supported here", l->in->line,
		    op->name);
		return FILE_NONE;
	}
	if (bytes == 2)
		return resized(l, lower_special(l, (enum special_kind)kind, 4), 4, type);
	return lower_special(l, (enum special_kind)kind, bytes == 8 ? 8 : 4);
}

uint32_t
lower_source(struct lower *l, const struct ptx_operand *op, enum ptx_type type)
{
	switch (op->kind) {
	case PTX_OP_REG: return register_slot(l, op, type);
	case PTX_OP_INT:
	case PTX_OP_FLOAT: return literal(l, op, type);
	case PTX_OP_SYMBOL: return symbol_slot(l, op, lower_width(type) == 4 ? 4 : 8);
	case PTX_OP_SPECIAL: return special_slot(l, op, type);
	case PTX_OP_SINK:
	case PTX_OP_MEMORY:
	case PTX_OP_VECTOR:
	case PTX_OP_LABEL:
	case PTX_OP_PAIR:
	case PTX_OP_LIST:
	case PTX_OP_TABLE: break;
	}
	lower_unsupported(l);
	return FILE_NONE;
}

uint32_t
lower_result(struct lower *l, const struct ptx_operand *op, enum ptx_type type)
{
	if (op->kind == PTX_OP_SINK)
		return type == PTX_PRED ? lower_constant(l, 0x80, 99)
					: lower_temp(l, lower_width(type));
	if (op->kind != PTX_OP_REG) {
		lower_unsupported(l);
		return FILE_NONE;
	}
	const enum ptx_type has = l->fn->reg[op->reg].type;
	const unsigned to = lower_width(has), from = lower_width(type);
	if ((has == PTX_PRED) != (type == PTX_PRED))
		return register_slot(l, op, type);
	if (from == to)
		return l->slot[op->reg];
	struct lower_after *a = &l->after[l->n_after++];
	*a = (struct lower_after){l->slot[op->reg], lower_temp(l, from), (uint8_t)to, (uint8_t)from,
	    (uint8_t)(ptx_type_bytes(type) < to ? ptx_type_bytes(type) : to), lower_sign(type)};
	return a->from;
}

void
lower_results(struct lower *l)
{
	for (uint32_t i = 0; i < l->n_after; i++) {
		const struct lower_after *a = &l->after[i];
		struct insn *in = lower_emit(l, DO_LANES, l->level->convert);
		in->hidden = 1;
		in->pc = l->pc + 1;
		in->d = a->to;
		in->a = a->from;
		in->aux = (uint16_t)(a->from_bytes | a->to_bytes << 4 |
				     (unsigned)a->is_signed << 8 | (unsigned)a->value_bytes << 9);
	}
	l->n_after = 0;
}
