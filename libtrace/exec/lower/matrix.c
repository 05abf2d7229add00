/* wmma, mma, mma.sp, ldmatrix, stmatrix and movmatrix. PTX ISA 9.0 section 9.7.14. */
#include <stdio.h>
#include <string.h>
#include "exec/lower/lower.h"

static const struct {
	const char *name;
	uint8_t type, bits;
} elements[] = {
    {"f16", ELEMENT_F16, 16},
    {"bf16", ELEMENT_BF16, 16},
    {"tf32", ELEMENT_TF32, 32},
    {"f32", ELEMENT_F32, 32},
    {"f64", ELEMENT_F64, 64},
    {"s32", ELEMENT_S32, 32},
    {"s8", ELEMENT_S8, 8},
    {"u8", ELEMENT_U8, 8},
    {"s4", ELEMENT_S4, 4},
    {"u4", ELEMENT_U4, 4},
    {"b1", ELEMENT_B1, 1},
    {"e4m3", ELEMENT_E4M3, 8},
    {"e5m2", ELEMENT_E5M2, 8},
};

struct shape {
	unsigned m, n, k;
};

/* What the modifiers say. */
struct words {
	struct shape shape;
	const char *layout[2]; /* row, col */
	uint8_t element[4];    /* index in elements */
	uint32_t n_layout, n_element;
	char role; /* a, b, c, d of wmma.load and store */
	uint8_t space;
	bool satfinite;
	uint8_t combine;
};

static int
element_named(const char *mod)
{
	for (int i = 0; i < (int)(sizeof elements / sizeof elements[0]); i++)
		if (!strcmp(elements[i].name, mod))
			return i;
	return -1;
}

static bool
is_ignored(const char *mod)
{
	static const char *const list[] = {"sync", "aligned", "load", "store", "mma", "popc",
	    "m8n8", "b16", "kind::f8f6f4", "rn", "sp", "sp::ordered_metadata"};
	for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
		if (!strcmp(mod, list[i]))
			return true;
	return false;
}

static bool
read_word(const char *mod, struct words *w)
{
	const int e = element_named(mod);
	if (e >= 0 && w->n_element < 4)
		w->element[w->n_element++] = (uint8_t)e;
	else if ((!strcmp(mod, "row") || !strcmp(mod, "col")) && w->n_layout < 2)
		w->layout[w->n_layout++] = mod;
	else if (!strcmp(mod, "satfinite"))
		w->satfinite = true;
	else if (!strcmp(mod, "xor"))
		w->combine = COMBINE_XOR;
	else if (!strcmp(mod, "and"))
		w->combine = COMBINE_AND;
	else if (strlen(mod) == 1 && *mod >= 'a' && *mod <= 'd')
		w->role = *mod;
	else
		return is_ignored(mod) || lower_space(mod, &w->space) ||
		       sscanf(mod, "m%un%uk%u", &w->shape.m, &w->shape.n, &w->shape.k) == 3;
	return true;
}

static bool
read_words(struct lower *l, struct words *w)
{
	*w = (struct words){.space = WCP_SPACE_GENERIC};
	for (uint32_t i = 0; i < l->in->n_mod; i++)
		if (!read_word(l->in->mod[i], w))
			return false;
	return true;
}

static const char *
layout_of(const struct words *w, uint32_t i)
{
	return i < w->n_layout ? w->layout[i] : "row";
}

/* A fragment without its registers: role a is m x k, b is k x n, c and d are m x n. */
static struct exec_fragment
fragment(const struct words *w, char role, uint8_t element, const char *layout, bool wmma)
{
	const struct shape s = w->shape;
	struct exec_fragment f = {.type = elements[element].type,
	    .bits = elements[element].bits,
	    .layout = wmma	    ? FRAGMENT_PIECES
		      : role == 'a' ? FRAGMENT_A
		      : role == 'b' ? FRAGMENT_B
				    : FRAGMENT_C,
	    .by_column = role < 'c' && !strcmp(layout, "col"), /* mma does not say how c lies */
	    .lies_by_column = !strcmp(layout, "col"),
	    .rows = (uint16_t)(role == 'b' ? s.k : s.m),
	    .columns = (uint16_t)(role == 'a' ? s.k : s.n)};
	f.reg_bytes = f.bits == 64 ? 8 : 4;
	return f;
}

struct element_place {
	unsigned row, column;
};

/* Which element register i holds at position e in a lane. Figures of PTX ISA 9.0 section 9.7.14.5.
 */
