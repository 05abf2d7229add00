/* The static program that streams carry: one entry a PTX instruction, in the order of the code. */
#include <stdlib.h>
#include <string.h>
#include "exec/lower/lower.h"

static struct wcp_insn *
program_insn(struct lower *l, uint32_t pc)
{
	union {
		const struct wcp_insn *in;
		struct wcp_insn *out;
	} u = {l->code->program.insn};
	return u.out + pc;
}

/* A kernel has few different spellings and files: a linear search finds them. */
static uint32_t
intern(struct lower *l, const char *text)
{
	const uint32_t bytes = (uint32_t)strlen(text) + 1;
	for (uint32_t at = 0; at < l->n_string; at += (uint32_t)strlen(l->strings + at) + 1)
		if (!strcmp(l->strings + at, text))
			return at;
	if (!lower_grow(l, &l->strings, l->n_string + bytes, &l->cap_string, 1))
		return 0;
	memcpy(l->strings + l->n_string, text, bytes);
	l->n_string += bytes;
	return l->n_string - bytes;
}

bool
lower_program_begin(struct lower *l, uint32_t n_insn)
{
	struct wcp_insn *insn = exec_arena_alloc(l->code->arena, (n_insn + 1) * sizeof *insn);
	uint16_t *reg = calloc((size_t)n_insn * 4 + CFG_REGS, sizeof *reg);
	free(l->reg);
	l->reg = reg;
	l->cap_reg = n_insn * 4 + CFG_REGS;
	l->code->program =
	    (struct wcp_program){.name = l->code->name, .insn = insn, .n_insn = n_insn};
	return insn && reg ? true : lower_fail(l, WCP_ESYS, "out of memory");
}

static void
registers(struct lower *l, struct wcp_insn *to, uint32_t reg_base)
{
	struct cfg_regs r;
	cfg_insn_regs(l->in, &r);
	struct wcp_program *p = &l->code->program;
	to->regs = p->n_reg;
	if (!lower_grow(l, &l->reg, p->n_reg + r.n_dst + r.n_src, &l->cap_reg, sizeof *l->reg))
		return;
	for (uint32_t i = 0; i < r.n_dst; i++)
		l->reg[p->n_reg++] = (uint16_t)(reg_base + r.dst[i]);
	for (uint32_t i = 0; i < r.n_src; i++)
		l->reg[p->n_reg++] = (uint16_t)(reg_base + r.src[i]);
	to->ndst = (uint8_t)r.n_dst;
	to->nsrc = (uint8_t)r.n_src;
}

static bool
has_any(const struct ptx_insn *in, const char *const *list)
{
	for (; *list; list++)
		if (ptx_has(in, *list))
			return true;
	return false;
}

static void
memory(struct lower *l, struct wcp_insn *to, const struct mem_op *m)
{
	static const char *const strong[] = {
	    "volatile", "relaxed", "acquire", "release", "acq_rel", "sc", "mmio", NULL};
	static const char *const past_l1[] = {"cg", "cv", "cs", "wt", NULL};
	to->flags |= WCP_INSN_MEMORY;
	to->space = m->space;
	to->kind = m->kind;
	to->bytes = (uint16_t)(m->kind == WCP_PREFETCH ? 0 : m->size * m->n);
	if (has_any(l->in, strong))
		to->flags |= WCP_INSN_VOLATILE;
	if (has_any(l->in, past_l1))
		to->flags |= WCP_INSN_UNCACHED;
	if (ptx_has(l->in, "nc") || m->space == WCP_SPACE_CONST || m->space == WCP_SPACE_PARAM)
		to->flags |= WCP_INSN_READONLY;
}

static uint16_t
barrier_number(const struct lower *l, uint32_t slot, bool dynamic)
{
	for (uint32_t i = 0; i < l->n_constant && !dynamic; i++)
		if (l->constant[i].offset == slot)
			return (uint16_t)l->constant[i].value;
	return slot ? WCP_DYNAMIC : 0;
}

static void
control(struct lower *l, struct wcp_insn *to, const struct insn *in)
{
	const struct exec_func *f = &l->code->func[l->func];
	const uint32_t meet =
	    l->cfg.n_block ? l->cfg.block[l->cfg.block_of[l->index]].ipdom : CFG_NONE;
	if (!strcmp(l->in->base, "bra") && l->in->n_op)
		to->target = f->pc + (uint32_t)l->in->op[0].integer;
	if (in && in->what == DO_CALL && l->code->call[in->imm].target != WCP_NONE32)
		to->target = l->code->func[l->code->call[in->imm].target].pc;
	if (cfg_is_branch(l->in) && meet == CFG_EXIT)
		to->reconverge = f->pc + l->fn->n_insn - 1;
	else if (cfg_is_branch(l->in) && meet != CFG_NONE)
		to->reconverge = f->pc + l->cfg.block[meet].first;
	if (in && in->what == DO_BARRIER) {
		to->bar_id = barrier_number(l, in->a, in->aux & BAR_DYNAMIC);
		to->bar_count = barrier_number(l, in->b, in->aux & BAR_DYNAMIC);
	}
	if (to->op_class == WCP_OP_BRANCH || to->op_class == WCP_OP_CALL ||
	    to->op_class == WCP_OP_EXIT || to->op_class == WCP_OP_BARRIER)
		to->flags |= WCP_INSN_END_RUN;
}

/* Describes the instruction just lowered. */
void
lower_describe(struct lower *l, uint32_t reg_base, const struct insn *in)
{
	struct wcp_insn *to = program_insn(l, l->pc);
	*to = (struct wcp_insn){.opcode = intern(l, l->in->opcode),
	    .op_class = l->op_class,
	    .target = WCP_NONE32,
	    .reconverge = WCP_NONE32,
	    .file = WCP_NONE32,
	    .ptx_line = l->in->line};
	registers(l, to, reg_base);
	if (l->in->guard != WCP_NONE32)
		to->flags |= WCP_INSN_GUARDED;
	if (in && (in->what == DO_MEMORY || in->what == DO_BULK))
		memory(l, to, &l->code->mem[in->e]);
	control(l, to, in);
	if (l->in->loc_line && l->in->loc_file < l->module->n_file) {
		to->file = intern(l, l->module->file[l->in->loc_file]);
		to->line = l->in->loc_line;
	}
}

void
lower_program_end(struct lower *l)
{
	struct wcp_program *p = &l->code->program;
	uint16_t *reg = exec_arena_alloc(l->code->arena, (p->n_reg + 1) * sizeof *reg);
	char *strings = exec_arena_alloc(l->code->arena, l->n_string + 1);
	if (!reg || !strings) {
		lower_fail(l, WCP_ESYS, "out of memory");
		return;
	}
	memcpy(reg, l->reg, p->n_reg * sizeof *reg);
	memcpy(strings, l->strings, l->n_string);
	p->reg = reg;
	p->strings = strings;
	p->n_string = l->n_string;
}
