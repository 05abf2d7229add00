#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "exec/lower/lower.h"

bool
lower_fail(struct lower *l, enum wcp_status status, const char *format, ...)
{
	if (!l->failed) {
		va_list ap;
		va_start(ap, format);
		vsnprintf(l->error.text, sizeof l->error.text, format, ap);
		va_end(ap);
		l->error.status = status;
		l->failed = true;
	}
	return false;
}

bool
lower_unsupported(struct lower *l)
{
	return lower_fail(l, WCP_EDATA, "PTX line %u: instruction '%s' is not supported",
	    l->in->line, l->in->opcode);
}

bool
lower_grow(struct lower *l, void *array, uint32_t n, uint32_t *cap, size_t size)
{
	void **p = array;
	if (n < *cap)
		return true;
	uint32_t want = n + n / 2 + 16;
	void *q = realloc(*p, want * size);
	if (!q)
		return lower_fail(l, WCP_ESYS, "out of memory");
	*p = q;
	*cap = want;
	return true;
}

struct insn *
lower_emit(struct lower *l, enum insn_do what, lane_fn *const fn[2])
{
	struct exec_code *c = l->code;
	if (!lower_grow(l, &c->insn, c->n_insn + 1, &l->cap_insn, sizeof *c->insn) && !c->n_insn)
		return &l->spare;
	struct insn *in =
	    &c->insn[l->failed && l->error.status == WCP_ESYS ? c->n_insn - 1 : c->n_insn++];
	*in = (struct insn){.what = (uint8_t)what, .pc = l->pc};
	if (fn) {
		in->fn[0] = fn[0];
		in->fn[1] = fn[1];
	}
	if (l->in && l->in->guard != WCP_NONE32) {
		in->guard = l->slot[l->in->guard];
		in->guard_negated = l->in->guard_negated;
		if (what == DO_LANES)
			in->what = DO_GUARDED;
	}
	return in;
}

struct insn *
lower_hidden(struct lower *l, lane_fn *const fn[2])
{
	struct insn *in = lower_emit(l, DO_LANES, fn);
	in->what = DO_LANES;
	in->guard = 0;
	in->hidden = 1;
	return in;
}

struct mem_op *
lower_mem(struct lower *l, struct insn *in)
{
	struct exec_code *c = l->code;
	if (!lower_grow(l, &c->mem, c->n_mem, &l->cap_mem, sizeof *c->mem))
		return &l->spare_mem;
	in->e = c->n_mem;
	return &c->mem[c->n_mem++];
}

void
lower_patch(struct lower *l, struct insn *in)
{
	if (lower_grow(l, &l->patch, l->n_patch, &l->cap_patch, sizeof *l->patch))
		l->patch[l->n_patch++] = (uint32_t)(in - l->code->insn);
}

/* ---- which functions ---- */

static bool
add_func(struct lower *l, const struct ptx_func *fn)
{
	struct exec_code *c = l->code;
	for (uint32_t i = 0; i < c->n_func; i++)
		if (c->func[i].ptx == fn)
			return true;
	if (!lower_grow(l, &c->func, c->n_func, &l->cap_func, sizeof *c->func))
		return false;
	c->func[c->n_func++] = (struct exec_func){.ptx = fn};
	return true;
}

/* Functions of the module whose address is somewhere a call could find it. */
static bool
add_address_taken(struct lower *l)
{
	for (uint32_t i = 0; i < l->module->n_func; i++) {
		const struct ptx_func *f = l->module->func[i];
		const struct ptx_symbol *s = ptx_find(l->module, f->name);
		if (f->is_entry || !f->has_body || !s || !s->user || !add_func(l, f))
			continue;
		for (uint32_t k = 0; k < l->code->n_func; k++)
			if (l->code->func[k].ptx == f) {
				l->code->func[k].address_taken = true;
				l->code->func[k].address = s->user;
			}
	}
	return !l->failed;
}

static void
add_callees(struct lower *l, const struct ptx_func *fn)
{
	struct cfg cfg;
	bool indirect = false;
	if (!cfg_build(&cfg, fn)) {
		lower_fail(l, WCP_ESYS, "out of memory");
		return;
	}
	for (uint32_t i = 0; i < fn->n_insn; i++) {
		const struct ptx_insn *in = &fn->insn[i];
		if (strcmp(in->base, "call") != 0 || !cfg.block[cfg.block_of[i]].reached)
			continue;
		bool direct = false;
		for (uint32_t k = 0; k < in->n_op && !direct; k++)
			if (in->op[k].kind == PTX_OP_SYMBOL && in->op[k].sym &&
			    in->op[k].sym->kind == PTX_SYM_FUNC) {
				direct = true;
				if (in->op[k].sym->func && in->op[k].sym->func->has_body)
					add_func(l, in->op[k].sym->func);
			}
		indirect |= !direct;
	}
	cfg_release(&cfg);
	if (indirect)
		add_address_taken(l);
}