static struct element_place
place_of(const struct exec_fragment *f, unsigned lane, unsigned i, unsigned e)
{
	const unsigned per = 8u * f->reg_bytes / f->bits, group = lane / 4, in = lane % 4;
	if (f->layout == FRAGMENT_PIECES) {
		const unsigned held = f->n_reg * per, all = f->rows * (unsigned)f->columns;
		const unsigned at = (lane * held + i * per + e) % all;
		return f->by_column ? (struct element_place){at % f->rows, at / f->rows}
				    : (struct element_place){at / f->columns, at % f->columns};
	}
	if (f->layout == FRAGMENT_A) {
		const unsigned halves = f->rows / 8;
		return (struct element_place){
		    group + 8 * (i % halves), in * per + 4 * per * (i / halves) + e};
	}
	if (f->layout == FRAGMENT_B)
		return (struct element_place){in * per + 4 * per * i + e, group};
	const unsigned k = i * per + e; /* C: pairs of columns */
	return (struct element_place){group + 8 * (k / 2), in * 2 + k % 2};
}

static bool
same_geometry(const struct exec_fragment *a, const struct exec_fragment *b)
{
	return a->bits == b->bits && a->layout == b->layout && a->reg_bytes == b->reg_bytes &&
	       a->n_reg == b->n_reg && a->by_column == b->by_column && a->rows == b->rows &&
	       a->columns == b->columns;
}

static bool
find_places(struct lower *l, struct exec_fragment *f)
{
	for (uint32_t i = 0; i < l->n_layout; i++)
		if (same_geometry(&l->layout[i], f)) {
			f->place = l->layout[i].place;
			return true;
		}
	const unsigned per = 8u * f->reg_bytes / f->bits;
	uint16_t *place =
	    exec_arena_alloc(l->code->arena, WCP_LANES * f->n_reg * per * sizeof *place);
	if (!place)
		return lower_fail(l, WCP_ESYS, "out of memory");
	f->place = place;
	for (unsigned lane = 0; lane < WCP_LANES; lane++)
		for (unsigned i = 0; i < f->n_reg; i++)
			for (unsigned e = 0; e < per; e++) {
				const struct element_place p = place_of(f, lane, i, e);
				*place++ = (uint16_t)(p.row * f->columns + p.column);
			}
	if (lower_grow(l, &l->layout, l->n_layout, &l->cap_layout, sizeof *f))
		l->layout[l->n_layout++] = *f;
	return !l->failed;
}

/*
 * Registers as the text has them. Their number says how many elements a lane holds; wmma's f16
 * fragments of a and b hold each element more than once.
 */
static bool
registers(struct lower *l, struct exec_fragment *f, const struct ptx_operand *op, bool written)
{
	const bool many = op->kind == PTX_OP_VECTOR;
	const uint32_t n = many ? op->n_sub : 1;
	const enum ptx_type type = f->type == ELEMENT_F64   ? PTX_F64
				   : f->type == ELEMENT_F32 ? PTX_F32
				   : f->type == ELEMENT_S32 ? PTX_S32
							    : PTX_B32;
	const unsigned held = n * 8 * f->reg_bytes / f->bits, all = f->rows * f->columns;
	if (n > FRAGMENT_REGS || !held || all % held || all / held > WCP_LANES ||
	    (f->layout != FRAGMENT_PIECES && all != held * WCP_LANES))
		return lower_unsupported(l);
	f->n_reg = (uint8_t)n;
	for (uint32_t i = 0; i < n; i++) {
		const struct ptx_operand *r = many ? &op->sub[i] : op;
		f->reg[i] = written ? lower_result(l, r, type) : lower_source(l, r, type);
	}
	return !l->failed && find_places(l, f);
}

static bool
keep(struct lower *l, struct insn *in, const struct exec_matrix *m)
{
	struct exec_code *c = l->code;
	in->b = c->n_matrix;
	if (!lower_grow(l, &c->matrix, c->n_matrix, &l->cap_matrix, sizeof *m))
		return true;
	c->matrix[c->n_matrix++] = *m;
	return true;
}

/* wmma.load d, [a], stride; wmma.store [a], d, stride */
static bool
load_store(struct lower *l, const struct words *w, bool store)
{
	const struct ptx_insn *p = l->in;
	const struct ptx_operand *at = &p->op[store ? 0 : 1], *data = &p->op[store ? 1 : 0];
	struct exec_matrix m = {0};
	uint32_t frame;
	if (p->n_op < 2 || !w->role || w->n_element != 1 || !w->shape.m)
		return lower_unsupported(l), true;
	m.d = fragment(w, w->role, w->element[0], layout_of(w, 0), true);
	struct mem_op mem = {.kind = store ? WCP_STORE : WCP_LOAD, .space = w->space};
	if (!lower_frame_address(l, at, &frame) || !registers(l, &m.d, data, !store))
		return true;
	const unsigned row = m.d.lies_by_column ? m.d.rows : m.d.columns;
	const unsigned held = m.d.n_reg * 8u * m.d.reg_bytes / m.d.bits;
	m.stride = p->n_op > 2 ? lower_source(l, &p->op[2], PTX_U32) : FILE_NONE;
	mem.size = (uint8_t)((held < row ? held : row) * m.d.bits / 8);
	mem.n = 1;
	struct insn *in = lower_emit(l, DO_MEMORY,
	    (lane_fn *const[2]){l->level->matrix[store ? MATRIX_STORE : MATRIX_LOAD],
		l->level->matrix[store ? MATRIX_STORE : MATRIX_LOAD]});
	l->op_class = store ? WCP_OP_STORE : WCP_OP_LOAD;
	if (!lower_address(l, at, frame, in, &mem))
		return true;
	*lower_mem(l, in) = mem;
	return keep(l, in, &m);
}

