/* Where things are: registers and parameters in the file, variables in shared and local memory. */
#include <stdlib.h>
#include <string.h>
#include "exec/lower/lower.h"

/* Up to this a function's registers each have a slot; above it slots are shared by registers that
 * never live at once. */
#define REUSE_ABOVE_BYTES 16384u

static uint32_t
units_of(const struct ptx_symbol *s)
{
	return s->bytes ? (uint32_t)((s->bytes + 7) / 8) : 1;
}

static uint64_t
align_up(uint64_t at, uint64_t align)
{
	return align > 1 ? (at + align - 1) / align * align : at;
}

static bool
place_params(struct lower *l, struct exec_func *f, struct ptx_symbol **sym, uint32_t n,
    uint32_t **area, uint32_t **units)
{
	*area = exec_arena_alloc(l->code->arena, (n + 1) * sizeof **area);
	*units = exec_arena_alloc(l->code->arena, (n + 1) * sizeof **units);
	if (!*area || !*units)
		return lower_fail(l, WCP_ESYS, "out of memory");
	for (uint32_t i = 0; i < n; i++) {
		(*area)[i] = f->area + f->bytes64;
		(*units)[i] = units_of(sym[i]);
		sym[i]->user = (*area)[i];
		f->bytes64 += 256 * (*units)[i];
	}
	return true;
}

/* The entry's parameters: one block, each at its natural alignment. */
static bool
place_kernel_params(struct lower *l)
{
	struct exec_code *c = l->code;
	const struct ptx_signature *sig = &l->fn->sig;
	c->n_param = sig->n_param;
	c->param_offset = exec_arena_alloc(c->arena, (sig->n_param + 1) * sizeof *c->param_offset);
	c->param_bytes_each =
	    exec_arena_alloc(c->arena, (sig->n_param + 1) * sizeof *c->param_offset);
	if (!c->param_offset || !c->param_bytes_each)
		return lower_fail(l, WCP_ESYS, "out of memory");
	uint64_t at = 0;
	for (uint32_t i = 0; i < sig->n_param; i++) {
		struct ptx_symbol *s = sig->param[i];
		at = align_up(at, s->align);
		s->user = at;
		c->param_offset[i] = (uint32_t)at;
		c->param_bytes_each[i] = (uint32_t)s->bytes;
		at += s->bytes;
	}
	c->param_bytes = (uint32_t)at;
	return true;
}

struct span {
	uint32_t reg, from, to;
};

static int
by_start(const void *a, const void *b)
{
	const struct span *x = a, *y = b;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->reg < y->reg ? -1 : x->reg > y->reg;
}

static void
extend(struct span *s, uint32_t at)
{
	if (at < s->from)
		s->from = at;
	if (at > s->to || s->to == CFG_NONE)
		s->to = at;
}

/* From the first to the last instruction, in text order, where a register holds something. */
static void
find_spans(const struct lower *l, struct span *span)
{
	const struct cfg *c = &l->cfg;
	for (uint32_t r = 0; r < l->fn->n_reg; r++)
		span[r] = (struct span){r, CFG_NONE, CFG_NONE};
	for (uint32_t b = 0; b < c->n_block; b++) {
		const struct cfg_block *block = &c->block[b];
		for (uint32_t r = 0; r < l->fn->n_reg; r++) {
			if (cfg_bit(c->live_in + (size_t)b * c->words, r))
				extend(&span[r], block->first);
			if (cfg_bit(c->live_out + (size_t)b * c->words, r))
				extend(&span[r], block->end - 1);
		}
		for (uint32_t i = block->first; i < block->end; i++) {
			struct cfg_regs regs;
			cfg_insn_regs(&l->fn->insn[i], &regs);
			for (uint32_t k = 0; k < regs.n_dst; k++)
				extend(&span[regs.dst[k]], i);
			for (uint32_t k = 0; k < regs.n_src; k++)
				extend(&span[regs.src[k]], i);
		}
	}
}

/* A 64-bit register of this name holds the program's estimate of the work behind the thread's next
 * launch: one place for all of that name. */