/* ---- one function ---- */

static uint32_t
live_set(struct lower *l, uint32_t block)
{
	struct exec_code *c = l->code;
	if (l->live_of[block])
		return l->live_of[block] - 1;
	if (!lower_grow(l, &c->live, c->n_live, &l->cap_live, sizeof *c->live))
		return 0;
	struct live_set *s = &c->live[c->n_live++];
	const uint64_t *live = l->cfg.live_in + (size_t)block * l->cfg.words;
	uint32_t n = 0, bytes = 0;
	for (uint32_t r = 0; r < l->fn->n_reg; r++)
		n += cfg_bit(live, r);
	*s = (struct live_set){.offset = exec_arena_alloc(c->arena, (n + 1) * sizeof *s->offset),
	    .bytes = exec_arena_alloc(c->arena, (n + 1) * sizeof *s->bytes)};
	if (!s->offset || !s->bytes)
		return lower_fail(l, WCP_ESYS, "out of memory"), 0;
	for (uint32_t r = 0; r < l->fn->n_reg; r++) {
		if (!cfg_bit(live, r))
			continue;
		const unsigned wide = lower_width(l->fn->reg[r].type);
		s->offset[s->n] = l->slot[r];
		s->bytes[s->n++] = wide ? exec_slot_bytes(wide) : 4;
		bytes += wide ? exec_slot_bytes(wide) : 4;
	}
	if (bytes > c->snapshot_bytes)
		c->snapshot_bytes = bytes;
	l->live_of[block] = c->n_live;
	return c->n_live - 1;
}

static uint32_t
meet_insn(const struct lower *l, uint32_t block)
{
	return block == CFG_NONE   ? 0
	       : block == CFG_EXIT ? l->common_return
				   : l->start[l->cfg.block[block].first];
}

/* In a loop that waits a store of what is there already is no progress. */
static void
compare_stores(struct lower *l, uint32_t from, uint32_t to)
{
	struct exec_code *c = l->code;
	c->may_spin = true;
	for (uint32_t i = from; i < to; i++) {
		struct insn *in = &c->insn[i];
		l->waits_in_calls |= in->what == DO_CALL;
		if (in->what != DO_MEMORY || c->mem[in->e].kind != WCP_STORE)
			continue;
		c->mem[in->e].flags |= MEM_COMPARE;
		in->fn[0] = l->level->store_any[0];
		in->fn[1] = l->level->store_any[1];
	}
}

/* Branches get their places, now that all have one. */
static void
patch_branches(struct lower *l)
{
	struct exec_code *c = l->code;
	for (uint32_t i = 0; i < l->n_patch; i++) {
		struct insn *in = &c->insn[l->patch[i]];
		if (in->what == DO_BRANCH_TABLE) {
			struct exec_table *t = &c->table[in->imm];
			for (uint32_t k = 0; k < t->n; k++)
				t->target[k] = l->start[t->target[k]];
			t->meet = t->meet == CFG_NONE ? WCP_NONE32 : meet_insn(l, t->meet);
			continue;
		}
		const uint32_t to = (uint32_t)in->imm, self = in->pc - c->func[l->func].pc;
		in->imm = l->start[to];
		if (in->what == DO_BRANCH)
			in->b = meet_insn(l, in->b);
		if (to <= self) {
			in->c = live_set(l, l->cfg.block_of[to]);
			if (lower_loop_waits(l, to, self))
				compare_stores(l, (uint32_t)in->imm, l->patch[i]);
		}
	}
	l->n_patch = 0;
}

/* The result of an atomic that nobody reads makes it a reduction, as it does in hardware. */
static void
note_live(void *arg, uint32_t insn, const uint64_t *live_after)
{
	struct lower *l = arg;
	const struct ptx_insn *in = &l->fn->insn[insn];
	struct exec_func *f = &l->code->func[l->func];
	const uint32_t weight = cfg_weight(&l->cfg, live_after);
	if (weight > f->peak)
		f->peak = weight;
	l->live_after[insn] = weight;
	if (strcmp(in->base, "atom") != 0 || !in->n_op)
		return;
	const struct ptx_operand *op = &in->op[0];
	const uint32_t n = op->kind == PTX_OP_VECTOR ? op->n_sub : 1;
	for (uint32_t i = 0; i < n; i++) {
		const struct ptx_operand *r = op->kind == PTX_OP_VECTOR ? &op->sub[i] : op;
		if (r->kind == PTX_OP_REG && cfg_bit(live_after, r->reg))
			l->result_read[insn] = 1;
	}
}