/* The types of d, a, b, c as the text has them: all four, a single one for all of f64, b1's and
 * wmma's f16, where only d and c are named. */
static bool
types(const struct words *w, bool wmma, uint8_t type[4])
{
	const uint8_t *e = w->element;
	if (w->n_element == 4) {
		memcpy(type, e, 4);
		return true;
	}
	if (wmma && w->n_element == 2) {
		const uint8_t half = (uint8_t)element_named("f16");
		memcpy(type, (const uint8_t[4]){e[0], half, half, e[1]}, 4);
		return true;
	}
	return false;
}

/*
 * How many of four lanes have the metadata of their group, which says where in each four bits'
 * worth of columns the two elements (of tf32: the one) go. Elements of 16 and 32 bits: a lane has
 * 16 columns of 16 bits for a row and for the eighth after it; narrower ones: eight groups of one
 * row.
 */
static unsigned
metadata_lanes(const struct words *w, uint8_t type)
{
	const unsigned bits = elements[type].bits, m = w->shape.m, k = w->shape.k;
	if (m != 16 || bits < 4 || bits > 32 || k * bits % 256)
		return 0;
	return (bits < 16 ? 2 : 1) * (k * bits / 256);
}

/* a, b, c and the metadata's selector, which counts groups of lanes that have all of it */
static bool
sparse(struct lower *l, const struct words *w, uint8_t type, struct exec_matrix *m)
{
	const struct ptx_insn *p = l->in;
	const unsigned lanes = metadata_lanes(w, type);
	if (!lanes || 4 % lanes || p->op[5].kind != PTX_OP_INT || p->op[5].integer < 0 ||
	    p->op[5].integer >= 4 / lanes)
		return lower_unsupported(l);
	m->sparse = true;
	m->sparse_lane = (uint8_t)((unsigned)p->op[5].integer * lanes);
	m->metadata = lower_source(l, &p->op[4], PTX_B32);
	m->a.columns /= 2;
	return !l->failed;
}

/* mma.m8n8k4 of f16, where a lane has four elements of a and b and eight of c and d; the types are
 * d, a, b, c. */
static bool
multiply_quads(struct lower *l, const struct words *w, const uint8_t type[4])
{
	static const uint8_t shape[4] = {8, 4, 4, 8}; /* elements a lane holds */
	struct exec_matrix m = {0};
	struct exec_fragment *f[4] = {&m.d, &m.a, &m.b, &m.c};
	for (unsigned i = 0; i < 4; i++) {
		const struct ptx_operand *op = &l->in->op[i];
		*f[i] = (struct exec_fragment){.type = elements[type[i]].type,
		    .bits = elements[type[i]].bits,
		    .by_column = (i == 1 || i == 2) && !strcmp(layout_of(w, i - 1), "col"),
		    .reg_bytes = 4,
		    .n_reg = (uint8_t)(shape[i] * elements[type[i]].bits / 32)};
		if (op->kind != PTX_OP_VECTOR || op->n_sub != f[i]->n_reg ||
		    (f[i]->type != ELEMENT_F16 && (shape[i] == 4 || f[i]->type != ELEMENT_F32)))
			return lower_unsupported(l), true;
		for (uint32_t k = 0; k < op->n_sub; k++)
			f[i]->reg[k] = i ? lower_source(l, &op->sub[k], PTX_B32)
					 : lower_result(l, &op->sub[k], PTX_B32);
	}
	lane_fn *const fn = l->level->matrix[MATRIX_QUADS];
	return keep(l, lower_emit(l, DO_LANES, (lane_fn *const[2]){fn, fn}), &m);
}

