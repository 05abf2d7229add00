/* mov with vectors and changing special registers, address conversions, and all that the lane
 * operations know. */
#include <string.h>
#include "exec/lower/lower.h"

static bool
unpack(struct lower *l, const struct ptx_operand *to, const struct ptx_operand *from,
    enum ptx_type type)
{
	const unsigned bytes = lower_width(type), part = bytes / to->n_sub;
	uint32_t source = lower_source(l, from, type);
	if (part * to->n_sub != bytes || !part)
		return lower_unsupported(l);
	for (uint32_t i = 0, first = 1; i < to->n_sub; i++) {
		if (to->sub[i].kind == PTX_OP_SINK)
			continue;
		if (to->sub[i].kind != PTX_OP_REG)
			return lower_unsupported(l);
		unsigned wide = lower_width(l->fn->reg[to->sub[i].reg].type);
		struct insn *in = lower_emit(l, DO_LANES, l->level->unpack);
		in->hidden = !first;
		in->pc = first ? l->pc : l->pc + 1;
		in->a = source;
		in->d = l->slot[to->sub[i].reg];
		in->aux = (uint16_t)(8 * part * i | bytes << 8 | wide << 12);
		first = 0;
	}
	return true;
}

static bool
pack(struct lower *l, const struct ptx_operand *to, const struct ptx_operand *from,
    enum ptx_type type)
{
	const unsigned bytes = lower_width(type), part = bytes / from->n_sub;
	static const enum ptx_type part_type[9] = {
	    [1] = PTX_B8, [2] = PTX_B16, [4] = PTX_B32, [8] = PTX_B64};
	uint32_t part_slot[8];
	if (part * from->n_sub != bytes || !part || from->n_sub > 8)
		return lower_unsupported(l);
	for (uint32_t i = 0; i < from->n_sub; i++)
		part_slot[i] = lower_source(l, &from->sub[i], part_type[part]);
	uint32_t d = lower_result(l, to, type);
	for (uint32_t i = 0; i < from->n_sub; i++) {
		struct insn *in = lower_emit(l, DO_LANES, l->level->pack);
		in->hidden = i > 0;
		in->pc = i ? l->pc + 1 : l->pc;
		in->a = part_slot[i];
		in->d = d;
		in->imm = part;
		in->aux =
		    (uint16_t)(8 * part * i | lower_width(part_type[part]) << 8 | bytes << 12);
	}
	return true;
}

/* A register of 128 bits is two slots of 64; each half of the move is one of 64 bits. */
static bool
move_wide(struct lower *l)
{
	const struct ptx_operand *to = &l->in->op[0], *from = &l->in->op[1];
	uint32_t d[2], a[2];
	if ((to->kind == PTX_OP_VECTOR && to->n_sub != 2) ||
	    (from->kind == PTX_OP_VECTOR && from->n_sub != 2))
		return lower_unsupported(l);
	for (unsigned k = 0; k < 2; k++) {
		if (from->kind == PTX_OP_VECTOR)
			a[k] = lower_source(l, &from->sub[k], PTX_B64);
		else if (from->kind == PTX_OP_REG)
			a[k] = l->slot[from->reg] + 256 * k;
		else
			return lower_unsupported(l);
	}
	for (unsigned k = 0; k < 2; k++) {
		if (to->kind == PTX_OP_VECTOR)
			d[k] = lower_result(l, &to->sub[k], PTX_B64);
		else if (to->kind == PTX_OP_REG)
			d[k] = l->slot[to->reg] + 256 * k;
		else
			return lower_unsupported(l);
	}
	for (unsigned k = 0; k < 2; k++) {
		struct insn *in = lower_emit(l, DO_LANES, l->level->copy[WIDTH_64]);
		in->hidden = (uint8_t)k;
		in->pc = l->pc + k;
		in->a = a[k];
		in->d = d[k];
	}
	return true;
}