static void
lower_insn(struct lower *l)
{
	if (!lower_control(l) && !lower_memory(l) && !lower_matrix(l) && !lower_async(l) &&
	    !lower_fetch(l) && !lower_move(l) && !lower_lanes(l))
		lower_unsupported(l);
	lower_results(l);
}

/* The insn that does the work of the PTX instruction lowered since first; NULL if there is none. */
static const struct insn *
main_insn(const struct lower *l, uint32_t first)
{
	for (uint32_t i = first; i < l->code->n_insn; i++)
		if (!l->code->insn[i].hidden)
			return &l->code->insn[i];
	return NULL;
}

static void
emit_meet(struct lower *l)
{
	l->in = NULL;
	struct insn *in = lower_emit(l, DO_RECONVERGE, NULL);
	in->hidden = 1;
}

static void
register_params(struct lower *l, bool entry)
{
	const struct ptx_signature *sig = &l->fn->sig;
	const uint32_t n = entry ? sig->n_param : sig->n_ret;
	for (uint32_t i = 0; l->func && i < n; i++) {
		const struct ptx_symbol *s = (entry ? sig->param : sig->ret)[i];
		if (s->reg == WCP_NONE32)
			continue;
		struct mem_op m = {
		    .space = WCP_SPACE_PARAM, .n = 1, .size = (uint8_t)ptx_type_bytes(s->type)};
		m.reg[0] = l->slot[s->reg];
		m.reg_bytes[0] = (uint8_t)lower_width(s->type);
		struct insn *in =
		    lower_hidden(l, entry ? l->level->param_load : l->level->param_store);
		in->a = (uint32_t)s->user;
		*lower_mem(l, in) = m;
	}
}

static void
spill_params(struct lower *l)
{
	for (uint32_t i = 0; i < l->n_spill; i++) {
		const struct ptx_symbol *s = l->spill[i].sym;
		struct insn *in = lower_hidden(l, l->level->param_spill);
		in->a = (uint32_t)s->user;
		in->b = s->bytes ? (uint32_t)((s->bytes + 7) / 8) : 1;
		in->imm = l->spill[i].offset;
	}
}

static void
lower_body(struct lower *l, uint32_t reg_base)
{
	const struct exec_func *f = &l->code->func[l->func];
	for (uint32_t i = 0; i < l->fn->n_insn && !l->failed; i++) {
		const struct cfg_block *b = &l->cfg.block[l->cfg.block_of[i]];
		l->index = i;
		l->pc = f->pc + i;
		l->start[i] = l->code->n_insn;
		if (i == b->first && b->meets)
			emit_meet(l);
		const uint32_t first = l->code->n_insn;
		l->in = &l->fn->insn[i];
		l->op_class = WCP_OP_OTHER;
		l->live_result = l->result_read[i];
		l->n_temp = 0;
		if (b->reached) {
			const uint32_t n_call = l->code->n_call;
			lower_insn(l);
			for (uint32_t k = n_call; k < l->code->n_call; k++)
				l->code->call[k].live = l->live_after[i];
		}
		l->code->reset_registers |= l->op_class == WCP_OP_SHUFFLE;
		lower_describe(l, reg_base, main_insn(l, first));
	}
	l->in = NULL;
	l->pc = f->pc + l->fn->n_insn;
	for (uint32_t k = 0; l->cfg.n_block && k < l->cfg.words; k++)
		l->code->reset_registers |= l->cfg.live_in[k] != 0;
}

static bool
function_buffers(struct lower *l)
{
	const struct ptx_func *fn = l->fn;
	struct exec_arena *a = l->code->arena;
	l->slot = exec_arena_alloc(a, (fn->n_reg + 1) * sizeof *l->slot);
	l->start = exec_arena_alloc(a, (fn->n_insn + 1) * sizeof *l->start);
	l->live_of = exec_arena_alloc(a, (l->cfg.n_block + 1) * sizeof *l->live_of);
	l->live_after = exec_arena_alloc(a, (fn->n_insn + 1) * sizeof *l->live_after);
	l->result_read = exec_arena_alloc(a, fn->n_insn + 1);
	l->next_shared = exec_arena_alloc(a, (fn->n_insn + 1) * sizeof *l->next_shared);
	if (l->next_shared)
		lower_find_shared(l);
	return l->next_shared && l->slot && l->start && l->live_of && l->live_after &&
		       l->result_read
		   ? true
		   : lower_fail(l, WCP_ESYS, "out of memory");
}

