/* tex, tld4, txq, suld, sust, sured and suq. PTX ISA 9.0 sections 9.7.10 and 9.7.11. */
#include <string.h>
#include "exec/lower/lower.h"

/* Bytes that the static program gives a texture fetch: what a texel has is known only when it runs.
 */
#define TEXEL_BYTES 4

static bool
read_geometry(const char *mod, struct exec_fetch *f)
{
	static const struct {
		const char *name;
		uint8_t dim, n;
		bool layered;
	} list[] = {{"1d", FETCH_1D, 1, false}, {"2d", FETCH_2D, 2, false},
	    {"3d", FETCH_3D, 3, false}, {"a1d", FETCH_1D, 1, true}, {"a2d", FETCH_2D, 2, true},
	    {"cube", FETCH_CUBE, 3, false}, {"acube", FETCH_CUBE, 3, true}};
	for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
		if (!strcmp(mod, list[i].name)) {
			f->dim = list[i].dim;
			f->n_coordinate = list[i].n;
			f->layered = list[i].layered;
			return true;
		}
	return false;
}

static bool
read_word(const char *mod, struct exec_fetch *f)
{
	static const char *const harmless[] = {
	    "b", "base", "v2", "v4", "volatile", "ca", "cg", "cs", "cv", "wb", "wt"};
	for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++)
		if (!strcmp(mod, harmless[i]))
			return true;
	if (!strcmp(mod, "level"))
		f->lod = LOD_LEVEL;
	else if (!strcmp(mod, "grad"))
		f->lod = LOD_GRADIENT;
	else if (!strcmp(mod, "trap"))
		f->outside = OUTSIDE_TRAP;
	else if (!strcmp(mod, "clamp"))
		f->outside = OUTSIDE_CLAMP;
	else if (!strcmp(mod, "zero"))
		f->outside = OUTSIDE_ZERO;
	else if (strlen(mod) == 1 && strchr("rgba", *mod))
		f->component = (uint8_t)(strchr("rgba", *mod) - "rgba");
	else
		return read_geometry(mod, f) || ptx_type_named(mod) != PTX_NONE;
	return true;
}

static bool
read_words(struct lower *l, struct exec_fetch *f, uint32_t first)
{
	for (uint32_t i = first; i < l->in->n_mod; i++)
		if (!read_word(l->in->mod[i], f))
			return lower_unsupported(l);
	return true;
}

/* [handle, {coordinates}]: a register, or the name of a .texref or .surfref that holds one. */
static bool
handle(struct lower *l, struct exec_fetch *f, const struct ptx_operand *op)
{
	uint64_t address;
	bool per_frame;
	if (op->kind != PTX_OP_MEMORY || op->integer)
		return lower_unsupported(l);
	if (op->has_reg) {
		struct ptx_operand reg = *op;
		reg.kind = PTX_OP_REG;
		f->handle = lower_source(l, &reg, PTX_U64);
		return !l->failed;
	}
	if (!op->sym || !lower_address_of(l, op->sym, &address, &per_frame) || per_frame)
		return lower_unsupported(l);
	f->named = true;
	f->handle = lower_constant(l, 8, address);
	return true;
}

/* Slots of up to n values: of a vector, or of a single operand. */
static bool
values(
    struct lower *l, const struct ptx_operand *op, enum ptx_type type, uint32_t n, uint32_t *slot)
{
	const bool vector = op->kind == PTX_OP_VECTOR;
	if ((vector ? op->n_sub : 1) < n)
		return lower_unsupported(l);
	for (uint32_t i = 0; i < n; i++)
		slot[i] = lower_source(l, vector ? &op->sub[i] : op, type);
	return !l->failed;
}

static bool
coordinates(struct lower *l, struct exec_fetch *f, const struct ptx_operand *op, enum ptx_type type)
{
	uint32_t slot[4];
	if (op->n_sub != 1)
		return lower_unsupported(l);
	const struct ptx_operand *list = &op->sub[0];
	f->real = type == PTX_F32;
	if (!f->layered)
		return values(l, list, type, f->n_coordinate, f->coordinate);
	if (list->kind != PTX_OP_VECTOR || list->n_sub < 1u + f->n_coordinate)
		return lower_unsupported(l);
	f->layer = lower_source(l, &list->sub[0], PTX_U32);
	struct ptx_operand rest = *list;
	rest.sub++;
	rest.n_sub--;
	if (!values(l, &rest, type, f->n_coordinate, slot))
		return false;
	memcpy(f->coordinate, slot, f->n_coordinate * sizeof *slot);
	return true;
}