static bool
multiply(struct lower *l, const struct words *w, bool wmma)
{
	const struct ptx_insn *p = l->in;
	struct exec_matrix m = {.combine = w->combine, .saturate = w->satfinite};
	uint8_t type[4];
	l->op_class = WCP_OP_TENSOR;
	const bool compressed = ptx_has(p, "sp") || ptx_has(p, "sp::ordered_metadata");
	if (p->n_op != (compressed ? 6 : 4) || !w->shape.m || !types(w, wmma, type))
		return lower_unsupported(l), true;
	if (!wmma && elements[type[1]].type == ELEMENT_F16 && w->shape.k == 4)
		return compressed ? lower_unsupported(l) : multiply_quads(l, w, type);
	m.a = fragment(w, 'a', type[1], layout_of(w, 0), wmma);
	m.b = fragment(w, 'b', type[2], layout_of(w, 1), wmma);
	m.c = fragment(w, 'c', type[3], "row", wmma);
	m.d = fragment(w, 'd', type[0], "row", wmma);
	if (compressed && !sparse(l, w, type[1], &m))
		return true;
	if (!registers(l, &m.a, &p->op[1], false) || !registers(l, &m.b, &p->op[2], false) ||
	    !registers(l, &m.c, &p->op[3], false) || !registers(l, &m.d, &p->op[0], true))
		return true;
	lane_fn *const fn = l->level->matrix[MATRIX_MMA];
	return keep(l, lower_emit(l, DO_LANES, (lane_fn *const[2]){fn, fn}), &m);
}

/* ldmatrix d, [a]; stmatrix [a], d: one to four matrices of 8 x 8 */
static bool
eight(struct lower *l, bool store)
{
	const struct ptx_insn *p = l->in;
	const struct ptx_operand *at = &p->op[store ? 0 : 1], *data = &p->op[store ? 1 : 0];
	struct exec_matrix m = {.transposed = ptx_has(p, "trans")};
	struct mem_op mem = {
	    .kind = store ? WCP_STORE : WCP_LOAD, .space = WCP_SPACE_GENERIC, .size = 16, .n = 1};
	const uint32_t want = ptx_has(p, "x4") ? 4 : ptx_has(p, "x2") ? 2 : 1;
	uint32_t frame;
	if (p->n_op != 2 || !ptx_has(p, "m8n8") || !ptx_has(p, "b16") ||
	    (data->kind == PTX_OP_VECTOR ? data->n_sub : 1) != want)
		return lower_unsupported(l), true;
	for (uint32_t i = 0; i < p->n_mod; i++)
		lower_space(p->mod[i], &mem.space);
	m.d = (struct exec_fragment){.reg_bytes = 4, .n_reg = (uint8_t)want};
	for (uint32_t i = 0; i < want; i++) {
		const struct ptx_operand *r = data->kind == PTX_OP_VECTOR ? &data->sub[i] : data;
		m.d.reg[i] = store ? lower_source(l, r, PTX_B32) : lower_result(l, r, PTX_B32);
	}
	if (!lower_frame_address(l, at, &frame))
		return true;
	lane_fn *const fn = l->level->matrix[store ? MATRIX_STORE_8X8 : MATRIX_LOAD_8X8];
	struct insn *in = lower_emit(l, DO_MEMORY, (lane_fn *const[2]){fn, fn});
	l->op_class = store ? WCP_OP_STORE : WCP_OP_LOAD;
	if (!lower_address(l, at, frame, in, &mem))
		return true;
	*lower_mem(l, in) = mem;
	return keep(l, in, &m);
}

static bool
transpose(struct lower *l)
{
	const struct ptx_insn *p = l->in;
	struct exec_matrix m = {0};
	l->op_class = WCP_OP_SHUFFLE;
	if (p->n_op != 2 || !ptx_has(p, "trans") || !ptx_has(p, "b16"))
		return lower_unsupported(l), true;
	m.a.reg[0] = lower_source(l, &p->op[1], PTX_B32);
	m.d.reg[0] = lower_result(l, &p->op[0], PTX_B32);
	lane_fn *const fn = l->level->matrix[MATRIX_MOVE];
	return keep(l, lower_emit(l, DO_LANES, (lane_fn *const[2]){fn, fn}), &m);
}

bool
lower_matrix(struct lower *l)
{
	const struct ptx_insn *p = l->in;
	const bool wmma = !strcmp(p->base, "wmma");
	struct words w;
	if (!strcmp(p->base, "ldmatrix") || !strcmp(p->base, "stmatrix"))
		return eight(l, p->base[0] == 's');
	if (!strcmp(p->base, "movmatrix"))
		return transpose(l);
	if (!wmma && strcmp(p->base, "mma") != 0)
		return false;
	if (!read_words(l, &w))
		return lower_unsupported(l), true;
	if (wmma && !ptx_has(p, "mma"))
		return load_store(l, &w, ptx_has(p, "store"));
	return multiply(l, &w, wmma);
}