static void
lower_function(struct lower *l, uint32_t index, uint32_t reg_base)
{
	struct exec_code *c = l->code;
	l->func = index;
	l->fn = c->func[index].ptx;
	if (!cfg_build(&l->cfg, l->fn)) {
		lower_fail(l, WCP_ESYS, "out of memory");
	} else if (function_buffers(l) && lower_layout(l)) {
		cfg_each_live(&l->cfg, note_live, l);
		c->func[index].first = c->n_insn;
		l->pc = c->func[index].pc;
		l->in = NULL;
		register_params(l, true);
		spill_params(l);
		lower_body(l, reg_base);
		l->start[l->fn->n_insn] = l->common_return = c->n_insn;
		if (index) {
			emit_meet(l);
			register_params(l, false);
		}
		lower_emit(l, index ? DO_RETURN : DO_EXIT, NULL)->hidden = 1;
		if (!l->failed)
			patch_branches(l);
	}
	cfg_release(&l->cfg);
}

/* ---- the whole kernel ---- */

static void
make_image(struct lower *l)
{
	struct exec_code *c = l->code;
	c->file_bytes = l->file_bytes;
	c->image = exec_arena_alloc(c->arena, l->file_bytes + 64);
	if (!c->image) {
		lower_fail(l, WCP_ESYS, "out of memory");
		return;
	}
	for (uint32_t i = 0; i < l->n_constant; i++) {
		const struct lower_const *k = &l->constant[i];
		char *to = c->image + k->offset;
		if (k->bytes & 0x80)
			continue;
		if (!k->bytes) {
			uint32_t mask = (uint32_t)k->value;
			memcpy(to, &mask, 4);
		}
		for (unsigned lane = 0; k->bytes && lane < WCP_LANES; lane++)
			memcpy(to + lane * k->bytes, &k->value, k->bytes);
	}
}

static void
lower_all(struct lower *l)
{
	struct exec_code *c = l->code;
	uint32_t n_insn = 0, reg_base = 0;
	add_func(l, c->func[0].ptx);
	for (uint32_t i = 0; i < c->n_func && !l->failed; i++)
		add_callees(l, c->func[i].ptx);
	for (uint32_t i = 0; i < c->n_func; i++) {
		c->func[i].pc = n_insn;
		n_insn += c->func[i].ptx->n_insn;
	}
	lower_find_pollers(c);
	if (l->failed || !lower_program_begin(l, n_insn) || !lower_shared_layout(l))
		return;
	l->file_bytes = FILE_FIRST;
	for (uint32_t i = 0; i < c->n_func && !l->failed; i++) {
		lower_function(l, i, reg_base);
		reg_base += c->func[i].ptx->n_reg;
	}
	if (l->failed)
		return;
	if (l->waits_in_calls && c->n_func > 1)
		compare_stores(l, c->func[1].first, c->n_insn);
	lower_program_end(l);
	lower_rules(l);
	make_image(l);
}

struct exec_code *
exec_lower(const struct ptx_module *module, const struct ptx_func *fn,
    const struct exec_level *level, unsigned isa, uint32_t regs_per_sm)
{
	struct lower l = {.module = module, .level = level, .isa = isa, .regs_per_sm = regs_per_sm};
	struct exec_code *c = calloc(1, sizeof *c);
	l.code = c;
	if (!c || !(c->arena = exec_arena_new())) {
		free(c);
		return NULL;
	}
	c->name = fn->name;
	c->ptx = module;
	c->max_threads = fn->maxntid[0] * (fn->maxntid[1] ? fn->maxntid[1] : 1) *
			 (fn->maxntid[2] ? fn->maxntid[2] : 1);
	memcpy(c->reqntid, fn->reqntid, sizeof c->reqntid);
	for (unsigned i = 0; i < 3; i++)
		c->cluster[i] = fn->cluster[0] && !fn->cluster[i] ? 1 : fn->cluster[i];
	if (lower_grow(&l, &c->func, 0, &l.cap_func, sizeof *c->func)) {
		c->func[c->n_func++] = (struct exec_func){.ptx = fn};
		lower_all(&l);
	}
	if (l.failed) {
		c->status = l.error.status;
		snprintf(c->why, sizeof c->why, "%.*s", (int)sizeof c->why - 1, l.error.text);
	}
	free(l.constant);
	free(l.patch);
	free(l.spill);
	free(l.reg);
	free(l.strings);
	free(l.layout);
	return c;
}

void
exec_code_free(struct exec_code *c)
{
	if (!c)
		return;
	free(c->insn);
	free(c->mem);
	free(c->func);
	free(c->call);
	free(c->table);
	free(c->live);
	free(c->special);
	exec_twin_free(c->twin);
	free(c->builtin);
	free(c->matrix);
	free(c->fetch);
	free(c->bulk);
	exec_arena_free(c->arena);
	free(c);
}