/* Where the elements go or come from; a pair's second half says whether all was resident: it is. */
static bool
data(struct lower *l, struct exec_fetch *f, const struct ptx_operand *op, bool written)
{
	if (op->kind == PTX_OP_PAIR && op->n_sub == 2) {
		const uint32_t all = lower_constant(l, 0, WCP_FULL_MASK);
		const uint32_t d = lower_result(l, &op->sub[1], PTX_PRED);
		struct insn *in = lower_hidden(l, l->level->copy[WIDTH_PRED]);
		in->a = all;
		in->d = d;
		op = &op->sub[0];
	}
	const bool vector = op->kind == PTX_OP_VECTOR;
	const struct ptx_operand *each = vector ? op->sub : op;
	f->n = (uint8_t)(vector ? op->n_sub : 1);
	if (f->n > 4)
		return lower_unsupported(l);
	for (uint32_t i = 0; i < f->n; i++) {
		if (each[i].kind == PTX_OP_SINK)
			continue;
		f->reg[i] = written ? lower_result(l, &each[i], (enum ptx_type)f->type)
				    : lower_source(l, &each[i], (enum ptx_type)f->type);
		f->reg_bytes[i] = (uint8_t)lower_width((enum ptx_type)f->type);
	}
	return !l->failed;
}

static bool
finish(struct lower *l, enum fetch_what what, struct exec_fetch *f, struct mem_op m)
{
	struct exec_code *c = l->code;
	lane_fn *const fn = l->level->fetch[what];
	struct insn *in = lower_emit(
	    l, what == FETCH_QUERY ? DO_BUILTIN : DO_MEMORY, (lane_fn *const[2]){fn, fn});
	in->b = c->n_fetch;
	if (what != FETCH_QUERY) {
		m.n = 1;
		m.addr_bytes = 8;
		*lower_mem(l, in) = m;
	}
	if (lower_grow(l, &c->fetch, c->n_fetch, &l->cap_fetch, sizeof *f))
		c->fetch[c->n_fetch++] = *f;
	return true;
}

/* tex.2d.v4.f32.f32 {..}, [t, {x, y}] {, level | gradients} {, offsets} */
static bool
texture(struct lower *l, bool gather)
{
	const struct ptx_insn *p = l->in;
	struct exec_fetch f = {.type = (uint8_t)ptx_insn_type(p, 0)};
	const enum ptx_type coordinate = ptx_insn_type(p, 1);
	uint32_t next = 2;
	l->op_class = WCP_OP_TEXTURE;
	if (p->n_op < 2 || !read_words(l, &f, 0) || !f.n_coordinate)
		return lower_unsupported(l), true;
	if ((f.type != PTX_F32 && f.type != PTX_S32 && f.type != PTX_U32) ||
	    (coordinate != PTX_F32 && coordinate != PTX_S32) ||
	    (gather && f.dim != FETCH_2D && f.dim != FETCH_CUBE))
		return lower_unsupported(l), true;
	if (!handle(l, &f, &p->op[1]) || !coordinates(l, &f, &p->op[1], coordinate))
		return true;
	if (f.lod == LOD_LEVEL && p->n_op > next) {
		f.integer_level = coordinate == PTX_S32;
		f.level = lower_source(l, &p->op[next++], coordinate);
	}
	for (unsigned g = 0; f.lod == LOD_GRADIENT && g < 2; g++)
		if (p->n_op <= next ||
		    !values(l, &p->op[next++], PTX_F32, f.n_coordinate, f.gradient[g]))
			return lower_unsupported(l), true;
	if (p->n_op > next && p->op[next].kind == PTX_OP_VECTOR && f.dim != FETCH_CUBE &&
	    !values(l, &p->op[next++], PTX_S32, f.n_coordinate, f.offset))
		return true;
	if (p->n_op != next)
		return lower_unsupported(l), true; /* depth comparison */
	if (!data(l, &f, &p->op[0], true))
		return true;
	return finish(l, gather ? FETCH_GATHER : FETCH_TEXTURE, &f,
	    (struct mem_op){.kind = WCP_LOAD, .space = WCP_SPACE_TEXTURE, .size = TEXEL_BYTES});
}