static bool
is_workload(const struct lower *l, uint32_t r)
{
	return lower_width(l->fn->reg[r].type) == 8 &&
	       !strcmp(l->fn->reg[r].name, "warpcap_workload");
}

static void
place_workload(struct lower *l)
{
	for (uint32_t r = 0; r < l->fn->n_reg; r++) {
		if (!is_workload(l, r))
			continue;
		if (!l->code->workload) {
			l->code->workload = l->file_bytes;
			l->file_bytes += exec_slot_bytes(8);
		}
		l->slot[r] = l->code->workload;
		l->code->reset_registers = true;
	}
}

/* A section of one width: each register its own place, or the first place that is free by then. */
static uint32_t
place_section(struct lower *l, const struct span *span, unsigned bytes, uint32_t at, bool reuse)
{
	const uint32_t size = bytes ? exec_slot_bytes(bytes) : 4;
	uint32_t n = 0, *free_from = reuse ? calloc(l->fn->n_reg + 1, sizeof *free_from) : NULL;
	for (uint32_t i = 0; i < l->fn->n_reg; i++) {
		const uint32_t r = span[i].reg;
		const enum ptx_type type = l->fn->reg[r].type;
		if (lower_width(type) != bytes || (type == PTX_PRED) != !bytes ||
		    (bytes == 8 && is_workload(l, r)))
			continue;
		uint32_t k = 0;
		if (free_from) {
			while (k < n && free_from[k] > span[i].from)
				k++;
			free_from[k] = span[i].to == CFG_NONE ? 0 : span[i].to + 1;
		} else {
			k = n;
		}
		n += k == n;
		l->slot[r] = at + k * size;
	}
	free(free_from);
	return n * size;
}

static bool
place_registers(struct lower *l, struct exec_func *f)
{
	uint64_t bytes = 0;
	struct span *span = calloc(l->fn->n_reg + 1, sizeof *span);
	if (!span)
		return lower_fail(l, WCP_ESYS, "out of memory");
	for (uint32_t r = 0; r < l->fn->n_reg; r++) {
		const enum ptx_type type = l->fn->reg[r].type;
		if (type != PTX_PRED && (lower_width(type) == 0 || lower_width(type) > 16)) {
			free(span);
			return lower_fail(l, WCP_EDATA, "register %s: type .%s is not supported",
			    l->fn->reg[r].name, ptx_type_name(type));
		}
		bytes += lower_width(type) ? exec_slot_bytes(lower_width(type)) : 4;
		span[r].reg = r;
	}
	const bool reuse = bytes > REUSE_ABOVE_BYTES;
	if (reuse) {
		find_spans(l, span);
		qsort(span, l->fn->n_reg, sizeof *span, by_start);
	}
	uint32_t at = f->area + f->bytes64;
	f->bytes64 += place_section(l, span, 8, at, reuse);
	at = f->area + f->bytes64;
	f->bytes64 += place_section(l, span, 16, at, reuse); /* two of 64 bits each */
	at = f->area + f->bytes64;
	f->bytes32 = place_section(l, span, 4, at, reuse);
	f->bytes16 = place_section(l, span, 2, at += f->bytes32, reuse);
	f->bytes_pred = place_section(l, span, 0, at + f->bytes16, reuse);
	f->area_bytes = f->bytes64 + f->bytes32 + f->bytes16 + f->bytes_pred;
	l->file_bytes = (f->area + f->area_bytes + 63) & ~63u;
	free(span);
	return true;
}

bool
lower_spilled(struct lower *l, const struct ptx_symbol *sym, uint64_t *offset)
{
	for (uint32_t i = 0; i < l->n_spill; i++)
		if (l->spill[i].sym == sym) {
			*offset = l->spill[i].offset;
			return true;
		}
	return lower_fail(l, WCP_EDATA,
	    "PTX line %u: the address of parameter '%s' is not supported here", l->in->line,
	    sym->name);
}