static bool
move(struct lower *l)
{
	const struct ptx_insn *p = l->in;
	const enum ptx_type type = ptx_insn_type(p, 0);
	l->op_class = WCP_OP_MOVE;
	if (p->n_op != 2)
		return false;
	if (type == PTX_B128)
		return move_wide(l), true;
	if (p->op[0].kind == PTX_OP_VECTOR && p->op[0].n_sub && lower_width(type) &&
	    lower_width(type) <= 8)
		return unpack(l, &p->op[0], &p->op[1], type), true;
	if (p->op[1].kind == PTX_OP_VECTOR && p->op[1].n_sub && lower_width(type) &&
	    lower_width(type) <= 8)
		return pack(l, &p->op[0], &p->op[1], type), true;
	if (p->op[1].kind == PTX_OP_SPECIAL && !strcmp(p->op[1].name, "is_explicit_cluster")) {
		lane_fn *fn = l->level->is_explicit_cluster;
		const uint32_t predicate = lower_result(l, &p->op[0], PTX_PRED);
		lower_emit(l, DO_LANES, (lane_fn *const[2]){fn, fn})->d = predicate;
		return true;
	}
	int kind = p->op[1].kind == PTX_OP_SPECIAL ? lower_special_kind(p->op[1].name) : -1;
	if (kind < SPECIAL_CLOCK)
		return false;
	uint32_t d = lower_result(l, &p->op[0], type);
	struct insn *in = lower_emit(l, DO_LANES, l->level->clock);
	in->d = d;
	in->aux = (uint16_t)kind;
	return true;
}

static const struct {
	const char *name;
	uint64_t base;
} windows[] = {{"global", 0}, {"const", 0}, {"shared", EXEC_SHARED_WINDOW},
    {"shared::cta", EXEC_SHARED_WINDOW}, {"shared::cluster", EXEC_SHARED_WINDOW},
    {"local", EXEC_LOCAL_WINDOW}, {"param", EXEC_PARAM_WINDOW},
    {"param::entry", EXEC_PARAM_WINDOW}};

static int
window_of(const struct ptx_insn *p)
{
	for (uint32_t k = 0; k < p->n_mod; k++)
		for (int i = 0; i < (int)(sizeof windows / sizeof windows[0]); i++)
			if (!strcmp(p->mod[k], windows[i].name))
				return i;
	return -1;
}

static bool
convert_address(struct lower *l)
{
	const struct ptx_insn *p = l->in;
	const int w = window_of(p);
	l->op_class = WCP_OP_MOVE;
	if (w < 0 || p->n_op != 2 || ptx_insn_type(p, 0) != PTX_U64)
		return lower_unsupported(l), true;
	uint32_t a = lower_source(l, &p->op[1], PTX_U64), d = lower_result(l, &p->op[0], PTX_U64);
	struct insn *in =
	    lower_emit(l, DO_LANES, windows[w].base ? l->level->add_imm : l->level->copy[WIDTH_64]);
	in->a = a;
	in->d = d;
	in->imm = (int64_t)(ptx_has(p, "to") ? -windows[w].base : windows[w].base);
	return true;
}

static bool
in_space(struct lower *l)
{
	const struct ptx_insn *p = l->in;
	const int w = window_of(p);
	l->op_class = WCP_OP_INT;
	if (w < 0 || p->n_op != 2)
		return lower_unsupported(l), true;
	uint32_t a = lower_source(l, &p->op[1], PTX_U64), d = lower_result(l, &p->op[0], PTX_PRED);
	struct insn *in =
	    lower_emit(l, DO_LANES, windows[w].base ? l->level->in_window : l->level->outside);
	in->a = a;
	in->d = d;
	in->imm = (int64_t)windows[w].base;
	return true;
}

/* mapa d, a, rank and getctarank d, a: shared memory of another CTA of the cluster. */
static bool
in_cluster(struct lower *l, bool maps)
{
	const struct ptx_insn *p = l->in;
	const enum ptx_type type = ptx_insn_type(p, 0);
	l->op_class = WCP_OP_MOVE;
	if (p->n_op != (maps ? 3u : 2u) || (type != PTX_U32 && type != PTX_U64))
		return lower_unsupported(l), true;
	const uint32_t a = lower_source(l, &p->op[1], type == PTX_U32 ? PTX_U32 : PTX_U64);
	uint32_t wide = a;
	if (type == PTX_U32) {
		struct insn *extend = lower_hidden(l, l->level->convert);
		extend->a = a;
		extend->d = wide = lower_temp(l, 8);
		extend->aux = 4 | 8 << 4 | 4 << 9;
	}
	const uint32_t b = maps ? lower_source(l, &p->op[2], PTX_U32) : FILE_NONE;
	const uint32_t d = maps ? lower_temp(l, 8) : lower_result(l, &p->op[0], PTX_U32);
	lane_fn *fn = maps ? l->level->map_rank : l->level->rank_of;
	struct insn *in = lower_emit(l, DO_LANES, (lane_fn *const[2]){fn, fn});
	in->a = wide;
	in->b = b;
	in->d = d;
	in->imm = ptx_has(p, "shared::cluster") ? 0 : (int64_t)EXEC_SHARED_WINDOW;
	if (!maps)
		return true;
	const uint32_t result = lower_result(l, &p->op[0], type);
	struct insn *narrow = lower_emit(l, DO_LANES, l->level->convert);
	narrow->hidden = 1;
	narrow->pc = l->pc + 1;
	narrow->a = d;
	narrow->d = result;
	narrow->aux =
	    (uint16_t)(8 | (type == PTX_U32 ? 4 : 8) << 4 | (type == PTX_U32 ? 4 : 8) << 9);
	return true;
}

