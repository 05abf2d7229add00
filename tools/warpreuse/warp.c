/* A WARP stream without a replayer: coalesced in the order in which it is recorded. */
#include "warpcap/coalesce.h"
#include "warpreuse.h"

static struct key
key_of(enum unit unit, const struct warp_source *from, uint32_t cta, uint16_t warp, uint32_t pc)
{
	switch (unit) {
	case UNIT_KERNEL: return (struct key){from->kernel->id, 0, 0};
	case UNIT_CTA: return (struct key){from->kernel->id, cta, 0};
	case UNIT_WARP: return (struct key){from->kernel->id, cta, warp};
	case UNIT_PC: return (struct key){from->program->id, 0, pc};
	case UNIT_NONE:
	case UNIT_SM:
	case UNIT_COUNT: break;
	}
	return (struct key){0, 0, 0};
}

static void
add_record(struct profile *p, const struct warp_source *from, const struct wcp_warp_batch *b,
    uint32_t segment, uint32_t record, struct refs *r)
{
	struct wcp_transaction out[WCP_COALESCE_MAX];
	uint32_t pc = b->mem_pc[record], cta = b->seg_cta[segment];
	uint16_t warp = b->seg_warp[segment];
	const struct wcp_insn *insn = &from->program->insn[pc];
	uint8_t space = b->mem_space[record];
	if ((space != WCP_SPACE_GLOBAL && space != WCP_SPACE_LOCAL) ||
	    !(p->set->kinds >> (insn->kind & 31) & 1))
		return;
	uint32_t line_bytes = p->set->line_bytes;
	struct wcp_coalesce c = {line_bytes, line_bytes / 32 > 32 ? line_bytes / 32 : 32};
	uint32_t n =
	    wcp_coalesce(&c, b, record, insn->bytes, wcp_local_base(from->kernel, cta, warp), out);
	unsigned shift = (unsigned)__builtin_ctz(p->set->line_bytes);
	uint32_t by = 0, stack = 0, who = 0;
	if (p->by.what)
		by = keys_number(&p->by, key_of(p->by.what, from, cta, warp, pc));
	if (p->stacks.what)
		stack = keys_number(&p->stacks, key_of(p->stacks.what, from, cta, warp, pc));
	if (p->who.what)
		who = keys_number(&p->who, key_of(p->who.what, from, cta, warp, pc));
	refs_reserve(r, n);
	for (uint32_t i = 0; i < n; i++, r->n++) {
		r->line[r->n] = out[i].line >> shift;
		r->by[r->n] = by;
		r->stack[r->n] = stack;
		r->who[r->n] = who;
	}
}

int
warp_refs(struct profile *p, const struct warp_source *from, const struct wcp_warp_batch *b,
    struct refs *r, struct wcp_error *e)
{
	for (uint32_t s = 0; s < b->n_seg; s++) {
		if (b->seg_alt[s])
			continue; /* would have been executed had a launch been refused */
		for (uint32_t m = b->seg_mem[s]; m < b->seg_mem[s + 1]; m++) {
			if (b->mem_pc[m] >= from->program->n_insn)
				return wcp_fail(e, WCP_EDATA,
				    "kernel %u: pc %u is past its program", from->kernel->id,
				    b->mem_pc[m]);
			add_record(p, from, b, s, m, r);
		}
	}
	return 0;
}