/* A parameter whose address is taken moves to the frame (PTX ISA 9.0 section 9.7.9.2, mov). */
static bool
place_spills(struct lower *l, uint64_t *local)
{
	l->n_spill = 0;
	for (uint32_t i = 0; l->func && i < l->fn->n_insn; i++) {
		const struct ptx_insn *in = &l->fn->insn[i];
		const struct ptx_symbol *s =
		    !strcmp(in->base, "mov") && in->n_op == 2 ? in->op[1].sym : NULL;
		bool is_input = s && s->kind == PTX_SYM_PARAM && s->index < l->fn->sig.n_param &&
				l->fn->sig.param[s->index] == s;
		for (uint32_t k = 0; k < l->n_spill; k++)
			is_input &= l->spill[k].sym != s;
		if (!is_input)
			continue;
		if (!lower_grow(l, &l->spill, l->n_spill, &l->cap_spill, sizeof *l->spill))
			return false;
		*local = align_up(*local, s->align > 8 ? s->align : 8);
		l->spill[l->n_spill++] = (struct lower_spill){s, (uint32_t)*local};
		*local += 8ull * units_of(s);
	}
	return true;
}

bool
lower_layout(struct lower *l)
{
	struct exec_func *f = &l->code->func[l->func];
	uint64_t local = 0;
	place_workload(l);
	f->area = l->file_bytes;
	if (l->func == 0) {
		if (!place_kernel_params(l))
			return false;
	} else if (!place_params(
		       l, f, l->fn->sig.param, l->fn->sig.n_param, &f->param, &f->param_units) ||
		   !place_params(l, f, l->fn->sig.ret, l->fn->sig.n_ret, &f->ret, &f->ret_units)) {
		return false;
	}
	for (uint32_t i = 0; i < l->fn->n_local; i++) {
		struct ptx_symbol *s = l->fn->local[i];
		if (s->kind == PTX_SYM_PARAM) {
			s->user = f->area + f->bytes64;
			f->bytes64 += 256 * units_of(s);
		} else if (s->space == WCP_SPACE_LOCAL) {
			local = align_up(local, s->align);
			s->user = local;
			local += s->bytes;
		}
	}
	for (uint32_t i = 0; l->func == 0 && i < l->module->n_sym; i++) {
		struct ptx_symbol *s = l->module->sym[i];
		if (s->kind == PTX_SYM_VAR && s->space == WCP_SPACE_LOCAL) {
			local = align_up(local, s->align);
			s->user = local;
			local += s->bytes;
		}
	}
	if (!place_spills(l, &local))
		return false;
	f->local_bytes = (uint32_t)local;
	return place_registers(l, f);
}

/* ---- shared memory ---- */

static void
want_shared(struct lower *l, struct ptx_symbol *s, bool dynamic)
{
	if (s->kind != PTX_SYM_VAR || s->space != WCP_SPACE_SHARED || (s->bytes == 0) != dynamic)
		return;
	if (dynamic) {
		l->shared_bytes =
		    (uint32_t)align_up(l->shared_bytes, s->align > 16 ? s->align : 16);
		s->user = l->shared_bytes;
		return;
	}
	if (s->user != WCP_NONE32)
		return;
	l->shared_bytes = (uint32_t)align_up(l->shared_bytes, s->align);
	s->user = l->shared_bytes;
	l->shared_bytes += (uint32_t)s->bytes;
}

static void
each_used(struct lower *l, const struct ptx_operand *op, uint32_t n, unsigned pass)
{
	for (uint32_t i = 0; i < n; i++) {
		struct ptx_symbol *s = op[i].sym;
		if (s && s->kind == PTX_SYM_VAR && s->space == WCP_SPACE_SHARED) {
			if (pass == 0)
				s->user = WCP_NONE32;
			else
				want_shared(l, s, pass == 2);
		}
		each_used(l, op[i].sub, op[i].n_sub, pass);
	}
}

/* Variables that the kernel's functions name, in order of appearance; dynamic shared memory begins
 * behind them. */
bool
lower_shared_layout(struct lower *l)
{
	for (unsigned pass = 0; pass < 3; pass++)
		for (uint32_t f = 0; f < l->code->n_func; f++)
			for (uint32_t i = 0; i < l->code->func[f].ptx->n_insn; i++) {
				const struct ptx_insn *in = &l->code->func[f].ptx->insn[i];
				each_used(l, in->op, in->n_op, pass);
			}
	l->code->static_shared_bytes = l->shared_bytes;
	return true;
}