static bool
stack(struct lower *l)
{
	const struct ptx_insn *p = l->in;
	const bool room = !strcmp(p->base, "alloca"), save = !strcmp(p->base, "stacksave");
	const uint32_t n = room ? 2 : 1;
	l->op_class = WCP_OP_MOVE;
	l->code->has_alloca = true;
	if (p->n_op < n || ptx_insn_type(p, 0) != PTX_U64 ||
	    (p->n_op > 2 && p->op[2].kind != PTX_OP_INT))
		return lower_unsupported(l), true;
	const uint32_t a = save ? FILE_NONE : lower_source(l, &p->op[n - 1], PTX_U64);
	const uint32_t d = room || save ? lower_result(l, &p->op[0], PTX_U64) : FILE_NONE;
	struct insn *in = lower_emit(l, room ? DO_BUILTIN : DO_LANES,
	    room   ? l->level->alloca
	    : save ? l->level->stack_save
		   : l->level->stack_restore);
	in->a = in->b = a;
	in->d = d;
	in->c = l->code->func[l->func].local_bytes;
	in->imm = p->n_op > 2 && p->op[2].integer > 8 ? p->op[2].integer : 8;
	if (in->imm & (in->imm - 1))
		lower_unsupported(l);
	return true;
}

/* createpolicy: caches are no part of what a kernel computes, so that any policy will do. */
static bool
policy(struct lower *l)
{
	static const struct ptx_operand zero = {.kind = PTX_OP_INT};
	l->op_class = WCP_OP_MOVE;
	if (!l->in->n_op)
		return false;
	const uint32_t a = lower_source(l, &zero, PTX_U64);
	const uint32_t d = lower_result(l, &l->in->op[0], PTX_U64);
	struct insn *in = lower_emit(l, DO_LANES, l->level->copy[WIDTH_64]);
	in->a = a;
	in->d = d;
	return true;
}

bool
lower_move(struct lower *l)
{
	if (!strcmp(l->in->base, "createpolicy"))
		return policy(l);
	if (!strcmp(l->in->base, "alloca") || !strcmp(l->in->base, "stacksave") ||
	    !strcmp(l->in->base, "stackrestore"))
		return stack(l);
	if (!strcmp(l->in->base, "mov"))
		return move(l);
	if (!strcmp(l->in->base, "cvta"))
		return convert_address(l);
	if (!strcmp(l->in->base, "isspacep"))
		return in_space(l);
	if (!strcmp(l->in->base, "mapa") || !strcmp(l->in->base, "getctarank"))
		return in_cluster(l, l->in->base[0] == 'm');
	return false;
}

static const struct ptx_operand *
operand_of(const struct ptx_insn *p, int code)
{
	if (code >= 96)
		return &p->op[code - 96].sub[1];
	if (code >= 64)
		return &p->op[code - 64].sub[0];
	if (code >= 16)
		return &p->op[code % 16].sub[code / 16 - 1];
	return &p->op[code];
}

bool
lower_lanes(struct lower *l)
{
	struct lane_code c;
	struct wcp_error e;
	int r = lanes_decode(l->in, l->isa, &c, &e);
	uint32_t src[4] = {0}, dst[2] = {0};
	if (r == 0)
		return false;
	if (r < 0)
		return lower_unsupported(l), true;
	l->op_class = c.op_class;
	for (unsigned i = 0; i < 4; i++)
		if (c.src_op[i] >= 0 && c.src[i] != PTX_NONE)
			src[i] = lower_source(l, operand_of(l->in, c.src_op[i]), c.src[i]);
	for (unsigned i = 0; i < 2; i++)
		if (c.dst_op[i] >= 0 && c.dst[i] != PTX_NONE)
			dst[i] = lower_result(l, operand_of(l->in, c.dst_op[i]), c.dst[i]);
	struct insn *in = lower_emit(l, DO_LANES, c.fn);
	in->d = dst[0];
	in->d2 = dst[1];
	in->a = src[0];
	in->b = src[1];
	in->c = src[2];
	in->e = src[3];
	in->aux = c.aux;
	in->round = c.round;
	in->negate = c.negate;
	in->imm = c.imm;
	return true;
}