/* suld.b.2d.v4.b32.trap {..}, [s, {x, y}]; sust.b... [s, {x, y}], {..} */
static bool
surface(struct lower *l, bool store)
{
	const struct ptx_insn *p = l->in;
	struct exec_fetch f = {.type = (uint8_t)ptx_insn_type(p, 0)};
	const struct ptx_operand *at = &p->op[store ? 0 : 1], *op = &p->op[store ? 1 : 0];
	l->op_class = WCP_OP_TEXTURE;
	if (p->n_op != 2 || !ptx_has(p, "b") || !read_words(l, &f, 0) || !f.n_coordinate ||
	    f.dim == FETCH_CUBE)
		return lower_unsupported(l), true;
	f.bytes = (uint8_t)ptx_type_bytes((enum ptx_type)f.type);
	if (!f.bytes || f.bytes > 8 || !handle(l, &f, at) || !coordinates(l, &f, at, PTX_S32) ||
	    !data(l, &f, op, !store))
		return true;
	return finish(l, store ? FETCH_SURFACE_STORE : FETCH_SURFACE_LOAD, &f,
	    (struct mem_op){.kind = store ? WCP_STORE : WCP_LOAD,
		.space = WCP_SPACE_SURFACE,
		.size = (uint8_t)(f.bytes * f.n)});
}

/* sured.b.add.2d.u32.trap [s, {x, y}], r */
static bool
reduce(struct lower *l)
{
	const struct ptx_insn *p = l->in;
	struct exec_fetch f = {.type = (uint8_t)ptx_insn_type(p, 0)};
	l->op_class = WCP_OP_TEXTURE;
	if (p->n_op != 2 || p->n_mod < 3 || !ptx_has(p, "b"))
		return lower_unsupported(l), true;
	const int op = lower_atom_named(p->mod[1]);
	if (op < 0 || op > ATOM_OR || !read_words(l, &f, 2) || !f.n_coordinate ||
	    f.dim == FETCH_CUBE)
		return lower_unsupported(l), true;
	f.op = (uint8_t)op;
	f.bytes = (uint8_t)ptx_type_bytes((enum ptx_type)f.type);
	if (f.bytes < 4 || f.bytes > 8 || !handle(l, &f, &p->op[0]) ||
	    !coordinates(l, &f, &p->op[0], PTX_S32) || !data(l, &f, &p->op[1], false))
		return lower_unsupported(l), true;
	l->code->one_by_one = true;
	return finish(l, FETCH_SURFACE_REDUCE, &f,
	    (struct mem_op){.kind = WCP_REDUCE,
		.space = WCP_SPACE_SURFACE,
		.op = f.op,
		.type = f.type,
		.size = f.bytes});
}

static bool
query(struct lower *l, bool of_surface)
{
	static const char *const name[QUERY_COUNT] = {[QUERY_WIDTH] = "width",
	    [QUERY_HEIGHT] = "height",
	    [QUERY_DEPTH] = "depth",
	    [QUERY_CHANNEL_TYPE] = "channel_data_type",
	    [QUERY_CHANNEL_ORDER] = "channel_order",
	    [QUERY_NORMALIZED] = "normalized_coords",
	    [QUERY_ARRAY_SIZE] = "array_size",
	    [QUERY_LEVELS] = "num_mipmap_levels",
	    [QUERY_SAMPLES] = "num_samples"};
	const struct ptx_insn *p = l->in;
	struct exec_fetch f = {.type = PTX_B32, .query = QUERY_COUNT, .formatted = of_surface};
	l->op_class = WCP_OP_TEXTURE;
	for (unsigned i = 0; i < QUERY_COUNT; i++)
		if (name[i] && ptx_has(p, name[i]))
			f.query = (uint8_t)i;
	if (p->n_op < 2 || p->n_op > 3 || f.query == QUERY_COUNT || p->op[1].n_sub)
		return lower_unsupported(l), true;
	if (p->n_op > 2)
		f.level = lower_source(l, &p->op[2], PTX_U32);
	if (!handle(l, &f, &p->op[1]) || !data(l, &f, &p->op[0], true))
		return true;
	return finish(l, FETCH_QUERY, &f, (struct mem_op){0});
}

bool
lower_fetch(struct lower *l)
{
	const char *base = l->in->base;
	if (!strcmp(base, "tex") || !strcmp(base, "tld4"))
		return texture(l, base[1] == 'l');
	if (!strcmp(base, "suld") || !strcmp(base, "sust"))
		return surface(l, base[2] == 's');
	if (!strcmp(base, "sured"))
		return reduce(l);
	if (!strcmp(base, "txq") || !strcmp(base, "suq"))
		return query(l, base[0] == 's');
	return false;
}
